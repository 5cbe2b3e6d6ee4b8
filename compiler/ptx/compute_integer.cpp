// Integer arithmetic.
#include <algorithm>
#include <bit>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

using Wide = __int128;

Wide clamped(Wide value, Wide least, Wide most) { return value < least ? least : value > most ? most : value; }
Wide clamped_s32(Wide value) { return clamped(value, -(Wide{1} << 31), (Wide{1} << 31) - 1); }

// The lanes of a sum or a difference.
Bits add_lanes(const Form& form, int sign) {
  Type type = form.type();
  bool saturates = form.has("sat");
  return lanewise(type, form.in(0), form.in(1), [&](Bits a, Bits b) {
    Wide sum = extended(a, type) + sign * extended(b, type);
    return static_cast<Bits>(saturates ? clamped_s32(sum) : sum);
  });
}

// Low or high half of a product, as `mode` says.
Wide half_product(const Form& form, Type type) {
  Wide a = extended(form.in(0), type), b = extended(form.in(1), type);
  if (form.word("mode") == "lo") return static_cast<Wide>(static_cast<Bits>(a) * static_cast<Bits>(b));
  if (type.bits < 64) return (a * b) >> type.bits;
  if (type.is_signed()) return (a * b) >> 64;
  return static_cast<Wide>((static_cast<Bits>(a) * static_cast<Bits>(b)) >> 64);
}

// Operands of 24 bits, a result of 48; the high half are bits 16 to 47.
Wide product24(const Form& form, Type type) {
  Type narrow{type.letter, 24, 1};
  Wide product = extended(form.in(0), narrow) * extended(form.in(1), narrow);
  return form.word("mode") == "hi" ? product >> 16 : product;
}

Bits quotient(const Form& form, bool rest) {
  Type type = form.type();
  Wide a = extended(form.in(0), type), b = extended(form.in(1), type);
  if (b == 0) return ~Bits{0};  // PTX leaves it open; this is what GPUs give
  return static_cast<Bits>(rest ? a % b : a / b);
}

// Position of the highest bit that is no sign bit, or all ones.
std::uint32_t highest_bit(Wide value, int bits, bool as_shift) {
  if (value < 0) value = ~value;
  if (value == 0) return ~0U;
  int at = 63 - std::countl_zero(static_cast<std::uint64_t>(value));
  return static_cast<std::uint32_t>(as_shift ? bits - 1 - at : at);
}

Bits reversed(Bits value, int bits) {
  Bits out = 0;
  for (int i = 0; i < bits; ++i) out |= (value >> i & 1) << (bits - 1 - i);
  return out;
}

// Position or length of a bit field: one byte of the operand, or all of it where fields are in 64 bits.
int field_amount(const Form& form, std::size_t i) {
  if (form.type().bits < 64) return static_cast<int>(form.in(i) & 255);
  return static_cast<int>(std::min<Bits>(low(form.in(i), 32), 255));
}

Bits extracted(const Form& form) {
  Type type = form.type();
  int at = field_amount(form, 1), length = field_amount(form, 2), last = type.bits - 1;
  bool sign = type.is_signed() && length > 0 && (low(form.in(0), type.bits) >> std::min(at + length - 1, last) & 1);
  Bits out = 0;
  for (int i = 0; i < type.bits; ++i) {
    bool bit = i < length && at + i <= last ? form.in(0) >> (at + i) & 1 : sign;
    out |= Bits{bit} << i;
  }
  return out;
}

Bits inserted(const Form& form) {
  int bits = form.type().bits, at = field_amount(form, 2), length = field_amount(form, 3);
  Bits out = form.in(1);
  for (int i = 0; i < length && at + i < bits; ++i) {
    out &= ~(Bits{1} << (at + i));
    out |= (form.in(0) >> i & 1) << (at + i);
  }
  return out;
}

int amount32(const Form& form, Bits value) {
  auto amount = static_cast<std::uint32_t>(value);
  if (form.word("mode") == "wrap") return static_cast<int>(amount & 31);
  return static_cast<int>(std::min<std::uint32_t>(amount, 32));
}

Bits sign_or_zero_extended(const Form& form) {
  int bits = amount32(form, form.in(1));
  if (bits == 0) return 0;
  return static_cast<Bits>(extended(form.in(0), {form.type().letter, bits, 1}));
}

// Dot products of four bytes, or of two halves and two bytes.
Bits dot(const Form& form, bool four) {
  Type a = form.type("atype"), b = form.type("btype");
  Wide sum = extended(form.in(2), {a.is_signed() || b.is_signed() ? 's' : 'u', 32, 1});
  int first = form.word("mode") == "hi" ? 2 : 0;
  for (int i = 0; i < (four ? 4 : 2); ++i) {
    int width = four ? 8 : 16;
    sum += extended(form.in(0) >> (width * i), {a.letter, width, 1}) *
           extended(form.in(1) >> (8 * (first + i)), {b.letter, 8, 1});
  }
  return static_cast<Bits>(sum);
}

