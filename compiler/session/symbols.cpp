#include "compiler/session/symbols.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "compiler/script/entries/finder.h"
#include "compiler/session/statement_symbols.h"
#include "compiler/syntax/run_comment.h"

namespace tilewright::session {
namespace {

using namespace syntax;

// Names with the hash that they have already.
struct HashedName {
  std::string_view text;
  std::uint32_t hash = 0;
  friend bool operator==(const HashedName& a, const HashedName& b) { return a.hash == b.hash && a.text == b.text; }
};
struct NameHash {
  std::size_t operator()(const HashedName& name) const { return name.hash; }
};
using Names = std::unordered_map<HashedName, std::uint32_t, NameHash>;

// Puts the statements of a file together: numbers their symbols and scopes, and finds what the names mean that they
// leave open.
class Joining {
 public:
  explicit Joining(SymbolIndex& out) : out_(out) {}

  // What stands around one place, and the names of the module. Their occurrences are not given: `lookup` asks for none.
  void run_around(std::span<const std::shared_ptr<const StatementSymbols>> statements, std::uint32_t offset) {
    const auto& places = out_.tree->statements();
    bind_module(statements);
    // A place at the end of one statement is also that where the next one begins.
    for (std::uint32_t i = 0; i < statements.size(); ++i) {
      const bool reaches = i + 1 == statements.size() || offset <= places[i + 1].offset;
      if (places[i].offset <= offset && reaches) add(*statements[i], i, places[i].offset);
    }
    comments(offset);
  }

  void run(std::span<const std::shared_ptr<const StatementSymbols>> statements) {
    const auto& places = out_.tree->statements();
    std::size_t symbols = 0, occurrences = 0, scopes = 1, bindings = 0;
    for (const auto& s : statements) {
      symbols += s->symbols.size();
      occurrences += s->occurrences.size();
      scopes += s->scopes.size();
      bindings += s->module.size();
    }
    out_.symbols.reserve(symbols + 2 * bindings);
    out_.occurrences.reserve(occurrences);
    out_.scopes.reserve(scopes);
    bind_module(statements);
    first_.reserve(statements.size());
    for (std::uint32_t i = 0; i < statements.size(); ++i) add(*statements[i], i, places[i].offset);
    const auto behind = static_cast<std::ptrdiff_t>(out_.occurrences.size());
    comments();
    for (std::uint32_t i = 0; i < statements.size(); ++i) keywords(*statements[i], places[i].offset, statements);
    for (std::size_t i = 0; i < of_comments_.size(); ++i)
      keywords(*of_comments_[i], out_.comments[i].offset, statements);
    if (out_.occurrences.size() > static_cast<std::size_t>(behind)) {
      std::ranges::stable_sort(out_.occurrences | std::views::drop(behind), {}, place);
      std::ranges::inplace_merge(out_.occurrences, out_.occurrences.begin() + behind, {}, place);
    }
    give_occurrences();
  }

 private:
  // By their beginnings, then by their ends.
  static std::uint64_t place(const Occurrence& o) { return std::uint64_t{o.begin} << 32 | o.end; }

  // All of the module's bindings first: a function may use what stands below it.
  void bind_module(std::span<const std::shared_ptr<const StatementSymbols>> statements) {
    out_.scopes.push_back({0, out_.tree->source()->size(), 0, nullptr});
    std::size_t bindings = 0;
    for (const auto& s : statements) bindings += s->module.size();
    module_.reserve(bindings);
    for (std::uint32_t i = 0; i < statements.size(); ++i) bind(*statements[i], i);
  }

  void bind(const StatementSymbols& s, std::uint32_t statement) {
    for (const StatementSymbols::Binding& b : s.module) {
      if (b.left) {
        left_.push_back(b.name);
        continue;
      }
      if (!left_.empty() && std::ranges::find(left_, b.name) != left_.end()) continue;
      auto [it, fresh] = module_.try_emplace({b.name, b.hash}, static_cast<std::uint32_t>(out_.symbols.size()));
      if (fresh) {
        Symbol& made = out_.symbols.emplace_back();
        made.name = b.name;
        made.kind = b.kind;
        made.node = b.node;
        made.value = b.value;
        made.type = b.type;
        made.statement = statement;
        defined_in_.push_back(statement);
      } else if (b.kind != SymbolKind::Variable) {
        // A definition says more than an assignment before it.
        Symbol& known = out_.symbols[it->second];
        if (known.kind != SymbolKind::Variable) continue;
        known.kind = b.kind;
        known.node = b.node;
        defined_in_[it->second] = statement;
      }
    }
  }

