// The host's Python inside scripts: builtins, methods, library, and the prelude written as tile scripts.
#include <string>

#include "compiler/script/evaluate.h"
#include "compiler/script/prelude.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::script;

namespace {

std::unique_ptr<Evaluation> run(std::string text, text::Limits limits = {}) {
  auto source = std::make_shared<text::Source>("test.py", std::move(text));
  text::Context context;
  context.limits = limits;
  EvaluateOptions options;
  options.target = *ir::parse_target("sm_100a");
  return evaluate(syntax::Tree::parse(source), nullptr, context, options);
}

// repr() of what `x` is after the script ran; what ended its statement when it failed.
std::string x_of(const std::string& script) {
  auto e = run(script);
  ArenaScope arena(e->arena());
  for (const auto& failure : e->interpreter().failures()) return "! " + failure.pending.diagnostic.message;
  if (!e->diagnostics.empty()) return "! " + e->diagnostics[0].message;
  auto* b = e->module ? e->module->find("x") : nullptr;
  return b ? e->interpreter().repr(b->value) : "(nothing)";
}

std::string value(const std::string& expression) { return x_of("x = " + expression + "\n"); }

struct Case {
  const char *expression, *expected;
};

}  // namespace

TEST_CASE("builtins: what one evaluation changes of a class, no other one sees") {
  const std::string look = "x = hasattr(Exception, 'mark'), hasattr(ValueError(), 'mark'), hasattr(int, 'mark')\n";
  auto changed = run("Exception.mark = 1\nint.mark = 2\n" + look);
  auto fresh = run(look);
  auto x_in = [](Evaluation& e) {
    ArenaScope arena(e.arena());
    return e.interpreter().repr(e.module->find("x")->value);
  };
  CHECK(x_in(*changed) == "(True, True, True)");
  CHECK(x_in(*fresh) == "(False, False, False)");
  CHECK(changed->interpreter().builtins().find("Exception")->o != fresh->interpreter().builtins().find("Exception")->o);
}

TEST_CASE("builtins: each name has its value, the same one each time, and is no work of the script") {
  auto e = run("");
  ArenaScope arena(e->arena());
  Interpreter& in = e->interpreter();
  const std::size_t bytes = in.heap().bytes(), objects = in.heap().objects();
  const std::vector<std::string_view> names = in.builtins().names();
  CHECK(names.size() > 140);
  CHECK(names.front() == "object");
  for (std::string_view name : names) {
    INFO(std::string(name));
    const syntax::Name asked{name, syntax::hash_name(name), {}};
    CHECK(in.builtins().has(asked));
    Value* v = in.builtins().find(asked);
    REQUIRE(v);
    CHECK(!v->is_error());
    CHECK(in.builtins().find(name) == v);
    if (Class* cls = v->as<Class>(); cls && name != "IOError" && name != "EnvironmentError") {
      CHECK(cls->name == name);
      CHECK(cls->mro.back()->name == "object");
    }
  }
  CHECK(in.heap().objects() > objects);
  CHECK(in.heap().bytes() == bytes);
  CHECK(in.builtins().names() == names);

  const syntax::Name unknown{"lenn", syntax::hash_name("lenn"), {}};
  CHECK(!in.builtins().has(unknown));
  CHECK(!in.builtins().find(unknown));
}

TEST_CASE("builtins: only what a script asks for is made") {
  auto objects_after = [](const char* script) { return run(script)->interpreter().heap().objects(); };
  const std::size_t nothing = objects_after("x = 1\n");
  CHECK(nothing < 20);
  CHECK(objects_after("x = len\n") == nothing + 1);
}

TEST_CASE("builtins: exceptions derive from each other as in Python, in whatever order they are met") {
  for (Case c :
       {Case{"[c.__name__ for c in (KeyError, LookupError, Exception)]", "['KeyError', 'LookupError', 'Exception']"},
        {"issubclass(UnicodeDecodeError, ValueError), issubclass(UnicodeDecodeError, OSError)", "(True, False)"},
        {"issubclass(Exception, BaseException), issubclass(SystemExit, Exception)", "(True, False)"},
        {"IOError is OSError, EnvironmentError is IOError", "(True, True)"},
        {"isinstance(FileNotFoundError('f'), OSError), issubclass(bool, int)", "(True, True)"},
        {"issubclass(frozenset, set), issubclass(range, object)", "(False, True)"}}) {
    CHECK(value(c.expression) == c.expected);
  }
}

TEST_CASE("numbers: int, float, bool, round, divmod, pow, bases") {
  for (Case c : {Case{"int('0x1f', 16)", "31"},
                 {"int(' -1_000 ')", "-1000"},
                 {"int('0b101', 0)", "5"},
                 {"int(3.9), int(-3.9)", "(3, -3)"},
                 {"int('ff', 16)", "255"},
                 {"float('1e3'), float('-inf')", "(1000.0, -inf)"},
                 {"bool([]), bool('a')", "(False, True)"},
                 {"round(2.5), round(3.5), round(2.675, 2)", "(2, 4, 2.67)"},
                 {"round(1250, -2), round(1350, -2)", "(1200, 1400)"},
                 {"divmod(-7, 2)", "(-4, 1)"},
                 {"pow(2, 10), pow(3, 200, 7)", "(1024, 2)"},
                 {"hex(255), oct(8), bin(-5)", "('0xff', '0o10', '-0b101')"},
                 {"abs(-5), abs(2.5)", "(5, 2.5)"},
                 {"(5).bit_length(), True.bit_length(), (2.0).is_integer()", "(3, 1, True)"},
                 {"2**64 - 1", "18446744073709551615"}}) {
    CHECK(value(c.expression) == c.expected);
  }
}

