// Finds the entries of a module that has run: expressions that yield kernels (script.md 4). What the author named comes
// first, then what is bound, then what can be called; what is left needs arguments, and is said to.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/script/entries/configs.h"
#include "compiler/script/evaluate.h"

namespace tilewright::script {

// `@X.prim_func`, `@X.jit`, `@X.function`, whatever X is.
bool names_kernel_decorator(const syntax::Node* decorator);
// `@X.kernel(warps=...)`, of the traced library.
bool names_traced_decorator(const syntax::Node* decorator);

class EntryFinder {
 public:
  EntryFinder(Evaluation& e, Interpreter& in, const EvaluateOptions& options);
  void run();

  // A function or a method, outside of any other one, in which a kernel stands.
  struct KernelMaker {
    const syntax::FunctionDef* function;
    const syntax::FunctionDef* kernel;  // the first
    const syntax::ClassDef* of;         // null: it is no method
    bool is_direct;                     // the kernel stands in no further function
  };

 private:
  friend class ConfigEntries;

  // A function that makes kernels.
  struct Candidate {
    syntax::Name name;  // of a method of a test's class: "TestCopy().test_rows"
    Function* function;
    bool direct;          // defines a kernel itself
    Class* of = nullptr;  // whose method it is; null: it is none
    bool served = false;
    bool called = false;    // without arguments, as its defaults allow
    std::string failure{};  // what ended that call
  };

  // ---- finder.cpp: what all of them share; kernels that module code made
  // Module-level functions that make kernels, directly or by calling one that does.
  void find_factories();
  // Tests that are methods: those of a class whose name begins with Test.
  void add_test_methods(Class* cls);
  // Kernels that a value holds: itself, a list of them, a class of them.
  void collect(Value v, std::vector<KernelValue*>& out);
  // A list may hold another, or itself, a thousand times: each is looked through once.
  using Seen = std::unordered_map<const void*, int>;  // what was looked through, and how deep it lay at least
  void collect(Value v, std::vector<KernelValue*>& out, Seen& seen, int depth);
  // The kernel has an entry already, and the module another name for it: the one that a run comment says is kept.
  void name_again(const KernelValue* kernel, const std::string& text);
  void add(EntryKind kind, std::string text, text::Span span, std::vector<KernelValue*> kernels);
  void served(const Function* f);
  // What ended these functions stands among the findings, so that other arguments need not be asked for.
  void told(const Pending& p) { told_.insert(told_.end(), p.through.begin(), p.through.end()); }
  Value specialise(Jit* jit);
  void module_bindings();
  void jit_binding(const Scope::Binding& b, Jit* jit);
  void container_binding(const Scope::Binding& b, Seen& seen);
  // A module-level statement that calls a factory and fails is the script's own error.
  void failures();
  bool reported_failures();
  bool kernels_below(std::size_t number) const;
  bool ends_module(const Pending& p, std::size_t number) const;
  // Is it by this statement's text?
  bool makes_kernels(const syntax::Tree::Statement& s) const;
  // Kernels that module-level statements made without keeping them.
  void unbound();
  // A value as an entry's expression names it.
  std::string spelled(Value v);

  // ---- written.cpp: what the author named, in comments and with --entry
  void comments();
  bool known(std::string_view text) const;
  void expression(const std::string& text, EntryKind kind, text::Span span);
  void expression_failed(const std::string& text, text::Span span, const text::Source* source, Pending p);
  void report_entry(const std::string& text, text::Span span, const std::string& message);
  // A parametrised test may hold values that no expression names; the text that it is listed under finds it all the
  // same.
  bool listed(const std::string& text);

  // ---- calls.cpp: functions that can be called
  using Combinations = std::vector<std::vector<Keyword>>;  // of arguments
  // With `wanted` only the entry that is listed so.
  void parametrized(const std::string* wanted = nullptr);
  // The product of all lists; one list may give several names ("m,n").
  Combinations combinations(const Function& f);
  Combinations multiplied(const Combinations& by, const std::vector<std::string_view>& names,
                          const std::vector<Value>& items) const;
  void defaults();
  // Calls a function for the kernels that it makes; what the host code around them does is not our concern.
  void call(Candidate& c, EntryKind kind, const std::string& text, const std::vector<Keyword>& keywords);
  // A call that is written nowhere, whose kernels need what is not known here, was a wrong guess: what it made and said
  // is forgotten. True: it was. Its kernels count as seen, so that they are not found again.
  bool forget_guess(Candidate& c, std::size_t said, std::vector<KernelValue*>& kernels);

  // ---- without_entry.cpp: kernels of which nothing else was said
  void without_entry();
  // Has it an entry, or was it told why it has none?
  bool is_accounted_for(const KernelMaker& m, std::uint32_t anchor) const;
  void tell_unchecked(text::Span span, const std::string& name, const std::string& what, const std::string& why,
                      std::string hint);
  void tell_without_entry(const KernelMaker& m, std::uint32_t anchor);

  // ---- unserved.cpp: kernels without an entry
  // Kernels that are none of the dialect's, as far as can be told: once a decorator, where it stands first.
  void unread();
  void foreign();
  void builders();
  void open();
  void open_jit(Jit* jit);
  void open_factory(Candidate& c);
  // Kernels of such a factory are what `run` expects of others; they need no entry of their own.
  bool named_as_reference(std::string_view name) const;
  bool is_told(const Function* f) const;
  // `said`: why it has no arguments stands elsewhere.
  void note(Factory f, bool said = false);

  Evaluation& e_;
  Interpreter& in_;
  const EvaluateOptions& options_;
  ConfigEntries configs_{*this};
  std::vector<Candidate> functions_;
  std::unordered_set<std::string_view> makers_;  // their names
  bool failures_reported_ = false, failures_found_ = false;
  std::vector<const Function*> told_;  // which were called and failed, and why stands among the findings
  std::vector<Function*> forgotten_;   // whose kernels came of wrong guesses alone
  std::vector<Jit*> open_jits_;        // whose compile-time parameters do not all have defaults
  std::unordered_set<const KernelValue*> seen_;
  const bool tile_script_;
};

}  // namespace tilewright::script
