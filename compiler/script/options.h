// What an evaluation is told besides its script: the one place where target and dialect enter. From here they go into
// each kernel (ir::Kernel) and into its key (reuse.cpp); later stages read them from the kernel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/target.h"
#include "compiler/script/dialect_choice.h"

namespace tilewright::script {

class KernelMemo;  // memo.h
struct Probe;      // probe.h

// How a set whose order Python draws (texts, objects) gives its items.
enum class SetOrder : std::uint8_t { Inserted, Ascending, Descending, Turned };

struct EvaluateOptions {
  ir::Target target;
  // `target` was not asked for: an intrinsic row that it lacks is no error where another target has it
  // (ir::TargetChoice), and the caller that takes the kernel chooses one that serves it all (session/architecture.h).
  bool find_target = false;
  // The release that the script is written in, whatever it says itself; none: as find_dialect() finds it.
  std::optional<text::Dialect> dialect;
  // None: nothing but the script's comment is looked at.
  std::optional<DialectHints> dialect_hints;
  std::vector<std::string> entries;  // nothing: all that are found
  std::size_t max_entries = 256;     // of parametrize products and the like
  // False: of a list of arguments for one factory (CONFIGS, parametrize) the first alone is evaluated; the others are
  // listed. So an editor stays quick on kernels with hundreds of configurations.
  bool all_entries = true;
  KernelMemo* memo = nullptr;  // kernels are looked for there before they are evaluated; null: none
  Probe* probe = nullptr;      // watches one expression; null: none
  // Another one than the first: evaluate() looks whether the kernels are the same in it.
  SetOrder set_order = SetOrder::Inserted;
  // Whether what the script makes depends on the order that Python draws for a set, as far as it is known: of an
  // earlier text. None: it is evaluated in other orders, too, and without the memo.
  std::optional<bool> order_matters{};
};

}  // namespace tilewright::script
