// Stages make their own results: what one of them printed before the next ran, it prints afterwards, whatever that one
// did, on any thread, and a lowered kernel needs nothing but itself.
#include <thread>

#include "compiler/cuda/cuda.h"
#include "compiler/dispatch/dispatcher.h"
#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/lower.h"
#include "compiler/session/compile.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

// Scope ids without names and without extents, a view and a layout that depend on them, loops and bindings whose ranges
// only lowering finds, and a tile primitive between.
std::string kernel_text(const std::string& last = "") {
  return R"(from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

@T.prim_func
def kernel(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (8, 64), "float32")
    T.device_entry()
    T.cta_id([4])
    warp = T.warp_id()
    tid = T.thread_id([128])
    s = T.alloc_shared([8, 64], "float32")
    row = T.decl_buffer([64], "float32", data=s.data, elem_offset=warp * 64, scope="shared")
    Tx.cta.copy(s[:, :], A[:, :])
    for i in T.serial(n):
        base: T.let = i * 4 + warp
        row[T.lane_id([32]) + base % 2] = A[base % 8, tid % 64]
    if warp < 2:
        Tx.warp.copy(A[0:4, :], s[0:4, :])
    A[T.lane_id([32]) // 8, warp] = row[tid % 64]
)" + last;
}

// No variant serves a copy at cluster scope.
const std::string kRefused = "    Tx.cluster.copy(A[0:4, :], s[0:4, :])\n";

std::unique_ptr<script::Evaluation> evaluate(const std::string& text) {
  auto source = std::make_shared<text::Source>("kernel.py", text);
  auto evaluation = script::evaluate(syntax::Tree::parse(source), nullptr, {}, {});
  for (const text::Diagnostic& d : evaluation->diagnostics) INFO(d.message);
  REQUIRE(evaluation->diagnostics.empty());
  REQUIRE(evaluation->entries.size() == 1);
  return evaluation;
}

const ir::Kernel& kernel_of(const script::Evaluation& e) { return e.entries[0].kernels[0]->kernel; }

std::string tirx(const ir::Kernel& k) { return ir::print_script(k, intrinsics::printed_arguments); }

// The variables of a kernel as they stand: what a stage would have to change to be seen by another.
std::string fields(const ir::Kernel& kernel) {
  std::string out;
  auto note = [&](const ir::Var* v) {
    out += std::string(v->name) + ":" + std::to_string(v->range.lo) + ".." + std::to_string(v->range.hi) + ":" +
           std::string(v->storage_scope) + "\n";
  };
  ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
    if (auto* ids = ir::as<ir::ScopeIds>(s)) std::ranges::for_each(ids->vars, note);
    if (auto* bind = ir::as<ir::Bind>(s)) note(bind->var);
    if (auto* loop = ir::as<ir::For>(s)) note(loop->var);
    if (auto* alloc = ir::as<ir::Alloc>(s)) note(alloc->buffer->data);
    return true;
  });
  return out;
}

struct Texts {
  std::string lowered, cuda;
  friend bool operator==(const Texts&, const Texts&) = default;
};

std::optional<Texts> run_stages(const ir::Kernel& kernel) {
  auto dispatched = dispatch::dispatch(kernel, {});
  auto lowered = lower::lower(dispatched, {});
  if (!lowered) return std::nullopt;
  auto cuda = cuda::emit(*lowered, {});
  REQUIRE(cuda);
  return Texts{lower::print_lowered(*lowered), cuda->text};
}

}  // namespace

TEST_CASE("a kernel prints the same before and after the stages that read it") {
  for (const std::string& last : {std::string(), kRefused}) {
    auto evaluation = evaluate(kernel_text(last));
    const ir::Kernel& kernel = kernel_of(*evaluation);
    const std::string printed = tirx(kernel), known = fields(kernel);
    CAPTURE(printed);
    auto first = run_stages(kernel);
    CHECK(first.has_value() == last.empty());
    CHECK(tirx(kernel) == printed);
    CHECK(fields(kernel) == known);
    // And makes the same again.
    CHECK(run_stages(kernel) == first);
  }
}

TEST_CASE("a failing call does not change how the rest of the kernel prints") {
  auto good = evaluate(kernel_text()), refused = evaluate(kernel_text(kRefused));
  run_stages(kernel_of(*good));
  run_stages(kernel_of(*refused));
  const std::string shorter = tirx(kernel_of(*good)), longer = tirx(kernel_of(*refused));
  CHECK(longer.substr(0, shorter.size()) == shorter);
  CHECK(longer.size() > shorter.size());
}

