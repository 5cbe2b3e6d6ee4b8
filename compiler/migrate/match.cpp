#include "compiler/migrate/match.h"

#include <algorithm>
#include <array>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/migrate/rules.h"

namespace tilewright::migrate {
namespace {

using namespace syntax;

std::shared_ptr<const Tree> parsed(std::string_view text) {
  return Tree::parse(std::make_shared<text::Source>("rule", std::string(text) + "\n"));
}

const Node* statement_of(const Tree& tree) { return tree.statements().front().node->statement; }

bool is_space(std::string_view name) { return name == "T" || name == "Tx" || name == "layout"; }

// "T.ptx.elect_sync", as a rule writes it; empty: the name of a thing of the script.
std::string path_in_rule(const Node* n) {
  if (auto* name = as<NameRef>(n)) return is_space(name->name.text) ? std::string(name->name.text) : std::string();
  auto* attribute = as<Attribute>(n);
  const std::string outer = attribute ? path_in_rule(attribute->object) : std::string();
  return outer.empty() ? outer : outer + "." + std::string(attribute->name.text);
}

bool has_rest(const Call& call) {
  return std::ranges::any_of(call.args, [](const Node* a) { return as<EllipsisLit>(a) != nullptr; });
}

// The arguments of a call as a rule names them.
class Matcher {
 public:
  Matcher(const Parsed& rule, const Names& names, std::string_view text) : names_(names), text_(text) {
    out_.rule = &rule;
  }

  bool call(const Call& was, const Call& call) {
    if (!function(was.function, call.function)) return false;
    const std::string path = path_in_rule(was.function);
    if (path.starts_with("T.ptx.") || path.starts_with("T.cuda.")) {
      if (!has_rest(was) && !has_unpacked_keywords(call)) return operands(was, call, path.substr(2));
    }
    return arguments(was, call);
  }

  Match take() { return std::move(out_); }

 private:
  static bool has_unpacked_keywords(const Call& call) {
    return std::ranges::any_of(call.keywords, [](const Keyword& k) { return k.name.text.empty(); });
  }
  static bool has_star(const Call& call) {
    return std::ranges::any_of(call.args, [](const Node* a) { return as<Starred>(a) != nullptr; }) ||
           has_unpacked_keywords(call);
  }

  std::string_view words(const Node* n) const { return text_.substr(n->at.begin, n->at.end - n->at.begin); }

  bool function(const Node* was, const Node* is) {
    const std::string wanted = path_in_rule(was), path = names_.path(is);
    if (!wanted.empty()) return wanted == path;
    if (auto* method = as<Attribute>(was)) {
      auto* called = as<Attribute>(is);
      return called && path.empty() && called->name.text == method->name.text && value(method->object, called->object);
    }
    return value(was, is);  // any function
  }

  bool bind(std::string_view name, const Node* n) {
    auto [it, fresh] = out_.bound.try_emplace(name, Binding{{n}, {}});
    return fresh || (it->second.nodes.size() == 1 && words(it->second.nodes[0]) == words(n));
  }

  static bool same_literal(const Node* a, const Node* b) {
    if (!a || !b || a->kind != b->kind) return false;
    if (auto* x = as<StringLit>(a)) return x->value == as<StringLit>(b)->value;
    if (auto* x = as<IntLit>(a)) return x->value == as<IntLit>(b)->value;
    if (auto* x = as<BoolLit>(a)) return x->value == as<BoolLit>(b)->value;
    if (auto* x = as<FloatLit>(a)) return x->value == as<FloatLit>(b)->value;
    return a->kind == NodeKind::NoneLit;
  }

