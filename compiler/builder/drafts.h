// Variables and buffers of a kernel under construction that are not final: a script names one by the assignment that
// follows its creation (`A = T.alloc_buffer(...)`), and a launch dimension learns its extent at the end of the kernel.
//
// They are made here, where the one who builds finds them in a form that can be changed; all others hold a pointer
// to a constant. The drafts of a kernel end with it, and with them the last way to change one. Nodes lie in the ambient
// arena (expr/arena.h).
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/builder/refusal.h"
#include "compiler/ir/buffer.h"

namespace tilewright::builder {

// A buffer as its constructors describe it (surface.md 4.1).
struct BufferOptions {
  ir::DataType dtype = ir::kFloat32;
  std::vector<ir::Expr> shape;
  std::vector<ir::Expr> strides;  // empty: compact
  const ir::Var* data = nullptr;  // of which it is a view; null: storage of its own
  ir::Expr elem_offset;
  ir::StorageScope scope = ir::StorageScope::Global;
  std::string_view scope_text;  // as written, for StorageScope::Other
  int align = 64;               // bytes
  const layout::Layout* layout = nullptr;
  bool default_layout = true;  // without `layout`: row-major of the shape; false: none
  ir::Expr allocated_addr;     // tmem column
  bool is_scalar = false;      // one element that reads like a number
};

// A dimension of the launch by which a thread is found: x, y or z of the grid, of a cluster or of a CTA.
struct LaunchDimension {
  ir::ScopeBinding binding;
  std::uint8_t dimension;  // 0 x, 1 y, 2 z
};

// Takes a layout where it lives as long as the nodes that point to it.
using KeepLayout = std::function<const layout::Layout*(layout::Layout)>;

class Drafts {
 public:
  explicit Drafts(KeepLayout keep) : keep_(std::move(keep)) {}
  // `outer`: those of what encloses the kernel, such as the module's. They may be named from inside.
  explicit Drafts(Drafts* outer) : outer_(outer), keep_(outer->keep_) {}
  Drafts(const Drafts&) = delete;
  Drafts& operator=(const Drafts&) = delete;

  // ---- making, without a name yet; fields may be set until the result is handed out
  ir::Var* variable(ir::DataType dtype, ir::VarRole role = ir::VarRole::Plain);
  // An index of the launch, of an extent that is not known yet.
  ir::Var* launch_variable(LaunchDimension dimension);
  // Without data a data variable of its own (none in tensor memory).
  ir::Buffer* buffer(const BufferOptions& options, text::Span span);
  // The buffer that another one became by changes of its window: it looks at the same data.
  const ir::Buffer* view(const ir::Buffer& changed, text::Span span);
  // All elements of a buffer in the order of its data, in one dimension; it has a name.
  const ir::Buffer* flat_view(const ir::Buffer& buffer, text::Span span);
  // The tensor of a parameter that was described by `annotated`. A description that stands for a parameter already, of
  // this kernel or of another one, makes a second tensor like the first.
  const ir::Buffer* tensor(const ir::Buffer* annotated, std::string_view name);

  // ---- naming; what is final keeps its name
  void name(const ir::Var* var, std::string_view name);
  // The same of the pointer to its data where that has no name yet. `path`: how a script reaches it where that is not
  // the name.
  void name(const ir::Buffer* buffer, std::string_view name, std::string_view path = {});

  // Null: the node is final.
  ir::Var* find(const ir::Var* var) const {
    auto found = vars_.find(var);
    return found != vars_.end() ? found->second : outer_ ? outer_->find(var) : nullptr;
  }
  ir::Buffer* find(const ir::Buffer* buffer) const {
    auto found = buffers_.find(buffer);
    return found != buffers_.end() ? found->second : outer_ ? outer_->find(buffer) : nullptr;
  }
  void add(ir::Var* var) { vars_[var] = var; }

  const layout::Layout* keep(layout::Layout layout) const { return keep_(std::move(layout)); }
  Drafts* outer() const { return outer_; }

 private:
  ir::Buffer* add(ir::Buffer* buffer) { return buffers_[buffer] = buffer; }

  Drafts* outer_ = nullptr;
  KeepLayout keep_;
  std::unordered_map<const ir::Var*, ir::Var*> vars_;
  std::unordered_map<const ir::Buffer*, ir::Buffer*> buffers_;
};

// What storage of its own may be: constant extents where the hardware needs them, a column in tensor memory, a layout
// with as many elements as the buffer (N17). `options.layout` may become the part of a repeating layout that is one
// buffer long.
Made<> settle_storage(BufferOptions& options, const Drafts& drafts);

}  // namespace tilewright::builder
