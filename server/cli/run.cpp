// tilewright run: executes one kernel of a script on a GPU, verifies what it left, and times it.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "compiler/run/gpu_executor.h"
#include "compiler/run/npy.h"
#include "compiler/simulate/simulate.h"
#include "compiler/toolchain/digest.h"
#include "server/cli/commands.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"
#include "server/render/run_report.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
  std::string file, entry, on = "gpu", arch, reference, cubin, folder, driver = "libcuda.so.1";
  std::vector<std::string> inputs, outputs, expected, settings;
  std::uint64_t seed = 1;
  int device = 0, repeat = 10, warmup = 3;
  double deadline = 10;
  std::optional<double> rtol, atol;
  bool json = false;
};

// Ctrl-C and a polite kill stop the run: the process with the kernel is ended, and nothing is left behind.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    watcher_ = std::jthread([this](const std::stop_token& done) {
      timespec patience{0, 100'000'000};
      while (!done.stop_requested()) {
        if (::sigtimedwait(&set_, nullptr, &patience) > 0) {
          source_.request_stop();
          return;
        }
      }
    });
  }
  ~Interrupts() {
    watcher_ = {};
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t set_{}, before_{};
  std::stop_source source_;
  std::jthread watcher_;
};
constexpr std::uintmax_t kLargestArray = std::uintmax_t{1} << 32;
constexpr int kInterrupted = 128 + SIGINT;

using Pairs = std::map<std::string, std::string, std::less<>>;

