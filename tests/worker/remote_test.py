#!/usr/bin/env python3
"""remote_test.py TILEWRIGHT: `run --on` elsewhere: commands, TCP, TLS, tokens; what comes back is what a run here gives.
Workers that are killed, connections that break, people who press Ctrl-C."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support.certificates import make_certificates  # noqa: E402
from support.patience import wait_until  # noqa: E402
from support.trust import trust  # noqa: E402
from support.worker import Worker, against_schema  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
FAKE = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Takes a few seconds on the simulator.
SLOW = """
from tvm.script import tirx as T

@T.prim_func
def slow(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([128])
    s = T.alloc_local((1,), "int32")
    s[0] = 0
    for k in T.serial(150000):
        s[0] = s[0] + A[i]
    B[i] = s[0]
"""

WRONG = """
from tvm.script import tirx as T
from lib.tiles import last

@T.prim_func
def wrong(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    smem = T.alloc_shared((64,), "int32")
    smem[i] = A[i]
    B[i] = smem[last(64) - i]
"""

# B becomes A.
COPY = """
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
    T.device_entry()
    block = T.cta_id([N // 64])
    thread = T.thread_id([64])
    B[block * 64 + thread] = A[block * 64 + thread]
"""


class Remote(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.env = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def run_it(self, *words, status=0, **more):
        done = subprocess.run([BINARY, "run", *words], capture_output=True, text=True, timeout=300, check=False,
                              env=self.env, **more)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done

    def worker(self, *options):
        worker = Worker(BINARY, *options, env=self.env)
        self.addCleanup(worker.end)
        return worker

    def reports(self, *words, status=0):
        answer = json.loads(self.run_it(*words, "--json", status=status).stdout)
        runs = answer.get("runs", [answer])
        for run in runs:
            for name in ("seconds", "where", "device", "attempt"):
                run.pop(name, None)
        return runs

    def same_as_here(self, where, *scripts, status=0):
        words = [*scripts, "--entry", "all"]
        here = self.reports(*words, "--on", "sim", status=status)
        there = self.reports(*words, "--on", where, status=status)
        self.assertTrue(here)
        self.assertEqual(here, there)

    SOME = [os.path.join(ROOT, "examples", name) for name in
            ("vector_add.py", "tma_boxes.py", "bulk_reduce.py", "tensormap_encode_consume.py", "stmatrix_fragments.py")]

    def test_a_command(self):
        self.same_as_here(f"exec:{BINARY} worker --stdio --on sim", *self.SOME)

    def test_a_port(self):
        self.same_as_here(self.worker("--on", "sim").url(), *self.SOME)

    def test_tls_with_certificates_and_a_name_in_the_settings(self):
        make_certificates(self.folder)
        at = self.path
        worker = self.worker("--on", "sim", "--tls-cert", at("server.pem"), "--tls-key", at("server.key"), "--tls-ca",
                             at("ca.pem"))
        self.path("tilewright.toml", f'[remotes.lab]\nat = "tls://localhost:{worker.port}"\nca = "ca.pem"\n'
                                     'cert = "client.pem"\nkey = "client.key"\n[pools]\nall = ["lab"]\n')
        trust(BINARY, at("tilewright.toml"))
        script = self.path("add.py", open(self.SOME[0], encoding="utf-8").read())
        for name in ("lab", "all"):
            self.same_as_here(name, script)
        url = f"tls://localhost:{worker.port}"
        for wrong, word in ((url, "certificate"), (f"{url}?ca={at('stranger.pem')}", "certificate"),
                            (f"{url}?ca={at('ca.pem')}", "lab" if False else ""),
                            (f"{url}?ca={at('ca.pem')}&cert={at('other.pem')}&key={at('other.key')}", "")):
            done = self.run_it(script, "--on", wrong, status=2)
            self.assertIn(word, done.stderr)
            self.assertTrue(done.stderr)

    def test_token(self):
        make_certificates(self.folder)
        for name, text in (("token", "a-long-and-secret-token\n"), ("wrong", "another-secret-token-x\n")):
            os.chmod(self.path(name, text), 0o600)
        at = self.path
        worker = self.worker("--on", "sim", "--tls-cert", at("server.pem"), "--tls-key", at("server.key"),
                             "--token-file", at("token"))
        url = f"tls://localhost:{worker.port}?ca={at('ca.pem')}"
        self.same_as_here(f"{url}&token-file={at('token')}", self.SOME[0])
        for wrong in (url, f"{url}&token-file={at('wrong')}"):
            done = self.run_it(self.SOME[0], "--on", wrong, status=2)
            self.assertIn("token", done.stderr)
            self.assertNotIn("secret-token", done.stderr + "".join(worker.log))

    def test_findings_have_their_places(self):
        self.path("lib/tiles.py", "def last(n):\n    return n - 1\n")
        self.path("tilewright.toml", "")
        self.same_as_here(f"exec:{BINARY} worker --stdio --on sim", self.path("wrong.py", WRONG), status=1)
        done = self.run_it(self.path("wrong.py"), "--on", f"exec:{BINARY} worker --stdio --on sim", status=1)
        self.assertIn("wrong.py:12", done.stdout + done.stderr)

    def test_limits_of_the_worker(self):
        slow = self.path("slow.py", SLOW.replace("150000", "150000000"))
        worker = self.worker("--on", "sim", "--time-limit", "4", "--memory-limit", "0.01")
        where = worker.url()
        self.assertIn("4 s", self.run_it(slow, "--on", where, "--schedules", "1", status=1).stdout)
        big = self.path("big.py", COPY.replace("N", "4194304"))
        self.assertIn("allows", self.run_it(big, "--on", where, status=1).stdout)
        self.same_as_here(where, self.SOME[0])

    def test_nobody_is_there(self):
        script = self.SOME[0]
        for where, word in (("tcp://127.0.0.1:1", "connect"), ("exec:/nowhere/tilewright worker", "No such file"),
                            ("exec:false", "status 1"), ("exec:sh -c 'echo not today >&2; exit 3'", "not today"),
                            ("exec:echo hello", ""), ("nowhere", "nowhere"), ("tcp://example.org:1", "tunnel")):
            done = self.run_it(script, "--on", where, status=2)
            self.assertIn(word, done.stderr, where)

    def test_a_worker_that_only_compiles(self):
        where = f"exec:{BINARY} worker --stdio --on none"
        self.assertIn("only compiles", self.run_it(self.SOME[0], "--on", where, status=2).stderr)

    def test_the_simulators_views_are_of_this_machine(self):
        done = self.run_it(self.SOME[0], "--on", f"exec:{BINARY} worker --stdio --on sim", "--trace", self.path("t"), status=2)
        self.assertIn("--trace", done.stderr)

    def gpu(self, *options):
        return f"exec:{BINARY} worker --stdio --on gpu --driver {FAKE} --nvml {FAKE} {' '.join(options)}"

    def fake(self, count, program):
        script = self.path(f"copy{count}.py", COPY.replace("N", str(count)))
        return [script, "--cubin", self.path("k.cubin", "kernel kernel_kernel\n" + program), "--repeat", "3",
                "--input", "A=arange", "--expect", "B=arange"]

    def test_a_gpu(self):
        words = self.fake(1 << 20, f"copy 1 0 {4 << 20}\nprint hello\n")
        here = self.reports(*words, "--on", "gpu", "--driver", FAKE, "--nvml", FAKE)[0]
        there = self.reports(*words, "--on", self.gpu())[0]
        self.assertEqual(there["verdict"], "verified")
        self.assertEqual(set(here), set(there))
        self.assertEqual(here["tensors"], there["tensors"])

    def test_what_goes_wrong_on_a_gpu(self):
        for program, word in (("fault 700\n", "fault"), ("crash\n", "lost"), ("refuse 1\n", "not_launched"),
                              ("hang\n", "timeout")):
            words = self.fake(1024, program)
            report = self.reports(*words, "--on", self.gpu("--time-limit", "1"), status=1)[0]
            self.assertEqual(report["status"], word, report)

    def test_a_killed_worker_is_replaced(self):
        slow = self.path("slow.py", SLOW)
        names = self.path("pids")
        starter = self.path("start.sh", f"echo $$ >> {names}\nexec {BINARY} worker --stdio --on sim\n")
        threading.Thread(target=self.kill_in_its_job, args=(names,), daemon=True).start()
        report = self.reports(slow, "--schedules", "1", "--on", f"exec:sh {starter}")
        with open(names, encoding="ascii") as f:
            self.assertEqual(len(f.read().split()), 2)
        self.assertEqual(report[0]["status"], "done")

    @staticmethod
    def kill_in_its_job(names):
        """Kills the first worker once a process of its has worked for a while."""
        def busy():
            try:
                with open(names, encoding="ascii") as f:
                    worker = int(f.read().split()[0])
                for pid in os.listdir("/proc"):
                    if not pid.isdigit():
                        continue
                    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                        fields = f.read().rsplit(")", 1)[1].split()
                    if int(fields[1]) == worker and int(fields[11]) > 10:  # parent; ticks of its own
                        os.kill(worker, signal.SIGKILL)
                        return True
            except (OSError, IndexError):
                pass
            return False

        wait_until("the first worker works", busy)

    def test_a_port_whose_worker_is_started_anew(self):
        slow = self.path("slow.py", SLOW)
        token = self.path("token", "a-token-of-both-workers")
        os.chmod(token, 0o600)
        first = self.worker("--on", "sim", "--token-file", token)
        first.token = "a-token-of-both-workers"
        run = subprocess.Popen([BINARY, "run", slow, "--json", "--schedules", "1", "--on",
                                f"tcp://127.0.0.1:{first.port}?token-file={token}"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until("it runs", lambda: self.counts(first)["running"] == 1)
        first.leave()
        first.process.kill()
        first.process.wait()
        # The port is free once the kernel has let go of it.
        second = Worker(BINARY, "--on", "sim", "--token-file", token, env=self.env, address=f"127.0.0.1:{first.port}")
        second.token = first.token
        self.addCleanup(second.end)
        out, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, errors)
        self.assertEqual(json.loads(out)["status"], "done")
        self.assertEqual(self.counts(second)["done"], 1)

    def test_a_worker_that_dies_again_and_again(self):
        slow = self.path("slow.py", SLOW)
        report = self.reports(slow, "--schedules", "1", "--on",
                              f"exec:timeout -s KILL 1 {BINARY} worker --stdio --on sim", status=1)
        self.assertEqual(report[0]["status"], "lost")
        self.assertIn("3 times", json.dumps(report))

    def test_ctrl_c(self):
        slow = self.path("slow.py", SLOW.replace("150000", "40000000"))
        worker = self.worker("--on", "sim")
        run = subprocess.Popen([BINARY, "run", slow, "--on", worker.url()], env=self.env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        busy = lambda: self.counts(worker)["running"] == 1  # noqa: E731
        wait_until("it runs", busy)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(30), 130)
        run.communicate()
        wait_until("it has ended there, too", lambda: self.counts(worker)["running"] == 0)

    def test_a_client_that_is_killed(self):
        slow = self.path("slow.py", SLOW.replace("150000", "40000000"))
        worker = self.worker("--on", "sim")
        run = subprocess.Popen([BINARY, "run", slow, "--on", worker.url()], env=self.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until("it runs", lambda: self.counts(worker)["running"] == 1)
        run.kill()
        run.wait()
        wait_until("it has ended there, too", lambda: self.counts(worker)["running"] == 0)
        self.same_as_here(worker.url(), self.SOME[0])

    @staticmethod
    def counts(worker):
        client = worker.connect()
        client.hello()
        out = client.request("status", {})["result"]
        client.close()
        return out

    def test_messages_fit_the_schema(self):
        seen = set()
        for number, (words, status) in enumerate((
                ([self.SOME[0], "--on", "sim"], 0), ([self.path("wrong.py", WRONG)], 1),
                ([*self.fake(1 << 20, f"copy 1 0 {4 << 20}\n"), "--on", "gpu"], 0))):
            self.path("lib/tiles.py", "def last(n):\n    return n - 1\n")
            self.path("tilewright.toml", "")
            kind = f"gpu --driver {FAKE} --nvml {FAKE}" if "gpu" in words else "sim"
            words = [w for w in words if w not in ("--on", "gpu", "sim")]
            sent, answered = self.path(f"sent{number}"), self.path(f"answered{number}")
            relay = self.path("relay.sh", f"tee {sent} | {BINARY} worker --stdio --on {kind} | tee {answered}\n")
            self.run_it(*words, "--on", f"exec:sh {relay}", status=status)
            with open(sent, "rb") as one, open(answered, "rb") as two:
                wrong, names = against_schema(one.read(), two.read())
            self.assertEqual(wrong, [])
            seen |= names
        for name in ("initialize_params", "initialize_result", "job_open_params", "job_open_result", "job_data",
                     "job_run_params", "job_run_result", "job_result"):
            self.assertIn(name, seen)

    def test_many_clients(self):
        worker = self.worker("--on", "sim", "--slots", "2")
        script, where = self.SOME[0], worker.url()
        digests, lock = [], threading.Lock()

        def one(seed):
            report = self.reports(script, "--seed", str(seed), "--on", where)
            with lock:
                digests.append((seed, json.dumps(report)))

        threads = [threading.Thread(target=one, args=(seed % 4,)) for seed in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(digests), 16)
        self.assertEqual(len(set(digests)), 4, "results of one went to another")
        self.assertEqual(self.counts(worker)["done"], 16)


if __name__ == "__main__":
    if not os.path.exists(FAKE):
        print("the stand-in for the driver is not built")
        sys.exit(1)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
