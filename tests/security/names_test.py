#!/usr/bin/env python3
"""What a script names cannot leave its place: names become identifiers or errors, texts become literals, and files are
written where they were asked for, whole or not at all."""
import os
import re
import resource
import shutil
import stat
import subprocess
import threading

from attack import BINARY, attack, main

KERNEL = '''from tvm.script import tirx as T

@T.prim_func
def {name}(a: T.handle{parameters}):
    {naming}
    A = T.match_buffer(a, (64,), "float32")
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([64])
    {body}
'''


def script(naming="pass", body="A[tx] = A[tx] + T.float32(1)", name="k", parameters=""):
    return KERNEL.format(naming=naming, body=body, name=name, parameters=parameters)


def honest(t):
    """The next honest request is served."""
    folder = os.path.join(t.folder, "honest")
    done = t.run("compile", t.write("honest.py", script('T.func_attr({"global_symbol": "good_1"})')), "--emit", "cuda,host,tirx", "-o", folder)
    t.holds(done.returncode == 0, f"an honest script: {(done.stdout + done.stderr).decode()}")
    text = open(os.path.join(folder, "good_1.k.cu" if os.path.exists(os.path.join(folder, "good_1.k.cu")) else "good_1.cu")).read()
    t.holds("good_1_kernel(" in text, "the honest kernel has its name")


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, names in os.walk(folder) for f in names)


def refused_name(t, text, code):
    """`check` refuses with the code at a place of the script, and `compile -o` writes nothing."""
    path = t.write("evil.py", text)
    done = t.run("check", path)
    t.refuses(done, code, status=1)
    t.holds(re.search(rb"evil\.py:\d+:\d+: error\[" + code.encode(), done.stdout), f"no place: {done.stdout[:300]!r}")
    before = files_below(t.folder)
    out = os.path.join(t.work, "out")
    t.run("compile", path, "--emit", "report,tirx,lowered,cuda,plan,host", "-o", out)
    made = [f for f in files_below(t.folder) if f not in before and not f.startswith("work/out/k.")]
    t.holds(not [f for f in made if not f.startswith("home/")], f"files appeared: {made}")
    honest(t)


SYMBOLS = {
    "a path": "../../evil", "an absolute path": "/tmp/tilewright-evil", "a folder above": "..", "a line end": "a\nb",
    "a quote and a call": 'a"; system("id"); "', "the end of a comment": "a*/ int x; /*", "a blank": "a b", "nothing": "",
    "a digit first": "1a", "NUL": "a\0b", "an escape sequence": "\x1b[31mred", "letters of another alphabet": "käse",
    "a megabyte": "x" * 1_000_000, "a backslash": "a\\", "a dot": "a.b", "a bidi control": "a\u202eb", "a parameter list": "a() {} void b",
}
for what, symbol in SYMBOLS.items():
    def one(t, symbol=symbol):
        refused_name(t, script(f'T.func_attr({{"global_symbol": {symbol!r}}})'), "TW2120")
    attack(f"global_symbol with {what} is an error, and no file")(one)

for what in ("a path", "a line end", "a quote and a call"):
    def one(t, symbol=SYMBOLS[what]):
        refused_name(t, script(f"T.func_name({symbol!r})"), "TW2120")
    attack(f"T.func_name with {what} is an error")(one)


@attack("a function in letters of another alphabet is an error unless it is given a symbol")
def _(t):
    refused_name(t, script(name="ядро"), "TW2120")
    done = t.run("check", t.write("named.py", script('T.func_attr({"global_symbol": "core"})', name="ядро")))
    t.holds(done.returncode == 0, f"with a symbol it is fine: {done.stdout.decode()}")


@attack("a symbol made of a parameter is refused where it is made")
def _(t):
    text = script('T.func_attr({"global_symbol": "k_" + suffix})').replace("@T.prim_func", "def make(suffix):\n  @T.prim_func", 1)
    head, _, body = text.partition("  @T.prim_func\n")
    text = head + "    @T.prim_func\n" + "".join("    " + line + "\n" for line in body.splitlines()) + "    return k\n"
    path = t.write("evil.py", text)
    done = t.run("compile", path, "--entry", 'make("../x")', "-o", os.path.join(t.work, "out"))
    t.refuses(done, "TW2120", status=1)
    t.holds(not os.path.exists(os.path.join(t.work, "x.txt")), "a file beside the folder")
    t.holds(t.run("compile", path, "--entry", 'make("x")', "-o", os.path.join(t.work, "out")).returncode == 0, "make('x')")


