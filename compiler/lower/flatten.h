// Turns logical buffer accesses into flat ones: layout, strides and view offsets become one element index.
#pragma once
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "compiler/ir/stmt.h"

namespace tilewright::lower {

// Why an access has no flat index; `code` is one of TW4002..TW4005.
struct AccessError {
  std::string_view code;
  std::string message;
};

class Flattener {
 public:
  // `rewrite` brings an expression of a buffer's declaration (extent, offset) into lowered form.
  explicit Flattener(std::function<ir::Expr(ir::Expr)> rewrite) : rewrite_(std::move(rewrite)) {}

  // The flat twin of a buffer. Buffers that look at the same window with the same element type share one.
  const ir::Buffer* flat(const ir::Buffer* buffer);
  // Fixes the number of elements of the storage behind a buffer before `flat` is asked (a pool that grew).
  void set_elements(const ir::Buffer* buffer, std::int64_t elements) { elements_[buffer] = elements; }

  // Flat index of an access whose indices are already rewritten; vector lanes become a ramp.
  std::expected<ir::Expr, AccessError> index(const ir::Buffer* buffer, std::span<const ir::Expr> indices);

 private:
  enum class Way : std::uint8_t { RowMajor, Strided, Layout, Distributed, Tensor };
  struct Info {
    const ir::Buffer* flat = nullptr;
    Way way = Way::RowMajor;
    bool wide = false;                  // 64-bit index arithmetic
    std::span<const ir::Expr> extents;  // rewritten
    std::span<const ir::Expr> strides;  // rewritten; row-major ones where the buffer has none
    layout::Shape shape;
    const layout::Layout* layout = nullptr;  // rewritten
  };
  Info& info(const ir::Buffer* buffer);
  const layout::Layout* rewritten(const layout::Layout* l);
  std::expected<ir::Expr, AccessError> scalar_index(const Info& info, const ir::Buffer* buffer,
                                                    std::span<const ir::Expr> indices);
  std::expected<ir::Expr, AccessError> vector_index(const Info& info, const ir::Buffer* buffer,
                                                    std::span<const ir::Expr> indices);

  std::function<ir::Expr(ir::Expr)> rewrite_;
  std::unordered_map<const ir::Buffer*, Info> infos_;
  std::list<layout::Layout> layouts_;  // those that name variables, rewritten
  std::unordered_map<const ir::Buffer*, std::int64_t> elements_;
  std::unordered_multimap<const ir::Var*, const ir::Buffer*> windows_;  // flat buffers by storage
};

// Elements that storage for the buffer takes under its layout; nothing when that is not a constant.
std::optional<std::int64_t> storage_elements(const ir::Buffer& buffer);
// Bits of one element in memory, lanes of a vector type included.
inline std::int64_t element_bits(ir::DataType dtype) { return std::int64_t{dtype.storage_bits()} * dtype.lanes; }

}  // namespace tilewright::lower
