// Expressions as script text (surface.md 17): in words for people, or node by node.
#include <charconv>
#include <cmath>

#include "compiler/expr/expr.h"
#include "compiler/expr/infix.h"

namespace tilewright::expr {
namespace {

constexpr std::size_t kLongest = 4000;
constexpr int kDeepest = 200;

std::string_view function(ExprKind kind) {
  switch (kind) {
    case ExprKind::TruncDiv: return "truncdiv";
    case ExprKind::TruncMod: return "truncmod";
    case ExprKind::Min: return "min";
    case ExprKind::Max: return "max";
    case ExprKind::BitAnd: return "bitwise_and";
    case ExprKind::BitOr: return "bitwise_or";
    case ExprKind::BitXor: return "bitwise_xor";
    case ExprKind::Shl: return "shift_left";
    case ExprKind::Shr: return "shift_right";
    case ExprKind::Select: return "Select";
    case ExprKind::IfThenElse: return "if_then_else";
    case ExprKind::BitNot: return "bitwise_not";
    default: return {};
  }
}

// Python's operators for what the dialect spells as functions; they bind tighter than comparisons and looser than sums.
std::string_view bit_operator(ExprKind kind) {
  switch (kind) {
    case ExprKind::BitAnd: return " & ";
    case ExprKind::BitOr: return " | ";
    case ExprKind::BitXor: return " ^ ";
    case ExprKind::Shl: return " << ";
    case ExprKind::Shr: return " >> ";
    default: return {};
  }
}

class Printer {
 public:
  explicit Printer(bool words) : words_(words) {}
  std::string out;

  void print(Expr e, int outer = 0, int depth = 0) {
    if (!e) {
      out += "None";
      return;
    }
    if (out.size() > kLongest || depth > kDeepest) {
      if (!out.ends_with("...")) out += "...";
      return;
    }
    switch (e.kind()) {
      case ExprKind::IntImm: return integer(*e.as<IntImm>());
      case ExprKind::FloatImm: return floating(*e.as<FloatImm>());
      case ExprKind::StringImm: return string(e.as<StringImm>()->value);
      case ExprKind::Var: out += e.as<Var>()->name.empty() ? std::string_view("v") : e.as<Var>()->name; return;
      case ExprKind::Cast:
        if (words_) return cast(*e.as<Cast>(), outer, depth);
        return typed("Cast", e.dtype(), e.as<Cast>()->value, depth);
      case ExprKind::Not:
        open(outer > kNot);
        out += "not ";
        print(e.as<Unary>()->a, kNot, depth + 1);
        close(outer > kNot);
        return;
      case ExprKind::Load:
        if (const BufferName& buffer = *e.as<Load>()->called; words_) {
          out += spoken_name(buffer);
          if (buffer.is_scalar) return;
        } else {
          out += buffer.name;
        }
        out += '[';
        list(e.as<Load>()->indices, depth);
        out += ']';
        return;
      case ExprKind::Ramp:
      case ExprKind::Broadcast: {
        out += e.kind() == ExprKind::Ramp ? "T.ramp(" : "T.broadcast(";
        Expr buffer[3];
        list(children(*e.get(), buffer), depth);
        out += ", " + std::to_string(e.dtype().lanes) + ")";
        return;
      }
      case ExprKind::Call: return call(*e.as<Call>(), depth);
      default: break;
    }
    if (Infix op = infix(e.kind()); op.precedence) {
      const Binary* b = e.as<Binary>();
      open(outer > op.precedence);
      print(b->a, op.precedence == kCompare ? kCompare + 1 : op.precedence, depth + 1);
      out += op.text;
      bool associates = e.kind() == ExprKind::And || e.kind() == ExprKind::Or;
      print(b->b, associates ? op.precedence : op.precedence + 1, depth + 1);
      close(outer > op.precedence);
      return;
    }
    if (std::string_view op = words_ ? bit_operator(e.kind()) : std::string_view(); !op.empty()) {
      const Binary* b = e.as<Binary>();
      open(outer > kCompare);
      print(b->a, kSum, depth + 1);
      out += op;
      print(b->b, kSum, depth + 1);
      close(outer > kCompare);
      return;
    }
    out += "T.";
    out += function(e.kind());
    out += '(';
    Expr buffer[3];
    list(children(*e.get(), buffer), depth);
    out += ')';
  }

 private:
  // A cast that only makes room for larger numbers goes without saying.
  void cast(const Cast& cast, int outer, int depth) {
    DataType from = cast.value.dtype(), to = cast.dtype;
    if (from.is_integral() && to.is_integral() && to.bits >= from.bits) return print(cast.value, outer, depth + 1);
    out += "T.cast(";
    print(cast.value, 0, depth + 1);
    out += ", \"" + dtype_name(to) + "\")";
  }

  void open(bool needed) {
    if (needed) out += '(';
  }
  void close(bool needed) {
    if (needed) out += ')';
  }

  void list(std::span<const Expr> items, int depth) {
    bool first = true;
    for (Expr item : items) {
      if (!first) out += ", ";
      first = false;
      print(item, 0, depth + 1);
    }
  }

  void integer(const IntImm& imm) {
    if (imm.dtype.is_bool()) {
      out += imm.value ? "T.bool(True)" : "T.bool(False)";
      return;
    }
    bool huge = imm.dtype.is_uint() && imm.value < 0;
    std::string digits = huge ? std::to_string(static_cast<std::uint64_t>(imm.value)) : std::to_string(imm.value);
    if (imm.dtype != kInt32) {
      out += "T." + dtype_name(imm.dtype) + "(" + digits + ")";
      return;
    }
    out += digits;
  }

  void floating(const FloatImm& imm) {
    out += "T." + dtype_name(imm.dtype) + "(";
    if (std::isnan(imm.value)) {
      out += "\"nan\"";
    } else if (std::isinf(imm.value)) {
      out += imm.value > 0 ? "\"inf\"" : "\"-inf\"";
    } else {
      char text[40];
      // The shortest digits that read back as this value in its own width.
      bool narrow = imm.dtype.is_float() && imm.dtype.bits == 32;
      auto end = narrow ? std::to_chars(text, text + sizeof text, static_cast<float>(imm.value)).ptr
                        : std::to_chars(text, text + sizeof text, imm.value).ptr;
      std::string_view digits(text, end - text);
      out += digits;
      if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
    }
    out += ')';
  }

  void string(std::string_view text) {
    out += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (c == '\n') {
        out += "\\n";
      } else {
        out += c;
      }
    }
    out += '"';
  }

  void typed(std::string_view name, DataType dtype, Expr value, int depth) {
    out += "T.";
    out += name;
    out += "(\"" + dtype_name(dtype) + "\", ";
    print(value, 0, depth + 1);
    out += ')';
  }

  void call(const Call& call, int depth) {
    if (call.callee == &builtin::reinterpret && call.args.size() == 1)
      return typed("reinterpret", call.dtype, call.args[0], depth);
    out += "T.";
    out += call.callee->name;
    out += '(';
    list(call.args, depth);
    out += ')';
  }

  const bool words_;
};

}  // namespace

std::string to_string(Expr e) {
  Printer printer(true);
  printer.print(e);
  return std::move(printer.out);
}

std::string to_exact_string(Expr e) {
  Printer printer(false);
  printer.print(e);
  return std::move(printer.out);
}

}  // namespace tilewright::expr
