// Scripts of one release against what the rules make of them.
#include "compiler/migrate/migrate.h"

#include <algorithm>

#include "compiler/migrate/match.h"
#include "compiler/migrate/rules.h"
#include "compiler/ptx/chain.h"
#include "compiler/script/evaluate.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using text::Dialect;

namespace {

constexpr std::string_view kHead =
    "from tvm.script import tirx as T\n"
    "from tvm.script.tirx import tile as Tx\n";

std::shared_ptr<const syntax::Tree> tree_of(std::string_view text) {
  return syntax::Tree::parse(std::make_shared<text::Source>("migrate.py", std::string(text)));
}

// What a line of a function becomes; further lines follow after "|".
std::string becomes(std::string_view line, Dialect to, std::string_view imports = {}, std::string_view decorator = {}) {
  const auto from = static_cast<Dialect>(static_cast<int>(to) - 1);
  const std::string text = std::string(kHead) + std::string(imports) + "\n" + std::string(decorator) +
                           "def f(a, b, pool):\n    " + std::string(line) + "\n";
  const migrate::Migrated made = migrate::migrated(*tree_of(text), from, to);
  INFO(made.text);
  const std::size_t at = made.text.find("def f(a, b, pool):\n");
  REQUIRE(at != std::string::npos);
  std::string out = made.text.substr(at + 19);
  while (out.ends_with('\n')) out.pop_back();
  std::string joined;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.compare(i, 5, "\n    ") == 0) {
      joined += '|';
      i += 4;
    } else {
      joined += out[i];
    }
  }
  return joined.substr(4);
}

// The same of a line of a kernel.
std::string inlined(std::string_view line) { return becomes(line, Dialect::V0_27, "N = 64\n", "@T.inline\n"); }

std::vector<std::string> decisions(std::string_view line, Dialect to, std::string_view imports = {}) {
  const auto from = static_cast<Dialect>(static_cast<int>(to) - 1);
  const std::string text =
      std::string(kHead) + std::string(imports) + "\ndef f(a, b, pool):\n    " + std::string(line) + "\n";
  std::vector<std::string> out;
  for (const migrate::Decision& d : migrate::migrated(*tree_of(text), from, to).decisions) out.push_back(d.what);
  return out;
}

}  // namespace