TEST_CASE("iteration: range, zip, enumerate, map, filter, sorted, min, max, sum, any, all, next") {
  for (Case c :
       {Case{"list(range(5, 0, -2))", "[5, 3, 1]"},
        {"list(zip([1, 2, 3], 'ab'))", "[(1, 'a'), (2, 'b')]"},
        {"list(enumerate('ab', 1))", "[(1, 'a'), (2, 'b')]"},
        {"list(map(lambda a, b: a * b, [1, 2], [3, 4]))", "[3, 8]"},
        {"list(filter(None, [0, 1, '', 'a']))", "[1, 'a']"},
        {"sorted([3, 1, 2], reverse=True)", "[3, 2, 1]"},
        {"sorted(['b', 'A', 'c'], key=str.lower)", "['A', 'b', 'c']"},
        {"sorted([(1, 'b'), (0, 'a'), (1, 'a')], key=lambda p: p[0], reverse=True)", "[(1, 'b'), (1, 'a'), (0, 'a')]"},
        {"min(3, 1, 2), max([1, 5, 2]), max('abc', key=ord), min([], default=7)", "(1, 5, 'c', 7)"},
        {"sum(range(10)), sum([[1], [2]], [])", "(45, [1, 2])"},
        {"any(x > 2 for x in [1, 3]), all([])", "(True, True)"},
        {"next(iter([4, 5])), next(iter([]), 'none')", "(4, 'none')"},
        {"list(reversed((1, 2)))", "[2, 1]"},
        {"len('a€b'), len(range(0, 10, 3)), len({1: 2})", "(3, 4, 1)"}}) {
    CHECK(value(c.expression) == c.expected);
  }
}

TEST_CASE("objects: isinstance, getattr, type, callable, Opaque spreads") {
  for (Case c :
       {Case{"isinstance(True, int), isinstance(1.0, (int, str)), isinstance([], list)", "(True, False, True)"},
        {"type(3) is int, type('').__name__", "(True, 'str')"},
        {"getattr([1], 'nothing', 5), hasattr('', 'upper')", "(5, True)"},
        {"callable(len), callable(3)", "(True, False)"},
        {"issubclass(KeyError, LookupError), issubclass(bool, int)", "(True, True)"},
        {"open('/etc/passwd')", "<unknown>"},
        {"len(eval('1'))", "<unknown>"},
        {"isinstance(open('x'), str)", "<unknown>"},
        {"print('hi')", "None"},
        {"str(12) + repr('a') + format(3.14159, '.2f')", "\"12'a'3.14\""}}) {
    CHECK(value(c.expression) == c.expected);
  }
}

TEST_CASE("str methods") {
  for (Case c :
       {Case{"'{} {1:>4} {k!r}'.format('a', 'b', k='c')", "\"a    b 'c'\""},
        {"'aXXbX'.rsplit('X'), 'aXXXb'.rsplit('XX', 1), 'aXb'.rsplit('X', 0)",
         "(['a', '', 'b', ''], ['aX', 'b'], ['aXb'])"},
        {"'abc'.rfind(''), 'abcabc'.rfind('bc'), 'abc'.rfind('x'), 'abc'.find('', 2), 'abc'.count('')",
         "(3, 4, -1, 2, 4)"},
        {"'xyaxy'.strip('yx'), 'xyaxy'.lstrip('yx'), 'xyaxy'.rstrip('yx'), 'xx'.strip('x')", "('a', 'axy', 'xya', '')"},
        {"'a-b-c'.split('-'), 'a-b-c'.rsplit('-', 1), ' a  b '.split()", "(['a', 'b', 'c'], ['a-b', 'c'], ['a', 'b'])"},
        {"', '.join(str(i) for i in range(3))", "'0, 1, 2'"},
        {"'abc'.startswith(('x', 'ab')), 'abc'.endswith('c')", "(True, True)"},
        {"'aXbX'.replace('X', '--', 1), 'ab'.replace('', '.')", "('a--bX', '.a.b.')"},
        {"'hello world'.title(), 'abc'.upper(), 'aBc'.swapcase()", "('Hello World', 'ABC', 'AbC')"},
        {"'7'.zfill(3), '-7'.zfill(4), 'a'.rjust(3, '*'), 'a'.center(4)", "('007', '-007', '**a', ' a  ')"},
        {"'abcabc'.find('c', 3), 'abcabc'.rfind('b'), 'abc'.count('')", "(5, 4, 4)"},
        {"'a=b=c'.partition('='), ' x '.strip(), 'xxa'.lstrip('x')", "(('a', '=', 'b=c'), 'x', 'a')"},
        {"'{0[1]} {a.real:03d} {{}}'.format([1, 2], a=7)", "'2 007 {}'"},
        {"'12'.isdigit(), 'a1'.isalnum(), 'a b'.isidentifier()", "(True, True, False)"}}) {
    CHECK(value(c.expression) == c.expected);
  }
}

