#include "server/ide/hint_fixes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "server/ide/hint_words.h"
#include "server/ide/lines.h"
#include "server/ide/look.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

bool is_statement(const Node* n) { return n->kind >= NodeKind::ExprStmt; }
bool is_plain(std::string_view s) { return !s.empty() && s.find_first_of(" +-*/%<>=&|^~,") == s.npos; }

class HintEdits {
 public:
  HintEdits(const Query& q, const text::Diagnostic& said, Stretch at)
      : q_(q),
        hint_(said.hint),
        message_(said.message),
        at_(at),
        text_(q.snapshot->source().text()),
        found_(look(*q.snapshot->tree(), at.begin)) {}

  std::vector<QuickFix> all();

 private:
  bool says(std::string_view words) const { return hint_.find(words) != hint_.npos; }
  Stretch of(const Node* n) const { return {found_.begin(n), found_.end(n)}; }
  std::string written(const Node* n) const { return std::string(text_.substr(of(n).begin, n->at.end - n->at.begin)); }
  std::string here() const { return std::string(text_.substr(at_.begin, at_.end - at_.begin)); }
  std::string margin(std::uint32_t at) const {
    const std::uint32_t begin = line_begin(text_, at);
    return std::string(text_.substr(begin, text_.find_first_not_of(" \t", begin) - begin));
  }

  // The innermost node of a kind around the finding.
  template <class T>
  const T* around() const {
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
      if (auto* t = as<T>(n)) return t;
    return nullptr;
  }
  const Node* statement() const {
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
      if (is_statement(n)) return n;
    return nullptr;
  }
  // The node that covers exactly the finding; null: none does.
  const Node* exact() const {
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
      if (of(n) == at_) return n;
    return nullptr;
  }

  void offer(Stretch at, std::string text, std::string title = {}) {
    constexpr std::size_t kLongest = 60;
    if (title.empty()) {
      std::string shown = text.substr(0, text.find('\n'));
      title =
          text.empty() ? "Remove it" : "Write " + (shown.size() > kLongest ? shown.substr(0, kLongest) + "..." : shown);
    }
    out_.push_back({std::move(title), at, std::move(text), out_.empty()});
  }
  // A line above what begins at `at`.
  void line_above(std::uint32_t at, const std::string& line) {
    const std::uint32_t begin = line_begin(text_, at);
    offer({begin, begin}, margin(at) + line + "\n", "Insert " + line);
  }
  // `name(what)`.
  void wrap(Stretch what, const std::string& name) {
    offer(what, name + "(" + std::string(text_.substr(what.begin, what.end - what.begin)) + ")");
  }

  void instead();
  void lines();
  void decorators();
  void keywords();
  void conditions();
  void casts();
  void assignments();
  void operators();
  void loops();
  void buffers();
  void imports();
  void values();
  void traced();

  const Query& q_;
  std::string_view hint_, message_;
  Stretch at_;
  std::string_view text_;
  Found found_;
  std::vector<QuickFix> out_;
};

