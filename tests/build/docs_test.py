#!/usr/bin/env python3
"""docs_test.py TILEWRIGHT: what docs/ci.md shows is tried: its commands in a scratch workspace, its files read by those who would read
them, the CMake function in a small C++ project and docs/pytorch/torch_kernel.py on a pretended GPU (TILEWRIGHT_FAKE_CUDA).

Addresses of others (example.com, a cluster) are replaced by ones of this test; steps that install something are not taken.
"""
import glob
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
from scripts import ADD  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
FAKE = os.path.abspath(os.environ.get("TILEWRIGHT_FAKE_CUDA", "/nowhere"))
# What a machine has that was set up for these tests; a make is not needed as well.
GENERATOR = ["-G", "Ninja"] if shutil.which("ninja") else []
with open(os.path.join(ROOT, "docs", "ci.md"), encoding="utf-8") as f:
    BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.M | re.S)


def blocks(language):
    return [text for name, text in BLOCKS if name == language]


def cuda_headers():
    places = [os.environ.get("CUDA_HOME", ""), *glob.glob(os.path.join(ROOT, ".cuda", "nvidia", "cu*")), "/usr/local/cuda"]
    return next((p for p in (os.path.join(h, "include") for h in places if h) if os.path.exists(os.path.join(p, "cuda.h"))), None)


class Store(http.server.BaseHTTPRequestHandler):
    entries, tokens = {}, set()

    def do_GET(self):
        self.tokens.add(self.headers["Authorization"])
        body = self.entries.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def do_PUT(self):
        self.entries[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_):
        pass