TEST_CASE("0.25 to 0.26: names, keywords and layouts") {
  using enum Dialect;
  CHECK(becomes("T.ret(a)", V0_26) == "T.Return(a)");
  CHECK(becomes("bar.arrive(0, cta_id=1)", V0_26) == "bar.arrive(0, remote=1)");
  CHECK(becomes("x = pool.alloc_mma((2, 64), \"float16\")", V0_26) ==
        "x = pool.alloc_tcgen05_mma_AB((2, 64), \"float16\")");
  CHECK(becomes("Tx.warp.copy_async(a[:, :], b[0, :], dispatch=\"tma\", mbar=m)", V0_26) ==
        "Tx.warp.copy_async(a[:, :], b[0, :], dispatch=\"tma_auto\", mbar=m)");
  CHECK(becomes("x = {\"dispatch\": \"tma\", \"mbar\": m, **more}", V0_26) ==
        "x = {\"dispatch\": \"tma_auto\", \"mbar\": m, **more}");
  CHECK(becomes("x = {\"dispatch\": \"ldgsts\", \"other\": \"tma\"}", V0_26) ==
        "x = {\"dispatch\": \"ldgsts\", \"other\": \"tma\"}");
  CHECK(becomes("Tx.copy(a, b, dispatch='reg')", V0_26) == "Tx.copy(a, b, dispatch=\"vec_auto\")");
  CHECK(becomes("Tx.add(a, b, b, dispatch='reg')", V0_26) == "Tx.add(a, b, b, dispatch='reg')");
  CHECK(becomes("t = pool.alloc((128, 64), \"float32\", datapath=\"D\")", V0_26) ==
        "t = pool.alloc((128, 64), \"float32\")");
  CHECK(becomes("T.ptx.cp_async.bulk.tensor.g2c_bar_addr(2, a, b, m, 0, 1, \"\", 0, 0)", V0_26) ==
        "T.ptx.cp_async.bulk.tensor.g2s_cluster(2, a, b, m, 0, 1, \"\", 0, 0, mbar_is_shared_addr=True)");
  const std::string_view layout = "from tvm.tirx.layout import S, ComposeLayout, SwizzleLayout, TileLayout\n";
  CHECK(becomes("x = ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[64, 64]))", V0_26, layout) ==
        "x = ComposeLayout(3, 3, 3, TileLayout(S[64, 64]))");
  CHECK(becomes("x = T.ComposeLayout(T.SwizzleLayout(3, 3, 3), a)", V0_26) == "x = T.ComposeLayout(3, 3, 3, a)");
  CHECK(becomes("x = ComposeLayout(SwizzleLayout(per_element=3, swizzle_len=k, atom_len=3), TILE)", V0_26, layout) ==
        "x = ComposeLayout(3, k, 3, TILE)");
  CHECK(becomes("x = ComposeLayout(layout_B=TILE, layout_A=SwizzleLayout(3, 3, 3))", V0_26, layout) ==
        "x = ComposeLayout(layout_B=TILE, layout_A=SwizzleLayout(3, 3, 3))");
  CHECK(becomes("x = ComposeLayout(SwizzleLayout(3, 2, atom_len=3, swizzle_inner=False), layout_B=TILE)", V0_26,
                layout) == "x = ComposeLayout(3, 2, 3, TILE, False)");
  CHECK(becomes("n = T.int32(is_size_var=True)", V0_26) == "n = T.int32()");
  CHECK(becomes("n = T.f(is_size_var=True, other=1)", V0_26) == "n = T.f(other=1)");
  CHECK(becomes("A = T.match_buffer(p, (n,), \"int8\", axis_separators=[], align=4)", V0_26) ==
        "A = T.match_buffer(p, (n,), \"int8\", align=4)");
  CHECK(becomes("A = T.match_buffer(p, (n,), \"int8\", buffer_type=\"\")", V0_26) ==
        "A = T.match_buffer(p, (n,), \"int8\")");
  CHECK(becomes("A = T.match_buffer(p, (n,), \"int8\", axis_separators=[], align=4, buffer_type=\"\")", V0_26) ==
        "A = T.match_buffer(p, (n,), \"int8\", align=4)");
  CHECK(becomes("A = f(buffer_type=\"\", axis_separators=[])", V0_26) == "A = f()");
  CHECK(decisions("A = T.match_buffer(p, (n,), \"int8\", axis_separators=[1])", V0_26).size() == 1);
}

TEST_CASE("what a branch on a Python value declares that is declared again after it") {
  using enum Dialect;
  const auto becomes_in_kernel = [](std::string_view line) { return becomes(line, V0_26, {}, "@T.inline\n"); };
  CHECK(becomes_in_kernel("if FAST:\n        x: T.int32 = a[0]\n        b[0] = x\n    x: T.int32 = 1\n    b[1] = x") ==
        "if FAST:|    x_1: T.int32 = a[0]|    b[0] = x_1|x: T.int32 = 1|b[1] = x");
  CHECK(becomes_in_kernel("if FAST:\n        x: T.int32 = 1\n    else:\n        x: T.int32 = 2\n    b[x_1] = x") ==
        "if FAST:|    x: T.int32 = 1|else:|    x: T.int32 = 2|b[x_1] = x");
  CHECK(becomes_in_kernel("if p:\n        x: T.int32 = x_1\n    if q:\n        x: T.int32 = 2\n    x: T.int32 = 3") ==
        "if p:|    x_2: T.int32 = x_1|if q:|    x_3: T.int32 = 2|x: T.int32 = 3");
  // A branch at run time is a block in each release.
  CHECK(becomes_in_kernel("t = a[0]\n    if t == 0:\n        x: T.int32 = 1\n    x: T.int32 = 3") ==
        "t = a[0]|if t == 0:|    x: T.int32 = 1|x: T.int32 = 3");
}

