// copy_async/tma on random problems, held against two things that know nothing of the planner: a model of the tensor
// unit that moves bytes and refuses what driver and hardware refuse, and a search that tries every plan.
//
//   test_dispatch                          a few hundred problems
//   test_dispatch "[tma-full]"             10,000 legal ones, and what was drawn between them
//   test_dispatch "[tma-fresh]"            the same with a new seed
#include <random>

#include "tests/unit/dispatch_tma_brute.h"
#include "tests/unit/dispatch_tma_model.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Numbers = std::vector<std::int64_t>;

struct Dice {
  std::mt19937 engine;
  std::int64_t upto(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n)(engine); }
  bool one_in(std::int64_t n) { return upto(n - 1) == 0; }
  template <class T>
  T of(const std::vector<T>& v) {
    return v[static_cast<std::size_t>(upto(std::ssize(v) - 1))];
  }
};

std::int64_t total(const Numbers& v) {
  std::int64_t n = 1;
  for (std::int64_t e : v) n *= e;
  return n;
}

layout::Layout strided(const Numbers& extents, const Numbers& strides, std::int64_t offset = 0) {
  layout::TileLayout tile;
  for (std::size_t i = 0; i < extents.size(); ++i) tile.shard.push_back({extents[i], strides[i], layout::Axis::m});
  if (offset) tile.offset.emplace_back(layout::Axis::m, offset);
  return {.swizzle = std::nullopt, .tile = std::move(tile)};
}

// A digit of a dimension: its extent, and after placing the stride.
struct Part {
  std::size_t dimension;
  std::int64_t extent, stride = 0;
};

// Gives the parts strides, in a random order of memory or in their own, now and then with a gap of whole `unit`s.
void place(Dice& dice, std::vector<Part>& parts, bool permute, std::int64_t unit, std::int64_t gaps) {
  std::vector<std::size_t> order(parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (permute) std::shuffle(order.begin(), order.end() - (dice.one_in(4) ? 0 : 1), dice.engine);
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    parts[order[i]].stride = stride;
    stride *= parts[order[i]].extent;
    if (gaps && dice.one_in(gaps)) stride = (stride + unit - 1) / unit * unit + unit;
  }
}

layout::Layout layout_of(const std::vector<Part>& parts, std::int64_t offset = 0) {
  Numbers extents, strides;
  for (const Part& p : parts) extents.push_back(p.extent), strides.push_back(p.stride);
  return strided(extents, strides, offset);
}

// A problem in both of its forms.
struct Drawn {
  TmaCase c;
  std::vector<brute::Run> runs;         // without their digits in shared memory; empty: cut inside a block
  std::vector<std::size_t> dimensions;  // of the tensor, of each run
  std::int64_t base = 0;
};

struct Sizes {
  Numbers extent, shape;
  std::vector<std::pair<std::int64_t, std::int64_t>> region;
};

Sizes draw_sizes(Dice& dice, std::int64_t size, int mode) {
  const std::int64_t unit = 16 / size, span = (std::int64_t{16} << mode) / size;
  Sizes out;
  const std::size_t rank = static_cast<std::size_t>(dice.of<std::int64_t>({1, 2, 2, 3, 3, 4, 5}));
  const std::int64_t long_one = dice.one_in(5) ? dice.upto(static_cast<std::int64_t>(rank) - 1) : -1;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool last = d + 1 == rank, row = d + 2 == rank;
    std::int64_t e = last  ? dice.of<std::int64_t>({1, 2, 3, 4, 8}) * (mode ? span : unit)
                     : row ? dice.of<std::int64_t>({1, 4, 8, 16, 24, 32})
                           : dice.of<std::int64_t>({1, 1, 2, 3, 4});
    if (rank == 1) e *= dice.of<std::int64_t>({1, 16, 40});
    if (last && dice.one_in(10)) e = dice.of<std::int64_t>({1, 4, 5, 6, 12, 24});
    if (static_cast<std::int64_t>(d) == long_one) e = dice.of<std::int64_t>({257, 288, 384, 512, 768, 1024});
    if (last && mode) e = std::max<std::int64_t>(e / span, 1) * span;
    if (last && mode && dice.one_in(6)) e = std::max<std::int64_t>(span / 2, 1);
    std::int64_t more = dice.upto(2) ? dice.upto(2) * e : 0;
    if (dice.one_in(10)) more += dice.upto(3);
    if (last && dice.one_in(4)) more += unit * dice.upto(3);
    std::int64_t begin = more ? dice.of<std::int64_t>({0, more, more / 2}) : 0;
    // Sometimes the region hangs over the end of the tensor.
    if (!last && more == 0 && e > 4 && dice.one_in(10)) more = -3;
    out.extent.push_back(e);
    out.shape.push_back(e + more);
    out.region.emplace_back(begin, begin + e);
  }
  return out;
}