TEST_CASE("container methods keep dicts and sets findable after removals") {
  CHECK(x_of("a = [3, 1]\na.append(2)\na.sort()\na.insert(0, 9)\nb = a.pop()\nx = (a, b, a.index(2))\n") ==
        "([9, 1, 2], 3, 2)");
  CHECK(x_of("d = {i: i * i for i in range(20)}\nfor i in range(0, 20, 2):\n    d.pop(i)\n"
             "x = (len(d), d[11], 4 in d, d.get(4, 'gone'), d.setdefault(100, 1))\n") == "(10, 121, False, 'gone', 1)");
  CHECK(x_of("d = dict(a=1)\nd.update([('b', 2)], c=3)\nx = (list(d.items()), sorted(d.keys()), list(d.values()))\n") ==
        "([('a', 1), ('b', 2), ('c', 3)], ['a', 'b', 'c'], [1, 2, 3])");
  CHECK(x_of("s = set(range(12))\ns.discard(3)\ns -= {1, 2}\nx = (len(s), 3 in s, sorted(s & {0, 1, 4}), "
             "{1}.issubset([1, 2]), {1, 2}.issuperset([1]), {1}.isdisjoint([2]))\n") ==
        "(9, False, [0, 4], True, True, True)");
  CHECK(value("dict.fromkeys('ab', 0)") == "{'a': 0, 'b': 0}");
  CHECK(value("slice(None, -1, 2).indices(10), range(0, 10, 2).index(4)") == "((0, 9, 2), 2)");
}

TEST_CASE("match takes the first case that fits") {
  std::string pick = R"(
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

class Kind(StrEnum):
    TMA = "tma"
    LDG = "ldg"

class Color(Enum):
    RED = 1

@dataclass
class Tile:
    m: int
    n: int = 8

class Pair(NamedTuple):
    a: int
    b: int

class Plain:
    __match_args__ = ("x",)
    def __init__(self, x):
        self.x = x
        self.y = x + 1

def pick(v):
    match v:
        case Kind.TMA: return "kind"
        case Color.RED: return "color"
        case 1 | 2 as small: return small
        case -1.5: return "negative"
        case True: return "true"
        case None: return "none"
        case "a" "b": return "text"
        case []: return "empty"
        case [1, *rest, 9]: return rest
        case (x, y) if x == y: return "same"
        case Tile(16, n=n): return n
        case Tile(m): return m
        case Pair(a, b): return a + b
        case Plain(3, y=four): return four
        case str(text): return text + "!"
        case int() | float(): return "number"
        case {"k": 1, **others}: return others
        case {"k": k}: return k
        case [_, _, _]: return "three"
    return "nothing"
)";
  for (Case c : {Case{"Kind.TMA", "'kind'"},
                 {"'tma'", "'kind'"},
                 {"Color.RED", "'color'"},
                 {"2", "2"},
                 {"True", "True"},  // 1 comes first, and is equal
                 {"3", "'number'"},
                 {"-1.5", "'negative'"},
                 {"None", "'none'"},
                 {"'ab'", "'text'"},
                 {"[]", "'empty'"},
                 {"()", "'empty'"},
                 {"[1, 2, 3, 9]", "[2, 3]"},
                 {"[1, 9]", "[]"},
                 {"(4, 4)", "'same'"},
                 {"(4, 5)", "'nothing'"},
                 {"Tile(16, 3)", "3"},
                 {"Tile(5)", "5"},
                 {"Pair(3, 4)", "7"},
                 {"Plain(3)", "4"},
                 {"Plain(4)", "'nothing'"},
                 {"'ab c'", "'ab c!'"},
                 {"{'k': 1, 'l': 2}", "{'l': 2}"},
                 {"{'k': 5}", "5"},
                 {"{}", "'nothing'"},
                 {"(1, 2, 3)", "'three'"}}) {
    CHECK(x_of(pick + "x = pick(" + c.expression + ")\n") == c.expected);
  }
  CHECK(x_of(pick + "match Tile(1):\n  case Tile(1, 2, 3): pass\n") ==
        "! Tile() takes 2 positional patterns, here are 3");
  CHECK(x_of("match 5:\n  case five: x = five\n") == "5");
  CHECK(x_of("match nothing:\n  case five: x = five\n") == "! name 'nothing' is not defined");
  // What is not known may match or not: what the cases bind differently is unknown.
  CHECK(x_of("import torch\nmatch torch.version:\n  case (9, 0): x = 1\n  case _: x = 2\n") == "<unknown>");
}

TEST_CASE("del takes away names, elements, slices and attributes") {
  CHECK(x_of("x = [0, 1, 2, 3, 4, 5, 6]\ndel x[0], x[-1]\n") == "[1, 2, 3, 4, 5]");
  CHECK(x_of("x = [1, 2, 3, 4, 5, 6]\ndel x[::2]\n") == "[2, 4, 6]");
  CHECK(x_of("x = [1, 2, 3, 4, 5, 6]\ndel x[::-4]\n") == "[1, 3, 4, 5]");
  CHECK(x_of("x = [1, 2, 3]\ndel x[5:]\n") == "[1, 2, 3]");
  CHECK(x_of("x = [1, 2, 3]\ndel x[3]\n") == "! index 3 is out of range: there are 3 elements");
  CHECK(x_of("x = {'a': 1, 'b': 2}\ndel x['a']\n") == "{'b': 2}");
  CHECK(x_of("x = {'a': 1}\ndel x['b']\n") == "! key 'b' is not in the dict");
  CHECK(x_of("class C: pass\nc = C()\nc.y = 1\ndel c.y\nx = hasattr(c, 'y')\n") == "False");
  CHECK(x_of("y = 1\ndel y\nx = y\n") == "<unknown>");  // said where it stands: tests/script/names.py
  CHECK(x_of("del y\n") == "! name 'y' is not defined");
  CHECK(x_of("def f():\n  global x\n  del x\nx = 1\nf()\n") == "(nothing)");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "v" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  CHECK(x_of(many + "del (v3, [v50])\nx = v4 + v51 + v99\n") == "154");
}