TEST_CASE("names that the module gives to parts of the dialect are followed") {
  using enum Dialect;
  const std::string_view aliases = "ptx, cuda = T.ptx, T.cuda\n";
  CHECK(becomes("ptx.mbarrier.init(bar, 1)", V0_27, aliases) == "T.ptx.mbarrier.init.shared.b64(bar, T.uint32(1))");
  CHECK(becomes("x = ptx.exp2(a)", V0_27, aliases) == becomes("x = T.ptx.exp2(a)", V0_27));
  // Where the name means something else, too, a person must decide.
  CHECK(becomes("ptx = 3\n    ptx.mbarrier.init(bar, 1)", V0_27, aliases) == "ptx = 3|ptx.mbarrier.init(bar, 1)");
  for (std::string_view bound :
       {"try:\n        pass\n    except E as ptx:\n        pass\n    ",
        "match a:\n        case ptx:\n            pass\n    ",
        "match a:\n        case [1, *ptx]:\n            pass\n    ",
        "match a:\n        case {1: _, **ptx}:\n            pass\n    ",
        "match a:\n        case int() as ptx:\n            pass\n    ", "type ptx = int\n    "}) {
    CHECK(becomes(std::string(bound) + "ptx.mbarrier.init(bar, 1)", V0_27, aliases)
              .ends_with("|ptx.mbarrier.init(bar, 1)"));
  }
}

TEST_CASE("imports follow: other modules, names that are not used any more, and the comment") {
  const auto text = [](std::string_view script, Dialect from, Dialect to) {
    return migrate::migrated(*tree_of(script), from, to).text;
  };
  using enum Dialect;
  CHECK(text("#!/usr/bin/env python\nfrom tvm.tirx.layout import S, SwizzleLayout, ComposeLayout\n"
             "x = ComposeLayout(SwizzleLayout(3, 3, 3), S[8, 8])\n",
             V0_25, V0_26) ==
        "#!/usr/bin/env python\n# tilewright: dialect 0.26\nfrom tvm.tirx.layout import S, ComposeLayout\n"
        "x = ComposeLayout(3, 3, 3, S[8, 8])\n");
  CHECK(text("from tvm.tirx.cuda.operator.tile_primitive.tma_utils import tma_shared_layout\n"
             "y = tma_shared_layout(1)\n",
             V0_25, V0_26) ==
        "# tilewright: dialect 0.26\nfrom tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout\n"
        "y = mma_shared_layout(1)\n");
  CHECK(text("# tilewright: tvm=0.26\nx = 1\n", V0_26, V0_27) == "# tilewright: dialect 0.27\nx = 1\n");
}

TEST_CASE("what a person must decide stays as it is, with the reason") {
  using enum Dialect;
  CHECK(decisions("p = pool.alloc_mma((2, 64), \"float16\", swizzle_mode=\"none\")", V0_26) ==
        std::vector<std::string>{"pool.alloc_mma((2, 64), \"float16\", swizzle_mode=\"none\")"});
  CHECK(decisions("x = T.SizeVar(\"n\")", V0_26) == std::vector<std::string>{"T.SizeVar(\"n\")"});
  CHECK(decisions("T.ptx.tcgen05.shift(a)", V0_27).size() == 1);
  CHECK(decisions("y = T.ptx.exp2(a) + 1", V0_27).size() == 1);  // in a function of the host
  CHECK(decisions("T.ret(a)", V0_26).empty());
  CHECK(decisions("m = T.ptx.mbarrier", V0_27) == std::vector<std::string>{"T.ptx.mbarrier"});
  CHECK(decisions("m = T.ptx.mbarrier", V0_26).empty());
  CHECK(decisions("p: T.let[T.handle(\"int32\", \"shared\")] = T.ptx.map_shared_rank(a, 1)", V0_27).size() == 1);
  CHECK(decisions("y = a.local(8)", V0_26) == std::vector<std::string>{"a.local(8)"});  // a note
  CHECK(becomes("y = T.alloc_local((8,), \"int32\", layout=pool)\n    z = y.local(8)", V0_26) ==
        "y = T.alloc_local((8,), \"int32\", layout=pool)|z = y.local(8, layout=y.layout.storage())");
}

