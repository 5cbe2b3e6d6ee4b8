// What is done with the body of a traced kernel once it is complete.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"
#include "compiler/script/traced/kernel.h"

namespace tilewright::script {
namespace {

// ---- roles --------------------------------------------------------------------------------------------------------

// Branches of different roles that follow each other in a block exclude each other, and an else-if chain says so.
class RoleChains {
 public:
  explicit RoleChains(const KernelState& kernel) {
    for (const auto& [condition, role] : kernel.roles) roles_.emplace(condition.get(), role.o);
  }

  const ir::Stmt* changed(const ir::Stmt* s) {
    if (!s) return s;
    switch (s->kind) {
      case ir::StmtKind::Seq: return sequence(ir::as<ir::Seq>(s));
      case ir::StmtKind::If: {
        auto copy = *ir::as<ir::If>(s);
        const ir::Stmt* then_body = changed(copy.then_body);
        const ir::Stmt* else_body = changed(copy.else_body);
        if (then_body == copy.then_body && else_body == copy.else_body) return s;
        return ir::make_stmt<ir::If>(s->origin, copy.condition, then_body, else_body);
      }
      case ir::StmtKind::For: return with_body(ir::as<ir::For>(s));
      case ir::StmtKind::While: return with_body(ir::as<ir::While>(s));
      case ir::StmtKind::Attr: return with_body(ir::as<ir::Attr>(s));
      default: return s;
    }
  }

 private:
  template <class T>
  const ir::Stmt* with_body(const T* old) {
    const ir::Stmt* body = changed(old->body);
    if (body == old->body) return old;
    T* copy = Arena::current().make<T>(*old);
    copy->body = body;
    return copy;
  }

  const Object* role_of(const ir::Stmt* s) const {
    const auto* branch = ir::as<ir::If>(s);
    if (!branch || branch->else_body) return nullptr;
    auto found = roles_.find(branch->condition.get());
    return found == roles_.end() ? nullptr : found->second;
  }

  const ir::Stmt* sequence(const ir::Seq* old) {
    std::vector<const ir::Stmt*> inner;
    for (const ir::Stmt* s : old->body) inner.push_back(changed(s));
    std::vector<const ir::Stmt*> out;
    for (std::size_t i = 0; i < inner.size();) {
      std::vector<const Object*> seen;
      std::size_t end = i;
      for (; end < inner.size(); ++end) {
        const Object* role = role_of(inner[end]);
        if (!role || std::ranges::find(seen, role) != seen.end()) break;
        seen.push_back(role);
      }
      if (end < i + 2) {
        out.push_back(inner[i++]);
        continue;
      }
      const ir::Stmt* chain = nullptr;
      for (std::size_t k = end; k-- > i;) {
        const auto* branch = ir::as<ir::If>(inner[k]);
        chain = ir::make_stmt<ir::If>(branch->origin, branch->condition, branch->then_body, chain);
      }
      out.push_back(chain);
      i = end;
    }
    if (std::ranges::equal(out, old->body)) return old;
    return ir::make_seq(old->origin, out);
  }

  std::unordered_map<const ir::ExprNode*, const Object*> roles_;
};

// ---- the contract -------------------------------------------------------------------------------------------------

// A traced kernel reads and writes memory by instructions alone.
class Contract {
 public:
  explicit Contract(Interpreter& in) : in_(in), functions_(in.kernel()->allowed_functions) {}

