// Members of enum.Flag and enum.IntFlag are combined by |, &, ^ and ~: a combination that the class does not name is a
// member without a name of its own, one for each value.
#include <algorithm>
#include <bit>

#include "compiler/script/codes.h"
#include "compiler/script/python/enums.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

constexpr std::string_view kCombinations = "<combinations>";  // of a class: value to member
constexpr __int128 kLargest = static_cast<__int128>(1) << 100;

bool is_named_base(const Class* c, std::string_view name) {
  return c->name == name && c->is_enum && c->scope && !c->scope->parent;
}

bool is_of_integers(const Class* cls) {
  return std::ranges::any_of(cls->mro, [](const Class* c) { return is_named_base(c, "IntFlag"); });
}

// The class of a value that is a member of a flag; null: it is none.
Class* flag_class_of(Value v) {
  Instance* member = v.as<Instance>();
  return member && is_flag_class(member->cls) ? member->cls : nullptr;
}

std::optional<__int128> bits_of(Interpreter& in, Value member) {
  Value* value = member.as<Instance>()->find("value");
  return value ? in.as_big(*value) : std::nullopt;
}

bool is_single(__int128 bits) { return bits > 0 && (bits & (bits - 1)) == 0; }

struct Known {
  __int128 mask = 0, singles = 0, all = 0;  // all bits of members, those of members of one bit, 2^n - 1 over the mask
  std::vector<std::pair<__int128, Value>> members;  // with aliases, in order of definition
};
// Nothing: a member is no number of at most 100 bits.
std::optional<Known> known_bits(Interpreter& in, const Class* cls) {
  Known known;
  for (const Scope::Binding& b : cls->scope->bindings) {
    Instance* member = b.value.as<Instance>();
    if (!member || member->cls != cls) continue;
    const auto bits = bits_of(in, b.value);
    if (!bits || *bits < 0 || *bits >= kLargest) return std::nullopt;
    known.mask |= *bits;
    if (is_single(*bits)) known.singles |= *bits;
    known.members.emplace_back(*bits, b.value);
  }
  while (known.all < known.mask) known.all = known.all * 2 + 1;
  return known;
}

// "READ|WRITE"; nothing: a bit belongs to no member, and the flag is not one of integers.
std::optional<Value> name_of_combination(Interpreter& in, const Known& known, __int128 bits, bool keeps) {
  if (bits == 0) return Value::none();
  std::string name;
  __int128 named = 0;
  auto add = [&](__int128 part, Value member) {
    name += (name.empty() ? "" : "|") + in.str(*member.as<Instance>()->find("name"));
    named |= part;
  };
  for (const auto& [part, member] : known.members)
    if (is_single(part) && (part & bits) && !(part & named)) add(part, member);
  if (bits & ~known.singles) {
    for (const auto& [part, member] : known.members)
      if (!is_single(part) && part && (part & bits) == part) add(part, member);
  }
  if (const __int128 rest = bits & ~named) {
    if (named == 0) return Value::none();
    if (!keeps) return std::nullopt;
    name += "|" + in.str(in.big(rest));
  }
  return in.string(name);
}

Value contains(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__contains__", 2, 2)) return Value::error();
  Class* cls = flag_class_of(args.positional[0]);
  if (args.positional[1].is_opaque()) return args.positional[1];
  if (!cls || flag_class_of(args.positional[1]) != cls) {
    in.fail(code::kType, args.call, "a member of a flag contains members of the same class", {}, "TypeError");
    return in.certainly();
  }
  const auto whole = bits_of(in, args.positional[0]), part = bits_of(in, args.positional[1]);
  return whole && part ? Value::boolean((*whole & *part) == *part) : Value::opaque("a combination of flags");
}

Value members_of(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__iter__", 1, 1)) return Value::error();
  Class* cls = flag_class_of(args.positional[0]);
  const auto bits = cls ? bits_of(in, args.positional[0]) : std::nullopt;
  const auto known = bits ? known_bits(in, cls) : std::nullopt;
  if (!known) return Value::opaque("a combination of flags");
  std::vector<Value> out;
  for (const Value member : enum_members(cls)) {
    const auto part = bits_of(in, member);
    if (part && (*part & *bits)) out.push_back(member);
  }
  return in.list(std::move(out));
}