TEST_CASE("0.26 to 0.27: instructions by their words and operands") {
  using enum Dialect;
  CHECK(becomes("T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", V0_27) ==
        "T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), T.uint32(1))");
  CHECK(becomes("if T.ptx.elect_sync(): pass", V0_27) == "if T.cuda.elect_sync(): pass");
  CHECK(becomes("T.ptx.mbarrier.try_wait(a, 0)", V0_27) == "T.cuda.mbarrier_wait(a, 0)");
  CHECK(becomes("T.ptx.cp_async.bulk.wait_group(0)", V0_27) == "T.ptx.cp.async_.bulk.wait_group.read(0)");
  CHECK(becomes("T.ptx.cp_async.bulk.wait_group(n=1, read=False)", V0_27) == "T.ptx.cp.async_.bulk.wait_group(1)");
  CHECK(becomes("T.ptx.fence.proxy_async(\"shared::cta\")", V0_27) == "T.ptx[\"fence.proxy.async.shared::cta\"]()");
  CHECK(becomes("T.ptx.tcgen05.alloc(T.address_of(a), n_cols=64, cta_group=2)", V0_27) ==
        "T.ptx[\"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32\"](T.address_of(a), T.uint32(64))");
  CHECK(becomes("y = T.ptx.exp2(a[0])", V0_27) == "y: T.float32|T.ptx.ex2.approx.ftz.f32(y, a[0])");
  CHECK(becomes("a[1] = T.ptx.exp2(a[0])", V0_27) == "T.ptx.ex2.approx.ftz.f32(a[1], a[0])");
  CHECK(becomes("x = a.vload([0], \"float32x4\", predicate=None)", V0_27) == "x = a.vload([0], \"float32x4\")");
  CHECK(becomes("T.ptx.cp_async.bulk.tensor.s2g(2, a, m, \"\", 0, b)", V0_27) ==
        "T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group\"](m, 0, b, a)");
}

TEST_CASE("an instruction within an expression is written before the statement that uses its value") {
  CHECK(inlined("y = T.ptx.exp2(a[0]) + b") == "exp2: T.float32|T.ptx.ex2.approx.ftz.f32(exp2, a[0])|y = exp2 + b");
  CHECK(inlined("a[0] += T.ptx.exp2(T.ptx.rcp(b)) * T.ptx.exp2(b)") ==
        "rcp: T.float32|T.ptx.rcp.approx.ftz.f32(rcp, b)|exp2: T.float32|T.ptx.ex2.approx.ftz.f32(exp2, rcp)|"
        "exp2_1: T.float32|T.ptx.ex2.approx.ftz.f32(exp2_1, b)|a[0] += exp2 * exp2_1");
  CHECK(inlined("if T.ptx.mbarrier_test_wait_parity(a, 0) == 1:\n        b[0] = 1") ==
        "mbarrier_test_wait_parity: T.uint32|"
        "T.ptx.mbarrier.test_wait.parity.shared__cta.b64(mbarrier_test_wait_parity, a, T.uint32(0))|"
        "if mbarrier_test_wait_parity == 1:|    b[0] = 1");
  // The condition of a loop is evaluated before each turn.
  CHECK(
      inlined("while T.ptx.mbarrier.test_wait_state(a, b) == T.uint32(0):\n        pass") ==
      "test_wait_state: T.uint32|T.ptx[\"mbarrier.test_wait.shared::cta.b64\"](test_wait_state, a, b)|"
      "while test_wait_state == T.uint32(0):|    T.ptx[\"mbarrier.test_wait.shared::cta.b64\"](test_wait_state, a, b)");
  CHECK(inlined("while T.ptx.mbarrier.try_wait_state(a, b) == T.uint32(0):\n        pool[0] = 1") ==
        "try_wait_state: T.uint32|T.ptx[\"mbarrier.try_wait.shared::cta.b64\"](try_wait_state, a, b)|"
        "while try_wait_state == T.uint32(0):|    pool[0] = 1|"
        "    T.ptx[\"mbarrier.try_wait.shared::cta.b64\"](try_wait_state, a, b)");
  // What may never be evaluated, or several times, stays: a person decides.
  for (std::string_view line : {"y = a if b else T.ptx.exp2(a)", "y = b and T.ptx.exp2(a)",
                                "y = [T.ptx.exp2(x) for x in a]", "y = lambda: T.ptx.exp2(a)"}) {
    CHECK(inlined(line) == line);
  }
}

