#include "compiler/dispatch/blocks/elementwise.h"

#include <algorithm>

#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"
#include "compiler/ir/primitive.h"

namespace tilewright::dispatch {
namespace {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;

// Their names are what the CUDA and simulator rooms know them by.
constexpr ir::Callee kExp{"exp", ir::Effect::Pure}, kExp2{"exp2", ir::Effect::Pure}, kSqrt{"sqrt", ir::Effect::Pure},
    kLog2{"log2", ir::Effect::Pure};

constexpr std::pair<std::string_view, ElementOp> kNames[] = {
    {"add", ElementOp::Add},   {"sub", ElementOp::Sub},   {"mul", ElementOp::Mul},
    {"fdiv", ElementOp::Fdiv}, {"fma", ElementOp::Fma},   {"cast", ElementOp::Cast},
    {"exp", ElementOp::Exp},   {"exp2", ElementOp::Exp2}, {"sqrt", ElementOp::Sqrt},
    {"silu", ElementOp::Silu}, {"zero", ElementOp::Zero}, {"reciprocal", ElementOp::Reciprocal},
    {"fill", ElementOp::Fill}, {"log2", ElementOp::Log2}, {"maximum", ElementOp::Maximum},
};

ElementOp op_of(std::string_view primitive) {
  return std::ranges::find(kNames, primitive, [](auto& n) { return n.first; })->second;
}

bool commutes(ElementOp op) { return op == ElementOp::Add || op == ElementOp::Mul || op == ElementOp::Maximum; }

std::optional<std::int64_t> count(const ir::Region& region) {
  std::int64_t n = 1;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(r.extent);
    if (!e || *e <= 0 || __builtin_mul_overflow(n, *e, &n)) return std::nullopt;
  }
  return n;
}

// What may be computed with. Elements of less than a byte are no places in memory of their own (Q9).
Reason not_a_number(DataType type, std::string_view name) {
  if (type.lanes > 1) return cat(name, " has vectors for elements: ", ir::dtype_name(type));
  if (type.storage_bits() < 8) return cat(name, " is ", ir::dtype_name(type), ": its elements share a byte");
  if (type.is_handle() || type.is_void() || type.code == ir::TypeCode::TensorMap) {
    return cat(name, " is ", ir::dtype_name(type), ", no number");
  }
  return {};
}

class Reader {
 public:
  Reader(const ir::TileCall& call, Elementwise& out) : call_(call), out_(out) {}

  Reason read() {
    out_.op = op_of(call_.primitive);
    if (call_.args.empty() || !call_.args[0].region.buffer) return "destination is not a buffer region";
    out_.dst = call_.args[0].region;
    out_.elements = count(out_.dst);
    if (out_.elements) {
      for (const ir::Range& r : out_.dst.ranges) out_.extents.push_back(*ir::constant(r.extent));
    }
    if (Reason r = sources(); !r.empty()) return r;
    return types();
  }

 private:
  const ir::Operand& arg(std::size_t i) const {
    static const ir::Operand none;
    return i < call_.args.size() ? call_.args[i] : none;
  }
  std::string_view name(std::size_t i) const { return ir::operand_name(call_, i); }

  Reason add(std::size_t i) {
    const ir::Operand& operand = arg(i);
    if (!ir::is_given(operand)) return cat(name(i), " is missing");
    if (operand.value && (operand.value.as<ir::StringImm>() || operand.value.dtype().is_handle())) {
      return cat(name(i), " is neither a tile nor a number");
    }
    out_.sources.push_back({operand.region, operand.value});
    return {};
  }

  Reason sources() {
    switch (out_.op) {
      case ElementOp::Add:
      case ElementOp::Sub:
      case ElementOp::Mul:
      case ElementOp::Fdiv:
      case ElementOp::Maximum: return two();
      case ElementOp::Fma:
        for (std::size_t i = 1; i < 4; ++i) {
          if (Reason r = add(i); !r.empty()) return r;
        }
        return {};
      case ElementOp::Zero: return {};  // the source of zero is never read (Q11)
      case ElementOp::Fill: return add(1);
      case ElementOp::Exp:
      case ElementOp::Exp2:
      case ElementOp::Log2:
      case ElementOp::Sqrt: return scaled();
      default:
        if (Reason r = first(); !r.empty()) return r;
        return {};
    }
  }

  // The tile that is computed from: the destination itself where none is given.
  Reason first() {
    if (!ir::is_given(arg(1)) && out_.op != ElementOp::Cast && out_.op != ElementOp::Silu) {
      out_.sources.push_back({out_.dst, {}});
      return {};
    }
    if (!arg(1).region.buffer) return cat(name(1), " is not a buffer region");
    return add(1);
  }

