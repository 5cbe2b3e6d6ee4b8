// gemm_async by tcgen05.mma: the worked examples of gemm.md 9.2 and 9.3, and what hardware would get wrong (section 8).
#include <cstdio>

#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;  // begin, end

// An operand. Layouts: "128", "64", "32": of that swizzle; with "t" behind: stored the other way round; else as text.
struct Tile {
  std::vector<std::int64_t> shape;
  std::string layout = "128";
  Bounds region{};  // empty: all
  std::string dtype = "float16";
  StorageScope scope = StorageScope::SharedDyn;
  std::int64_t address = 0;  // of tensor memory; -1: none
};
struct Scale {
  std::int64_t rows = 0, columns = 0, per_mma = 1;  // rows 0: none
  std::int64_t address = 0, reuse = 1;
  Bounds region{};
  std::string dtype = "float8_e8m0fnu";
  std::string layout{};  // empty: sf_tmem_layout
};
struct AsyncCase {
  Tile c, a, b;
  Scale sfa{}, sfb{};
  bool transpose_a = false, transpose_b = false;
  std::int64_t group = 0;   // 0: not given
  std::int64_t accum = -1;  // -1: not given
  std::uint32_t given = 0;  // instruction descriptor
  ExecScope scope = ExecScope::Thread;
  ir::Target target{10, 0, 'a'};
  std::int64_t cluster = 0;  // CTAs; 0: as many as group
  bool b_is_a = false;
};

layout::Layout layout_of(const Tile& t) {
  const int span = std::atoi(t.layout.c_str());
  if (t.layout[0] == 'S' || t.layout[0] == 'Z') return parse_layout(t.layout);
  const auto mode = span == 128  ? layout::SwizzleMode::B128
                    : span == 64 ? layout::SwizzleMode::B64
                                 : layout::SwizzleMode::B32;
  std::vector<layout::Dim> shape(t.shape.begin(), t.shape.end());
  const ir::DataType dtype = *ir::parse_dtype(t.dtype);
  if (!t.layout.ends_with("t")) return *layout::mma_shared_layout(dtype, mode, shape);
  std::swap(shape[0], shape[1]);
  auto other = layout::mma_shared_layout(dtype, mode, shape);
  auto grouped = layout::group(*(other->tile ? *other : layout::row_major(shape)).tile, shape);
  const int exchange[] = {1, 0};
  auto permuted = layout::permute_by_groups({std::nullopt, grouped->layout}, grouped->separators, exchange);
  return {other->swizzle, permuted->tile};
}

ir::Region region_of(const ir::Buffer* b, const std::vector<std::int64_t>& shape, const Bounds& region) {
  std::vector<std::pair<Expr, Expr>> bounds;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto [begin, end] = region.empty() ? std::pair(std::int64_t{0}, shape[i]) : region[i];
    bounds.emplace_back(Expr(begin), Expr(end - begin));
  }
  return KernelBuilder::region(b, bounds);
}
ir::Region operand(KernelBuilder& k, std::string_view name, const Tile& t) {
  ir::Buffer* b = k.buffer(name, {t.shape.begin(), t.shape.end()}, *ir::parse_dtype(t.dtype), t.scope, layout_of(t));
  if (t.scope == StorageScope::Tmem) b->data = nullptr, b->allocated_addr = t.address < 0 ? Expr() : Expr(t.address);
  return region_of(b, t.shape, t.region);
}
ir::Region scales(KernelBuilder& k, std::string_view name, const Scale& s) {
  const layout::Layout layout = s.layout.empty()
                                    ? *layout::sf_tmem_layout(s.rows, s.columns / s.reuse, s.per_mma, s.reuse)
                                    : parse_layout(s.layout);
  ir::Buffer* b =
      k.buffer(name, {Expr(s.rows), Expr(s.columns)}, *ir::parse_dtype(s.dtype), StorageScope::Tmem, layout);
  b->data = nullptr, b->allocated_addr = s.address < 0 ? Expr() : Expr(s.address);
  return region_of(b, {s.rows, s.columns}, s.region);
}

