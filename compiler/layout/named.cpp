// The layouts that have names (layout.md 6 and 7): what the hardware's own data paths look like.
#include <bit>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using detail::refuse;

Result<std::int64_t> atom_bits(expr::DataType dtype, SwizzleMode mode) {
  int bits = dtype.storage_bits() * dtype.lanes;
  if (bits <= 0 || bits > 128 || 128 % bits != 0)
    return refuse("no swizzle atom for " + expr::dtype_name(dtype) + ": " + std::to_string(bits) +
                  " bits do not divide the 16-byte unit");
  if (mode > SwizzleMode::B128) return refuse("no swizzle mode " + std::to_string(static_cast<int>(mode)));
  return bits;
}

bool power_of_two_up_to(std::int64_t n, std::int64_t most) {
  return n >= 1 && n <= most && std::has_single_bit(static_cast<std::uint64_t>(n));
}

}  // namespace

// ---- shared memory ----------------------------------------------------------------------------------------------

Result<Layout> mma_atom_layout(expr::DataType dtype, SwizzleMode mode) {
  Result<std::int64_t> bits = atom_bits(dtype, mode);
  if (!bits) return std::unexpected(bits.error());
  // 16-byte units stay whole; the atom_len of 3 is the eight rows of an atom.
  return make_swizzle(std::countr_zero(static_cast<std::uint64_t>(128 / *bits)), static_cast<int>(mode), 3);
}

Result<Shape> mma_atom_shape(expr::DataType dtype, SwizzleMode mode, std::optional<ShapeView> shape) {
  Result<std::int64_t> bits = atom_bits(dtype, mode);
  if (!bits) return std::unexpected(bits.error());
  if (mode == SwizzleMode::None) return refuse("no atom shape without a swizzle");
  Shape atom;
  if (shape && shape->size() > 2) atom.assign(shape->size() - 2, 1);
  atom.push_back(8);
  atom.push_back((std::int64_t{128} << static_cast<int>(mode)) / *bits);
  return atom;
}

// Rows of one atom are contiguous, atoms go down the rows first, then along the columns: with R x K the last two
// dimensions and C the columns of an atom, Z o S[(..., R, K/C, C):(..., C, R*C, 1)].
Result<Layout> mma_shared_layout(expr::DataType dtype, SwizzleMode mode, ShapeView shape) {
  if (mode == SwizzleMode::None) return canonicalize(row_major(shape));
  Result<Layout> atom = mma_atom_layout(dtype, mode);
  if (!atom) return atom;
  Result<Shape> atom_shape = mma_atom_shape(dtype, mode);
  if (!atom_shape) return std::unexpected(atom_shape.error());
  if (shape.size() < 2) return refuse("an MMA shared layout needs two dimensions, shape " + detail::shape_text(shape));
  const std::size_t last = shape.size() - 1;
  for (std::size_t i = 0; i < 2; ++i) {
    Dim extent = shape[last - 1 + i], unit = (*atom_shape)[i];
    if (!provably_divisible(extent, unit) || extent.is(0))
      return refuse("dimension " + std::to_string(last - 1 + i) + " of shape " + detail::shape_text(shape) +
                    " is not a multiple of " + to_string(unit) + ", the " + (i == 0 ? "rows" : "columns") +
                    " of the atom " + to_short_string(*atom) + " of " + expr::dtype_name(dtype));
  }
  Dim rows = shape[last - 1], columns = shape[last], c = (*atom_shape)[1];
  TileLayout tile;
  tile.shard.resize(shape.size() + 1);
  tile.shard[last + 1] = {c, 1, Axis::m};
  tile.shard[last] = {floordiv(columns, c), rows * c, Axis::m};
  tile.shard[last - 1] = {rows, c, Axis::m};
  Dim stride = rows * columns;
  for (std::size_t d = last - 1; d-- > 0;) {
    tile.shard[d] = {shape[d], stride, Axis::m};
    stride = stride * shape[d];
  }
  return canonicalize(Layout{atom->swizzle, std::move(tile)});
}

