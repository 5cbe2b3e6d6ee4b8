// The table of tile primitives: what the rows say, and what a call does by its row.
#include <map>
#include <set>

#include "compiler/ir/primitive.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

using namespace tilewright;
using namespace tilewright::testing;
using namespace tilewright::ir;

namespace {

// A call with operands by the row's names; those that are not mentioned are missing.
class Calls {
 public:
  Calls() : scope_(arena_) {}

  const TileCall& call(std::string_view primitive, const std::map<std::string_view, Operand>& given,
                       std::vector<ConfigItem> config = {}) {
    const Primitive* row = find_primitive(primitive);
    REQUIRE(row);
    std::vector<Operand> args(row->operands.size());
    for (const auto& [name, operand] : given) args.at(row->find_operand(name)) = operand;
    while (!args.empty() && !is_given(args.back())) args.pop_back();
    return *make_stmt<TileCall>(Origin{}, row->name, ExecScope::Warp, arena_.copy(args), arena_.copy(config),
                                std::span<const std::pair<std::string_view, const Buffer*>>(), std::string_view());
  }
  Operand tile(std::string_view name) {
    auto* buffer = arena_.make<Buffer>();
    buffer->name = name;
    buffer->data = make_var(name, kHandle, VarRole::Data);
    return {.region = {.buffer = buffer, .ranges = {}}, .value = {}, .span = {}};
  }
  static Operand number(Expr value) { return {.region = {}, .value = value, .span = {}}; }

 private:
  Arena arena_;
  ArenaScope scope_;
};

std::string roles_of(const TileCall& call) {
  std::string out;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!call.args[i].region.buffer) continue;
    static constexpr const char* kWords[] = {"read", "written", "both"};
    out += std::string(operand_name(call, i)) + " " + kWords[static_cast<int>(operand_role(call, i))] + "; ";
  }
  return out;
}

}  // namespace

TEST_CASE("each primitive is written as its row says") {
  const std::map<std::string_view, std::string> expected = {
      {"copy", "dst, src"},
      {"copy_async", "dst, src"},
      {"fill", "dst, value"},
      {"memset", "dst, value"},
      {"zero", "dst, src=None"},
      {"sqrt", "dst, src=None, bias=None, scale=None"},
      {"exp", "dst, src=None, bias=None, scale=None"},
      {"exp2", "dst, src=None, bias=None, scale=None"},
      {"log2", "dst, src=None, bias=None, scale=None"},
      {"reciprocal", "dst, src=None"},
      {"silu", "dst, src"},
      {"add", "dst, src1, src2"},
      {"sub", "dst, src1, src2"},
      {"mul", "dst, src1, src2"},
      {"fdiv", "dst, src1, src2"},
      {"maximum", "dst, src1, src2"},
      {"minimum", "dst, src1, src2"},
      {"fma", "dst, src, scale, bias"},
      {"cast", "dst, src"},
      {"sum", "dst, src, axes=-1, accum=False"},
      {"max", "dst, src, axes=-1, accum=False"},
      {"min", "dst, src, axes=-1, accum=False"},
      {"select", "dst, true_value, false_value, pred"},
      {"gemm", "D, A, B, C, transpose_A=False, transpose_B=False, alpha=1, beta=0"},
      {"gemm_async", "C, A, B, SFA=None, SFB=None, transA=False, transB=False, accum=False"},
      {"permute_layout", "dst, src"},
      {"apply", "dst, src=None, src2=None, src3=None"},
      {"apply_tcgen05", "dst, src, src2=None, src3=None, src4=None"},
      {"apply_tensor", "dst, src"},
      {"apply_tmem", "dst, src, src2=None"},
      {"ewise", "dst, input0=None, input1=None, input2=None, input3=None, input4=None, input5=None"},
      {"binary_reduce", "binary_output, reduce_output, in1, in2, binary_op, reduce_op, reduce_axes=-1"},
      {"unary_reduce",
       "unary_output, reduce_output, input, unary_op, reduce_op, bias=None, scale=None, reduce_axes=-1"},
      {"binary_chain", "output, data, operand0, operand1, op0, op1, reverse1=False"},
      {"reduce_negate", "output, input, reduce_op, reduce_axes=-1, accum=False"},
  };
  for (const Primitive& row : primitives()) {
    INFO(row.name);
    auto it = expected.find(row.name);
    REQUIRE(it != expected.end());
    CHECK(row.signature() == it->second);
  }
  CHECK(primitives().size() == expected.size());
}