TEST_CASE("slices of lists are read and assigned as Python does") {
  CHECK(x_of("x = [0, 1, 2, 3]\nx[1:3] = [7, 8, 9]\n") == "[0, 7, 8, 9, 3]");
  CHECK(x_of("x = [0, 1, 2, 3, 4]\nx[::2] = 'abc'\n") == "['a', 1, 'b', 3, 'c']");
  CHECK(x_of("x = [0, 1]\nx[2:] = range(2)\n") == "[0, 1, 0, 1]");
  CHECK(x_of("x = [0, 1, 2, 3, 4, 5]\nx[4:1] = [9]\n") == "[0, 1, 2, 3, 9, 4, 5]");
  CHECK(x_of("x = [0, 1, 2]\nx[:] = x[::-1]\n") == "[2, 1, 0]");
  CHECK(x_of("x = [0, 1, 2]\nx[::2] = [1]\n") == "! a slice of 2 elements cannot take 1");
  CHECK(value("[0, 1, 2, 3][1 : 9 : 2**62]") == "[1]");
  CHECK(value("[0, 1, 2, 3][:: -(2**62)]") == "[3]");
  CHECK(value("(0, 1, 2, 3)[-3:-1]") == "(1, 2)");
  CHECK(value("'abcdef'[4:1:-2]") == "'ec'");
  CHECK(value("slice(None, None, -1).indices(4)") == "(3, -1, -1)");
}

TEST_CASE("math, functools, operator, itertools, collections, copy") {
  CHECK(x_of("import math\nx = (math.gcd(12, 18), math.lcm(4, 6), math.log2(8), math.ceil(7 / 2), math.floor(-0.5), "
             "math.prod([2, 3]), math.isqrt(17), math.sqrt(9), math.comb(5, 2), math.log(math.e))\n") ==
        "(6, 12, 3.0, 4, -1, 6, 4, 3.0, 10, 1.0)");
  CHECK(x_of("from math import sqrt\nx = sqrt(-1)\n").starts_with("! math.sqrt() is not defined"));
  CHECK(x_of("from functools import reduce, partial, lru_cache\nimport operator\n"
             "@lru_cache(maxsize=None)\ndef f(a, b=2):\n    return a * b\n"
             "x = (reduce(operator.mul, (2, 3, 4)), partial(f, b=5)(3), f(4))\n") == "(24, 15, 8)");
  CHECK(x_of("import itertools as it\nx = (list(it.product('ab', repeat=2))[1], list(it.chain([1], (2,))), "
             "list(it.accumulate([1, 2, 3])), len(list(it.permutations(range(4)))), list(it.combinations('abc', 2)), "
             "list(it.islice(range(10), 2, 8, 3)), list(it.chain.from_iterable([[1], [2]])))\n") ==
        "(('a', 'b'), [1, 2], [1, 3, 6], 24, [('a', 'b'), ('a', 'c'), ('b', 'c')], [2, 5], [1, 2])");
  CHECK(
      x_of(
          "from collections import defaultdict, namedtuple, OrderedDict\nd = defaultdict(list)\nd['a'].append(1)\n"
          "P = namedtuple('P', 'u v', defaults=[9])\np = P(1)\nu, v = p\n"
          "x = (d['a'], len(d), 'b' in d, p.v, p[0], u + v, p._replace(v=3).v, p == (1, 9), isinstance(p, tuple))\n") ==
      "([1], 1, False, 9, 1, 10, 3, True, True)");
  CHECK(x_of("import copy\na = [[1], 2]\nb = copy.deepcopy(a)\nc = copy.copy(a)\na[0].append(5)\nx = (b, c)\n") ==
        "([[1], 2], [[1, 5], 2])");
}

TEST_CASE("dataclasses: defaults, factories, frozen, order, inheritance, replace") {
  const std::string head = "from dataclasses import dataclass, field, replace, asdict, astuple, fields\n";
  CHECK(x_of(head + "@dataclass\nclass A:\n    m: int\n    n: int = 4\n    k: list = field(default_factory=list)\n"
                    "    def area(self):\n        return self.m * self.n\n"
                    "a = A(3)\nb = A(m=3, n=5)\na.k.append(1)\nx = (a.area(), b.k, replace(a, n=7).n, asdict(b), "
                    "astuple(b), a == A(3, 4, [1]), [f.name for f in fields(A)])\n") ==
        "(12, [], 7, {'m': 3, 'n': 5, 'k': []}, (3, 5, []), True, ['m', 'n', 'k'])");
  CHECK(x_of(head + "@dataclass(frozen=True, order=True)\nclass A:\n    m: int\n    t: int = field(init=False)\n"
                    "    def __post_init__(self):\n        object.__setattr__(self, 't', self.m * 2)\n"
                    "@dataclass(frozen=True)\nclass B(A):\n    z: int = 1\n"
                    "try:\n    A(1).m = 2\n    r = 'set'\nexcept AttributeError:\n    r = 'frozen'\n"
                    "x = (A(2).t, r, A(1) < A(2), B(5).z, B(5, z=3).z)\n") == "(4, 'frozen', True, 1, 3)");
  CHECK(x_of(head + "@dataclass\nclass A:\n    m: int\nx = A()\n") == "! A() needs the argument 'm'");
  CHECK(x_of(head + "@dataclass\nclass A:\n    m: int\nx = A(1, k=2)\n") == "! A() has no argument 'k'");
}