  Reason two() {
    for (std::size_t i : {1, 2}) {
      if (Reason r = add(i); !r.empty()) return r;
    }
    Source &a = out_.sources[0], &b = out_.sources[1];
    if (!a.is_region() && !b.is_region()) return "both inputs are constants";
    if (!a.is_region()) {
      if (!commutes(out_.op)) return cat("non-commutative op ", call_.primitive, " cannot have constant lhs");
      std::swap(a, b);
    } else if (b.is_region()) {
      auto x = count(a.region), y = count(b.region);
      if (x && y && *x < *y) {
        if (!commutes(out_.op)) return cat("non-commutative op ", call_.primitive, " cannot swap to broadcast");
        std::swap(a, b);
      }
    }
    return {};
  }

  Reason scaled() {
    if (Reason r = first(); !r.empty()) return r;
    if (ir::is_given(arg(2))) {
      if (Reason r = add(2); !r.empty()) return r;
      out_.biased = true;
    }
    if (ir::is_given(arg(3))) {
      if (Reason r = add(3); !r.empty()) return r;
      out_.scaled = true;
    }
    // Their types are the computation's (compute.md 3 #6); a Python int is a number of any type (Q7).
    const DataType type = widest();
    for (std::size_t i = 1; i < out_.sources.size(); ++i) {
      Source& s = out_.sources[i];
      if (s.is_region()) continue;
      if (s.scalar.as<ir::IntImm>() && type.is_floating()) s.scalar = ir::cast(type, s.scalar);
      const bool bias = out_.biased && i == 1;
      if (s.scalar.dtype() != type && (!bias || s.scalar.as<ir::FloatImm>())) {
        return cat(bias ? "bias_const" : "scale", " dtype ", ir::dtype_name(s.scalar.dtype()), " != compute dtype ",
                   ir::dtype_name(type));
      }
    }
    return {};
  }

  // The widest of the destination, the source tiles and the scalars, the first of equals. A number among bias and scale
  // follows the others and does not lead them.
  DataType widest() const {
    DataType type = out_.dst.buffer->dtype;
    for (bool regions : {true, false}) {
      for (std::size_t i = 0; i < out_.sources.size(); ++i) {
        const Source& s = out_.sources[i];
        const bool literal = !s.is_region() && (s.scalar.as<ir::FloatImm>() || s.scalar.as<ir::IntImm>());
        const bool scale = out_.scaled && i + 1 == out_.sources.size();
        if (s.is_region() != regions || literal || (scale && !regions)) continue;
        if (s.dtype().storage_bits() > type.storage_bits()) type = s.dtype();
      }
    }
    return type;
  }

  Reason types() const {
    if (Reason r = not_a_number(out_.dst.buffer->dtype, ir::spoken_name(*out_.dst.buffer)); !r.empty()) return r;
    for (const Source& s : out_.sources) {
      std::string_view name = s.is_region() ? ir::spoken_name(*s.region.buffer) : std::string_view("a scalar");
      if (Reason r = not_a_number(s.dtype(), name); !r.empty()) return r;
    }
    return {};
  }

