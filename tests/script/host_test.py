#!/usr/bin/env python3
"""Random host programs whose values are all known, beside Python itself.

A program is a row of snippets over the same few variables; what a snippet raises is noted by its name. Python runs the
program, and Tilewright evaluates the same text: a kernel that it gives without an error stores what Python's does. What
it does not follow must be an error.

  host_test.py TILEWRIGHT [--count N] [--seed S|day|fresh] [--keep FOLDER] [--show] [--refusals]
"""
import argparse
import collections
import concurrent.futures
import contextlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support.host_snippets import HEADER, SNIPPETS, START  # noqa: E402
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402


class Program:
    """Names that end in _N get the number of the program, so that several can stand in one file."""

    def __init__(self, number, rng):
        self.number = number
        self.rng = rng
        self.in_function = rng.random() < 0.5
        self.snippets = rng.sample(SNIPPETS, rng.randrange(3, 8))

    def fill(self, text, depth=0):
        def one(match):
            kind = match.group(1)
            return str(getattr(self, kind)(depth))
        return re.sub(r"<(\w+)>", one, text)

    def pick(self, *choices):
        return self.fill(self.rng.choice(choices), 3)

    # ---- expressions by kind; each is deep once --------------------------------------------------------------------

    def n(self, _):
        return self.rng.randrange(6)

    def i(self, depth):
        if depth > 1 or self.rng.random() < 0.3:
            return self.rng.choice(["x_N", "y_N", str(self.rng.randrange(-5, 12)), str(self.rng.randrange(4))])
        return self.fill(self.rng.choice([
            "(<i> + <i>)", "(<i> - <i>)", "(<i> * <i>)", "(<i> // <i>)", "(<i> % <i>)", "(<i> << 2)", "(<i> >> 1)",
            "(<i> & <i>)", "(<i> | <i>)", "(<i> ^ <i>)", "~<i>", "-<i>", "abs(<i>)", "len(<l>)", "sum(<l>)", "max(<l>)",
            "min(<l>)", "len(<s>)", "<s>.count('a')", "<s>.find('b')", "<l>.count(2)", "<l>.index(<i>)", "<d>.get('a', 3)",
            "(<i> if <b> else <i>)", "int(<b>)", "int(<f>)", "round(<f>)", "<l>[<n>]", "<l>[-1]", "divmod(<i>, 3)[1]",
            "pow(<i>, 2)", "pow(3, <n>, 5)", "(<i>).bit_length()", "ord((<s> + 'z')[0])", "hash(<n>)", "(<b> + <n>)",
            "int('1' + str(<n>))", "int('0x1f', 16)", "<i> ** 2", "(<b> and <i>)", "(<i> or <i>)"]), depth + 1)

    def f(self, depth):
        if depth > 1 or self.rng.random() < 0.3:
            return self.rng.choice(["f_N", "0.5", "2.75", "-1.25", "1e3", "0.1", "float(x_N)"])
        return self.fill(self.rng.choice([
            "(<f> + <f>)", "(<f> * <i>)", "(<i> / <i>)", "(<f> // 0.3)", "(<f> % 0.7)", "abs(<f>)", "round(<f>, 1)",
            "float(<i>)", "(<f> - <i>)", "math.sqrt(abs(<f>))", "float('1.5')", "(<f> ** 2)", "-<f>", "max(<f>, <i>)",
            "math.floor(<f>)", "math.fmod(<f>, 2.5)", "sum([<f>, <f>])"]), depth + 1)

    def s(self, depth):
        if depth > 1 or self.rng.random() < 0.3:
            return self.rng.choice(["s_N", "t_N", "'abc'", "'Hello World'", "''", "' a b '", "'a,b,,c'", "'12'"])
        return self.fill(self.rng.choice([
            "(<s> + <s>)", "<s>.upper()", "<s>.lower()", "<s>.title()", "<s>.strip()", "<s>.replace('a', 'xy')",
            "<s>[1:]", "<s>[::-1]", "<s>[-2:]", "<s> * 2", "str(<i>)", "str(<l>)", "repr(<s>)", "','.join(map(str, <l>))",
            "<s>.zfill(5)", "<s>.center(9, '*')", "<s>.ljust(6) + '|'", "f'{<i>:>4}|{<f>:.2f}|{<s>!r}'",
            "'%d %s %5.1f' % (<i>, <s>, <f>)", "'{} {0}'.replace('0', '') .format(<i>, <s>)", "<s>.swapcase()",
            "<s>.capitalize()", "chr(97 + <n>)", "hex(<i>)", "bin(<i>)", "oct(<i>)", "<s>.removeprefix('a')",
            "<s>.partition('b')[2]", "''.join(sorted(<s>))", "''.join(reversed(<s>))", "format(<i>, '05d')",
            "format(<f>, '.3e')", "str(<f>)", "str(<b>)", "f'{<i>=}'", "f'{<i>:#x}'", "<s>.expandtabs(4)", "<s>.lstrip('aH')",
            "f'{<i>:+,}'", "f'{<f>:10.3g}|'", "f'{<s>:^7}'", "str(<d>)", "repr(<t>)", "<s>.casefold()"]), depth + 1)

    def l(self, depth):
        if depth > 1 or self.rng.random() < 0.4:
            return self.rng.choice(["L_N", "M_N", "[1, 2, 3]", "[]", "[3, 1, 2]", "[0, 0]"])
        return self.fill(self.rng.choice([
            "(<l> + <l>)", "<l>[1:]", "<l>[::-1]", "<l> * 2", "sorted(<l>)", "sorted(<l>, reverse=True)",
            "sorted(<l>, key=lambda v: -v)", "list(reversed(<l>))", "list(range(<n>))", "list(range(<n>, <i>, -1))",
            "[v * 2 for v in <l>]", "[v for v in <l> if v > <i>]", "[a + b for a, b in zip(<l>, <l>)]",
            "list(map(lambda v: v % 3, <l>))", "list(filter(None, <l>))", "list(<d>.values())", "sorted(<S>)",
            "[<i>, <i>]", "list(dict.fromkeys(<l>))", "[i * v for i, v in enumerate(<l>, 1)]", "<l>[::2]", "<l>[-3:-1]",
            "[*<l>, *<l>]", "[ord(c) for c in <s>]", "list(itertools.accumulate(<l>))", "list(<l>)", "<l>.copy()",
            "[y for y in range(<n>) for _ in range(2)]", "list(itertools.chain(<l>, <l>))"]), depth + 1)

    def d(self, depth):
        if depth > 1 or self.rng.random() < 0.5:
            return self.rng.choice(["D_N", "E_N", "{'a': 1, 'b': 2}", "{}"])
        return self.fill(self.rng.choice([
            "{**<d>, 'c': <i>}", "(<d> | <d>)", "{k: v for k, v in <d>.items()}", "dict(<d>, z=<i>)", "<d>.copy()",
            "dict(zip('abc', <l>))", "{c: <i> for c in <s>}", "dict.fromkeys('ab', <i>)", "dict(sorted(<d>.items()))"]),
            depth + 1)

    def S(self, depth):
        if depth > 1 or self.rng.random() < 0.4:
            return self.rng.choice(["S_N", "{1, 2}", "set()", "frozenset([2, 3])"])
        return self.fill(self.rng.choice(["set(<l>)", "(<S> | <S>)", "(<S> & <S>)", "(<S> - <S>)", "(<S> ^ <S>)",
                                          "{v % 4 for v in <l>}"]), depth + 1)

    def t(self, depth):
        return self.fill(self.rng.choice(["(<i>, <i>)", "(<s>, <i>)", "tuple(<l>)", "(<i>,)", "()", "(<l>, <d>)"]), depth + 1)

    def b(self, depth):
        if depth > 1 or self.rng.random() < 0.2:
            return self.rng.choice(["True", "False", "x_N > 2", "not L_N", "bool(D_N)"])
        return self.fill(self.rng.choice([
            "<i> < <i>", "<i> == <i>", "<l> == <l>", "<l> < <l>", "<s> < <s>", "<i> in <l>", "'a' in <d>", "'a' in <s>",
            "not <b>", "(<b> and <b>)", "(<b> or <b>)", "<i> < <i> <= <i>", "<S> <= <S>", "<i> in <S>", "any(<l>)",
            "all(<l>)", "isinstance(<i>, int)", "isinstance(<s>, (int, str))", "<s>.startswith('a')", "<s>.isdigit()",
            "<s>.isalpha()", "<s>.endswith(('c', 'd'))", "<d> == <d>", "<t> == <t>", "<f> < <i>", "<f> == <i>",
            "<l> is <l>", "<s>.isupper()", "<s>.isspace()", "bool(<f>)", "bool(<s>)", "<i> != <f>", "callable(<s>)",
            "<s>.isidentifier()", "<s>.istitle()", "<S> == <S>", "<S>.isdisjoint(<S>)"]), depth + 1)

    def v(self, depth):  # of any kind
        return self.fill(f"<{self.rng.choice('iiifslldSbt')}>", depth)

    def call(self, _):  # a method that changes a list
        return self.pick("append(<i>)", "extend(<l>)", "insert(<n>, <i>)", "pop()", "pop(0)", "remove(<i>)", "reverse()",
                         "sort()", "sort(key=lambda v: v % 3)", "sort(reverse=True)", "clear()")

    def dcall(self, _):
        return self.pick("update(a=<i>)", "pop('a')", "pop('q', 1)", "setdefault('w', <i>)", "popitem()", "clear()",
                         "update(<d>)", "update([('k', <i>)])")

    def scall(self, _):
        return self.pick("add(<i>)", "discard(<i>)", "remove(<i>)", "update(<l>)", "intersection_update(<l>)",
                         "difference_update(<S>)", "symmetric_difference_update(<S>)", "clear()")

    # ---- the whole ----------------------------------------------------------------------------------------------------

    def text(self):
        pad = "    " if self.in_function else ""
        out = [f"def run_N():"] if self.in_function else []
        lines = START.splitlines()
        for snippet in self.snippets:
            body = self.fill(snippet).splitlines()
            if self.in_function:
                body = [line.replace("GLOBAL", "nonlocal") for line in body]
            body = [line.replace("GLOBAL", "global") for line in body]
            lines += ["try:"] + ["    " + line for line in body]
            lines += ["except Exception as e_:", "    LOG_N.append(type(e_).__name__)"]
        lines += ["def observe_N(A):"]
        seen = ["LOG_N", "x_N", "y_N", "f_N", "s_N", "L_N", "M_N", "D_N", "E_N", "sorted(S_N)", "out_N"]
        lines += [f"    A[{k}] = enc({value})" for k, value in enumerate(seen)]
        lines += ["@T.prim_func", "def k_N(A: T.Buffer((64,), \"int32\")):", "    T.device_entry()", "    T.cta_id([1])",
                  "    T.thread_id([32])", "    observe_N(A)"]
        if self.in_function:
            lines += ["return k_N"]
        out += [pad + line for line in lines]
        if self.in_function:
            out += ["made_N = run_N()"]
        return re.sub(r"_N\b", f"_{self.number}", "\n".join(out)) + "\n\n"


