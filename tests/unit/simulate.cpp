// Kernels run on the CPU, and the mistakes that a run finds.
#include "compiler/simulate/simulate.h"

#include <cstring>

#include "compiler/simulate/machine/number.h"
#include "tests/unit/catch.h"
#include "tests/unit/lower_samples.h"

using namespace tilewright;
using namespace tilewright::testing;
using simulate::Inputs;
using simulate::Result;
using simulate::Tensor;
using simulate::Verdict;

namespace {

template <class T>
Tensor tensor(const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
  Tensor t;
  t.bytes.resize(values.size() * sizeof(T));
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  t.shape = shape.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())} : shape;
  return t;
}

template <class T>
std::vector<T> values(const Tensor& t) {
  std::vector<T> out(t.bytes.size() / sizeof(T));
  std::memcpy(out.data(), t.bytes.data(), t.bytes.size());
  return out;
}

std::string said(const Result& r) {
  std::string text;
  for (const auto& f : r.findings)
    text += std::string(f.code) + ": " + f.message + " (thread " + std::to_string(f.thread) + ")\n";
  return text;
}

Result run(Script& s, const Inputs& inputs, simulate::Options options = {}) {
  auto lowered = s.lowered();
  INFO(s.messages());
  REQUIRE(lowered);
  return simulate::run(*lowered, inputs, options);
}

Tensor bytes_of(std::size_t n, unsigned seed) {
  Tensor t;
  t.bytes.resize(n);
  for (auto& b : t.bytes) b = std::byte((seed = seed * 1103515245 + 12345) >> 16);
  return t;
}

// Runs a copy of all of A to B with tracing: every byte of B must be the same byte of A.
void check_moves_everything(Script& s, std::size_t bytes) {
  Inputs in;
  in.tensors["A"] = bytes_of(bytes, 7);
  simulate::Options options;
  options.trace = true;
  Result r = run(s, in, options);
  INFO(said(r));
  REQUIRE(r.verdict == Verdict::Clean);
  const std::vector<std::uint32_t>& trace = r.traces["B"];
  REQUIRE(trace.size() == bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) wrong += trace[i] != i + 1;
  CHECK(wrong == 0);
  CHECK(r.tensors["B"].bytes == in.tensors["A"].bytes);
}

}  // namespace

TEST_CASE("copies move exactly their elements") {
  layout::Layout swizzled = *layout::compose(*layout::make_swizzle(3, 3, 3), rows({128, 64}));
  SECTION("a warp, float16") {
    Script s;
    round_trip(s, 32, 32, kFloat16, 32, ExecScope::Warp, rows({32, 32}));
    check_moves_everything(s, 32 * 32 * 2);
  }
  SECTION("a warp, bytes") {
    Script s;
    round_trip(s, 32, 32, kUInt8, 32, ExecScope::Warp, rows({32, 32}));
    check_moves_everything(s, 32 * 32);
  }
  SECTION("a CTA, float32") {
    Script s;
    round_trip(s, 64, 128, kFloat32, 256, ExecScope::Cta, rows({64, 128}));
    check_moves_everything(s, 64 * 128 * 4);
  }
  SECTION("a CTA, swizzled float16") {
    Script s;
    round_trip(s, 128, 64, kFloat16, 128, ExecScope::Cta, swizzled);
    check_moves_everything(s, 128 * 64 * 2);
  }
}

TEST_CASE("values: vector add over a symbolic extent") {
  Script s;
  vector_add(s);
  std::vector<float> a(1000), b(1000);
  for (int i = 0; i < 1000; ++i) a[i] = static_cast<float>(i), b[i] = 0.5f;
  Inputs in;
  in.tensors["A"] = tensor(a);
  in.tensors["B"] = tensor(b);
  in.scalars["alpha"] = 2.0;
  Result r = run(s, in);
  INFO(said(r));
  REQUIRE(r.verdict == Verdict::Clean);
  std::vector<float> c = values<float>(r.tensors["C"]);
  REQUIRE(c.size() == 1000);
  CHECK(c[0] == 0.5f);
  CHECK(c[999] == 1998.5f);
}

