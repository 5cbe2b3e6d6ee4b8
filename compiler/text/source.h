// One file's text with its line index, and the positions other people count in.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/edit.h"
#include "compiler/text/long_lines.h"
#include "compiler/text/span.h"

namespace tilewright::text {

class Source {
 public:
  Source(std::string path, std::string text);
  // `before` with its bytes [begin, end) replaced by `by`. What did not change is copied, lines included, not read.
  Source(const Source& before, std::uint32_t begin, std::uint32_t end, std::string_view by);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(lines_.size()); }
  // The line without its end-of-line bytes; an empty view past the last line.
  std::string_view line(std::uint32_t index) const;

  // Byte offset to position and back. Offsets and positions outside the text are clamped to it.
  LineColumn position(std::uint32_t offset, Encoding encoding = Encoding::Utf32) const;
  std::uint32_t offset(LineColumn position, Encoding encoding = Encoding::Utf32) const;

 private:
  bool begins_line(std::uint32_t offset) const;
  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> lines_;  // byte offset of each line's first byte
  LongLines long_lines_;
};

// Gives spans their place in the files of one snapshot. An anchor is either a statement, whose number outlives the
// snapshot (syntax::TopLevel::id), or a place of this snapshot alone, numbered from kOwn.
class Anchors {
 public:
  struct Anchor {
    std::shared_ptr<const Source> source;
    std::uint32_t offset = 0;  // byte offset of the anchor in its source
  };
  struct Place {
    const Source* source = nullptr;  // null: nowhere
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  static constexpr std::uint32_t kOwn = 0x80000000u;

  // A place of this snapshot alone.
  std::uint32_t add(std::shared_ptr<const Source> source, std::uint32_t offset);
  // Says where statement `id` stands. False: it stands elsewhere already, and stays there.
  bool bind(std::uint32_t id, const std::shared_ptr<const Source>& source, std::uint32_t offset);
  // Lets `alias` stand where `id` does. False if `id` is unknown or `alias` is in use.
  bool alias(std::uint32_t alias, std::uint32_t id);
  bool knows(std::uint32_t id) const;
  Place resolve(Span span) const;
  // The first one with an anchor that has this path; null: none has.
  std::shared_ptr<const Source> source(std::string_view path) const;

 private:
  const Anchor* find(std::uint32_t id) const;
  std::vector<Anchor> own_;
  std::vector<std::pair<std::uint32_t, Anchor>> bound_;  // open addressing by id; 0: free
  std::size_t count_ = 0;
};

}  // namespace tilewright::text
