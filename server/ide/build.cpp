#include "server/ide/build.h"

#include <algorithm>

#include "server/ide/checked.h"
#include "server/ide/cores.h"
#include "server/ide/words.h"
#include "server/project/load.h"

namespace tilewright::ide {
namespace {

BuildPlace place_of(text::Span span, const text::Anchors& anchors, const std::string& otherwise) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {otherwise, {}, {}};
  return {place.source->path(), place.source->position(place.begin, text::Encoding::Utf16),
          place.source->position(place.end, text::Encoding::Utf16)};
}

BuildFinding finding_of(const session::Finding& found, const std::string& path) {
  const text::Diagnostic& d = *found.diagnostic;
  BuildFinding out{place_of(d.span, *found.anchors, path), d.severity, std::string(d.code), d.message, d.hint, {}};
  for (const text::Related& r : d.related) out.related.push_back({place_of(r.span, *found.anchors, path), r.message});
  for (text::Span site : d.chain) out.related.push_back({place_of(site, *found.anchors, path), "called from here"});
  return out;
}

// The imports of a script go through what several scripts share.
class SharedImports final : public script::Loader {
 public:
  explicit SharedImports(std::shared_ptr<project::RecordingLoader> loader) : loader_(std::move(loader)) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    return loader_->load(module, level, importer);
  }
  std::optional<std::vector<std::string>> beside(std::string_view module, int level,
                                                 std::string_view importer) override {
    return loader_->beside(module, level, importer);
  }

 private:
  std::shared_ptr<project::RecordingLoader> loader_;
};

std::vector<std::string> files_of(const std::vector<project::ImportedFile>& imports) {
  std::vector<std::string> out;
  for (const project::ImportedFile& import : imports)
    if (!import.path.empty()) out.push_back(import.path);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

BuiltKernel described(const session::CompiledKernel& kernel) {
  BuiltKernel out;
  out.name = kernel.value->kernel.name;
  out.entry = kernel.entry->expression;
  out.architecture = kernel.target.name();
  if (!kernel.lowered) return out;
  out.symbol = kernel.lowered->symbol;
  out.dynamic_shared_bytes = kernel.lowered->plan.dynamic_shared_bytes;
  return out;
}

// What the tools made of a kernel: its resources, and what they have to say at lines of the script.
void take(const std::expected<toolchain::Artifacts, toolchain::Error>& made, const session::CompiledKernel& kernel,
          std::vector<text::Diagnostic>& diagnostics, BuiltKernel& out) {
  for (const toolchain::LogEntry& entry : made ? made->entries : made.error().entries)
    diagnostics.push_back(toolchain_diagnostic(entry, *kernel.cuda));
  if (made) {
    const auto at = std::ranges::find(made->kernels, kernel.lowered->symbol, &toolchain::KernelResources::name);
    if (at != made->kernels.end()) out.resources = *at;
    if (!out.resources) out.unknown = "the compiler said nothing of its resources";
    return;
  }
  using Kind = toolchain::Error::Kind;
  out.unknown = made.error().message;
  out.may_pass = made.error().kind != Kind::NoCuda && made.error().kind != Kind::Compilation;
  if (made.error().kind == Kind::Compilation && made.error().entries.empty())
    diagnostics.push_back(
        {"TW6001", text::Severity::Error, "NVRTC: " + made.error().message, kernel.value->kernel.span, {}, {}, {}});
}

}  // namespace

bool Builder::holds(const Kept& kept, const std::string& path, const BuildOptions& options) const {
  if (!(kept.options == options) || !(workspace_.state_of(path) == kept.state)) return false;
  const std::filesystem::path settings = project::config_file(path);
  if (settings != kept.settings || !(workspace_.state_of(settings) == kept.settings_state)) return false;
  return std::ranges::all_of(kept.imports, [&](const project::ImportedFile& i) { return workspace_.still(i); });
}