TEST_CASE("words of an instruction that a script computes, and operands that it unpacks") {
  CHECK(inlined("T.ptx.wgmma.mma_async.ss(a, b, *[pool[i] for i in range(32)], M=64, N=N, K=16, in_dtype=\"float16\", "
                "out_dtype=\"float32\", transA=False, transB=True, scaleA=1.0, scaleB=1.0, scaleD=1)") ==
        "T.ptx[f\"wgmma.mma_async.sync.aligned.m64n{N}k16.f32.f16.f16\"](|    *[pool[i] for i in range(32)],|    a,|   "
        " b,|"
        "    T.ptx.pred(1),|    1,|    1,|    0,|    1,|)");
  // A name of the kernel itself is known at run time only.
  CHECK(inlined("T.ptx.fence(\"sc\", pool)") == "T.ptx.fence(\"sc\", pool)");
  CHECK(inlined("T.ptx.st(a, b, space=\"shared\", ptx_type=\"f32\")") == "T.ptx[\"st.shared.f32\"](a, b)");
  CHECK(inlined("y = T.ptx.ld(a, \"float32\", \"f32\", cop=\"cg\")") ==
        "y = T.local_scalar(\"float32\")|T.ptx[\"ld.global.cg.f32\"](y, a)");
  CHECK(inlined("b[0] = T.ptx.atom_scalar(a, 1, op=\"add\", ptx_type=\"u32\")") ==
        "T.ptx[\"atom.global.add.u32\"](b[0], a, 1)");
}

TEST_CASE("each rule fits its own left side, and names an instruction that is there") {
  for (const text::DialectName& d : text::kDialects) {
    for (const migrate::Parsed& rule : migrate::parsed_rules(d.dialect)) {
      INFO(rule.rule.was);
      CHECK(rule.was->errors().empty());
      REQUIRE(rule.call());
      if (!rule.is) continue;
      INFO(rule.rule.is);
      CHECK(rule.is->errors().empty());
      if (d.dialect != Dialect::V0_27) continue;
      // The words of the instruction, with a constant that each place takes.
      std::string words(rule.rule.is);
      const std::size_t at = words.find("T.ptx");
      if (at == std::string::npos) continue;
      words = words.substr(at + 5);
      words = words.starts_with("[\"") ? words.substr(2, words.find('"', 2) - 2) : words.substr(1, words.find('(') - 1);
      for (auto [name, value] : {std::pair("{sem}", "sc"),
                                 {"{scope}", "gpu"},
                                 {"{space}", "shared::cta"},
                                 {"{dim}", "2"},
                                 {"{g}", "1"},
                                 {"{space:s}", ".shared"},
                                 {"{space:d}", ".shared"},
                                 {"{bits:x}", "32"},
                                 {"{n}", words.starts_with("ldmatrix") ? "4" : "8"},
                                 {"{o}", "add"},
                                 {"{op}", "add"},
                                 {"{t}", "s32"},
                                 {"{k}", "gpu"},
                                 {"{m}", "warpx4"}}) {
        const std::size_t hole = words.find(name);
        if (hole != std::string::npos) words.replace(hole, std::string_view(name).size(), value);
      }
      // Words that may be left out, but for the operation and the type.
      for (std::size_t hole = words.find("{."); hole != std::string::npos; hole = words.find("{.")) {
        const std::size_t end = words.find('}', hole) + 1;
        const std::string name = words.substr(hole, end - hole);
        const bool scoped = words.contains("acquire") || words.contains("relaxed") || words.contains("release");
        const bool bits = words.ends_with(".b32");
        words.replace(hole, end - hole,
                      name == "{.t}"             ? ".s32"
                      : name == "{.r}"           ? ".rn"
                      : name == "{.o}"           ? (bits ? ".and" : ".add")
                      : name == "{.c}" && scoped ? ".gpu"
                                                 : "");
      }
      const std::string shape =
          words.find("tcgen05.cp") == 0 ? (words.ends_with("warpx4") ? "32x128b" : "128x256b") : "32x32b";
      for (std::string_view hole : {"{s}"}) {
        if (words.find(hole) == std::string::npos) continue;
        const bool fence = words.starts_with("fence");
        words.replace(words.find(hole), hole.size(), fence ? "gpu" : shape);
      }
      std::string text;
      for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t dot = std::min(words.find('.', begin), words.size());
        const std::string word = words.substr(begin, dot - begin);
        text += (text.empty() ? "" : ".") + (begin == 0 ? word : ptx::token_of_word(word));
        begin = dot + 1;
      }
      INFO(text);
      const auto chain = ptx::Chain::parse(text);
      REQUIRE(chain);
      CHECK(chain->complete());
    }
  }
}

