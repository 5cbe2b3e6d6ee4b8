#include "compiler/dispatch/blocks/emit.h"

#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::dispatch {

using ir::Expr;

Expr element_pointer(CallContext& context, const ir::Buffer* buffer, Expr offset) {
  Expr index[] = {offset};
  Expr element[] = {ir::load(context.kernel.flat_view(buffer), index)};
  return ir::call(ir::kHandle, ir::builtin::address_of, element);
}

const ir::Buffer* register_words(CallContext& context, const ir::Buffer& buffer, std::int64_t count) {
  ir::Buffer view = *context.kernel.flat_view(&buffer);
  Expr shape[] = {ir::simplify(view.shape[0] / Expr(count))};
  view.dtype = ir::kUInt32;
  view.shape = Arena::current().copy(std::span<const Expr>(shape));
  if (view.elem_offset) view.elem_offset = ir::simplify(view.elem_offset / Expr(count));
  return Arena::current().make<ir::Buffer>(view);
}

Expr round_variable(std::string_view name, std::int64_t rounds) {
  if (rounds == 1) return Expr(0);
  ir::Var* var = ir::make_var(name, ir::kInt32, ir::VarRole::Loop);
  var->range = {0, rounds - 1};
  return var;
}

void add_rounds(ir::BodyBuilder& out, Expr r, std::int64_t rounds, const ir::Stmt* body, ir::LoopKind loop) {
  const ir::Var* var = r.as<ir::Var>();
  if (!var) return out.push(body);
  out.add<ir::For>(var, Expr(0), Expr(rounds), Expr(), loop, ir::UnrollHint::None, std::string_view(), body);
}

void bind_offsets(ir::BodyBuilder& out, Expr& a, std::string_view a_name, Expr& b, std::string_view b_name) {
  auto bind = [&](std::string_view name, Expr value) {
    return ir::constant(value) || value.as<ir::Var>() ? value : Expr(out.let(name, value));
  };
  if (ir::structurally_equal(a, b)) {
    a = b = bind("offset", a);
  } else {
    a = bind(a_name, a);
    b = bind(b_name, b);
  }
}

void add_copy(CallContext& context, ir::BodyBuilder& out, int bits, const ir::Buffer* dst, Expr dst_offset,
              std::string_view dst_name, const ir::Buffer* src, Expr src_offset, std::string_view src_name,
              const LoadHints& hints) {
  bind_offsets(out, dst_offset, dst_name, src_offset, src_name);
  add_hinted_copy(out, hints, bits, element_pointer(context, dst, dst_offset),
                  element_pointer(context, src, src_offset));
}

std::string headline(CallContext& context, std::string_view variant) {
  const CopyOperands& o = copy_operands(context);
  return cat(context.call.primitive, " -> ", variant, ": ", region_text(o.src), " -> ", region_text(o.dst));
}

}  // namespace tilewright::dispatch
