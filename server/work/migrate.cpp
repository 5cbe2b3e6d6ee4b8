#include "server/work/migrate.h"

#include <algorithm>
#include <filesystem>

#include "compiler/run/simulated_executor.h"
#include "compiler/script/dialect.h"
#include "server/work/run.h"
#include "server/work/runnables.h"

namespace tilewright::work {
namespace fs = std::filesystem;
namespace {

// A run of one kernel: long enough for a test of a script, no longer.
constexpr std::chrono::milliseconds kDeadline{60'000};

// Imports that find the migrated texts in place of the files.
class MigratedLoader final : public project::FileLoader {
 public:
  MigratedLoader(const fs::path& script, const std::map<std::string, std::string>& texts)
      : FileLoader(script), texts_(texts) {}

 protected:
  std::shared_ptr<const syntax::Tree> read(const fs::path& file) override {
    std::error_code ec;
    const auto known = texts_.find(fs::weakly_canonical(file, ec).string());
    if (known == texts_.end()) return FileLoader::read(file);
    return syntax::Tree::parse(std::make_shared<text::Source>(file.string(), known->second));
  }

 private:
  const std::map<std::string, std::string>& texts_;
};

project::LoadedFile after(const MigratedFile& file, text::Dialect to, const std::map<std::string, std::string>& all) {
  project::LoadedFile out = project::beside(file.original);
  out.source = std::make_shared<text::Source>(file.original.source->path(), file.result.text);
  out.tree = syntax::Tree::parse(out.source);
  out.loader = std::make_unique<MigratedLoader>(out.place, all);
  out.dialect = to;
  return out;
}

RunAnswer run_entry(const project::LoadedFile& file, const Runnable& entry, const std::stop_token& stop) {
  RunRequest request;
  request.entry = entry.entry;
  request.digests = true;
  request.schedules = 1;
  run::SimulatedExecutor executor(1, {}, kDeadline);
  return run_script(file, request, executor, stop);
}

// Why it did not run; empty: it did.
std::string why_not_run(const RunAnswer& answer) {
  switch (answer.end) {
    case RunAnswer::End::Reported: break;
    case RunAnswer::End::Errors:
      for (const text::Diagnostic& d : answer.compiled.diagnostics) {
        if (d.severity == text::Severity::Error) return std::string(d.code) + ": " + d.message;
      }
      return "it has errors";
    default: return answer.failure.message.empty() ? "it was stopped" : answer.failure.message;
  }
  const run::Outcome& outcome = answer.report.outcome;
  if (outcome.status == run::Status::Done) return {};
  return outcome.message.empty() ? std::string(run::status_name(outcome.status)) : outcome.message;
}

// The names of the tensors whose bytes differ; empty: none does.
std::string differing(const run::Report& before, const run::Report& after) {
  std::map<std::string, std::string> left;  // the digest of each tensor
  for (std::size_t i = 0; i < after.tensors.size(); ++i) left[after.bound.tensors[i].name] = after.tensors[i].digest;
  std::string out;
  for (std::size_t i = 0; i < before.tensors.size(); ++i) {
    const std::string& name = before.bound.tensors[i].name;
    const auto same = left.find(name);
    if (same == left.end() || same->second != before.tensors[i].digest) out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

// What keeps the script from architectures that it names, where it names several: the first error for each.
std::map<std::string, std::string> refused_for(const project::LoadedFile& file, const std::stop_token& stop) {
  std::map<std::string, std::string> out;
  const session::NamedTargets named = project::architectures(file, {});
  if (named.targets.size() < 2) return out;
  project::compile_each(file, named, {}, stop, [&](const session::Compiled& compiled) {
    for (const text::Diagnostic& d : compiled.diagnostics)
      if (d.severity == text::Severity::Error)
        out.try_emplace(compiled.target.name(), std::string(d.code) + ": " + d.message);
    return true;
  });
  return out;
}

}  // namespace

std::expected<MigratedFile, std::string> migrate_file(const std::string& path, std::optional<text::Dialect> from,
                                                      migrate::Target to) {
  auto loaded = project::load(path);
  if (!loaded) return std::unexpected(loaded.error());
  if (loaded->undecodable) return std::unexpected(path + ": " + loaded->undecodable->message);
  MigratedFile out{.path = path, .original = std::move(*loaded), .from = {}, .wrong = {}, .result = {}};
  const script::DialectFound found =
      script::find_dialect(*out.original.tree, from, out.original.config.dialect, out.original.loader.get());
  if (!found.wrong.empty()) {
    for (const script::DialectPlace& p : found.wrong) out.wrong += (out.wrong.empty() ? "" : ", and ") + p.words;
    return out;
  }
  out.from = found.choice;
  out.original.dialect = found.choice.dialect;
  const bool of_package = out.original.source->text().find("tvm_tirx") != std::string_view::npos;
  out.already = to.package ? of_package : found.choice.dialect >= to.dialect;
  if (out.already) return out;
  out.result = to.package ? migrate::to_package(*out.original.tree, found.choice.dialect)
                          : migrate::migrated(*out.original.tree, found.choice.dialect, to.dialect);
  return out;
}

std::vector<MigrationCheck> check_migration(const MigratedFile& file, migrate::Target to,
                                            const std::map<std::string, std::string>& all,
                                            const std::stop_token& stop) {
  std::vector<MigrationCheck> out;
  const project::LoadedFile before = project::beside(file.original), now = after(file, to.dialect, all);
  const Runnables runnables = entries_to_run(before, stop);
  if (runnables.entries.empty() && !stop.stop_requested()) {
    out.push_back({.entry = {}, .words = "no kernel of it is found that could be run"});
  }
  for (const Runnable& entry : runnables.entries) {
    if (stop.stop_requested()) break;
    MigrationCheck& check = out.emplace_back(MigrationCheck{.entry = entry.entry, .words = {}});
    const RunAnswer was = run_entry(before, entry, stop);
    if (std::string why = why_not_run(was); !why.empty()) {
      check.words = std::move(why);
      continue;
    }
    const RunAnswer is = run_entry(now, entry, stop);
    if (std::string why = why_not_run(is); !why.empty()) {
      check.result = MigrationCheck::Result::Differs;
      check.words = "it does not run any more: " + why;
      continue;
    }
    const std::string names = differing(was.report, is.report);
    check.result = names.empty() ? MigrationCheck::Result::Same : MigrationCheck::Result::Differs;
    if (!names.empty()) check.words = "other bytes in " + names;
  }
  // A run is for one architecture.
  const auto was = refused_for(before, stop);
  for (const auto& [target, why] : refused_for(now, stop))
    if (!was.contains(target))
      out.push_back(
          {.entry = {}, .result = MigrationCheck::Result::Differs, .words = "refused for " + target + ", " + why});
  return out;
}

}  // namespace tilewright::work
