#include "compiler/dispatch/variants/gemm_async/tcgen05_problem.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "compiler/dispatch/blocks/gemm_async_operands.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/rows/tcgen05.h"

namespace tilewright::dispatch {
namespace {

using ir::DataType;
using ir::Expr;
using ir::StorageScope;
using layout::Axis;
using layout::Dim;

constexpr std::int64_t kStepBytes = 32, kMostColumns = 256, kTensorColumns = 512;
// An operand and its name.
struct Named {
  const ir::Region* region;
  std::string_view name;

  const ir::Buffer& buffer() const { return *region->buffer; }
  std::string type() const { return ir::dtype_name(buffer().dtype); }
  std::string_view scope() const { return ir::storage_scope_name(buffer().scope); }
};
struct Operands {
  Named c, a, b, sfa, sfb;
  bool scaled;
};

// Checks 1 and 4: who is in which memory.
Reason wrong_scopes(const Operands& o) {
  for (const Named& x : {o.c, o.a, o.b}) {
    if (!x.buffer().layout) return cat(x.name, " has no layout");
  }
  const bool a_fits = ir::is_shared(o.a.buffer().scope) || o.a.buffer().scope == StorageScope::Tmem;
  if (o.c.buffer().scope != StorageScope::Tmem || !a_fits || !ir::is_shared(o.b.buffer().scope)) {
    return cat("C is in ", o.c.scope(), ", A in ", o.a.scope(), ", B in ", o.b.scope(),
               "; tcgen05 wants C in tensor memory, A in shared or tensor memory, B in shared memory");
  }
  if (!o.scaled) return {};
  for (const Named& x : {o.sfa, o.sfb}) {
    if (!x.region) return "SFA and SFB must both be given";
    if (x.buffer().scope == StorageScope::Tmem && x.buffer().layout) continue;
    return cat(x.name, " is in ", x.scope(), ", scale factors are read from tensor memory");
  }
  return {};
}

// What 0.26 adds: more types and datapaths, and options for the instruction.
bool is_newer(const CallContext& context) { return context.kernel.dialect() >= text::Dialect::V0_26; }

bool is_set(const Expr& flag) { return flag && !ir::is_constant(ir::simplify(flag), 0); }

bool is_one_of(DataType t, std::initializer_list<std::string_view> names) {
  const std::string name = ir::dtype_name(t);
  return std::ranges::find(names, name) != names.end();
}

// Checks 2, 3, 5 and 6; the kind of the instruction.
Reason wrong_types(const CallContext& context, const Operands& o, Tcgen05Problem& p) {
  const bool tf32 = is_newer(context) && is_set(option(context.call, "is_AB_tf32"));
  if (o.c.buffer().dtype != ir::kFloat32) return cat("C is summed up in float32, not in ", o.c.type());
  for (const Named& x : {o.a, o.b}) {
    const DataType type = x.buffer().dtype;
    if (tf32 && !o.scaled) {
      if (type == ir::kFloat32) continue;
      return cat(x.name, " is ", x.type(), "; is_AB_tf32= multiplies float32 as tf32");
    }
    if (o.scaled ? is_one_of(type, {"float4_e2m1fn", "float8_e4m3fn"})
                 : type == ir::kFloat16 || type == ir::kBFloat16 ||
                       (is_newer(context) && is_one_of(type, {"float8_e4m3fn", "float8_e5m2"}))) {
      continue;
    }
    if (is_newer(context) && !o.scaled) {
      return cat(x.name, " is ", x.type(),
                 "; without scale factors it is float16, bfloat16, float8_e4m3fn, "
                 "float8_e5m2, or float32 with is_AB_tf32=True");
    }
    return cat(x.name, " is ", x.type(),
               o.scaled ? "; with scale factors it is float8_e4m3fn or float4_e2m1fn"
                        : "; without scale factors it is float16 or bfloat16");
  }
  p.type = o.a.buffer().dtype;
  if (p.type != o.b.buffer().dtype) {
    return cat("A is ", o.a.type(), " and B ", o.b.type(), "; they must be of one type");
  }
  p.step_k = kStepBytes * 8 / p.type.storage_bits();
  p.multiplied_as = tf32 ? "tf32" : ir::dtype_name(p.type);
  if (!o.scaled) {
    p.kind = tf32 ? "tf32" : p.type.storage_bits() == 8 ? "f8f6f4" : "f16";
    return {};
  }
  if (tf32) return "is_AB_tf32= has no scale factors";
  for (const Named& x : {o.sfa, o.sfb}) {
    if (is_one_of(x.buffer().dtype, {"float8_e8m0fnu", "float8_e4m3fn"})) continue;
    return cat(x.name, " is ", x.type(), "; scale factors are float8_e8m0fnu or float8_e4m3fn");
  }
  p.scale_type = o.sfa.buffer().dtype;
  if (p.scale_type != o.sfb.buffer().dtype) {
    return cat("SFA is ", o.sfa.type(), " and SFB ", o.sfb.type(), "; they must be of one type");
  }
  const bool e8m0 = is_one_of(p.scale_type, {"float8_e8m0fnu"});
  if (!p.type.is_float4() && !e8m0) return "fp8 operands take scale factors of float8_e8m0fnu, not float8_e4m3fn";
  p.kind = !p.type.is_float4() ? "mxf8f6f4" : e8m0 ? "mxf4" : "mxf4nvf4";
  p.scale_vector = !p.type.is_float4() ? 1 : e8m0 ? 2 : 4;
  return {};
}

// Check 8, and that there is a pair (G30).
Reason wrong_group(CallContext& context, Tcgen05Problem& p) {
  const Expr group = option(context.call, "cta_group");
  if (!group) return {};
  if (!ir::is_constant(group, 1) && !ir::is_constant(group, 2)) {
    return cat("cta_group= is 1 or 2, not ", ir::to_string(group));
  }
  p.group = ir::is_constant(group, 2) ? 2 : 1;
  const std::int64_t ctas = cluster_size(context);
  if (p.group == 2 && ctas % 2 != 0) {
    return cat("cta_group=2 works in a pair of CTAs; the cluster has ", ctas, ctas == 1 ? " CTA" : " CTAs");
  }
  return {};
}

// Checks 9 and 10: the extents of a matrix; of one of two, which are `batched` along the first dimension.
std::expected<std::array<std::int64_t, 2>, Reason> extents(const Named& operand, bool batched = false) {
  const ir::Region& r = *operand.region;
  std::vector<std::int64_t> wide;
  for (const ir::Range& range : std::span(r.ranges).subspan(batched ? 1 : 0)) {
    const std::int64_t* n = ir::constant(ir::simplify(range.extent));
    if (!n)
      return refuse(
          cat("the extent ", ir::to_string(range.extent), " of ", operand.name, " is known only at run time"));
    if (*n != 1) wide.push_back(*n);
  }
  if (wide.size() != 2) {
    return refuse(
        cat("a matrix has two extents larger than 1, ", operand.name, " = ", ir::to_string(r), " has ", wide.size()));
  }
  return std::array{wide[0], wide[1]};
}

// The region's layout, without its start, is this one.
std::expected<TensorTile, Reason> tensor_tile(const ir::Region& r, std::string_view name, const layout::Iters& wanted,
                                              std::string_view path, const layout::Iters& repeated = {},
                                              bool upper_half = false) {
  const ir::Buffer& buffer = *r.buffer;
  std::vector<layout::Range> ranges;
  for (const ir::Range& range : r.ranges) ranges.push_back({Dim(range.min), Dim(range.min) + Dim(range.extent)});
  auto part = layout::slice(*buffer.layout, ir::shape_of(buffer), ranges);
  if (!part) return refuse(std::move(part.error().message));
  if (!*part || !(*part)->is_tile()) {
    return refuse(cat("region ", ir::to_string(r), " is not one strided block of its layout"));
  }
  layout::TileLayout tile = *(*part)->tile;
  const layout::Offsets offset = std::exchange(tile.offset, {});
  auto has = layout::canonicalize({std::nullopt, tile}),
       wants = layout::canonicalize({std::nullopt, {{wanted, repeated, {}}}});
  if (!has || !wants || !layout::same(*has, *wants)) {
    return refuse(cat("the layout of ", name, " is ", layout::to_short_string(has ? *has : **part), "; ", path, ", ",
                      layout::to_short_string({std::nullopt, {{wanted, repeated, {}}}})));
  }
  for (const auto& [axis, value] : offset) {  // G3
    if (axis == Axis::TCol || value.is(0)) continue;
    if (upper_half && axis == Axis::TLane && value.is(16)) continue;
    return refuse(cat("the region of ", name, " starts at ", layout::to_string(value), " on ", layout::axis_name(axis),
                      "; the unit works from lane 0"));
  }
  const std::int64_t cell = 32 / buffer.dtype.storage_bits();
  Expr element = ir::simplify(layout::offset_on(offset, Axis::TCol).expr());
  if (!ir::provably_divisible(element, cell)) {  // G4
    return refuse(cat("the region of ", name, " starts at column ", ir::to_string(element), ", not at a multiple of ",
                      cell, ": elements share 32-bit cells"));
  }
  std::int64_t columns = 1;
  for (const layout::Iter& it : wanted) columns *= it.axis == Axis::TCol ? it.extent.value() : 1;
  if (!buffer.allocated_addr) return refuse(cat(name, " has no address in tensor memory"));
  const Dim lane = layout::offset_on(offset, Axis::TLane);
  return TensorTile{&buffer, element, (columns + cell - 1) / cell, lane.is_constant() ? lane.value() : 0};
}

// Check 17: where the unit puts the rows of C.
std::expected<TensorTile, Reason> accumulator(CallContext& context, const ir::Region& r, const Tcgen05Problem& p,
                                              bool batched) {
  const bool squeezes = is_newer(context);
  std::size_t rank = r.ranges.size();
  while (squeezes && rank > 2 && ir::is_constant(ir::simplify(r.ranges[r.ranges.size() - rank].extent), 1)) --rank;
  if (rank != (batched ? 3u : 2u)) {
    return refuse(cat("C has ", r.ranges.size(), " dimensions, rows and columns are needed"));
  }
  const bool upper_half = squeezes && ir::is_constant(r.buffer->shape[0], 64);
  const layout::Iter columns{p.n, 1, Axis::TCol};
  if (batched) {
    return tensor_tile(r, "C", {{2, 64, Axis::TLane}, {64, 1, Axis::TLane}, {p.n / 2, 1, Axis::TCol}},
                       "the first half of the columns lies in lanes 0 to 63, the second in lanes 64 to 127");
  }
  if (p.stationary && p.m == 64) {
    return tensor_tile(r, "C", {{64, 1, Axis::TLane}, {2, 64, Axis::TLane}, {p.n / 2, 1, Axis::TCol}},
                       "tcgen05.mma.ws puts the second half of the columns of 64 rows into lanes 64 to 127");
  }
  if (p.m == 64 && p.group == 2) {
    return tensor_tile(
        r, "C", {{64, 1, Axis::TLane}, {2, 64, Axis::TLane}, {p.n / 2, 1, Axis::TCol}},
        "64 rows a CTA of a pair lie in lanes 0 to 63, the second half of their columns in lanes 64 to 127");
  }
  if (p.m == 64) {  // G2
    return tensor_tile(r, "C", {{4, 32, Axis::TLane}, {16, 1, Axis::TLane}, columns},
                       "64 rows lie in 16 of every 32 lanes (datapath=\"F\")", {}, upper_half);
  }
  return tensor_tile(r, "C", {{128, 1, Axis::TLane}, columns}, "128 rows lie in one lane each (datapath=\"D\")");
}

// 3.3 with the legal extents of 4.4 (G5, G8, G16): the widest tile of N; 0: none.
struct TileRule {
  std::int64_t step;     // of the kind, for these rows
  std::int64_t several;  // several tiles: each starts where an atom, or a block of scale factors, does
};
std::int64_t widest_tile(std::int64_t n, const TileRule& rule) {
  auto legal = [&](std::int64_t tile) { return tile % rule.step == 0 && tile <= kMostColumns; };
  if (legal(n)) return n;
  for (std::int64_t tile = kMostColumns / rule.step * rule.step; tile > 0; tile -= rule.step) {
    if (n % tile == 0 && tile % rule.several == 0) return tile;
  }
  return 0;
}

// mma_m= and mma_n=: the extents of one instruction, of the pair's rows. Nothing: not given.
std::expected<std::optional<std::int64_t>, Reason> given_tile(CallContext& context, const Tcgen05Problem& p) {
  if (!is_newer(context)) return std::nullopt;
  const Expr m = option(context.call, "mma_m"), n = option(context.call, "mma_n");
  if (!m && !n) return std::nullopt;
  if (!m || !n) return refuse(cat("mma_m= and mma_n= are given together, ", m ? "mma_n" : "mma_m", "= is missing"));
  const std::int64_t *rows = ir::constant(ir::simplify(m)), *columns = ir::constant(ir::simplify(n));
  for (const auto& [name, value, given] : {std::tuple("mma_m", rows, m), std::tuple("mma_n", columns, n)}) {
    if (!value || *value <= 0 || given.dtype() == ir::kBool) {
      return refuse(cat(name, "= is a positive integer, not ", ir::to_string(given)));
    }
  }
  if (*rows != p.m * p.group) {
    return refuse(
        cat("mma_m= is the number of rows that one instruction multiplies, here ", p.m * p.group, ", not ", *rows));
  }
  if (p.n % *columns != 0) return refuse(cat("mma_n=", *columns, " does not divide the ", p.n, " columns of C"));
  return *columns;
}

// Check 13.
Reason choose_tile(CallContext& context, Tcgen05Problem& p) {
  if (p.m != 64 && p.m != 128) {  // G1
    return cat("a CTA multiplies 64 or 128 rows at once, M is ", p.m, ": call it for each 128");
  }
  if (p.scale_vector && p.m != 128) return cat("with scale factors a CTA multiplies 128 rows, M is ", p.m);
  if (p.group == 2 && p.n > kMostColumns) {  // G6
    return cat("a pair of CTAs computes at most 256 columns in one call, N is ", p.n,
               ": B's rows would not stand in the order of C's columns");
  }
  if (p.folded && p.n > kMostColumns) {
    return cat(
        "C keeps both halves of its columns apart, so that one instruction computes all of them, at most 256; N is ",
        p.n);
  }
  TileRule rule{.step = p.scale_vector ? (p.group == 2 ? 16 : 8)
                        : p.stationary ? 64
                        : p.group == 2 ? 32
                        : p.m == 64    ? 8
                                       : 16,
                .several = 1};
  if (p.b.mn_major) rule.several = p.b.row;
  if (p.scale_vector) rule.several = std::max<std::int64_t>(rule.several, 32);
  auto given = given_tile(context, p);
  if (!given) return given.error();
  if (*given) {
    const std::int64_t n = **given;
    if (n % rule.step != 0 || n > kMostColumns || (n < p.n && (n % rule.several != 0 || p.folded))) {
      return cat("mma_n=", n, " is none of the extents of an instruction: multiples of ", rule.step, " up to 256",
                 rule.several > 1 ? cat(", and of ", rule.several, " where there are several") : std::string());
    }
    p.tile_n = n;
    return {};
  }
  p.tile_n = widest_tile(p.n, rule);
  // .ws has three extents.
  if (p.stationary && p.tile_n == 192) p.tile_n = p.folded ? 0 : 64;
  if (p.tile_n != 0) return {};
  Reason why = cat("N=", p.n, " is no sum of equal tiles of at most 256 columns that are multiples of ", rule.step,
                   ", as M=", p.m, " needs");
  if (rule.several > 1) {
    why += cat(", and of ", rule.several,
               p.scale_vector && rule.several == 32 ? ", a block of scale factors" : ", an atom along N");
  }
  return why;
}

// Check 15.
Reason extents_differ(const Tcgen05Problem& p, MatrixExtents a, bool transposes_a, bool transposes_b) {
  const MatrixExtents b{p.b.mn * p.group, p.b.k};
  const std::string turned_b = would_fit("transB", transposes_b, {p.b.mn, p.b.k}, {p.n / p.group, a.k});
  if (a.mn != p.m) {
    return cat("C has ", p.m, " rows, A has ", a.mn, would_fit("transA", transposes_a, a, {p.m, p.k}));
  }
  if (a.k != p.k) return cat("K is ", a.k, " in A and ", p.k, " in B", turned_b);
  if (b.mn != p.n) {
    return cat("C has ", p.n, " columns, B has ", p.b.mn, " rows",
               p.group == 2 ? cat(", and so has the pair's other CTA: ", b.mn) : std::string(), turned_b);
  }
  return {};
}

// G14 to G16: each instruction reads what the script means.
Reason unreadable(const Tcgen05Problem& p) {
  const std::int64_t rows = p.tile_n / p.group;
  for (std::int64_t k = 0; k < p.k; k += p.step_k) {
    if (p.a) {
      if (Reason why = p.a->unreadable(0, p.m, k, p.step_k); !why.empty()) return why;
    }
    for (std::int64_t n = 0; n < p.b.mn; n += rows) {
      if (Reason why = p.b.unreadable(n, rows, k, p.step_k); !why.empty()) return why;
    }
  }
  return {};
}

// Two matrices A, one for each half of C's columns.
bool is_batched(const ir::Region& r) {
  return r.ranges.size() == 3 && ir::is_constant(ir::simplify(r.ranges[0].extent), 2);
}

std::expected<TensorTile, Reason> a_in_tensor_memory(CallContext& context, const ir::Region& a, bool transposed,
                                                     const Tcgen05Problem& p, std::int64_t m, std::int64_t k) {
  if (transposed) return refuse("A in tensor memory cannot be transposed: its rows are lanes");
  if (is_newer(context) && is_batched(a)) {
    if (p.m != 64 || !p.folded) {
      return refuse(
          "A of two tiles belongs to 64 rows whose columns are halved: of tcgen05.mma.ws, or of a pair of CTAs");
    }
    return tensor_tile(a, "A", {{2, 64, Axis::TLane}, {64, 1, Axis::TLane}, {k, 1, Axis::TCol}},
                       "each half of C's columns reads its own tile, in lanes 0 to 63 and in lanes 64 to 127");
  }
  if (is_newer(context) && m == 64 && p.folded) {
    if (p.stationary) {
      return refuse("tcgen05.mma.ws reads A of 64 rows from lanes 0 to 63 and 64 to 127: declare it as A[2, 64, K]");
    }
    return tensor_tile(a, "A", {{64, 1, Axis::TLane}, {k, 1, Axis::TCol}}, "its rows stand in both halves of the lanes",
                       {{2, 64, Axis::TLane}});
  }
  if (m != 128) return refuse(cat("A in tensor memory has 128 rows, one a lane, not ", m));
  return tensor_tile(a, "A", {{m, 1, Axis::TLane}, {k, 1, Axis::TCol}}, "its rows are lanes");
}

// Where tiles of tensor memory lie, as far as addresses are known (G30).
struct Extent {
  std::string_view name;
  Expr first;  // column
  std::int64_t columns;
};
Reason misplaced(std::span<const Extent> all) {
  for (const Extent& e : all) {
    const std::int64_t* first = ir::constant(e.first);
    if (first && (*first < 0 || *first + e.columns > kTensorColumns)) {
      return cat(e.name, " takes columns ", *first, " to ", *first + e.columns - 1, " of tensor memory, which has ",
                 kTensorColumns);
    }
    if (&e == all.data()) continue;
    const Expr difference = ir::simplify(e.first - all[0].first);
    const std::int64_t* apart = ir::constant(difference);
    if (!apart || *apart >= all[0].columns || *apart + e.columns <= 0) continue;
    return cat(e.name, " starts ", *apart, " columns from C, which has ", all[0].columns,
               ": the product would write over ", e.name, " while it is read");
  }
  return {};
}

// An address as a number. Scripts count columns on from a uint32 that they read; such a sum never wraps around, so that
// what is known of it is known of its parts.
Expr address_number(Expr address) {
  const auto* sum = address.as<ir::Binary>();
  if (!sum || address.kind() != ir::ExprKind::Add) return ir::cast(ir::kInt32, address);
  return address_number(sum->a) + address_number(sum->b);
}

Expr column_of(const TensorTile& tile) {
  return ir::simplify(address_number(tile.buffer->allocated_addr) +
                      tile.element / Expr(32 / tile.buffer->dtype.storage_bits()));
}

Reason misplaced(const Tcgen05Problem& p) {
  std::vector<Extent> all = {{"C", column_of(p.c), p.c.columns}};
  if (!p.a) all.push_back({"A", column_of(p.a_tile), p.a_tile.columns});
  for (const auto& [name, scales] : {std::pair("SFA", &p.sfa), std::pair("SFB", &p.sfb)}) {
    if (!*scales) continue;
    const Scales& s = **scales;
    if (!s.buffer->allocated_addr) return cat(name, " has no address in tensor memory");
    all.push_back({name, ir::simplify(address_number(s.buffer->allocated_addr) + s.column(0, 0)), s.rows / 32});
  }
  return misplaced(all);
}

// Check 20 before anything is chosen (G5): the row of the descriptor says what is legal, and what its bits are.
Reason encode(CallContext& context, Tcgen05Problem& p) {
  const std::string type = p.multiplied_as;
  const Expr f32 = ir::string_imm("float32"), t = ir::string_imm(type);
  const bool a_mn = p.a && p.a->mn_major;
  std::vector<Expr> args = {Expr(0), f32, t, t};
  if (p.scale_vector) {
    const Expr s = ir::string_imm(ir::dtype_name(p.scale_type));
    args.insert(args.end(), {s, s, Expr(0), Expr(0)});
  }
  args.insert(args.end(), {Expr(p.m * p.group), Expr(p.tile_n), Expr(p.step_k), ir::bool_imm(a_mn),
                           ir::bool_imm(p.b.mn_major), Expr(p.group)});
  static const intrinsics::Intrinsic &dense = row_of("instruction_descriptor"),
                                     &with_scales = row_of("instruction_descriptor_scaled");
  const intrinsics::Intrinsic& row = p.scale_vector ? with_scales : dense;
  const Expr call = row_call(row, std::move(args));
  const std::span<const Expr> bound = call.as<ir::Call>()->args;
  if (auto failure = row.check(row, bound, context.target())) return *failure;
  p.instruction = intrinsics::tcgen05::instruction_descriptor_bits(intrinsics::Arguments(row, bound));
  return {};
}

// C[2, M, N / 2]: both halves of the columns one behind the other.
bool is_batched_c(const ir::Region& r) {
  return is_batched(r) && !ir::is_constant(ir::simplify(r.ranges[1].extent), 1) &&
         !ir::is_constant(ir::simplify(r.ranges[2].extent), 1);
}
bool is_batched_a(const ir::Region& r) { return r.buffer->scope == StorageScope::Tmem && is_batched(r); }

// Where the rows and columns of C lie in tensor memory, and whether tcgen05.mma.ws puts them there (from 0.26 on).
Reason choose_datapath(CallContext& context, const ir::Region& c, bool batched, Tcgen05Problem& p) {
  p.folded = p.m == 64 && p.group == 2;
  if (!is_newer(context)) return {};
  const Expr flag = option(context.call, "weight_stationary");
  p.stationary = is_set(flag);
  if (p.stationary && p.group == 2) return "weight_stationary= works in one CTA, not in a pair";
  if (p.stationary && p.scale_vector) return "weight_stationary= has no scale factors";
  if (batched && p.m != 64) return cat("C of two halves has 64 rows each, not ", p.m);
  if (p.group == 2) return {};
  const bool packed = p.m == 64 && !batched && p.n % 2 == 0 &&
                      tensor_tile(c, "C", {{64, 1, Axis::TLane}, {2, 64, Axis::TLane}, {p.n / 2, 1, Axis::TCol}}, "");
  if (packed && flag && !p.stationary) {
    return "C keeps the second half of its columns in lanes 64 to 127, where only tcgen05.mma.ws puts it: leave "
           "weight_stationary=False out, or declare C on datapath F";
  }
  p.stationary = p.stationary || packed || batched;
  p.folded = p.stationary && p.m == 64;
  if (p.stationary && p.scale_vector) return "a C of 64 rows in both halves of the lanes has no scale factors";
  return {};
}

// tf32 is read along K only.
Reason illegal_majorness(const Tcgen05Problem& p) {
  if (p.kind != "tf32") return {};
  for (const auto& [name, mn_major] : {std::pair("A", p.a && p.a->mn_major), std::pair("B", p.b.mn_major)}) {
    if (mn_major) return cat(name, " is contiguous along M or N; tf32 is read along K: lay it out with K contiguous");
  }
  return {};
}

}  // namespace

std::expected<Tcgen05Problem, Reason> tcgen05_problem(CallContext& context) {
  const GemmAsyncOperands& given = gemm_async_operands(context);
  if (!given.invalid.empty()) return refuse(given.invalid);
  const Operands o{.c = {given.c, "C"},
                   .a = {given.a, "A"},
                   .b = {given.b, "B"},
                   .sfa = {given.sfa, "SFA"},
                   .sfb = {given.sfb, "SFB"},
                   .scaled = given.has_scales()};
  Tcgen05Problem p;
  if (Reason why = wrong_scopes(o); !why.empty()) return refuse(std::move(why));
  if (Reason why = wrong_types(context, o, p); !why.empty()) return refuse(std::move(why));
  if (Reason why = wrong_group(context, p); !why.empty()) return refuse(std::move(why));
  const bool c_batched = is_newer(context) && is_batched_c(*given.c),
             a_batched = is_newer(context) && is_batched_a(*given.a);
  auto c = extents(o.c, c_batched), a = extents(o.a, a_batched), b = extents(o.b);
  if (!c || !a || !b) return refuse(!c ? c.error() : !a ? a.error() : b.error());
  p.m = (*c)[0];
  p.n = (*c)[1] * (c_batched ? 2 : 1);
  if (Reason why = choose_datapath(context, *given.c, c_batched, p); !why.empty()) return refuse(std::move(why));

  auto transposes_b = given.transposes_b();
  if (!transposes_b) return refuse(std::move(transposes_b.error()));
  const auto unswizzled = is_newer(context) ? Unswizzled::Described : Unswizzled::Refused;
  auto shared_b = shared_operand(*given.b, *transposes_b, unswizzled);
  if (!shared_b) return refuse(std::move(shared_b.error()));
  p.b = std::move(*shared_b);
  p.k = p.b.k;
  std::array<std::int64_t, 2> of_a = *a;
  auto transposes_a = given.transposes_a();
  if (!transposes_a) return refuse(std::move(transposes_a.error()));
  if (given.a->buffer->scope == StorageScope::Tmem) {
    auto tile = a_in_tensor_memory(context, *given.a, *transposes_a, p, of_a[0], of_a[1]);
    if (!tile) return refuse(std::move(tile.error()));
    p.a_tile = *tile;
  } else {
    auto shared_a = shared_operand(*given.a, *transposes_a, unswizzled);
    if (!shared_a) return refuse(std::move(shared_a.error()));
    p.a = std::move(*shared_a);
    of_a = {p.a->mn, p.a->k};
  }
  if (Reason why = illegal_majorness(p); !why.empty()) return refuse(std::move(why));
  if (Reason why = choose_tile(context, p); !why.empty()) return refuse(std::move(why));
  p.tile_columns = p.folded ? p.tile_n / 2 : p.tile_n;
  if (p.k % p.step_k != 0) {
    return refuse(
        cat("K=", p.k, " is not a multiple of ", p.step_k, ", the K of one instruction of ", ir::dtype_name(p.type)));
  }
  if (Reason why = extents_differ(p, {of_a[0], of_a[1]}, *transposes_a, *transposes_b); !why.empty())
    return refuse(std::move(why));
  if (Reason why = unreadable(p); !why.empty()) return refuse(std::move(why));

  auto tile = accumulator(context, *given.c, p, c_batched);
  if (!tile) return refuse(std::move(tile.error()));
  p.c = *tile;
  if (p.scale_vector) {
    auto sfa = scales_of(*given.sfa, "SFA", p.m, p.steps(), p.scale_vector);
    auto sfb = scales_of(*given.sfb, "SFB", p.n, p.steps(), p.scale_vector);
    if (!sfa || !sfb) return refuse(!sfa ? sfa.error() : sfb.error());
    if (sfa->rows != p.m) return refuse(cat("SFA has ", sfa->rows, " rows, A has ", p.m));
    p.sfa = std::move(*sfa);
    p.sfb = std::move(*sfb);
  }
  if (Reason why = misplaced(p); !why.empty()) return refuse(std::move(why));
  p.given_instruction = option(context.call, "descI");
  if (is_newer(context) && p.given_instruction && !p.scale_vector) {
    return refuse("descI= belongs to products with scale factors; of others the instruction descriptor is made here");
  }
  if (!p.given_instruction) {
    if (Reason why = encode(context, p); !why.empty()) return refuse(std::move(why));
  }
  p.accumulates = given.accum ? ir::cast(ir::kBool, ir::simplify(given.accum)) : ir::bool_imm(false);
  return p;
}

}  // namespace tilewright::dispatch