TEST_CASE("ids without extent are closed in the results, not in the kernel") {
  auto evaluation = evaluate(kernel_text());
  const ir::Kernel& kernel = kernel_of(*evaluation);
  auto dispatched = dispatch::dispatch(kernel, {});
  const ir::Var* open = nullptr;
  ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
    auto* ids = ir::as<ir::ScopeIds>(s);
    if (ids && ids->binding == ir::ScopeBinding::CtaWarp) open = ids->vars[0];
    return true;
  });
  REQUIRE(open);
  CHECK(open->range == ir::Interval{0, ir::Interval::kMax});
  bool closed = false;
  for (const ir::Var* id : dispatched.scope_ids) {
    if (id->scope_id != ir::ScopeBinding::CtaWarp) continue;
    closed = true;
    CHECK(id != open);
    CHECK(id->id == open->id);
    CHECK(id->range == ir::Interval{0, 3});
  }
  CHECK(closed);
  // No statement of the dispatched body names the open one any more.
  ir::walk_stmts(dispatched.body, [&](const ir::Stmt* s) {
    auto look = [&](ir::Expr e) {
      ir::walk(e, [&](ir::Expr x) {
        CHECK(x.get() != open);
        if (auto* load = x.as<ir::Load>(); load && load->buffer->elem_offset)
          CHECK_FALSE(ir::same_node(load->buffer->elem_offset, ir::Expr(open)));
        return true;
      });
    };
    if (auto* store = ir::as<ir::Store>(s)) {
      look(store->value);
      for (ir::Expr i : store->indices) look(i);
      if (store->buffer->elem_offset) look(store->buffer->elem_offset);
    }
    if (auto* branch = ir::as<ir::If>(s)) look(branch->condition);
    if (auto* bind = ir::as<ir::Bind>(s)) look(bind->value);
    if (auto* view = ir::as<ir::Decl>(s); view && view->buffer->elem_offset) look(view->buffer->elem_offset);
    return true;
  });
}

TEST_CASE("two threads at different stages of one kernel say the same") {
  auto evaluation = evaluate(kernel_text());
  const ir::Kernel& kernel = kernel_of(*evaluation);
  const std::string printed = tirx(kernel);
  const auto expected = run_stages(kernel);
  REQUIRE(expected);
  for (int round = 0; round < 20; ++round) {
    std::string shallow;
    std::optional<Texts> deep;
    std::thread printing([&] { shallow = tirx(kernel); });
    std::thread running([&] { deep = run_stages(kernel); });
    printing.join();
    running.join();
    REQUIRE(shallow == printed);
    REQUIRE(deep == expected);
  }
}

TEST_CASE("a lowered kernel outlives what it was made from") {
  std::optional<lower::LoweredKernel> lowered;
  Texts before;
  {
    auto evaluation = evaluate(kernel_text());
    {
      auto dispatched = dispatch::dispatch(kernel_of(*evaluation), {});
      auto made = lower::lower(dispatched, {});
      REQUIRE(made);
      lowered = std::move(*made);
    }
    before.lowered = lower::print_lowered(*lowered);
    // A second lowering of the same kernel, and its text, leave the first alone.
    REQUIRE(run_stages(kernel_of(*evaluation)));
  }
  CHECK(lower::print_lowered(*lowered) == before.lowered);
  auto cuda = cuda::emit(*lowered, {});
  REQUIRE(cuda);
  CHECK(cuda->text.find("kernel_kernel") != std::string::npos);
  CHECK(lowered->kernel->name == "kernel");
  CHECK(lowered->kernel->target == ir::Target{});
}

TEST_CASE("target and dialect are the kernel's, and part of its key") {
  auto text = std::make_shared<text::Source>("kernel.py", kernel_text());
  auto tree = syntax::Tree::parse(text);
  session::KernelCache cache;
  auto compile = [&](ir::Target target, text::Dialect dialect) {
    session::KernelCache::Use use(cache);
    session::CompileOptions options;
    options.target = target;
    options.dialect = dialect;
    options.cache = &use;
    session::Compiled compiled = session::compile(tree, nullptr, {}, options);
    REQUIRE(compiled.kernels.size() == 1);
    REQUIRE(compiled.kernels[0].lowered);
    CHECK(compiled.kernels[0].lowered->kernel->target == target);
    CHECK(compiled.kernels[0].lowered->kernel->dialect == dialect);
    use.finish();
    return use.made();
  };
  const ir::Target hopper = *ir::parse_target("sm_90a"), ampere = *ir::parse_target("sm_80");
  CHECK(compile(hopper, text::Dialect::V0_25) == 1);
  CHECK(compile(hopper, text::Dialect::V0_25) == 0);
  CHECK(compile(ampere, text::Dialect::V0_25) == 1);
  CHECK(compile(hopper, text::Dialect::V0_27) == 1);
  CHECK(compile(hopper, text::Dialect::V0_27) == 0);
}
