// Memory that several of our own threads may get to at once, read and written without undefined behaviour: by relaxed
// atomics, which order nothing and cost what plain loads and stores of a word cost. Where the place or the count does
// not allow one word it is several accesses: others may see some of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tilewright::simulate::common {

// Bytes of 1.
inline constexpr std::uint64_t kOnes = 0x0101010101010101;

// Of any count.
void get_many(void* to, const void* from, std::size_t count);
void put_many(void* to, const void* from, std::size_t count);
void fill_many(void* to, std::byte value, std::size_t count);
std::size_t find_zero_of_many(const void* at, std::size_t count);
// From common memory to common memory, from the front on.
void copy(void* to, const void* from, std::size_t count);
// Are `count` bytes of common memory those of one's own?
bool equals(const void* at, const void* own, std::size_t count);

template <class Word>
Word load(const void* at) {
  return std::atomic_ref(*static_cast<Word*>(const_cast<void*>(at))).load(std::memory_order_relaxed);
}
template <class Word>
void store(void* at, Word value) {
  std::atomic_ref(*static_cast<Word*>(at)).store(value, std::memory_order_relaxed);
}

// Is this one word? Then f gets one of its type.
template <class F>
[[gnu::always_inline]] inline bool as_word(const void* at, std::size_t count, F&& f) {
  if ((reinterpret_cast<std::uintptr_t>(at) & (count - 1)) != 0) return false;
  switch (count) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return false;
  }
}

// Between common memory and one's own.
inline void get(void* to, const void* from, std::size_t count) {
  const bool done = as_word(from, count, [&]<class Word>(Word word) {
    word = load<Word>(from);
    std::memcpy(to, &word, sizeof word);
    return true;
  });
  if (!done) get_many(to, from, count);
}
inline void put(void* to, const void* from, std::size_t count) {
  const bool done = as_word(to, count, [&](auto word) {
    std::memcpy(&word, from, sizeof word);
    store(to, word);
    return true;
  });
  if (!done) put_many(to, from, count);
}
inline void fill(void* to, std::byte value, std::size_t count) {
  const bool done = as_word(to, count, [&]<class Word>(Word) {
    store(to, static_cast<Word>(kOnes * std::to_integer<std::uint64_t>(value)));
    return true;
  });
  if (!done) fill_many(to, value, count);
}
// The same of up to eight bytes, as the lowest ones of a number whose others are zeros.
inline std::uint64_t get_number(const void* from, std::size_t count) {
  std::uint64_t out = 0;
  const bool done = as_word(from, count, [&]<class Word>(Word) {
    out = load<Word>(from);
    return true;
  });
  if (!done) get_many(&out, from, count);
  return out;
}
inline void put_number(void* to, std::uint64_t number, std::size_t count) {
  const bool done = as_word(to, count, [&]<class Word>(Word) {
    store(to, static_cast<Word>(number));
    return true;
  });
  if (!done) put_many(to, &number, count);
}
// The place of the first zero among `count` bytes, which mostly are ones; `count`: there is none.
inline std::size_t find_zero(const void* at, std::size_t count) {
  const bool none = as_word(at, count, [&]<class Word>(Word) { return load<Word>(at) == static_cast<Word>(kOnes); });
  return none ? count : find_zero_of_many(at, count);
}

}  // namespace tilewright::simulate::common
