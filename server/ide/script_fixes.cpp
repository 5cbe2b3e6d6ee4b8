#include "server/ide/script_fixes.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "compiler/dispatch/codes.h"
#include "compiler/script/codes.h"
#include "compiler/threads/pause.h"
#include "server/ide/quick_fixes.h"
#include "server/ide/script_state.h"
#include "server/ide/sync_fixes.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kMostFindings = 64;                 // of a script whose fixes are tried, in one pass
constexpr std::size_t kMostOfOne = 3;                     // fixes that a finding is offered
constexpr std::size_t kMostApplied = 1000;                // of one script
constexpr std::size_t kMostSimulated = 64;                // edits that are simulated for one finding
constexpr std::chrono::seconds kMostTime{20};             // that the simulations of one step of `fix` may take
constexpr std::chrono::milliseconds kMostOfEditor{1000};  // that fixes of one finding in an open document may take
constexpr std::size_t kMostOfScript = 96;                 // edits that are simulated for all findings of one report

bool is_wanted(const FoundHere& f, const FixOptions& options) {
  if (!f.at) return false;
  if (!options.codes.empty()) return std::ranges::find(options.codes, f.code) != options.codes.end();
  return f.severity == text::Severity::Error || f.severity == text::Severity::Warning;
}

ScriptStateOptions state_options(const FixOptions& o) {
  return {
      .entries = o.entries, .archs = o.archs, .deny_fallback = o.deny_fallback, .simulate = o.simulate, .jobs = o.jobs};
}

// As the script ends its lines.
std::string with_line_ends(std::string text, std::string_view script) {
  if (script.find("\r\n") == script.npos) return text;
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 2)) {
    if (at == 0 || text[at - 1] != '\r') text.insert(at, "\r");
  }
  return text;
}

std::size_t how_many(const ScriptState& state, const FoundHere& like) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.found(), [&](const FoundHere& f) { return f.code == like.code && f.message == like.message; }));
}

bool is_of_name(const FoundHere& f) { return f.code == script::code::kName || f.code == script::code::kAttribute; }

// One statement has one error at a time: is what is said now another wrong name, further on?
bool goes_on(const ScriptState& before, const ScriptState& now, const FoundHere& finding) {
  if (!is_of_name(finding)) return false;
  return std::ranges::all_of(now.found(), [&](const FoundHere& f) {
    const bool known = how_many(before, f) >= how_many(now, f);
    return known || (is_of_name(f) && f.at && f.at->begin > finding.at->begin);
  });
}

// Errors of the script itself: with them it is not simulated, and what the simulator would find is not among the
// counts.
std::size_t script_errors(const ScriptState& state) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.found(), [](const FoundHere& f) { return f.said && f.severity == text::Severity::Error; }));
}

// Is the finding gone, with no more left than before?
bool is_better(const ScriptState& before, const ScriptState& now, const FoundHere& finding) {
  if (how_many(now, finding) >= how_many(before, finding) || script_errors(now) > script_errors(before)) return false;
  const work::FindingCounts &was = before.counts(), &is = now.counts();
  if (is.errors > was.errors || is.all() > was.all() || now.untried() > before.untried()) return false;
  const bool counts = finding.severity == text::Severity::Error || finding.severity == text::Severity::Warning;
  return !counts || is.all() < was.all() || is.errors < was.errors || goes_on(before, now, finding);
}

// Is a statement that the edit puts in itself found fault with, or does it ask for another architecture?
bool inserts_a_finding(const ScriptState& now, const work::Edit& edit) {
  const std::size_t end = edit.begin + edit.text.size();
  return edit.begin == edit.end && std::ranges::any_of(now.found(), [&](const FoundHere& f) {
           return f.at && f.at->begin >= edit.begin && f.at->begin < end;
         });
}

// What may be spent on simulations: most kernels take milliseconds, a few take seconds.
struct Budget {
  std::size_t simulations = 0;
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + kMostTime;
  bool used_up = false;  // something was not tried for that
  bool spend() {
    if (simulations == 0 || std::chrono::steady_clock::now() > until) used_up = true;
    if (!used_up) --simulations;
    return !used_up;
  }
};

struct Tried {
  work::FindingFix fix;
  ScriptState after;
};

