// buildTarget/compile: every script of the targets, with diagnostics as they come and resources of each kernel.
#include <algorithm>

#include "compiler/threads/in_order.h"
#include "protocol/bsp_data.h"
#include "protocol/uri.h"
#include "server/bsp/session.h"

namespace tilewright::bsp {
namespace {

namespace wire = protocol::bsp;
using protocol::uri_of;

protocol::Range range_of(const work::BuildPlace& at) {
  return {{at.begin.line, at.begin.column}, {at.end.line, at.end.column}};
}

protocol::Diagnostic diagnostic_of(const work::BuildFinding& found) {
  protocol::Diagnostic out;
  out.range = range_of(found.at);
  out.severity = static_cast<protocol::DiagnosticSeverity>(static_cast<int>(found.severity) + 1);
  out.code = found.code;
  out.message = found.hint.empty() ? found.message : found.message + "\nhint: " + found.hint;
  for (const work::BuildFinding::Related& r : found.related)
    out.related.push_back({{uri_of(r.at.path), range_of(r.at)}, r.message});
  return out;
}

wire::CompiledKernel told_of(const work::BuiltKernel& kernel) {
  wire::CompiledKernel out{.name = kernel.name,
                           .entry = kernel.entry,
                           .arch = kernel.architecture,
                           .failed = kernel.failed,
                           .resources = {},
                           .unknown = kernel.unknown,
                           .may_pass = kernel.may_pass};
  if (const auto& r = kernel.resources)
    out.resources = {r->registers, r->spill_stores, r->spill_loads, r->static_shared,   kernel.dynamic_shared_bytes,
                     r->stack,     r->barriers,     r->code,        kernel.instructions};
  return out;
}

wire::CompiledScript told_of(const work::BuiltScript& script, bool anew) {
  wire::CompiledScript out{.uri = uri_of(script.path),
                           .errors = static_cast<std::int64_t>(script.errors),
                           .warnings = static_cast<std::int64_t>(script.warnings),
                           .no_op = !anew,
                           .kernels = {},
                           .unreadable = script.unreadable};
  for (const work::BuiltKernel& kernel : script.kernels) out.kernels.push_back(told_of(kernel));
  return out;
}

}  // namespace

// One target on its way. Its scripts are built beside those of other targets, and told in their order.
struct BuildSession::TargetBuild {
  const project::BuildTarget& target;
  std::size_t first = 0;  // which piece of the work is its first script
  std::unique_ptr<Task> task{};
  wire::CompileReport report{};
  std::set<std::string> said{};  // files whose diagnostics were told
};

// A file may have findings from several scripts that import it: the first of a build replaces what was told before.
void BuildSession::publish(const Work& work, const project::BuildTarget& target, const work::BuiltScript& script,
                           std::set<std::string>& said) {
  std::map<std::string, std::vector<protocol::Diagnostic>> files;
  files[script.path];
  for (const work::BuildFinding& found : script.findings) files[found.at.path].push_back(diagnostic_of(found));
  if (!script.unreadable.empty()) {
    protocol::Diagnostic& unreadable = files[script.path].emplace_back();
    unreadable.message = script.unreadable;
  }
  for (auto& [path, diagnostics] : files) {
    const bool first = said.insert(path).second;
    endpoint_.notify("build/publishDiagnostics", wire::PublishDiagnostics{uri_of(path), uri_of(target.path),
                                                                          work.origin, std::move(diagnostics), first});
  }
}

void BuildSession::begin_target(const Work& work, TargetBuild& build) {
  const std::string uri = uri_of(build.target.path);
  build.report.target = uri;
  build.report.origin = work.origin;
  build.report.no_op = true;
  build.task = std::make_unique<Task>(endpoint_, work.origin, "compiling " + build.target.name, "compile-task",
                                      Json{{"target", wire::identifier(uri)}});
}

void BuildSession::end_target(const Work& work, TargetBuild& build) {
  const project::BuildTarget& target = build.target;
  // What an earlier build found in files that this one did not come to.
  for (const std::string& path : published_[target.path])
    if (!build.said.contains(path))
      endpoint_.notify("build/publishDiagnostics",
                       wire::PublishDiagnostics{uri_of(path), build.report.target, work.origin, {}, true});
  published_[target.path] = std::move(build.said);
  build.report.milliseconds = build.task->milliseconds();
  build.task->finish(build.report.errors > 0 ? wire::Status::Error : wire::Status::Ok,
                     "compiled " + target.name + ": " + std::to_string(build.report.errors) + " errors, " +
                         std::to_string(build.report.warnings) + " warnings",
                     "compile-report", build.report);
  build.task.reset();
}

// The scripts of all targets are one row of pieces for all cores, so that a workspace of single scripts is built as
// fast as one folder of them.
BuildSession::Result BuildSession::compile(const Work& work) {
  const std::stop_token stop = work.open->stop.get_token();
  std::vector<TargetBuild> builds;
  std::vector<std::size_t> owner;  // of each piece: which build
  for (const project::BuildTarget* target : work.targets) {
    builds.push_back({.target = *target, .first = owner.size()});
    owner.insert(owner.end(), target->scripts.size(), builds.size() - 1);
  }
  std::vector<work::Builder::Answer> built(owner.size());
  const unsigned all = threads::threads_of(server_.options.jobs);
  const unsigned each = static_cast<unsigned>(std::max<std::size_t>(1, all / std::max<std::size_t>(1, owner.size())));
  Result out{.status = wire::Status::Ok, .origin = {}, .data_kind = wire::kCompileKind, .data = {}};
  Json& scripts = out.data["scripts"] = Json::array();
  auto path_of = [&](std::size_t i) -> const std::string& {
    const TargetBuild& build = builds[owner[i]];
    return build.target.scripts[i - build.first];
  };
  auto make = [&](std::size_t i) { built[i] = server_.builder.build(path_of(i), work.arguments.build, each, stop); };
  auto finish = [&](std::size_t i) {
    TargetBuild& build = builds[owner[i]];
    const work::Builder::Answer answer = std::move(built[i]);
    if (i == build.first) begin_target(work, build);
    if (!answer.script) return;
    build.report.errors += static_cast<std::int64_t>(answer.script->errors) + !answer.script->unreadable.empty();
    build.report.warnings += static_cast<std::int64_t>(answer.script->warnings);
    build.report.no_op = build.report.no_op && !answer.anew;
    publish(work, build.target, *answer.script, build.said);
    scripts.push_back(told_of(*answer.script, answer.anew));
    const std::size_t count = build.target.scripts.size(), done = i - build.first + 1;
    if (count > 1)
      build.task->progress(answer.script->path, static_cast<std::int64_t>(done), static_cast<std::int64_t>(count),
                           "scripts");
    if (done < count) return;
    if (build.report.errors > 0) out.status = wire::Status::Error;
    if (!stop.stop_requested()) end_target(work, build);
  };
  if (!threads::in_order(owner.size(), all, stop, make, finish) || stop.stop_requested())
    out.status = wire::Status::Cancelled;
  return out;  // tasks that are under way end as cancelled
}

}  // namespace tilewright::bsp
