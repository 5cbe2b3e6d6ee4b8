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

constexpr int kElements = 1 << 15;

class Kernels {
 public:
  explicit Kernels(unsigned seed) : random_(seed) {}

  std::string next() {
    clustered_ = chance(4);
    persistent_ = chance(2);
    body_.clear();
    const int loops = persistent_ ? below(2) + 1 : 1;
    for (int n = 0; n < loops; ++n) {
      if (persistent_) {
        const std::string first = clustered_ ? "bx // 2 + by * 4" : chance(2) ? "bx + by * 8" : "by + bx * 6";
        const int ctas = clustered_ ? 24 : 48;
        line((n ? "tile = " : "tile: T.int32 = ") + first);
        line("while tile < " + std::to_string(ctas + below(24)) + ":");
        step_ = std::to_string(chance(8) ? ctas - 1 : ctas);
      } else {
        line("if True:");
      }
      const int statements = below(2) + 1;
      for (int i = 0; i < statements; ++i) statement();
      if (persistent_) line("    tile = tile + " + step_);
    }
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
    if (persistent_ && !chance(12)) {
      digits[0] = {"tile // 8", 9};
      digits[1] = {"tile % 8", 8};
      if (chance(2)) digits[0] = {"tile", 72}, digits.erase(digits.begin() + 1);
      if (clustered_) digits.push_back({"rank", 2});
    } else if (clustered_ && chance(3)) {
      digits[0] = {"(bx - rank) // 2", 4}, digits.push_back({"rank", 2});
    }
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
  bool clustered_ = false, persistent_ = false;
  std::string step_;
  std::string body_;
};

using Told = std::vector<std::pair<std::string_view, std::uint32_t>>;

Told told(const simulate::Result& result) {
  Told out;
  for (const simulate::Finding& f : result.findings) out.emplace_back(f.code, f.origin.span.begin);
  return out;
}

constexpr std::string_view kPersistent = R"(# tilewright: dialect 0.25
from tvm.script import tirx as T
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D

ROWS, COLS, CTAS = 64, 128, 132
TILES = ROWS * COLS


def plain(kind):
    @T.prim_func
    def k(A: T.Buffer((ROWS * 8, COLS * 32), "float32"), C: T.Buffer((ROWS * 8, COLS * 32), "float32")):
        T.device_entry()
        bx = T.cta_id([CTAS])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32")
        step: T.int32 = CTAS
        tile: T.int32 = bx
        if T.meta_var(kind == "counted rounds"):
            for i in T.serial((TILES - bx + CTAS - 1) // CTAS):
                at: T.let = i * CTAS + bx
                for x in T.serial(2):
                    C[at % ROWS * 8 + tid // 16, at // ROWS * 32 + tid % 16 * 2 + x] = T.float32(1)
        elif T.meta_var(kind == "leaves early"):
            while tile < TILES:
                if tile % 1000 == 999:
                    break
                C[tile % ROWS * 8 + tid // 16, tile // ROWS * 32 + tid % 16] = T.float32(1)
                tile = tile + CTAS
        else:
            while tile < TILES:
                row: T.let = T.meta_var(
                    tile // 1024 * 8 + tile % 8
                    if kind == "by groups"
                    else tile // 1024 * 7 + tile % 8
                    if kind == "rows of groups meet"
                    else T.if_then_else(tile == 4321, 0, tile % ROWS)
                    if kind == "one round is another's"
                    else tile % ROWS
                )
                column: T.let = T.meta_var(
                    tile % 1024 // 8
                    if kind in ("by groups", "rows of groups meet")
                    else tile // ROWS % 100
                    if kind == "columns meet"
                    else tile // ROWS
                )
                s[tid] = A[row * 8 + tid // 16, column * 32 + tid % 16]
                T.cuda.cta_sync()
                if T.meta_var(kind == "one tile races"):
                    if tile == 4321:
                        s[0] = T.cast(tid, "float32")
                for x in T.serial(2):
                    C[row * 8 + tid // 16, column * 32 + tid % 16 * 2 + x] = s[127 - tid]
                T.cuda.cta_sync()
                if T.meta_var(kind == "the step is doubled"):
                    step = step * 2
                    tile = tile + step
                else:
                    tile = tile + (CTAS - 1 if kind == "too small a step" else CTAS)
        if T.meta_var(kind == "two loops" or kind == "the other loop begins elsewhere"):
            tile = bx if kind == "two loops" else CTAS - 1 - bx
            while tile < TILES:
                C[tile % ROWS * 8 + tid // 16, tile // ROWS * 32 + tid % 16] = T.float32(2)
                tile = tile + CTAS
        if T.meta_var(kind == "behind the loop"):
            C[bx, tid] = T.float32(3)
        if T.meta_var(kind == "the last tile behind the loop"):
            C[tile % ROWS, tid] = T.float32(3)

    return k


def scheduled(group):
    @T.prim_func
    def k(A: T.Buffer((ROWS * 8, COLS * 32), "float32"), C: T.Buffer((ROWS * 8, COLS * 32), "float32")):
        T.device_entry()
        bx = T.cta_id([CTAS])
        warp = T.warp_id([4])
        tid = T.thread_id([128])
        tiles = ClusterPersistentScheduler2D("tiles", ROWS, COLS, CTAS, l2_group_size=group)
        if warp == 0:
            tiles.init(bx)
            while tiles.valid():
                C[tiles.m_idx * 8 + tid // 16, tiles.n_idx * 32 + tid % 16] = T.float32(1)
                tiles.next_tile()
        else:
            tiles.init(bx)
            while tiles.valid():
                C[tiles.m_idx * 8 + tid // 16, tiles.n_idx * 32 + tid % 16] = A[tiles.m_idx, tid]
                tiles.next_tile()

    return k
)";

// Why the CTAs that were not run may differ; empty: they do not. `ran`: those that were run for that.
std::string differ(const std::string& entry, std::vector<std::uint64_t>* ran = nullptr) {
  Runs script(std::string(kPersistent) + "# tilewright: entry " + entry + "\n");
  const lower::LoweredKernel& lowered = *script.kernels()[0].compiled->lowered;
  const auto bound = run::bind(lowered, {});
  REQUIRE(bound);
  std::vector<std::uint64_t> part = run::sample_of(bound->job.launches[0], 8);
  run::OtherCtas others = run::other_ctas(lowered, *bound, part);
  if (!others.worth_run.empty()) {
    part.insert(part.end(), others.worth_run.begin(), others.worth_run.end());
    std::ranges::sort(part);
    others = run::other_ctas(lowered, *bound, part);
  }
  if (ran) *ran = part;
  return others.differ;
}

}  // namespace

TEST_CASE("persistent CTAs that were not run do as those that were") {
  for (std::string_view kind : {"right", "by groups", "counted rounds", "two loops"}) {
    INFO(kind);
    CHECK(differ("plain(\"" + std::string(kind) + "\")") == "");
  }
  CHECK(differ("scheduled(8)") == "");
  CHECK(differ("scheduled(5)") == "");
  std::vector<std::uint64_t> ran;
  CHECK(differ("plain(\"one tile races\")", &ran) == "");
  CHECK(std::ranges::find(ran, 4321 % 132) != ran.end());
}

TEST_CASE("persistent CTAs of which that is not shown") {
  for (std::string_view kind : {"the other loop begins elsewhere", "too small a step", "columns meet",
                                "rows of groups meet", "one round is another's", "behind the loop"}) {
    INFO(kind);
    CHECK(differ("plain(\"" + std::string(kind) + "\")") == "CTAs may write what others touch in C");
  }
  for (std::string_view kind : {"the last tile behind the loop", "the step is doubled", "leaves early"}) {
    INFO(kind);
    CHECK(differ("plain(\"" + std::string(kind) + "\")") != "");
  }
}

TEST_CASE("what is shown of CTAs that were not run is so") {
  const unsigned seed = 20261126;
  INFO("seed " << seed);
  Kernels kernels(seed);
  int shown = 0, wrong = 0;
  for (int n = 0; n < 100; ++n) {
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
  CHECK(shown > 15);
  CHECK(wrong > 30);
}
