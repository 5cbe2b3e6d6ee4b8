#!/usr/bin/env python3
"""remote.py TILEWRIGHT CERTIFICATES [SCRIPT...]: on a machine with a GPU, every entry of the scripts for the GPU's architecture as a run here,
over a worker that is a command, and over one behind TLS: the same digests of every tensor. Then a job that is killed
midway, and the next one. By hand; CERTIFICATES holds ca.pem, server.pem, server.key, client.pem, client.key.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

BINARY, CERTIFICATES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SCRIPTS = sys.argv[3:] or ["examples"]

ENDLESS = """
from tvm.script import tirx as T

@T.prim_func
def endless(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([32])
    while A[0] != 12345:
        B[i] = B[i] + 1
"""


def runs(*options):
    begun = time.monotonic()
    done = subprocess.run([BINARY, "run", *SCRIPTS, "--entry", "all", "--repeat", "3", "--json", *options], text=True,
                          capture_output=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    print(f"{' '.join(options)[:60]}: {time.monotonic() - begun:.1f} s, status {done.returncode}")
    return {(r.get("file"), r["entry"]): r for r in json.loads(done.stdout)["runs"]}


def digests(report):
    return [(t["name"], t.get("sha256")) for t in report.get("tensors", [])]


def main():
    here = runs("--on", "gpu")
    at = lambda name: os.path.join(CERTIFICATES, name)  # noqa: E731
    listening = subprocess.Popen([BINARY, "worker", "--listen", "127.0.0.1:17443", "--tls-cert", at("server.pem"), "--tls-key",
                                  at("server.key"), "--tls-ca", at("ca.pem")], stderr=subprocess.PIPE, text=True)
    print(listening.stderr.readline().strip())
    tls = f"tls://localhost:17443?ca={at('ca.pem')}&cert={at('client.pem')}&key={at('client.key')}"
    bad = 0
    for where in (f"exec:{BINARY} worker --stdio", tls):
        there = runs("--on", where)
        same = verified = 0
        for which, report in here.items():
            other = there.get(which, {})
            if report.get("status") != "done":
                agree = other.get("status") == report.get("status")
            else:
                agree = digests(report) == digests(other) and report["verdict"] == other.get("verdict")
            same += agree
            verified += other.get("verdict") == "verified"
            if not agree:
                bad += 1
                print("  differs:", which, report.get("status"), report.get("verdict"), other.get("status"), other.get("verdict"),
                      [a for a, b in zip(digests(report), digests(other)) if a != b], str(other.get("error"))[:200])
        print(f"  {same} of {len(here)} the same as here, {verified} verified there")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(ENDLESS)
        script.flush()
        for end in (signal.SIGKILL, signal.SIGINT):
            job = subprocess.Popen([BINARY, "run", script.name, "--on", tls, "--deadline", "300", "--input", "A=zeros"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(4)
            job.send_signal(end)
            job.wait()
            begun = time.monotonic()
            next_one = subprocess.run([BINARY, "run", "examples/vector_add.py", "--set", "n=1000", "--on", tls],
                                      capture_output=True, text=True, check=False)
            good = next_one.returncode == 0 and "verified" in next_one.stdout
            bad += not good
            print(f"after {end.name} of a client midway: the next job {'verified' if good else next_one.stdout + next_one.stderr} "
                  f"after {time.monotonic() - begun:.1f} s")
    listening.send_signal(signal.SIGTERM)
    print("worker ended with", listening.wait(30))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
