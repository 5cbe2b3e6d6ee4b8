#include "server/ide/script_state.h"

#include <algorithm>
#include <utility>

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

std::optional<Stretch> place_in(text::Span span, const text::Anchors& anchors, const std::string& path) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source || place.source->path() != path) return std::nullopt;
  return Stretch{place.begin, place.end};
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
  ScriptState out;
  out.file_ = &file;
  out.options_ = &options;
  std::shared_ptr<script::Loader> loader = project::beside(file).loader;
  out.snapshot_ = std::make_shared<session::Snapshot>(file.tree, 0, settings_of(file, options), std::move(loader),
                                                      std::make_shared<session::KernelCache>());
  return out.look(stop) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ScriptState> ScriptState::after(const work::Edit& edit, const std::stop_token& stop) const {
  ScriptState out;
  out.file_ = file_;
  out.options_ = options_;
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

bool ScriptState::simulate(const std::stop_token& stop) {
  project::LoadedFile file = project::beside(*file_);
  file.tree = snapshot_->tree();
  file.source = file.tree->source();
  session::CompileOptions options;
  options.entries = options_->entries;
  std::vector<session::Compiled> compiled;
  auto take = [&](session::Compiled made) {
    session::Compiled& c = compiled.emplace_back(std::move(made));
    c.diagnostics.clear();
    untried_ = std::max(untried_, try_out_all(c, file, options_->jobs, stop));
    return !stop.stop_requested();
  };
  if (!project::compile_each(file, project::architectures(file, options_->archs), options, stop, take)) return false;
  for (const session::Finding& f : session::findings(compiled, snapshot_->path()))
    found_.push_back(found_here(*f.diagnostic, *f.anchors, snapshot_->path()));
  return true;
}

}  // namespace tilewright::ide
