#include "compiler/migrate/rewriter.h"

#include <algorithm>

#include "compiler/migrate/rules.h"
#include "compiler/script/releases.h"
#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }
std::string_view before_last(std::string_view path) { return path.substr(0, path.rfind('.')); }

// What a release calls a name that it renamed; empty: it did not.
std::string_view renamed(std::string_view path, text::Dialect to) {
  for (const script::Change& c : script::changes()) {
    if (c.release == to && c.kind == script::Change::Kind::Renamed && c.was == path) return c.is;
  }
  return {};
}

// A constant as it stands within a longer word: `"32x32b"` is 32x32b. None: it is no constant.
std::optional<std::string> constant(const Binding& binding) {
  std::string_view text = binding.text;
  if (binding.nodes.size() == 1) {
    if (auto* s = as<StringLit>(binding.nodes[0])) return std::string(s->value);
    if (auto* i = as<IntLit>(binding.nodes[0])) return std::to_string(static_cast<std::int64_t>(i->value));
    return std::nullopt;
  }
  if (!binding.nodes.empty()) return std::nullopt;
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// A call that is too long for a line, with an argument on each.
std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr std::size_t kWidth = 120;
  if (indent.size() + text.size() <= kWidth || text.find('\n') != text.npos) return text;
  const auto tree = Tree::parse(std::make_shared<text::Source>("call", text + "\n"));
  auto* statement = tree->statements().empty() ? nullptr : as<ExprStmt>(tree->statements().front().node->statement);
  auto* call = statement ? as<Call>(statement->value) : nullptr;
  if (!call || !tree->errors().empty()) return text;
  std::string out = text.substr(0, call->function->at.end) + "(\n";
  auto add = [&](std::uint32_t begin, std::uint32_t end) {
    out += indent + "    " + text.substr(begin, end - begin) + ",\n";
  };
  for (const Node* a : call->args) add(a->at.begin, a->at.end);
  for (const Keyword& k : call->keywords) add(k.name.at.begin, k.value->at.end);
  return out + indent + ")";
}

// Lines of a rule after its first, below a statement with that indentation.
std::string indented(const std::string& text, const std::string& indent) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += indent;
  }
  return out;
}

}  // namespace

Step Rewriter::step() {
  for (const Tree::Statement& s : tree_.statements()) statement(s);
  std::ranges::sort(out_.edits, {}, &Edit::begin);
  std::ranges::sort(out_.decisions, {}, &Decision::at);
  return std::move(out_);
}

std::optional<Edit> Rewriter::at(std::uint32_t begin, std::uint32_t end) {
  alone_ = true;
  for (const Tree::Statement& s : tree_.statements()) {
    if (s.offset <= begin && end <= s.offset + s.node->text.size()) statement(s);
  }
  std::optional<Edit> best;
  for (Edit& e : out_.edits) {
    const bool holds = (e.begin <= begin && end <= e.end) || (begin <= e.begin && e.end <= end);
    if (holds && (!best || e.end - e.begin < best->end - best->begin)) best = std::move(e);
  }
  return best;
}

void Rewriter::statement(const Tree::Statement& s) {
  at_ = &s;
  visit(s.node->statement);
}

std::string Rewriter::words(const Node* n) const { return written(*at_, n); }

void Rewriter::edit(Extent at, std::string text) {
  out_.edits.push_back({at_->offset + at.begin, at_->offset + at.end, std::move(text)});
}

void Rewriter::decide(const Node* n, std::string_view why, bool note) {
  std::string what = words(n);
  what = what.substr(0, what.find('\n'));
  out_.decisions.push_back({at_->offset + n->at.begin, std::move(what), std::string(why), note});
}

void Rewriter::visit_children(const Node* n) {
  for_children(n, [&](const Node* child) { visit(child); });
}

// `bar = T.ptx.mbarrier`: what is called below another name is not found.
void Rewriter::decide_alias(const Node* target, const Node* value) {
  const std::string path = to_ == text::Dialect::V0_27 && as<Attribute>(value) ? names_.path(value) : std::string();
  if ((path == "T.ptx" || path.starts_with("T.ptx.")) && !(target && names_.path(target) == path)) {
    decide(value, "0.27 spells instructions otherwise: write " + path + " where they are called, and migrate again");
  }
}