TEST_CASE("migrate: copies, matrices and packed sums by pointers become instructions of elements", "[migrate]") {
  using enum Dialect;
  const std::string made =
      "s = T.alloc_shared([8], \"float32\")\n    A = T.match_buffer(a, (8,), \"float32\")\n"
      "    r = T.alloc_local([4], \"uint32\")\n    p = T.alloc_local([1], \"uint64\")\n    v: T.int64\n    ";
  auto last = [&](std::string_view line) {
    const std::string all = becomes(made + std::string(line), V0_27);
    const std::size_t declared = all.find("v: T.int64|");
    REQUIRE(declared != all.npos);
    return all.substr(declared + 11);
  };
  CHECK(last("T.cuda.copy_32b(s.ptr_to([0]), A.ptr_to([1]))") ==
        "words_32b = T.alloc_local([1], \"uint32\")|T.ptx[\"ld.b32\"](words_32b[0], A.ptr_to([1]))|"
        "T.ptx[\"st.shared.b32\"](s.ptr_to([0]), words_32b[0])");
  CHECK(last("T.cuda.copy_bytes(T.address_of(A[0]), s.ptr_to([0]), 8)") ==
        "words_64b = T.alloc_local([2], \"uint32\")|T.ptx[\"ld.shared.v2.b32\"](words_64b[0], words_64b[1], "
        "s.ptr_to([0]))|T.ptx[\"st.v2.b32\"](T.address_of(A[0]), words_64b[0], words_64b[1])");
  CHECK(last("T.ptx.ldmatrix(True, 2, \".b16\", s.ptr_to([0]), r.ptr_to([0]), T.address_of(r[1]))") ==
        "T.ptx[\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16\"](r[0], r[1], s.ptr_to([0]))");
  CHECK(last("T.ptx.add_f32x2(p.ptr_to([0]), p[0], p[0])") == "T.ptx[\"add.rn.f32x2\"](p[0], p[0], p[0])");
  CHECK(last("T.ptx.ld_global_acquire(v, A.ptr_to([0]))") == "T.ptx[\"ld.acquire.gpu.global.b64\"](v, A.ptr_to([0]))");
  CHECK(last("T.cuda.copy_8b(s.ptr_to([0]), A.ptr_to([1]))\n    T.cuda.copy_8b(s.ptr_to([1]), A.ptr_to([2]))")
            .contains("words_8b_1 = T.alloc_local([1], \"uint8\")|T.ptx[\"ld.b8\"](words_8b_1[0], A.ptr_to([2]))"));
  // What the text does not say is left, with what to write.
  for (std::string_view line :
       {"T.cuda.copy_32b(a, b)", "T.ptx.ldmatrix(False, 1, \".b16\", b, a)", "T.ptx.add_f32x2(a, b, b)",
        "T.ptx.ld_global_acquire(a, b)", "T.cuda.copy_32b(pool.ptr_to([0]), b)"}) {
    CHECK(becomes(line, V0_27) == line);
    CHECK(decisions(line, V0_27) == std::vector<std::string>{std::string(line)});
  }
  const std::string halves = "r = T.alloc_local([2], \"float16\")\n    ";
  CHECK(decisions(halves + "T.ptx.ldmatrix(False, 1, \".b16\", b, r.ptr_to([0]))", V0_27).size() == 1);
  const std::string both =
      "if a:\n        s = T.alloc_shared([8], \"float32\")\n    else:\n        s = "
      "T.match_buffer(a, (8,), \"float32\")\n    ";
  CHECK(decisions(both + "T.cuda.copy_32b(s.ptr_to([0]), s.ptr_to([1]))", V0_27).size() == 1);
  CHECK(decisions("T.cuda.copy_128b(a, b)", V0_26) == std::vector<std::string>{"T.cuda.copy_128b"});
}

