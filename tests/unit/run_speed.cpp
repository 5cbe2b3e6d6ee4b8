// What works on large tensors, in pieces and over all cores, against one pass by the definition.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>

#include "compiler/run/element.h"
#include "compiler/run/npy.h"
#include "compiler/run/parallel.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::run;

namespace {

const char* const kTypes[] = {"float16",         "bfloat16",
                              "float32",         "float64",
                              "float8_e3m4",     "float8_e4m3",
                              "float8_e4m3fn",   "float8_e5m2",
                              "float8_e4m3fnuz", "float8_e4m3b11fnuz",
                              "float8_e5m2fnuz", "float8_e8m0fnu",
                              "float6_e2m3fn",   "float6_e3m2fn",
                              "float4_e2m1fn",   "int8",
                              "int16",           "int32",
                              "int64",           "uint8",
                              "uint16",          "uint32",
                              "uint64",          "bool",
                              "float16x2",       "handle"};

// SplitMix64 from the first byte to the last, as its state counts.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
};

std::string slow_contents(ir::DataType dtype, std::int64_t bytes, std::uint64_t seed) {
  Random random{seed};
  std::string out(static_cast<std::size_t>(bytes), '\0');
  for (std::size_t i = 0; i < out.size(); i += 8) {
    std::uint64_t word = random.next();
    std::memcpy(out.data() + i, &word, std::min<std::size_t>(8, out.size() - i));
  }
  ir::DataType element = dtype.element();
  auto width = static_cast<std::size_t>(element.storage_bits());
  if (element.is_bool()) {
    for (char& c : out) c &= 1;
  } else if (element.code == ir::TypeCode::Float8E8M0FNU) {
    for (char& c : out) c = static_cast<char>(124 + (c & 7));
  } else if (element.is_floating() && width >= 8) {
    std::size_t step = width / 8;
    for (std::size_t i = 0; i + step <= out.size(); i += step) {
      std::uint64_t raw = random.next();
      double value = static_cast<double>(raw >> 11) * 0x1p-52 - 1;
      std::uint64_t bits = encode_element(element, value).value_or(raw);
      std::memcpy(out.data() + i, &bits, step);
    }
  }
  return out;
}

