// How index expressions are reasoned about.
//
// The normal form of an integer expression is a sum `c + k1*p1 + k2*p2 + ...`: a constant and integer coefficients of
// products of *atoms*. An atom is whatever addition and multiplication cannot open: a variable, a load, a minimum, and
// above all `x // d` and `x % d` after everything that could leave them has left:
//
//   (f*256 + tid*8) // 8    the part that the divisor divides comes out              f*32 + tid
//   (tid*8 + 3) % 8         what remains lies in [3, 3] under one multiple of 8      3
//   (t*4 + u) // 8          the common factor of divisor and coefficients goes, when bounds(u) allow
//   (x // 4) // 8           floors nest                                              x // 32
//   (x % 128) % 32          32 divides 128                                           x % 32
//   (x % 128) // 32         the one spelling of "these bits of x" is                 (x // 32) % 4
//
// In the other direction `join` closes what belongs together again. All of its rules are the one identity
// x = d*(x // d) + x % d, used whenever it makes the sum shorter: (t//32)*32 + t%32 = t, n - n%8 = (n//8)*8,
// n - (n//8)*8 = n%8.
//
// Index arithmetic is taken not to overflow, as every compiler of kernels takes it. Unsigned types are a little
// different: `n - 1` may wrap on purpose, so divisions and comparisons of unsigned sums open only where the sum is
// provably not negative. Casts between integer types are transparent wherever the value survives them: atoms of a sum
// may have different widths, and are widened when the sum becomes an expression again.
//
// Hostile input: graphs whose tree is exponential, towers of divisions, thousands of terms. Sums hold at most kTerms
// terms of kAtoms atoms, nesting is limited, and one question spends at most kSteps steps. Past any of these the
// answer is the expression itself, or "not provable".
#include "compiler/expr/analyzer.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "compiler/expr/fold.h"

