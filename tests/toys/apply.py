#!/usr/bin/env python3
"""Toys: what is promised to cost one file or one row, as patches that are applied, built and tried.

    apply.py [PATCH...]        (default: all *.patch of this folder)

A patch begins with lines that say what it must bring about:

    # expect: COMMAND => TEXT

COMMAND is a shell line, run in the patched checkout with `tilewright` on the PATH; TEXT must occur in what it prints, and must
not without the patch. Then follows what `git diff` writes. It may add one file, and change one existing file by at most 12
lines, additions and removals together. New files below tests/, examples/ and docs/ are not counted: a toy may bring a test,
an example and a page. A toy of several tables says how many files it changes, at most four, by at most 60 lines together:

    # changes: 4 files

The checkout is copied into build/toys/ and built there, step by step; nothing is touched outside of it. Prints a line for each
patch; exit status 1: one failed.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NEW_FILES, CHANGED_FILES, CHANGED_LINES = 1, 1, 12
MOST_FILES, MOST_LINES = 4, 60  # of a toy of several tables
FREE = ("tests/", "examples/", "docs/")
EXPECT = re.compile(r"^# expect: (.*\S) => (.*\S)\s*$", re.M)
CHANGES = re.compile(r"^# changes: (\d+) files\s*$", re.M)


class Failed(Exception):
    """Why a patch is not what it should be, in a sentence."""


def expectations(patch):
    with open(patch, encoding="utf-8") as file:
        head = file.read().split("\ndiff --git ", 1)[0]
    found = EXPECT.findall(head)
    if not found:
        raise Failed("no line `# expect: COMMAND => TEXT` at its top")
    return found


def allowed(patch):
    """How many existing files a patch may change, and by how many lines: each of them where it is one, else all together."""
    with open(patch, encoding="utf-8") as file:
        said = CHANGES.search(file.read().split("\ndiff --git ", 1)[0])
    if not said:
        return CHANGED_FILES, CHANGED_LINES
    if int(said[1]) > MOST_FILES:
        raise Failed(f"it says that it changes {said[1]} files, {MOST_FILES} is the most")
    return int(said[1]), MOST_LINES


def git(checkout, *arguments):
    done = subprocess.run(["git", *arguments], cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"git {arguments[0]}: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else 'failed'}")
    return done.stdout


def check_size(checkout, patch):
    """One file, and a row in another: more is no toy but a change of the house."""
    summary = git(checkout, "apply", "--summary", patch)
    created = set(re.findall(r"^ create mode \d+ (.*)$", summary, re.M))
    if re.search(r"^ (delete|rename|mode change)", summary, re.M):
        raise Failed("it removes or renames a file")
    changed, added = {}, []
    for line in git(checkout, "apply", "--numstat", patch).splitlines():
        plus, minus, path = line.split("\t")
        if path in created:
            if not path.startswith(FREE):
                added.append(path)
        else:
            changed[path] = int(plus) + int(minus)
    if len(added) > NEW_FILES:
        raise Failed(f"it adds {len(added)} files ({', '.join(added)}), {NEW_FILES} is allowed")
    files, most = allowed(patch)
    if len(changed) > files:
        raise Failed(f"it changes {len(changed)} files ({', '.join(changed)}), {files} is allowed")
    if sum(changed.values()) > most:
        raise Failed(f"it changes {sum(changed.values())} lines of {', '.join(changed)}, {most} are allowed")


def synchronize(checkout):
    """The checkout as it stands, with what is not committed. Files that are the same keep their times, so that builds go on."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit("apply.py: this is no git checkout")
    wanted = {path for path in listed.stdout.split("\0") if path and os.path.isfile(os.path.join(ROOT, path))}
    os.makedirs(checkout, exist_ok=True)
    for folder, folders, files in os.walk(checkout):
        folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, checkout) not in wanted:
                os.remove(path)
    for path in wanted:
        source, target = os.path.join(ROOT, path), os.path.join(checkout, path)
        if not os.path.isfile(target) or not filecmp.cmp(source, target, shallow=False):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)  # with the time of now: the copy is newer than what was built from the old one
    # A repository of its own: in a folder of another one `git apply` passes over every file in silence.
    if not os.path.isdir(os.path.join(checkout, ".git")):
        subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)