// "NAME=VALUE" options; false after an error message.
bool pairs_of(const std::vector<std::string>& options, const char* option, Pairs& out) {
  for (const std::string& text : options) {
    std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos || equals + 1 == text.size()) {
      fail_usage("--" + std::string(option) + " " + text + ": write NAME=VALUE");
      return false;
    }
    out[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return true;
}

// The reference that a comment names for a kernel: the last one above its `def`, else the first of the file.
// `NAME(...)` takes the arguments of the kernel's entry.
std::string reference_comment(const project::LoadedFile& file, const session::CompiledKernel& kernel,
                              const text::Anchors& anchors) {
  text::Anchors::Place at = anchors.resolve(kernel.value->kernel.span);
  std::string found;
  for (const syntax::Directive& d : file.tree->directives()) {
    if (!d.text.starts_with("reference ")) continue;
    bool above = at.source == file.source.get() && d.offset < at.begin;
    if (found.empty() || above) found = d.text.substr(10);
  }
  constexpr std::string_view kSameArguments = "(...)";
  const std::string& entry = kernel.entry->expression;
  if (std::size_t open = entry.find('('); found.ends_with(kSameArguments) && open != entry.npos)
    found.replace(found.size() - kSameArguments.size(), found.npos, entry, open);
  return found;
}

bool named_by_comment(const project::LoadedFile& file, const std::string& expression) {
  return std::ranges::any_of(file.tree->directives(), [&](const syntax::Directive& d) {
    return d.text.starts_with("reference ") && d.text.substr(10) == expression;
  });
}

// An array from a file, or a message.
std::expected<run::NpyArray, std::string> array_of(const std::string& path) {
  toolchain::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::unexpected("cannot read " + path + ": " + std::strerror(errno));
  auto array = run::read_npy_file(file.get());
  if (!array) return std::unexpected(path + ": " + array.error());
  return std::move(*array);
}

class RunJob {
 public:
  explicit RunJob(const RunCommand& o) : o_(o) {}

  int run() {
    run::GpuOptions options;
    options.library = o_.driver;
    options.device = o_.device;
    options.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(o_.deadline * 1000));
    for (char** v = environ; *v; ++v) options.environment.emplace_back(*v);
    Interrupts interrupts;
    stop_ = interrupts.token();
    runner_ = std::make_unique<run::GpuExecutor>(options);
    if (int status = read_options(); status != kFine) return status;
    if (int status = find_device(); status != kFine) return status;
    if (int status = compile_kernel(); status != kFine) return status;
    ArenaScope arena(*kernel_->value->kernel.arena);
    if (int status = bind(); status != kFine) return status;
    report_.outcome = runner_->run(report_.bound.job, stop_);
    switch (report_.outcome.status) {
      case run::Status::Stopped: std::fprintf(stderr, "tilewright: interrupted\n"); return kInterrupted;
      case run::Status::NoDriver: return no_gpu(report_.outcome.message);
      case run::Status::Done:
        if (int status = compare(); status != kFine) return status;
        if (!report_.outcome.microseconds.empty()) report_.timing = render::timing_of(report_);
        break;
      case run::Status::Fault: locate_fault(); break;
      default: break;
    }
    render::judge(report_);
    if (int status = write_outputs(); status != kFine) return status;
    const text::Anchors& anchors = compiled_.evaluation->anchors;
    std::fputs((o_.json ? render::dump(render::run_json(report_, anchors)) + "\n" : render::run_text(report_, anchors))
                   .c_str(),
               stdout);
    return report_.problems.empty() ? kFine : kErrors;
  }

 private:
  static int no_gpu(const std::string& why) {
    return fail_usage(
        "there is no GPU to run on: " + why,
        "run this on a machine with an NVIDIA GPU and its driver (nvidia-smi shows them); here kernels can "
        "be checked and compiled");
  }

  int read_options() {
    if (!pairs_of(o_.inputs, "input", inputs_) || !pairs_of(o_.expected, "expect", expected_) ||
        !pairs_of(o_.settings, "set", settings_))
      return kUsage;
    for (const auto& [name, value] : settings_) {
      auto number = run::parse_number(value);
      if (!number) return fail_usage("--set " + name + "=" + value + ": " + value + " is no number");
      bindings_.values[name] = *number;
    }
    for (const auto& [name, path] : inputs_) {
      auto array = array_of(path);
      if (!array) return fail_usage(array.error());
      arrays_[name] = std::move(*array);
    }
    auto file = project::load(o_.file);
    if (!file) return fail_usage(file.error());
    file_ = std::move(*file);
    return kFine;
  }

  int find_device() {
    auto device = runner_->device(stop_);
    if (stop_.stop_requested()) return kInterrupted;
    if (!device) return no_gpu(device.error());
    report_.device = *device;
    report_.arch = o_.arch.empty() ? device->arch() : o_.arch;
    return kFine;
  }

  int compile_kernel() {
    auto target = target_option(report_.arch);
    if (!target) return kUsage;
    session::CompileOptions options;
    options.target = *target;
    if (!o_.entry.empty()) options.entries = {o_.entry};
    compiled_ = project::compile(file_, options);
    for (const text::Diagnostic& d : compiled_.diagnostics) {
      if (d.severity <= text::Severity::Warning)
        std::fputs(render::diagnostic_text(d, compiled_.evaluation->anchors, render::colours(stderr)).c_str(), stderr);
    }
    std::vector<const session::CompiledKernel*> found;
    std::string names;
    for (const session::CompiledKernel& k : compiled_.kernels) {
      if (o_.entry.empty() && named_by_comment(file_, k.entry->expression)) continue;
      found.push_back(&k);
      names += "\n    --entry '" + k.entry->expression + "'";
    }
    if (found.empty())
      return compiled_.has_errors() ? kErrors
                                    : fail_usage(o_.file + " has no kernel to run",
                                                 "name one with --entry EXPR; `tilewright entries FILE` lists them");
    if (found.size() > 1) return fail_usage("there are several kernels; choose one:" + names);
    kernel_ = found.front();
    if (!kernel_->cuda) return kErrors;
    report_.kernel = kernel_->value->kernel.name;
    report_.entry = kernel_->entry->expression;
    report_.seed = o_.seed;
    return kFine;
  }

  // Null, after a message, when it does not compile.
  std::optional<std::string> cubin_of(const session::CompiledKernel& kernel) {
    if (!tools_) tools_ = std::make_unique<toolchain::Toolchain>(project::toolchain_options());
    toolchain::Request request;
    request.cuda_source = kernel.cuda->text;
    request.arch = report_.arch;
    request.want_ptx = false;
    request.stop = stop_;
    auto made = tools_->compile(request);
    if (made) return std::move(made->cubin);
    fail_usage(made.error().message, made.error().kind == toolchain::Error::Kind::NoCuda
                                         ? "install CUDA and set CUDA_HOME, or give a compiled kernel with --cubin"
                                         : made.error().log);
    return std::nullopt;
  }

  int bind() {
    // Raw pointers take what they are given; for the rest the shapes bind extents.
    for (const lower::KernelParam& p : kernel_->lowered->plan.params) {
      if (p.kind != lower::ParamKind::Pointer || p.tensor) continue;
      auto array = arrays_.find(run::param_name(p));
      if (array != arrays_.end())
        bindings_.raw_bytes[array->first] = static_cast<std::int64_t>(array->second.data.size());
    }
    for (const ir::Param& p : kernel_->value->kernel.params) {
      if (!p.buffer) continue;
      auto array = arrays_.find(p.buffer->name);
      if (array != arrays_.end()) bindings_.shapes[array->first] = run::tensor_shape(array->second, p.buffer->dtype);
    }
    auto bound = run::bind(*kernel_->lowered, bindings_);
    if (!bound) return fail_usage(report_.kernel + " cannot be launched: " + bound.error());
    report_.bound = std::move(*bound);
    run::Job& job = report_.bound.job;
    report_.tensors.resize(job.buffers.size());
    for (const Pairs* given : {&inputs_, &expected_}) {
      for (const auto& [name, path] : *given)
        if (!buffer_index(name)) return no_tensor(name);
    }
    for (const std::string& name : o_.outputs) {
      auto at = buffer_index(name);
      if (!at) return no_tensor(name);
      set_role(*at, run::Role::Output);
    }
    for (std::size_t i = 0; i < job.buffers.size(); ++i)
      if (int status = fill(i); status != kFine) return status;
    if (!o_.cubin.empty()) {
      auto cubin = project::read_file(o_.cubin, kLargestArray);
      if (!cubin) return fail_usage(cubin.error());
      job.launches.front().cubin = std::move(*cubin);
    } else {
      auto cubin = cubin_of(*kernel_);
      if (stop_.stop_requested()) return kInterrupted;
      if (!cubin) return kUsage;
      job.launches.front().cubin = std::move(*cubin);
    }
    job.warmups = o_.warmup;
    job.repeats = o_.repeat;
    return kFine;
  }

  std::optional<std::size_t> buffer_index(std::string_view name) const {
    for (std::size_t i = 0; i < report_.bound.job.buffers.size(); ++i)
      if (report_.bound.job.buffers[i].name == name) return i;
    return std::nullopt;
  }
  int no_tensor(const std::string& name) const {
    std::string known;
    for (const run::JobBuffer& b : report_.bound.job.buffers) known += (known.empty() ? "" : ", ") + b.name;
    return fail_usage("the kernel has no tensor " + name, "it has " + (known.empty() ? "none" : known));
  }
  void set_role(std::size_t i, run::Role role) {
    report_.bound.job.buffers[i].role = report_.bound.tensors[i].role = role;
  }

  int fill(std::size_t i) {
    run::JobBuffer& b = report_.bound.job.buffers[i];
    const run::BoundTensor& tensor = report_.bound.tensors[i];
    if (auto array = arrays_.find(b.name); array != arrays_.end()) {
      // Storage with gaps is given as it lies in memory.
      std::vector<std::int64_t> shape = tensor.shape;
      if (!tensor.compact) shape = {tensor.bytes * 8 / std::max(1, tensor.dtype.storage_bits())};
      auto fits = run::matches(array->second, tensor.dtype, shape);
      if (!fits && report_.bound.tensors[i].dtype != ir::kUInt8)
        return fail_usage(inputs_[b.name] + ": " + fits.error());
      if (static_cast<std::int64_t>(array->second.data.size()) != b.bytes)
        return fail_usage(inputs_[b.name] + " has " + std::to_string(array->second.data.size()) + " bytes, " + b.name +
                          " takes " + std::to_string(b.bytes));
      if (b.role == run::Role::Output) set_role(i, run::Role::InOut);
      b.contents = array->second.data;
      report_.tensors[i].source = inputs_[b.name];
    } else if (b.role == run::Role::Output) {
      report_.tensors[i].source = "poison";
    } else {
      std::uint64_t seed = o_.seed;
      for (char c : b.name) seed = seed * 1099511628211ull + static_cast<unsigned char>(c);
      b.contents = run::random_contents(tensor.dtype, b.bytes, seed);
      report_.tensors[i].source = "random";
    }
    return kFine;
  }

  int compare() {
    for (std::size_t i = 0; i < report_.outcome.buffers.size(); ++i)
      report_.tensors[i].digest = toolchain::hex(toolchain::sha256(report_.outcome.buffers[i].contents));
    for (const auto& [name, path] : expected_) {
      std::size_t i = *buffer_index(name);
      const run::BoundTensor& tensor = report_.bound.tensors[i];
      auto array = array_of(path);
      if (!array) return fail_usage(array.error());
      std::vector<std::int64_t> shape = tensor.shape;
      if (!tensor.compact) shape = {tensor.bytes * 8 / std::max(1, tensor.dtype.storage_bits())};
      if (auto fits = run::matches(*array, tensor.dtype, shape); !fits) return fail_usage(path + ": " + fits.error());
      compare_with(i, array->data, path);
    }
    std::string reference =
        o_.reference.empty() ? reference_comment(file_, *kernel_, compiled_.evaluation->anchors) : o_.reference;
    if (!reference.empty()) return compare_with_reference(reference);
    if (expected_.empty())
      report_.notes.push_back(
          "nothing says what the outputs should be: name a kernel that computes them in a comment "
          "`# tilewright: reference EXPR`, or give them with --expect NAME=FILE.npy");
    return kFine;
  }

  void compare_with(std::size_t i, std::string_view expected, const std::string& from) {
    render::TensorReport& t = report_.tensors[i];
    t.expected_from = from;
    t.tolerance = run::default_tolerance(report_.bound.tensors[i].dtype);
    if (o_.rtol) t.tolerance.relative = *o_.rtol;
    if (o_.atol) t.tolerance.absolute = *o_.atol;
    t.comparison =
        run::compare(report_.bound.tensors[i].dtype, report_.outcome.buffers[i].contents, expected, t.tolerance);
  }

  // The reference is a kernel of the same tensors: run on the host by the simulator, or, where that would take too
  // long, on the GPU.
  int compare_with_reference(const std::string& expression) {
    session::CompileOptions options;
    options.target = compiled_.target;
    options.entries = {expression};
    session::Compiled compiled = project::compile(file_, options);
    const session::CompiledKernel* reference = compiled.kernels.size() == 1 ? &compiled.kernels.front() : nullptr;
    if (!reference || !reference->cuda) {
      for (const text::Diagnostic& d : compiled.diagnostics) {
        if (d.severity == text::Severity::Error)
          std::fputs(render::diagnostic_text(d, compiled.evaluation->anchors, render::colours(stderr)).c_str(), stderr);
      }
      return fail_usage("the reference " + expression + " does not yield one kernel that compiles");
    }
    ArenaScope arena(*reference->value->kernel.arena);
    auto bound = run::bind(*reference->lowered, bindings_);
    if (!bound) return fail_usage("the reference " + expression + " cannot be launched: " + bound.error());
    for (std::size_t i = 0; i < bound->tensors.size(); ++i) {
      run::JobBuffer& b = bound->job.buffers[i];
      auto mine = buffer_index(b.name);
      if (!mine || report_.bound.tensors[*mine].dtype != bound->tensors[i].dtype ||
          report_.bound.job.buffers[*mine].bytes != b.bytes)
        return fail_usage("the reference " + expression + " has a tensor " + b.name + " that " + report_.kernel +
                          " has not, or not of that type and size");
      b.role = bound->tensors[i].role = report_.bound.tensors[*mine].role;
      b.contents = report_.bound.job.buffers[*mine].contents;
    }
    std::string where = "reference " + expression + " on the host";
    auto expected = simulate_on_host(*reference, *bound);
    if (!expected) {
      if (!expected.error().empty())
        return fail_usage("the reference " + expression + " fails on the host: " + expected.error());
      where = "reference " + expression + " on the GPU";
      auto cubin = cubin_of(*reference);
      if (!cubin) return kUsage;
      bound->job.launches.front().cubin = std::move(*cubin);
      bound->job.repeats = 0;
      run::Outcome outcome = runner_->run(bound->job, stop_);
      if (outcome.status == run::Status::Stopped) return kInterrupted;
      if (outcome.status != run::Status::Done)
        return fail_usage("the reference " + expression + " fails: " + outcome.message);
      expected.emplace();
      for (run::BufferOutcome& b : outcome.buffers) expected->emplace_back(b.contents.view());
    }
    for (std::size_t i = 0; i < bound->tensors.size(); ++i) {
      std::size_t mine = *buffer_index(bound->tensors[i].name);
      if (report_.bound.tensors[mine].role == run::Role::Input || report_.tensors[mine].comparison) continue;
      compare_with(mine, (*expected)[i], where);
    }
    return kFine;
  }

  static simulate::Inputs host_inputs(const run::Bound& bound, const run::Bindings& bindings) {
    simulate::Inputs inputs;
    for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
      const run::JobBuffer& b = bound.job.buffers[i];
      simulate::Tensor t;
      t.shape = bound.tensors[i].shape;
      t.defined = b.role != run::Role::Output;
      // An output that the reference leaves alone stays poisoned, as on the GPU.
      t.bytes.assign(static_cast<std::size_t>(b.bytes), std::byte{0xFF});
      std::ranges::transform(b.contents.view(), t.bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
      inputs.tensors.emplace(b.name, std::move(t));
    }
    for (const auto& [name, value] : bindings.values)
      inputs.scalars.emplace(name, value.real ? simulate::Scalar(value.floating) : simulate::Scalar(value.integer));
    for (const auto& [name, value] : bound.extents) inputs.scalars.insert_or_assign(name, simulate::Scalar(value));
    return inputs;
  }

  // Contents of its buffers; an empty error: it takes too long or is not modelled there.
  std::expected<std::vector<std::string>, std::string> simulate_on_host(const session::CompiledKernel& kernel,
                                                                        const run::Bound& bound) {
    simulate::Result result = simulate::run(*kernel.lowered, host_inputs(bound, bindings_));
    if (result.verdict == simulate::Verdict::Incomplete) return std::unexpected("");
    if (result.verdict == simulate::Verdict::Error) return std::unexpected(result.findings.front().message);
    std::vector<std::string> out;
    for (const run::JobBuffer& b : bound.job.buffers) {
      const auto& bytes = result.tensors[b.name].bytes;
      out.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return out;
  }

  // A GPU says that something went wrong, not where. The simulator, given the same inputs, may find the line.
  void locate_fault() {
    simulate::Options options;
    options.max_steps = 50'000'000;  // seconds, at most: the answer to a fault should not take long
    simulate::Result result = simulate::run(*kernel_->lowered, host_inputs(report_.bound, bindings_), options);
    for (const simulate::Finding& f : result.findings) {
      if (f.severity != simulate::Severity::Error) continue;
      report_.fault = f.origin.span;
      report_.fault_reason = f.message;
      return;
    }
  }

  int write_outputs() {
    if (o_.folder.empty() || report_.outcome.status != run::Status::Done) return kFine;
    std::error_code ec;
    fs::create_directories(o_.folder, ec);
    if (ec) return fail_usage("cannot create " + o_.folder + ": " + ec.message());
    for (std::size_t i = 0; i < report_.tensors.size(); ++i) {
      const run::BoundTensor& t = report_.bound.tensors[i];
      if (t.role == run::Role::Input) continue;
      std::vector<std::int64_t> shape = t.shape;
      if (!t.compact) shape = {t.bytes * 8 / std::max(1, t.dtype.storage_bits())};
      fs::path path = fs::path(o_.folder) / (t.name + ".npy");
      auto ok =
          project::write_file(path, run::write_npy(run::to_npy(t.dtype, shape, report_.outcome.buffers[i].contents)));
      if (!ok) return fail_usage(ok.error());
      report_.tensors[i].file = path.string();
    }
    return kFine;
  }

  const RunCommand& o_;
  std::stop_token stop_;
  std::unique_ptr<run::GpuExecutor> runner_;
  std::unique_ptr<toolchain::Toolchain> tools_;
  project::LoadedFile file_;
  session::Compiled compiled_;
  const session::CompiledKernel* kernel_ = nullptr;
  Pairs inputs_, expected_, settings_;
  std::map<std::string, run::NpyArray, std::less<>> arrays_;
  run::Bindings bindings_;
  render::RunReport report_;
};

}  // namespace

