// The one place that spells an instruction for people: hints, fixes and reports name rows, and are spelled in the
// release of the dialect that their reader writes.
//
//   d.hint = say("put {cta_sync}() between them"_row_text, kernel.dialect);   // "put T.cuda.cta_sync() between them"
//
// A name in braces is one of kRowNames, which the compiler checks. Other text stays, braces included. Arguments
// stand behind it as in the first release; where a later one writes them in another way, so does the text:
// "{bulk_wait}(0, True)" is T.ptx.cp.async_.bulk.wait_group.read(0) in 0.27.
#pragma once
#include <string>
#include <string_view>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/intrinsics/row_names.h"

namespace tilewright::intrinsics {

// The path of a row as scripts of a release write it, "T.ptx.elect_sync"; of a row that the release lacks as the last
// release that had it.
std::string say(const ir::Callee& row, text::Dialect release);
// The same with the arguments behind it, "(bar, 1)", in the order of the first release.
std::string say_call(const Intrinsic& row, std::string_view arguments, text::Dialect release);
// A text with the names of rows in braces.
std::string say(std::string_view text, text::Dialect release);

namespace detail {
// Where the name in braces that begins at `at` ends, behind its brace; npos: there is no name.
constexpr std::size_t end_of_name(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() &&
         ((text[end] >= 'a' && text[end] <= 'z') || (text[end] >= '0' && text[end] <= '9') || text[end] == '_'))
    ++end;
  return end > at + 1 && end < text.size() && text[end] == '}' ? end + 1 : std::string_view::npos;
}
}  // namespace detail

}  // namespace tilewright::intrinsics

namespace tilewright {

// A text for say(), whose names are checked.
consteval std::string_view operator""_row_text(const char* text, std::size_t size) {
  using intrinsics::KnownRow;
  const std::string_view all(text, size);
  for (std::size_t at = all.find('{'); at != all.npos; at = all.find('{', at + 1)) {
    const std::size_t end = intrinsics::detail::end_of_name(all, at);
    if (end == all.npos || KnownRow::index_of(all.substr(at + 1, end - at - 2)) == std::size(intrinsics::kRowNames)) {
      throw "no row has the name in these braces";
    }
  }
  return all;
}

}  // namespace tilewright
