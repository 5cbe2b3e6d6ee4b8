// Effects written as a list of sentences: "expects mbarrier bar[byte_count]; arrives mbarrier bar release.cta".
//
// The text is parsed by the compiler, as signatures are; an operand that the row lacks or an unknown word ends the
// compilation. Sentences stand between semicolons:
//
//   reads SPACE at            also writes, updates, prefetches; `at` is the operand that holds the address, with the
//                             bytes in brackets: [16], [num_bytes], [ptx_type*count(values)], [box]
//   VERB OBJECT operand       what threads meet at, groups, fences: see the words of kVerbs and kObjects. A barrier's
//                             brackets hold how many threads meet there
//   ... acquire.cta           semantics and scope
//   ... at RANK, in MASK      in which CTAs
//   ... plus X                so many elements behind the address
//   ... if X, unless X        only where the operand holds, or does not; X=a: where the attribute is that choice
//   ... after OBJECT          an arrival that waits for the end of asynchronous operations
//   when X                    all of it is predicated by this operand
//   proxy async               of all memory effects of the row, but tensor memory, tensor maps and registers
//   until OBJECT operand      likewise: they are asynchronous
//   by WHO                    who executes it together: one, lanes, lanes MASK, warp, warpgroup, ...; `if X else WHO`
//                             as above; `pair ATTRIBUTE`: it concerns both CTAs of a pair where that is 2
//
// {name} stands for what the attribute says, {name=word} for the word where it says nothing. Registers that the
// signature marks (to, from, at; in, out, inout) are effects without words.
#pragma once
#include "compiler/intrinsics/signature.h"

