#include "compiler/script/last_run.h"

#include <algorithm>

#include "compiler/text/lookup.h"

namespace tilewright::script {

std::pair<LastRun::Statements, LastRun::Statements> LastRun::differing(const syntax::Tree& tree) const {
  const Statements before = tree_ ? Statements(tree_->statements()) : Statements(), now(tree.statements());
  const std::size_t least = std::min(before.size(), now.size());
  std::size_t head = 0, tail = 0;
  while (head < least && before[head].node == now[head].node) ++head;
  while (tail < least - head && before[before.size() - 1 - tail].node == now[now.size() - 1 - tail].node) ++tail;
  return {before.subspan(head, before.size() - head - tail), now.subspan(head, now.size() - head - tail)};
}

const StatementOutcome* LastRun::outcome(const Statement* statement) const {
  return text::found_in(outcomes_, statement);
}

LastRun::Changes LastRun::changes_to(const syntax::Tree& tree) const {
  Changes out;
  if (!tree_) return out;
  out.until = tree.statements().size();
  const auto [gone, come] = differing(tree);
  std::vector<std::uint32_t> names;  // that changed and were not followed yet, by their hashes
  auto changed = [&](const Statement* s) {
    if (!out.statements.insert(s).second) return;
    for (const syntax::Name& name : s->free_names().bound) names.push_back(name.hash);
  };
  for (const auto& s : gone) {
    const StatementOutcome* known = outcome(s.node.get());
    if (!known || known->reaches_others)
      out.until = std::min(out.until, static_cast<std::size_t>(gone.data() - tree_->statements().data()));
    changed(s.node.get());
  }
  for (const auto& s : come) changed(s.node.get());
  std::unordered_set<std::uint32_t> followed;
  while (!names.empty()) {
    const std::uint32_t name = names.back();
    names.pop_back();
    if (!followed.insert(name).second) continue;
    auto by = mentions_.find(name);
    if (by == mentions_.end()) continue;
    for (const Statement* s : by->second) changed(s);
  }
  return out;
}

void LastRun::update(std::shared_ptr<const syntax::Tree> tree,
                     std::vector<std::pair<const Statement*, StatementOutcome>> outcomes,
                     std::vector<std::shared_ptr<const syntax::Tree>> answers) {
  const auto [gone, come] = differing(*tree);
  for (const auto& s : gone) {
    for (const syntax::Name& name : s.node->names) {
      std::vector<const Statement*>& by = mentions_[name.hash];
      std::erase(by, s.node.get());
      if (by.empty()) mentions_.erase(name.hash);
    }
    outcomes_.erase(s.node.get());
  }
  for (const auto& s : come) {
    for (const syntax::Name& name : s.node->names) mentions_[name.hash].push_back(s.node.get());
  }
  for (auto& [statement, outcome] : outcomes) outcomes_[statement] = std::move(outcome);
  tree_ = std::move(tree);
  answers_ = std::move(answers);
}

Rerun::Rerun(std::unique_ptr<LastRun> last, std::shared_ptr<const syntax::Tree> tree)
    : last_(last ? std::move(last) : std::make_unique<LastRun>()),
      tree_(std::move(tree)),
      changes_(last_->changes_to(*tree_)) {}

void Rerun::enter(std::size_t number) {
  current_ = tree_->statements()[number].node.get();
  known_ = nullptr;
  making_ = {};
  holds_ = holds_ && number < changes_.until;
  if (!holds_) return;
  const StatementOutcome* before = last_->outcome(current_);
  if (!changes_.statements.contains(current_)) {
    known_ = before;
    holds_ = known_ != nullptr;
  } else if (before && before->reaches_others) {
    holds_ = false;
  }
}

void Rerun::ran(StatementOutcome outcome) {
  if (outcome.reaches_others) holds_ = false;
  outcomes_.emplace_back(current_, std::move(outcome));
}

void Rerun::made(std::shared_ptr<KernelRecord> kernel,
                 std::vector<std::shared_ptr<const syntax::TopLevel>> statements) {
  making_.kernel = std::move(kernel);
  making_.statements = std::move(statements);
}

void Rerun::answered(std::shared_ptr<const syntax::Tree> tree) {
  const auto& before = last_->answers();
  if (answers_.size() >= before.size() || before[answers_.size()] != tree) {
    holds_ = false;
    known_ = nullptr;
  }
  answers_.push_back(std::move(tree));
}

std::unique_ptr<LastRun> Rerun::finish(bool complete) {
  if (complete && repeatable_) last_->update(tree_, std::move(outcomes_), std::move(answers_));
  return std::move(last_);
}

}  // namespace tilewright::script
