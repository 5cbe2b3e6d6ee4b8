// Names of other languages of kernels (CUDA C++, Triton, CUTLASS and CuTe, TileLang, numba, numpy, torch, JAX, Mojo),
// each with what it means here. A name of this table is never taken for a misspelt one that is near it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::script {

// Where a name was looked for. Each has names of its own: `r.sum(0)` of a buffer is no `Tx.sum`.
enum class ForeignSpace : std::uint8_t {
  Any,     // a name alone, a path of another package, and whatever is asked of T and what lies below it
  Tile,    // a tile primitive
  Buffer,  // an attribute of a buffer
  Scalar,  // an attribute of an expression of run time
};

struct ForeignName {
  std::string hint;  // what to write
  // What takes the place of the whole path, or, if it has parentheses, of the whole call: `$1` is its first argument,
  // `$4|32` the fourth or 32, `$0` what stands before the last dot. "=T.thread_id" is the variable with the value of
  // such a call. Empty: more differs than the name.
  std::string instead;
};

// `path` as it is written: "threadIdx.x", "tl.dot", "T.cuda.syncthreads", of an attribute its name alone. The longest
// part of it from its beginning that is known counts. None: it is no such name.
std::optional<ForeignName> foreign_name(ForeignSpace space, std::string_view path, text::Dialect release);
// Its hint; empty: none.
std::string foreign_hint(ForeignSpace space, std::string_view path, text::Dialect release);
// How much of `path` that is.
std::string_view foreign_part(ForeignSpace space, std::string_view path);
// The path that begins at a byte of a text, "tl.dot" of "x = tl.dot(a, b)"; empty: no name begins there.
std::string_view path_at(std::string_view text, std::size_t begin);

// The dtype that another library calls so, "fp16", or the memory, "smem"; empty: none.
std::string_view dtype_known_as(std::string_view name);
std::string_view scope_known_as(std::string_view name);

}  // namespace tilewright::script