  // The symbol of the module, or else of Python.
  std::uint32_t outside(const StatementSymbols::Outside& name) {
    const HashedName key{name.name, name.hash};
    if (auto it = module_.find(key); it != module_.end()) return it->second;
    auto [it, fresh] = builtins_.try_emplace(key, static_cast<std::uint32_t>(out_.symbols.size()));
    if (fresh) {
      Symbol& made = out_.symbols.emplace_back();
      made.name = name.name;
      made.kind = SymbolKind::Builtin;
    }
    return it->second;
  }

  void add(const StatementSymbols& s, std::uint32_t statement, std::uint32_t offset) {
    outside_.clear();
    for (const StatementSymbols::Outside& name : s.outside) outside_.push_back(outside(name));
    const auto first = static_cast<std::uint32_t>(out_.symbols.size());
    const auto scopes = static_cast<std::uint32_t>(out_.scopes.size()) - 1;
    first_.push_back(first);
    for (const Symbol& symbol : s.symbols) {
      Symbol& made = out_.symbols.emplace_back(symbol);
      made.statement = statement;
      made.scope += scopes;  // none is of the module
    }
    for (const ScopeRange& scope : s.scopes) {
      out_.scopes.push_back(
          {scope.begin + offset, scope.end + offset, scope.parent == 0 ? 0 : scope.parent + scopes, scope.node});
    }
    for (const Occurrence& o : s.occurrences) {
      const bool is_outside = o.symbol & StatementSymbols::kOutside;
      const std::uint32_t symbol = is_outside ? outside_[o.symbol & ~StatementSymbols::kOutside] : o.symbol + first;
      out_.occurrences.push_back({o.begin + offset, o.end + offset, symbol, o.role});
    }
  }

  // A run comment may name a kernel that a function makes. False if the module knows the name, or not one kernel has
  // it.
  bool kernel_of_factory(std::string_view name, const char* start) {
    if (name.find('(') != name.npos || module_.contains({name, syntax::hash_name(name)})) return false;
    const auto is_it = [&](const Symbol& s) { return s.kind == SymbolKind::Kernel && s.name == name; };
    if (std::ranges::count_if(out_.symbols, is_it) != 1) return false;
    const auto symbol = static_cast<std::uint32_t>(std::ranges::find_if(out_.symbols, is_it) - out_.symbols.begin());
    const auto begin = static_cast<std::uint32_t>(name.data() - start);
    out_.occurrences.push_back({begin, begin + static_cast<std::uint32_t>(name.size()), symbol, Role::Read});
    return true;
  }

  // Names in comments that the evaluator reads as expressions of the module. `around`: only what stands there.
  void comments(std::optional<std::uint32_t> around = std::nullopt) {
    const char* start = out_.tree->source()->text().data();
    auto expression = [&](std::string_view text) {
      if (text.empty()) return;
      const auto offset = static_cast<std::uint32_t>(text.data() - start);
      if (around && (*around < offset || *around > offset + text.size())) return;
      auto parsed = parse_expression(text, nullptr);
      if (!parsed) return;
      out_.comments.push_back({offset, parsed});
      of_comments_.push_back(std::make_shared<const StatementSymbols>(statement_symbols(parsed)));
      add(*of_comments_.back(), static_cast<std::uint32_t>(out_.tree->statements().size()), offset);
    };
    for (const Directive& d : out_.tree->directives()) {
      expression(directive_expression(d));
      const std::optional<RunComment> run = run_comment(d);
      if (!run) continue;
      for (std::string_view part : run->kernels())
        if (!kernel_of_factory(part, start)) expression(part);
      for (const RunComment::Setting& s : run->settings)
        if (s.name == "reference" && !s.value.starts_with("python:")) expression(s.value);
    }
  }

