#!/usr/bin/env python3
"""The packages of ./bootstrap package: what is in them, and that each works in an environment with nothing else and leaves no trace.

    packages_test.py BINARY BUILD [unittest arguments]
"""
import contextlib
import email.parser
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(ROOT, "packaging")]
import glibc  # noqa: E402
import notices  # noqa: E402
import scenario  # noqa: E402

BINARY, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
PACKAGE = os.path.join(ROOT, "packaging", "package.py")
HOST_GLIBC = tuple(int(part) for part in platform.libc_ver()[1].split(".")[:2])


def package(binary, folder, without="vsix", environment=None):
    return subprocess.run([sys.executable, PACKAGE, binary, folder, "--build", BUILD, "--without", without, "--quick"],
                          capture_output=True, text=True, env=environment)


def tree(folder):
    """Each path below it with its kind and size."""
    out = {}
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            out[os.path.relpath(path, folder)] = os.lstat(path).st_size if name in files else "folder"
    return out


def c_program(folder, text):
    """A program as it is linked on this system."""
    path = os.path.join(folder, "program")
    subprocess.run(["c++", "-x", "c", "-", "-o", path], input=text, text=True, check=True)
    return path


class Promise(unittest.TestCase):
    """It starts on glibc 2.35; where it was built on a newer system and would not, nothing is made, and the build says why."""

    @unittest.skipIf(HOST_GLIBC > (2, 36), "what a build on a newer system needs, newer systems have: packages are made on Debian 12")
    def test_the_binary_asks_for_nothing_newer(self):
        self.assertEqual(glibc.broken_promises(BINARY), [])

    @unittest.skipIf(HOST_GLIBC < (2, 36), "arc4random is of glibc 2.36")
    def test_a_binary_that_asks_for_more_is_not_packaged(self):
        with tempfile.TemporaryDirectory() as folder:
            program = c_program(folder, "#include <stdlib.h>\nint main(void) { return arc4random() == 7; }\n")
            said = package(program, os.path.join(folder, "out"))
            self.assertEqual(said.returncode, 3)
            self.assertIn("it needs glibc 2.36 for arc4random", said.stderr)
            self.assertIn("Debian 12", said.stderr)
            self.assertFalse(os.path.exists(os.path.join(folder, "out")))

    def test_no_library_but_the_systems_own(self):
        self.assertEqual(glibc.asked(BINARY)[1] - glibc.LIBRARIES, set())


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "build.ninja")), "notices are held against what Ninja built")
class Notices(unittest.TestCase):
    FILE = os.path.join(ROOT, "THIRD-PARTY-NOTICES.txt")

    def test_all_that_is_inside_is_named(self):
        self.assertEqual(notices.unnamed(BUILD, "tilewright", self.FILE), [])

    def test_what_is_not_named_is_found(self):
        with open(self.FILE, encoding="utf-8") as f:
            text = f.read()
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as f:
            f.write(text.replace("Debian: libssl-dev", "Debian:"))
            f.flush()
            self.assertEqual(notices.unnamed(BUILD, "tilewright", f.name), ["libssl-dev"])


