// Scripts that mean harm: none may crash, hang or take much memory. Each runs on a thread with a small stack, as a
// server's workers have, within the limits that files have by default unless it says otherwise.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/session/compile.h"

using namespace tilewright;

namespace {

constexpr std::size_t kStack = 1 << 20;
constexpr double kSeconds = 15.0;        // of processor time, where 2 are usual: only work without a bound gets here
constexpr std::size_t kMegabytes = 400;  // what stands below a limit is still looked at, with some more of it

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

const std::string kKernel =
    "from tvm.script import tirx as T\n"
    "@T.prim_func\n"
    "def k(A: T.Buffer((64,), 'int32'), n: T.int32):\n"
    "    T.device_entry()\n";

struct Attack {
  const char* name;
  std::string script;
  // A code that must be among the diagnostics; empty: any outcome will do.
  const char* code = "";
};

std::vector<Attack> attacks() {
  std::string T = "from tvm.script import tirx as T\n";
  std::vector<Attack> all;
  auto add = [&](const char* name, std::string script, const char* code = "") {
    all.push_back({name, std::move(script), code});
  };
  add("endless while", "while True:\n    pass\n", "TW2009");
  add("endless for", "for i in range(10**18):\n    pass\n", "TW2009");
  add("endless comprehension", "x = [i for i in range(10**12)]\n", "TW2009");
  add("endless recursion", "def f(n):\n    return f(n + 1)\nf(0)\n", "TW2009");
  add("huge power", "x = 9**9**9\n", "TW2009");
  add("huge shift", "x = 1 << 10**12\n", "TW2009");
  add("billion elements", "x = list(range(10**9))\n");
  add("sum of a billion", "x = sum(range(10**9))\n");
  add("nested loops", "for a in range(10**6):\n    for b in range(10**6):\n        c = a * b\n", "TW2009");
  add("growing list", "x = []\nwhile True:\n    x.append(x)\n", "TW2009");
  add("growing list of lists", "x = []\nwhile True:\n    x = [x, x]\n", "TW2009");
  add("growing string", "x = 'a'\nwhile True:\n    x = x + x\n", "TW2009");
  add("growing string with format", "x = 'a'\nwhile True:\n    x = f'{x}{x}'\n", "TW2009");
  add("growing tuple", "x = (1,)\nwhile True:\n    x = x + x\n", "TW2009");
  add("growing list in place", "x = [1]\nwhile True:\n    x += x\n", "TW2009");
  add("growing with extend", "x = [1]\nwhile True:\n    x.extend(x)\n", "TW2009");
  add("growing dict", "d = {}\ni = 0\nwhile True:\n    d[i] = i\n    i += 1\n", "TW2009");
  add("growing set", "d = set()\ni = 0\nwhile True:\n    d.add(i)\n    i += 1\n", "TW2009");
  add("growing attributes", "class C: pass\nc = C()\ni = 0\nwhile True:\n    setattr(c, f'a{i}', i)\n    i += 1\n",
      "TW2009");
  add("growing globals", repeat("x", 1) + " = 1\n" + repeat("y = x + x\n", 10000));
  add("huge product of a list", "x = [1] * 10**12\n");
  // A search that falls back for each byte is quadratic; reading a long text again and again has no other end than its
  // steps.
  for (const char* search : {"u in t", "t.find(u)", "t.rfind(u)", "t.count(u)", "t.replace(u, 'x')", "t.split(u)",
                             "t.rsplit(u)", "t.partition(u)", "t.rpartition(u)", "t.strip(u)", "t.rsplit('a')"}) {
    add(search, "t = 'a' * 10000000\nu = 'a' * 1000000 + 'b'\nx = " + std::string(search) + "\n");
  }
  for (const char* reading : {"'b' in t", "t == u", "t < u", "t in d", "t.count('b')", "t.isupper()"}) {
    add(reading, "t = 'a' * 10000000\nu = t + ''\nd = {'x'}\nwhile True:\n    " + std::string(reading) + "\n",
        "TW2009");
  }
  add("huge product of a product", "x = [[1] * 10000] * 10000\ny = [list(z) for z in x]\n");
  add("huge string product", "x = 'abc' * 10**12\ny = ('ab' * 10000000) * 100\n");
  add("a pattern of many choices", "import re\nre.compile('|' * 200000)\n");
  add("a pattern of many repeats", "import re\nre.compile('a{2000}' * 40000)\nre.compile('a{2000}|' * 40000)\n");
  add("many huge strings", "x = []\nwhile True:\n    x.append('a' * 10000000)\n", "TW2009");
  add("huge shift", "x = 1 << 10**9\ny = 1 << 127\nz = -1 << 126\nw = 3 ** 10**9\nv = 10 ** 38 * 10 ** 38\n");
  add("huge literal", "x = " + repeat("9", 100000) + "\n");
  add("huge sums", "x = 2 ** 126\nwhile True:\n    x = x + x\n");
  add("negated minimum", "x = -(2 ** 126) - 2 ** 126\ny = -x\nz = x // -1\nw = x % -1\nv = abs(x)\nu = x - 1\n");
  add("huge format",
      "x = f'{1:1000000000}'\ny = '{:>999999999}'.format(3)\nz = '%999999999d' % 3\nw = 'a'.ljust(10**12)\nv = "
      "'a'.zfill(10**12)\n");
  add("string replacement", "x = 'a' * 100000\ny = x.replace('a', x)\nz = x.join([x] * 100000)\n");
  add("split of a long string", "x = 'a ' * 1000000\nfor i in range(1000):\n    y = x.split()\n");
  add("quadratic membership", "x = list(range(100000))\nfor i in range(100000):\n    y = -1 in x\n");
  add("quadratic comparison",
      "x = list(range(100000))\ny = list(range(100000))\nfor i in range(100000):\n    z = x == y\n");
  add("quadratic index", "x = 'a' * 1000000\nfor i in range(1000000):\n    y = x[3]\n");
  add("quadratic slices", "x = list(range(100000))\nfor i in range(100000):\n    y = x[1:]\n");
  add("quadratic unpacking", "x = list(range(100000))\nfor i in range(100000):\n    a, *b = x\n");
  add("quadratic sorting", "x = list(range(100000))\nfor i in range(100000):\n    y = sorted(x)\n");
  add("colliding keys",
      "x = [[i] for i in range(30000)]\nd = {}\nfor y in x:\n    d[tuple(y)] = 1\n    d[frozenset(y)] = 1\n");
  add("colliding dataclasses",
      "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    x: int\nd = {}\nfor i in "
      "range(30000):\n    d[C(i)] = i\n");
  add("cartesian product",
      "import itertools\nx = itertools.product(range(1000), repeat=5)\ny = list(itertools.permutations(range(15)))\n");
  add("itertools without end",
      "import itertools\nfor i in itertools.count():\n    pass\nx = list(itertools.repeat(1))\ny = "
      "list(itertools.cycle([1]))\n");
  add("combinations", "import itertools\nx = list(itertools.combinations(range(60), 30))\n");
  add("factorial",
      "import math\nx = math.factorial(10**9)\ny = math.comb(10**9, 5 * 10**8)\nz = math.prod(range(1, 10**9))\n");
  add("deep recursion", "def f(n):\n    return f(n + 1)\nf(0)\n");
  add("deep recursion by lambda", "f = lambda n: f(n + 1)\nf(0)\n");
  add("deep recursion of methods", "class C:\n    def f(self):\n        return self.f()\nC().f()\n");
  add("mutual recursion", "def f(n):\n    return [g(n) for i in range(2)]\ndef g(n):\n    return {1: f(n)}\nf(0)\n");
  add("recursion that is caught",
      "def f(n):\n    try:\n        f(n + 1)\n    except RecursionError:\n        f(n + 1)\n    except:\n        "
      "f(n)\nf(0)\n");
  add("recursive getattr", "class C:\n    def __getattr__(self, name):\n        return self.x\nC().y\n");
  add("recursive property", "class C:\n    @property\n    def x(self):\n        return self.x\nC().x\n");
  add("recursive eq", "class C:\n    def __eq__(self, other):\n        return self == other\nx = C() == C()\n");
  add("recursive repr",
      "class C:\n    def __repr__(self):\n        return repr(self)\nx = repr(C())\ny = str(C())\nz = f'{C()}'\n");
  add("recursive call", "class C:\n    def __call__(self):\n        return self()\nC()()\n");
  add("recursive iter", "class C:\n    def __iter__(self):\n        return iter(self)\nfor x in C():\n    pass\n");
  add("iter that yields itself",
      "class C:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nfor x in "
      "C():\n    pass\nx = list(C())\n");
  add("recursive bool and len",
      "class C:\n    def __bool__(self):\n        return bool(self)\n    def __len__(self):\n        return "
      "len(self)\nx = not C()\ny = len(C())\n");
  add("recursive operators",
      "class C:\n    def __add__(self, o):\n        return self + o\n    def __lt__(self, o):\n        return self < "
      "o\n    def __getitem__(self, i):\n        return self[i]\n    def __contains__(self, i):\n        return i in "
      "self\nC() + 1\nC() < 1\nC()[1]\n1 in C()\n");
  add("recursive enter",
      "class C:\n    def __enter__(self):\n        with self:\n            pass\nwith C():\n    pass\n");
  add("recursive init", "class C:\n    def __init__(self):\n        C()\nC()\n");
  add("recursive decorator", "def d(f):\n    @d\n    def g():\n        pass\n    return g\n@d\ndef h():\n    pass\n");
  add("recursive sort key", "def f(x):\n    return sorted([x, x], key=f)\nf(1)\n");
  add("recursive reduce", "import functools\ndef f(a, b):\n    return functools.reduce(f, [1, 2])\nf(1, 2)\n");
  add("cyclic list", "x = []\nx.append(x)\ny = str(x)\nz = x == x\nw = [x]\nv = w == x\nfor i in x:\n    pass\n");
  add("cyclic lists compared",
      "x = []\ny = []\nx.append(y)\ny.append(x)\na = x == y\nb = x < y\nd = {1: x}\ne = {1: y}\nf = d == e\n");
  add("cyclic dict", "d = {}\nd['d'] = d\nx = str(d)\ny = repr(d)\nz = d == {'d': d}\n");
  add("cyclic instance",
      "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: object = None\nc = C()\nc.x = c\ny = str(c)\nz "
      "= c == C(c)\nw = {c.x is c: 1}\n");
  add("cyclic copy", "import copy\nx = []\nx.append(x)\ny = copy.deepcopy(x)\n");
  add("cyclic class", "class C: pass\nC.C = C\nC.__bases__ = (C,)\nclass D(C): pass\nclass D(D): pass\n");
  add("cyclic key", "t = ([],)\nt[0].append(t)\nd = {}\nd[t] = 1\nx = hash(t)\n");
  add("wide sharing printed", "x = ['a']\nfor i in range(60):\n    x = [x, x]\ny = str(x)\n");
  add("wide sharing compared", "x = [1]\ny = [1]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nz = x == y\n");
  add("wide sharing hashed", "x = (1,)\nfor i in range(60):\n    x = (x, x)\nd = {x: 1}\n");
  add("wide sharing copied", "import copy\nx = [1]\nfor i in range(60):\n    x = [x, x]\ny = copy.deepcopy(x)\n");
  add("wide sharing flattened", "x = [1]\nfor i in range(60):\n    x = x + x\n");
  add("deep list printed", "x = []\nfor i in range(100000):\n    x = [x]\ny = str(x)\nz = x == [x]\n");
  add("deep tuple hashed", "x = ()\nfor i in range(100000):\n    x = (x,)\nd = {x: 1}\ne = x in d\n");
  add("deep list copied", "import copy\nx = []\nfor i in range(100000):\n    x = [x]\ny = copy.deepcopy(x)\n");
  add("deep class chain", "class C: pass\n" + repeat("class C(C): pass\n", 3000) + "C().x\n");
  add("diamonds", "class A: pass\nclass B: pass\n" + repeat("class A(A, B): pass\nclass B(B): pass\n", 300));
  add("nested parentheses", "x = " + repeat("(", 100000) + "1" + repeat(")", 100000) + "\n");
  add("nested lists", "x = " + repeat("[", 100000) + repeat("]", 100000) + "\n");
  add("long sum", "x = 1" + repeat(" + 1", 100000) + "\n");
  add("long attribute chain", "x = a" + repeat(".b", 100000) + "\n");
  add("long call chain", "f = lambda: f\nx = f" + repeat("()", 100000) + "\n");
  add("long comparison", "x = 1" + repeat(" < 2", 100000) + "\n");
  add("many negations", "x = " + repeat("not ", 100000) + "1\ny = " + repeat("-", 100000) + "1\n");
  add("nested ifs", [] {
    std::string s;
    for (int i = 0; i < 90; ++i) s += repeat(" ", static_cast<std::size_t>(i)) + "if True:\n";
    return s + repeat(" ", 90) + "pass\n";
  }());
  add("many elifs", "if 0:\n    pass\n" + repeat("elif 0:\n    pass\n", 30000));
  add("nested functions", [] {
    std::string s;
    for (int i = 0; i < 90; ++i) s += repeat(" ", static_cast<std::size_t>(i)) + "def f():\n";
    return s + repeat(" ", 90) + "pass\nf()\n";
  }());
  add("many arguments", "def f(*a, **k):\n    return len(a)\nf(" + repeat("1, ", 100000) + ")\nf(*range(10**9))\n");
  add("import of itself", "import fuzz\nfrom . import *\nfrom .hostile import x\nimport hostile\n");
  add("exec and open",
      "exec('x' * 10)\neval('1')\nopen('/etc/passwd').read()\n__import__('os').system('true')\nimport "
      "os\nos.system('true')\n");
  add("entries without number",
      T + "def f(n):\n    @T.prim_func\n    def k(A: T.Buffer((n,), 'int32')):\n        T.device_entry()\n        A[0] "
          "= n\n    return k\nks = [f(i + 1) for i in range(100000)]\n");
  add("parametrize products",
      "import pytest\n" + T + repeat("@pytest.mark.parametrize('a', list(range(1000)))\n", 1) +
          "@pytest.mark.parametrize('b', list(range(1000)))\n@pytest.mark.parametrize('c', list(range(1000)))\n"
          "def test(a, b, c):\n    @T.prim_func\n    def k(A: T.Buffer((64,), 'int32')):\n        T.device_entry()\n   "
          "     A[0] = a\n");
  // In kernels.
  add("statements without end",
      T + "def emit(A):\n    while True:\n        A[0] = 1\n" + kKernel.substr(T.size()) + "    emit(A)\n", "TW2009");
  add("statements without end by T",
      T + "def emit():\n    while True:\n        T.evaluate(0)\n" + kKernel.substr(T.size()) + "    emit()\n",
      "TW2009");
  add("buffers without end",
      T + "def emit():\n    while True:\n        T.alloc_local((4,), 'int32')\n" + kKernel.substr(T.size()) +
          "    emit()\n",
      "TW2009");
  add("inline recursion", T + "@T.inline\ndef f(A):\n    f(A)\n" + kKernel.substr(T.size()) + "    f(A)\n", "TW2009");
  add("inline recursion that branches",
      T + "@T.inline\ndef f(A):\n    f(A)\n    f(A)\n    f(A)\n" + kKernel.substr(T.size()) + "    f(A)\n", "TW2009");
  add("inline recursion under run-time branches",
      T + "@T.inline\ndef f(A, n):\n    if n > 1:\n        f(A, n)\n    else:\n        f(A, n)\n" +
          kKernel.substr(T.size()) + "    f(A, n)\n",
      "TW2009");
  add("inline doubling",
      T +
          "@T.inline\ndef f(A, d):\n    if d > 0:\n        f(A, d - 1)\n        f(A, d - 1)\n    else:\n        A[0] = "
          "1\n" +
          kKernel.substr(T.size()) + "    f(A, 40)\n",
      "TW2009");
  add(
      "doubled expression",
      kKernel + "    x = T.meta_var(n)\n" +
          [] {
            std::string s;
            for (int i = 0; i < 60; ++i)
              s += "    x" + std::to_string(i) + " = T.meta_var(" + (i ? "x" + std::to_string(i - 1) : "x") + " + " +
                   (i ? "x" + std::to_string(i - 1) : "x") + ")\n";
            return s + "    A[0] = x59\n";
          }(),
      "TW2009");
  add("doubled expression in a helper",
      T + "def f(x, y):\n    for i in range(60):\n        x = x * y + x\n    return x\n" + kKernel.substr(T.size()) +
          "    A[f(n, A[0]) % 64] = 1\n",
      "TW2009");
  add("doubled expression in Select",
      T + "def f(x):\n    for i in range(60):\n        x = T.Select(x > 3, x, x + 1)\n    return x\n" +
          kKernel.substr(T.size()) + "    A[0] = f(n)\n",
      "TW2009");
  add("doubled expression in calls",
      T + "def f(x):\n    for i in range(60):\n        x = T.max(T.exp(x), T.pow(x, x))\n    return x\n" +
          kKernel.substr(T.size()) + "    A[0] = T.cast(f(T.cast(n, 'float32')), 'int32')\n",
      "TW2009");
  add("doubled index",
      T + "def f(A, x):\n    for i in range(60):\n        x = A[x] + A[x + 1]\n    return x\n" +
          kKernel.substr(T.size()) + "    A[0] = f(A, n)\n",
      "TW2009");
  add(
      "doubled lets", kKernel + "    x0: T.let = n\n" + [] {
        std::string s;
        for (int i = 1; i < 60; ++i)
          s += "    x" + std::to_string(i) + ": T.let = x" + std::to_string(i - 1) + " * x" + std::to_string(i - 1) +
               " + x" + std::to_string(i - 1) + "\n";
        return s + "    A[x59 % 64] = 1\n";
      }());
  add("long expression",
      T + "def f(x):\n    for i in range(100000):\n        x = x * 3 + i\n    return x\n" + kKernel.substr(T.size()) +
          "    A[0] = f(n)\n",
      "TW2009");
  add("long expression of two variables",
      T + "def f(x, y):\n    for i in range(100000):\n        x = (x ^ y) + y\n    return x\n" +
          kKernel.substr(T.size()) + "    A[0] = f(n, A[0])\n",
      "TW2009");
  add("deep comparison of expressions", T +
                                            "def f(x):\n    for i in range(3000):\n        x = x * 3 // 2\n    return "
                                            "x\ndef g(n):\n    return f(n) is f(n), [f(n)] == [f(n)], {f(n): 1}\n" +
                                            kKernel.substr(T.size()) + "    z = T.meta_var(g(n))\n");
  add(
      "nested branches in a kernel", kKernel + [] {
        std::string s;
        for (int i = 0; i < 90; ++i)
          s += repeat(" ", static_cast<std::size_t>(i) + 4) + "if n > " + std::to_string(i) + ":\n";
        return s + repeat(" ", 94) + "A[0] = 1\n";
      }());
  add("many elifs in a kernel",
      kKernel + "    if n == 0:\n        A[0] = 1\n" + repeat("    elif n == 1:\n        A[0] = 2\n", 20000));
  add("loops nested by inlines", T +
                                     "@T.inline\ndef f(A, d):\n    for i in range(4):\n        if d > 0:\n            "
                                     "f(A, d - 1)\n        else:\n            A[i] = 1\n" +
                                     kKernel.substr(T.size()) + "    f(A, 200)\n");
  add("loops of a grid without end", kKernel + "    for i in T.grid(*([2] * 100000)):\n        A[0] = n\n", "TW2009");
  add("many loops of a grid", kKernel + "    for i in T.grid(*([2] * 400)):\n        A[0] = n\n");
  add("huge unroll", kKernel + "    for i in T.unroll(1000000000):\n        A[i % 64] = i\n");
  add("nested unrolls", kKernel +
                            "    for a in T.unroll(1000):\n        for b in T.unroll(1000):\n            for c in "
                            "T.unroll(1000):\n                A[(a + b + c) % 64] = a\n");
  add("huge extents",
      T + "@T.prim_func\ndef k(A: T.Buffer((2**31 - 1, 2**31 - 1, 2**31 - 1), 'int32')):\n    T.device_entry()\n    B "
          "= T.alloc_local((2**31 - 1, 2**31 - 1), 'float32')\n    C = T.alloc_shared((2**62,), 'float64')\n    A[0, "
          "0, 0] = 1\n    D = A.view(-1)\n    E = B.view('uint8')\n");
  add("many dimensions",
      T + "@T.prim_func\ndef k(A: T.Buffer((1,) * 100000, 'int32')):\n    T.device_entry()\n    B = T.alloc_local((2,) "
          "* 1000, 'int32')\n    C = B.permute(*range(1000))\n    D = B.view(2**10, -1)\n");
  add("huge layouts",
      T + kKernel.substr(T.size()) +
          "    L = T.meta_var(T.TileLayout(T.S[(2,) * 10000]))\n    B = T.alloc_local((2,) * 62, 'int32', "
          "layout=T.TileLayout(T.S[(2,) * 62]))\n    M = T.meta_var(L.tile(L, (2,) * 10000, (2,) * 10000))\n    N = "
          "T.meta_var(L.canonicalize())\n    O = T.meta_var(T.TileLayout(T.S[(2**40, 2**40) : (2**40, 1)]))\n    P = "
          "T.meta_var(O.size() + O.span())\n");
  add("doubling layouts",
      "from tvm.tirx.layout import S, TileLayout\nL = TileLayout(S[2])\nwhile True:\n    L = L.tile(L, (2,), (2,))\n");
  add("huge vectors", kKernel + "    x = T.broadcast(n, 10**9)\n    y = T.ramp(n, 1, 2**40)\n    A[0:10**12:2] = 1\n");
  add("tile calls without end",
      T + "from tvm.script.tirx import tile as Tx\ndef emit(A):\n    while True:\n        Tx.copy(A, A)\n" +
          kKernel.substr(T.size()) + "    emit(A)\n",
      "TW2009");
  add("names without end", kKernel + repeat("    if n > 1:\n        x = 1\n", 20000));
  add("many errors", kKernel + repeat("    A[0] = nothing\n", 50000));
  add(
      "many kernels", T + [] {
        std::string s;
        for (int i = 0; i < 3000; ++i)
          s += "@T.prim_func\ndef k" + std::to_string(i) +
               "(A: T.Buffer((64,), 'int32')):\n    T.device_entry()\n    A[0] = 1\n";
        return s;
      }());
  add("long names", kKernel + "    " + repeat("x", 1000000) + " = 1\n");
  add("zero bytes", std::string("x = '\0\0'\n\0\0\0", 13) + kKernel + "    A[0] = 1\n");
  std::string classes = "class A0: pass\n";
  for (int i = 1; i < 5000; ++i) classes += "class A" + std::to_string(i) + "(A" + std::to_string(i - 1) + "): pass\n";
  add("a long line of ancestors", classes + "x = A4999().y\n");
  add("meta classes without end",
      T + "@T.meta_class\nclass C:\n    def __init__(self):\n        self.c = C()\n" + kKernel.substr(T.size()) +
          "    c = C()\n",
      "TW2009");
  add("cyclic meta class", T +
                               "@T.meta_class\nclass C:\n    def __init__(self):\n        self.me = [self]\n        "
                               "self.x = T.local_scalar('int32')\n" +
                               kKernel.substr(T.size()) +
                               "    c = C()\n    c.x = 3\n    d = [c, c]\n    d.append(d)\n    e = d\n");
  return all;
}

std::size_t resident_megabytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  auto entry = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  pthread_create(&thread, &attributes, entry, const_cast<std::function<void()>*>(&work));
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

session::Compiled compile(const std::string& script, std::stop_token stop = {}, const text::Limits& limits = {}) {
  text::Context context;
  context.limits = limits;
  context.stop = stop;
  session::CompileOptions options;
  options.target = *ir::parse_target("sm_90a");
  auto tree = syntax::Tree::parse(std::make_shared<text::Source>("hostile.py", script));
  return session::compile(tree, nullptr, context, options);
}

// A caller that stops waiting is served before the limit ends the work.
bool cancellation() {
  bool ok = true;
  on_small_stack([&] {
    std::stop_source source;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      source.request_stop();
    });
    text::Limits limits;
    limits.steps *= 100;
    for (const text::Diagnostic& d : compile("while True:\n    pass\n", source.get_token(), limits).diagnostics)
      ok = ok && d.code != "TW2009";
  });
  std::printf("%-45s %s\n", "cancellation", ok ? "ok" : "TOO LATE");
  return ok;
}

}  // namespace

