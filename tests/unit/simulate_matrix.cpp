// Matrices of shared memory as tensor cores read them: descriptors, canonical layouts, packed elements, products.
#include <cmath>
#include <cstring>
#include <map>

#include "compiler/simulate/tensor/matrix_operand.h"
#include "tests/unit/catch.h"

using namespace tilewright::simulate;
using Swizzle = MatrixDescriptor::Swizzle;

namespace {

// The address of each element, from its unit's.
using Places = std::map<std::pair<int, int>, std::int64_t>;
Places places(const MatrixDescriptor& d, const MatrixForm& form) {
  Places out;
  const int bits = 128 / form.unit();
  each_unit(d, form, [&](std::int64_t at, int r, int k) {
    for (int i = 0; i < form.unit(); ++i) {
      const auto element = form.mn_major ? std::pair(r + i, k) : std::pair(r, k + i);
      CHECK(out.emplace(element, at + i * bits / 8).second);
    }
    return true;
  });
  CHECK(out.size() == static_cast<std::size_t>(form.rows) * static_cast<std::size_t>(form.columns));
  return out;
}

// A row of `wide` bytes in a pattern whose units are permuted by its rows, `group` rows that share a permutation.
std::int64_t in_pattern(std::int64_t row, std::int64_t byte, std::int64_t wide) {
  const std::int64_t group = 128 / wide;
  return row * wide + ((byte / 16) ^ (row / group % (wide / 16))) * 16 + byte % 16;
}

}  // namespace

TEST_CASE("descriptors of tcgen05 and of wgmma taken apart") {
  const std::uint64_t common = 0x0123u | std::uint64_t{0x40} << 16 | std::uint64_t{0x81} << 32;
  auto d = MatrixDescriptor::of_tcgen05(common | 1ull << 46 | 5ull << 49 | 2ull << 61);
  REQUIRE(d);
  CHECK(d->start == 0x1230);
  CHECK(d->leading == 0x400);
  CHECK(d->stride == 0x810);
  CHECK(d->base_offset == 5);
  CHECK(d->swizzle == Swizzle::B128);
  CHECK_FALSE(d->absolute);
  CHECK(MatrixDescriptor::of_tcgen05(1ull << 46 | 1ull << 61)->swizzle == Swizzle::B128Base32);
  CHECK(MatrixDescriptor::of_tcgen05(1ull << 46 | 4ull << 61)->swizzle == Swizzle::B64);
  CHECK(MatrixDescriptor::of_tcgen05(1ull << 46 | 6ull << 61)->swizzle == Swizzle::B32);
  CHECK(MatrixDescriptor::of_tcgen05(1ull << 46 | 1ull << 52)->absolute);
  CHECK_FALSE(MatrixDescriptor::of_tcgen05(common));
  CHECK_FALSE(MatrixDescriptor::of_tcgen05(1ull << 46 | 3ull << 61));
  MatrixDescriptor w = MatrixDescriptor::of_wgmma(common | 1ull << 62);
  CHECK(w.start == 0x1230);
  CHECK(w.swizzle == Swizzle::B128);
  CHECK(MatrixDescriptor::of_wgmma(2ull << 62).swizzle == Swizzle::B64);
  CHECK(MatrixDescriptor::of_wgmma(3ull << 62).swizzle == Swizzle::B32);
}

TEST_CASE("K-major layouts, plain and swizzled") {
  const MatrixForm form{.element = Element::F16, .rows = 24, .columns = 16};
  for (auto [swizzle, wide] :
       {std::pair(Swizzle::B32, 32), std::pair(Swizzle::B64, 64), std::pair(Swizzle::B128, 128)}) {
    for (int step = 0; step < wide / 32; ++step) {  // along K the start moves within the pattern
      const Places all = places({.start = 4096 + 32 * step, .stride = 8 * wide, .swizzle = swizzle}, form);
      for (auto [at, address] : all) CHECK(address == 4096 + in_pattern(at.first, 32 * step + 2 * at.second, wide));
    }
  }
  const Places plain = places({.start = 256, .leading = 4096, .stride = 128}, form);
  for (auto [at, address] : plain) CHECK(address == 256 + at.first * 16 + at.second / 8 * 4096 + at.second % 8 * 2);
}

TEST_CASE("MN-major layouts, plain and swizzled") {
  const MatrixForm form{.element = Element::BF16, .rows = 128, .columns = 16, .mn_major = true};
  for (auto [swizzle, wide] :
       {std::pair(Swizzle::B32, 32), std::pair(Swizzle::B64, 64), std::pair(Swizzle::B128, 128)}) {
    const Places all = places({.start = 8192, .leading = 16384, .stride = 8 * wide, .swizzle = swizzle}, form);
    for (auto [at, address] : all) {
      const int across = 2 * at.first;
      CHECK(address == 8192 + across / wide * 16384 + in_pattern(at.second, across % wide, wide));
    }
  }
  const Places plain = places({.start = 0, .leading = 2048, .stride = 128}, form);
  for (auto [at, address] : plain)
    CHECK(address == at.first / 8 * 128 + at.second % 8 * 16 + at.second / 8 * 2048 + at.first % 8 * 2);
}

