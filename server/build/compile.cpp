// buildTarget/compile: every script of the targets, with diagnostics as they come and resources of each kernel.
#include <algorithm>

#include "protocol/uri.h"
#include "server/build/session.h"

namespace tilewright::build {
namespace {

namespace bsp = protocol::bsp;
using protocol::Json;
using protocol::uri_of;

protocol::Range range_of(const ide::BuildPlace& at) {
  return {{at.begin.line, at.begin.column}, {at.end.line, at.end.column}};
}

protocol::Diagnostic diagnostic_of(const ide::BuildFinding& found) {
  protocol::Diagnostic out;
  out.range = range_of(found.at);
  out.severity = static_cast<protocol::DiagnosticSeverity>(static_cast<int>(found.severity) + 1);
  out.code = found.code;
  out.message = found.hint.empty() ? found.message : found.message + "\nhint: " + found.hint;
  for (const ide::BuildFinding::Related& r : found.related)
    out.related.push_back({{uri_of(r.at.path), range_of(r.at)}, r.message});
  return out;
}

Json kernel_json(const ide::BuiltKernel& kernel) {
  Json out = {{"name", kernel.name}, {"entry", kernel.entry}, {"arch", kernel.architecture}};
  if (!kernel.unknown.empty()) out["resources_unknown"] = kernel.unknown;
  if (const auto& r = kernel.resources) {
    out["resources"] = {{"registers", r->registers},
                        {"spill_stores", r->spill_stores},
                        {"spill_loads", r->spill_loads},
                        {"static_shared_bytes", r->static_shared},
                        {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
                        {"stack_bytes", r->stack},
                        {"barriers", r->barriers},
                        {"code_bytes", r->code}};
  }
  return out;
}

Json script_json(const ide::BuiltScript& script, bool anew) {
  Json kernels = Json::array();
  for (const ide::BuiltKernel& kernel : script.kernels) kernels.push_back(kernel_json(kernel));
  Json out = {{"uri", uri_of(script.path)},
              {"errors", script.errors},
              {"warnings", script.warnings},
              {"noOp", !anew},
              {"kernels", kernels}};
  if (!script.unreadable.empty()) out["unreadable"] = script.unreadable;
  return out;
}

}  // namespace

// A file may have findings from several scripts that import it: the first of a build replaces what was told before.
void Session::publish(const Work& work, const project::BuildTarget& target, const ide::BuiltScript& script,
                      std::set<std::string>& said) {
  std::map<std::string, std::vector<protocol::Diagnostic>> files;
  files[script.path];
  for (const ide::BuildFinding& found : script.findings) files[found.at.path].push_back(diagnostic_of(found));
  if (!script.unreadable.empty()) {
    protocol::Diagnostic& unreadable = files[script.path].emplace_back();
    unreadable.message = script.unreadable;
  }
  for (auto& [path, diagnostics] : files) {
    const bool first = said.insert(path).second;
    endpoint_.notify("build/publishDiagnostics", bsp::PublishDiagnostics{uri_of(path), uri_of(target.path), work.origin,
                                                                         std::move(diagnostics), first});
  }
}

bsp::Status Session::compile(const Work& work, const project::BuildTarget& target, Json& data) {
  const std::stop_token stop = work.open->stop.get_token();
  const std::string uri = uri_of(target.path);
  Task task(endpoint_, work.origin, "compiling " + target.name, "compile-task", {{"target", bsp::identifier(uri)}});
  bsp::CompileReport report{.target = uri, .origin = work.origin};
  report.no_op = true;
  std::set<std::string> said;
  const std::size_t count = target.scripts.size();
  std::vector<ide::Builder::Answer> built(count);
  const unsigned all = ide::threads_of(server_.options.jobs);
  const unsigned each = static_cast<unsigned>(std::max<std::size_t>(1, all / std::max<std::size_t>(1, count)));
  auto build = [&](std::size_t i) {
    built[i] = server_.builder.build(target.scripts[i], work.arguments.build, each, stop);
  };
  auto finish = [&](std::size_t i) {
    const ide::Builder::Answer answer = std::move(built[i]);
    if (!answer.script) return;
    report.errors += static_cast<std::int64_t>(answer.script->errors) + !answer.script->unreadable.empty();
    report.warnings += static_cast<std::int64_t>(answer.script->warnings);
    report.no_op = report.no_op && !answer.anew;
    publish(work, target, *answer.script, said);
    data.push_back(script_json(*answer.script, answer.anew));
    if (count > 1)
      task.progress(answer.script->path, static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(count), "scripts");
  };
  const bool whole = ide::in_order(count, all, stop, build, finish);
  if (!whole || stop.stop_requested()) return bsp::Status::Cancelled;
  // What an earlier build found in files that this one did not come to.
  for (const std::string& path : published_[target.path])
    if (!said.contains(path))
      endpoint_.notify("build/publishDiagnostics", bsp::PublishDiagnostics{uri_of(path), uri, work.origin, {}, true});
  published_[target.path] = std::move(said);
  report.milliseconds = task.milliseconds();
  const bsp::Status status = report.errors > 0 ? bsp::Status::Error : bsp::Status::Ok;
  task.finish(status,
              "compiled " + target.name + ": " + std::to_string(report.errors) + " errors, " +
                  std::to_string(report.warnings) + " warnings",
              "compile-report", report);
  return status;
}

Session::Result Session::compile(const Work& work) {
  Result out{
      .status = bsp::Status::Ok, .origin = {}, .data_kind = "tilewright-compile", .data = {{"scripts", Json::array()}}};
  for (const project::BuildTarget* target : work.targets) {
    out.status = std::max(out.status, compile(work, *target, out.data["scripts"]));
    if (out.status == bsp::Status::Cancelled) break;
  }
  return out;
}

}  // namespace tilewright::build
