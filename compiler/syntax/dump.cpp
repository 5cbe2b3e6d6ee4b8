#include "compiler/syntax/dump.h"

#include <charconv>
#include <cstdio>

namespace tilewright::syntax {
namespace {

class Dumper {
 public:
  explicit Dumper(DumpOptions options) : options_(options) {}

  void node(const Node* n) {
    if (!n) return word("-");
    switch (n->kind) {
      case NodeKind::NameRef: return open(n, "name"), name(as<NameRef>(n)->name), close();
      case NodeKind::IntLit: return open(n, "int"), integer(*as<IntLit>(n)), close();
      case NodeKind::FloatLit: return open(n, "float"), number(as<FloatLit>(n)->value), close();
      case NodeKind::StringLit: return open(n, "str"), quoted(as<StringLit>(n)->value), close();
      case NodeKind::BytesLit: return open(n, "bytes"), quoted(as<BytesLit>(n)->value), close();
      case NodeKind::FString: return f_string(*as<FString>(n));
      case NodeKind::BoolLit: return open(n, as<BoolLit>(n)->value ? "true" : "false"), close();
      case NodeKind::NoneLit: return open(n, "none"), close();
      case NodeKind::EllipsisLit: return open(n, "ellipsis"), close();
      case NodeKind::List: return open(n, "list"), nodes(as<List>(n)->elements), close();
      case NodeKind::Tuple: return open(n, "tuple"), nodes(as<Tuple>(n)->elements), close();
      case NodeKind::Set: return open(n, "set"), nodes(as<Set>(n)->elements), close();
      case NodeKind::Dict:
        open(n, "dict");
        for (const DictItem& item : as<Dict>(n)->items) group(item.key ? ":" : "**", {item.key, item.value});
        return close();
      case NodeKind::Comprehension: return comprehension(*as<Comprehension>(n));
      case NodeKind::Attribute:
        return open(n, "."), node(as<Attribute>(n)->object), name(as<Attribute>(n)->name), close();
      case NodeKind::Subscript: {
        const auto& s = *as<Subscript>(n);
        open(n, s.trailing_comma ? "index," : "index"), node(s.object), nodes(s.indices);
        return close();
      }
      case NodeKind::Slice: {
        const auto& s = *as<Slice>(n);
        return open(n, "slice"), node(s.start), node(s.stop), node(s.step), close();
      }
      case NodeKind::Call: {
        const auto& c = *as<Call>(n);
        return open(n, "call"), node(c.function), nodes(c.args), keywords(c.keywords), close();
      }
      case NodeKind::BinOp: {
        const auto& b = *as<BinOp>(n);
        return open(n, operator_text(b.op)), extent(b.op_at), node(b.left), node(b.right), close();
      }
      case NodeKind::UnaryOp:
        return open(n, "unary"), word(operator_text(as<UnaryOp>(n)->op)), node(as<UnaryOp>(n)->operand), close();
      case NodeKind::BoolOp: {
        const auto& b = *as<BoolOp>(n);
        return open(n, operator_text(b.op)), extent(b.op_at), node(b.left), node(b.right), close();
      }
      case NodeKind::Compare: {
        const auto& c = *as<Compare>(n);
        open(n, "compare"), node(c.first);
        for (std::size_t i = 0; i < c.ops.size(); ++i) {
          word(operator_text(c.ops[i])), extent(c.op_at[i]), node(c.rest[i]);
        }
        return close();
      }
      case NodeKind::IfExp: {
        const auto& i = *as<IfExp>(n);
        return open(n, "ifexp"), node(i.condition), node(i.then_value), node(i.else_value), close();
      }
      case NodeKind::NamedExpr:
        return open(n, ":="), name(as<NamedExpr>(n)->name), node(as<NamedExpr>(n)->value), close();
      case NodeKind::Lambda:
        return open(n, "lambda"), params(as<Lambda>(n)->params), node(as<Lambda>(n)->body), close();
      case NodeKind::Starred: return open(n, "*"), node(as<Starred>(n)->value), close();
      case NodeKind::Unsupported: return open(n, "unsupported"), quoted(as<Unsupported>(n)->text), close();
      case NodeKind::Broken: return open(n, "broken"), nodes(as<Broken>(n)->parts), close();
      default: return statement(n);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void statement(const Node* n) {
    switch (n->kind) {
      case NodeKind::ExprStmt: return open(n, "expr"), node(as<ExprStmt>(n)->value), close();
      case NodeKind::Assign: return open(n, "="), nodes(as<Assign>(n)->targets), node(as<Assign>(n)->value), close();
      case NodeKind::AugAssign: {
        const auto& a = *as<AugAssign>(n);
        return open(n, std::string(operator_text(a.op)) + "="), node(a.target), node(a.value), close();
      }
      case NodeKind::AnnAssign: {
        const auto& a = *as<AnnAssign>(n);
        return open(n, "annotate"), node(a.target), node(a.annotation), node(a.value), close();
      }
      case NodeKind::Return: return open(n, "return"), node(as<Return>(n)->value), close();
      case NodeKind::If: {
        const auto& i = *as<If>(n);
        return open(n, "if"), node(i.condition), block("then", i.then_body), block("else", i.else_body), close();
      }
      case NodeKind::For: {
        const auto& f = *as<For>(n);
        open(n, f.is_async ? "async-for" : "for"), node(f.target), node(f.iterable), block("do", f.body);
        return block("else", f.else_body), close();
      }
      case NodeKind::While: {
        const auto& w = *as<While>(n);
        return open(n, "while"), node(w.condition), block("do", w.body), block("else", w.else_body), close();
      }
      case NodeKind::With: {
        const auto& w = *as<With>(n);
        open(n, w.is_async ? "async-with" : "with");
        for (const WithItem& item : w.items) group("item", {item.value, item.target});
        return block("do", w.body), close();
      }
      case NodeKind::FunctionDef: return function(*as<FunctionDef>(n));
      case NodeKind::ClassDef: {
        const auto& c = *as<ClassDef>(n);
        open(n, "class"), name(c.name), group("bases", c.bases), keywords(c.keywords);
        return decorators(c.decorators), block("do", c.body), close();
      }
      case NodeKind::Import: return open(n, "import"), imports(as<Import>(n)->names), close();
      case NodeKind::ImportFrom: {
        const auto& i = *as<ImportFrom>(n);
        open(n, "from"), word(std::string(static_cast<std::size_t>(i.level), '.') + std::string(i.module));
        return imports(i.names), close();
      }
      case NodeKind::Raise: return open(n, "raise"), node(as<Raise>(n)->value), node(as<Raise>(n)->cause), close();
      case NodeKind::Assert:
        return open(n, "assert"), node(as<Assert>(n)->condition), node(as<Assert>(n)->message), close();
      case NodeKind::Pass: return open(n, "pass"), close();
      case NodeKind::Break: return open(n, "break"), close();
      case NodeKind::Continue: return open(n, "continue"), close();
      case NodeKind::Global: return open(n, "global"), names(as<Global>(n)->names), close();
      case NodeKind::Nonlocal: return open(n, "nonlocal"), names(as<Nonlocal>(n)->names), close();
      case NodeKind::Delete: return open(n, "del"), nodes(as<Delete>(n)->targets), close();
      case NodeKind::Try: {
        const auto& t = *as<Try>(n);
        open(n, "try"), block("do", t.body);
        for (const Handler& h : t.handlers) {
          begin("except"), node(h.type);
          if (!h.bound.text.empty()) name(h.bound);
          block("do", h.body), close();
        }
        return block("else", t.else_body), block("finally", t.final_body), close();
      }
      case NodeKind::Match: {
        open(n, "match"), node(as<Match>(n)->subject);
        for (const MatchCase& c : as<Match>(n)->cases) {
          begin("case"), node(c.pattern);
          if (c.guard) group("if", {c.guard});
          block("do", c.body), close();
        }
        return close();
      }
      case NodeKind::TypeAlias:
        return open(n, "type"), name(as<TypeAlias>(n)->name), node(as<TypeAlias>(n)->value), close();
      case NodeKind::BrokenStmt:
        open(n, "broken-stmt"), nodes(as<BrokenStmt>(n)->parts);
        if (!as<BrokenStmt>(n)->names.empty()) begin("binds"), names(as<BrokenStmt>(n)->names), close();
        return close();
      default: return word("?");
    }
  }

  void function(const FunctionDef& f) {
    open(&f, f.is_async ? "async-def" : "def"), name(f.name), extent(f.header), params(f.params);
    if (f.returns) group("->", {f.returns});
    if (f.is_generator) word("generator");
    decorators(f.decorators), block("do", f.body), close();
  }

  void f_string(const FString& f) {
    open(&f, "fstr");
    for (const FStringPart& part : f.parts) {
      if (!part.value) {
        quoted(part.text);
        continue;
      }
      begin("field"), node(part.value);
      if (part.conversion) word(std::string("!") + part.conversion);
      if (part.self_documenting) quoted(part.text);
      nodes(part.format), close();
    }
    close();
  }

  void comprehension(const Comprehension& c) {
    static constexpr std::string_view kForms[] = {"list-comp", "set-comp", "dict-comp", "generator"};
    open(&c, kForms[static_cast<int>(c.form)]), node(c.element);
    if (c.value) node(c.value);
    for (const ComprehensionClause& clause : c.clauses) {
      clause.target ? group("for", {clause.target, clause.iterable}) : group("if", {clause.condition});
    }
    close();
  }

  void params(std::span<const Parameter> params) {
    static constexpr std::string_view kKinds[] = {"positional", "param", "*args", "keyword", "**kwargs"};
    begin("params");
    for (const Parameter& p : params) {
      begin(kKinds[static_cast<int>(p.kind)]), name(p.name);
      if (p.annotation) group(":", {p.annotation});
      if (p.default_value) group("=", {p.default_value});
      close();
    }
    close();
  }

  void keywords(std::span<const Keyword> keywords) {
    for (const Keyword& k : keywords) {
      begin(k.name.text.empty() ? "**" : "keyword");
      if (!k.name.text.empty()) name(k.name);
      node(k.value), close();
    }
  }

  void imports(std::span<const ImportedName> names) {
    for (const ImportedName& i : names) begin(i.name), extent(i.at), name(i.bound), close();
  }

  void decorators(Exprs decorators) {
    for (Expr d : decorators) group("@", {d});
  }

  void integer(const IntLit& i) {
    if (i.too_large) return word("too-large");
    std::string digits;
    for (auto value = static_cast<unsigned __int128>(i.value); value > 0; value /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    }
    word(digits.empty() ? "0" : digits);
  }

  void number(double value) {
    char text[32];
    auto [end, error] = std::to_chars(text, text + sizeof text, value);
    word(std::string_view(text, static_cast<std::size_t>(end - text)));
  }

  void name(const Name& n) {
    word(n.text);
    extent(n.at);
    if (n.hash != (n.text.empty() ? 0 : hash_name(n.text))) word("wrong-hash");
  }
  void names(std::span<const Name> names) {
    for (const Name& n : names) name(n);
  }

  void quoted(std::string_view text) {
    if (!out_.empty() && out_.back() != '(') out_ += ' ';
    out_ += '"';
    for (char c : text) {
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

  void nodes(Exprs all) {
    for (const Node* n : all) node(n);
  }
  void block(std::string_view title, Stmts body) {
    if (body.empty()) return;
    begin(title), nodes(body), close();
  }
  void group(std::string_view title, std::initializer_list<const Node*> all) {
    begin(title);
    for (const Node* n : all) {
      if (n) node(n);
    }
    close();
  }
  void group(std::string_view title, Exprs all) {
    if (all.empty()) return;
    begin(title), nodes(all), close();
  }

  void word(std::string_view text) {
    if (!out_.empty() && out_.back() != '(') out_ += ' ';
    out_ += text;
  }
  void extent(Extent at) {
    if (options_.extents) out_ += '@' + std::to_string(at.begin) + ':' + std::to_string(at.end);
  }
  void begin(std::string_view title) {
    word("(");
    out_ += title;
  }
  void open(const Node* n, std::string_view title) {
    begin(title);
    extent(n->at);
  }
  void close() { out_ += ')'; }

  DumpOptions options_;
  std::string out_;
};

}  // namespace

std::string dump(const Node* node, DumpOptions options) {
  Dumper dumper(options);
  dumper.node(node);
  return dumper.take();
}

}  // namespace tilewright::syntax