// The code of the hint stands for what the finding covers, or for more of the expression around it.
void HintEdits::instead() {
  std::string code = code_in(hint_);
  const bool is_code = code.find_first_of("(.=") != code.npos && !code.ends_with('=') && !code.starts_with('#');
  const bool begins =
      !code.empty() && (std::isalpha(static_cast<unsigned char>(code[0])) || code[0] == '"' || code[0] == '@');
  if (!is_code || !begins || code.starts_with("from ") || says("(warps=4)")) return;
  // A name alone stands for a name: a function in place of a condition would be true.
  const bool name_alone = code.find_first_of("(=[") == code.npos && !code.starts_with('@') && !code.starts_with('"');
  auto put = [&](Stretch at) {
    const std::string_view was = text_.substr(at.begin, at.end - at.begin);
    const bool is_name =
        std::ranges::all_of(was, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
    if (name_alone && !is_name) return;
    const bool decorator = code.starts_with('@') && at.begin > 0 && text_[at.begin - 1] == '@';
    offer(at, decorator ? code.substr(1) : code);
  };
  put(at_);
  for (std::size_t up = 0; const Node* n = found_.above(up); ++up) {
    const Stretch more = of(n);
    if (is_statement(n) && n->kind != NodeKind::ExprStmt && n->kind != NodeKind::Assign) break;
    if (more.begin <= at_.begin && more.end >= at_.end && more != at_ && out_.size() < 4) put(more);
  }
}

// Lines that are missing above the finding, above the body, at the top of the script.
void HintEdits::lines() {
  if (says("T.device_entry() above") || message_.find("needs T.device_entry() before it") != message_.npos) {
    auto* def = around<FunctionDef>();
    const Node* at = statement();
    if (at && at->kind == NodeKind::FunctionDef) at = def && !def->body.empty() ? def->body.front() : nullptr;
    if (at) line_above(of(at).begin, "T.device_entry()");
  }
  if (says("from __future__ import annotations")) {
    const auto statements = q_.snapshot->tree()->statements();
    const std::size_t docs = !statements.empty() && statements.front().node->text.starts_with("\"\"\"") ? 1 : 0;
    if (docs < statements.size()) line_above(statements[docs].offset, "from __future__ import annotations");
  }
  const std::size_t comment = hint_.find("# tilewright: ");
  const bool whole = says("say so in a comment: ") || says("write # tilewright: dialect");
  if (comment == hint_.npos || !whole) return;
  const std::string line(hint_.substr(comment));
  const std::string_view key = std::string_view(line).substr(0, line.find(' ', std::size("# tilewright: ") - 1) + 1);
  const std::size_t known = text_.find(key);
  if (known != text_.npos) {
    const auto begin = static_cast<std::uint32_t>(known);
    offer({begin, line_end(text_, begin)}, line);
  } else {
    const std::size_t first = text_.starts_with("#!") ? text_.find('\n') + 1 : 0;
    line_above(static_cast<std::uint32_t>(first), line);
  }
}

void HintEdits::decorators() {
  auto* def = around<FunctionDef>();
  if (!def) return;
  const std::uint32_t first =
      def->decorators.empty() ? found_.statement->offset + def->header.begin : found_.begin(def->decorators.front());
  if (says("@T.jit") && !def->decorators.empty()) offer(of(def->decorators.back()), "T.jit");
  if (message_.find("must be decorated with @T.inline") != message_.npos || says("decorate it with @T.inline"))
    line_above(first, "@T.inline");
  if (says("@T.prim_func")) line_above(first, "@T.prim_func");
}

// Keyword arguments that are dropped, named, or belong elsewhere.
void HintEdits::keywords() {
  auto* call = around<Call>();
  for (std::string_view word : {"drop ", "leave "}) {
    const std::string name = name_after(hint_, word);
    if (!call || name.empty() || message_.find(" writes ") != message_.npos) continue;
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up) {
      auto* outer = as<Call>(n);
      for (const Keyword& k : outer ? outer->keywords : std::span<const Keyword>()) {
        if (k.name.text != name) continue;
        const auto before = text_.find_last_not_of(" \t\r\n", found_.statement->offset + k.name.at.begin - 1);
        const bool comma = text_[before] == ',';
        const auto begin = comma ? static_cast<std::uint32_t>(before) : found_.statement->offset + k.name.at.begin;
        offer({begin, found_.end(k.value)}, "", "Drop " + name + "=");
      }
    }
  }
  const std::string code = name_after(hint_, "write ");
  if (!code.empty() && (says("write " + code + "=...") || says("did you mean " + code + "=?")))
    offer({at_.begin, at_.begin}, code + "=", "Write " + code + "=");
  if (says("did you mean ") && hint_.ends_with("=?")) offer(at_, name_after(hint_, "did you mean "));
  if (says("write () after it")) offer({at_.end, at_.end}, "()", "Write () after it");
  // "write unroll=False for a loop ...": another value.
  const std::size_t equals = hint_.find("write " + code + "=");
  for (std::size_t up = 0; equals != hint_.npos && !code.empty(); ++up) {
    const Node* n = found_.above(up);
    if (!n) break;
    auto* outer = as<Call>(n);
    const std::string value = name_after(hint_, "write " + code + "=");
    for (const Keyword& k : outer ? outer->keywords : std::span<const Keyword>())
      if (k.name.text == code && !value.empty()) offer(of(k.value), value);
  }
  // Tx.copy(a, b, scope="warp")
  auto* callee = call ? as<Attribute>(call->function) : nullptr;
  if (!callee || message_.find("scope of a tile primitive is its namespace") == message_.npos) return;
  for (const Keyword& k : call->keywords) {
    auto* scope = k.name.text == "scope" ? as<StringLit>(k.value) : nullptr;
    if (!scope) continue;
    const std::uint32_t name = found_.statement->offset + k.name.at.begin, function = of(callee).end;
    const auto comma = static_cast<std::uint32_t>(text_.find_last_of(",(", name));
    if (text_[comma] != ',') continue;
    const std::string with_scope =
        written(callee->object) + "." + std::string(scope->value) + "." + std::string(callee->name.text);
    offer({of(call).begin, of(k.value).end}, with_scope + std::string(text_.substr(function, comma - function)),
          "Write " + with_scope);
  }
}

