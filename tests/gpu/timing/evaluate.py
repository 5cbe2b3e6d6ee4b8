#!/usr/bin/env python3
"""evaluate.py TILEWRIGHT TIMES [--keep FILE]: the model of time beside what was measured (cubins.py time).

A line a kernel; then the mean error, the rank correlation, and how many times lie in their interval of 90 %.
"""
import argparse
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def modelled(tilewright, name):
    script, entry = name.split(": ", 1)
    beside = os.path.join(HERE, script)
    path = beside if os.path.exists(beside) else os.path.normpath(os.path.join(HERE, "../../../examples", script))
    done = subprocess.run([tilewright, "explain", path, "--entry", entry, "--arch", "sm_90a", "--time", "--json"], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["time"][0]
    except (ValueError, KeyError, IndexError):
        return {"time_is": "not available", "why": done.stderr[-200:]}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    for rank, index in enumerate(order):
        out[index] = float(rank)
    return out


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return covariance / math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tilewright")
    parser.add_argument("times")
    parser.add_argument("--keep", help="write the models there, as JSON lines")
    options = parser.parse_args()
    pairs, kept = [], []
    for line in open(options.times):
        measured = json.loads(line)
        if "error" in measured:
            continue
        model = modelled(options.tilewright, measured["name"])
        if model["time_is"] != "modelled":
            print(f"no model: {measured['name']}: {model.get('why')}")
            continue
        us = measured["hot_us"]
        pairs.append((us, model["us"], model["low_us"] <= us <= model["high_us"]))
        kept.append({"name": measured["name"], "measured": us, "block": measured["block"], **model})
        print(f"{us:10.2f} us  model {model['us']:10.2f}  {100 * (model['us'] / us - 1):+6.0f} %  {model['bound']:11}  {measured['name']}", flush=True)
    if options.keep:
        with open(options.keep, "w") as f:
            for one in kept:
                for wide in ("lines", "waits", "advice"):
                    one.pop(wide, None)
                f.write(json.dumps(one) + "\n")
    if len(pairs) < 2:
        return 1
    error = sum(abs(model / us - 1) for us, model, _ in pairs) / len(pairs)
    held = sum(inside for _, _, inside in pairs)
    print(f"{len(pairs)} kernels: mean error {100 * error:.1f} %, rank correlation "
          f"{correlation(ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])):.3f}, {held} in their interval ({100 * held / len(pairs):.0f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
