#!/usr/bin/env python3
"""confinement_test.py TILEWRIGHT [WORDS]: where NVIDIA's compiler comes from, what NVRTC is told, what a confined process
reaches, a worker on a kernel that cannot confine, and the addresses of shared caches.

The environment is the user's own: who sets LD_PRELOAD, CUDA_HOME or PATH for a process already runs code as that user.
"""
import ctypes
import errno
import http.server
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from attack import BINARY, FAKE_CUDA, attack, main  # noqa: E402
from support.jobs import Job  # noqa: E402
from support.worker import Client, Worker  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERSION = subprocess.run([BINARY, "--version"], capture_output=True, text=True).stdout.split()[0] if BINARY else ""
PARTS = ("lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0", "include/cuda_fp16.h", "bin/nvdisasm")


def plant(folder):
    """What looks like NVIDIA's compiler; loading it would be the attack."""
    for part in PARTS:
        os.makedirs(os.path.dirname(os.path.join(folder, part)), exist_ok=True)
        with open(os.path.join(folder, part), "w") as f:
            f.write("planted")
    return folder


def binary_at(t, place):
    path = os.path.join(t.work, place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy2(BINARY, path)
    return path


def doctor(t, binary=BINARY, **env):
    env = {**t.env, "CUDA_HOME": "", **env}
    done = subprocess.run([binary, "doctor", "--json"], capture_output=True, text=True, env=env, cwd=t.work)
    return json.loads(done.stdout)["findings"], done.stderr


def used_nvrtc(t, binary=BINARY, **env):
    """The library that would be loaded; empty if there is none."""
    nvrtc = next(f for f in doctor(t, binary, **env)[0] if f["what"] == "NVRTC")
    return nvrtc["detail"].split(" (CUDA")[0].split(", from")[0] if nvrtc["state"] == "ok" else ""


def not_used(t, planted, binary=BINARY, **env):
    used = used_nvrtc(t, binary, **env)
    t.holds(not used.startswith(planted), f"{used} would be loaded")


# ---- where NVIDIA's compiler is looked for ----

def planted_beside(name, place, cuda):
    @attack(f"a checkout plants {cuda} for a binary at {place}: {name}")
    def _(t):
        planted = plant(os.path.join(t.work, cuda))
        not_used(t, planted, binary_at(t, place))


planted_beside("an environment in the checkout", ".venv/bin/tilewright", ".cuda/nvidia/cu13")
planted_beside("a folder of tools", "tools/tilewright", ".cuda/nvidia/cu13")
planted_beside("a copy of a build folder", "build/release/tilewright", ".cuda/nvidia/cu13")
planted_beside("deep inside", "a/b/c/d/tilewright", "a/.cuda/nvidia/cu99")
planted_beside("a folder bin without its wheel", "bin/tilewright", "nvidia/cu13")
planted_beside("packages without its wheel", ".venv/bin/tilewright", ".venv/lib/python3.11/site-packages/nvidia/cu13")
planted_beside("older packages", ".venv/bin/tilewright", ".venv/lib64/python3.9/dist-packages/nvidia/cu13")


def wheel(t, version, record):
    binary = binary_at(t, ".venv/bin/tilewright")
    packages = os.path.join(t.work, ".venv/lib/python3.11/site-packages")
    planted = plant(os.path.join(packages, "nvidia/cu13"))
    t.write(".venv/lib/python3.11/site-packages/tilewright/__init__.py", "")
    t.write(f".venv/lib/python3.11/site-packages/tilewright-{version}.dist-info/RECORD", record)
    return binary, planted


@attack("packages beside the wheel of another version are not its own")
def _(t):
    binary, planted = wheel(t, "9.9.9", "../../../bin/tilewright,sha256=x,1\n")
    not_used(t, planted, binary)


@attack("packages whose record does not list the binary are not its own (a wheel's that lists it are)")
def _(t):
    binary, planted = wheel(t, VERSION, "tilewright/__init__.py,sha256=x,1\nbin/tilewright.py,,\n")
    not_used(t, planted, binary)
    binary, planted = wheel(t, VERSION, "../../../bin/tilewright,sha256=x,1\n")
    t.holds(used_nvrtc(t, binary).startswith(planted), "the wheel's own neighbours are not found")


@attack("the folder that a command is started in is not looked at")
def _(t):
    planted = plant(os.path.join(t.work, ".cuda/nvidia/cu13"))
    plant(os.path.join(t.work, "nvidia/cu13"))
    not_used(t, t.work)
    not_used(t, planted)


@attack("a link to the binary in a checkout brings nothing of the checkout")
def _(t):
    planted = plant(os.path.join(t.work, ".cuda/nvidia/cu13"))
    os.makedirs(os.path.join(t.work, "build/release"))
    link = os.path.join(t.work, "build/release/tilewright")
    os.symlink(BINARY, link)
    not_used(t, planted, link)


def refused_home(name, spoil, words, place="cuda"):
    @attack(f"CUDA_HOME is refused with words: {name} (before that it is used)")
    def _(t):
        planted = plant(os.path.join(t.work, place))
        t.holds(used_nvrtc(t, CUDA_HOME=planted).startswith(planted), "an honest CUDA_HOME is not used")
        home = spoil(t, planted) or planted
        findings, _ = doctor(t, CUDA_HOME=home)
        nvrtc = next(f for f in findings if f["what"] == "NVRTC")
        t.holds(nvrtc["state"] != "ok" or not nvrtc["detail"].startswith(home), f"used all the same: {nvrtc}")
        said = " ".join(f["detail"] for f in findings if f["what"] == "refused")
        t.holds(words in said, f"said {said!r}, not {words!r}")
        done = t.run("compile", t.write("k.py", "x = 1\n"), "--emit", "ptx", env={"CUDA_HOME": home})
        t.holds(words in done.stderr.decode(), f"compile said {done.stderr!r}")


refused_home("all users may write there", lambda t, home: os.chmod(home + "/lib", 0o777), "can be changed by all users")
refused_home("a folder above it is open to all users", lambda t, home: os.chmod(t.work + "/open", 0o777),
             "/open can be changed by all users", place="open/cuda")
refused_home("all users may write the library", lambda t, home: os.chmod(home + "/" + PARTS[0], 0o666),
             "libnvrtc.so.13 can be changed by all users")
refused_home("a sticky folder that anyone may add to", lambda t, home: os.chmod(home + "/lib", 0o1777),
             "lib can be changed by all users")
if os.geteuid() == 0:
    refused_home("the group may write there", lambda t, home: os.chmod(home + "/include", 0o775), "can be changed by its group")
    refused_home("it belongs to another user", lambda t, home: os.chown(home, 12345, 12345), "belongs to another user (number 12345)")
    refused_home("its library belongs to another user", lambda t, home: os.chown(home + "/" + PARTS[1], 12345, 12345),
                 "belongs to another user (number 12345)")


def through_link(t, home):
    os.mkdir(t.work + "/theirs")
    os.rename(home, t.work + "/theirs/cuda")
    os.chmod(t.work + "/theirs", 0o777)
    os.symlink("theirs/cuda", t.work + "/link")
    return t.work + "/link"


refused_home("a link leads into a folder of all users", through_link, "/theirs can be changed by all users")


# ---- what NVRTC is told ----

def with_worker(t, *options, **env):
    planted = plant(os.path.join(t.work, "cuda"))
    worker = Worker(BINARY, *options, listen=False, env={**t.env, "CUDA_HOME": planted, **env})
    client = worker.stdio()
    hello = client.hello()
    t.holds("result" in hello, hello)
    return worker, client


def nvrtc_option(option, arch="sm_90a"):
    @attack(f"a client cannot tell NVRTC {option!r} ({arch})")
    def _(t):
        worker, client = with_worker(t, "--on", "none")
        try:
            options = [option] if option is not None else []
            answer = client.request("compile", {"source": "x", "arch": arch, "options": options, "ptx": True, "cubin": True})
            words = "is not allowed" if option is not None else "an architecture is"
            t.holds(words in answer.get("error", {}).get("message", ""), f"answered {answer}")
            t.holds(option is None or option.split("\n")[0] in answer["error"]["message"], f"does not name it: {answer}")
            # The next client's options go through to NVRTC (which is a planted file here, and fails in its own words).
            fine = client.request("compile", {"source": "x", "arch": "sm_90a", "options": ["--fmad=false", "-DN=1"]})
            t.holds(fine.get("result", {}).get("failed"), f"an honest request is answered with {fine}")
        finally:
            worker.end()


for each in ("--pre-include=/etc/passwd", "-I/", "--include-path=/root", "--dlink-time-opt", "@/etc/passwd", "--time=/tmp/x",
             "--options-file=/etc/passwd", "--ptxas-options=-o=/tmp/x", "-DX=\"/etc/passwd\"", "--create-pch=/tmp/x"):
    nvrtc_option(each)
nvrtc_option(None, arch="sm_90a --pre-include=/etc/passwd")
nvrtc_option(None, arch="../../x")


# ---- what the compiler reaches ----

KERNEL = "extern \"C\" __global__ void k(int* p) { *p = %s; }\n"
REAL = os.environ.get("CUDA_HOME", "")
HAVE_NVRTC = bool(REAL) and os.path.isdir(REAL)


def compile_text(t, source, **more):
    worker = Worker(BINARY, "--on", "none", listen=False, env={**t.env, "CUDA_HOME": REAL})
    client = worker.stdio()
    client.hello()
    try:
        answer = client.request("compile", {"source": source, "arch": "sm_90a", "options": [], "ptx": True, "cubin": True, **more})
        fine = client.request("compile", {"source": KERNEL % 1, "arch": "sm_90a", "options": [], "ptx": True, "cubin": True})
        t.holds(not fine["result"]["failed"], f"the next client gets {fine}")
        return json.dumps(answer)
    finally:
        worker.end()


def included(name, text, secret):
    @attack(f"CUDA text cannot read {name}, nor do diagnostics show it")
    def _(t):
        own = os.path.join(t.home, "secret.h")
        with open(own, "w") as f:
            f.write("#define FOUND 1\nhunter2\n")
        said = compile_text(t, text.replace("HOME", t.home) + KERNEL % 1)
        t.holds(secret not in said, f"said {said[:800]}")
        t.holds('"failed": ""' not in said, f"compiled: {said[:300]}")


if HAVE_NVRTC:
    included("/etc/passwd by #include", '#include "/etc/passwd"\n', "root:")
    included("a header of the user's", '#include "HOME/secret.h"\n', "hunter2")
    included("a header by a long way", '#include "/usr/lib/../../HOME/secret.h"\n', "hunter2")
    included("the environment of its process", '#include "/proc/self/environ"\n', "LC_ALL")
    included("the worker's command line", '#include "/proc/1/cmdline"\n', "init")
    included("a header by __has_include", '#if __has_include("HOME/secret.h")\n#include "HOME/secret.h"\n#endif\n#error ended\n', "hunter2")

    @attack("a compiler that is killed costs its request only")
    def _(t):
        worker = Worker(BINARY, "--on", "none", listen=False, env={**t.env, "CUDA_HOME": REAL})
        client = worker.stdio()
        client.hello()
        try:
            request = {"source": KERNEL % 2, "arch": "sm_90a", "options": [], "ptx": True, "cubin": True}
            t.holds(not client.request("compile", request)["result"]["failed"], "does not compile")
            for pid in worker.children():
                os.kill(pid, signal.SIGKILL)
            t.holds(not client.request("compile", {**request, "source": KERNEL % 3})["result"]["failed"], "does not come back")
        finally:
            worker.end()


# ---- what a job reaches ----

def printed(t, programs, prepare=None):
    """What a job's process says to each attempt, by a worker with the pretended GPU."""
    worker = Worker(BINARY, "--on", "gpu", "--driver", FAKE_CUDA, "--nvml", FAKE_CUDA, "--no-compiler", listen=False,
                    env={**t.env, "TOKEN_FILE": "x"})
    client = worker.stdio()
    t.holds("result" in client.hello(), "".join(worker.log))
    try:
        lines = [p.replace("WORKER", str(worker.process.pid)) for p in programs]
        job = Job("kernel k\ncopy 1 0 4096\n" + "".join(f"attempt {line}\n" for line in lines))
        answer, left = job.run(client)
        outcome = answer["result"]["outcome"]
        t.holds(left == job.data, f"the job did not run: {answer}")
        good, left = Job().run(client)
        t.holds("result" in good and len(left) == 4096, f"the next job: {good}")
        said = outcome.get("printed", "")
        return {line: [s[len(line) + 2:] for s in said.split("\n") if s.startswith(line + ": ")] for line in lines}
    finally:
        worker.end()


def reached(name, *programs):
    @attack(f"a GPU job cannot {name}")
    def _(t):
        with open(os.path.join(t.home, "secret"), "w") as f:
            f.write("hunter2")
        t.write("other/job", "data of another client")
        with socket.socket() as listener, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as local:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            local.bind(os.path.join(t.work, "socket"))
            local.listen()
            words = {"HOME": t.home, "OTHER": os.path.join(t.work, "other"), "PORT": str(listener.getsockname()[1]), "SOCKET": os.path.join(t.work, "socket")}
            lines = []
            for line in programs:
                for word, value in words.items():
                    line = line.replace(word, value)
                lines.append(line)
            for line, said in printed(t, lines).items():
                t.holds(said and not any(s == "done" for s in said), f"{line}: {said}")


if os.path.exists(FAKE_CUDA):
    reached("read the user's files or list them", "read HOME/secret", "list HOME", "read /root/.bashrc", "list /root")
    reached("read /etc/passwd", "read /etc/passwd", "list /etc")
    reached("read what lies in another client's folder", "read OTHER/job", "list OTHER", "write OTHER/job", "cut OTHER/job")
    reached("write anywhere", "write /tmp/tilewright-attack", "write HOME/.bashrc", "write /dev/shm/tilewright-attack", "mode HOME/secret")
    reached("start programs", "exec /bin/sh", "exec /usr/bin/env")
    reached("connect", "connect PORT", "connect 22", "unix /run/systemd/notify", "datagram", "bind 0", "packets SOCKET")
    reached("cut or stretch the memory files that the worker reads", "shrink", "grow")
    reached("signal, trace or read the worker", "kill WORKER", "trace WORKER", "peek WORKER", "own WORKER", "starve WORKER", "adopt WORKER",
            "pin WORKER", "idle WORKER")
    reached("read the worker's environment or memory", "read /proc/WORKER/environ", "read /proc/WORKER/mem", "list /proc")
    reached("go around by other calls of the kernel", "uring", "bpf", "keys", "mount", "namespace", "shared", "performance", "leave")


def standings(pid):
    """What the kernel holds each thread of a process to."""
    out = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as f:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        out.append((fields["NoNewPrivs"], fields["Seccomp"], int(fields["CapEff"], 16)))
    return out


def every_thread_is_confined(t, pids, what):
    t.holds(pids, f"no {what} found")
    for pid in pids:
        found = standings(pid)
        t.holds(all(s == ("1", "2", 0) for s in found), f"{what}: (no new privileges, seccomp, capabilities) of its threads: {found}")


def descendants(pid, word):
    """Processes below `pid` that were started with this word."""
    out = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as f:
            for child in f.read().split():
                with open(f"/proc/{child}/cmdline") as c:
                    out += [int(child)] if word in c.read() else []
                out += descendants(child, word)
    return out


LONG = """
from tvm.script import tirx as T

@T.prim_func
def slow(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([128])
    s = T.alloc_local((1,), "int32")
    s[0] = 0
    for k in T.serial(10000000):
        s[0] = s[0] + A[i]
    B[i] = s[0]
"""


@attack("no thread of a simulator job is left free, also not those from before its first byte")
def _(t):
    process = subprocess.Popen([BINARY, "run", t.write("slow.py", LONG), "--on", f"exec:{BINARY} worker --stdio --on sim"], cwd=t.work,
                               env=t.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        jobs = []
        while time.monotonic() < end and process.poll() is None and not jobs:
            try:
                # Once it works it has more than one thread.
                jobs = [pid for pid in descendants(process.pid, "worker-job") if len(os.listdir(f"/proc/{pid}/task")) > 1]
            except OSError:
                continue
            time.sleep(0.01)
        every_thread_is_confined(t, jobs, "process of the simulator")
    finally:
        process.terminate()
        process.wait()


if os.path.exists(FAKE_CUDA):
    def gpu_worker(t, *options):
        worker = Worker(BINARY, "--on", "gpu", "--driver", FAKE_CUDA, "--nvml", FAKE_CUDA, "--no-compiler", *options, listen=False, env=t.env)
        client = worker.stdio()
        client.hello()
        return worker, client

    @attack("no thread of a GPU job's process is left free")
    def _(t):
        worker, client = gpu_worker(t)
        try:
            Job().run(client)
            every_thread_is_confined(t, descendants(worker.process.pid, "gpu-helper"), "process with the GPU")
        finally:
            worker.end()

    @attack("a GPU job's process that is stopped, or hangs, costs its job only")
    def _(t):
        worker, client = gpu_worker(t, "--time-limit", "1")
        try:
            number = Job("kernel k\nhang\n").start(client)
            for pid in descendants(worker.process.pid, "gpu-helper"):
                os.kill(pid, signal.SIGSTOP)
            answer = client.answer(number)
            t.holds(answer["result"]["outcome"]["status"] == "timeout", answer)
            job = Job()
            _, left = job.run(client)
            t.holds(left == job.data, "the next job does not run")
        finally:
            worker.end()

if HAVE_NVRTC:
    @attack("no thread of a compiler is left free")
    def _(t):
        worker = Worker(BINARY, "--on", "none", listen=False, env={**t.env, "CUDA_HOME": REAL})
        client = worker.stdio()
        client.hello()
        try:
            made = client.request("compile", {"source": KERNEL % 5, "arch": "sm_90a", "options": [], "sass": True, "cubin": True})
            t.holds(not made["result"]["failed"] and made["result"]["sizes"][2] > 0, made)
            every_thread_is_confined(t, descendants(worker.process.pid, "toolchain-helper"), "compiler")
        finally:
            worker.end()


# ---- a kernel that cannot confine ----

def older_kernel(calls, error=errno.ENOSYS):
    """As preexec_fn: for this process and its children these system calls are not there. The tests' own filter, so that the
    binary needs no switch that pretends."""
    bpf = b"".join(struct.pack("HBBI", *i) for i in
                   [(0x20, 0, 0, 0)] + [i for call in calls for i in ((0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | error))]
                   + [(0x06, 0, 0, 0x7FFF0000)])

    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        held = ctypes.create_string_buffer(bpf)
        program = struct.pack("HxxxxxxP", len(bpf) // 8, ctypes.addressof(held))
        kept = ctypes.create_string_buffer(program)
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        assert libc.prctl(22, 2, kept, 0, 0) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    return install


LANDLOCK = (444, 445, 446)


def worker_said(t, *options, kernel=None, seconds=20, until=b"listening on"):
    """Starts a worker; returns (status or None while it listens, what it said)."""
    process = subprocess.Popen([BINARY, "worker", "--on", "sim", "--no-compiler", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=t.env, preexec_fn=kernel)
    said = b""
    os.set_blocking(process.stderr.fileno(), False)
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None and until not in said:
        said += process.stderr.read() or b""
        time.sleep(0.02)
    status = process.poll()
    if status is None:
        process.stdin.close()
        process.terminate()
        process.wait()
    said += process.stderr.read() or b""
    return status, said.decode()


def below(name, calls, error=errno.ENOSYS):
    @attack(f"a worker does not listen on a kernel {name}, unless told to (on one with all it says what holds)")
    def _(t):
        status, said = worker_said(t, "--listen", "127.0.0.1:0", kernel=older_kernel(calls, error))
        t.holds(status == 2 and "does not confine" in said and "--unconfined" in said, f"status {status}: {said}")
        status, said = worker_said(t, "--listen", "127.0.0.1:0", "--unconfined", kernel=older_kernel(calls, error))
        t.holds(status is None and "warning" in said and "confinement:" in said, f"status {status}: {said}")
        status, said = worker_said(t, "--listen", "127.0.0.1:0")
        t.holds(status is None and "confinement: seccomp, Landlock files" in said, f"status {status}: {said}")


below("without Landlock", LANDLOCK)
below("where Landlock is switched off", LANDLOCK, errno.EOPNOTSUPP)
below("whose Landlock can be asked but not used", LANDLOCK[2:], errno.EPERM)


@attack("no variable of the environment stands for --unconfined")
def _(t):
    env = {f"TILEWRIGHT_{name}": "1" for name in ("UNCONFINED", "NO_CONFINEMENT", "CONFINED", "LANDLOCK", "TEST")}
    t.env.update(env)
    status, said = worker_said(t, "--listen", "127.0.0.1:0", kernel=older_kernel(LANDLOCK))
    t.holds(status == 2 and "does not confine" in said, f"status {status}: {said}")


@attack("a worker for its own user warns on such a kernel, and serves")
def _(t):
    status, said = worker_said(t, "--stdio", kernel=older_kernel(LANDLOCK), until=b"warning", seconds=10)
    t.holds(status is None and "does not confine" in said, f"status {status}: {said}")


@attack("doctor does not claim what the kernel does not hold")
def _(t):
    def confinement(kernel=None):
        done = subprocess.run([BINARY, "doctor", "--json"], capture_output=True, text=True, env=t.env, preexec_fn=kernel)
        return next(f for f in json.loads(done.stdout)["findings"] if f["what"] == "confinement")
    t.holds(confinement()["state"] == "ok", confinement())
    for calls, error in ((LANDLOCK, errno.ENOSYS), (LANDLOCK[2:], errno.EPERM)):
        found = confinement(older_kernel(calls, error))
        t.holds(found["state"] == "missing" and found["detail"] == "seccomp, no Landlock", found)


@attack("below the floor a job is still refused sockets, signals and other processes")
def _(t):
    if not os.path.exists(FAKE_CUDA):
        return
    worker = subprocess.Popen([BINARY, "worker", "--stdio", "--on", "gpu", "--driver", FAKE_CUDA, "--nvml", FAKE_CUDA, "--no-compiler"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.env,
                              preexec_fn=older_kernel(LANDLOCK))
    client = Client.of_process(worker)
    try:
        client.hello()
        answer, _ = Job(f"kernel k\nattempt connect 22\nattempt kill {worker.pid}\nattempt peek {worker.pid}\n").run(client)
        said = answer["result"]["outcome"].get("printed", "")
        t.holds(said.count("Operation not permitted") >= 3 and "done" not in said, said)
    finally:
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout, worker.stderr):
            stream.close()


# ---- shared caches ----

def token_file(t):
    return t.write("token", "a-token-that-no-other-knows\n", 0o600)


def cache_url(url, words, token=True):
    @attack(f"a shared cache at {url!r} is not asked")
    def _(t):
        env = {"TILEWRIGHT_SHARED_CACHE": url, "TILEWRIGHT_SHARED_CACHE_TOKEN": token_file(t) if token else ""}
        said = t.run("doctor", env=env).stderr.decode()
        t.holds("TILEWRIGHT_SHARED_CACHE" in said and words in said, f"said {said!r}, not {words!r}")
        t.holds("a-token-that" not in said, "the token is shown")
        said = t.run("doctor", env={**env, "TILEWRIGHT_SHARED_CACHE": "http://127.0.0.1:9/a/b"}).stderr.decode()
        t.holds("TILEWRIGHT_SHARED_CACHE" not in said, f"an honest address is refused: {said}")


for each in ("http://127.0.0.1.example.invalid/", "http://localhost.example.invalid/", "http://127.0.0.1evil.invalid/",
             "HTTP://LOCALHOST.INVALID/", "http://127.0.0.1.:9/"):
    cache_url(each, "https:// only" if not each.endswith(".:9/") else "neither a name nor an address")
for each in ("http://127.0.0.1@example.invalid/", "http://localhost:9@example.invalid/", "https://user:password@example.invalid/"):
    cache_url(each, "names a user")
for each in ("http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://0177.0.0.1/"):
    cache_url(each, "neither a name nor an address")
for each in ("http://127.0.0.1:9/a/../b", "http://127.0.0.1:9/./a", "http://127.0.0.1:9//a"):
    cache_url(each, "empty segment")
for each in ("http://127.0.0.1:9/a%2fb", "http://127.0.0.1:9/%2e%2e/b", "http://127.0.0.1:9/a%00", "http://127.0.0.1:9/a%5cb"):
    cache_url(each, "encodes")
for each in ("http://127.0.0.1:9/a?b=c", "http://127.0.0.1:9/#a", "http://127.0.0.1:9\\@example.invalid/"):
    cache_url(each, "a query, a fragment or a backslash")
for each in ("http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:/", "http://127.0.0.1:9x/"):
    cache_url(each, "from 1 to 65535")
for each in ("file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1:9"):
    cache_url(each, "neither http:// nor https://")
cache_url("http://127.0.0.1:9/a\r\nX-Evil: 1", "a character that no path has")
cache_url("http://example.invalid\r\nX: 1/", "is no host name")


@attack("a redirect leads nowhere, and the token goes to the named server only")
def _(t):
    asked = {"named": [], "other": []}

    def serve(name, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                asked[name].append((self.path, self.headers.get("Authorization"), self.headers.get("Host")))
                answer(self)
            do_PUT = do_GET
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def nothing(handler):
        handler.send_response(404)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    other = serve("other", nothing)

    def elsewhere(handler):
        handler.send_response(302)
        handler.send_header("Location", f"http://127.0.0.1:{other.server_port}{handler.path}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    named = serve("named", elsewhere)
    try:
        with open(os.path.join(ROOT, "examples", "bulk_prefetch.py")) as f:
            script = t.write("k.py", f.read())
        t.run("compile", script, "--emit", "cubin", "-o", t.work + "/out",
              env={"CUDA_HOME": plant(t.work + "/cuda"), "TILEWRIGHT_SHARED_CACHE": f"http://127.0.0.1:{named.server_port}/a",
                   "TILEWRIGHT_SHARED_CACHE_TOKEN": token_file(t)})
        t.holds(asked["named"], "the named server is not asked")
        t.holds(all(token == "Bearer a-token-that-no-other-knows" for _, token, _ in asked["named"]), "the token is missing")
        t.holds(all(host == f"127.0.0.1:{named.server_port}" for *_, host in asked["named"]), f"Host: {asked['named']}")
        t.holds(not asked["other"], f"the other server was asked: {asked['other']}")
    finally:
        for server in (named, other):
            server.shutdown()
            server.server_close()


main()
