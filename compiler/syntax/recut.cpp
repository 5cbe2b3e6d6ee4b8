#include "compiler/syntax/recut.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace tilewright::syntax {
namespace {

// Statements below the edit that are tried as the place to stop. One more line above may make a block of them all.
constexpr int kMostTries = 16;

// The first byte of the line of the file that begins with the statement at `offset`. Nothing: something stands before
// it there.
std::optional<std::uint32_t> line_begin(std::string_view text, std::uint32_t offset) {
  while (offset > 0 && (text[offset - 1] == ' ' || text[offset - 1] == '\t' || text[offset - 1] == '\f')) --offset;
  if (offset == 0 || text[offset - 1] == '\n' || text[offset - 1] == '\r') return offset;
  return std::nullopt;
}

FoundStatement found(const LineScan& scan, const Piece& piece) {
  const auto lines = std::span(scan.lines).subspan(piece.first, piece.last - piece.first);
  const Line& head = lines.front();
  FoundStatement out;
  out.at = {head.begin, lines.back().end};
  out.faulty = is_faulty(lines, !scan.faults.empty());
  out.cut = {.offset = head.begin, .column = head.column};
  if (piece.indent == Piece::Indent::Deeper) out.cut.unexpected = head.end - head.begin;
  for (const Line& line : lines) out.cut.reach = std::max(out.cut.reach, line.reach - head.begin);
  return out;
}

// Looks, after each line, whether a statement begins there that began there before the edit.
class Meeting {
 public:
  Meeting(const Cuts& before, const text::Edit& edit, std::uint32_t above)
      : before_(before.list), moved_by_(edit.new_end - edit.old_end), above_(above) {
    next_ = static_cast<std::size_t>(std::ranges::lower_bound(before_, edit.old_end, {}, &Cuts::Cut::offset) -
                                     before_.begin());
  }

  bool operator()(const LineScan& scan) {
    // The lines of the file's line that was just read: one, but for those that a `;` joins.
    std::size_t first = scan.lines.size() - 1;
    while (scan.lines[first].joined) --first;
    const Line& line = scan.lines[first];
    while (next_ < before_.size() && before_[next_].offset + moved_by_ < line.begin) ++next_;
    if (next_ == before_.size() || tries_ == kMostTries) return false;
    const Cuts::Cut& old = before_[next_];
    if (old.offset + moved_by_ != line.begin || old.column != line.column) return false;
    ++tries_;
    // It has to begin a statement below one that stands as deep as the one that it began below.
    pieces_ = cut(std::span(scan.lines).first(first + 1), 0, above_);
    if (pieces_.back().first != first) return false;
    const std::uint32_t now = first == 0 ? above_ : scan.lines[pieces_[pieces_.size() - 2].first].column;
    if (now != (next_ == 0 ? 0 : before_[next_ - 1].column)) return false;
    pieces_.pop_back();
    met_ = line.begin;
    return true;
  }

  std::optional<std::uint32_t> met() const { return met_; }  // where, in the new text
  std::size_t next() const { return next_; }                 // the statement that was met
  std::vector<Piece> take_pieces() { return std::move(pieces_); }

 private:
  const std::vector<Cuts::Cut>& before_;
  std::uint32_t moved_by_;  // modulo 2^32
  std::uint32_t above_;
  std::size_t next_;
  int tries_ = 0;
  std::optional<std::uint32_t> met_;
  std::vector<Piece> pieces_;
};

Recut scratch(const Cuts& before, std::string_view text) {
  Recut out;
  LineScan scan = scan_lines(text);
  for (const Piece& piece : cut(scan.lines, 0)) out.found.push_back(found(scan, piece));
  out.moved = before.list.size();
  out.end = static_cast<std::uint32_t>(text.size());
  out.comments = std::move(scan.comments);
  out.rescanned = scan.rescanned;
  return out;
}

}  // namespace

bool is_faulty(std::span<const Line> lines, bool has_faults) {
  if (lines.size() > kMaxBlocks && nested_blocks(lines) > kMaxBlocks) return true;
  return has_faults && std::ranges::any_of(lines, [](const Line& line) { return line.fault.has_value(); });
}

Recut recut(const Cuts& before, std::string_view text, const text::Edit& edit) {
  const std::vector<Cuts::Cut>& old = before.list;
  if (old.empty()) return scratch(before, text);

  // The first statement that the edit touches; the one above it may end elsewhere now.
  const auto touched = std::ranges::find_if(old, [&](const Cuts::Cut& c) { return c.offset + c.reach > edit.begin; });
  auto kept = static_cast<std::size_t>(touched - old.begin());
  std::uint32_t from = 0;
  while (kept > 0) {
    --kept;
    // It begins above the edit, where both texts are the same.
    const auto begin = kept > 0 ? line_begin(text, old[kept].offset) : std::optional(0u);
    if (!begin) continue;
    from = *begin;
    break;
  }

  const std::uint32_t above = kept == 0 ? 0 : old[kept - 1].column;
  Meeting meeting(before, edit, above);
  LineScan scan = scan_lines_from(text, from, std::ref(meeting));
  if (before.rescanned + scan.rescanned > kFreeRescans) return scratch(before, text);

  Recut out;
  out.kept = kept;
  out.begin = from;
  out.rescanned = before.rescanned + scan.rescanned;
  out.comments = std::move(scan.comments);
  std::vector<Piece> pieces;
  if (meeting.met()) {
    out.moved = meeting.next();
    out.end = *meeting.met();
    std::erase_if(out.comments, [&](const Extent& at) { return at.begin >= out.end; });
    pieces = meeting.take_pieces();
  } else {
    out.moved = old.size();
    out.end = static_cast<std::uint32_t>(text.size());
    pieces = cut(scan.lines, 0, above);
  }
  for (const Piece& piece : pieces) out.found.push_back(found(scan, piece));
  return out;
}

}  // namespace tilewright::syntax
