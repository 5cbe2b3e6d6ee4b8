#include "server/work/listing.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace tilewright::work {

Listing::Listing(const std::string& sass, const std::string& symbol) : map_(toolchain::read_sass_lines(sass)) {
  const auto function = std::ranges::find(map_.functions, symbol);
  std::size_t at = 0;
  std::uint32_t number = 1;
  for (const toolchain::LineRow& row : map_.rows) {
    for (; number < row.line && at < sass.size(); ++number) {
      const std::size_t end = std::min(sass.find('\n', at), sass.size());
      // ".L_x_1:"
      if (sass[at] == '.' && sass[end - 1] == ':') open_labels_.push_back(sass.substr(at, end - 1 - at));
      at = end + 1;
    }
    if (function == map_.functions.end() || &map_.functions[row.function] != &*function) {
      has_more_ = true;
      continue;
    }
    const std::string_view rest = std::string_view(sass).substr(at);
    take(rest.substr(0, rest.find('\n')), row);
  }
  find_loops();
}

// "@P0 BRA `(.L_x_1)" to an instruction before it.
void Listing::find_loops() {
  for (const auto& [offset, row] : rows_) {
    const std::size_t begin = row.text.find("`(.L");
    if (begin == row.text.npos) continue;
    const std::size_t end = row.text.find(')', begin);
    const auto target = labels_.find(std::string_view(row.text).substr(begin + 2, end - begin - 2));
    if (target != labels_.end() && target->second < offset) loops_.emplace_back(target->second, offset);
  }
  std::ranges::sort(loops_);
  std::size_t kept = 0;
  for (const auto& loop : loops_) {
    if (kept > 0 && loop.first <= loops_[kept - 1].second)
      loops_[kept - 1].second = std::max(loops_[kept - 1].second, loop.second);
    else
      loops_[kept++] = loop;
  }
  loops_.resize(kept);
}

bool Listing::in_loop(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(loops_, offset, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  return after != loops_.begin() && offset <= std::prev(after)->second;
}

// "        /*0a10*/    IADD3 R1, R2, 0x1, RZ ;"
void Listing::take(std::string_view line, const toolchain::LineRow& row) {
  const std::size_t begin = line.find("/*"), end = line.find("*/");
  if (begin == line.npos || end == line.npos || end < begin) return;
  const std::string_view digits = line.substr(begin + 2, end - begin - 2);
  std::uint32_t offset = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset, 16);
  if (error != std::errc() || stop != digits.data() + digits.size()) return;
  std::string_view text = line.substr(end + 2);
  text = text.substr(0, text.find(';'));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  rows_[offset] = {&map_.chains[row.chain], std::string(text)};
  for (std::string& label : open_labels_) labels_.emplace(std::move(label), offset);
  open_labels_.clear();
}

const cuda::LineOrigin* Listing::origin_of(const Row& row, const cuda::CudaSource& cuda) const {
  const cuda::LineOrigin* before = nullptr;
  for (const toolchain::LineFrame& frame : *row.chain) {
    if (!map_.is_source(frame.file)) continue;
    const auto it = std::ranges::lower_bound(cuda.lines, frame.line, {}, &cuda::LineOrigin::line);
    if (it != cuda.lines.end() && it->line == frame.line) return &*it;
    if (it != cuda.lines.begin()) before = &*std::prev(it);
  }
  return before;
}

}  // namespace tilewright::work
