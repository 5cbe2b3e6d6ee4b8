// Buffers and regions of a kernel (surface.md 4).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/expr/expr.h"
#include "compiler/layout/layout.h"

namespace tilewright::ir {

enum class StorageScope : std::uint8_t {
  Global,
  Shared,
  SharedDyn,
  Local,
  Warp,
  Tmem,
  WmmaA,
  WmmaB,
  WmmaAccumulator,
  Other,  // parses, but no stage of ours serves it (texture*, metal.*, trn.*, m16n8k8.*)
};
std::string_view storage_scope_name(StorageScope scope);
StorageScope parse_storage_scope(std::string_view name);
inline bool is_shared(StorageScope s) { return s == StorageScope::Shared || s == StorageScope::SharedDyn; }

// A named, typed window onto storage. Several buffers may look at one `data` variable (views).
struct Buffer : BufferName {
  const Var* data = nullptr;  // null for tmem
  DataType dtype = kFloat32;
  std::span<const Expr> shape;
  std::span<const Expr> strides;  // empty: compact
  Expr elem_offset;               // in elements of dtype; null is 0
  StorageScope scope = StorageScope::Global;
  std::string_view scope_text;             // as written, for StorageScope::Other
  int align = 64;                          // bytes
  const layout::Layout* layout = nullptr;  // null: flat, row-major by shape/strides
  Expr allocated_addr;                     // tmem column; null elsewhere
  text::Span span;                         // its declaration

  std::size_t rank() const { return shape.size(); }
};

// Half-open window in one dimension.
struct Range {
  Expr min;
  Expr extent;
};
// A box of a buffer, one range a dimension; what tile primitives take.
struct Region {
  const Buffer* buffer = nullptr;
  std::span<const Range> ranges;
};

// An element, or as many as the last index has lanes. dtype: the buffer's, times these lanes.
Expr load(const Buffer* buffer, std::span<const Expr> indices);

// Number of elements when all extents are constant.
std::optional<std::int64_t> constant_elements(std::span<const Expr> shape);
bool is_one_element(const Buffer& buffer);  // one dimension, provably 1
// "A[m * 128:m * 128 + 128, st.stage]", for people.
using expr::to_string;
std::string to_string(const Region& region);
Region full_region(const Buffer* buffer);
layout::Shape shape_of(const Buffer& buffer);

}  // namespace tilewright::ir