TEST_CASE("rows are sound") {
  std::set<std::string_view> names;
  for (const Primitive& row : primitives()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(find_primitive(row.name) == &row);
    CHECK(!row.words.empty());
    // What is written comes first, and nothing that must be given stands behind what may be missing.
    REQUIRE(!row.operands.empty());
    CHECK(row.operands[0].role == OperandRole::Written);
    for (std::size_t i = 0; i < row.operands.size(); ++i) {
      const PrimitiveOperand& operand = row.operands[i];
      INFO(operand.name);
      CHECK(row.find_operand(operand.name) == i);
      CHECK(operand.required() == (i < row.required()));
      CHECK(!row.find_keyword(operand.name));
      if (operand.role != OperandRole::Read) CHECK(operand.kind == OperandKind::Region);
      // What makes an operand read, too, is there.
      if (!operand.read_with.empty()) {
        CHECK((row.find_operand(operand.read_with) < row.operands.size() || row.find_keyword(operand.read_with)));
      }
      if (!operand.read_without.empty()) CHECK(row.find_operand(operand.read_without) < row.operands.size());
    }
    for (const PrimitiveKeyword& keyword : row.keywords) {
      INFO(keyword.name);
      CHECK(row.find_keyword(keyword.name) == &keyword);
      CHECK(!keyword.words.empty());
      CHECK(!keyword.fallback.empty());
      for (std::string_view common : {"dispatch", "workspace", "scope"}) CHECK(keyword.name != common);
    }
  }
  CHECK(!find_primitive("copies"));
  CHECK(!find_primitive(""));
}

TEST_CASE("what a call reads and writes depends on what is given") {
  Calls c;
  Operand a = c.tile("a"), b = c.tile("b"), d = c.tile("d"), e = c.tile("e");
  Operand yes = Calls::number(bool_imm(true)), no = Calls::number(bool_imm(false));
  Operand word = Calls::number(string_imm("add"));
  CHECK(roles_of(c.call("copy", {{"dst", d}, {"src", a}})) == "dst written; src read; ");
  CHECK(roles_of(c.call("copy_async", {{"dst", d}, {"src", a}}, {{"cta_mask", yes}})) == "dst written; src read; ");
  // A copy that combines reads what it writes; None is no combination.
  CHECK(roles_of(c.call("copy_async", {{"dst", d}, {"src", a}}, {{"use_tma_reduce", word}})) == "dst both; src read; ");
  CHECK(roles_of(c.call("copy_async", {{"dst", d}, {"src", a}}, {{"use_tma_reduce", {}}})) ==
        "dst written; src read; ");
  // So does a sum that accumulates, at whatever place it says so.
  CHECK(roles_of(c.call("sum", {{"dst", d}, {"src", a}})) == "dst written; src read; ");
  CHECK(roles_of(c.call("sum", {{"dst", d}, {"src", a}, {"accum", no}})) == "dst written; src read; ");
  CHECK(roles_of(c.call("sum", {{"dst", d}, {"src", a}, {"accum", yes}})) == "dst both; src read; ");
  CHECK(roles_of(c.call("gemm", {{"D", d}, {"A", a}, {"B", b}, {"C", e}})) == "D written; A read; B read; C read; ");
  CHECK(roles_of(c.call("gemm_async", {{"C", d}, {"A", a}, {"B", b}})) == "C written; A read; B read; ");
  CHECK(roles_of(c.call("gemm_async", {{"C", d}, {"A", a}, {"B", b}, {"accum", yes}})) == "C both; A read; B read; ");
  // A condition that only the launch knows may hold.
  Operand later = Calls::number(make_var("later", kBool));
  CHECK(roles_of(c.call("gemm_async", {{"C", d}, {"A", a}, {"B", b}, {"accum", later}})) == "C both; A read; B read; ");
  // Without a source the work is done in place.
  CHECK(roles_of(c.call("exp", {{"dst", d}})) == "dst both; ");
  CHECK(roles_of(c.call("exp", {{"dst", d}, {"src", a}, {"bias", b}})) == "dst written; src read; bias read; ");
  CHECK(roles_of(c.call("zero", {{"dst", d}})) == "dst written; ");
  CHECK(roles_of(c.call("unary_reduce", {{"unary_output", d}, {"reduce_output", e}, {"input", a}})) ==
        "unary_output written; reduce_output written; input read; ");
}

TEST_CASE("a call without a row may do anything") {
  Calls c;
  Operand a = c.tile("a");
  TileCall call = c.call("copy", {{"dst", a}, {"src", a}}, {{"mbar", a}});
  CHECK(keyword_role(call, "mbar") == OperandRole::Both);  // no keyword of a plain copy
  call.primitive = "unheard_of";
  CHECK(roles_of(call) == "operand both; operand both; ");
  CHECK(keyword_role(call, "mbar") == OperandRole::Both);
  call.primitive = "copy_async";
  CHECK(keyword_role(call, "mbar") == OperandRole::Both);
  CHECK(keyword_role(call, "cta_mask") == OperandRole::Read);
}
