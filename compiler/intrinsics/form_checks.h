// The check of a form for those who hold what the call was resolved to.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "compiler/intrinsics/forms.h"

namespace tilewright::intrinsics {

// What verify() says of the call of `form` with `args` that `call` became; its constants are known.
std::optional<std::string> verify_resolved(const Form& form, const ptx::Resolved& call, std::span<const ir::Expr> args,
                                           ir::Target target);

}  // namespace tilewright::intrinsics
