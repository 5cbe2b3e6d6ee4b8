// How long a tensor copy takes to plan. The house promises under 100 µs.
//
//   tma_plan_bench [ROUNDS]
//
// For each problem, easy to hard: the median time of the plan alone (regions to boxes), and of a whole dispatch of a
// kernel with this one call, report and tensor map included. Exits 1 when a median of the plan is above 100 µs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "compiler/dispatch/dispatcher.h"
#include "compiler/dispatch/variants/copy_async/tma_problem.h"
#include "tests/unit/kernel_builder.h"

namespace {

using namespace tilewright;
using testing::KernelBuilder;
using Numbers = std::vector<std::int64_t>;
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Side {
  Numbers shape;
  Ranges region{};  // begin, end; empty: all
  int swizzle = 0;  // mode of mma_shared_layout
  Numbers extents{}, strides{};
  std::optional<layout::Swizzle> atom{};
};

struct Problem {
  const char* name;
  ir::DataType dtype;
  Side global, shared;
};

layout::Layout layout_of(const Side& s, ir::DataType dtype) {
  layout::Shape dims(s.shape.begin(), s.shape.end());
  if (s.swizzle) return *layout::mma_shared_layout(dtype, static_cast<layout::SwizzleMode>(s.swizzle), dims);
  layout::Layout out = layout::row_major(dims);
  if (!s.extents.empty()) {
    layout::TileLayout tile;
    for (std::size_t i = 0; i < s.extents.size(); ++i) {
      tile.shard.push_back({s.extents[i], s.strides[i], layout::Axis::m});
    }
    out.tile = std::move(tile);
  }
  out.swizzle = s.atom;
  return out;
}

double median_us(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<std::size_t>(rounds) / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2000;
  const auto f16 = ir::kFloat16, u8 = ir::kUInt8, f32 = ir::kFloat32, f64 = ir::kFloat64;
  const layout::Swizzle wide{3, 3, 3, true};
  const std::vector<Problem> problems = {
      {"tile of 128 x 64, swizzled", f16, {{4096, 4096}, {{256, 384}, {128, 192}}}, {{128, 64}, {}, 3}},
      {"tile of 128 x 128, two atoms wide", f16, {{4096, 4096}, {{256, 384}, {128, 256}}}, {{128, 128}, {}, 3}},
      {"stage of four", f16, {{4096, 4096}, {{256, 384}, {128, 192}}}, {{4, 128, 64}, {{2, 3}, {0, 128}, {0, 64}}, 3}},
      {"box of 512 rows, cut", f16, {{1024, 64}, {{0, 512}, {0, 64}}}, {{512, 64}, {}, 3}},
      {"four dimensions joined, three times wider elements", u8, {{16, 8, 8, 4}}, {{16, 8, 8, 4}}},
      {"rank 6 at first",
       f16,
       {{64, 256}},
       {{64, 256}, {}, 0, {4, 2, 8, 2, 2, 64}, {4096, 1024, 64, 2048, 512, 1}, wide}},
      {"four indexed dimensions folded",
       f16,
       {{2, 3, 2, 3, 64, 64}, {{1, 2}, {2, 3}, {1, 2}, {0, 1}, {0, 64}, {0, 64}}},
       {{64, 64}, {}, 3}},
      {"rows wider than the swizzle, tiled", f16, {{64, 128}}, {{64, 128}, {}, 0, {64, 128}, {128, 1}, wide}},
      {"rows of 768 doubles, tiled", f64, {{8, 1536}, {{0, 8}, {768, 1536}}}, {{8, 768}}},
      {"refused: a transpose", f32, {{16, 16}}, {{16, 16}, {}, 0, {16, 16}, {1, 16}}},
      {"refused: six dimensions that do not join",
       f16,
       {{2, 2, 2, 2, 2, 64}},
       {{2, 2, 2, 2, 2, 64}, {}, 0, {2, 2, 2, 2, 2, 64}, {64, 128, 256, 512, 1024, 1}}},
      {"refused: a stride of 200 bytes, long rows", u8, {{1020, 200}, {{0, 1020}, {0, 192}}}, {{1020, 192}}},
  };
  std::printf("%-52s %10s %14s\n", "median of the plan, and of a dispatch", "plan", "dispatch");
  double worst = 0;
  for (const Problem& p : problems) {
    KernelBuilder k;
    k.device();
    k.id(ir::ScopeBinding::KernelCta, 1);
    k.id(ir::ScopeBinding::CtaThread, 32, "tid");
    auto region = [&](const Side& s, std::string_view name, ir::StorageScope scope) {
      std::vector<ir::Expr> shape(s.shape.begin(), s.shape.end());
      ir::Buffer* b = k.buffer(name, shape, p.dtype, scope, layout_of(s, p.dtype));
      b->align = 1024;
      std::vector<std::pair<ir::Expr, ir::Expr>> ranges;
      for (std::size_t d = 0; d < s.shape.size(); ++d) {
        auto [lo, hi] = s.region.empty() ? std::pair<std::int64_t, std::int64_t>(0, s.shape[d]) : s.region[d];
        ranges.emplace_back(ir::Expr(lo), ir::Expr(hi - lo));
      }
      return KernelBuilder::region(b, ranges);
    };
    const ir::Region global = region(p.global, "A", ir::StorageScope::Global);
    const ir::Region shared = region(p.shared, "S", ir::StorageScope::Shared);
    auto window = dispatch::window_of(shared);
    if (!window) return 2;
    bool served = false;
    const double plan = median_us(rounds, [&] {
      auto problem = dispatch::tma::problem_of(global, shared, *window);
      served = problem && dispatch::tma::search(*problem);
    });
    k.add(k.call("copy_async", ir::ExecScope::Thread, global, shared, "tma"));
    const ir::Kernel& kernel = k.finish();
    const double dispatched = median_us(rounds, [&] {
      text::Context context;
      (void)dispatch::dispatch(kernel, context);
    });
    std::printf("%-52s %7.1f us %11.1f us%s\n", p.name, plan, dispatched, served ? "" : "  (refused)");
    worst = std::max(worst, plan);
  }
  std::printf("slowest median of a plan: %.1f us\n", worst);
  return worst < 100 ? 0 : 1;
}
