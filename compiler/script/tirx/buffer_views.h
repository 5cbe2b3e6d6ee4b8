// Views of buffers: the same memory through another window.
#pragma once
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

std::span<const Record> buffer_view_records();

// A view of what `made` was copied from; inside a kernel with the statement that declares it (buffer_methods.cpp).
Value declared_view(Interpreter& in, const ir::Buffer& made, text::Span span);

// A buffer's name for messages, "buffer" where it has none.
std::string shown_name(const ir::Buffer* b);

// a + b, a * b, ... of integers, in the wider of their types; simplified.
ir::Expr index_math(ir::ExprKind kind, ir::Expr a, ir::Expr b);

// A window on a buffer while it is cut. What fails leaves a pending error and returns false.
class Window {
 public:
  // `who`: what the script calls, for messages.
  Window(Interpreter& in, const ir::Buffer& buffer, std::string_view who, text::Span at)
      : in_(in), made_(buffer), who_(who), at_(at), shape_(buffer.shape.begin(), buffer.shape.end()) {}

  std::size_t rank() const { return shape_.size(); }
  ir::Expr extent(std::size_t dim) const { return shape_[dim]; }
  // Nothing: it is known at run time only.
  std::optional<std::int64_t> known(ir::Expr e) const;

  // Another shape over the same elements.
  bool reshape(std::vector<ir::Expr> shape);
  // Replaces a dimension by several; one of `factors` may be -1.
  bool split(std::size_t dim, std::vector<ir::Expr> factors);
  bool permute(std::span<const int> order);
  // One index of a dimension, which goes.
  bool drop(std::size_t dim, ir::Expr index);
  // Indices start to start + length - 1 of a dimension.
  bool narrow(std::size_t dim, ir::Expr start, ir::Expr length);

  Value declare();
  // Fails with "who: why".
  bool refuse(std::string why, std::string hint = {});

 private:
  std::optional<layout::Grouped> grouped();
  // The layout has become this one, and its first element lies `offset` further.
  bool move_to(layout::TileLayout tile, std::span<const layout::Iter> along, ir::Expr offset);
  bool move_column(ir::Expr offset);

  Interpreter& in_;
  ir::Buffer made_;
  std::string who_;
  text::Span at_;
  std::vector<ir::Expr> shape_;
  std::optional<layout::Layout> layout_;  // where it is another one than the buffer's
};

}  // namespace tilewright::script