Comparison slow_compare(ir::DataType dtype, std::string_view got, std::string_view expected, Tolerance tolerance) {
  ir::DataType element = dtype.element();
  Comparison out;
  int width = element.storage_bits();
  bool numbers = width > 0 && width <= 64 && decode_element(element, 0).has_value();
  if (!numbers) element = ir::kUInt8, width = 8;
  out.elements = static_cast<std::int64_t>(std::min(got.size(), expected.size())) * 8 / width;
  for (std::int64_t i = 0; i < out.elements; ++i) {
    std::uint64_t a = element_bits(element, got, i), b = element_bits(element, expected, i);
    if (a == b) continue;
    double x = *decode_element(element, a), y = *decode_element(element, b);
    if (std::isnan(x) && std::isnan(y)) continue;
    double difference = std::fabs(x - y);
    bool wide = element.is_integral() && element.bits == 64;
    bool close = !wide && (x == y || difference <= tolerance.absolute + tolerance.relative * std::fabs(y));
    if (std::isfinite(difference)) {
      out.max_absolute = std::max(out.max_absolute, difference);
      if (y != 0) out.max_relative = std::max(out.max_relative, difference / std::fabs(y));
    }
    if (close) continue;
    if (out.mismatches++ == 0) out.first = i, out.got = x, out.expected = y;
  }
  return out;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("speed: random contents are those of one pass") {
  for (const char* name : kTypes) {
    ir::DataType type = *ir::parse_dtype(name);
    for (std::int64_t bytes : {0, 1, 7, 8, 9, 1000, 4099, 3 * 1024 * 1024 + 13}) {
      INFO(name << " " << bytes);
      REQUIRE((random_contents(type, bytes, 7 + static_cast<std::uint64_t>(bytes)).view() ==
               slow_contents(type, bytes, 7 + static_cast<std::uint64_t>(bytes))));
    }
  }
}

TEST_CASE("speed: a comparison is that of one pass") {
  std::mt19937_64 random(1);
  for (const char* name : kTypes) {
    ir::DataType type = *ir::parse_dtype(name);
    for (std::int64_t bytes : {16, 1040, 80'000, 2'500'000}) {
      const bool large = bytes > 1'000'000;  // with one tolerance, and all changes at once
      std::string expected = slow_contents(type, bytes, random()), got = expected;
      // Nothing, a few bytes anywhere (NaN, infinities and minus zero among them), then a whole stretch.
      for (int changes : {0, 1, 40, 1}) {
        if (large && changes != 40) continue;
        for (int i = 0; i < changes; ++i) got[random() % got.size()] = static_cast<char>(random());
        if (changes == 40)
          for (std::size_t i = got.size() / 3; i < got.size() / 2; ++i) got[i] = static_cast<char>(got[i] + 1);
        for (Tolerance tolerance : {Tolerance{}, default_tolerance(type), Tolerance{0.1, 0.5}}) {
          if (large && tolerance.relative != default_tolerance(type).relative) continue;
          Comparison fast = compare(type, got, expected, tolerance),
                     slow = slow_compare(type, got, expected, tolerance);
          INFO(name << " " << bytes << " " << changes);
          REQUIRE(fast.elements == slow.elements);
          REQUIRE(fast.mismatches == slow.mismatches);
          REQUIRE(fast.first == slow.first);
          REQUIRE(same_number(fast.got, slow.got));
          REQUIRE(same_number(fast.expected, slow.expected));
          REQUIRE(same_number(fast.max_absolute, slow.max_absolute));
          REQUIRE(same_number(fast.max_relative, slow.max_relative));
        }
      }
    }
  }
}

TEST_CASE("speed: different bytes are counted, copies arrive") {
  std::mt19937 random(2);
  for (std::int64_t bytes : {0, 1, 4095, 4096, 4097, 5'000'003}) {
    std::string a(static_cast<std::size_t>(bytes), 'a'), b(a.size(), '\0');
    copy_bytes(b.data(), a.data(), bytes);
    REQUIRE((a == b));
    std::int64_t different = 0;
    for (int i = 0; bytes && i < 50; ++i) {
      char& c = b[random() % b.size()];
      different += c == 'a';
      c = 'b';
    }
    REQUIRE(count_different(a.data(), b.data(), bytes) == different);
  }
}

TEST_CASE("speed: contents are shared, and mapped from what another process gives") {
  Contents a = Contents::of_size(10'000), b = a;
  b.data()[5] = 'x';
  CHECK(a.view()[5] == 'x');
  Contents c = Contents::mapped(a.descriptor(), 10'000);
  c.data()[6] = 'y';
  CHECK(a.view()[6] == 'y');
  CHECK(Contents::mapped(a.descriptor(), 10'001).empty());
  CHECK(Contents::mapped(-1, 1).empty());
  CHECK(Contents().descriptor() == -1);
  CHECK(Contents::of_size(0).empty());
}

TEST_CASE("speed: an array from a file is the array of its bytes") {
  for (std::int64_t elements : {0, 5, 700'000}) {
    Contents data = random_contents(ir::kFloat32, elements * 4, 3);
    std::string bytes = write_npy(to_npy(ir::kFloat32, {elements}, data));
    int fd = ::memfd_create("array", 0);
    REQUIRE(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    auto array = read_npy_file(fd);
    REQUIRE(array.has_value());
    CHECK((array->data == data));
    CHECK(array->shape == std::vector<std::int64_t>{elements});
    // Too long, cut, and no array at all.
    REQUIRE(::write(fd, "x", 1) == 1);
    CHECK(!read_npy_file(fd).has_value());
    REQUIRE(::ftruncate(fd, static_cast<off_t>(bytes.size()) - 1) == 0);
    CHECK(!read_npy_file(fd).has_value());
    REQUIRE(::ftruncate(fd, 3) == 0);
    CHECK(!read_npy_file(fd).has_value());
    ::close(fd);
  }
  CHECK(!read_npy_file(-1).has_value());
}