// A statement that is one expression, or assigns one.
void Rewriter::visit_simple(const Node* n) {
  auto* assign = as<Assign>(n);
  auto* annotated = as<AnnAssign>(n);
  auto* expression = as<ExprStmt>(n);
  if (assign && assign->targets.size() == 1 && visit_assignment(n, assign->targets.front(), assign->value, nullptr)) {
    return;
  }
  if (annotated && annotated->value &&
      visit_assignment(n, annotated->target, annotated->value, annotated->annotation)) {
    return;
  }
  const Node* value = assign ? assign->value : annotated ? annotated->value : nullptr;
  const Node* target = assign && assign->targets.size() == 1 ? assign->targets[0] : nullptr;
  auto* values = as<Tuple>(value);
  auto* targets = as<Tuple>(target);
  for (std::size_t i = 0; i < (values ? values->elements.size() : 1); ++i) {
    const bool paired = targets && values && targets->elements.size() == values->elements.size();
    decide_alias(paired ? targets->elements[i] : values ? nullptr : target, values ? values->elements[i] : value);
  }
  auto* call = expression ? as<Call>(expression->value) : nullptr;
  if (!call || !visit_call(*call, n)) visit_children(call ? call : n);
}

void Rewriter::visit(const Node* n) {
  if (!n) return;
  if (auto* from = as<ImportFrom>(n)) return visit_import(*from);
  if (auto* function = as<FunctionDef>(n)) {
    Hoist* outer = std::exchange(hoist_, nullptr);
    functions_.push_back(function);
    visit_children(n);
    functions_.pop_back();
    hoist_ = outer;
    return;
  }
  if (as<Assign>(n) || as<AnnAssign>(n) || as<AugAssign>(n) || as<ExprStmt>(n)) {
    return with_hoisting(n, [&] { visit_simple(n); });
  }
  if (auto* branch = as<If>(n)) {
    with_hoisting(n, [&] { visit(branch->condition); });
    for (const Node* s : branch->then_body) visit(s);
    for (const Node* s : branch->else_body) visit(s);
    return;
  }
  if (auto* loop = as<While>(n)) return visit_while(*loop);
  // What is evaluated never, or several times, is no statement of its own.
  const bool conditional = as<IfExp>(n) || as<BoolOp>(n) || as<Lambda>(n) || as<Comprehension>(n);
  Hoist* outer = hoist_;
  if (conditional) hoist_ = nullptr;
  auto* call = as<Call>(n);
  const bool done =
      (call && (visit_call(*call, nullptr) || hoist(*call))) || ((as<Attribute>(n) || as<NameRef>(n)) && visit_name(n));
  if (auto* dict = as<Dict>(n)) visit_options(*dict);
  if (!done) visit_children(n);
  hoist_ = outer;
}

// A dictionary that keywords are taken from, {"dispatch": "tma"}: rules about one keyword of any call hold here too.
void Rewriter::visit_options(const Dict& dict) {
  for (const Parsed& rule : parsed_rules(to_)) {
    const Call* was = rule.keeps && rule.is ? rule.call() : nullptr;
    if (!was || !as<NameRef>(was->function) || was->keywords.size() != 1) continue;
    const Call* is = as<Call>(as<ExprStmt>(rule.is->statements().front().node->statement)->value);
    auto* wanted = as<StringLit>(was->keywords.front().value);
    if (!is || is->keywords.size() != 1 || is->keywords.front().name.text != was->keywords.front().name.text) continue;
    auto* now = as<StringLit>(is->keywords.front().value);
    for (const DictItem& item : dict.items) {
      auto* key = as<StringLit>(item.key);
      auto* value = as<StringLit>(item.value);
      if (!wanted || !now || !key || !value || key->value != was->keywords.front().name.text) continue;
      if (value->value == wanted->value) edit(value->at, "\"" + std::string(now->value) + "\"");
    }
  }
}

