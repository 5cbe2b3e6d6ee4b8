// Runs the kernels of scripts on a GPU and holds every element against what the host expects.
//
//   gpu_suite FILE.py|FOLDER ... [--copies FILE.py|FOLDER ...] [options]
//
// Files before --copies run as they are: outputs poisoned, inputs random. Those after it (tests/reference/generate.py)
// only copy, and all their tensors are inputs and outputs at once, so that a byte too many is seen as well as one too
// few. Kernels are compiled side by side; one process with the CUDA context runs them one after the other.
//
//   --seed N          of the contents (1)                      --arch sm_90a    instead of the device's own
//   --set NAME=VALUE  symbolic extents (n=128)                 --jobs N         compilations at once (number of cores)
//   --cubins DIR      take cubins from there when they fit     --prepare DIR    only compile, and write them there
//   --carried DIR     launches of the reference compiler (prepare.py): same inputs, same bytes wanted
//   --build-carried DIR   only compile the CUDA texts of such a folder
//   --write-inputs DIR  only write what the tensors of the scripts will hold, as .npy
//   --expected DIR    what they should hold afterwards (expected.py makes it of such a folder)
//   --log FILE        the record of the run                    --deadline S     for one kernel (20)
//   --library PATH    instead of libcuda.so.1
//
// One line a kernel: verdict, script, entry, what the host's expectation is from, digest of all tensors. Status 1 when
// any is wrong, 2 without a GPU.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "compiler/run/element.h"
#include "compiler/run/gpu_executor.h"
#include "compiler/run/helper.h"
#include "compiler/run/npy.h"
#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/helper.h"
#include "compiler/toolchain/toolchain.h"
#include "tests/gpu/expect.h"

extern char** environ;

namespace fs = std::filesystem;
using namespace tilewright;

namespace {

struct Settings {
  std::vector<std::string> scripts, copies;
  std::uint64_t seed = 1;
  std::string arch, cubins, prepare, carried, build_carried, write_inputs, expected, log, library = "libcuda.so.1";
  std::map<std::string, run::Number, std::less<>> values{{"n", run::Number::of(std::int64_t{128})}};
  int jobs = 0;
  int deadline = 20;
};

// One kernel of a script, or several that run in turn, on its way through the run.
struct Case {
  std::string file, entry;
  std::vector<const session::CompiledKernel*> kernels;
  bool copies = false;
  std::vector<std::string> cubins;  // one a kernel
  std::string problem{};            // it could not be compiled
  int number = 0;                   // among the kernels of its file

  // Where files about it lie below a folder: "vector_add/0".
  fs::path folder() const { return fs::path(file).stem() / std::to_string(number); }
};

struct Counts {
  int right = 0, wrong = 0, refused = 0, unverified = 0, carried_same = 0, carried_wrong = 0, carried_excused = 0;
};

std::FILE* record = nullptr;

template <class... Args>
void say(const char* format, Args... args) {
  std::printf(format, args...);
  std::fflush(stdout);
  if (record) std::fprintf(record, format, args...), std::fflush(record);
}
void say(const char* text) { say("%s", text); }

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> scripts_in(const std::vector<std::string>& places) {
  std::vector<std::string> out;
  for (const std::string& place : places) {
    if (!fs::is_directory(place)) {
      out.push_back(place);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(place))
      if (entry.path().extension() == ".py") found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

// The kernels that `# tilewright: sequence a then b` names.
std::vector<std::string> sequence_of(const syntax::Tree& tree) {
  constexpr std::string_view kSequence = "sequence ", kThen = " then ";
  std::vector<std::string> out;
  for (const syntax::Directive& d : tree.directives()) {
    if (!d.text.starts_with(kSequence) || !out.empty()) continue;
    std::string_view rest = d.text.substr(kSequence.size());
    for (std::size_t at; (at = rest.find(kThen)) != rest.npos; rest.remove_prefix(at + kThen.size()))
      out.emplace_back(rest.substr(0, at));
    out.emplace_back(rest);
  }
  return out;
}

bool meant_for(const syntax::Tree& tree, const std::string& arch) {
  std::vector<std::string> named = session::named_architectures(tree);
  return named.empty() || std::find(named.begin(), named.end(), arch) != named.end();
}

std::string digest_of(const std::string& text) { return toolchain::hex(toolchain::sha256(text)).substr(0, 16); }

toolchain::Options toolchain_options(const Settings& settings) {
  toolchain::Options options;
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) options.cuda_candidates.push_back(home);
  options.cuda_candidates.push_back("/usr/local/cuda");
  options.helpers = settings.jobs;
  return options;
}

// The driver's process finds its libraries and devices as this one would.
std::vector<std::string> environment() {
  std::vector<std::string> out;
  for (char** v = environ; *v; ++v) out.emplace_back(*v);
  return out;
}

// Calls work(i) for every i below `count`, `jobs` at once.
template <class F>
void side_by_side(int jobs, std::size_t count, F&& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < jobs; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at; (at = next++) < count;) work(at);
    });
  }
}

