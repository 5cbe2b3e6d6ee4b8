#!/usr/bin/env python3
"""The instruction table against the reference's own (release 0.27), where its wheel is installed.

    table_test.py PTX_ANSWER [--quick] [--calls N] [--illegal N]

Every legal combination of modifiers must be accepted for its row, illegal ones be refused with a reason, and sampled calls lead to
the same row and the same CUDA text. Exits 77 where the environment of `reference.py --release 0.27` is not installed
(${XDG_CACHE_HOME:-~/.cache}/tilewright-reference-0.27).
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

HOME = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tilewright-reference-0.27")


def enter_environment():
    python = os.path.join(HOME, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(HOME):
        return
    if not os.path.exists(os.path.join(HOME, "ready")):
        print(f"skipped: the reference of release 0.27 is not installed below {HOME}")
        sys.exit(77)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


class Answers:
    """The lines for the program, each with what its answer must be; asked all at once."""

    def __init__(self, program):
        self.program, self.lines, self.checks = program, [], []

    def ask(self, line, check):
        self.lines.append(line)
        self.checks.append(check)

    def judge(self, kind):
        with tempfile.TemporaryFile("w+") as asked:
            asked.write("".join(line + "\n" for line in self.lines))
            asked.seek(0)
            done = subprocess.run([self.program], stdin=asked, capture_output=True, text=True, check=True)
        answers = done.stdout.splitlines()
        assert len(answers) == len(self.lines), (len(answers), len(self.lines))
        bad = []
        for line, check, answer in zip(self.lines, self.checks, answers):
            why = check(answer.split("\t"))
            if why:
                bad.append(f"{line}\n    {why}\n    answer: {answer[:600]}")
        print(f"{kind}: {len(answers) - len(bad)} of {len(answers)} agree", flush=True)
        for one in bad[:10]:
            print("  " + one)
        self.lines, self.checks = [], []
        return len(bad)


def tokens_of(entry, combination):
    return [word for word in combination if word]


def spelled(entry, words):
    return ".".join([entry.family, *words])


def unspellable(entry):
    return any("." in choice for slot in entry.slots for choice in slot.choices)


class Reference:
    """What the reference's engine makes of words: the rows whose modifiers they say."""

    def __init__(self):
        from tvm.backend.cuda.ptx import engine, table
        self.engine, self.table = engine, table
        self.families = {}
        for entry in table.TABLE.values():
            self.families.setdefault(entry.family, []).append((entry, (None,) * len(entry.slots)))

    def rows(self, family, words):
        left = self.families.get(family, [])
        for word in words:
            left = [(e, f) for e, filled in left if (f := self.engine._fill(e, filled, word)) is not None]
        out = []
        for entry, filled in left:
            if any(token is None and not slot.optional for slot, token in zip(entry.slots, filled)):
                continue
            if entry.check is not None and entry.check(self.table.mods(entry, filled)):
                continue
            out.append(entry.name)
        return sorted(out)


def holds(row):
    return lambda answer: None if answer[0] == "+" and row in answer[1].split(",") else f"{row} must be among them"


def same_rows(rows):
    def check(answer):
        if not rows:
            return None if answer[0] == "-" and len(answer[1]) > 10 else "must be refused with a reason"
        return None if answer[0] == "+" and sorted(answer[1].split(",")) == rows else f"must be {rows}"
    return check


