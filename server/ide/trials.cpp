#include "server/ide/trials.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "compiler/dispatch/codes.h"
#include "compiler/run/report.h"
#include "compiler/session/run_comments.h"
#include "compiler/simulate/codes.h"
#include "compiler/text/letters.h"

namespace tilewright::ide {

namespace {

// The kernels that a comment `sequence a then b` names before this one.
struct Before {
  std::vector<std::shared_ptr<const lower::LoweredKernel>> kernels;
  std::string missing;  // the first that was not compiled: then the kernel is tried alone
};

Before before_in_sequence(const session::CompiledKernel& kernel, const session::Compiled& compiled,
                          const syntax::Tree& tree) {
  constexpr std::string_view kSequence = "sequence ", kThen = " then ";
  for (const syntax::Directive& directive : tree.directives()) {
    if (!directive.text.starts_with(kSequence)) continue;
    std::string_view rest = directive.text.substr(kSequence.size());
    Before before;
    for (bool more = true; more;) {
      const std::size_t end = rest.find(kThen);
      more = end != rest.npos;
      const std::string_view part = rest.substr(0, end);
      if (more) rest.remove_prefix(end + kThen.size());
      if (session::same_entry(kernel.entry->expression, part)) {
        if (!before.missing.empty()) before.kernels.clear();
        return before;
      }
      auto at = std::ranges::find_if(compiled.kernels, [&](const session::CompiledKernel& other) {
        return session::same_entry(other.entry->expression, part);
      });
      if (at != compiled.kernels.end() && at->lowered) {
        before.kernels.push_back(at->lowered);
      } else if (before.missing.empty()) {
        before.missing = part;
      }
    }
  }
  return {};
}

}  // namespace

std::vector<text::Diagnostic> trial_diagnostics(const run::Trial& trial, const session::CompiledKernel& kernel,
                                                const text::Anchors& anchors) {
  std::vector<text::Diagnostic> out;
  for (const simulate::Finding& f : trial.findings) out.push_back(run::diagnostic_of(f, anchors));
  for (const run::Trial::Left& left : trial.unchecked) {
    text::Diagnostic d;
    d.code = simulate::code::kUntried;
    d.severity = text::Severity::Hint;
    d.message = "synchronisation of " + kernel.entry->expression + " is not wholly checked: " + left.why;
    d.span = left.origin.span ? left.origin.span : kernel.value->kernel.span;
    out.push_back(std::move(d));
  }
  auto note = [&](const std::string& how) {
    text::Diagnostic d;
    d.code = simulate::code::kUntried;
    d.severity = text::Severity::Hint;
    d.message = "synchronisation of " + kernel.entry->expression + how;
    d.span = kernel.value->kernel.span;
    out.push_back(std::move(d));
  };
  for (const std::string& tried : trial.tried) note(" was checked at made-up values: " + tried);
  if (!trial.shown.empty())
    note(" is checked for all CTAs: " + trial.shown +
         " were tried, and the other CTAs do the same and write elsewhere: shown from addresses");
  return out;
}

namespace {

// A finding goes to the diagnostics, in the severity that the settings give it, or to what is silenced. A note about
// what was not looked at is dropped where it is silenced: the summary says it all the same.
void place(text::Diagnostic d, session::Compiled& compiled, const project::LoadedFile& file) {
  std::optional<std::string> reason = session::reason_for(*file.tree, d, compiled.evaluation->anchors);
  const auto set = file.config.severity.find(d.code);
  const bool off = set != file.config.severity.end() && !set->second;
  const bool by_comment = reason.has_value();
  if (!reason && off) reason = "[severity] of " + file.config.file.filename().string();
  if (!reason) {
    if (set != file.config.severity.end()) d.severity = *set->second;
    compiled.diagnostics.push_back(std::move(d));
  } else if (d.code != simulate::code::kUntried) {
    compiled.silenced.push_back({std::move(d), std::move(*reason), by_comment});
  }
}

bool same_values(const std::map<std::string, run::Number, std::less<>>& a,
                 const std::map<std::string, run::Number, std::less<>>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.real == y.second.real && x.second.integer == y.second.integer &&
           x.second.floating == y.second.floating;
  });
}

bool same_fills(const std::map<std::string, inputs::Fill, std::less<>>& a,
                const std::map<std::string, inputs::Fill, std::less<>>& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return x.first == y.first && x.second.text == y.second.text; });
}

// A trial of `now`, whose kernels and values are given; one that is known is not repeated.
run::Trial trial_of(KnownTrial now, const TrialOptions& options, const std::stop_token& stop) {
  if (options.known)
    for (const KnownTrial& k : *options.known)
      if (k.kernels == now.kernels && same_values(k.values, now.values) && same_fills(k.fills, now.fills))
        return k.trial;
  run::TrialBudget budget = options.budget;
  budget.values = now.values;
  budget.fills = now.fills;
  for (std::size_t i = 1; i < now.kernels.size(); ++i) budget.before.push_back(now.kernels[i].get());
  run::Trial trial = run::try_out(*now.kernels.front(), budget, stop);
  if (options.keep && !trial.stopped) {
    now.trial = trial;
    options.keep->push_back(std::move(now));
  }
  return trial;
}

}  // namespace

