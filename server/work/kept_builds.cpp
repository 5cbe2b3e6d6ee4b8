#include "server/work/kept_builds.h"

#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/elf.h"
#include "server/work/build_record.h"

namespace tilewright::work {
namespace {

namespace fs = std::filesystem;
using toolchain::Record;

std::string digest(std::string_view bytes) { return toolchain::hex(toolchain::sha256(bytes)); }

// What an import of a file is given: its text, decoded as the workspace decodes it.
std::optional<std::string> text_of(const fs::path& file) {
  auto script = project::read_script(file, project::kMostScriptBytes);
  if (!script) return std::nullopt;
  return std::move(script->text);
}

// A file that was changed so recently may be changed again without a new time of change.
bool has_rested(const project::FileState& state) {
  return fs::file_time_type::clock::now() - state.time > std::chrono::seconds(2);
}

Record with_imports(Record key, const std::string& imports) {
  key.front().second = "built by imports 1";
  key.emplace_back("imports", imports);
  return key;
}

std::string words_of(const script::DialectHints& hints) {
  std::string out = hints.pins_disagree;
  for (const auto& said : {hints.setting, hints.pin, hints.installed}) {
    out += '\n';
    if (said) out.append(text::dialect_name(said->dialect)).append(" ").append(said->words);
  }
  return out;
}

// What of the settings a compilation follows.
std::string settings_of(const project::Config& config) {
  const text::Limits& l = config.limits;
  Record out{{"steps", std::to_string(l.steps)},
             {"memory", std::to_string(l.memory_bytes)},
             {"depth", std::to_string(l.depth)},
             {"dialect", words_of(config.dialect)}};
  for (const ir::Target target : config.targets) out.emplace_back("arch", target.name());
  for (const auto& [code, severity] : config.severity)
    out.emplace_back("severity", code + "=" + (severity ? std::to_string(static_cast<int>(*severity)) : "off"));
  return toolchain::encode(out);
}

toolchain::CacheOptions keyed(toolchain::CacheOptions cache) {
  if (cache.shared_key.empty()) cache.shared = nullptr;
  return cache;
}

bool leads_to_files(const std::vector<project::ImportedFile>& imports) {
  for (const project::ImportedFile& i : imports)
    if (!i.digest.empty()) return true;
  return false;
}

}  // namespace

KeptBuilds::KeptBuilds(toolchain::CacheOptions cache, std::string tools, const project::Workspace& workspace)
    : program_(toolchain::build_id("/proc/self/exe")),
      tools_(std::move(tools)),
      workspace_(workspace),
      cache_(keyed(std::move(cache))) {}

Record KeptBuilds::key_of(const fs::path& path, std::string_view text, const project::Config& config,
                          const BuildOptions& options) const {
  const fs::path root = project::import_root(path);
  std::error_code ec;
  Record key{{"artifact", "built 1"},  {"program", program_},
             {"tools", tools_},        {"place", fs::weakly_canonical(path, ec).lexically_relative(root).string()},
             {"script", digest(text)}, {"settings", settings_of(config)}};
  for (const std::string& name : options.architectures) key.emplace_back("arch", name);
  for (const std::string& entry : options.entries) key.emplace_back("entry", entry);
  if (options.deny_fallback) key.emplace_back("deny", "fallback");
  if (options.instructions) key.emplace_back("count", "instructions");
  return key;
}

std::string KeptBuilds::digest_of(const std::string& file, const project::FileState& state) {
  {
    std::lock_guard lock(mutex_);
    const auto at = digests_.find(file);
    if (at != digests_.end() && at->second.state == state) return at->second.digest;
  }
  const auto text = text_of(file);
  // The script that imports this one must not know its own path either.
  const std::string out = text && !project::asks_for_its_path(*text) ? digest(*text) : std::string();
  if (!has_rested(state)) return out;
  std::lock_guard lock(mutex_);
  if (digests_.size() > 4096) digests_.clear();
  digests_[file] = {state, out};
  return out;
}

bool KeptBuilds::follow(std::vector<project::ImportedFile>& imports) {
  for (project::ImportedFile& i : imports) {
    if (i.listing) {
      i.digest = project::digest_of(project::modules_beside(i.root, i.module, i.level, i.importer));
      continue;
    }
    const auto path = project::resolve_import(i.root, i.module, i.level, i.importer);
    if ((path ? path->string() : std::string()) != i.path) return false;
    if (!path) continue;
    i.state = workspace_.state_of(*path);
    i.digest = digest_of(i.path, i.state);
    if (i.digest.empty()) return false;
  }
  return true;
}

std::optional<KeptBuilds::Found> KeptBuilds::find(const std::string& path, const BuildOptions& options,
                                                  const project::Config& config) {
  if (program_.empty()) return std::nullopt;
  const auto script = project::read_script(path);
  if (!script || script->undecodable || project::asks_for_its_path(script->text)) return std::nullopt;
  const Record key = key_of(path, script->text, config, options);
  const auto kept = cache_.load(key);
  if (!kept) return std::nullopt;
  const fs::path root = project::import_root(path);
  const std::string written(toolchain::field(*kept, "imports"));
  auto imports = read_imports(written, root);
  if (!imports || !follow(*imports)) return std::nullopt;
  const auto now = write_imports(*imports, root, true);
  if (!now) return std::nullopt;
  std::string bytes;
  if (*now == written) {
    bytes = toolchain::field(*kept, "build");
  } else {
    auto other = cache_.load(with_imports(key, *now));
    if (!other) return std::nullopt;
    bytes = toolchain::take(*other, "build");
  }
  auto build = read_build(bytes, path, root);
  if (!build) return std::nullopt;
  return Found{std::move(build), std::move(*imports)};
}

void KeptBuilds::keep(const project::LoadedFile& file, const BuildOptions& options,
                      const std::vector<project::ImportedFile>& imports, const BuiltScript& script) {
  if (program_.empty() || file.undecodable || project::asks_for_its_path(file.source->text())) return;
  for (const project::ImportedFile& i : imports)
    if (i.asks_for_its_path || (!i.path.empty() && i.digest.empty())) return;
  for (const BuiltKernel& kernel : script.kernels)
    if (kernel.may_pass) return;
  const fs::path root = project::import_root(file.place);
  const auto build = write_build(script, root);
  const auto lookups = write_imports(imports, root, true);
  if (!build || !lookups) return;
  const Record key = key_of(file.place, file.source->text(), file.config, options);
  cache_.store(key, {{"imports", *lookups}, {"build", *build}});
  if (leads_to_files(imports)) cache_.store(with_imports(key, *lookups), {{"build", *build}});
}

std::optional<std::string> KeptBuilds::identity(const std::string& path, const BuildOptions& options) {
  if (program_.empty()) return std::nullopt;
  const auto script = project::read_script(path);
  if (!script || script->undecodable || project::asks_for_its_path(script->text)) return std::nullopt;
  const auto config = project::find_config(path);
  if (!config) return std::nullopt;
  Record key = key_of(path, script->text, *config, options);
  const auto kept = cache_.load(key);
  if (!kept) return std::nullopt;
  const fs::path root = project::import_root(path);
  auto imports = read_imports(toolchain::field(*kept, "imports"), root);
  if (!imports || !follow(*imports)) return std::nullopt;
  const auto now = write_imports(*imports, root, true);
  if (!now) return std::nullopt;
  key.emplace_back("imports", *now);
  return digest(toolchain::encode(key));
}

static Record runs_key(const std::string& identity, const std::string& words) {
  return {{"artifact", "simulated runs 1"}, {"identity", identity}, {"words", words}};
}

std::optional<std::string> KeptBuilds::find_runs(const std::string& identity, const std::string& words) {
  auto kept = cache_.load(runs_key(identity, words));
  if (!kept) return std::nullopt;
  return toolchain::take(*kept, "runs");
}

void KeptBuilds::keep_runs(const std::string& identity, const std::string& words, const std::string& bytes) {
  cache_.store(runs_key(identity, words), {{"runs", bytes}});
}

}  // namespace tilewright::work