TEST_CASE("enums and typing") {
  CHECK(x_of("from enum import Enum, IntEnum, auto\nclass C(Enum):\n    RED = 1\n    GREEN = auto()\n    ALSO = 1\n"
             "    @property\n    def twice(self):\n        return self.value * 2\n"
             "class K(IntEnum):\n    A = 3\n    B = auto()\n"
             "x = (C.RED.name, C.GREEN.value, C(2) is C.GREEN, C['RED'] is C.ALSO, C.GREEN.twice, len(C), "
             "C.__members__['ALSO'].name, K.B + 1, isinstance(K.A, int), K.A == 3)\n") ==
        "('RED', 2, True, True, 4, 2, 'RED', 5, True, True)");
  CHECK(x_of("from typing import NamedTuple, Optional, List, TYPE_CHECKING, Literal\n"
             "class P(NamedTuple):\n    u: int\n    v: Optional[int] = None\n"
             "def f(a: List[int], m: Literal['a', 'b'] = 'a') -> Optional[int]:\n    return a[0]\n"
             "x = (P(1).u, P(1, v=4)[1], TYPE_CHECKING, f([7]))\n") == "(1, 4, False, 7)");
  CHECK(x_of("import os, sys\nx = (os.environ.get('A', '8'), os.getenv('B'), 'C' in os.environ, sys.version_info >= "
             "(3, 9), "
             "os.path.join('a', 'b'))\n") == "(<unknown>, <unknown>, <unknown>, True, 'a/b')");
  CHECK(x_of("import abc\nclass A(abc.ABC):\n    def __init__(self, v):\n        self.v = v\n"
             "    @abc.abstractmethod\n    def f(self): ...\nclass B(A):\n    def __init__(self, v):\n"
             "        super().__init__(v + 1)\n    def f(self): ...\nx = B(2).v\n") == "3");
}

TEST_CASE("a member of an enum of strings is its text") {
  std::string kinds = "from enum import Enum, StrEnum\nclass K(StrEnum):\n  A = 'a'\nclass L(str, Enum):\n  A = 'a'\n";
  CHECK(x_of(kinds + "x = K.A == 'a', 'a' == L.A, K.A != 'a', K.A == L.A, K.A == 'b', 'a' in [K.A], K.A in ('a',)") ==
        "(True, True, False, True, False, True, True)");
  CHECK(x_of(kinds + "x = {'a': 1}[K.A], {K.A: 2}['a'], {'a', K.A}") == "(1, 2, {'a'})");
}

TEST_CASE("values as text: repr, str, format, %") {
  for (Case c :
       {Case{"'%d-%s-%5.2f|%-5s|%05d|%%' % (3, 'a', 2.5, 'x', 42)", "'3-a- 2.50|x    |00042|%'"},
        {"'%(a)s %(b)03d' % {'a': 1, 'b': 2}", "'1 002'"},
        {"'%x %X %o %+d % d %#x %r %5s|%.2s' % (255, 255, 8, 3, 3, 255, 'q', 'ab', 'abc')",
         "\"ff FF 10 +3  3 0xff 'q'    ab|ab\""},
        {"'%*d %d %e' % (4, 7, 2.9, 1.5)", "'   7 2 1.500000e+00'"},
        {"'%s' % [1, 2]", "'[1, 2]'"},
        {"'%d %d' % (1,)", "! there are not enough values for the format text"},
        {"'%d' % (1, 2)", "! there are more values than the format text takes"},
        {"'%d' % 'a'", "! %d needs a number, not str"},
        {"f'{255:#06x} {-255:#06x} {5:+} {5: } {1234567:,} {1234567:_} {65535:_x} {0.5:%}'",
         "'0x00ff -0x0ff +5  5 1,234,567 1_234_567 ffff 50.000000%'"},
        {"f'{3.0:.3} {1234.5:,.1f} {-0.0:.1f} {1e10:g} {2.5:08.2f} {True:5}|{True:>5}'",
         "'3.0 1,234.5 -0.0 1e+10 00002.50     1|    1'"},
        {"f\"{'é':>3}|{'abc':.2}|{'x':*^5}|{None}|{'q'!r:>5}\"", "\"  é|ab|**x**|None|  'q'\""},
        {"f\"{'a':d}\"", "! the format code 'd' does not fit str"},
        {"f'{1.5:d}'", "! the format code 'd' does not fit float"},
        {"\"it's\", 'a\"b', 'a\\'b\"c', 'tab\\t'", "(\"it's\", 'a\"b', 'a\\'b\"c', 'tab\\t')"},
        {"set()", "set()"},
        {"repr(ValueError('a', 1)), str(ValueError('a')), str(ValueError())", "(\"ValueError('a', 1)\", 'a', '')"}}) {
    CHECK(value(c.expression) == c.expected);
  }
  std::string classes =
      "from enum import Enum, IntEnum, StrEnum\nclass E(Enum):\n  A = 1\nclass I(IntEnum):\n  A = 3\n"
      "class S(StrEnum):\n  A = 'a'\nclass M(str, Enum):\n  A = 'a'\n"
      "class B:\n  def __repr__(self): return 'r'\n  def __str__(self): return 's'\n";
  CHECK(x_of(classes + "x = f'{E.A} {I.A} {I.A:>3} {S.A} {M.A} {B()} {[B()]}', E.A, str(S.A)\n") ==
        "('E.A 3   3 a M.A s [r]', <E.A: 1>, 'a')");
}