// A name that is called otherwise.
bool Rewriter::visit_name(const Node* n) {
  const std::string path = names_.path(n);
  if (path.empty()) return false;
  const std::string_view is = renamed(path, to_);
  if (is.empty()) return as<Attribute>(n) != nullptr;
  auto* attribute = as<Attribute>(n);
  auto* name = as<NameRef>(n);
  if (before_last(path) == before_last(is)) {
    if (attribute) edit(attribute->name.at, std::string(last_of(is)));
    if (name && name->name.text == last_of(path)) edit(n->at, std::string(last_of(is)));
  } else {
    edit(n->at, names_.spelled(is));
  }
  return true;
}

// `whole`: the statement that the call is; null: it stands within an expression. False: no rule edits all of it.
bool Rewriter::visit_call(const Call& call, const Node* whole) {
  std::vector<const Keyword*> kept;  // that rules about keywords have edited
  bool edited = false;
  for (const Parsed& rule : parsed_rules(to_)) {
    if (rule.target() || (rule.is && !rule.keeps && !rule.is_expression() && !whole)) continue;
    if (edited && !(rule.is && rule.keeps && rule.drops())) continue;
    const auto found = match(rule, call, names_, at_->node->text);
    if (!found || (rule.of_layouts && !has_own_layout(*found))) continue;
    if (!rule.is) {
      decide(&call, rule.rule.is.substr(1), rule.rule.is.starts_with('?'));
      return false;
    }
    if (!rule.keeps) return replace(*found, rule.is_expression() ? &call : whole, !rule.is_expression());
    const auto is_kept = [&](const auto& pair) { return std::ranges::find(kept, pair.second) != kept.end(); };
    if (std::ranges::any_of(found->keywords, is_kept)) continue;
    keep(*found, call, edited);
    for (const auto& pair : found->keywords) kept.push_back(pair.second);
    edited = true;
    if (!rule.drops()) break;
  }
  if (!edited) return false;
  for (const Node* a : call.args) visit(a);
  for (const Keyword& k : call.keywords) visit(k.value);
  if (auto* method = as<Attribute>(call.function); method && names_.path(call.function).empty()) visit(method->object);
  return true;
}

// Edits what differs between the two sides of a rule. `again`: another rule has edited the call before.
void Rewriter::keep(const Match& m, const Call& call, bool again) {
  const Call& was = *m.rule->call();
  auto* statement = as<ExprStmt>(m.rule->is->statements().front().node->statement);
  const Call& is = *as<Call>(statement->value);
  const std::string& is_text = m.rule->is->statements().front().node->text;
  auto text_of = [&](const Node* n) { return is_text.substr(n->at.begin, n->at.end - n->at.begin); };
  // The name of what is called.
  const std::string& was_text = m.rule->was->statements().front().node->text;
  const std::string was_name = was_text.substr(was.function->at.begin, was.function->at.end - was.function->at.begin);
  const std::string is_name = text_of(is.function);
  if (was_name != is_name) {
    auto* attribute = as<Attribute>(call.function);
    if (attribute && before_last(was_name) == before_last(is_name)) {
      edit(attribute->name.at, std::string(last_of(is_name)));
    } else {
      edit(call.function->at, names_.spelled(is_name));
    }
  } else if (!again) {
    visit_name(call.function);
  }
  // Its keywords, in order: another name, another value, none any more.
  for (std::size_t i = 0; i < m.keywords.size(); ++i) {
    const auto& [wanted, given] = m.keywords[i];
    if (i < is.keywords.size()) {
      const Keyword& now = is.keywords[i];
      if (now.name.text != given->name.text) edit(given->name.at, std::string(now.name.text));
      if (!as<NameRef>(now.value)) edit(given->value->at, text_of(now.value));
      continue;
    }
    // With the comma before it.
    std::uint32_t begin = given->name.at.begin;
    const std::string& text = at_->node->text;
    std::uint32_t end = given->value->at.end;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\n' || text[begin - 1] == ',')) --begin;
    if (begin > 0 && text[begin - 1] == '(') {  // the first argument: with the comma after it
      begin = given->name.at.begin;
      std::size_t next = text.find_first_not_of(" \n", end);
      if (next != text.npos && text[next] == ',')
        end = static_cast<std::uint32_t>(text.find_first_not_of(" \n", next + 1));
    }
    for (const Edit& e : out_.edits) {  // two in a row
      if (e.begin <= at_->offset + begin && at_->offset + begin < e.end) begin = e.end - at_->offset;
    }
    edit({begin, std::max(begin, end)}, "");
  }
  // New ones stand at the end.
  std::string more;
  for (std::size_t i = m.keywords.size(); i < is.keywords.size(); ++i) {
    more += ", " + std::string(is.keywords[i].name.text) + "=" + text_of(is.keywords[i].value);
  }
  if (more.empty()) return;
  std::uint32_t last = call.function->at.end + 1;
  for (const Node* a : call.args) last = std::max(last, a->at.end);
  for (const Keyword& k : call.keywords) last = std::max(last, k.value->at.end);
  edit({last, last}, more);
}

