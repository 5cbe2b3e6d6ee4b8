"""The command line's answers as typed objects."""
import os
from typing import Iterable, Optional, Union

from tilewright._answer import Answer
from tilewright._binary import answer
from tilewright._errors import Error, diagnostic_line
from tilewright._types import CheckReport, Compilation, Entries, Explanation, Meaning, RunReport

Path = Union[str, "os.PathLike[str]"]


def _words(options):
    """Options as the command line takes them: `arch="sm_90a"`, `simulate=True`, `entry=["a", "b"]`."""
    out = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        else:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                out += [flag, str(one)]
    return out


def _asked(words, kind, text=None):
    status, said, errors = answer(words, text)
    if said is None or (isinstance(said, dict) and set(said) <= {"status", "message", "hint", "error"} and "message" in said):
        raise Error((said or {}).get("message") or errors or f"{' '.join(map(str, words))}: exit status {status}")
    return kind._of(said)


def _paths(paths):
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def check(paths: "Path | Iterable[Path]", **options) -> CheckReport:
    """All that is wrong with scripts or folders, as `tilewright check`. Options are those of the command line:
    check("gemm.py", simulate=True, arch="sm_90a")."""
    return _asked(["check", *_paths(paths), "--json", *_words(options)], CheckReport)


def compile(path: "Path", entry: Optional[str] = None, *, emit=None, **options) -> Compilation:
    """The kernels of a script, as `tilewright compile`: compile("gemm.py", "gemm(1024)", emit="cuda").kernels[0].sources.
    emit: report, tirx, lowered, cuda (the usual one), ptx, cubin (in base64), sass, plan, host; several with commas."""
    return _asked(["compile", path, "--json", *_words({"emit": emit, "entry": entry, **options})], Compilation)


def explain(what, **options) -> "Explanation | Meaning":
    """Why each tile primitive became what it became ("gemm.py", "gemm.py:14"), or what a diagnostic means ("TW3106")."""
    status, said, errors = answer(["explain", what, "--json", *_words(options)])
    if said is None or status == 2:
        raise Error(errors or f"explain {what}: exit status {status}")
    return (Meaning if "explanation" in said else Explanation)._of(said)


def run(path: "Path", entry: Optional[str] = None, *, on: str = "sim", inputs=None, expect=None, set=None, **options) -> RunReport:
    """Runs a kernel and judges what it leaves, as `tilewright run`. on: "sim", "gpu", or a remote. inputs, expect: {tensor:
    "random(seed=7)" or "FILE.npy"}, set: {extent or scalar: number}. The verdict is in the report; only what could not be
    run at all is an Error."""
    words = ["run", path, "--json", "--on", on, *_words({"entry": entry, **options})]
    for flag, pairs in (("--input", inputs), ("--expect", expect), ("--set", set)):
        for name, value in (pairs or {}).items():
            words += [flag, f"{name}={value}"]
    status, said, errors = answer(words)
    if said is None or "verdict" not in said:
        raise Error((said or {}).get("message") or errors or f"run {path}: exit status {status}")
    return RunReport._of(said)


def entries(path: "Path") -> Entries:
    """What a script has to compile, as `tilewright entries`."""
    return _asked(["entries", path, "--json"], Entries)


__all__ = ["Answer", "check", "compile", "diagnostic_line", "entries", "explain", "run"]