TEST_CASE("exceptions carry their class and text") {
  CHECK(x_of("class Bad(ValueError):\n    def __init__(self, n):\n        super().__init__(f'bad {n}')\n"
             "try:\n    raise Bad(3)\nexcept (KeyError, ValueError) as e:\n    x = (str(e), isinstance(e, "
             "ValueError))\n") == "('bad 3', True)");
  CHECK(x_of("try:\n    {}['a']\nexcept KeyError:\n    x = 1\n") == "1");
  CHECK(x_of("try:\n    int('z')\nexcept KeyError:\n    x = 1\nexcept ValueError:\n    x = 2\n") == "2");
}

TEST_CASE("hostile scripts end within their limits") {
  text::Limits limits;
  limits.steps = 300'000;
  limits.memory_bytes = 64 << 20;
  for (const char* script : {
           "x = list(range(10**12))\n",
           "x = 'a' * 10**15\n",
           "x = 'a'.ljust(10**15)\n",
           "x = 'a'.zfill(10**15)\n",
           "x = [0] * 10**12\n",
           "x = 1 << 10**9\n",
           "x = 10 ** 10**9\n",
           "import math\nx = math.factorial(10**9)\n",
           "import math\nx = math.comb(10**9, 10**8)\n",
           "import itertools\nx = list(itertools.permutations(range(100)))\n",
           "import itertools\nx = list(itertools.product(range(100), repeat=60))\n",
           "import itertools\nx = list(itertools.repeat(0, 10**15))\n",
           "a = []\nwhile True:\n    a.append(a)\n",
           "a = ['x']\nwhile True:\n    a.extend(a)\n",
           "s = 'x'\nwhile True:\n    s = s.replace('x', 'xx')\n",
           "s = 'x'\nwhile True:\n    s = '{0}{0}'.format(s)\n",
           "s = 'x'\nwhile True:\n    s = ''.join([s, s])\n",
           "def f(): return f()\nx = f()\n",
           "a = []\nfor i in range(100000):\n    a = [a]\nimport copy\nx = copy.deepcopy(a)\n",
           "a = []\na.append(a)\nx = (str(a), copy(a) if False else 0)\n",
           "class A:\n    def __lt__(self, o): return True\nx = sorted([A() for i in range(500)])\n",
           "class A:\n    def __eq__(self, o):\n        d.clear()\n        return False\nd = {}\nfor i in range(20):\n"
           "    d[A()] = i\n",
           "x = int('9' * 100)\n",
           "x = '{:{}}'.format(1, 10**9)\n",
           "x = round(1.5, 10**18)\n",
           "x = sorted(range(10**6), key=lambda v: -v)\n",
           "x = max(range(10**11))\n",
           "d = {}\nfor i in range(10**7):\n    d[i] = 1\n    d.pop(i)\n",
       }) {
    INFO(script);
    auto e = run(script, limits);
    CHECK(e != nullptr);
  }
}

// ---- the prelude ------------------------------------------------------------------------------------------------