// The cubin, or what the compiler says.
std::expected<std::string, std::string> cubin_of(toolchain::Toolchain& tools, const std::string& cuda,
                                                 const std::string& arch) {
  toolchain::Request request;
  request.cuda_source = cuda;
  request.arch = arch;
  request.want_ptx = false;
  auto made = tools.compile(request);
  if (made) return std::move(made->cubin);
  return std::unexpected(made.error().message + (made.error().log.empty() ? "" : "\n" + made.error().log));
}

void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void compile_all(const Settings& settings, const std::string& arch, std::vector<Case>& cases) {
  toolchain::Toolchain tools(toolchain_options(settings));
  side_by_side(settings.jobs, cases.size(), [&](std::size_t at) {
    Case& c = cases[at];
    for (const session::CompiledKernel* kernel : c.kernels) {
      if (!c.problem.empty()) return;
      std::string file = digest_of(arch + "\n" + kernel->cuda->text) + ".cubin";
      if (!settings.cubins.empty() && fs::exists(fs::path(settings.cubins) / file)) {
        c.cubins.push_back(read(fs::path(settings.cubins) / file));
      } else if (auto cubin = cubin_of(tools, kernel->cuda->text, arch)) {
        c.cubins.push_back(std::move(*cubin));
        if (!settings.prepare.empty()) write(fs::path(settings.prepare) / file, c.cubins.back());
      } else {
        c.problem = cubin.error();
      }
    }
  });
}

// Compiles the CUDA texts of a folder of carried launches (prepare.py). The number of those that do not compile.
int build_carried(const Settings& settings, const std::string& arch) {
  std::vector<fs::path> texts;
  for (const auto& entry : fs::recursive_directory_iterator(settings.build_carried)) {
    fs::path cubin = entry.path();
    if (cubin.extension() != ".cu") continue;
    cubin.replace_extension(".cubin");
    if (!fs::exists(cubin) || fs::last_write_time(cubin) < fs::last_write_time(entry.path()))
      texts.push_back(entry.path());
  }
  toolchain::Toolchain tools(toolchain_options(settings));
  std::atomic<int> failed = 0;
  side_by_side(settings.jobs, texts.size(), [&](std::size_t at) {
    auto cubin = cubin_of(tools, read(texts[at]), arch);
    if (cubin) {
      write(fs::path(texts[at]).replace_extension(".cubin"), *cubin);
    } else {
      ++failed;
      std::fprintf(stderr, "%s: %s\n", texts[at].c_str(), cubin.error().c_str());
    }
  });
  std::printf("%zu texts compiled for %s, %d of them not\n", texts.size(), arch.c_str(), failed.load());
  return failed;
}

