// What imports give below the script's root, and what they say where nothing can be meant.
//
// The dialect's modules are closed, and so is what lies below the script's root. Any other package is none of ours: it
// is opaque, unless a package that scripts use, or a neighbour of the script, is spelled nearly so. Then the import is
// wrong, the finding stands at the part that is misspelt, and what it would have bound is poison: silent.
#include <algorithm>

#include "compiler/script/dialect.h"
#include "compiler/script/dialect_imports.h"
#include "compiler/script/dialect_names.h"
#include "compiler/script/foreign.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/last_run.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/python/known_packages.h"
#include "compiler/script/python/support.h"
#include "compiler/script/spelling.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/traced/kernel.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/script/unbound.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string joined(std::string_view module, std::string_view name) {
  return module.empty() ? std::string(name) : std::string(module) + "." + std::string(name);
}

// The text of the statement from `at` on, and what stands in it between blanks and the dots of a relative import.
std::uint32_t after_from(std::string_view text, syntax::Extent at) {
  std::uint32_t i = std::min<std::uint32_t>(at.begin + 4, static_cast<std::uint32_t>(text.size()));
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t' || text[i] == '.')) ++i;
  return i;
}

// The file of the statement at work. A function imports from where it stands, not from where it is called.
const std::string& file_at(const text::Anchors& anchors, std::uint32_t anchor, const std::string& running) {
  text::Anchors::Place at = anchors.resolve({anchor, 0, 0});
  return at.source ? at.source->path() : running;
}

// Of a module that the release lacks.
std::string not_in(text::Dialect release, std::string_view module) {
  return "there is no module " + quoted(module) + " in " + std::string(text::dialect_name(release));
}
std::string instead(text::Dialect release, const std::string& module) {
  return std::string(text::dialect_name(release)) + (module.empty() ? " has nothing like it" : " writes " + module);
}

}  // namespace

text::Span Modules::part_of_import(const ImportPath& path, std::string_view part) const {
  std::string_view text = in_.top_level_ ? std::string_view(in_.top_level_->text) : std::string_view();
  std::uint32_t begin = path.at;
  if (begin > text.size() || !text.substr(begin).starts_with(path.dotted) || part.data() < path.dotted.data() ||
      part.data() + part.size() > path.dotted.data() + path.dotted.size()) {
    return path.whole;
  }
  begin += static_cast<std::uint32_t>(part.data() - path.dotted.data());
  return {path.whole.anchor, begin, begin + static_cast<std::uint32_t>(part.size())};
}

Value Modules::no_module(const ImportPath& path, std::string_view part, std::string_view nearest) {
  std::string name = std::string(static_cast<std::size_t>(path.level), '.') + std::string(path.dotted);
  std::string hint = nearest.empty() ? "" : "did you mean " + std::string(nearest) + "?";
  return in_.refuse(code::kImport, part_of_import(path, part), "there is no module " + quoted(name), std::move(hint),
                    "ModuleNotFoundError");
}

Value Modules::no_module(const ImportPath& path, const UnknownPart& unknown) {
  return no_module(
      path, path.dotted.substr(static_cast<std::size_t>(unknown.part.data() - path.dotted.data()), unknown.part.size()),
      unknown.nearest);
}

// A module that the loader does not find: nothing is pending where it may be a package that is not here.
void Modules::misspelt_module(const ImportPath& path) {
  std::size_t dots = path.dotted.find('.');
  if (path.level == 0 && python::is_known_package(path.dotted.substr(0, dots))) return;
  std::vector<std::string> found;  // keeps what `nearest` points to
  std::size_t begin = 0;
  for (;;) {
    std::size_t end = std::min(path.dotted.find('.', begin), path.dotted.size());
    std::string_view part = path.dotted.substr(begin, end - begin);
    std::string_view parent = path.dotted.substr(0, begin ? begin - 1 : 0);
    ++asked_;
    in_.reuse_.asked_otherwise();
    auto names = beside(parent, path.level);
    if (names && std::ranges::find(*names, part) != names->end()) {
      if (end == path.dotted.size()) return;  // a folder, or something that is no script
      begin = end + 1;
      continue;
    }
    if (!names && path.level > 0) return;  // beyond the root: no file is looked for there
    text::Nearest nearest(part);
    if (names) {
      found = std::move(*names);
      for (const std::string& name : found) nearest.consider(name);
    }
    std::string_view meant = nearest.found();
    if (path.level == 0 && begin == 0) {
      // `_foo` beside a `foo.py` is a module of its own, compiled perhaps, that lies elsewhere.
      if (part.starts_with('_') != meant.starts_with('_')) meant = {};
      // Two edits are too many between what lies here by chance and a package that others wrote.
      if (!meant.empty() && text::edit_distance(part, meant, 1) > 1) meant = {};
      if (meant.empty()) meant = python::nearest_package(part);
      // A word of three letters is near to many; with modules of the dialect behind it, it is the dialect.
      if (meant.empty() && end < path.dotted.size() && text::edit_distance(part, "tvm", 1) <= 1) {
        const std::string there = "tvm" + std::string(path.dotted.substr(end));
        if (!unknown_part(there)) meant = "tvm";
      }
    }
    // What is private may be made when the package is built.
    if (!meant.empty() || (path.level > 0 && !part.starts_with('_'))) no_module(path, part, meant);
    return;
  }
}

