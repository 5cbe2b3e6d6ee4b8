// Launch plans bound to numbers.
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/run/bind.h"
#include "compiler/run/experiment.h"
#include "compiler/run/simulated_executor.h"
#include "tests/unit/catch.h"
#include "tests/unit/lower_testing.h"

using namespace tilewright;
using namespace tilewright::testing;
using run::Number;
using run::Role;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
Number whole(std::int64_t n) { return Number::of(n); }

// C[i] = A[i] + x for i < n, with a grid of ceil(n / 256).
struct Symbolic {
  Symbolic() {
    n = s.extent("n");
    a = s.param("A", {Expr(n)}, kFloat32);
    c = s.param("C", {Expr(n)}, kFloat32);
    x = s.scalar_param("x", kInt32);
    s.device();
    const Var* cta = s.id(ScopeBinding::KernelCta, (Expr(n) + 255) / 256, "cta");
    const Var* tid = s.id(ScopeBinding::CtaThread, Expr(256), "tid");
    Expr i = Expr(cta) * 256 + Expr(tid);
    Expr sum = ir::add(Script::at(a, {i}), ir::cast(kFloat32, Expr(x)));
    s.add(make_stmt<If>(Script::origin(), lt(i, Expr(n)), Script::store(c, {i}, sum), nullptr));
    kernel = s.lowered();
    REQUIRE(kernel);
  }
  Script s;
  const Var *n, *x;
  Buffer *a, *c;
  std::optional<lower::LoweredKernel> kernel;
};

}  // namespace

TEST_CASE("bind: a plan without symbols") {
  Script s;
  round_trip(s, 64, 64, kFloat16, 128, ExecScope::Cta, rows({64, 64}));
  auto kernel = s.lowered();
  REQUIRE(kernel);
  auto bound = run::bind(*kernel, {});
  REQUIRE(bound);
  CHECK(bound->job.launches[0].symbol == kernel->symbol);
  CHECK(bound->job.launches[0].grid == std::array<std::int64_t, 3>{1, 1, 1});
  CHECK(bound->job.launches[0].block == std::array<std::int64_t, 3>{128, 1, 1});
  REQUIRE(bound->tensors.size() == 2);
  CHECK(bound->tensors[0].name == "A");
  CHECK(bound->tensors[0].bytes == 8192);
  CHECK(bound->tensors[0].role == Role::Input);
  CHECK(bound->tensors[1].role == Role::Output);
  REQUIRE(bound->job.launches[0].params.size() == 2);
  CHECK(bound->job.launches[0].params[1].index == 1);
}

TEST_CASE("bind: symbolic extents give the grid, the sizes and the scalars") {
  Symbolic k;
  run::Bindings bindings;
  bindings.values = {{"n", whole(1000)}, {"x", whole(-3)}};
  auto bound = run::bind(*k.kernel, bindings);
  REQUIRE(bound);
  CHECK(bound->job.launches[0].grid[0] == 4);
  CHECK(bound->tensors[0].shape == std::vector<std::int64_t>{1000});
  CHECK(bound->tensors[0].bytes == 4000);
  CHECK(bound->extents.at("n") == 1000);
  REQUIRE(bound->job.launches[0].params.size() == 4);
  CHECK(bound->job.launches[0].params[2].scalar == std::string("\xE8\3\0\0", 4));
  CHECK(bound->job.launches[0].params[3].scalar == std::string("\xFD\xFF\xFF\xFF", 4));
  // A given tensor's shape says it as well.
  bindings.values.erase("n");
  bindings.shapes["A"] = {512};
  bound = run::bind(*k.kernel, bindings);
  REQUIRE(bound);
  CHECK(bound->job.launches[0].grid[0] == 2);
}

