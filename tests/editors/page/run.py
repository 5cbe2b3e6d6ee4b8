#!/usr/bin/env python3
"""The page of `tilewright view` in a real browser: links both ways, keys, themes, accessibility, and what hostile scripts may not do.

    run.py BINARY FOLDER

What drives the browser is installed below FOLDER, and pictures are kept in FOLDER/screenshots. Exit status 77: this machine has no Node
or no Chromium, or the package registry cannot be reached.
"""
import filecmp
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
SKIPPED = 77
# What a script under review might try, in every place where its text goes.
HOSTILE = '''\
# tilewright: arch sm_80 sm_90a
from tvm.script import tirx as T

X = "</script><script>document.title='broken'</script><img src=x onerror=document.title='broken'>"


@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    """<style>*{display:none}</style><!-- <script> -->"""
    T.device_entry()
    t = T.thread_id([128])
    A[t] = A[t] + T.float32(1)  # <b onmouseover=document.title='broken'>&amp;


kernel_two = "<svg onload=document.title='broken'>"
unknown_name_of_nobody(T.int32(1))
'''


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    skip("there is no Chromium here (apt-get install chromium)")


def install(folder):
    if not shutil.which("npm"):
        skip("there is no Node with npm here (Node 20 or newer)")
    os.makedirs(folder, exist_ok=True)
    lock, done = os.path.join(folder, "package-lock.json"), os.path.join(folder, "node_modules", ".package-lock.json")
    ours = os.path.join(HERE, "package-lock.json")
    if os.path.exists(done) and os.path.exists(lock) and filecmp.cmp(lock, ours, shallow=False):
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, name), folder)
    said = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        if any(word in said.stdout for word in ("ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH")):
            skip("the package registry cannot be reached")
        sys.exit("npm ci failed:\n" + said.stdout)


def make_pages(binary, folder):
    hostile = os.path.join(folder, "hostile.py")
    with open(hostile, "w", encoding="utf-8") as f:
        f.write(HOSTILE)
    # Half-typed: no kernel came of it.
    broken = os.path.join(folder, "broken.py")
    with open(broken, "w", encoding="utf-8") as f:
        f.write(HOSTILE[:HOSTILE.index("T.device_entry")] + "T.device_entry(\n")
    for script, status in (("examples/wgmma_gemm.py", 0), ("examples/gmem_smem_swizzle.py", 0), ("docs/copy.py", 1), (hostile, 1), (broken, 1)):
        page = os.path.join(folder, os.path.basename(script).removesuffix(".py") + ".html")
        more = ["--arch", "sm_80", "--arch", "sm_90a"] if "swizzle" in script else []
        said = subprocess.run([binary, "view", script, *more, "--html", page], cwd=ROOT, capture_output=True, text=True)
        if said.returncode != status:
            sys.exit(f"tilewright view {script}: status {said.returncode}\n{said.stderr}")


def main():
    binary, folder = map(os.path.abspath, sys.argv[1:])
    browser = chromium()
    install(folder)
    make_pages(binary, folder)
    environment = dict(os.environ, NODE_PATH=os.path.join(folder, "node_modules"), TILEWRIGHT_PAGES=folder, TILEWRIGHT_CHROMIUM=browser)
    return subprocess.run(["node", "--test", "--test-reporter=spec", "--test-timeout=900000", os.path.join(HERE, "page_test.js")], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
