#!/usr/bin/env python3
"""beside_simulator.py TILEWRIGHT [--log FILE] SCRIPT...: every kernel of the scripts on this machine's GPU and on the simulator, with
the same inputs. For each: the same bytes, or how far apart, by the tolerance of its type; or why it was not run.

Exit status 1 where results differ, the simulator finds something or does not model it. What this GPU cannot run is said and passed over.
With `--first sim` the simulator stands in for the GPU, to try this program where there is none.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

EXTENT = 1000  # of kernels that have to be given one


class Beside:
    def __init__(self, binary, first):
        self.binary, self.first = binary, first

    def json(self, *command):
        done = subprocess.run([self.binary, *command, "--json"], capture_output=True, text=True, check=False)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"status": "errors", "error": (done.stderr or "no answer").strip().splitlines()[-1]}

    def entries(self, script):
        named = {d.split("reference ", 1)[1].strip() for d in open(script, encoding="utf-8") if "tilewright: reference " in d}
        turns = [d.split("sequence ", 1)[1].strip() for d in open(script, encoding="utf-8") if d.startswith("# tilewright: sequence ")]
        inner = {part.strip() for turn in turns for part in turn.split(" then ")}
        found = [e["entry"] for e in self.json("entries", script)["entries"]]
        return turns + [e for e in found if e not in named | inner]

    def on_gpu(self, script, entry, arrays, options):
        return self.json("run", script, "--entry", entry, "--on", self.first, "--repeat", "0", "-o", arrays, *options)

    def compare(self, script, entry):
        """What became of it, in a word and in words."""
        with tempfile.TemporaryDirectory() as arrays:
            options = []
            real = self.on_gpu(script, entry, arrays, options)
            if "has no value: give it with --set" in real.get("error", ""):
                name = real["error"].split("--set ")[1].split("=")[0]
                options = ["--set", f"{name}={EXTENT}"]
                real = self.on_gpu(script, entry, arrays, options)
            if real["status"] in ("errors", "refused", "skipped", "no_device", "not_launched"):
                return "not run", real.get("error") or (real.get("problems") or [real.get("message", "")])[0]
            if real["status"] != "done":
                return "wrong", f"on the GPU: {real['status']}: {'; '.join(real['problems'])}"
            written = [t for t in real["tensors"] if t["role"] != "input"]
            expected = [w for t in written for w in ("--expect", f"{t['name']}={arrays}/{t['name']}.npy")]
            simulated = self.json("run", script, "--entry", entry, "--on", "sim", "--arch", real["arch"], *options, *expected)
            if simulated["status"] != "done" or simulated.get("findings"):
                return simulated["status"], "; ".join([*simulated.get("problems", []), *simulated.get("notes", [])])
            theirs = {t["name"]: t for t in simulated["tensors"]}
            if all(theirs[t["name"]]["sha256"] == t["sha256"] for t in written):
                return "same bytes", ""
            comparisons = [theirs[t["name"]]["comparison"] for t in written]
            words = f"largest difference {max(c['max_absolute'] for c in comparisons):.3g}"
            wrong = sum(c["mismatches"] for c in comparisons)
            return ("differ", f"{wrong} elements, {words}") if wrong else ("near", words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("scripts", nargs="+")
    parser.add_argument("--log")
    parser.add_argument("--first", default="gpu", choices=["gpu", "sim"])
    parser.add_argument("--jobs", type=int, default=1, help="kernels that run at once")
    parser.add_argument("--or-skip", action="store_true", help="status 77 where there is no GPU")
    options = parser.parse_args()
    if options.or_skip and not glob.glob("/dev/nvidia[0-9]*"):
        print("skipped: there is no GPU here")
        return 77
    beside = Beside(os.path.abspath(options.binary), options.first)
    log = open(options.log, "w", encoding="utf-8") if options.log else None
    counts = collections.Counter()
    jobs = [(script, entry) for script in options.scripts for entry in beside.entries(script)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (script, entry), (word, words) in zip(jobs, pool.map(lambda job: beside.compare(*job), jobs)):
            counts[word] += 1
            line = f"{os.path.basename(script)} {entry}: {word}" + (f" ({words})" if words else "")
            print(line, flush=True)
            if log:
                log.write(line + "\n")
    summary = ", ".join(f"{n} {word}" for word, n in counts.most_common())
    print(summary)
    if log:
        log.write(summary + "\n")
    return 1 if set(counts) - {"same bytes", "near", "not run"} else 0


if __name__ == "__main__":
    sys.exit(main())