// What the outcome of a launch says against it, apart from the values; empty: nothing.
std::string objections(const run::Job& job, const run::Outcome& outcome) {
  if (outcome.status != run::Status::Done)
    return std::string(run::status_name(outcome.status)) + ": " + outcome.message;
  std::string out;
  for (std::size_t i = 0; i < outcome.buffers.size(); ++i) {
    const run::BufferOutcome& b = outcome.buffers[i];
    const std::string& name = job.buffers[i].name;
    auto add = [&](std::int64_t n, const std::string& what) {
      if (n) out += (out.empty() ? "" : "; ") + name + ": " + std::to_string(n) + " " + what;
    };
    add(b.guard_damage, "bytes written outside, the first at " + std::to_string(b.guard_first));
    add(b.changed, "bytes of an input changed");
    add(b.unstable, "bytes differ between launches");
  }
  return out;
}

std::string difference(const std::string& name, std::string_view got, std::string_view want,
                       const std::string* defined) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size() && i < want.size(); ++i) {
    if (got[i] == want[i] || (defined && !(*defined)[i])) continue;
    if (wrong++ == 0) first = i;
  }
  if (!wrong) return {};
  char text[160];
  std::snprintf(text, sizeof text, ": %zu of %zu bytes are wrong, the first at %zu (%02x, not %02x)", wrong, got.size(),
                first, static_cast<unsigned char>(got[first]), static_cast<unsigned char>(want[first]));
  return name + text;
}

// Turns the numbers of a floating-point tensor into whole ones from -4 to 4.
void make_whole(ir::DataType dtype, const run::Contents& contents) {
  ir::DataType element = dtype.element();
  int width = element.storage_bits() / 8;
  if (!element.is_floating() || width < 1 || element.code == ir::TypeCode::Float8E8M0FNU) return;
  for (std::size_t i = 0; i + static_cast<std::size_t>(width) <= contents.size();
       i += static_cast<std::size_t>(width)) {
    double value =
        run::decode_element(element, run::element_bits(element, contents, static_cast<std::int64_t>(i) / width))
            .value_or(0);
    std::uint64_t bits = run::encode_element(element, std::nearbyint(value * 4)).value_or(0);
    std::memcpy(contents.data() + i, &bits, static_cast<std::size_t>(width));
  }
}

std::expected<run::Bound, std::string> bound_of(const Settings& settings, const Case& c) {
  run::Bindings bindings;
  bindings.values = settings.values;
  std::vector<const lower::LoweredKernel*> kernels;
  for (const session::CompiledKernel* kernel : c.kernels) kernels.push_back(kernel->lowered.get());
  return run::bind(kernels, bindings);
}

void give_contents(const Settings& settings, const Case& c, run::Bound& bound) {
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    run::JobBuffer& b = bound.job.buffers[i];
    if (c.copies) b.role = bound.tensors[i].role = run::Role::InOut;
    if (b.role == run::Role::Output) continue;
    std::uint64_t seed = settings.seed;
    for (char ch : c.entry + "/" + b.name) seed = seed * 1099511628211ull + static_cast<unsigned char>(ch);
    b.contents = run::random_contents(bound.tensors[i].dtype, b.bytes, seed);
    if (!c.copies) make_whole(bound.tensors[i].dtype, b.contents);
  }
}

// What a script's `reference` function computed of the same inputs (expected.py). Sums and products of small whole
// numbers are exact in any order, so nothing is tolerated. False: there is no file for it.
bool compare_with_files(const Settings& settings, const Case& c, const run::Bound& bound, const run::Outcome& outcome,
                        std::string& why) {
  bool any = false;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const run::BoundTensor& tensor = bound.tensors[i];
    fs::path path = fs::path(settings.expected) / c.folder() / (tensor.name + ".expected.npy");
    if (settings.expected.empty() || !fs::exists(path)) continue;
    auto array = run::read_npy(read(path));
    auto fits = array ? run::matches(*array, tensor.dtype, tensor.shape)
                      : std::expected<void, std::string>(std::unexpected(array.error()));
    if (!fits) {
      why = path.string() + ": " + fits.error();
      return true;
    }
    any = true;
    run::Comparison found = run::compare(tensor.dtype, outcome.buffers[i].contents, array->data, {});
    if (!found.mismatches || !why.empty()) continue;
    char text[160];
    std::snprintf(text, sizeof text, ": %lld of %lld elements are wrong, the first at %lld (%g, not %g)",
                  static_cast<long long>(found.mismatches), static_cast<long long>(found.elements),
                  static_cast<long long>(found.first), found.got, found.expected);
    why = tensor.name + text;
  }
  return any;
}