struct Result {
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  std::string text;  // "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 idesc 08200010", or the reason
};

// Each number once where neighbours are alike.
std::string run_of(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& v : values) out += " " + v;
  const bool alike = std::ranges::all_of(values, [&](const std::string& v) { return v == values[0]; });
  return alike ? " " + values[0] : out;
}

struct Reader {
  std::map<const ir::Buffer*, std::string> descriptors;  // variable -> "64,64,3"
  std::vector<std::string> a, b, d, instruction, adds, sfa, sfb;
  std::string of_a, of_b;
  int elected = 0;

  static std::string number(Expr e) {
    while (const auto* c = e.as<ir::Cast>()) e = c->value;
    const std::int64_t* v = ir::constant(ir::simplify(e));
    return v ? std::to_string(*v) : ir::to_string(e);
  }
  // "descriptor + units".
  std::string matrix(Expr e, std::string& of) {
    std::string units = "0";
    if (const auto* sum = e.as<ir::Binary>()) units = number(sum->b), e = sum->a;
    of = descriptors.at(e.as<ir::Load>()->buffer);
    return units;
  }
  void read(const Stmt* body, ir::Target target) {
    ir::walk_stmts(body, [&](const Stmt* s) {
      elected += ir::as<ir::If>(s) != nullptr;
      const auto* e = ir::as<ir::Evaluate>(s);
      const auto* call = e ? e->value.as<ir::Call>() : nullptr;
      if (!call) return true;
      const auto* row = intrinsics::of(call->callee);
      CHECK_FALSE(intrinsics::verify(*row, call->args, target));
      if (row->id == "P90") {
        const ir::Buffer* word = call->args[0].as<ir::Call>()->args[0].as<ir::Load>()->buffer;
        descriptors[word] = number(call->args[2]) + "," + number(call->args[3]) + "," + number(call->args[4]);
      } else {
        product(call->args, row->id == "P88");
      }
      return true;
    });
  }
  void product(std::span<const Expr> args, bool scaled) {
    d.push_back(number(args[0]));
    const bool from_tensor = args[1].dtype().bits == 32;
    a.push_back(from_tensor ? number(args[1]) : matrix(args[1], of_a));
    b.push_back(matrix(args[2], of_b));
    if (scaled) sfa.push_back(number(args[3])), sfb.push_back(number(args[4]));
    char text[16];
    std::snprintf(text, sizeof text, "%08x", static_cast<std::uint32_t>(*ir::constant(args[scaled ? 5 : 3])));
    instruction.push_back(text);
    adds.push_back(number(args[scaled ? 13 : 9]));
  }
  std::string text() const {
    std::string out = "A" + (of_a.empty() ? "" : " " + of_a) + run_of(a) + " B " + of_b + run_of(b) + " D" + run_of(d);
    if (!sfa.empty()) out += " SFA" + run_of(sfa) + " SFB" + run_of(sfb);
    return out + " idesc" + run_of(instruction);
  }
};

