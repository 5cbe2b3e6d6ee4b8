#include "compiler/dispatch/blocks/shared_operand.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/descriptor_words.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using layout::Axis;
using layout::Dim;

constexpr std::int64_t kRows = 8;            // of an atom
constexpr std::int64_t kLargest = 1 << 19;   // elements: a descriptor's addresses end at 256 KB
constexpr std::int64_t kMostUnits = 0x3fff;  // 14 bits for ldo and sdo
// The region's elements along one dimension of the buffer.
struct Line {
  Dim start;                        // elements
  std::vector<std::int64_t> steps;  // from there to index i
  // From index 0 of the dimension to index 8, which may be behind its end: the last iter goes on there.
  std::int64_t eight = 0;
};

// Behind its end the run begins again, or its first iter goes on.
std::int64_t at(std::span<const layout::Iter> run, std::int64_t index, bool goes_on = false) {
  std::int64_t sum = 0;
  for (std::size_t i = run.size(); i-- > 0;) {
    const std::int64_t extent = run[i].extent.value();
    sum += (goes_on && i == 0 ? index : index % extent) * run[i].stride.value();
    index /= extent;
  }
  return sum;
}

// A run of iters walked from a start known only at run time: where the region is one strided block (layout.md 5.8).
std::expected<Line, Reason> symbolic_line(const ir::Buffer& buffer, std::size_t d, layout::Iters run,
                                          const ir::Range& range, std::int64_t count) {
  layout::TileLayout tile{std::move(run), {}, {}};
  const Dim shape[] = {Dim(buffer.shape[d])};
  const layout::Range region[] = {{Dim(range.min), Dim(range.min) + Dim(count)}};
  auto sliced = layout::slice({std::nullopt, std::move(tile)}, shape, region, layout::Fusion::Cuda);
  if (!sliced || !*sliced || !(*sliced)->tile) {
    return refuse(cat("the start ", ir::to_string(range.min), " of dimension ", d, " of ", ir::spoken_name(buffer),
                      " is known only at run time, and from there ", count,
                      " elements may run over a seam of the layout"));
  }
  Line out{layout::offset_on((*sliced)->tile->offset, Axis::m), {}};
  const layout::Iters& shard = (*sliced)->tile->shard;
  for (const layout::Iter& it : shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant()) return refuse("a step that is known only at run time");
  }
  out.steps.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) out.steps.push_back(at(shard, i));
  return out;
}

std::expected<Line, Reason> line(const ir::Buffer& buffer, std::size_t d, std::span<const layout::Iter> run,
                                 const ir::Range& range) {
  const std::int64_t* count = ir::constant(range.extent);
  if (!count) return refuse(cat("an extent of ", ir::spoken_name(buffer), " is known only at run time"));
  if (*count < 1 || *count > kLargest) return refuse(cat("an extent of ", *count, " fits no shared memory"));
  for (const layout::Iter& it : run) {
    if (!it.extent.is_constant() || !it.stride.is_constant()) {
      return refuse(cat(ir::spoken_name(buffer), " has a layout known only at run time"));
    }
    if (it.axis != Axis::m) {
      return refuse(cat(ir::spoken_name(buffer), " is distributed over axis ", layout::axis_name(it.axis)));
    }
  }
  if (ir::is_constant(buffer.shape[d], 1)) return Line{0, {0}};  // whatever the index is called, it is 0
  Expr min = ir::simplify(range.min);
  const std::int64_t* begin = ir::constant(min);
  if (!begin) return symbolic_line(buffer, d, layout::Iters(run.begin(), run.end()), range, *count);
  if (*begin < 0 || *begin > kLargest) return refuse(cat("dimension ", d, " starts at ", *begin));
  Line out{at(run, *begin), {}};
  out.steps.reserve(static_cast<std::size_t>(*count));
  for (std::int64_t i = 0; i < *count; ++i) out.steps.push_back(at(run, *begin + i) - out.start.value());
  return out;
}