@attack("a symbol of 255 letters has files of fitting names")
def _(t):
    done = t.run("compile", t.write("long.py", script(f'T.func_attr({{"global_symbol": "{"k" * 255}"}})')), "--emit", "cuda", "-o",
                 os.path.join(t.work, "out"))
    t.holds(done.returncode == 0, done.stderr.decode())
    t.holds(len(files_below(os.path.join(t.work, "out"))) == 1, "one file")


CALLS = {
    "a second statement": 'f(1.f); asm volatile("trap;"); g', "a keyword": "sizeof", "a line end": "f\n#include <x>\n", "a comment": "f/*",
    "an empty part": "a::::b", "an escape sequence": "f\x1b[2J", "a megabyte": "f" * 1_000_000, "a digit first": "ns::1f",
}
for what, name in CALLS.items():
    def one(t, name=name):
        refused_name(t, script(body=f'A[tx] = T.call_extern("float32", {name!r}, A[tx])'), "TW2120")
    attack(f"T.call_extern of {what} is an error")(one)


@attack("T.cuda.func_call of a name that is none is an error, one in a namespace is called")
def _(t):
    source = "__device__ float f(float x) { return x; }"
    name = 'f(x), asm("trap;"), f'
    refused_name(t, script(body=f'A[tx] = T.cuda.func_call({name!r}, A[tx], source_code={source + name!r}, return_type="float32")'), "TW2120")
    raw = "namespace mine { __device__ float f(float x) { return ::sqrtf(x); } }  // mine::f"
    done = t.run("compile", t.write("raw.py", script(body=f'A[tx] = T.cuda.func_call("mine::f", A[tx], source_code={raw!r}, return_type="float32")')),
                 "--emit", "cuda")
    t.holds(done.returncode == 0 and raw in done.stdout.decode(), "the author's own source stays as it is")


WORDS = {
    "a register": 'T.evaluate(T.ptx.fetch_register(32, "laneid; trap"))',
    "an accumulator's type": 'T.ptx.mma("m16n8k8\\"); asm(\\"trap", "row", "col", "float32", "float16", "float16", "float32", [A.ptr_to([0])], [A.ptr_to([0])], [A.ptr_to([0])])',
    "a type of a load": 'T.evaluate(T.cuda.ldg(A.ptr_to([0]), "float32 x; asm(1)"))',
    "a shape of tensor memory": 'T.ptx.tcgen05.ld(0, A.ptr_to([0]), shape="32x32b\\n", num=1)',
}
for what, body in WORDS.items():
    def one(t, body=body):
        path = t.write("evil.py", script(body=body))
        done = t.run("check", path, "--arch", "sm_100a")
        t.holds(done.returncode == 1, f"{what} passed: {done.stdout.decode()}")
        text = t.run("compile", path, "--arch", "sm_100a", "--emit", "cuda").stdout
        t.holds(b"trap" not in text and b"asm(1)" not in text, f"it is in the text: {text!r}")
        honest(t)
    attack(f"{what} that holds a statement is an error")(one)


@attack("a format of printf is one literal, whatever it holds")
def _(t):
    format = 'a"); asm("trap;"); //\x1b[31m\0\x07\r\nb\x7f1'
    done = t.run("compile", t.write("print.py", script(body=f"T.cuda.printf({format!r})\n    A[tx] = T.float32(0)")), "--emit", "cuda", "-o", t.work)
    t.holds(done.returncode == 0, done.stderr.decode())
    text = open(os.path.join(t.work, "k.cu"), "rb").read()
    t.holds(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text), "a control character stands in the source")
    t.holds(rb'printf("a\"); asm(\"trap;\"); //\033[31m\000\007\r\nb\1771"' in text, f"the literal: {text!r}")


@attack("comments and messages of generated text stay on their line")
def _(t):
    message = "no */ \" end \\\n#error\u202e\x1b"
    done = t.run("compile", t.write("host.py", script(f"assert n > 0, {message!r}", parameters=", n: T.int32")), "--emit", "host,cuda,tirx,lowered", "-o", t.work)
    for name in files_below(t.work):
        if name.endswith((".cpp", ".cu")):
            text = open(os.path.join(t.work, name)).read()
            t.holds(not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text), f"{name} holds a control character")
            t.holds(not re.search(r"(?m)^#error|//.*\\$", text), f"{name}: a comment goes on in the next line")
    t.holds(done.returncode in (0, 1, 2), "it ends")