// What is tested must be a condition.
void HintEdits::conditions() {
  if (!says("compare it") && !says("compare with 0")) return;
  // A number is compared with 0; a list, None or a buffer is meant otherwise.
  const std::string type = name_after(message_, "not ");
  const auto is_number = [&](std::string_view t) { return type.starts_with(t); };
  if (!std::ranges::any_of(std::array<std::string_view, 4>{"int", "uint", "float", "bfloat"}, is_number)) return;
  auto compared = [&](const Node* n) {
    const std::string w = written(n);
    offer(of(n), is_plain(w) ? w + " != 0" : "(" + w + ") != 0");
  };
  auto compared_part = [&](const Node* n) {
    const std::string w = written(n);
    offer(of(n), is_plain(w) ? "(" + w + " != 0)" : "((" + w + ") != 0)");
  };
  if (auto* both = around<BoolOp>(); both && says("compare with 0")) {
    compared_part(both->left);
    compared_part(both->right);
    const std::string l = written(both->left), r = written(both->right);
    offer(of(both), "(" + l + " != 0) " + std::string(operator_text(both->op)) + " (" + r + " != 0)");
    return;
  }
  if (auto* n = exact(); n && !is_statement(n)) compared(n);
  if (auto* inner = around<IfExp>()) compared(inner->condition);
  if (auto* test = as<If>(statement())) compared(test->condition);
  if (auto* loop = as<While>(statement())) compared(loop->condition);
  if (auto* call = around<Call>(); call && !call->args.empty()) compared(call->args.front());
}

// The T.<dtype> that a value is converted with.
void HintEdits::casts() {
  if (says("T.cast(x, dtype) converts")) {
    auto* call = around<Call>();
    const std::string type = call ? written(call->function) : "";
    if (type == "int" || type == "float" || type == "bool")
      offer(of(call->function), "T." + type + (type == "bool" ? "" : "32"));
  }
  // Both types are named; the narrower one is converted.
  const std::size_t compares = message_.find("compares "), with = message_.find(" with ");
  if (says("cast one side") && compares != message_.npos && with != message_.npos) {
    const std::string left = name_after(message_, "compares "), right = name_after(message_, " with ");
    if (auto* c = around<Compare>(); c && c->rest.size() == 1) {
      const bool widen_left = right.find("float") != right.npos || right.find("64") != right.npos;
      if (widen_left) wrap(of(c->first), "T." + right);
      wrap(of(c->rest.front()), "T." + left);
      if (!widen_left) wrap(of(c->first), "T." + right);
    }
  }
  if (says("cast the step")) {
    if (auto* call = around<Call>())
      for (const Keyword& k : call->keywords)
        if (k.name.text == "step") wrap(of(k.value), "T." + name_after(message_, "a loop over "));
    wrap(at_, "T." + name_after(message_, "a loop over "));
  }
  if (says("cast one of them")) {
    auto* loop = around<For>();
    auto* call = loop ? as<Call>(loop->iterable) : nullptr;
    const std::string from = name_after(message_, "would run from "), to = name_after(message_, " to ");
    if (call && call->args.size() >= 2) {
      wrap(of(call->args[0]), "T." + to);
      wrap(of(call->args[1]), "T." + from);
    } else if (call && call->args.size() == 1) {
      wrap(of(call->args[0]), "T." + from);
    }
  }
}

