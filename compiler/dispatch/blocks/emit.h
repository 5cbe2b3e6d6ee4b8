// The statements that copies are made of.
#pragma once
#include <string>
#include <string_view>

#include "compiler/dispatch/blocks/load_hints.h"
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// Pointer to element `offset` of the storage behind a buffer.
ir::Expr element_pointer(CallContext& context, const ir::Buffer* buffer, ir::Expr offset);

// The storage behind a buffer in registers as words of 32 bits, `count` elements each.
const ir::Buffer* register_words(CallContext& context, const ir::Buffer& buffer, std::int64_t count);

// A round number with its range: r in [0, rounds). A single round is the constant 0.
ir::Expr round_variable(std::string_view name, std::int64_t rounds);
// `for r in T.serial(rounds)` around the body; the body alone for one round.
void add_rounds(ir::BodyBuilder& out, ir::Expr r, std::int64_t rounds, const ir::Stmt* body,
                ir::LoopKind loop = ir::LoopKind::Serial);

// Gives both offsets a line of their own, or a common one where they are the same.
void bind_offsets(ir::BodyBuilder& out, ir::Expr& a, std::string_view a_name, ir::Expr& b, std::string_view b_name);

// dst[0 .. bits) = src[0 .. bits), with an address line a side, or a common one where both offsets are the same.
void add_copy(CallContext& context, ir::BodyBuilder& out, int bits, const ir::Buffer* dst, ir::Expr dst_offset,
              std::string_view dst_name, const ir::Buffer* src, ir::Expr src_offset, std::string_view src_name,
              const LoadHints& hints = {});

// "copy -> gmem_smem: A[0:32, 0:32] -> S[0:32, 0:32]".
std::string headline(CallContext& context, std::string_view variant);

}  // namespace tilewright::dispatch
