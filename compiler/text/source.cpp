#include "compiler/text/source.h"

#include <algorithm>
#include <cstring>

namespace tilewright::text {
namespace {

// How many bytes at the beginning of the text are ASCII, which every encoding counts alike: most lines are nothing
// else, and one of a megabyte is asked for each of its columns. In steps of a word.
std::uint32_t ascii_prefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ull;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (word & kHighBits) break;
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace

Source::Source(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  lines_.push_back(0);
  if (text_.find('\r') == std::string::npos) {  // as almost always: a search for one byte is many times faster
    for (std::size_t i = text_.find('\n'); i != std::string::npos; i = text_.find('\n', i + 1))
      lines_.push_back(static_cast<std::uint32_t>(i + 1));
  } else {
    for (std::uint32_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        lines_.push_back(i + 1);
      } else if (text_[i] == '\r') {
        if (i + 1 < text_.size() && text_[i + 1] == '\n') ++i;
        lines_.push_back(i + 1);
      }
    }
  }
  long_lines_ = LongLines(text_, lines_);
}

// Does a line begin at this byte, by the bytes before and at it? The first line does, too.
bool Source::begins_line(std::uint32_t offset) const {
  if (offset == 0) return true;
  const char before = text_[offset - 1];
  return before == '\n' || (before == '\r' && (offset == text_.size() || text_[offset] != '\n'));
}

Source::Source(const Source& before, std::uint32_t begin, std::uint32_t end, std::string_view by)
    : path_(before.path_) {
  begin = std::min(begin, before.size());
  end = std::clamp(end, begin, before.size());
  const std::string_view old = before.text_;
  const std::size_t size = old.size() - (end - begin) + by.size();
  text_.resize_and_overwrite(size, [&](char* to, std::size_t) {
    to = std::copy_n(old.data(), begin, to);
    to = std::copy_n(by.data(), by.size(), to);
    std::copy_n(old.data() + end, old.size() - end, to);
    return size;
  });
  // Whether a line begins is decided by the byte there and the one before: again from `begin` to the first byte behind
  // the new text.
  const auto last = begin + static_cast<std::uint32_t>(by.size());
  const auto kept = std::ranges::lower_bound(before.lines_, std::max(begin, 1u));
  const auto rest = std::upper_bound(kept, before.lines_.end(), end);
  lines_.reserve(before.lines_.size() + by.size() / 16 + 1);
  lines_.assign(before.lines_.begin(), kept);
  for (std::uint32_t at = std::max(begin, 1u); at <= last; ++at) {
    if (begins_line(at)) lines_.push_back(at);
  }
  const std::uint32_t moved = last - end;  // modulo 2^32
  const std::size_t first = lines_.size();
  lines_.insert(lines_.end(), rest, before.lines_.end());
  for (std::size_t i = first; i < lines_.size(); ++i) lines_[i] += moved;
  long_lines_ = LongLines(text_, lines_);
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
  const LongLines::Mark mark = long_lines_.before(lines_[line], offset);
  const std::uint32_t same = ascii_prefix(std::string_view(text_).substr(mark.offset, offset - mark.offset));
  std::uint32_t column = mark.column(encoding) + same;
  for (std::uint32_t at = mark.offset + same; at < offset;) {
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
  const std::uint32_t end = lines_[position.line] + static_cast<std::uint32_t>(line(position.line).size());
  const LongLines::Mark mark = long_lines_.before(lines_[position.line], position.column, encoding);
  std::uint32_t at = std::min(mark.offset, end), column = mark.column(encoding);
  const std::uint32_t same =
      ascii_prefix(std::string_view(text_).substr(at, std::min(end - at, position.column - column)));
  at += same;
  column += same;
  while (at < end && column < position.column) {
    std::uint32_t bytes = sequence_length(static_cast<unsigned char>(text_[at]));
    if (encoding == Encoding::Utf8) bytes = std::min(bytes, position.column - column);
    column += units(bytes, encoding);
    at += bytes;
  }
  return std::min(at, end);
}

std::uint32_t Anchors::add(std::shared_ptr<const Source> source, std::uint32_t offset) {
  own_.push_back({std::move(source), offset});
  return kOwn + static_cast<std::uint32_t>(own_.size() - 1);
}

bool Anchors::bind(std::uint32_t id, const std::shared_ptr<const Source>& source, std::uint32_t offset) {
  if (2 * count_ >= bound_.size()) {
    std::vector<std::pair<std::uint32_t, Anchor>> old(std::max<std::size_t>(64, 2 * bound_.size()));
    old.swap(bound_);
    for (auto& [key, anchor] : old) {
      if (key == 0) continue;
      std::size_t slot = key & (bound_.size() - 1);
      while (bound_[slot].first != 0) slot = (slot + 1) & (bound_.size() - 1);
      bound_[slot] = {key, std::move(anchor)};
    }
  }
  std::size_t slot = id & (bound_.size() - 1);
  while (bound_[slot].first != 0 && bound_[slot].first != id) slot = (slot + 1) & (bound_.size() - 1);
  auto& [key, anchor] = bound_[slot];
  if (key == id) return anchor.source == source && anchor.offset == offset;
  key = id;
  anchor = {source, offset};
  ++count_;
  return true;
}

bool Anchors::alias(std::uint32_t alias, std::uint32_t id) {
  const Anchor* anchor = find(id);
  if (!anchor) return false;
  if (alias == id) return true;
  Anchor place = *anchor;  // binding may move the table
  return bind(alias, place.source, place.offset);
}

const Anchors::Anchor* Anchors::find(std::uint32_t id) const {
  if (bound_.empty()) return nullptr;
  std::size_t slot = id & (bound_.size() - 1);
  while (bound_[slot].first != 0) {
    if (bound_[slot].first == id) return &bound_[slot].second;
    slot = (slot + 1) & (bound_.size() - 1);
  }
  return nullptr;
}

bool Anchors::knows(std::uint32_t id) const { return find(id) != nullptr; }

Anchors::Place Anchors::resolve(Span span) const {
  if (!span) return {};
  const Anchor* anchor = nullptr;
  if (span.anchor < kOwn) {
    anchor = find(span.anchor);
  } else if (span.anchor - kOwn < own_.size()) {
    anchor = &own_[span.anchor - kOwn];
  }
  if (!anchor) return {};
  return {anchor->source.get(), anchor->offset + span.begin, anchor->offset + span.end};
}

std::shared_ptr<const Source> Anchors::source(std::string_view path) const {
  for (const Anchor& a : own_)
    if (a.source && a.source->path() == path) return a.source;
  for (const auto& [id, a] : bound_)
    if (id != 0 && a.source && a.source->path() == path) return a.source;
  return nullptr;
}

}  // namespace tilewright::text
