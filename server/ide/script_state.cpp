#include "server/ide/script_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/session/silence.h"
#include "server/ide/trials.h"

namespace tilewright::ide {
namespace {

std::shared_ptr<const session::Settings> settings_of(const project::LoadedFile& file,
                                                     const ScriptStateOptions& options) {
  auto out = std::make_shared<session::Settings>();
  out->limits = file.config.limits;
  out->dialect_hints = file.config.dialect;
  if (file.dialect) out->dialect_hints->setting = {*file.dialect, "--dialect"};
  out->architectures = options.archs;
  out->project_targets = file.config.targets;
  out->entries = options.entries;
  out->deny_fallback = options.deny_fallback;
  out->severity = [config = file.config](std::vector<text::Diagnostic>& diagnostics) {
    project::apply_severity(config, diagnostics);
  };
  return out;
}

FoundHere found_here(const text::Diagnostic& d, const text::Anchors& anchors, const std::string& path) {
  FoundHere out{.code = std::string(d.code),
                .message = d.message,
                .hint = d.hint,
                .severity = d.severity,
                .at = place_in(d.span, anchors, path),
                .related = {},
                .said = nullptr};
  for (const text::Related& r : d.related)
    if (const auto at = place_in(r.span, anchors, path)) out.related.push_back(*at);
  return out;
}

}  // namespace

std::optional<ScriptState> ScriptState::of(const project::LoadedFile& file, const ScriptStateOptions& options,
                                           const std::stop_token& stop) {
  if (file.undecodable) return std::nullopt;
  std::shared_ptr<script::Loader> loader = project::beside(file).loader;
  return of(std::make_shared<session::Snapshot>(file.tree, 0, settings_of(file, options), std::move(loader),
                                                std::make_shared<session::KernelCache>()),
            options, stop);
}

std::optional<ScriptState> ScriptState::of(const Script& script, const ScriptStateOptions& options,
                                           const std::stop_token& stop) {
  ScriptState out;
  out.options_ = &options;
  out.snapshot_ = script;
  return out.look(stop) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ScriptState> ScriptState::after(const work::Edit& edit, const std::stop_token& stop) const {
  ScriptState out;
  out.options_ = options_;
  out.known_ = known_;
  out.snapshot_ = snapshot_->after(edit.begin, edit.end, edit.text);
  return out.look(stop) ? std::optional(std::move(out)) : std::nullopt;
}

Query ScriptState::query(const std::stop_token& stop) const {
  Query q;
  q.snapshot = snapshot_;
  q.stop = stop;
  return q;
}

bool ScriptState::look(const std::stop_token& stop) {
  analysis_ = snapshot_->analyse_all(stop);
  if (!analysis_) return false;
  for (const session::Finding& f : analysis_->findings) {
    FoundHere& one = found_.emplace_back(found_here(*f.diagnostic, *f.anchors, snapshot_->path()));
    one.said = f.diagnostic;
  }
  auto count = [&](text::Severity s) {
    return static_cast<std::size_t>(std::ranges::count(found_, s, &FoundHere::severity));
  };
  // Errors come first: what does not compile is not simulated as it is meant.
  if (options_->simulate && count(text::Severity::Error) == 0 && !simulate(stop)) return false;
  counts_ = {count(text::Severity::Error), count(text::Severity::Warning)};
  return true;
}

std::optional<std::vector<FoundHere>> ScriptState::trial(std::size_t& untried, const std::stop_token& stop,
                                                         Known* keep) const {
  std::vector<FoundHere> out;
  TrialOptions how;
  if (options_->brief) how.budget = run::TrialBudget::brief();
  how.budget.jobs = options_->jobs;
  how.known = known_.get();
  how.keep = keep;
  const auto& severity = snapshot_->settings()->severity;
  for (const session::Compiled& compiled : analysis_->compiled) {
    std::size_t left = 0;
    const text::Anchors& anchors = compiled.evaluation->anchors;
    std::vector<text::Diagnostic> said = try_kernels(compiled, *snapshot_->tree(), how, stop, left);
    if (severity) severity(said);
    for (const text::Diagnostic& d : said) {
      if (session::reason_for(*snapshot_->tree(), d, anchors)) continue;  // silenced
      FoundHere one = found_here(d, anchors, snapshot_->path());
      const bool known = std::ranges::any_of(out, [&](const FoundHere& f) {  // for another architecture
        return f.at == one.at && f.code == one.code && f.message == one.message;
      });
      if (!known) out.push_back(std::move(one));
    }
    untried = std::max(untried, left);
    if (stop.stop_requested()) return std::nullopt;
  }
  return out;
}

bool ScriptState::simulate(const std::stop_token& stop) {
  Known kept;
  auto more = trial(untried_, stop, known_ ? nullptr : &kept);
  if (!more) return false;
  if (!known_) known_ = std::make_shared<const Known>(std::move(kept));
  std::ranges::move(*more, std::back_inserter(found_));
  return true;
}

std::optional<std::size_t> ScriptState::simulated(const std::stop_token& stop) const {
  std::size_t untried = 0;
  auto found = trial(untried, stop, nullptr);
  if (!found) return std::nullopt;
  return static_cast<std::size_t>(
      std::ranges::count_if(*found, [](const FoundHere& f) { return f.severity <= text::Severity::Warning; }));
}

}  // namespace tilewright::ide
