#include "compiler/intrinsics/emit.h"

#include "compiler/intrinsics/helper_text.h"

namespace tilewright::intrinsics {

Emitted emit_asm_text(const Arguments& a, std::string_view text) {
  HelperText helper(a, HelperText::Language::Asm);
  return helper.finish_asm(helper.expand(text));
}

Emitted emit_cxx_text(const Arguments& a, std::string_view text) {
  HelperText helper(a, HelperText::Language::Cxx);
  return helper.finish_cxx(helper.expand(text));
}

namespace {

std::string template_of(const Arguments& a, std::string_view constant, ir::Target target) {
  return a.row().text ? a.row().text(a, target) : std::string(constant);
}

}  // namespace

Emitted emit_asm(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  return emit_asm_text(a, template_of(a, row.ptx, target));
}

Emitted emit_cxx(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  return emit_cxx_text(a, template_of(a, row.cxx, target));
}

std::string instruction_text(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (row.ptx.empty()) return {};
  Arguments a(row, args);
  std::string text = HelperText(a, HelperText::Language::Reading).expand(template_of(a, row.ptx, target));
  // Inline asm doubles the sign of special registers.
  for (std::size_t at; (at = text.find("%%")) != text.npos;) text.erase(at, 1);
  return text;
}

Emitted emit_in_place(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Emitted out;
  out.expression = row.cxx;
  out.preamble = row.preamble;
  for (std::size_t i = 0; i < args.size(); ++i) out.argument_positions.push_back(static_cast<int>(i));
  return out;
}

}  // namespace tilewright::intrinsics
