// cvt as release 0.26 writes it: one call for all forms of the instruction, chosen by the types and modifiers.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

constexpr std::string_view kBasic = "u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64", kNarrow = "e4m3x2|e5m2x2",
                           kSmall = "e2m1x2|e2m3x2|e3m2x2", kFours = "e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4",
                           kHalves = "f16x2|bf16x2";

// A line of the instruction's grammar: which types and roundings it takes, and its modifiers in the order in which the
// instruction has them. A modifier that is not listed must not be given; one that ends in '!' must be.
struct WidthForm {
  std::string_view to, from, roundings, modifiers;
  int values = 1;
  Availability needs = All;
};
constexpr WidthForm kForms[] = {
    {"f16", "f32", "rn|rz", "relu satfinite", 1, Sm80},
    {"bf16", "f32", "rn|rz", "relu satfinite", 1, Sm80},
    {"f16x2|bf16x2", "f32", "rn|rz", "relu satfinite", 2, Sm80},
    {"f16x2|bf16x2", "f32", "rs", "relu satfinite", 2, Sm100a103a},
    {"tf32", "f32", "rna", "satfinite", 1, Sm80},
    {"tf32", "f32", "rn|rz", "satfinite relu", 1, Sm90},
    {kNarrow, "f32", "rn", "satfinite! relu", 2, Sm89},
    {kSmall, "f32", "rn", "satfinite! relu", 2, Sm100Suffixed},
    {kNarrow, "f16x2", "rn", "satfinite! relu", 1, Sm89},
    {kNarrow, "bf16x2", "rn", "satfinite! relu", 1, Sm100Suffixed},
    {kSmall, kHalves, "rn", "satfinite! relu", 1, Sm100Suffixed},
    {"f16x2", kNarrow, "rn", "relu", 1, Sm89},
    {"f16x2", kSmall, "rn", "relu", 1, Sm100Suffixed},
    {"bf16x2", "e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2", "rn", "relu satfinite scaled", 1, Sm100Suffixed},
    {kFours, "f32", "rs", "relu satfinite!", 4, Sm100a103a},
    {"ue8m0x2", "f32", "rz|rp", "satfinite", 2, Sm100Suffixed},
    {"ue8m0x2", "bf16x2", "rz|rp", "satfinite", 1, Sm100Suffixed},
    {"bf16x2", "ue8m0x2", "rn", "", 1, Sm100Suffixed},
    {"s2f6x2", "f32", "rn", "satfinite! relu scaled", 2, Sm100Suffixed},
    {"s2f6x2", "bf16x2", "rn", "satfinite! relu scaled", 1, Sm100Suffixed},
    {"bf16x2", "s2f6x2", "rn", "satfinite relu scaled", 1, Sm100Suffixed},
    {kBasic, kBasic, "|rni|rzi|rmi|rpi|rn|rz|rm|rp", "ftz sat", 1, All},
};

const WidthForm* form_of(const Arguments& a) {
  const std::string to = a.text("dtype"), from = a.text("atype"), rounding = a.text("rounding");
  const WidthForm* found = nullptr;
  for (const WidthForm& f : kForms) {
    if (!is_one_of(to, f.to) || !is_one_of(from, f.from)) continue;
    if (is_one_of(rounding, f.roundings)) return &f;
    if (!found) found = &f;
  }
  return found;
}

// Is the word among the form's modifiers? `must`: it has to be given.
bool allows(const WidthForm& f, std::string_view word, bool* must = nullptr) {
  for (std::string_view rest = f.modifiers; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool required = one.ends_with('!');
    if (required) one.remove_suffix(1);
    if (one != word) continue;
    if (must) *must = required;
    return true;
  }
  return false;
}

