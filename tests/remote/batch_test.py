#!/usr/bin/env python3
"""Many short runs on a cluster, while parts of it are killed: each comes back once, with the right values.

    batch_test.py TILEWRIGHT
"""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slurm_cluster

PATIENCE = 240
RUNS = 200

# Each entry adds another number: an answer of a neighbour would be a wrong one.
SCRIPT = """from tvm.script import tirx as T


def make(k, n):
    @T.prim_func
    def add(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (64,), "int32")
        B = T.match_buffer(b, (64,), "int32")
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s = T.alloc_local((1,), "int32")
        s[0] = A[tx]
        for i in T.serial(n):
            s[0] = s[0] + k
        B[tx] = s[0]

    return add


CONFIGS = [{"k": i, "n": %d} for i in range(%d)]


def get_kernel(k, n):
    return make(k, n)
"""

TUNED = """from tvm.script import tirx as T


# tilewright: reference make(32)
def make(THREADS):
    @T.prim_func
    def kernel(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        for i in T.serial(256 // THREADS):
            B[i * THREADS + t] = A[i * THREADS + t]

    return kernel
"""


def setUpModule():
    global cluster
    cluster = slurm_cluster.Cluster(cpus=4, gpus=2)
    cluster.__enter__()


def tearDownModule():
    cluster.__exit__()