// The hardware's own swizzle of this mode and type.
std::expected<int, Reason> mode_of(const ir::Buffer& buffer, Unswizzled unswizzled) {
  const std::string_view name = ir::spoken_name(buffer);
  const std::optional<layout::Swizzle>& z = buffer.layout->swizzle;
  if (!z || z->swizzle_len == 0) {
    if (unswizzled == Unswizzled::Described) return 0;
    return refuse(cat(name,
                      " has no swizzle; a descriptor reads rows of 32, 64 or 128 bytes under theirs: allocate it "
                      "with alloc_mma or mma_shared_layout"));
  }
  if (z->swizzle_len > 3) return refuse(cat("swizzle ", z->swizzle_len, " of ", name, " is none of 1, 2, 3"));
  auto atom = layout::mma_atom_layout(buffer.dtype, static_cast<layout::SwizzleMode>(z->swizzle_len));
  if (!atom) return refuse(std::move(atom.error().message));
  if (atom->swizzle != z) {
    return refuse(cat("the swizzle of ", name, " is ", layout::to_short_string({z, std::nullopt}),
                      "; the hardware's for ", ir::dtype_name(buffer.dtype), " is ", layout::to_short_string(*atom)));
  }
  return z->swizzle_len;
}

// Eight rows lie one behind the other, and groups of eight at one distance: that distance; a single group has none.
// `part`: fewer than eight rows are a group.
std::expected<std::optional<std::int64_t>, Reason> eight_row_groups(std::span<const std::int64_t> steps,
                                                                    std::int64_t row, std::string_view what,
                                                                    bool part) {
  const auto n = static_cast<std::int64_t>(steps.size());
  if (n % kRows != 0 && (n > kRows || !part))
    return refuse(cat(what, " has ", n, " elements, not a multiple of the 8 rows of an atom"));
  const std::int64_t distance = n > kRows ? steps[kRows] : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t wanted = i / kRows * distance + i % kRows * row;
    if (steps[static_cast<std::size_t>(i)] == wanted) continue;
    return refuse(i < kRows ? cat("element ", i, " of ", what, " lies ", steps[static_cast<std::size_t>(i)],
                                  " elements from the first; eight rows of an atom are ", row, " apart")
                            : cat("groups of eight along ", what, " are not at one distance: element ", i, " lies ",
                                  steps[static_cast<std::size_t>(i)], " elements from the first, not ", wanted));
  }
  if (n > kRows && (distance <= 0 || distance % (kRows * row) != 0)) {
    return refuse(cat("groups of eight along ", what, " are ", distance, " elements apart, not a multiple of the ",
                      kRows * row, " of an atom"));
  }
  return n > kRows ? std::optional(distance) : std::nullopt;
}

// The contiguous dimension: rows of `row` elements, one atom each, at one distance.
std::expected<std::optional<std::int64_t>, Reason> contiguous_rows(std::span<const std::int64_t> steps,
                                                                   std::int64_t row, std::int64_t phase,
                                                                   std::string_view what) {
  const auto n = static_cast<std::int64_t>(steps.size());
  const std::int64_t from = phase < 0 ? 0 : phase;
  // From here on the region is in the next atom.
  const std::int64_t seam = row - from;
  const bool crosses = n > seam;
  const std::int64_t distance = crosses ? steps[static_cast<std::size_t>(seam)] + from : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t wanted = (from + i) / row * distance + (from + i) % row - from;
    if (steps[static_cast<std::size_t>(i)] == wanted) continue;
    return refuse(cat(what, " is not made of contiguous rows of ", row, " elements at one distance: element ", i,
                      " lies ", steps[static_cast<std::size_t>(i)], " elements from the first, not ", wanted));
  }
  if (crosses && (distance <= 0 || distance % (kRows * row) != 0)) {
    return refuse(
        cat("atoms along ", what, " are ", distance, " elements apart, not a multiple of their own ", kRows * row));
  }
  return crosses ? std::optional(distance) : std::nullopt;
}

