#include "compiler/syntax/dump.h"

#include <charconv>
#include <cstdio>

#include "compiler/text/words.h"

namespace tilewright::syntax {
namespace {

class Dumper {
 public:
  explicit Dumper(DumpOptions options) : options_(options) {}

  void add(const Node* n) {
    if (!n) return add(Word{"-"});
    switch (n->kind) {
      case NodeKind::NameRef: return form(n, "name", as<NameRef>(n)->name);
      case NodeKind::IntLit: return form(n, "int", *as<IntLit>(n));
      case NodeKind::FloatLit: return form(n, "float", as<FloatLit>(n)->value);
      case NodeKind::StringLit: return form(n, "str", Quoted{as<StringLit>(n)->value});
      case NodeKind::BytesLit: return form(n, "bytes", Quoted{as<BytesLit>(n)->value});
      case NodeKind::FString: return form(n, "fstr", as<FString>(n)->parts);
      case NodeKind::BoolLit: return form(n, as<BoolLit>(n)->value ? "true" : "false");
      case NodeKind::NoneLit: return form(n, "none");
      case NodeKind::EllipsisLit: return form(n, "ellipsis");
      case NodeKind::List: return form(n, "list", as<List>(n)->elements);
      case NodeKind::Tuple: return form(n, "tuple", as<Tuple>(n)->elements);
      case NodeKind::Set: return form(n, "set", as<Set>(n)->elements);
      case NodeKind::Dict: return form(n, "dict", as<Dict>(n)->items);
      case NodeKind::Comprehension: return comprehension(*as<Comprehension>(n));
      case NodeKind::Attribute: return form(n, ".", as<Attribute>(n)->object, as<Attribute>(n)->name);
      case NodeKind::Subscript: {
        const auto& s = *as<Subscript>(n);
        return form(n, s.trailing_comma ? "index," : "index", s.object, s.indices);
      }
      case NodeKind::Slice: {
        const auto& s = *as<Slice>(n);
        return form(n, "slice", s.start, s.stop, s.step);
      }
      case NodeKind::Call: {
        const auto& c = *as<Call>(n);
        return form(n, "call", c.function, c.args, c.keywords);
      }
      case NodeKind::BinOp: {
        const auto& b = *as<BinOp>(n);
        return form(n, operator_text(b.op), b.op_at, b.left, b.right);
      }
      case NodeKind::UnaryOp: return form(n, "unary", Word{operator_text(as<UnaryOp>(n)->op)}, as<UnaryOp>(n)->operand);
      case NodeKind::BoolOp: {
        const auto& b = *as<BoolOp>(n);
        return form(n, operator_text(b.op), b.op_at, b.left, b.right);
      }
      case NodeKind::Compare: return compare(*as<Compare>(n));
      case NodeKind::IfExp: {
        const auto& i = *as<IfExp>(n);
        return form(n, "ifexp", i.condition, i.then_value, i.else_value);
      }
      case NodeKind::NamedExpr: return form(n, ":=", as<NamedExpr>(n)->name, as<NamedExpr>(n)->value);
      case NodeKind::Lambda: return form(n, "lambda", as<Lambda>(n)->params, as<Lambda>(n)->body);
      case NodeKind::Starred: return form(n, "*", as<Starred>(n)->value);
      case NodeKind::Unsupported: return form(n, "unsupported", Quoted{as<Unsupported>(n)->text});
      case NodeKind::Broken: return form(n, "broken", as<Broken>(n)->parts);
      default: return statement(n);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  struct Word {
    std::string_view text;
  };
  struct Quoted {
    std::string_view text;
  };
  // "(title node node ...)"; nothing where there are no nodes.
  struct Block {
    std::string_view title;
    std::span<const Node* const> nodes;
  };
  struct Decorators {
    Exprs all;
  };

  void statement(const Node* n) {
    switch (n->kind) {
      case NodeKind::ExprStmt: return form(n, "expr", as<ExprStmt>(n)->value);
      case NodeKind::Assign: return form(n, "=", as<Assign>(n)->targets, as<Assign>(n)->value);
      case NodeKind::AugAssign: {
        const auto& a = *as<AugAssign>(n);
        return form(n, std::string(operator_text(a.op)) + "=", a.target, a.value);
      }
      case NodeKind::AnnAssign: {
        const auto& a = *as<AnnAssign>(n);
        return form(n, "annotate", a.target, a.annotation, a.value);
      }
      case NodeKind::Return: return form(n, "return", as<Return>(n)->value);
      case NodeKind::If: {
        const auto& i = *as<If>(n);
        return form(n, "if", i.condition, Block{"then", i.then_body}, Block{"else", i.else_body});
      }
      case NodeKind::For: {
        const auto& f = *as<For>(n);
        return form(n, f.is_async ? "async-for" : "for", f.target, f.iterable, Block{"do", f.body},
                    Block{"else", f.else_body});
      }
      case NodeKind::While: {
        const auto& w = *as<While>(n);
        return form(n, "while", w.condition, Block{"do", w.body}, Block{"else", w.else_body});
      }
      case NodeKind::With: {
        const auto& w = *as<With>(n);
        return form(n, w.is_async ? "async-with" : "with", w.items, Block{"do", w.body});
      }
      case NodeKind::FunctionDef: return function(*as<FunctionDef>(n));
      case NodeKind::ClassDef: {
        const auto& c = *as<ClassDef>(n);
        return form(n, "class", c.name, Block{"bases", c.bases}, c.keywords, Decorators{c.decorators},
                    Block{"do", c.body});
      }
      case NodeKind::Import: return form(n, "import", as<Import>(n)->names);
      case NodeKind::ImportFrom: {
        const auto& i = *as<ImportFrom>(n);
        const std::string module = std::string(static_cast<std::size_t>(i.level), '.') + std::string(i.module);
        return form(n, "from", Word{module}, i.names);
      }
      case NodeKind::Raise: return form(n, "raise", as<Raise>(n)->value, as<Raise>(n)->cause);
      case NodeKind::Assert: return form(n, "assert", as<Assert>(n)->condition, as<Assert>(n)->message);
      case NodeKind::Pass: return form(n, "pass");
      case NodeKind::Break: return form(n, "break");
      case NodeKind::Continue: return form(n, "continue");
      case NodeKind::Global: return form(n, "global", as<Global>(n)->names);
      case NodeKind::Nonlocal: return form(n, "nonlocal", as<Nonlocal>(n)->names);
      case NodeKind::Delete: return form(n, "del", as<Delete>(n)->targets);
      case NodeKind::Try: {
        const auto& t = *as<Try>(n);
        return form(n, "try", Block{"do", t.body}, t.handlers, Block{"else", t.else_body},
                    Block{"finally", t.final_body});
      }
      case NodeKind::Match: return form(n, "match", as<Match>(n)->subject, as<Match>(n)->cases);
      case NodeKind::TypeAlias: return form(n, "type", as<TypeAlias>(n)->name, as<TypeAlias>(n)->value);
      case NodeKind::BrokenStmt: {
        const auto& b = *as<BrokenStmt>(n);
        open(n, "broken-stmt");
        add(b.parts);
        if (!b.names.empty()) titled("binds", b.names);
        return close();
      }
      default: return add(Word{"?"});
    }
  }

  void function(const FunctionDef& f) {
    open(&f, f.is_async ? "async-def" : "def");
    add(f.name);
    add(f.header);
    add(f.params);
    if (f.returns) group("->", {f.returns});
    if (f.is_generator) add(Word{"generator"});
    add(Decorators{f.decorators});
    add(Block{"do", f.body});
    close();
  }

  void comprehension(const Comprehension& c) {
    static constexpr auto kForms =
        text::words_of<ComprehensionKind>({"list-comp", "set-comp", "dict-comp", "generator"});
    open(&c, kForms[c.form]);
    add(c.element);
    if (c.value) add(c.value);
    for (const ComprehensionClause& clause : c.clauses) {
      clause.target ? group("for", {clause.target, clause.iterable}) : group("if", {clause.condition});
    }
    close();
  }

  void compare(const Compare& c) {
    open(&c, "compare");
    add(c.first);
    for (std::size_t i = 0; i < c.ops.size(); ++i) {
      add(Word{operator_text(c.ops[i])});
      add(c.op_at[i]);
      add(c.rest[i]);
    }
    close();
  }

  void add(const DictItem& item) { group(item.key ? ":" : "**", {item.key, item.value}); }
  void add(const WithItem& item) { group("item", {item.value, item.target}); }
  void add(const ImportedName& i) { titled(i.name, i.at, i.bound); }

  void add(const FStringPart& part) {
    if (!part.value) return add(Quoted{part.text});
    begin("field");
    add(part.value);
    if (part.conversion) add(Word{std::string("!") + part.conversion});
    if (part.self_documenting) add(Quoted{part.text});
    add(part.format);
    close();
  }

  void add(std::span<const Parameter> params) {
    static constexpr auto kKinds = text::words_of<ParamKind>({"positional", "param", "*args", "keyword", "**kwargs"});
    begin("params");
    for (const Parameter& p : params) {
      begin(kKinds[p.kind]);
      add(p.name);
      if (p.annotation) group(":", {p.annotation});
      if (p.default_value) group("=", {p.default_value});
      close();
    }
    close();
  }

  void add(const Keyword& k) {
    if (k.name.text.empty()) return titled("**", k.value);
    titled("keyword", k.name, k.value);
  }

  void add(const Handler& h) {
    begin("except");
    add(h.type);
    if (!h.bound.text.empty()) add(h.bound);
    add(Block{"do", h.body});
    close();
  }

  void add(const MatchCase& c) {
    begin("case");
    add(c.pattern);
    if (c.guard) group("if", {c.guard});
    add(Block{"do", c.body});
    close();
  }

  void add(Decorators decorators) {
    for (Expr d : decorators.all) group("@", {d});
  }

  void add(const IntLit& i) {
    if (i.too_large) return add(Word{"too-large"});
    std::string digits;
    for (auto value = static_cast<unsigned __int128>(i.value); value > 0; value /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    }
    add(Word{digits.empty() ? "0" : digits});
  }

  void add(double value) {
    char text[32];
    auto [end, error] = std::to_chars(text, text + sizeof text, value);
    add(Word{std::string_view(text, static_cast<std::size_t>(end - text))});
  }

  void add(const Name& n) {
    add(Word{n.text});
    add(n.at);
    if (n.hash != (n.text.empty() ? 0 : hash_name(n.text))) add(Word{"wrong-hash"});
  }

  void add(Quoted quoted) {
    if (!out_.empty() && out_.back() != '(') out_ += ' ';
    out_ += '"';
    for (char c : quoted.text) {
      auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        (out_ += '\\') += c;
      } else if (byte < 0x20 || byte == 0x7F) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", byte);
        out_ += escape;
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void add(Block block) {
    if (!block.nodes.empty()) titled(block.title, block.nodes);
  }
  // What is not there is not said.
  void group(std::string_view title, std::initializer_list<const Node*> nodes) {
    begin(title);
    for (const Node* n : nodes) {
      if (n) add(n);
    }
    close();
  }

  void add(Word word) {
    if (!out_.empty() && out_.back() != '(') out_ += ' ';
    out_ += word.text;
  }
  void add(Extent at) {
    if (options_.extents) out_ += '@' + std::to_string(at.begin) + ':' + std::to_string(at.end);
  }

  template <class T>
  void add(std::span<T> all) {
    for (const auto& each : all) add(each);
  }

  // "(title@extent part part ...)": a node with what it is made of.
  template <class... Parts>
  void form(const Node* n, std::string_view title, const Parts&... parts) {
    open(n, title);
    (add(parts), ...);
    close();
  }
  template <class... Parts>
  void titled(std::string_view title, const Parts&... parts) {
    begin(title);
    (add(parts), ...);
    close();
  }

  void begin(std::string_view title) {
    add(Word{"("});
    out_ += title;
  }
  void open(const Node* n, std::string_view title) {
    begin(title);
    add(n->at);
  }
  void close() { out_ += ')'; }

  DumpOptions options_;
  std::string out_;
};

}  // namespace

std::string dump(const Node* node, DumpOptions options) {
  Dumper dumper(options);
  dumper.add(node);
  return dumper.take();
}

}  // namespace tilewright::syntax