std::optional<SwizzleMode> swizzle_mode_of(const Layout& l) {
  if (!l.swizzle) return SwizzleMode::None;
  if (l.swizzle->swizzle_len > 3) return std::nullopt;
  return static_cast<SwizzleMode>(l.swizzle->swizzle_len);
}

// ---- registers and tensor memory --------------------------------------------------------------------------------

Layout wg_local_layout(std::int64_t columns, std::int64_t rows) {
  return detail::plain({{{rows, 1, Axis::tid_in_wg}, {columns, 1, Axis::m}}, {}, {}});
}

Result<Layout> tmem_datapath_layout(std::string_view datapath, std::int64_t rows, std::int64_t columns) {
  const bool d = datapath == "D", f = datapath == "F";
  if (!d && !f) return refuse("no tensor-memory datapath \"" + std::string(datapath) + "\": \"D\" or \"F\"");
  if (rows != (d ? 128 : 64))
    return refuse("datapath " + std::string(datapath) + " has " + (d ? "128" : "64") + " rows, not " +
                  std::to_string(rows));
  if (d) return detail::plain({{{128, 1, Axis::TLane}, {columns, 1, Axis::TCol}}, {}, {}});
  return detail::plain({{{4, 32, Axis::TLane}, {16, 1, Axis::TLane}, {columns, 1, Axis::TCol}}, {}, {}});
}

Result<Layout> tcgen05_atom_layout(std::string_view shape, std::int64_t rows, std::int64_t columns,
                                   expr::DataType dtype) {
  struct Instruction {
    std::string_view name;
    std::int64_t columns;    // 32-bit columns of one repeat
    std::int64_t repeats;    // at most
    std::int64_t registers;  // of one repeat, 64 rows
  };
  static constexpr Instruction kInstructions[] = {
      {"32x32b", 1, 128, 1}, {"16x64b", 2, 128, 1}, {"16x128b", 4, 64, 2}, {"16x256b", 8, 32, 4}};
  const auto* instruction = std::ranges::find(kInstructions, shape, &Instruction::name);
  if (instruction == std::end(kInstructions))
    return refuse("no tcgen05 shape \"" + std::string(shape) + "\": 32x32b, 16x64b, 16x128b or 16x256b");
  const bool whole_rows = instruction->name == "32x32b";
  const int bits = dtype.storage_bits() * dtype.lanes;
  const std::string subject = "tcgen05 " + std::string(shape) + " fragment of (" + std::to_string(rows) + ", " +
                              std::to_string(columns) + ") " + expr::dtype_name(dtype);
  if (bits != 16 && bits != 32) return refuse(subject + ": 16 or 32 bits an element are needed");
  if (whole_rows ? rows != 128 : rows != 64 && rows != 128)
    return refuse(subject + ": " + (whole_rows ? "128 rows are needed" : "64 or 128 rows are needed"));
  const std::int64_t per_register = 32 / bits, unit = instruction->columns * per_register;
  const std::int64_t n = columns / unit;
  if (columns <= 0 || columns % unit != 0)
    return refuse(subject + ": the columns are not a multiple of " + std::to_string(unit));
  if (!power_of_two_up_to(n, instruction->repeats))
    return refuse(subject + ": " + std::to_string(n) + " repeats; powers of two up to " +
                  std::to_string(instruction->repeats) + " exist");
  if (whole_rows) return wg_local_layout(columns);

  Iters shard = {{4, 1, Axis::wid_in_wg}};
  if (rows == 128) shard.push_back({2, instruction->registers * n, Axis::m});  // the slab of 16 rows
  const Iter lane_rows{8, 4, Axis::laneid};
  if (instruction->name == "16x64b") {
    detail::append(shard, Iters{{2, 1, Axis::laneid}, lane_rows, {n, 1, Axis::m}, {2, 2, Axis::laneid}});
  } else if (instruction->name == "16x128b") {
    detail::append(shard, Iters{{2, 1, Axis::m}, lane_rows, {n, 2, Axis::m}, {4, 1, Axis::laneid}});
  } else {
    detail::append(shard, Iters{{2, 2, Axis::m}, lane_rows, {n, 4, Axis::m}, {4, 1, Axis::laneid}, {2, 1, Axis::m}});
  }
  if (per_register == 2) {
    for (Iter& i : shard) {
      if (i.axis == Axis::m) i.stride = i.stride * 2;
    }
    shard.push_back({2, 1, Axis::m});
  }
  return detail::plain({std::move(shard), {}, {}});
}

