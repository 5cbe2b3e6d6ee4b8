#include "server/worker/script_job.h"

#include <algorithm>
#include <atomic>
#include <expected>
#include <map>
#include <tuple>

#include "compiler/run/parallel.h"
#include "compiler/run/simulated_executor.h"
#include "server/work/executors.h"
#include "server/work/run.h"

namespace tilewright::worker {
namespace {

namespace wire = protocol::worker;

// Finds what the client found, in the texts that it sent.
class SentFiles final : public script::Loader {
 public:
  explicit SentFiles(const wire::Script& script) : script_(script) {
    for (const wire::ScriptImport& i : script.imports)
      paths_.insert_or_assign(std::tuple(i.module, i.level, i.importer), i.path);
  }
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    auto found = paths_.find(std::tuple(std::string(module), level, std::string(importer)));
    if (found == paths_.end() || found->second.empty()) return nullptr;
    std::shared_ptr<const syntax::Tree>& tree = trees_[found->second];
    if (tree) return tree;
    auto file = std::ranges::find(script_.files, found->second, &wire::ScriptFile::path);
    if (file != script_.files.end()) tree = syntax::Tree::parse(std::make_shared<text::Source>(file->path, file->text));
    return tree;
  }

 private:
  const wire::Script& script_;
  std::map<std::tuple<std::string, int, std::string>, std::string> paths_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> trees_;
};

std::expected<project::LoadedFile, std::string> loaded(const wire::Script& script) {
  if (script.files.empty()) return std::unexpected("there is no script");
  project::LoadedFile file;
  file.source = std::make_shared<text::Source>(script.files[0].path, script.files[0].text);
  file.tree = syntax::Tree::parse(file.source);
  file.loader = std::make_unique<SentFiles>(script);
  file.dialect = text::parse_dialect(script.dialect);
  if (!file.dialect)
    return std::unexpected("this worker does not know release '" + script.dialect + "' of the dialect");
  // What a client may ask for is bounded by what any client may.
  constexpr std::uint64_t kMostSteps = 2'000'000'000, kMostBytes = std::uint64_t{8} << 30;
  constexpr std::uint32_t kDeepest = 1000;
  file.config.limits = {std::min(script.steps, kMostSteps), std::min(script.memory_bytes, kMostBytes),
                        std::min(script.depth, kDeepest)};
  return file;
}

std::expected<session::Compiled, std::string> compiled(const project::LoadedFile& file, const wire::Script& script) {
  session::CompileOptions options;
  auto target = ir::parse_target(script.target);
  if (!target) return std::unexpected("unknown architecture '" + script.target + "'");
  options.target = *target;
  options.entries = script.entries;
  return project::compile(file, options);
}

using Kernels = std::vector<const lower::LoweredKernel*>;

std::expected<Kernels, std::string> kernels_of(const session::Compiled& compiled, const wire::Script& script) {
  Kernels out;
  for (const std::string& entry : script.entries) {
    auto found = std::ranges::find_if(compiled.kernels, [&](const auto& k) { return k.entry->expression == entry; });
    if (found != compiled.kernels.end() && found->lowered) {
      out.push_back(found->lowered.get());
      continue;
    }
    std::string why = "the worker makes no kernel of " + entry;
    if (!compiled.diagnostics.empty()) why += ": " + compiled.diagnostics.front().message;
    return std::unexpected(std::move(why));
  }
  if (out.empty()) return std::unexpected("no entry is named");
  return out;
}

run::Number number_of(const protocol::Json& value) {
  return value.is_number_float() ? run::Number::of(value.get<double>()) : run::Number::of(value.get<std::int64_t>());
}

// The kernels with the client's numbers; their buffers have to be the client's.
std::expected<run::Bound, std::string> bound_as(const Kernels& kernels, const wire::Script& script, run::Job& order) {
  run::Bindings bindings;
  for (const auto& [name, value] : script.values) bindings.values.emplace(name, number_of(value));
  for (const run::JobBuffer& b : order.buffers) bindings.raw_bytes.emplace(b.name, b.bytes);
  auto bound = run::bind(kernels, bindings);
  if (!bound) return std::unexpected(bound.error());
  if (bound->job.buffers.size() != order.buffers.size())
    return std::unexpected("the script has other tensors there than here: are both of the same release of tilewright?");
  for (std::size_t i = 0; i < order.buffers.size(); ++i) {
    run::JobBuffer& own = bound->job.buffers[i];
    if (own.name != order.buffers[i].name || own.bytes != order.buffers[i].bytes)
      return std::unexpected("tensor " + own.name + " is another one there than here");
    bound->tensors[i].role = order.buffers[i].role;
    own = std::move(order.buffers[i]);
  }
  bound->job.schedules = order.schedules;
  return bound;
}

std::vector<wire::Place> places_of(const ir::Origin& origin, const text::Anchors& anchors) {
  std::vector<wire::Place> out;
  auto add = [&](const text::Span& span) {
    const text::Anchors::Place at = anchors.resolve(span);
    if (at.source) out.push_back({at.source->path(), at.begin, at.end});
  };
  add(origin.span);
  for (const ir::CallSite* site = origin.chain; site; site = site->outer) add(site->span);
  return out;
}

wire::Finding told(const simulate::Finding& f, const text::Anchors& anchors) {
  wire::Finding out{.code = std::string(f.code),
                    .severity = std::string(simulate::kSeverityWords[f.severity]),
                    .message = f.message,
                    .hint = f.hint,
                    .places = places_of(f.origin, anchors),
                    .cta = {f.cta.begin(), f.cta.end()},
                    .thread = f.thread,
                    .times = f.times,
                    .from_input = f.from_input,
                    .weight = f.weight,
                    .related = {}};
  for (const auto& r : simulate::related_as_told(f)) out.related.push_back({places_of(r.origin, anchors), r.message});
  return out;
}

// The job, run on the simulator; the error says what of the script or of the job this worker cannot run.
std::expected<Ending, std::string> ending_of(const wire::Script& script, run::Job& order,
                                             std::span<const run::Contents> results, const run::Contents& clusters) {
  const auto file = loaded(script);
  if (!file) return std::unexpected(file.error());
  const auto made = compiled(*file, script);
  if (!made) return std::unexpected(made.error());
  const auto kernels = kernels_of(*made, script);
  if (!kernels) return std::unexpected(kernels.error());
  const auto bound = bound_as(*kernels, script, order);
  if (!bound) return std::unexpected(bound.error());
  simulate::Options options;
  if (script.simulator_steps > 0) options.max_steps = script.simulator_steps;
  options.jobs = std::clamp(script.jobs, 1u, std::max(1u, std::thread::hardware_concurrency()));
  if (auto* numbers = reinterpret_cast<std::uint64_t*>(clusters.data()))
    options.progress = [numbers](std::uint64_t done, std::uint64_t all) {
      std::atomic_ref(numbers[0]).store(done);
      std::atomic_ref(numbers[1]).store(all);
    };
  auto executor = work::executor_on("sim", {}, 3, options, {});
  Ending out;
  out.outcome = executor->execute(*bound, {});
  for (const simulate::Finding& f : out.outcome.findings) out.findings.push_back(told(f, made->evaluation->anchors));
  for (std::size_t i = 0; i < out.outcome.buffers.size(); ++i) {
    run::BufferOutcome& b = out.outcome.buffers[i];
    if (bound->job.buffers[i].role == run::Role::Input && b.changed == 0) {
      b.contents = {};
    } else if (!b.contents.empty()) {
      run::copy_bytes(results[i].data(), b.contents.data(), bound->job.buffers[i].bytes);
    }
  }
  return out;
}

}  // namespace

Ending run_script_job(const wire::Script& script, run::Job order, std::span<const run::Contents> results,
                      const run::Contents& clusters) {
  auto out = ending_of(script, order, results, clusters);
  if (out) return std::move(*out);
  Ending refused;
  refused.outcome.status = run::Status::NotLaunched;
  refused.outcome.message = out.error();
  return refused;
}

}  // namespace tilewright::worker
