#!/usr/bin/env python3
"""Modules of Python's library as scripts evaluate them (compiler/script/prelude/python), beside Python's own: random paths and parsers.

    library_test.py [--count N] [--seed S|day|fresh]

The scripts are plain Python, so Python itself runs them here. They follow release 3.11; status 77: this Python is another one.
"""
import argparse
import contextlib
import importlib.util
import io
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.seeds import seed  # noqa: E402

PRELUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../compiler/script/prelude/python")
NOT_KNOWN = "not known"


class NotKnown(Exception):
    """Stands for what the scripts leave unknown."""


class Unknown:
    def parse(self, *_):
        raise NotKnown


def module(name):
    spec = importlib.util.spec_from_file_location("prelude_" + name, os.path.join(PRELUDE, name + ".py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def outcome(call, *args):
    """What it gives; that it raises: which exception depends on what is wrong first."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return call(*args)
    except NotKnown:
        return NOT_KNOWN
    except (Exception, SystemExit):
        return "raises"


def path_text(rng):
    return "".join(rng.choice(["a", "b", ".", "..", "/", "//", "x.py", "a.tar.gz", ".rc", "f.", "-", " "]) for _ in range(rng.randrange(6)))


def of_path(paths, kind, a, b, c, what):
    cls = getattr(paths, kind)
    p = cls(a, b)
    answers = {
        "parts": lambda: [p.parts, p.root, p.anchor, p.drive, p.name, p.suffix, p.suffixes, p.stem],
        "parents": lambda: [str(p.parent), [str(q) for q in p.parents]],
        "joined": lambda: [str(p / c), str(c / p), str(p.joinpath(c, b)), str(cls(p, c))],
        "suffix": lambda: str(p.with_suffix(c)),
        "name": lambda: str(p.with_name(c)),
        "stem": lambda: str(p.with_stem(c)),
        "relative": lambda: str(p.relative_to(c)),
        "compared": lambda: [p.is_relative_to(c), p == cls(c), p < cls(c), p >= cls(c), len({p, cls(c), cls(a)})],
        "texts": lambda: [repr(p), str(p), p.as_posix(), p.is_absolute(), f"{p}", os.fspath(p)],
        "wrong": lambda: p / 3,
    }
    return answers[what]() if what else sorted(answers)


def parser(argparse_, rng):
    p = argparse_.ArgumentParser()
    for name in rng.sample(["m", "n", "mode", "model", "k-size", "verbose", "no-x"], rng.randrange(5)):
        action = rng.choice(["store"] * 6 + ["store_true", "store_false", "count", "append", "append_const", "store_const", "extend", "both"])
        options = {} if action == "store" else {"action": argparse_.BooleanOptionalAction if action == "both" else action}
        if action in ("store", "append", "extend"):
            if rng.random() < 0.5:
                options["type"] = rng.choice([int, str, float])
            if action == "extend":
                options["nargs"] = rng.choice(["+", "*"])
            elif rng.random() < 0.4:
                options["nargs"] = rng.choice(["?", "*", "+", 2, 1])
            if options.get("nargs") == "?":
                options["const"] = "7"
            if rng.random() < 0.2:
                options["choices"] = rng.choice([[1, 2, 3], ["a", "b"]])
        if action.endswith("_const"):
            options["const"] = 5
        if rng.random() < 0.3:
            options["default"] = rng.choice([0, 2] if action == "count" else [None, "3", 4, ["q"]])
        if rng.random() < 0.1:
            options["required"] = True
        p.add_argument(*(["-" + name[0]] if rng.random() < 0.2 else []), "--" + name, **options)
    for i in range(rng.choice([0, 0, 1, 2, 3])):
        options = {"nargs": rng.choice(["?", "*", "+", 2])} if rng.random() < 0.4 else {}
        if rng.random() < 0.4:
            options["type"] = int
        p.add_argument(f"pos{i}", **options)
    if rng.random() < 0.2:
        p.set_defaults(extra=3, n=9)
    return p


def parsed(argparse_, number):
    rng = random.Random(number)
    p = parser(argparse_, rng)
    words = [rng.choice(["--m", "--n", "--mode", "--mod", "--k-size", "--verbose", "--no-x", "-m", "-n", "-v", "1", "2", "a", "b", "-1", "--m=1",
                         "--mode=a", "-m3", "-vv", "--q", "--no-verbose", "-", "--k=2", "1.5", "--help"]) for _ in range(rng.randrange(7))]
    if rng.random() < 0.3:
        found, rest = p.parse_known_args(words)
        return words, sorted(vars(found).items()), rest
    return words, sorted(vars(p.parse_args(words)).items()), p.get_default("n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=3000)
    options.add_argument("--seed", type=seed, default=1)
    options = options.parse_args()
    if sys.version_info[:2] != (3, 11):
        print("the scripts follow Python 3.11, and this is", sys.version.split()[0])
        return 77
    wrong = known = 0
    rng, paths = random.Random(options.seed), module("pathlib")
    for _ in range(options.count):
        kind, texts = rng.choice(["PurePosixPath", "PosixPath", "Path", "PurePath"]), [path_text(rng) for _ in range(3)]
        what = rng.choice(of_path(pathlib, kind, "", "", "", ""))
        want, got = outcome(of_path, pathlib, kind, *texts, what), outcome(of_path, paths, kind, *texts, what)
        if want != got:
            wrong += 1
            print(f"{kind} of {texts}, {what}: {got} instead of {want}")
    parsers = module("argparse")
    parsers._UNKNOWN = Unknown()
    for number in range(options.count):
        number += 1_000_003 * options.seed
        want, got = outcome(parsed, argparse, number), outcome(parsed, parsers, number)
        known += got != NOT_KNOWN
        if got not in (NOT_KNOWN, want):
            wrong += 1
            print(f"parser {number}: {got} instead of {want}")
    print(f"seed {options.seed}: {options.count} paths, {options.count} parsers, {known} of them followed, {wrong} wrong")
    return 1 if wrong or known < options.count // 3 else 0


if __name__ == "__main__":
    sys.exit(main())
