// Nodes of a kernel under construction that are not final: a script names a variable or a buffer by the assignment that
// follows its creation (`A = T.alloc_buffer(...)`), and a launch dimension learns its extent at the end of the kernel.
//
// Whoever makes such a node leaves it here, where the evaluator finds it in a form that can be changed; everybody else
// holds a pointer to a constant. The drafts of a kernel end with its evaluation, and with them the last way to change
// one.
#pragma once
#include <unordered_map>

#include "compiler/ir/buffer.h"

namespace tilewright::script {

class Drafts {
 public:
  // `outer`: those of what encloses the kernel, such as the module's. They may be named from inside.
  explicit Drafts(Drafts* outer = nullptr) : outer_(outer) {}
  Drafts(const Drafts&) = delete;
  Drafts& operator=(const Drafts&) = delete;

  ir::Var* add(ir::Var* var) { return vars_[var] = var; }
  ir::Buffer* add(ir::Buffer* buffer) { return buffers_[buffer] = buffer; }

  // Null: the node is final.
  ir::Var* find(const ir::Var* var) const {
    auto found = vars_.find(var);
    return found != vars_.end() ? found->second : outer_ ? outer_->find(var) : nullptr;
  }
  ir::Buffer* find(const ir::Buffer* buffer) const {
    auto found = buffers_.find(buffer);
    return found != buffers_.end() ? found->second : outer_ ? outer_->find(buffer) : nullptr;
  }

  Drafts* outer() const { return outer_; }

 private:
  Drafts* outer_;
  std::unordered_map<const ir::Var*, ir::Var*> vars_;
  std::unordered_map<const ir::Buffer*, ir::Buffer*> buffers_;
};

}  // namespace tilewright::script