@unittest.skipIf(glibc.broken_promises(BINARY), "this system's binary is not packaged (see Promise)")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.folder = cls.stack.enter_context(tempfile.TemporaryDirectory())
        made = package(BINARY, cls.folder)
        assert made.returncode == 0, made.stdout + made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def one(self, pattern):
        path, = glob.glob(os.path.join(self.folder, pattern))
        return path

    def test_sums_are_of_what_is_there(self):
        said = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)
        self.assertEqual(said.stdout.count(": OK"), 3)

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_PACKAGES_TWICE"), "twice as long: ./bootstrap check does it")
    def test_the_same_commit_makes_the_same_packages(self):
        again = os.path.join(self.scratch, "again")
        self.assertEqual(package(BINARY, again, "vsix,deb").returncode, 0)
        for name in os.listdir(again):
            if name != "SHA256SUMS":
                with open(os.path.join(again, name), "rb") as a, open(os.path.join(self.folder, name), "rb") as b:
                    self.assertEqual(a.read(), b.read(), name)

    def test_documents_and_examples_are_in_each(self):
        with zipfile.ZipFile(self.one("*.whl")) as wheel:
            wheel_has = {n.removeprefix("tilewright/share/") for n in wheel.namelist()}
        with tarfile.open(self.one("*.tar.gz")) as tar:
            tar_has = {n.split("share/tilewright/", 1)[1] for n in tar.getnames() if "share/tilewright/" in n}
        listed = subprocess.run(["dpkg-deb", "-c", self.one("*.deb")], check=True, capture_output=True, text=True).stdout
        deb_has = {line.split("share/tilewright/", 1)[1] for line in listed.splitlines() if "share/tilewright/" in line}
        for path in ("docs/manual/checking.md", "docs/language/layout.md", "docs/diagnostics.md", "examples/gemm_hopper.py",
                     "examples/tilewright.toml", "cmake/TilewrightKernels.cmake", "schema/check.json", "launcher/torch_kernel.py"):
            for kind, has in (("wheel", wheel_has), ("tarball", tar_has), ("deb", deb_has)):
                self.assertIn(path, has, kind)
        self.assertNotIn("docs/house.md", tar_has)

    # ---- the wheel --------------------------------------------------------------------------------------------------

    def environment(self):
        """A virtual environment with nothing in it but pip, and its own Python."""
        where = os.path.join(self.scratch, "environment")
        subprocess.run([sys.executable, "-m", "venv", where], check=True)
        return where, os.path.join(where, "bin", "python")

    def pip(self, python, *arguments):
        said = subprocess.run([python, "-m", "pip", "--disable-pip-version-check", *arguments], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        return said.stdout

    def test_the_wheel_works_and_leaves_no_trace(self):
        where, python = self.environment()
        before = tree(where)
        self.pip(python, "install", "--no-index", self.one("*.whl"))
        self.pip(python, "check")
        binary = os.path.join(where, "bin", "tilewright")
        scenario.try_out([binary])
        scenario.try_out([python, "-B", "-m", "tilewright"])
        self.try_kernels(python)
        self.pip(python, "uninstall", "--yes", "tilewright")
        self.assertEqual(tree(where), before)

    def try_kernels(self, python):
        """A kernel is a function of tensors, on the simulator: with the extension of the wheel and the binary beside it."""
        if not os.path.exists(os.path.join(BUILD, "python", "tilewright", "_launch.abi3.so")):
            return
        program = ("import sys; sys.path.insert(0, sys.argv[1]); import tilewright; from tensors import Tensor\n"
                   "a, b, c = (Tensor([8], values=range(8)) for _ in range(3))\n"
                   "tilewright.load(sys.argv[2])['vector_add'](a, b, c)\nprint(c.get())")
        said = subprocess.run([python, "-B", "-c", program, os.path.join(ROOT, "tests", "python"), os.path.join(ROOT, "examples", "vector_add.py")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(said.stdout, str([2.0 * i for i in range(8)]) + "\n", said.stderr)

    @unittest.skipUnless(os.environ.get("CUDA_HOME"), "no CUDA_HOME to lend")
    def test_nvidias_wheels_beside_it_are_found(self):
        where, python = self.environment()
        self.pip(python, "install", "--no-index", self.one("*.whl"))
        packages, = glob.glob(os.path.join(where, "lib", "python3*", "site-packages"))
        os.mkdir(os.path.join(packages, "nvidia"))
        os.symlink(os.environ["CUDA_HOME"], os.path.join(packages, "nvidia", "cu13"))
        binary, alone = os.path.join(where, "bin", "tilewright"), {"HOME": self.scratch, "PATH": "/nowhere"}
        found = json.loads(scenario.run([binary], "doctor", "--json", environment=alone).stdout)["findings"]
        nvrtc = next(f for f in found if f["what"] == "NVRTC")
        self.assertEqual(nvrtc["state"], "ok")
        self.assertTrue(nvrtc["detail"].startswith(packages), nvrtc)
        ptx = scenario.run([binary], "compile", "-", "--emit", "ptx", environment=alone, stdin=scenario.GOOD)
        self.assertIn(".entry kernel_kernel(", ptx.stdout)
        # A link to the binary, as pipx and uv make one on the path, leads to the same packages.
        link = os.path.join(self.scratch, "tilewright")
        os.symlink(binary, link)
        self.assertIn(packages, scenario.run([link], "doctor", environment=alone).stdout)
        # What is named is taken first.
        named = dict(alone, CUDA_HOME=os.environ["CUDA_HOME"])
        self.assertNotIn(packages, scenario.run([binary], "doctor", environment=named).stdout)

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_PACKAGE_INDEX"), "100 MB from the package index: ./bootstrap check asks for it")
    def test_the_extra_brings_nvidias_compiler(self):
        where, python = self.environment()
        self.pip(python, "install", self.one("*.whl") + "[cuda]")
        binary, alone = os.path.join(where, "bin", "tilewright"), {"HOME": self.scratch, "PATH": "/nowhere"}
        sass = scenario.run([binary], "compile", "-", "--emit", "sass", environment=alone, stdin=scenario.GOOD)
        self.assertIn("STG.E", sass.stdout, sass.stderr)

    def test_no_package_knows_where_it_was_built(self):
        # A development build looks there for NVIDIA's compiler (cmake/checkout.cpp.in); a machine that has that path must not choose it.
        with zipfile.ZipFile(self.one("*.whl")) as wheel:
            packaged = wheel.read(next(n for n in wheel.namelist() if n.endswith("/scripts/tilewright")))
        with open(BINARY, "rb") as f:
            built = f.read()
        words = b"tilewright was built in: " + ROOT.encode()
        self.assertEqual((words in built, words in packaged), (True, False))
        for path in (ROOT, BUILD):
            self.assertNotIn(path.encode() + b"/", packaged)
            self.assertNotIn(path.encode() + b"\n", packaged)

    def test_the_wheel_says_what_it_is(self):
        with zipfile.ZipFile(self.one("*.whl")) as wheel:
            names = wheel.namelist()
            read = lambda end: wheel.read(next(n for n in names if n.endswith(end))).decode()  # noqa: E731
            metadata, tags = email.parser.Parser().parsestr(read("/METADATA")), read("/WHEEL")
            self.assertIn("tilewright = tilewright.pytest_plugin", read("/entry_points.txt"))
        machine = platform.machine()
        # One wheel for all versions of Python: its extension, where it was built, keeps to the stable ABI of 3.9.
        python = "cp39-abi3" if any(n.endswith("_launch.abi3.so") for n in names) else "py3-none"
        self.assertIn(f"Tag: {python}-manylinux_2_35_{machine}\n", tags)
        self.assertTrue(self.one("*.whl").endswith(f"-{python}-manylinux_2_35_{machine}.whl"))
        self.assertLess(os.path.getsize(self.one("*.whl")), 15_000_000)
        self.assertEqual((metadata["Name"], metadata["Provides-Extra"]), ("tilewright", "cuda"))
        with open(os.path.join(ROOT, "cmake", "cuda-wheels.txt"), encoding="utf-8") as f:
            pins = sorted(line.split()[0] for line in f if line.startswith("nvidia-"))
        self.assertEqual(sorted(metadata.get_all("Requires-Dist")), [f"{pin} ; extra == 'cuda'" for pin in pins])
        for text in ("LICENSE", "THIRD-PARTY-NOTICES.txt"):
            self.assertTrue(any(n.endswith(f".dist-info/licenses/{text}") for n in names), text)

    # ---- the Debian package ------------------------------------------------------------------------------------------

    def system(self, libc):
        """A root with a dpkg that knows of one package."""
        root = os.path.join(self.scratch, "root-" + libc)
        for folder in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(root, "var", "lib", "dpkg", folder))
        architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
        with open(os.path.join(root, "var", "lib", "dpkg", "status"), "w") as f:
            f.write(f"Package: libc6\nStatus: install ok installed\nArchitecture: {architecture}\nVersion: {libc}\n"
                    "Maintainer: Test <test@localhost>\nDescription: stands for the system's own\n")
        return root

    def dpkg(self, root, *arguments):
        return subprocess.run(["dpkg", "--root", root, "--force-script-chrootless", "--log=/dev/null", *arguments],
                              capture_output=True, text=True)

    @unittest.skipUnless(os.getuid() == 0, "dpkg installs for root alone")
    def test_the_deb_works_and_leaves_no_trace(self):
        root = self.system("2.35-0ubuntu3.8")
        ours = lambda: {path: size for path, size in tree(root).items() if not path.startswith("var/lib/dpkg")}  # noqa: E731
        before = ours()
        said = self.dpkg(root, "--install", self.one("*.deb"))
        self.assertEqual(said.returncode, 0, said.stderr)
        scenario.try_out([os.path.join(root, "usr/bin/tilewright")])
        installed = set(ours())
        for path in ("usr/share/man/man1/tilewright.1.gz", "usr/share/doc/tilewright/copyright",
                     "usr/share/doc/tilewright/THIRD-PARTY-NOTICES.txt.gz", "usr/share/bash-completion/completions/tilewright",
                     "usr/share/zsh/vendor-completions/_tilewright", "usr/share/fish/vendor_completions.d/tilewright.fish"):
            self.assertIn(path, installed)
        said = self.dpkg(root, "--purge", "tilewright")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(ours(), before)
        self.assertEqual(glob.glob(os.path.join(root, "var/lib/dpkg/info/tilewright*")), [])

    @unittest.skipUnless(os.getuid() == 0, "dpkg installs for root alone")
    def test_a_system_that_is_too_old_refuses_the_deb(self):
        said = self.dpkg(self.system("2.31-13"), "--install", self.one("*.deb"))
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("libc6 (>= 2.35)", said.stderr)

    def test_the_deb_says_what_it_is(self):
        field = lambda name: subprocess.run(["dpkg-deb", "-f", self.one("*.deb"), name], check=True, capture_output=True,  # noqa: E731
                                            text=True).stdout.strip()
        self.assertEqual((field("Package"), field("Depends")), ("tilewright", "libc6 (>= 2.35)"))
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
            self.assertEqual(field("Version"), re.search(r"project\(tilewright VERSION (\S+)", f.read()).group(1))
        control = os.path.join(self.scratch, "control")
        subprocess.run(["dpkg-deb", "-e", self.one("*.deb"), control], check=True)
        self.assertEqual(sorted(os.listdir(control)), ["control", "md5sums"])  # nothing runs when it is installed

    def test_the_deb_names_whom_the_environment_names(self):
        maintained = dict(os.environ, DEBFULLNAME="Ada Example", DEBEMAIL="ada@kernels.example")
        self.assertEqual(package(BINARY, self.scratch, "vsix,wheel,tarball", maintained).returncode, 0)
        deb, = glob.glob(os.path.join(self.scratch, "*.deb"))
        said = subprocess.run(["dpkg-deb", "-f", deb, "Maintainer"], check=True, capture_output=True, text=True).stdout.strip()
        self.assertEqual(said, "Ada Example <ada@kernels.example>")
        refused = package(BINARY, self.scratch, "vsix,wheel,tarball", maintained | {"DEBEMAIL": "no address"})
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--maintainer 'NAME <ADDRESS>'", refused.stderr)

    @unittest.skipUnless(shutil.which("lintian"), "no lintian here")
    def test_lintian_finds_nothing(self):
        said = subprocess.run(["lintian", "--allow-root", self.one("*.deb")], capture_output=True, text=True)
        self.assertEqual([line for line in said.stdout.splitlines() if line[:2] in ("E:", "W:")], [])

    # ---- the tarball ---------------------------------------------------------------------------------------------------

    def test_the_tarball_works_where_it_is_unpacked(self):
        with tarfile.open(self.one("*.tar.gz")) as tar:
            tar.extractall(self.scratch)
        where = os.path.join(self.scratch, os.path.basename(self.one("*.tar.gz")).removesuffix(".tar.gz"))
        scenario.try_out([os.path.join(where, "bin", "tilewright")])
        with open(os.path.join(where, "LICENSE"), encoding="utf-8") as f:
            self.assertIn("Apache License", f.read())
        with open(os.path.join(where, "THIRD-PARTY-NOTICES.txt"), encoding="utf-8") as f:
            self.assertIn("OpenSSL", f.read())
        script = os.path.join(where, "share/bash-completion/completions/tilewright")
        ask = 'COMP_WORDS=(tilewright che); COMP_CWORD=1; _tilewright; echo "${COMPREPLY[@]}"'
        said = subprocess.run(["bash", "--norc", "-c", f"source '{script}'; {ask}"], capture_output=True, text=True)
        self.assertEqual(said.stdout, "check\n", said.stderr)

    def test_the_manual_has_every_command(self):
        with tarfile.open(self.one("*.tar.gz")) as tar:
            tar.extractall(self.scratch)
        page, = glob.glob(os.path.join(self.scratch, "*/share/man/man1/tilewright.1.gz"))
        text = subprocess.run(["zcat", page], check=True, capture_output=True, text=True).stdout
        listed = subprocess.run([BINARY, "--help"], check=True, capture_output=True, text=True).stdout
        commands = re.findall(r"^  (\w+) ", listed.split("Subcommands:")[1].split("Examples:")[0], re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            self.assertIn(f"\n.SS tilewright {command}", text)
        self.assertIn("\\fB\\-\\-stdin\\-filename TEXT\\fR", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