std::string Rewriter::rewritten(const Node* n) {
  Step outer = std::exchange(out_, {});
  visit(n);
  std::ranges::sort(out_.edits, {}, &Edit::begin);
  for (Edit& e : out_.edits) {
    e.begin -= at_->offset + n->at.begin;
    e.end -= at_->offset + n->at.begin;
  }
  std::string text = applied(words(n), out_.edits);
  std::ranges::move(out_.decisions, std::back_inserter(outer.decisions));
  out_ = std::move(outer);
  return text;
}

std::optional<std::string> Rewriter::part_of_word(const Match& m, std::string_view name, bool* computed) const {
  const std::size_t colon = name.find(':');
  const bool dot = name.starts_with('.');
  const std::string_view asked = colon == name.npos ? std::string_view() : name.substr(0, colon);
  auto known = m.bound.find(dot ? name.substr(1) : asked.empty() ? name : name.substr(colon + 1));
  if (known == m.bound.end()) return std::nullopt;
  if (asked == "space") return known->second.nodes.size() == 1 ? space_of(known->second.nodes[0]) : std::nullopt;
  if (asked == "bits") {
    const auto dtype = known->second.nodes.size() == 1 ? dtype_of(known->second.nodes[0]) : std::nullopt;
    return dtype ? std::optional(std::to_string(dtype->bits)) : std::nullopt;
  }
  const Binding& binding = known->second;
  auto value = constant(binding);
  if (value && (*value == "None" || (dot && value->empty()))) return "";
  if (!value) {
    // A name that the kernel takes from around it is a value of Python.
    auto* own = binding.nodes.size() == 1 ? as<NameRef>(binding.nodes[0]) : nullptr;
    if (!own || dot || functions_.empty() || bindings_of(own->name.text) > 0) return std::nullopt;
    const auto& parameters = functions_.back()->params;
    if (std::ranges::any_of(parameters, [&](const Parameter& p) { return p.name.text == own->name.text; })) {
      return std::nullopt;
    }
    *computed = true;
    return "{" + std::string(own->name.text) + "}";
  }
  return (dot ? "." : "") + *value;
}