// The tensor: dimensions in a random order of memory, one of them perhaps in blocks, at an offset.
void draw_global(Dice& dice, const Sizes& s, std::int64_t unit, Drawn& out) {
  std::vector<Part> parts;
  const std::size_t rank = s.shape.size();
  const std::size_t blocked =
      dice.one_in(8) ? static_cast<std::size_t>(dice.upto(static_cast<std::int64_t>(rank) - 1)) : rank;
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t block = 0;
    if (d == blocked) block = dice.of<std::int64_t>({2, 4, 8, 16});
    if (block && s.shape[d] % block == 0 && s.shape[d] > block) {
      parts.push_back({d, s.shape[d] / block});
      parts.push_back({d, block});
    } else {
      parts.push_back({d, s.shape[d]});
    }
  }
  place(dice, parts, dice.one_in(4) || blocked < rank, unit, 12);
  // Elements that do not lie side by side.
  if (dice.one_in(25)) {
    for (Part& p : parts) p.stride *= 2;
  }
  const std::int64_t offset = dice.one_in(8) ? dice.of<std::int64_t>({unit, 2 * unit, 1, 64}) : 0;
  out.c.global = {.shape = s.shape, .layout = layout_of(parts, offset), .region = s.region};
  out.c.global.elem_offset = dice.one_in(8) ? dice.of<std::int64_t>({unit, 4 * unit, 3}) : 0;
  out.base = offset + out.c.global.elem_offset;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto [begin, end] = s.region[parts[i].dimension];
    const bool two = i + 1 < parts.size() && parts[i + 1].dimension == parts[i].dimension;
    const bool whole = two && parts[i].stride == parts[i + 1].stride * parts[i + 1].extent;
    out.dimensions.push_back(parts[i].dimension);
    if (two && whole) {  // the blocks continue each other
      out.runs.push_back({s.shape[parts[i].dimension], parts[i + 1].stride, begin, end - begin, {}});
      ++i;
    } else if (two) {
      const std::int64_t block = parts[i + 1].extent;
      if (begin % block != 0 || (end - begin) % block != 0) {
        out.runs.clear();
        return;
      }
      out.dimensions.push_back(parts[i].dimension);
      out.runs.push_back({parts[i].extent, parts[i].stride, begin / block, (end - begin) / block, {}});
      out.runs.push_back({block, parts[i + 1].stride, 0, block, {}});
      ++i;
    } else {
      out.runs.push_back({parts[i].extent, parts[i].stride, begin, end - begin, {}});
    }
  }
}

