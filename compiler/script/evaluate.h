// From a parsed file to its kernels: runs the module, finds its entries, evaluates each (script.md 4).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/interpreter.h"
#include "compiler/script/options.h"

namespace tilewright::script {

// Why an entry is one.
enum class EntryKind : std::uint8_t {
  Module,       // a kernel bound at module level
  Call,         // made by a module-level statement, bound to no name
  Defaults,     // a factory whose parameters all have defaults
  Configs,      // get_kernel(**CONFIGS[i])
  Parametrize,  // a literal parametrize list
  Comment,      // # tilewright: entry ...
  Requested,    // --entry
};
std::string_view entry_kind_name(EntryKind kind);

struct Entry {
  EntryKind kind = EntryKind::Module;
  std::string expression;  // in the namespace of the module
  text::Span span;         // where it comes from
  std::vector<KernelValue*> kernels;
};

// A function that makes kernels once it is given arguments.
struct Factory {
  std::string signature;  // "make_copy(shape, dtype)"
  text::Span span;
};

// A function that looks like a kernel, of which nothing was looked at.
struct Unchecked {
  std::string name;
  std::string why;  // "txl.kernel is not known here, it comes from the module 'txl'"
  text::Span span;  // of its decorator
};

// Owns everything that its kernels point to.
class Evaluation {
 public:
  std::shared_ptr<const syntax::Tree> tree;
  text::Anchors anchors;
  std::vector<text::Diagnostic> diagnostics;
  std::vector<Entry> entries;
  // Not evaluated, as EvaluateOptions::all_entries says: without kernels.
  std::vector<Entry> other_entries;
  std::vector<Factory> open_factories;
  std::vector<Unchecked> unchecked;
  Scope* module = nullptr;
  DialectChoice dialect;  // as find_dialect() finds it
  bool stopped = false;   // a limit or a cancellation ended it: the lists are incomplete
  // It has walked over a set whose order Python draws; and whether anything that it made depends on that.
  bool walks_drawn_set = false, order_matters = false;

  // The paths of the scripts that ran: this one, then what it imports. The dialect's own are not among them.
  std::vector<std::string> files() const;

  Interpreter& interpreter() { return *interpreter_; }
  Arena& arena() { return store_->arena; }

 private:
  friend std::unique_ptr<Evaluation> evaluate(std::shared_ptr<const syntax::Tree>, Loader*, text::Context,
                                              const EvaluateOptions&);
  friend class EntryFinder;
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
  std::unique_ptr<Interpreter> interpreter_;
};

// Never fails: what goes wrong is in diagnostics. `context.diagnostics` is not used.
std::unique_ptr<Evaluation> evaluate(std::shared_ptr<const syntax::Tree> tree, Loader* loader, text::Context context,
                                     const EvaluateOptions& options);

// Evaluates one expression as a script would, with the names of the layout algebra and `T` known: `tilewright layout`.
struct ExpressionResult {
  std::unique_ptr<Evaluation> evaluation;
  Value value;
};
ExpressionResult evaluate_expression(std::string_view text, text::Context context);

}  // namespace tilewright::script