  bool check(const ir::Kernel& kernel) {
    pinned_ = false;
    ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
      const auto* attribute = ir::as<ir::Attr>(s);
      pinned_ |= attribute && attribute->key == "tirx.launch_bounds_min_blocks_per_sm";
      return true;
    });
    ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
      statement(*s);
      return findings_ < kMost;
    });
    return findings_ == 0;
  }

 private:
  static constexpr int kMost = 20;

  static bool is_memory(const ir::Buffer& b) {
    return b.scope == ir::StorageScope::Global || b.scope == ir::StorageScope::Shared ||
           b.scope == ir::StorageScope::SharedDyn;
  }

  void found(std::string message, std::string hint) {
    ++findings_;
    text::Diagnostic d{code::kTraced, text::Severity::Error, std::move(message), at_->span, {}, std::move(hint), {}};
    d.chain = ir::call_chain(at_->chain);
    in_.context().report(std::move(d));
  }

  void statement(const ir::Stmt& s) {
    at_ = &s.origin;
    switch (s.kind) {
      case ir::StmtKind::TileCall:
        return found("a traced kernel has no tile primitives", "write the instructions: txl.ptx");
      case ir::StmtKind::Store: {
        const auto& store = static_cast<const ir::Store&>(s);
        if (is_memory(*store.buffer)) {
          found("a traced kernel does not store into " + place(*store.buffer) + " by an index",
                "write txl.ptx.st to " + std::string(store.buffer->name) + ".ptr_to([...])");
        }
        expression(store.value);
        for (ir::Expr index : store.indices) expression(index);
        return;
      }
      case ir::StmtKind::Bind: return expression(static_cast<const ir::Bind&>(s).value);
      case ir::StmtKind::Evaluate: return expression(static_cast<const ir::Evaluate&>(s).value);
      case ir::StmtKind::If: return expression(static_cast<const ir::If&>(s).condition);
      case ir::StmtKind::While: return expression(static_cast<const ir::While&>(s).condition);
      case ir::StmtKind::For:
        expression(static_cast<const ir::For&>(s).min);
        return expression(static_cast<const ir::For&>(s).extent);
      default: return;
    }
  }

  static std::string place(const ir::Buffer& b) {
    return std::string(b.name) + " in " + (b.scope == ir::StorageScope::Global ? "global" : "shared") + " memory";
  }

  void expression(ir::Expr e) {
    if (!e) return;
    ir::Expr buffer[3];
    const auto children = ir::children(*e.get(), buffer);
    const auto* load = e.as<ir::Load>();
    if (!load && children.empty()) return;
    if (!seen_.insert(e.get()).second) return;
    if (load) {
      if (is_memory(*load->buffer)) {
        found("a traced kernel does not read " + place(*load->buffer) + " by an index",
              "write txl.ptx.ld from " + std::string(load->buffer->name) + ".ptr_to([...]) into a register");
      }
      for (ir::Expr index : load->indices) expression(index);
      return;
    }
    if (const auto* call = e.as<ir::Call>()) return of_call(*call);
    for (ir::Expr child : children) expression(child);
  }

  void of_call(const ir::Call& call) {
    if (call.callee == &ir::builtin::address_of && call.args.size() == 1) {
      if (const auto* load = call.args[0].as<ir::Load>()) {  // an address is no access
        for (ir::Expr index : load->indices) expression(index);
        return;
      }
    }
    const intrinsics::Intrinsic* row = intrinsics::of(call.callee);
    if (row && row->name == "cuda.func_call") {
      const auto* name = call.args.empty() ? nullptr : call.args[0].as<ir::StringImm>();
      const std::string callee(name ? name->value : "a function");
      if (std::ranges::find(functions_, callee) == functions_.end()) {
        found("a traced kernel calls no function of its own, and this is " + callee,
              "write its instructions, or name it: allowed_func_calls=(\"" + callee + "\",)");
      }
    }
    if (row && row->name.starts_with("ptx.setmaxnreg") && !pinned_) {
      found("setmaxnreg needs to know how many registers a thread begins with",
            "give min_blocks_per_sm= to txl.kernel");
    }
    for (ir::Expr argument : call.args) expression(argument);
  }

  Interpreter& in_;
  const std::vector<std::string>& functions_;
  std::unordered_set<const ir::ExprNode*> seen_;
  const ir::Origin* at_ = nullptr;
  bool pinned_ = false;
  int findings_ = 0;
};

}  // namespace

void finish_traced(Interpreter& in, ir::Kernel& kernel) {
  KernelState& state = *in.kernel();
  if (state.roles.size() > 1) kernel.body = RoleChains(state).changed(kernel.body);
  if (!state.checks_contract) return;
  if (!Contract(in).check(kernel)) state.failed = true;
}

}  // namespace tilewright::script
