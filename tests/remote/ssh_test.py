#!/usr/bin/env python3
"""Places reached by ssh, with a server of OpenSSH of our own on this machine: reached, without tilewright, installed, used.

    ssh_test.py PROBE TILEWRIGHT        PROBE: tests/remote/launch_probe.cpp
"""
import json
import os
import pty
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

SSHD = "/usr/sbin/sshd"
PATIENCE = 40


def reason_not():
    if os.geteuid() != 0:
        return "a server of ssh wants root to let a user in"
    if not os.path.exists(SSHD) or not shutil.which("ssh"):
        return "not installed: openssh-server (apt-get install --no-install-recommends openssh-server)"
    return ""


def setUpModule():
    global server
    server = Server()


def tearDownModule():
    server.end()


class Server:
    """An sshd with a key, a port and a home folder of its own, and an ssh that knows them."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-ssh-")
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True)
        shutil.copy(self.path("user.pub"), self.path("authorized"))
        os.makedirs("/run/sshd", exist_ok=True)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.write("sshd.conf", f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.path("host")}
AuthorizedKeysFile {self.path("authorized")}
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv HOME={self.home} PATH=/usr/bin:/bin
""")
        with open(self.path("host.pub")) as f:
            self.write("known", f"[127.0.0.1]:{self.port} {f.read()}")
        self.write("ssh.conf", f"""Host box
  HostName 127.0.0.1
  Port {self.port}
  User root
Host *
  IdentityFile {self.path("user")}
  IdentitiesOnly yes
  UserKnownHostsFile {self.path("known")}
  StrictHostKeyChecking yes
""")
        # The user's own settings, which ssh takes from the home folder of the password file.
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.path("ssh.conf")} "$@"\n')
        os.chmod(self.path("bin/ssh"), 0o755)
        self.log = open(self.path("log"), "wb")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.path("sshd.conf")], stderr=self.log)
        self.env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"])
        end = time.monotonic() + PATIENCE
        while subprocess.run(["ssh", "-o", "BatchMode=yes", "box", "true"], env=self.env, capture_output=True).returncode:
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.path("log")) as f:
                    raise RuntimeError("no server of ssh: " + f.read())
            time.sleep(0.05)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)


def ask(address, *lines, env=None):
    """What the probe says to these lines, one answer each."""
    done = subprocess.run([PROBE, address], input="".join(l + "\n" for l in lines), env=env or server.env,
                          capture_output=True, text=True, timeout=PATIENCE)
    return [l for l in done.stdout.splitlines() if not l.startswith("slots")]


def worker_of(address):
    answer = ask(address, "command")[0]
    words = json.loads(answer.removeprefix("command "))
    return words, subprocess.run(words, env=server.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=PATIENCE)


INSTALLED = ".local/share/tilewright/bin"


