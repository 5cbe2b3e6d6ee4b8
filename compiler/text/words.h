// The words of an enumeration, in both directions. The compiler counts: a table with more or fewer words than there are
// enumerators is an error. Enumerators count from 0 without gaps.
//
//   enum class Role { Input, Output };
//   inline constexpr auto kRoleWords = text::words_of<Role>({"input", "output"});
//   kRoleWords[Role::Output]        "output"
//   kRoleWords.find("input")        Role::Input; none for another word
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright::text {

template <class E, std::size_t N>
struct Words {
  std::array<std::string_view, N> all{};

  constexpr std::string_view operator[](E e) const { return all[static_cast<std::size_t>(e)]; }
  // None: no enumerator has the word. An enumerator without a word has an empty one, and is not found.
  constexpr std::optional<E> find(std::string_view word) const {
    const auto at = std::ranges::find(all, word);
    if (word.empty() || at == all.end()) return std::nullopt;
    return static_cast<E>(at - all.begin());
  }
};

namespace detail {

// True if the value has a name: compilers print an enumerator by its name, and another value as a cast, "(Role)2".
template <auto value>
consteval bool is_enumerator() {
  const std::string_view printed = __PRETTY_FUNCTION__;
  std::string_view number = printed.substr(printed.rfind(')') + 1);
  number = number.substr(0, number.rfind(']'));
  return number.find_first_not_of("0123456789") != number.npos;
}

template <class E, std::size_t from = 0>
consteval std::size_t enumerators() {
  if constexpr (is_enumerator<static_cast<E>(from)>())
    return enumerators<E, from + 1>();
  else
    return from;
}

}  // namespace detail

template <class E, std::size_t N>
consteval Words<E, N> words_of(const std::string_view (&words)[N]) {
  static_assert(detail::enumerators<E>() == N, "each enumerator has one word");
  Words<E, N> out;
  std::ranges::copy(words, out.all.begin());
  return out;
}

}  // namespace tilewright::text
