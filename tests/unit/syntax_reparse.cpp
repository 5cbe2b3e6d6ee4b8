// Edits: what an edit leaves is what a fresh parse of the same text gives, and what did not change is shared.
#include <optional>
#include <random>
#include <set>

#include "compiler/syntax/recut.h"
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

// The edit between two texts, or one that takes in more than what differs.
tilewright::text::Edit some_edit(std::string_view before, std::string_view after, std::mt19937& random) {
  auto edit = tilewright::text::difference(before, after);
  if (random() % 2) return edit;
  edit.begin -= std::min<std::uint32_t>(edit.begin, random() % 40);
  const auto more = std::min<std::uint32_t>(static_cast<std::uint32_t>(before.size()) - edit.old_end, random() % 40);
  return {edit.begin, edit.old_end + more, edit.new_end + more};
}

}  // namespace

TEST_CASE("text: a source after an edit is the source of the text after it") {
  std::mt19937 random(4);
  for (int sequence = 0; sequence < 60; ++sequence) {
    std::string text = "a\r\nb\n\nc\rd\r\r\n\n\re";
    auto now = source(text);
    for (int step = 0; step < 40; ++step) {
      static constexpr std::string_view kTyped[] = {"", "\n", "\r", "\r\n", "xy", "\n\r", "p\nq\r\nr"};
      const auto begin = static_cast<std::uint32_t>(random() % (text.size() + 1));
      const auto end = std::min<std::uint32_t>(begin + random() % 3, static_cast<std::uint32_t>(text.size()));
      const std::string_view typed = kTyped[random() % std::size(kTyped)];
      now = std::make_shared<tilewright::text::Source>(*now, begin, end, typed);
      text.replace(begin, end - begin, typed);
      auto fresh = source(text);
      REQUIRE(now->text() == fresh->text());
      REQUIRE(now->path() == fresh->path());
      REQUIRE(now->line_count() == fresh->line_count());
      for (std::uint32_t at = 0; at <= text.size(); ++at) REQUIRE(now->position(at) == fresh->position(at));
    }
  }
}

TEST_CASE("text: two edits are one that takes in both") {
  std::mt19937 random(5);
  for (int i = 0; i < 400; ++i) {
    std::string text = "0123456789abcdef", before = text;
    std::optional<tilewright::text::Edit> all;
    for (int step = 0; step < 3; ++step) {
      const auto begin = static_cast<std::uint32_t>(random() % (text.size() + 1));
      const auto end = std::min<std::uint32_t>(begin + random() % 4, static_cast<std::uint32_t>(text.size()));
      const std::string typed(random() % 3, '*');
      text.replace(begin, end - begin, typed);
      const tilewright::text::Edit edit{begin, end, begin + static_cast<std::uint32_t>(typed.size())};
      all = all ? together(*all, edit) : edit;
      REQUIRE(before.substr(0, all->begin) == text.substr(0, all->begin));
      REQUIRE(before.substr(all->old_end) == text.substr(all->new_end));
      const auto least = tilewright::text::difference(before, text);
      REQUIRE(before.substr(0, least.begin) + text.substr(least.begin, least.new_end - least.begin) +
                  before.substr(least.old_end) ==
              text);
      REQUIRE(least.new_end - least.begin <= all->new_end - all->begin);
    }
  }
}

TEST_CASE("syntax: any sequence of edits ends where a fresh parse does") {
  std::mt19937 random(20240521);
  for (int sequence = 0; sequence < 80; ++sequence) {
    std::string text(kKernel);
    if (sequence % 4 == 3) text = "\xEF\xBB\xBF" + text;
    auto tree = parse(text);
    for (int step = 0; step < 25; ++step) {
      const std::string before = text;
      text = random_edit(std::move(text), random);
      if (text.empty()) text = "x";
      tree = step % 3 == 0 ? Tree::reparse(*tree, source(text))
                           : Tree::reparse(*tree, source(text), some_edit(before, text, random));
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

TEST_CASE("syntax: a statement under edit that the parser reads is parsed with the help of its former tree") {
  std::string large = "async def f():\n";  // which the direct reader leaves to it
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
    tree = Tree::reparse(*tree, source(next));
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
    auto after = Tree::reparse(*before, source(text));
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

TEST_CASE("syntax: an edit is read where it is, down to the next statement that stands where it stood") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "x" + std::to_string(i) + " = f(" + std::to_string(i) + ")\n";
  Cuts before;
  for (const FoundStatement& f : recut({}, text, {}).found) before.list.push_back(f.cut);
  REQUIRE(before.list.size() == 400);
  // Statements kept above, scanned again, kept below.
  auto scanned = [&](std::string_view at, std::string_view by) {
    std::string now = text;
    now.replace(now.find(at), at.size(), by);
    const Recut after = recut(before, now, tilewright::text::difference(text, now));
    return std::vector{after.kept, after.found.size(), before.list.size() - after.moved};
  };
  using Counts = std::vector<std::size_t>;
  CHECK(scanned("f(200)", "f(2)") == Counts{199, 2, 199});
  CHECK(scanned("x200 = f(200)\n", "") == Counts{199, 2, 198});  // what differs ends in x201
  CHECK(scanned("x200", "y = 1\nx200") == Counts{198, 3, 200});
  CHECK(scanned("f(200)", "f((200)") == Counts{199, 2, 199});
  CHECK(scanned("f(200)", "\"\"\"") == Counts{199, 2, 0});  // it might end anywhere below
  CHECK(scanned("x0", "y0") == Counts{0, 1, 399});
  CHECK(scanned("f(399)", "f") == Counts{398, 2, 0});
}

TEST_CASE("syntax: an offset moves, a node does not") {
  auto before = parse("a = 1\nb = 2\n");
  auto after = Tree::reparse(*before, source("# c\na = 1\nb = 2\n"));
  CHECK(after->statements()[1].offset == before->statements()[1].offset + 4);
  CHECK(after->statements()[1].node == before->statements()[1].node);
}

TEST_CASE("syntax: the whole tree is there for those who ask") {
  auto tree = parse("a = 1\n");
  REQUIRE(tree->raw());
  CHECK(tree->raw() == tree->raw());
}