// Scale factors: 8 bits each, four to a 32-bit cell of tensor memory, every 32 rows stored once and seen by all four
// quarters of the lanes (the replica).
Result<Layout> sf_tmem_layout(std::int64_t rows, std::int64_t sf_k, std::int64_t sf_per_mma, std::int64_t sf_reuse,
                              std::optional<std::int64_t> pipe_depth) {
  const std::int64_t p = sf_per_mma;
  if (p != 1 && p != 2 && p != 4)
    return refuse("scale factors of one MMA: 1, 2 or 4 along K, not " + std::to_string(p));
  if (rows <= 0 || rows % 32 != 0)
    return refuse("scale factors: rows " + std::to_string(rows) + " are no multiple of 32");
  if (sf_k <= 0 || sf_k % p != 0)
    return refuse("scale factors: " + std::to_string(sf_k) + " along K are no multiple of " + std::to_string(p));
  if (sf_reuse < 1 || (pipe_depth && *pipe_depth < 1)) return refuse("scale factors: reuse and depth are positive");
  const std::int64_t m = rows / 32, k = sf_k / p;
  constexpr Axis kCol = Axis::TCol;
  Layout atom = detail::plain({{{32, 1, Axis::TLane}, {p, 1, kCol}}, {{4, 32, Axis::TLane}}, {}});
  std::int64_t g = 4 / p;
  while (k % g != 0) g /= 2;
  Iters outer = {{m, 4, kCol}};
  if (k > 1) {
    if (k != g) outer.push_back({k / g, 4 * m, kCol});
    if (g > 1) outer.push_back({g, p, kCol});
  }
  const Dim left[] = {m, k}, right[] = {32, p};
  Result<Layout> sum = direct_sum(atom, detail::plain({std::move(outer), {}, {}}), left, right);
  if (!sum) return sum;
  Iters& shard = sum->tile->shard;
  if (sf_reuse > 1) shard.push_back({sf_reuse, 0, kCol});  // N21: always columns
  // A stage follows the columns of the one before it: 4*M for every group of g. The reference steps by 4*M alone, which
  // is the same where the K factors fit one group and lets stages overlap where they do not.
  if (pipe_depth) shard.insert(shard.begin(), {*pipe_depth, 4 * m * (k / g), kCol});
  return sum;
}

Result<Layout> sf_smem_layout(std::int64_t rows, std::int64_t sf_k, std::int64_t sf_per_mma, std::int64_t sf_reuse,
                              std::optional<std::int64_t> pipe_depth) {
  if (sf_per_mma < 1 || 4 % sf_per_mma != 0)
    return refuse("scale factors of one MMA: 1, 2 or 4 along K, not " + std::to_string(sf_per_mma));
  if (rows <= 0 || rows % 128 != 0)
    return refuse("scale factors: rows " + std::to_string(rows) + " are no multiple of 128");
  if (sf_k <= 0 || sf_k % 4 != 0)
    return refuse("scale factors: " + std::to_string(sf_k) + " along K are no multiple of 4");
  if (sf_reuse < 1 || (pipe_depth && *pipe_depth < 1)) return refuse("scale factors: reuse and depth are positive");
  constexpr std::int64_t kBlock = 512;  // bytes: 32 lanes of 16, 128 rows of 4 factors
  const std::int64_t blocks = sf_k / 4;
  Iters shard = {{rows / 128, kBlock * blocks, Axis::m},
                 {4, 4, Axis::m},
                 {32, 16, Axis::m},
                 {blocks, kBlock, Axis::m},
                 {4, 1, Axis::m}};
  if (sf_reuse > 1) shard.push_back({sf_reuse, 0, Axis::m});
  if (pipe_depth) shard.insert(shard.begin(), {*pipe_depth, kBlock * blocks * (rows / 128), Axis::m});
  return detail::plain({std::move(shard), {}, {}});
}

