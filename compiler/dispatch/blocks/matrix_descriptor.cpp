#include "compiler/dispatch/blocks/matrix_descriptor.h"

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

using ir::Expr;

Expr add_descriptor(CallContext& context, ir::BodyBuilder& out, std::string_view name,
                    const intrinsics::Intrinsic& encoder, const ir::Buffer* buffer, const DescriptorFields& fields) {
  auto* word = Arena::current().make<ir::Buffer>();
  Expr one[] = {Expr(1)}, zero[] = {Expr(0)};
  word->name = name;
  word->data = ir::make_var(name, ir::kHandle, ir::VarRole::Data);
  word->dtype = ir::kUInt64;
  word->shape = Arena::current().copy(std::span<const Expr>(one));
  word->scope = ir::StorageScope::Local;
  out.add<ir::Alloc>(word);
  const Expr value = ir::load(word, zero);
  out.add<ir::Evaluate>(row_call(
      encoder, {ir::call(ir::kHandle, ir::builtin::address_of, {&value, 1}), element_pointer(context, buffer, Expr(0)),
                Expr(fields.ldo), Expr(fields.sdo), Expr(fields.mode)}));
  return value;
}

Expr moved_descriptor(Expr descriptor, Expr units) {
  return ir::is_constant(units, 0) ? descriptor : ir::add(descriptor, ir::cast(ir::kUInt64, units));
}

}  // namespace tilewright::dispatch
