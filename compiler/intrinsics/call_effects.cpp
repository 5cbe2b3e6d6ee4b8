#include "compiler/intrinsics/call_effects.h"

#include <algorithm>
#include <charconv>

#include "compiler/intrinsics/effect_text.h"
#include "compiler/intrinsics/operand_forms.h"

namespace tilewright::intrinsics {
namespace {

std::int64_t bytes_of(ir::DataType d) { return static_cast<std::int64_t>(d.storage_bits()) * d.lanes / 8; }

// The number that an attribute's text says: "16", "v4" is 4, "b32" is 4 bytes, "float16" is 2, "128x256b" is 128 rows
// of 256 bits. Nothing for other words.
std::optional<std::int64_t> number_of(std::string_view text) {
  auto digits = [](std::string_view t) -> std::optional<std::int64_t> {
    std::int64_t n = 0;
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
    if (error != std::errc() || end != t.data() + t.size()) return std::nullopt;
    return n;
  };
  if (auto n = digits(text)) return n;
  if (text.starts_with('v')) return digits(text.substr(1));
  if (const std::size_t x = text.find('x'); x != text.npos && text.ends_with('b')) {
    auto rows = digits(text.substr(0, x)), bits = digits(text.substr(x + 1, text.size() - x - 2));
    if (rows && bits) return *rows * *bits / 8;
  }
  if (auto d = ir::parse_dtype(text); d && !d->is_void()) return bytes_of(*d);
  const std::size_t number = std::min(text.find_first_of("0123456789"), text.size());
  if (auto bits = digits(text.substr(number)); bits && number > 0) return *bits / 8;
  return std::nullopt;
}

// Of what the pointer leads to; void where it is not known.
ir::DataType pointee(ir::Expr pointer) {
  if (const auto* var = pointer.as<ir::Var>()) return var->pointee;
  const auto* call = pointer.as<ir::Call>();
  if (!call || call->args.empty()) return ir::kVoid;
  if (call->callee == &ir::builtin::pointer_offset) return pointee(call->args[0]);
  const auto* element = call->callee == &ir::builtin::address_of ? call->args[0].as<ir::Load>() : nullptr;
  return element ? element->buffer->dtype : ir::kVoid;
}

class Resolver {
 public:
  Resolver(const Intrinsic& row, std::span<const ir::Expr> args) : row_(row), args_(row, args) {}

  // Nothing: the attributes rule the effect out.
  std::optional<CallEffect> effect(const Effect& e) const {
    CallEffect out;
    for (const Condition& c : e.conditions) {
      if (!condition(c, out)) return std::nullopt;
    }
    out.guard = argument(e.guard);
    // A constant is no predicate: -1 is the reference's word for none.
    if (out.guard && ir::constant(out.guard)) out.guard = {};
    out.verb = e.verb;
    out.object = e.object;
    out.proxy = e.proxy;
    out.until = e.until;
    out.until_argument = argument(e.until_operand);
    out.after = e.after;
    out.semantics = word(detail::kSemantics, e.semantics);
    out.scope = out.semantics == Semantics::Weak ? Scope::Thread : word(detail::kScopes, e.scope);
    out.space = word(detail::kSpaces, e.space);
    if (e.operand != kNoOperand) {
      out.operand = &row_.operands[e.operand];
      out.arguments = args_.items(*out.operand);
      if (out.arguments.empty()) return std::nullopt;
    }
    out.offset = argument(e.offset);
    out.rank = argument(e.rank);
    out.mask = argument(e.mask);
    if (out.mask && (ir::is_constant(out.mask, 0) || (args_.operand("multicast") && !is_multicast(args_)))) {
      out.mask = {};
    }
    if (e.object == Object::Mbarrier && out.space == Space::None) {
      const bool mapped = out.operand->kind == OperandKind::SharedPointer && !out.operand->dtype.is_void();
      out.space = mapped || out.rank || e.mask != kNoOperand ? Space::SharedCluster : Space::Shared;
    }
    out.amount = amount(e);
    return out;
  }

  CallParticipants participants() const {
    const Participants& by = row_.by;
    CallParticipants out;
    CallEffect ignored;
    out.together = condition(by.condition, ignored) ? by.together : by.otherwise;
    out.mask = argument(by.mask);
    out.pair = by.pair != kNoOperand && args_.integer(row_.operands[by.pair].name) == 2;
    return out;
  }

 private:
  // Null for none and for what was left out.
  ir::Expr argument(std::int8_t operand) const {
    if (operand == kNoOperand) return {};
    ir::Expr e = args_[row_.operands[operand].name];
    return e && !is_absent(e) ? e : ir::Expr();
  }

  // False: it never holds in this call. A run-time condition becomes the effect's predicate.
  bool condition(const Condition& c, CallEffect& out) const {
    if (c.operand == kNoOperand) return true;
    const Operand& operand = row_.operands[c.operand];
    ir::Expr value = argument(c.operand);
    if (operand.kind != OperandKind::Attribute && !(value && ir::constant(value))) {
      (c.unless ? out.excluding : out.predicate) = value;
      return true;
    }
    bool holds = value && args_.integer(operand.name) != 0;
    if (value && value.as<ir::StringImm>()) holds = !args_.text(operand.name).empty();
    if (c.choice >= 0) {
      std::string_view choices = operand.choices, chosen;
      for (int i = 0; i <= c.choice; ++i) chosen = detail::cut(choices, '|');
      holds = args_.text(operand.name) == chosen;
    }
    return holds != c.unless;
  }