class Spent(BaseException):
    """A program runs too long; none of its handlers catches that."""


def python_gives(program, text):
    """What its kernel stores; None: Python makes none."""
    class Tensor:
        def __init__(self):
            self.stores = []

        def __setitem__(self, index, value):
            self.stores.append((index, int(value)))

    dialect = types.ModuleType("tvm.script.tirx")
    dialect.prim_func = lambda f: f
    dialect.Buffer = dialect.device_entry = dialect.cta_id = dialect.thread_id = lambda *_: None
    script = types.ModuleType("tvm.script")
    script.tirx = dialect
    tvm = types.ModuleType("tvm")
    tvm.script = script
    modules = {"tvm": tvm, "tvm.script": script, "tvm.script.tirx": dialect}
    saved = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)

    def spent(*_):
        raise Spent
    signal.signal(signal.SIGALRM, spent)
    signal.alarm(10)
    try:
        names = {"__name__": "tile_script"}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(HEADER + text, "program", "exec"), names)
            kernel = names[f"made_{program.number}" if program.in_function else f"k_{program.number}"]
            a = Tensor()
            kernel(a)
        return a.stores
    except (Exception, Spent):
        return None
    finally:
        signal.alarm(0)
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def tilewright_gives(binary, path):
    """Name of a kernel -> what it stores, of those without an error; and the findings."""
    done = subprocess.run([binary, "compile", path, "--emit", "tirx", "--json"], capture_output=True, text=True,
                          timeout=300)
    answer = json.loads(done.stdout)
    out = {}
    for kernel in answer["kernels"]:
        if kernel["failed"] or not kernel["launch"]:
            continue
        out[kernel["name"]] = [(int(i), int(v)) for i, v in
                               re.findall(r"^\s*A\[(\d+)\] = (\d+)$", kernel["sources"]["tirx"], re.M)]
    return out, answer["diagnostics"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--per-file", type=int, default=20)
    parser.add_argument("--keep")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--refusals", action="store_true", help="print the most frequent reasons")
    options = parser.parse_args()
    warnings.simplefilter("ignore", SyntaxWarning)
    folder = options.keep or tempfile.mkdtemp(prefix="tilewright-host-")
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "tilewright.toml"), "w").close()
    programs = []
    for number in range(options.count):
        rng = random.Random(options.seed * 1_000_003 + number)
        while True:  # until it can be read: texts in f-strings may hold any quotation mark
            program = Program(number, rng)
            text = program.text()
            try:
                compile(text, "program", "exec")
                break
            except SyntaxError:
                pass
        programs.append((program, text))
    files = []
    within = [p for p in programs if p[0].in_function]
    groups = [within[i:i + options.per_file] for i in range(0, len(within), options.per_file)]
    groups += [[p] for p in programs if not p[0].in_function]  # whose names are the module's
    for number, group in enumerate(groups):
        path = os.path.join(folder, f"programs_{number}.py")
        with open(path, "w") as out:
            out.write(HEADER + "".join(text for _, text in group))
        files.append((path, group))
    wrong = known = refused = needless = 0
    reasons = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda f: tilewright_gives(options.binary, f[0]), files)
        for (path, group), (given, diagnostics) in zip(files, results):
            reasons.update(re.sub(r"_\d+|\d+", "", d["message"])[:110] for d in diagnostics if d["severity"] == "error")
            for program, text in group:
                run = python_gives(program, text)
                got = given.get(f"k_{program.number}")
                if got is None:
                    refused += 1
                    needless += run is not None
                    continue
                known += 1
                if run is not None and run != got:
                    wrong += 1
                    print(f"{path}: k_{program.number} differs from Python at {[a[0] for a, b in zip(run, got) if a != b]}")
                    if options.show:
                        print(text)
    if options.refusals:
        for reason, times in reasons.most_common(40):
            print(f"{times:5} {reason}")
    print(f"seed {options.seed}: {len(programs)} programs, {known} kernels given, {refused} not ({needless} that Python "
          f"makes), {wrong} wrong")
    return 1 if wrong or known < len(programs) // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
