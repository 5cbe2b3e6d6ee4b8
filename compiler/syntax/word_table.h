// Words that are known when the compiler is built, and where each stands in its table: one probe finds a word or tells
// that it is none, and nothing is built when the program starts.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

template <std::size_t Count>
class WordTable {
 public:
  static constexpr std::size_t kNone = Count;  // the place of a word that is not in the table

  // `words` are all different.
  consteval explicit WordTable(std::array<std::string_view, Count> words) : words_(words) {
    for (std::size_t i = 0; i < Count; ++i) {
      hashes_[i] = hash_name(words[i]);
      std::size_t slot = hashes_[i] % kSlots;
      for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
        if (words[slots_[slot] - 1] == words[i])
          throw "a word stands twice";  // no constant then: an error of the build
      }
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  // The place of the word; `hash` is its hash_name.
  constexpr std::size_t find(std::string_view word, std::uint32_t hash) const {
    for (std::size_t slot = hash % kSlots; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const std::size_t place = slots_[slot] - 1u;
      if (hashes_[place] == hash && words_[place] == word) return place;
    }
    return kNone;
  }
  constexpr std::size_t find(std::string_view word) const { return find(word, hash_name(word)); }

  constexpr std::span<const std::string_view> words() const { return words_; }

 private:
  static_assert(Count > 0 && Count < 0xFFFF);
  static constexpr std::size_t kSlots = std::bit_ceil(4 * Count);  // most probes of other words meet a free slot

  std::array<std::string_view, Count> words_;
  std::array<std::uint32_t, Count> hashes_{};
  std::array<std::uint16_t, kSlots> slots_{};  // places from 1; 0: free
};

template <std::size_t Count>
WordTable(std::array<std::string_view, Count>) -> WordTable<Count>;

}  // namespace tilewright::syntax
