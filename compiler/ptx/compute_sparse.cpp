// spcompress and spdecompress: of each four elements two with their places, and back (PTX ISA 9.4). Which of equal ones
// are kept PTX leaves open; here the first ones. A number that is none is kept before all others.
#include <algorithm>
#include <array>
#include <bit>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

constexpr std::size_t kGroup = 4, kKept = 2;
constexpr int kWord = 32;

// A number of `bits` bits at a place of a list of registers.
Bits field(std::span<const Bits> words, std::size_t index, int bits) {
  const std::size_t at = index * static_cast<std::size_t>(bits);
  return low(words[at / kWord] >> at % kWord, bits);
}

void set_field(std::span<Bits> words, std::size_t index, int bits, Bits value) {
  const std::size_t at = index * static_cast<std::size_t>(bits);
  words[at / kWord] = (words[at / kWord] & ~(((Bits{1} << bits) - 1) << at % kWord)) | value << at % kWord;
}

// How the descriptor says that elements are compared (Table 38).
struct Order {
  bool least = false, magnitudes = false, is_float = false, is_signed = false;
  int bits = 8;              // of a number; what lies above it in its place does not count
  Bits infinity = ~Bits{0};  // magnitudes above this one are no numbers

  // Nothing: no such type of elements of this size.
  static std::optional<Order> of(Bits descriptor, int size) {
    const int type = static_cast<int>(descriptor >> 2 & 7);
    if (descriptor >> 5 != 0 || type > (size == 16 ? 1 : 5)) return std::nullopt;
    Order out{.least = (descriptor & 2) != 0, .magnitudes = (descriptor & 1) != 0};
    out.is_float = size == 16 || type > 1;
    out.is_signed = !out.is_float && type == 1;
    out.bits = size == 16 ? 16 : type > 3 ? 6 : 8;
    if (size == 16) out.infinity = type == 0 ? 0x7c00 : 0x7f80;
    if (size == 8 && type == 2) out.infinity = 0x7c;
    if (size == 8 && type == 3) out.infinity = 0x7e;  // e4m3 has none, and one NaN
    return out;
  }

  bool is_number(Bits element) const { return !is_float || low(element, bits - 1) <= infinity; }
  // Keys ascend as the numbers do; -0.0 comes before +0.0.
  std::int64_t key(Bits element) const {
    const auto magnitude = static_cast<std::int64_t>(low(element, bits - 1));
    const bool negative = (element >> (bits - 1) & 1) != 0;
    if (is_float) return magnitudes || !negative ? magnitude : -magnitude - 1;
    const auto value = is_signed
                           ? static_cast<std::int64_t>(static_cast<std::int8_t>(static_cast<std::uint8_t>(element)))
                           : static_cast<std::int64_t>(low(element, bits));
    return magnitudes && value < 0 ? -value : value;
  }
};

// The places of the two that are kept, the lower one first.
std::array<std::size_t, kKept> kept(const Order& order, std::span<const Bits, kGroup> elements) {
  std::array<std::size_t, kGroup> places{0, 1, 2, 3};
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    const bool x = order.is_number(elements[a]), y = order.is_number(elements[b]);
    if (!x || !y) return !x && y;
    const std::int64_t p = order.key(elements[a]), q = order.key(elements[b]);
    return order.least ? p < q : p > q;
  });
  return {std::min(places[0], places[1]), std::max(places[0], places[1])};
}

int number_in(std::string_view text) {
  int out = 0;
  for (char c : text) out = out * 10 + (c - '0');
  return out;
}

Results compress(const Form& form) {
  const int size = number_in(form.word("elemsize").substr(1)), index_size = number_in(form.word("idxsize").substr(1));
  const auto count = static_cast<std::size_t>(number_in(form.word("num").substr(1)));
  const auto order = Order::of(low(form.in(form.inputs() - 1), kWord), size);
  if (!order) return std::nullopt;
  std::vector<Bits> data(2 * count);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = low(form.in(i), kWord);
  const std::size_t indices = (count * static_cast<std::size_t>(index_size) + static_cast<std::size_t>(size) - 1) /
                              static_cast<std::size_t>(size);
  std::vector<Bits> out(indices + count);
  const std::span<Bits> metadata(out.data(), indices), compressed(out.data() + indices, count);
  const std::size_t groups = data.size() * kWord / static_cast<std::size_t>(size) / kGroup;
  for (std::size_t g = 0; g < groups; ++g) {
    std::array<Bits, kGroup> elements{};
    for (std::size_t i = 0; i < kGroup; ++i) elements[i] = field(data, g * kGroup + i, size);
    const auto places = kept(*order, elements);
    for (std::size_t i = 0; i < kKept; ++i) {
      set_field(metadata, g * kKept + i, index_size, places[i]);
      set_field(compressed, g * kKept + i, size, elements[places[i]]);
    }
  }
  return out;
}

Results decompress(const Form& form) {
  const int size = number_in(form.word("elemsize").substr(1)), index_size = number_in(form.word("idxsize").substr(1));
  const std::string_view factor = form.word("spfactor").substr(4);  // behind sp::
  const std::size_t colon = factor.find(':');
  const auto from = static_cast<std::size_t>(number_in(factor.substr(0, colon)));
  const auto to = static_cast<std::size_t>(number_in(factor.substr(colon + 1)));
  const auto count = static_cast<std::size_t>(number_in(form.word("num").substr(1)));
  auto registers = [&](std::size_t elements, int bits) {
    return (elements * static_cast<std::size_t>(bits) + kWord - 1) / kWord;
  };
  std::vector<Bits> read(form.inputs());
  for (std::size_t i = 0; i < read.size(); ++i) read[i] = low(form.in(i), kWord);
  const std::size_t indices = registers(from * count, index_size);
  const std::span<const Bits> metadata(read.data(), indices), compressed(read.data() + indices, read.size() - indices);
  std::vector<Bits> out(registers(to * count, size));
  for (std::size_t i = 0; i < count * from; ++i) {
    const auto place = static_cast<std::size_t>(field(metadata, i, index_size));
    if (place >= to) return std::nullopt;
    set_field(out, i / from * to + place, size, field(compressed, i, size));
  }
  return out;
}

}  // namespace

std::array<std::size_t, 2> kept_of_four(std::span<const Bits, 4> floats, bool least, bool magnitudes) {
  return kept({.least = least, .magnitudes = magnitudes, .is_float = true, .bits = 32, .infinity = 0x7f800000}, floats);
}

Results compute_sparse(const Form& form) {
  if (form.id() == "spcompress") return compress(form);
  if (form.id() == "spdecompress") return decompress(form);
  return std::nullopt;
}

}  // namespace tilewright::ptx