Value Modules::of_traced_library(const ImportPath& path) {
  const Value module = is_tirx_package(path.dotted) ? tirx_package(in_, path.dotted) : traced_module(in_, path.dotted);
  if (in_.errors_.pending && !in_.errors_.pending->diagnostic.span) in_.errors_.pending->diagnostic.span = path.whole;
  return module;
}

std::shared_ptr<const syntax::Tree> Modules::load(std::string_view dotted, int level) {
  if (!loader_ || (level == 0 && is_host_package(dotted))) return nullptr;
  ++asked_;
  constexpr std::uint64_t kSteps = 1000;  // the loader asks the file system
  in_.budget_.spend(kSteps);
  auto tree = loader_->load(dotted, level, file_at(in_.anchors_, in_.anchor_, path_));
  in_.reuse_.answered(tree);
  return tree;
}

std::optional<std::vector<std::string>> Modules::beside(std::string_view dotted, int level) const {
  return loader_ ? loader_->beside(dotted, level, file_at(in_.anchors_, in_.anchor_, path_)) : std::nullopt;
}

Value Modules::import(const ImportPath& path) {
  std::string_view dotted = path.dotted;
  if (path.level == 0) {
    if (is_dialect_module(dotted)) {
      // The prelude is in pieces that scripts do not see.
      const bool own = runs_prelude();
      if (auto moved = own ? std::nullopt : moved_module(dotted, in_.dialect_))
        return in_.refuse(code::kImport, part_of_import(path, dotted), not_in(in_.dialect_, dotted),
                          instead(in_.dialect_, *moved), "ModuleNotFoundError");
      if (auto unknown = own ? std::nullopt : unknown_part(dotted)) return no_module(path, *unknown);
      return tvm_package(in_, dotted);
    }
    if (is_tirx_package(dotted)) {
      if (auto unknown = unknown_part(dotted)) return no_module(path, *unknown);
    }
    if (is_traced_library(dotted) || is_tirx_package(dotted)) return of_traced_library(path);
    auto known = known_.find(dotted);
    if (known != known_.end()) return known->second;
  }
  if (auto tree = load(dotted, path.level)) return import_script(tree, path);
  if (path.level == 0) {
    Value v = python_module(in_, dotted);
    if (!v.is_none()) {
      known_.emplace(std::string(dotted), v);
      return v;
    }
  }
  if (!dotted.empty() && loader_) misspelt_module(path);
  if (in_.errors_.pending) return Value::error();
  std::string_view root = dotted.substr(0, dotted.find('.'));
  return Value::opaque(
      in_.keep("the module '" + std::string(root.empty() ? dotted : root) + std::string(1, '\'') + std::string(1, '\0'))
          .data());
}