template <bool Truth>
Value number_of_bits(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, Truth ? "__bool__" : "__len__", 1, 1)) return Value::error();
  const auto bits = flag_class_of(args.positional[0]) ? bits_of(in, args.positional[0]) : std::nullopt;
  if (!bits || *bits < 0) return Value::opaque("a combination of flags");
  if (Truth) return Value::boolean(*bits != 0);
  const auto wide = static_cast<unsigned __int128>(*bits);
  return Value::integer(std::popcount(static_cast<std::uint64_t>(wide)) +
                        std::popcount(static_cast<std::uint64_t>(wide >> 64)));
}

// Does the class make its members itself, or say what becomes of other bits? Then combinations are not followed.
bool has_own_ways(const Class* cls) {
  for (const std::string_view name : {"__new__", "__init__", "_missing_", "__or__", "__and__", "__xor__"})
    if (const Value* v = const_cast<Class*>(cls)->find(name);
        v && (v->as<Function>() || v->as<StaticMethod>() || v->as<ClassMethod>()))
      return true;
  return const_cast<Class*>(cls)->find(kBoundary) != nullptr;
}

}  // namespace

bool is_flag_class(const Class* cls) {
  return cls->is_enum && std::ranges::any_of(cls->mro, [](const Class* c) { return is_named_base(c, "Flag"); });
}

void add_flag_methods(Interpreter& in, Class* cls) {
  add_method(in, cls, "__contains__", contains);
  add_method(in, cls, "__iter__", members_of);
  add_method(in, cls, "__len__", number_of_bits<false>);
  add_method(in, cls, "__bool__", number_of_bits<true>);
}

Value flag_member(Interpreter& in, Class* cls, Value wanted, text::Span span) {
  const auto value = in.as_big(wanted);
  const auto known = value && !has_own_ways(cls) ? known_bits(in, cls) : std::nullopt;
  if (value && !known) return Value::opaque("a combination of flags");
  const bool keeps = is_of_integers(cls);
  auto refused = [&] {
    return in.fail(code::kValue, span, in.repr(wanted) + " is not a valid " + cls->name, {}, "ValueError");
  };
  if (!value) return refused();
  __int128 bits = *value;
  if (bits >= kLargest || bits <= -kLargest) return Value::opaque("a combination of flags");
  const bool fits = bits <= known->all && bits >= -known->all - 1 && !(bits & (known->all ^ known->mask));
  if (!fits && !keeps) return refused();
  if (bits < 0) {
    __int128 above = known->all + 1;
    while (above < -bits) above *= 2;
    bits += above;
  }
  for (const auto& [part, member] : known->members)
    if (part == bits) return member;
  Value* kept = cls->scope->find(kCombinations) ? &cls->scope->find(kCombinations)->value : nullptr;
  Dict* made = kept ? kept->as<Dict>() : nullptr;
  if (!made) cls->scope->set(kCombinations, Value::object(made = in.make<Dict>()));
  if (Value* before = in.dict_find(made, in.big(bits))) return *before;
  const auto name = name_of_combination(in, *known, bits, keeps);
  if (!name) return refused();
  Instance* member = in.make<Instance>();
  member->cls = cls;
  member->set("value", in.big(bits));
  member->set("name", *name);
  in.dict_set(made, in.big(bits), Value::object(member));
  return Value::object(member);
}

Value combined_flags(Interpreter& in, syntax::Operator op, Value a, Value b, text::Span span) {
  using syntax::Operator;
  if (op != Operator::BitOr && op != Operator::BitAnd && op != Operator::BitXor) return Value::none();
  Class* cls = flag_class_of(a);
  const bool left = cls != nullptr;
  if (!left) cls = flag_class_of(b);
  if (!cls) return Value::none();
  const Value member = left ? a : b, other = left ? b : a;
  const bool same = flag_class_of(other) == cls;
  if (!same && !(is_of_integers(cls) && in.as_big(other))) return Value::none();
  const auto x = bits_of(in, member), y = same ? bits_of(in, other) : in.as_big(other);
  if (!x || !y || has_own_ways(cls)) return Value::opaque("a combination of flags");
  const __int128 bits = op == Operator::BitOr ? *x | *y : op == Operator::BitAnd ? *x & *y : *x ^ *y;
  return flag_member(in, cls, in.big(bits), span);
}

Value inverted_flag(Interpreter& in, Value v, text::Span span) {
  Class* cls = flag_class_of(v);
  if (!cls) return Value::none();
  const auto bits = bits_of(in, v);
  const auto known = bits && !has_own_ways(cls) ? known_bits(in, cls) : std::nullopt;
  if (!known) return Value::opaque("a combination of flags");
  return flag_member(in, cls, in.big(is_of_integers(cls) ? ~*bits : known->singles & ~*bits), span);
}

}  // namespace tilewright::script::python
