// Runs the copy kernels of script files and checks that exactly the right elements moved.
//
//   moves FILE.py ... [--arch sm_90a] [--at-least N] [--random N] [--broken]
//
// Every kernel that compiles is run by the simulator with tracing, over tensors that are inputs and outputs at once:
// with asynchronous copies as late as their waits allow, as early as possible, and N times at random moments.
// Afterwards each byte of each tensor has to be the byte that the meaning of the script (meaning.h) puts there: what a
// copy should move has moved, and nothing else has changed. Kernels that Tilewright refuses are counted. Status 1 when
// a kernel is wrong, or when fewer than N have run. With --broken every kernel has a mistake: status 1 when one is
// right at all timings.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "compiler/session/compile.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/simulate.h"
#include "tests/simulate/meaning.h"

using namespace tilewright;

namespace {

struct Counts {
  int random = 2;  // runs with random timing, besides the two others
  bool broken = false;
  int ran = 0, refused = 0, wrong = 0, unmodelled = 0;
  std::int64_t elements = 0;
  std::map<std::string, int, std::less<>> variants;  // served calls of the kernels that ran
};

constexpr std::int64_t kSymbolicExtent = 128;  // every tile of the scripts divides it

// Threads that all make the whole copy store the same values, which is said and is right.
bool only_equal_stores(const simulate::Result& result) {
  return std::ranges::all_of(result.findings,
                             [](const simulate::Finding& f) { return f.code == simulate::code::kEqualStores; });
}

std::string compare(const ir::Kernel& script, testing::Meaning& meaning, simulate::Result result) {
  if (!only_equal_stores(result)) {
    std::string text = "the run is not clean";
    for (const simulate::Finding& f : result.findings) {
      text += "\n    " + std::string(f.code) + ": " + f.message + " (CTA " + std::to_string(f.cta[0]) + ", thread " +
              std::to_string(f.thread) + ", " + std::to_string(f.times) + " times)";
    }
    return text;
  }
  for (const ir::Param& p : script.params) {
    if (!p.buffer) continue;
    std::string name(p.buffer->name);
    const testing::Bytes &want = meaning.tensor(*p.buffer), &got = result.traces[name];
    const std::vector<std::byte>& values = result.tensors[name].bytes;
    if (want.size() != got.size())
      return name + " has " + std::to_string(got.size()) + " bytes, not " + std::to_string(want.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      bool good = want[i] == testing::kZero ? got[i] == 0 && values[i] == std::byte{0} : want[i] == got[i];
      if (!good && wrong++ == 0) first = i;
    }
    if (wrong) {
      return std::to_string(wrong) + " of " + std::to_string(want.size()) + " bytes of " + name +
             " are wrong; the first, " + std::to_string(first) + ", came from " + std::to_string(got[first]) +
             " instead of " + std::to_string(want[first]);
    }
  }
  return {};
}

// Why a run is wrong; empty: all are right.
std::string check(const session::CompiledKernel& kernel, Counts& counts) {
  const ir::Kernel& script = kernel.value->kernel;
  std::map<std::string, std::int64_t> extents{{"n", kSymbolicExtent}};
  testing::Meaning meaning(script, kernel.dispatched->launch, extents);
  meaning.run();

  simulate::Inputs inputs;
  for (const ir::Param& p : script.params) {
    if (!p.buffer) continue;
    simulate::Tensor t;
    t.shape = meaning.tensor_shape(*p.buffer);
    t.bytes.resize(static_cast<std::size_t>(meaning.tensor_bytes(*p.buffer)));
    unsigned seed = 17;
    for (std::byte& b : t.bytes) b = std::byte((seed = seed * 1103515245 + 12345) >> 16);
    inputs.tensors.emplace(p.buffer->name, std::move(t));
  }
  simulate::Options options;
  options.trace = true;
  options.races = true;
  options.uninitialised_reads = !meaning.read_undefined();
  for (int run = 0; run < 2 + counts.random; ++run) {
    using simulate::Timing;
    options.timing = run == 0 ? Timing::Latest : run == 1 ? Timing::Earliest : Timing::Random;
    options.seed = static_cast<std::uint64_t>(run);
    std::string why = compare(script, meaning, simulate::run(*kernel.lowered, inputs, options));
    if (why.empty()) continue;
    return (run == 0   ? "late copies: "
            : run == 1 ? "early copies: "
                       : "random copies " + std::to_string(run) + ": ") +
           why;
  }
  counts.elements += meaning.elements();
  return {};
}

void run_file(const std::string& path, const ir::Target& target, Counts& counts) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  auto source = std::make_shared<text::Source>(path, text.str());
  session::CompileOptions options;
  options.target = target;
  options.stage = session::Stage::Lower;
  session::Compiled compiled = session::compile(syntax::Tree::parse(source), nullptr, {}, options);
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    if (kernel.failed || !kernel.lowered) {
      ++counts.refused;
      continue;
    }
    std::string name(kernel.value->kernel.name), why;
    try {
      why = check(kernel, counts);
    } catch (const testing::Unmodelled& e) {
      ++counts.unmodelled;
      std::printf("%s: %s: not modelled: %s\n", path.c_str(), name.c_str(), e.what());
      continue;
    } catch (const std::exception& e) {
      why = e.what();
    }
    ++counts.ran;
    for (const dispatch::CallReport& call : kernel.dispatched->calls) ++counts.variants[std::string(call.variant)];
    if (why.empty() && counts.broken) std::printf("%s: %s: no mistake is found\n", path.c_str(), name.c_str());
    if (why.empty()) continue;
    ++counts.wrong;
    if (!counts.broken) std::printf("%s: %s: %s\n", path.c_str(), name.c_str(), why.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  std::string arch = "sm_90a";
  int at_least = 1;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--arch" && i + 1 < argc) {
      arch = argv[++i];
    } else if (arg == "--broken") {
      counts.broken = true;
    } else if (arg == "--random" && i + 1 < argc) {
      counts.random = std::atoi(argv[++i]);
    } else if (arg == "--at-least" && i + 1 < argc) {
      at_least = std::atoi(argv[++i]);
    } else {
      files.push_back(arg);
    }
  }
  auto target = ir::parse_target(arch);
  if (!target || files.empty()) {
    std::fprintf(stderr, "usage: moves FILE.py ... [--arch sm_90a] [--at-least N] [--random N] [--broken]\n");
    return 2;
  }
  for (const std::string& f : files) run_file(f, *target, counts);
  std::printf("%d kernels ran, %d wrong, %d refused, %d not modelled; %lld elements moved;", counts.ran, counts.wrong,
              counts.refused, counts.unmodelled, static_cast<long long>(counts.elements));
  for (const auto& [variant, n] : counts.variants) std::printf(" %s %d", variant.c_str(), n);
  std::printf("\n");
  return counts.wrong != (counts.broken ? counts.ran : 0) || counts.ran < at_least;
}
