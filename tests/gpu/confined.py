#!/usr/bin/env python3
"""confined.py TILEWRIGHT HOSTILE_DRIVER SCRIPT: kernels run on this machine's GPU in a confined process, and that process
reaches nothing.

HOSTILE_DRIVER is libhostile_cuda.so of tests/gpu: the real driver, with a function that tries what a hostile job would. SCRIPT is a
tile script whose kernels run with their own inputs, as examples/vector_add.py. Both files and the binary need nothing else on the
machine with the GPU but the driver and NVIDIA's compiler (CUDA_HOME or /usr/local/cuda):

    confined.py tilewright libhostile_cuda.so examples/vector_add.py

Without a GPU it runs on the pretended one, which `ctest -R gpu_confined` does.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

BINARY, DRIVER, SCRIPT = (os.path.abspath(path) for path in sys.argv[1:4])
MORE = sys.argv[4:]
wrong = []


def check(condition, what):
    print(("ok    " if condition else "WRONG ") + what, flush=True)
    if not condition:
        wrong.append(what)


def run(driver, attempts="", **env):
    """`run --on exec:…`, a worker with this driver: the reports."""
    worker = f"exec:{BINARY} worker --stdio --on gpu --driver {driver}"
    done = subprocess.run([BINARY, "run", SCRIPT, "--json", "--on", worker, *MORE], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "HOSTILE_ATTEMPTS": attempts, **env})
    try:
        said = json.loads(done.stdout)
        reports = said.get("runs", [said])  # of one run the report itself
        return [r for r in reports if "printed" in r], done.stderr or done.stdout[-2000:]
    except ValueError:
        return [], done.stdout[-2000:] + done.stderr[-2000:]


def device_of(reports):
    return json.dumps(reports[0].get("device", "")) if reports else ""


def main():
    doctor = subprocess.run([BINARY, "doctor"], capture_output=True, text=True)
    print(doctor.stdout)
    check("seccomp, Landlock files" in doctor.stdout, "doctor names the confinement")

    reports, said = run("libcuda.so.1")
    ended = [(r["status"], r["verdict"]) for r in reports]
    check(reports and all(status == "done" and verdict != "failed" for status, verdict in ended),
          f"kernels run confined: {ended}" + ("" if reports else said))
    check("not confined" not in json.dumps(reports), f"the driver starts confined: {device_of(reports)}")

    with tempfile.TemporaryDirectory() as scratch, socket.socket() as listener, \
            socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as local:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        local.bind(os.path.join(scratch, "socket"))
        local.listen()
        secret, other = os.path.join(scratch, "secret"), os.path.join(scratch, "other")
        os.mkdir(other)
        for path in (secret, os.path.join(other, "job")):
            with open(path, "w") as f:
                f.write("hunter2")
        home, me = os.path.expanduser("~"), os.getpid()
        attempts = [f"read {secret}", f"list {home}", "read /etc/passwd", "list /etc", f"read {other}/job", f"write {other}/job",
                    f"cut {other}/job", "write /tmp/tilewright-attack", "write /dev/shm/tilewright-attack", "exec /bin/sh", "exec /usr/bin/env",
                    f"connect {listener.getsockname()[1]}", "connect 22", "datagram", "bind 0", "unix /run/systemd/notify", f"packets {scratch}/socket", f"kill {me}",
                    f"trace {me}", f"peek {me}", f"own {me}", f"starve {me}", f"pin {me}", f"idle {me}", f"read /proc/{me}/environ", "list /proc", "uring", "bpf", "keys",
                    "mount", "namespace", "shared", "performance", "leave", "shrink", "grow"]
        reports, said = run(DRIVER, ";".join(attempts))
        check(reports and "not confined" not in json.dumps(reports), f"the taken driver starts confined: {device_of(reports)}" + ("" if reports else said))
        printed = "".join(r["printed"] for r in reports).split("\n")
        for attempt in attempts:
            for where in ("main", "thread"):
                line = f"{where} {attempt}: "
                ends = [p[len(line):] for p in printed if p.startswith(line)]
                check(ends and "done" not in ends, f"{where}: {attempt}: {', '.join(sorted(set(ends))) or 'was not tried'}")
    reports, said = run("libcuda.so.1")
    check(reports and all(r["status"] == "done" for r in reports), "the next job runs")
    print(f"{len(wrong)} of the checks failed" if wrong else "all checks passed")
    return 1 if wrong else 0


sys.exit(main())
