// The instruction table of 0.27 and its engine; tests/ptx holds it against the reference's own.
#include "catch.h"
#include "compiler/ptx/compute.h"
#include "compiler/ptx/helper.h"
#include "compiler/ptx/operands.h"
#include "compiler/ptx/row_text.h"
#include "compiler/ptx/sections.h"
#include "compiler/ptx/table.h"
#include "compiler/ptx/words.h"

using namespace tilewright;
using namespace tilewright::ptx;

namespace {

constexpr ir::DataType kUInt16{ir::TypeCode::UInt, 16, 1};

Argument value(ir::DataType dtype) {
  Argument out;
  out.dtype = dtype;
  return out;
}
Argument element(ir::DataType dtype) {
  Argument out = value(dtype);
  out.kind = Argument::Kind::Element;
  return out;
}
Argument of_kind(Argument::Kind kind) {
  Argument out;
  out.kind = kind;
  return out;
}
Argument integer(std::int64_t number) {
  Argument out = of_kind(Argument::Kind::Integer);
  out.value = number;
  return out;
}
Argument pointer(bool shared = false) {
  Argument out = of_kind(Argument::Kind::Pointer);
  out.shared = shared;
  return out;
}
Argument predicate(Argument inner) {
  inner.predicate = true;
  return inner;
}
Argument address(Argument base, std::optional<std::int64_t> bytes) {
  base.offset = true;
  base.bytes = bytes;
  return base;
}

// The row that takes the call, or why none does.
std::string taken(std::string_view text, const Call& call) {
  auto chain = Chain::parse(text);
  if (!chain) return chain.error();
  auto resolved = resolve(*chain, call);
  return resolved ? std::string(resolved->instruction.row->id) : resolved.error();
}
Resolved resolved(std::string_view text, const Call& call) {
  auto out = resolve(Chain::parse(text).value(), call);
  INFO((out ? "" : out.error()));
  REQUIRE(out);
  return *out;
}
std::string error_of(std::string_view text) {
  auto chain = Chain::parse(text);
  return chain ? "no error" : chain.error();
}
std::vector<std::string> next_words(std::string_view text) {
  std::vector<std::string> out;
  for (const Open& open : Chain::parse(text).value().open()) out.push_back(open.word);
  return out;
}

}  // namespace

TEST_CASE("ptx: the table has 506 rows in 101 families, seven of which cannot be said") {
  CHECK(rows().size() == 506);
  CHECK(families().size() == 101);
  CHECK(std::ranges::count(rows(), false, &Row::spellable) == 7);
  std::size_t rules = 0;
  for (const Row& row : rows()) {
    CHECK(find_row(row.id) == &row);
    CHECK(row.arch.starts_with("sm_"));
    rules += row.rules.size();
  }
  CHECK(rules > 500);
  CHECK(family("ldx").empty());
  CHECK(find_row("ldx") == nullptr);
}

TEST_CASE("ptx: a row is the same, whether it is asked for alone or with all") {
  for (std::string_view name : families()) {
    INFO(name);
    CHECK(family_syntax(name) == syntax_of(*family(name)[0]));
  }
  REQUIRE(rows().size() == row_count());
  for (std::size_t i = 0; i < row_count(); ++i) {
    CHECK(row_index(rows()[i]) == i);
    CHECK(find_row(rows()[i].id) == &rows()[i]);
  }
}

TEST_CASE("ptx: words of Python and tokens of PTX") {
  CHECK(token_of_word("global_") == "global");
  CHECK(token_of_word("shared__cta") == "shared::cta");
  CHECK(token_of_word("sp__2__colon__4") == "sp::2:4");
  for (const Row& row : rows())
    for (const Slot& slot : row.slots)
      for (std::string_view token : slot.choices) CHECK(token_of_word(word_of_token(token)) == token);
  CHECK(word_of_token("async") == "async_");
  CHECK(word_of_token("and") == "and_");
}

TEST_CASE("ptx: words come in any order and narrow the rows") {
  CHECK(Chain::parse("ld").value().candidates().size() == 4);
  CHECK(Chain::parse("ld.v8").value().candidates().size() == 1);
  CHECK(Chain::parse("ld.gpu.b32.global.acquire").value().complete());
  CHECK(Chain::parse("st_bulk.weak").value().text() == "st.bulk.weak");
  CHECK(Chain::parse("mul.f16x2.f16x2.bf16x2").value().candidates()[0].row->id == "mul_mixed_vec_f16_bf16");
  CHECK_FALSE(Chain::parse("ld.global.acquire.b32").value().complete());  // no scope
  const Chain load = Chain::parse("ld").value();
  CHECK(load.with("global").value().text() == "ld.global");
  CHECK_FALSE(load.with("mma"));
}

