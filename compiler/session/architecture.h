// Which architecture a kernel is compiled for, and who says so.
//
// The first who says one is heard: the person (`--arch`, the editor's settings), the script's comment
// `# tilewright: arch sm_80 sm_90a`, the project's tilewright.toml, the script's KERNEL_META["compute_capability"].
// Where none is given, each kernel says it. It is evaluated for sm_90a, and what that lacks is no error as long as
// some target has it (ir::TargetChoice). If sm_90a serves all its rows and tile primitives, it stays; else the lowest
// target is taken that serves them all, and the answer names the call that asked for it. The evaluated kernel is the
// same for every target, rows are checked and no more; so nothing is evaluated twice, and each kernel of a file may
// find another one.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/dispatch/dispatched.h"
#include "compiler/syntax/tree.h"
#include "compiler/text/context.h"

namespace tilewright::session {

enum class ArchitectureSource : std::uint8_t {
  Asked,     // by the person
  Comment,   // of the script
  Settings,  // of the project
  Meta,      // the script's KERNEL_META
  Default,   // none was given: the default, unless the kernel's own calls ask for another
};
std::string_view architecture_source_name(ArchitectureSource source);  // "option", "comment", "settings", ...

struct NamedTargets {
  std::vector<ir::Target> targets;  // never empty
  ArchitectureSource source = ArchitectureSource::Default;
};
// What a script is compiled for unless the person says otherwise; `settings` are the project's, which may be none.
// Names in the comment that no target has are passed over here: they are findings (comments.h).
NamedTargets named_targets(const syntax::Tree& tree, std::span<const ir::Target> settings);
// What `# tilewright: arch sm_80 sm_90a` names, as written; none: empty.
std::vector<std::string> named_architectures(const syntax::Tree& tree);

// A kernel's calls on the target that it is compiled for.
struct ServedKernel {
  dispatch::Dispatched dispatched;
  ir::Target target;
  // The call that asked for this target, in the script's words: "tcgen05.alloc". Empty: the default serves, or the
  // target was said.
  std::string because;
  ir::Origin origin;  // of that call
};

// Does the target have all intrinsic rows of the kernel?
bool has_rows(ir::Target target, const ir::Kernel& kernel);

// Dispatches the kernel for its target; where that was not chosen, for the one that serves all its calls. No such
// target is an error, which names two calls that no target serves both.
ServedKernel dispatch_for_target(const ir::Kernel& kernel, const text::Context& context);

}  // namespace tilewright::session