@attack("keys of attributes are literals in the printed script")
def _(t):
    done = t.run("compile", t.write("key.py", script("""T.func_attr({'x": T.int32(1)})\\n    import os #': 1})""")), "--emit", "tirx", "-o", t.work)
    path = os.path.join(t.work, "k.py")
    if os.path.exists(path):
        t.holds("\n    import os" not in open(path).read(), "the key became a statement")
    t.holds(done.returncode in (0, 1), done.stderr.decode())


@attack("tensors in letters of other alphabets keep symbols of their own")
def _(t):
    text = script().replace("def k(a: T.handle)", "def k(ä: T.handle, ö: T.handle)").replace("match_buffer(a", "match_buffer(ä")
    text = text.replace("    T.device_entry", '    B = T.match_buffer(ö, (64,), "float32")\n    T.device_entry').replace("A[tx] + ", "B[tx] + ")
    done = t.run("compile", t.write("other.py", text), "--emit", "cuda,host", "-o", t.work)
    t.holds(done.returncode == 0, done.stderr.decode())
    t.holds(open(os.path.join(t.work, "k.cu"), "rb").read().isascii(), "CUDA text is ASCII")


# ---- writing files ----

SVG = ["layout", "TileLayout(S[8, 8])", "--svg"]


def write_svg(t, path, umask=None, limit=None, fds=(), cwd=None):
    def before():
        if umask is not None:
            os.umask(umask)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([BINARY, *SVG, path], cwd=cwd or t.work, env=t.env, capture_output=True, timeout=60, preexec_fn=before, pass_fds=fds)


def written(t, done, text):
    t.holds(done.returncode == 0, f"status {done.returncode}: {done.stderr.decode()}")
    t.holds(text.startswith(b"<svg") and text.rstrip().endswith(b"</svg>"), f"not whole: {text[:60]!r}")


def no_temporaries(t, folder=None):
    left = [f for f in os.listdir(folder or t.work) if "tmp" in f or f.startswith(".")]
    t.holds(not left, f"left behind: {left}")


@attack("links under the names of temporaries are not followed")
def _(t):
    victim = t.write("victim", "precious")
    first = os.fork()
    if first == 0:
        os._exit(0)
    os.waitpid(first, 0)
    for pid in range(first, first + 400):
        os.symlink(victim, os.path.join(t.work, f"a.svg.tmp{pid}"))
    done = write_svg(t, "a.svg")
    t.holds(open(victim).read() == "precious", "the victim was overwritten")
    written(t, done, open(os.path.join(t.work, "a.svg"), "rb").read())


@attack("files under the names of temporaries are not used")
def _(t):
    first = os.fork()
    if first == 0:
        os._exit(0)
    os.waitpid(first, 0)
    planted = [t.write(f"a.svg.tmp{pid}", "mine", 0o666) for pid in range(first, first + 400)]
    written(t, write_svg(t, "a.svg"), open(os.path.join(t.work, "a.svg"), "rb").read())
    t.holds(all(os.path.exists(p) and open(p).read() == "mine" for p in planted), "a planted file was taken")


@attack("a link is followed to its target, which is replaced at once, and stays a link")
def _(t):
    target = t.write("elsewhere/target.svg", "old", 0o640)
    inode = os.stat(target).st_ino
    os.symlink("elsewhere/target.svg", os.path.join(t.work, "one.svg"))
    os.symlink("one.svg", os.path.join(t.work, "two.svg"))
    written(t, write_svg(t, "two.svg"), open(target, "rb").read())
    t.holds(os.path.islink(os.path.join(t.work, "two.svg")) and os.path.islink(os.path.join(t.work, "one.svg")), "a link is gone")
    t.holds(os.stat(target).st_ino != inode and stat.S_IMODE(os.stat(target).st_mode) == 0o640, "replaced, with its mode")
    no_temporaries(t, os.path.join(t.work, "elsewhere"))


@attack("a link to nothing makes its target, a link to itself is an error")
def _(t):
    os.mkdir(os.path.join(t.work, "there"))
    os.symlink("there/new.svg", os.path.join(t.work, "a.svg"))
    written(t, write_svg(t, "a.svg"), open(os.path.join(t.work, "there/new.svg"), "rb").read())
    os.symlink("loop.svg", os.path.join(t.work, "loop.svg"))
    t.holds(write_svg(t, "loop.svg").returncode == 2, "a loop is an error")
    t.holds(os.path.islink(os.path.join(t.work, "loop.svg")), "the loop stays")


