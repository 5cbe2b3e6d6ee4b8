// Parts of a JSON answer: for readers who pay for each word of it.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/json.h"

namespace tilewright::render {

// The members that the paths name, "kernels.calls.variant"; lists are gone through. The error names a path that leads
// nowhere in this answer, and what there is instead. `strict`: false for paths of which some answers have fewer.
std::expected<text::Json, std::string> selected(const text::Json& answer, const std::vector<std::string>& paths,
                                                bool strict = true);

// Lines of a script, from 1, both included.
struct ScriptLines {
  std::string file;  // empty: of whatever file
  std::uint32_t from = 0, to = 0;
  bool covers(std::string_view path, std::uint32_t first, std::uint32_t last) const;
};
// Is the range of an answer within the lines, or one of the ranges of its call chain?
bool is_within(const text::Json& item, const ScriptLines& lines);
// Without the calls, findings, mapped, watched and counted lines that stand elsewhere.
void keep_lines(text::Json& answer, const ScriptLines& lines);
// The lines of a text with these numbers, each with its number in front: "12: float x = 0;".
std::string numbered_lines(std::string_view text, const std::vector<std::uint32_t>& numbers);

}  // namespace tilewright::render