// Shared memory: atoms of a swizzle, rows, blocks of columns, any order of digits; the tile a part of it or a stage.
void draw_shared(Dice& dice, const Sizes& s, int mode, std::int64_t unit, Drawn& out) {
  const std::size_t rank = s.extent.size();
  Numbers tile = s.extent;
  std::vector<std::pair<std::int64_t, std::int64_t>> at;
  for (std::int64_t e : s.extent) at.emplace_back(0, e);
  if (dice.one_in(3)) {  // a stage of several
    tile.insert(tile.begin(), 2);
    at.insert(at.begin(), {1, 2});
  } else if (rank > 1 && dice.one_in(4)) {  // part of the rows
    tile[rank - 2] += 8;
    const std::int64_t begin = dice.of<std::int64_t>({0, 8, 8, 4});
    at[rank - 2] = {begin, begin + s.extent[rank - 2]};
  } else if (dice.one_in(5)) {  // part of the columns
    tile[rank - 1] *= 2;
    if (dice.one_in(2)) at[rank - 1] = {s.extent[rank - 1], 2 * s.extent[rank - 1]};
  }
  out.c.shared = {.shape = tile, .layout = {}, .region = at};
  layout::Shape dims(tile.begin(), tile.end());
  if (mode) {
    auto l = layout::mma_shared_layout(out.c.dtype, static_cast<layout::SwizzleMode>(mode), dims);
    auto atom = layout::mma_atom_layout(out.c.dtype, static_cast<layout::SwizzleMode>(mode));
    if (l) out.c.shared.layout = *l;
    // Rows as wide as the tile instead of atoms.
    if (atom && (!l || dice.one_in(5)))
      out.c.shared.layout = layout::Layout{atom->swizzle, layout::row_major(dims).tile};
    return;
  }
  if (!dice.one_in(3)) return;
  std::vector<Part> parts;
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const std::int64_t block = dice.one_in(3) ? dice.of<std::int64_t>({2, 4, 8, 16, unit}) : 1;
    if (block > 1 && tile[d] % block == 0 && tile[d] > block) {
      parts.push_back({d, tile[d] / block});
      parts.push_back({d, block});
    } else {
      parts.push_back({d, tile[d]});
    }
  }
  place(dice, parts, !dice.one_in(3), unit * 8, 8);
  out.c.shared.layout = layout_of(parts);
}

Drawn draw(Dice& dice) {
  static const std::vector<std::string_view> kTypes = {"uint8",   "float8_e4m3fn", "float16", "float16", "bfloat16",
                                                       "float32", "int32",         "float64", "int16",   "int64"};
  Drawn out;
  out.c.dtype = *ir::parse_dtype(dice.of(kTypes));
  out.c.to_shared = dice.upto(1);
  const std::int64_t size = out.c.dtype.storage_bits() / 8, unit = 16 / size;
  const int mode = dice.one_in(2) && size < 8 ? static_cast<int>(1 + dice.upto(2)) : 0;
  const Sizes s = draw_sizes(dice, size, mode);
  draw_global(dice, s, unit, out);
  draw_shared(dice, s, mode, unit, out);
  return out;
}

// Elements from the start of a buffer's storage to a coordinate, before any swizzle.
std::int64_t unswizzled(const TmaSide& side, const Numbers& at) {
  layout::Shape shape(side.shape.begin(), side.shape.end());
  layout::Layout plain = side.layout ? *side.layout : layout::row_major(shape);
  plain.swizzle.reset();
  auto where = layout::apply(plain, at, shape);
  REQUIRE(where);
  std::int64_t m = 0;
  for (auto& [axis, v] : *where) m += axis == layout::Axis::m ? v : 0;
  return m;
}

// The problem as the brute-force search takes it; nothing where the tensor is cut inside a block, or shared memory has
// no digits for a dimension.
std::optional<brute::Problem> plain_form(const Drawn& d) {
  if (d.runs.empty()) return std::nullopt;
  brute::Problem out{.runs = d.runs};
  out.bytes = d.c.dtype.storage_bits() / 8;
  out.base = d.base;
  if (d.c.shared.layout && d.c.shared.layout->swizzle) out.swizzle = d.c.shared.layout->swizzle->swizzle_len;
  Numbers start;
  for (auto [lo, hi] : d.c.shared.region) start.push_back(lo);
  out.shared_start = unswizzled(d.c.shared, start);
  const std::size_t stages = d.c.shared.shape.size() - d.c.global.shape.size();
  for (std::size_t r = 0; r < out.runs.size(); ++r) {
    std::int64_t step = 1;  // of the coordinate, for one of the run's
    for (std::size_t i = r + 1; i < out.runs.size() && d.dimensions[i] == d.dimensions[r]; ++i) {
      step *= out.runs[i].extent;
    }
    Numbers address;
    for (std::int64_t x = 0; x < out.runs[r].extent; ++x) {
      Numbers at = start;
      at[stages + d.dimensions[r]] += x * step;
      address.push_back(unswizzled(d.c.shared, at));
    }
    auto digits = brute::digits_of(address);
    if (!digits) return std::nullopt;
    out.runs[r].digits = std::move(*digits);
  }
  return out;
}