Bits nth_set(const Form& form) {
  auto mask = static_cast<std::uint32_t>(form.in(0));
  auto base = static_cast<std::int64_t>(static_cast<std::uint32_t>(form.in(1)));
  auto offset = static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(form.in(2))));
  if (offset == 0) return base < 32 && (mask >> base & 1) ? static_cast<Bits>(base) : Bits{~0U};
  std::int64_t left = std::abs(offset) - 1;
  for (std::int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
    if (mask >> at & 1 && left-- == 0) return static_cast<Bits>(at);
  return ~0U;
}

Bits absolute(const Form& form) {
  Wide a = extended(form.in(0), form.type());
  return static_cast<Bits>(a < 0 ? -a : a);
}

Bits difference_added(const Form& form) {
  Wide distance = extended(form.in(0), form.type()) - extended(form.in(1), form.type());
  return form.in(2) + static_cast<Bits>(distance < 0 ? -distance : distance);
}

// A product, and what is added to it: in 32 bits with .sat.
Bits product_and_sum(const Form& form, Wide product) {
  Type type = form.type();
  if (!form.has("sat")) return static_cast<Bits>(product) + form.in(2);
  return static_cast<Bits>(clamped_s32(extended(static_cast<Bits>(product), type) + extended(form.in(2), type)));
}

// The product of polynomials over one bit, the upper or the lower half of it, and a third one added.
Bits carryless(const Form& form) {
  const Bits a = low(form.in(0), 64), b = low(form.in(1), 64);
  Bits product = 0;
  for (int i = 0; i < 64; ++i)
    if (b >> i & 1) product ^= a << i;
  return (form.has("hi") ? product >> 64 : product) ^ form.in(2);
}

std::optional<Bits> arithmetic(const Form& form) {
  std::string_view id = form.id();
  Type type = form.type();
  if (id == "add_int") return add_lanes(form, 1);
  if (id == "sub_int") return add_lanes(form, -1);
  if (id == "mul_int") return static_cast<Bits>(half_product(form, type));
  if (id == "mad_int") return product_and_sum(form, half_product(form, type));
  if (id == "mul24") return static_cast<Bits>(product24(form, type));
  if (id == "mad24") return product_and_sum(form, product24(form, type));
  if (id == "mul_wide" || id == "mad_wide")
    return static_cast<Bits>(extended(form.in(0), type) * extended(form.in(1), type)) +
           (id == "mad_wide" ? form.in(2) : 0);
  if (id == "clmad") return carryless(form);
  if (id == "sad") return difference_added(form);
  if (id == "div" || id == "rem") return quotient(form, id == "rem");
  if (id == "abs") return absolute(form);
  if (id == "neg_int") return static_cast<Bits>(-extended(form.in(0), type));
  if (id == "dp4a" || id == "dp2a") return dot(form, id == "dp4a");
  return std::nullopt;
}

std::optional<Bits> bit_fields(const Form& form) {
  std::string_view id = form.id();
  Type type = form.type();
  auto value = static_cast<std::uint64_t>(low(form.in(0), type.bits));
  if (id == "popc") return static_cast<Bits>(std::popcount(value));
  if (id == "clz") return static_cast<Bits>(std::countl_zero(value) - (64 - type.bits));
  if (id == "bfind") return highest_bit(extended(form.in(0), type), type.bits, form.has("shiftamt"));
  if (id == "brev") return reversed(form.in(0), type.bits);
  if (id == "bfe") return extracted(form);
  if (id == "bfi") return inserted(form);
  if (id == "szext") return sign_or_zero_extended(form);
  if (id == "bmsk") return low(~Bits{0}, amount32(form, form.in(1))) << amount32(form, form.in(0));
  if (id == "fns" && low(form.in(2), 32) != Bits{1} << 31)
    return nth_set(form);  // the offset of no absolute value is left open
  return std::nullopt;
}

int result_bits(const Form& form) {
  std::string_view id = form.id();
  if (id == "mul_wide" || id == "mad_wide") return 2 * form.type().bits;
  if (id == "popc" || id == "clz" || id == "bfind" || id == "bmsk" || id == "dp4a" || id == "dp2a" || id == "fns")
    return 32;
  return form.type().bits * form.type().lanes;
}

}  // namespace

Results compute_integer(const Form& form) {
  std::optional<Bits> result = arithmetic(form);
  if (!result) result = bit_fields(form);
  if (!result) return std::nullopt;
  return std::vector<Bits>{low(*result, result_bits(form))};
}

}  // namespace tilewright::ptx