// One assignment a line.
void HintEdits::assignments() {
  auto* a = as<Assign>(statement());
  if (a && says("one assignment a line")) {
    std::string out;
    if (a->targets.size() > 1) {
      const std::string value = written(a->value);
      if (value.find('(') != std::string::npos) return;  // a call is made once
      for (const Node* target : a->targets)
        if (value.find(name_after(written(target), "")) != std::string::npos) return;
      for (const Node* target : a->targets)
        out += (out.empty() ? "" : "\n" + margin(of(a).begin)) + written(target) + " = " + value;
    } else {
      auto elements = [](const Node* n) { return as<Tuple>(n) ? as<Tuple>(n)->elements : Exprs(); };
      const Exprs to = elements(a->targets.front()), from = elements(a->value);
      if (to.size() != from.size()) return;
      for (std::size_t i = 0; i < to.size(); ++i) {
        // A value that an earlier line may have changed needs a name of its own.
        const std::string changed = name_after(written(to[i]), "");
        for (std::size_t k = i + 1; k < from.size(); ++k)
          if (written(from[k]).find(changed) != std::string::npos) return;
        out += (i ? "\n" + margin(of(a).begin) : "") + written(to[i]) + " = " + written(from[i]);
      }
    }
    offer(of(a), out, "Write one assignment a line");
  }
  if (says("assign the value in a statement before")) {
    auto* named = around<NamedExpr>();
    const Node* whole = statement();
    if (named && whole && whole->kind != NodeKind::While) {
      const std::uint32_t begin = of(whole).begin;
      std::uint32_t from = of(named).begin, to = of(named).end;
      const std::string name(named->name.text);
      const bool bracketed = from > 0 && text_[from - 1] == '(' && to < text_.size() && text_[to] == ')';
      from -= bracketed;
      to += bracketed;
      offer({begin, to},
            name + " = " + written(named->value) + "\n" + margin(begin) +
                std::string(text_.substr(begin, from - begin)) + name,
            "Write " + name + " = " + written(named->value) + " before it");
    }
  }
}

void HintEdits::operators() {
  if (says("use T.pow")) {
    if (auto* power = around<BinOp>()) {
      offer(of(power), "T.pow(" + written(power->left) + ", " + written(power->right) + ")");
      const std::string l = written(power->left);
      const bool whole = l.find_first_not_of("0123456789") == l.npos;
      if (!whole) offer(of(power), "T.pow(T.cast(" + l + ", \"float32\"), T.float32(" + written(power->right) + "))");
    }
    if (auto* more = as<AugAssign>(statement())) {
      const std::string t = written(more->target);
      offer(of(more), t + " = T.pow(" + t + ", " + written(more->value) + ")");
    }
  }
}

void HintEdits::loops() {
  auto* loop = around<For>();
  auto* call = loop ? as<Call>(loop->iterable) : around<Call>();
  if (!call) return;
  if (says("use T.serial or range") || says("write T.serial, or share")) offer(of(call->function), "T.serial");
  if (says("use T.serial or T.unroll") && !call->args.empty())
    offer(of(call), "T.serial(" + written(call->args.front()) + ")");
}

void HintEdits::buffers() {
  if (says("write it with parentheses")) {
    if (auto* s = around<Subscript>(); s && !s->indices.empty())
      offer(of(s), written(s->object) + "(" +
                       std::string(text_.substr(of(s->indices.front()).begin,
                                                of(s->indices.back()).end - of(s->indices.front()).begin)) +
                       ")");
  }
  auto* a = as<Assign>(statement());
  const bool tile = says("use Tx.copy") || says("Tx.cta.copy of a tile") || says("write Tx.cta.fill(");
  if (a && a->targets.size() == 1 && tile) {
    const std::string to = written(a->targets.front()), value = written(a->value);
    for (std::string_view scope : {"Tx.cta.", "Tx.warp.", "Tx."}) {
      for (std::string_view what : {"copy(", "fill("})
        offer(of(a), std::string(scope) + std::string(what) + to + ", " + value + ")");
    }
  }
  if (says("pass buffer.data")) offer({at_.end, at_.end}, ".data", "Write " + here() + ".data");
  if (auto* slice = around<Slice>(); slice && says("write start::step") && slice->start && slice->step)
    offer(of(slice), written(slice->start) + "::" + written(slice->step));
  if (says("write the type without T.Optional")) {
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up) {
      auto* call = as<Call>(n);
      if (call && call->args.size() == 1 && written(call->function).ends_with("Optional"))
        offer(of(call), written(call->args.front()));
      auto* index = as<Subscript>(n);
      if (index && index->indices.size() == 1 && written(index->object).ends_with("Optional"))
        offer(of(index), written(index->indices.front()));
    }
  }
}

