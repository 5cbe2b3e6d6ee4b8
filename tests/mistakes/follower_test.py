#!/usr/bin/env python3
"""follower_test.py TILEWRIGHT [--kind typos|sync] [--count N] [--seed S] [--jobs N] [--seconds N] [--least] [--show]: a reader without any model.

Asks `check --json` of an example with a mistake in it, applies the first fix of the first finding that has one, asks again, and so
on. `typos`: slips as people make them (plant.py). `sync`: a wait, fence, barrier, arrival or commit that is missing, a count or a phase
that is wrong (those of tests/simulate/removed_test.py and changed_test.py), with `check --simulate`. A script is repaired if nothing is
found any more that the example did not have, and it leaves the same bytes on the simulator as the example. None may end with more
findings than it began with, and none that ran with another result than it had.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import plant  # noqa: E402

PROMISED = {"typos": 0.80, "sync": 0.60}
ROUNDS = 12
SEVERE = ("error", "warning")


def functions_of(path):
    """What a test script defines, without running it."""
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("sys.exit(main())", "")
    names = {"__name__": "tests", "__file__": path}
    exec(compile(text, path, "exec"), names)
    return names


def faults(examples):
    """(example, what, text) of synchronisation that is missing or wrong, where that does harm."""
    removed = functions_of(os.path.join(ROOT, "tests", "simulate", "removed_test.py"))
    changed = functions_of(os.path.join(ROOT, "tests", "simulate", "changed_test.py"))
    for name in sorted(os.listdir(examples)):
        if not name.endswith(".py"):
            continue
        path = os.path.join(examples, name)
        for line, call, text in removed["removals"](path):
            if (name, call) not in removed["HARMLESS"]:
                yield name, f"line {line} without {call}", text
        for line, change, text in changed["changes"](path):
            if (name, change) not in changed["HARMLESS"]:
                yield name, f"line {line}: {change}", text


class Follower:
    def __init__(self, binary, folder, simulate, until):
        self.binary, self.folder, self.simulate, self.until = binary, folder, simulate, until
        self.known = {}  # findings of the examples themselves
        self.results = {}  # what they leave

    def ask(self, path):
        command = [self.binary, "check", path, "--json", "--jobs", "1"] + ["--fix-seconds", "20"] + (["--simulate"] if self.simulate else [])
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{path}: {done.stderr}")
        return [d for d in json.loads(done.stdout)["diagnostics"] if d["severity"] in SEVERE]

    def runs(self, path):
        """What every entry of a script leaves: verdicts and digests."""
        command = [self.binary, "run", path, "--entry", "all", "--on", "sim", "--json", "--jobs", "1", "--steps", "20000000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        try:
            rows = json.loads(done.stdout)["runs"]
        except (ValueError, KeyError):
            return None
        return [(r.get("entry"), r.get("verdict"), [t.get("sha256") for t in r.get("tensors", [])]) for r in rows]

    def prepare(self, name):
        path = os.path.join(self.folder, name)
        self.known[name] = collections.Counter(d["message"] for d in self.ask(path))

    def new(self, name, findings):
        left = self.known[name].copy()
        out = []
        for d in findings:
            if left[d["message"]] > 0:
                left[d["message"]] -= 1
            else:
                out.append(d)
        return out

    def follow(self, number, name, text):
        """(planted?, repaired?, what went wrong, titles), or None: there was no time."""
        if time.monotonic() > self.until:
            return None
        path = os.path.join(self.folder, f"mistake_{number}.py")
        titles, wrong, original = [], "", text
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        try:
            findings = self.new(name, self.ask(path))
            first, seen = len(findings), {text}
            if not findings:
                return False, False, "", titles
            for _ in range(ROUNDS):
                fixed = next((d for d in findings if d.get("fixes")), None)
                if not fixed:
                    break
                fix = fixed["fixes"][0]
                text = applied(text, fix["edits"])
                if text in seen:
                    break
                seen.add(text)
                titles.append(fix["title"])
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                findings = self.new(name, self.ask(path))
                if not findings:
                    break
            if len(findings) > first:
                wrong = f"{len(findings)} findings, {first} before"
            if findings:
                return True, False, wrong, titles + [f"left: {findings[0]['code']} {findings[0]['message'][:90]}"]
            if name not in self.results:
                self.results[name] = self.runs(os.path.join(self.folder, name))
            now = self.runs(path)
            if now == self.results[name]:
                return True, True, "", titles
            # Another program than the example. It must not be another one than the mistaken script was, if that ran.
            with open(path, "w", encoding="utf-8") as f:
                f.write(original)
            had = self.runs(path)
            ran = had and all(verdict in ("verified", "ran", "unverified") for _, verdict, _ in had)
            return True, False, "another result than it had" if ran and had != now else "", titles + ["other bytes than the example"]
        finally:
            os.unlink(path)


def applied(text, edits):
    lines = text.splitlines(keepends=True) + [""]

    def offset(at):
        return sum(len(line) for line in lines[: at["line"] - 1]) + at["column"] - 1

    for e in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(e["range"]["start"])] + e["text"] + text[offset(e["range"]["end"]) :]
    return text


def typos(examples, count, choose):
    by_kind = collections.defaultdict(list)
    for name in sorted(os.listdir(examples)):
        if name.endswith(".py"):
            with open(os.path.join(examples, name), encoding="utf-8") as f:
                for p in plant.plants(f.read()):
                    by_kind[p.kind].append((name, p))
    kinds = sorted(by_kind)
    for n in range(count):
        mistake = None
        while mistake is None:
            name, chosen = choose.choice(by_kind[kinds[n % len(kinds)]])
            mistake = chosen.make(choose)
        yield name, f"{mistake.kind}: {mistake.what}", mistake.text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kind", choices=sorted(PROMISED), default="typos")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no mistake is begun after so many")
    parser.add_argument("--least", action="store_true", help="exit status 1 where less than promised is repaired")
    parser.add_argument("--show", action="store_true", help="print each that is not repaired")
    arguments = parser.parse_args()
    seed = arguments.seed or time.time_ns() % 1_000_000
    choose = random.Random(seed)
    examples = os.path.join(ROOT, "examples")
    folder = tempfile.mkdtemp(prefix="tilewright-follower-")
    try:
        copies = os.path.join(folder, "examples")
        shutil.copytree(examples, copies)
        until = time.monotonic() + arguments.seconds
        follower = Follower(os.path.abspath(arguments.binary), copies, arguments.kind == "sync", until)
        if arguments.kind == "sync":
            every = list(faults(examples))
            mistakes = choose.sample(every, min(arguments.count, len(every)))
        else:
            mistakes = list(typos(examples, arguments.count, choose))
        planted = repaired = not_begun = 0
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(follower.prepare, sorted({name for name, _, _ in mistakes})))
            jobs = {pool.submit(follower.follow, n, name, text): (name, what) for n, (name, what, text) in enumerate(mistakes)}
            for job in concurrent.futures.as_completed(jobs):
                name, what = jobs[job]
                if job.result() is None:
                    not_begun += 1
                    continue
                is_planted, is_repaired, problem, titles = job.result()
                planted += is_planted
                repaired += is_repaired
                if problem:
                    wrong.append(f"{name}: {what}: {problem} ({'; '.join(titles)})")
                if arguments.show and is_planted and not is_repaired:
                    print(f"-- {name}: {what}: {'; '.join(titles)}", flush=True)
    finally:
        shutil.rmtree(folder, True)
    share = repaired / max(1, planted)
    told = f"{arguments.kind}, seed {seed}: {planted} planted, {repaired} repaired ({share:.1%}), {len(wrong)} made worse"
    print("\n".join(wrong + [told + (f"; no time for {not_begun}" if not_begun else "")]))
    return 1 if wrong or (arguments.least and share < PROMISED[arguments.kind]) else 0


if __name__ == "__main__":
    sys.exit(main())
