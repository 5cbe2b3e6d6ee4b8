#include "compiler/script/evaluate.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

#include "compiler/script/dialect.h"
#include "compiler/script/python/support.h"
#include "compiler/script/unbound.h"
#include "compiler/script/undecorated.h"
#include "compiler/syntax/run_comment.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

std::string_view entry_kind_name(EntryKind kind) {
  switch (kind) {
    case EntryKind::Module: return "module";
    case EntryKind::Call: return "call";
    case EntryKind::Defaults: return "defaults";
    case EntryKind::Configs: return "configs";
    case EntryKind::Parametrize: return "parametrize";
    case EntryKind::Comment: return "comment";
    case EntryKind::Requested: return "requested";
  }
  return "";
}

namespace {

bool is_kernel_decorator(const syntax::Node* node) {
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  if (auto* a = syntax::as<syntax::Attribute>(node)) return a->name.text == "prim_func" || a->name.text == "jit";
  if (auto* r = syntax::as<syntax::NameRef>(node)) return r->name.text == "prim_func" || r->name.text == "jit";
  return false;
}

// A decorator that makes a kernel, or was meant to.
bool is_like_kernel_decorator(const syntax::Node* node) {
  if (is_kernel_decorator(node)) return true;
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  auto* a = syntax::as<syntax::Attribute>(node);
  auto* r = syntax::as<syntax::NameRef>(a ? a->object : node);
  if (a && r && r->name.text == "T" && text::edit_distance(a->name.text, "jit", 1) <= 1) return true;
  std::string_view name = a ? a->name.text : r ? r->name.text : std::string_view();
  return text::edit_distance(name, "prim_func", 2) <= 2;
}

// Is a kernel defined somewhere in these statements?
bool defines_kernel(syntax::Stmts body, int depth = 0) {
  if (depth > 50) return false;
  for (const syntax::Node* node : body) {
    if (auto* f = syntax::as<syntax::FunctionDef>(node)) {
      if (std::any_of(f->decorators.begin(), f->decorators.end(), is_like_kernel_decorator)) return true;
      if (defines_kernel(f->body, depth + 1)) return true;
    } else if (auto* i = syntax::as<syntax::If>(node)) {
      if (defines_kernel(i->then_body, depth + 1) || defines_kernel(i->else_body, depth + 1)) return true;
    } else if (auto* w = syntax::as<syntax::With>(node)) {
      if (defines_kernel(w->body, depth + 1)) return true;
    } else if (auto* l = syntax::as<syntax::For>(node)) {
      if (defines_kernel(l->body, depth + 1)) return true;
    } else if (auto* c = syntax::as<syntax::ClassDef>(node)) {
      if (defines_kernel(c->body, depth + 1)) return true;
    } else if (auto* t = syntax::as<syntax::Try>(node)) {
      if (defines_kernel(t->body, depth + 1)) return true;
    }
  }
  return false;
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Does the text name `path`, as a word of its own?
bool names(std::string_view text, std::string_view path) {
  for (std::size_t at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    if ((at == 0 || !word_char(text[at - 1])) && (end >= text.size() || !word_char(text[end]))) return true;
  }
  return false;
}

// Does the text call `name`?
bool calls(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::size_t end = at + name.size();
    if (at > 0 && word_char(text[at - 1])) continue;
    if (end < text.size() && text[end] == '(') return true;
  }
  return false;
}

}  // namespace

class EntryFinder {
 public:
  EntryFinder(Evaluation& e, Interpreter& in, const EvaluateOptions& options) : e_(e), in_(in), options_(options) {}

  void run() {
    find_factories();
    find_configs();
    comments();
    for (const std::string& text : options_.entries) expression(text, EntryKind::Requested, {});
    if (!options_.entries.empty()) return;
    module_bindings();
    failures();
    if (e_.stopped) return;
    configs();
    parametrized();
    defaults();
    unbound();
    unread();
    open();
  }

 private:
  struct Candidate {
    syntax::Name name;
    Function* function;
    bool direct;  // defines a kernel itself
    bool served = false;
    bool called = false;    // without arguments, as its defaults allow
    std::string failure{};  // what ended that call
  };