// A part of `is` with what its names stand for. None: a word needs a constant that the script does not give.
std::optional<std::string> Rewriter::rendered(const Match& m, const Node* part, std::string_view text) {
  std::vector<Edit> edits;
  bool fits = true;
  auto put = [&](const Node* n, std::string words) { edits.push_back({n->at.begin, n->at.end, std::move(words)}); };
  auto names = [&](auto& self, const Node* n) -> void {
    auto* starred = as<Starred>(n);
    auto* name = as<NameRef>(starred ? starred->value : n);
    if (auto* list = as<List>(starred ? starred->value : n); list && list->elements.size() == 2) {
      const auto elements = elements_of(m, *list);
      return elements ? put(n, *elements) : void(fits = false);
    }
    if (name) {
      auto known = m.bound.find(name->name.text);
      if (known == m.bound.end()) return name->name.text == "T" ? put(n, names_.spelled("T")) : void();
      std::string words = known->second.text;
      for (std::size_t i = 0; i < known->second.nodes.size(); ++i) {
        words += (i ? ", " : "") + rewritten(known->second.nodes[i]);
      }
      return put(n, std::move(words));
    }
    if (auto* literal = as<StringLit>(n)) {
      std::string words(text.substr(n->at.begin, n->at.end - n->at.begin));
      bool computed = false;
      for (std::size_t open = words.find('{'); open != words.npos; open = words.find('{', open)) {
        const std::size_t close = words.find('}', open);
        const std::string name = words.substr(open + 1, close - open - 1);
        const auto value = part_of_word(m, name, &computed);
        if (!value) return void(fits = false);
        words.replace(open, close + 1 - open, *value);
        open += value->size();
      }
      put(n, (computed ? "f" : "") + words);
      return;
    }
    if (auto* attribute = as<Attribute>(n)) {
      const Node* root = n;
      std::string path;
      while (auto* a = as<Attribute>(root)) {
        path.insert(0, "." + std::string(a->name.text));
        root = a->object;
      }
      auto* space = as<NameRef>(root);
      if (space && (space->name.text == "layout" || space->name.text == "Tx" || space->name.text == "T")) {
        return put(n, names_.spelled(std::string(space->name.text) + path));
      }
      return self(self, attribute->object);
    }
    for_children(n, [&](const Node* child) { self(self, child); });
  };
  names(names, part);
  if (!fits) return std::nullopt;
  std::ranges::sort(edits, {}, &Edit::begin);
  return applied(text, edits);
}

// The spaces before a statement that begins its line; none: something else does.
std::optional<std::string> Rewriter::indentation(const Node* n) const {
  const std::string_view text = tree_.source()->text();
  const std::size_t at = at_->offset + n->at.begin;
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::string_view before = text.substr(line, at - line);
  if (before.find_first_not_of(" \t") != before.npos) return std::nullopt;
  return std::string(before);
}

bool Rewriter::replace(const Match& given, const Node* whole, bool is_statement) {
  // Registers that the rule allocates have a name of their own each time.
  Match m = given;
  auto* first = as<Assign>(m.rule->is->statements().front().node->statement);
  auto* made = first ? as<NameRef>(first->targets.front()) : nullptr;
  if (made && !m.bound.contains(made->name.text))
    m.bound[made->name.text] = Binding{{}, alone_ ? std::string(made->name.text) : fresh_name(made->name.text)};
  std::string out;
  const std::optional<std::string> indent = is_statement ? indentation(whole) : std::string();
  if (!indent) {
    decide(whole, "it becomes several statements: write it on a line of its own");
    return false;
  }
  const std::size_t decisions = out_.decisions.size();
  for (const Tree::Statement& s : m.rule->is->statements()) {
    const auto text = rendered(m, s.node->statement, s.node->text);
    if (!text) {
      out_.decisions.resize(decisions);
      const std::string_view by_hand = m.rule->rule.by_hand;
      decide(whole, by_hand.empty() ? "the instruction's name needs a constant that this call computes" : by_hand);
      return false;
    }
    if (!out.empty()) out += "\n" + *indent;
    const std::optional<std::string> line = indentation(whole);
    out += line ? indented(wrapped(*text, *line), as<If>(s.node->statement) ? *line : "") : *text;
  }
  edit(whole->at, std::move(out));
  return true;
}

// Is `o` a name that the function, or one around it, binds to a call with `layout=`?
bool Rewriter::has_own_layout(const Match& m) const {
  auto known = m.bound.find("o");
  auto* name =
      known == m.bound.end() || known->second.nodes.size() != 1 ? nullptr : as<NameRef>(known->second.nodes[0]);
  bool found = false;
  for (const FunctionDef* function : functions_) {
    for_all(function, [&](const Node* n) {
      auto* assign = name ? as<Assign>(n) : nullptr;
      auto* call = assign && assign->targets.size() == 1 ? as<Call>(assign->value) : nullptr;
      auto* target = call ? as<NameRef>(assign->targets.front()) : nullptr;
      if (!target || target->name.text != name->name.text) return;
      found |= std::ranges::any_of(call->keywords, [](const Keyword& k) { return k.name.text == "layout"; });
    });
  }
  return found;
}