  const ir::TileCall& call_;
  Elementwise& out_;
};

// ---- one element ----------------------------------------------------------------------------------------------------

using Value = std::expected<Expr, Reason>;

Value combined(ExprKind kind, Expr a, Expr b) {
  auto type = ir::promoted_type(a.dtype(), b.dtype());
  if (!type) return std::unexpected(std::move(type.error()));
  return ir::binary(kind, ir::cast(*type, a), ir::cast(*type, b));
}

// Of integers only unsigned ones are divided: for the others the script does not say how to round.
Value quotient(Expr a, Expr b) {
  auto type = ir::promoted_type(a.dtype(), b.dtype());
  if (!type) return std::unexpected(std::move(type.error()));
  if (!type->is_floating() && !type->is_uint()) {
    return std::unexpected(cat("fdiv of ", ir::dtype_name(*type), ": signed integers divide in more than one way"));
  }
  return ir::binary(type->is_floating() ? ExprKind::Div : ExprKind::FloorDiv, ir::cast(*type, a), ir::cast(*type, b));
}

Value function_of(const Elementwise& call, std::span<const Expr> values) {
  Value x = values[0];
  if (call.scaled) x = combined(ExprKind::Mul, *x, values.back());
  if (x && call.biased) x = combined(ExprKind::Add, *x, values[1]);
  if (!x) return x;
  if (!x->dtype().is_floating()) {
    return std::unexpected(cat("the device has no such function of ", ir::dtype_name(x->dtype())));  // Q10
  }
  const ir::Callee& callee = call.op == ElementOp::Exp    ? kExp
                             : call.op == ElementOp::Exp2 ? kExp2
                             : call.op == ElementOp::Log2 ? kLog2
                                                          : kSqrt;
  return ir::call(x->dtype(), callee, {&*x, 1});
}

Value of_floating(Expr x, auto&& make) {
  if (!x.dtype().is_floating())
    return std::unexpected(cat("takes floating-point tiles, not ", ir::dtype_name(x.dtype())));
  return make(ir::float_imm(x.dtype(), 1.0));
}

Value computed(const Elementwise& call, std::span<const Expr> v) {
  switch (call.op) {
    case ElementOp::Add: return combined(ExprKind::Add, v[0], v[1]);
    case ElementOp::Sub: return combined(ExprKind::Sub, v[0], v[1]);
    case ElementOp::Mul: return combined(ExprKind::Mul, v[0], v[1]);
    case ElementOp::Fdiv: return quotient(v[0], v[1]);
    case ElementOp::Maximum: return combined(ExprKind::Max, v[0], v[1]);
    case ElementOp::Fma: {
      Value product = combined(ExprKind::Mul, v[0], v[1]);
      return product ? combined(ExprKind::Add, *product, v[2]) : product;
    }
    case ElementOp::Exp:
    case ElementOp::Exp2:
    case ElementOp::Log2:
    case ElementOp::Sqrt: return function_of(call, v);
    case ElementOp::Reciprocal:
      return of_floating(v[0], [&](Expr one) { return ir::binary(ExprKind::Div, one, v[0]); });
    case ElementOp::Silu:
      return of_floating(v[0], [&](Expr one) {
        Expr minus = ir::binary(ExprKind::Sub, ir::zero(v[0].dtype()), v[0]);
        Expr e = ir::call(minus.dtype(), kExp, {&minus, 1});
        return ir::binary(ExprKind::Div, v[0], ir::binary(ExprKind::Add, one, e));
      });
    case ElementOp::Zero: return ir::zero(call.dst.buffer->dtype);
    case ElementOp::Cast:
    case ElementOp::Fill: break;
  }
  return v[0];
}

bool equal_regions(const ir::Region& a, const ir::Region& b) {
  if (a.buffer != b.buffer || a.ranges.size() != b.ranges.size()) return false;
  for (std::size_t i = 0; i < a.ranges.size(); ++i) {
    if (!ir::provably_equal(a.ranges[i].min, b.ranges[i].min)) return false;
    if (!ir::provably_equal(a.ranges[i].extent, b.ranges[i].extent)) return false;
  }
  return true;
}
// Of one buffer: some dimension keeps them apart.
bool apart(const ir::Region& a, const ir::Region& b) {
  for (std::size_t i = 0; i < std::min(a.ranges.size(), b.ranges.size()); ++i) {
    const ir::Range &x = a.ranges[i], &y = b.ranges[i];
    if (ir::provably_less(x.min + x.extent - Expr(1), y.min) || ir::provably_less(y.min + y.extent - Expr(1), x.min)) {
      return true;
    }
  }
  return false;
}

// May the threads of a CTA mean different places by it? Everything that is not known to be the same may.
bool may_differ(Expr e) {
  bool differs = false;
  ir::walk(e, [&](Expr node) {
    const auto* var = node.as<ir::Var>();
    const bool block =
        var && var->role == ir::VarRole::ScopeId &&
        (var->scope_id == ir::ScopeBinding::KernelCluster || var->scope_id == ir::ScopeBinding::KernelCta ||
         var->scope_id == ir::ScopeBinding::ClusterCta || var->scope_id == ir::ScopeBinding::ClusterCtaPair);
    const bool argument = var && (var->role == ir::VarRole::Parameter || var->role == ir::VarRole::Extent);
    differs |= (var && !block && !argument) || node.kind() == ExprKind::Load || node.kind() == ExprKind::Call;
    return !differs;
  });
  return differs;
}

}  // namespace

std::vector<const ir::Region*> Elementwise::regions() const {
  std::vector<const ir::Region*> out = {&dst};
  for (const Source& s : sources) {
    if (s.is_region()) out.push_back(&s.region);
  }
  return out;
}

