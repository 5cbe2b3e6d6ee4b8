"""Where Tilewright differs from the reference on purpose, and how that is recognised.

A rule names a Note of the specification (X: dispatch, N: scopes and layouts), says why, and has a test that looks at
the script and both answers: the difference passes only when the situation of the Note is really there.
"""
import re
from dataclasses import dataclass
from typing import Callable


class Source:
    """A script as lines; what surrounds a call is read from its indentation."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().splitlines()

    def kernel_lines(self, kernel):
        first = kernel["range"]["start"]["line"]
        last = first
        while last < len(self.lines) and (not self.lines[last].strip() or self.lines[last].startswith(" ")):
            last += 1
        return first, last

    def diagnostics_of(self, kernel, diagnostics):
        first, last = self.kernel_lines(kernel)
        return [d for d in diagnostics if first <= d["range"]["start"]["line"] <= last]

    def text_of(self, kernel):
        first, last = self.kernel_lines(kernel)
        return "\n".join(self.lines[first - 1:last])

    def guards(self, call):
        """Conditions around a call, innermost first; an else branch is `else of <condition>`."""
        n = call["range"]["start"]["line"] - 1
        out, depth = [], len(self.lines[n]) - len(self.lines[n].lstrip())
        other = False
        for line in reversed(self.lines[:n]):
            here = len(line) - len(line.lstrip())
            if not line.strip() or here > depth or (here == depth and not other):
                continue
            text = line.strip()
            if text.startswith("if ") and (here < depth or other):
                out.append(("else of " if other else "") + text[3:].rstrip(":"))
                depth, other = here, False
            elif here < depth:
                other = text == "else:"
                depth = here
                if text.startswith("def "):
                    break
        return out


def names_of(variant):
    """What a variant of 0.25 is called in later releases, too."""
    return (variant, "vec_auto") if variant in ("reg", "gmem_smem") else (variant,)


@dataclass
class Case:
    source: Source
    reference: dict  # the kernel as the reference answers
    ours: dict       # the kernel as we answer
    index: int | None  # of the call that differs; None: the kernel as a whole
    what: str = ""     # the difference, in words

    @property
    def call(self):
        return self.ours["calls"][self.index] if self.index is not None and self.index < len(self.ours["calls"]) else None

    @property
    def text(self):
        return self.source.text_of(self.ours)

    def ours_of(self, variant, outcome):
        return self.call and any(t["variant"] in names_of(variant) and t["outcome"] == outcome for t in self.call["trials"])

    def reason(self, variant):
        return next((t["reason"] for t in self.call["trials"] if t["variant"] in names_of(variant)), "") if self.call else ""

    def theirs(self):
        return self.reference["calls"][self.index] if self.index is not None else None


@dataclass
class Rule:
    name: str
    note: str
    why: str
    test: Callable[[Case], bool]


RULES = []


def explain(case):
    return next((r for r in RULES if r.test(case)), None)


# ---- what the tests below share ----

def many_dimensions(case):
    """threads(): more than one dimension of threadIdx."""
    return re.search(r"=\s*T\.thread_id\(\[\d+, *\d+", case.text) is not None


def threads(case):
    """Threads of the CTA; 0 when the script does not say."""
    m = re.search(r"T\.thread_id\(\[([\d, ]+)\]\)", case.text)
    out = 1
    for n in (m.group(1).split(",") if m else ["0"]):
        out *= int(n)
    return out


def registers(case):
    """The layout text of the register operand of the call; empty when there is none or it has no thread axis."""
    call = case.theirs()["call"] if case.index is not None else ""
    for name in re.findall(r"\b(R\d+)\b", call):
        m = re.search(rf"^\s*{name} = T\.alloc_buffer\(.*layout=(.*)\)$", case.text, re.M)
        if m and "@" in m.group(1):
            return m.group(1)
    return ""


def element_bits(case):
    m = re.search(r"^\s*R\d+ = T\.alloc_buffer\(.*?, \"([a-z]+)(\d+)", case.text, re.M)
    return int(m.group(2)) if m else 0


NARROWED = ("gets here", "get here")  # our words for a scope of which a part is active; the reference's: "narrowed"


def refused_for_threads(case):
    """We say that not all threads of the scope come; the reference does not."""
    words = (*NARROWED, "only some threads", "warpgroup boundary")
    return (any(w in t["reason"] for t in case.call["trials"] for w in words)
            and not any("narrowed" in t.get("reason", "") for t in case.theirs()["trials"]))


def served_by_fallback(case):
    return case.theirs() and case.theirs()["variant"] == "fallback"


def instruction_would_fail(case):
    """The reference moves a fragment by ldmatrix or stmatrix, and we decline to."""
    return case.theirs()["variant"] == "ldstmatrix" and case.ours_of("ldstmatrix", "declined")


def follows_a_difference(case, test):
    """The kernel as a whole differs because one of its calls does, in the way that `test` recognises."""
    calls = range(min(len(case.reference["calls"]), len(case.ours["calls"])))
    return case.index is None and any(test(Case(case.source, case.reference, case.ours, i)) for i in calls)


def rule_and_its_kernel(name, note, why):
    """A rule on a call that also explains that only one side compiles the kernel."""
    def add(test):
        def on_call(case):
            return case.index is not None and case.call is not None and bool(test(case))
        RULES.append(Rule(name, note, why, lambda case: on_call(case) or follows_a_difference(case, on_call)))
        return test
    return add


# ---- the rules ----

@rule_and_its_kernel(
    "rows of other threads", "X13",
    "the scalar loop runs in one thread, which cannot read or write registers of others; the reference "
    "chooses it and then fails when it lowers the access, or copies garbage")
def _(case):
    return bool(registers(case)) and served_by_fallback(case) and case.ours_of("fallback", "rejected")


@rule_and_its_kernel(
    "lanes that are not there", "X13",
    "registers on every fourth lane of 32 would lie in lanes up to 124; the reference of 0.26 and 0.27 takes one lane a row, "
    "whatever the stride")
def _(case):
    return (case.theirs() is not None and case.theirs()["variant"] == "vec_auto" and case.ours_of("reg", "declined")
            and "is spread over" in case.reason("reg"))


@rule_and_its_kernel(
    "ldmatrix moves 16-bit elements", "X12",
    "the instruction pairs elements of 16 bits; the reference does not look at the type")
def _(case):
    return instruction_would_fail(case) and element_bits(case) != 16


@rule_and_its_kernel(
    "ldmatrix rows start at 16 bytes", "X12",
    "a row address that is not a multiple of 16 bytes faults; the reference does not test it")
def _(case):
    return instruction_would_fail(case) and "16 bytes" in case.reason("ldstmatrix")


@rule_and_its_kernel(
    "threads in several dimensions", "X16",
    "the reference measures a CTA by threadIdx.x alone, so that it calls a whole one narrowed, and a "
    "part of one whole; we count all threads")
def _(case):
    rows = case.theirs()["trials"] + case.call["trials"]
    return many_dimensions(case) and any("narrowed" in t.get("reason", "") for t in rows)


@rule_and_its_kernel(
    "a tail warp", "X15",
    "with a thread count that is no multiple of 32 the reference lets the extra threads copy outside of "
    "the partition")
def _(case):
    return (threads(case) % 32 != 0 and threads(case) > 32 and case.call["scope"] == "cta"
            and "whole number of warps" in case.reason("gmem_smem"))


@rule_and_its_kernel(
    "the else branch is the rest", "N5",
    "the reference takes the whole set of threads for an else branch")
def _(case):
    return any(g.startswith("else of ") for g in case.source.guards(case.call)) and refused_for_threads(case)


@rule_and_its_kernel(
    "some threads do not come", "N11",
    "a condition on threads that is no box, or an else, leaves some of them out; the reference does not narrow and "
    "the copy stays incomplete")
def _(case):
    words = (*NARROWED, "only some threads")
    return bool(case.source.guards(case.call)) and any(w in t["reason"] for t in case.call["trials"] for w in words)


@rule_and_its_kernel(
    "a range without a lower bound", "N7",
    "`tid < n` overflows in the reference and narrows nothing")
def _(case):
    return any(re.fullmatch(r"tid < \d+", g) for g in case.source.guards(case.call)) and refused_for_threads(case)


@rule_and_its_kernel(
    "regions of one element", "X14",
    "the reference builds an empty loop nest and fails")
def _(case):
    said = "".join(t.get("reason", "") for t in case.theirs()["trials"])
    return "Index out of range" in said and case.ours_of("fallback", "chosen")


@rule_and_its_kernel(
    "warpgroups that the CTA does not have", "N1",
    "128 rows on tid_in_wg need whole warpgroups; the reference notices only when it lowers")
def _(case):
    return ("cannot infer extent" in (case.reference.get("error") or "") and threads(case) % 128 != 0
            and re.search("tid_in_wg|wid_in_wg", registers(case)) and case.ours_of("reg", "declined"))


# ---- asynchronous copies ----

@rule_and_its_kernel(
    "elements that do not lie side by side", "X5",
    "the reference does not look at the last stride of the tensor and copies neighbours instead")
def _(case):
    m = re.search(r"copy_async\(\w+\[.*?\], (A\d+)\[", case.theirs()["call"])
    layout = m and re.search(rf"^\s*{m.group(1)} = T\.match_buffer\(.*layout=TileLayout\(S\[.*: \(?(?:.*, )?(\d+)\)?\]\)\)$",
                             case.text, re.M)
    return (bool(layout) and layout.group(1) != "1" and case.theirs()["variant"] == "ldgsts"
            and case.ours_of("ldgsts", "declined"))


@rule_and_its_kernel(
    "threads' copies off their width", "X17",
    "where the buffer starts is not part of the reference's alignment test, and cp.async faults at such an address")
def _(case):
    return (case.theirs()["variant"] == "ldgsts" and case.ours_of("ldgsts", "declined")
            and "the widest access that fits" in case.reason("ldgsts") and from_pool_without_alignment(case))


def refused_by_driver(m):
    """Why a tensor map could not be encoded, or would not move what it says (V1-V5, V11); None: it would."""
    def numbers(values):
        return [v for v in values if isinstance(v, int)]
    size = {"8": 1, "16": 2, "32": 4, "64": 8}[re.search(r"\d+", m["dtype"]).group()] if m["dtype"] != "bfloat16" else 2
    row, span = m["box"][0] * size, 16 << m["swizzle"]
    others = 1
    for b in m["box"][1:]:
        others *= b
    if max(m["box"]) > 256:
        return "V1"
    if any(s % 16 or s >= 1 << 40 for s in numbers(m["strides"])):
        return "V2"
    if row % 16:
        return "V3"
    if m["swizzle"] and row > span:
        return "V4"
    if m["swizzle"] and row < span and others > 1:
        return "V5"
    if any(not 1 <= d <= 1 << 32 for d in numbers(m["dims"])):
        return "V11"
    return None


def tensor_call(case):
    """The reference moves the call by a tensor map, and we decline to."""
    return case.theirs()["variant"] == "tma" and case.ours_of("tma", "declined")


def misplaced(case, pattern):
    """A number of bytes in our reason, as `pattern` finds it, that is not a multiple of 128."""
    m = re.search(pattern, case.reason("tma"))
    return m and int(m.group(1)) % 128 != 0


def option_of(case, key):
    """The text of an option of the call that differs, as the reference prints it; None: not given."""
    m = re.search(rf"\b{key}=([^,)]*)", case.theirs()["call"])
    return m.group(1) if m else None


def from_pool_without_alignment(case):
    """A shared buffer behind another one of a pool, with the alignment of its type only."""
    return re.search(r"_gap = pool\.alloc\(.*\n\s+X\d+ = pool\.alloc\((?!.*align=)", case.text) is not None


def map_rule(name, note, why):
    """A rule that a map breaks, on the call that we decline or on the maps that differ."""
    def on_call(case):
        return case.index is not None and case.call is not None and tensor_call(case) and any(
            refused_by_driver(m) == note for m in case.reference.get("tensor_maps") or [])

    def on_maps(case):
        return (case.what.startswith("tensor maps:")
                and any(refused_by_driver(m) == note for m in case.reference["tensor_maps"])
                and not any(refused_by_driver(m) for m in case.ours["tensor_maps"]))

    RULES.append(Rule(name, note, why,
                      lambda case: on_call(case) or on_maps(case) or follows_a_difference(case, on_call)))


map_rule("a box of more than 256", "V1", "the driver refuses the map; we cut the box, or use wider elements (Y1)")
map_rule("a stride off 16 bytes", "V2", "the driver refuses the map (Y2)")
map_rule("a row off 16 bytes", "V3", "the driver refuses the map")
map_rule("a row wider than the swizzle", "V4", "the driver refuses the map")
map_rule("narrow rows under a swizzle", "V5", "the unit would give each row a whole span (Y3)")
map_rule("an extent of a map", "V11", "the driver refuses the map")


@rule_and_its_kernel(
    "a reduction by wider elements", "Y6",
    "the reference joins elements to wider ones, also where the unit adds them up; the box does not fit without that")
def _(case):
    return (tensor_call(case) and option_of(case, "use_tma_reduce") not in (None, "None")
            and any(not re.search(rf'"{m["dtype"]}"', case.text) for m in case.reference.get("tensor_maps") or []))


@rule_and_its_kernel(
    "a box that starts off 128 bytes", "V6", "the unit faults; the reference does not look at where boxes start (Y4)")
def _(case):
    return tensor_call(case) and (misplaced(case, r"(\d+) bytes into shared memory")
                                  or misplaced(case, r"boxes (\d+) bytes apart"))


@rule_and_its_kernel(
    "shared memory at an address that the unit does not take", "V6",
    "behind another buffer of the pool, with the alignment of its type only (V6; under a swizzle V7)")
def _(case):
    return tensor_call(case) and "of its storage" in case.reason("tma") and from_pool_without_alignment(case)


@rule_and_its_kernel(
    "a swizzle that is not the hardware's", "V7",
    "the unit knows three patterns for each element size; the reference looks at one of the three numbers only")
def _(case):
    return tensor_call(case) and "none that the hardware applies" in case.reason("tma") and "SwizzleLayout(" in case.text


@rule_and_its_kernel(
    "the address of the tensor", "V8", "the reference encodes the pointer without the layout's offset (Y7)")
def _(case):
    m = re.search(r"the tensor starts (\d+) bytes into its storage", case.reason("tma"))
    return tensor_call(case) and m and int(m.group(1)) % 16 != 0


@rule_and_its_kernel(
    "dimensions of one element cost rank", "V9", "we fold them into the address of the tensor or into each other (Y8)")
def _(case):
    said = "".join(t.get("reason", "") for t in case.theirs()["trials"] if t["variant"] == "tma")
    return "rank" in said and case.ours_of("tma", "chosen") and case.call["facts"]["rank"] <= 5


RULES.append(Rule(
    "fewer issues", "V1-V9",
    "where a legal plan with fewer instructions exists we take it, and the report says so",
    lambda case: case.what.startswith("tensor maps:")
    and any(c.get("facts", {}).get("fewer_issues", 0) > 0 for c in case.ours["calls"])
    and not any(refused_by_driver(m) for m in case.ours["tensor_maps"])))


@rule_and_its_kernel(
    "no cta_group", "Y16", "the reference's wrapper takes 1 and 2 only, and has no default but on sm_100a")
def _(case):
    said = "".join(t.get("reason", "") for t in case.theirs()["trials"])
    return "cta_group=-1" in said and option_of(case, "cta_group") is None and case.ours_of("tma", "chosen")


@rule_and_its_kernel(
    "targets without the instruction", "Y20", "the reference does not look at the target")
def _(case):
    return any(
        t["variant"] in ("tmem<->local", "smem->tmem") and t["outcome"] != "rejected"
        and case.ours_of(t["variant"], "rejected") and "needs sm_100a" in case.reason(t["variant"])
        for t in case.theirs()["trials"])


@rule_and_its_kernel(
    "less than a repetition", "Y19",
    "a slice of a fragment that is no whole number of repetitions; the reference emits .x0, or other columns")
def _(case):
    said = case.reason("tmem<->local")
    return (case.theirs()["variant"] == "tmem<->local" and case.ours_of("tmem<->local", "declined")
            and "alloc_tcgen05_ldst_frag" in case.text
            and ("whole repetitions" in said or "inside a repetition" in said or "moves .x1" in said))


@rule_and_its_kernel(
    "registers that are cut", "Y18", "the reference does not look at the registers' layout, nor where they start")
def _(case):
    said = case.reason("tmem<->local")
    return (case.theirs()["variant"] == "tmem<->local" and case.ours_of("tmem<->local", "declined")
            and ("inside a 32-bit register" in said or "neither a row a thread" in said))


@rule_and_its_kernel(
    "bulk copies keep bytes in their order", "Y10",
    "source and destination are swizzled differently, or at different places of the period")
def _(case):
    said = case.reason("dsmem")
    return (case.theirs()["variant"] == "dsmem" and case.ours_of("dsmem", "declined")
            and ("keeps bytes in their order" in said or "period" in said)
            and re.search("SwizzleLayout|ComposeLayout|mma_shared_layout", case.text))


@rule_and_its_kernel(
    "chunks that the swizzle tears apart", "Y12", "the reference takes addresses without the swizzle")
def _(case):
    said = case.reason("dsmem")
    return (case.theirs()["variant"] == "dsmem" and case.ours_of("dsmem", "declined")
            and ("tears them apart" in said or "neither whole swizzle spans" in said or "do not stay together" in said)
            and re.search("SwizzleLayout|ComposeLayout|mma_shared_layout", case.text))


@rule_and_its_kernel(
    "bulk copies off 16 bytes", "Y11", "starts and steps must be multiples of 16 bytes; the reference does not test it")
def _(case):
    return (case.theirs()["variant"] == "dsmem" and case.ours_of("dsmem", "declined")
            and "multiple of 16" in case.reason("dsmem"))


def offsets_in_region(case, region):
    """Where the elements of `X0[0:4, 0:16]` lie without a swizzle, in the region's row-major order; None: the script says
    it in another way than with numbers and a layout of one level."""
    name, bounds = re.fullmatch(r"(\w+)\[(.*)\]", region).groups()
    made = re.search(rf"^\s*{name} = \w+\.alloc(?:_buffer)?\(\(([\d, ]+)\), (.*)$", case.text, re.M)
    ranges = [re.fullmatch(r"\s*(\d+):(\d+)\s*", b) for b in bounds.split(",")]
    if not made or not all(ranges):
        return None
    shape = [int(n) for n in re.findall(r"\d+", made.group(1))]
    layout = re.search(r"TileLayout\(S\[\(([\d, ]+)\) : \(([\d, ]+)\)\]\)", made.group(2))
    if "TileLayout" in made.group(2) and not layout:
        return None
    places = [0]
    for r, extent in zip(ranges, shape):
        places = [p * extent + i for p in places for i in range(int(r.group(1)), int(r.group(2)))]
    if not layout:
        return places
    extents, strides = ([int(n) for n in re.findall(r"\d+", part)] for part in layout.groups())
    out = []
    for place in places:
        offset = 0
        for extent, stride in zip(reversed(extents), reversed(strides)):
            offset += place % extent * stride
            place //= extent
        out.append(offset)
    return out


def elements_moved(case):
    """{place in the source: place in the destination} of an asynchronous copy; empty: not known."""
    regions = re.search(r"copy_async\((\w+\[[^\]]*\]), (\w+\[[^\]]*\])", case.theirs()["call"])
    to, of = (offsets_in_region(case, r) for r in regions.groups()) if regions else (None, None)
    return dict(zip(of, to)) if to and of and len(to) == len(of) else {}


@rule_and_its_kernel(
    "16 bytes that do not stay together", "copy_async.md 4",
    "a chunk is contiguous on both sides; the reference pairs shards by number where grouping splits one side further")
def _(case):
    lands = elements_moved(case)
    source = re.search(r"copy_async\(\w+\[[^\]]*\], (\w+)\[", case.theirs()["call"])
    bits = source and re.search(rf"^\s*{source.group(1)} = .*\"[a-z]+(\d+)\w*\"", case.text, re.M)
    if not (lands and bits and case.theirs()["variant"] == "dsmem" and case.ours_of("dsmem", "declined")
            and "chunk_bytes=" in case.reason("dsmem")):
        return False
    block = 128 // int(bits.group(1))
    first = min(lands)
    return any((offset - first) % block and lands.get(offset - 1, place) != place - 1 for offset, place in lands.items())


@rule_and_its_kernel(
    "chunks that the reference does not see", "copy_async.md 4",
    "the reference pairs shards by number where grouping splits one side further; chunks of ours lie side by side on both")
def _(case):
    ours = case.call
    if case.theirs()["variant"] == "dsmem" or ours["variant"] != "dsmem" or "chunk_bytes" not in ours["facts"]:
        return False
    lands = sorted(elements_moved(case).items())
    count = ours["facts"]["chunks"]
    if not lands or len(lands) % count or ours["facts"]["chunk_bytes"] % 16:
        return False
    size = len(lands) // count
    chunks = [lands[at:at + size] for at in range(0, len(lands), size)]
    return all(e == (chunk[0][0] + i, chunk[0][1] + i) for chunk in chunks for i, e in enumerate(chunk))


@rule_and_its_kernel(
    "a descriptor's base", "Y21", "the swizzle's pattern starts with the memory; the reference does not test where")
def _(case):
    return (case.theirs()["variant"] == "smem->tmem" and case.ours_of("smem->tmem", "declined")
            and "allocate it with that alignment" in case.reason("smem->tmem") and from_pool_without_alignment(case))


@rule_and_its_kernel(
    "a warpgroup without all its warps", "N11",
    "each warp moves its quarter of the lanes, so that some rows stay behind; the reference asks for the scope only")
def _(case):
    return (any(t["variant"] == "tmem<->local" and t["outcome"] != "rejected" for t in case.theirs()["trials"])
            and case.ours_of("tmem<->local", "rejected") and any(w in case.reason("tmem<->local") for w in NARROWED)
            and bool(case.source.guards(case.call)))