TEST_CASE("migrate: a pool of 0.25 without commit() gets one", "[migrate]") {
  using enum Dialect;
  const std::string made = "q = T.SMEMPool()\n    x = q.alloc((4,))\n    ";
  CHECK(becomes(made + "T.cuda.cta_sync()", V0_26) ==
        "q = T.SMEMPool()|x = q.alloc((4,))|q.commit()|T.cuda.cta_sync()");
  CHECK(becomes(made + "if a:\n        y = q.alloc((4,))\n    x[0] = 1", V0_26) ==
        "q = T.SMEMPool()|x = q.alloc((4,))|if a:|    y = q.alloc((4,))|q.commit()|x[0] = 1");
  for (std::string_view line : {"q.commit()", "end(q)\n    b.commit()", "return q"}) {
    CHECK(becomes(made + std::string(line), V0_26).find("q.commit()|") == std::string::npos);
  }
  // Beside another pool that has one: each gets its own, or is told where a helper may make it.
  const std::string other = "p = T.SMEMPool()\n    y = p.alloc((4,))\n    p.commit()\n    ";
  CHECK(becomes(other + made + "x[0] = 1", V0_26) ==
        "p = T.SMEMPool()|y = p.alloc((4,))|p.commit()|q = T.SMEMPool()|x = q.alloc((4,))|q.commit()|x[0] = 1");
  CHECK(decisions(made + "end(q)\n    b.commit()", V0_26) == std::vector<std::string>{"T.SMEMPool()"});
  CHECK(decisions(made + "q.commit()\n    end(q)\n    b.commit()", V0_26).empty());
  CHECK(becomes(made + "b.commit()", V0_26) == "q = T.SMEMPool()|x = q.alloc((4,))|q.commit()|b.commit()");
  CHECK(becomes("q = T.SMEMPool()\n    q.alloc((4,))\n    q = T.SMEMPool()\n    q.commit()", V0_26) ==
        "q = T.SMEMPool()|q.alloc((4,))|q.commit()|q = T.SMEMPool()|q.commit()");
  const std::string branches = "if a:\n        q = T.SMEMPool()\n    else:\n        q = T.SMEMPool()\n    ";
  CHECK(becomes(branches + "q.commit()", V0_26) == "if a:|    q = T.SMEMPool()|else:|    q = T.SMEMPool()|q.commit()");
  CHECK(becomes("if a:\n        q = T.SMEMPool()\n        q.commit()\n    else:\n        q = T.SMEMPool()", V0_26) ==
        "if a:|    q = T.SMEMPool()|    q.commit()|else:|    q = T.SMEMPool()|    q.commit()");
  // Where that place is not clear, a person decides.
  const std::vector<std::string> left{"T.SMEMPool()"};
  CHECK(decisions(made + "return q", V0_26) == left);
  CHECK(decisions("for i in range(2):\n        " + std::string("q = T.SMEMPool()"), V0_26) == left);
  CHECK(decisions("x = 1; q = T.SMEMPool()", V0_26) == left);
  CHECK(decisions(made + "T.cuda.cta_sync()", V0_26).empty());
  CHECK(becomes("q = T.SMEMPool(a)\n    x = q.alloc((4,))", V0_26) == "q = T.SMEMPool(a)|x = q.alloc((4,))");
  CHECK(becomes(made + "T.cuda.cta_sync()", V0_27).find("commit") == std::string::npos);
}
