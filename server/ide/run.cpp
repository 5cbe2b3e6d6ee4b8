#include "server/ide/run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>

#include "compiler/run/simulated_executor.h"
#include "compiler/toolchain/toolchain.h"
#include "server/project/environment.h"

namespace tilewright::ide {
namespace {

using End = RunAnswer::End;

constexpr std::string_view kReference = "reference ", kSequence = "sequence ";

// The reference that a comment names for a kernel: the last one above its `def`, else the first of the file.
// `NAME(...)` takes the arguments of the kernel's entry.
std::string reference_comment(const project::LoadedFile& file, const session::CompiledKernel& kernel,
                              const text::Anchors& anchors) {
  text::Anchors::Place at = anchors.resolve(kernel.value->kernel.span);
  std::string found;
  for (const syntax::Directive& d : file.tree->directives()) {
    if (!d.text.starts_with(kReference)) continue;
    bool above = at.source == file.source.get() && d.offset < at.begin;
    if (found.empty() || above) found = d.text.substr(kReference.size());
  }
  constexpr std::string_view kSameArguments = "(...)";
  const std::string& entry = kernel.entry->expression;
  if (std::size_t open = entry.find('('); found.ends_with(kSameArguments) && open != entry.npos)
    found.replace(found.size() - kSameArguments.size(), found.npos, entry, open);
  return found;
}

bool named_by_comment(const project::LoadedFile& file, const std::string& expression) {
  return std::ranges::any_of(file.tree->directives(), [&](const syntax::Directive& d) {
    return d.text.starts_with(kReference) && d.text.substr(kReference.size()) == expression;
  });
}

// The first sequence that a comment names; empty: none does.
std::string sequence_comment(const project::LoadedFile& file) {
  for (const syntax::Directive& d : file.tree->directives())
    if (d.text.starts_with(kSequence)) return std::string(d.text.substr(kSequence.size()));
  return {};
}

session::CompileOptions options_for(const session::NamedTargets& named, std::vector<std::string> entries) {
  session::CompileOptions options;
  options.target = named.targets.front();
  options.architecture_source = named.source;
  options.entries = std::move(entries);
  return options;
}

class Run {
 public:
  Run(const project::LoadedFile& file, const RunRequest& request, run::Executor& executor, std::stop_token stop,
      const std::function<void(const std::string&)>& progress)
      : file_(file), request_(request), executor_(executor), stop_(std::move(stop)), progress_(progress) {}

  RunAnswer answer() {
    try {
      find_device();
      compile();
      experiment();
    } catch (const Ended& e) {
      answer_.end = e.end;
      answer_.failure = e.failure;
    }
    return std::move(answer_);
  }

 private:
  struct Ended {
    End end;
    run::Failure failure{};
  };
  [[noreturn]] static void unusable(std::string message, std::string hint = {}) {
    throw Ended{End::Unusable, {std::move(message), std::move(hint)}};
  }
  void stop_here() const {
    if (stop_.stop_requested()) throw Ended{End::Stopped};
  }
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }

  [[noreturn]] static void no_device(const std::string& why) {
    throw Ended{End::NoDevice,
                {"there is no GPU to run on: " + why,
                 "run this on a machine with an NVIDIA GPU and its driver (nvidia-smi shows them); here kernels can be "
                 "checked and compiled"}};
  }

  void find_device() {
    auto device = executor_.device(stop_);
    stop_here();
    if (!device) no_device(device.error());
    device_ = *device;
    if (executor_.runs_cubins() || !request_.arch.empty()) {
      arch_ = request_.arch.empty() ? device->arch() : request_.arch;
      auto target = ir::parse_target(arch_);
      if (!target) unusable("unknown architecture '" + arch_ + "'", "for example sm_80, sm_90a, sm_100a");
      named_ = {{*target}, session::ArchitectureSource::Asked};
    } else {
      named_ = project::one_architecture(file_);
    }
    if (!executor_.runs_cubins() && !request_.cubins.empty())
      unusable("the simulator executes the script, not compiled kernels", "leave out --cubin, or run --on gpu");
  }

