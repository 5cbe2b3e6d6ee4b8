// Edits: what an edit leaves is what a fresh parse of the same text gives, and what did not change is shared.
#include <random>
#include <set>

#include "tests/unit/catch.h"
#include "tests/unit/syntax_testing.h"

using namespace tilewright::syntax;
using namespace tilewright::syntax::testing;

namespace {

constexpr std::string_view kKernel = R"py(# tilewright: entry make(1)
from tvm.script import tirx as T
import math

LAYOUT = TileLayout(S[(8, 4), (2, 16)])

def make(m, n=128, dtype="float16"):
    """Copies a tile."""
    shape = (m, n)

    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle) -> None:
        A = T.match_buffer(A_ptr, shape, dtype, layout=LAYOUT)
        T.device_entry(); T.cta_id([1])
        phase: T.int32 = 0
        for i, j in T.grid(m, n // 2):
            if i % 2 == 0 and j > 1:
                Tx.warp.copy(A_smem[:, i:i + 8], A[i, :])  # tilewright: ignore[TW2]
            elif i == 3:
                A[i, j] = T.float16(1.5) * B[i,
                    j]
            else:
                pass
        while phase < 3:
            phase += 1
        T.evaluate(f"{phase:>{n}} {shape!r}" "tail")
    return kernel

CONFIGS = [
    {"m": 64, "n": [x for x in range(3) if x]},
]

try:
    k = make(**CONFIGS[0])
except (ValueError, TypeError) as e:
    raise
x = 1
x = 1
)py";

std::string random_edit(std::string text, std::mt19937& random) {
  static constexpr std::string_view kSnippets[] = {"(",         ")",
                                                   "[",         "]",
                                                   "{",         "}",
                                                   "\"",        "'''",
                                                   ":",         ",",
                                                   "\n",        "    ",
                                                   "#",         "x = 1",
                                                   "def f(",    "\n    if ",
                                                   "return",    " = ",
                                                   "f'{a",      "\\",
                                                   "\\\n",      "class A:\n",
                                                   "@dec\n",    ";",
                                                   "\t",        "\r\n",
                                                   "lambda",    " in ",
                                                   "else:",     "\n\n\n",
                                                   "T.grid(4)", "\xC3\xA9",
                                                   "\xFF",      "# tilewright: x\n",
                                                   "match x:\n"};
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t at = below(text.size() + 1);
  switch (below(5)) {
    case 0: text.erase(at, below(4)); break;
    case 1: text.erase(at, below(60)); break;
    case 2: text.insert(at, kSnippets[below(std::size(kSnippets))]); break;
    case 3: text.insert(at, text.substr(below(text.size() + 1), below(80))); break;
    default: text.insert(at, 1, static_cast<char>('a' + below(26)));
  }
  return text;
}

}  // namespace

TEST_CASE("syntax: any sequence of edits ends where a fresh parse does") {
  std::mt19937 random(20240521);
  for (int sequence = 0; sequence < 40; ++sequence) {
    std::string text(kKernel);
    auto tree = parse(text);
    for (int step = 0; step < 25; ++step) {
      text = random_edit(std::move(text), random);
      if (text.empty()) text = "x";
      tree = Tree::reparse(*tree, source(text), {});
      std::string fresh = everything(*parse(text));
      if (everything(*tree) != fresh) {
        INFO(text);
        REQUIRE(everything(*tree) == fresh);
      }
      std::set<const TopLevel*> distinct;
      for (const auto& s : tree->statements()) distinct.insert(s.node.get());
      REQUIRE(distinct.size() == tree->statements().size());
    }
  }
}

TEST_CASE("syntax: a statement under edit is parsed with the help of its former tree") {
  std::string large = "def f():\n";
  for (int i = 0; i < 320; ++i) large += "    a" + std::to_string(i) + " = b(1, 'c') + d[2:3]\n";
  std::string text = "x = 1\n" + large + "y = 2\n";
  auto tree = parse(text);
  CHECK_FALSE(tree->statements()[1].node->tree);
  std::mt19937 random(7);
  bool kept = false;
  for (int i = 0; i < 24; ++i) {
    std::size_t at = 100 + random() % 8'000;
    std::string edited = random_edit(text.substr(at, 200), random);
    std::string next = text.substr(0, at) + edited + text.substr(at + 200);
    tree = Tree::reparse(*tree, source(next), {});
    bool same = everything(*tree) == everything(*parse(next));
    INFO(edited);
    REQUIRE(same);
    for (const auto& s : tree->statements()) kept = kept || s.node->tree;
    if (i % 3 == 0 && tree->errors().empty()) text = next;
  }
  CHECK(kept);
}

TEST_CASE("syntax: what did not change is shared") {
  auto before = parse(kKernel);
  auto shared = [&](const std::string& text) {
    auto after = Tree::reparse(*before, source(text), {});
    std::set<const TopLevel*> old;
    for (const auto& s : before->statements()) old.insert(s.node.get());
    std::size_t count = 0;
    for (const auto& s : after->statements()) count += old.contains(s.node.get());
    return std::pair{count, after->statements().size()};
  };
  std::size_t all = before->statements().size();
  CHECK(all == 8);
  std::string text(kKernel);
  CHECK(shared(text) == std::pair{all, all});
  CHECK(shared("# a comment above\n" + text) == std::pair{all, all});
  CHECK(shared(text + "z = (\n") == std::pair{all, all + 1});
  CHECK(shared("z = 'unterminated\n" + text) == std::pair{all, all + 1});
  CHECK(shared("z = f(\n" + text) == std::pair{all, all + 1});

  std::string inside = text;
  inside.replace(inside.find("phase += 1"), 10, "phase += (");
  CHECK(shared(inside) == std::pair{all - 1, all});

  std::string comment = text;
  comment.insert(comment.find("\nimport math"), "  # trailing");
  CHECK(shared(comment) == std::pair{all, all});

  std::string moved = text;
  moved.erase(moved.find("import math\n"), 12);
  CHECK(shared(moved + "import math\n") == std::pair{all, all});
}

TEST_CASE("syntax: an offset moves, a node does not") {
  auto before = parse("a = 1\nb = 2\n");
  auto after = Tree::reparse(*before, source("# c\na = 1\nb = 2\n"), {});
  CHECK(after->statements()[1].offset == before->statements()[1].offset + 4);
  CHECK(after->statements()[1].node == before->statements()[1].node);
}

TEST_CASE("syntax: the whole tree is there for those who ask") {
  auto tree = parse("a = 1\n");
  REQUIRE(tree->raw());
  CHECK(tree->raw() == tree->raw());
}
