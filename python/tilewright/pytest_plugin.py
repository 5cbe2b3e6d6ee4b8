"""pytest: each comment `# tilewright: run` of a script is a test.

    pytest kernels/                        on the simulator
    pytest kernels/ --tilewright-on gpu    on this machine's GPU, or a remote of tilewright.toml

A test passes where its outputs are verified, fails where they are wrong or the simulator found a mistake, and is skipped
where nothing is expected of it or the device cannot run it.
"""
import fnmatch
import re

import pytest

_COMMENT = re.compile(r"^[ \t]*#[ \t]*tilewright:[ \t]*run\b(.*)$")
_SETTING = re.compile(r"^[\w.]+=")


def pytest_addoption(parser):
    group = parser.getgroup("tilewright")
    group.addoption("--tilewright-on", default="sim", metavar="WHERE",
                    help="where the run comments of tile scripts are run: sim, gpu, or a remote (default: sim)")
    group.addoption("--no-tilewright", action="store_true", help="leave the run comments of tile scripts out")


def _has_runs(path):
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return "tilewright:" in text and any(map(_COMMENT.match, text.splitlines()))


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".py" and not parent.config.getoption("--no-tilewright") and _has_runs(file_path):
        return Script.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path, parent):
    """A script that is named on the command line is not imported as a module of tests: it needs no TVM here."""
    patterns = parent.config.getini("python_files")
    if any(fnmatch.fnmatch(module_path.name, p) for p in patterns) or not _has_runs(module_path):
        return None
    return NoModule.from_parent(parent, path=module_path)


class NoModule(pytest.File):
    def collect(self):
        return []


def _entry(rest):
    """The entry that a comment begins with; empty: it speaks of the kernel below."""
    depth, word = 0, ""
    for letter in rest.strip():
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter in " \t" and depth == 0 and not word.rstrip().endswith(" then"):
            break
        word += letter
    tail = rest.strip()[len(word):]
    if tail.lstrip().startswith("then "):
        return rest.strip()  # kernels in turn: the whole is named
    return "" if _SETTING.match(word) or word.startswith("#") else word


class Script(pytest.File):
    def collect(self):
        entries = None
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            found = _COMMENT.match(line)
            if not found:
                continue
            entry = _entry(found.group(1))
            names = [None]
            if entry and "(" not in entry and " " not in entry:
                if entries is None:
                    import tilewright

                    entries = tilewright.load(self.path).entries
                names = [e for e in entries if e.startswith(entry + "(")] or [None]
            for name in names:
                yield Run.from_parent(self, name=f"{name or entry or 'run'}:{number}", line=number, entry=name)


class Run(pytest.Item):
    def __init__(self, *, line, entry, **more):
        super().__init__(**more)
        self.line = line
        self.entry = entry

    def runtest(self):
        from tilewright._binary import answer

        words = ["run", self.path, "--comment", self.line, "--json", "--on", self.config.getoption("--tilewright-on")]
        status, report, said = answer([*words, *(["--entry", self.entry] if self.entry else [])])
        verdict = (report or {}).get("verdict")
        if verdict is None:
            if "needs sm_" in said:
                pytest.skip(said)
            raise RunFailed(said or "tilewright did not answer")
        if verdict == "unverified":
            pytest.skip("nothing says what the outputs should be")
        if status != 0:
            raise RunFailed(f"{verdict}\n{said}\n" + "\n".join(report.get("problems", [])))

    def repr_failure(self, excinfo):
        return str(excinfo.value) if isinstance(excinfo.value, RunFailed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, self.line - 1, self.name


class RunFailed(Exception):
    pass