std::string describe(const TmaCase& c) {
  auto side = [](const TmaSide& s) {
    std::string text;
    for (std::size_t i = 0; i < s.region.size(); ++i) {
      text += std::to_string(s.region[i].first) + ":" + std::to_string(s.region[i].second) + " of " +
              std::to_string(s.shape[i]) + ", ";
    }
    return text + (s.layout ? layout::to_short_string(*s.layout) : "row-major") +
           (s.elem_offset ? " + " + std::to_string(s.elem_offset) : "");
  };
  return ir::dtype_name(c.dtype) + (c.to_shared ? " g2s " : " s2g ") + side(c.global) + " <-> " + side(c.shared);
}

std::int64_t fact(const dispatch::CallReport& report, std::string_view name) {
  for (const dispatch::Fact& f : report.facts) {
    if (f.name == name) return std::get<std::int64_t>(f.value);
  }
  return 0;
}

struct Tally {
  int served = 0, refused = 0, fewer = 0, beyond = 0;
  std::int64_t issues = 0;
  std::array<int, 6> ranks{};
};

void hold(const Drawn& d, int number, Tally& tally) {
  TmaResult r = run_tma(d.c);
  INFO(number << ": " << describe(d.c) << "\n" << r.plan());
  std::optional<brute::Problem> plain = plain_form(d);
  std::optional<std::int64_t> fewest;
  if (plain) fewest = brute::Everything(*plain).fewest();
  INFO("brute force: " << (fewest ? std::to_string(*fewest) + " issues" : "no plan"));
  if (!r.report.body) {
    CHECK(!r.report.trials.at(0).reason.empty());
    CHECK_FALSE(fewest);
    ++tally.refused;
    return;
  }
  REQUIRE(r.wrong == "");
  REQUIRE(plain);
  const std::int64_t issues = fact(r.report, "issues");
  // The planner may join what it has cut, which the search leaves out.
  if (fewest) CHECK(issues <= *fewest);
  tally.beyond += !fewest || issues < *fewest;
  CHECK(issues == std::ssize(r.coordinates));
  CHECK(fact(r.report, "bytes") == r.bytes);
  ++tally.served;
  tally.fewer += fact(r.report, "fewer_issues") > 0;
  tally.issues += issues;
  ++tally.ranks[r.dispatched.tensor_maps.at(0).dims.size()];
}

Tally run(unsigned seed, int legal, int drawn) {
  Dice dice{std::mt19937(seed)};
  Tally tally;
  for (int i = 0; tally.served < legal && i < drawn; ++i) {
    Drawn d = draw(dice);
    if (total(d.c.shared.shape) * d.c.dtype.storage_bits() / 8 > 40'000 || total(d.c.global.shape) > 60'000) continue;
    hold(d, i, tally);
  }
  return tally;
}

void ten_thousand(unsigned seed) {
  Tally t = run(seed, 10'000, 1'000'000);
  CHECK(t.served == 10'000);
  WARN("seed " << seed << ": " << t.served << " served with " << t.issues << " instructions, " << t.fewer
               << " of them with fewer than the reference's plan, " << t.beyond
               << " with fewer than the search through all plans; ranks 1 to 5: " << t.ranks[1] << ", " << t.ranks[2]
               << ", " << t.ranks[3] << ", " << t.ranks[4] << ", " << t.ranks[5] << "; " << t.refused
               << " refused, and by the search through all plans, too");
}

}  // namespace

TEST_CASE("tma: random problems, byte by byte and against every plan there is") {
  Tally t = run(20, 400, 4000);
  CHECK(t.served == 400);
  CHECK(t.refused > 50);
  for (int rank = 1; rank <= 5; ++rank) CHECK(t.ranks[static_cast<std::size_t>(rank)] > 0);
}

TEST_CASE("tma: ten thousand legal problems", "[.][tma-full]") { ten_thousand(2026); }
TEST_CASE("tma: ten thousand legal problems of a fresh seed", "[.][tma-fresh]") {
  ten_thousand(std::random_device{}());
}
