#include "compiler/text/source.h"

#include <algorithm>

namespace tilewright::text {
namespace {

// Length in bytes of the UTF-8 sequence that `lead` opens; 1 for a stray byte, so that bad text still advances.
std::uint32_t sequence_length(unsigned char lead) {
  if (lead < 0xC0) return 1;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF8 ? 4 : 1;
}

std::uint32_t units(std::uint32_t bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8: return bytes;
    case Encoding::Utf16: return bytes == 4 ? 2 : 1;
    case Encoding::Utf32: return 1;
  }
  return 1;
}

}  // namespace

Source::Source(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  lines_.push_back(0);
  for (std::uint32_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      lines_.push_back(i + 1);
    } else if (text_[i] == '\r') {
      if (i + 1 < text_.size() && text_[i + 1] == '\n') ++i;
      lines_.push_back(i + 1);
    }
  }
}

std::string_view Source::line(std::uint32_t index) const {
  if (index >= lines_.size()) return {};
  std::size_t begin = lines_[index];
  std::size_t end = index + 1 < lines_.size() ? lines_[index + 1] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

LineColumn Source::position(std::uint32_t offset, Encoding encoding) const {
  offset = std::min(offset, size());
  auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  std::uint32_t line = static_cast<std::uint32_t>(after - lines_.begin()) - 1;
  std::uint32_t column = 0;
  for (std::uint32_t at = lines_[line]; at < offset;) {
    std::uint32_t bytes = sequence_length(static_cast<unsigned char>(text_[at]));
    if (at + bytes > offset) {  // inside a sequence: UTF-8 can say where, the others point at its start
      if (encoding == Encoding::Utf8) column += offset - at;
      break;
    }
    column += units(bytes, encoding);
    at += bytes;
  }
  return {line, column};
}

std::uint32_t Source::offset(LineColumn position, Encoding encoding) const {
  if (position.line >= lines_.size()) return size();
  std::uint32_t at = lines_[position.line];
  std::uint32_t end = at + static_cast<std::uint32_t>(line(position.line).size());
  std::uint32_t column = 0;
  while (at < end && column < position.column) {
    std::uint32_t bytes = sequence_length(static_cast<unsigned char>(text_[at]));
    if (encoding == Encoding::Utf8) bytes = std::min(bytes, position.column - column);
    column += units(bytes, encoding);
    at += bytes;
  }
  return std::min(at, end);
}

std::uint32_t Anchors::add(std::shared_ptr<const Source> source, std::uint32_t offset) {
  anchors_.push_back({std::move(source), offset});
  return static_cast<std::uint32_t>(anchors_.size() - 1);
}

Anchors::Place Anchors::resolve(Span span) const {
  if (!span || span.anchor >= anchors_.size()) return {};
  const Anchor& anchor = anchors_[span.anchor];
  return {anchor.source.get(), anchor.offset + span.begin, anchor.offset + span.end};
}

}  // namespace tilewright::text