// ---- Trainium ---------------------------------------------------------------------------------------------------

Result<Layout> trainium(std::string_view annotation, ShapeView shape, bool is_psum) {
  constexpr std::int64_t kPartitions = 128;
  const std::string subject = "annotation \"" + std::string(annotation) + "\" of shape " + detail::shape_text(shape);
  if (annotation.size() != shape.size()) return refuse(subject + ": one letter a dimension");
  if (annotation.find_first_not_of("PF") != std::string_view::npos) return refuse(subject + ": letters are P and F");
  Dim partitions = 1;
  std::size_t count = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (annotation[d] != 'P') continue;
    partitions = partitions * shape[d];
    ++count;
  }
  const bool split = count == 1 && !provably_less_equal(partitions, kPartitions);
  if (split && !provably_divisible(partitions, kPartitions))
    return refuse(subject + ": more than 128 partitions must be a multiple of 128");
  if (count > 1 && !provably_less_equal(partitions, kPartitions))
    return refuse(subject + ": several P dimensions have at most 128 partitions together");
  Iters shard;  // built back to front
  Dim free_stride = 1, partition_stride = 1;
  std::size_t high = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (annotation[d] == 'F') {
      shard.push_back({shape[d], free_stride, Axis::F});
      free_stride = free_stride * shape[d];
    } else if (split) {
      shard.push_back({kPartitions, 1, Axis::P});
      high = shard.size();
      shard.push_back({floordiv(shape[d], kPartitions), 0, Axis::F});  // its stride is known at the end
    } else {
      shard.push_back({shape[d], partition_stride, Axis::P});
      partition_stride = partition_stride * shape[d];
    }
  }
  if (split) shard[high].stride = free_stride;
  std::ranges::reverse(shard);
  Layout l = detail::plain({std::move(shard), {}, {}});
  return is_psum ? to_psum(l) : l;
}

Result<Layout> to_psum(const Layout& l) {
  constexpr std::int64_t kBank = 512;  // elements of one PSUM bank
  if (!l.is_tile()) return detail::fail("to_psum: a tile layout is needed", l);
  Layout out = l;
  out.tile->shard.clear();
  for (const Iter& i : l.tile->shard) {
    if (i.axis != Axis::F) {
      out.tile->shard.push_back(i);
      continue;
    }
    if (provably_divisible(i.stride, kBank)) {
      out.tile->shard.push_back({i.extent, floordiv(i.stride, kBank), Axis::Bank});
      continue;
    }
    Dim in_bank = floordiv(kBank, i.stride);
    if (!provably_divisible(kBank, i.stride))
      return detail::fail("to_psum: a stride neither divides 512 nor is a multiple", l);
    if (provably_less_equal(i.extent, in_bank - 1)) {
      out.tile->shard.push_back(i);
    } else if (provably_divisible(i.extent, in_bank)) {
      out.tile->shard.push_back({floordiv(i.extent, in_bank), 1, Axis::Bank});
      out.tile->shard.push_back({in_bank, i.stride, Axis::F});
    } else {
      return detail::fail("to_psum: an extent crosses a bank of 512 elements in the middle", l);
    }
  }
  return out;
}

bool is_trainium(const Layout& l) {
  if (!l.is_tile()) return false;
  bool found = false;
  for (const Iters* part : {&l.tile->shard, &l.tile->replica}) {
    for (const Iter& i : *part) {
      if (!is_memory_axis(i.axis)) continue;
      if (i.axis != Axis::P && i.axis != Axis::F && i.axis != Axis::Bank) return false;
      found = true;
    }
  }
  return found;
}

}  // namespace tilewright::layout