Result run(const AsyncCase& c, Reader& reader) {
  KernelBuilder k;
  k.device();
  if (c.cluster || c.group == 2) k.id(ScopeBinding::ClusterCta, c.cluster ? c.cluster : 2);
  k.id(ScopeBinding::KernelCta, 2);
  k.id(ScopeBinding::CtaThread, 128, "tid");
  std::vector<ir::Operand> args(8);
  Tile d = c.c;
  d.dtype = d.dtype == "float16" ? "float32" : d.dtype, d.scope = StorageScope::Tmem;
  if (d.layout == "128") {
    const std::string n = std::to_string(d.shape[1]);
    d.layout = "S[(" + std::to_string(d.shape[0]) + "," + n + "):(1@TLane,1@TCol)]";
  }
  args[0].region = operand(k, "c", d);
  args[1].region = operand(k, "a", c.a);
  args[2].region = c.b_is_a ? args[1].region : operand(k, "b", c.b);
  if (c.sfa.rows) args[3].region = scales(k, "sfa", c.sfa);
  if (c.sfb.rows) args[4].region = scales(k, "sfb", c.sfb);
  args[5].value = ir::bool_imm(c.transpose_a), args[6].value = ir::bool_imm(c.transpose_b);
  if (c.accum >= 0) args[7].value = Expr(c.accum);
  std::vector<ir::ConfigItem> config;
  if (c.group) config.push_back({"cta_group", {{}, Expr(c.group), {}}});
  if (c.given) config.push_back({"descI", {{}, ir::int_imm(ir::kUInt32, c.given), {}}});
  k.add(ir::make_stmt<ir::TileCall>(KernelBuilder::origin(), "gemm_async", c.scope,
                                    Arena::current().copy(std::span<const ir::Operand>(args)),
                                    Arena::current().copy(std::span<const ir::ConfigItem>(config)),
                                    std::span<const std::pair<std::string_view, const ir::Buffer*>>(), "tcgen05"));
  const ir::Kernel& kernel = k.finish(c.target);
  Diagnostics diagnostics;
  dispatch::Dispatched dispatched = dispatch::dispatch(kernel, diagnostics.context);
  REQUIRE(dispatched.calls.size() == 1);
  Result out;
  for (const dispatch::Trial& t : dispatched.calls[0].trials) {
    if (t.variant == "tcgen05") out = {t.outcome, t.reason};
  }
  if (out.outcome != dispatch::Outcome::Chosen) return out;
  reader.read(dispatched.body, c.target);
  out.text = reader.text();
  return out;
}

std::string served(const AsyncCase& c) {
  Reader reader;
  return run(c, reader).text;
}
void refused(const AsyncCase& c, std::string_view reason, dispatch::Outcome outcome = dispatch::Outcome::Declined) {
  Reader reader;
  Result r = run(c, reader);
  INFO(r.text);
  CHECK(r.outcome == outcome);
  CHECK(r.text.find(reason) != std::string::npos);
}

Tile fp8(std::vector<std::int64_t> shape, std::string layout = "128") { return {shape, layout, {}, "float8_e4m3fn"}; }
Tile fp4(std::vector<std::int64_t> shape) { return {shape, "128", {}, "float4_e2m1fn"}; }

}  // namespace

TEST_CASE("gemm_async: one tile, dense") {
  const std::string kMajor = "64,64,3 0 2 4 6";
  CHECK(served({.c = {{128, 128}}, .a = {{128, 64}}, .b = {{128, 64}}}) ==
        "A " + kMajor + " B " + kMajor + " D 0 idesc 08200010");
  // Bfloat16 says so in both type fields.
  CHECK(served({.c = {{128, 128}}, .a = {{128, 64}, "128", {}, "bfloat16"}, .b = {{128, 64}, "128", {}, "bfloat16"}})
            .ends_with("idesc 08200490"));
  // A stage of a ring, and columns of C.
  CHECK(served({.c = {{128, 512}, "128", {{0, 128}, {256, 384}}},
                .a = {{3, 128, 64}, "128", {{1, 2}, {0, 128}, {0, 64}}},
                .b = {{3, 128, 64}, "128", {{2, 3}, {0, 128}, {0, 64}}}}) ==
        "A 64,64,3 1024 1026 1028 1030 B 64,64,3 2048 2050 2052 2054 D 256 idesc 08200010");
  CHECK(served({.c = {{128, 128}}, .a = {{128, 128}}, .b = {{128, 128}}}) ==
        "A 1024,64,3 0 2 4 6 1024 1026 1028 1030 B 1024,64,3 0 2 4 6 1024 1026 1028 1030 D 0 idesc 08200010");
  CHECK(served({.c = {{128, 128}}, .a = {{128, 64}, "64"}, .b = {{128, 64}, "64"}}) ==
        "A 512,32,2 0 2 512 514 B 512,32,2 0 2 512 514 D 0 idesc 08200010");
  CHECK(served({.c = {{128, 128}}, .a = {{128, 64}, "32"}, .b = {{128, 64}, "32"}}) ==
        "A 256,16,1 0 256 512 768 B 256,16,1 0 256 512 768 D 0 idesc 08200010");
}

