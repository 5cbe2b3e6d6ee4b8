// What several commands need.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "server/cli/commands.h"
#include "server/cli/files.h"
#include "server/cli/report.h"

namespace tilewright::cli {
namespace fs = std::filesystem;

std::expected<LoadedFile, std::string> load(const std::string& path, const std::string& shown_name) {
  auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  std::string name = !shown_name.empty() ? shown_name : path == "-" ? "<stdin>" : path;
  LoadedFile file;
  if (auto decoded = syntax::decode(*text); !decoded)
    file.undecodable = decoded.error();
  else if (decoded->encoding != "utf-8")
    *text = std::move(decoded->text);
  file.source = std::make_shared<text::Source>(name, std::move(*text));
  file.tree = syntax::Tree::parse(file.source);
  fs::path place = path == "-" && shown_name.empty() ? fs::current_path() / "stdin.py" : fs::path(name);
  file.loader = std::make_unique<FileLoader>(place);
  auto config = find_config(place);
  if (!config) return std::unexpected(config.error());
  file.config = std::move(*config);
  return file;
}

session::Compiled compile(const LoadedFile& file, const session::CompileOptions& options) {
  text::Context context;
  context.limits = file.config.limits;
  session::Compiled compiled = session::compile(file.tree, file.loader.get(), context, options);
  if (const auto& why = file.undecodable) {
    text::Span at{compiled.evaluation->anchors.add(file.source, 0), static_cast<std::uint32_t>(why->begin),
                  static_cast<std::uint32_t>(why->end)};
    compiled.diagnostics = {{"TW1001", text::Severity::Error, why->message, at, {}, {}, {}}};
  }
  apply_severity(file.config, compiled.diagnostics);
  return compiled;
}

std::vector<std::string> architectures(const LoadedFile& file, const std::vector<std::string>& asked) {
  if (!asked.empty()) return asked;
  std::vector<std::string> out = session::named_architectures(*file.tree);
  return out.empty() ? std::vector<std::string>{"sm_90a"} : out;
}

std::string one_architecture(const LoadedFile& file) {
  std::vector<std::string> all = architectures(file, {});
  return std::find(all.begin(), all.end(), "sm_90a") != all.end() ? "sm_90a" : all.front();
}

std::optional<ir::Target> target_option(const std::string& text) {
  // The numbers that NVIDIA has given out; architecture-specific code begins with sm_90a, family-specific with sm_100f.
  static constexpr int kNumbers[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                     87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  auto target = ir::parse_target(text);
  if (target && (std::ranges::find(kNumbers, target->number()) == std::end(kNumbers) ||
                 target->number() < (target->suffix == 'f'   ? 100
                                     : target->suffix == 'a' ? 90
                                                             : 0)))
    target.reset();
  if (!target)
    fail_usage("unknown architecture '" + text + "'", "for example sm_80, sm_90a, sm_100a, sm_103a, sm_120a");
  return target;
}

int fail_usage(const std::string& message, const std::string& remedy) {
  std::fprintf(stderr, "tilewright: %s\n", message.c_str());
  if (!remedy.empty()) std::fprintf(stderr, "  %s\n", remedy.c_str());
  return kUsage;
}

toolchain::Options toolchain_options() {
  toolchain::Options options;
  auto add = [&](const fs::path& p) { options.cuda_candidates.push_back(p); };
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) add(home);
  std::error_code ec;
  fs::path self = fs::read_symlink("/proc/self/exe", ec);
  for (fs::path p = self.parent_path(); !ec && !p.empty(); p = p.parent_path()) {  // the checkout's own .cuda
    for (fs::directory_iterator it(p / ".cuda" / "nvidia", ec), end; !ec && it != end;
         it.increment(ec)) {  // .cuda/nvidia/cu13
      if (it->path().filename().string().starts_with("cu")) add(it->path());
    }
    ec.clear();
    if (p == p.root_path()) break;
  }
  add("/usr/local/cuda");
  const char* cache = std::getenv("XDG_CACHE_HOME");  // a relative one is to be ignored (XDG base directories)
  const char* home = std::getenv("HOME");
  fs::path base = cache && *cache == '/' ? fs::path(cache)
                  : home && *home == '/' ? fs::path(home) / ".cache"
                                         : fs::temp_directory_path(ec);
  options.cache.folder = base / "tilewright" / "artifacts";
  return options;
}

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors) {
  return call_report(call, anchors, colours(stdout));
}

}  // namespace tilewright::cli