def device(t, name, minor):
    """A device of our own, so that a binary that replaces it does no harm; None: this user may make none."""
    path = os.path.join(t.work, name)
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        with open(path, "wb") as f:
            f.write(b"x" if minor == 3 else b"")
        return path
    except OSError:
        return None if os.getuid() == 0 else {3: "/dev/null", 7: "/dev/full"}[minor]


@attack("/dev/null is written and stays a device")
def _(t):
    path = device(t, "null", 3)
    if path:
        done = write_svg(t, path)
        t.holds(done.returncode == 0, done.stderr.decode())
        t.holds(stat.S_ISCHR(os.stat(path).st_mode), "it was replaced by a file")


@attack("a full device is an error, and stays a device")
def _(t):
    path = device(t, "full", 7)
    if path:
        done = write_svg(t, path)
        t.refuses(done, "No space left on device", status=2)
        t.holds(stat.S_ISCHR(os.stat(path).st_mode), "it was replaced by a file")


@attack("a named pipe is written and stays a pipe")
def _(t):
    path = os.path.join(t.work, "pipe")
    os.mkfifo(path)
    got = []

    def read():
        fd = os.open(path, os.O_RDONLY)
        while data := os.read(fd, 65536):
            got.append(data)
        os.close(fd)
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    done = write_svg(t, path)
    t.holds(stat.S_ISFIFO(os.stat(path).st_mode), "the pipe was replaced by a file")
    reader.join(20)
    written(t, done, b"".join(got))


@attack("a descriptor that is a pipe is written")
def _(t):
    reading, writing = os.pipe()
    done = write_svg(t, f"/dev/fd/{writing}", fds=(writing,))
    os.close(writing)
    written(t, done, os.read(reading, 1 << 20))
    os.close(reading)


@attack("a descriptor of a file is written where it stands, and the file is not replaced")
def _(t):
    path = t.write("log", "before\n")
    with open(path, "ab") as f:
        inode = os.stat(path).st_ino
        done = write_svg(t, f"/proc/self/fd/{f.fileno()}", fds=(f.fileno(),))
    text = open(path, "rb").read()
    t.holds(text.startswith(b"before\n") and os.stat(path).st_ino == inode, "what stood there is gone")
    written(t, done, text[len("before\n"):])


@attack("a link to a descriptor, as /dev/stdout is one, leads to standard output")
def _(t):
    os.symlink("/proc/self/fd/1", os.path.join(t.work, "stdout"))  # one of our own, which may be replaced
    done = write_svg(t, "stdout")
    t.holds(os.path.islink(os.path.join(t.work, "stdout")), "the link was replaced by a file")
    t.holds(done.returncode == 0 and b"</svg>" in done.stdout, f"{done.stdout[:80]!r} {done.stderr!r}")


for umask, expected in ((0o077, 0o600), (0o022, 0o644), (0o000, 0o666), (0o027, 0o640)):
    def one(t, umask=umask, expected=expected):
        done = write_svg(t, "new.svg", umask=umask)
        t.holds(done.returncode == 0, done.stderr.decode())
        mode = stat.S_IMODE(os.stat(os.path.join(t.work, "new.svg")).st_mode)
        t.holds(mode == expected, f"{mode:o} instead of {expected:o}")
    attack(f"a new file under umask {umask:03o} has mode {expected:o}")(one)

for mode in (0o600, 0o755, 0o444):
    def one(t, mode=mode):
        path = t.write("old.svg", "old", mode)
        written(t, write_svg(t, "old.svg", umask=0), open(path, "rb").read())
        t.holds(stat.S_IMODE(os.stat(path).st_mode) == mode, f"{os.stat(path).st_mode:o} instead of {mode:o}")
    attack(f"a file of mode {mode:o} keeps it")(one)


@attack("a file that may not grow so far is an error: the old one stays, and nothing else does")
def _(t):
    path = t.write("a.svg", "old")
    done = write_svg(t, "a.svg", limit=512)
    t.refuses(done, "cannot write a.svg", status=2)
    t.holds(open(path).read() == "old", "the old file changed")
    no_temporaries(t)
    written(t, write_svg(t, "a.svg"), open(path, "rb").read())


