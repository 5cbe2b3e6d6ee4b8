// What a run does with large tensors beside the GPU: fills, hashes and compares them.
//
//   tensor_bench [MEGABYTES]
//
// For each step gigabytes a second, over all cores: random float32, float16 and int8; SHA-256 of two tensors side by
// side; a comparison of equal tensors, and of tensors that differ in every element by less than the tolerance. The slow
// column is one pass by the definition, on a 64th of the bytes.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "compiler/run/element.h"
#include "compiler/run/parallel.h"
#include "compiler/toolchain/digest.h"

namespace {

using namespace tilewright;

double gigabytes_a_second(std::int64_t bytes, const std::function<void()>& work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(bytes) / took.count() / 1e9;
}

// Element by element, as the words of element.h say it.
void slow_fill(ir::DataType dtype, char* to, std::int64_t bytes) {
  std::int64_t width = dtype.storage_bits() / 8;
  std::uint64_t state = 1;
  for (std::int64_t at = 0; at < bytes; at += width) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    std::uint64_t bits = run::encode_element(dtype, static_cast<double>(state >> 11) * 0x1p-52 - 1).value_or(state);
    std::memcpy(to + at, &bits, static_cast<std::size_t>(width));
  }
}

std::int64_t slow_compare(ir::DataType dtype, std::string_view got, std::string_view expected) {
  run::Tolerance tolerance = run::default_tolerance(dtype);
  std::int64_t count = static_cast<std::int64_t>(got.size()) * 8 / dtype.storage_bits(), wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t a = run::element_bits(dtype, got, i), b = run::element_bits(dtype, expected, i);
    if (a == b) continue;
    double x = *run::decode_element(dtype, a), y = *run::decode_element(dtype, b);
    wrong += !(std::fabs(x - y) <= tolerance.absolute + tolerance.relative * std::fabs(y));
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 512) << 20, few = bytes / 64;
  run::Contents a = run::Contents::of_size(bytes), b = run::Contents::of_size(bytes);
  std::memset(a.data(), 1, a.size()), std::memset(b.data(), 1, b.size());  // the pages are there
  std::printf("%-34s %10s %10s   (GB/s, %lld MB)\n", "", "fast", "one pass", static_cast<long long>(bytes >> 20));
  auto row = [](const std::string& what, double fast, double slow) {
    std::printf("%-34s %10.2f %10.2f\n", what.c_str(), fast, slow);
  };
  for (const char* name : {"float32", "float16", "float8_e4m3fn", "int8"}) {
    ir::DataType type = *ir::parse_dtype(name);
    row("fill " + std::string(name), gigabytes_a_second(bytes, [&] { run::fill_random(type, a.data(), bytes, 1); }),
        gigabytes_a_second(few, [&] { slow_fill(type, b.data(), few); }));
  }
  row("SHA-256 of two",
      gigabytes_a_second(2 * bytes,
                         [&] { run::in_parallel(2, [&](std::size_t i) { toolchain::sha256((i ? b : a).view()); }); }),
      gigabytes_a_second(few, [&] { toolchain::sha256(a.view().substr(0, static_cast<std::size_t>(few))); }));
  bool good = true;
  for (const char* name : {"float32", "float16"}) {
    ir::DataType type = *ir::parse_dtype(name);
    run::fill_random(type, a.data(), bytes, 1), run::fill_random(type, b.data(), bytes, 1);
    auto part = [&](const run::Contents& c) { return c.view().substr(0, static_cast<std::size_t>(few)); };
    auto compared = [&](const char* how) {
      std::int64_t fast = -1, slow = -1;
      double rate = gigabytes_a_second(
          2 * bytes, [&] { fast = run::compare(type, a, b, run::default_tolerance(type)).mismatches; });
      row("compare " + std::string(name) + ", " + how, rate,
          gigabytes_a_second(2 * few, [&] { slow = slow_compare(type, part(a), part(b)); }));
      good &= fast == 0 && slow == 0;
    };
    compared("equal");
    // The last bit of each element.
    for (std::int64_t at = 0; at < bytes; at += type.storage_bits() / 8) b.data()[at] ^= 1;
    compared("all but equal");
  }
  return good ? 0 : 1;
}