TEST_CASE("ptx: a word that does not fit is refused with what is legal") {
  CHECK(error_of("ldx.b32") == "there is no instruction family ldx in T.ptx");
  CHECK(error_of("multimem.st.global.b32") ==
        "there is no instruction family multimem in T.ptx: write multimem_st.global.b32");
  CHECK(error_of("multimem.st.async.global") ==
        "there is no instruction family multimem in T.ptx: write multimem_st_async.global");
  CHECK(error_of("st.async.shared::cluster.b32") == "st takes no .async: that is a family of its own, T.ptx.st_async");
  CHECK(error_of("multimem_st.async.b32") ==
        "multimem.st takes no .async: that is a family of its own, T.ptx.multimem_st_async");
  CHECK(error_of("mbarrier.arrive.expect_tx.shared.b64.b64") ==
        "mbarrier.arrive.expect_tx.shared.b64 takes no .b64: .b64 is written already; legal here: scope .cluster or "
        ".cta; "
        "sem .relaxed or .release");
  CHECK(error_of("rcp.rn.approx") ==
        "rcp.rn takes no .approx: .approx is a mode, which is .rn already; legal here: type .f32 or .f64; .ftz");
  CHECK(error_of("fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes").contains("holds a dot"));
}

TEST_CASE("ptx: completion offers words that lead to an instruction") {
  CHECK(next_words("rcp.approx.f64") == std::vector<std::string>{"ftz"});
  CHECK(next_words("cvta") == std::vector<std::string>{"const", "global_", "local", "param", "param__entry", "shared",
                                                       "shared__cluster", "shared__cta", "to", "u64"});
  CHECK(next_words("fabric.try_put").empty());
  CHECK(next_words("ld.volatile.gpu").empty());
}

TEST_CASE("ptx: operands choose the row") {
  using enum Argument::Kind;
  const ir::DataType f32 = ir::kFloat32, u32 = ir::kUInt32, u64 = ir::kUInt64;
  CHECK(taken("add.rn.f32", {{element(f32), value(f32), integer(1)}, {}, false}) == "add");
  CHECK(taken("mov.b64", {{element(u64), value(u32), value(u32)}, {}, false}) == "mov_pack_b32x2");
  CHECK(taken("mov.b64", {{element(u32), element(u32), value(u64)}, {}, false}) == "mov_unpack_b32x2");
  CHECK(taken("mbarrier.arrive.shared.b64", {{pointer(true)}, {}, false}) == "mbarrier_arrive_nocount");
  CHECK(taken("mbarrier.arrive.shared.b64", {{pointer(true), value(u32)}, {}, false}) == "mbarrier_arrive");
  CHECK(taken("mbarrier.arrive.shared.b64", {{element(u64), pointer(true)}, {}, false}) == "mbarrier_arrive_state");
  CHECK(taken("cp.async.cg.shared.global",
              {{pointer(true), pointer(), integer(16), predicate(value(u32))}, {}, false}) == "cp_async_cg_ignore_src");
  CHECK(taken("cp.async.cg.shared.global", {{pointer(true), pointer(), integer(16), value(u32)}, {}, false}) ==
        "cp_async_cg_src_size");
  CHECK(taken("cp.async.cg.shared.global", {{pointer(true), pointer(), integer(16), of_kind(Boolean)}, {}, false}) ==
        "cp_async_cg_ignore_src");
}

