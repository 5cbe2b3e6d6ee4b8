// What the last evaluation of a document left behind, one statement of its module at a time, so that the next one finds
// what it need not find out again.
//
// A statement does what it did before if its text is the same and all that its names lead to came about as before. That
// is read off the names alone, without looking at a value: a changed statement changes the names that it binds, and so
// does, in turn, each statement that mentions one of these, whether it stands above or below. What a name leads to can
// also be changed behind it: a list that grows, an attribute, another module. So a statement that may do such things
// *reaches others*, and where one of them is new, gone or among those that changed, nothing of what stands below it is
// taken for known.
//
// Whatever is not known here is found out as in a first evaluation; a kernel by its key (memo.h).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/layout/layout.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

struct KernelRecord;

// What running one statement came to.
struct StatementOutcome {
  // It may have changed more than the names that it binds.
  bool reaches_others = true;
  // It defines this kernel, and nothing else happened. Null: something else.
  std::shared_ptr<KernelRecord> kernel;
  std::vector<std::shared_ptr<const syntax::TopLevel>> statements;  // those that the kernel's key describes
  // It binds a name to this layout, which it made, and nothing else happened. Null: something else.
  std::shared_ptr<const layout::Layout> layout;
  std::vector<std::int64_t> shape{};   // of the layout's tile (LayoutValue)
  std::uint64_t steps = 0, bytes = 0;  // what that took of the file's limits
};

class LastRun {
 public:
  using Statement = syntax::TopLevel;

  // What of it does not hold for another text.
  struct Changes {
    std::unordered_set<const Statement*> statements;  // that are new, or mention what changed
    std::size_t until = 0;                            // from this statement on nothing is known
  };
  Changes changes_to(const syntax::Tree& tree) const;
  // Null: that statement was not in it.
  const StatementOutcome* outcome(const Statement* statement) const;
  // What the loader gave to the imports, in their order.
  const std::vector<std::shared_ptr<const syntax::Tree>>& answers() const { return answers_; }

  // From here on it tells of a run of `tree`, in which these statements came to something else than known before.
  void update(std::shared_ptr<const syntax::Tree> tree,
              std::vector<std::pair<const Statement*, StatementOutcome>> outcomes,
              std::vector<std::shared_ptr<const syntax::Tree>> answers);

 private:
  using Statements = std::span<const syntax::Tree::Statement>;
  // The statements of the two texts between those that they begin and end with alike: of this run, and of `tree`.
  std::pair<Statements, Statements> differing(const syntax::Tree& tree) const;

  std::shared_ptr<const syntax::Tree> tree_;  // null: there was no run
  std::unordered_map<const Statement*, StatementOutcome> outcomes_;
  std::unordered_map<std::uint32_t, std::vector<const Statement*>> mentions_;  // by the hash of a name
  std::vector<std::shared_ptr<const syntax::Tree>> answers_;
};

// A run of a module that goes by what is left of the last one.
class Rerun {
 public:
  Rerun(std::unique_ptr<LastRun> last, std::shared_ptr<const syntax::Tree> tree);

  // The statement with this number is run next.
  void enter(std::size_t number);
  void leave() { current_ = nullptr; }
  const syntax::TopLevel* current() const { return current_; }  // null: none is
  // What the current statement is going to come to. Null: it is not known.
  const StatementOutcome* known() const { return known_; }
  // What it came to, where that was not known.
  void ran(StatementOutcome outcome);
  // The current statement made a kernel, of its own definition, that can be used again.
  void made(std::shared_ptr<KernelRecord> kernel, std::vector<std::shared_ptr<const syntax::TopLevel>> statements);
  StatementOutcome& making() { return making_; }
  // The loader was asked.
  void answered(std::shared_ptr<const syntax::Tree> tree);
  // Its answer cannot be held against the next one: this run is not remembered.
  void asked_otherwise() { repeatable_ = false; }

  // What the next run is given. `complete`: all statements ran, and nothing but the script decided what they did.
  std::unique_ptr<LastRun> finish(bool complete);

 private:
  std::unique_ptr<LastRun> last_;
  std::shared_ptr<const syntax::Tree> tree_;
  LastRun::Changes changes_;
  bool holds_ = true;
  bool repeatable_ = true;
  const syntax::TopLevel* current_ = nullptr;
  const StatementOutcome* known_ = nullptr;
  StatementOutcome making_;
  std::vector<std::pair<const syntax::TopLevel*, StatementOutcome>> outcomes_;
  std::vector<std::shared_ptr<const syntax::Tree>> answers_;
};

}  // namespace tilewright::script