Value Modules::import_script(const std::shared_ptr<const syntax::Tree>& tree, const ImportPath& written) {
  const std::string& path = tree->source()->path();
  if (auto failed = failed_.find(path); failed != failed_.end() && in_.tries_ > 0) {
    return import_raises(failed->second, written);
  }
  auto loaded = known_.find(path);
  if (loaded != known_.end()) return loaded->second;
  // Python reads a file whole or not at all. Where the script is not ready for that, what can be read of it is.
  if (!tree->errors().empty()) {
    const syntax::SyntaxError& e = tree->errors().front();
    std::string message = path + " cannot be read: " + e.message;
    if (in_.tries_ > 0) return in_.refuse(code::kSyntax, written.whole, std::move(message), {}, "SyntaxError");
    text::Diagnostic d{code::kSyntax, text::Severity::Error, std::move(message), written.whole, {}, {}, {}};
    d.related.push_back({{in_.anchors_.add(tree->source(), e.begin), 0, e.end - e.begin}, "here"});
    in_.context_.report(std::move(d));
  }
  if (auto comment = dialect_comment(*tree); comment && comment->dialect != in_.surface_->dialect()) {
    std::string release(text::dialect_name(in_.surface_->dialect()));
    in_.warn(code::kDialect, written.whole,
             comment->dialect ? path + " is written in " + std::string(text::dialect_name(*comment->dialect)) +
                                    ", this script in " + release
                              : path + ": " + comment->dialect.error(),
             "a script and what it imports are written in one release", text::Severity::Error);
    return known_.emplace(path, Value::opaque("a script in another release of the dialect")).first->second;
  } else if (auto name = comment ? std::nullopt : first_of_others(*tree, in_.surface_->dialect(), true)) {
    const std::string release(text::dialect_name(in_.surface_->dialect()));
    text::Diagnostic d{
        code::kDialect,
        text::Severity::Error,
        path + " is written in another release: " + name->name + " is a name of " + name->releases +
            ", and this script is in " + release,
        written.whole,
        {},
        "a script and what it imports are written in one release: tilewright migrate " + path + " --to " + release,
        {}};
    d.related.push_back({{in_.anchors_.add(tree->source(), name->begin), 0, name->end - name->begin}, name->name});
    in_.context_.report(std::move(d));
  }
  constexpr std::uint32_t kLevels = 8;  // a module in a module takes more of the C++ stack than a call
  if (!in_.step(written.whole) || !in_.enter(kLevels, written.whole)) return Value::error();
  Value v = in_.name_space(std::string(written.dotted), nullptr);
  known_.emplace(path, v);  // before it runs: import cycles see what is there so far
  // An imported module runs in host mode, outside of any kernel under construction.
  ModeGuard guard(in_);
  StoreGuard in_module(in_);
  KernelState* outer = std::exchange(in_.kernel_, nullptr);
  std::string outer_path = path_;
  int outer_tries = std::exchange(in_.tries_, 0);
  std::size_t kernels = in_.kernels_.size(), failures = in_.errors_.failures.size();
  Scope* scope = run(tree);
  in_.leave(kLevels);
  in_.kernels_.resize(kernels);  // its kernels belong to that file
  path_ = outer_path;
  in_.tries_ = outer_tries;
  in_.kernel_ = outer;
  v.as<Namespace>()->scope = scope;
  const Pending* raised = in_.errors_.pending ? nullptr : what_ended(*tree, failures);
  if (!raised) return v;
  const Pending& kept = failed_.emplace(path, *raised).first->second;
  import_raises(kept, written);
  const bool own = in_.anchors_.resolve(written.whole).source == trees_.front()->source().get();
  if (in_.tries_ > 0 || !own) return Value::error();
  in_.report_pending();
  return v;  // what it had bound until then is there, so that one cause makes one finding
}

// What ends the module for certain, of the failures from this one on; null: nothing does. Those of modules that it
// imports are among them.
const Pending* Modules::what_ended(const syntax::Tree& module, std::size_t first) const {
  for (std::size_t i = first; i < in_.errors_.failures.size(); ++i) {
    const Pending& p = in_.errors_.failures[i].pending;
    if (!p.certain && !p.refused) continue;
    const bool own = std::ranges::any_of(module.statements(), [&](const syntax::Tree::Statement& s) {
      return s.node->statement == in_.errors_.failures[i].statement;
    });
    if (own) return p.refused || p.type == python::kTestOutcome ? nullptr : &p;
  }
  return nullptr;
}

// What an imported module raises arrives where it is imported.
Value Modules::import_raises(const Pending& raised, const ImportPath& written) {
  const text::Diagnostic& d = raised.diagnostic;
  const std::string module = std::string(static_cast<std::size_t>(written.level), '.') + std::string(written.dotted);
  // A module that imports another passes on what that raises.
  const bool passed = d.message.starts_with("importing ");
  in_.fail(d.code, written.whole, passed ? d.message : "importing " + module + " fails: " + d.message, d.hint,
           raised.type);
  if (!in_.errors_.pending) return Value::error();
  in_.errors_.pending->exception = raised.exception;
  in_.errors_.pending->certain = true;
  in_.errors_.pending->diagnostic.related.insert(in_.errors_.pending->diagnostic.related.begin(),
                                                 {d.span, "raised here"});
  return Value::error();
}

// A failed import ends the statement where the script waits for it; else it is said at once, and what it would have
// bound is silent from here on. False: the statement ends.
bool Modules::import_failed(Scope* scope, const syntax::Name& bound) {
  if (in_.tries_ > 0 || in_.errors_.pending->fatal || !in_.errors_.pending->refused) return false;
  if (!in_.report_pending()) return false;
  if (!bound.text.empty()) scope->set(bound, Value::poison());
  return true;
}