  template <class T, std::size_t N>
  T word(const detail::Word<T> (&words)[N], const Choice<T>& c) const {
    if (c.attribute == kNoOperand) return c.fixed;
    const std::string text = args_.text(row_.operands[c.attribute].name);
    if (text.empty()) return c.fixed;
    const detail::Word<T>* found = detail::find_word(words, text);
    return found ? found->value : c.fixed;
  }

  Amount amount(const Effect& e) const {
    Amount out;
    if (e.factors == 0) return out;
    out.kind = Amount::Kind::Known;
    out.number = 1;
    for (int i = 0; i < e.factors; ++i) {
      const Factor& f = e.bytes[i];
      std::optional<std::int64_t> n;
      switch (f.kind) {
        case Factor::Kind::Number: n = f.value; break;
        case Factor::Kind::Count: n = static_cast<std::int64_t>(args_.items(row_.operands[f.value]).size()); break;
        case Factor::Kind::Size: n = size(row_.operands[f.value]); break;
        case Factor::Kind::Box: return {Amount::Kind::Box, 0, {}};
        case Factor::Kind::Rows: return {Amount::Kind::Rows, 0, {}};
        case Factor::Kind::Tile: return {Amount::Kind::Tile, 0, {}};
        case Factor::Kind::Operand: {
          ir::Expr value = argument(static_cast<std::int8_t>(f.value));
          if (!value) {
            n = 1;  // a count that was left out
          } else if (row_.operands[f.value].kind == OperandKind::Attribute) {
            n = number_of(args_.text(row_.operands[f.value].name));
          } else if (const std::int64_t* constant = ir::constant(value)) {
            n = *constant;
          } else if (!out.value) {
            out.kind = Amount::Kind::Value;
            out.value = value;
            n = 1;
          }
          break;
        }
      }
      if (!n) return {};
      out.number *= *n;
    }
    return out;
  }

  std::optional<std::int64_t> size(const Operand& o) const {
    ir::DataType d = o.dtype;
    const auto items = args_.items(o);
    if (!items.empty() && o.is_register && d.is_void()) d = items[0].dtype();
    if (!items.empty() && !o.is_register) {
      const bool pointer = o.kind == OperandKind::Pointer || o.kind == OperandKind::GlobalPointer;
      d = pointer ? pointee(items[0]) : items[0].dtype();
    }
    if (d.is_void() || d.is_handle()) return std::nullopt;
    return bytes_of(d);
  }

  const Intrinsic& row_;
  Arguments args_;
};

}  // namespace

std::vector<CallEffect> effects_of(const Intrinsic& row, std::span<const ir::Expr> args) {
  Resolver resolver(row, args);
  std::vector<CallEffect> out;
  for (const Effect& e : row.effects) {
    if (auto effect = resolver.effect(e)) out.push_back(*effect);
  }
  return out;
}

CallParticipants participants_of(const Intrinsic& row, std::span<const ir::Expr> args) {
  return Resolver(row, args).participants();
}

OperandUse use_of(const Intrinsic& row, const Operand& operand) {
  OperandUse out;
  bool named = false;
  const std::ptrdiff_t at = &operand - row.operands.data();
  for (const Effect& e : row.effects) {
    if (e.verb == Verb::Unknown) return {true, true};
    if (e.operand != at || e.object != Object::Memory) continue;
    named = true;
    out.reads |= e.verb == Verb::Reads || e.verb == Verb::Updates || e.verb == Verb::Prefetches;
    out.writes |= e.verb == Verb::Writes || e.verb == Verb::Updates;
  }
  return named ? out : OperandUse{true, true};
}

OperandUse tensor_use_of(const Intrinsic& row, const Operand& map) {
  OperandUse out;
  bool named = false;
  const std::ptrdiff_t at = &map - row.operands.data();
  for (const Effect& e : row.effects) {
    if (e.verb == Verb::Unknown) return {true, true};
    if (e.operand != at) continue;
    named = true;
    if (e.space.fixed == Space::Map) continue;
    if (e.space.fixed != Space::Global) return {true, true};
    out.reads |= e.verb != Verb::Writes;
    out.writes |= e.verb == Verb::Writes || e.verb == Verb::Updates;
  }
  return named ? out : OperandUse{true, true};
}

bool moves_rows(const Intrinsic& row) {
  return std::ranges::any_of(row.effects,
                             [](const Effect& e) { return e.factors > 0 && e.bytes[0].kind == Factor::Kind::Rows; });
}

bool is_multicast(const Arguments& a) {
  if (!a.operand("cta_mask")) return false;
  // A word of the instruction, multicast::cluster, or a flag.
  if (const auto* word = a["multicast"].as<ir::StringImm>(); word && !word->value.empty()) return true;
  if (a.given("multicast")) return a.flag("multicast");
  const std::int64_t* mask = ir::constant(a["cta_mask"]);
  return !mask || (*mask != 0 && !(a.operand("multicast") && (*mask & (*mask - 1)) == 0));
}

bool is_silent(const Intrinsic& row) {
  if (row.effects.empty() || row.result) return false;
  return std::ranges::all_of(row.effects, [](const Effect& e) {
    switch (e.verb) {
      case Verb::Reads:  // into nothing: a prefetch reads its tensor map
      case Verb::Prefetches:
      case Verb::Schedules: return true;
      // Accumulators belong to wgmma and processors to NVSHMEM: who leaves the fence out leaves out the rest, too.
      case Verb::Fences: return e.object != Object::Accumulators && e.object != Object::Processors;
      case Verb::Waits: return e.object == Object::Dependency;  // the grids before this one have ended
      default: return false;
    }
  });
}

}  // namespace tilewright::intrinsics
