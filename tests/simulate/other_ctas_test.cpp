// What is shown of the CTAs that were not run holds: random kernels, a part of whose grid stands for all of it, against
// runs of the whole grid.
#include "compiler/run/other_ctas.h"

#include <algorithm>
#include <random>

#include "compiler/run/sample.h"
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr int kElements = 1 << 14;

class Kernels {
 public:
  explicit Kernels(unsigned seed) : random_(seed) {}

  std::string next() {
    clustered_ = chance(4);
    body_.clear();
    line("if True:");
    const int statements = below(2) + 1;
    for (int i = 0; i < statements; ++i) statement();
    std::string out = "from tvm.script import tirx as T\n\n@T.prim_func\ndef k(A: T.Buffer((" +
                      std::to_string(kElements) + ",), \"float32\"), B: T.Buffer((" + std::to_string(kElements) +
                      ",), \"float32\")):\n    T.device_entry()\n";
    if (clustered_) out += "    rank = T.cta_id_in_cluster([2])\n";
    out += "    bx, by = T.cta_id([8, 6])\n    tid = T.thread_id([64])\n    s = T.alloc_shared((64,), \"float32\")\n";
    out += "    s[tid] = A[tid]\n    T.cuda.cta_sync()\n" + body_;
    return out;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int of) { return below(of) == 0; }
  void line(const std::string& text) { body_ += "    " + text + "\n"; }

  // Digits of one number, in some order; now and then with a wrong factor, or one left out.
  std::string index() {
    struct Digit {
      std::string text;
      int extent;
    };
    std::vector<Digit> digits = {{"bx", 8}, {"by", 6}, {"tid", 64}};
    if (chance(3)) digits[0] = {"bx // 2", 4}, digits.push_back({"bx % 2", 2});
    if (chance(4)) digits[2] = {"tid // 8", 8}, digits.push_back({"tid % 8", 8});
    if (chance(3)) digits.push_back({"i", 4});
    if (clustered_ && chance(3)) digits[0] = {"(bx - rank) // 2", 4}, digits.push_back({"rank", 2});
    std::ranges::shuffle(digits, random_);
    if (chance(12)) digits.pop_back();
    std::string out;
    int factor = 1;
    for (const Digit& d : digits) {
      int own = factor;
      if (chance(16)) own += below(3) - 1;
      if (chance(24)) own /= 2;
      out += (out.empty() ? "" : " + ") + std::string("(") + d.text + ") * " + std::to_string(own);
      factor *= chance(24) ? d.extent - 1 : d.extent;
    }
    if (chance(6)) out += " + " + std::to_string(below(9));
    if (chance(12)) out = "(" + out + ") % " + std::to_string(kElements - below(3) * 4000);
    if (chance(12)) out = "T.min(" + out + ", " + std::to_string(12000 + below(400)) + ")";
    return out;
  }

  void statement() {
    std::string pad = "    ";
    line(pad + "for i in T.serial(4):");
    pad += "    ";
    const std::string conditions[] = {"bx * 64 + tid < 400",
                                      "tid < " + std::to_string(8 + below(60)),
                                      "bx == " + std::to_string(below(8)),
                                      "(bx + by) % 3 == 1",
                                      "by * 8 + bx != 17",
                                      "bx < by + i"};
    if (chance(2)) {
      line(pad + "if " + conditions[below(6)] + ":");
      pad += "    ";
    }
    const std::string at = index();
    if (chance(10)) line(pad + "s[tid % 32 + 32 * (i % 2)] = A[" + index() + "]");
    std::string value = "s[63 - tid]";
    if (chance(2)) value += " + A[" + index() + "]";
    if (chance(4)) value += " + B[" + (chance(2) ? at : index()) + "]";
    if (chance(16)) value += " + T.cast(bx, \"float32\")";
    line(pad + "B[" + at + "] = " + value);
  }

  std::mt19937 random_;
  bool clustered_ = false;
  std::string body_;
};

using Told = std::vector<std::pair<std::string_view, std::uint32_t>>;

Told told(const simulate::Result& result) {
  Told out;
  for (const simulate::Finding& f : result.findings) out.emplace_back(f.code, f.origin.span.begin);
  return out;
}

}  // namespace

TEST_CASE("what is shown of CTAs that were not run is so") {
  const unsigned seed = 20261126;
  INFO("seed " << seed);
  Kernels kernels(seed);
  int shown = 0, wrong = 0;
  for (int n = 0; n < 200; ++n) {
    const std::string text = kernels.next();
    Runs script(text);
    const Runs::Kernel& kernel = script.kernels()[0];
    const lower::LoweredKernel& lowered = *kernel.compiled->lowered;
    const auto bound = run::bind(lowered, {});
    REQUIRE(bound);
    std::vector<std::uint64_t> part = run::sample_of(bound->job.launches[0], 4);
    run::OtherCtas others = run::other_ctas(lowered, *bound, part);
    if (!others.worth_run.empty()) {
      part.insert(part.end(), others.worth_run.begin(), others.worth_run.end());
      std::ranges::sort(part);
      others = run::other_ctas(lowered, *bound, part);
    }
    const simulate::Inputs inputs = script.inputs(kernel, [](std::int64_t i) { return static_cast<double>(i % 9973); });
    simulate::Options options;
    options.races = true;
    const simulate::Result whole = script.run(kernel, inputs, options);
    wrong += !whole.findings.empty();
    if (!others.differ.empty()) continue;
    ++shown;
    options.chosen = part;
    const Told few = told(script.run(kernel, inputs, options));
    for (const auto& finding : told(whole)) {
      INFO(text << said(whole));
      CHECK(std::ranges::find(few, finding) != few.end());
    }
  }
  INFO(shown << " shown, " << wrong << " with findings");
  CHECK(shown > 30);
  CHECK(wrong > 60);
}