  // Module-level functions that make kernels, directly or by calling one that does.
  void find_factories() {
    std::vector<std::string> specialised;  // "gemm.specialize", of each @T.jit function of the module
    for (auto& b : e_.module->bindings) {
      if (b.value.as<Jit>()) specialised.push_back(std::string(b.name) + ".specialize");
      Function* f = b.value.as<Function>();
      if (!f || f->mode != FunctionMode::Host || b.name != f->def->name.text) continue;
      functions_.push_back({f->def->name, f, defines_kernel(f->def->body)});
    }
    std::vector<bool> makes(functions_.size());
    // Parametrised tests may reach a factory in ways that the text does not show.
    bool any = !specialised.empty() || std::ranges::any_of(functions_, &Candidate::direct);
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      makes[i] = functions_[i].direct || (any && !functions_[i].function->parametrize.empty()) ||
                 std::ranges::any_of(specialised, [&](const std::string& path) {
                   return names(functions_[i].function->keep->text, path);
                 });
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < functions_.size(); ++i) {
        if (makes[i]) continue;
        for (std::size_t j = 0; j < functions_.size() && !makes[i]; ++j) {
          if (makes[j] && calls(functions_[i].function->keep->text, functions_[j].name.text)) makes[i] = changed = true;
        }
      }
    }
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (makes[i]) kept.push_back(functions_[i]);
    }
    functions_ = std::move(kept);
  }

  // Kernels that a value holds: itself, a list of them, a class of them.
  void collect(Value v, std::vector<KernelValue*>& out) {
    std::unordered_set<const void*> seen;
    collect(v, out, seen, 0);
  }
  // A list may hold another, or itself, a thousand times: each is looked through once.
  void collect(Value v, std::vector<KernelValue*>& out, std::unordered_set<const void*>& seen, int depth) {
    if (depth > 4) return;
    if (KernelValue* k = v.as<KernelValue>()) out.push_back(k);
    if (!v.is_object() || !seen.insert(v.o).second) return;
    if (List* l = v.as<List>())
      for (Value item : l->items) collect(item, out, seen, depth + 1);
    if (Tuple* t = v.as<Tuple>())
      for (Value item : t->items) collect(item, out, seen, depth + 1);
    if (Dict* d = v.as<Dict>())
      for (auto& [key, item] : d->items) collect(item, out, seen, depth + 1);
    if (Class* c = v.as<Class>(); c && c->scope)
      for (auto& b : c->scope->bindings) collect(b.value, out, seen, depth + 1);
  }

  void add(EntryKind kind, std::string text, text::Span span, std::vector<KernelValue*> kernels) {
    std::erase_if(kernels, [&](KernelValue* k) { return std::find(seen_.begin(), seen_.end(), k) != seen_.end(); });
    if (kernels.empty()) return;
    for (KernelValue* k : kernels) {
      seen_.push_back(k);
      for (Candidate& c : functions_) {
        if (k->def_anchor == c.function->anchor) c.served = true;
      }
    }
    e_.entries.push_back({kind, std::move(text), span, std::move(kernels)});
  }

  void comments() {
    for (const syntax::Directive& d : e_.tree->directives()) {
      if (!options_.entries.empty()) return;
      std::vector<std::string_view> expressions;
      if (d.text.starts_with("entry ")) expressions = {syntax::directive_expression(d)};
      // A factory's name speaks of entries that others make; a call is one.
      if (auto run = syntax::run_comment(d)) expressions = run->kernels();
      if (!d.text.starts_with("entry "))
        std::erase_if(expressions, [&](std::string_view text) { return text.find('(') == text.npos || known(text); });
      if (expressions.empty()) continue;
      std::uint32_t anchor = e_.anchors.add(e_.tree->source(), d.offset);
      std::string_view line = e_.tree->source()->text().substr(d.offset);
      std::uint32_t length = static_cast<std::uint32_t>(std::min(line.find('\n'), line.size()));
      text::Span span{anchor, 0, length};
      for (std::string_view text : expressions) expression(std::string(text), EntryKind::Comment, span);
    }
  }

  bool known(std::string_view text) const {
    return std::ranges::find(e_.entries, text, &Entry::expression) != e_.entries.end();
  }

  void expression(const std::string& text, EntryKind kind, text::Span span) {
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      if (text != config_text(i)) continue;
      if (kind == EntryKind::Requested) seen_.clear();
      return config(i, kind, span);
    }
    std::vector<syntax::SyntaxError> errors;
    auto parsed = syntax::parse_expression(text, &errors);
    auto* statement = parsed ? syntax::as<syntax::ExprStmt>(parsed->statement) : nullptr;
    auto report = [&](const std::string& message) {
      e_.diagnostics.push_back({code::kEntry,
                                text::Severity::Error,
                                "entry '" + text + "': " + message,
                                span,
                                {},
                                "an entry is an expression that yields a kernel, such as make(128, 64)",
                                {}});
    };
    if (!errors.empty() || !statement) {
      if (kind == EntryKind::Requested && listed(text)) return;
      return report(errors.empty() ? "is not an expression" : errors[0].message);
    }
    std::size_t before = in_.kernels().size();
    auto source = std::make_shared<text::Source>("<entry>", text);
    Value v = in_.eval_entry(statement->value, e_.module, entry_anchor(parsed, source), parsed);
    if (v.is_error()) {
      Pending p = in_.take_pending();
      if (p.fatal && !in_.go_on_after(p)) e_.stopped = true;
      if (p.diagnostic.code.empty()) return;
      told(p);
      // Where the script itself is at fault, its own place says more than the comment.
      text::Anchors::Place place = e_.anchors.resolve(p.diagnostic.span);
      if (span && p.refused && place.source && place.source != source.get()) {
        for (text::Related& r : p.diagnostic.related) {
          if (e_.anchors.resolve(r.span).source == source.get()) r.span = span;
        }
        e_.diagnostics.push_back(std::move(p.diagnostic));
        return;
      }
      return report(p.diagnostic.message);
    }
    if (Jit* jit = v.as<Jit>()) v = specialise(jit);
    std::vector<KernelValue*> kernels;
    collect(v, kernels);
    if (kernels.empty())
      kernels.assign(in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), in_.kernels().end());
    if (kernels.empty() && v.is_poison()) {  // what made it so has been reported
      for (Candidate& c : functions_) {
        c.served = c.served || text.starts_with(std::string(c.function->def->name.text) + "(");
      }
      return;
    }
    if (kernels.empty()) return report("yields " + std::string(type_name(v)) + ", not a kernel");
    if (kind == EntryKind::Requested) seen_.clear();
    add(kind, text, span ? span : kernels[0]->kernel.span, kernels);
  }

  // A parametrised test may hold values that no expression names; the text that it is listed under finds it all the
  // same.
  bool listed(const std::string& text) {
    std::size_t before = e_.entries.size();
    parametrized(&text);
    for (std::size_t i = before; i < e_.entries.size(); ++i) e_.entries[i].kind = EntryKind::Requested;
    return e_.entries.size() > before;
  }

  std::uint32_t entry_anchor(const std::shared_ptr<const syntax::TopLevel>& parsed,
                             const std::shared_ptr<const text::Source>& source) {
    e_.anchors.bind(parsed->id, source, 0);
    return parsed->id;
  }

  Value specialise(Jit* jit) {
    Arguments none;
    none.call = {jit->function->anchor, jit->function->def->name.at.begin, jit->function->def->name.at.end};
    Value v = in_.evaluate_kernel(jit->function, &none, jit->is_private, jit->persistent);
    if (v.is_error()) {
      in_.take_pending();
      return Value::none();
    }
    return v;
  }

  void module_bindings() {
    for (std::size_t i = 0; i < e_.module->bindings.size(); ++i) {
      Scope::Binding b = e_.module->bindings[i];
      if (Jit* jit = b.value.as<Jit>()) {
        bool closed = true;
        for (const syntax::Parameter& p : jit->function->def->params) {
          auto* a = syntax::as<syntax::Attribute>(p.annotation);
          if (a && a->name.text == "constexpr" && !p.default_value) closed = false;
        }
        if (!closed) {
          open_jits_.push_back(jit);
          continue;
        }
        if (jit->cache.empty()) {
          std::vector<KernelValue*> kernels;
          collect(specialise(jit), kernels);
          add(EntryKind::Defaults, std::string(b.name) + ".specialize()",
              kernels.empty() ? text::Span() : kernels[0]->kernel.span, kernels);
        }
        continue;
      }
      if (KernelValue* k = b.value.as<KernelValue>()) {
        add(EntryKind::Module, std::string(b.name), k->kernel.span, {k});
        continue;
      }
      if (Dict* d = b.value.as<Dict>()) {
        for (auto& [key, item] : std::vector(d->items)) {
          std::vector<KernelValue*> kernels;
          collect(item, kernels);
          for (KernelValue* k : kernels) {
            add(EntryKind::Module, std::string(b.name) + "[" + spelled(key) + "]", k->kernel.span, {k});
          }
        }
        continue;
      }
      std::vector<KernelValue*> kernels;
      collect(b.value, kernels);
      if (b.value.as<Class>()) {
        for (KernelValue* k : kernels)
          add(EntryKind::Module, std::string(b.name) + "." + std::string(k->source->def->name.text), k->kernel.span,
              {k});
      } else if (!kernels.empty()) {
        for (std::size_t n = 0; n < kernels.size(); ++n) {
          add(EntryKind::Module, std::string(b.name) + "[" + std::to_string(n) + "]", kernels[n]->kernel.span,
              {kernels[n]});
        }
      }
    }
  }

  // A module-level statement that calls a factory and fails is the script's own error.
  void failures() {
    for (const Interpreter::Failure& f : in_.failures()) {
      if (f.pending.diagnostic.code.empty() || f.pending.diagnostic.code == code::kOpaque) continue;
      text::Anchors::Place place = e_.anchors.resolve(f.pending.diagnostic.span);
      if (!place.source) continue;
      bool mine = false;
      for (const syntax::Tree::Statement& s : e_.tree->statements()) {
        if (s.node->statement != f.statement) continue;
        for (Candidate& c : functions_) mine = mine || calls(s.node->text, c.name.text);
        syntax::Exprs decorators;  // of a kernel itself
        if (auto* d = syntax::as<syntax::FunctionDef>(f.statement)) decorators = d->decorators;
        if (auto* d = syntax::as<syntax::ClassDef>(f.statement)) decorators = d->decorators;
        mine = mine || std::any_of(decorators.begin(), decorators.end(), is_kernel_decorator);
        // Parts of kernels outside of any, and compile-time values that do not fit, are mistakes wherever they stand.
        mine = mine || f.pending.diagnostic.code == code::kOutside || f.pending.diagnostic.code == code::kJit;
      }
      mine = mine || (f.pending.refused && tile_script_);
      // A limit that host code met may be ours alone: the kernels that need its names say so as errors.
      bool limit = f.pending.diagnostic.code == code::kLimit;
      if (mine || limit) e_.diagnostics.push_back(f.pending.diagnostic), told(f.pending);
      if (limit && !mine) e_.diagnostics.back().severity = text::Severity::Information;
    }
  }

  // What ended these functions stands among the findings, so that nobody needs to ask for other arguments.
  void told(const Pending& p) { told_.insert(told_.end(), p.through.begin(), p.through.end()); }
  bool is_told(const Function* f) const { return std::ranges::find(told_, f) != told_.end(); }

  // Calls a function for the kernels that it makes; what the host code around them does is not our concern.
  void call(Candidate& c, EntryKind kind, const std::string& text, const std::vector<Keyword>& keywords) {
    if (e_.entries.size() >= options_.max_entries || e_.stopped) return;
    std::size_t before = in_.kernels().size(), said = e_.diagnostics.size();
    Arguments args;
    args.keywords = keywords;
    args.call = {c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
    args.function = args.call;
    Value v = in_.call_function(c.function, args);
    std::vector<KernelValue*> kernels;
    if (v.is_error()) {
      Pending p = in_.take_pending();
      if (p.fatal || (p.refused && tile_script_)) {
        e_.diagnostics.push_back(p.diagnostic);
        told(p);
        c.served = true;  // it is said what is wrong with it
        if (p.fatal && !in_.go_on_after(p)) e_.stopped = true;
        if (p.fatal) return;
      }
      c.failure = p.type == python::kTestOutcome ? "" : p.diagnostic.message;
    } else {
      collect(v, kernels);
    }
    if (kernels.empty())
      kernels.assign(in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), in_.kernels().end());
    if (kind == EntryKind::Defaults && forget_guess(c, said, kernels)) return;
    add(kind, text, args.call, kernels);
    c.served = c.served || !kernels.empty();
  }

  // A call that nobody wrote down, whose kernels need what is not known here, was a wrong guess: what it made and said
  // is forgotten. True: it was. Its kernels count as seen, so that nobody finds them again.
  bool forget_guess(Candidate& c, std::size_t said, std::vector<KernelValue*>& kernels) {
    const auto first = e_.diagnostics.begin() + static_cast<std::ptrdiff_t>(said);
    const auto unknown =
        std::find_if(first, e_.diagnostics.end(), [](const text::Diagnostic& d) { return d.code == code::kOpaque; });
    if (unknown == e_.diagnostics.end()) return false;
    c.failure = unknown->message;
    e_.diagnostics.erase(first, e_.diagnostics.end());
    for (KernelValue* k : kernels) {
      seen_.push_back(k);
      forgotten_.push_back(k->source);
    }
    return true;
  }

  // ---- CONFIGS and get_kernel(**config) ---------------------------------------------------------------------------

  // A line of CONFIGS: what it says, and where.
  struct Config {
    Value value;
    const syntax::Node* node = nullptr;  // null: it is computed
    text::Span span;                     // of the node, else of the name CONFIGS, else of get_kernel
  };

  void find_configs() {
    auto* made = e_.module->find("CONFIGS");
    auto* by = e_.module->find("get_kernel");
    if (!made || !by) return;
    Function* f = by->value.as<Function>();
    if (!f || f->mode != FunctionMode::Host) return;
    const List* list = made->value.as<List>();
    const Tuple* tuple = made->value.as<Tuple>();
    if (!list && !tuple) return;
    get_kernel_ = f;
    // Of a list that another file makes the place is that of the function.
    const text::Span function{f->anchor, f->def->name.at.begin, f->def->name.at.end};
    for (Value v : list ? list->items : tuple->items) configs_.push_back({v, nullptr, function});
    // The lines as they are written, where each of them is: the last assignment holds.
    for (const syntax::Tree::Statement& s : e_.tree->statements()) {
      const syntax::Node *target = nullptr, *value = nullptr;
      if (auto* a = syntax::as<syntax::Assign>(s.node->statement)) {
        target = a->targets.empty() ? nullptr : a->targets.back();
        value = a->value;
      } else if (auto* a = syntax::as<syntax::AnnAssign>(s.node->statement)) {
        target = a->target;
        value = a->value;
      }
      auto* name = syntax::as<syntax::NameRef>(target);
      if (!name || name->name.text != "CONFIGS" || !value) continue;
      syntax::Exprs written;
      if (auto* l = syntax::as<syntax::List>(value)) written = l->elements;
      if (auto* t = syntax::as<syntax::Tuple>(value)) written = t->elements;
      const bool each = written.size() == configs_.size() && std::ranges::none_of(written, [](const syntax::Node* n) {
                          return syntax::as<syntax::Starred>(n);
                        });
      for (std::size_t i = 0; i < configs_.size(); ++i) {
        const syntax::Node* at = each ? written[i] : target;
        configs_[i].node = each ? at : nullptr;
        configs_[i].span = {s.node->id, at->at.begin, at->at.end};
      }
    }
  }

  static std::string config_text(std::size_t i) { return "get_kernel(**CONFIGS[" + std::to_string(i) + "])"; }

  // What get_kernel needs and none of the lines gives: CONFIGS then serves somebody else first, who works it out.
  std::string missing_everywhere() const {
    std::string out;
    for (const syntax::Parameter& p : get_kernel_->def->params) {
      const bool by_name = p.kind == syntax::ParamKind::Positional || p.kind == syntax::ParamKind::KeywordOnly;
      if (!by_name || p.default_value) continue;
      const bool given = std::ranges::any_of(configs_, [&](const Config& c) {
        const Dict* d = c.value.as<Dict>();
        return !d || std::ranges::any_of(d->items, [&](auto& item) {
          const Str* key = item.first.template as<Str>();
          return key && key->text == p.name.text;
        });
      });
      if (!given) out += (out.empty() ? "'" : ", '") + std::string(p.name.text) + "'";
    }
    return out;
  }

  void configs() {
    if (!configs_.empty()) missing_everywhere_ = missing_everywhere();
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      if (std::ranges::find(e_.entries, config_text(i), &Entry::expression) != e_.entries.end()) continue;
      if (i > 0 && !options_.all_entries) {
        e_.other_entries.push_back({EntryKind::Configs, config_text(i), configs_[i].span, {}});
        continue;
      }
      config(i, EntryKind::Configs, {});
    }
  }

  // get_kernel(**config) as the published runner calls it: without `label`. What else the function does not take is
  // left out as well, for other consumers of the list read it; unless it looks like one of the parameters misspelt.
  void config(std::size_t i, EntryKind kind, text::Span span) {
    const Config& c = configs_[i];
    Dict* d = c.value.as<Dict>();
    if (!d) {
      if (c.value.is_opaque() || c.value.is_poison()) return;
      return misfit(c.span, text::Severity::Error,
                    "a line of CONFIGS is a dict of arguments for get_kernel, not " + std::string(type_name(c.value)));
    }
    const std::span<const syntax::Parameter> params = get_kernel_->def->params;
    auto parameter = [&](std::string_view name) -> const syntax::Parameter* {
      for (const syntax::Parameter& p : params) {
        const bool by_name = p.kind == syntax::ParamKind::Positional || p.kind == syntax::ParamKind::KeywordOnly;
        if (by_name && p.name.text == name) return &p;
      }
      return nullptr;
    };
    const bool takes_all = std::ranges::any_of(
        params, [](const syntax::Parameter& p) { return p.kind == syntax::ParamKind::VarKeywords; });
    std::vector<Keyword> keywords;
    std::vector<std::string_view> dropped;
    for (auto& [key, value] : d->items) {
      Str* s = key.as<Str>();
      if (!s) continue;
      const syntax::Parameter* p = parameter(s->text);
      const bool is_label = s->text == "label" && !(p && !p->default_value);
      if (!is_label && (p || takes_all))
        keywords.push_back({in_.keep(s->text), value, c.span});
      else if (!is_label)
        dropped.push_back(in_.keep(s->text));
    }
    auto given = [&](std::string_view name) {
      return std::ranges::any_of(keywords, [&](const Keyword& k) { return k.name == name; });
    };
    std::string missing;
    bool misspelt = false;
    for (const syntax::Parameter& p : params) {
      if (parameter(p.name.text) != &p || given(p.name.text)) continue;
      const auto wrong = std::ranges::find_if(dropped, [&](std::string_view key) {
        text::Nearest near(key);
        near.consider(p.name.text);
        return !near.found().empty();
      });
      const bool required = !p.default_value;
      if (wrong != dropped.end()) {
        misspelt = misspelt || required;
        misfit(key_span(c, *wrong), required ? text::Severity::Error : text::Severity::Warning,
               "get_kernel takes no '" + std::string(*wrong) + "'" +
                   (required ? ", and needs '" + std::string(p.name.text) + "'" : std::string()),
               std::string(p.name.text), key_is_written(c, *wrong));
        dropped.erase(wrong);
      } else if (required) {
        missing += (missing.empty() ? "'" : ", '") + std::string(p.name.text) + "'";
      }
    }
    if (!missing.empty() && missing == missing_everywhere_) {
      if (i > 0) return;
      misfit(c.span, text::Severity::Information, "get_kernel needs " + missing + ", which no line of CONFIGS gives");
      e_.diagnostics.back().hint = "name an entry in a comment: # tilewright: entry get_kernel(...)";
    } else if (!missing.empty()) {
      misfit(c.span, text::Severity::Error,
             "get_kernel needs " + missing + ", which this line of CONFIGS does not give");
    }
    if (misspelt || !missing.empty()) return;
    call_config(i, kind, span, keywords);
  }

  void call_config(std::size_t i, EntryKind kind, text::Span span, const std::vector<Keyword>& keywords) {
    if (e_.entries.size() >= options_.max_entries || e_.stopped) return;
    const std::size_t before = in_.kernels().size();
    Arguments args;
    args.keywords = keywords;
    args.call = configs_[i].span;
    args.function = {get_kernel_->anchor, get_kernel_->def->name.at.begin, get_kernel_->def->name.at.end};
    Value v = in_.call_function(get_kernel_, args);
    if (v.is_error()) return config_failure(i, in_.take_pending());
    if (Jit* jit = v.as<Jit>()) v = specialise(jit);
    std::vector<KernelValue*> kernels;
    collect(v, kernels);
    if (kernels.empty())
      kernels.assign(in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), in_.kernels().end());
    for (Candidate& c : functions_) c.served = c.served || (c.function == get_kernel_ && !kernels.empty());
    add(kind, config_text(i), span ? span : args.function, kernels);
  }

  // What ended the call is the line's doing if the script itself refused its arguments. What another file raised, or
  // what is not known here (a package that is not evaluated, a limit), may be ours: a library does more than we follow.
  // A cause that several lines share is told once.
  void config_failure(std::size_t i, Pending p) {
    told(p);
    if ((p.fatal && p.diagnostic.code != code::kLimit) || (p.refused && tile_script_)) {
      e_.diagnostics.push_back(p.diagnostic);
      for (Candidate& c : functions_) c.served = c.served || c.function == get_kernel_;
      e_.stopped = e_.stopped || p.fatal;
      return;
    }
    e_.stopped = e_.stopped || (p.fatal && !in_.go_on_after(p));  // by a limit, which may be ours alone
    if (p.type == python::kTestOutcome || p.diagnostic.code.empty()) return;
    const std::string_view code = p.diagnostic.code;
    const bool own = e_.anchors.resolve(p.diagnostic.span).source == e_.tree->source().get();
    // With a package that is not evaluated, a condition on what it knows may have led here.
    const bool raised = code == code::kRaised && p.exception.as<Instance>() &&
                        std::ranges::none_of(e_.module->bindings, [](auto& b) { return b.value.is_opaque(); });
    const bool refused = own && (raised || code == code::kArguments || code == code::kJit ||
                                 p.type == "KeyError");  // config["n"] of a get_kernel(**config)
    const std::string message = config_text(i) + " makes no kernel: " + p.diagnostic.message;
    const bool again = std::ranges::any_of(config_failures_, [&](const text::Diagnostic& d) {
      return d.code == code && d.span == p.diagnostic.span && d.message == p.diagnostic.message;
    });
    if (again) return;
    misfit(configs_[i].span, refused ? text::Severity::Error : text::Severity::Information, message);
    if (p.diagnostic.span && p.diagnostic.span != configs_[i].span)
      e_.diagnostics.back().related.push_back({p.diagnostic.span, p.diagnostic.message});
    config_failures_.push_back(std::move(p.diagnostic));
  }

  // A key of the line where it is written as one, else the line.
  const syntax::StringLit* key_is_written(const Config& c, std::string_view key) const {
    if (auto* dict = syntax::as<syntax::Dict>(c.node)) {
      for (const syntax::DictItem& item : dict->items) {
        auto* s = syntax::as<syntax::StringLit>(item.key);
        if (s && s->value == key) return s;
      }
    }
    return nullptr;
  }
  text::Span key_span(const Config& c, std::string_view key) const {
    if (auto* s = key_is_written(c, key)) return {c.span.anchor, s->at.begin, s->at.end};
    if (auto* call = syntax::as<syntax::Call>(c.node)) {
      for (const syntax::Keyword& k : call->keywords) {
        if (k.name.text == key) return {c.span.anchor, k.name.at.begin, k.name.at.end};
      }
    }
    return c.span;
  }

  void misfit(text::Span at, text::Severity severity, std::string message, const std::string& meant = {},
              const syntax::StringLit* key = nullptr) {
    ++misfits_;
    text::Diagnostic& d = e_.diagnostics.emplace_back();
    d.code = code::kConfig;
    d.severity = severity;
    d.message = std::move(message);
    d.span = at;
    if (meant.empty()) return;
    d.hint = "did you mean '" + meant + "'?";
    const bool is_key = key || at.end - at.begin == meant.size();
    if (is_key) d.fix = {text::Fix::Kind::Replace, "Change to " + meant, key ? "\"" + meant + "\"" : meant};
  }

  // With `wanted` only the entry that is listed so.
  void parametrized(const std::string* wanted = nullptr) {
    for (Candidate& c : functions_) {
      if (c.function->parametrize.empty()) continue;
      // The product of all lists; one list may give several names ("m,n").
      std::vector<std::vector<Keyword>> combinations{{}};
      for (auto& [names, values] : c.function->parametrize) {
        std::vector<std::string_view> split;
        std::string_view rest = names;
        while (!rest.empty()) {
          std::size_t comma = rest.find(',');
          std::string_view one = rest.substr(0, comma);
          while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
          while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
          if (!one.empty()) split.push_back(in_.keep(one));
          rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
        }
        auto items = values.is_opaque() || values.is_poison() ? std::nullopt : in_.iterate(values, {});
        if (!items) {
          if (in_.has_pending()) in_.take_pending();
          continue;
        }
        std::vector<std::vector<Keyword>> next;
        for (auto& have : combinations) {
          for (Value item : *items) {
            if (next.size() >= options_.max_entries) break;
            auto made = have;
            if (split.size() == 1) {
              made.push_back({split[0], item, {}});
            } else {
              Tuple* t = item.as<Tuple>();
              List* l = item.as<List>();
              std::vector<Value> parts = t ? t->items : l ? l->items : std::vector<Value>();
              for (std::size_t i = 0; i < split.size() && i < parts.size(); ++i)
                made.push_back({split[i], parts[i], {}});
            }
            next.push_back(std::move(made));
          }
        }
        combinations = std::move(next);
      }
      for (auto& keywords : combinations) {
        std::string text = std::string(c.name.text) + "(";
        for (std::size_t i = 0; i < keywords.size(); ++i) {
          text += (i ? ", " : "") + std::string(keywords[i].name) + "=" + spelled(keywords[i].value);
        }
        text += ")";
        if (c.served && !wanted && !options_.all_entries) {
          text::Span at{c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
          e_.other_entries.push_back({EntryKind::Parametrize, std::move(text), at, {}});
          continue;
        }
        if (!wanted || text == *wanted) call(c, EntryKind::Parametrize, text, keywords);
      }
    }
  }

  // A value as an entry's expression names it.
  std::string spelled(Value v) {
    Instance* member = v.as<Instance>();
    Value* name = member && member->cls->is_enum ? member->find("name") : nullptr;
    if (name) return member->cls->name + "." + in_.str(*name);
    if (v.as<DataTypeValue>()) return "\"" + in_.str(v) + "\"";
    return in_.repr(v);
  }

  void defaults() {
    // Beside get_kernel the functions that only call something that makes a kernel are its drivers: tests, benchmarks.
    const bool drivers = e_.module->find("get_kernel") != nullptr;
    for (Candidate& c : functions_) {
      if (c.served || (drivers && !c.direct && c.name.text != "get_kernel")) continue;
      bool closed = true;
      for (const syntax::Parameter& p : c.function->def->params) {
        bool variadic = p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords;
        closed = closed && (p.default_value || variadic);
      }
      if (!closed) continue;
      c.called = true;
      call(c, EntryKind::Defaults, std::string(c.name.text) + "()", {});
    }
  }

  // Kernels that module-level statements made without keeping them.
  void unbound() {
    std::vector<KernelValue*> all = in_.kernels();
    for (KernelValue* k : all) add(EntryKind::Call, std::string(k->kernel.name), k->kernel.span, {k});
  }

  void open() {
    for (Jit* jit : open_jits_) {
      const bool forgotten = std::ranges::find(forgotten_, jit->function) != forgotten_.end();
      const bool failed =
          std::ranges::any_of(in_.kernels(), [&](KernelValue* k) { return k->failed && k->source == jit->function; });
      if (forgotten || (jit->cache.empty() && !failed)) open_jit(jit);
    }
    for (Candidate& c : functions_) {
      if (c.served || !c.direct || named_as_reference(c.name.text)) continue;
      text::Span span{c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
      if (c.called && c.failure.empty()) continue;  // it makes none
      if (c.called) {
        e_.diagnostics.push_back(
            {code::kNeedsEntry,
             text::Severity::Information,
             std::string(c.name.text) + "() makes no kernel: " + c.failure,
             span,
             {},
             "name other arguments in a comment: # tilewright: entry " + std::string(c.name.text) + "(...)",
             {},
             {}});
        continue;
      }
      std::string signature = std::string(c.name.text) + "(";
      for (const syntax::Parameter& p : c.function->def->params) {
        signature += (signature.back() == '(' ? "" : ", ") + std::string(p.name.text);
      }
      note({signature + ")", span}, is_told(c.function) || (c.function == get_kernel_ && misfits_ > 0));
    }
  }

  // Kernels that are none of the dialect's, as far as anybody can tell: once a decorator, where it stands first.
  void unread() {
    struct Said {
      std::string decorator;
      std::size_t diagnostic;
      std::vector<std::string_view> names;
    };
    std::vector<Said> all;
    for (const Interpreter::Unread& u : in_.unread()) {
      text::Anchors::Place place = e_.anchors.resolve(u.span);
      if (place.source != e_.tree->source().get()) continue;
      for (Candidate& c : functions_) c.served = c.served || c.function->anchor == u.function->anchor;
      const syntax::Node* node = u.decorator;
      if (auto* call = syntax::as<syntax::Call>(node)) node = call->function;
      std::string decorator(u.function->keep->text.substr(node->at.begin, node->at.end - node->at.begin));
      auto said = std::ranges::find(all, decorator, &Said::decorator);
      if (said == all.end()) {
        all.push_back({decorator, e_.diagnostics.size(), {}});
        said = all.end() - 1;
        text::Diagnostic& d = e_.diagnostics.emplace_back();
        d.code = code::kOpaque;
        d.severity = text::Severity::Information;
        d.message = std::string("it comes from ") + u.why;
        d.span = u.span;
      }
      const std::string_view name = u.function->def->name.text;
      if (std::ranges::find(said->names, name) == said->names.end()) said->names.push_back(name);
    }
    for (const Said& s : all) {
      std::string names(s.names[0]);
      if (s.names.size() == 2) names += " and " + std::string(s.names[1]);
      if (s.names.size() > 2) names += " and " + std::to_string(s.names.size() - 1) + " more";
      std::string& message = e_.diagnostics[s.diagnostic].message;
      message = names + (s.names.size() > 1 ? " are" : " is") + " not checked: " + s.decorator +
                " is not known here, " + message;
    }
  }

  // Kernels of such a factory are what `run` expects of others; they need no entry of their own.
  bool named_as_reference(std::string_view name) const {
    return std::ranges::any_of(e_.tree->directives(), [&](const syntax::Directive& d) {
      const std::string call = std::string(name) + "(";
      if (d.text.starts_with("reference " + call)) return true;
      const auto run = syntax::run_comment(d);
      return run && std::ranges::any_of(run->settings, [&](const syntax::RunComment::Setting& s) {
               return s.name == "reference" && s.value.starts_with(call);
             });
    });
  }

  void open_jit(Jit* jit) {
    std::string signature = std::string(jit->function->def->name.text) + ".specialize(";
    for (const syntax::Parameter& p : jit->function->def->params) {
      auto* a = syntax::as<syntax::Attribute>(p.annotation);
      if (a && a->name.text == "constexpr")
        signature += (signature.back() == '(' ? "" : ", ") + std::string(p.name.text) + "=...";
    }
    note(
        {signature + ")", {jit->function->anchor, jit->function->def->name.at.begin, jit->function->def->name.at.end}});
  }

  // `said`: why it has no arguments stands elsewhere.
  void note(Factory f, bool said = false) {
    if (!said)
      e_.diagnostics.push_back(
          {code::kNeedsEntry,
           text::Severity::Information,
           "the kernel in " + f.signature + " needs arguments to be compiled",
           f.span,
           {},
           "name some in a comment: # tilewright: entry " + f.signature,
           {},
           {text::Fix::Kind::LineAbove, "Add an entry comment", "# tilewright: entry " + f.signature}});
    e_.open_factories.push_back(std::move(f));
  }

  Evaluation& e_;
  Interpreter& in_;
  const EvaluateOptions& options_;
  std::vector<Candidate> functions_;
  std::vector<const Function*> told_;  // which were called and failed, and why stands among the findings
  std::vector<Function*> forgotten_;   // whose kernels came of wrong guesses alone
  std::vector<Jit*> open_jits_;        // whose compile-time parameters do not all have defaults
  Function* get_kernel_ = nullptr;
  std::vector<Config> configs_;
  std::vector<text::Diagnostic> config_failures_;
  int misfits_ = 0;
  std::string missing_everywhere_;  // "'rows'"; empty: each argument stands in some line
  std::vector<KernelValue*> seen_;
  const bool tile_script_ = means_tile_script(e_.tree->source()->text());
};

namespace {

// What the prelude refuses is the caller's doing: it is reported where the script called, with the prelude's place
// beside.
void lead_out_of_prelude(std::vector<text::Diagnostic>& diagnostics, const text::Anchors& anchors) {
  auto in_prelude = [&](text::Span span) {
    text::Anchors::Place place = anchors.resolve(span);
    return place.source && place.source->path().starts_with("prelude/");
  };
  for (text::Diagnostic& d : diagnostics) {
    if (!in_prelude(d.span)) continue;
    d.related.push_back({d.span, "raised here"});
    while (!d.chain.empty() && in_prelude(d.chain.back())) d.chain.pop_back();
    if (d.chain.empty()) continue;
    d.span = d.chain.back();
    d.chain.pop_back();
  }
}

// One cause, one diagnostic: entries that evaluate the same kernel text find the same errors.
void deduplicate(std::vector<text::Diagnostic>& diagnostics, const text::Anchors& anchors) {
  // Places, not anchors: one place may have several (memo.h).
  using Key = std::tuple<std::string_view, const text::Source*, std::uint32_t, std::uint32_t, std::string_view>;
  std::set<Key> seen;
  std::vector<bool> again;
  for (const text::Diagnostic& d : diagnostics) {
    text::Anchors::Place place = anchors.resolve(d.span);
    again.push_back(!seen.insert({d.code, place.source, place.begin, place.end, d.message}).second);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    if (again[i]) continue;
    if (kept != i) diagnostics[kept] = std::move(diagnostics[i]);
    ++kept;
  }
  diagnostics.resize(kept);
}

}  // namespace

std::unique_ptr<Evaluation> evaluate(std::shared_ptr<const syntax::Tree> tree, Loader* loader, text::Context context,
                                     const EvaluateOptions& options) {
  auto e = std::make_unique<Evaluation>();
  e->tree = tree;
  ArenaScope arena(e->arena());
  context.diagnostics = &e->diagnostics;
  for (const syntax::SyntaxError& s : tree->errors()) {
    std::uint32_t anchor = e->anchors.add(tree->source(), s.begin);
    e->diagnostics.push_back(
        {code::kSyntax, text::Severity::Error, s.message, {anchor, 0, s.end - s.begin}, {}, {}, {}});
  }
  EvaluateOptions said = options;
  if (auto comment = options.dialect ? std::nullopt : dialect_comment(*tree)) {
    if (!comment->dialect) {
      // Nothing of it can be read: what another release means by the same names would be a guess.
      std::uint32_t anchor = e->anchors.add(tree->source(), comment->offset);
      e->diagnostics.push_back(
          {code::kDialect, text::Severity::Error, comment->dialect.error(), {anchor, 0, comment->length}, {}, {}, {}});
      e->interpreter_ = std::make_unique<Interpreter>(context, e->anchors, loader, options, e->store_);
      e->module = e->interpreter_->make<Scope>();
      return e;
    }
    said.dialect = *comment->dialect;
  }
  e->dialect = said.dialect.value_or(options.project_dialect);
  e->interpreter_ = std::make_unique<Interpreter>(context, e->anchors, loader, said, e->store_);
  e->module = e->interpreter_->run_module(tree);
  if (e->interpreter_->has_pending()) {
    Pending p = e->interpreter_->take_pending();
    e->diagnostics.push_back(p.diagnostic);
    e->stopped = true;
  }
  if (!e->stopped) EntryFinder(*e, *e->interpreter_, options).run();
  if (!e->stopped) {
    report_unbound(*e);
    report_undecorated(*e);
  }
  if (e->interpreter_->memo_conflict()) {
    EvaluateOptions alone = options;
    alone.memo = nullptr;
    return evaluate(std::move(tree), loader, std::move(context), alone);
  }
  lead_out_of_prelude(e->diagnostics, e->anchors);
  deduplicate(e->diagnostics, e->anchors);
  return e;
}

std::vector<std::string> Evaluation::files() const {
  std::vector<std::string> out{tree->source()->path()};
  for (const std::shared_ptr<const syntax::Tree>& script : interpreter_->scripts()) {
    const std::string& path = script->source()->path();
    if (!path.starts_with("prelude/") && script != tree) out.push_back(path);
  }
  return out;
}

ExpressionResult evaluate_expression(std::string_view text, text::Context context) {
  std::string script =
      "from tvm.script import tirx as T\nfrom tvm.tirx.layout import *\n"
      "from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, Iter, Axis, laneid, warpid, wgid, "
      "tid_in_wg, wid_in_wg, tx, bx, by, bz, cbx, cby, cbz, m, TLane, TCol, P, F, Bank, mma_shared_layout, "
      "mma_atom_layout, wg_local_layout, mma_fragment_layout, wgmma_accumulator_layout, wgmma_operand_layout, "
      "tmem_datapath_layout, tcgen05_atom_layout, sf_tmem_layout, SwizzleMode\n"
      "from tvm.tirx.cuda.operator.tile_primitive.gemm_async.tcgen05 import sf_smem_layout\n";
  auto source = std::make_shared<text::Source>("<expression>", script);
  ExpressionResult r;
  r.evaluation = evaluate(syntax::Tree::parse(source), nullptr, std::move(context), {});
  Evaluation& e = *r.evaluation;
  ArenaScope arena(e.arena());
  std::vector<syntax::SyntaxError> errors;
  auto parsed = syntax::parse_expression(text, &errors);
  auto expression_source = std::make_shared<text::Source>("<expression>", std::string(text));
  std::uint32_t anchor = e.anchors.add(expression_source, 0);
  auto* statement = parsed ? syntax::as<syntax::ExprStmt>(parsed->statement) : nullptr;
  if (!errors.empty() || !statement) {
    text::Span span{anchor, errors.empty() ? 0 : errors[0].begin, errors.empty() ? 0 : errors[0].end};
    e.diagnostics.push_back({code::kSyntax,
                             text::Severity::Error,
                             errors.empty() ? "not an expression" : errors[0].message,
                             span,
                             {},
                             {},
                             {}});
    r.value = Value::poison();
    return r;
  }
  r.value = e.interpreter().eval_entry(statement->value, e.module, anchor, parsed);
  if (r.value.is_error()) {
    Pending p = e.interpreter().take_pending();
    e.diagnostics.push_back(p.diagnostic);
    r.value = Value::poison();
  }
  return r;
}

}  // namespace tilewright::script
