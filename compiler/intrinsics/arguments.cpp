#include "compiler/intrinsics/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::intrinsics {

std::string attribute_text(ir::Expr e) {
  if (const auto* text = e.as<ir::StringImm>()) return std::string(text->value);
  if (const auto* number = e.as<ir::IntImm>()) {
    if (number->dtype.is_bool()) return number->value ? "True" : "False";
    return std::to_string(number->value);
  }
  if (const auto* number = e.as<ir::FloatImm>()) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%g", number->value);
    return buffer;
  }
  return {};
}

bool is_attribute(ir::Expr e) {
  return e && (e.kind() == ir::ExprKind::IntImm || e.kind() == ir::ExprKind::StringImm ||
               e.kind() == ir::ExprKind::FloatImm);
}

const Operand* Arguments::operand(std::string_view name) const {
  for (const Operand& o : row_.operands) {
    if (o.name == name) return &o;
  }
  return nullptr;
}

const Operand* Arguments::operand_at(std::size_t position) const {
  std::size_t at = 0;
  for (const Operand& o : row_.operands) {
    std::size_t count = 1;
    if (o.kind == OperandKind::List) {
      const std::int64_t* length = at < args_.size() ? ir::constant(args_[at]) : nullptr;
      count = length ? static_cast<std::size_t>(*length) : 0;
      ++at;
    } else if (o.kind == OperandKind::Variadic) {
      count = args_.size() - std::min(at, args_.size());
    }
    if (position >= at && position < at + count) return &o;
    at += o.kind == OperandKind::Variadic ? 1 : count;
  }
  return nullptr;
}

int Arguments::position(const Operand& operand) const {
  int at = 0;
  for (const Operand& o : row_.operands) {
    bool list = o.kind == OperandKind::List;
    if (&o == &operand) return at + list;
    at += 1 + (list && at < static_cast<int>(args_.size()) && ir::constant(args_[at])
                   ? static_cast<int>(*ir::constant(args_[at]))
                   : 0);
  }
  return -1;
}

ir::Expr Arguments::operator[](std::string_view name) const {
  const Operand* o = operand(name);
  int at = o ? position(*o) : -1;
  return at >= 0 && at < static_cast<int>(args_.size()) ? args_[at] : ir::Expr();
}

bool Arguments::given(std::string_view name) const {
  ir::Expr e = (*this)[name];
  return e && !is_absent(e);
}

std::int64_t Arguments::integer(std::string_view name) const {
  ir::Expr e = (*this)[name];
  if (const auto* number = e.as<ir::FloatImm>()) {  // the scales of wgmma are written 1.0
    return std::fabs(number->value) < 1e15 ? static_cast<std::int64_t>(number->value) : 0;
  }
  const std::int64_t* value = ir::constant(e);
  return value ? *value : 0;
}

std::string Arguments::text(std::string_view name) const {
  ir::Expr e = (*this)[name];
  return e ? attribute_text(e) : std::string();
}

std::string Arguments::operation() const { return row_.operation.empty() ? text("op") : std::string(row_.operation); }

std::span<const ir::Expr> Arguments::items(const Operand& operand) const {
  int at = position(operand);
  if (at < 0 || at > static_cast<int>(args_.size())) return {};
  if (operand.kind == OperandKind::Variadic) return args_.subspan(at);
  if (operand.kind != OperandKind::List) return args_.subspan(at, 1);
  const std::int64_t* n = ir::constant(args_[at - 1]);
  return args_.subspan(at, n ? *n : 0);
}

std::span<const ir::Expr> Arguments::items(std::string_view name) const {
  const Operand* o = operand(name);
  return o ? items(*o) : std::span<const ir::Expr>();
}

}  // namespace tilewright::intrinsics
