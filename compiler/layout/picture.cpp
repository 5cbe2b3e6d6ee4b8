#include "compiler/layout/picture.h"

#include <algorithm>
#include <array>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

constexpr int kBanks = 32;
constexpr int kBankBits = 32;

// Threads below one unit of `axis` inside the widest scope that pictures care for, the CTA.
std::int64_t threads_of_unit(Axis axis) {
  switch (axis_subscope(axis)) {
    case Unit::Thread: return 1;
    case Unit::Warp: return 32;
    case Unit::Warpgroup: return 128;
    default: return 0;
  }
}

// Hues as far apart as possible for neighbours in number: steps of the golden angle.
std::string colour(std::int64_t key) {
  return "hsl(" + std::to_string(key * 137 % 360) + ",65%," + std::to_string(72 + key / 32 % 3 * 6) + "%)";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

Result<Grid> picture_grid(const Layout& l, ShapeView shape, const PictureOptions& options) {
  Grid grid;
  std::vector<std::int64_t> extents;
  for (Dim d : shape) {
    if (!d.is_constant() || d.value() < 0) return detail::fail("a picture needs a shape of numbers", l, shape);
    extents.push_back(d.value());
  }
  if (auto fine = check_shape(l, shape); !fine) return std::unexpected(fine.error());
  for (std::size_t d = 0; d + 1 < extents.size(); ++d) grid.rows *= extents[d];
  if (!extents.empty()) grid.columns = extents.back();
  grid.shown_rows = std::min(grid.rows, std::max<std::int64_t>(options.rows, 1));
  grid.shown_columns = std::min(grid.columns, std::max<std::int64_t>(options.columns, 1));
  if (grid.rows == 0 || grid.columns == 0) grid.shown_rows = grid.shown_columns = 0;
  const bool spread = has_thread_axis(l);
  if (options.by == PictureOptions::By::Thread && !spread)
    return detail::fail("no thread owns an element: the layout has no thread axis", l, shape);
  grid.threads = spread && options.by != PictureOptions::By::Bank;
  grid.cells.reserve(grid.shown_rows * grid.shown_columns);
  std::vector<std::int64_t> coordinate(extents.size());
  for (std::int64_t r = 0; r < grid.shown_rows; ++r) {
    for (std::int64_t c = 0; c < grid.shown_columns; ++c) {
      std::int64_t left = r;
      if (!coordinate.empty()) coordinate.back() = c;
      for (std::size_t d = extents.size(); d-- > 1;) {
        coordinate[d - 1] = left % extents[d - 1];
        left /= extents[d - 1];
      }
      Result<IntCoordinates> at = apply(l, coordinate, shape);
      if (!at) return std::unexpected(at.error());
      Cell cell;
      if (spread) cell.thread = 0;
      for (const auto& [axis, value] : *at) {
        std::int64_t unit = is_thread_axis(axis) ? threads_of_unit(axis) : 0;
        if (unit) {
          cell.thread = std::max<std::int64_t>(cell.thread, 0) + value * unit;
        } else if (axis == Axis::m) {
          cell.address = value;
        } else if (axis == Axis::TLane) {
          cell.tmem_lane = value;
        } else if (axis == Axis::TCol) {
          const std::int64_t sharing = options.shared_columns && options.dtype_bits < 32 ? 32 / options.dtype_bits : 1;
          cell.tmem_column = value / sharing;
          if (sharing > 1) cell.tmem_part = value % sharing;
        } else {
          cell.other += (cell.other.empty() ? "" : " ") + std::string(axis_name(axis)) + std::to_string(value);
        }
      }
      if (options.by == PictureOptions::By::Bank && cell.address < 0)
        return detail::fail("banks are those of shared memory: the layout maps to no address", l, shape);
      grid.cells.push_back(std::move(cell));
    }
  }
  return grid;
}

std::string label(const Cell& cell) {
  std::string text;
  if (cell.thread >= 0) {
    text = "T" + std::to_string(cell.thread);
    if (cell.address >= 0) text += ":r" + std::to_string(cell.address);
  } else if (cell.address >= 0) {
    text = std::to_string(cell.address);
  }
  if (cell.tmem_lane >= 0) text += (text.empty() ? "L" : " L") + std::to_string(cell.tmem_lane);
  if (cell.tmem_column >= 0) text += (text.empty() ? "C" : ":C") + std::to_string(cell.tmem_column);
  if (cell.tmem_part >= 0) text += "." + std::to_string(cell.tmem_part);
  if (!cell.other.empty()) text += (text.empty() ? "" : " ") + cell.other;
  return text.empty() ? "-" : text;
}

std::string left_out(const Grid& grid) {
  if (grid.shown_rows == grid.rows && grid.shown_columns == grid.columns) return {};
  return "showing " + std::to_string(grid.shown_rows) + " of " + std::to_string(grid.rows) + " rows, " +
         std::to_string(grid.shown_columns) + " of " + std::to_string(grid.columns) + " columns";
}

std::int64_t bank_of(std::int64_t address, int dtype_bits) { return address * dtype_bits / kBankBits % kBanks; }

Result<std::vector<std::int64_t>> holders(const Layout& l, std::size_t most) {
  std::vector<std::int64_t> out{0};
  if (!l.tile) return out;
  for (const Iter& iter : l.tile->replica) {
    const std::int64_t unit = is_thread_axis(iter.axis) ? threads_of_unit(iter.axis) : 0;
    if (!unit) continue;
    if (!iter.extent.is_constant() || !iter.stride.is_constant()) return detail::fail("symbolic replica", l);
    const std::size_t before = out.size();
    for (std::int64_t i = 1; i < iter.extent.value() && out.size() < most; ++i) {
      for (std::size_t k = 0; k < before && out.size() < most; ++k)
        out.push_back(out[k] + i * iter.stride.value() * unit);
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<std::string> text_table(const Layout& l, ShapeView shape, const PictureOptions& options) {
  Result<Grid> grid = picture_grid(l, shape, options);
  if (!grid) return std::unexpected(grid.error());
  std::vector<std::string> labels;
  labels.reserve(grid->cells.size());
  std::size_t width = std::to_string(grid->shown_columns).size();
  for (const Cell& cell : grid->cells) {
    labels.push_back(label(cell));
    if (options.by == PictureOptions::By::Bank)
      labels.back() += ":b" + std::to_string(bank_of(cell.address, options.dtype_bits));
    width = std::max(width, labels.back().size());
  }
  const std::size_t margin = std::to_string(grid->shown_rows).size();
  auto padded = [](const std::string& text, std::size_t to) {
    return std::string(to > text.size() ? to - text.size() : 0, ' ') + text;
  };
  std::string out(margin, ' ');
  for (std::int64_t c = 0; c < grid->shown_columns; ++c) out += "  " + padded(std::to_string(c), width);
  out += '\n';
  for (std::int64_t r = 0; r < grid->shown_rows; ++r) {
    out += padded(std::to_string(r), margin);
    for (std::int64_t c = 0; c < grid->shown_columns; ++c)
      out += "  " + padded(labels[r * grid->shown_columns + c], width);
    out += '\n';
  }
  if (std::string note = left_out(*grid); !note.empty()) out += note + "\n";
  return out;
}

Result<std::string> svg_picture(const Layout& l, ShapeView shape, const PictureOptions& options) {
  Result<Grid> grid = picture_grid(l, shape, options);
  if (!grid) return std::unexpected(grid.error());
  std::size_t longest = 3;
  for (const Cell& cell : grid->cells) longest = std::max(longest, label(cell).size());
  const std::int64_t wide = static_cast<std::int64_t>(longest) * 7 + 8, high = 20, margin = 36, top = 44;
  auto text_at = [](std::int64_t x, std::int64_t y, std::string_view anchor, std::string_view text) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" +
           std::string(anchor) + "\">" + escaped(text) + "</text>\n";
  };
  const bool tensor_memory =
      !grid->threads && std::ranges::any_of(grid->cells, [](const Cell& cell) { return cell.tmem_column >= 0; });
  std::string title = to_short_string(l) + "  shape " + detail::shape_text(shape) +
                      (grid->threads   ? "  coloured by thread"
                       : tensor_memory ? "  lane:column of tensor memory, coloured by column"
                                       : "  coloured by bank");
  // A title that does not fit would be cut.
  const std::int64_t width =
      std::max(margin + wide * grid->shown_columns + 8, static_cast<std::int64_t>(title.size()) * 7 + 16);
  const std::int64_t height = top + high * grid->shown_rows + 24;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
                    std::to_string(height) + "\" font-family=\"monospace\" font-size=\"11\">\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  out += text_at(8, 16, "start", title);
  for (std::int64_t c = 0; c < grid->shown_columns; ++c)
    out += text_at(margin + c * wide + wide / 2, top - 6, "middle", std::to_string(c));
  for (std::int64_t r = 0; r < grid->shown_rows; ++r) {
    const std::int64_t y = top + r * high;
    out += text_at(margin - 6, y + 14, "end", std::to_string(r));
    for (std::int64_t c = 0; c < grid->shown_columns; ++c) {
      const Cell& cell = grid->at(r, c);
      std::string fill = "#eeeeee", hint = label(cell);
      if (grid->threads) {
        fill = colour(cell.thread);
      } else if (cell.address >= 0) {
        std::int64_t bank = bank_of(cell.address, options.dtype_bits);
        fill = colour(bank);
        hint += " bank " + std::to_string(bank);
      } else if (cell.tmem_column >= 0) {
        fill = colour(cell.tmem_column);
      }
      out += "<g><title>(" + std::to_string(r) + ", " + std::to_string(c) + ") " + escaped(hint) +
             "</title><rect x=\"" + std::to_string(margin + c * wide) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(wide) + "\" height=\"" + std::to_string(high) + "\" fill=\"" + fill +
             "\" stroke=\"white\"/>" + text_at(margin + c * wide + wide / 2, y + 14, "middle", label(cell)) + "</g>\n";
    }
  }
  if (std::string note = left_out(*grid); !note.empty()) out += text_at(8, height - 8, "start", note);
  out += "</svg>\n";
  return out;
}

Result<BankReport> bank_conflicts(const Layout& l, ShapeView shape, const Access& access) {
  constexpr int kWarp = 32;
  const int bits = access.access_bits;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
    return detail::fail("an access moves 8, 16, 32, 64 or 128 bits, not " + std::to_string(bits), l);
  if (access.dtype_bits <= 0 || access.dtype_bits > 128)
    return detail::fail("elements of " + std::to_string(access.dtype_bits) + " bits", l);
  if (access.coordinates.size() > kWarp) return detail::fail("an access of more than 32 lanes", l);

  // The bit address of every lane, checked to be what one instruction can do.
  std::vector<std::int64_t> address;
  for (std::size_t lane = 0; lane < access.coordinates.size(); ++lane) {
    Result<IntCoordinates> at = apply(l, access.coordinates[lane], shape);
    if (!at) return std::unexpected(at.error());
    std::int64_t m = 0;
    for (const auto& [axis, value] : *at) {
      if (axis != Axis::m)
        return detail::fail(
            "bank conflicts are those of one memory: the layout maps to " + std::string(axis_name(axis)), l, shape);
      m = value;
    }
    std::int64_t bit = m * access.dtype_bits;
    if (bit < 0 || bit % bits != 0)
      return detail::fail("lane " + std::to_string(lane) + " starts at element " + std::to_string(m) +
                              ", which is not aligned to " + std::to_string(bits) + " bits",
                          l, shape);
    address.push_back(bit);
  }

  return bank_conflicts(address, bits);
}

namespace {

// Has each lane the address of the lane `apart` from it, where both are active?
bool shared_by_neighbours(std::span<const std::int64_t> address, std::size_t apart) {
  for (std::size_t i = 0; i < address.size(); ++i) {
    const std::size_t other = i ^ apart;
    if (other < address.size() && address[i] >= 0 && address[other] >= 0 && address[i] != address[other]) return false;
  }
  return true;
}

}  // namespace

BankReport bank_conflicts(std::span<const std::int64_t> address, int access_bits) {
  BankReport report;
  const int narrow = access_bits == 128 ? 8 : access_bits == 64 ? 16 : 32;
  int lanes = 0;  // of the phase
  for (int first = 0; first < static_cast<int>(address.size()); first += lanes) {
    lanes = narrow;
    if (narrow < 32 && first % (2 * narrow) == 0) {
      const auto both = address.subspan(static_cast<std::size_t>(first),
                                        std::min<std::size_t>(2 * static_cast<std::size_t>(narrow),
                                                              address.size() - static_cast<std::size_t>(first)));
      if (shared_by_neighbours(both, 1) || shared_by_neighbours(both, 2)) lanes = 2 * narrow;
    }
    BankReport::Phase phase;
    phase.first_lane = first;
    phase.lanes = std::min<int>(lanes, static_cast<int>(address.size()) - first);
    std::vector<std::int64_t> words;  // of the whole phase; equal ones are one broadcast
    for (std::int64_t bit : address.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(phase.lanes))) {
      if (bit < 0) continue;
      for (std::int64_t word = bit / kBankBits; word * kBankBits < bit + access_bits; ++word) words.push_back(word);
    }
    if (words.empty()) continue;
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    phase.words.assign(kBanks, 0);
    for (std::int64_t word : words) ++phase.words[static_cast<std::size_t>(word % kBanks)];
    auto worst = std::ranges::max_element(phase.words);
    phase.degree = *worst;
    phase.bank = static_cast<int>(worst - phase.words.begin());
    report.degree = std::max(report.degree, phase.degree);
    report.wavefronts += phase.degree;
    report.ideal += 1;
    report.phases.push_back(std::move(phase));
  }
  return report;
}

}  // namespace tilewright::layout
