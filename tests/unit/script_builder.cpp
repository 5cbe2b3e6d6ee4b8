// Kernels that are built through the interface of the builder alone are those that a script of the same meaning makes.
#include <deque>
#include <memory>
#include <string>

#include "compiler/builder/kernel_builder.h"
#include "compiler/expr/promote.h"
#include "compiler/script/evaluate.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using builder::KernelBuilder;
using ir::Expr;

namespace {

// What drives the builder here, in place of an evaluator: no tree, no values of a script.
struct Tracer {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  ArenaScope scope{*arena};
  std::deque<layout::Layout> layouts;
  builder::Drafts outside{[this](layout::Layout l) { return &layouts.emplace_back(std::move(l)); }};
  ir::Kernel kernel;
  KernelBuilder k{kernel, &outside};

  Tracer() { kernel.arena = arena; }

  const ir::Buffer* tensor(std::string_view name, std::int64_t extent) {
    builder::BufferOptions o;
    o.shape = {number(extent)};
    return k.tensor_parameter(name, outside.buffer(o, {}));
  }
  const ir::Var* id(std::string_view name, ir::ScopeBinding binding, std::int64_t extent) {
    const Expr extents[] = {number(extent)};
    const ir::Var* var = k.scope_ids({}, binding, extents, {})[0];
    k.drafts().name(var, name);
    return var;
  }
  const ir::Buffer* storage(std::string_view name, std::int64_t extent, ir::StorageScope where) {
    builder::BufferOptions o;
    o.shape = {number(extent)};
    o.scope = where;
    const ir::Buffer* b = *k.allocate({}, o);
    k.drafts().name(b, name);
    return b;
  }
  static Expr number(std::int64_t n) { return ir::int_imm(ir::kInt32, n); }
  static Expr at(const ir::Buffer* b, Expr index) { return ir::load(b, {&index, 1}); }
  void put(const ir::Buffer* b, Expr index, Expr value) { REQUIRE(k.store({}, b, {&index, 1}, value)); }
  std::string done() {
    k.finish({});
    REQUIRE(k.bind_launch(false));
    return ir::print_script(kernel);
  }
};

std::string of_script(const std::string& body) {
  const std::string text =
      "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n\n\n@T.prim_func\n" + body;
  auto e = script::evaluate(syntax::Tree::parse(std::make_shared<text::Source>("k.py", text)), nullptr, {}, {});
  for (const text::Diagnostic& d : e->diagnostics) FAIL(d.message);
  REQUIRE(e->entries.size() == 1);
  return ir::print_script(e->entries[0].kernels[0]->kernel);
}

}  // namespace

TEST_CASE("storage, loops, branches, stores and a tile call") {
  const std::string expected = of_script(R"(def scale(A: T.Buffer((128,), "float32"), n: T.int32):
    T.device_entry()
    cta = T.cta_id([4])
    tid = T.thread_id([128])
    S = T.alloc_buffer((128,), "float32", scope="shared")
    total: T.float32 = 0.0
    for i in T.serial(4):
        if tid < n:
            total = total + A[tid]
        else:
            break
    S[tid] = total
    Tx.cta.copy(A[0:128], S[0:128])
)");

  Tracer t;
  KernelBuilder& k = t.k;
  k.set_name("scale");
  const ir::Buffer* a = t.tensor("A", 128);
  const ir::Var* n = k.parameter("n", ir::kInt32);
  REQUIRE(k.enter_device({}));
  t.id("cta", ir::ScopeBinding::KernelCta, 4);
  const Expr tid = t.id("tid", ir::ScopeBinding::CtaThread, 128);
  const ir::Buffer* s = t.storage("S", 128, ir::StorageScope::Shared);
  const Expr total = k.scalar({}, "total", ir::kFloat32, ir::float_imm(ir::kFloat32, 0));
  const ir::Buffer* sum = total.as<ir::Load>()->buffer;

  const builder::LoopNest loops{{{t.number(0), t.number(4)}}, {}, ir::LoopKind::Serial, ir::UnrollHint::None, {}};
  const ir::Var* i = k.loop_variable(loops, 0, "i");
  k.open_loop(loops, {&i, 1});
  k.open();
  t.put(sum, t.number(0), ir::add(total, t.at(a, tid)));
  builder::Block then_body = k.close({});
  k.open();
  REQUIRE(k.break_loop({}));
  builder::Block else_body = k.close({});
  const Expr condition = ir::binary(ir::ExprKind::LT, tid, n);
  REQUIRE(KernelBuilder::is_condition(condition));
  k.branch({}, condition, then_body, else_body);
  k.loop({}, loops, {&i, 1}, k.close({}));
  t.put(s, tid, total);

  const ir::Range all[] = {{t.number(0), t.number(128)}};
  const ir::Operand operands[] = {{{a, t.arena->copy(std::span<const ir::Range>(all))}, {}, {}},
                                  {{s, t.arena->copy(std::span<const ir::Range>(all))}, {}, {}}};
  k.tile_call({}, {"copy", ir::ExecScope::Cta, operands, {}, {}, {}});
  CHECK(t.done() == expected);
}

TEST_CASE("names for values, loops that are written out, attributes and launch dimensions") {
  const std::string expected = of_script(R"(def spread(A: T.Buffer((64,), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 32)
    base: T.let = bx * 32
    with T.attr({"pragma": 1}):
        for i, j in T.grid(2, 3):
            A[base + tx] = 2
    while A[tx] < T.float32(0):
        for u in T.unroll(4):
            A[tx] = A[tx] * A[u]
)");

  Tracer t;
  KernelBuilder& k = t.k;
  k.set_name("spread");
  const ir::Buffer* a = t.tensor("A", 64);
  auto launch = [&](std::string_view name, ir::ScopeBinding binding, std::int64_t extent) {
    const ir::Var* var = k.drafts().launch_variable({binding, 0});
    k.launch({}, var, t.number(extent));
    k.drafts().name(var, name);
    return Expr(var);
  };
  const Expr bx = launch("bx", ir::ScopeBinding::KernelCta, 2);
  const Expr tx = launch("tx", ir::ScopeBinding::CtaThread, 32);
  const Expr base = k.bind({}, "base", ir::mul(bx, t.number(32)));

  k.open();
  const builder::LoopNest grid{{{t.number(0), t.number(2)}, {t.number(0), t.number(3)}}, {}, {}, {}, {}};
  const ir::Var* ij[] = {k.loop_variable(grid, 0, "i"), k.loop_variable(grid, 1, "j")};
  k.open_loop(grid, ij);
  t.put(a, ir::add(base, tx), t.number(2));  // converted, as an assignment converts it
  k.loop({}, grid, ij, k.close({}));
  const std::pair<std::string_view, Expr> pragma[] = {{"pragma", t.number(1)}};
  k.attributes({}, pragma, nullptr, k.close({}));

  k.open_loop({}, {});
  const builder::LoopNest unrolled{{{t.number(0), t.number(4)}}, {}, ir::LoopKind::Unrolled, {}, {}};
  const ir::Var* u = k.loop_variable(unrolled, 0, "u");
  k.open_loop(unrolled, {&u, 1});
  t.put(a, tx, ir::mul(t.at(a, tx), t.at(a, u)));
  k.loop({}, unrolled, {&u, 1}, k.close({}));
  k.while_loop({}, ir::binary(ir::ExprKind::LT, t.at(a, tx), ir::float_imm(ir::kFloat32, 0)), k.close({}));
  CHECK(t.done() == expected);
}
