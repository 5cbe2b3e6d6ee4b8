// Parts of compute.cpp by kind of number.
#pragma once
#include "compiler/ptx/compute.h"

namespace tilewright::ptx {

// "u16x2": unsigned, 16 bits, two lanes.
struct Type {
  char letter = 'b';  // b, u, s, f, and B for bf16
  int bits = 32;      // of one lane
  int lanes = 1;

  bool is_signed() const { return letter == 's'; }
  bool floating() const { return letter == 'f' || letter == 'B'; }
};
Type number_type(std::string_view token);

// One instruction with its modifiers by name, and its inputs.
class Form {
 public:
  Form(const Candidate& instruction, std::span<const Bits> read)
      : row_(*instruction.row), filled_(instruction.filled), read_(read) {}

  const Row& row() const { return row_; }
  std::string_view id() const { return row_.id; }
  // The token of a slot; empty where it is left out or not there.
  std::string_view word(std::string_view slot) const;
  bool has(std::string_view token) const;  // whether the instruction's text has this token
  Type type(std::string_view slot = "type") const;
  Bits in(std::size_t i) const { return read_[i]; }
  std::size_t inputs() const { return read_.size(); }

 private:
  const Row& row_;
  const Filled& filled_;
  std::span<const Bits> read_;
};

using Results = std::optional<std::vector<Bits>>;
Results compute_integer(const Form& form);
Results compute_logic(const Form& form);
Results compute_move(const Form& form);
Results compute_compare(const Form& form);
Results compute_float(const Form& form);
Results compute_mixed(const Form& form);
Results compute_convert(const Form& form);
Results compute_narrow(const Form& form);
Results compute_sparse(const Form& form);

inline Bits low(Bits value, int bits) { return bits >= 128 ? value : value & ((Bits{1} << bits) - 1); }
inline __int128 extended(Bits value, Type type) {
  value = low(value, type.bits);
  bool negative = type.is_signed() && (value >> (type.bits - 1) & 1);
  return static_cast<__int128>(negative ? value | ~((Bits{1} << type.bits) - 1) : value);
}

// A function of one lane applied to each of packed operands.
template <class F>
Bits lanewise(Type type, Bits a, Bits b, F f) {
  Bits out = 0;
  for (int lane = 0; lane < type.lanes; ++lane) {
    int at = lane * type.bits;
    out |= low(f(low(a >> at, type.bits), low(b >> at, type.bits)), type.bits) << at;
  }
  return out;
}

// Numbers of 16, 32 and 64 bits as doubles, exactly; and rounded to one of them in a direction (FE_TONEAREST ...).
double real(Type type, Bits bits);
bool is_nan(Type type, Bits bits);
bool is_subnormal(Type type, Bits bits);
// The one NaN that instructions make.
Bits nan_of(Type type);
// `value` is exact, or rounded to odd where a bit was lost.
Bits rounded(Type type, double value, int direction);
int direction_of(std::string_view word);

}  // namespace tilewright::ptx