// Where in the row of its atom a region starts; it is the first of the eight rows. -1: known only at run time, and then
// all `contiguous` elements provably stay in that row.
std::expected<std::int64_t, Reason> phase_of(const SharedOperand& o, std::int64_t contiguous) {
  const std::string_view name = ir::spoken_name(*o.buffer);
  const std::int64_t atom = kRows * o.row;
  if (o.start.is_constant()) {
    const std::int64_t place = o.start.value() % atom;
    if (place >= o.row) {
      return refuse(cat("the region of ", name, " starts in row ", place / o.row,
                        " of the eight of an atom; the swizzle's pattern starts at row 0"));
    }
    if (place % o.unit != 0) {
      return refuse(cat("the region of ", name, " starts at element ", place, " of an atom's row, not a multiple of ",
                        o.unit, " (16 bytes)"));
    }
    return place;
  }
  if (layout::provably_divisible(o.start, atom)) return 0;
  Expr place = ir::simplify(layout::floormod(o.start, atom).expr());
  if (const std::int64_t* known = ir::constant(place); known && *known < o.row && *known % o.unit == 0) return *known;
  if (!ir::provably_less(place, Expr(o.row - contiguous + 1))) {
    return refuse(cat("the region of ", name, " starts at ", layout::to_string(o.start),
                      " elements: not provably in the first of the eight rows of an atom with all of its ", contiguous,
                      " contiguous elements in that row"));
  }
  if (!ir::provably_divisible(place, o.unit)) {
    return refuse(cat("the region of ", name, " starts at ", layout::to_string(o.start),
                      " elements, not provably a multiple of ", o.unit, " (16 bytes)"));
  }
  return -1;
}

// What the encoders get where a distance does not matter: the reference's own values, so that descriptors compare equal
// (gemm.md 3.4 rule 4; layout.md 5.5 gives a single piece the distance of its neighbour).
struct Distances {
  std::optional<std::int64_t> contiguous, grouped;
  std::int64_t contiguous_count = 1, grouped_count = 1;  // atoms
};
std::pair<std::int64_t, std::int64_t> filled(const Distances& d, std::int64_t atom, bool contiguous_last) {
  if (d.contiguous && d.grouped) return {*d.contiguous, *d.grouped};
  if (!d.contiguous && !d.grouped) return {atom, atom};
  // Behind its neighbour it repeats that one's distance, in front of it it spans all of it.
  if (d.grouped) return {*d.grouped * (contiguous_last ? 1 : d.grouped_count), *d.grouped};
  return {*d.contiguous, *d.contiguous * (contiguous_last ? d.contiguous_count : 1)};
}

Reason misplaced(const ir::Buffer& buffer, std::int64_t atom) {
  if (!buffer.elem_offset || ir::provably_divisible(buffer.elem_offset, atom)) return {};
  return cat(ir::spoken_name(buffer), " starts at element ", ir::to_string(buffer.elem_offset),
             " of its storage, where no atom of ", atom, " elements starts: allocate it with that alignment");
}

