// The rows of foreign.h.
#pragma once
#include <span>
#include <string_view>

namespace tilewright::script {

// `{C23}` is the row C23 as the script's release spells it.
struct ForeignRow {
  std::string_view names;    // separated by blanks; a name without a dot is also found below T, tl and other packages
  std::string_view instead;  // as ForeignName has it
  std::string_view words;    // empty: "write " and `instead`
};

std::span<const ForeignRow> foreign_cuda();      // names alone
std::span<const ForeignRow> foreign_packages();  // paths of Triton, CuTe, TileLang, numba, torch
std::span<const ForeignRow> foreign_jax_mojo();  // paths of JAX, Pallas and Mojo, and what is left of C++
std::span<const ForeignRow> foreign_tiles();
std::span<const ForeignRow> foreign_buffers();
std::span<const ForeignRow> foreign_scalars();

}  // namespace tilewright::script