TEST_CASE("gemm_async: both majors") {
  CHECK(served({.c = {{128, 128}}, .a = {{128, 64}}, .b = {{64, 128}}, .transpose_b = true}) ==
        "A 64,64,3 0 2 4 6 B 512,64,3 0 128 256 384 D 0 idesc 08210010");
  CHECK(served({.c = {{128, 64}}, .a = {{64, 128}}, .b = {{64, 64}}, .transpose_a = true}) ==
        "A 512,64,3 0 128 256 384 B 64,64,3 0 2 4 6 D 0 idesc 08108010");
  CHECK(served({.c = {{128, 128}}, .a = {{128, 128}, "128t"}, .b = {{128, 128}, "128t"}}) ==
        "A 1024,64,3 0 128 256 384 512 640 768 896 B 1024,64,3 0 128 256 384 512 640 768 896 D 0 idesc 08218010");
  CHECK(served({.c = {{128, 64}}, .a = {{64, 128}, "128t"}, .b = {{64, 64}}, .transpose_a = true}) ==
        "A 1024,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 idesc 08100010");
}

TEST_CASE("gemm_async: parts of K") {
  CHECK(served({.c = {{128, 128}},
                .a = {{128, 64}, "128", {{0, 128}, {16, 48}}},
                .b = {{128, 64}, "128", {{0, 128}, {16, 48}}}}) == "A 64,64,3 2 4 B 64,64,3 2 4 D 0 idesc 08200010");
  CHECK(served({.c = {{128, 64}},
                .a = {{128, 128}, "128", {{0, 128}, {48, 80}}},
                .b = {{64, 128}, "128", {{0, 64}, {48, 80}}}}) ==
        "A 64,64,3 6 1024 B 64,64,3 6 512 D 0 idesc 08100010");
  // G18: aligned to no atom, and as long as one.
  CHECK(served({.c = {{128, 64}},
                .a = {{128, 128}, "128", {{0, 128}, {32, 96}}},
                .b = {{64, 128}, "128", {{0, 64}, {32, 96}}}}) ==
        "A 64,64,3 4 6 1024 1026 B 64,64,3 4 6 512 514 D 0 idesc 08100010");
  refused(
      {.c = {{128, 64}}, .a = {{128, 128}, "128", {{0, 128}, {56, 72}}}, .b = {{64, 128}, "128", {{0, 64}, {56, 72}}}},
      "cross the end of that row");
  refused(
      {.c = {{128, 64}}, .a = {{128, 128}, "128", {{0, 128}, {0, 24}}}, .b = {{64, 128}, "128", {{0, 64}, {0, 24}}}},
      "K=24 is not a multiple of 16");
}

TEST_CASE("gemm_async: several tiles of N") {
  CHECK(served({.c = {{128, 512}}, .a = {{128, 64}}, .b = {{512, 64}}}) ==
        "A 64,64,3 0 2 4 6 0 2 4 6 B 64,64,3 0 2 4 6 2048 2050 2052 2054 D 0 0 0 0 256 256 256 256 idesc 08400010");
  // 16 rows of B at a time: 320 is two tiles of 160.
  CHECK(served({.c = {{128, 320}}, .a = {{128, 16}, "32"}, .b = {{320, 16}, "32"}}) ==
        "A 16,16,1 0 B 16,16,1 0 320 D 0 160 idesc 08280010");
  // G16: along an atom's row only whole atoms, 64 elements here.
  CHECK(served({.c = {{128, 320}}, .a = {{128, 16}, "32"}, .b = {{16, 320}}, .transpose_b = true}) ==
        "A 16,16,1 0 B 128,64,3 0 128 256 384 512 D 0 64 128 192 256 idesc 08110010");
  refused({.c = {{128, 264}}, .a = {{128, 16}, "32"}, .b = {{264, 16}, "32"}}, "multiples of 16");  // G5
  refused({.c = {{128, 24}}, .a = {{128, 16}, "32"}, .b = {{24, 16}, "32"}}, "N=24");
  // 64 rows take steps of 8.
  const std::string f = "S[(4,16,24):(32@TLane,1@TLane,1@TCol)]";
  CHECK(served({.c = {{64, 24}, f}, .a = {{64, 16}, "32"}, .b = {{24, 16}, "32"}}) ==
        "A 16,16,1 0 B 16,16,1 0 D 0 idesc 04060010");
}

