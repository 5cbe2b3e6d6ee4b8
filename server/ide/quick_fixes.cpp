#include "server/ide/quick_fixes.h"

#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/session/codes.h"
#include "server/ide/foreign_fixes.h"
#include "server/ide/hint_fixes.h"
#include "server/ide/lines.h"
#include "server/ide/release_fixes.h"
#include "server/ide/store_fixes.h"

namespace tilewright::ide {
namespace {

// A line above the whole top-level statement, decorators included.
Stretch above(const Query& q, Stretch at) {
  std::string_view text = q.snapshot->source().text();
  std::uint32_t begin = line_begin(text, at.begin);
  for (const syntax::Tree::Statement& s : q.snapshot->tree()->statements()) {
    if (s.offset <= at.begin && at.begin < s.offset + s.node->text.size()) begin = line_begin(text, s.offset);
  }
  return {begin, begin};
}

// The edit that a diagnostic carries.
std::vector<QuickFix> carried(const Query& q, const text::Fix& fix, Stretch at) {
  switch (fix.kind) {
    case text::Fix::Kind::None: break;
    case text::Fix::Kind::OneLane: break;  // only where it has been tried (call_fixes)
    case text::Fix::Kind::Replace: return {{fix.title, at, fix.text, true}};
    case text::Fix::Kind::LineAbove: return {{fix.title, above(q, at), fix.text + "\n", true}};
  }
  return {};
}

// A name that a function of the library looked up for a text of the call: alloc_mma(shape, "float61") asks T for it.
std::vector<QuickFix> text_fixes(const Query& q, const text::Diagnostic& said, Stretch at) {
  constexpr std::string_view kMissing = "'T' has no attribute '", kMeant = "did you mean T.";
  if (!said.message.starts_with(kMissing) || !said.hint.starts_with(kMeant) || !said.hint.ends_with('?')) return {};
  const std::string_view text = q.snapshot->source().text();
  const std::string_view wrong = std::string_view(said.message).substr(kMissing.size());
  const std::string quoted = "\"" + std::string(wrong.substr(0, wrong.find('\''))) + "\"";
  const std::string meant = said.hint.substr(kMeant.size(), said.hint.size() - kMeant.size() - 1);
  const std::size_t found = text.find(quoted, at.begin);
  if (found == text.npos || found + quoted.size() > at.end) return {};
  const auto begin = static_cast<std::uint32_t>(found + 1);
  const auto end = static_cast<std::uint32_t>(found + quoted.size() - 1);
  return {{"Replace by " + meant, {begin, end}, meant, true}};
}

// Findings about a name or an operand that another release may have.
bool is_of_names(std::string_view code) {
  return code == script::code::kAttribute || code == script::code::kArguments || code == script::code::kIntrinsic ||
         code == script::code::kImport;
}

// What the hint says to write, where that holds.
std::vector<QuickFix> hint_fixes(const Query& q, const text::Diagnostic& said, Stretch at,
                                 const session::Analysis& analysis) {
  constexpr std::size_t kMostCandidates = 8;
  std::vector<QuickFix> candidates = hint_candidates(q, said, at);
  candidates.resize(std::min(candidates.size(), kMostCandidates));
  for (QuickFix& m : candidates) {
    if (!holds(q, said, at, analysis, m)) continue;
    m.preferred = true;
    return {std::move(m)};
  }
  return {};
}

}  // namespace

std::vector<QuickFix> quick_fixes(const Query& q, const FixedFinding& finding, const session::Analysis& analysis,
                                  std::size_t& tries) {
  const std::string& code = finding.code;
  const text::Diagnostic* said = finding.said;
  const Stretch at = finding.at;
  const text::Fix fix = finding.carried ? *finding.carried : said ? said->fix : text::Fix();
  const bool tried = tries > 0;  // one try covers all kinds of edits for this finding
  auto may_try = [&] {
    if (!said || tries <= 0) return false;
    --tries;
    return true;
  };
  std::vector<QuickFix> fixes;
  const bool may_import = said && said->hint.find("add: import") != said->hint.npos;
  if (ForeignFixes foreign = said ? foreign_fixes(q, *said, at) : ForeignFixes(); foreign.known && !may_import) {
    if (foreign.fixes.empty() || !may_try()) return {};
    std::erase_if(foreign.fixes, [&](const QuickFix& m) { return !holds(q, *said, at, analysis, m); });
    return std::move(foreign.fixes);
  }
  const bool of_call = code.starts_with("TW30") || code.starts_with("TW31");
  if (of_call && fix.kind != text::Fix::Kind::Replace && may_try()) fixes = call_fixes(q, *said, at, analysis);
  if (code == script::code::kRegion && may_try()) fixes = store_fixes(q, *said, at, analysis);
  if (code == script::code::kIndex && may_try()) fixes = slice_fixes(q, *said, at, analysis);
  const bool target = code == session::code::kComment && fix.text.starts_with("sm_");
  if (target && may_try()) fixes = target_fixes(q, *said, at, analysis);
  // A name whose import was forgotten is not the one that is spelled nearly so.
  if (code == script::code::kName && !fix.text.starts_with("T.")) fixes = name_fixes(q, at);
  if (fixes.empty() && said && is_of_names(code)) fixes = release_fixes(q, at, analysis);
  if (fixes.empty() && said && code == script::code::kAttribute) fixes = text_fixes(q, *said, at);
  if (fixes.empty()) fixes = carried(q, fix, at);
  if (fixes.empty() && said && tried) {
    fixes = hint_fixes(q, *said, at, analysis);
    if (!fixes.empty() && tries > 0) --tries;
  }
  return fixes;
}

}  // namespace tilewright::ide