Builder::Answer Builder::build(const std::string& path, const BuildOptions& options, unsigned jobs,
                               const std::stop_token& stop) {
  std::shared_ptr<const Kept> known;
  {
    std::lock_guard lock(mutex_);
    if (auto at = kept_.find(path); at != kept_.end()) known = at->second;
  }
  if (known && holds(*known, path, options)) return {known->script, false};
  auto kept = std::make_shared<Kept>();
  kept->options = options;
  kept->state = workspace_.state_of(path);  // before it is read: what changes in between is noticed
  kept->settings = project::config_file(path);
  kept->settings_state = workspace_.state_of(kept->settings);
  auto made = make(*kept, path, jobs, stop);
  if (!made) return {};
  kept->script = made;
  std::lock_guard lock(mutex_);
  if (std::ranges::any_of(made->kernels, &BuiltKernel::may_pass))
    kept_.erase(path);
  else
    kept_[path] = std::move(kept);
  return {std::move(made), true};
}

std::shared_ptr<BuiltScript> Builder::make(Kept& kept, const std::string& path, unsigned jobs,
                                           const std::stop_token& stop) {
  auto out = std::make_shared<BuiltScript>();
  out->path = path;
  auto file = project::load(path);
  if (!file) {
    out->unreadable = file.error();
    return out;
  }
  auto imports = workspace_.recording_loader(file->place);
  file->loader = std::make_unique<SharedImports>(imports);
  CheckedFile checked{.path = file->source->path(), .compiled = {}};
  session::CompileOptions options;
  options.entries = kept.options.entries;
  options.deny_fallback = kept.options.deny_fallback;
  const session::NamedTargets named = project::architectures(*file, kept.options.architectures);
  options.architecture_source = named.source;
  for (ir::Target target : named.targets) {
    options.target = target;
    checked.compiled.push_back(project::compile(*file, options, stop));
    if (checked.compiled.back().stopped || !compile(checked.compiled.back(), jobs, stop, *out)) return nullptr;
  }
  for (const session::Finding& found : findings(checked)) {
    out->findings.push_back(finding_of(found, path));
    out->errors += found.diagnostic->severity == text::Severity::Error;
    out->warnings += found.diagnostic->severity == text::Severity::Warning;
  }
  kept.imports = imports->imports();
  return out;
}

// False: stopped.
bool Builder::compile(session::Compiled& compiled, unsigned jobs, const std::stop_token& stop, BuiltScript& out) {
  std::vector<const session::CompiledKernel*> programs;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    if (kernel.cuda)
      programs.push_back(&kernel);
    else
      out.kernels.push_back(described(kernel));
  }
  std::vector<std::optional<std::expected<toolchain::Artifacts, toolchain::Error>>> made(programs.size());
  auto work = [&](std::size_t i) {
    toolchain::Request request;
    request.cuda_source = programs[i]->cuda->text;
    request.arch = programs[i]->target.name();
    request.want_ptx = false;
    request.stop = stop;
    made[i] = tools_.compile(request);
  };
  auto finish = [&](std::size_t i) {
    BuiltKernel& kernel = out.kernels.emplace_back(described(*programs[i]));
    take(*made[i], *programs[i], compiled.diagnostics, kernel);
    made[i].reset();
  };
  return in_order(programs.size(), jobs, stop, work, finish) && !stop.stop_requested();
}

std::vector<std::string> Builder::imports(const std::string& path) {
  auto file = project::load(path);
  if (!file) return {};
  auto imports = workspace_.recording_loader(file->place);
  file->loader = std::make_unique<SharedImports>(imports);
  session::CompileOptions options;
  options.stage = session::Stage::Evaluate;
  project::compile(*file, options);
  return files_of(imports->imports());
}

std::size_t Builder::forget(const std::vector<std::string>& paths) {
  std::lock_guard lock(mutex_);
  std::size_t out = 0;
  for (const std::string& path : paths) out += kept_.erase(path);
  return out;
}

}  // namespace tilewright::ide