TEST_CASE("bind: what is missing or contradicts itself is named with the way out") {
  Symbolic k;
  auto error = [&](const run::Bindings& bindings) {
    auto bound = run::bind(*k.kernel, bindings);
    REQUIRE(!bound);
    return bound.error();
  };
  CHECK(says(error({}), "the symbolic extent `n` has no value: give it with --set n=128"));
  CHECK(says(error({.values = {{"n", whole(4)}}, .shapes = {}, .raw_bytes = {}}), "give it with --set x=VALUE"));
  CHECK(says(error({.values = {{"n", whole(-1)}}, .shapes = {}, .raw_bytes = {}}), "a whole number of at least 0"));
  CHECK(says(error({.values = {{"n", Number::of(1.5)}}, .shapes = {}, .raw_bytes = {}}), "a whole number"));
  CHECK(says(error({.values = {{"n", whole(4)}, {"x", whole(1)}}, .shapes = {{"A", {5}}}, .raw_bytes = {}}),
             "`n` is 4, but tensor A has 5"));
  CHECK(says(error({.values = {{"x", whole(1)}}, .shapes = {{"A", {5}}, {"C", {6}}}, .raw_bytes = {}}),
             "`n` is 5, but tensor C has 6"));
  CHECK(says(error({.values = {{"x", whole(1)}}, .shapes = {{"A", {5, 5}}}, .raw_bytes = {}}),
             "A has shape (5), not (5, 5)"));
  CHECK(says(error({.values = {{"n", whole(4)}, {"x", Number::of(0.5)}}, .shapes = {}, .raw_bytes = {}}),
             "a int32 is an integer"));
  CHECK(says(error({.values = {{"n", whole(4)}, {"x", whole(std::int64_t{1} << 40)}}, .shapes = {}, .raw_bytes = {}}),
             "does not fit a int32"));
  CHECK(says(error({.values = {{"n", whole(0)}, {"x", whole(1)}}, .shapes = {}, .raw_bytes = {}}),
             "the grid's x is 0; it has to lie between 1 and"));
}

namespace {

// `to`[i] = `from`[i], of 128 elements.
std::optional<lower::LoweredKernel> copies(Script& s, const char* from, const char* to, DataType dtype = kFloat32) {
  Buffer* a = s.param(from, {Expr(128)}, dtype);
  Buffer* b = s.param(to, {Expr(128)}, dtype);
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(1), "cta");
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(128), "tid");
  s.add(Script::store(b, {Expr(tid)}, Script::at(a, {Expr(tid)})));
  return s.lowered();
}

}  // namespace

TEST_CASE("bind: kernels in turn share the tensors of one name") {
  Script first, second, third, narrow;
  auto a_to_b = copies(first, "A", "B"), b_to_c = copies(second, "B", "C"), b_to_a = copies(third, "B", "A");
  auto half = copies(narrow, "B", "D", kFloat16);
  REQUIRE(a_to_b);
  REQUIRE(b_to_c);
  REQUIRE(b_to_a);
  REQUIRE(half);
  auto bound = run::bind(std::vector<const lower::LoweredKernel*>{&*a_to_b, &*b_to_c}, {});
  REQUIRE(bound);
  REQUIRE(bound->job.buffers.size() == 3);
  CHECK(bound->job.buffers[0].role == Role::Input);
  CHECK(bound->job.buffers[1].role == Role::Output);  // made by the first, then read
  CHECK(bound->job.buffers[2].role == Role::Output);
  REQUIRE(bound->job.launches.size() == 2);
  CHECK(bound->job.launches[1].params[0].index == 1);
  CHECK(bound->job.launches[1].params[1].index == 2);
  REQUIRE(bound->launches.size() == 2);
  CHECK(bound->launches[1].tensors[0].name == "B");
  // What is read first and written later needs its contents before each round.
  bound = run::bind(std::vector<const lower::LoweredKernel*>{&*a_to_b, &*b_to_a}, {});
  REQUIRE(bound);
  CHECK(bound->job.buffers[0].role == Role::InOut);
  CHECK(bound->tensors[0].role == Role::InOut);
  bound = run::bind(std::vector<const lower::LoweredKernel*>{&*a_to_b, &*half}, {});
  REQUIRE(!bound);
  CHECK(says(bound.error(), "the kernels share B, but one has 512 bytes of it and another 256"));
}

TEST_CASE("experiment: kernels in turn on the simulator, held against what is expected") {
  Script first, second, other;
  auto a_to_b = copies(first, "A", "B"), b_to_c = copies(second, "B", "C"), a_to_c = copies(other, "A", "C");
  run::Wanted wanted;
  auto made = run::Experiment::set_up({&*a_to_b, &*b_to_c}, wanted, "both");
  REQUIRE(made);
  run::Experiment& e = *made;
  e.fill();
  run::SimulatedExecutor simulator;
  REQUIRE(simulator.device());
  e.execute(simulator, {});
  REQUIRE(e.report.outcome.status == run::Status::Done);
  CHECK(e.report.outcome.buffers[2].contents == e.report.bound.job.buffers[0].contents);
  auto no_cubin = [] { return std::expected<std::string, run::Failure>(std::unexpected(run::Failure{"none", {}})); };
  REQUIRE(e.expect(*a_to_c, "other", simulator, no_cubin, {}));
  e.digest();
  e.judge();
  CHECK(e.report.problems.empty());
  CHECK(e.report.verdict() == "unverified");  // nothing was expected of B
  CHECK(e.report.tensors[2].comparison->mismatches == 0);
  CHECK(e.report.tensors[2].digest == e.report.tensors[0].digest);
  // A reference that computes something else is a failure with the first element.
  auto wrong = run::Experiment::set_up({&*a_to_b}, wanted, "one");
  wrong->fill();
  wrong->execute(simulator, {});
  wrong->report.outcome.buffers[1].contents.data()[11] ^= 0x40;
  REQUIRE(wrong->expect(*a_to_b, "itself", simulator, no_cubin, {}));
  wrong->judge();
  REQUIRE(wrong->report.problems.size() == 1);
  CHECK(says(wrong->report.problems[0], "1 of 128 elements of B are not as expected"));
  CHECK(says(wrong->report.problems[0], "[2]"));
}

