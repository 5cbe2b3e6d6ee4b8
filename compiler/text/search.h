// Finding one text in another, in time linear in both: a script can make texts for which the standard search is
// quadratic (`'a' * 10**7` and `'a' * 10**6 + 'b'`), and nothing interrupts a search.
#pragma once
#include <cstddef>
#include <string_view>

namespace tilewright::text {

// The byte offset of the first occurrence at `from` or later; npos without one.
std::size_t find_first(std::string_view in, std::string_view what, std::size_t from = 0);
// The byte offset of the last occurrence; npos without one.
std::size_t find_last(std::string_view in, std::string_view what);

}  // namespace tilewright::text
