"""What the attacks share: a list of them, a folder of its own for each, and the binary under attack.

    @attack("a POST whose body holds a frame runs nothing")
    def _(t):
        done = t.run("check", t.write("a.py", "..."))
        t.refuses(done, "TW1234")

An attack that lets something through raises Through (t.holds, t.refuses and t.absent do); anything else that it raises counts
as through, too. `main()` runs all of them, or those whose names contain the words given after the binary.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
FAKE_CUDA = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
ATTACKS = []


class Through(AssertionError):
    """An attack reached what it wanted."""


def attack(name):
    def add(body):
        ATTACKS.append((name, body))
        return body
    return add


class Try:
    """One attack: a scratch folder with a home of its own, so that no setting of the machine takes part."""

    def __init__(self, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.work = os.path.join(folder, "work")
        for made in (self.home, self.work):
            os.mkdir(made)
        self.env = {**os.environ, "HOME": self.home, "XDG_CONFIG_HOME": os.path.join(self.home, ".config"),
                    "XDG_CACHE_HOME": os.path.join(self.home, ".cache"), "XDG_RUNTIME_DIR": os.path.join(self.home, "run"),
                    "XDG_DATA_HOME": os.path.join(self.home, ".local/share"), "XDG_STATE_HOME": os.path.join(self.home, ".local/state")}
        os.mkdir(self.env["XDG_RUNTIME_DIR"], 0o700)

    def write(self, name, text, mode=None):
        """Writes a file below the work folder (text or bytes) and returns its path."""
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        if mode is not None:
            os.chmod(path, mode)
        return path

    def run(self, *arguments, seconds=60, memory=None, cwd=None, env=None, stdin=b""):
        """Runs the binary to its end. Returns the finished process (`stdout`, `stderr` as bytes, `seconds`, `peak` bytes)."""
        def limit():
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        began = time.monotonic()
        try:
            done = subprocess.run([BINARY, *arguments], cwd=cwd or self.work, env={**self.env, **(env or {})}, input=stdin,
                                  capture_output=True, timeout=seconds, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            raise Through(f"{' '.join(map(str, arguments))[:200]}: no end in {seconds} s") from None
        done.seconds = time.monotonic() - began
        if done.returncode < 0:
            raise Through(f"{' '.join(map(str, arguments))[:200]}: ended by signal {-done.returncode}")
        return done

    def holds(self, condition, what):
        if not condition:
            raise Through(what)

    def refuses(self, done, words, status=None):
        """The command failed and said why."""
        said = (done.stdout + done.stderr).decode(errors="replace")
        self.holds(done.returncode != 0 if status is None else done.returncode == status, f"status {done.returncode}: {said[:600]}")
        self.holds(words in said, f"said {said[:600]!r}, not {words!r}")

    def absent(self, path):
        self.holds(not os.path.lexists(path), f"{path} exists")


def got_through(name, body):
    folder = tempfile.mkdtemp(prefix="tilewright-attack-")
    try:
        body(Try(folder))
    except Exception as error:  # whatever went wrong, the attack is not known to be contained
        print(f"GOT THROUGH: {name}\n  {error}", flush=True)
        if not isinstance(error, Through):
            traceback.print_exc()
        return True
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return False


def main(at_once=1):
    """`at_once`: attacks that run beside one another, for those that mostly wait."""
    if not os.path.isfile(BINARY):
        sys.exit(f"usage: {sys.argv[0]} TILEWRIGHT [WORDS]")
    chosen = [a for a in ATTACKS if all(word in a[0] for word in sys.argv[2:])]
    with ThreadPoolExecutor(at_once) as pool:
        through = sum(pool.map(lambda a: got_through(*a), chosen))
    print(f"{len(chosen)} attacks, {through} got through")
    sys.exit(1 if through or not chosen else 0)