// The two lines of the region that are longer than one element, rows first; where it starts goes into `start`.
std::expected<std::vector<Line>, Reason> lines_of(const ir::Region& region, Dim& start) {
  const ir::Buffer& buffer = *region.buffer;
  const std::string_view name = ir::spoken_name(buffer);
  std::int64_t elements = 1;
  for (Expr extent : buffer.shape) {
    const std::int64_t* n = ir::constant(extent);
    if (!n || *n < 1 || *n > kLargest || __builtin_mul_overflow(elements, *n, &elements)) {
      return refuse(cat(name, " has an extent that no shared memory has: ", ir::to_string(extent)));
    }
  }
  layout::TileLayout tile =
      buffer.layout->tile ? *buffer.layout->tile : layout::TileLayout{{{elements, 1, Axis::m}}, {}, {}};
  if (!tile.replica.empty()) return refuse(cat(name, " has a replicated layout"));
  for (const auto& [axis, value] : tile.offset) {
    if (axis != Axis::m) return refuse(cat(name, " has an offset on axis ", layout::axis_name(axis)));
  }
  start = layout::offset_on(tile.offset, Axis::m);
  auto grouped = layout::group(tile, ir::shape_of(buffer));
  if (!grouped) return refuse(std::move(grouped.error().message));
  std::vector<Line> wide;
  for (std::size_t d = 0; d < region.ranges.size(); ++d) {
    const auto first = grouped->separators[d], last = grouped->separators[d + 1];
    const auto run = std::span(grouped->layout.shard).subspan(first, last - first);
    auto one = line(buffer, d, run, region.ranges[d]);
    if (!one) return std::unexpected(std::move(one.error()));
    start = start + one->start;
    if (one->steps.size() < 2) continue;
    one->eight = at(run, kRows, true);
    wide.push_back(std::move(*one));
  }
  if (wide.size() != 2) {
    return refuse(cat("a matrix has two extents larger than 1, ", ir::to_string(region), " has ", wide.size()));
  }
  return wide;
}

}  // namespace

std::expected<SharedOperand, Reason> shared_operand(const ir::Region& region, bool transposed, Unswizzled unswizzled) {
  const ir::Buffer& buffer = *region.buffer;
  const std::string_view name = ir::spoken_name(buffer);
  if (!ir::is_shared(buffer.scope)) return refuse(cat(name, " is not in shared memory"));
  if (!buffer.layout) return refuse(cat(name, " has no layout"));
  auto mode = mode_of(buffer, unswizzled);
  if (!mode) return refuse(std::move(mode.error()));
  const int bits = buffer.dtype.storage_bits() * buffer.dtype.lanes;
  SharedOperand out{.buffer = &buffer, .mode = *mode, .row = (std::int64_t{128} << *mode) / bits, .unit = 128 / bits};
  const std::int64_t atom = kRows * out.row;
  if (Reason why = misplaced(buffer, atom); !why.empty()) return refuse(std::move(why));
  auto lines = lines_of(region, out.start);
  if (!lines) return refuse(std::move(lines.error()));

  std::vector<std::int64_t>&rows = (*lines)[0].steps, &columns = (*lines)[1].steps;
  const bool columns_contiguous = columns[1] == 1;
  if (!columns_contiguous && rows[1] != 1) {
    return refuse(cat("neither dimension of ", name, " is contiguous: neighbours are ", rows[1], " and ", columns[1],
                      " elements apart"));
  }
  out.mn_major = columns_contiguous == transposed;
  const auto& contiguous = columns_contiguous ? columns : rows;
  const auto& strided = columns_contiguous ? rows : columns;
  const std::string_view along = out.mn_major ? "M or N" : "K", across = out.mn_major ? "K" : "M or N";
  auto phase = phase_of(out, static_cast<std::int64_t>(contiguous.size()));
  if (!phase) return refuse(std::move(phase.error()));
  out.phase = *phase;
  const Reason hint = out.mode != 0 ? Reason()
                                    : "; without a swizzle an atom is eight rows of 16 bytes, one after the other: "
                                      "alloc_mma and mma_shared_layout make tiles with one";
  auto between = contiguous_rows(contiguous, out.row, out.phase, cat(along, " of ", name));
  if (!between) return refuse(between.error() + hint);
  auto groups = eight_row_groups(strided, out.row, cat(across, " of ", name), unswizzled == Unswizzled::Described);
  if (!groups) return refuse(groups.error() + hint);

  const auto length = static_cast<std::int64_t>(contiguous.size());
  auto rounded = [&](std::int64_t n) { return (n + out.row - 1) / out.row * out.row; };
  // The last extent counts as whole rows of an atom (3.4 rule 1), along and across them.
  const auto lines_across = static_cast<std::int64_t>(strided.size());
  Distances d{
      *between, *groups, rounded(length) / out.row,
      std::max<std::int64_t>(1, (columns_contiguous || out.mode == 0 ? lines_across : rounded(lines_across)) / kRows)};
  if (length <= out.row) d.contiguous = std::nullopt;  // a short region over a seam counts as one piece
  // A single group that counts as several has the distance that the next one would have.
  const std::int64_t eight = (*lines)[1].eight;
  if (!d.grouped && d.grouped_count > 1 && eight > 0) d.grouped = eight;
  auto [leading, stride] = filled(d, atom, columns_contiguous);
  // Without a swizzle ldo is the distance along K and sdo that along M or N, whichever of them is contiguous.
  if (out.mode == 0 && out.mn_major) std::swap(leading, stride);
  out.ldo = leading / out.unit;
  out.sdo = stride / out.unit;
  if (out.ldo > kMostUnits || out.sdo > kMostUnits) {
    return refuse(cat("distances of ", out.ldo * 16, " and ", out.sdo * 16, " bytes between the atoms of ", name,
                      " do not both fit a descriptor's 14 bits of 16 bytes"));
  }
  out.mn = static_cast<std::int64_t>((transposed ? columns : rows).size());
  out.k = static_cast<std::int64_t>((transposed ? rows : columns).size());
  out.mn_steps = std::move(transposed ? columns : rows);
  out.k_steps = std::move(transposed ? rows : columns);
  return out;
}

