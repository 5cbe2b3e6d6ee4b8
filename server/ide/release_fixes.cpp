#include "server/ide/release_fixes.h"

#include "compiler/migrate/migrate.h"

namespace tilewright::ide {

std::vector<QuickFix> release_fixes(const Query& q, Stretch at, const session::Analysis& analysis) {
  const text::Dialect to = analysis.first().dialect;
  if (to == text::kDialects.front().dialect) return {};
  const auto from = static_cast<text::Dialect>(static_cast<int>(to) - 1);
  auto edit = migrate::edit_at(*q.snapshot->tree(), from, to, at.begin, at.end);
  if (!edit) return {};
  return {{"Write it as " + std::string(text::dialect_name(to)) + " does",
           {edit->begin, edit->end},
           std::move(edit->text),
           true}};
}

}  // namespace tilewright::ide