// Between numbers of different kinds the instruction wants to know how to round, or refuses to be told.
Failure check_scalar(const Arguments& a) {
  const std::string to = a.text("dtype"), from = a.text("atype"), rounding = a.text("rounding");
  auto is_float = [](const std::string& t) { return t[0] == 'f' || t[0] == 'b'; };
  auto digits = [](const std::string& t) { return std::stoi(t.substr(t.find_first_of("0123456789"))); };
  const bool integral = rounding.ends_with('i');
  if (!is_float(to) && !is_float(from)) {
    return rounding.empty() ? Failure() : "'rounding' has no meaning between integers: leave it out";
  }
  if (!is_float(to) && !integral) return "a float becomes an integer by 'rni', 'rzi', 'rmi' or 'rpi'";
  if (!is_float(from) && (integral || rounding.empty()))
    return "an integer becomes a float by 'rn', 'rz', 'rm' or 'rp'";
  if (is_float(to) && is_float(from)) {
    if (integral && to != from) return "whole numbers are made within one type: convert in a second step";
    const bool narrows = digits(to) < digits(from) || (digits(to) == digits(from) && to != from);
    if (narrows && (rounding.empty() || integral)) return "a float becomes narrower by 'rn', 'rz', 'rm' or 'rp'";
    if (!narrows && to != from && !rounding.empty() && !integral) return "no number changes here: leave 'rounding' out";
    if (to == from && !rounding.empty() && !integral)
      return "from " + from + " to itself there are 'rni', 'rzi', 'rmi', 'rpi'";
  }
  if (a.flag("ftz") && to != "f32" && from != "f32") return "'ftz' is about float32";
  return std::nullopt;
}

Failure check_values(const Arguments& a, const WidthForm& f) {
  const auto given = static_cast<int>(a.items("values").size());
  if (given != f.values) {
    return a.text("dtype") + " from " + a.text("atype") + " takes " + std::to_string(f.values) +
           (f.values == 1 ? " value, " : " values, ") + std::to_string(given) + " given";
  }
  const std::string from = a.text("atype");
  const int bits = from.ends_with("x4")   ? 32
                   : from.ends_with("x2") ? (from == "f16x2" || from == "bf16x2" ? 32
                                             : from == "e2m1x2"                  ? 8
                                                                                 : 16)
                                          : std::stoi(from.substr(from.find_first_of("0123456789")));
  for (ir::Expr value : a.items("values")) {
    const ir::DataType d = value.dtype();
    const int has = d.storage_bits() * d.lanes;
    const bool fits = from == "f32" || from == "f64" ? d.is_float() && d.lanes == 1 && has == bits
                                                     : has == bits || (bits == 8 && (has == 16 || has == 32));
    if (!fits) return "." + from + " cannot take a value of type " + ir::dtype_name(d);
  }
  return std::nullopt;
}

Failure check_convert(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const WidthForm* f = form_of(a);
  const std::string what = "cvt to " + a.text("dtype") + " from " + a.text("atype");
  if (!f) return what + " does not exist";
  if (!is_one_of(a.text("rounding"), f->roundings)) {
    return what + " rounds by " + std::string(f->roundings) + ", not by '" + a.text("rounding") + "'";
  }
  for (std::string_view word : {"ftz", "sat", "relu", "satfinite", "scaled"}) {
    const bool given = word == "scaled" ? a.given(word) : a.flag(word);
    bool must = false;
    if (!allows(*f, word, &must) && given) return what + " has no '" + std::string(word) + "'";
    if (must && !given) return what + " needs " + std::string(word) + "=True";
  }
  if (a.given("rbits") != (a.text("rounding") == "rs")) return "'rbits' and rounding='rs' go together";
  if (a.given("scale_factor") != a.given("scaled")) return "'scale_factor' and 'scaled' go together";
  if (!available(f->needs, target)) {
    return what + " needs " + std::string(availability_name(f->needs)) + ", this is " + target.name();
  }
  if (what.find("s2f6") != what.npos && target.suffix != 'a') return what + " needs an architecture-specific target";
  if (f->modifiers == "ftz sat") {
    if (auto failure = check_scalar(a)) return failure;
    const bool brain = a.text("dtype") == "bf16" || a.text("atype") == "bf16";
    if (brain && !target.at_least(90)) return "bf16 here needs sm_90 and up, this is " + target.name();
  }
  return check_values(a, *f);
}

