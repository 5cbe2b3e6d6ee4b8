// What the builder of kernels refuses, knows and leaves as it was.
#include <deque>
#include <memory>

#include "compiler/builder/kernel_builder.h"
#include "compiler/builder/launch.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using builder::KernelBuilder;
using ir::Expr;

namespace {

struct Kernel {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  ArenaScope scope{*arena};
  std::deque<layout::Layout> layouts;
  builder::Drafts outside{[this](layout::Layout l) { return &layouts.emplace_back(std::move(l)); }};
  ir::Kernel kernel;
  KernelBuilder k{kernel, &outside};
};

Expr number(std::int64_t n) { return ir::int_imm(ir::kInt32, n); }

builder::BufferOptions options(std::vector<Expr> shape, ir::StorageScope scope) {
  builder::BufferOptions o;
  o.shape = std::move(shape);
  o.scope = scope;
  return o;
}

template <class T>
std::string refused(const builder::Made<T>& made) {
  return made ? "made" : std::string(made.error().code) + " " + made.error().message;
}

}  // namespace

TEST_CASE("what is refused leaves no statement") {
  Kernel t;
  CHECK(refused(t.k.break_loop({})) == "TW2104 this stands outside of every loop");
  REQUIRE(t.k.enter_device({}));
  CHECK(refused(t.k.enter_device({})) == "TW2115 T.device_entry() stands twice in this kernel");
  CHECK(refused(t.k.allocate({}, options({number(0)}, ir::StorageScope::Shared))) ==
        "TW2106 a buffer extent must be positive, it is 0");
  CHECK(refused(t.k.allocate({}, options({number(4)}, ir::StorageScope::Tmem))) ==
        "TW2106 a tmem buffer needs allocated_addr");
  const ir::Buffer* b = *t.k.allocate({}, options({number(8)}, ir::StorageScope::Local));
  const Expr two = ir::ramp(number(0), number(1), 2), zero = number(0);
  CHECK(refused(t.k.store({}, b, {&zero, 1}, two)).starts_with("TW2004 cannot store int32x2 into 1 element of"));
  t.k.finish({});
  const auto* body = ir::as<ir::Seq>(t.kernel.body);
  REQUIRE(body);
  CHECK(body->body.size() == 2);  // the entry, and the allocation that was made
}

TEST_CASE("a buffer takes the part of a repeating layout that is as long as itself") {
  Kernel t;
  layout::Layout repeating{std::nullopt, layout::TileLayout{}};
  repeating.tile->shard = {{32, 64, layout::Axis::m}, {64, 1, layout::Axis::m}};
  builder::BufferOptions o = options({number(64)}, ir::StorageScope::Shared);
  o.layout = &repeating;
  const ir::Buffer* b = *t.k.allocate({}, o);
  CHECK(layout::size(*b->layout).value() == 64);
  o.shape = {number(48)};
  CHECK(refused(t.k.allocate({}, o)) == "TW2106 the buffer has 48 elements, its layout 2048");
  CHECK(t.k.allocated().size() == 1);
}

TEST_CASE("loops: what may be left, and what is known of the first round") {
  Kernel t;
  const builder::LoopNest unrolled{{{number(3), number(4)}}, {}, ir::LoopKind::Unrolled, {}, {}};
  const ir::Var* u = t.k.loop_variable(unrolled, 0, "u");
  CHECK(u->range.lo == 3);
  CHECK(u->range.hi == 6);
  t.k.open_loop(unrolled, {&u, 1});
  CHECK(t.k.in_loop());
  const Expr next = ir::add(u, number(1));
  CHECK(ir::is_constant(t.k.in_first_round(next), 4));
  CHECK(!ir::constant(t.k.settled(next)));
  const builder::LoopNest threads{{{number(0), number(32)}}, {}, ir::LoopKind::ThreadBinding, {}, "threadIdx.x"};
  const ir::Var* x = t.k.loop_variable(threads, 0, "x");
  CHECK(builder::is_launch_var(x));
  t.k.open_loop(threads, {&x, 1});
  CHECK(!t.k.in_loop());  // all rounds run at once
  t.k.close({});
  CHECK(t.k.in_loop());
  t.k.close({});
  CHECK(!t.k.in_loop());
  CHECK(!ir::constant(t.k.in_first_round(next)));
}

TEST_CASE("a bound constant settles what is made of it") {
  Kernel t;
  const ir::Var* x = t.k.bind({}, "x", number(5));
  CHECK(!ir::constant(t.k.settled(ir::mul(x, number(2)))));
  t.k.know(x, number(5));
  CHECK(ir::is_constant(t.k.settled(ir::mul(x, number(2))), 10));
}

TEST_CASE("drafts take names until they have one, and the pointer to their data with them") {
  Kernel t;
  const ir::Buffer* b = *t.k.allocate({}, options({number(8)}, ir::StorageScope::Shared));
  CHECK(b->name.empty());
  t.k.drafts().name(b, "st_stage", "st.stage");
  CHECK(b->name == "st_stage");
  CHECK(ir::spoken_name(*b) == "st.stage");
  CHECK(b->data->name == "st_stage_ptr");
  const ir::Buffer final_one = *b;
  t.k.drafts().name(&final_one, "other");
  CHECK(final_one.name == "st_stage");
}

TEST_CASE("tags of launch dimensions") {
  auto z = builder::launch_dimension("clusterCtaIdx.z");
  REQUIRE(z);
  CHECK(z->binding == ir::ScopeBinding::ClusterCta);
  CHECK(z->dimension == 2);
  CHECK(refused(builder::launch_dimension("threadIdx.w")) == "TW2110 unknown thread tag \"threadIdx.w\"");
  CHECK(refused(builder::launch_dimension("vthread.x")) == "TW2110 virtual threads are not available");
}
