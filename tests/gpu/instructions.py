#!/usr/bin/env python3
"""Random kernels of instructions of 0.27 on this machine's GPU: what they leave is what the host computed, and what the simulator leaves.

    instructions.py TILEWRIGHT [--seed N|fresh] [--count N] [--first gpu|sim] [--keep FOLDER] [--prepare]
    instructions.py TILEWRIGHT --from FOLDER

Made by tests/simulate/instruction_kernels.py. Each kernel runs with the same inputs on the GPU and on the simulator; both are held
against the words that the generator computed, and their bytes against each other. Exit status 1 for any difference. With
`--first sim` the simulator stands in for the GPU, to try this program where there is none. For a machine without NVRTC, `--prepare`
leaves the kernels and their cubins in the folder of `--keep`, and `--from` runs them there.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support.seeds import seed  # noqa: E402


def entries(script):
    """The kernels of a script, without those that say what others must leave."""
    with open(script, encoding="utf-8") as file:
        return re.findall(r"^# tilewright: run (kernel_\d+) ", file.read(), re.M)


def run(binary, script, entry, place, out):
    """A word for what became of it, and what was said."""
    folder = os.path.dirname(script)
    inputs = [f"--input={name}={folder}/{entry}_{name}.npy" for name in "AE"]
    cubin = os.path.join(folder, "cubins", f"{entry}.cubin")
    if place == "gpu" and os.path.exists(cubin):
        inputs.append(f"--cubin={cubin}")
    done = subprocess.run([binary, "run", script, "--entry", entry, "--reference", f"copy_{entry}", "--on", place, "--repeat", "0",
                           "-o", out, *inputs, "--input=B=zeros", "--json"], capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return "no answer", (done.stderr or done.stdout).strip()
    said = [*answer.get("problems", []), *(f.get("message", "") for f in answer.get("findings", []))]
    return answer.get("verdict") or answer.get("status"), "; ".join(map(str, said)) or answer.get("error", "")


def array(path):
    """The bytes behind the header of an .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def prepare(binary, folder):
    scripts = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".py"))
    for script in scripts:
        subprocess.run([binary, "compile", script, "--emit", "cubin", "-o", os.path.join(folder, "cubins")], check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seed", default="fresh")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", default="gpu")
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
        count, bad = collections.Counter(), []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            script = os.path.join(folder, name)
            for entry in entries(script):
                bytes_of = {"expected": array(os.path.join(folder, f"{entry}_E.npy"))}
                for place in dict.fromkeys((args.first, "sim")):
                    out = os.path.join(scratch, place, entry)
                    status, said = run(args.binary, script, entry, place, out)
                    count[f"{place}: {status}"] += 1
                    if status not in ("verified", "done"):
                        bad.append(f"{name} {entry} on {place}: {status}: {said[:400]}")
                    elif os.path.exists(os.path.join(out, "B.npy")):
                        bytes_of[place] = array(os.path.join(out, "B.npy"))
                same = len(bytes_of) == 1 + len(dict.fromkeys((args.first, "sim"))) and len(set(bytes_of.values())) == 1
                count["the same bytes" if same else "other bytes"] += 1
                if not same:
                    bad.append(f"{name} {entry}: other bytes ({', '.join(sorted(bytes_of))} were had)")
        print(f"seed {number}: " + ", ".join(f"{what} {n}" for what, n in sorted(count.items())))
        for line in bad[:20]:
            print("  " + line)
        sys.exit(1 if bad or not count["the same bytes"] else 0)


if __name__ == "__main__":
    sys.exit(main())