class House:
    def __init__(self, work, build):
        self.checkout, self.folder, self.command = os.path.join(work, "checkout"), os.path.join(work, "build"), build
        synchronize(self.checkout)

    def build(self):
        if self.command:
            done = subprocess.run(self.command, shell=True, cwd=self.checkout, env=dict(os.environ, BUILD=self.folder),
                                  capture_output=True, text=True, check=False)
        else:
            done = self._cmake()
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).splitlines()
            errors = [line for line in lines if re.search(r"\berror\b|CMake Error|FAILED", line)] or lines[-10:]
            raise Failed("it does not build:\n    " + "\n    ".join(errors[:10]))

    def _cmake(self):
        if not os.path.isfile(os.path.join(self.folder, "build.ninja")):
            ccache = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")] if shutil.which("ccache") else []
            done = subprocess.run(["cmake", "--preset", "release", "-B", self.folder, "-DTILEWRIGHT_UNITY=ON", *ccache],
                                  cwd=self.checkout, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done
        # A patch may change which files go together.
        os.utime(os.path.join(self.checkout, "CMakeLists.txt"))
        jobs = os.environ.get("TILEWRIGHT_JOBS", str(os.cpu_count() or 1))
        return subprocess.run(["ninja", "-C", self.folder, "-j", jobs, "tilewright"], capture_output=True, text=True, check=False)

    def says(self, command):
        path = self.folder + os.pathsep + os.environ.get("PATH", "")
        done = subprocess.run(command, shell=True, cwd=self.checkout, env=dict(os.environ, PATH=path), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        return done.stdout

    def put(self, patch):
        """The patch's files get the time of now, forwards and backwards, so that what they are in is built again."""
        git(self.checkout, "apply", "--whitespace=nowarn", patch)

    def take_away(self, patch):
        git(self.checkout, "apply", "-R", "--whitespace=nowarn", patch)


def run(house, patches):
    """Name to reason of the patches that failed."""
    failed, plans = {}, {}
    house.build()  # without any: what is wrong here is no patch's fault
    for patch in patches:
        name = os.path.basename(patch)
        try:
            expected = expectations(patch)
            check_size(house.checkout, patch)
            for command, text in expected:
                if text in house.says(command):
                    raise Failed(f"`{command}` says `{text}` without it, too")
            plans[patch] = expected
        except Failed as why:
            failed[name] = str(why)
    for patch, expected in plans.items():
        name = os.path.basename(patch)
        applied = False
        try:
            house.put(patch)
            applied = True
            house.build()
            for command, text in expected:
                said = house.says(command)
                if text not in said:
                    raise Failed(f"`{command}` does not say `{text}` but:\n    " + "\n    ".join(said.splitlines()[:20]))
        except Failed as why:
            failed[name] = str(why)
        finally:
            if applied:
                house.take_away(patch)
    for patch in patches:
        name = os.path.basename(patch)
        print(f"FAIL  {name}: {failed[name]}" if name in failed else f"ok    {name}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", nargs="*")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "toys"), help="folder for the copy and its build")
    parser.add_argument("--build", help="shell line that builds $BUILD/tilewright (default: CMake and Ninja)")
    arguments = parser.parse_args()
    patches = [os.path.abspath(p) for p in arguments.patches]
    if not patches:
        patches = sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".patch"))
    if not patches:
        sys.exit("apply.py: there is no patch")
    try:
        failed = run(House(os.path.abspath(arguments.work), arguments.build), patches)
    except Failed as why:
        sys.exit(f"apply.py: without any patch: {why}")
    print(f"{len(patches) - len(failed)} of {len(patches)} toys fit")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