class Scratch(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-docs-"))
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, "bin"))
        os.symlink(BINARY, os.path.join(self.root, "bin", "tilewright"))
        self.work = os.path.join(self.root, "work")
        os.makedirs(os.path.join(self.work, "kernels"))
        shutil.copy(os.path.join(HERE, "cmake", "scale.py"), os.path.join(self.work, "kernels"))
        shutil.copy(os.path.join(HERE, "cmake", "width.py"), os.path.join(self.work, "kernels"))
        self.write("add.py", ADD.format(by=1))
        self.write("tilewright.toml", "")
        self.write("../remotes.toml", '[remotes.pool]\nat = "exec:tilewright worker --stdio"\n')
        self.env = {**os.environ, "PATH": os.path.join(self.root, "bin") + ":" + os.environ["PATH"], "HOME": self.root,
                    "XDG_CONFIG_HOME": os.path.join(self.root, ".config"), "TILEWRIGHT_REMOTES": os.path.join(self.root, "remotes.toml"),
                    "XDG_CACHE_HOME": os.path.join(self.root, "cache")}

    def write(self, name, text):
        with open(os.path.join(self.work, name), "w", encoding="utf-8") as f:
            f.write(text)

    def run_it(self, *command, status=0, **more):
        done = subprocess.run(command, cwd=more.pop("cwd", self.work), env={**self.env, **more}, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        return done

    def shell(self, text, **more):
        return self.run_it("bash", "-ec", text, **more)


class Commands(Scratch):
    def test_shell_blocks(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        token = os.path.join(self.root, ".cache-token")
        with open(token, "w") as f:
            f.write("0123456789abcdef\n")
        os.chmod(token, 0o600)
        tried = 0
        # A baseline is there for the blocks that only compare.
        self.run_it("tilewright", "build", "--write-baseline", "baseline.json")
        for text in blocks("sh"):
            text = text.replace("https://cache.example.com", f"http://127.0.0.1:{server.server_port}")
            text = text.replace("/etc/tilewright/remotes.toml", self.env["TILEWRIGHT_REMOTES"])
            text = text.replace("/tmp/tilewright.sock", os.path.join(self.root, "s.sock"))
            text = re.sub(r"^sleep 1$", f"while [ ! -S {self.root}/s.sock ]; do sleep 0.05; done", text, flags=re.M)
            tried += 1
            self.shell(text, XDG_CACHE_HOME=os.path.join(self.root, f"cache{tried}"))
        self.assertGreater(tried, 5)
        self.assertIn("Bearer 0123456789abcdef", Store.tokens)
        self.assertTrue(Store.entries)

    def test_commands_of_pipelines(self):
        """Lines of YAML that call tilewright; what they leave is what later steps pick up."""
        tried = 0
        for text in blocks("yaml"):
            for command in re.findall(r"^\s*-\s+(?:run:\s+)?(tilewright .*)$", text, re.M):
                self.shell(command)
                tried += 1
            for name in re.findall(r"(?:sarif_file|junit): (\S+)|paths: \[(\S+\.sarif)\]", text):
                self.assertTrue(os.path.exists(os.path.join(self.work, name[0] or name[1])), name)
        self.assertEqual(tried, 3)

    @unittest.skipUnless(yaml, "there is no module yaml")
    def test_yaml_is_yaml(self):
        for text in blocks("yaml"):
            self.assertIsInstance(yaml.safe_load(text), dict)
        with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as f:
            hooks = {hook["id"]: hook for hook in yaml.safe_load(f)}
        (config,) = [yaml.safe_load(t) for t in blocks("yaml") if "hooks:" in t]
        for hook in config["repos"][0]["hooks"]:
            self.assertIn(hook["id"], hooks)

    def test_settings(self):
        (text,) = blocks("toml")
        self.write("../remotes.toml", text)
        # There is no cluster: what is said is that it cannot be reached, not that the settings are wrong.
        done = subprocess.run(["tilewright", "remotes", "pool", "--json"], cwd=self.work, env={**self.env, "PATH": os.path.join(self.root, "bin")},
                              capture_output=True, text=True, timeout=120)
        self.assertIn('"slurm"', done.stdout + done.stderr)

    def test_hooks(self):
        with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as f:
            entries = re.findall(r"^  entry: (.*)$", f.read(), re.M)
        self.assertEqual(len(entries), 2)
        self.write("plain.py", "import os\nprint(os.listdir('.'))\n")
        self.write("bad.py", ADD.format(by=1).replace("A[i] +", "Q[i] +"))
        for entry in entries:  # as pre-commit calls it: with the files of the commit
            self.shell(entry + " add.py plain.py kernels/scale.py")
            self.shell(entry + " plain.py")
            self.shell(entry + " add.py bad.py", status=1)


    @unittest.skipUnless(shutil.which("pre-commit") and os.path.exists(os.path.join(ROOT, ".git")), "there is no pre-commit, or no repository")
    def test_hooks_under_pre_commit(self):
        self.write("plain.py", "import os\n")
        self.shell("git init -q . && git add -A")
        for hook in ("tilewright-check", "tilewright-build"):
            self.assertIn("Passed", self.run_it("pre-commit", "try-repo", ROOT, hook, "--all-files").stdout)
        self.write("bad.py", ADD.format(by=1).replace("A[i] +", "Q[i] +"))
        self.shell("git add -A")
        self.assertIn("error[TW", self.run_it("pre-commit", "try-repo", ROOT, "tilewright-check", "--all-files", status=1).stdout)


@unittest.skipUnless(os.path.exists(FAKE), "TILEWRIGHT_FAKE_CUDA names no driver")
class Launches(Scratch):
    def setUp(self):
        super().setUp()
        self.env["FAKE_CUDA_PROGRAM"] = os.path.join(self.root, "program")
        with open(self.env["FAKE_CUDA_PROGRAM"], "w") as f:
            f.write("copy 1 0 1024\n")

    @unittest.skipUnless(shutil.which("cmake") and cuda_headers(), "there is no CMake, or no cuda.h")
    def test_cmake_project(self):
        source = os.path.join(self.root, "a project")
        shutil.copytree(os.path.join(HERE, "cmake"), source)
        out = os.path.join(self.root, "out")
        options = ["-DTILEWRIGHT=" + BINARY, "-DTILEWRIGHT_CMAKE=" + os.path.join(ROOT, "cmake"), "-DCUDA_INCLUDE=" + cuda_headers(),
                   "-DCUDA_DRIVER=" + FAKE, "-DFORMAT=cubin"]
        self.run_it("cmake", "-S", source, "-B", out, *GENERATOR, *options)
        self.run_it("cmake", "--build", out)
        done = self.run_it(os.path.join(out, "scaling"))
        self.assertEqual(done.stdout.count("image 1, as expected"), 3, done.stdout)  # 1: of sm_90a, as the pretended GPU is
        # An edit of what a script imports compiles it again; a script with errors fails the build, with its words.
        header = os.path.join(out, "scaling_kernels.tilewright", "scale.h")
        before = os.stat(header).st_mtime_ns
        self.run_it("cmake", "--build", out)
        self.assertEqual(os.stat(header).st_mtime_ns, before)  # nothing changed
        with open(os.path.join(source, "width.py"), "a") as f:
            f.write("\n# once more\n")
        self.run_it("cmake", "--build", out)
        self.assertNotEqual(os.stat(header).st_mtime_ns, before)
        with open(os.path.join(source, "scale.py"), "a") as f:
            f.write("\nbroken(\n")
        done = subprocess.run(["cmake", "--build", out], env=self.env, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error[TW", done.stdout + done.stderr)
        # What the page shows compiles against the header.
        (text,) = blocks("cpp")
        with open(os.path.join(self.root, "page.cpp"), "w") as f:
            f.write(text)
        self.run_it("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + cuda_headers(),
                    "-I" + os.path.dirname(header), os.path.join(self.root, "page.cpp"))
        (page,) = blocks("cmake")
        self.assertIn("tilewright_kernels(app_kernels SCRIPTS kernels/scale.py ARCHS sm_80 sm_90a)", page)

    def test_wrong_calls_of_the_function(self):
        for call, words in (("tilewright_kernels(k)", "SCRIPTS FILE"), ("tilewright_kernels(k SCRIPTS a.py FORMAT exe)", "cubin or fatbin"),
                            ("tilewright_kernels(k a.py SCRIPTS b.py)", "a.py")):
            with open(os.path.join(self.root, "CMakeLists.txt"), "w") as f:
                f.write(f"cmake_minimum_required(VERSION 3.21)\nproject(x LANGUAGES NONE)\ninclude({ROOT}/cmake/TilewrightKernels.cmake)\n{call}\n")
            done = subprocess.run(["cmake", "-S", self.root, "-B", os.path.join(self.root, "o"), *GENERATOR], env=self.env, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)

    TORCH = """
import ctypes, os
driver = ctypes.CDLL("libcuda.so.1")
driver.cuInit(0)
float32 = "float32"
class Tensor:
    def __init__(self, values):
        self.count, self.at = len(values), ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.at), ctypes.c_size_t(4 * self.count)) == 0
        array = (ctypes.c_float * self.count)(*values)
        assert driver.cuMemcpyHtoD_v2(self.at, array, ctypes.c_size_t(4 * self.count)) == 0
    def data_ptr(self):
        return self.at.value
    def tolist(self):
        array = (ctypes.c_float * self.count)()
        assert driver.cuMemcpyDtoH_v2(array, self.at, ctypes.c_size_t(4 * self.count)) == 0
        return list(array)
def arange(n, dtype, device):
    return Tensor([float(i) for i in range(n)])
def empty_like(other):
    return Tensor([-1.0] * other.count)
class cuda:
    class current_stream:
        cuda_stream = 0
"""

    def python(self, text, **more):
        os.makedirs(os.path.join(self.root, "lib"), exist_ok=True)
        if not os.path.exists(os.path.join(self.root, "lib", "libcuda.so.1")):
            os.symlink(FAKE, os.path.join(self.root, "lib", "libcuda.so.1"))
        with open(os.path.join(self.root, "lib", "torch.py"), "w") as f:
            f.write(self.TORCH)
        return self.run_it(sys.executable, "-c", text, LD_LIBRARY_PATH=os.path.join(self.root, "lib"),
                           PYTHONPATH=os.path.join(self.root, "lib") + ":" + os.path.join(ROOT, "docs", "pytorch"), **more)

    def test_on_tensors_of_pytorch(self):
        (text,) = blocks("python")
        (command,) = [b for b in blocks("sh") if "--emit cubin,plan" in b]
        self.shell(command)
        self.python(text + "assert b.tolist() == a.tolist()\n")

    def test_launches_are_those_of_run(self):
        """Tensor maps, clusters, attributes: what the driver is called with is what `tilewright run` calls it with."""
        compared = 0
        for script, entry in (("async_tma.py", "async_tma"), ("tma_out_of_bounds.py", "by_hand"), ("async_dsmem.py", None)):
            source = os.path.join(ROOT, "examples", script)
            out = os.path.join(self.root, "out-" + script)
            words = ["--entry", entry] if entry else []
            done = subprocess.run(["tilewright", "compile", source, *words, "--arch", "sm_90a", "--emit", "cubin,plan", "-o", out],
                                  env=self.env, capture_output=True, text=True)
            plans = sorted(glob.glob(os.path.join(out, "*.json")))
            self.assertTrue(plans, done.stderr)
            plan = plans[0]
            log = os.path.join(self.root, "torch.log")
            open(log, "w").close()
            self.python("import torch, sys\nfrom torch_kernel import Kernel\n"
                        f"k = Kernel({plan[:-5] + '.cubin'!r}, {plan!r})\n"
                        "names = list(dict.fromkeys((k.map_of(p) or {}).get('param', p['name']) for p in k.plan['params']))\n"
                        "k(*[torch.arange(1 << 18, torch.float32, 'cuda') for _ in names])\n",
                        FAKE_CUDA_LOG=log, FAKE_CUDA_PROGRAM=self.nothing())
            run = os.path.join(self.root, "run.log")
            open(run, "w").close()
            name = os.path.basename(plan)[:-5]
            entry = entry or name.split(".")[0]
            subprocess.run(["tilewright", "run", source, "--entry", entry, "--on", "gpu", "--arch", "sm_90a", "--driver", FAKE, "--repeat", "0"],
                           env={**self.env, "FAKE_CUDA_LOG": run, "FAKE_CUDA_PROGRAM": self.nothing()}, capture_output=True, text=True)
            def lines(path, what):
                with open(path, encoding="utf-8") as f:
                    return {line.strip() for line in f if line.startswith(what)}

            self.assertTrue(lines(log, "launch"), script)
            self.assertTrue(lines(log, "launch") <= lines(run, "launch"), (lines(log, "launch"), lines(run, "launch")))
            self.assertEqual(lines(log, "encode") - lines(run, "encode"), set())
            compared += 1
        self.assertEqual(compared, 3)

    def nothing(self):
        path = os.path.join(self.root, "nothing")
        with open(path, "w") as f:
            f.write("takes 10 1\n")
        return path


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