TEST_CASE("values: statements") {
  Script s;
  statements(s);
  std::vector<float> a(16 * 64, 0.25f);
  Inputs in;
  in.tensors["A"] = tensor(a, {16, 64});
  Result r = run(s, in);
  INFO(said(r));
  REQUIRE(r.verdict == Verdict::Clean);
  std::vector<float> out = values<float>(r.tensors["A"]);
  std::vector<std::int32_t> b = values<std::int32_t>(r.tensors["B"]);
  for (int tid = 0; tid < 64; ++tid) {
    int x = tid * 2 - 9;
    auto floordiv = [](int p, int q) { return p / q - (p % q != 0 && (p < 0) != (q < 0)); };
    auto floormod = [&](int p, int q) { return p - floordiv(p, q) * q; };
    CHECK(out[tid] == 4.0f);
    CHECK(b[tid] == floormod(floordiv(x, 3), 5));
    CHECK(b[4 * 64 + tid] == floormod(floordiv(x, 4), 8));
    CHECK(b[8 * 64 + tid] == ~((x << 2) ^ (x & 15)));
    bool first = (x > 3 && tid < 32) || tid != 5;
    if (first) CHECK(out[2 * 64 + tid] == (x > 4 ? 4.0f : 0.5f));
    if (!first) CHECK(out[4 * 64 + tid] == 4.0f);
  }
}

TEST_CASE("values: a pool and f16 arithmetic") {
  Script s;
  pool(s);
  std::vector<std::uint16_t> a(64 * 64, simulate::half_from_float(0.5f));
  Inputs in;
  in.tensors["A"] = tensor(a, {64, 64});
  Result r = run(s, in);
  INFO(said(r));
  REQUIRE(r.verdict == Verdict::Clean);
  std::vector<std::uint16_t> b = values<std::uint16_t>(r.tensors["B"]);
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column)
      CHECK(simulate::float_from_half(b[row * 64 + column]) ==
            (column < 32 ? (row % 64 < 64 && column == row % 32 ? 32.5f : 0.5f) : 0.5f));
}

TEST_CASE("values: vectors") {
  Script s;
  vectors(s);
  std::vector<float> a(256);
  std::vector<std::int8_t> c(256, 100);
  std::vector<std::uint16_t> d(256);
  for (int i = 0; i < 256; ++i)
    a[i] = static_cast<float>(i + 1), d[i] = simulate::half_from_float(static_cast<float>(i));
  Inputs in;
  in.tensors["A"] = tensor(a);
  in.tensors["C"] = tensor(c);
  in.tensors["D"] = tensor(d);
  Result r = run(s, in);
  INFO(said(r));
  REQUIRE(r.verdict == Verdict::Clean);
  std::vector<float> b = values<float>(r.tensors["B"]);
  CHECK(b[0] == -1.0f);
  CHECK(b[100] == 102.0f);
  CHECK(b[128 + 5] == 12.0f);
  CHECK(values<std::int8_t>(r.tensors["C"])[3] == -28);  // 200 wraps to -56
  CHECK(simulate::float_from_half(values<std::uint16_t>(r.tensors["D"])[8]) == simulate::rounded(kFloat16, 15.1f));
}

