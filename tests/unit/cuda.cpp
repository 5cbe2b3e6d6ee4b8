// Golden texts of small kernels: what a reader gets to see.
#include "compiler/cuda/cuda.h"

#include <algorithm>
#include <chrono>

#include "tests/unit/golden.h"
#include "tests/unit/lower_samples.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

cuda::CudaSource source_of(Script& s) {
  auto lowered = s.lowered();
  INFO(s.messages());
  REQUIRE(lowered);
  auto source = cuda::emit(*lowered, s.said.context);
  INFO(s.messages());
  REQUIRE(source);
  return *source;
}

}  // namespace

TEST_CASE("a warp's round trip") {
  Script s;
  round_trip(s, 32, 32, kFloat16, 32, ExecScope::Warp, rows({32, 32}));
  check_golden("round_trip.cu", source_of(s).text);
}

TEST_CASE("symbolic extents and scalar parameters") {
  Script s;
  vector_add(s);
  check_golden("vector_add.cu", source_of(s).text);
}

TEST_CASE("scalars, loops, conditions and operators") {
  Script s;
  statements(s);
  check_golden("statements.cu", source_of(s).text);
}

TEST_CASE("bounds of loops side by side have names of their own") {
  Script s;
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(1), "cta");
  s.id(ScopeBinding::CtaThread, Expr(32), "tid");
  Buffer* n = s.scalar("n", kInt32, Expr(4));
  for (int k = 0; k < 2; ++k) {
    const Var* i = s.loop_var("i");
    s.add(s.loop(i, s.get(n), s.store(n, {Expr(0)}, add(s.get(n), Expr(i)))));
  }
  const std::string text = source_of(s).text;
  const std::size_t first = text.find("int i_end = n;");
  REQUIRE(first != text.npos);
  CHECK(text.find("int i_end = n;", first + 1) == text.npos);
}

TEST_CASE("a pool, views and a swizzle") {
  Script s;
  pool(s);
  check_golden("pool.cu", source_of(s).text);
}

TEST_CASE("vectors, pointers and narrow types") {
  Script s;
  vectors(s);
  check_golden("vectors.cu", source_of(s).text);
}

TEST_CASE("two kernels share a unit") {
  Script a, b;
  round_trip(a, 32, 32, kFloat16, 32, ExecScope::Warp, rows({32, 32}));
  auto first = a.lowered();
  Script c;
  pool(c);
  auto second = c.lowered();
  REQUIRE((first && second));
  second->symbol = "other_kernel";
  const lower::LoweredKernel* both[] = {&*first, &*second};
  auto source = cuda::emit(both, a.said.context);
  REQUIRE(source);
  CHECK(source->symbols == std::vector<std::string>{"kernel_kernel", "other_kernel"});
  std::string_view text = source->text;
  // One helper, two kernels.
  std::size_t helper = text.find("void tvm_builtin_cuda_copy_128b(");
  CHECK(text.find("void tvm_builtin_cuda_copy_128b(", helper + 1) == text.npos);
  check_golden("two_kernels.cu", source->text);
}

TEST_CASE("every line of a body leads back to the script") {
  Script s;
  statements(s);
  cuda::CudaSource source = source_of(s);
  std::vector<std::string_view> lines;
  for (std::string_view rest = source.text; !rest.empty();) {
    std::size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  auto sum = std::ranges::find_if(lines, [](std::string_view l) { return l.find("float sum = 0") != l.npos; });
  REQUIRE(sum != lines.end());
  auto line = static_cast<std::uint32_t>(sum - lines.begin() + 1);
  auto origin = std::ranges::find(source.lines, line, &cuda::LineOrigin::line);
  REQUIRE(origin != source.lines.end());
  CHECK(origin->origin.span.anchor == 1);
  CHECK(std::ranges::is_sorted(source.lines, {}, &cuda::LineOrigin::line));
}

TEST_CASE("an assert has no CUDA form") {
  Script s;
  Buffer* a = s.param("A", {Expr(32)}, kFloat32);
  s.device();
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(32), "tid");
  s.add(make_stmt<Assert>(s.origin(), gt(tid, Expr(1)), "no"));
  s.add(s.store(a, {Expr(tid)}, float_imm(kFloat32, 1)));
  auto lowered = s.lowered();
  REQUIRE(lowered);
  CHECK_FALSE(cuda::emit(*lowered, s.said.context));
  CHECK(s.said.find("TW4101"));
}

TEST_CASE("speed of lowering and emission", "[.bench]") {
  Script s;
  pool(s);
  REQUIRE(s.lowered());
  auto start = std::chrono::steady_clock::now();
  std::size_t lines = 0;
  for (int i = 0; i < 2000; ++i) {
    auto lowered = lower::lower(s.dispatched(), s.said.context);
    auto source = cuda::emit(*lowered, s.said.context);
    lines += static_cast<std::size_t>(std::ranges::count(source->text, '\n'));
  }
  double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  WARN("lower + emit: " << us / 2000 << " us a kernel, " << us / static_cast<double>(lines) << " us a CUDA line");
}