// test_hostile [NAME | --every N]: the attack of that name, or each Nth of all.
int main(int argc, char** argv) {
  std::string only = argc == 2 ? argv[1] : "";
  const int every = argc == 3 && argv[1] == std::string("--every") ? std::max(1, std::atoi(argv[2])) : 1;
  int bad = 0, count = 0, place = 0;
  for (const Attack& a : attacks()) {
    if (!only.empty() && only != a.name) continue;
    if (place++ % every != 0) continue;
    ++count;
    // A process of its own, so that what one leaves behind is not counted against the next and a crash has a name.
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      // What runs away is stopped here, and counted as dead.
      rlimit memory{1ul << 30, 1ul << 30}, seconds_limit{30, 30};
      setrlimit(RLIMIT_AS, &memory);
      setrlimit(RLIMIT_CPU, &seconds_limit);
      std::size_t before = resident_megabytes();
      double start = cpu_seconds();
      std::string verdict;
      on_small_stack([&] {
        session::Compiled compiled = compile(a.script);
        bool found = a.code[0] == 0;
        for (const text::Diagnostic& d : compiled.diagnostics) found = found || d.code == a.code;
        if (!found) verdict = std::string(" NOT REFUSED with ") + a.code;
      });
      double seconds = cpu_seconds() - start;
      rusage use;
      getrusage(RUSAGE_SELF, &use);
      std::size_t peak = static_cast<std::size_t>(use.ru_maxrss) / 1024;
      peak = peak > before ? peak - before : 0;
      if (seconds > kSeconds) verdict += " TOO SLOW";
      if (peak > kMegabytes) verdict += " TOO MUCH MEMORY";
      if (!verdict.empty() || seconds > 0.7 || !only.empty()) {
        std::printf("%-45s %.2f s, %zu MB%s\n", a.name, seconds, peak, verdict.c_str());
        std::fflush(stdout);
      }
      _exit(verdict.empty() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("%-45s DIED of signal %d\n", a.name, WTERMSIG(status));
    if (status != 0) ++bad;
  }
  if (only.empty() && !cancellation()) ++bad;
  std::printf("%d attacks, %d bad\n", count, bad);
  return bad ? 1 : 0;
}