// A call that many threads make is guarded where one thread is meant; which one, and how much goes with it, the
// simulator tells: with the wrong guard barriers count wrongly.
std::vector<Tried> guard_fixes(const ScriptState& state, const FoundHere& finding, const std::stop_token& stop,
                               Budget& budget);

Tried tried_as(const FoundHere& finding, QuickFix& m, work::Edit edit, ScriptState after) {
  return {{finding.code, finding.message, finding.at->begin, std::move(m.title), std::move(edit)}, std::move(after)};
}

// What the simulator then finds clean; where nothing makes it so, the edit that leaves least.
std::vector<Tried> simulated_fixes(const ScriptState& state, const FoundHere& finding, const std::stop_token& stop,
                                   Budget& budget) {
  std::vector<Tried> best;
  std::size_t left = kMostSimulated;
  for (QuickFix& m : sync_candidates(state, finding)) {
    if (left-- == 0 || !budget.spend()) break;
    work::Edit edit{m.at.begin, m.at.end, with_line_ends(std::move(m.text), state.text())};
    auto after = state.after(edit, stop);
    if (!after) {
      budget.used_up = true;
      break;
    }
    if (!is_better(state, *after, finding) || inserts_a_finding(*after, edit)) continue;
    const std::size_t is = after->counts().all();
    // A copy once more is the fix only where nothing else is wrong.
    if (is > 0 && edit.begin == edit.end && edit.text.find("copy_async(") != edit.text.npos) continue;
    if (!best.empty() && is >= best.front().after.counts().all()) continue;
    best.clear();
    best.push_back(tried_as(finding, m, std::move(edit), std::move(*after)));
    if (is == 0) break;
  }
  return best;
}

std::vector<Tried> guard_fixes(const ScriptState& state, const FoundHere& finding, const std::stop_token& stop,
                               Budget& budget) {
  std::size_t left = kMostSimulated;
  for (QuickFix& m : guard_candidates(state, finding)) {
    if (left-- == 0 || !budget.spend()) break;
    work::Edit edit{m.at.begin, m.at.end, with_line_ends(std::move(m.text), state.text())};
    auto after = state.after(edit, stop);
    if (!after) {
      budget.used_up = true;
      break;
    }
    if (!is_better(state, *after, finding) || after->simulated(stop) != 0) continue;
    std::vector<Tried> out;
    out.push_back(tried_as(finding, m, std::move(edit), std::move(*after)));
    return out;
  }
  return {};
}

// The fixes of one finding that hold when they are tried, at most so many. `budget`: edits that may be simulated.
std::vector<Tried> tried_fixes(const ScriptState& state, const FoundHere& finding, std::size_t most,
                               const std::stop_token& stop, Budget& budget) {
  if (is_of_simulator(finding.code)) return simulated_fixes(state, finding, stop, budget);
  const bool threads = finding.code == dispatch::code::kManyThreads;
  if (threads) {
    if (std::vector<Tried> guards = guard_fixes(state, finding, stop, budget); !guards.empty()) return guards;
  }
  const Query q = state.query(stop);
  std::size_t tries = 1;
  std::vector<QuickFix> fixes =
      quick_fixes(q, {finding.code, *finding.at, std::nullopt, finding.said}, state.analysis(), tries);
  std::ranges::stable_partition(fixes, &QuickFix::preferred);
  std::vector<Tried> out;
  for (QuickFix& m : fixes) {
    if (out.size() == most) break;
    budget.used_up = stop.stop_requested();
    if (budget.used_up) break;
    work::Edit edit{m.at.begin, m.at.end, with_line_ends(std::move(m.text), state.text())};
    auto after = state.after(edit, stop);
    if (!after || !is_better(state, *after, finding)) continue;
    if (threads && after->simulated(stop) != 0) continue;
    out.push_back(tried_as(finding, m, std::move(edit), std::move(*after)));
  }
  return out;
}

