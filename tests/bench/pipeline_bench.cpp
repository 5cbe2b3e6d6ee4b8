// How fast a script becomes CUDA text, in process, without memo or caches.
//
//   pipeline_bench FILE [--runs 30] [--arch sm_90a]
//
// Prints medians over the runs: parsing, evaluation (entries included), dispatch, lowering, CUDA text; lines a second
// of everything after parsing; and the peak of resident memory above what the process held before it began.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/dispatch/dispatcher.h"
#include "compiler/lower/lower.h"
#include "compiler/session/compile.h"

namespace {

using Clock = std::chrono::steady_clock;
double ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
long peak_kb() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tilewright;
  if (argc < 2) return std::fputs("usage: pipeline_bench FILE [RUNS] [ARCH]\n", stderr), 2;
  int runs = argc > 2 ? std::atoi(argv[2]) : 30;
  ir::Target target = *ir::parse_target(argc > 3 ? argv[3] : "sm_90a");
  std::ifstream in(argv[1]);
  std::stringstream text;
  text << in.rdbuf();
  auto source = std::make_shared<text::Source>(argv[1], text.str());
  std::size_t lines = source->line_count();
  long before = peak_kb();

  std::vector<double> parse, evaluate, dispatch, lower, cuda;
  std::size_t kernels = 0, calls = 0, bytes = 0, failed = 0;
  for (int run = 0; run < runs; ++run) {
    auto t0 = Clock::now();
    auto tree = syntax::Tree::parse(source);
    auto t1 = Clock::now();
    script::EvaluateOptions options;
    options.target = target;
    options.max_entries = 100'000;
    auto e = script::evaluate(tree, nullptr, {}, options);
    auto t2 = Clock::now();
    Clock::duration d{}, l{}, c{};
    kernels = calls = bytes = failed = 0;
    text::Context context;
    for (const script::Entry& entry : e->entries) {
      for (script::KernelValue* k : entry.kernels) {
        auto a = Clock::now();
        auto dispatched = dispatch::dispatch(k->kernel, context);
        auto b = Clock::now();
        d += b - a;
        ++kernels;
        calls += dispatched.calls.size();
        auto lowered = lower::lower(dispatched, context);
        auto m = Clock::now();
        l += m - b;
        if (!lowered) {
          ++failed;
          continue;
        }
        auto made = cuda::emit(*lowered, context);
        c += Clock::now() - m;
        if (made)
          bytes += made->text.size();
        else
          ++failed;
      }
    }
    parse.push_back(ms(t1 - t0));
    evaluate.push_back(ms(t2 - t1));
    dispatch.push_back(ms(d));
    lower.push_back(ms(l));
    cuda.push_back(ms(c));
  }
  double first = evaluate.front();  // loads what it uses of the prelude, once a process
  std::vector<double> after;
  for (std::size_t i = 0; i < parse.size(); ++i) after.push_back(evaluate[i] + dispatch[i] + lower[i] + cuda[i]);
  long grown = peak_kb() - before;
  fmt::print("{}: {} lines, {} kernels ({} failed), {} tile primitives, {} bytes of CUDA, {} runs\n", argv[1], lines,
             kernels, failed, calls, bytes, runs);
  fmt::print(
      "  parse     {:9.3f} ms\n  evaluate  {:9.3f} ms (first {:.3f})\n  dispatch  {:9.3f} ms\n  lower     {:9.3f} ms\n "
      " cuda      "
      "{:9.3f} ms\n",
      median(parse), median(evaluate), first, median(dispatch), median(lower), median(cuda));
  fmt::print("  script text to CUDA text {:.3f} ms; after parsing {:.3f} ms = {:.0f} lines/s\n",
             median(parse) + median(after), median(after), static_cast<double>(lines) / median(after) * 1000);
  fmt::print("  peak memory above start {} KB = {:.2f} KB a line\n", grown,
             static_cast<double>(grown) / static_cast<double>(lines));
  return failed ? 1 : 0;
}