namespace {

// The printed kernel with this body; "! message" when it reported something.
std::string kernel_of(const std::string& body, const std::string& imports = "") {
  std::string text =
      "from tvm.script import tirx as T\n" + imports +
      "\n@T.prim_func\ndef kernel(A_ptr: T.handle):\n    A = T.match_buffer(A_ptr, (128, 64), \"float16\")\n"
      "    T.device_entry()\n    bx = T.cta_id([148])\n    warp = T.warp_id([8])\n    lane = T.lane_id([32])\n"
      "    wg = T.warpgroup_id([2])\n    T.thread_id([256])\n";
  for (std::size_t at = 0; at < body.size();) {
    std::size_t end = std::min(body.find('\n', at), body.size());
    text += "    " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  auto e = run(text);
  ArenaScope arena(e->arena());
  std::string problems;
  for (const auto& d : e->diagnostics) {
    if (d.severity == text::Severity::Error) problems += "! " + d.message + "\n";
  }
  for (const auto& f : e->interpreter().failures()) problems += "! " + f.pending.diagnostic.message + "\n";
  if (!problems.empty()) return problems;
  if (e->interpreter().kernels().empty()) return "! no kernel";
  return ir::print_script(e->interpreter().kernels()[0]->kernel);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const char* const kPipeline =
    "from tvm.tirx.lang.pipeline import *\n"
    "from tvm.tirx.lang.pipeline import MBarrier, TMABar, TCGen05Bar, Pipeline, PipelineState\n";

}  // namespace

TEST_CASE("every name of the prelude is defined by its file") {
  for (std::string_view name :
       {"SMEMPool", "TMEMPool", "TMEMStages", "PipelineState", "MBarrier", "TMABar", "TCGen05Bar", "Pipeline",
        "WarpRole", "WarpgroupRole", "SmemDescriptor", "BaseTileScheduler", "ClusterPersistentScheduler2D",
        "GroupMajor3D", "RankAwareGroupMajorTileScheduler", "IndexedTripleTileScheduler",
        "FlashAttentionLinearScheduler", "FlashAttentionLPTScheduler", "ClusterLaunchControlScheduler"}) {
    INFO(name);
    const std::string file = prelude_file_of(name, text::kDefaultDialect);
    REQUIRE(!file.empty());
    CHECK(has(std::string(prelude_source(file)), "class " + std::string(name)));
  }
  CHECK(prelude_file_of("copy", text::kDefaultDialect).empty());
  CHECK(prelude_source("nothing.py").empty());
}

TEST_CASE("pools carve the arena and say how large it is") {
  std::string k = kernel_of(
      "pool = T.SMEMPool()\na = pool.alloc_mma((2, 128, 64), \"float16\")\n"
      "b = pool.alloc((64,), \"float32\", align=16)\npool.commit()");
  INFO(k);
  CHECK(has(k, "pool_max_bytes\", 33024"));
  CHECK(has(k, "a = T.decl_buffer((2, 128, 64), \"float16\""));
  CHECK(has(k, "elem_offset=8192"));
  CHECK(has(k, "pool_buf = T.alloc_buffer((0,), \"uint8\", scope=\"shared.dyn\""));
}

TEST_CASE("pool errors say what is wrong and what would fit") {
  CHECK(has(kernel_of("pool = T.SMEMPool()\na = pool.alloc_mma((64,), \"float16\")"), "needs rows and columns"));
  CHECK(has(kernel_of("pool = T.SMEMPool()\na = pool.alloc_mma((8, 64), \"float16\", \"weird\")"),
            "unknown swizzle_mode"));
  CHECK(has(kernel_of("pool = T.SMEMPool()\na = pool.alloc_mma((8, 32), \"float16\")"), "SWIZZLE_64B_ATOM"));
  CHECK(has(kernel_of("pool = T.SMEMPool()\na = pool.alloc_mma((8, 8), \"float16\")"), "SWIZZLE_NONE"));
  CHECK(has(kernel_of("pool = T.SMEMPool()\na = pool.alloc_mma((12, 64), \"float16\")"), "multiple of 8"));
  CHECK(
      has(kernel_of("pool = T.SMEMPool()\na = pool.alloc((64,), \"float16\")\npool.commit(16)"), "16 bytes are fewer"));
  CHECK(has(kernel_of("pool = T.SMEMPool()\npool.commit()\npool.commit()"), "only once"));
  const std::string tmem = "pool = T.SMEMPool()\ntm = T.TMEMPool(pool, 128)\n";
  CHECK(has(kernel_of(tmem + "a = tm.alloc((128, 256), \"float32\")"), "do not fit the 128"));
  CHECK(has(kernel_of(tmem + "a = tm.alloc((128, 3), \"float16\")"), "pass cols="));
  CHECK(has(kernel_of(tmem + "a = tm.alloc((2, 128, 3), \"float16\")"), "not two-dimensional"));
  CHECK(has(kernel_of(tmem + "a = tm.alloc_sf((128, 6), \"float8_e4m3fn\", sf_per_mma=4)"), "SF_K=6"));
  CHECK(has(kernel_of(tmem + "tm.dealloc()"), "comes after commit"));
}

TEST_CASE("tensor memory: columns, datapaths, scale factors, allocation by one warp") {
  std::string k = kernel_of(
      "pool = T.SMEMPool()\ntm = T.TMEMPool(pool)\na = tm.alloc((64, 32), \"float32\", datapath=\"F\")\n"
      "b = tm.alloc((128, 64), \"float16\")\nc = tm.alloc((128, 32), \"float32\", cols=64)\n"
      "s = tm.alloc_sf((128, 16), \"float8_e4m3fn\", sf_per_mma=4)\npool.commit()\ntm.commit()\ntm.dealloc()");
  INFO(k);
  CHECK(has(k, "allocated_addr=32"));
  CHECK(has(k, "allocated_addr=64"));
  CHECK(has(k, "allocated_addr=128"));
  CHECK(has(k, "T.ptx.tcgen05.alloc("));
  CHECK(has(k, "T.ptx.tcgen05.relinquish_alloc_permit(1"));
  CHECK(has(k, "T.ptx.tcgen05.dealloc("));
}

TEST_CASE("pipelines and barriers emit what the reference emits") {
  std::string k = kernel_of(
      "pool = T.SMEMPool()\npipe = Pipeline(pool, 2, full=\"tma\", empty=\"mbar\", init_empty=4)\n"
      "done = TCGen05Bar(pool, 1)\ndone.init(1)\npool.commit()\nst = PipelineState(2, phase=1)\n"
      "for k in range(4):\n    pipe.empty.wait(st.stage, st.phase)\n    if T.ptx.elect_sync():\n"
      "        pipe.full.arrive(st.stage, 1024)\n    st.advance()\ndone.arrive(0)\npipe.empty.arrive(0)\n"
      "pipe.empty.arrive(0, 1)\nrv = pipe.full.remote_view(0)\nrv.arrive(0)",
      kPipeline);
  INFO(k);
  CHECK(has(k, "if T.cuda.thread_rank() == 0"));
  CHECK(has(k, "T.ptx.mbarrier.init("));
  CHECK(has(k, "pipe_full_buf = T.decl_buffer((2,), \"uint64\""));
  CHECK(has(k, "T.ptx.mbarrier.arrive.expect_tx("));
  CHECK(has(k, "T.ptx.mbarrier.try_wait("));
  CHECK(has(k, "T.ptx.tcgen05.commit("));
  CHECK(has(k, "rv_buf = T.decl_buffer((2,), \"uint64\""));
  CHECK(has(kernel_of("pool = T.SMEMPool()\np = Pipeline(pool, 2, full=\"x\", empty=\"mbar\")", kPipeline),
            "no kind of barrier"));
}

TEST_CASE("barriers of another CTA by their mapped addresses") {
  std::string k = kernel_of(
      "pool = T.SMEMPool()\nbar = MBarrier(pool, 2)\npool.commit()\nnext = bar.remote(3)\nnext.arrive()\n"
      "next.arrive(1, count=4)\nfor s in range(2):\n    next.expect_tx(s, 512)",
      kPipeline);
  INFO(k);
  CHECK(has(k, "T.ptx.map_shared_rank("));
  CHECK(has(k, "T.ptx.mbarrier.arrive_remote("));
  CHECK(has(k, "+ T.uint64(8), T.uint32(4)"));
  CHECK(has(k, "T.ptx.mbarrier.arrive_expect_tx_remote("));
}

TEST_CASE("schedulers store coordinates") {
  const std::string imports =
      "from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D, GroupMajor3D, "
      "FlashAttentionLinearScheduler, FlashAttentionLPTScheduler, "
      "RankAwareGroupMajorTileScheduler, ClusterLaunchControlScheduler\n";
  std::string k = kernel_of(
      "s = ClusterPersistentScheduler2D(\"s\", 10, 8, 148)\ns.init(bx)\nwhile s.valid():\n"
      "    A[s.m_idx, s.n_idx] = T.float16(0)\n    s.next_tile()\n"
      "z = ClusterPersistentScheduler2D(\"z\", 10, 9, 148, l2_group_size=4, "
      "serpentine=True)\nz.init(bx)\nz.next_tile()\n"
      "g = GroupMajor3D(\"g\", 7, 5, 3, 4, step=148)\ng.init(bx)\ng.next_tile()\n"
      "f = FlashAttentionLinearScheduler(\"f\", 2, 4, 8, 148)\nf.init(bx)\nf.next_tile()\n"
      "l = FlashAttentionLPTScheduler(\"l\", 2, 4, 8, 4)\nl.init(bx)\nl.next_tile()\n"
      "r = RankAwareGroupMajorTileScheduler(\"r\", 8, 5, 2, 4)\nr.init(bx)\nr.next_tile(3)",
      imports);
  INFO(k);
  CHECK(has(k, "s_m_idx: T.int32"));
  CHECK(has(k, "while s_linear_idx < 80"));
  CHECK(!k.starts_with("!"));
  std::string clc = kernel_of(
      "pool = T.SMEMPool()\ns = ClusterLaunchControlScheduler(pool, 16, 10, 4, 2, 3)\npool.commit()\n"
      "if warp == 0:\n    s.run_scheduler(bx)\nif warp == 1:\n    w = s.worker(\"w\")\n    w.init(bx)\n"
      "    while w.valid():\n        w.consume()\n        w.advance_coords()\n"
      "        w.mark_done_if_drained()\n    w.reset()\n    w.consume_wg(wg, warp, lane)",
      imports);
  INFO(clc);
  CHECK(has(clc, "T.ptx.clc_try_cancel("));
  CHECK(!clc.starts_with("!"));
}

TEST_CASE("roles open a branch", "") {  // until the executor knows __branch__
  std::string k = kernel_of(
      "with WarpRole(warp, 1, regs=40):\n    A[0, 0] = T.float16(1)\n"
      "with WarpgroupRole(wg, (0, 1), regs=240, increase=True):\n    A[0, 1] = T.float16(2)",
      "from tvm.tirx.lang.warp_role import WarpRole, WarpgroupRole\n");
  INFO(k);
  CHECK(has(k, "if warp == 1"));
  CHECK(has(k, "T.ptx.setmaxnreg("));
}

TEST_CASE("descriptors move without a carry") {
  std::string k = kernel_of(
      "d = SmemDescriptor()\nbuf = T.alloc_shared((64,), \"float16\")\n"
      "d.init(buf.ptr_to([0]), 1, 64, 3)\nd.make_lo_uniform()\nv: T.let = d.add_16B_offset(2)",
      "from tvm.tirx.lang.smem_desc import SmemDescriptor\n");
  INFO(k);
  CHECK(has(k, "d_buf = T.alloc_local((1,), \"uint64\")"));
  CHECK(has(k, "T.ptx.tcgen05.encode_matrix_descriptor("));
  CHECK(has(k, "T.tvm_warp_shuffle("));
  CHECK(!k.starts_with("!"));
}