TEST_CASE("gemm_async: pairs of CTAs") {
  CHECK(served({.c = {{128, 256}}, .a = {{128, 64}}, .b = {{128, 64}}, .group = 2}) ==
        "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 idesc 10400010");
  const std::string halves = "S[(64,2,64):(1@TLane,64@TLane,1@TCol)]";
  CHECK(served({.c = {{64, 128}, halves}, .a = {{64, 64}}, .b = {{64, 64}}, .group = 2}) ==
        "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 idesc 08200010");
  refused({.c = {{128, 512}}, .a = {{128, 64}}, .b = {{256, 64}}, .group = 2}, "at most 256 columns");  // G6
  refused({.c = {{128, 48}}, .a = {{128, 64}}, .b = {{24, 64}}, .group = 2}, "multiples of 32");        // G5
  refused({.c = {{128, 256}}, .a = {{128, 64}}, .b = {{128, 64}}, .group = 3}, "cta_group= is 1 or 2, not 3");
  refused({.c = {{128, 256}}, .a = {{128, 64}}, .b = {{128, 64}}, .group = 2, .cluster = 1}, "the cluster has 1 CTA");
}

TEST_CASE("gemm_async: where C lies") {
  const std::string f = "S[(4,16,256):(32@TLane,1@TLane,1@TCol)]";
  CHECK(served({.c = {{64, 256}, f, {{0, 64}, {128, 192}}}, .a = {{64, 64}}, .b = {{64, 64}}}) ==
        "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 128 idesc 04100010");
  refused({.c = {{64, 64}}, .a = {{64, 64}}, .b = {{64, 64}}}, "datapath=\"F\"");  // G2
  refused({.c = {{128, 64}, "128", {{64, 128}, {0, 64}}}, .a = {{64, 64}}, .b = {{64, 64}}}, "datapath=\"F\"");
  refused({.c = {{256, 64}}, .a = {{256, 64}}, .b = {{64, 64}}}, "64 or 128 rows at once, M is 256");  // G1
  refused({.c = {{96, 64}}, .a = {{96, 64}}, .b = {{64, 64}}}, "64 or 128 rows at once, M is 96");
  refused({.c = {{256, 64}, "128", {{128, 256}, {0, 64}}}, .a = {{128, 64}}, .b = {{64, 64}}},
          "starts at 128 on TLane");  // G3
  refused({.c = {{128, 64}, "S[(128,64):(1@TLane,2@TCol)]"}, .a = {{128, 64}}, .b = {{64, 64}}}, "one lane each");
  Tile far{{128, 256}};
  far.address = 384;
  refused({.c = far, .a = {{128, 64}}, .b = {{256, 64}}},
          "takes columns 384 to 639 of tensor memory, which has 512");  // G30
}