  void compile() {
    std::string entry = request_.entry.empty() ? sequence_comment(file_) : request_.entry;
    std::vector<std::string> parts = kernels_in_turn(entry);
    answer_.compiled = project::compile(file_, options_for(named_, parts));
    const auto& all = answer_.compiled.kernels;
    if (parts.size() > 1) {
      for (const std::string& part : parts) {
        auto found = std::ranges::find_if(all, [&](const auto& k) { return k.entry->expression == part; });
        if (found == all.end()) {
          if (answer_.compiled.has_errors()) throw Ended{End::Errors};
          unusable(part + " yields no kernel");
        }
        kernels_.push_back(&*found);
      }
    } else {
      kernels_.push_back(&the_only_kernel(entry.empty()));
    }
    for (const session::CompiledKernel* k : kernels_)
      if (!k->cuda) throw Ended{End::Errors};
    arch_ = kernels_.back()->target.name();
  }

  const session::CompiledKernel& the_only_kernel(bool any) const {
    std::vector<const session::CompiledKernel*> found;
    std::string names;
    for (const session::CompiledKernel& k : answer_.compiled.kernels) {
      if (any && named_by_comment(file_, k.entry->expression)) continue;
      found.push_back(&k);
      names += "\n    --entry '" + k.entry->expression + "'";
    }
    if (found.empty()) {
      if (answer_.compiled.has_errors()) throw Ended{End::Errors};
      unusable(file_.source->path() + " has no kernel to run",
               "name one with --entry EXPR; `tilewright entries FILE` lists them");
    }
    if (found.size() > 1) unusable("there are several kernels; choose one:" + names);
    return *found.front();
  }

  std::expected<std::string, run::Failure> cubin_of(const session::CompiledKernel& kernel) {
    if (!tools_) tools_ = std::make_unique<toolchain::Toolchain>(project::toolchain_options());
    toolchain::Request request;
    request.cuda_source = kernel.cuda->text;
    request.arch = arch_;
    request.want_ptx = false;
    request.stop = stop_;
    auto made = tools_->compile(request);
    if (made) return std::move(made->cubin);
    bool none = made.error().kind == toolchain::Error::Kind::NoCuda;
    return std::unexpected(run::Failure{
        made.error().message,
        none ? "install CUDA and set CUDA_HOME, or give a compiled kernel with --cubin" : made.error().log});
  }

  void experiment() {
    std::vector<const lower::LoweredKernel*> lowered;
    std::string name, entry;
    for (const session::CompiledKernel* k : kernels_) {
      lowered.push_back(k->lowered.get());
      name += (name.empty() ? "" : " then ") + std::string(k->value->kernel.name);
      entry += (entry.empty() ? "" : " then ") + k->entry->expression;
    }
    auto made = run::Experiment::set_up(lowered, request_.wanted, name);
    if (!made) unusable(made.error().message, made.error().hint);
    run::Experiment& e = *made;
    e.report.kernel = name;
    e.report.entry = entry;
    e.report.arch = arch_;
    e.report.device = device_;

    if (executor_.runs_cubins()) {
      // Contents are made up while NVIDIA's compiler works.
      tell("compiling " + entry);
      std::future<void> filled = std::async(std::launch::async, [&e] { e.fill(); });
      take_cubins(e.report.bound.job);
      filled.get();
    } else {
      e.fill();
    }
    tell("running " + entry);
    e.execute(executor_, stop_);
    if (e.report.outcome.status == run::Status::Stopped) throw Ended{End::Stopped};
    if (e.report.outcome.status == run::Status::NoDriver) no_device(e.report.outcome.message);
    if (e.report.outcome.status == run::Status::Done) compare(e);
    e.judge();
    answer_.report = std::move(e.report);
  }

  void take_cubins(run::Job& job) {
    if (!request_.cubins.empty() && request_.cubins.size() != kernels_.size())
      unusable(std::to_string(request_.cubins.size()) + " compiled kernels are given for " +
               std::to_string(kernels_.size()));
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (!request_.cubins.empty()) {
        job.launches[i].cubin = request_.cubins[i];
        continue;
      }
      auto cubin = cubin_of(*kernels_[i]);
      stop_here();
      if (!cubin) unusable(cubin.error().message, cubin.error().hint);
      job.launches[i].cubin = std::move(*cubin);
    }
  }