Reason SharedOperand::unreadable(std::int64_t mn0, std::int64_t mn_count, std::int64_t k0, std::int64_t k_count) const {
  const std::int64_t across = mn_major ? k0 : mn0, along = mn_major ? mn0 : k0;
  const std::int64_t count = mn_major ? mn_count : k_count;
  const std::string_view name = ir::spoken_name(*buffer);
  if (across % kRows != 0) {
    return cat("an instruction starts at ", mn_major ? "K " : "row ", across, " of ", name,
               ", not at the first of the eight rows of an atom");
  }
  if (phase < 0) return {};  // all of it is in one row, which phase_of has proven
  const std::int64_t place = (phase + along) % row;
  if (place % unit != 0) {
    return cat("an instruction starts at element ", place, " of a row of ", name, ", not a multiple of ", unit);
  }
  // Along M or N the unit walks on into the next atom, but only from an atom's start; along K it does so without a
  // swizzle.
  if (place + count <= row || (place == 0 && (mn_major || mode == 0))) return {};
  return cat("an instruction reads ", count, " elements along ", mn_major ? "M or N" : "K", " of ", name,
             " from element ", place, " of an atom's row of ", row, ": it would cross the end of that row",
             mn_major ? "; it must start where an atom starts" : "");
}

Expr SharedOperand::offset(std::int64_t mn0, std::int64_t k0) const {
  const std::int64_t steps = mn_steps[static_cast<std::size_t>(mn0)] + k_steps[static_cast<std::size_t>(k0)];
  return ir::simplify((start + Dim(steps)).expr() / Expr(unit));
}

std::string descriptor_words(const SharedOperand& operand, std::string_view name, bool wgmma) {
  const auto unit = wgmma ? intrinsics::MatrixUnit::Wgmma : intrinsics::MatrixUnit::Tcgen05;
  const std::uint64_t bits = intrinsics::matrix_descriptor_bits(operand.ldo, operand.sdo, operand.mode, unit);
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(bits));
  return cat("descriptor of ", name, " ", text,
             " + address: ", intrinsics::words(intrinsics::matrix_fields(bits, unit)),
             operand.mn_major ? " · MN-major"
             : operand.mode   ? " · K-major, which leaves ldo unused"
                              : " · K-major");
}

}  // namespace tilewright::dispatch
