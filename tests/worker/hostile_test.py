#!/usr/bin/env python3
"""hostile_test.py TILEWRIGHT: clients that are broken, hostile or gone, and jobs that are bombs. Each is refused or
contained; a good job of another client succeeds after each of them, on the same worker.

The GPU is a stand-in for the driver (tests/gpu/fake_driver.cpp), whose cubins say in words what a kernel does.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import release  # noqa: E402,F401
from support.certificates import make_certificates  # noqa: E402
from support.jobs import COPY, Job, order  # noqa: E402
from support.jsonrpc import Closed, frame  # noqa: E402
from support.patience import wait_until  # noqa: E402
from support.worker import Worker, tls_context  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
FAKE = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
LIMIT = 1 << 30  # bytes of one job's tensors


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.env = {**os.environ, "XDG_CACHE_HOME": cls.cache.name, "TILEWRIGHT_SECRET": "hunter2"}
        cls.worker = cls.start()
        cls.base = None

    @classmethod
    def start(cls, *options, seconds=2, **how):
        return Worker(BINARY, "--on", "gpu", "--driver", FAKE, "--nvml", FAKE, "--time-limit", str(seconds), "--memory-limit",
                      "1", "--queue", "8", "--clients", "12", *options, env=how.pop("env", cls.env), **how)

    @classmethod
    def tearDownClass(cls):
        assert cls.worker.end() == 0
        cls.cache.cleanup()

    def tearDown(self):
        self.worker.leave()
        self.assertIsNone(self.worker.process.poll(), "the worker has died: " + "".join(self.worker.log[-5:]))
        self.good()

    def good(self, worker=None):
        worker = worker or self.worker
        wait_until("there is room", lambda: self.is_open(worker))
        client = worker.connect()
        self.assertIn("result", client.hello())
        job = Job()
        answer, left = job.run(client)
        self.assertEqual(answer.get("result", answer).get("outcome", {}).get("status"), "done", answer)
        self.assertEqual(left, job.data)
        client.close()

    def client(self, worker=None):
        client = (worker or self.worker).connect()
        self.assertIn("result", client.hello())
        return client

    def refused(self, answer, *words):
        self.assertIn("error", answer)
        for word in words:
            self.assertIn(word, answer["error"]["message"])

    def closed(self, client):
        """The worker has ended the connection, whatever it said before."""
        with self.assertRaises(Closed):
            while True:
                client.message()

    @staticmethod
    def send_all(client, data):
        try:
            client.raw(data)
        except OSError:
            pass  # it was ended before its end

    def outcome(self, cubin, **more):
        answer, _ = Job(cubin, **more).run(self.client())
        return answer["result"]["outcome"]

    # ---- frames ----

    def test_noise(self):
        client = self.worker.connect()
        self.send_all(client, os.urandom(100_000))
        self.closed(client)

    def test_http(self):
        client = self.worker.connect()
        client.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        message = client.message()
        self.assertEqual(message["error"]["code"], -32700)
        self.closed(client)

    def test_endless_header(self):
        client = self.worker.connect()
        self.send_all(client, b"Content-Length: " + b"1" * 100_000)
        self.closed(client)

    def test_huge_lengths(self):
        for header, word in ((b"Content-Length: 2\r\nPayload-Length: 18446744073709551615\r\n\r\n{}", "payload"),
                             (b"Content-Length: 99999999999999\r\n\r\n", "accepted")):
            client = self.client()
            client.raw(header)
            self.assertIn(word, client.message()["error"]["message"])
            self.closed(client)

    def test_payload_beyond_a_piece(self):
        client = self.client()
        client.notify("job/data", {"key": "x"}, bytes((1 << 20) + 1))
        self.assertIn("accepted", client.message()["error"]["message"])
        self.closed(client)

    def test_no_json(self):
        client = self.client()
        for body in (b"{", b"[1,2]", b"null", b'{"jsonrpc":"2.0"}', b"[" * 100_000, b"\xff\xfe", b""):
            client.raw(frame(body))
            self.assertIn("error", client.message())
        self.assertIn("result", client.request("ping", {}))

    def test_wrong_members(self):
        client = self.client()
        for method in ("job/open", "job/run", "compile", "job/close", "nonsense"):
            for params in ({"key": 5}, [], None, {"key": "x" * 100}, {"key": "a", "order": "b"}, {"attempt": "one"},
                           {"source": 7}, {"script": 3, "key": "k", "order": {}}):
                self.refused(client.request(method, params))
        self.assertIn("result", client.request("ping", {}))

    # ---- who is who ----

    def test_nothing_before_initialize(self):
        client = self.worker.connect()
        for method in ("ping", "status", "job/open", "compile", "job/run"):
            self.refused(client.request(method, {}), "initialize")

    def test_other_version(self):
        self.refused(self.worker.connect().hello(protocol=2), "install the same tilewright")

    def test_token(self):
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            with open(token, "w", encoding="ascii") as f:
                f.write("a-long-and-secret-token\n")
            os.chmod(token, 0o600)
            worker = self.start("--token-file", token)
            try:
                for wrong in ("", "a-long-and-secret-tokem", "a", "x" * 60_000):
                    client = worker.connect()
                    self.refused(client.hello(token=wrong), "token")
                    with self.assertRaises(Closed):
                        while True:
                            client.message()
                self.assertIn("result", worker.connect().hello(token="a-long-and-secret-token"))
                said = "".join(worker.log)
                with open(f"/proc/{worker.process.pid}/cmdline", "rb") as f:
                    said += f.read().decode()
                self.assertNotIn("secret-token", said)
            finally:
                self.assertEqual(worker.end(), 0)

    def test_secrets_of_the_environment(self):
        for pid in self.worker.children():
            with open(f"/proc/{pid}/environ", "rb") as f:
                self.assertNotIn(b"hunter2", f.read())

    def test_secrets_of_files_others_can_read(self):
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            with open(token, "w", encoding="ascii") as f:
                f.write("a-long-and-secret-token\n")
            os.chmod(token, 0o644)
            done = subprocess.run([BINARY, "worker", "--listen", "127.0.0.1:0", "--token-file", token],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("chmod 600", done.stderr)
            self.assertNotIn("a-long-and", done.stderr)

    def test_beyond_loopback(self):
        for options in ([], ["--on", "sim"]):
            done = subprocess.run([BINARY, "worker", "--listen", "0.0.0.0:0", *options], capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("TLS", done.stderr)

    def test_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            make_certificates(folder)
            at = lambda name: os.path.join(folder, name)  # noqa: E731
            worker = self.start("--tls-cert", at("server.pem"), "--tls-key", at("server.key"), "--tls-ca", at("ca.pem"))
            try:
                with self.assertRaises(Closed):  # no TLS at all
                    worker.connect().hello()
                silent = socket.create_connection(("127.0.0.1", worker.port))  # and says nothing: others get through
                for context in (tls_context(at("ca.pem")), tls_context(at("ca.pem"), at("other.pem"), at("other.key"))):
                    with self.assertRaises((Closed, OSError)):
                        worker.connect(context).hello()
                good = worker.connect(tls_context(at("ca.pem"), at("client.pem"), at("client.key")))
                self.assertIn("result", good.hello())
                silent.close()
            finally:
                self.assertEqual(worker.end(), 0)

    def test_more_clients_than_there_is_room_for(self):
        many = [socket.create_connection(("127.0.0.1", self.worker.port)) for _ in range(40)]
        for s in many:
            s.close()

    @staticmethod
    def is_open(worker):
        try:
            client = worker.connect()
            return "result" in client.hello()
        except (Closed, OSError):
            return False
        finally:
            client.close()

    # ---- jobs that do not fit ----

    def test_limits(self):
        client = self.client()
        for size, word in ((LIMIT + 1, "memory"), (1 << 41, "out of range"), (-1, "out of range")):
            params = {**Job().params(), "order": order(size)}
            self.refused(client.request("job/open", params), word)
        self.refused(client.request("job/open", {**Job().params(), "cubins": [1 << 40]}), "cubin")
        self.refused(client.request("job/open", {**Job().params(), "cubins": []}), "0 cubins")
        many = [{"name": f"b{i}", "bytes": 1 << 39, "role": "output"} for i in range(1000)]
        self.refused(client.request("job/open", {**Job().params(), "order": order(buffers=many)}))
        self.refused(client.request("job/open", {**Job().params(), "order": order(grid=[1 << 40, 1, 1])}), "grid")

    def test_memory_that_others_hold(self):
        client = self.client()
        answers = [client.request("job/open", Job(size=400 << 20).params()) for _ in range(7)]
        self.assertIn("result", answers[0])
        busy = [a for a in answers if "error" in a]
        self.assertTrue(busy and all(a["error"]["code"] == -32010 for a in busy), answers)
        client.close()

    def test_memory_that_nobody_uses(self):
        """A client opens what fills the worker, and leaves it at that."""
        worker = self.start("--stall-limit", "0.3")
        idle = worker.connect()
        idle.hello()
        self.assertIn("result", idle.request("job/open", (first := Job(size=64)).params()))
        while "result" in idle.request("job/open", Job(size=400 << 20).params()):
            pass
        other = worker.connect()
        other.hello()
        wait_until("others have room", lambda: "result" in other.request("job/open", Job(size=500 << 20).params()))
        # What waited longest was given up no later than the others, and its client hears of it.
        error = idle.request("job/run", first.which())["error"]
        self.assertEqual((error["code"], "given up" in error["message"]), (-32010, True))
        self.assertIn("no such job", idle.request("job/run", first.which())["error"]["message"])
        self.assertEqual(worker.end(), 0)

    def test_queue(self):
        slow = self.client()
        running = Job("kernel k\nhang\n").start(slow)
        client, answers = self.client(), []
        for _ in range(12):
            opened = client.request("job/open", (job := Job()).params())
            if "error" in opened:
                answers.append(opened)
                continue
            job.send_data(client)
            client.ask("job/run", job.which())
        self.assertTrue(answers, "a queue without end")
        self.assertEqual({a["error"]["code"] for a in answers}, {-32010})
        self.assertEqual(slow.answer(running)["result"]["outcome"]["status"], "timeout")

    def test_data_out_of_order(self):
        for where in ({"what": "buffer", "index": 0, "offset": 17}, {"what": "buffer", "index": 9, "offset": 0},
                      {"what": "buffer", "index": -1, "offset": 0}, {"what": "cubin", "index": 0, "offset": 1 << 62},
                      {"what": "buffer", "index": 1, "offset": 0}, {"what": "else", "index": 0, "offset": 0}):
            client, job = self.client(), Job()
            client.request("job/open", job.params())
            client.notify("job/data", {**job.which(), **where}, b"x" * 100)
            job.send_data(client)
            self.refused(client.request("job/run", job.which()))

    def test_more_data_than_announced(self):
        client, job = self.client(), Job()
        client.request("job/open", job.params())
        job.send_data(client)
        client.notify("job/data", {**job.which(), "what": "buffer", "index": 0, "offset": job.size}, b"more")
        self.refused(client.request("job/run", job.which()), "4 bytes")

    def test_missing_data(self):
        client, job = self.client(), Job()
        client.request("job/open", job.params())
        self.refused(client.request("job/run", job.which()), "not all there")

    # ---- jobs that go wrong ----

    def test_endless_kernel(self):
        self.assertEqual(self.outcome("kernel k\nhang\n")["status"], "timeout")

    def test_illegal_address(self):
        self.assertEqual(self.outcome("kernel k\nfault 700\n")["status"], "fault")

    def test_crash(self):
        self.assertEqual(self.outcome("kernel k\ncrash\n")["status"], "lost")

    def test_refused_launch(self):
        self.assertEqual(self.outcome("kernel k\nrefuse 1\n")["status"], "not_launched")

    def test_no_cubin(self):
        self.assertEqual(self.outcome("\x7fELF nonsense")["status"], "not_launched")

    def test_kernel_that_prints_without_end(self):
        outcome = self.outcome("kernel k\n" + "print spam and more spam\n" * 200_000)
        self.assertLess(len(outcome["printed"]), 2 << 20)

    def test_stray_writes(self):
        damage = self.outcome("kernel k\npoke 1 4096 7\n" + COPY.format(bytes=4096).split("\n", 1)[1])
        self.assertGreater(damage["buffers"][1][0], 0)

    # ---- clients that go ----

    def test_client_that_goes_midway(self):
        before = self.worker.children()
        client = self.client()
        Job("kernel k\nhang\n").start(client)
        client.close()
        wait_until("its process has ended", lambda: len(self.worker.children()) <= max(1, len(before)))

    def test_client_that_goes_while_it_sends(self):
        client, job = self.client(), Job(size=64 << 20)
        client.request("job/open", job.params())
        client.notify("job/data", {**job.which(), "what": "cubin", "index": 0, "offset": 0}, job.cubin)
        for at in range(0, 20 << 20, 1 << 20):
            client.notify("job/data", {**job.which(), "what": "buffer", "index": 0, "offset": at}, bytes(1 << 20))
        client.close()
        wait_until("its memory is free", lambda: self.client().request("status", {})["result"]["held_bytes"] == 0)

    def test_what_a_client_held_goes_with_it(self):
        open_files = lambda: len(os.listdir(f"/proc/{self.worker.process.pid}/fd"))  # noqa: E731
        wait_until("earlier clients have gone", lambda: self.client().request("status", {})["result"]["held_bytes"] == 0)
        self.worker.leave()
        wait_until("and their sockets", lambda: open_files() < 30)
        clients = [self.client() for _ in range(8)]
        for client in clients:
            client.request("job/open", Job(size=1 << 20).params())
        self.assertGreater(open_files(), 40)
        self.worker.leave()
        wait_until("its sockets and its memory", lambda: open_files() < 30)

    def test_cancel(self):
        client = self.client()
        running = Job("kernel k\nhang\n").start(client)
        client.notify("$/cancelRequest", {"id": running})
        self.refused(client.answer(running), "cancelled")
        self.assertEqual(Job().run(client)[0]["result"]["outcome"]["status"], "done")

    def test_cancel_in_the_queue(self):
        client = self.client()
        first = Job("kernel k\nhang\n").start(client)
        second = Job().start(client)
        client.notify("$/cancelRequest", {"id": second})
        self.refused(client.answer(second), "cancelled")
        client.notify("$/cancelRequest", {"id": first})
        self.refused(client.answer(first), "cancelled")

    def test_later_attempt_wins(self):
        one, two = self.client(), self.client()
        first = Job("kernel k\nhang\n", key="same")
        number = first.start(one)
        later = Job(key="same", attempt=2)
        answer, left = later.run(two)
        self.assertEqual((answer["result"]["outcome"]["status"], left), ("done", later.data))
        self.refused(one.answer(number), "later attempt")
        self.refused(one.request("job/open", Job(key="same", attempt=2).params()), "later attempt")

    def test_later_attempt_while_results_go_out(self):
        worker = self.start(seconds=60)  # for 64 MB on a busy machine
        one, two = self.client(worker), self.client(worker)
        reads, read = threading.Event(), one._read
        reads.set()
        one._read = lambda most: (read(most), reads.wait())[0]
        first = Job(size=64 << 20, key="large")  # more than goes out ahead of its reader
        first.bring(one)
        done = two.request("status", {})["result"]["done"]
        reads.clear()
        number = one.ask("job/run", first.which())
        wait_until("it is done", lambda: two.request("status", {})["result"]["done"] > done)
        later = Job(key="large", attempt=2)
        self.assertEqual(later.run(two)[0]["result"]["outcome"]["status"], "done")
        reads.set()
        self.refused(one.answer(number), "later attempt")
        self.assertEqual(Job().run(one)[0]["result"]["outcome"]["status"], "done")  # the connection goes on
        self.assertEqual(worker.end(), 0)

    def test_key_of_another_client(self):
        one, two = self.client(), self.client()
        job = Job()
        one.request("job/open", job.params())
        self.refused(two.request("job/run", job.which()), "no such job")
        self.refused(two.request("job/run", {**job.which(), "attempt": 2}), "no such job")

    # ---- compilations ----

    def compile(self, source, **more):
        client = self.client()
        answer = client.request("compile", {"source": source, "arch": "sm_90a", "options": [], **more}, 300)
        if "error" in answer and "does not compile" in answer["error"]["message"]:
            self.skipTest(answer["error"]["message"])
        return answer.get("result", answer)

    def test_includes_of_foreign_files(self):
        if not os.path.exists("/sys/kernel/security/landlock") and landlock_version() < 1:
            self.skipTest("this kernel has no Landlock")
        with tempfile.NamedTemporaryFile("w", suffix=".h") as secret:
            secret.write("TOP SECRET CONTENTS\n")
            secret.flush()
            for path in (secret.name, "/etc/passwd", "/proc/self/environ"):
                made = self.compile(f'#include "{path}"\nextern "C" __global__ void k() {{}}\n')
                self.assertEqual(made["failed"], "compilation", made)
                for word in ("SECRET", "root:", "hunter2"):
                    self.assertNotIn(word, json.dumps(made))
            made = self.compile('#include "x.h"\n', options=[f"-I{os.path.dirname(secret.name)}", "--pre-include=/etc/passwd"])
            self.assertNotIn("root:", json.dumps(made))

    def test_good_compilation(self):
        made = self.compile('#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* a) { a[0] = a[1]; }\n',
                            ptx=True)
        self.assertEqual(made["failed"], "", made)
        self.assertEqual([size > 0 for size in made["sizes"]], [True, True, False])

    def test_compile_bomb(self):
        bomb = "template<int N> struct A { A<N-1> a; A<N-2> b; };\n" \
               "#define X(n) n n n n n n n n n n\n#define Y(n) X(X(X(X(X(X(X(X(n))))))))\n" \
               'extern "C" __global__ void k(int* p) { Y(*p += 1;) }\n'
        client = self.client()
        number = client.ask("compile", {"source": bomb, "arch": "sm_90a", "options": []})
        client.notify("$/cancelRequest", {"id": number})
        answer = client.answer(number)
        self.assertIn("error", answer)

    # ---- disks and settings ----

    def test_full_disk(self):
        # A cache that cannot be written costs nothing but its use.
        env = {**self.env, "XDG_CACHE_HOME": "/dev/full/nowhere", "TMPDIR": "/dev/full"}
        worker = self.start(env=env)
        try:
            self.good(worker)
            client = worker.connect()
            client.hello()
            answer = client.request("compile", {"source": 'extern "C" __global__ void k() {}\n', "arch": "sm_90a",
                                             "options": []}, 300)
            self.assertTrue("error" in answer or answer["result"]["failed"] == "", answer)
        finally:
            self.assertEqual(worker.end(), 0)

    def test_wrong_command_lines(self):
        for words in ([], ["--stdio", "--listen", "1"], ["--listen", "nonsense"], ["--listen", "127.0.0.1:99999"],
                      ["--stdio", "--device", "-1"], ["--stdio", "--on", "gpu", "--driver", "libnone.so"],
                      ["--listen", "127.0.0.1:0", "--tls-cert", "/dev/null"], ["--listen", "127.0.0.1:0", "--tls-key", "/dev/null"]):
            done = subprocess.run([BINARY, "worker", *words], capture_output=True, text=True, timeout=60, check=False,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertTrue(done.stderr or done.stdout)


def landlock_version():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(444, None, 0, 1)


if __name__ == "__main__":
    if not os.path.exists(FAKE):
        print("the stand-in for the driver is not built")
        sys.exit(1)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