TEST_CASE("experiment: what cannot be done is said before anything runs") {
  Script s;
  auto kernel = copies(s, "A", "B");
  auto said = [&](run::Wanted wanted) {
    auto made = run::Experiment::set_up({&*kernel}, std::move(wanted), "k");
    REQUIRE(!made);
    return made.error().message + " | " + made.error().hint;
  };
  run::Wanted wanted;
  wanted.outputs = {"Z"};
  CHECK(says(said(wanted), "the kernel has no tensor Z | it has A, B"));
  wanted = {};
  wanted.memory_limit = 1023;
  CHECK(says(said(wanted), "the tensors take 1024 bytes of this machine's memory; at most 1023 are used"));
  wanted = {};
  wanted.expected["B"] = {"b.npy", run::to_npy(kFloat32, {4}, std::string(16, '\0'))};
  CHECK(says(said(wanted), "b.npy: its shape is (4,), (128,) is wanted"));
  wanted = {};
  wanted.inputs["A"] = {"a.npy", run::to_npy(kFloat16, {128}, std::string(256, '\0'))};
  CHECK(says(said(wanted), "a.npy: it holds float16, float32 is wanted"));
}

TEST_CASE("bind: padded storage takes what its layout spans") {
  Script s;
  static layout::Layout padded;  // the arena keeps no vectors
  padded.tile = layout::TileLayout{{{8, 20}, {16, 1}}, {}, {}};
  Buffer* a = s.param("A", {Expr(8), Expr(16)}, kFloat16);
  a->layout = &padded;
  Buffer* b = s.param("B", {Expr(8), Expr(16)}, kFloat16);
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(1), "cta");
  s.id(ScopeBinding::CtaThread, Expr(1), "tid");
  s.add(s.call("copy", ExecScope::Thread, s.whole(b), s.whole(a)));
  auto kernel = s.lowered();
  REQUIRE(kernel);
  auto bound = run::bind(*kernel, {});
  REQUIRE(bound);
  CHECK(bound->tensors[0].bytes == (7 * 20 + 16) * 2);
  CHECK(!bound->tensors[0].compact);
  CHECK(bound->tensors[1].bytes == 8 * 16 * 2);
  CHECK(bound->tensors[1].compact);
}

TEST_CASE("bind: host values in numbers") {
  Arena memory;
  ArenaScope arena(memory);
  const Var* n = make_var("n", kInt32);
  run::Symbols symbols = [&](const Var* v) -> std::expected<Number, std::string> {
    if (v == n) return whole(-7);
    return std::unexpected("`" + std::string(v->name) + "` has no value");
  };
  auto value = [&](Expr e) { return run::evaluate_integer(e, symbols); };
  CHECK(*value(Expr(n) / 2) == -4);
  CHECK(*value(Expr(n) % 2) == 1);
  CHECK(*value(binary(ExprKind::TruncDiv, Expr(n), Expr(2))) == -3);
  CHECK(*value(binary(ExprKind::Min, Expr(n), Expr(3))) == -7);
  CHECK(*value(select(lt(Expr(n), Expr(0)), Expr(1), Expr(2))) == 1);
  CHECK(*value(cast(kUInt8, Expr(n))) == 249);
  CHECK(*value(both(lt(Expr(n), Expr(0)), ge(Expr(n), Expr(-7)))) == 1);
  CHECK(says(value(Expr(1) / (Expr(n) + 7)).error(), "a division by zero"));
  CHECK(says(value(Expr(make_var("m", kInt32)) + 1).error(), "`m` has no value"));
  CHECK(says(value(float_imm(kFloat32, 0.5)).error(), "is no integer"));

  CHECK(run::parse_number("0x40")->integer == 64);
  CHECK(run::parse_number("-12")->integer == -12);
  CHECK(run::parse_number("1.5")->floating == 1.5);
  CHECK(run::parse_number("true")->integer == 1);
  CHECK(!run::parse_number("12px"));
  CHECK(!run::parse_number(""));
  CHECK(*run::scalar_bytes(kFloat16, Number::of(1.5)) == std::string("\x00\x3E", 2));
  CHECK(*run::scalar_bytes(kUInt64, *run::parse_number("18446744073709551615")) == std::string(8, '\xFF'));
}

