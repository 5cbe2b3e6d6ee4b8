#include "server/ide/actions.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "compiler/session/codes.h"
#include "compiler/session/silence.h"
#include "server/ide/lines.h"
#include "server/ide/look.h"
#include "server/ide/quick_fixes.h"
#include "server/ide/script_fixes.h"
#include "server/ide/sync_fixes.h"

namespace tilewright::ide {
namespace {

class Actions {
 public:
  explicit Actions(const session::Snapshot& script)
      : crlf_(script.source().text().find("\r\n") != std::string_view::npos) {}

  // The bytes become `text`.
  void add(std::string title, Action::Kind kind, Stretch at, std::string text, const ShownDiagnostic* fixes = nullptr,
           bool preferred = false) {
    out_.push_back({std::move(title), kind, at, with_line_ends(std::move(text)), fixes, preferred});
  }
  std::vector<Action> take() { return std::move(out_); }

 private:
  // As the document ends its lines.
  std::string with_line_ends(std::string text) const {
    if (!crlf_) return text;
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 2)) {
      if (at == 0 || text[at - 1] != '\r') text.insert(at, "\r");
    }
    return text;
  }

  bool crlf_;
  std::vector<Action> out_;
};

// Where the line's comment begins, or its end.
std::uint32_t comment_begin(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  char quote = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    char c = text[i];
    if (quote && c == '\\') {
      ++i;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
    } else if (!quote && c == '#') {
      return i;
    }
  }
  return end;
}

// What cannot be read, and what fails a kernel, cannot be silenced.
bool can_silence(const text::Diagnostic& d) { return !d.fails && !d.code.starts_with("TW10"); }

// What an offered comment gives as the reason: true of each who takes the offer, and to be replaced by a better one.
constexpr std::string_view kReason = ": reviewed, meant as it is";

// Would the text, put at a place, be read as a comment for us there? It is none within a string.
bool is_read(const Query& q, std::uint32_t at, const std::string& text) {
  const text::Source& source = q.snapshot->source();
  auto edited = std::make_shared<text::Source>(source, at, at, text);
  const text::Edit edit{at, at, at + static_cast<std::uint32_t>(text.size())};
  const std::uint32_t line = source.position(at).line;
  return std::ranges::any_of(syntax::Tree::reparse(*q.snapshot->tree(), edited, edit)->directives(),
                             [&](const syntax::Directive& d) { return d.line == line; });
}

// Adds a code to the line's `# tilewright: ignore[...]`, or the comment to the line.
void silence(Actions& actions, const Query& q, const ShownDiagnostic& diagnostic) {
  const std::string& code = diagnostic.code;
  const bool reasoned = session::needs_reason(code);
  const std::string entry = reasoned ? code + std::string(kReason) : code;
  const std::string title = "Silence " + code + " here" + (reasoned ? ", with a reason to edit" : "");
  std::uint32_t offset = diagnostic.at.begin;
  std::string_view text = q.snapshot->source().text();
  std::uint32_t line = q.snapshot->source().position(offset).line;
  for (const syntax::Directive& d : q.snapshot->tree()->directives()) {
    if (d.line != line) continue;
    if (!d.text.starts_with("ignore")) return;  // a comment cannot follow a comment
    auto add = [&](const char* place, std::string more) {
      const auto at = static_cast<std::uint32_t>(place - text.data());
      actions.add(title, Action::Kind::QuickFix, {at, at}, std::move(more), &diagnostic);
    };
    // A code that is there and says nothing gets its reason.
    for (const session::IgnoredCode& had : session::ignored_codes(d.text))
      if (had.code == code) return add(had.code.data() + had.code.size(), std::string(kReason));
    const std::size_t open = d.text.find('[');
    const std::size_t close = open == d.text.npos ? open : session::closing_bracket(d.text, open);
    if (close != d.text.npos) add(d.text.data() + close, ", " + entry);
    return;
  }
  std::uint32_t end = line_end(text, offset);
  if (end > line_begin(text, offset) && text[end - 1] == '\\') return;  // the statement goes on
  // A comment that is there already goes behind: what is ours begins its comment.
  std::uint32_t at = comment_begin(text, line_begin(text, offset), end);
  std::string comment = "# tilewright: ignore[" + entry + "]";
  comment = at == end ? "  " + comment : comment + "  ";
  if (is_read(q, at, comment)) actions.add(title, Action::Kind::QuickFix, {at, at}, std::move(comment), &diagnostic);
}

// Findings of one question whose edits are tried: who selects a whole script waits no longer than for a few of them.
constexpr std::size_t kMostTried = 4;

// Fixes what can be fixed; what silences comes after everything else (`silences`).
void for_diagnostics(Actions& actions, Actions& silences, const Query& q, std::span<const ShownDiagnostic> shown,
                     const session::Analysis& analysis) {
  const text::Source& source = q.snapshot->source();
  std::size_t tries = kMostTried;
  for (const ShownDiagnostic& d : shown) {
    const Stretch at{d.at.begin, std::max(d.at.begin, d.at.end)};
    const text::Diagnostic* said = nullptr;
    for (const session::Finding& f : analysis.findings) {
      text::Anchors::Place place = f.anchors->resolve(f.diagnostic->span);
      if (said || place.source != &source || f.diagnostic->code != d.code || place.begin != at.begin) continue;
      said = f.diagnostic;
    }
    std::vector<QuickFix> fixes = quick_fixes(q, {d.code, at, d.fix, said}, analysis, tries);
    for (QuickFix& m : fixes) {
      actions.add(std::move(m.title), Action::Kind::QuickFix, m.at, std::move(m.text), &d, m.preferred);
    }
    if (is_of_simulator(d.code) && !said && tries > 0) {
      --tries;
      for (work::FindingFix& f : simulator_fixes(q.snapshot, d.code, at, q.stop))
        actions.add(std::move(f.title), Action::Kind::QuickFix, {f.edit.begin, f.edit.end}, std::move(f.edit.text), &d);
    }
    if (said && !can_silence(*said)) continue;
    silence(silences, q, d);
  }
}