const Elementwise& elementwise(CallContext& context) {
  return context.once<Elementwise>([&] {
    Elementwise out;
    out.invalid = Reader(context.call, out).read();
    return out;
  });
}

Expr read_once(ir::BodyBuilder& out, Expr scalar) {
  bool reads = false;
  ir::walk(scalar, [&](Expr e) {
    reads |= e.kind() == ExprKind::Load;
    return !reads;
  });
  return reads ? Expr(out.let("value", scalar)) : scalar;
}

std::expected<Expr, Reason> element_value(const Elementwise& call, std::span<const Expr> values) {
  Value value = computed(call, values);
  if (!value) return value;
  if (call.op == ElementOp::Fill && ir::constant(*value)) {  // a number that the type has not is no value of it
    auto fitting = ir::convert(call.dst.buffer->dtype, *value);
    return fitting ? Value(*fitting) : std::unexpected(std::move(fitting.error()));
  }
  return ir::cast(call.dst.buffer->dtype, *value);
}

Reason not_broadcast(const Elementwise& call) {
  for (const Source& s : call.sources) {
    if (!s.is_region()) continue;
    const std::size_t r = s.region.ranges.size(), q = call.dst.ranges.size();
    if (r > q) return cat("shape incompat: op rank ", r, " > anchor rank ", q);
    for (std::size_t d = 0; d < r; ++d) {
      Expr e = s.region.ranges[d].extent, wanted = call.dst.ranges[q - r + d].extent;
      if (ir::is_constant(e, 1) || ir::provably_equal(e, wanted)) continue;
      return cat("shape incompat: dim ", d, ": op extent ", ir::to_string(e), " vs anchor ", ir::to_string(wanted),
                 " (need equal or 1)");
    }
  }
  return {};
}

Reason not_stored_in(const Elementwise& call, bool (*fits)(ir::StorageScope), std::string_view wanted) {
  for (const ir::Region* r : call.regions()) {
    if (!fits(r->buffer->scope)) return cat(region_text(*r), " is ", scope_text(*r->buffer), ", ", wanted);
    if (!r->buffer->layout) return cat("operand ", region_text(*r), " has no layout");
  }
  return {};
}

std::string elementwise_headline(CallContext& context, std::string_view variant) {
  const Elementwise& e = elementwise(context);
  std::string text = cat(context.call.primitive, " -> ", variant, ":");
  for (std::size_t i = 0; i < e.sources.size(); ++i) {
    const Source& s = e.sources[i];
    text += cat(i ? ", " : " ", s.is_region() ? region_text(s.region) : ir::to_string(s.scalar));
  }
  return text + cat(" -> ", region_text(e.dst));
}

void note_overlap(Plan& plan, const ir::Region& dst, std::span<const ir::Region> sources) {
  for (const ir::Region& s : sources) {
    if (s.buffer != dst.buffer || equal_regions(dst, s) || apart(dst, s)) continue;
    plan.remarks.push_back({code::kOverlap,
                            cat(region_text(dst), " is written while ", region_text(s), ", which overlaps it, is read"),
                            "elements are not read before others are written: use another tile for the result"});
    return;
  }
}

void note_repetition(Plan& plan, CallContext& context, std::span<const ir::Region> regions, bool in_place) {
  std::int64_t times = 1;
  for (const scope::AxisRange& axis : context.scope.inter) {
    using enum scope::ActiveAxis;
    if (axis.axis != laneid && axis.axis != warpid && axis.axis != wgid && axis.axis != wid_in_wg) continue;
    if (axis.range.elected) return;
    times *= axis.range.extent;
  }
  if (times < 2 || !context.scope.inexact.empty()) return;
  for (const ir::Region& r : regions) {
    for (const ir::Range& range : r.ranges) {
      if (may_differ(range.min) || may_differ(range.extent)) return;
    }
    if (r.buffer->elem_offset && may_differ(r.buffer->elem_offset)) return;
  }
  std::string_view who = context.scope.kind == ir::ExecScope::Thread ? "threads"
                         : context.scope.kind == ir::ExecScope::Warp ? "warps"
                                                                     : "warpgroups";
  plan.remarks.push_back({code::kRepeated,
                          cat("each of ", times, " ", who, " does all of this ", context.call.primitive,
                              in_place ? cat(", which works in place and so is applied ", times, " times") : ""),
                          context.call.primitive == "permute_layout"
                              ? std::string("let one of them do it, or give each a tile of its own")
                              : cat("let one of them do it, or share the work: Tx.cta.", context.call.primitive)});
}

}  // namespace tilewright::dispatch
