#include "compiler/simulate/machine/common.h"

namespace tilewright::simulate::common {
namespace {

// Calls f(a word of the widest type that fits, where it begins) for each word of `count` bytes at these places.
template <class F>
void each_word(std::uintptr_t places, std::size_t count, F&& f) {
  auto all = [&](auto word) {
    for (std::size_t i = 0; i < count; i += sizeof word) f(word, i);
  };
  const std::uintptr_t fits = places | count;
  if (fits % 8 == 0) return all(std::uint64_t{});
  if (fits % 4 == 0) return all(std::uint32_t{});
  if (fits % 2 == 0) return all(std::uint16_t{});
  all(std::uint8_t{});
}

std::uintptr_t place(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }
std::byte* behind(void* at, std::size_t bytes) { return static_cast<std::byte*>(at) + bytes; }
const std::byte* behind(const void* at, std::size_t bytes) { return static_cast<const std::byte*>(at) + bytes; }

}  // namespace

void get_many(void* to, const void* from, std::size_t count) {
  each_word(place(from), count, [&]<class Word>(Word word, std::size_t i) {
    word = load<Word>(behind(from, i));
    std::memcpy(behind(to, i), &word, sizeof word);
  });
}

void put_many(void* to, const void* from, std::size_t count) {
  each_word(place(to), count, [&](auto word, std::size_t i) {
    std::memcpy(&word, behind(from, i), sizeof word);
    store(behind(to, i), word);
  });
}

void fill_many(void* to, std::byte value, std::size_t count) {
  each_word(place(to), count, [&](auto word, std::size_t i) {
    std::memset(&word, std::to_integer<int>(value), sizeof word);
    store(behind(to, i), word);
  });
}

std::size_t find_zero_of_many(const void* at, std::size_t count) {
  std::size_t found = count;
  each_word(place(at), count, [&]<class Word>(Word word, std::size_t i) {
    word = load<Word>(behind(at, i));
    if (word == static_cast<Word>(kOnes) || found != count) return;
    std::byte own[sizeof word];
    std::memcpy(own, &word, sizeof word);
    for (std::size_t b = 0; b < sizeof word && found == count; ++b)
      if (own[b] == std::byte{0}) found = i + b;
  });
  return found;
}

void copy(void* to, const void* from, std::size_t count) {
  each_word(place(to) | place(from), count,
            [&]<class Word>(Word, std::size_t i) { store(behind(to, i), load<Word>(behind(from, i))); });
}

bool equals(const void* at, const void* own, std::size_t count) {
  bool equal = true;
  each_word(place(at), count, [&]<class Word>(Word word, std::size_t i) {
    std::memcpy(&word, behind(own, i), sizeof word);
    equal = equal && load<Word>(behind(at, i)) == word;
  });
  return equal;
}

}  // namespace tilewright::simulate::common