class Ssh(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(server.home)
        os.mkdir(server.home)

    def installed(self):
        folder = os.path.join(server.home, INSTALLED)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def test_first_use_copies_this_binary_which_is_used_from_then_on(self):
        _, done = worker_of("ssh://box")
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        self.assertIn("command not found", done.stderr)
        # There is no terminal to ask at.
        self.assertRegex(ask("ssh://box", "offer without a terminal")[0],
                         r"^failed ssh://box has no tilewright \| tilewright remotes --install ssh://box")
        self.assertEqual(self.installed(), [])
        answers = ask("ssh://box", "offer")
        self.assertRegex(answers[0], r"^asked ssh://box has no tilewright. Copy this one")
        self.assertEqual(answers[-1], "offered")
        name, = self.installed()
        self.assertRegex(name, r"^tilewright-\d")
        copy = os.path.join(server.home, INSTALLED, name)
        self.assertTrue(os.stat(copy).st_mode & stat.S_IXUSR)
        with open(PROBE, "rb") as a, open(copy, "rb") as b:
            self.assertEqual(a.read(), b.read())
        _, done = worker_of("ssh://box")
        self.assertEqual((done.returncode, done.stdout), (0, "a worker\n"), done.stderr)
        self.assertEqual(ask("ssh://box", "offer"), ["there"])

    def test_a_port_and_a_user_of_the_address(self):
        ask("ssh://box", "install")
        _, done = worker_of(f"ssh://root@127.0.0.1:{server.port}")
        self.assertEqual(done.stdout, "a worker\n", done.stderr)

    def test_installing_again_changes_nothing_and_mends_what_is_broken(self):
        self.assertRegex(ask("ssh://box", "install")[-1], "^installed /.*/tilewright-")
        copy = os.path.join(server.home, INSTALLED, self.installed()[0])
        before = os.stat(copy).st_ino
        ask("ssh://box", "install")
        self.assertEqual(os.stat(copy).st_ino, before)
        with open(copy, "r+b") as f:
            f.truncate(1000)
        self.assertRegex(ask("ssh://box", "install")[-1], "^installed ")
        self.assertEqual(worker_of("ssh://box")[1].stdout, "a worker\n")
        self.assertEqual(len(self.installed()), 1)

    def test_what_the_path_and_the_settings_name_is_used(self):
        os.makedirs(os.path.join(server.home, ".local/bin"))
        os.makedirs(os.path.join(server.home, "my tools"))
        for name, says in ((".local/bin/tilewright", "from home"), ("my tools/tw", "named")):
            path = os.path.join(server.home, name)
            with open(path, "w") as f:
                f.write(f'#!/bin/sh\necho "{says}: $*"\n')
            os.chmod(path, 0o755)
        self.assertEqual(worker_of("ssh://box")[1].stdout, "from home: worker --stdio\n")
        self.assertEqual(worker_of("ssh://box?command='~/my%20tools/tw'%20--x")[1].stdout, "named: --x worker --stdio\n")
        self.assertEqual(ask("ssh://box", "offer"), ["there"])
        self.assertRegex(ask("ssh://box?command=~/tw", "install")[0], "^failed .*names its own tilewright")

    def test_a_full_disk_leaves_nothing(self):
        # No room for the copy: the folder is a file system of 64 kB.
        folder = os.path.join(server.home, ".local")
        os.mkdir(folder)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        try:
            self.assertRegex(ask("ssh://box", "install")[-1], "^failed .*could not be copied there.*No space left")
            self.assertEqual(self.installed(), [])
        finally:
            subprocess.run(["umount", folder], check=True)

    def test_a_copy_that_is_broken_off_leaves_nothing(self):
        # The machine's cat waits after the first bytes; then the client is killed.
        tools = server.path("slow")
        os.makedirs(tools, exist_ok=True)
        self.addCleanup(shutil.rmtree, tools)
        mark = server.path("slow/begun")
        with open(os.path.join(tools, "ssh"), "w") as f:
            f.write(f'#!/bin/sh\ncase "$*" in *.new-*) head -c 1000 | {server.path("bin/ssh")} "$@" & touch {mark}; wait; sleep 60;; '
                    f'*) exec {server.path("bin/ssh")} "$@";; esac\n')
        os.chmod(os.path.join(tools, "ssh"), 0o755)
        env = dict(server.env, PATH=tools + ":" + server.env["PATH"])
        probe = subprocess.Popen([PROBE, "ssh://box"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env, text=True)
        probe.stdin.write("install\n")
        probe.stdin.flush()
        end = time.monotonic() + PATIENCE
        while not os.path.exists(mark) and time.monotonic() < end:
            time.sleep(0.01)
        probe.send_signal(signal.SIGKILL)
        probe.wait()
        probe.stdin.close()
        while self.installed() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.installed(), [])

    def test_another_system_is_told(self):
        os.makedirs(server.path("other"), exist_ok=True)
        with open(server.path("other/ssh"), "w") as f:
            f.write("#!/bin/sh\necho '@@tilewright Linux aarch64'\n")
        os.chmod(server.path("other/ssh"), 0o755)
        env = dict(server.env, PATH=server.path("other") + ":" + server.env["PATH"])
        self.assertRegex(ask("ssh://box", "install", env=env)[0], "^failed ssh://box is Linux aarch64, and this binary is for Linux")

    def test_nobody_is_asked_and_nothing_waits_without_a_terminal(self):
        # A key that the server does not know: ssh would ask for a password.
        os.rename(server.path("authorized"), server.path("elsewhere"))
        self.addCleanup(os.rename, server.path("elsewhere"), server.path("authorized"))
        self.assertRegex(ask("ssh://box", "offer")[0], "^failed ssh://box cannot be reached: .*Permission denied")
        words, done = worker_of("ssh://box")
        self.assertIn("BatchMode=yes", words)
        self.assertEqual(done.returncode, 255)

    def test_a_host_that_does_not_answer(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            closed = s.getsockname()[1]
        self.assertRegex(ask(f"ssh://127.0.0.1:{closed}", "offer")[0], "^failed .*cannot be reached: .*Connection refused")


def at_terminal(words, answer):
    """What a command says on a terminal where its question gets this answer, and its status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(words[0], words, server.env)
    said, answered, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:  # the end of a terminal
                break
        if not answered and b"[y/N]" in said:
            os.write(terminal, answer)
            answered = True
    os.close(terminal)
    return said.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Whole(unittest.TestCase):
    """The commands themselves."""

    def setUp(self):
        shutil.rmtree(server.home)
        os.mkdir(server.home)
        self.script = server.path("add.py")
        with open(self.script, "w") as f:
            f.write(SCRIPT)

    def run_it(self, *words):
        return subprocess.run([TILEWRIGHT, *words], env=server.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)

    def test_a_machine_without_tilewright_gets_it_on_request(self):
        done = self.run_it("run", self.script, "--on", "ssh://box")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"ssh://box has no tilewright\n +tilewright remotes --install ssh://box")
        self.assertIn("has no tilewright", self.run_it("remotes", "ssh://box").stdout)
        done = self.run_it("remotes", "--install", "ssh://box")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_it("remotes", "ssh://box").returncode, 0)
        done = self.run_it("run", self.script, "--on", "ssh://box", "--json")
        self.assertEqual(json.loads(done.stdout)["verdict"], "verified", done.stderr)

    def test_somebody_at_a_terminal_is_asked(self):
        words = [TILEWRIGHT, "run", self.script, "--on", "ssh://box"]
        said, status = at_terminal(words, b"n\n")
        self.assertEqual(status, 2, said)
        self.assertIn("Copy this one", said)
        self.assertEqual(os.listdir(server.home), [])
        said, status = at_terminal(words, b"y\n")
        self.assertEqual(status, 0, said)
        self.assertIn("verified", said)


SCRIPT = """from tvm.script import tirx as T

# tilewright: run add reference=add A=arange


@T.prim_func
def add(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (64,), "int32")
    B = T.match_buffer(b, (64,), "int32")
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([64])
    B[tx] = A[tx] + 1
"""

if __name__ == "__main__":
    if problem := reason_not():
        print(f"SKIPPED: no test of ssh ran: {problem}", file=sys.stderr)
        sys.exit(77)
    PROBE, TILEWRIGHT = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
