// tilewright cache: what is kept of compilations, and making it smaller.
#include "server/render/cache.h"

#include <chrono>
#include <cstdio>

#include "compiler/toolchain/cache_upkeep.h"
#include "server/cli/commands.h"
#include "server/project/console.h"

namespace tilewright::cli {
namespace {

struct CacheCommand {
  std::string action;  // empty: show
  std::uint64_t to = 0;
  bool json = false;
};

std::string megabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

std::string counted(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " entry" : " entries"); }

int show_cache(const CacheCommand& command, const toolchain::CacheOptions& cache) {
  std::uint64_t bytes = 0;
  std::time_t oldest = 0;
  const auto entries = toolchain::cache_entries(cache.folder);
  for (const toolchain::CacheEntry& entry : entries) {
    bytes += entry.size;
    if (oldest == 0 || entry.used.tv_sec < oldest) oldest = entry.used.tv_sec;
  }
  const std::size_t corrupt = toolchain::corrupt_entries(cache.folder);
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const auto days = entries.empty() ? 0 : static_cast<long>((now - oldest) / 86400);
  if (command.json) {
    project::emit(stdout, render::dump(render::cache_json({.folder = cache.folder.string(),
                                                           .entries = entries.size(),
                                                           .bytes = bytes,
                                                           .limit_bytes = cache.limit_bytes,
                                                           .oldest_use_days = days,
                                                           .corrupt = corrupt})) +
                              "\n");
    return kFine;
  }
  project::sayf(stdout, "%s\n  %s, %s of at most %s", cache.folder.c_str(), counted(entries.size()).c_str(),
                megabytes(bytes).c_str(), megabytes(cache.limit_bytes).c_str());
  if (!entries.empty()) project::sayf(stdout, "; the oldest was used %ld days ago", days);
  project::sayf(stdout, "\n");
  if (corrupt > 0)
    project::sayf(stdout, "  %zu set aside in corrupt/: their digest was wrong, and they were made again\n", corrupt);
  return kFine;
}

int make_smaller(const CacheCommand& command, const toolchain::CacheOptions& cache) {
  const auto done = command.action == "clear" ? toolchain::clear_cache(cache.folder)
                                              : toolchain::trim_cache(cache.folder, command.to, command.to);
  if (!done) return fail_usage(done.error());
  if (command.json) {
    project::emit(stdout, render::dump(render::cache_upkeep_json(*done)) + "\n");
  } else {
    project::sayf(stdout, "removed %s, %s; %s left, %s\n", counted(done->entries).c_str(),
                  megabytes(done->bytes).c_str(), counted(done->left_entries).c_str(),
                  megabytes(done->left_bytes).c_str());
  }
  return kFine;
}

int cache_command(const CacheCommand& command) {
  const toolchain::CacheOptions cache = project::toolchain_options().cache;
  if (cache.folder.empty())
    return fail_usage("there is no cache: neither XDG_CACHE_HOME nor HOME names a folder", "set XDG_CACHE_HOME");
  return command.action.empty() ? show_cache(command, cache) : make_smaller(command, cache);
}

}  // namespace

void add_cache(CLI::App* c, Run& run) {
  auto command = std::make_shared<CacheCommand>();
  c->add_flag("--json", command->json, "One JSON object");
  c->require_subcommand(0, 1);
  CLI::App* trim = c->add_subcommand("trim", "Remove what was not used for longest");
  trim->add_option("--to", command->to, "How much may be left: 500MB, 1GB, 0")
      ->required()
      ->transform(CLI::AsSizeValue(false));
  CLI::App* clear = c->add_subcommand("clear", "Remove everything");
  for (CLI::App* sub : {trim, clear}) {
    sub->add_flag("--json", command->json, "One JSON object");
    sub->callback([command, sub] { command->action = sub->get_name(); });
  }
  c->footer(
      "Entries are shared by all processes of this user; what is removed is made again when it is needed.\n\n"
      "Examples:\n  tilewright cache\n  tilewright cache trim --to 500MB\n  tilewright cache clear");
  c->final_callback([command, &run] { run = [command] { return cache_command(*command); }; });
}

}  // namespace tilewright::cli
