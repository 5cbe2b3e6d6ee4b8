#include "server/work/build.h"

#include <algorithm>

#include "compiler/toolchain/line_map.h"
#include "server/project/dialect_hints.h"
#include "server/project/load.h"
#include "server/work/checked.h"
#include "server/work/instructions.h"
#include "server/work/tools.h"

namespace tilewright::work {
namespace {

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
  out.failed = kernel.failed;
  if (!kernel.lowered) return out;
  out.symbol = kernel.lowered->symbol;
  out.dynamic_shared_bytes = kernel.lowered->plan.dynamic_shared_bytes;
  return out;
}

// What the tools made of a kernel, and what they have to say at lines of the script.
void take(const ToolWork& work, bool instructions, std::vector<text::Diagnostic>& diagnostics, BuiltKernel& out) {
  const toolchain::KernelResources* resources = take_messages(work, diagnostics);
  const auto& made = *work.made;
  if (resources) out.resources = *resources;
  if (made) {
    if (!resources) out.unknown = "the compiler said nothing of its resources";
    if (!instructions) return;
    if (made->sass.empty())
      out.unknown = "its instructions are not known: " + made->sass_missing;
    else
      out.instructions = count_instructions(made->sass);
    return;
  }
  using Kind = toolchain::Error::Kind;
  out.unknown = made.error().message;
  out.failed = out.failed || made.error().kind == Kind::Compilation;
  out.may_pass = made.error().kind != Kind::NoCuda && made.error().kind != Kind::Compilation;
}

}  // namespace

// How a build is to be made.
struct Builder::Made {
  unsigned jobs = 1;
  bool fresh = false;  // as if nothing had been kept
  const std::stop_token& stop;
};

bool Builder::holds(const Kept& kept, const std::string& path, const BuildOptions& options) const {
  if (!(kept.options == options) || !(workspace_.state_of(path) == kept.state)) return false;
  const std::filesystem::path settings = project::config_file(path);
  if (settings != kept.settings || !(workspace_.state_of(settings) == kept.settings_state)) return false;
  for (const auto& [base, state] : kept.bases)
    if (!(workspace_.state_of(base) == state)) return false;
  if (!(project::around(path, {}) == kept.dialect_hints)) return false;
  return std::ranges::all_of(kept.imports, [&](const project::ImportedFile& i) { return workspace_.still(i); });
}

std::shared_ptr<const Builder::Kept> Builder::known(const std::string& path) {
  std::lock_guard lock(mutex_);
  const auto at = kept_.find(path);
  return at == kept_.end() ? nullptr : at->second;
}

Builder::Answer Builder::build(const std::string& path, const BuildOptions& options, unsigned jobs,
                               const std::stop_token& stop) {
  if (const auto before = known(path); before && holds(*before, path, options)) return {before->script, false};
  bool fresh = false;
  {
    std::lock_guard lock(mutex_);
    fresh = forgotten_.contains(path);
  }
  auto kept = std::make_shared<Kept>();
  kept->options = options;
  kept->state = workspace_.state_of(path);  // before it is read: what changes in between is noticed
  kept->settings = project::config_file(path);
  kept->settings_state = workspace_.state_of(kept->settings);
  const auto config = project::find_config(path);
  if (config) {
    for (const std::filesystem::path& base : config->bases) kept->bases.emplace_back(base, workspace_.state_of(base));
  }
  kept->dialect_hints = config && !config->dialect.setting ? config->dialect : project::around(path, {});
  bool anew = true;
  if (auto found = fresh || !config ? std::nullopt : builds_.find(path, options, *config)) {
    kept->script = std::move(found->script);
    kept->imports = std::move(found->imports);
    anew = false;
  } else {
    auto made = make(*kept, path, {jobs, fresh, stop});
    if (!made) return {};
    kept->script = std::move(made);
  }
  Answer out{kept->script, anew};
  std::lock_guard lock(mutex_);
  if (anew) forgotten_.erase(path);
  if (std::ranges::any_of(out.script->kernels, &BuiltKernel::may_pass))
    kept_.erase(path);
  else
    kept_[path] = std::move(kept);
  return out;
}

std::shared_ptr<BuiltScript> Builder::make(Kept& kept, const std::string& path, const Made& how) {
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
  auto take = [&](session::Compiled compiled) {
    return compile(checked.compiled.emplace_back(std::move(compiled)), kept, how, *out);
  };
  if (!project::compile_each(*file, project::architectures(*file, kept.options.architectures), options, how.stop, take))
    return nullptr;
  for (const session::Finding& found : findings(checked)) {
    out->findings.push_back(build_finding(found, path));
    out->errors += found.diagnostic->severity == text::Severity::Error;
    out->warnings += found.diagnostic->severity == text::Severity::Warning;
  }
  kept.imports = imports->imports();
  builds_.keep(*file, kept.options, kept.imports, *out);
  return out;
}

// False: stopped.
bool Builder::compile(session::Compiled& compiled, const Kept& kept, const Made& how, BuiltScript& out) {
  std::vector<ToolWork> work;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    if (kernel.cuda)
      work.push_back({&kernel});
    else
      out.kernels.push_back(described(kernel));
  }
  toolchain::Request wanted;
  wanted.want_ptx = false;
  wanted.want_cubin = false;
  wanted.want_sass = kept.options.instructions;
  wanted.fresh = how.fresh;
  wanted.stop = how.stop;
  if (!run_tools(tools_, work, wanted, how.jobs) || how.stop.stop_requested()) return false;
  for (const ToolWork& one : work)
    take(one, kept.options.instructions, compiled.diagnostics, out.kernels.emplace_back(described(*one.kernel)));
  return true;
}

std::vector<std::string> Builder::imports(const std::string& path, const std::stop_token& stop) {
  auto file = project::load(path);
  if (!file) return {};
  auto imports = workspace_.recording_loader(file->place);
  file->loader = std::make_unique<SharedImports>(imports);
  session::CompileOptions options;
  options.stage = session::Stage::Evaluate;
  project::compile(*file, options, stop);
  return files_of(imports->imports());
}

std::size_t Builder::forget(const std::vector<std::string>& paths) {
  std::lock_guard lock(mutex_);
  for (const std::string& path : paths) {
    kept_.erase(path);
    forgotten_.insert(path);
  }
  return paths.size();
}

std::optional<std::string> Builder::kept_runs(const std::string& path, const BuildOptions& options,
                                              const std::string& words) {
  {
    std::lock_guard lock(mutex_);
    if (forgotten_.contains(path)) return std::nullopt;
  }
  const auto identity = builds_.identity(path, options);
  return identity ? builds_.find_runs(*identity, words) : std::nullopt;
}

void Builder::keep_runs(const std::string& path, const BuildOptions& options, const std::string& words,
                        const std::string& bytes) {
  if (const auto identity = builds_.identity(path, options)) builds_.keep_runs(*identity, words, bytes);
}

}  // namespace tilewright::work