void add_run(CLI::App& app, Run& run) {
  auto o = std::make_shared<RunCommand>();
  CLI::App* c = app.add_subcommand("run", "Run a kernel on a GPU, verify what it leaves, and time it");
  c->add_option("file", o->file, "The script, or - for standard input")->required();
  c->add_option("--entry", o->entry, "An expression that yields the kernel, e.g. 'make(128, 64)'");
  c->add_option("--on", o->on, "Where: gpu, this machine's own")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(project::kRunTargets.begin(), project::kRunTargets.end())));
  c->add_option("--arch", o->arch, "Architecture to compile for (default: the device's own)");
  c->add_option("--device", o->device, "Which of the driver's devices")->capture_default_str();
  auto repeatable = [&](const char* name, std::vector<std::string>& to, const char* help) {
    c->add_option(name, to, help)->expected(1)->take_all();
  };
  repeatable("--input", o->inputs, "NAME=FILE.npy: contents of a tensor (default: random); repeatable");
  repeatable("--writes", o->outputs,
             "NAME: a tensor that the kernel only writes, where this is not found out; repeatable");
  repeatable("--set", o->settings, "NAME=VALUE: a symbolic extent or a scalar, e.g. n=128; repeatable");
  repeatable("--expect", o->expected, "NAME=FILE.npy: what a tensor should hold afterwards; repeatable");
  c->add_option("--reference", o->reference,
                "An expression that yields a kernel of the same tensors whose results are expected (default: what "
                "'# tilewright: reference EXPR' above the kernel says)");
  c->add_option("--rtol", o->rtol, "Relative tolerance (default: by type; integers exactly)")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--atol", o->atol, "Absolute tolerance (default: by type)")->check(CLI::NonNegativeNumber);
  c->add_option("--seed", o->seed, "Seed of the random inputs")->capture_default_str();
  c->add_option("--repeat", o->repeat, "Timed launches; 0: do not time")
      ->capture_default_str()
      ->check(CLI::Range(0, 10000));
  c->add_option("--warmup", o->warmup, "Launches before the timed ones")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  c->add_option("--deadline", o->deadline, "Seconds after which the kernel is ended")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  c->add_option("--cubin", o->cubin, "Run this compiled form of the kernel instead of compiling it here");
  c->add_option("--driver", o->driver, "The CUDA driver's library")->capture_default_str();
  c->add_option("-o,--output", o->folder, "Folder to write the outputs into, NAME.npy each");
  c->add_flag("--json", o->json, "One JSON object");
  c->footer(
      "Outputs are poisoned before each launch, guard zones lie around every tensor, inputs are checked to be "
      "unchanged.\nExit status: 0 verified or nothing to compare with, 1 wrong, 2 no GPU or wrong usage, 130 "
      "interrupted.\n\n"
      "Examples:\n  tilewright run copy.py --on gpu\n"
      "  tilewright run vector_add.py --on gpu --set n=1000000 --repeat 50\n"
      "  tilewright run gemm.py --entry 'gemm(1024)' --on gpu --input A=a.npy --input B=b.npy --expect C=c.npy -o "
      "out/");
  c->callback([o, &run] { run = [o] { return RunJob(*o).run(); }; });
}

}  // namespace tilewright::cli