TEST_CASE("gemm_async: A in tensor memory") {
  Tile a{{128, 128}, "S[(128,128):(1@TLane,1@TCol)]", {{0, 128}, {32, 96}}, "float16", StorageScope::Tmem, 256};
  CHECK(served({.c = {{128, 64}}, .a = a, .b = {{64, 64}}}) ==
        "A 272 280 288 296 B 64,64,3 0 2 4 6 D 0 idesc 08100010");
  refused({.c = {{128, 64}}, .a = a, .b = {{64, 64}}, .transpose_a = true}, "cannot be transposed");
  Tile odd = a;
  odd.region = {{0, 128}, {33, 97}};
  refused({.c = {{128, 64}}, .a = odd, .b = {{64, 64}}}, "not at a multiple of 2");  // G4
  Tile over = a;
  over.address = 32;
  refused({.c = {{128, 64}}, .a = over, .b = {{64, 64}}}, "the product would write over A");
}

TEST_CASE("gemm_async: accumulation, scopes, a descriptor of one's own") {
  const AsyncCase plain{.c = {{128, 64}}, .a = {{128, 32}, "64"}, .b = {{64, 32}, "64"}};
  Reader fresh, adds, elected;
  run(plain, fresh);
  CHECK(fresh.adds == std::vector<std::string>{"0", "1"});
  AsyncCase more = plain;
  more.accum = 1;
  run(more, adds);
  CHECK(adds.adds == std::vector<std::string>{"1", "1"});
  AsyncCase warp = plain;
  warp.scope = ExecScope::Warp;
  run(warp, elected);
  CHECK(elected.elected == 1);  // G31: around all of them
  CHECK(elected.text() == fresh.text());
  AsyncCase given = plain;
  given.given = 0x12345678;
  CHECK(served(given).ends_with("idesc 12345678"));
  // G23: one descriptor for a tile that is both.
  Reader apart, both;
  AsyncCase square{.c = {{128, 128}}, .a = {{128, 64}}, .b = {{128, 64}}};
  run(square, apart);
  CHECK(apart.descriptors.size() == 2);
  square.b_is_a = true;
  run(square, both);
  CHECK(both.descriptors.size() == 1);
  CHECK(both.text() == apart.text());
}

TEST_CASE("gemm_async: what it refuses") {
  const auto rejected = dispatch::Outcome::Rejected;
  const AsyncCase good{.c = {{128, 64}}, .a = {{128, 64}}, .b = {{64, 64}}};
  auto with = [&](auto change) {
    AsyncCase c = good;
    change(c);
    return c;
  };
  refused(with([](AsyncCase& c) { c.scope = ExecScope::Warpgroup; }), "this is warpgroup scope", rejected);
  refused(with([](AsyncCase& c) { c.target = {9, 0, 'a'}; }), "the target is sm_90a", rejected);
  refused(with([](AsyncCase& c) { c.a.layout = "S[(128,64):(64,1)]"; }), "has no swizzle");
  refused(with([](AsyncCase& c) { c.a.dtype = c.b.dtype = "float32", c.a.layout = c.b.layout = "64"; }),
          "without scale factors it is float16 or bfloat16");
  refused(with([](AsyncCase& c) { c.b.dtype = "bfloat16"; }), "they must be of one type");
  refused(with([](AsyncCase& c) { c.c.dtype = "float32", c.c.dtype = "int32"; }),
          "C is summed up in float32, not in int32");
  refused(with([](AsyncCase& c) { c.b.scope = StorageScope::Local; }), "B in local");
  refused(with([](AsyncCase& c) { c.b.shape = {32, 64}; }), "C has 64 columns, B has 32 rows");
  refused(with([](AsyncCase& c) { c.a.shape = {64, 64}; }), "C has 128 rows, A has 64");
  refused(with([](AsyncCase& c) { c.a.shape = {128, 128}; }), "K is 128 in A and 64 in B");
  refused(with([](AsyncCase& c) { c.a.region = {{0, 1}, {0, 64}}; }), "a matrix has two extents larger than 1");
  refused(with([](AsyncCase& c) { c.a.layout = "Z(3,3,3) S[(2,64,64):(8192,64,1)]"; }), "not at one distance");  // G19
  refused(with([](AsyncCase& c) { c.c.address = -1; }), "C has no address in tensor memory");
  refused(with([](AsyncCase& c) {
            c.a.scope = StorageScope::Tmem, c.a.layout = "S[(128,64):(1@TLane,1@TCol)]", c.a.address = -1;
          }),
          "A has no address in tensor memory");
  refused(
      {.c = {{64, 16}, "S[(4,16,16):(32@TLane,1@TLane,1@TCol)]"}, .a = {{64, 65552}, "32"}, .b = {{16, 65552}, "32"}},
      "the call would take 4097 instructions, all unrolled; at most 4096");
}