TEST_CASE("roles: a tile primitive does to its operands what its row says") {
  auto roles = [](std::string_view primitive) {
    KernelBuilder k;
    Buffer* a = k.buffer("A", {Expr(32)}, kFloat32, StorageScope::Global, rows({32}));
    Buffer* b = k.buffer("B", {Expr(32)}, kFloat32, StorageScope::Global, rows({32}));
    k.device();
    k.add(k.call(primitive, ExecScope::Warp, full_region(b), full_region(a)));
    auto found = run::tensor_roles(k.finish());
    return std::pair{found.at(a->data), found.at(b->data)};
  };
  for (std::string_view primitive : {"copy", "copy_async", "cast", "sum", "exp", "permute_layout"}) {
    INFO(primitive);
    CHECK(roles(primitive) == std::pair{Role::Input, Role::Output});
  }
  CHECK(roles("unheard_of") == std::pair{Role::InOut, Role::InOut});
}

namespace {

// Evaluates rows on pointers to tensors, and tells the tensors' roles.
struct Roles {
  Buffer* tensor(std::string_view name) { return s.param(name, {Expr(64)}, kInt32); }
  static Expr at(const Buffer* b) {
    Expr zero = 0, element = load(b, {&zero, 1});
    return call(kHandle, builtin::address_of, {&element, 1});
  }
  void evaluate(const Callee& callee, std::vector<Expr> args) {
    s.add(make_stmt<Evaluate>(Script::origin(), call(kVoid, callee, args)));
  }
  void row(std::string_view id, std::vector<Expr> args) { evaluate(*intrinsics::row_of_id(id), std::move(args)); }
  // The host encodes a map of the tensor; the address of the map.
  Expr map_of(const Buffer* tensor) {
    static const Callee packed{"call_packed", Effect::Opaque};
    Expr map = make_var("map", kTensorMap, VarRole::Parameter);
    evaluate(packed, {string_imm("runtime.cuTensorMapEncodeTiled"), map, string_imm("int32"), 1, Expr(tensor->data), 64,
                      64, 1, 0, 0, 0, 0});
    return call(kUInt64, builtin::address_of, {&map, 1});
  }
  Role of(const Buffer* tensor) { return run::tensor_roles(s.finish()).at(tensor->data); }
  Script s;
};

}  // namespace

TEST_CASE("roles: rows say what becomes of a pointer") {
  Roles r;
  Expr none = string_imm(""), absent = intrinsics::absent();
  Buffer *acquired = r.tensor("acquired"), *stored = r.tensor("stored"), *added = r.tensor("added"),
         *given = r.tensor("given"), *from = r.tensor("from"), *to = r.tensor("to");
  r.row("P53", {Roles::at(acquired), string_imm("int32"), string_imm("s32"), string_imm("gpu"), string_imm("global")});
  r.row("P57",
        {Roles::at(stored), bool_imm(false), string_imm("global"), none, none, string_imm("s32"), none, absent, 1});
  r.row("C33", {Roles::at(added), 1});
  r.row("L11", {string_imm("void"), string_imm("other"), Roles::at(given)});
  r.row("C26", {Roles::at(to), Roles::at(from), 16});
  CHECK(r.of(acquired) == Role::Input);
  CHECK(r.of(stored) == Role::Output);
  CHECK(r.of(added) == Role::InOut);
  CHECK(r.of(given) == Role::InOut);
  CHECK(r.of(from) == Role::Input);
  CHECK(r.of(to) == Role::Output);
}

TEST_CASE("roles: a tensor behind a map is what copies do through the map") {
  Roles r;
  Expr none = string_imm(""), absent = intrinsics::absent(), window = make_var("window", kHandle, VarRole::Data);
  Buffer *loaded = r.tensor("loaded"), *stored = r.tensor("stored"), *reduced = r.tensor("reduced"),
         *edited = r.tensor("edited"), *unused = r.tensor("unused");
  r.row("E15", {1, window, window, r.map_of(loaded), none, absent, 0});
  r.row("P48", {1, window, r.map_of(stored), none, absent, 0});
  r.row("P49", {1, window, r.map_of(reduced), none, string_imm("add"), absent, 0});
  r.row("E18", {window, r.map_of(edited)});
  r.map_of(unused);
  CHECK(r.of(loaded) == Role::Input);
  CHECK(r.of(stored) == Role::Output);
  CHECK(r.of(reduced) == Role::InOut);
  CHECK(r.of(edited) == Role::InOut);
  CHECK(r.of(unused) == Role::Input);
}
