// The direct reader: what it reads is what the parser's tree says, and what the parser refuses it leaves alone.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler/syntax/acceptance.h"
#include "compiler/syntax/convert.h"
#include "compiler/syntax/direct.h"
#include "compiler/syntax/lines.h"
#include "compiler/syntax/names.h"
#include "compiler/syntax/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/syntax_testing.h"

using namespace tilewright;
using namespace tilewright::syntax;
using namespace tilewright::syntax::testing;

namespace {

std::string told(Stmt statement) { return dump(statement, {.extents = true}); }

// What the parser makes of one statement; empty: it finds something wrong.
std::string by_parser(const std::string& text) {
  Parser parser(text.size());
  const TreePtr tree = parser.parse_faultless(text);
  if (!tree) return {};
  Arena arena;
  std::vector<SyntaxError> errors;
  const Converted made = convert(tree.get(), text, {}, arena, errors);
  if (!made.statement || !made.alone || !errors.empty()) return {};
  if (made.suspect && !check_rules(ts_tree_root_node(tree.get()), text).empty()) return {};
  return told(made.statement);
}

std::string directly(const std::string& text) {
  Arena arena;
  std::vector<Name> mentioned;
  Stmt made = read_directly(text, arena, &mentioned);
  if (made) CHECK(std::ranges::equal(each_name(mentioned, arena), names_in(made, arena)));
  return made ? told(made) : std::string();
}

bool is_faulty(const std::string& text) {
  const LineScan scan = scan_lines(text);
  return !scan.faults.empty();
}

std::vector<std::string> statements_of(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".py" || !entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    const auto tree = parse(std::string(std::istreambuf_iterator<char>(in), {}));
    for (const Tree::Statement& s : tree->statements()) {
      if (s.node->errors.empty()) out.push_back(s.node->text);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("what the direct reader knows is what the parser says") {
  for (const char* text : {"x = 1",
                           "x: T.int32 = 0",
                           "x: int",
                           "a = b = c, d",
                           "a, = b",
                           "(a, *b), [c] = d",
                           "x += y, z",
                           "x <<= 1",
                           "x >>= 1 << 2",
                           "f(a, *b, c=1, **d)",
                           "f(x for x in y)",
                           "f((yield))",
                           "a.b[c, d:e, ::f, :].g(h)(i)[j,]",
                           "a[b:=1]",
                           "x = [a for b in c if d if e for f, g in h]",
                           "{**a, 'b': c}",
                           "x = {}",
                           "x = {a, b}",
                           "x = {a: b for a, b in c}",
                           "x = (a)",
                           "x = ()",
                           "x = (a,)",
                           "(x)",
                           "(a).b",
                           "-a ** -b ** c",
                           "not a == b and c or d",
                           "a < b <= c != d is not e not in f in g is h",
                           "x = a if b else c if d else e",
                           "x = lambda a, *b, c=1, **d: a",
                           "x = lambda: (yield)",
                           "x = a | b ^ c & d << e >> f + g - h * i @ j / k // l % m ** n",
                           "x = ~-+a",
                           "print(f'{a!r:>{b}} {c = } {{}} {d:.3f}{e, f}' 'g' \"h\")",
                           "x = b'\\x41\\n' ",
                           "x = 'a\\n\\u0041\\d\\\nb'",
                           "x = r'\\'\\n' R\"\"\"a\n\"b\"\"\"",
                           "x = rf'\\{a}'",
                           "x = '\xC3\xA4'",
                           "x = 0x1F + 0b1 + 0o17 + 1_000 + 1e5 + .5 + 1.",
                           "import a.b as c, d.e",
                           "from . import x",
                           "from ..a.b import (c as d, e,)",
                           "from a import *",
                           "global a, b",
                           "nonlocal a",
                           "del a, b[c]",
                           "assert a, b",
                           "raise A from b",
                           "raise",
                           "return *a, b",
                           "pass",
                           "x = ...",
                           "x = yield",
                           "yield from a",
                           "@a.b(c)\n@d\ndef f(a, /, b: int = 1, *, c) -> d:\n  return",
                           "class A(B, metaclass=C):\n    x = 1\n\n    def f(self): pass",
                           "if a: b; c\nelif d:\n  e\nelse:\n  f  # g",
                           "for a, b in c, d:\n  pass\nelse:\n  pass",
                           "while a:\n    if b:\n        break\n# c\n    continue",
                           "with (a, b):\n  c",
                           "with (a):\n  c",
                           "with ((a, b)):\n  c",
                           "with (a,):\n  c",
                           "with (a, b) as c, (d), e:\n  f",
                           "with (a).b(c), (d):\n  e",
                           "with (a := b):\n  c",
                           "with (yield):\n  c",
                           "del (a, b[c]), [d], (e)",
                           "with a as b, c() as (d, e), f:\n  g",
                           "try:\n  a\nexcept (A, B) as c:\n  d\nexcept:\n  e\nelse:\n  f\nfinally:\n  g",
                           "def f():\n  yield",
                           "def f():\n  g = lambda: (yield)",
                           "x = a \\\n  + b",
                           "x = (a  # b\n  , c)",
                           "def f(a,\n      b,  # c\n      **d):\n\n    # e\n    return f\"{a\n}\""}) {
    INFO(text);
    CHECK(!directly(text).empty());
    CHECK(directly(text) == by_parser(text));
  }
}

TEST_CASE("what the direct reader is not certain of it leaves to the parser") {
  for (const char* text : {"",
                           "x =",
                           "f(a b)",
                           "f(a=1, b)",
                           "f(**a, *b)",
                           "def f(a=1, b): pass",
                           "def f(*): pass",
                           "a + 1 = b",
                           "f() = 1",
                           "*a",
                           "x = *a",
                           "for x in y",
                           "if a:\n  b\n c",
                           "if a:\n  b\n    c",
                           "else:\n  a",
                           "match a:\n  case b: c",
                           "async def f(): pass",
                           "x = await y",
                           "x = 1if y else z",
                           "x = 0777",
                           "x = class",
                           "x.def",
                           "x = 'a",
                           "x = b'\xC3\xA4'",
                           "x = 'a' b'c'",
                           "x = f'{'",
                           "x = f'}'",
                           "x = '\\x4'",
                           "if a:\n\tb",
                           "x = \xC3\xA4",
                           "x = a if b",
                           "a[]",
                           "try:\n  a",
                           "x = (a, b",
                           "x = [a for *b in c]",
                           "lambda a=1, b: c",
                           "x: int = 1 = 2",
                           "a = 1 \\",
                           "x\n  y",
                           "def f[T](a): pass",
                           "type X = int"}) {
    INFO(text);
    CHECK(directly(text).empty());
  }
  // Deeper than nodes may lie.
  CHECK(directly("x = " + std::string(190, '(') + "a" + std::string(190, ')')).empty());
  std::string sum = "x = a";
  for (int i = 0; i < 2000; ++i) sum += " + a";
  CHECK(directly(sum).empty());
  std::string list = "x = [0";
  for (int i = 0; i < 2000; ++i) list += ", 0";
  CHECK(!directly(list + "]").empty());
}

TEST_CASE("statements of scripts are read directly as the parser reads them, and after random edits") {
  const std::filesystem::path root(TILEWRIGHT_SOURCE_DIR);
  std::vector<std::string> statements = statements_of(root / "examples");
  for (const std::string& more : statements_of(root / "compiler" / "script")) statements.push_back(more);
  std::size_t direct = 0;
  for (const std::string& text : statements) {
    const std::string found = directly(text);
    if (found.empty()) continue;
    ++direct;
    INFO(text);
    REQUIRE(found == by_parser(text));
  }
  CHECK(direct * 100 > statements.size() * 98);

  std::mt19937 random(7);
  static constexpr std::string_view kPieces[] = {
      "(",    ")",    "[", "]",   "{",      "}",    "\"",   "'",    ":",       ",",   "=",  "*",   "**",     " ",
      "\n",   "\n  ", ".", "if ", " else ", "for ", " in ", "not ", "lambda ", "f\"", "1",  "x",   "yield ", "#",
      "\\\n", ":=",   ";", "@",   "def ",   "-",    "\t",   "e",    "_",       "0",   "!r", "as ", "is "};
  const char* rounds = std::getenv("TILEWRIGHT_DIRECT_ROUNDS");
  for (int i = 0, count = rounds ? std::atoi(rounds) : 4000; i < count; ++i) {
    std::string text = statements[random() % statements.size()];
    if (text.size() > 1500) continue;
    for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
      const std::size_t at = random() % (text.size() + 1);
      text.replace(at, random() % 3, random() % 4 == 0 ? std::string_view() : kPieces[random() % std::size(kPieces)]);
    }
    const std::string found = directly(text);
    if (found.empty() || is_faulty(text)) continue;
    INFO(text);
    REQUIRE(found == by_parser(text));
  }
}
