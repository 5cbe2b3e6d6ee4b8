// Buffers and scalars that a kernel makes and does not use.
//
// Two views must agree: the text of the function never reads the name (syntax/unread.h), in no branch, evaluated or
// not; and the kernel's statements do not use what the name stands for, which a macro or a method may do without the
// name. The first is known for each statement, so that the second is looked at only for kernels with such a name.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/syntax/tree.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::session {

// A buffer, scalar or bound value whose name is never read, in one kernel.
struct NeverRead {
  text::Span name;
  std::string text;
  bool is_buffer = false;
  enum class Use : std::uint8_t { None, Written, Used } use = Use::None;  // by the kernel's statements
};

// Those that the kernel defines in these statements; in the order of the text.
std::vector<NeverRead> never_read(const ir::Kernel& kernel,
                                  std::span<const std::shared_ptr<const syntax::TopLevel>> statements);

// What one kernel of a file has to say about its definitions.
struct KernelUses {
  std::uint32_t def = 0;  // anchor of its function's statement
  bool failed = false;    // evaluation found errors: what it uses is not known
  std::span<const NeverRead> never_read;
};
// What none of the file's kernels uses. Places outside of `own` are not looked at.
std::vector<text::Diagnostic> unused(std::span<const KernelUses> kernels, const text::Anchors& anchors,
                                     const text::Source* own);

}  // namespace tilewright::session
