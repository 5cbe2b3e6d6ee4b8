// What an evaluation takes over from earlier ones: kernels by their key (memo.h), and what the statements of the
// script's own module came to the last time (last_run.h). Without a memo everything is evaluated.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/script/value.h"
#include "compiler/syntax/tree.h"
#include "compiler/text/digest.h"

namespace tilewright::script {

class Interpreter;
class KernelMemo;
class Rerun;
struct KernelRecord;
struct StatementOutcome;

class Reuse {
 public:
  Reuse(Interpreter& in, KernelMemo* memo);
  ~Reuse();

  // Evaluates the kernel of a function, or finds that it was evaluated before.
  Value evaluate(Function* function, const Arguments* constexprs, bool is_private, bool persistent);

  // ---- the run of the script's own module beside the last one: outcomes.cpp ----
  bool remembers_runs() const;
  void begin_run(std::shared_ptr<const syntax::Tree> tree);
  // The statement with this number is run next.
  void enter(std::size_t number);
  // `complete`: all statements ran.
  void end_run(bool complete);
  // How far the evaluation is.
  struct Progress {
    std::uint64_t steps;
    std::size_t bytes, objects, kernels, failures, diagnostics;
    std::uint64_t asked, calls;
  };
  // What is looked at before a statement runs. `is_new`: what it comes to is not known from the last run.
  struct Before {
    Progress progress;
    bool is_new = false;
    bool inert = false;  // nothing that a name of the statement leads to can be changed by a callee that is given it
  };
  // Binds what the statement is known to make, instead of running it. False: it has to run.
  bool bind_known(const syntax::TopLevel& statement, Scope* module);
  Before before(const syntax::TopLevel& statement, Scope* module);
  void ran(const syntax::TopLevel& statement, Scope* module, const Before& before);

  // ---- what is noted on the way ----
  // The loader was asked and gave this; or was asked what cannot be held against the next run.
  void answered(const std::shared_ptr<const syntax::Tree>& tree);
  void asked_otherwise();
  // A function of the script's own is called.
  void note_call() { ++calls_; }
  // A record could not be placed into this file beside what it holds already: the evaluation must run without a memo.
  void note_conflict() { conflict_ = true; }
  bool has_conflict() const { return conflict_; }
  // The script changed an object of the prelude.
  void touch_prelude() { prelude_touched_ = true; }

 private:
  Value take(Function* function, const std::shared_ptr<KernelRecord>& record,
             const std::vector<std::shared_ptr<const syntax::TopLevel>>& statements);
  // Nothing: the kernel can reach something that a key does not describe.
  std::optional<text::Digest> key_of(Function* function, const Arguments* constexprs, bool is_private, bool persistent,
                                     std::vector<std::shared_ptr<const syntax::TopLevel>>* statements);
  // What is part of the key of every kernel, and decides what the module's statements do.
  text::Digest surroundings() const;
  Progress progress() const;
  bool names_inert(const syntax::TopLevel& statement, Scope* module);
  bool decorates_only(const syntax::Node* decorator, Scope* module);
  StatementOutcome outcome_of(const syntax::TopLevel& statement, Scope* module, const Before& start);

  Interpreter& in_;
  KernelMemo* const memo_;        // null: none
  std::unique_ptr<Rerun> rerun_;  // while the script's own module runs, if the last time is remembered
  bool conflict_ = false;
  bool prelude_touched_ = false;
  std::uint64_t calls_ = 0;  // of the script's own functions, but for those that a reusable kernel made
};

}  // namespace tilewright::script
