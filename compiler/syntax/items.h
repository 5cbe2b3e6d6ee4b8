// Places for what a node collects before its number is known. Private to the room.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "compiler/expr/arena.h"

namespace tilewright::syntax {

// The part of a shared stack that one node collects. Its items go to the arena when the node is complete.
template <class T>
class Items {
 public:
  explicit Items(std::vector<T>& stack) : stack_(stack), base_(stack.size()) {}
  ~Items() { stack_.resize(base_); }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  void push(const T& item) { stack_.push_back(item); }
  bool empty() const { return stack_.size() == base_; }
  std::size_t size() const { return stack_.size() - base_; }
  const T& back() const { return stack_.back(); }
  const T& front() const { return stack_[base_]; }
  std::span<T> span() { return std::span(stack_).subspan(base_); }
  std::span<const T> copy(Arena& arena) { return arena.copy(std::span<const T>(stack_).subspan(base_)); }

 private:
  std::vector<T>& stack_;
  std::size_t base_;
};

}  // namespace tilewright::syntax