@attack("a full disk is an error: the old file stays, and nothing else does")
def _(t):
    folder = os.path.join(t.work, "small")
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", folder], capture_output=True).returncode:
        return  # this user may mount nothing; the limit above is the same error
    try:
        with open(os.path.join(folder, "a.svg"), "w") as f:
            f.write("old")
        done = write_svg(t, "small/a.svg")
        t.holds(done.returncode == 2 and b"No space" in done.stderr, f"{done.returncode} {done.stderr!r}")
        t.holds(open(os.path.join(folder, "a.svg")).read() == "old", "the old file changed")
        no_temporaries(t, folder)
    finally:
        subprocess.run(["umount", folder], check=False)


@attack("a folder is no output, and a folder that is not there is said")
def _(t):
    os.mkdir(os.path.join(t.work, "folder"))
    t.refuses(write_svg(t, "folder"), "Is a directory", status=2)
    t.refuses(write_svg(t, "none/a.svg"), "No such file or directory", status=2)
    t.absent(os.path.join(t.work, "none"))


@attack("compile -o follows a link in its folder once and keeps the mode of what it leads to")
def _(t):
    target = t.write("kept/k.cu", "old", 0o600)
    os.makedirs(os.path.join(t.work, "out"))
    os.symlink("../kept/k.cu", os.path.join(t.work, "out/k.cu"))
    done = t.run("compile", t.write("a.py", script()), "--emit", "cuda", "-o", "out")
    t.holds(done.returncode == 0 and "k_kernel" in open(target).read(), done.stderr.decode())
    t.holds(os.path.islink(os.path.join(t.work, "out/k.cu")) and stat.S_IMODE(os.stat(target).st_mode) == 0o600, "link and mode stay")


for what in ("a file", "nothing", "a folder"):
    @attack(f"a link that a checkout brings along under the name of a kernel leads no output out of it: to {what}")
    def _(t, what=what):
        away = os.path.join(t.home, ".profile")
        if what == "a file":
            with open(away, "w") as f:
                f.write("mine")
        elif what == "a folder":
            os.mkdir(away)
        repo = os.path.join(t.work, "repo")
        os.makedirs(os.path.join(repo, "out"))
        for name in ("k.cu",) if what != "a folder" else ("a", "b"):
            os.symlink(away, os.path.join(repo, "out", name))
        names = [os.path.relpath(t.write(f"repo/{name}", script()), repo) for name in ("a.py", "b.py")]
        for paths in (names[:1], names):
            for out in ("out", os.path.join(repo, "out")):
                t.run("compile", *paths, "--emit", "cuda", "-o", out, cwd=repo)
        left = open(away).read() == "mine" if what == "a file" else not os.path.lexists(away) if what == "nothing" else os.listdir(away) == []
        t.holds(left, f"{away} was written")


@attack("what a run leaves goes through no link out of the checkout, and serve --install neither")
def _(t):
    away = os.path.join(t.home, ".profile")
    with open(away, "w") as f:
        f.write("mine")
    repo = os.path.join(t.work, "repo")
    for name in ("out/A.npy", ".bsp/tilewright.json"):
        os.makedirs(os.path.dirname(os.path.join(repo, name)))
        os.symlink(away, os.path.join(repo, name))
    path = t.write("repo/a.py", script(body="A[tx] = T.float32(1)"))
    t.refuses(t.run("run", path, "--on", "sim", "-o", os.path.join(repo, "out")), "a link leads out")
    t.refuses(t.run("serve", "--install", cwd=repo), "a link leads out")
    shutil.rmtree(os.path.join(repo, ".bsp"))
    os.symlink(t.home, os.path.join(repo, ".bsp"))
    t.refuses(t.run("serve", "--install", cwd=repo), "a link leads out")
    t.absent(os.path.join(t.home, "tilewright.json"))
    t.holds(open(away).read() == "mine", "it was written")


@attack("view --html writes into a link's target and never beside it")
def _(t):
    target = t.write("kept/page.html", "old", 0o600)
    os.symlink("kept/page.html", os.path.join(t.work, "page.html"))
    done = t.run("view", t.write("a.py", script()), "--html", "page.html")
    t.holds(done.returncode == 0, (done.stdout + done.stderr).decode())
    t.holds("<html" in open(target).read() and os.path.islink(os.path.join(t.work, "page.html")), "the target has the page")
    no_temporaries(t, os.path.join(t.work, "kept"))


if __name__ == "__main__":
    main()
