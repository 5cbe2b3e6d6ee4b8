// The effects of each row against the text of its calls: what the mnemonics, qualifiers and operands of the
// instructions say (intrinsics_ptx.cpp) and what CUDA's functions do (intrinsics_cuda.cpp). Every row is held against
// its text, in every sample and for every target; rows without a text of ours say that they are unknown.
#include <algorithm>
#include <set>

#include "compiler/intrinsics/effect_text.h"
#include "compiler/intrinsics/emit.h"
#include "compiler/intrinsics/helper_text.h"
#include "tests/unit/catch.h"
#include "tests/unit/intrinsics_acts.h"
#include "tests/unit/intrinsics_samples.h"

namespace tilewright::intrinsics {
namespace acts {

const Operand* operand_of(const Arguments& a, std::string_view name) {
  if (const Operand* o = a.operand(name)) return o;
  const std::size_t end = name.find_last_not_of("0123456789") + 1;
  const Operand* o = end < name.size() ? a.operand(name.substr(0, end)) : nullptr;
  return o && (o->kind == OperandKind::List || o->kind == OperandKind::Variadic) ? o : nullptr;
}

std::string text_of(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (!row.ptx.empty()) return instruction_text(row, args, target);
  Arguments a(row, args);
  const bool printed = row.emit != emit_cxx;
  std::string text;
  if (!printed) {
    const std::string body = row.text ? row.text(a, target) : std::string(row.cxx);
    return HelperText(a, HelperText::Language::Reading).expand(body);
  }
  const Emitted e = row.emit(row, args, target);
  text = e.helper_source.empty() ? e.expression : e.helper_source.substr(e.helper_source.find('{'));
  // "{2}" is the argument at position 2.
  for (std::size_t i = args.size(); i-- > 0;) {
    const std::string mark = "{" + std::to_string(i) + "}";
    for (std::size_t at; (at = text.find(mark)) != text.npos;) {
      const Operand* o = a.operand_at(i);
      text.replace(at, mark.size(), o ? std::string(o->name) : "");
    }
  }
  return text;
}

void join_meetings(std::vector<Act>& acts) {
  for (std::size_t i = 0; i + 1 < acts.size(); ++i) {
    if (acts[i].verb != "arrives" || acts[i + 1].verb != "waits" || acts[i].what != acts[i + 1].what) continue;
    acts[i].verb = "meets";
    acts[i].order = "acq_rel" + acts[i].order.substr(acts[i].order.find('.'));
    acts.erase(acts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

std::string text(const Act& a) {
  std::string out = a.verb + " " + a.what;
  auto add = [&](std::string_view word, const std::string& value) {
    if (!value.empty()) out.append(" ").append(word).append(value);
  };
  add("", a.operand);
  add("[", a.amount);
  if (a.proxy != "generic") add("by ", a.proxy);
  add("until ", a.until);
  add("after ", a.after);
  add("", a.order);
  add("at ", a.rank);
  add("in ", a.mask);
  add("if ", a.predicate);
  add("unless ", a.excluding);
  add("plus ", a.offset);
  return out;
}

}  // namespace acts

namespace {

using acts::Act;

const char* const kTargets[] = {"sm_75",  "sm_80",   "sm_89",   "sm_90",   "sm_90a",
                                "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_120a"};

template <class T, std::size_t N>
std::string word_of(const detail::Word<T> (&words)[N], T value) {
  for (const auto& w : words) {
    if (w.value == value && !w.text.empty()) return std::string(w.text);
  }
  return "";
}

// The operand whose argument this is, or the number itself.
std::string name_of(const Intrinsic& row, std::span<const ir::Expr> args, ir::Expr e) {
  if (!e) return "";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].get() != e.get()) continue;
    const Operand* o = Arguments(row, args).operand_at(i);
    if (o && o->kind != OperandKind::Attribute) return std::string(o->name);
  }
  return ir::to_string(e);
}

Act declared(const Intrinsic& row, std::span<const ir::Expr> args, const CallEffect& e) {
  Act a;
  auto name = [&](ir::Expr x) { return name_of(row, args, x); };
  a.verb = word_of(detail::kVerbs, e.verb);
  a.what = e.object == Object::Memory && detail::on_memory(e.verb) ? word_of(detail::kSpaces, e.space)
                                                                   : word_of(detail::kObjects, e.object);
  if (e.object == Object::Mbarrier || (e.object == Object::AsyncProxy && e.space != Space::Generic)) {
    a.what += " " + word_of(detail::kSpaces, e.space);
  }
  a.operand = e.operand ? std::string(e.operand->name) : "";
  a.offset = name(e.offset);
  switch (e.amount.kind) {
    case Amount::Kind::Unknown: break;
    case Amount::Kind::Known: a.amount = std::to_string(e.amount.number); break;
    case Amount::Kind::Value:
      a.amount = (e.amount.number == 1 ? "" : std::to_string(e.amount.number) + "*") + name(e.amount.value);
      break;
    case Amount::Kind::Box: a.amount = "box"; break;
    case Amount::Kind::Rows: a.amount = "rows"; break;
    case Amount::Kind::Tile: a.amount = "tile"; break;
  }
  if (e.object == Object::Mbarrier && (e.verb == Verb::Arrives || e.verb == Verb::Drops) && a.amount.empty()) {
    a.amount = "1";
  }
  constexpr std::string_view kProxies[] = {"generic", "async", "tensor", "map"};
  a.proxy = kProxies[static_cast<std::size_t>(e.proxy)];
  if (e.until != Object::Memory) {
    a.until = word_of(detail::kObjects, e.until);
    if (e.until_argument) a.until += " " + name(e.until_argument);
  }
  if (e.after != Object::Memory) a.after = word_of(detail::kObjects, e.after);
  if (e.semantics != Semantics::Weak) {
    a.order = word_of(detail::kSemantics, e.semantics) + "." + word_of(detail::kScopes, e.scope);
  }
  a.rank = name(e.rank);
  a.mask = name(e.mask);
  a.predicate = name(e.guard) + (e.guard && e.predicate ? " " : "") + name(e.predicate);
  a.excluding = name(e.excluding);
  return a;
}

// A pointer of C++ does not say its space, nor always how far it reaches; where it says so, it has to agree.
bool agrees(const Act& said, const Act& row) {
  if (said.what != "*" && row.what != "register") return acts::text(said) == acts::text(row);
  auto optional = [](const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; };
  return said.verb == row.verb && (said.what == "*" || said.what == row.what) && said.operand == row.operand &&
         optional(said.amount, row.amount) && (row.offset.empty() || said.offset == row.offset) &&
         said.until == row.until && said.predicate == row.predicate;
}

// Code of the script's author, which the table cannot read.
bool is_foreign(const Intrinsic& row) { return Arguments(row, {}).operand("func_name") != nullptr; }

// What the row says and the text of the call does not, and the other way round; "" when they agree.
std::string difference(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const std::string text = acts::text_of(row, args, target);
  acts::Reading reading;
  if (row.ptx.empty()) {
    acts::read_cuda(a, text, reading);
  } else {
    acts::read_ptx(a, text, {}, reading);
  }
  std::vector<Act> rows;
  for (const CallEffect& e : effects_of(row, args)) rows.push_back(declared(row, args, e));

  std::string out;
  for (const std::string& name : reading.unknown) out += "no rule reads " + name + "\n";
  for (const Act& said : reading.acts) {
    if (std::ranges::none_of(rows, [&](const Act& r) { return agrees(said, r); })) {
      out += "only the text: " + acts::text(said) + "\n";
    }
  }
  for (const Act& r : rows) {
    if (std::ranges::none_of(reading.acts, [&](const Act& said) { return agrees(said, r); })) {
      out += "only the row:  " + acts::text(r) + "\n";
    }
  }
  const CallParticipants by = participants_of(row, args);
  const std::string together = word_of(detail::kTogether, by.together), mask = name_of(row, args, by.mask);
  const bool by_lane = reading.fragment && reading.together == "thread" && together == "warp";
  if ((together != reading.together && !by_lane) || mask != reading.mask || by.pair != reading.pair) {
    out += "the row is for " + together + " " + mask + (by.pair ? " pair" : "") + ", the text for " + reading.together +
           " " + reading.mask + (reading.pair ? " pair" : "") + "\n";
  }
  return out.empty() ? out : out + text;
}

// Calls f(arguments, target) for every different text of the row's samples.
template <class F>
int each_text(const Intrinsic& row, F f) {
  int texts = 0;
  for (const samples::Sample& s : samples::of(row)) {
    std::set<std::string> seen;
    for (const char* t : kTargets) {
      const ir::Target target = *ir::parse_target(t);
      if (verify(row, s.args, target) || !seen.insert(acts::text_of(row, s.args, target)).second) continue;
      f(s.args, target);
      ++texts;
    }
  }
  // Samples of wmma have no fragments: their text is all the same.
  if (texts == 0) {
    f(samples::of(row).front().args, *ir::parse_target("sm_90a"));
    ++texts;
  }
  return texts;
}

std::string row_of(const Intrinsic& row) { return std::string(row.id) + " " + std::string(row.name); }

bool is_readable(const Intrinsic& row) { return !is_foreign(row) && row.availability != Availability::Never; }

}  // namespace

TEST_CASE("the effects of each row are those of its text") {
  Arena arena;
  ArenaScope scope(arena);
  for (const Intrinsic& row : table()) {
    INFO(row_of(row));
    const bool unknown = std::ranges::any_of(row.effects, [](const Effect& e) { return e.verb == Verb::Unknown; });
    if (!is_readable(row)) {
      // What is not ours to read, or never ran, may do anything, unless its author promises that it does nothing.
      CHECK((unknown ? row.effects.size() == 1 : row.effect == ir::Effect::Pure));
      continue;
    }
    CHECK(!unknown);
    const int texts = each_text(
        row, [&](std::span<const ir::Expr> args, ir::Target target) { CHECK(difference(row, args, target) == ""); });
    CHECK(texts > 0);
  }
}

TEST_CASE("no effect of a row could be left out or turned round") {
  Arena arena;
  ArenaScope scope(arena);
  for (const Intrinsic& row : table()) {
    if (!is_readable(row)) continue;
    auto found = [&](const Intrinsic& changed) {
      bool any = false;
      each_text(row, [&](std::span<const ir::Expr> args, ir::Target target) {
        any = any || !difference(changed, args, target).empty();
      });
      return any;
    };
    for (std::size_t i = 0; i < row.effects.size(); ++i) {
      INFO(row_of(row) << ", effect " << i);
      Intrinsic changed = row;
      std::vector<Effect> fewer(row.effects.begin(), row.effects.end()), turned = fewer;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      changed.effects = fewer;
      CHECK(found(changed));
      turned[i].verb = turned[i].verb == Verb::Writes ? Verb::Reads : Verb::Writes;
      changed.effects = turned;
      CHECK(found(changed));
    }
    INFO(row_of(row));
    Intrinsic changed = row;
    Effect stray[2];
    stray[0].verb = Verb::Fences;
    stray[0].object = Object::AliasProxy;
    stray[1].verb = Verb::Waits;
    stray[1].object = Object::BulkGroup;
    std::vector<Effect> more(row.effects.begin(), row.effects.end());
    more.insert(more.end(), std::begin(stray), std::end(stray));
    changed.effects = more;
    CHECK(found(changed));
    changed = row;
    changed.by.together = row.by.together == Together::Warpgroup ? Together::Warp : Together::Warpgroup;
    changed.by.condition = {};
    CHECK(found(changed));
  }
}

TEST_CASE("the coarse effect sums the effects up, and rows without any are pure") {
  for (const Intrinsic& row : table()) {
    INFO(row_of(row));
    CHECK(row.effect == (row.effects.empty() && row.by.together == Together::Thread
                             ? ir::Effect::Pure
                             : detail::summary(row.effects, row.by)));
    CHECK(row.elects == (row.meaning == Meaning::Elect));
  }
}

TEST_CASE("what a row does with its operands") {
  auto use = [](std::string_view id, std::string_view name) {
    const Intrinsic& row = *row_of_id(id);
    const OperandUse u = use_of(row, *Arguments(row, {}).operand(name));
    return std::string(u.reads ? "r" : "") + (u.writes ? "w" : "");
  };
  CHECK(use("P29", "src_ptr") == "r");
  CHECK(use("P29", "dst_ptr") == "w");
  CHECK(use("E13", "dst_ptr") == "rw");
  CHECK(use("P52", "addr") == "r");
  CHECK(use("P57", "address") == "w");
  CHECK(use("C33", "res_addr") == "rw");
  CHECK(use("P44", "tensormap_addr") == "r");
  CHECK(use("P48", "tensormap_addr") == "rw");
  CHECK(use("P98", "d_addr") == "w");
  CHECK(use("P64", "d_ptrs") == "w");
  CHECK(use("P64", "a_ptrs") == "r");
  CHECK(use("P72", "accums") == "rw");
  CHECK(use("L11", "args") == "rw");
  CHECK(use("C35", "ptr") == "rw");  // an address goes out: where to is not known
}

TEST_CASE("rows that a grid in one order of memory does without") {
  for (const Intrinsic& row : table()) {
    INFO(row_of(row));
    const bool fence =
        (row.name.find("fence") != row.name.npos && row.id != "P67" && row.id != "E20" && row.id != "N4");
    const bool hint = row.name.find("prefetch") != row.name.npos;
    const bool scheduling = row.id == "P19" || row.id == "P20" || row.id == "P21" || row.id == "C61";
    CHECK(is_silent(row) == (fence || hint || scheduling));
  }
}

}  // namespace tilewright::intrinsics
