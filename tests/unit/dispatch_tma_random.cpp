// copy_async/tma on random problems: whatever plan is made moves every byte to its place, on a model of the hardware
// that refuses what the driver and the unit refuse.
#include <random>

#include "tests/unit/dispatch_tma_model.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

struct Dice {
  std::mt19937 engine;
  std::int64_t upto(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n)(engine); }
  template <class T>
  T of(const std::vector<T>& v) {
    return v[static_cast<std::size_t>(upto(std::ssize(v) - 1))];
  }
};

std::int64_t total(const std::vector<std::int64_t>& v) {
  std::int64_t n = 1;
  for (std::int64_t e : v) n *= e;
  return n;
}

// Row-major strides of `shape` with the dimensions in a random order of memory, and now and then a padded pitch.
layout::Layout shuffled(Dice& dice, const std::vector<std::int64_t>& shape, bool permute, std::int64_t unit) {
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (permute) std::shuffle(order.begin(), order.end() - (dice.upto(3) ? 1 : 0), dice.engine);
  layout::TileLayout tile;
  for (std::int64_t e : shape) tile.shard.push_back({e, 1, layout::Axis::m});
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    tile.shard[order[i]].stride = stride;
    stride *= shape[order[i]];
    if (dice.upto(9) == 0) stride = (stride + unit - 1) / unit * unit + unit;
  }
  return {.swizzle = std::nullopt, .tile = std::move(tile)};
}

TmaCase draw(Dice& dice) {
  static const std::vector<std::string_view> kTypes = {"uint8", "float16", "bfloat16", "float32", "float64", "int16"};
  TmaCase c;
  c.dtype = *ir::parse_dtype(dice.of(kTypes));
  c.to_shared = dice.upto(1);
  const std::int64_t size = c.dtype.storage_bits() / 8, unit = 16 / size;
  const std::size_t rank = static_cast<std::size_t>(1 + dice.upto(4));
  const int mode = rank > 1 && size < 8 ? static_cast<int>(dice.upto(3)) : 0;
  std::vector<std::int64_t> extent, shape;
  std::vector<std::pair<std::int64_t, std::int64_t>> region;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool last = d + 1 == rank, row = d + 2 == rank;
    std::int64_t e = last  ? dice.of<std::int64_t>({1, 2, 3, 4, 8}) * (mode ? (8 << mode) / size * 2 : unit)
                     : row ? dice.of<std::int64_t>({8, 16, 24, 32})
                           : dice.of<std::int64_t>({1, 1, 2, 3});
    if (rank == 1) e *= dice.of<std::int64_t>({1, 16, 40});
    if (last && dice.upto(12) == 0) e = 5;
    if (last && mode) e = std::max<std::int64_t>(e / ((16 << mode) / size), 1) * ((16 << mode) / size);
    std::int64_t more = dice.upto(2) ? dice.upto(2) * e : 0;
    if (dice.upto(9) == 0) more += dice.upto(3);
    std::int64_t begin = more ? dice.of<std::int64_t>({0, more, more / 2}) : 0;
    // Sometimes the region hangs over the end of the tensor.
    if (!last && more == 0 && e > 4 && dice.upto(9) == 0) more = -3;
    extent.push_back(e);
    shape.push_back(e + more);
    region.emplace_back(begin, begin + e);
  }
  c.global = {.shape = shape, .layout = shuffled(dice, shape, dice.upto(4) == 0, unit), .region = region};
  std::vector<std::int64_t> tile = extent;
  std::vector<std::pair<std::int64_t, std::int64_t>> at;
  for (std::int64_t e : extent) at.emplace_back(0, e);
  if (dice.upto(2) == 0) {  // a stage of several
    tile.insert(tile.begin(), 2);
    at.insert(at.begin(), {1, 2});
  } else if (rank > 1 && dice.upto(3) == 0) {  // part of the rows
    std::size_t row = rank - 2;
    tile[row] += 8;
    at[row] = {8, 8 + extent[row]};
  }
  c.shared = {.shape = tile, .layout = {}, .region = at};
  if (mode) {
    layout::Shape dims(tile.begin(), tile.end());
    auto l = layout::mma_shared_layout(c.dtype, static_cast<layout::SwizzleMode>(mode), dims);
    if (l) c.shared.layout = *l;
    // Rows as wide as the tile instead of atoms.
    if (l && dice.upto(4) == 0) c.shared.layout = layout::Layout{l->swizzle, layout::row_major(dims).tile};
  } else if (dice.upto(3) == 0) {
    c.shared.layout = shuffled(dice, tile, dice.upto(1), unit * 8);
  }
  return c;
}

std::string describe(const TmaCase& c) {
  auto side = [](const TmaSide& s) {
    std::string text;
    for (std::size_t i = 0; i < s.region.size(); ++i) {
      text += std::to_string(s.region[i].first) + ":" + std::to_string(s.region[i].second) + " of " +
              std::to_string(s.shape[i]) + ", ";
    }
    return text + (s.layout ? layout::to_short_string(*s.layout) : "row-major");
  };
  return ir::dtype_name(c.dtype) + (c.to_shared ? " g2s " : " s2g ") + side(c.global) + " <-> " + side(c.shared);
}

}  // namespace

TEST_CASE("tma: random problems, byte by byte") {
  Dice dice{std::mt19937(20)};
  int served = 0, refused = 0;
  for (int i = 0; i < 1200; ++i) {
    TmaCase c = draw(dice);
    if (total(c.shared.shape) * c.dtype.storage_bits() / 8 > 24'000 || total(c.global.shape) > 30'000) continue;
    TmaResult r = run_tma(c);
    INFO(i << ": " << describe(c) << "\n" << r.plan());
    if (!r.report.body) {
      CHECK(!r.report.trials.at(0).reason.empty());
      ++refused;
      continue;
    }
    ++served;
    REQUIRE(r.wrong == "");
  }
  INFO(served << " served, " << refused << " refused");
  CHECK(served > 200);
}
