// Saves what belongs to the function being run and restores it when the call ends.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

struct ModeGuard {
  Interpreter& in;
  bool script_mode;
  std::uint32_t anchor;
  std::shared_ptr<const syntax::TopLevel> top_level{};  // once another one was entered
  bool has_entered = false;
  const ir::CallSite* chain;

  explicit ModeGuard(Interpreter& in) : in(in), script_mode(in.script_mode_), anchor(in.anchor_), chain(in.chain_) {}
  ~ModeGuard() {
    in.script_mode_ = script_mode;
    in.anchor_ = anchor;
    if (has_entered) in.top_level_ = std::move(top_level);
    in.chain_ = chain;
  }
  ModeGuard(const ModeGuard&) = delete;
  ModeGuard& operator=(const ModeGuard&) = delete;

  void enter(bool script, std::uint32_t to_anchor, std::shared_ptr<const syntax::TopLevel> to_top_level) {
    in.script_mode_ = script;
    in.anchor_ = to_anchor;
    if (has_entered) {
      in.top_level_ = std::move(to_top_level);
    } else {
      top_level = std::exchange(in.top_level_, std::move(to_top_level));
      has_entered = true;
    }
  }
};

// The scope of a call of host code.
struct ScopeGuard {
  Interpreter& in;
  Scope* scope;
  ScopeGuard(Interpreter& in, Scope* parent, Scope::Kind kind) : in(in), scope(in.begin_scope(parent, kind)) {}
  ~ScopeGuard() { in.end_scope(scope); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
};

// Runs a module that a kernel asked for: what it makes belongs to all kernels.
struct StoreGuard {
  Interpreter& in;
  std::shared_ptr<Store> outer;
  ArenaScope arena;
  explicit StoreGuard(Interpreter& in)
      : in(in), outer(std::exchange(in.store_, in.module_store_)), arena(in.module_store_->arena) {}
  ~StoreGuard() { in.store_ = std::move(outer); }
  StoreGuard(const StoreGuard&) = delete;
  StoreGuard& operator=(const StoreGuard&) = delete;
};

}  // namespace tilewright::script