TEST_CASE("ptx: a call that no row takes is refused with the reason of each") {
  using enum Argument::Kind;
  const ir::DataType f32 = ir::kFloat32, u32 = ir::kUInt32, u64 = ir::kUInt64, i32 = ir::kInt32;
  CHECK(taken("add.rn.f32", {{value(f32), value(f32), integer(1)}, {}, false}) ==
        "add.rn.f32: 'd' is written and must be a scalar or an element of a buffer (declare it first: "
        "T.local_scalar(\"float32\")), not float32");
  CHECK(taken("add.u32", {{element(u32), of_kind(Real), integer(1)}, {}, false}) ==
        "add.u32: 'a' is .u32, a float literal would be cut off: write T.uint32(...) for a number");
  CHECK(taken("add.u32", {{element(u32), integer(-1), integer(1)}, {}, false}) ==
        "add.u32: 'a' is .u32, -1 does not fit uint32");
  CHECK(taken("st.global.b8", {{pointer(), integer(256)}, {}, false})
            .contains("st: 'value' is .b8, 256 does not fit uint8"));
  CHECK(taken("mbarrier.arrive.expect_tx.shared.b64", {{pointer(true), value(i32)}, {}, false}) ==
        "none of the 2 forms of mbarrier.arrive.expect_tx.shared.b64 takes this call:\n"
        "  mbarrier_arrive_expect_tx: 'tx_count' is .u32 and must be uint32, not int32\n"
        "  mbarrier_arrive_expect_tx_state: takes 3 operands (state, addr, count), the call has 2");
  CHECK(taken("ld.global.acquire.b32", {{element(u32), pointer()}, {}, false}) ==
        "none of the 3 forms of ld.global.acquire.b32 takes this call:\n"
        "  ld: without scope, sem must be .weak or .volatile, or left out, here it is .acquire\n"
        "  ld_vec: vec is missing, legal here: .v2 or .v4\n"
        "  ld_vec256: .v8 is missing");
  CHECK(taken("ld.global.b32", {{element(u32), pointer(true)}, {}, false})
            .contains("ld: 'addr' is a global address, here it is a pointer into shared memory"));
  CHECK(taken("mov.b64", {{element(u64), value(u32), value(i32)}, {}, false})
            .contains("the 2 registers of 'a' must have one dtype, here they are uint32 and int32"));
  CHECK(taken("lop3.b32", {{element(u32), value(u32), value(u32), value(u32), integer(256)}, {}, false})
            .contains("'immLut' must be in 0..255, here it is 256"));
  CHECK(taken("setp.lt.f32", {{element(f32), value(f32), value(f32)}, {}, false})
            .contains("'p' is a predicate that is written: a uint32 scalar or element of a buffer, not float32"));
}

TEST_CASE("ptx: a call that two rows take is refused with both") {
  const ir::DataType u32 = ir::kUInt32;
  Call call{{element(u32), element(u32), value(u32), value(u32)}, {}, false};
  CHECK(taken("mbarrier.try_wait.parity.phase_type::primary.shared.b64", call) ==
        "mbarrier.try_wait.parity.phase_type::primary.shared.b64: the forms mbarrier_try_wait_parity and "
        "mbarrier_try_wait_parity_report both take this call; a pointer for an address in shared memory tells them "
        "apart");
  call.operands[2] = pointer(true);
  CHECK(taken("mbarrier.try_wait.parity.phase_type::primary.shared.b64", call) == "mbarrier_try_wait_parity_report");
}

TEST_CASE("ptx: predication, sinks and offsets") {
  using enum Argument::Kind;
  const ir::DataType f32 = ir::kFloat32, u32 = ir::kUInt32;
  Argument sink = of_kind(Sink);
  CHECK(taken("st.global.f32", {{pointer(), value(f32)}, value(ir::kBool), false}) == "st");
  CHECK(taken("st.global.f32", {{pointer(), value(f32)}, integer(1), false})
            .contains("pred= must be a bool, a uint32 or an int32, not the integer 1"));
  CHECK(taken("st.global.f32", {{pointer(), value(f32)}, value(ir::kBool), true})
            .contains("preserve_dst=True needs an operand that is written, this has none"));
  CHECK(taken("rcp.approx.f32", {{element(f32), value(f32)}, {}, true}) ==
        "rcp.approx.f32: preserve_dst=True needs pred=");
  std::vector<Argument> eight(8, value(f32));
  eight.insert(eight.begin(), pointer());
  eight[3] = sink;
  CHECK(taken("st.global.v8.f32", {eight, {}, false}) == "st_vec256");
  CHECK(taken("st.global.f32", {{pointer(), sink}, {}, false}).contains("'value' takes no T.ptx.SINK"));
  CHECK(taken("mov.b64", {{sink, sink, value(ir::kUInt64)}, {}, false})
            .contains("all 2 registers of 'd' are T.ptx.SINK, one must be real"));
  CHECK(taken("ld.global.b32", {{element(u32), address(pointer(), 8)}, {}, false}) == "ld");
  CHECK(taken("ld.global.b32", {{element(u32), address(pointer(), std::int64_t{1} << 31)}, {}, false})
            .contains("the offset of T.ptx.addr is 2147483648, beyond a signed int32"));
  CHECK(taken("tcgen05.wait::ld.sync.aligned", {{}, {}, false}) == "tcgen05_wait");
  CHECK(taken("tcgen05.dealloc.cta_group::1.sync.aligned.b32", {{address(value(u32), 8), value(u32)}, {}, false})
            .contains("takes no T.ptx.addr(...)"));
}