namespace tilewright::intrinsics::detail {

template <class T>
struct Word {
  std::string_view text;
  T value;
};

inline constexpr Word<Verb> kVerbs[] = {
    {"reads", Verb::Reads},           {"writes", Verb::Writes},       {"updates", Verb::Updates},
    {"prefetches", Verb::Prefetches}, {"inits", Verb::Inits},         {"invalidates", Verb::Invalidates},
    {"arrives", Verb::Arrives},       {"drops", Verb::Drops},         {"defers", Verb::Defers},
    {"expects", Verb::Expects},       {"completes", Verb::Completes}, {"tests", Verb::Tests},
    {"waits", Verb::Waits},           {"meets", Verb::Meets},         {"commits", Verb::Commits},
    {"fences", Verb::Fences},         {"exchanges", Verb::Exchanges}, {"elects", Verb::Elects},
    {"allocates", Verb::Allocates},   {"frees", Verb::Frees},         {"schedules", Verb::Schedules},
    {"stops", Verb::Stops},           {"unknown", Verb::Unknown},
};

inline constexpr Word<Space> kSpaces[] = {
    {"", Space::Generic},           {"generic", Space::Generic},
    {"global", Space::Global},      {"shared", Space::Shared},
    {"shared::cta", Space::Shared}, {"shared::cluster", Space::SharedCluster},
    {"local", Space::Local},        {"const", Space::Const},
    {"param", Space::Param},        {"param::entry", Space::Param},
    {"param::func", Space::Param},  {"tensor", Space::Tensor},
    {"register", Space::Register},  {"map", Space::Map},
    {"machine", Space::Machine},    {"console", Space::Console},
};

inline constexpr Word<Object> kObjects[] = {
    {"memory", Object::Memory},
    {"mbarrier", Object::Mbarrier},
    {"barrier", Object::Barrier},
    {"lanes", Object::Lanes},
    {"cta", Object::Cta},
    {"cluster", Object::Cluster},
    {"grid", Object::Grid},
    {"dependency", Object::Dependency},
    {"processors", Object::Processors},
    {"cp.async", Object::CopyGroup},
    {"bulk", Object::BulkGroup},
    {"bulk.read", Object::BulkReads},
    {"wgmma", Object::WgmmaGroup},
    {"tcgen05.ld", Object::TensorLoads},
    {"tcgen05.st", Object::TensorStores},
    {"tcgen05", Object::TensorWork},
    {"async", Object::AsyncProxy},
    {"tensormap", Object::MapProxy},
    {"alias", Object::AliasProxy},
    {"mbarrier_init", Object::MbarrierInit},
    {"accumulators", Object::Accumulators},
    {"before_thread_sync", Object::BeforeThreadSync},
    {"after_thread_sync", Object::AfterThreadSync},
    {"columns", Object::Columns},
    {"permit", Object::Permit},
    {"threads", Object::Threads},
};

inline constexpr Word<Semantics> kSemantics[] = {
    {"", Semantics::Weak},           {"weak", Semantics::Weak},       {"relaxed", Semantics::Relaxed},
    {"acquire", Semantics::Acquire}, {"release", Semantics::Release}, {"acq_rel", Semantics::AcquireRelease},
    {"sc", Semantics::Sequential},
};

inline constexpr Word<Scope> kScopes[] = {
    {"", Scope::Thread},         {"warp", Scope::Warp}, {"cta", Scope::Cta},
    {"cluster", Scope::Cluster}, {"gpu", Scope::Gpu},   {"sys", Scope::System},
};

inline constexpr Word<Together> kTogether[] = {
    {"thread", Together::Thread},       {"one", Together::One},
    {"lanes", Together::Lanes},         {"warp", Together::Warp},
    {"warpgroup", Together::Warpgroup}, {"cta", Together::Cta},
    {"grid", Together::Grid},           {"processors", Together::Processors},
};

template <class T, std::size_t N>
constexpr const Word<T>* find_word(const Word<T> (&words)[N], std::string_view text) {
  for (const Word<T>& w : words) {
    if (w.text == text) return &w;
  }
  return nullptr;
}

template <class T, std::size_t N>
constexpr T word(const Word<T> (&words)[N], std::string_view text) {
  if (const Word<T>* w = find_word(words, text)) return w->value;
  throw "unknown word in a row's effects";
}

// Cuts the text before the next `c` off `rest`.
constexpr std::string_view cut(std::string_view& rest, char c) {
  const std::size_t end = std::min(rest.find(c), rest.size());
  const std::string_view out = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  rest = trim(rest);
  return out;
}

constexpr bool on_memory(Verb v) {
  return v == Verb::Reads || v == Verb::Writes || v == Verb::Updates || v == Verb::Prefetches;
}

constexpr std::size_t count_effects(std::span<const Operand> operands, std::string_view text) {
  std::size_t n = 0;
  while (!text.empty()) {
    std::string_view sentence = cut(text, ';');
    const std::string_view first = cut(sentence, ' ');
    n += first != "by" && first != "proxy" && first != "until" && first != "when";
  }
  for (const Operand& o : operands) n += o.is_register ? 1 + (o.access == Access::InOut) : 0;
  return n;
}

class EffectParser {
 public:
  constexpr EffectParser(std::span<const Operand> operands, std::span<Effect> out) : operands_(operands), out_(out) {}