void HintEdits::imports() {
  const std::string module = name_after(hint_, "it is a name of ");
  auto* from = around<ImportFrom>();
  if (!module.empty() && from) {
    const std::size_t at = text_.find(from->module, of(from).begin);
    const auto begin = static_cast<std::uint32_t>(at);
    if (from->names.size() == 1 && at != text_.npos)
      offer({begin, static_cast<std::uint32_t>(begin + from->module.size())}, module);
  }
  const std::string suggested = name_after(hint_, "did you mean ");
  if (message_.starts_with("there is no module") && !suggested.empty()) offer(at_, suggested);
  if (hint_.starts_with("did you mean '") && hint_.ends_with("'?"))
    offer(at_,
          std::string(hint_.substr(std::size("did you mean '") - 1, hint_.size() - std::size("did you mean '") - 1)));
  // "T.BitwiseAnd is 0.27; 0.26 writes T.bitwise_and": the path that the finding stands in.
  const std::string other = name_after(hint_, " writes ");
  if (other.find('.') == other.npos || says("drop ")) return;
  offer(at_, other);
  for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
    if (n->kind == NodeKind::Attribute && of(n).end == at_.end) offer(of(n), other);
}

void HintEdits::values() {
  if (says("a dtype such as T.int32")) {
    const Node* n = exact();
    const std::string type = n ? written(n) : here();
    if (type == "int" || type == "float") offer(at_, "T." + type + "32");
    if (type == "bool") offer(at_, "T.bool");
  }
  auto* list = as<List>(exact());
  if (!list) list = around<List>();
  if (list && says("write a tuple")) {
    std::string inner = written(list).substr(1);
    inner.pop_back();
    offer(of(list), "(" + inner + (list->elements.size() == 1 && !inner.ends_with(',') ? ",)" : ")"));
  }
  if (says("=None, or drop it")) {
    const std::string name = name_after(hint_, "write ");
    if (auto* call = around<Call>())
      for (const Keyword& k : call->keywords)
        if (k.name.text == name) offer(of(k.value), "None");
  }
  if (says("call Base.method(self")) {
    auto* call = around<Call>();
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
      if (auto* outer = as<Call>(n); outer && outer->function->kind == NodeKind::Attribute) call = outer;
    auto* method = call ? as<Attribute>(call->function) : nullptr;
    auto* own = around<ClassDef>();
    if (method && own && own->bases.size() == 1) {
      const std::uint32_t open = of(method).end + 1;
      const bool more = !call->args.empty() || !call->keywords.empty();
      offer({of(call).begin, open},
            written(own->bases.front()) + "." + std::string(method->name.text) + "(self" + (more ? ", " : ""));
    }
  }
  if (says("remove the comment")) {
    const std::uint32_t begin = line_begin(text_, at_.begin), end = line_end(text_, at_.begin);
    const std::size_t comment = text_.find("# tilewright: ignore", begin);
    if (comment >= end) return;
    std::size_t from = comment;
    while (from > begin && (text_[from - 1] == ' ' || text_[from - 1] == '\t')) --from;
    offer({static_cast<std::uint32_t>(from), end}, "", "Remove the comment");
  }
}

void HintEdits::traced() {
  if (says("write the call alone")) {
    for (std::size_t up = 0; const Node* n = found_.above(up); ++up)
      if (auto* call = as<Call>(n); call && call->args.size() == 1) offer(of(call), written(call->args.front()));
  }
}

std::vector<QuickFix> HintEdits::all() {
  if (hint_.empty() || !found_.statement) return {};
  lines();
  decorators();
  keywords();
  conditions();
  assignments();
  casts();
  operators();
  loops();
  buffers();
  imports();
  values();
  traced();
  instead();
  return std::move(out_);
}

}  // namespace

std::vector<QuickFix> hint_candidates(const Query& q, const text::Diagnostic& said, Stretch at) {
  return HintEdits(q, said, at).all();
}

}  // namespace tilewright::ide