bool Modules::import_names(const syntax::Import* node, Scope* scope) {
  for (const syntax::ImportedName& n : node->names) {
    ImportPath path{n.name, 0, n.at.begin, in_.span(n.at)};
    Value module = import(path);
    // `import a.b` binds `a`; `import a.b as c` binds the inner module.
    std::size_t dot = n.name.find('.');
    if (!module.is_error() && dot != std::string_view::npos && n.bound.text == n.name.substr(0, dot)) {
      path.dotted = n.name.substr(0, dot);
      module = import(path);
    }
    if (!module.is_error()) {
      scope->set(n.bound, module);
    } else if (!import_failed(scope, n.bound)) {
      return false;
    }
  }
  return true;
}

// Everything that `from m import *` binds, as far as it can be listed.
void Modules::import_all(Value module, Scope* scope) {
  Namespace* ns = module.as<Namespace>();
  in_.hold(scope);
  if (!ns) {
    open_.push_back({scope, module});
    return;
  }
  if (ns->scope) {
    for (auto& b : std::vector(ns->scope->bindings)) {
      if (!b.name.starts_with("_")) scope->set(b.name, b.value);
    }
    if (Value why = everything_of(ns->scope); !why.is_none()) open_.push_back({scope, why});
    return;
  }
  if (ns->space.empty()) {
    open_.push_back({scope, Value::opaque(in_.keep("the module " + quoted(ns->path) + std::string(1, '\0')).data())});
    return;
  }
  for (const Record* record : in_.surface_->names(ns->space)) {
    if (!record->is_offered()) continue;
    Value v = in_.denoted(*record);
    if (v.is_error()) {
      in_.errors_.pending.reset();
      continue;
    }
    scope->set(record->name, v);
  }
}

// One name of a module. Error tag without a pending error: it has none of that name.
Value Modules::imported_name(Value module, const ImportPath& path, const syntax::ImportedName& n) {
  // Kept with its end, for values that say where they come from.
  std::string dotted = joined(path.dotted, n.name);
  ImportPath inner{in_.keep(dotted + std::string(1, '\0')).substr(0, dotted.size()), path.level, ~0u, in_.span(n.at)};
  if (path.level == 0 && is_traced_library(inner.dotted) && !is_traced_library(path.dotted)) {
    return of_traced_library(inner);
  }
  Namespace* ns = module.as<Namespace>();
  if (!ns) {
    if (!module.is_opaque()) return module;
    // A folder without a script of its own, or a package that is not here.
    if (loader_) {
      if (auto tree = load(inner.dotted, path.level)) {
        return import_script(tree, inner);
      }
      in_.reuse_.asked_otherwise();
      auto names = beside(path.dotted, path.level);
      if (path.level > 0 && names && std::ranges::find(*names, n.name) == names->end()) {
        text::Nearest nearest(n.name);
        for (const std::string& name : *names) nearest.consider(name);
        if (!nearest.found().empty() || path.dotted.empty()) {
          std::string hint = nearest.found().empty() ? "" : "did you mean " + std::string(nearest.found()) + "?";
          return in_.refuse(code::kImport, imported_at(n),
                            "there is no module " + quoted(std::string(static_cast<std::size_t>(path.level), '.') +
                                                           std::string(inner.dotted)),
                            std::move(hint), "ImportError");
        }
      }
    }
    if (path.level == 0) {
      if (Value v = python_module(in_, inner.dotted); !v.is_none()) return v;
    }
    return module;
  }
  if (ns->scope) {
    if (auto* b = ns->scope->find(n.name)) return b->value;
    if (loader_) {
      if (auto tree = load(inner.dotted, path.level)) {
        return import_script(tree, inner);
      }
    }
    const syntax::Name asked{n.name, syntax::hash_name(n.name), {}};
    if (Value why = may_be(ns->scope, asked, true); !why.is_none()) return why;
    if (is_given(n.name)) return Value::opaque("what Python gives each module");
    Nearby near(n.name);
    for (const Scope::Binding& b : ns->scope->bindings) near.consider(b.name);
    in_.reuse_.asked_otherwise();
    auto modules = beside(path.dotted, path.level);
    if (modules) {
      for (const std::string& m : *modules) near.consider(m);
    }
    return in_.refuse(code::kAttribute, imported_at(n), quoted(ns->path) + " has no name " + quoted(n.name),
                      near.hint(), "ImportError");
  }
  if (!ns->lookup) return Value::opaque("a module that imports itself");
  if (path.level == 0 && is_dialect_module(inner.dotted) && !runs_prelude()) {
    if (auto moved = moved_module(inner.dotted, in_.dialect_))
      return in_.refuse(code::kImport, imported_at(n), not_in(in_.dialect_, inner.dotted),
                        instead(in_.dialect_, *moved), "ImportError");
  }
  Value v = ns->lookup(in_, *ns, n.name);
  if (in_.errors_.pending) {
    if (!in_.errors_.pending->diagnostic.span) in_.errors_.pending->diagnostic.span = imported_at(n);
    return v;
  }
  if (ns->space.empty() && !is_dialect_module(ns->path)) {  // of Python's library, of which we know a part
    std::string_view nearest = python::nearest_in_library(ns->path, n.name);
    if (nearest.empty()) return v.is_error() ? Value::opaque(in_.keep(inner.dotted).data()) : v;
    return in_.refuse(code::kAttribute, imported_at(n), quoted(ns->path) + " has no name " + quoted(n.name),
                      "did you mean " + std::string(nearest) + "?", "ImportError");
  }
  if (!v.is_error()) return v;
  if (lists_name(path.dotted, n.name) && !in_.surface_->is_of_another_release(ns->space, n.name))
    return Value::opaque(inner.dotted.data());
  return in_.refuse(code::kAttribute, imported_at(n), quoted(ns->path) + " has no name " + quoted(n.name),
                    advice_of(*ns, n.name), "ImportError");
}