  constexpr Participants parse(std::string_view text) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const Operand& o = operands_[i];
      if (!o.is_register) continue;
      if (o.access != Access::Out) mark(Verb::Reads, i);
      if (o.access != Access::In) mark(Verb::Writes, i);
    }
    while (!text.empty()) sentence(cut(text, ';'));
    for (Effect& e : out_) {
      e.guard = guard_;
      if (!on_memory(e.verb)) continue;
      // Registers that the instruction only reads are free again when it has been issued.
      const bool issued = e.space.fixed == Space::Register && operands_[e.operand].access == Access::In;
      if (!issued) {
        e.until = until_;
        e.until_operand = until_operand_;
      }
      const Space space = e.space.fixed;
      if (e.space.attribute < 0 && space == Space::Tensor) {
        e.proxy = Proxy::Tensor;
      } else if (space == Space::Map) {
        e.proxy = Proxy::Map;
      } else if (space != Space::Register) {
        e.proxy = proxy_;
      }
    }
    return by_;
  }

 private:
  constexpr void mark(Verb verb, std::size_t operand) {
    Effect& e = out_[used_++];
    e.verb = verb;
    e.space.fixed = Space::Register;
    e.operand = static_cast<std::int8_t>(operand);
    // A list holds registers of the instruction's own types; how many bytes they are is not needed.
    const OperandKind kind = operands_[operand].kind;
    if (kind == OperandKind::List || kind == OperandKind::Variadic) return;
    e.factors = 1;
    e.bytes[0] = {Factor::Kind::Size, static_cast<std::int16_t>(operand)};
  }

  constexpr std::int8_t find(std::string_view name) const {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (operands_[i].name == name) return static_cast<std::int8_t>(i);
    }
    return kNoOperand;
  }
  constexpr std::int8_t operand(std::string_view name) const {
    const std::int8_t at = find(name);
    if (at == kNoOperand) throw "a row's effects name an operand that it does not have";
    return at;
  }

  // "acquire", "{sem}" or "{sem=acquire}".
  template <class T, std::size_t N>
  constexpr Choice<T> choice(const Word<T> (&words)[N], std::string_view text) const {
    if (!text.starts_with('{')) return {word(words, text), kNoOperand};
    text = text.substr(1, text.size() - 2);
    const std::size_t equals = text.find('=');
    const std::string_view fallback = equals == text.npos ? std::string_view() : text.substr(equals + 1);
    return {word(words, fallback), operand(text.substr(0, equals))};
  }

  constexpr void sentence(std::string_view text) {
    const std::string_view first = cut(text, ' ');
    if (first == "by") return by(text);
    if (first == "proxy") {
      if (text != "async") throw "effects go through the async proxy, or need no word";
      proxy_ = Proxy::Async;
      return;
    }
    if (first == "until") {
      until_ = word(kObjects, cut(text, ' '));
      if (!text.empty()) until_operand_ = operand(text);
      return;
    }
    if (first == "when") {
      guard_ = operand(text);
      return;
    }
    Effect& e = out_[used_++];
    e.verb = word(kVerbs, first);
    if (e.verb == Verb::Unknown) return;
    if (on_memory(e.verb)) {
      e.space = choice(kSpaces, cut(text, ' '));
    } else {
      e.object = word(kObjects, cut(text, ' '));
    }
    while (!text.empty()) word_of(e, text);
  }

  constexpr void word_of(Effect& e, std::string_view& text) {
    const std::string_view token = cut(text, ' ');
    if (token == "at") {
      e.rank = operand(cut(text, ' '));
    } else if (token == "in") {
      e.mask = operand(cut(text, ' '));
    } else if (token == "plus") {
      e.offset = operand(cut(text, ' '));
    } else if (token == "if" || token == "unless") {
      e.conditions[e.conditions[0].operand != kNoOperand] = condition(cut(text, ' '), token == "unless");
    } else if (token == "after") {
      e.after = word(kObjects, cut(text, ' '));
    } else if (token.find('[') != token.npos || find(token) != kNoOperand) {
      const std::size_t bracket = token.find('[');
      e.operand = operand(token.substr(0, bracket));
      if (bracket != token.npos) bytes(e, token.substr(bracket + 1, token.size() - bracket - 2));
    } else if (const std::size_t dot = token.find('.'); dot != token.npos) {
      e.semantics = choice(kSemantics, token.substr(0, dot));
      e.scope = choice(kScopes, token.substr(dot + 1));
    } else {
      e.space = choice(kSpaces, token);
    }
  }

  // "read", "scope=warp"
  constexpr Condition condition(std::string_view text, bool unless) const {
    const std::size_t equals = text.find('=');
    Condition out;
    out.operand = operand(text.substr(0, equals));
    out.unless = unless;
    if (equals == text.npos) return out;
    std::string_view choices = operands_[out.operand].choices;
    for (std::int8_t i = 0; !choices.empty(); ++i) {
      if (cut(choices, '|') == text.substr(equals + 1)) out.choice = i;
    }
    if (out.choice < 0) throw "a row's effects ask for a choice that the attribute does not have";
    return out;
  }

  constexpr void bytes(Effect& e, std::string_view text) const {
    while (!text.empty()) {
      const std::string_view factor = cut(text, '*');
      Factor& f = e.bytes[e.factors++];
      if (factor == "box" || factor == "rows" || factor == "tile") {
        f.kind = factor == "box" ? Factor::Kind::Box : factor == "rows" ? Factor::Kind::Rows : Factor::Kind::Tile;
      } else if (factor[0] >= '0' && factor[0] <= '9') {
        f.value = 0;
        for (char c : factor) f.value = static_cast<std::int16_t>(f.value * 10 + (c - '0'));
      } else if (const std::size_t open = factor.find('('); open != factor.npos) {
        f.kind = factor.substr(0, open) == "count" ? Factor::Kind::Count : Factor::Kind::Size;
        f.value = operand(factor.substr(open + 1, factor.size() - open - 2));
      } else {
        f.kind = Factor::Kind::Operand;
        f.value = operand(factor);
      }
    }
  }

  constexpr void by(std::string_view text) {
    by_.together = word(kTogether, cut(text, ' '));
    while (!text.empty()) {
      const std::string_view token = cut(text, ' ');
      if (token == "if" || token == "unless") {
        by_.condition = condition(cut(text, ' '), token == "unless");
      } else if (token == "else") {
        by_.otherwise = word(kTogether, cut(text, ' '));
      } else if (token == "pair") {
        by_.pair = operand(cut(text, ' '));
      } else {
        by_.mask = operand(token);
      }
    }
  }

  std::span<const Operand> operands_;
  std::span<Effect> out_;
  std::size_t used_ = 0;
  Proxy proxy_ = Proxy::Generic;
  Object until_ = Object::Memory;
  std::int8_t until_operand_ = kNoOperand, guard_ = kNoOperand;
  Participants by_;
};