// How often the function binds a name.
std::size_t Rewriter::bindings_of(std::string_view name) const {
  std::size_t count = 0;
  auto is = [&](const Node* target) {
    auto* found = as<NameRef>(target);
    return found && found->name.text == name;
  };
  if (functions_.empty()) return 2;
  for_all(functions_.back(), [&](const Node* n) {
    if (auto* assign = as<Assign>(n)) count += std::ranges::count_if(assign->targets, is);
    if (auto* assign = as<AugAssign>(n)) count += is(assign->target);
    if (auto* assign = as<AnnAssign>(n)) count += is(assign->target);
    if (auto* loop = as<For>(n)) count += is(loop->target);
  });
  return count;
}

// `x = instruction(...)`, whose result becomes its first operand: `x` is declared before, unless it is already.
bool Rewriter::visit_assignment(const Node* n, const Node* target, const Node* value, const Node* annotation) {
  auto* call = as<Call>(value);
  if (!call) return false;
  for (const Parsed& rule : parsed_rules(to_)) {
    auto* wanted = as<NameRef>(rule.target());
    if (!wanted) continue;
    auto found = match(rule, *call, names_, at_->node->text);
    if (!found) continue;
    if (!rule.is) {
      decide(call, rule.rule.is.substr(1));
      return false;
    }
    if (annotation && words(annotation).find("handle") != std::string::npos) {
      decide(n, "the instruction of 0.27 writes a number, and this is a pointer: T.reinterpret makes one of it");
      return false;
    }
    found->bound[wanted->name.text] = Binding{{target}, {}};
    auto* name = as<NameRef>(target);
    if (!name && !as<Subscript>(target)) return false;
    const bool declared = !name || (!annotation && bindings_of(name->name.text) > 1);
    if (!declared) return replace(*found, n, true);
    bool known = !name;  // an element, or a name with a declaration of its own
    if (name && !functions_.empty()) {
      for_all(functions_.back(), [&](const Node* other) {
        auto* a = as<AnnAssign>(other);
        auto* of = a ? as<NameRef>(a->target) : nullptr;
        known = known || (of && of->name.text == name->name.text);
      });
    }
    if (!known) {
      decide(n, "it is written more than once: declare it before, as name: T.dtype");
      return false;
    }
    // Without the declaration, which is the rule's first statement.
    const Tree::Statement& last = rule.is->statements().back();
    const auto text = rendered(*found, last.node->statement, last.node->text);
    if (!text) return false;
    edit(n->at, *text);
    return true;
  }
  return false;
}

void Rewriter::visit_import(const ImportFrom& from) {
  if (from.level != 0) return;
  for (const ModuleRule& m : modules_to(to_)) {
    const bool below = from.module.size() > m.was.size() && from.module[m.was.size()] == '.';
    if (!from.module.starts_with(m.was) || (from.module.size() != m.was.size() && !below)) continue;
    const std::size_t at = at_->node->text.find(from.module, from.at.begin);
    if (at == std::string::npos) return;
    edit({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + m.was.size())}, std::string(m.is));
    break;
  }
  const bool layout = from.module == "tvm.tirx.layout" || from.module.ends_with(".tma_utils");
  const bool lang = from.module.starts_with("tvm.tirx.lang");
  for (const ImportedName& n : from.names) {
    const std::string path = (layout ? "layout." : lang ? "T." : "?.") + std::string(n.name);
    const std::string_view is = renamed(path, to_);
    if (is.empty()) continue;
    edit({n.at.begin, static_cast<std::uint32_t>(n.at.begin + n.name.size())}, std::string(last_of(is)));
  }
}

}  // namespace tilewright::migrate
