// What rows become in CUDA: the printers that most rows share.
#pragma once
#include "compiler/intrinsics/arguments.h"

namespace tilewright::intrinsics {

Emitted emit_asm(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);       // row.ptx
Emitted emit_cxx(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);       // row.cxx as a body
Emitted emit_in_place(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target);  // row.cxx as it is

// The same with a text that the caller made.
Emitted emit_asm_text(const Arguments& a, std::string_view text);
Emitted emit_cxx_text(const Arguments& a, std::string_view text);

}  // namespace tilewright::intrinsics