  // An expression of the rule, against one of the script.
  bool value(const Node* was, const Node* is) {
    if (auto* name = as<NameRef>(was); name && !is_space(name->name.text)) return bind(name->name.text, is);
    if (const std::string path = path_in_rule(was); !path.empty()) return names_.path(is) == path;
    if (auto* inner = as<Call>(was)) {
      auto* written = as<Call>(is);
      return written && call(*inner, *written);
    }
    if (auto* tuple = as<Tuple>(was)) {
      auto* written = as<Tuple>(is);
      return written && tuple->elements.size() == written->elements.size() &&
             std::ranges::equal(tuple->elements, written->elements,
                                [&](const Node* a, const Node* b) { return value(a, b); });
    }
    if (auto* list = as<List>(was); list && list->elements.empty()) {
      auto* written = as<List>(is);
      return written && written->elements.empty();
    }
    return same_literal(was, is);
  }

  // Arguments as they are written; a name of the rule is also a keyword.
  bool arguments(const Call& was, const Call& is) {
    const bool rest = has_rest(was);
    if (!rest && has_star(is)) return false;
    std::size_t taken = 0;
    std::vector<const Keyword*> used;
    for (const Node* a : was.args) {
      if (as<EllipsisLit>(a)) continue;
      if (taken < is.args.size()) {
        if (as<Starred>(is.args[taken]) || !value(a, is.args[taken])) return false;
        ++taken;
        continue;
      }
      auto* name = as<NameRef>(a);
      auto given =
          std::ranges::find_if(is.keywords, [&](const Keyword& k) { return name && k.name.text == name->name.text; });
      if (given == is.keywords.end() || !value(a, given->value)) return false;
      used.push_back(&*given);
    }
    if (!rest && taken != is.args.size()) return false;
    for (const Keyword& k : was.keywords) {
      auto given = std::ranges::find_if(is.keywords, [&](const Keyword& g) { return g.name.text == k.name.text; });
      if (given == is.keywords.end() || !value(k.value, given->value)) return false;
      used.push_back(&*given);
      out_.keywords.emplace_back(&k, &*given);
    }
    return rest || used.size() == is.keywords.size();
  }

  // Do items of `*list` arguments stand for operands of any number, and for no other?
  static bool unpacks_variadic_alone(const intrinsics::Intrinsic& row, const std::vector<intrinsics::Slot>& slots,
                                     const Call& is) {
    for (std::size_t a = 0; a < is.args.size(); ++a) {
      if (!as<Starred>(is.args[a])) continue;
      bool variadic = false;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        const bool holds = slots[i].first >= 0 && static_cast<std::size_t>(slots[i].first) <= a &&
                           a < static_cast<std::size_t>(slots[i].first + slots[i].count);
        variadic |= holds && row.operands[i].kind == intrinsics::OperandKind::Variadic;
      }
      if (!variadic) return false;
    }
    return true;
  }