TEST_CASE("ptx: the printed form leads back to the row") {
  using enum Argument::Kind;
  const ir::DataType u32 = ir::kUInt32;
  Argument sink = of_kind(Sink);
  Resolved call = resolved("mov.b64", {{sink, element(u32), value(ir::kUInt64)}, value(ir::kBool), true});
  CHECK(printed_words(call) == std::vector<std::string>{"b64", "pred,keep,s0"});
  auto back = resolve_printed("mov", {{element(u32), value(ir::kUInt64), value(ir::kBool)}, printed_words(call)});
  REQUIRE(back);
  CHECK(back->instruction.row->id == "mov_unpack_b32x2");
  CHECK(helper_of(*back).source == helper_of(call).source);

  Resolved copy = resolved("cp.async.cg.shared.global",
                           {{pointer(true), pointer(), integer(16), predicate(value(u32))}, {}, false});
  CHECK(printed_words(copy) == std::vector<std::string>{"async", "cg", "shared", "global", "", "", "p3"});
  back = resolve_printed("cp", {{pointer(true), pointer(), integer(16), value(u32)}, printed_words(copy)});
  REQUIRE(back);
  CHECK(back->instruction.row->id == "cp_async_cg_ignore_src");
  CHECK(resolve_printed("cp", {{}, {"x9"}}).error() ==
        "the marker holds \"x9\"; it is made of pred, keep, p<i> and s<i>");
  CHECK(resolve_printed("cp", {{}, {"s9"}}).error() == "the marker puts a sink at 9, after the operands");
  CHECK(resolve_printed("cp", {{}, {"pred"}}).error() == "the marker says pred, and there is no operand");
}