def processes(*words):
    """Processes of this cluster's jobs and clients whose command line has these words."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read().decode(errors="replace").split("\0")
            with open(f"/proc/{pid}/environ", "rb") as f:
                ours = f"SLURM_CONF={cluster.conf}".encode() in f.read()
        except OSError:
            continue
        if ours and all(w in line for w in words):
            found.append(int(pid))
    return found


class Batch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-batch-")
        self.addCleanup(shutil.rmtree, self.folder)

    def tearDown(self):
        end = time.monotonic() + 30
        while (cluster.jobs() or processes(TILEWRIGHT)) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(cluster.jobs(), [], "an allocation outlives its command")
        self.assertEqual(processes(TILEWRIGHT), [], "a process outlives its command")

    def begin(self, rounds, runs=RUNS, on="slurm:partition=gpu,slots=2"):
        script = os.path.join(self.folder, "many.py")
        with open(script, "w") as f:
            f.write(SCRIPT % (rounds, runs))
        self.out, self.err = os.path.join(self.folder, "out.json"), os.path.join(self.folder, "err.txt")
        with open(self.out, "w") as out, open(self.err, "w") as err:
            process = subprocess.Popen([TILEWRIGHT, "run", script, "--entry", "all", "--on", on, "--json"],
                                       env=cluster.env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    @staticmethod
    def text(path):
        with open(path) as f:
            return f.read()

    def after_some(self, process, count=20):
        """Waits until some runs are done: the others are under way, and those to come are many."""
        end = time.monotonic() + PATIENCE
        while self.text(self.out).count('"verdict"') < count:
            self.assertIsNone(process.poll(), self.text(self.err))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def all_came_once(self, process, runs=RUNS):
        self.assertEqual(process.wait(PATIENCE), 0, self.text(self.err) + self.text(self.out)[-2000:])
        results = json.loads(self.text(self.out))["runs"]
        entries = collections.Counter(r["entry"] for r in results)
        self.assertEqual(len(entries), runs)
        self.assertEqual(set(entries.values()), {1}, "a run came back twice")
        self.assertEqual({r["status"] for r in results}, {"done"})
        # The values: all have the same input, so that all outputs differ unless one is another's.
        outputs = {t["sha256"] for r in results for t in r["tensors"] if t["name"] == "B"}
        self.assertEqual(len(outputs), runs)
        return results

    def test_both_slots_serve_and_nothing_is_lost(self):
        results = self.all_came_once(self.begin(1))
        self.assertEqual(len({r["where"] for r in results}), 2)
        self.assertEqual({r["attempt"] for r in results}, {1})

    def test_a_killed_worker(self):
        process = self.begin(20)
        self.after_some(process)
        os.kill(processes(TILEWRIGHT, "worker")[0], signal.SIGKILL)
        self.all_came_once(process)

    def test_a_killed_step(self):
        process = self.begin(20)
        self.after_some(process)
        for pid in processes("srun"):
            os.kill(pid, signal.SIGKILL)
        self.all_came_once(process)

    def test_a_cancelled_job(self):
        process = self.begin(20)
        self.after_some(process)
        subprocess.run(["scancel", cluster.jobs()[0].split()[0]], env=cluster.env, check=True)
        self.all_came_once(process)

    def test_a_killed_slurmd(self):
        process = self.begin(20)
        self.after_some(process)
        cluster.stop("slurmd", signal.SIGKILL)
        cluster.start("slurmd")
        self.all_came_once(process)

    def test_a_restarted_controller(self):
        process = self.begin(20)
        self.after_some(process)
        # What it has not written yet it forgets: jobs that ended would run again, with nothing to end them.
        cluster.wait_for_saved_state()
        cluster.stop("slurmctld", signal.SIGKILL)
        cluster.start("slurmctld")
        self.all_came_once(process)

    def test_a_controller_that_forgets_the_job(self):
        process = self.begin(20)
        self.after_some(process)
        cluster.forget_jobs()
        self.all_came_once(process)

    def test_a_killed_client_leaves_nothing_and_the_next_finds_room(self):
        process = self.begin(20)
        self.after_some(process)
        process.kill()
        process.wait()
        self.all_came_once(self.begin(1, 20), 20)

    def test_ctrl_c_ends_it_with_what_there_is(self):
        process = self.begin(20)
        self.after_some(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130, self.text(self.err))

    def test_keep_serves_the_next_command(self):
        state = os.path.join(self.folder, "state")
        os.mkdir(state)
        os.environ["XDG_RUNTIME_DIR"] = cluster.env["XDG_RUNTIME_DIR"] = state
        on = "slurm:partition=gpu,slots=2,keep=2"
        self.all_came_once(self.begin(1, 10, on), 10)
        first = cluster.jobs()
        self.all_came_once(self.begin(1, 10, on), 10)
        self.assertEqual(cluster.jobs(), first)
        self.assertEqual(len(first), 1)

    def test_tune_and_a_timeline_on_a_partition(self):
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        with open(os.path.join(self.folder, "k.py"), "w") as f:
            f.write(TUNED)
        with open(os.path.join(self.folder, "program"), "w") as f:
            f.write("copy 1 0 1024\nvariable tilewright_marks 2101248\nword tilewright_marks 5 4\nword tilewright_marks 2 900\nword tilewright_marks 3 900\n")
        for library in ("libcuda.so.1", "libnvidia-ml.so.1"):
            os.symlink(fake, os.path.join(self.folder, library))
        env = {**cluster.env, "LD_LIBRARY_PATH": self.folder, "FAKE_CUDA_PROGRAM": os.path.join(self.folder, "program")}

        def asked(*words):
            done = subprocess.run([TILEWRIGHT, *words, "--on", "slurm:partition=gpu,slots=2", "--json"], cwd=self.folder, env=env,
                                  capture_output=True, text=True, timeout=PATIENCE)
            if "no CUDA compiler" in done.stderr + done.stdout:
                self.skipTest("no NVRTC here")
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout[-2000:])
            return json.loads(done.stdout)

        record = asked("tune", "k.py", "--entry", "make(*)", "--space", "THREADS=16,32,64,128", "--no-races")
        self.assertEqual(sorted(c["fate"] for c in record["candidates"]), ["best", "level", "level", "level"])
        self.assertEqual(cluster.jobs(), [])
        report = asked("run", "k.py", "--entry", "make(128)", "--trace", "t.json", "--repeat", "1")
        self.assertEqual(report["timeline"]["ctas"], 1)
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "t.json")) > 0)


if __name__ == "__main__":
    if problem := slurm_cluster.reason_not():
        print(f"SKIPPED: no test of Slurm ran: {problem}", file=sys.stderr)
        sys.exit(77)
    TILEWRIGHT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
