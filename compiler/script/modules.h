// The modules of an evaluation: what imports give, the script's own module and those below its root, the prelude, and
// what a name of a module may be where its text was not followed everywhere.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/script/errors.h"
#include "compiler/script/loader.h"
#include "compiler/script/value.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

struct UnknownPart;
class Interpreter;

// Bound in a module that begins with `from __future__ import annotations`; no name that a script could write.
inline constexpr std::string_view kDeferredAnnotations = "annotations are deferred";

// A dotted path as an import writes it.
struct ImportPath {
  std::string_view dotted;
  int level = 0;         // number of leading dots
  std::uint32_t at = 0;  // where it begins in its statement, where it is written in one piece
  text::Span whole;      // the import
};

class Modules {
 public:
  // A module that ran or is running.
  struct Run {
    Scope* scope;
    const syntax::Tree* tree;
    std::size_t statement;  // under way; all of them: done
  };

  Modules(Interpreter& in, Loader* loader) : in_(in), loader_(loader) {}

  // ---- running: module.cpp ----
  // Runs a module's top-level statements; each is a recovery point.
  Scope* run(std::shared_ptr<const syntax::Tree> tree, bool in_prelude = false);
  // The trees of the modules that ran, the dialect's own among them.
  const std::vector<std::shared_ptr<const syntax::Tree>>& trees() const { return trees_; }
  const std::vector<Run>& runs() const { return runs_; }
  // By path, for scripts; by dotted name for the rest.
  const std::map<std::string, Value, std::less<>>& known() const { return known_; }
  // What imported modules raised, by path.
  const std::map<std::string, Pending, std::less<>>& failed() const { return failed_; }
  // The file of the module being run.
  const std::string& path() const { return path_; }
  // Is a file of the prelude being loaded?
  bool runs_prelude() const { return path_.starts_with("prelude/"); }
  // How often something was asked of the world outside of the script, so that what follows depends on it.
  std::uint64_t asked() const { return asked_; }
  void note_asked() { ++asked_; }

  // ---- imports: imports.cpp. False, or an error tag: the statement ends with a pending error ----
  bool import_from(const syntax::ImportFrom* node, Scope* scope);
  bool import_names(const syntax::Import* node, Scope* scope);
  // A namespace, or what stands for a module that is not followed; fails where there can be no such module.
  Value import(const ImportPath& path);
  // The hint to a name that a module lacks.
  std::string advice_of(const Namespace& module, std::string_view name) const;

  // ---- the prelude: module.cpp ----
  // A name of one file of the prelude, "0.27/traced_entry.py".
  Value prelude_of(const std::string& file, std::string_view name);
  // Makes the places of a file of the prelude known, without running it.
  void bind_prelude(std::string_view file);

  // ---- names that no binding shows: unbound.cpp ----
  // What a name of a module may be, because its text was not followed everywhere. None: nothing. `from_outside`:
  // another module asks.
  Value may_be(Scope* module, const syntax::Name& name, bool from_outside);
  // What any name of a module may be. None: its names are those that its text binds.
  Value everything_of(Scope* module) const;
  // The module may have any name from here on, and `names` is what it would be.
  void open(Scope* module, Value names) { open_.push_back({module, names}); }
  // Was the name refused, as one that nothing binds?
  bool is_refused(const syntax::Name& name) const;
  void refuse(const syntax::Name& name) {
    if (!is_refused(name)) refused_.push_back(name);
  }
  std::size_t refused() const { return refused_.size(); }

  // Modules that may have any name, and what it would be.
  struct Open {
    Scope* scope;
    Value names;
  };
  const std::vector<Open>& opened() const { return open_; }

 private:
  void run_statement(const syntax::TopLevel& statement, Scope* module);
  bool statement_failed(const syntax::Node* node, Scope* scope);
  bool raises(const syntax::Node* node) const;
  void bind_printed(const syntax::Tree& script, Scope* scope);
  std::shared_ptr<const syntax::Tree> load(std::string_view dotted, int level);
  // What lies beside the statement at work; nothing: that is not known.
  std::optional<std::vector<std::string>> beside(std::string_view dotted, int level) const;
  void import_all(Value module, Scope* scope);
  Value imported_name(Value module, const ImportPath& path, const syntax::ImportedName& n);
  Value of_traced_library(const ImportPath& path);
  Value import_script(const std::shared_ptr<const syntax::Tree>& tree, const ImportPath& written);
  bool import_failed(Scope* scope, const syntax::Name& bound);
  Value import_raises(const Pending& raised, const ImportPath& written);
  const Pending* what_ended(const syntax::Tree& module, std::size_t first) const;
  void misspelt_module(const ImportPath& path);
  Value no_module(const ImportPath& path, std::string_view part, std::string_view nearest);
  Value no_module(const ImportPath& path, const UnknownPart& unknown);
  text::Span part_of_import(const ImportPath& path, std::string_view part) const;
  text::Span imported_at(const syntax::ImportedName& n) const;

  Interpreter& in_;
  Loader* const loader_;
  std::string path_;
  std::uint64_t asked_ = 0;
  std::map<std::string, Value, std::less<>> known_;
  std::map<std::string, Pending, std::less<>> failed_;
  std::vector<std::shared_ptr<const syntax::Tree>> trees_;
  std::vector<Run> runs_;
  std::vector<Open> open_;
  std::vector<syntax::Name> refused_;
};

}  // namespace tilewright::script
