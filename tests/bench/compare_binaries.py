#!/usr/bin/env python3
"""Two builds beside each other: every benchmark of this folder that takes a binary, old and new in turn.

    compare_binaries.py OLD NEW [--seconds 4] [--runs 7] [--limit 5] [--only WORD] [--cuda FOLDER] [--loaded] [--keep]

OLD and NEW are build folders, or binaries in them. Three kinds of figures:

- whole commands (start-up, check, compile, explain of examples and of large scripts): wall time, processor time and the peak
  of resident memory, of pairs of runs that follow each other directly; as many pairs as fit into --seconds, 7 at least;
- the language server, each binary under the same client, NEW's lsp_bench;
- the in-process benchmarks (pipeline, tensor copy plans, cache, toolchain), each from its own build folder.

A figure's ratio is the median of the ratios of its pairs, so that what else the machine does at the moment meets both. Printed is a
line for each: old, new, new/old, and `<<` where that is more than --limit per cent above one. Exit status 1 then, else 0.
Figures marked with a dot are shown and not judged: the largest of many times, and processor time or memory of a command that one of the two
spreads over several cores. The machine should be quiet: run it with one binary given twice to see what it can tell apart.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LEAST_PAIRS = 7


class Build:
    def __init__(self, path):
        path = os.path.abspath(path)
        self.folder = path if os.path.isdir(path) else os.path.dirname(path)
        self.binary = os.path.join(path, "tilewright") if os.path.isdir(path) else path
        if not os.access(self.binary, os.X_OK):
            sys.exit(f"compare_binaries.py: no binary {self.binary}")
        usage = subprocess.run([self.binary, "check", "--help"], capture_output=True, text=True, check=False).stdout
        self.one_core = ["--jobs", "1"] if "--jobs" in usage else []
        self.bench = os.path.join(self.folder, "tests", "bench")


TIME = shutil.which("time")  # GNU's


def peak_memory(command, cwd, environment):
    """Kilobytes. A process that Python starts counts Python's own memory as its peak; one that a small program starts does not."""
    if not TIME:
        return 0.0
    with tempfile.NamedTemporaryFile("r", dir=cwd) as file:
        subprocess.run([TIME, "-q", "-f", "%M", "-o", file.name, *command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return float(file.read().split()[-1])


def measured(command, cwd, environment):
    """Wall and processor milliseconds of one process with its children; its exit status."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    return (wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3), process.returncode


class Table:
    def __init__(self, limit):
        self.limit, self.worse = 1 + limit / 100, []

    def heading(self, text):
        print(f"\n{text}", flush=True)

    def row(self, name, unit, olds, news, judged=True, larger_is_better=False):
        """One figure, from as many values of each as there were pairs."""
        ratio = statistics.median(n / o if o else 1.0 for o, n in zip(olds, news))
        bad = judged and (1 / ratio if larger_is_better else ratio) > self.limit
        if bad:
            self.worse.append(name)
        old, new = statistics.median(olds), statistics.median(news)
        print(f"  {name:<66} {old:>12,.3f} {new:>12,.3f} {unit:<7} {ratio:6.3f}{'' if judged else ' ·'}{'  <<' if bad else ''}",
              flush=True)


def pairs(old, new, run, seconds, least):
    """Values of `run` for both, taking turns; who begins changes, too."""
    values, began, count = ([], []), time.monotonic(), 0
    while count < least or time.monotonic() - began < seconds:
        for which in ((0, 1), (1, 0))[count % 2]:
            values[which].append(run((old, new)[which]))
        count += 1
    return values


def commands(old, new, folder, arguments, table):
    if not TIME:
        print("there is no GNU time (apt-get install time): memory of whole commands is left out")
    table.heading("whole commands" + " " * 58 + "old          new          new/old")
    examples = sorted(os.path.join(ROOT, "examples", n) for n in os.listdir(os.path.join(ROOT, "examples")) if n.endswith(".py"))
    generate = [sys.executable, os.path.join(HERE, "large_script.py")]
    many = os.path.join(folder, "many")
    os.mkdir(many)
    for n in range(12):
        with open(os.path.join(many, f"large_{n:02}.py"), "w", encoding="utf-8") as file:
            subprocess.run([*generate, "--lines", "2000", "--kernels", "40", "--seed", str(n + 1)], stdout=file, check=True)
    large = os.path.join(folder, "large.py")
    with open(large, "w", encoding="utf-8") as file:
        subprocess.run(generate, stdout=file, check=True)
    example = os.path.join(ROOT, "examples", "gmem_smem_dtypes.py")
    one = os.path.join(many, "large_00.py")
    # Name, arguments, and whether it may be spread over cores: then it is compared on one core and on all of them.
    plans = [
        ("start: --version", ["--version"], False),
        ("start: --help", ["--help"], False),
        ("entries of an example", ["entries", example], False),
        ("explain an example", ["explain", example], False),
        ("layout", ["layout", "TileLayout(S[(8, 4) : (4, 1)])"], False),
        ("compile an example: report", ["compile", example], False),
        ("compile an example: --json, all texts", ["compile", example, "--json", "--emit", "report,tirx,lowered,cuda,plan,host"], False),
        ("check an example", ["check", example], False),
        ("check all examples", ["check", *examples], True),
        ("check all examples, SARIF", ["check", "--format", "sarif", *examples], True),
        ("check a script of 20,000 lines", ["check", large], False),
        ("check 12 scripts of 2,000 lines", ["check", many], True),
        ("explain a script of 2,000 lines", ["explain", one], False),
        ("entries of a script of 2,000 lines", ["entries", one], False),
        ("compile a script of 2,000 lines: CUDA", ["compile", one, "--emit", "cuda"], False),
        ("compile a script of 2,000 lines: --json", ["compile", one, "--json"], False),
        ("run an example on the simulator", ["run", os.path.join(ROOT, "examples", "vector_add.py"), "--on", "sim"], False),
    ]
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    for name, command, spread in plans:
        if arguments.only not in name:
            continue
        for cores in ("one core", "all cores") if spread else ("",):
            statuses = set()

            def once(build):
                options = build.one_core if cores == "one core" else []
                values, status = measured([build.binary, *command, *options], folder, environment)
                statuses.add(status)
                return values

            once(old), once(new)  # caches of the file system
            statuses.clear()
            olds, news = pairs(old, new, once, arguments.seconds, LEAST_PAIRS)
            title = name + (f", {cores}" if cores else "")
            if len(statuses) != 1:
                sys.exit(f"compare_binaries.py: {title}: exit statuses {sorted(statuses)}")
            judged = cores != "all cores" or old.one_core == new.one_core
            for index, what in enumerate(("wall", "processor")):
                shown = arguments.loaded if index == 0 else not judged
                table.row(f"{title}: {what}", "ms", [v[index] for v in olds], [v[index] for v in news], not shown)

            def peak(build):
                options = build.one_core if cores == "one core" else []
                return peak_memory([build.binary, *command, *options], folder, environment)

            if TIME:
                table.row(f"{title}: memory", "KB", *pairs(old, new, peak, 0, 5), judged)


FIGURE = re.compile(r"(?<![\w.])([-+]?\d[\d,]*\.?\d*) ?(ms|us|µs|KB|MB|lines/s|%)(?!\w)")
WORDED = re.compile(r"(median|p50|p99|99%|max|first|at start|around edit 1,000|at the end) +$")


def figures(output):
    """{(line and what of it, unit): value} of a benchmark's output: every number with a unit, named by the words before it."""
    found = {}
    for line in output.splitlines():
        label = None
        for place in FIGURE.finditer(line):
            value, unit = float(place[1].replace(",", "")), place[2]
            before = line[:place.start()]
            if re.search(r"\bof +$", before):
                continue  # the size of what is measured, which stays in the label
            if label is None:
                label = re.sub(r"\s+", " ", before).strip(" :;(,")
                label = re.sub(r" \d+ (edits|asked)\b.*", "", label) or line.strip()
                name = label
            else:
                name = label + " | " + re.sub(r"\s+", " ", re.split(r"ms|us|µs|KB|;|\)", before)[-1]).strip(" :;(,=")
            word = WORDED.search(before)
            if word and not name.endswith(word[1]):
                name += " " + word[1]
            while (name, unit) in found:
                name += "'"
            if unit != "%":
                found[(name, unit)] = value
    return found


def program(title, old, new, command, arguments, table, runs=None):
    """A benchmark that prints its figures. `command(build)` is how to start it; none: that build lacks it."""
    if arguments.only not in title:
        return
    if not command(old) or not command(new):
        table.heading(f"{title}: not in both builds, left out")
        return
    table.heading(title)

    def once(build):
        done = subprocess.run(command(build), capture_output=True, text=True, check=False)
        # (Some exit with 1 when a promise in milliseconds is broken; what counts here is the other build.)
        if done.returncode not in (0, 1):
            sys.exit(f"compare_binaries.py: {title}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return figures(done.stdout)

    olds, news = pairs(old, new, once, 0, runs or arguments.runs)
    for key in olds[0]:
        if all(key in values for values in (*olds, *news)):
            name, unit = key
            # The largest of many is chance; so are the rare late ones of a few runs in files and helper processes.
            judged = not re.search(r"(max|99%|p99)'*$", name) or (title.startswith("language server") and name.endswith("p99"))
            table.row(name, unit, [v[key] for v in olds], [v[key] for v in news], judged, unit == "lines/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--seconds", type=float, default=4, help="for each whole command (default 4)")
    parser.add_argument("--runs", type=int, default=7, help="of each program with benchmarks (default 7)")
    parser.add_argument("--edits", type=int, default=1500, help="of the language server's replay (default 1500)")
    parser.add_argument("--limit", type=float, default=5, help="per cent (default 5)")
    parser.add_argument("--loaded", action="store_true",
                        help="the machine has other work: wall times of whole commands are shown and not judged")
    parser.add_argument("--only", default="", help="what has this word in its name")
    parser.add_argument("--cuda", default=os.environ.get("CUDA_HOME", os.path.join(ROOT, ".cuda", "nvidia", "cu13")))
    parser.add_argument("--keep", action="store_true", help="keep the folder with the scripts")
    arguments = parser.parse_args()
    old, new = Build(arguments.old), Build(arguments.new)
    table = Table(arguments.limit)
    folder = tempfile.mkdtemp(prefix="tilewright-compare-")
    try:
        commands(old, new, folder, arguments, table)

        def bench(name, *words):
            def command(build):
                path = os.path.join(build.bench, name)
                return [path, *words] if os.access(path, os.X_OK) else None
            return command

        client = os.path.join(new.bench, "lsp_bench")
        scripts = {"a script of 2,000 lines": ("2000", "40", "8"), "a script of 400 lines": ("400", "8", "4")}
        for words, (lines, kernels, helpers) in scripts.items():
            script = os.path.join(folder, f"lsp_{lines}.py")
            with open(script, "w", encoding="utf-8") as file:
                subprocess.run([sys.executable, os.path.join(HERE, "large_script.py"), "--lines", lines, "--kernels", kernels,
                                "--helpers", helpers], stdout=file, check=True)
            program(f"language server, {words}", old, new,
                    lambda b, s=script: [client, b.binary, s, str(arguments.edits), "1", "--idle"] if os.access(client, os.X_OK) else None,
                    arguments, table, max(3, arguments.runs // 2))
        program("pipeline, a script of 20,000 lines", old, new, bench("pipeline_bench", os.path.join(folder, "large.py"), "5"),
                arguments, table)
        for example in ("async_tma", "gmem_smem_dtypes", "register_tiles"):
            program(f"pipeline, {example}", old, new,
                    bench("pipeline_bench", os.path.join(ROOT, "examples", example + ".py"), "100"), arguments, table)
        program("tensor copy plans", old, new, bench("tma_plan_bench", "1000"), arguments, table)
        program("cache", old, new, bench("cache_bench", "200"), arguments, table)
        helper = os.path.join("tests", "toolchain", "toolchain_helper")
        if os.path.isdir(arguments.cuda):
            program("toolchain", old, new,
                    lambda b: (bench("toolchain_bench", arguments.cuda, os.path.join(b.folder, helper), "sm_90a")(b)
                               if os.access(os.path.join(b.folder, helper), os.X_OK) else None), arguments, table)
        else:
            table.heading("toolchain: no CUDA here (--cuda), left out")
        # (parse_bench holds the grammar, which is data here, against another grammar: parse_bench.sh.)
    finally:
        if arguments.keep:
            print(f"\nscripts: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print()
    for name in table.worse:
        print(f"worse by more than {arguments.limit:g} %: {name}")
    print(f"{len(table.worse)} figures worse by more than {arguments.limit:g} %")
    return 1 if table.worse else 0


if __name__ == "__main__":
    sys.exit(main())
