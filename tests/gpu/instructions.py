#!/usr/bin/env python3
"""Random kernels of instructions of 0.27 on this machine's GPU: what they leave is what the host computed, and what the simulator leaves.

    instructions.py TILEWRIGHT [--seed N|fresh] [--count N] [--first gpu|sim] [--jobs N] [--keep FOLDER] [--prepare]
    instructions.py TILEWRIGHT --from FOLDER

Made by tests/simulate/instruction_kernels.py. Each kernel runs with the same inputs on the GPU and on the simulator; both are held
against the words that the generator computed, and their bytes against each other. Exit status 1 for any difference. With
`--first sim` the simulator stands in for the GPU, to try this program where there is none. For a machine without NVRTC, or to run
what another NVRTC makes, `--prepare` leaves the kernels and their cubins in the folder of `--keep`, and `--from` runs them there.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support.seeds import seed  # noqa: E402


def entries(script):
    """The kernels of a script, without those that say what others must leave."""
    with open(script, encoding="utf-8") as file:
        return re.findall(r"^# tilewright: run (kernel_\d+) ", file.read(), re.M)


def asked(command):
    """What a command of ours prints as JSON."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"status": "no answer", "error": (done.stderr or done.stdout).strip()}


def outcome(report):
    """Of one run: a word for what became of it, what was said, and the digest of the result."""
    said = [*report.get("problems", []), *(f.get("message", "") for f in report.get("findings", []))]
    digest = [t["sha256"] for t in report.get("tensors", []) if t["name"] == "B" and "sha256" in t]
    return report.get("verdict") or report.get("status"), "; ".join(map(str, said)) or report.get("error", ""), *digest


def batch(binary, folder, place, jobs):
    """All kernels of a folder by one command, which keeps one process at the GPU."""
    answer = asked([binary, "run", folder, "--entry", "all", "--on", place, "--repeat", "0", "--jobs", str(jobs), "--json"])
    runs = {report.get("entry"): outcome(report) for report in answer.get("runs", [])}
    return runs or {"all": outcome(answer)}


def prepared(binary, folder, place, jobs):
    """The same with the cubins that were made beforehand: a command each, side by side."""
    def one(script, entry):
        inputs = [f"--input={name}={folder}/{entry}_{name}.npy" for name in "AE"]
        cubin = os.path.join(folder, "cubins", f"{entry}.cubin")
        # The reference only copies E: what it computes is known, and so the digest says enough.
        return entry, outcome(asked([binary, "run", script, "--entry", entry, "--on", place, "--repeat", "0", f"--cubin={cubin}", *inputs,
                                     "--input=B=zeros", f"--expect=B={folder}/{entry}_E.npy", "--json"]))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(lambda pair: one(*pair), [(s, e) for s in scripts(folder) for e in entries(s)]))


def scripts(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py"))


def prepare(binary, folder):
    for script in scripts(folder):
        subprocess.run([binary, "compile", script, "--emit", "cubin", "-o", os.path.join(folder, "cubins")], check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seed", default="fresh")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", default="gpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--from", dest="made")
    args = parser.parse_args()
    number = args.made or seed(args.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.abspath(args.made or args.keep or os.path.join(scratch, "kernels"))
        args.made or subprocess.run([sys.executable, os.path.join(HERE, "..", "simulate", "instruction_kernels.py"), "--seed", str(number),
                                     "--count", str(args.count), "-o", folder], check=True)
        if args.prepare:
            return prepare(args.binary, folder)
        count, bad, of, seconds = collections.Counter(), [], {}, {}
        for place in dict.fromkeys((args.first, "sim")):
            begun = time.monotonic()
            with_cubins = place == "gpu" and os.path.isdir(os.path.join(folder, "cubins"))
            of[place] = (prepared if with_cubins else batch)(args.binary, folder, place, args.jobs)
            seconds[place] = time.monotonic() - begun
        for name in [e for s in scripts(folder) for e in entries(s)]:
            digests = []
            for place, runs in of.items():
                status, said, *digest = runs.get(name) or runs.get("all") or ("no answer", "")
                count[f"{place}: {status}"] += 1
                digests += digest
                if status != "verified":
                    bad.append(f"{name} on {place}: {status}: {said[:400]}")
            same = len(digests) == len(of) and len(set(digests)) == 1
            count["the same bytes" if same else "other bytes"] += 1
            if not same:
                bad.append(f"{name}: other bytes ({len(digests)} of {len(of)} results were had)")
        print(f"seed {number}: " + ", ".join(f"{what} {n}" for what, n in sorted(count.items()))
              + "; seconds " + ", ".join(f"{place} {s:.1f}" for place, s in seconds.items()))
        for line in bad[:20]:
            print("  " + line)
        sys.exit(1 if bad or not count["the same bytes"] else 0)


if __name__ == "__main__":
    sys.exit(main())