text::Span Modules::imported_at(const syntax::ImportedName& n) const {
  std::string_view text = in_.top_level_ ? std::string_view(in_.top_level_->text) : std::string_view();
  text::Span at = in_.span(n.at);
  if (at.begin < text.size() && text.substr(at.begin).starts_with(n.name)) {
    at.end = at.begin + static_cast<std::uint32_t>(n.name.size());
  }
  return at;
}

std::string Modules::advice_of(const Namespace& ns, std::string_view name) const {
  std::string hint =
      ns.space == "lang" ? "" : in_.surface_->advice(ns.record ? std::string_view(ns.path) : ns.space, name);
  const bool tile = ns.path.starts_with("Tx") || ns.space.starts_with("T.tile");
  if (ns.space.starts_with("T") && (hint.empty() || hint.starts_with("did you mean"))) {
    const std::string path = tile ? std::string(name) : "T." + std::string(name);
    std::string foreign = foreign_hint(tile ? ForeignSpace::Tile : ForeignSpace::Any, path, in_.dialect_);
    if (!foreign.empty()) return foreign;
  }
  // One slip away from what the module itself has: `tir` of `tvm.script` is no name of another module.
  if (std::string_view here = nearest_in_module(ns.path, name);
      !here.empty() && is_dialect_module(ns.path) && hint.empty() && text::edit_distance(name, here, 1) <= 1) {
    return "did you mean " + std::string(here) + "?";
  }
  // The modules below `lang` give parts of what it has.
  if (std::string_view other = module_with(name); !other.empty() && other != ns.path && !ns.space.starts_with("T")) {
    return "it is a name of " + std::string(other);
  }
  if (!hint.empty() || !is_dialect_module(ns.path)) return hint;
  std::string_view nearest = nearest_in_module(ns.path, name);
  return nearest.empty() ? "" : "did you mean " + std::string(nearest) + "?";
}

bool Modules::import_from(const syntax::ImportFrom* node, Scope* scope) {
  if (node->module == "__future__") {
    const bool defers = std::ranges::any_of(node->names, [](const auto& n) { return n.name == "annotations"; });
    if (defers) scope->set(kDeferredAnnotations, Value::boolean(true));
    return true;
  }
  std::string_view text = in_.top_level_ ? std::string_view(in_.top_level_->text) : std::string_view();
  ImportPath path{node->module, node->level, after_from(text, node->at), in_.span(node)};
  Value module = import(path);
  if (module.is_error()) {
    if (!import_failed(scope, {})) return false;
    for (const syntax::ImportedName& n : node->names) {
      if (n.name == "*")
        open_.push_back({scope, Value::poison()});
      else
        scope->set(n.bound, Value::poison());
    }
    return true;
  }
  for (const syntax::ImportedName& n : node->names) {
    if (n.name == "*") {
      import_all(module, scope);
      continue;
    }
    Value v = imported_name(module, path, n);
    if (!v.is_error()) {
      scope->set(n.bound, v);
    } else if (!import_failed(scope, n.bound)) {
      return false;
    }
  }
  return true;
}

}  // namespace tilewright::script