TEST_CASE("32-byte atoms: four rows of K make a pattern") {
  const MatrixForm form{.element = Element::TF32, .rows = 64, .columns = 8, .mn_major = true};
  const Places all = places({.start = 1024, .leading = 8192, .stride = 512, .swizzle = Swizzle::B128Base32}, form);
  for (auto [at, address] : all) {
    const std::int64_t across = at.first % 32 * 4, row = at.second;
    CHECK(address == 1024 + at.first / 32 * 8192 + row * 128 + ((across / 32) ^ (row % 4)) * 32 + across % 32);
  }
}

TEST_CASE("a base offset moves the pattern's start") {
  const MatrixForm form{.element = Element::U8, .rows = 8, .columns = 32};
  // The tile starts three rows behind a multiple of 1024 bytes and was written as if it started there.
  const Places all = places({.start = 1024 + 384, .stride = 1024, .swizzle = Swizzle::B128, .base_offset = 3}, form);
  for (auto [at, address] : all) CHECK(address == 1024 + 384 + in_pattern(at.first, at.second, 128));
}

TEST_CASE("elements of all widths in 16 bytes") {
  std::byte unit[16];
  float got[32];
  auto numbers = [&](Element element, bool padded, auto code) {
    const MatrixForm form{.element = element, .rows = 32, .columns = 32, .padded = padded};
    const int bits = bits_of(element);
    std::memset(unit, 0xff, sizeof unit);
    for (int i = 0; i < form.unit(); ++i) {
      for (int b = 0; b < bits; ++b) {
        const int at = i * bits + b;
        const auto one = static_cast<std::byte>(1 << at % 8);
        unit[at / 8] = (static_cast<std::uint32_t>(code(i)) >> b & 1) != 0 ? unit[at / 8] | one : unit[at / 8] & ~one;
      }
    }
    unpack(form, unit, got);
    return form.unit();
  };
  CHECK(numbers(Element::F16, false, [](int i) { return 0x3c00 + (i << 10); }) == 8);
  CHECK(got[3] == 8);
  CHECK(numbers(Element::BF16, false, [](int) { return 0xc040; }) == 8);
  CHECK(got[7] == -3);
  CHECK(numbers(Element::TF32, false, [](int) { return 0x3f801fff; }) == 4);
  CHECK(got[1] == 1);  // what is below tf32's ten bits does not count
  CHECK(numbers(Element::S8, false, [](int i) { return -i; }) == 16);
  CHECK(got[15] == -15);
  CHECK(numbers(Element::U8, false, [](int i) { return 240 + i; }) == 16);
  CHECK(got[15] == 255);
  CHECK(numbers(Element::E4M3, false, [](int i) { return 0x38 + 8 * (i % 2); }) == 16);
  CHECK(got[1] == 2);
  CHECK(numbers(Element::E5M2, false, [](int) { return 0xc2; }) == 16);
  CHECK(got[9] == -3);
  CHECK(numbers(Element::E2M3, true, [](int i) { return i; }) == 16);
  CHECK(got[9] == 1.125f);
  CHECK(numbers(Element::E3M2, true, [](int i) { return 32 + i; }) == 16);
  CHECK(got[12] == -1);
  CHECK(numbers(Element::E2M1, true, [](int i) { return i; }) == 16);
  CHECK(got[7] == 6);
  CHECK(got[15] == -6);
  CHECK(numbers(Element::E2M1, false, [](int i) { return i / 2; }) == 32);
  CHECK(got[5] == 1);
  CHECK(got[31] == -6);
}

TEST_CASE("products are added in the order of K, each sum rounded") {
  Matrix a(5, 3), b(19, 3);
  for (int r = 0; r < 5; ++r) {
    a.row(r)[0] = 0x1p24f;
    a.row(r)[1] = 1;
    a.row(r)[2] = static_cast<float>(r);
  }
  for (int c = 0; c < 19; ++c) {
    b.row(c)[0] = 1;
    b.row(c)[1] = 1;
    b.row(c)[2] = static_cast<float>(c);
  }
  std::vector<float> sums(5 * 19, 1.0f);
  multiply_into(a, b, sums.data());
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 19; ++c) {
      float expected = 1.0f + 0x1p24f;  // the 1 is lost, as is the next
      expected += 1;
      expected += static_cast<float>(r * c);
      CHECK(sums[static_cast<std::size_t>(r * 19 + c)] == expected);
    }
}