def ask_legal(reference, answers, quick):
    count = 0
    for entry in reference.table.TABLE.values():
        combinations = reference.table.variants(entry)
        count += len(combinations)
        if unspellable(entry):
            for combination in combinations[:3]:
                answers.ask("T\t" + spelled(entry, tokens_of(entry, combination)), lambda a: None if a[0] == "-" and "dot" in a[1]
                            else "must be refused for the dot in a token")
            continue
        for combination in combinations[:: max(1, len(combinations) // 20)] if quick else combinations:
            answers.ask("T\t" + spelled(entry, tokens_of(entry, combination)), holds(entry.name))
    return count


def ask_shuffled(reference, answers, rng, count):
    entries = [e for e in reference.table.TABLE.values() if not unspellable(e) and e.slots]
    for _ in range(count):
        entry = rng.choice(entries)
        words = tokens_of(entry, rng.choice(reference.table.variants(entry)))
        rng.shuffle(words)
        answers.ask("T\t" + spelled(entry, words), same_rows(reference.rows(entry.family, words)))


def ask_illegal(reference, answers, rng, count):
    entries = [e for e in reference.table.TABLE.values() if not unspellable(e) and e.slots]
    vocabulary = {f: sorted({c for e, _ in rows for s in e.slots for c in s.choices if "." not in c})
                  for f, rows in reference.families.items()}
    everything = sorted({c for words in vocabulary.values() for c in words})
    asked = 0
    while asked < count:
        entry = rng.choice(entries)
        words = tokens_of(entry, rng.choice(reference.table.variants(entry)))
        how = rng.randrange(5) if words else 4
        if how == 0:
            words.pop(rng.randrange(len(words)))
        elif how == 1:
            words.insert(rng.randrange(len(words) + 1), rng.choice(everything))
        elif how == 2:
            words.insert(rng.randrange(len(words) + 1), rng.choice(words))
        elif how == 3:
            words[rng.randrange(len(words))] = rng.choice(vocabulary[entry.family])
        else:
            words.insert(rng.randrange(len(words) + 1), rng.choice(vocabulary[entry.family]))
        if reference.rows(entry.family, words):
            continue
        answers.ask("T\t" + spelled(entry, words), same_rows([]))
        asked += 1


class Caller:
    """A call of one row as the program reads it, and the reference's text for it."""

    def __init__(self, reference, rng):
        from tvm.backend.cuda.ptx.render import render_variant
        self.render, self.table, self.rng = render_variant, reference.table, rng

    def make(self, entry, combination, plain=False):
        table, rng = self.table, self.rng
        mod_map = table.mods(entry, combination)
        operands, dtypes, immediates, offsets, sinks = [], [], [], [], set()
        predicated = not plain and rng.random() < 0.3
        keep = predicated and entry.has_dst and rng.random() < 0.5
        address = 0
        for slot, _, lanes in table.operand_layout(entry, mod_map):
            if slot.kind == "imm":
                value = rng.choice(slot.choices) if slot.choices is not None else str(rng.randrange(0, 200))
                immediates.append(value)
                operands.append(f"i{value}" if rng.random() < 0.5 else f"v:int32={value}")
            elif slot.kind == "ptr":
                operands.append("p")
            elif slot.kind == "addr":
                offset = ""
                if slot.allow_imm_offset and not plain and rng.random() < 0.3:
                    bytes_ = rng.choice([-2147483648, -16, 0, 8, 4096, 2147483647])
                    offset = f"+{bytes_}:"
                    if bytes_:
                        offsets.append((address, bytes_))
                address += 1
                space = table.operand_space(slot, mod_map)
                if space == "tmem":
                    carrier = "v:uint32"
                elif space.startswith("shared"):  # beside reports a uint32 address could be the phase of another row
                    carrier = "ps" if "report" in entry.name else rng.choice(["ps", "p", "v:uint32"])
                else:
                    carrier = rng.choice(["p", "v:uint64"])
                operands.append(offset + carrier)
            else:
                operands += self.register(entry, slot, mod_map, lanes, plain, keep, dtypes, sinks)
        how = " ".join((["pred=v:bool"] if predicated else []) + (["keep"] if keep else []))
        _, name, source = self.render(entry, combination, predicated, tuple(dtypes), tuple(immediates), frozenset(sinks),
                                      preserve_dst=keep, addr_offsets=tuple(offsets))
        return operands, how, name, source

    def register(self, entry, slot, mod_map, lanes, plain, keep, dtypes, sinks):
        table, rng = self.table, self.rng
        choices = table.operand_dtypes(slot, mod_map)
        dtype = choices[0] if plain or lanes == 0 else rng.choice(choices)
        if slot.rw == "rw" or (keep and slot.rw == "w"):  # a type that C++ binds as it is
            dtype = next((d for d in choices if d not in ("uint8", "int8", "float16", "bfloat16")), choices[0])
        out = []
        sinkable = slot.sinkable(mod_map) if callable(slot.sinkable) else slot.sinkable
        may_sink = sinkable and not plain and rng.random() < 0.5
        for lane in range(lanes):
            if may_sink and lane and rng.random() < 0.4:
                sinks.add((slot.name, lane))
                out.append("_")
            elif slot.rw != "r":
                out.append(f"e:{dtype}")
            elif table.operand_type(slot, mod_map) == "pred":
                out.append(rng.choice(["v:bool", "k:v:int32", "k:i1", "b"]))
            else:
                out.append(f"v:{dtype}")
        dtypes.append(dtype if lanes else choices[0])
        return out


def is_call(row, name, source):
    source = source.replace("\n", "\\n")

    def check(answer):
        if answer[0] != "+" or answer[1] != row:
            return f"must be {row}"
        if answer[2] != name:
            return f"the helper must be {name}"
        return None if answer[3] == source else f"the text must be {source}"
    return check


def ask_calls(reference, answers, rng, count):
    caller = Caller(reference, rng)
    entries = [e for e in reference.table.TABLE.values() if not unspellable(e)]
    chosen = [(e, reference.table.variants(e)[0], True) for e in entries]
    for _ in range(count):
        entry = rng.choice(entries)
        chosen.append((entry, rng.choice(reference.table.variants(entry)), False))
    for entry, combination, plain in chosen:
        try:
            operands, how, name, source = caller.make(entry, combination, plain)
        except ValueError:
            continue  # a register that keeps its value and that C++ cannot bind
        answers.ask(f"C\t{spelled(entry, tokens_of(entry, combination))}\t{' '.join(operands)}\t{how}", is_call(entry.name, name, source))
        if not how.startswith("pred"):
            marks = printed_marks(reference, entry, combination, operands)
            shown = [o.removeprefix("k:") for o in operands if o != "_"]
            answers.ask(f"P\t{entry.family}\t{' '.join(shown)}\t{','.join(combination)}|{marks}", is_call(entry.name, name, source))


def printed_marks(reference, entry, combination, operands):
    mod_map = reference.table.mods(entry, combination)
    marks = [f"p{i}" for slot, i, lanes in reference.table.operand_layout(entry, mod_map)
             if lanes and slot.kind == "reg" and slot.rw == "r" and reference.table.operand_type(slot, mod_map) == "pred"]
    return ",".join(marks + [f"s{i}" for i, o in enumerate(operands) if o == "_"])


def ask_open(reference, answers, rng, count):
    """Which words can follow: those with which some legal combination is still possible."""
    small = [e for e in reference.table.TABLE.values() if not unspellable(e) and e.slots and
             max(len(reference.table.variants(o)) for o, _ in reference.families[e.family]) < 3000]
    for _ in range(count):
        entry = rng.choice(small)
        words = tokens_of(entry, rng.choice(reference.table.variants(entry)))
        rng.shuffle(words)
        words = words[: rng.randrange(len(words) + 1)]
        left = reference.families[entry.family]
        for word in words:
            left = [(e, f) for e, filled in left if (f := reference.engine._fill(e, filled, word)) is not None]
        if not left:  # the first word filled the slot that the second one needed
            continue
        follow = set()
        for one, filled in left:
            if unspellable(one):
                continue
            for token in {c for slot, have in zip(one.slots, filled) if have is None for c in slot.choices} - follow:
                then = reference.engine._fill(one, filled, token)
                if any(all(t is None or t == v for t, v in zip(then, combination)) for combination in reference.table.variants(one)):
                    follow.add(token)
        answers.ask("O\t" + spelled(entry, words), lambda a, follow=follow: None if a[0] == "+" and set(a[1].split()) == follow
                    else f"must be {' '.join(sorted(follow))}")


class Objects:
    """Operands of the reference's own engine for the codes that the program reads."""

    def __init__(self):
        import tvm.tirx as tirx
        from tvm.backend.cuda.ptx import engine
        from tvm.ir.type import PointerType, PrimType
        self.tirx, self.space = tirx, engine.PTXNamespace()
        self.pointers = {"p": tirx.Var("p", PointerType(PrimType("uint8"), "global")),
                         "ps": tirx.Var("ps", PointerType(PrimType("uint8"), "shared"))}

    def make(self, code):
        if code.startswith("k:"):
            return self.space.pred(self.make(code[2:]))
        if code.startswith("+"):
            offset, _, base = code[1:].partition(":")
            return self.space.addr(self.make(base), int(offset))
        if code in self.pointers:
            return self.pointers[code]
        if code == "_":
            return self.space.SINK
        if code in "rbx":
            return {"r": 1.5, "b": True, "x": object()}[code]
        if code.startswith("i"):
            return int(code[1:])
        kind, _, rest = code.partition(":")
        dtype, _, number = rest.partition("=")
        if number:
            return self.tirx.const(int(number), dtype)
        if kind == "e":
            return self.tirx.decl_buffer((4,), dtype, name="b")[0]
        return self.tirx.Var("v", dtype)

    def call(self, family, words, operands, how):
        """The row and the trailing words of the reference's call, None where it refuses, "ambiguous" where it cannot decide."""
        options = {}
        for word in how.split():
            options.update({"preserve_dst": True} if word == "keep" else {"pred": self.make(word[5:])})
        try:
            call = self.space[".".join([family, *words])](*[self.make(code) for code in operands], **options)
        except AssertionError:
            return "ambiguous"
        except (ValueError, KeyError, AttributeError, RuntimeError):  # a number that does not fit is an internal error there
            return None
        names = [str(a.value) for a in call.args if type(a).__name__ == "StringImm"]
        return call.op.name.removeprefix("tirx.ptx."), names


CODES = ["e:float32", "e:uint32", "e:int32", "e:uint64", "v:uint32", "v:int32", "v:uint64", "v:int64", "v:uint16", "v:float32", "v:float64",
         "v:float16", "v:bool", "v:uint8", "v:int32=5", "v:uint32=300", "i0", "i1", "i16", "i-1", "i4096", "r", "b", "p", "ps", "_", "x",
         "k:v:int32", "k:v:float32", "k:i1", "k:b", "+8:p", "+8:ps", "+-4:v:uint32", "+2147483647:v:uint64", "v:bfloat16", "e:bfloat16"]


def ask_perturbed(reference, answers, rng, count):
    caller, objects = Caller(reference, rng), Objects()
    entries = [e for e in reference.table.TABLE.values() if not unspellable(e)]
    asked = accepted = ambiguous = 0
    while asked < count:
        entry = rng.choice(entries)
        combination = rng.choice(reference.table.variants(entry))
        try:
            operands, how, _, _ = caller.make(entry, combination)
        except ValueError:
            continue
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            where = rng.randrange(len(operands) + 1)
            what = rng.randrange(6)
            if what == 0 and operands:
                operands.pop(min(where, len(operands) - 1))
            elif what == 1:
                operands.insert(where, rng.choice(CODES))
            elif what == 2:
                how = rng.choice(["pred=b", "pred=i1", "pred=v:int32", "pred=v:float32", "keep", "pred=v:bool keep", ""])
            elif operands:
                operands[min(where, len(operands) - 1)] = rng.choice(CODES)
        words = tokens_of(entry, combination)
        made = objects.call(entry.family, words, operands, how)
        if made == "ambiguous":
            ambiguous += 1
            continue
        asked += 1
        accepted += made is not None
        answers.ask(f"C\t{spelled(entry, words)}\t{' '.join(operands)}\t{how}", as_reference(made))
    print(f"    the reference takes {accepted} of {asked}; {ambiguous} more it cannot decide")


def as_reference(made):
    def check(answer):
        if made is None:
            return None if answer[0] == "-" else "the reference refuses it"
        if answer[0] == "!" and "after unrolling" in answer[1]:
            return None  # taken, and without text until a constant is known
        if answer[0] == "!" and "keeps its value" in answer[1]:
            return None  # taken; the reference fails at its text, too
        if answer[0] != "+" or answer[1] != made[0]:
            return f"the reference takes it as {made[0]}"
        return None if answer[4] == ",".join(made[1]) + "," else f"printed: {made[1]}"
    return check


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="20 legal combinations of each row instead of all")
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--illegal", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=27)
    args = parser.parse_args()
    enter_environment()
    rng = random.Random(args.seed)
    reference, answers, bad = Reference(), Answers(os.path.abspath(args.program)), 0
    legal = ask_legal(reference, answers, args.quick)
    bad += answers.judge(f"legal combinations ({legal} in the reference's table)")
    ask_shuffled(reference, answers, rng, 2000)
    bad += answers.judge("combinations in any order")
    ask_illegal(reference, answers, rng, args.illegal)
    bad += answers.judge("illegal combinations")
    ask_open(reference, answers, rng, 500)
    bad += answers.judge("words that can follow")
    ask_calls(reference, answers, rng, args.calls)
    bad += answers.judge("calls and printed calls, their row and CUDA text")
    ask_perturbed(reference, answers, rng, args.calls)
    bad += answers.judge("calls, most of them with faults, as the reference's engine takes or refuses them")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
