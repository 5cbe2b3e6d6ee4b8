#!/usr/bin/env python3
"""What a repository gets from who opens, checks, builds or runs it without having said that they trust it: nothing.

    repository_test.py TILEWRIGHT [WORDS]
"""
import hashlib
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

from attack import BINARY, TESTS, attack, main

ROOT = os.path.dirname(TESTS)
from support.language_server import Client  # noqa: E402

SCRIPT = '''from tvm.script import tirx as T

@T.prim_func
def plain(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    """{doc}"""
    T.device_entry()
    i = T.thread_id([64])
    B[i] = A[i]

# tilewright: reference plain
@T.prim_func
def copy(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    i = T.thread_id([64])
    B[i] = A[i]
'''


def script(doc="Copies."):
    return SCRIPT.replace("{doc}", doc)


def evil(t, **more):
    """A checkout whose settings run a command: it leaves a mark where it was run."""
    mark = os.path.join(t.folder, "mark")
    text = more.get("text", '[remotes.lab]\nat = "exec:touch {mark}"\n[pools]\nall = ["lab", "exec:touch {mark}2"]\n')
    t.write("repo/tilewright.toml", text.format(mark=mark))
    t.write("repo/a.py", script())
    os.makedirs(os.path.join(t.work, "repo/.git"), exist_ok=True)
    return os.path.join(t.work, "repo"), mark


def worker():
    return f"exec:{BINARY} worker --stdio --on sim"


def honest(t, folder):
    """The next honest request is served."""
    done = t.run("check", os.path.join(folder, "a.py"), cwd=folder)
    t.holds(done.returncode == 0, f"check afterwards: {done.stdout}{done.stderr}")


def trusts(t, folder):
    done = t.run("trust", folder, "--yes")
    t.holds(done.returncode == 0, f"trust: {done.stdout}{done.stderr}")


def untouched(t, mark):
    time.sleep(0.05)
    t.absent(mark)
    t.absent(mark + "2")


# ---- settings of the checkout, in each command -----------------------------------------------------------------------

def command_attack(name, *words, status=2):
    @attack(f"settings of a checkout run nothing in {name}")
    def _(t):
        folder, mark = evil(t)
        done = t.run(*words, cwd=folder)
        untouched(t, mark)
        t.refuses(done, "tilewright trust", status)
        t.holds(b"touch" in done.stdout + done.stderr, f"the command is not shown: {done.stderr}")
        honest(t, folder)


command_attack("run --on a remote", "run", "a.py", "--entry", "copy", "--on", "lab")
command_attack("run --on a pool", "run", "a.py", "--entry", "copy", "--on", "all")
command_attack("run of a batch", "run", ".", "--entry", "all", "--on", "lab")
command_attack("remotes with a name", "remotes", "lab")
command_attack("remotes without names", "remotes")
command_attack("remotes --json", "remotes", "--json")
command_attack("build --on a remote", "build", "--on", "lab")
command_attack("build --test --on a pool", "build", "--test", "--on", "all")


