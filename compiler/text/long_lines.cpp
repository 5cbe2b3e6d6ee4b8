#include "compiler/text/long_lines.h"

#include <algorithm>

namespace tilewright::text {
namespace {

constexpr std::uint32_t kStep = 1024;  // bytes from one mark to the next, or a few more

}  // namespace

LongLines::LongLines(std::string_view text, std::span<const std::uint32_t> lines) {
  constexpr std::size_t kTogether = 8;  // lines that are nearly always shorter than a step
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + kTogether < lines.size() && lines[i + kTogether] - lines[i] <= kStep) {
      i += kTogether - 1;
      continue;
    }
    const auto end = i + 1 < lines.size() ? lines[i + 1] : static_cast<std::uint32_t>(text.size());
    if (end - lines[i] <= kStep) continue;
    lines_.push_back({lines[i], static_cast<std::uint32_t>(marks_.size())});
    Mark now{lines[i], {}};
    for (std::uint32_t next = now.offset + kStep; now.offset < end;) {
      const std::uint32_t bytes = sequence_length(static_cast<unsigned char>(text[now.offset]));
      now.offset += bytes;
      now.columns[0] += units(bytes, Encoding::Utf8);
      now.columns[1] += units(bytes, Encoding::Utf16);
      now.columns[2] += units(bytes, Encoding::Utf32);
      if (now.offset < next || now.offset >= end) continue;
      marks_.push_back(now);
      next = now.offset + kStep;
    }
  }
}

std::span<const LongLines::Mark> LongLines::of_line(std::uint32_t begin) const {
  const auto line = std::ranges::lower_bound(lines_, begin, {}, &Line::begin);
  if (line == lines_.end() || line->begin != begin) return {};
  const std::size_t last = line + 1 == lines_.end() ? marks_.size() : (line + 1)->first;
  return std::span(marks_).subspan(line->first, last - line->first);
}

LongLines::Mark LongLines::before(std::uint32_t begin, std::uint32_t offset) const {
  if (offset - begin < kStep) return {begin, {}};
  const std::span<const Mark> marks = of_line(begin);
  const auto after = std::ranges::upper_bound(marks, offset, {}, &Mark::offset);
  return after == marks.begin() ? Mark{begin, {}} : *(after - 1);
}

LongLines::Mark LongLines::before(std::uint32_t begin, std::uint32_t column, Encoding encoding) const {
  if (column < kStep / 4) return {begin, {}};
  const std::span<const Mark> marks = of_line(begin);
  const auto after =
      std::ranges::upper_bound(marks, column, {}, [&](const Mark& mark) { return mark.column(encoding); });
  return after == marks.begin() ? Mark{begin, {}} : *(after - 1);
}

}  // namespace tilewright::text