namespace tilewright::expr {
namespace {

constexpr int kTerms = 16;
constexpr int kAtoms = 4;
constexpr int kDepth = 48;
constexpr int kSteps = 3000;

// ---- intervals --------------------------------------------------------------------------------------------------

constexpr std::int64_t kMin = Interval::kMin;
constexpr std::int64_t kMax = Interval::kMax;

Interval operator+(Interval a, Interval b) {
  Interval r;
  if (a.lo == kMin || b.lo == kMin || __builtin_add_overflow(a.lo, b.lo, &r.lo)) r.lo = kMin;
  if (a.hi == kMax || b.hi == kMax || __builtin_add_overflow(a.hi, b.hi, &r.hi)) r.hi = kMax;
  return r;
}

// One corner of a product; infinite corners stay infinite, zero wins over infinity.
std::int64_t corner(std::int64_t x, std::int64_t y) {
  if (x == 0 || y == 0) return 0;
  bool negative = (x < 0) != (y < 0);
  std::int64_t r;
  if (x == kMin || x == kMax || y == kMin || y == kMax || __builtin_mul_overflow(x, y, &r))
    return negative ? kMin : kMax;
  return r;
}

Interval operator*(Interval a, Interval b) {
  auto [lo, hi] = std::minmax({corner(a.lo, b.lo), corner(a.lo, b.hi), corner(a.hi, b.lo), corner(a.hi, b.hi)});
  return {lo, hi};
}

Interval join_of(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Interval meet_of(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

Interval floor_by(Interval a, std::int64_t d) {  // d > 0
  return {a.lo == kMin ? kMin : floor_div(a.lo, d), a.hi == kMax ? kMax : floor_div(a.hi, d)};
}

// What a value of this type may be. Signed 32 and 64 bits count as unbounded: their ends say nothing about an index.
Interval type_range(DataType t) {
  if (t.is_bool()) return {0, 1};
  if (t.is_uint() && t.bits >= 64) return {0, kMax};
  if (t.is_uint()) return {0, (std::int64_t{1} << t.bits) - 1};
  if (t.is_int() && t.bits < 32) return {-(std::int64_t{1} << (t.bits - 1)), (std::int64_t{1} << (t.bits - 1)) - 1};
  return {};
}

// All values of an integer type.
Interval whole_range(DataType t) {
  if (t.is_int() && t.bits == 32)
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return type_range(t);
}

// Every value of `i` is one of type `t`, its ends included.
bool inside(Interval i, DataType t) {
  if (!t.is_integral()) return false;
  if (t.bits >= 64) return t.is_int() || i.lo >= 0;
  std::int64_t hi = (std::int64_t{1} << (t.is_uint() ? t.bits : t.bits - 1)) - 1;
  return i.lo >= (t.is_uint() ? 0 : -hi - 1) && i.hi <= hi;
}

// All ones from the top bit of `v` down: the largest value that has no more bits than the non-negative v.
std::int64_t ones_below(std::int64_t v) {
  std::int64_t mask = 0;
  while (mask < v) mask = mask * 2 + 1;
  return mask;
}

bool power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

// ---- sums -------------------------------------------------------------------------------------------------------

struct Term {
  std::int64_t k;
  int n;
  const ExprNode* atom[kAtoms];
};

struct Sum {
  std::int64_t c = 0;
  int n = 0;
  Term t[kTerms];

  Sum() {}  // NOLINT(modernize-use-equals-default): the terms stay raw, most sums have two or three
  explicit Sum(std::int64_t constant) : c(constant) {}
  Sum(const Sum& o) : c(o.c), n(o.n) { std::copy_n(o.t, o.n, t); }
  Sum& operator=(const Sum& o) {
    if (this == &o) return *this;
    c = o.c;
    n = o.n;
    std::copy_n(o.t, o.n, t);
    return *this;
  }
  bool is_constant() const { return n == 0; }
};

// The node behind casts that change the type only; atoms compare and count without them.
bool pure(const ExprNode* node) {
  if (node->kind != ExprKind::Call) return true;
  Effect effect = static_cast<const Call*>(node)->callee->effect;
  return effect == Effect::Pure || effect == Effect::Reads;
}

bool equal_atoms(const ExprNode* a, const ExprNode* b) {
  if (a->kind == ExprKind::Var || a->kind != b->kind) return a == b;
  return pure(a) && structurally_equal(Expr(a), Expr(b));
}

bool equal_products(const Term& a, const Term& b) {
  if (a.n != b.n) return false;
  if (a.n == 1) return equal_atoms(a.atom[0], b.atom[0]);
  unsigned used = 0;
  for (int i = 0; i < a.n; ++i) {
    int j = 0;
    while (j < b.n && ((used >> j & 1) || !equal_atoms(a.atom[i], b.atom[j]))) ++j;
    if (j == b.n) return false;
    used |= 1u << j;
  }
  return true;
}

[[nodiscard]] bool add_term(Sum& s, const Term& term) {
  if (term.k == 0) return true;
  for (int i = 0; i < s.n; ++i) {
    if (!equal_products(s.t[i], term)) continue;
    if (__builtin_add_overflow(s.t[i].k, term.k, &s.t[i].k)) return false;
    if (s.t[i].k == 0) {
      --s.n;
      for (int j = i; j < s.n; ++j) s.t[j] = s.t[j + 1];  // the order of the rest is the order of appearance
    }
    return true;
  }
  if (s.n == kTerms) return false;
  s.t[s.n++] = term;
  return true;
}

// s += scale * x
[[nodiscard]] bool add_scaled(Sum& s, const Sum& x, std::int64_t scale) {
  std::int64_t c;
  if (__builtin_mul_overflow(x.c, scale, &c) || __builtin_add_overflow(s.c, c, &s.c)) return false;
  for (int i = 0; i < x.n; ++i) {
    Term term = x.t[i];
    if (__builtin_mul_overflow(term.k, scale, &term.k) || !add_term(s, term)) return false;
  }
  return true;
}

[[nodiscard]] bool multiply(const Sum& a, const Sum& b, Sum& out) {
  out = Sum();
  if (__builtin_mul_overflow(a.c, b.c, &out.c)) return false;
  Sum scaled;
  if (b.c != 0) {
    scaled = a;
    scaled.c = 0;
    if (!add_scaled(out, scaled, b.c)) return false;
  }
  for (int j = 0; j < b.n; ++j) {
    Term term = b.t[j];
    if (a.c != 0) {
      if (__builtin_mul_overflow(term.k, a.c, &term.k) || !add_term(out, term)) return false;
    }
    for (int i = 0; i < a.n; ++i) {
      term = a.t[i];
      if (term.n + b.t[j].n > kAtoms || __builtin_mul_overflow(term.k, b.t[j].k, &term.k)) return false;
      for (int q = 0; q < b.t[j].n; ++q) term.atom[term.n++] = b.t[j].atom[q];
      if (!add_term(out, term)) return false;
    }
  }
  return true;
}

bool equal_sums(const Sum& a, const Sum& b) {
  if (a.c != b.c || a.n != b.n) return false;
  Sum difference = a;
  return add_scaled(difference, b, -1) && difference.n == 0;
}

Sum atom_sum(const ExprNode* node) {
  Sum s;
  s.n = 1;
  s.t[0].k = 1;
  s.t[0].n = 1;
  s.t[0].atom[0] = node;
  return s;
}

// `term` without the atoms of `factor`, coefficients aside.
bool divide_product(const Term& term, const Term& factor, Term& out) {
  unsigned used = 0;
  for (int i = 0; i < factor.n; ++i) {
    int j = 0;
    while (j < term.n && ((used >> j & 1) || !equal_atoms(factor.atom[i], term.atom[j]))) ++j;
    if (j == term.n) return false;
    used |= 1u << j;
  }
  out.k = term.k;
  out.n = 0;
  for (int j = 0; j < term.n; ++j) {
    if (!(used >> j & 1)) out.atom[out.n++] = term.atom[j];
  }
  return true;
}

// k times a product that may be empty, into a sum.
[[nodiscard]] bool add_product(Sum& s, const Term& term) {
  if (term.n == 0) return !__builtin_add_overflow(s.c, term.k, &s.c);
  return add_term(s, term);
}

bool linear_type(DataType t) { return t.is_integral() && t.bits >= 32 && t.lanes == 1; }

// An expression again, terms with the larger coefficients first: outer loops before inner ones, the constant last.
Expr build(const Sum& s, DataType dtype) {
  int order[kTerms];
  for (int i = 0; i < s.n; ++i) {
    int at = i;
    auto weight = [&](int x) { return std::pair(s.t[x].n > 1, s.t[x].k < 0 ? -(s.t[x].k + 1) : s.t[x].k - 1); };
    // Products with symbols (n * i) stand before plain terms; equal weights keep their order.
    while (at > 0 && weight(order[at - 1]) < weight(i)) {
      order[at] = order[at - 1];
      --at;
    }
    order[at] = i;
  }
  auto product = [&](const Term& term) {
    Expr e = cast(dtype, Expr(term.atom[0]));
    for (int i = 1; i < term.n; ++i) e = mul(e, cast(dtype, Expr(term.atom[i])));
    return e;
  };
  Expr total;
  int first = -1;
  for (int i = 0; i < s.n && first < 0; ++i) {
    if (s.t[order[i]].k > 0) first = i;
  }
  std::int64_t c = s.c;
  if (first >= 0) {
    total = mul(product(s.t[order[first]]), int_imm(dtype, s.t[order[first]].k));
  } else if (c > 0 || s.n == 0) {
    total = int_imm(dtype, c);
    c = 0;
  }
  for (int i = 0; i < s.n; ++i) {
    if (i == first) continue;
    const Term& term = s.t[order[i]];
    if (!total) {
      total = mul(product(term), int_imm(dtype, term.k));
    } else if (term.k < 0 && term.k != kMin) {
      total = sub(total, mul(product(term), int_imm(dtype, -term.k)));
    } else {
      total = add(total, mul(product(term), int_imm(dtype, term.k)));
    }
  }
  if (c == 0) return total;
  if (c < 0 && c != kMin) return sub(total, int_imm(dtype, -c));
  return add(total, int_imm(dtype, c));
}

// ---- the analyzer -----------------------------------------------------------------------------------------------

// Answers one question and is gone. Every method is allowed to fail; `spent()` makes all of them fail at once.
class Analyzer {
 public:
  // The sum of `e` with everything joined that belongs together. One question asks for the same operands again and
  // again, for their divisions, their bounds and their joins, so the latest answers are kept.
  [[nodiscard]] bool normal(Expr e, Sum& s) {
    if (leaf(e)) return sum(e, s);
    Known& known = known_[slot(e.get(), kKnown)];
    if (known.node == e.get()) {
      s = known.sum;
      return true;
    }
    if (!sum(e, s)) return false;
    join(s);
    known.node = e.get();
    known.sum = s;
    return true;
  }

  // An equal expression of any type; `e` itself when nothing better is known.
  Expr simple(Expr e) {
    if (!e || leaf(e) || spent()) return e;
    Deeper deeper(*this);
    if (linear_type(e.dtype())) {
      Sum s;
      return normal(e, s) ? build(s, e.dtype()) : e;
    }
    return other(e);
  }

  Interval bounds(const Sum& s) {
    Interval total = Interval::point(s.c);
    for (int i = 0; i < s.n; ++i) {
      Interval product = Interval::point(s.t[i].k);
      for (int j = 0; j < s.t[i].n; ++j) product = product * atom_bounds(s.t[i].atom[j]);
      total = total + product;
    }
    return total;
  }

  Interval bounds(Expr e) {
    if (spent()) return {};
    Deeper deeper(*this);
    if (!linear_type(e.dtype())) return atom_bounds(e.get());
    Sum s;
    if (!normal(e, s)) return atom_bounds(e.get());
    return bounds(s);
  }

  // The largest number known to divide `e`; 0 when `e` is 0, which everything divides.
  std::int64_t factor(Expr e) {
    if (spent()) return 1;
    Deeper deeper(*this);
    Sum s;
    if (linear_type(e.dtype()) && normal(e, s)) return factor(s);
    return atom_factor(e.get());
  }

  bool spent() { return exhausted_ || (exhausted_ = --steps_ < 0 || depth_ > kDepth); }
  bool exhausted() const { return exhausted_; }

  [[nodiscard]] bool divide(const Sum& s, const Sum& d, DataType t, Sum& out);
  [[nodiscard]] bool remainder(const Sum& s, const Sum& d, DataType t, Sum& out);

 private:
  struct Deeper {
    explicit Deeper(Analyzer& a) : analyzer(a) { ++analyzer.depth_; }
    ~Deeper() { --analyzer.depth_; }
    Analyzer& analyzer;
  };

  static bool leaf(Expr e) {
    return e.kind() == ExprKind::Var || e.kind() == ExprKind::IntImm || e.kind() == ExprKind::FloatImm ||
           e.kind() == ExprKind::StringImm;
  }

  [[nodiscard]] bool sum(Expr e, Sum& s);
  [[nodiscard]] bool product(const Binary* e, Sum& s);
  [[nodiscard]] bool division(const Binary* e, Sum& s);
  [[nodiscard]] bool extremum(const Binary* e, Sum& s);
  [[nodiscard]] bool bitwise(const Binary* e, Sum& s);
  [[nodiscard]] bool choice(const Select* e, Sum& s);
  [[nodiscard]] bool conversion(const Cast* e, Sum& s);
  [[nodiscard]] bool divide_by(const Sum& s, std::int64_t d, DataType t, Sum& out);
  [[nodiscard]] bool remainder_by(const Sum& s, std::int64_t d, DataType t, Sum& out);
  [[nodiscard]] bool divide_symbolic(const Sum& s, const Sum& d, DataType t, bool quotient, Sum& out);
  void join(Sum& s);
  bool join_one(Sum& s);
  Expr other(Expr e);
  Expr with_simple_children(Expr e);
  Interval atom_bounds(const ExprNode* node) {
    if (leaf(Expr(node))) return find_bounds(node);
    Bounded& known = bounded_[slot(node, kBounded)];
    if (known.node == node) return known.bounds;
    Interval found = find_bounds(node);
    bounded_[slot(node, kBounded)] = {node, found};
    return found;
  }
  Interval find_bounds(const ExprNode* node);
  std::int64_t factor(const Sum& s);
  std::int64_t atom_factor(const ExprNode* node);
  std::int64_t binary_factor(const Binary& b);

  // The sum that is one atom, or what the atom became while it was built.
  bool atom(Expr e, Sum& s) {
    if (const IntImm* imm = e.as<IntImm>()) {
      s = Sum(imm->value);
    } else {
      s = atom_sum(e.get());
    }
    return true;
  }

  // Nodes live as long as the question, so an address names one for good. Newer answers overwrite older ones.
  static constexpr std::size_t kKnown = 16, kBounded = 32;
  struct Known {
    const ExprNode* node = nullptr;
    Sum sum;
  };
  struct Bounded {
    const ExprNode* node = nullptr;
    Interval bounds;
  };
  static std::size_t slot(const ExprNode* node, std::size_t count) {
    return (reinterpret_cast<std::uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 40 & (count - 1);
  }

  Known known_[kKnown];
  Bounded bounded_[kBounded];
  int steps_ = kSteps;
  int depth_ = 0;
  bool exhausted_ = false;
};

bool Analyzer::sum(Expr e, Sum& s) {
  if (spent()) return false;
  Deeper deeper(*this);
  s = Sum();
  if (e.kind() == ExprKind::Var) return atom(e, s);
  if (!linear_type(e.dtype())) return atom(other(e), s);

  // Sums lean to the left: their spine is a loop, so that a long one costs no stack.
  while (e.kind() == ExprKind::Add || e.kind() == ExprKind::Sub) {
    const Binary* b = static_cast<const Binary*>(e.get());
    Sum right, both;
    if (!sum(b->b, right) || !add_scaled(both, right, e.kind() == ExprKind::Sub ? -1 : 1) || !add_scaled(both, s, 1))
      return false;
    s = both;  // what appears first in the text stays first among equals
    e = b->a;
    if (spent()) return false;
  }
  Sum part;
  bool known = false;
  switch (e.kind()) {
    case ExprKind::IntImm:
      if (e.dtype().is_uint() && e.as<IntImm>()->value < 0) return false;  // beyond what coefficients hold
      return !__builtin_add_overflow(s.c, e.as<IntImm>()->value, &s.c);
    case ExprKind::Mul: known = product(e.as<Binary>(), part); break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::TruncDiv:
    case ExprKind::TruncMod: known = division(e.as<Binary>(), part); break;
    case ExprKind::Min:
    case ExprKind::Max: known = extremum(e.as<Binary>(), part); break;
    case ExprKind::Shl:
    case ExprKind::Shr:
    case ExprKind::BitAnd:
    case ExprKind::BitOr:
    case ExprKind::BitXor: known = bitwise(e.as<Binary>(), part); break;
    case ExprKind::Select:
    case ExprKind::IfThenElse: known = choice(e.as<Select>(), part); break;
    case ExprKind::Cast: known = conversion(e.as<Cast>(), part); break;
    default: known = atom(with_simple_children(e), part); break;
  }
  if (!known) {
    if (exhausted_) return false;
    atom(e, part);  // too large to open: it stands for itself
  }
  if (s.n == 0) {
    part.c += s.c;
    s = part;
    return true;
  }
  Sum total = part;
  if (!add_scaled(total, s, 1)) return false;
  s = total;
  return true;
}

bool Analyzer::product(const Binary* e, Sum& s) {
  Sum a, b;
  return sum(e->a, a) && sum(e->b, b) && multiply(a, b, s);
}

bool Analyzer::division(const Binary* e, Sum& s) {
  Sum a, d;
  if (!normal(e->a, a) || !normal(e->b, d)) return false;
  bool quotient = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::TruncDiv;
  if (e->kind == ExprKind::TruncDiv || e->kind == ExprKind::TruncMod) {
    // Rounding towards zero is rounding down where nothing is negative.
    bool same = e->dtype.is_uint() || (bounds(a).lo >= 0 && bounds(d).lo > 0);
    if (!same) return atom(with_simple_children(Expr(e)), s);
  }
  return quotient ? divide(a, d, e->dtype, s) : remainder(a, d, e->dtype, s);
}

bool Analyzer::divide(const Sum& s, const Sum& d, DataType t, Sum& out) {
  if (d.is_constant() && d.c > 0) return divide_by(s, d.c, t, out);
  return divide_symbolic(s, d, t, true, out);
}

bool Analyzer::remainder(const Sum& s, const Sum& d, DataType t, Sum& out) {
  if (d.is_constant() && d.c > 0) return remainder_by(s, d.c, t, out);
  return divide_symbolic(s, d, t, false, out);
}

const Binary* as_kind(const ExprNode* node, ExprKind kind) {
  return node->kind == kind ? static_cast<const Binary*>(node) : nullptr;
}

// The constant positive divisor of `x // d` or `x % d`; 0 for anything else.
std::int64_t divisor(const Binary* node) {
  const std::int64_t* d = node ? constant(node->b) : nullptr;
  return d && *d > 0 ? *d : 0;
}

bool Analyzer::divide_by(const Sum& s, std::int64_t d, DataType t, Sum& out) {
  if (spent()) return false;
  Deeper deeper(*this);
  if (d == 1) {
    out = s;
    return true;
  }
  if (t.is_uint() && bounds(s).lo < 0) return atom(floordiv(build(s, t), int_imm(t, d)), out);
  Sum quotient(floor_div(s.c, d));
  Sum rest(floor_mod(s.c, d));
  std::int64_t common = d;
  for (int i = 0; i < s.n; ++i) {
    Term term = s.t[i];
    if (term.k % d == 0) {
      term.k /= d;
      quotient.t[quotient.n++] = term;
    } else {
      rest.t[rest.n++] = term;
      common = std::gcd(common, term.k);
    }
  }
  if (Interval b = bounds(rest); b.bounded() && floor_div(b.lo, d) == floor_div(b.hi, d)) {
    out = quotient;
    out.c += floor_div(b.lo, d);
    return true;
  }
  if (common > 1) {
    for (int i = 0; i < rest.n; ++i) rest.t[i].k /= common;
    rest.c = floor_div(rest.c, common);
    d /= common;
  }
  Sum inner;
  bool opened = false;
  if (rest.n == 1 && rest.t[0].k == 1 && rest.t[0].n == 1) {
    const ExprNode* node = rest.t[0].atom[0];
    if (const Binary* floor = as_kind(node, ExprKind::FloorDiv); std::int64_t by = divisor(floor)) {
      // (x // by + c) // d = (x + c*by) // (d*by)
      std::int64_t shift, whole;
      Sum x;
      if (!__builtin_mul_overflow(rest.c, by, &shift) && !__builtin_mul_overflow(d, by, &whole) &&
          normal(floor->a, x) && !__builtin_add_overflow(x.c, shift, &x.c))
        opened = divide_by(x, whole, t, inner);
    } else if (const Binary* mod = as_kind(node, ExprKind::FloorMod); std::int64_t of = divisor(mod)) {
      // (x % of) // d = (x // d) % (of / d)
      Sum x, y;
      if (rest.c == 0 && of % d == 0 && normal(mod->a, x) && divide_by(x, d, t, y))
        opened = remainder_by(y, of / d, t, inner);
    }
  }
  if (!opened && (exhausted_ || !atom(floordiv(build(rest, t), int_imm(t, d)), inner))) return false;
  out = quotient;
  return add_scaled(out, inner, 1);
}

bool Analyzer::remainder_by(const Sum& s, std::int64_t d, DataType t, Sum& out) {
  if (spent()) return false;
  Deeper deeper(*this);
  if (d == 1) {
    out = Sum();
    return true;
  }
  // Powers of two divide 2^32 and 2^64: wrapping does not disturb them.
  if (t.is_uint() && !power_of_two(d) && bounds(s).lo < 0) return atom(floormod(build(s, t), int_imm(t, d)), out);
  Sum rest;
  Sum todo = s;
  // Inner remainders open once their neighbours do not keep the sum below d; opening may reveal more of them.
  for (int round = 0;; ++round) {
    rest = Sum(floor_mod(todo.c, d));
    for (int i = 0; i < todo.n; ++i) {
      Term term = todo.t[i];
      term.k %= d;
      if (term.k != 0) rest.t[rest.n++] = term;
    }
    if (Interval b = bounds(rest); b.bounded() && floor_div(b.lo, d) == floor_div(b.hi, d)) {
      out = rest;
      return !__builtin_sub_overflow(out.c, floor_div(b.lo, d) * d, &out.c);
    }
    if (round == 4) break;
    bool opened = false;
    todo = Sum(rest.c);
    for (int i = 0; i < rest.n; ++i) {
      const Binary* mod = rest.t[i].n == 1 ? as_kind(rest.t[i].atom[0], ExprKind::FloorMod) : nullptr;
      std::int64_t of = divisor(mod), reach;
      Sum x;
      if (of && !__builtin_mul_overflow(of, rest.t[i].k, &reach) && reach % d == 0 && normal(mod->a, x)) {
        if (!add_scaled(todo, x, rest.t[i].k)) return false;
        opened = true;
      } else if (!add_term(todo, rest.t[i])) {
        return false;
      }
    }
    if (!opened) break;
  }
  std::int64_t common = d;
  for (int i = 0; i < rest.n; ++i) common = std::gcd(common, rest.t[i].k);
  for (int i = 0; i < rest.n; ++i) rest.t[i].k /= common;
  std::int64_t below = floor_mod(rest.c, common);
  rest.c = floor_div(rest.c, common);
  Sum inner;
  if (exhausted_ || !atom(floormod(build(rest, t), int_imm(t, d / common)), inner)) return false;
  out = Sum(below);
  return add_scaled(out, inner, common);
}

// Divisors that are not positive constants: whole multiples of the divisor come out; shared symbols cancel.
bool Analyzer::divide_symbolic(const Sum& s, const Sum& d, DataType t, bool quotient, Sum& out) {
  if (spent()) return false;
  Deeper deeper(*this);
  Sum whole, rest = s;
  if (d.n == 1 && d.c == 0) {
    const Term& by = d.t[0];
    // (M*x) // (M*4) = x // 4
    bool shared = s.c == 0 && s.n > 0;
    Sum reduced;
    Term term;
    for (int i = 0; i < s.n && shared; ++i) shared = divide_product(s.t[i], by, term) && add_product(reduced, term);
    if (shared && by.k > 0) {
      Sum inner;
      if (!(quotient ? divide_by(reduced, by.k, t, inner) : remainder_by(reduced, by.k, t, inner))) return false;
      if (quotient) {
        out = inner;
        return true;
      }
      Sum symbols;
      symbols.n = 1;
      symbols.t[0] = by;
      symbols.t[0].k = 1;
      return multiply(inner, symbols, out);
    }
    rest = Sum(s.c);
    for (int i = 0; i < s.n; ++i) {
      if (s.t[i].k % by.k == 0 && divide_product(s.t[i], by, term)) {
        term.k /= by.k;
        if (!add_product(whole, term)) return false;
      } else {
        rest.t[rest.n++] = s.t[i];
      }
    }
  } else if (equal_sums(s, d) && !d.is_constant()) {
    out = Sum(quotient ? 1 : 0);
    return true;
  }
  Sum inner;
  Sum gap = d;
  bool below = rest.is_constant() && rest.c == 0;
  if (!below && bounds(rest).lo >= 0 && add_scaled(gap, rest, -1)) below = bounds(gap).lo > 0;
  if (below) {
    if (!quotient) {
      out = rest;
      return true;
    }
  } else {
    Expr a = build(rest, t), b = build(d, t);
    if (!atom(quotient ? floordiv(a, b) : floormod(a, b), inner)) return false;
  }
  if (!quotient) {
    out = inner;
    return true;
  }
  out = whole;
  return add_scaled(out, inner, 1);
}

void Analyzer::join(Sum& s) {
  for (int round = 0; round < 8 && s.n > 1 && join_one(s); ++round) {
  }
}

// One application of x = d*(x//d) + x%d that shortens the sum, or of (x//a % b)*a + x%a = x % (a*b).
bool Analyzer::join_one(Sum& s) {
  if (s.n < 2) return false;
  for (int i = 0; i < s.n; ++i) {
    for (int at = 0; at < s.t[i].n; ++at) {
      const ExprNode* node = s.t[i].atom[at];
      const Binary* mod = as_kind(node, ExprKind::FloorMod);
      const Binary* floor = as_kind(node, ExprKind::FloorDiv);
      if (!mod && !floor) continue;
      if (spent()) return false;
      const Binary* part = mod ? mod : floor;
      Sum x, d, twin;
      if (!normal(part->a, x) || !normal(part->b, d)) continue;
      Term others = s.t[i];
      others.n = 0;
      for (int j = 0; j < s.t[i].n; ++j) {
        if (j != at) others.atom[others.n++] = s.t[i].atom[j];
      }
      std::int64_t k = others.k;
      others.k = 1;
      Sum scale;
      if (!add_product(scale, others)) continue;

      Sum candidate = s;
      Term gone = s.t[i];
      gone.k = -gone.k;
      if (!add_term(candidate, gone)) continue;
      Sum replacement, scaled;
      if (mod) {
        // k*(x%d) = k*x - k*d*(x//d)
        Sum floor_part;
        if (!divide(x, d, part->dtype, floor_part) || !multiply(floor_part, d, twin)) continue;
        replacement = x;
        if (!add_scaled(replacement, twin, -1)) continue;
      } else {
        // -k*d*(x//d) = k*(x%d) - k*x, for a constant d that divides the coefficient
        if (!d.is_constant() || d.c <= 1 || k % d.c != 0) continue;
        k = -k / d.c;
        if (!remainder(x, d, part->dtype, replacement) || !add_scaled(replacement, x, -1)) continue;
      }
      if (multiply(replacement, scale, scaled) && add_scaled(candidate, scaled, k) && candidate.n < s.n) {
        s = candidate;
        return true;
      }
      // ((x//a) % b)*a*k + (x%a)*k = (x % (a*b))*k: here `mod` is x%a, its partner is looked for among the terms.
      std::int64_t a = divisor(mod);
      if (!mod || !a || others.n != 0) continue;
      for (int j = 0; j < s.n; ++j) {
        const Binary* high = s.t[j].n == 1 && j != i ? as_kind(s.t[j].atom[0], ExprKind::FloorMod) : nullptr;
        std::int64_t b = divisor(high), scaled_k, whole;
        if (!high || !b || __builtin_mul_overflow(k, a, &scaled_k) || scaled_k != s.t[j].k ||
            __builtin_mul_overflow(a, b, &whole))
          continue;
        Sum high_x, floor_x, merged;
        if (!normal(high->a, high_x) || !divide_by(x, a, mod->dtype, floor_x) || !equal_sums(high_x, floor_x)) continue;
        if (!remainder_by(x, whole, mod->dtype, merged)) continue;
        Sum joined(s.c);
        bool fine = true;
        for (int q = 0; q < s.n && fine; ++q) {
          if (q != i && q != j) fine = add_term(joined, s.t[q]);
        }
        if (fine && add_scaled(joined, merged, k) && joined.n < s.n) {
          s = joined;
          return true;
        }
      }
    }
  }
  return false;
}

bool Analyzer::extremum(const Binary* e, Sum& s) {
  Sum a, b;
  if (!normal(e->a, a) || !normal(e->b, b)) return false;
  Sum gap = a;
  bool ordered = !e->dtype.is_uint() || (bounds(a).lo >= 0 && bounds(b).lo >= 0);
  if (ordered && add_scaled(gap, b, -1)) {
    Interval g = bounds(gap);
    bool a_small = g.hi <= 0, a_large = g.lo >= 0;
    bool min = e->kind == ExprKind::Min;
    if (a_small || a_large) {
      s = (min ? a_small : a_large) ? a : b;
      return true;
    }
  }
  return atom(binary(e->kind, build(a, e->dtype), build(b, e->dtype)), s);
}

bool Analyzer::bitwise(const Binary* e, Sum& s) {
  DataType t = e->dtype;
  const std::int64_t* c = constant(e->b);
  Sum a;
  if (c && (e->kind == ExprKind::Shl || e->kind == ExprKind::Shr) && *c >= 0 && *c < t.bits && *c < 62) {
    std::int64_t scale = std::int64_t{1} << *c;
    if (!normal(e->a, a)) return false;
    if (e->kind == ExprKind::Shr) return divide_by(a, scale, t, s);
    s = Sum();
    return add_scaled(s, a, scale);
  }
  if (c && e->kind == ExprKind::BitAnd && *c >= 0 && *c < kMax && power_of_two(*c + 1)) {
    return normal(e->a, a) && remainder_by(a, *c + 1, t, s);
  }
  if (c && e->kind == ExprKind::BitAnd && *c < 0 && *c != kMin && power_of_two(-*c)) {
    // x & -8 = x - x % 8
    if (!normal(e->a, a)) return false;
    Sum low;
    if (!remainder_by(a, -*c, t, low)) return false;
    s = a;
    return add_scaled(s, low, -1);
  }
  if (e->kind == ExprKind::BitXor || e->kind == ExprKind::BitOr) {
    // Where one side fills only the bits below 2^n, multiples of 2^n pass by it: (8*r + c) ^ s = 8*r + (c ^ s) for
    // s < 8. It is what makes addresses of swizzled tiles readable.
    Sum b;
    if (!normal(e->a, a) || !normal(e->b, b)) return false;
    Sum past;
    for (auto [wide, narrow] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      Interval low = bounds(*narrow);
      if (low.lo < 0 || low.hi > (std::int64_t{1} << 40)) continue;
      std::int64_t unit = ones_below(low.hi) + 1;
      Sum kept(floor_mod(wide->c, unit));
      past.c += wide->c - kept.c;
      for (int i = 0; i < wide->n; ++i) {
        const Term& term = wide->t[i];
        if (term.k % unit != 0) {
          kept.t[kept.n++] = term;
        } else if (!add_term(past, term)) {
          return false;
        }
      }
      *wide = kept;
    }
    Sum inner;
    if (a.is_constant() && a.c == 0) {
      inner = b;
    } else if (b.is_constant() && b.c == 0) {
      inner = a;
    } else if (!atom(binary(e->kind, build(a, t), build(b, t)), inner)) {
      return false;
    }
    s = past;
    return add_scaled(s, inner, 1);
  }
  return atom(with_simple_children(Expr(e)), s);
}

bool Analyzer::choice(const Select* e, Sum& s) {
  Expr condition = simple(e->condition);
  if (const std::int64_t* c = constant(condition)) return normal(*c ? e->when_true : e->when_false, s);
  Sum a, b;
  if (!normal(e->when_true, a) || !normal(e->when_false, b)) return false;
  if (equal_sums(a, b)) {
    s = a;
    return true;
  }
  Expr t = build(a, e->dtype), f = build(b, e->dtype);
  return atom(e->kind == ExprKind::Select ? select(condition, t, f) : if_then_else(condition, t, f), s);
}

bool Analyzer::conversion(const Cast* e, Sum& s) {
  DataType from = e->value.dtype();
  if (from.is_bool() || (from.is_integral() && from.bits < 32)) return atom(with_simple_children(Expr(e)), s);
  if (!linear_type(from)) return atom(with_simple_children(Expr(e)), s);
  if (!normal(e->value, s)) return false;
  bool widening = from.is_int() && e->dtype.is_int() && e->dtype.bits >= from.bits;
  if (widening) return true;
  // Out of an unsigned sum only where it did not wrap; into anything only where every value fits.
  Interval b = bounds(s);
  bool wrapped = from.is_uint() && b.lo < 0;
  if (!wrapped && inside(meet_of(b, whole_range(from)), e->dtype)) return true;
  return atom(cast(e->dtype, build(s, from)), s);
}

// Expressions that are no integer sums: conditions, floats, vectors, narrow integers.
Expr Analyzer::other(Expr e) {
  if (leaf(e)) return e;
  const Binary* b = e.as<Binary>();
  bool compares = b && e.kind() >= ExprKind::EQ && e.kind() <= ExprKind::GE;
  if (!compares || !linear_type(b->a.dtype())) return with_simple_children(e);
  Sum x, y;
  if (!normal(b->a, x) || !normal(b->b, y)) return e;
  DataType t = b->a.dtype();
  Sum gap = x;
  bool ordered = !t.is_uint() || (bounds(x).lo >= 0 && bounds(y).lo >= 0);
  if (ordered && add_scaled(gap, y, -1)) {
    Interval g = bounds(gap);
    bool apart = g.lo > 0 || g.hi < 0, same = g.lo == 0 && g.hi == 0;
    switch (e.kind()) {
      case ExprKind::EQ:
        if (apart || same) return bool_imm(same);
        break;
      case ExprKind::NE:
        if (apart || same) return bool_imm(apart);
        break;
      case ExprKind::LT:
        if (g.hi < 0 || g.lo >= 0) return bool_imm(g.hi < 0);
        break;
      case ExprKind::LE:
        if (g.hi <= 0 || g.lo > 0) return bool_imm(g.hi <= 0);
        break;
      case ExprKind::GT:
        if (g.lo > 0 || g.hi <= 0) return bool_imm(g.lo > 0);
        break;
      default:
        if (g.lo >= 0 || g.hi < 0) return bool_imm(g.lo >= 0);
        break;
    }
  }
  return binary(e.kind(), build(x, t), build(y, t));
}

Expr Analyzer::with_simple_children(Expr e) {
  Expr buffer[3];
  std::span<const Expr> old = children(*e.get(), buffer);
  constexpr std::size_t kFew = 16;
  if (old.empty() || old.size() > kFew) return e;
  Expr now[kFew];
  bool changed = false;
  for (std::size_t i = 0; i < old.size(); ++i) {
    now[i] = simple(old[i]);
    changed |= !same_node(now[i], old[i]) && !structurally_equal(now[i], old[i]);
  }
  return changed ? rebuild(e, {now, old.size()}) : e;
}

Interval Analyzer::find_bounds(const ExprNode* node) {
  Interval all = type_range(node->dtype);
  if (!node->dtype.is_integral() && !node->dtype.is_bool()) return {};
  if (spent()) return all;
  Deeper deeper(*this);
  const Binary* b = Binary::is(node->kind) ? static_cast<const Binary*>(node) : nullptr;
  switch (node->kind) {
    case ExprKind::IntImm: return Interval::point(static_cast<const IntImm*>(node)->value);
    case ExprKind::Var: {
      const Var* var = static_cast<const Var*>(node);
      if (var->role == VarRole::Extent) all.lo = std::max<std::int64_t>(all.lo, 0);
      return meet_of(all, var->range);
    }
    case ExprKind::FloorMod:
    case ExprKind::TruncMod: {
      Interval x = bounds(b->a), d = bounds(b->b);
      if (d.lo < 1) return all;
      std::int64_t hi = d.hi == kMax ? kMax : d.hi - 1;
      if (x.lo >= 0) return {0, std::min(hi, x.hi)};
      if (node->kind == ExprKind::TruncMod) return {hi == kMax ? kMin : -hi, hi};
      return {0, hi};
    }
    case ExprKind::FloorDiv:
    case ExprKind::TruncDiv: {
      Interval x = bounds(b->a), d = bounds(b->b);
      if (d.lo < 1) return all;
      if (x.lo >= 0) return {d.hi == kMax ? 0 : x.lo / d.hi, x.hi == kMax ? kMax : x.hi / d.lo};
      if (d.is_point() && node->kind == ExprKind::FloorDiv) return floor_by(x, d.lo);
      return all;
    }
    case ExprKind::Min: {
      Interval x = bounds(b->a), y = bounds(b->b);
      return meet_of(all, {std::min(x.lo, y.lo), std::min(x.hi, y.hi)});
    }
    case ExprKind::Max: {
      Interval x = bounds(b->a), y = bounds(b->b);
      return meet_of(all, {std::max(x.lo, y.lo), std::max(x.hi, y.hi)});
    }
    case ExprKind::BitAnd: {
      Interval x = bounds(b->a), y = bounds(b->b);
      if (x.lo >= 0 && y.lo >= 0) return {0, std::min(x.hi, y.hi)};
      if (x.lo >= 0) return {0, x.hi};
      if (y.lo >= 0) return {0, y.hi};
      return all;
    }
    case ExprKind::BitOr:
    case ExprKind::BitXor: {
      Interval x = bounds(b->a), y = bounds(b->b);
      if (x.lo < 0 || y.lo < 0) return all;
      return meet_of(all, {0, ones_below(std::max(x.hi, y.hi))});
    }
    case ExprKind::Shr: {
      Interval x = bounds(b->a);
      return x.lo >= 0 ? Interval{0, x.hi} : all;
    }
    case ExprKind::Mul: return meet_of(all, bounds(b->a) * bounds(b->b));
    case ExprKind::Select:
    case ExprKind::IfThenElse: {
      const Select* s = static_cast<const Select*>(node);
      return join_of(bounds(s->when_true), bounds(s->when_false));
    }
    case ExprKind::Cast: {
      const Expr value = static_cast<const Cast*>(node)->value;
      if (!value.dtype().is_integral() && !value.dtype().is_bool()) return all;
      if (value.dtype().lanes != 1) return all;
      Interval x = bounds(value);
      if (node->dtype.is_bool()) return all;
      return inside(x, node->dtype) ? x : all;
    }
    case ExprKind::Call: {
      const Call* c = static_cast<const Call*>(node);
      return c->callee == &builtin::likely && c->args.size() == 1 ? bounds(c->args[0]) : all;
    }
    default: return all;
  }
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::max(a, b) : r;  // either factor divides the product as well
}

// The largest power of two in `v`; of 0, which all divide, a large one.
std::int64_t power_part(std::int64_t v) { return v == 0 ? std::int64_t{1} << 62 : v & -v; }

std::int64_t Analyzer::factor(const Sum& s) {
  std::int64_t common = s.c == kMin ? 1 : std::abs(s.c);
  for (int i = 0; i < s.n && common != 1; ++i) {
    std::int64_t of_term = s.t[i].k == kMin ? 1 : std::abs(s.t[i].k);
    for (int j = 0; j < s.t[i].n; ++j) of_term = times(of_term, atom_factor(s.t[i].atom[j]));
    common = std::gcd(common, of_term);
  }
  return common;
}

std::int64_t Analyzer::atom_factor(const ExprNode* node) {
  if (spent() || !node->dtype.is_integral()) return 1;
  Deeper deeper(*this);
  if (Binary::is(node->kind)) return binary_factor(*static_cast<const Binary*>(node));
  switch (node->kind) {
    case ExprKind::IntImm: {
      std::int64_t v = static_cast<const IntImm*>(node)->value;
      return v == kMin ? 1 : std::abs(v);
    }
    case ExprKind::Var: {
      Interval range = static_cast<const Var*>(node)->range;
      return range.is_point() && range.lo != kMin ? std::abs(range.lo) : 1;
    }
    case ExprKind::Select:
    case ExprKind::IfThenElse: {
      const Select* s = static_cast<const Select*>(node);
      return std::gcd(factor(s->when_true), factor(s->when_false));
    }
    case ExprKind::Cast: {
      const Expr value = static_cast<const Cast*>(node)->value;
      if (!linear_type(value.dtype())) return 1;
      // A wrapped value keeps its power of two; other divisors only survive where nothing wraps.
      std::int64_t a = factor(value);
      return inside(bounds(value), node->dtype) ? a : std::min<std::int64_t>(power_part(a), std::int64_t{1} << 31);
    }
    default: return 1;
  }
}

std::int64_t Analyzer::binary_factor(const Binary& b) {
  switch (b.kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::FloorMod:
    case ExprKind::TruncMod: {
      std::int64_t a = factor(b.a);
      return a == 1 ? 1 : std::gcd(a, factor(b.b));
    }
    case ExprKind::Mul: return times(factor(b.a), factor(b.b));
    case ExprKind::FloorDiv:
    case ExprKind::TruncDiv: {
      const std::int64_t* d = constant(b.b);
      std::int64_t a = factor(b.a);
      return d && *d > 0 && a % *d == 0 ? a / *d : 1;
    }
    case ExprKind::BitAnd: return std::max(power_part(factor(b.a)), power_part(factor(b.b)));
    case ExprKind::BitOr:
    case ExprKind::BitXor: return std::min(power_part(factor(b.a)), power_part(factor(b.b)));
    case ExprKind::Shl: return factor(b.a);
    default: return 1;
  }
}

bool zero_bit(Analyzer& analyzer, Expr e, int bit, int depth) {
  Interval range = analyzer.bounds(e);
  if (range.lo < 0 || bit < 0) return false;
  if (bit > 61) return range.hi < kMax;
  const std::int64_t weight = std::int64_t{1} << bit;
  if (range.hi < weight) return true;
  Sum s, shifted, low;
  if (!linear_type(e.dtype()) || !analyzer.normal(e, s)) return false;
  if (analyzer.divide(s, Sum(weight), e.dtype(), shifted) && analyzer.remainder(shifted, Sum(2), e.dtype(), low) &&
      low.is_constant() && low.c == 0)
    return true;
  if (s.n != 1 || s.c != 0 || s.t[0].n != 1 || !power_of_two(s.t[0].k) || depth > 8) return false;
  // k * (x op y) with k a power of two: the question goes to the operands, moved down by log2 k.
  int down = bit - __builtin_ctzll(static_cast<std::uint64_t>(s.t[0].k));
  if (down < 0) return true;
  const ExprNode* node = s.t[0].atom[0];
  if (node->kind == ExprKind::BitXor || node->kind == ExprKind::BitOr || node->kind == ExprKind::BitAnd) {
    const Binary* b = static_cast<const Binary*>(node);
    bool a_zero = zero_bit(analyzer, b->a, down, depth + 1);
    if (node->kind == ExprKind::BitAnd) return a_zero || zero_bit(analyzer, b->b, down, depth + 1);
    return a_zero && zero_bit(analyzer, b->b, down, depth + 1);
  }
  if (node->kind == ExprKind::Select || node->kind == ExprKind::IfThenElse) {
    const Select* c = static_cast<const Select*>(node);
    return zero_bit(analyzer, c->when_true, down, depth + 1) && zero_bit(analyzer, c->when_false, down, depth + 1);
  }
  return false;
}

// Nodes that only served the reasoning live in a scratch arena; this is the way out for those that became the answer.
Expr carry_out(Expr e, const Arena& scratch) {
  if (!scratch.owns(e.get())) return e;
  if (const IntImm* imm = e.as<IntImm>()) return int_imm(imm->dtype, imm->value);
  if (const FloatImm* imm = e.as<FloatImm>()) return float_imm(imm->dtype, imm->value);
  Expr buffer[3];
  std::span<const Expr> old = children(*e.get(), buffer);
  std::vector<Expr> many;
  Expr few[4];
  Expr* now = few;
  if (old.size() > 4) {
    many.resize(old.size());
    now = many.data();
  }
  for (std::size_t i = 0; i < old.size(); ++i) now[i] = carry_out(old[i], scratch);
  return rebuild(e, {now, old.size()});
}

// A question: its analyzer, and the memory that its reasoning may litter.
struct Question {
  ScratchArena scratch;
  ArenaScope scope{scratch};
  Analyzer analyzer;
};

}  // namespace

Interval bounds(Expr e) {
  if (const std::int64_t* c = constant(e)) return Interval::point(*c);
  Question q;
  Interval found = q.analyzer.bounds(e);
  return q.analyzer.exhausted() ? type_range(e.dtype()) : found;
}

Expr simplify(Expr e) {
  if (!e || e.kind() == ExprKind::Var || e.kind() == ExprKind::IntImm) return e;
  ScratchArena scratch;
  Analyzer analyzer;
  Expr simple;
  {
    ArenaScope scope(scratch);
    simple = analyzer.simple(e);
  }
  if (analyzer.exhausted() || structurally_equal(simple, e)) return e;
  return carry_out(simple, scratch);
}

bool provably_equal(Expr a, Expr b) {
  if (same_node(a, b)) return true;
  if (!a || !b) return false;
  const std::int64_t *ca = constant(a), *cb = constant(b);
  if (ca && cb) return *ca == *cb;
  Question q;
  Sum x, y;
  if (!linear_type(a.dtype()) || !linear_type(b.dtype()) || !q.analyzer.normal(a, x) || !q.analyzer.normal(b, y))
    return structurally_equal(a, b);
  if (!add_scaled(x, y, -1)) return false;
  Interval gap = q.analyzer.bounds(x);
  return gap.lo == 0 && gap.hi == 0 && !q.analyzer.exhausted();
}

bool provably_divisible(Expr e, std::int64_t divisor) {
  if (divisor == 0 || divisor == kMin) return false;
  divisor = std::abs(divisor);
  if (divisor == 1) return true;
  if (const std::int64_t* c = constant(e)) return *c % divisor == 0;
  Question q;
  if (q.analyzer.factor(e) % divisor == 0) return true;
  Sum s, rest;
  return linear_type(e.dtype()) && q.analyzer.normal(e, s) && q.analyzer.remainder(s, Sum(divisor), e.dtype(), rest) &&
         rest.is_constant() && rest.c == 0;
}

bool provably_less(Expr a, Expr b) {
  const std::int64_t *ca = constant(a), *cb = constant(b);
  if (ca && cb) return *ca < *cb;
  Question q;
  Sum x, y;
  if (!linear_type(a.dtype()) || !linear_type(b.dtype()) || !q.analyzer.normal(a, x) || !q.analyzer.normal(b, y))
    return false;
  return add_scaled(y, x, -1) && q.analyzer.bounds(y).lo > 0 && !q.analyzer.exhausted();
}

bool provably_zero_bit(Expr e, int bit) {
  Question q;
  return zero_bit(q.analyzer, e, bit, 0);
}

}  // namespace tilewright::expr