std::vector<text::Diagnostic> try_kernels(const session::Compiled& compiled, const syntax::Tree& tree,
                                          const TrialOptions& options, const std::stop_token& stop,
                                          std::size_t& untried) {
  std::vector<text::Diagnostic> out;
  // Entries of one function find the same at the same place: one fault, one finding.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string_view>> seen;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    if (!kernel.lowered || !kernel.cuda) {
      ++untried;
      continue;
    }
    Before before = before_in_sequence(kernel, compiled, tree);
    KnownTrial wanted{.kernels = {kernel.lowered},
                      .values = session::numbers_said(kernel, compiled, tree),
                      .fills = session::fills_said(kernel, compiled, tree),
                      .trial = {}};
    wanted.kernels.insert(wanted.kernels.end(), before.kernels.begin(), before.kernels.end());
    run::Trial trial = trial_of(std::move(wanted), options, stop);
    if (trial.stopped) {
      untried = compiled.kernels.size();
      return out;
    }
    if (!before.missing.empty())
      trial.unchecked.push_back({before.missing +
                                     ", which its sequence runs before it, was not compiled: it was tried " +
                                     "alone, on made-up inputs",
                                 {}});
    untried += !trial.unchecked.empty();
    for (text::Diagnostic& d : trial_diagnostics(trial, kernel, compiled.evaluation->anchors))
      if (d.code == simulate::code::kUntried || seen.emplace(d.span.anchor, d.span.begin, d.code).second)
        out.push_back(std::move(d));
  }
  return out;
}

std::string_view statement_at(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  return text.substr(begin, text.find('\n', end) - begin);
}

namespace {

bool share_an_index(std::string_view one, std::string_view other) {
  const auto names_of = [](std::string_view text) {
    std::set<std::string_view> out;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
      std::size_t end = i;
      while (end < text.size() && text::is_name_byte(text[end])) ++end;
      if (end == i) continue;
      if (depth > 0 && !std::isdigit(static_cast<unsigned char>(text[i]))) out.insert(text.substr(i, end - i));
      i = end - 1;
    }
    return out;
  };
  const auto names = names_of(one);
  return std::ranges::any_of(names_of(other), [&](std::string_view name) { return names.contains(name); });
}

bool same_place(const text::Diagnostic& a, const text::Diagnostic& b) {
  return a.span.anchor == b.span.anchor && a.span.begin == b.span.begin;
}

bool is_outside(const text::Diagnostic& d) { return d.code == simulate::code::kOutOfBounds; }

// Is `found`, an access that left its buffer, one of which `known` says that it may: the same place of a kernel, or the
// same name in an index of both, `s[i + 1]` and `w[i]`?
bool is_known_overrun(const PlacedFinding& known, const PlacedFinding& found) {
  return known.said->code == dispatch::code::kOverrun && known.said->span.anchor == found.said->span.anchor &&
         (same_place(*known.said, *found.said) || share_an_index(known.statement, found.statement));
}

}  // namespace

std::vector<TakenFinding> taken_by_overruns(std::span<const PlacedFinding> all) {
  std::vector<TakenFinding> out;
  std::vector<bool> is_taken(all.size());
  const auto take = [&](std::size_t one, std::size_t by, bool is_related) {
    is_taken[one] = true;
    out.push_back({one, by, is_related});
  };
  for (std::size_t by = 0; by < all.size(); ++by) {
    if (!is_outside(*all[by].said)) continue;  // few are, of any number of findings
    for (std::size_t i = 0; i < all.size() && !is_taken[by]; ++i) {
      if (is_taken[i] || !is_known_overrun(all[i], all[by])) continue;
      const bool elsewhere = !same_place(*all[i].said, *all[by].said);
      take(i, by, elsewhere);
      for (std::size_t race = 0; elsewhere && race < all.size(); ++race)
        if (!is_taken[race] && all[race].said->code == simulate::code::kRace &&
            same_place(*all[race].said, *all[i].said))
          take(race, by, true);
    }
  }
  return out;
}

namespace {

// What a kernel does there says more than what it may do.
void fold_overruns(std::vector<text::Diagnostic>& found, std::vector<text::Diagnostic>& known,
                   const text::Anchors& anchors) {
  if (std::ranges::none_of(found, is_outside)) return;
  std::vector<PlacedFinding> all;
  for (const auto* list : {&known, &found}) {
    for (const text::Diagnostic& d : *list) {
      const text::Anchors::Place at = anchors.resolve(d.span);
      all.push_back({&d, at.source ? statement_at(at.source->text(), at.begin, at.end) : std::string_view()});
    }
  }
  const std::size_t first = known.size();
  std::vector<bool> is_taken(all.size());
  for (const TakenFinding& t : taken_by_overruns(all)) {
    is_taken[t.one] = true;
    if (t.by < first || !t.is_related) continue;
    found[t.by - first].related.push_back({all[t.one].said->span, all[t.one].said->message});
  }
  std::size_t at = 0;
  for (auto* list : {&known, &found}) std::erase_if(*list, [&](const text::Diagnostic&) { return is_taken[at++]; });
}

}  // namespace

std::size_t try_out_all(session::Compiled& compiled, const project::LoadedFile& file, unsigned jobs,
                        const std::stop_token& stop) {
  std::size_t untried = 0;
  TrialOptions options;
  options.budget.jobs = jobs;
  std::vector<text::Diagnostic> found = try_kernels(compiled, *file.tree, options, stop, untried);
  fold_overruns(found, compiled.diagnostics, compiled.evaluation->anchors);
  for (text::Diagnostic& d : found) place(std::move(d), compiled, file);
  return untried;
}

}  // namespace tilewright::ide
