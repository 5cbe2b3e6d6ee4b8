// Buffers, layouts and barriers of a kernel, in words: what hovers, the layout view and the pipeline view share.
#pragma once
#include <optional>
#include <string>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/session/snapshot.h"

namespace tilewright::ide {

// The map in words, line by line: what each part of the layout does.
std::string layout_words(const layout::Layout& l);
// What a layout alone says about its shape: one dimension an iter, or one period of a bare swizzle.
layout::Shape own_shape(const layout::Layout& l);

// The buffer of the analysed kernels that was made at the same place under the same name. Null: there is none. A kernel
// that came back by an edit keeps the spans of its first analysis, so places are compared, not spans; `anchors` are
// those of `wanted`.
struct KnownBuffer {
  const session::CompiledKernel* kernel = nullptr;
  const ir::Buffer* buffer = nullptr;
};
KnownBuffer known_buffer(const session::Analysis& analysis, const ir::Buffer& wanted, const text::Anchors& anchors);

// Do both look at the same storage from the same byte on? Views that scripts make of a buffer do.
bool same_storage(const ir::Buffer& a, const ir::Buffer& b);

// Nothing: an extent is symbolic.
std::optional<std::int64_t> buffer_bytes(const ir::Buffer& b);

// What a call does with the mbarrier that it is given, by the effects of its row: "waits for parity phase"; "":
// nothing.
std::string barrier_use(const intrinsics::Intrinsic& row, const ir::Call& call);

}  // namespace tilewright::ide