  // Keyword arguments mean parameters of the functions that the module knows by these names.
  void keywords(const StatementSymbols& s, std::uint32_t offset,
                std::span<const std::shared_ptr<const StatementSymbols>> statements) {
    for (const auto& [name, function] : s.keywords) {
      const auto& called = s.outside[function];
      auto it = module_.find({called.name, called.hash});
      if (it == module_.end() || out_.symbols[it->second].kind != SymbolKind::Function) continue;
      const std::uint32_t defined = defined_in_[it->second];
      const auto& parameters = statements[defined]->parameters;
      auto of = parameters.find(out_.symbols[it->second].node);
      if (of == parameters.end()) continue;
      for (std::uint32_t local : of->second) {
        const std::uint32_t symbol = first_[defined] + local;
        if (out_.symbols[symbol].name != name.text || name.at.end <= name.at.begin) continue;
        out_.occurrences.push_back({offset + name.at.begin, offset + name.at.end, symbol, Role::Read});
      }
    }
  }

  // The first place that binds a symbol defines it; each symbol gets its places.
  void give_occurrences() {
    std::vector<std::uint32_t> next(out_.symbols.size() + 1);  // where the places of a symbol go
    std::vector<bool> defined(out_.symbols.size());
    for (Occurrence& o : out_.occurrences) {
      if (o.role == Role::Write && !defined[o.symbol]) o.role = Role::Define;
      if (o.role == Role::Define) defined[o.symbol] = true;
      ++next[o.symbol + 1];
    }
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    out_.places.resize(out_.occurrences.size());
    for (std::size_t i = 0; i < out_.symbols.size(); ++i)
      out_.symbols[i].occurrences = std::span(out_.places).subspan(next[i], next[i + 1] - next[i]);
    for (std::uint32_t i = 0; i < out_.occurrences.size(); ++i) out_.places[next[out_.occurrences[i].symbol]++] = i;
  }

  SymbolIndex& out_;
  Names module_, builtins_;
  std::vector<std::string_view> left_;     // by `global` or `nonlocal` of the module
  std::vector<std::uint32_t> defined_in_;  // of the module's symbols: the statement that holds their node
  std::vector<std::uint32_t> first_;       // symbol of each statement
  std::vector<std::uint32_t> outside_;     // of the statement at hand
  std::vector<std::shared_ptr<const StatementSymbols>> of_comments_;
};

}  // namespace

bool is_kernel(const FunctionDef& def) {
  return std::ranges::any_of(def.decorators, [](const Node* n) {
    return script::names_traced_decorator(n) || script::names_kernel_decorator(n);
  });
}

const Occurrence* SymbolIndex::at(std::uint32_t offset) const {
  auto after = std::ranges::upper_bound(occurrences, offset, {}, &Occurrence::begin);
  while (after != occurrences.begin()) {
    const Occurrence& o = *std::prev(after);
    if (offset <= o.end) return &o;
    if (o.begin + 256 < offset) break;
    --after;
  }
  return nullptr;
}

std::uint32_t SymbolIndex::scope_at(std::uint32_t offset) const {
  std::uint32_t found = 0;
  for (std::uint32_t i = 1; i < scopes.size(); ++i) {
    if (scopes[i].begin <= offset && offset <= scopes[i].end && scopes[i].begin >= scopes[found].begin) found = i;
  }
  return found;
}

const Symbol* SymbolIndex::lookup(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t s = scope;; s = scopes[s].parent) {
    const bool hidden = s != scope && scopes[s].node && scopes[s].node->kind == NodeKind::ClassDef;
    for (const Symbol& symbol : symbols) {
      if (hidden) break;
      if (symbol.scope != s || symbol.name != name) continue;
      if (symbol.kind != SymbolKind::Builtin && symbol.kind != SymbolKind::Field) return &symbol;
    }
    if (s == 0) return nullptr;
  }
}

SymbolIndex index_symbols(std::shared_ptr<const Tree> tree, KnownStatements* known) {
  SymbolIndex out;
  out.tree = std::move(tree);
  KnownStatements alone;
  const auto statements = (known ? *known : alone).of(*out.tree);
  Joining(out).run(statements);
  return out;
}

SymbolIndex index_symbols_around(std::shared_ptr<const Tree> tree, std::uint32_t offset, KnownStatements* known) {
  SymbolIndex out;
  out.tree = std::move(tree);
  KnownStatements alone;
  const auto statements = (known ? *known : alone).of(*out.tree);
  Joining(out).run_around(statements, offset);
  return out;
}

}  // namespace tilewright::session