void write_inputs(const Settings& settings, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    if (c.copies || !c.problem.empty()) continue;
    auto bound = bound_of(settings, c);
    if (!bound) continue;
    give_contents(settings, c, *bound);
    fs::path folder = fs::path(settings.write_inputs) / c.folder();
    fs::create_directories(folder);
    write(folder / "script", fs::absolute(c.file).string() + "\n" + c.entry + "\n");
    for (std::size_t i = 0; i < bound->tensors.size(); ++i) {
      const run::BoundTensor& t = bound->tensors[i];
      if (t.role != run::Role::Output && t.compact)
        write(folder / (t.name + ".npy"),
              run::write_npy(run::to_npy(t.dtype, t.shape, bound->job.buffers[i].contents)));
    }
  }
}

// The same inputs through the reference compiler's kernel.
void run_carried(const Settings& settings, const Case& c, const run::Job& ours, const run::Outcome& outcome,
                 run::GpuExecutor& runner, Counts& counts) {
  fs::path base = fs::path(settings.carried) / fs::path(c.file).stem() / c.entry;
  fs::path plan = base, cubin = base, excuse = base;
  plan += ".json", cubin += ".cubin", excuse += ".defect";
  if (!fs::exists(plan) || !fs::exists(cubin)) return;
  auto job = run::plan_from_json(read(plan));
  std::string why;
  if (!job) {
    why = job.error();
  } else {
    job->launches.front().cubin = read(cubin);
    for (run::JobBuffer& b : job->buffers) {
      auto mine = std::find_if(ours.buffers.begin(), ours.buffers.end(),
                               [&](const run::JobBuffer& o) { return o.name == b.name; });
      if (mine == ours.buffers.end()) {
        why = "it has a tensor " + b.name;
        continue;
      }
      b.bytes = mine->bytes, b.role = mine->role, b.contents = mine->contents;
    }
    if (why.empty()) {
      run::Outcome theirs = runner.run(*job);
      why = objections(*job, theirs);
      for (std::size_t i = 0; why.empty() && i < job->buffers.size(); ++i) {
        for (std::size_t k = 0; k < ours.buffers.size(); ++k) {
          if (ours.buffers[k].name == job->buffers[i].name)
            why = difference(ours.buffers[k].name, outcome.buffers[k].contents, theirs.buffers[i].contents, nullptr);
        }
      }
    }
  }
  if (why.empty()) {
    ++counts.carried_same;
    say("           reference: same bytes\n");
  } else if (fs::exists(excuse)) {
    ++counts.carried_excused;
    say("           reference: %s  [known defect: %s]\n", why.c_str(), read(excuse).c_str());
  } else {
    ++counts.carried_wrong;
    say("DIFFERENT  reference: %s\n", why.c_str());
  }
}