ir::DataType type_of(std::string_view word) {
  using enum ir::TypeCode;
  constexpr std::string_view k8 = "u8|e2m1x2", k32 = "tf32|f16x2|bf16x2|e4m3x4|e5m2x4|e2m3x4|e3m2x4";
  if (is_one_of(word, k8)) return {UInt, 8, 1};
  if (is_one_of(word, k32)) return ir::kUInt32;
  if (word == "f32") return ir::kFloat32;
  if (word == "f64") return ir::kFloat64;
  const bool sign = word[0] == 's' && word != "s2f6x2";
  if (word == "s8") return {Int, 8, 1};
  if (word.ends_with("32")) return {sign ? Int : UInt, 32, 1};
  if (word.ends_with("64")) return {sign ? Int : UInt, 64, 1};
  return {sign ? Int : UInt, 16, 1};
}

ir::DataType result_type(std::span<const ir::Expr> args) {
  const auto* word = args.empty() ? nullptr : args[0].as<ir::StringImm>();
  return word ? type_of(word->value) : ir::kVoid;
}

std::string convert(const Arguments& a, ir::Target) {
  const WidthForm* f = form_of(a);
  std::string instruction = "cvt{.rounding}";
  for (std::string_view rest = f ? f->modifiers : std::string_view(); !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.ends_with('!')) word.pop_back();
    instruction += word == "scaled" ? "{scaled?.scaled::{scaled}}" : "{." + word + "}";
  }
  instruction += ".{dtype}.{atype} ";
  std::string before, after, to = "{=}", from = f && f->values == 4 ? "{{{*values}}}" : "{*values}";
  if (a.text("dtype") == "e2m1x2") {
    before += ".reg .b8 made;\n";
    to = "made";
    after = "\ncvt.u32.u8 {=}, made;";
  }
  if (a.text("atype") == "e2m1x2") {
    const bool wide = a.items("values")[0].dtype().bits == 16;
    before += ".reg .b8 given;\ncvt.u8." + std::string(wide ? "u16" : "u32") + " given, {*values};\n";
    from = "given";
  }
  return before + instruction + to + ", " + from + "{rbits?, {rbits}}{scale_factor?, {scale_factor}};" + after;
}

#define TILEWRIGHT_CONVERTED                                                                                         \
  "attr(u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64|f16x2|bf16x2|tf32|e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2|e4m3x4|" \
  "e5m2x4|e2m1x4|e2m3x4|e3m2x4|ue8m0x2|s2f6x2)"

constexpr Intrinsic kConversionRows[] = {
    row<"dtype: " TILEWRIGHT_CONVERTED ", *values: any, atype: " TILEWRIGHT_CONVERTED
        ", rounding: attr(|rni|rzi|rmi|rpi|rn|rz|rm|rp|rna|rs) = '', ftz: flag = False, sat: flag = False, relu: flag "
        "= "
        "False, satfinite: flag = False, scaled: attr(|n2::ue8m0) = '', rbits: u32 = None, scale_factor: u16 = None">(
        "W54", "ptx.cvt", kConvert)
        .returns(result_type)
        .movable()
        .check(check_convert)
        .ptx("cvt{.rounding}{.modifiers}.dtype.atype d, values{, rbits}{, scale_factor};", convert)
        .says("Converts numbers from `atype` to `dtype`; two or four values become one packed word, the first one in "
              "its upper part. Types without a register of their own travel in integers."),
};

#undef TILEWRIGHT_CONVERTED

}  // namespace

std::span<const Intrinsic> conversion_rows() { return kConversionRows; }

}  // namespace tilewright::intrinsics