  // Arguments of an instruction, by the names of its operands.
  bool operands(const Call& was, const Call& is, std::string_view path) {
    std::vector<std::string_view> keywords;
    for (const Keyword& k : is.keywords) keywords.push_back(k.name.text);
    const intrinsics::Intrinsic* row = intrinsics::find(names_.release(), path, is.args.size(), keywords);
    if (!row) return arguments(was, is);
    const auto slots = intrinsics::bind(*row, is.args.size(), keywords);
    if (!slots || !unpacks_variadic_alone(*row, *slots, is)) return false;
    auto argument = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return at < is.args.size() ? is.args[at] : is.keywords[at - is.args.size()].value;
    };
    std::vector<bool> named(row->operands.size());
    auto take = [&](const Node* wanted, std::size_t i) {
      if (i >= row->operands.size()) return false;
      named[i] = true;
      const intrinsics::Operand& operand = row->operands[i];
      const intrinsics::Slot& slot = (*slots)[i];
      if (auto* starred = as<Starred>(wanted)) {
        auto* name = as<NameRef>(starred->value);
        if (!name || operand.kind != intrinsics::OperandKind::Variadic) return false;
        Binding& all = out_.bound[name->name.text];
        for (int at = 0; at < slot.count; ++at) all.nodes.push_back(argument(slot.first + at));
        return true;
      }
      if (slot.first >= 0) return value(wanted, argument(slot.first));
      if (auto* free = as<NameRef>(wanted)) {
        out_.bound[free->name.text] = Binding{{}, std::string(operand.default_text)};
        return !operand.default_text.empty();
      }
      return is_default(operand, wanted);
    };
    std::size_t next = 0;
    auto kind_at = [&](std::size_t i) { return row->operands[i].kind; };
    for (const Node* a : was.args) {
      const bool several = as<Starred>(a) != nullptr;
      std::size_t i = several ? 0 : next;
      while (i < row->operands.size() &&
             (several ? kind_at(i) != intrinsics::OperandKind::Variadic : row->operands[i].keyword_only)) {
        ++i;
      }
      if (!take(a, i)) return false;
      if (!several) next = i + 1;
    }
    for (const Keyword& k : was.keywords) {
      auto at = std::ranges::find(row->operands, k.name.text, &intrinsics::Operand::name);
      if (!take(k.value, static_cast<std::size_t>(at - row->operands.begin()))) return false;
    }
    // What the rule does not name is left out, or as it is by default.
    for (std::size_t i = 0; i < row->operands.size(); ++i) {
      const intrinsics::Slot& slot = (*slots)[i];
      if (named[i] || slot.first < 0 || slot.count == 0) continue;
      if (!is_default(row->operands[i], argument(slot.first))) return false;
    }
    return true;
  }

  static bool is_default(const intrinsics::Operand& operand, const Node* n) {
    if (operand.default_text.empty()) return false;
    const auto text = parsed(operand.default_text);
    auto* statement = as<ExprStmt>(statement_of(*text));
    return statement && same_literal(statement->value, n);
  }

  const Names& names_;
  std::string_view text_;
  Match out_;
};

std::vector<Parsed> parse(std::span<const Rule> rules) {
  std::vector<Parsed> out;
  for (const Rule& rule : rules) {
    Parsed& p = out.emplace_back();
    p.rule = rule;
    p.was = parsed(rule.was);
    p.of_layouts = rule.is.starts_with('&');
    if (!rule.is.starts_with('!') && !rule.is.starts_with('?')) p.is = parsed(rule.is.substr(p.of_layouts ? 1 : 0));
    p.keeps = has_rest(*p.call());
  }
  return out;
}

}  // namespace

const Call* Parsed::call() const {
  const Node* s = statement_of(*was);
  if (auto* assign = as<Assign>(s)) return as<Call>(assign->value);
  auto* expression = as<ExprStmt>(s);
  return expression ? as<Call>(expression->value) : nullptr;
}

const Node* Parsed::target() const {
  auto* assign = as<Assign>(statement_of(*was));
  return assign ? assign->targets.front() : nullptr;
}

bool Parsed::drops() const {
  auto* statement = is ? as<ExprStmt>(is->statements().front().node->statement) : nullptr;
  auto* now = statement ? as<Call>(statement->value) : nullptr;
  const Call* before = call();
  return keeps && now && before && now->keywords.empty() && !before->keywords.empty();
}

bool Parsed::is_expression() const {
  return is && is->statements().size() == 1 && as<ExprStmt>(statement_of(*is)) != nullptr;
}

const std::vector<Parsed>& parsed_rules(text::Dialect release) {
  static const std::array<std::vector<Parsed>, text::kDialects.size()> all = [] {
    std::array<std::vector<Parsed>, text::kDialects.size()> out;
    for (const text::DialectName& d : text::kDialects) {
      out[static_cast<std::size_t>(d.dialect)] = parse(rules_to(d.dialect));
    }
    return out;
  }();
  return all[static_cast<std::size_t>(release)];
}

std::optional<Match> match(const Parsed& rule, const Call& call, const Names& names, std::string_view text) {
  Matcher matcher(rule, names, text);
  if (!matcher.call(*rule.call(), call)) return std::nullopt;
  return matcher.take();
}

}  // namespace tilewright::migrate
