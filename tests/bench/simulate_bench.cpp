// How fast the simulator executes kernels: millions of lowered operations of one thread each second, on one core, with
// and without the search for races, in turn.
//
//   simulate_bench FILE.py ... [--runs 7] [--arch sm_90a]
//
// Each kernel that compiles runs whole, with floating tensors at random and integers 0; printed are medians of the
// runs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "compiler/run/bind.h"
#include "compiler/run/element.h"
#include "compiler/session/compile.h"
#include "compiler/simulate/simulate.h"

using namespace tilewright;

namespace {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

simulate::Inputs inputs_of(const run::Bound& bound) {
  simulate::Inputs out;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const run::BoundTensor& tensor = bound.tensors[i];
    simulate::Tensor t;
    t.shape = tensor.shape;
    t.written = tensor.role != run::Role::Input;
    t.bytes.resize(static_cast<std::size_t>(tensor.bytes));
    if (!tensor.dtype.is_integral()) {
      run::Contents random = run::random_contents(tensor.dtype, tensor.bytes, i + 1);
      std::memcpy(t.bytes.data(), random.data(), t.bytes.size());
    }
    out.tensors.emplace(tensor.name, std::move(t));
  }
  return out;
}

struct Speed {
  double million = 0;  // operations a second
  std::uint64_t steps = 0;
  bool clean = true;
};

Speed measured(const lower::LoweredKernel& kernel, const simulate::Inputs& inputs, bool races, int runs) {
  Speed out;
  std::vector<double> speeds;
  simulate::Options options;
  options.races = races;
  options.max_steps = ~std::uint64_t{0};
  for (int run = 0; run < runs; ++run) {
    auto begun = std::chrono::steady_clock::now();
    simulate::Result r = simulate::run(kernel, inputs, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    speeds.push_back(static_cast<double>(r.steps) / seconds / 1e6);
    out.steps = r.steps;
    out.clean = out.clean && r.verdict == simulate::Verdict::Clean;
  }
  out.million = median(speeds);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 7;
  std::string arch = "sm_90a";
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--runs" && i + 1 < argc) {
      runs = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--arch" && i + 1 < argc) {
      arch = argv[++i];
    } else {
      files.push_back(word);
    }
  }
  auto target = ir::parse_target(arch);
  if (files.empty() || !target)
    return std::fputs("usage: simulate_bench FILE.py ... [--runs 7] [--arch sm_90a]\n", stderr), 2;
  fmt::print("{:<32} {:>12} {:>12} {:>12}\n", "million operations a second", "operations", "values", "and races");
  for (const std::string& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    session::CompileOptions options;
    options.target = *target;
    options.stage = session::Stage::Lower;
    auto compiled =
        session::compile(syntax::Tree::parse(std::make_shared<text::Source>(file, text.str())), nullptr, {}, options);
    for (const session::CompiledKernel& k : compiled.kernels) {
      if (!k.lowered) continue;
      const lower::LoweredKernel* one[] = {k.lowered.get()};
      auto bound = run::bind(one, {});
      if (!bound) continue;
      const simulate::Inputs inputs = inputs_of(*bound);
      const Speed values = measured(*k.lowered, inputs, false, runs), races = measured(*k.lowered, inputs, true, runs);
      fmt::print("{:<32} {:>12} {:>12.1f} {:>12.1f}{}\n", k.entry->expression, races.steps, values.million,
                 races.million, values.clean && races.clean ? "" : "  (findings)");
    }
  }
  return 0;
}