TEST_CASE("ptx: helpers in CUDA text") {
  const ir::DataType f32 = ir::kFloat32, u32 = ir::kUInt32;
  CHECK(helper_of(resolved("add.rn.f32", {{element(f32), value(f32), value(f32)}, {}, false})).source ==
        "__forceinline__ __device__ void tvm_builtin_ptx_add_rn_f32(float& __d, float __a, float __b) {\n"
        "  asm volatile(\"add.rn.f32 %0, %1, %2;\" : \"=f\"(__d) : \"f\"(__a), \"f\"(__b));\n}\n");
  Helper wide = helper_of(resolved("mov.b32", {{element(f32), value(kUInt16), value(kUInt16)}, {}, false}));
  CHECK(wide.name == "tvm_builtin_ptx_mov_pack_b16x2_b32_f32_u16");
  Helper stored =
      helper_of(resolved("st.shared.u32", {{address(pointer(true), -16), value(u32)}, value(ir::kBool), false}));
  CHECK(stored.name == "tvm_builtin_ptx_st_shared_u32_addr0_m16_pred");
  CHECK(stored.source.contains("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.shared.u32 [%0+-16], %1; }"));
  Resolved late =
      resolved("lop3.b32", {{element(u32), value(u32), value(u32), value(u32), value(ir::kInt32)}, {}, false});
  CHECK_THROWS_AS(helper_of(late), std::invalid_argument);
  CHECK_THROWS_AS(check_helper(late), std::invalid_argument);
  CHECK_NOTHROW(check_helper(resolved("add.rn.f32", {{element(f32), value(f32), value(f32)}, {}, false})));
  CHECK(forwarded(late) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("ptx: each row says what it does, and where PTX describes it") {
  for (const Row& row : rows()) {
    INFO(row.id);
    CHECK(about(row).says.ends_with('.'));
  }
  CHECK(documentation(*find_row("mbarrier_arrive_expect_tx")) ==
        "mbarrier.arrive.expect_tx{.sem}{.scope}{.space}.b64 _, [addr], tx_count\n"
        "Announces bytes, then arrives at a barrier.\n"
        "PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier.arrive\n"
        "PTX 8.0, sm_90 and up");
  CHECK(about(*find_row("fence_proxy_fabric")).section == "fence.proxy");
  CHECK(documentation(*find_row("tcgen05_wait")).ends_with("PTX 8.6, sm_100a"));
}

TEST_CASE("ptx: a form leads to the row of compiler/intrinsics that means the same") {
  auto same = [](std::string_view text) {
    const Chain chain = Chain::parse(text).value();
    for (const Candidate& candidate : chain.candidates())
      if (!fault_of(candidate)) return std::string(candidate.row->same_row(candidate.filled));
    return std::string("no form");
  };
  CHECK(same("mbarrier.arrive.expect_tx.shared.b64") == "P6");
  CHECK(same("mbarrier.arrive.expect_tx.shared::cluster.b64") == "E28");
  CHECK(same("mbarrier.arrive.expect_tx.release.cluster.shared.b64") == "E27");
  CHECK(same("mbarrier.arrive.shared.b64") == "P2");
  CHECK(same("mbarrier.arrive.relaxed.cluster.shared.b64").empty());
  CHECK(same("griddepcontrol.wait") == "P19");
  CHECK(same("griddepcontrol.launch_dependents") == "P20");
  CHECK(same("ld.global.b32") == "P52");
  CHECK(same("ld.acquire.gpu.global.b32") == "P53");
  CHECK(same("ld.relaxed.gpu.global.b32").empty());
  CHECK(same("add.rn.f32") == "P98");
  CHECK(same("add.rn.f32.bf16") == "P111");
  CHECK(same("sin.approx.f32").empty());
}

TEST_CASE("ptx: what registers hold afterwards") {
  auto result = [](std::string_view text, std::vector<Bits> read) -> std::optional<std::vector<std::uint64_t>> {
    const Chain chain = Chain::parse(text).value();
    for (const Candidate& candidate : chain.candidates()) {
      if (fault_of(candidate)) continue;
      auto bits = computed(candidate, read);
      if (!bits) return std::nullopt;
      return std::vector<std::uint64_t>(bits->begin(), bits->end());
    }
    return std::nullopt;
  };
  using Words = std::vector<std::uint64_t>;
  CHECK(result("add.sat.s32", {0x7fffffff, 1}) == Words{0x7fffffff});
  CHECK(result("add.rz.f32", {0x3f800000, 0x33ffffff}) == Words{0x3f800000});  // 1 + less than an ulp
  CHECK(result("add.rp.f32", {0x3f800000, 0x33ffffff}) == Words{0x3f800001});
  CHECK(result("min.NaN.f32", {0x7fc00001, 0}) == Words{0x7fffffff});
  CHECK(result("max.f16x2", {0x80000001, 0x00008001}) ==
        Words{0x00000001});  // -0 is below +0, a negative one below a positive one
  CHECK(result("prmt.b32", {0x33221100, 0x77665544, 0x7531}) == Words{0x77553311});
  CHECK(result("setp.ltu.f32", {0x7fc00000, 0}) == Words{1});
  CHECK(result("cvt.rzi.s32.f32", {0xcf800000}) == Words{0x80000000});
  // Pairs of 8-bit floats: 1 and 2; the largest number for what is beyond it; subnormal numbers; back again.
  CHECK(result("cvt.rn.satfinite.e4m3x2.f32", {0x3f800000, 0x40000000}) == Words{0x3840});
  CHECK(result("cvt.rn.satfinite.e4m3x2.f32", {0xc47a0000, 0x7fc00000}) == Words{0xfe7f});
  CHECK(result("cvt.rn.satfinite.e5m2x2.f32", {0x48000000, 0x37800000}) == Words{0x7b01});
  CHECK(result("cvt.rn.satfinite.relu.e4m3x2.f32", {0xbf800000, 0x3b000000}) == Words{0x0001});
  CHECK(result("cvt.rn.f16x2.e4m3x2", {0x3840}) == Words{0x3c004000});
  CHECK(result("cvt.rn.f16x2.e5m2x2", {0x7c01}) == Words{0x7c000100});
  CHECK(result("fma.rn.f16", {0x3c01, 0x3c01, 0x0001}) == Words{0x3c02});
  CHECK_FALSE(result("rcp.approx.f32", {0x3f800000}));
  CHECK_FALSE(result("ld.global.b32", {0}));
  CHECK_FALSE(result("activemask.b32", {}));
}

TEST_CASE("ptx: a row with a fault is refused by name") {
  CHECK_THROWS_WITH(read_row({"x", "add type=u32", "=d%none", "sm_90 1.0"}), "row x: carriers: none");
  CHECK_THROWS_WITH(read_row({"x", "add u32", "=d", "sm_90 1.0"}),
                    "row x: an operand without a type in a row without a slot `type`: type");
  CHECK_THROWS_WITH(read_row({"x", "add type=u32", "=d", "sm_90 1.0 odd"}), "row x: a fact: odd");
}