void run_case(const Settings& settings, const Case& c, run::GpuExecutor& runner, Counts& counts) {
  std::string name = fs::path(c.file).filename().string() + ":" + c.entry;
  if (!c.problem.empty()) {
    ++counts.wrong;
    say("WRONG      %s  not compiled: %s\n", name.c_str(), c.problem.c_str());
    return;
  }
  auto bound = bound_of(settings, c);
  if (!bound) {
    ++counts.wrong;
    say("WRONG      %s  %s\n", name.c_str(), bound.error().c_str());
    return;
  }
  give_contents(settings, c, *bound);
  for (std::size_t i = 0; i < c.cubins.size(); ++i) bound->job.launches[i].cubin = c.cubins[i];
  auto expected = c.kernels.size() == 1 ? testing::expect(*c.kernels.front(), *bound)
                                        : std::unexpected(std::string("several kernels in turn"));
  run::Outcome outcome = runner.run(bound->job);
  std::string why = objections(bound->job, outcome), all;
  bool by_files =
      outcome.status == run::Status::Done && why.empty() && compare_with_files(settings, c, *bound, outcome, why);
  if (outcome.status == run::Status::Done) {
    for (std::size_t i = 0; i < bound->job.buffers.size(); ++i) {
      const std::string& tensor = bound->job.buffers[i].name;
      all += outcome.buffers[i].contents.view();
      if (!expected || !why.empty()) continue;
      const testing::Expectation::Tensor& want = expected->tensors[tensor];
      // Outputs that a kernel leaves partly alone hold poison there, which the host does not know.
      if (bound->job.buffers[i].role == run::Role::Output && outcome.buffers[i].unwritten) {
        why = tensor + ": " + std::to_string(outcome.buffers[i].unwritten) + " bytes were never written";
        continue;
      }
      why = difference(tensor, outcome.buffers[i].contents, want.bytes, &want.defined);
    }
  }
  std::string digest = digest_of(all);
  if (!why.empty()) {
    ++counts.wrong;
    say("WRONG      %s  %s\n", name.c_str(), why.c_str());
  } else if (!expected && !by_files) {
    ++counts.unverified;
    say("unverified %s  %s  %s\n", name.c_str(), digest.c_str(), expected.error().c_str());
  } else {
    ++counts.right;
    std::string source = by_files ? "reference" : "";
    if (expected) source += (by_files ? ", " : "") + expected->source;
    say("right      %s  %s  %s\n", name.c_str(), digest.c_str(), source.c_str());
  }
  if (outcome.status == run::Status::Done && !settings.carried.empty())
    run_carried(settings, c, bound->job, outcome, runner, counts);
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings s;
  bool copies = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (arg == "--copies") {
      copies = true;
    } else if (arg == "--seed") {
      s.seed = std::strtoull(value().c_str(), nullptr, 10);
    } else if (arg == "--arch") {
      s.arch = value();
    } else if (arg == "--cubins") {
      s.cubins = value();
    } else if (arg == "--prepare") {
      s.prepare = value();
    } else if (arg == "--carried") {
      s.carried = value();
    } else if (arg == "--build-carried") {
      s.build_carried = value();
    } else if (arg == "--write-inputs") {
      s.write_inputs = value();
    } else if (arg == "--expected") {
      s.expected = value();
    } else if (arg == "--log") {
      s.log = value();
    } else if (arg == "--library") {
      s.library = value();
    } else if (arg == "--jobs") {
      s.jobs = std::atoi(value().c_str());
    } else if (arg == "--deadline") {
      s.deadline = std::atoi(value().c_str());
    } else if (arg == "--set") {
      std::string text = value();
      auto equals = text.find('=');
      auto number = equals == text.npos ? std::nullopt : run::parse_number(text.substr(equals + 1));
      if (!number) return std::nullopt;
      s.values[text.substr(0, equals)] = *number;
    } else if (arg.starts_with("--")) {
      return std::nullopt;
    } else {
      (copies ? s.copies : s.scripts).push_back(arg);
    }
  }
  if (s.scripts.empty() && s.copies.empty() && s.build_carried.empty()) return std::nullopt;
  if (s.jobs <= 0) s.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "toolchain-helper") return toolchain::helper_main();
  if (argc == 2 && std::string_view(argv[1]) == "gpu-helper") return run::helper_main();
  auto settings = parse(argc, argv);
  if (!settings) {
    std::fprintf(stderr,
                 "usage: gpu_suite FILE.py|FOLDER ... [--copies FILE.py|FOLDER ...] [--seed N] [--log FILE]\n"
                 "         [--arch A] [--cubins DIR] [--prepare DIR] [--carried DIR] [--set NAME=VALUE]\n"
                 "         [--jobs N] [--deadline SECONDS] [--library PATH]\n");
    return 2;
  }
  if (!settings->log.empty()) record = std::fopen(settings->log.c_str(), "w");
  if (!settings->prepare.empty()) fs::create_directories(settings->prepare);
  std::string arch = settings->arch.empty() ? "sm_90a" : settings->arch;
  if (!settings->build_carried.empty()) return build_carried(*settings, arch) != 0;

  run::GpuOptions options;
  options.library = settings->library;
  options.deadline = std::chrono::seconds(settings->deadline);
  options.environment = environment();
  run::GpuExecutor runner(options);
  if (settings->prepare.empty() && settings->write_inputs.empty()) {
    auto device = runner.device();
    if (!device) {
      std::fprintf(stderr, "gpu_suite: %s\n", device.error().c_str());
      return 2;
    }
    if (settings->arch.empty()) arch = device->arch();
    std::string command;
    for (int i = 0; i < argc; ++i) command += (i ? " " : "") + std::string(i ? argv[i] : "gpu_suite");
    say("# device   %s, %s, %d SMs, driver for CUDA %d.%d\n", device->name.c_str(), device->arch().c_str(),
        device->multiprocessors, device->driver_version / 1000, device->driver_version % 1000 / 10);
    say("# command  %s\n# arch     %s\n# seed     %llu\n", command.c_str(), arch.c_str(),
        static_cast<unsigned long long>(settings->seed));
  }
  auto target = ir::parse_target(arch);
  if (!target) {
    std::fprintf(stderr, "gpu_suite: unknown architecture %s\n", arch.c_str());
    return 2;
  }

  Counts counts;
  std::vector<std::unique_ptr<session::Compiled>> compiled;
  std::vector<Case> cases;
  auto load = [&](const std::vector<std::string>& places, bool copies) {
    for (const std::string& file : scripts_in(places)) {
      auto source = std::make_shared<text::Source>(file, read(file));
      auto tree = syntax::Tree::parse(source);
      if (!copies && !meant_for(*tree, arch)) continue;
      session::CompileOptions how;
      how.target = *target;
      auto& c = compiled.emplace_back(std::make_unique<session::Compiled>(session::compile(tree, nullptr, {}, how)));
      std::vector<std::string> turns = sequence_of(*tree);
      for (const session::CompiledKernel& k : c->kernels) {
        auto turn = std::find(turns.begin(), turns.end(), k.entry->expression);
        if (turn != turns.end() && turn != turns.begin()) continue;  // with the first of them
        if (!k.cuda) {
          ++counts.refused;  // generated scripts mean to be refused now and then; ours do not
          if (!copies) cases.push_back({file, k.entry->expression, {&k}, copies, {}, "Tilewright refuses it"});
          continue;
        }
        cases.push_back({file, k.entry->expression, {&k}, copies, {}, {}, static_cast<int>(&k - c->kernels.data())});
        if (turn == turns.end()) continue;
        for (const session::CompiledKernel& next : c->kernels)
          for (std::size_t i = 1; i < turns.size(); ++i)
            if (next.cuda && next.entry->expression == turns[i]) cases.back().kernels.push_back(&next);
      }
    }
  };
  load(settings->scripts, false);
  load(settings->copies, true);
  if (!settings->write_inputs.empty()) {
    write_inputs(*settings, cases);
    return 0;
  }
  compile_all(*settings, arch, cases);
  if (!settings->prepare.empty()) {
    int problems = 0;
    for (const Case& c : cases) {
      if (c.problem.empty()) continue;
      ++problems;
      std::printf("%s:%s: %s\n", c.file.c_str(), c.entry.c_str(), c.problem.c_str());
    }
    std::printf("%zu kernels prepared for %s, %d refused, %d not compiled\n", cases.size(), arch.c_str(),
                counts.refused, problems);
    return problems != 0;
  }
  for (const Case& c : cases) run_case(*settings, c, runner, counts);
  say("# %d right, %d wrong, %d unverified, %d refused; reference: %d same, %d different, %d known defects; "
      "%d processes\n",
      counts.right, counts.wrong, counts.unverified, counts.refused, counts.carried_same, counts.carried_wrong,
      counts.carried_excused, runner.processes());
  return counts.wrong || counts.carried_wrong;
}