// `dispatch="name"` as a new keyword, or in place of the one that is there.
void variants(Actions& actions, const Query& q, const Found& found, const session::Analysis& analysis) {
  const syntax::Call* call = nullptr;
  std::vector<EvaluatedCall> calls;
  for (std::size_t up = 0; const syntax::Node* node = found.above(up); ++up) {
    call = syntax::as<syntax::Call>(node);
    if (!call) continue;
    calls = calls_in(analysis, q.snapshot->source(), found.begin(call), found.end(call));
    if (!calls.empty()) break;
  }
  if (!call || calls.empty()) return;
  const syntax::Keyword* forced = nullptr;
  for (const syntax::Keyword& k : call->keywords) {
    if (k.name.text == "dispatch") forced = &k;
  }
  std::uint32_t offset = found.statement->offset;
  std::string_view text = q.snapshot->source().text();
  for (const dispatch::Trial& trial : calls.front().report->trials) {
    bool serves = trial.outcome == dispatch::Outcome::Chosen ||
                  (trial.outcome == dispatch::Outcome::NotTried && trial.reason.starts_with("would serve"));
    if (!serves) continue;
    std::string quoted = "\"" + std::string(trial.variant) + "\"";
    if (forced) {
      if (trial.outcome == dispatch::Outcome::Chosen) continue;
      actions.add("Force the variant " + std::string(trial.variant), Action::Kind::Rewrite,
                  {offset + forced->value->at.begin, offset + forced->value->at.end}, quoted);
      continue;
    }
    // Behind the last argument, before what follows it.
    std::uint32_t last = call->function->at.end + 1;
    for (const syntax::Node* arg : call->args) last = std::max(last, arg->at.end);
    for (const syntax::Keyword& k : call->keywords) last = std::max(last, k.value->at.end);
    std::uint32_t at = offset + last;
    // A parenthesised last argument ends behind its own parentheses.
    std::uint32_t close = found.end(call) - 1;
    for (std::uint32_t i = at; i < close; ++i) {
      if (text[i] == ')') at = i + 1;
      if (text[i] == '#' || text[i] == ',') break;
    }
    bool empty = call->args.empty() && call->keywords.empty();
    actions.add("Force the variant " + std::string(trial.variant), Action::Kind::Rewrite, {at, at},
                (empty ? "dispatch=" : ", dispatch=") + quoted);
  }
  if (forced) {
    std::uint32_t begin = offset + forced->name.at.begin, end = offset + forced->value->at.end;
    std::size_t comma = text.find_last_not_of(" \t\r\n", begin - 1);
    if (comma != text.npos && text[comma] == ',') {
      actions.add("Let the dispatcher choose", Action::Kind::Rewrite, {static_cast<std::uint32_t>(comma), end}, "");
    }
  }
}

// Entries of the kernel or factory around the cursor that are not written down.
void pins(Actions& actions, const Query& q, const Found& found, const session::Analysis& analysis) {
  std::uint32_t begin = found.statement->offset;
  auto end = static_cast<std::uint32_t>(begin + found.statement->node->text.size());
  std::string_view text = q.snapshot->source().text();
  std::set<std::string> written, offered;
  for (const syntax::Directive& d : q.snapshot->tree()->directives()) {
    if (d.text.starts_with("entry ")) written.insert(std::string(d.text.substr(6)));
  }
  for (const session::CompiledKernel& k : analysis.first().kernels) {
    text::Anchors::Place at = analysis.first().evaluation->anchors.resolve(k.value->kernel.span);
    if (at.source != &q.snapshot->source() || at.begin < begin || at.begin >= end) continue;
    const std::string& entry = k.entry->expression;
    bool of_itself = k.entry->kind == script::EntryKind::Comment || k.entry->kind == script::EntryKind::Requested;
    if (of_itself || written.contains(entry) || entry.find('\n') != entry.npos || !offered.insert(entry).second) {
      continue;
    }
    if (offered.size() > 4) return;
    std::uint32_t line = line_begin(text, begin);
    actions.add("Pin the entry " + entry, Action::Kind::Refactor, {line, line}, "# tilewright: entry " + entry + "\n");
  }
}

}  // namespace

Answer<std::vector<Action>> actions(const Query& q, std::uint32_t offset, std::span<const ShownDiagnostic> shown) {
  auto analysis = q.analysis();
  if (!analysis) return cancelled();
  Actions actions(*q.snapshot), silences(*q.snapshot);
  for_diagnostics(actions, silences, q, shown, *analysis);
  Found found = look(*q.snapshot->tree(), offset);
  if (found.innermost()) {
    variants(actions, q, found, *analysis);
    bool on_head = std::ranges::any_of(found.path, [&](const syntax::Node* n) {
      auto* def = syntax::as<syntax::FunctionDef>(n);
      return def && offset >= found.begin(def) && offset <= found.statement->offset + def->header.end;
    });
    if (on_head) pins(actions, q, found, *analysis);
  }
  std::vector<Action> out = actions.take();
  std::ranges::move(silences.take(), std::back_inserter(out));
  return out;
}

}  // namespace tilewright::ide