  void compare(run::Experiment& e) {
    std::future<void> digests;
    if (request_.digests) digests = std::async(std::launch::async, [&e] { e.digest(); });
    std::string reference = request_.reference;
    if (reference.empty()) reference = reference_comment(file_, *kernels_.back(), answer_.compiled.evaluation->anchors);
    if (!reference.empty()) {
      compare_with(e, reference);
    } else if (request_.wanted.expected.empty()) {
      e.report.notes.push_back(
          "nothing says what the outputs should be: name a kernel that computes them in a comment "
          "`# tilewright: reference EXPR`, or give them with --expect NAME=FILE.npy");
    }
    if (digests.valid()) digests.get();
  }

  void compare_with(run::Experiment& e, const std::string& expression) {
    tell("comparing with " + expression);
    answer_.reference = project::compile(file_, options_for(named_, {expression}));
    const auto& found = answer_.reference.kernels;
    if (found.size() != 1 || !found.front().cuda)
      unusable("the reference " + expression + " does not yield one kernel that compiles");
    auto good = e.expect(*found.front().lowered, expression, executor_, [&] { return cubin_of(found.front()); }, stop_);
    stop_here();
    if (!good) unusable(good.error().message, good.error().hint);
  }

  const project::LoadedFile& file_;
  const RunRequest& request_;
  run::Executor& executor_;
  std::stop_token stop_;
  const std::function<void(const std::string&)>& progress_;
  run::DeviceInfo device_;
  std::string arch_;
  session::NamedTargets named_;
  std::vector<const session::CompiledKernel*> kernels_;
  std::unique_ptr<toolchain::Toolchain> tools_;
  RunAnswer answer_;
};

}  // namespace

std::unique_ptr<run::Executor> executor_on(std::string_view target, const run::GpuOptions& gpu, int schedules,
                                           const simulate::Options& simulator, const std::stop_token& stop) {
  if (target != "sim") {
    auto executor = std::make_unique<run::GpuExecutor>(gpu);
    if (target == "gpu" || executor->device(stop)) return executor;
  }
  simulate::Options options = simulator;
  options.races = true;
  return std::make_unique<run::SimulatedExecutor>(schedules, options);
}

RunAnswer run_script(const project::LoadedFile& file, const RunRequest& request, run::Executor& executor,
                     const std::stop_token& stop, const std::function<void(const std::string&)>& progress) {
  return Run(file, request, executor, stop, progress).answer();
}

std::vector<std::string> entries_to_run(const project::LoadedFile& file) {
  std::vector<std::string> out, parts;
  for (const syntax::Directive& d : file.tree->directives()) {
    if (!d.text.starts_with(kSequence)) continue;
    out.emplace_back(d.text.substr(kSequence.size()));
    std::ranges::copy(kernels_in_turn(out.back()), std::back_inserter(parts));
  }
  session::CompileOptions options = options_for(project::one_architecture(file), {});
  options.stage = session::Stage::Evaluate;
  const session::Compiled compiled = project::compile(file, options);
  for (const session::CompiledKernel& k : compiled.kernels) {
    const std::string& entry = k.entry->expression;
    const bool known = std::ranges::find(out, entry) != out.end() || std::ranges::find(parts, entry) != parts.end();
    if (!known && !named_by_comment(file, entry)) out.push_back(entry);
  }
  return out;
}

std::expected<run::GivenArray, std::string> given_array(const std::string& path) {
  toolchain::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::unexpected("cannot read " + path + ": " + std::strerror(errno));
  auto array = run::read_npy_file(file.get());
  if (!array) return std::unexpected(path + ": " + array.error());
  return run::GivenArray{path, std::move(*array)};
}

std::vector<std::string> kernels_in_turn(const std::string& entry) {
  constexpr std::string_view kThen = " then ";
  std::vector<std::string> out;
  std::size_t from = 0;
  auto take = [&](std::size_t to) {
    std::string part = entry.substr(from, to - from);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) out.push_back(std::move(part));
  };
  for (std::size_t at; (at = entry.find(kThen, from)) != entry.npos; from = at + kThen.size()) take(at);
  take(entry.size());
  return out;
}

}  // namespace tilewright::ide
