// Matrix descriptors as statements: a variable that an encoder fills, and starts further on in the same matrix.
#pragma once
#include <cstdint>
#include <string_view>

#include "compiler/dispatch/variant.h"
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::dispatch {

// What an encoder is told besides where the matrix starts: distances in units of 16 bytes, and the swizzle's mode.
struct DescriptorFields {
  std::int64_t ldo = 0, sdo = 0, mode = 0;
};

// A variable `name` with the descriptor of a matrix that starts at the buffer's first element, encoded by `encoder`;
// the value read from it.
ir::Expr add_descriptor(CallContext& context, ir::BodyBuilder& out, std::string_view name,
                        const intrinsics::Intrinsic& encoder, const ir::Buffer* buffer, const DescriptorFields& fields);
// The descriptor of what starts `units` of 16 bytes further on.
ir::Expr moved_descriptor(ir::Expr descriptor, ir::Expr units);

}  // namespace tilewright::dispatch