TEST_CASE("gemm_async: scale factors") {
  const Scale a4{128, 4, 1, 400}, b4{64, 4, 1, 440};
  CHECK(served({.c = {{128, 64}}, .a = fp8({128, 128}), .b = fp8({64, 128}), .sfa = a4, .sfb = b4}) ==
        "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 SFA 400 SFB 440 idesc 08900000 28900010 48900020 68900030");
  // One factor for all of K.
  CHECK(served({.c = {{128, 64}},
                .a = fp8({128, 128}),
                .b = fp8({64, 128}),
                .sfa = {128, 1, 1, 400},
                .sfb = {64, 1, 1, 440}})
            .ends_with("SFA 400 SFB 440 idesc 08900000"));
  CHECK(
      served({.c = {{128, 64}},
              .a = fp8({128, 256}),
              .b = fp8({64, 256}),
              .sfa = {128, 8, 1, 400},
              .sfb = {64, 8, 1, 440}})
          .ends_with("SFA 400 400 400 400 404 404 404 404 SFB 440 440 440 440 442 442 442 442 idesc 08900000 28900010 "
                     "48900020 68900030 08900000 28900010 48900020 68900030"));
  CHECK(served({.c = {{128, 64}},
                .a = fp4({128, 256}),
                .b = fp4({64, 256}),
                .sfa = {128, 8, 2, 400},
                .sfb = {64, 8, 2, 440}}) ==
        "A 64,64,3 0 2 4 6 B 64,64,3 0 2 4 6 D 0 SFA 400 400 404 404 SFB 440 440 442 442 idesc 08900480 489004a0 "
        "08900480 "
        "489004a0");
  const std::string e4m3 = "float8_e4m3fn";
  CHECK(served({.c = {{128, 64}},
                .a = fp4({128, 256}),
                .b = fp4({64, 256}),
                .sfa = {128, 16, 4, 400, 1, {}, e4m3},
                .sfb = {64, 16, 4, 440, 1, {}, e4m3}})
            .ends_with("SFA 400 404 408 412 SFB 440 442 444 446 idesc 08100480"));
  CHECK(served({.c = {{128, 256}},
                .a = fp4({128, 256}),
                .b = fp4({128, 256}),
                .sfa = {128, 16, 4, 400, 1, {}, e4m3},
                .sfb = {256, 16, 4, 440, 1, {}, e4m3},
                .group = 2})
            .ends_with("SFA 400 404 408 412 SFB 440 448 456 464 idesc 10400480"));
  // One factor for four steps, written four times.
  CHECK(served({.c = {{128, 64}},
                .a = fp8({128, 128}),
                .b = fp8({64, 128}),
                .sfa = {128, 16, 1, 400, 4, {{0, 128}, {8, 12}}},
                .sfb = {64, 16, 1, 440, 4, {{0, 64}, {8, 12}}}})
            .ends_with("SFA 400 SFB 440 idesc 48900020"));
}

