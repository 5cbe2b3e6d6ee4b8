// What a variant sees of the call it is asked to serve, and the journal of what it wants besides its body.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/dispatch/dispatched.h"
#include "compiler/scope/closure.h"

namespace tilewright::dispatch {

// Requests of one trial (dispatch.md 5.2). They take effect only when the variant is accepted (X3), and only in the
// kernel of the call (X2).
struct Journal {
  std::vector<const ir::Var*> scope_ids;       // made for the variant: not declared by the script
  std::vector<const ir::Buffer*> allocations;  // at the start of the device part, in order
  std::vector<const ir::Stmt*> device_init;    // behind those allocations
  std::vector<TensorMap> tensor_maps;
  std::vector<const ir::Var*> prefetched;  // tensor maps that device_init brings into their cache
};

// What the calls of one kernel share.
class KernelContext {
 public:
  KernelContext(const scope::Closure& closure, const ir::Kernel& kernel);

  const scope::Closure& closure() const { return closure_; }
  ir::Target target() const { return kernel_.target; }
  text::Dialect dialect() const { return kernel_.dialect; }

  // A one-dimensional look at the whole storage behind a buffer: element 0 is the storage's first.
  const ir::Buffer* flat_view(const ir::Buffer* buffer);
  const ir::Var* scope_id(ir::ScopeBinding binding, int dimension) const {
    return ids_[static_cast<std::size_t>(binding)][static_cast<std::size_t>(dimension)];
  }
  void add_scope_id(const ir::Var* var);
  const std::vector<const ir::Var*>& scope_ids() const { return all_ids_; }
  // Of the calls accepted so far.
  const std::vector<TensorMap>& tensor_maps() const { return tensor_maps_; }
  bool prefetched(const ir::Var* map) const;
  // What an accepted call asked for and later calls may use, too.
  void commit(const Journal& journal);

 private:
  const scope::Closure& closure_;
  const ir::Kernel& kernel_;
  std::array<std::array<const ir::Var*, 3>, 10> ids_{};
  std::vector<const ir::Var*> all_ids_;
  std::unordered_map<const ir::Buffer*, const ir::Buffer*> flat_;
  std::vector<TensorMap> tensor_maps_;
  std::vector<const ir::Var*> prefetched_;
};

class CallContext {
 public:
  CallContext(KernelContext& kernel, const ir::TileCall& call, const scope::CallScope& scope)
      : kernel(kernel), call(call), scope(scope) {}
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  KernelContext& kernel;
  const ir::TileCall& call;
  const scope::CallScope& scope;
  Journal journal;
  bool lacks_instruction = false;  // a variant wants one that the kernel's target has not, and another one has

  ir::Target target() const { return kernel.target(); }
  const scope::Launch& launch() const { return kernel.closure().launch; }

  // The script's own variable for the id when it declares one, else a new one noted in the journal.
  ir::Expr scope_id(ir::ScopeBinding binding, int dimension = 0);
  // threadIdx as one number, also in CTAs of two or three dimensions (X16).
  ir::Expr linear_thread();

  // What a family of variants wants to know of a call, worked out once: make() by the first variant that asks, found
  // by those after it. A family keeps it under a type of its own, which no other family names (blocks/operands.h).
  template <class T, class Make>
  T& once(const Make& make) {
    for (Scratch* s = scratch_.get(); s; s = s->next.get()) {
      if (s->type == &kType<T>) return static_cast<Holder<T>*>(s)->value;
    }
    auto made = std::make_unique<Holder<T>>(std::in_place, make);
    T& value = made->value;
    made->next = std::move(scratch_);
    scratch_ = std::move(made);
    return value;
  }

 private:
  template <class T>
  static constexpr char kType = 0;  // its address stands for the type
  struct Scratch {
    explicit Scratch(const char* type) : type(type) {}
    virtual ~Scratch() = default;
    const char* type;
    std::unique_ptr<Scratch> next;
  };
  template <class T>
  struct Holder : Scratch {
    template <class Make>
    Holder(std::in_place_t, const Make& make) : Scratch(&kType<T>), value(make()) {}
    T value;
  };
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace tilewright::dispatch