@attack("settings of a checkout run nothing in remotes --install")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "ssh://-oProxyCommand=x"\n[remotes.box]\nat = "ssh://box"\n')
    t.write("bin/ssh", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    done = t.run("remotes", "--install", "box", cwd=folder, env={"PATH": os.path.join(t.work, "bin") + ":" + os.environ["PATH"]})
    untouched(t, mark)
    t.refuses(done, "tilewright trust", 2)


@attack("an ssh command of a checkout is not run")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "ssh://ada@gpu1"\ncommand = "/tmp/x"\n')
    t.write("bin/ssh", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    done = t.run("run", "a.py", "--entry", "copy", "--on", "lab", cwd=folder,
                 env={"PATH": os.path.join(t.work, "bin") + ":" + os.environ["PATH"]})
    untouched(t, mark)
    t.refuses(done, "ada@gpu1", 2)


@attack("an allocation of a checkout is not asked for")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "slurm:partition=gpu"\n')
    t.write("bin/salloc", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    done = t.run("run", "a.py", "--entry", "copy", "--on", "lab", cwd=folder,
                 env={"PATH": os.path.join(t.work, "bin") + ":" + os.environ["PATH"]})
    untouched(t, mark)
    t.refuses(done, "tilewright trust", 2)


@attack("commands that need no remote work without consent")
def _(t):
    folder, mark = evil(t)
    for words in (["check", "."], ["entries", "a.py"], ["run", "a.py", "--entry", "copy", "--on", "sim"], ["compile", "a.py", "--emit", "cuda"]):
        done = t.run(*words, cwd=folder)
        t.holds(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
    untouched(t, mark)


# ---- consent ---------------------------------------------------------------------------------------------------------

def run_lab(t, folder, **more):
    return t.run("run", "a.py", "--entry", "copy", "--on", "lab", cwd=folder, **more)


def consented(t, text=None):
    folder, mark = evil(t, text=(text or '[remotes.lab]\nat = "WORKER"\n').replace("WORKER", worker()))
    trusts(t, folder)
    done = run_lab(t, folder)
    t.holds(done.returncode == 0, f"what is trusted does not run: {done.stdout}{done.stderr}")
    return folder, mark


@attack("a command that changed after the consent is not run")
def _(t):
    folder, mark = consented(t)
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
    t.refuses(run_lab(t, folder), "not trusted", 2)
    untouched(t, mark)


@attack("a remote that is added after the consent takes part in it")
def _(t):
    folder, mark = consented(t)
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "{worker()}"\n[remotes.more]\nat = "exec:touch {mark}"\n')
    t.refuses(t.run("remotes", "more", cwd=folder), "not trusted", 2)
    untouched(t, mark)


@attack("a setting that is added after the consent takes part in it")
def _(t):
    folder, mark = consented(t)
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "{worker()}"\nslots = 9\n')
    t.refuses(run_lab(t, folder), "not trusted", 2)


@attack("a member that is added to a pool takes part in the consent")
def _(t):
    folder, mark = consented(t, '[remotes.lab]\nat = "WORKER"\n[pools]\nlabs = ["lab"]\n')
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "{worker()}"\n[pools]\nlabs = ["lab", "exec:touch {mark}"]\n')
    t.refuses(t.run("run", "a.py", "--entry", "copy", "--on", "labs", cwd=folder), "not trusted", 2)
    untouched(t, mark)


@attack("other changes of the settings need no consent again")
def _(t):
    folder, mark = consented(t)
    t.write("repo/tilewright.toml", f'arch = "sm_90a"\n[remotes.lab]   # another word\nat = "{worker()}"\n[limits]\nsteps = 1000000\n')
    done = run_lab(t, folder)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")


@attack("a program of the checkout that changed after the consent is not run")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "exec:./tools/worker.sh"\n')
    t.write("repo/tools/worker.sh", f"#!/bin/sh\nexec {BINARY} worker --stdio --on sim\n", 0o755)
    trusts(t, folder)
    t.holds(run_lab(t, folder).returncode == 0, "what is trusted does not run")
    t.write("repo/tools/worker.sh", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    t.refuses(run_lab(t, folder), "not trusted", 2)
    untouched(t, mark)


@attack("what an interpreter is given is part of the consent, from any folder")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "exec:sh tools/worker.sh"\n')
    t.write("repo/tools/worker.sh", f"exec {BINARY} worker --stdio --on sim\n")
    trusts(t, folder)
    t.holds(run_lab(t, folder).returncode == 0, "what is trusted does not run")
    t.write("repo/sub/tools/worker.sh", f"touch {mark}\n")
    done = t.run("run", "../a.py", "--entry", "copy", "--on", "lab", cwd=os.path.join(folder, "sub"))
    t.refuses(done, "not trusted", 2)
    untouched(t, mark)


@attack("a program outside that is replaced by a link into the checkout is not run")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "exec:./worker"\n')
    os.symlink(BINARY, os.path.join(folder, "worker"))
    trusts(t, folder)
    os.remove(os.path.join(folder, "worker"))
    t.write("repo/other", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    os.symlink("other", os.path.join(folder, "worker"))
    t.refuses(run_lab(t, folder), "not trusted", 2)
    untouched(t, mark)


@attack("a consent holds for one place, not for a copy of the checkout")
def _(t):
    folder, mark = consented(t)
    other = os.path.join(t.work, "other")
    shutil.copytree(folder, other)
    t.refuses(run_lab(t, other), "not trusted", 2)


@attack("settings that are a link to trusted ones are not trusted")
def _(t):
    folder, mark = consented(t)
    t.write("other/a.py", script())
    os.symlink(os.path.join(folder, "tilewright.toml"), os.path.join(t.work, "other/tilewright.toml"))
    t.refuses(run_lab(t, os.path.join(t.work, "other")), "not trusted", 2)


@attack("a folder that is replaced by a link to another checkout is another place")
def _(t):
    folder, mark = consented(t)
    shutil.move(folder, folder + "-real")
    t.write("evil/a.py", script())
    t.write("evil/tilewright.toml", f'[remotes.lab]\nat = "{worker()}"\n')
    os.symlink(os.path.join(t.work, "evil"), folder)
    t.refuses(run_lab(t, folder), "not trusted", 2)


@attack("settings that change while they are shown are not trusted")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "exec:true"\n')
    import pty
    read, write = pty.openpty()
    done = subprocess.Popen([BINARY, "trust"], cwd=folder, env=t.env, stdin=write, stderr=write, stdout=subprocess.PIPE)
    shown = b""
    while b"[y/N]" not in shown:
        ready = select.select([read], [], [], 20)[0]
        if not ready:
            done.kill()
        t.holds(ready, f"it asks nothing: {shown}")
        shown += os.read(read, 4096)
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
    os.write(read, b"y\n")
    out = done.communicate(timeout=60)[0]
    t.holds(done.returncode == 1, f"status {done.returncode}: {out}")
    os.close(write)
    os.close(read)
    t.refuses(run_lab(t, folder), "not trusted", 2)
    untouched(t, mark)


@attack("without a terminal nothing is agreed to")
def _(t):
    folder, mark = evil(t)
    done = t.run("trust", cwd=folder, stdin=b"y\n")
    t.holds(done.returncode == 1 and b"touch" in done.stdout, f"{done.returncode} {done.stdout}")
    t.refuses(run_lab(t, folder), "not trusted", 2)
    untouched(t, mark)


@attack("what trust shows is harmless on a terminal")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "tls://h:1"\ntoken_file = "x\\u001b]0;owned\\u0007\\u202e\\u009b2Jy"\n')
    done = t.run("trust", cwd=folder)
    for byte in (b"\x1b", b"\x07", "\u202e".encode(), "\u009b".encode()):
        t.holds(byte not in done.stdout, f"{byte} in {done.stdout}")
    t.holds(rb"x\x1b]0;owned\x07\u202e\x9b2Jy" in done.stdout, f"{done.stdout}{done.stderr}")


@attack("revoked is not trusted")
def _(t):
    folder, mark = consented(t)
    done = t.run("trust", "--revoke", cwd=folder)
    t.holds(done.returncode == 0, f"{done.stderr}")
    t.refuses(run_lab(t, folder), "not trusted", 2)


@attack("a store that others may write to allows nothing")
def _(t):
    folder, mark = consented(t)
    os.chmod(os.path.join(t.home, ".config/tilewright/trusted"), 0o777)
    t.refuses(run_lab(t, folder), "can be changed by all users", 2)
    os.chmod(os.path.join(t.home, ".config/tilewright/trusted"), 0o700)
    t.holds(run_lab(t, folder).returncode == 0, "the next honest request")


@attack("a consent that others may write to is none")
def _(t):
    folder, mark = consented(t)
    store = os.path.join(t.home, ".config/tilewright/trusted")
    for name in os.listdir(store):
        os.chmod(os.path.join(store, name), 0o666)
    t.refuses(run_lab(t, folder), "not trusted", 2)


@attack("a consent that is a link is none")
def _(t):
    folder, mark = consented(t)
    store = os.path.join(t.home, ".config/tilewright/trusted")
    for name in os.listdir(store):
        shutil.move(os.path.join(store, name), os.path.join(t.folder, name))
        os.symlink(os.path.join(t.folder, name), os.path.join(store, name))
    t.refuses(run_lab(t, folder), "not trusted", 2)


@attack("a store that comes with the checkout allows nothing")
def _(t):
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "{worker()}"\n')
    inside = {"XDG_CONFIG_HOME": os.path.join(folder, ".config")}
    done = t.run("trust", "--yes", cwd=folder, env=inside)
    t.refuses(done, "lies in", 2)
    # One that was made where the store lay elsewhere, and then committed.
    trusts(t, folder)
    shutil.copytree(os.path.join(t.home, ".config"), os.path.join(folder, ".config"), dirs_exist_ok=True)
    t.refuses(run_lab(t, folder, env=inside), "lies in", 2)


@attack("a relative folder of settings is none")
def _(t):
    folder, mark = evil(t)
    t.write("repo/conf/tilewright/config.toml", f'[remotes.mine]\nat = "exec:touch {mark}"\n')
    done = t.run("remotes", "mine", cwd=folder, env={"XDG_CONFIG_HOME": "conf"})
    untouched(t, mark)
    t.refuses(done, "there is no remote", 2)


@attack("the user's settings that others may write to are not used")
def _(t):
    folder, mark = evil(t)
    os.makedirs(os.path.join(t.home, ".config/tilewright"))
    with open(os.path.join(t.home, ".config/tilewright/config.toml"), "w") as f:
        f.write(f'[remotes.mine]\nat = "exec:touch {mark}"\n')
    os.chmod(f.name, 0o666)
    done = t.run("remotes", "mine", cwd=folder)
    untouched(t, mark)
    t.refuses(done, "can be changed by all users", 2)


@attack("a name of the user's own settings is not the checkout's")
def _(t):
    folder, mark = evil(t)
    os.makedirs(os.path.join(t.home, ".config/tilewright"))
    with open(os.path.join(t.home, ".config/tilewright/config.toml"), "w") as f:
        f.write(f'[remotes.lab]\nat = "{worker()}"\n')
    done = run_lab(t, folder)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")
    untouched(t, mark)


# ---- settings around the script --------------------------------------------------------------------------------------

@attack("settings in a parent of the script are not trusted either")
def _(t):
    folder, mark = evil(t)
    t.write("repo/deep/down/a.py", script())
    done = t.run("run", "deep/down/a.py", "--entry", "copy", "--on", "lab", cwd=folder)
    untouched(t, mark)
    t.refuses(done, "not trusted", 2)


@attack("settings of a submodule need a consent of their own")
def _(t):
    folder, mark = consented(t)
    t.write("repo/sub/.git", "gitdir: ../.git/modules/sub\n")
    t.write("repo/sub/a.py", script())
    t.write("repo/sub/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
    t.refuses(run_lab(t, os.path.join(folder, "sub")), "not trusted", 2)
    untouched(t, mark)


@attack("a program of the outer checkout that a submodule names is part of the consent")
def _(t):
    folder, mark = evil(t)
    t.write("repo/sub/.git", "gitdir: ../.git/modules/sub\n")
    t.write("repo/sub/a.py", script())
    t.write("repo/sub/tilewright.toml", '[remotes.lab]\nat = "exec:../worker.sh"\n')
    t.write("repo/worker.sh", f"#!/bin/sh\nexec {BINARY} worker --stdio --on sim\n", 0o755)
    trusts(t, os.path.join(folder, "sub"))
    t.write("repo/worker.sh", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    t.refuses(run_lab(t, os.path.join(folder, "sub")), "not trusted", 2)
    untouched(t, mark)


@attack("settings in the home folder are a project's")
def _(t):
    mark = os.path.join(t.folder, "mark")
    with open(os.path.join(t.home, "tilewright.toml"), "w") as f:
        f.write(f'[remotes.lab]\nat = "exec:touch {mark}"\n')
    with open(os.path.join(t.home, "a.py"), "w") as f:
        f.write(script())
    t.refuses(run_lab(t, t.home), "not trusted", 2)
    untouched(t, mark)


@attack("settings that are a pipe, a device or a link to one hang nothing")
def _(t):
    for make in (os.mkfifo, lambda p: os.symlink("/dev/zero", p), lambda p: os.symlink("/proc/kmsg", p), lambda p: os.symlink("/dev/tty", p)):
        t.write("repo/a.py", script())
        path = os.path.join(t.work, "repo/tilewright.toml")
        make(path)
        done = t.run("check", "a.py", cwd=os.path.join(t.work, "repo"), seconds=30)
        t.holds(done.seconds < 20, f"{done.seconds} s")
        os.remove(path)


# ---- tokens and certificates -----------------------------------------------------------------------------------------

def listener():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    server.settimeout(0.5)
    return server


def connected(server):
    try:
        server.accept()[0].close()
        return True
    except TimeoutError:
        return False


@attack("a token outside of the checkout goes nowhere without consent")
def _(t):
    server = listener()
    secret = os.path.join(t.home, "secret")
    with open(secret, "w") as f:
        f.write("S3CRET-S3CRET-S3CRET\n")
    os.chmod(secret, 0o600)
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "tls://127.0.0.1:{server.getsockname()[1]}"\ntoken_file = "~/secret"\n')
    done = run_lab(t, folder)
    t.refuses(done, f"sends the token in {secret}", 2)
    t.holds(not connected(server), "it connected")


@attack("a token in the checkout that becomes a link to a key is not sent")
def _(t):
    server = listener()
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "tls://127.0.0.1:{server.getsockname()[1]}"\ntoken_file = "lab.token"\n')
    t.write("repo/lab.token", "harmless-harmless-harmless\n", 0o600)
    trusts(t, folder)
    with open(os.path.join(t.home, "id_rsa"), "w") as f:
        f.write("S3CRET-S3CRET-S3CRET\n")
    os.chmod(f.name, 0o600)
    os.remove(os.path.join(folder, "lab.token"))
    os.symlink(f.name, os.path.join(folder, "lab.token"))
    t.refuses(run_lab(t, folder), "not trusted", 2)
    t.holds(not connected(server), "it connected")


@attack("an authority that changed after the consent vouches for no one")
def _(t):
    server = listener()
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "tls://127.0.0.1:{server.getsockname()[1]}"\nca = "ca.pem"\n')
    t.write("repo/ca.pem", "one\n")
    trusts(t, folder)
    t.write("repo/ca.pem", "another\n")
    t.refuses(run_lab(t, folder), "not trusted", 2)
    t.holds(not connected(server), "it connected")


@attack("a token, a key or an authority that is a pipe hangs nothing")
def _(t):
    for name in ("token_file", "ca"):
        folder, mark = evil(t, text=f'[remotes.lab]\nat = "tls://127.0.0.1:9"\n{name} = "pipe"\n')
        os.mkfifo(os.path.join(folder, "pipe"))
        t.run("trust", "--yes", cwd=folder, seconds=20)
        done = t.run("run", "a.py", "--entry", "copy", "--on", "lab", cwd=folder, seconds=20)
        t.refuses(done, "no plain file", 2)
        os.remove(os.path.join(folder, "pipe"))


# ---- CI --------------------------------------------------------------------------------------------------------------

def pipeline(t, **env):
    """`tilewright build --on pool` as docs/ci.md has it, of a pull request's checkout."""
    folder = os.path.join(t.work, "repo")
    return t.run("build", "--on", "pool", cwd=folder, env=env)


@attack("a pull request's remote is not used in CI")
def _(t):
    folder, mark = evil(t, text='[remotes.pool]\nat = "exec:touch {mark}"\n')
    t.refuses(pipeline(t, CI="true"), "not trusted", 2)
    untouched(t, mark)


@attack("a pull request's remote does not replace the runner's")
def _(t):
    folder, mark = evil(t, text='[remotes.pool]\nat = "exec:touch {mark}"\n')
    t.write("remotes.toml", f'[remotes.pool]\nat = "{worker()}"\n')
    done = pipeline(t, TILEWRIGHT_REMOTES=os.path.join(t.work, "remotes.toml"))
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")
    untouched(t, mark)


@attack("remotes from a file of the checkout are refused")
def _(t):
    folder, mark = evil(t, text="")
    t.write("repo/ci/remotes.toml", f'[remotes.pool]\nat = "exec:touch {mark}"\n')
    t.refuses(pipeline(t, TILEWRIGHT_REMOTES="ci/remotes.toml"), "lies in the checkout", 2)
    t.refuses(t.run("build", "--remotes", "ci/remotes.toml", "--on", "pool", cwd=folder), "lies in the checkout", 2)
    t.refuses(t.run("run", "a.py", "--on", "pool", "--remotes", os.path.join(folder, "ci/remotes.toml"), cwd=folder),
              "lies in the checkout", 2)
    untouched(t, mark)


@attack("remotes through a link of the checkout, or into it, are refused")
def _(t):
    folder, mark = evil(t, text="")
    text = f'[remotes.pool]\nat = "exec:touch {mark}"\n'
    t.write("repo/ci/remotes.toml", text)
    os.symlink(os.path.join(folder, "ci"), os.path.join(t.work, "into"))
    t.write("outside/remotes.toml", text)
    os.symlink(os.path.join(t.work, "outside"), os.path.join(folder, "out"))
    os.symlink(folder, os.path.join(t.work, "alias"))
    for path in ("into/remotes.toml", "repo/out/remotes.toml", "alias/out/remotes.toml"):
        t.refuses(pipeline(t, TILEWRIGHT_REMOTES=os.path.join(t.work, path)), "lies in the checkout", 2)
    untouched(t, mark)


@attack("remotes of the outer checkout are refused for a submodule")
def _(t):
    folder, mark = evil(t, text="")
    t.write("repo/remotes.toml", f'[remotes.pool]\nat = "exec:touch {mark}"\n')
    t.write("repo/sub/.git", "gitdir: ../.git/modules/sub\n")
    t.write("repo/sub/a.py", script())
    done = t.run("run", "a.py", "--entry", "copy", "--on", "pool", "--remotes", "../remotes.toml", cwd=os.path.join(folder, "sub"))
    t.refuses(done, "lies in the checkout", 2)
    untouched(t, mark)


@attack("remotes in the workspace of the CI system are refused, whatever the checkout looks like")
def _(t):
    t.write("repo/kernels/a.py", script())
    mark = os.path.join(t.folder, "mark")
    t.write("repo/remotes.toml", f'[remotes.pool]\nat = "exec:touch {mark}"\n')
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        done = t.run("run", "kernels/a.py", "--entry", "copy", "--on", "pool", "--remotes", "remotes.toml",
                     cwd=os.path.join(t.work, "repo"), env={name: os.path.join(t.work, "repo")})
        t.refuses(done, "lies in the checkout", 2)
    untouched(t, mark)


@attack("a file of remotes holds nothing else")
def _(t):
    evil(t, text="")
    t.write("remotes.toml", "[limits]\nsteps = 1\n")
    t.refuses(pipeline(t, TILEWRIGHT_REMOTES=os.path.join(t.work, "remotes.toml")), "there are [remotes] and [pools]", 2)


def page(language):
    with open(os.path.join(ROOT, "docs", "ci.md"), encoding="utf-8") as f:
        return [text for name, text in re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.M | re.S) if name == language]


@attack("the pipelines of docs/ci.md install and keep nothing of the checkout")
def _(t):
    for text in page("yaml"):
        if "repos:" in text:
            continue
        t.holds("wheels/" not in text, "a wheel of the checkout is installed")
        t.holds("$CI_PROJECT_DIR/" not in text and "paths: [." not in text, "a cache lies in the checkout")
        if "runs-on" in text:
            t.holds("pull_request:" not in text and "pull_request]" not in text, "the pull request brings the workflow")
            t.holds(text.index("pip install") < text.index("actions/checkout"), "installed in the checkout")
            t.holds("persist-credentials: false" in text, "the checkout holds the token")
            t.holds("if: github.event_name == 'push'" in text, "a pull request writes the cache")


# ---- kept builds and caches ------------------------------------------------------------------------------------------

def entries(t, folder=None):
    out = []
    for at, _, names in os.walk(os.path.join(folder or t.env["XDG_CACHE_HOME"], "tilewright/artifacts/entries")):
        out += [os.path.join(at, n) for n in names]
    return sorted(out)


BROKEN = script().replace("B[i] = A[i]\n\n# tile", "B[i] = Q[i]\n\n# tile")


def built(t, **env):
    folder = os.path.join(t.work, "repo")
    return t.run("build", cwd=folder, env=env)


def forged(body_of):
    """An entry with a right digest that has no key, as a pull request's job could make one."""
    return b"TWCACHE1" + hashlib.sha256(body_of).digest() + body_of


@attack("a kept build that another's job made is not believed")
def _(t):
    folder, mark = evil(t, text="")
    t.write("repo/a.py", BROKEN)
    t.holds(built(t).returncode == 1, "the script has errors")
    # The attacker's own build of a script that is fine, under the name and the key of the broken one.
    other = os.path.join(t.folder, "other-cache")
    done = built(t, XDG_CACHE_HOME=other, XDG_CONFIG_HOME=os.path.join(t.folder, "other-config"))
    t.holds(done.returncode == 1, "the attacker's")
    shutil.rmtree(t.env["XDG_CACHE_HOME"])
    shutil.copytree(other, t.env["XDG_CACHE_HOME"])
    done = built(t)
    t.holds(done.returncode == 1, "the errors are gone")
    t.holds(done.stderr.count(b"without the digest") == 1, f"said {done.stderr}")


@attack("a kept build with a right digest and no key is not believed")
def _(t):
    folder, mark = evil(t, text="")
    built(t)
    for path in entries(t):
        with open(path, "rb") as f:
            body = f.read()[40:]
        with open(path, "wb") as f:
            f.write(forged(body))
    t.write("repo/b.py", script())
    done = built(t)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")
    t.holds(b"without the digest" in done.stderr, f"said {done.stderr}")
    for path in entries(t):
        with open(path, "rb") as f:
            t.holds(f.read(8) == b"TWCACHE2", "a forged entry stays")


@attack("errors of a kept build cannot be taken out")
def _(t):
    folder, mark = evil(t, text="")
    t.write("repo/a.py", BROKEN)
    t.holds(built(t).returncode == 1, "the script has errors")
    for path in entries(t):
        with open(path, "rb") as f:
            bytes_ = f.read()
        body = bytes_[40:].replace(b"TW", b"XX")
        with open(path, "wb") as f:
            f.write(forged(body))
    t.holds(built(t).returncode == 1, "the errors are gone")


@attack("the key of another is not this user's")
def _(t):
    folder, mark = evil(t, text="")
    t.holds(built(t, TILEWRIGHT_CACHE_KEY="k" * 32).returncode == 0, "built")
    done = built(t, TILEWRIGHT_CACHE_KEY="m" * 32)
    t.holds(done.returncode == 0 and b"without the digest" in done.stderr, f"{done.stderr}")
    done = built(t, TILEWRIGHT_CACHE_KEY="m" * 32)
    t.holds(done.returncode == 0 and b"without the digest" not in done.stderr, f"said again: {done.stderr}")


@attack("the key is made once and is the user's alone")
def _(t):
    folder, mark = evil(t, text="")
    built(t)
    key = os.path.join(t.home, ".config/tilewright/keys/cache.key")
    made = open(key).read()
    t.holds(stat.S_IMODE(os.stat(key).st_mode) == 0o600 and len(made) >= 32, f"{oct(os.stat(key).st_mode)}")
    built(t)
    t.holds(open(key).read() == made, "made again")
    os.chmod(key, 0o644)
    done = built(t)
    t.holds(done.returncode == 0 and b"other users" in done.stderr, f"{done.stderr}")


@attack("a command that keeps nothing makes no key, and no folder for one")
def _(t):
    home = os.path.join(t.folder, "bare")
    os.mkdir(home)
    env = dict(HOME=home, XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
    folder, mark = evil(t, text="")
    for command in (["check", "a.py"], ["explain", "a.py"], ["compile", "a.py", "--emit", "cuda"], ["cache"]):
        t.run(*command, cwd=folder, env=env)
        t.holds(os.listdir(home) == [], f"{command} left {os.listdir(home)}")
    t.run("doctor", cwd=folder, env=env)
    t.holds(not os.path.exists(os.path.join(home, ".config")), "doctor made a key")
    t.run("build", cwd=folder, env=env)
    t.holds(os.path.exists(os.path.join(home, ".config/tilewright/keys/cache.key")), "a build keeps something, and has no key")


@attack("a short key is refused")
def _(t):
    folder, mark = evil(t, text="")
    done = built(t, TILEWRIGHT_CACHE_KEY="k")
    t.holds(b"too short" in done.stderr, f"{done.stderr}")


@attack("an entry of the cache that is a pipe hangs nothing")
def _(t):
    folder, mark = evil(t, text="")
    built(t)
    for path in entries(t):
        os.remove(path)
        os.mkfifo(path)
    done = t.run("build", cwd=folder, seconds=50)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")


# ---- limits ----------------------------------------------------------------------------------------------------------

for _name, _value, _bound in (("steps", 10**12, "80000000"), ("memory_mb", 10**12, "1024"), ("memory_mb", 1025, "1024"),
                              ("steps", 80_000_001, "80000000"), ("depth", 10**12, "1000")):
    @attack(f"a checkout that raises {_name} to {_value} is refused")
    def _(t, name=_name, value=_value, bound=_bound):
        folder, mark = evil(t, text=f"[limits]\n{name} = {value}\n")
        done = t.run("check", "a.py", cwd=folder)
        t.refuses(done, bound, 2)
        t.holds(name == "depth" or b"--limit" in done.stderr and str(value).encode() in done.stderr, f"{done.stderr}")


@attack("a loop in a checkout ends by the bound, also in a build")
def _(t):
    folder, mark = evil(t, text="[limits]\nsteps = 1000000000000\n")
    t.write("repo/a.py", "from tvm.script import tirx as T\nwhile True:\n    pass\n")
    done = t.run("build", cwd=folder, seconds=50)
    t.holds(done.returncode != 0 and done.seconds < 45, f"{done.returncode} in {done.seconds}")


@attack("more is allowed by the command line and by the user, and less by the checkout")
def _(t):
    folder, mark = evil(t, text="[limits]\nsteps = 100000000\n")
    t.holds(t.run("check", "a.py", "--limit", "steps=100000000", cwd=folder).returncode == 0, "--limit")
    os.makedirs(os.path.join(t.home, ".config/tilewright"))
    with open(os.path.join(t.home, ".config/tilewright/config.toml"), "w") as f:
        f.write("[limits]\nsteps = 100000000\n")
    t.holds(t.run("check", "a.py", cwd=folder).returncode == 0, "the user's settings")
    t.write("repo/tilewright.toml", "[limits]\nsteps = 5\n")
    t.refuses(t.run("check", "a.py", cwd=folder), "step", 1)


# ---- files that comments and folders name ----------------------------------------------------------------------------

def npy(values=64):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % values
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"\0" * (4 * values)


def with_comment(t, words):
    t.write("repo/tilewright.toml", "")
    os.makedirs(os.path.join(t.work, "repo/.git"), exist_ok=True)
    return t.write("repo/sub/a.py", script().replace("# tilewright: reference", f"# tilewright: run copy {words}\n# tilewright: reference"))


def run_comment(t, words, seconds=30):
    path = with_comment(t, words)
    return t.run("run", path, "--entry", "copy", "--on", "sim", cwd=os.path.join(t.work, "repo"), seconds=seconds)


@attack("a run comment reads files below its root")
def _(t):
    t.write("repo/sub/in.npy", npy())
    t.write("repo/sub/deep/in.npy", npy())
    for name in ("in.npy", "deep/in.npy"):
        done = run_comment(t, f"A={name}")
        t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")


@attack("a run comment reads no file above")
def _(t):
    t.write("secret.npy", npy())
    t.write("repo/in.npy", npy())
    t.refuses(run_comment(t, "A=../../secret.npy"), "leads upward", 2)
    t.refuses(run_comment(t, "A=../in.npy"), "leads upward", 2)


@attack("a run comment reads no absolute path")
def _(t):
    path = t.write("secret.npy", npy())
    t.refuses(run_comment(t, f"A={path}"), "absolute", 2)


@attack("a run comment reads nothing through a link that leads out")
def _(t):
    path = t.write("secret.npy", npy())
    os.makedirs(os.path.join(t.work, "repo/sub"))
    os.symlink(path, os.path.join(t.work, "repo/sub/in.npy"))
    t.refuses(run_comment(t, "A=in.npy"), "by a link", 2)
    os.symlink(t.work, os.path.join(t.work, "repo/sub/all"))
    t.refuses(run_comment(t, "A=all/secret.npy"), "by a link", 2)
    t.refuses(run_comment(t, "expected.B=in.npy"), "by a link", 2)


@attack("a run comment that names a pipe hangs nothing")
def _(t):
    os.makedirs(os.path.join(t.work, "repo/sub"))
    os.mkfifo(os.path.join(t.work, "repo/sub/in.npy"))
    t.refuses(run_comment(t, "A=in.npy", seconds=20), "pipe", 2)


@attack("a run comment that names a device, through a link, is refused")
def _(t):
    os.makedirs(os.path.join(t.work, "repo/sub"))
    os.symlink("/dev/zero", os.path.join(t.work, "repo/sub/in.npy"))
    t.refuses(run_comment(t, "A=in.npy", seconds=20), "by a link", 2)


@attack("a pipe or a link to a device named as a script hangs no check of the folder")
def _(t):
    folder, mark = evil(t, text="")
    os.mkfifo(os.path.join(folder, "pipe.py"))
    os.symlink("/dev/zero", os.path.join(folder, "zero.py"))
    os.symlink("/dev/tty", os.path.join(folder, "tty.py"))
    done = t.run("check", ".", cwd=folder, seconds=20)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")


@attack("a link to /proc/kmsg named as a script hangs nothing")
def _(t):
    folder, mark = evil(t, text="")
    os.symlink("/proc/kmsg", os.path.join(folder, "kmsg.py"))
    t.run("check", ".", cwd=folder, seconds=20)
    t.run("check", "kmsg.py", cwd=folder, seconds=20)
    t.run("build", cwd=folder, seconds=40)
    honest(t, folder)


@attack("devices and pipes that are named are refused without waiting")
def _(t):
    folder, mark = evil(t, text="")
    os.mkfifo(os.path.join(folder, "pipe.py"))
    os.symlink("/dev/zero", os.path.join(folder, "zero.py"))
    for name, words in (("pipe.py", "pipe"), ("zero.py", "device")):
        t.refuses(t.run("check", name, cwd=folder, seconds=20), words, 2)
    t.refuses(t.run("run", "a.py", "--entry", "copy", "--on", "sim", "--input", "A=pipe.npy", cwd=folder, seconds=20), "pipe.npy", 2)
    os.mkfifo(os.path.join(folder, "in.npy"))
    t.refuses(t.run("run", "a.py", "--entry", "copy", "--on", "sim", "--input", "A=in.npy", cwd=folder, seconds=20), "pipe", 2)


@attack("a folder full of files that are too large costs no reading of them")
def _(t):
    t.write("repo/tilewright.toml", "")
    t.write("repo/a.py", script())
    for number in range(400):
        with open(t.write(f"repo/large{number}.py", "# tilewright: arch sm_90a\n"), "r+b") as f:
            f.truncate(1 << 30)
    done = t.run("check", ".", cwd=os.path.join(t.work, "repo"), seconds=50)
    t.holds(b"large7.py is larger than 64 MB" in done.stderr and b"with 2 kernels" in done.stdout + done.stderr, f"{done.stdout[-300:]}{done.stderr[-300:]}")
    t.holds(done.seconds < 10, f"{done.seconds:.1f} s")


@attack("what a script imports is no pipe")
def _(t):
    folder, mark = evil(t, text="")
    os.mkfifo(os.path.join(folder, "other.py"))
    t.write("repo/b.py", "import other\n" + script())
    done = t.run("check", "b.py", cwd=folder, seconds=20)
    t.holds(done.seconds < 15, f"{done.seconds} s")


@attack("a script that is a link out of the checkout is not shown")
def _(t):
    folder, mark = evil(t, text="")
    with open(os.path.join(t.home, "secret.py"), "w") as f:
        f.write("from tvm.script import tirx as T\npassword = S3CRET(\n")
    os.symlink(f.name, os.path.join(folder, "b.py"))
    done = t.run("check", ".", cwd=folder)
    t.refuses(done, "leads out of its checkout", 2)
    t.holds(b"S3CRET" not in done.stdout + done.stderr, f"{done.stdout}")
    done = t.run("build", cwd=folder)
    t.holds(b"S3CRET" not in done.stdout + done.stderr, f"{done.stdout}")


# ---- the language server ---------------------------------------------------------------------------------------------

class Editor(Client):
    """An editor that says `chosen` when it is asked; what it was asked stays in `questions`."""

    def __init__(self, t, folder, chosen=None):
        super().__init__(BINARY, environment={**t.env})
        self.chosen, self.questions = chosen, []
        self.initialize({}, initializationOptions={"tilewright": {"toolchain": {"check": "off"}, "simulate": False}})
        self.path = os.path.join(folder, "a.py")
        self.uri = "file://" + self.path
        self.open(self.uri, open(self.path).read())
        self.diagnostics(self.uri, 1)

    def answered(self, method, params):
        """The answer, after the server's questions."""
        id = self.ask(method, params)
        while True:
            m = self.wait_for(lambda m: m.get("id") == id and "method" not in m or m.get("method") == "window/showMessageRequest")
            if m.get("method") != "window/showMessageRequest":
                return m
            self.questions.append(m["params"])
            self.send({"jsonrpc": "2.0", "id": m["id"], "result": {"title": self.chosen} if self.chosen else None})

    def run(self, on):
        return self.answered("tilewright/run", {"textDocument": {"uri": self.uri}, "entry": "copy", "on": on})


def editing(t, folder, chosen=None):
    return Editor(t, folder, chosen)


@attack("an editor that opens, hovers and asks for lenses runs nothing, and the lens shows the command")
def _(t):
    folder, mark = evil(t)
    c = editing(t, folder)
    try:
        lenses = c.result("textDocument/codeLens", {"textDocument": {"uri": c.uri}})
        titles = [l["command"]["title"] for l in lenses]
        t.holds(any("lab" in x and "not trusted" in x and "touch" in x for x in titles), f"{titles}")
        t.holds(any(l["command"]["command"] == "tilewright.trust" for l in lenses), f"{titles}")
        targets = c.result("tilewright/targets", {"textDocument": {"uri": c.uri}})["targets"]
        t.holds([x["trusted"] for x in targets if x["name"] == "lab"] == [False], f"{targets}")
        untouched(t, mark)
    finally:
        c.close()


@attack("an editor asks before a remote of the checkout runs, and shows the command")
def _(t):
    folder, mark = evil(t)
    c = editing(t, folder)
    try:
        answer = c.run("lab")
        t.holds("not trusted" in answer["error"]["message"], f"{answer}")
        t.holds(len(c.questions) == 1 and f"touch {mark}" in c.questions[0]["message"], f"{c.questions}")
        untouched(t, mark)
        answer = c.run("all")
        t.holds("not trusted" in answer["error"]["message"] and len(c.questions) == 1, "it asks again and again")
        untouched(t, mark)
    finally:
        c.close()


@attack("an editor's consent is to what was shown, and is kept")
def _(t):
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "{worker()}"\n')
    c = editing(t, folder, "Trust")
    try:
        answer = c.run("lab")
        t.holds(answer.get("result", {}).get("status") == 0, f"{answer}")
        t.holds(run_lab(t, folder).returncode == 0, "the command line knows of it")
        titles = [l["command"]["title"] for l in c.result("textDocument/codeLens", {"textDocument": {"uri": c.uri}})]
        t.holds(not any("not trusted" in x for x in titles), f"{titles}")
        t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
        c.chosen = None
        answer = c.run("lab")
        t.holds("not trusted" in answer["error"]["message"] and len(c.questions) == 2, f"{answer}")
        untouched(t, mark)
    finally:
        c.close()


@attack("a consent in an editor is to what was shown, not to what it has become")
def _(t):
    folder, mark = evil(t, text='[remotes.lab]\nat = "exec:true"\n')
    c = editing(t, folder, "Trust")
    send = c.send

    def changing(message):
        if isinstance(message, dict) and "result" in message and "method" not in message:
            t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
        send(message)
    c.send = changing
    try:
        answer = c.run("lab")
        t.holds("error" in answer or answer["result"]["status"] != 0, f"{answer}")
        c.send = send
        untouched(t, mark)
        t.refuses(run_lab(t, folder), "not trusted", 2)
    finally:
        c.close()


@attack("another answer than the one for consent is none")
def _(t):
    folder, mark = evil(t)
    for chosen in ("Do not trust", "trust", "Yes"):
        c = editing(t, folder, chosen)
        try:
            t.holds("not trusted" in c.run("lab")["error"]["message"], chosen)
        finally:
            c.close()
    untouched(t, mark)


@attack("a client of a port is not asked for the user's consent")
def _(t):
    folder, mark = evil(t)
    # Its user need not be the server's: tilewright/trust is refused with the words of the command line.
    path = os.path.join(t.folder, "s")
    server = subprocess.Popen([BINARY, "lsp", "--listen", "unix:" + path], env=t.env, stderr=subprocess.DEVNULL)
    try:
        s = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + 30
        while True:
            if server.poll() is not None:
                return  # this server listens nowhere
            try:
                s.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):  # a socket has its name before it listens
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        s.settimeout(20)

        def say(id, method, params):
            body = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
            s.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        say(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        say(2, "tilewright/run", {"textDocument": {"uri": "file://" + folder + "/a.py"}, "entry": "copy", "on": "lab"})
        got = b""
        while b'"id":2' not in got:
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
            t.holds(b"showMessageRequest" not in got, "it asked")
        untouched(t, mark)
    finally:
        server.terminate()
        server.wait()


PAYLOADS = ["![x](https://evil.example/a.png)", "![x](http://evil.example/a.png?s=1)", '<img src="https://evil.example/a.png">',
            "<script>fetch('https://evil.example')</script>", "[x]: https://evil.example/a.png\\n![x][x]", "![x][r]\\n[r]: //evil.example/a",
            "<https://evil.example>", "[click](command:workbench.action.terminal.new)", "```\\n```\\n![x](https://evil.example/a.png)"]


def loads(markdown):
    """What a Markdown client would load or make a link of, outside of code."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1`*\s*$", "", markdown, flags=re.M | re.S)
    text = re.sub(r"(?<!\\)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", text)
    found = re.findall(r"(?<!\\)!\[(?:[^\]\\]|\\.)*(?<!\\)\](?<!\\\])\(|(?<!\\)\]\((?!tilewright:)|(?<!\\)<[A-Za-z/!h]|https?://", text)
    return found + re.findall(r"^\s*\[[^\]]+\]:", text, re.M)


for _number, _payload in enumerate(PAYLOADS):
    @attack(f"a docstring in a hover loads nothing: {_payload[:40]}")
    def _(t, payload=_payload):
        t.write("repo/tilewright.toml", "")
        t.write("repo/a.py", "from tvm.script import tirx as T\n\ndef helper(n):\n    \"\"\"" + payload.replace("\\n", "\n    ") +
                "\"\"\"\n    return n\n\nclass Thing:\n    \"\"\"" + payload.replace("\\n", "\n    ") + "\"\"\"\n\nx = helper(3)\ny = Thing\n")
        c = Client(BINARY, environment={**t.env})
        try:
            c.initialize({"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
            path = os.path.join(t.work, "repo/a.py")
            text = open(path).read()
            c.open("file://" + path, text)
            lines = text.split("\n")
            seen = 0
            for word in ("helper(3)", "Thing\n"):
                at = text.rindex(word)
                line = text.count("\n", 0, at)
                got = c.result("textDocument/hover", {"textDocument": {"uri": "file://" + path},
                                                      "position": {"line": line, "character": at - text.rfind("\n", 0, at) - 1}})
                if not got:
                    continue
                seen += 1
                value = got["contents"]["value"]
                t.holds(not loads(value), f"{loads(value)} in {value!r}")
            t.holds(seen > 0, f"no hover in {lines}")
            at = text.rindex("helper(3)")
            line = text.count("\n", 0, at)
            items = c.result("textDocument/completion", {"textDocument": {"uri": "file://" + path},
                                                         "position": {"line": line, "character": at - text.rfind("\n", 0, at) + 2}})
            for item in items["items"]:
                documentation = item.get("documentation")
                t.holds(not isinstance(documentation, dict) or documentation["kind"] == "plaintext", f"{item}")
        finally:
            c.close()


@attack("a string that a hover shows as code does not end the code")
def _(t):
    t.write("repo/a.py", 'from tvm.script import tirx as T\nx = """a\n```\n![x](https://evil.example/a.png)\n```"""\ny = x\n')
    c = Client(BINARY, environment={**t.env})
    try:
        c.initialize({"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
        path = os.path.join(t.work, "repo/a.py")
        c.open("file://" + path, open(path).read())
        got = c.result("textDocument/hover", {"textDocument": {"uri": "file://" + path}, "position": {"line": 5, "character": 4}})
        if got:
            t.holds(not loads(got["contents"]["value"]), f"{got}")
    finally:
        c.close()


@attack("the page of view loads nothing of a docstring")
def _(t):
    folder, mark = evil(t, text="")
    t.write("repo/a.py", script('<img src=https://evil.example/a.png onerror=alert(1)> ![x](https://evil.example/b.png)'))
    done = t.run("view", "a.py", "-o", "page.html", cwd=folder)
    t.holds(done.returncode == 0, f"{done.stderr}")
    text = open(os.path.join(folder, "page.html")).read()
    found = re.search(r"""<[a-z][^>]*(?:src|href)=["']?https?://""", text)
    t.holds(not found, f"the page loads {found and found.group(0)}")


# ---- build servers ---------------------------------------------------------------------------------------------------

@attack("a build server that is started in a checkout runs nothing of its settings")
def _(t):
    folder, mark = evil(t)
    t.write("repo/b.py", script())
    done = t.run("build", "--test", "--on", "lab", cwd=folder)
    untouched(t, mark)
    t.refuses(done, "not trusted", 2)
    done = t.run("build", "--test", "--on", "sim", cwd=folder)
    t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")


@attack("a target of its own folder has settings of its own, which are not trusted")
def _(t):
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "{worker()}"\n')
    trusts(t, folder)
    t.write("repo/sub/tilewright.toml", f'[remotes.lab]\nat = "exec:touch {mark}"\n')
    t.write("repo/sub/a.py", script())
    done = t.run("build", "--test", "--on", "lab", cwd=folder)
    untouched(t, mark)
    t.holds(done.returncode != 0 and b"not trusted" in done.stdout + done.stderr, f"{done.stdout}{done.stderr}")


# ---- an honest user's set-up: at most one more step each -------------------------------------------------------------

@attack("honest: a project with remotes takes one step, at a terminal and in the editor")
def _(t):
    folder, mark = evil(t, text=f'[remotes.lab]\nat = "{worker()}"\n')
    trusts(t, folder)
    t.holds(run_lab(t, folder).returncode == 0, "the terminal")
    c = editing(t, folder)
    try:
        answer = c.run("lab")
        t.holds(answer.get("result", {}).get("status") == 0 and not c.questions, f"{answer}")
    finally:
        c.close()
    listed = json.loads(t.run("trust", "--list", "--json").stdout)
    t.holds([x["settings"] for x in listed["trusted"]] == [os.path.join(os.path.realpath(folder), "tilewright.toml")], f"{listed}")


@attack("honest: remotes of one's own need no step, nor does Slurm in them")
def _(t):
    folder, mark = evil(t, text="")
    os.makedirs(os.path.join(t.home, ".config/tilewright"))
    with open(os.path.join(t.home, ".config/tilewright/config.toml"), "w") as f:
        f.write(f'[remotes.lab]\nat = "{worker()}"\n[remotes.cluster]\nat = "slurm:partition=gpu"\n')
    t.holds(run_lab(t, folder).returncode == 0, "lab")
    t.write("bin/salloc", f"#!/bin/sh\ntouch {mark}\necho 'salloc: error: invalid partition' >&2\nexit 1\n", 0o755)
    t.run("run", "a.py", "--entry", "copy", "--on", "cluster", cwd=folder,
          env={"PATH": os.path.join(t.work, "bin") + ":" + os.environ["PATH"]})
    t.holds(os.path.exists(mark), "salloc was not asked")


@attack("honest: CI on GitHub and GitLab takes a file of remotes and a key")
def _(t):
    folder, mark = evil(t, text="")
    t.write("remotes.toml", f'[remotes.pool]\nat = "{worker()}"\n')
    env = {"TILEWRIGHT_REMOTES": os.path.join(t.work, "remotes.toml"), "TILEWRIGHT_CACHE_KEY": "0123456789abcdef0123456789abcdef"}
    tried = 0
    for text in page("yaml"):
        for command in re.findall(r"^\s*-\s+(?:run:\s+)?(tilewright .*)$", text, re.M):
            words = command.split()[1:]
            done = t.run(*words, cwd=folder, env=env)
            t.holds(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
            tried += 1
    t.holds(tried == 3, f"{tried} commands")


@attack("honest: a worker by TLS, with a token, takes one step")
def _(t):
    from support.certificates import make_certificates
    keys = os.path.join(t.folder, "keys")
    os.mkdir(keys)
    make_certificates(keys)
    token = os.path.join(keys, "token")
    with open(token, "w") as f:
        f.write("a-long-and-secret-token\n")
    os.chmod(token, 0o600)
    process = subprocess.Popen([BINARY, "worker", "--on", "sim", "--listen", "127.0.0.1:0", "--tls-cert", keys + "/server.pem",
                                "--tls-key", keys + "/server.key", "--token-file", token], env=t.env, stderr=subprocess.PIPE)
    try:
        port, lines = None, []
        while port is None:
            line = process.stderr.readline().decode()
            t.holds(line, f"the worker ended: {lines}")
            lines.append(line)
            found = re.search(r"listening on \S*?:(\d+)", line)
            port = found and found.group(1)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        folder, mark = evil(t, text=f'[remotes.lab]\nat = "tls://localhost:{port}"\nca = "{keys}/ca.pem"\ntoken_file = "{token}"\n')
        t.refuses(run_lab(t, folder), "sends the token", 2)
        trusts(t, folder)
        done = run_lab(t, folder)
        t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


if __name__ == "__main__":
    main()