TEST_CASE("gemm_async: scale factors at places of their own") {
  // G9: SFA and SFB at different bytes; G10: one factor that is not the first.
  CHECK(served({.c = {{128, 64}},
                .a = fp8({128, 32}, "32"),
                .b = fp8({64, 32}, "32"),
                .sfa = {128, 4, 1, 400, 1, {{0, 128}, {2, 3}}},
                .sfb = {64, 4, 1, 440, 1, {{0, 64}, {1, 2}}}})
            .ends_with("SFA 400 SFB 440 idesc 48900010"));
  // G11: a pair shared by two steps stays where it is.
  CHECK(served({.c = {{128, 64}},
                .a = fp4({128, 256}),
                .b = fp4({64, 256}),
                .sfa = {128, 4, 2, 400, 1, {{0, 128}, {2, 4}}},
                .sfb = {64, 8, 2, 440}})
            .ends_with("idesc 48900480 489004a0 48900480 489004a0"));
  // G13: a given descriptor gets the ids.
  CHECK(served({.c = {{128, 64}},
                .a = fp8({128, 64}, "64"),
                .b = fp8({64, 64}, "64"),
                .sfa = {128, 2, 1, 400},
                .sfb = {64, 2, 1, 440},
                .given = 0x68900030})
            .ends_with("idesc 08900000 28900010"));
  // G8: tiles of N begin where a block of 32 rows does.
  CHECK(served({.c = {{128, 320}},
                .a = fp8({128, 32}, "32"),
                .b = fp8({320, 32}, "32"),
                .sfa = {128, 1, 1, 400},
                .sfb = {320, 1, 1, 440}})
            .ends_with("D 0 160 SFA 400 SFB 440 445 idesc 08a80000"));
}

TEST_CASE("gemm_async: scale factors that hardware would read elsewhere") {
  const AsyncCase good{
      .c = {{128, 64}}, .a = fp8({128, 128}), .b = fp8({64, 128}), .sfa = {128, 4, 1, 400}, .sfb = {64, 4, 1, 440}};
  auto with = [&](auto change) {
    AsyncCase c = good;
    change(c);
    return c;
  };
  // G7: one lane each, no repetition.
  refused(with([](AsyncCase& c) { c.sfa.layout = "S[(128,4):(1@TLane,1@TCol)]"; }), "row 32 of SFA lies in lane 32");
  refused(with([](AsyncCase& c) { c.sfa.layout = "S[(4,32,4):(4@TCol,1@TLane,1@TCol)]"; }), "in all four quarters");
  // G12: four times as many that do not repeat.
  refused(with([](AsyncCase& c) { c.sfa.columns = 16; }), "they do not repeat");
  refused(with([](AsyncCase& c) { c.sfa.columns = 3; }), "SFA has 3 factors along K");
  refused(with([](AsyncCase& c) { c.sfa.rows = 64; }), "SFA has 64 rows, 128 are multiplied");
  refused(with([](AsyncCase& c) { c.sfb.rows = 32; }), "SFB has 32 rows, 64 are multiplied");
  refused(with([](AsyncCase& c) { c.sfa.dtype = "float8_e4m3fn"; }), "they must be of one type");
  refused(with([](AsyncCase& c) { c.sfa.dtype = c.sfb.dtype = "float8_e4m3fn"; }),
          "take scale factors of float8_e8m0fnu");
  refused(with([](AsyncCase& c) { c.sfb.rows = 0; }), "SFA and SFB must both be given");
  refused(with([](AsyncCase& c) { c.sfa.rows = 0; }), "SFA and SFB must both be given");
  refused(with([](AsyncCase& c) { c.sfa.address = -1; }), "SFA has no address in tensor memory");
  refused(with([](AsyncCase& c) { c.c.shape = {64, 64}, c.a = fp8({64, 128}), c.sfa.rows = 64; }),
          "a CTA multiplies 128 rows");
  AsyncCase transposed{.c = {{128, 256}},
                       .a = fp4({128, 64}),
                       .b = fp4({64, 256}),
                       .sfa = {128, 2, 2, 400},
                       .sfb = {256, 2, 2, 440},
                       .transpose_b = true};
  transposed.a.layout = "32";
  refused(transposed, "cannot be transposed");
  refused(with([](AsyncCase& c) { c.target = {12, 0, 'a'}; }), "the target is sm_120a", dispatch::Outcome::Rejected);
}