// The first finding from the byte `from` on that has a fix. `untried`: how many before it had fixes that were not
// tried.
std::optional<Tried> first_fixed(const ScriptState& state, const FixOptions& options, std::uint32_t from,
                                 const std::stop_token& stop, std::size_t& untried) {
  std::size_t left = kMostFindings;
  Budget budget{kMostOfScript};
  untried = 0;
  for (const FoundHere& f : state.found()) {
    if (!is_wanted(f, options) || f.at->begin < from) continue;
    if (stop.stop_requested()) break;
    budget.used_up = left == 0;
    if (left > 0) {
      --left;
      if (std::vector<Tried> tried = tried_fixes(state, f, 1, stop, budget); !tried.empty())
        return std::move(tried.front());
    }
    untried += budget.used_up;
  }
  return std::nullopt;
}

// A stop that comes of itself after some time: what is under way then is given up.
class Deadline {
 public:
  Deadline(std::chrono::milliseconds time, const std::stop_token& outer)
      : outer_(outer, [this] { over_.request_stop(); }), clock_([this, time](const std::stop_token& ended) {
          if (threads::pause(time, ended)) over_.request_stop();
        }) {
    if (time.count() == 0) over_.request_stop();
  }
  std::stop_token token() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  std::stop_callback<std::function<void()>> outer_;
  std::jthread clock_;  // last: ends first
};

// From 1.
std::uint32_t file_line(std::string_view text, std::uint32_t at) {
  return static_cast<std::uint32_t>(std::ranges::count(text.substr(0, at), '\n')) + 1;
}

}  // namespace

work::FindingFixes script_fixes(const project::LoadedFile& file, const FixOptions& options,
                                const std::stop_token& stop) {
  work::FindingFixes out;
  const ScriptStateOptions how = state_options(options);
  const auto state = ScriptState::of(file, how, stop);
  if (!state) return out;
  const Deadline over(options.time, stop);
  std::size_t left = kMostFindings;
  Budget budget{kMostOfScript};
  for (const FoundHere& f : state->found()) {
    if (!is_wanted(f, options)) continue;
    if (left > 0 && !over.token().stop_requested()) {
      --left;
      budget.used_up = false;
      for (Tried& t : tried_fixes(*state, f, kMostOfOne, over.token(), budget)) out.tried.push_back(std::move(t.fix));
      if (!budget.used_up && !over.token().stop_requested()) continue;
    }
    out.untried.push_back({f.code, f.message, f.at->begin});
  }
  return out;
}

std::vector<work::FindingFix> simulator_fixes(const Script& script, const std::string& code, Stretch at,
                                              const std::stop_token& stop) {
  std::vector<work::FindingFix> out;
  const Deadline over(kMostOfEditor, stop);
  const ScriptStateOptions how{.entries = {}, .archs = {}, .simulate = true, .brief = true};
  const auto state = ScriptState::of(script, how, over.token());
  if (!state) return out;
  Budget budget{kMostOfScript};
  for (const FoundHere& f : state->found()) {
    if (f.code != code || !f.at || f.at->begin != at.begin) continue;
    for (Tried& t : tried_fixes(*state, f, kMostOfOne, over.token(), budget)) out.push_back(std::move(t.fix));
  }
  return out;
}

work::FixedScript fix_script(const project::LoadedFile& file, const FixOptions& options, const std::stop_token& stop) {
  work::FixedScript out{
      .text = std::string(file.source->text()), .applied = {}, .before = {}, .after = {}, .untried = 0};
  const ScriptStateOptions how = state_options(options);
  auto state = ScriptState::of(file, how, stop);
  out.stopped = stop.stop_requested();
  if (!state) return out;
  out.before = state->counts();
  // Goes through the text, and once more from the beginning until nothing was left to do.
  std::uint32_t from = 0;
  bool changed = false;
  while (!stop.stop_requested() && out.applied.size() < kMostApplied) {
    auto next = first_fixed(*state, options, from, stop, out.untried);
    if (!next) {
      if (!changed) break;
      from = 0;
      changed = false;
      continue;
    }
    changed = true;
    from = std::min(next->fix.at, next->fix.edit.begin);
    const std::uint32_t line = file_line(state->text(), next->fix.at);
    out.applied.push_back({next->fix.code, next->fix.message, next->fix.title, line});
    state.emplace(std::move(next->after));
  }
  out.text = std::string(state->text());
  out.after = state->counts();
  out.stopped = stop.stop_requested();
  return out;
}

}  // namespace tilewright::ide