template <std::size_t N>
struct ParsedEffects {
  std::array<Effect, N> effects{};
  Participants by;
};

template <Literal Signature>
consteval std::span<const Operand> operands_of() {
  if constexpr (Signature.view().empty()) {
    return {};
  } else {
    return kOperands<Signature>;
  }
}

template <Literal Signature>
consteval std::string_view text_of() {
  if constexpr (Signature.view().empty()) {
    return {};
  } else {
    return kText<Signature>.view();
  }
}

template <Literal Signature, Literal Text>
consteval auto parse_effects() {
  constexpr std::span<const Operand> operands = operands_of<Signature>();
  ParsedEffects<count_effects(operands, Text.view())> out;
  out.by = EffectParser(operands, out.effects).parse(Text.view());
  return out;
}

template <Literal Signature, Literal Text>
inline constexpr auto kEffects = parse_effects<Signature, Text>();

// The coarse effect behind a list of them.
constexpr ir::Effect summary(std::span<const Effect> effects, const Participants& by) {
  ir::Effect out = by.together > Together::One ? ir::Effect::Synchronises : ir::Effect::Pure;
  for (const Effect& e : effects) {
    ir::Effect one = ir::Effect::Synchronises;
    switch (e.verb) {
      case Verb::Reads:
        one = e.semantics.fixed >= Semantics::Acquire ? ir::Effect::Synchronises : ir::Effect::Reads;
        break;
      case Verb::Writes:
      case Verb::Updates:
      case Verb::Prefetches:
      case Verb::Inits:
      case Verb::Invalidates:
      case Verb::Allocates:
      case Verb::Stops: one = ir::Effect::Writes; break;
      case Verb::Unknown: one = ir::Effect::Opaque; break;
      default: break;
    }
    out = std::max(out, one);
  }
  return out;
}

}  // namespace tilewright::intrinsics::detail
