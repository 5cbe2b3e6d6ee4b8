// One question about top-level statements whose answer depends on their text alone, asked after each edit of a file.
// The answers lie close together: walking a statement's nodes again would bring all of them into the caches.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// Called on any thread. `ask` is called where the answer is not known, or is known no more.
class StatementBit {
 public:
  template <class Ask>
  bool of(const TopLevel& statement, const Ask& ask) {
    std::atomic<std::uint32_t>& known = known_[statement.id % kMost];
    const std::uint32_t found = known.load(std::memory_order_relaxed);
    if (found >> 1 == statement.id) return found & 1;
    const bool answer = ask(statement);
    known.store(statement.id << 1 | (answer ? 1u : 0u), std::memory_order_relaxed);
    return answer;
  }

 private:
  static_assert(text::Anchors::kOwn <= 1u << 31);  // ids are below
  static constexpr std::uint32_t kMost = 1 << 13;
  std::array<std::atomic<std::uint32_t>, kMost> known_{};  // an id and its answer; 0: none
};

}  // namespace tilewright::syntax