TEST_CASE("mistakes are found at their statement") {
  Script s;
  Buffer* a = s.param("A", {Expr(64)}, kFloat32);
  Buffer* b = s.param("B", {Expr(64)}, kFloat32);
  s.device();
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(64), "tid");
  Inputs in;
  in.tensors["A"] = tensor(std::vector<float>(64, 1));
  auto first = [&](Result r) {
    REQUIRE_FALSE(r.findings.empty());
    return r.findings[0];
  };
  SECTION("out of bounds") {
    const Stmt* bad = s.store(b, {Expr(tid) + Expr(1)}, s.at(a, {Expr(tid)}));
    s.add(bad);
    simulate::Finding f = first(run(s, in));
    CHECK(f.code == "TW5001");
    CHECK(f.thread == 63);
    CHECK(f.origin.span == bad->origin.span);
  }
  SECTION("reading what was never written") {
    Buffer* smem = s.shared("smem", {Expr(64)}, kFloat32, rows({64}));
    s.add(s.store(smem, {Expr(tid)}, s.at(a, {Expr(tid)})));
    s.add(s.store(b, {Expr(tid)}, s.at(smem, {Expr(63) - Expr(tid)})));  // no sync between
    CHECK(first(run(s, in)).code == "TW5002");
  }
  SECTION("the same with a sync is clean") {
    Buffer* smem = s.shared("smem", {Expr(64)}, kFloat32, rows({64}));
    s.add(s.store(smem, {Expr(tid)}, s.at(a, {Expr(tid)})));
    s.add(s.sync());
    s.add(s.store(b, {Expr(tid)}, s.at(smem, {Expr(63) - Expr(tid)})));
    CHECK(run(s, in).verdict == Verdict::Clean);
  }
  SECTION("misaligned") {
    s.add(s.store(b, {ramp(Expr(tid), Expr(1), 2)}, s.at(a, {ramp(Expr(0), Expr(1), 2)})));
    CHECK(first(run(s, in)).code == "TW5003");
  }
  SECTION("deadlock") {
    s.add(s.when(lt(tid, Expr(32)), s.sync()));
    s.add(s.when(
        ge(tid, Expr(32)),
        make_stmt<While>(s.origin(), gt(s.at(a, {Expr(tid)}), float_imm(kFloat32, 0)),
                         make_stmt<Evaluate>(s.origin(), ir::call(kVoid, intrinsics::row_of("warp_sync"), {})))));
    simulate::Options options;
    options.max_steps = 100000;
    CHECK(first(run(s, in, options)).code == "TW5007");
  }
  SECTION("meeting at different calls") {
    s.add(s.when(lt(tid, Expr(32)), s.sync(), s.sync()));
    Result r = run(s, in);
    CHECK(r.verdict == Verdict::Review);
    CHECK(first(r).code == "TW5005");
  }
  SECTION("part of a warp") {
    const intrinsics::Intrinsic* shuffle = &intrinsics::row_of("shuffle_xor");
    REQUIRE(shuffle);
    Expr args[] = {int_imm(kUInt32, 0xffffffff), s.at(a, {Expr(tid)}), Expr(1), Expr(32)};
    s.add(s.when(lt(tid, Expr(16)), s.store(b, {Expr(tid)}, ir::call(kFloat32, *shuffle, args)), s.sync()));
    Result r = run(s, in);
    INFO(said(r));
    CHECK(r.verdict == Verdict::Error);
  }
  SECTION("a missing input") {
    s.add(s.store(b, {Expr(tid)}, s.at(a, {Expr(tid)})));
    in.tensors["A"].bytes.resize(8);
    CHECK(first(run(s, in)).code == "TW5009");
  }
}

TEST_CASE("narrow formats round to nearest even") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float f = simulate::float_from_half(static_cast<std::uint16_t>(bits));
    if (f == f) CHECK(simulate::half_from_float(f) == bits);
  }
  for (TypeCode code : {TypeCode::Float8E4M3FN, TypeCode::Float8E5M2, TypeCode::Float8E8M0FNU}) {
    DataType d{code, 8, 1};
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      float f = simulate::decode(d, bits);
      if (f == f && f <= 1e30f && f >= -1e30f && std::abs(f) < 60000) CHECK(simulate::encode(d, f) == bits);
    }
  }
  CHECK(simulate::half_from_float(65520.0f) == 0x7c00);
  CHECK(simulate::half_from_float(65519.0f) == 0x7bff);
  CHECK(simulate::decode({TypeCode::Float8E4M3FN, 8, 1}, simulate::encode({TypeCode::Float8E4M3FN, 8, 1}, 1000.0f)) ==
        448.0f);
  CHECK(simulate::encode({TypeCode::Float8E4M3FN, 8, 1}, 1.0625f) == 0x38);  // a tie goes to even
}

TEST_CASE("a 128 by 128 copy takes few steps") {
  Script s;
  round_trip(s, 128, 128, kFloat16, 256, ExecScope::Cta, rows({128, 128}));
  auto lowered = s.lowered();
  REQUIRE(lowered);
  Inputs in;
  in.tensors["A"] = bytes_of(128 * 128 * 2, 3);
  Result r = simulate::run(*lowered, in);
  CHECK(r.verdict == Verdict::Clean);
  CHECK(r.steps < 50'000);  // 2 * 8 rounds of 256 threads, a handful each
}
