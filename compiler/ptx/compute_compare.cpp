// Comparisons, selections and classes of numbers.
#include <cmath>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

template <class T>
bool ordered(std::string_view cmp, T a, T b) {
  if (cmp == "eq") return a == b;
  if (cmp == "ne") return a != b;
  if (cmp == "lt" || cmp == "lo") return a < b;
  if (cmp == "le" || cmp == "ls") return a <= b;
  if (cmp == "gt" || cmp == "hi") return a > b;
  return a >= b;  // ge, hs
}

Bits without_subnormal(Type type, Bits bits, bool flushes) {
  return flushes && is_subnormal(type, bits) ? bits & Bits{1} << (type.bits - 1) : bits;
}

// One comparison. A NaN makes the plain ones false and those with u true.
bool compared(std::string_view cmp, Type type, bool flushes, Bits a, Bits b) {
  if (!type.floating()) {
    bool unsigned_words = cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs";
    Type as{type.is_signed() && !unsigned_words ? 's' : 'u', type.bits, 1};
    return ordered(cmp, extended(a, as), extended(b, as));
  }
  a = without_subnormal(type, low(a, type.bits), flushes);
  b = without_subnormal(type, low(b, type.bits), flushes);
  bool nan = is_nan(type, a) || is_nan(type, b);
  if (cmp == "num") return !nan;
  if (cmp == "nan") return nan;
  bool unordered = cmp.size() == 3;
  if (nan) return unordered;
  return ordered(cmp.substr(0, 2), real(type, a), real(type, b));
}

bool joined(std::string_view op, bool result, bool with) {
  if (op == "and") return result && with;
  if (op == "or") return result || with;
  return op == "xor" ? result != with : result;
}

// setp: one predicate, or two. Of packed halves each has its own; otherwise the second is that of the opposite result.
Results predicates(const Form& form) {
  Type type = form.type();
  std::string_view cmp = form.word("cmp"), op = form.word("boolop");
  bool flushes = form.has("ftz"), with = !op.empty() && form.in(2) != 0;
  bool first = compared(cmp, type, flushes, form.in(0), form.in(1));
  std::vector<Bits> out{joined(op, first, with)};
  if (!form.id().ends_with("_pq")) return out;
  bool second =
      type.lanes == 2 ? compared(cmp, type, flushes, form.in(0) >> type.bits, form.in(1) >> type.bits) : !first;
  out.push_back(joined(op, second, with));
  return out;
}

// What a comparison that holds is as a number.
Bits truth(Type type) {
  if (type.letter == 'B') return 0x3f80;
  if (type.letter == 'f') return type.bits == 16 ? 0x3c00 : 0x3f800000;
  return low(~Bits{0}, type.bits);
}

Results numbers(const Form& form) {
  Type source = form.type("stype"), result = form.type("dtype");
  std::string_view cmp = form.word("cmp"), op = form.word("boolop");
  bool flushes = form.has("ftz"), with = !op.empty() && form.in(2) != 0;
  Bits out = 0;
  for (int lane = 0; lane < source.lanes; ++lane) {
    bool holds = joined(
        op, compared(cmp, source, flushes, form.in(0) >> (lane * source.bits), form.in(1) >> (lane * source.bits)),
        with);
    if (!holds) continue;
    // Two halves compared into a register of 32 bits that is not packed: each fills its half.
    Type lane_type = result.lanes == source.lanes ? result : Type{'u', 16, 1};
    out |= truth(lane_type) << (lane * lane_type.bits);
  }
  return std::vector<Bits>{out};
}

// Each lane of packed integers is all ones where the comparison holds.
Bits lanes_that_hold(const Form& form) {
  const Type type = form.type();
  return lanewise(type, form.in(0), form.in(1),
                  [&](Bits a, Bits b) { return compared(form.word("cmp"), type, false, a, b) ? ~Bits{0} : Bits{0}; });
}

bool in_class(std::string_view op, Type type, Bits bits) {
  double value = real(type, bits);
  if (op == "finite") return std::isfinite(value);
  if (op == "infinite") return std::isinf(value);
  if (op == "number") return !std::isnan(value);
  if (op == "notanumber") return std::isnan(value);
  if (op == "subnormal") return is_subnormal(type, bits);
  return std::isfinite(value) && !is_subnormal(type, bits);  // normal; zero counts
}

Bits chosen_by_sign(const Form& form) {
  Type type = form.type("ctype");
  bool first;
  if (type.floating()) {
    double c = real(type, without_subnormal(type, form.in(2), form.has("ftz")));
    first = c >= 0;
  } else {
    first = extended(form.in(2), type) >= 0;
  }
  return form.in(first ? 0 : 1);
}

}  // namespace

Results compute_compare(const Form& form) {
  std::string_view id = form.id();
  if (id.starts_with("setp")) return predicates(form);
  if (id == "set" || id == "set_bool" || id == "set_half" || id == "set_half_bool") return numbers(form);
  if (id == "set_packed") return std::vector<Bits>{lanes_that_hold(form)};
  if (id == "selp") return std::vector<Bits>{form.in(form.in(2) != 0 ? 0 : 1)};
  if (id == "slct") return std::vector<Bits>{chosen_by_sign(form)};
  if (id == "testp") return std::vector<Bits>{in_class(form.word("op"), form.type(), form.in(0))};
  if (id == "copysign") {
    Bits sign = Bits{1} << (form.type().bits - 1);
    return std::vector<Bits>{(form.in(0) & sign) | (form.in(1) & (sign - 1))};
  }
  return std::nullopt;
}

}  // namespace tilewright::ptx
