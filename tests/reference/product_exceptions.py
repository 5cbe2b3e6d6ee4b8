"""Where matrix products differ from the reference on purpose (Notes G of the specification), and how that is recognised."""
import re

from exceptions import RULES, Rule, rule_and_its_kernel

STEP = {"float16": 16, "bfloat16": 16, "float8_e4m3fn": 32, "float4_e2m1fn": 64}  # of K, one instruction


def number(text):
    """A bound; of one that changes in a loop its second value."""
    return int(text) if text.isdigit() else eval(text, {"__builtins__": {}, "s": 1})  # noqa: S307: of our own scripts


class Region:
    """`A_smem[2, 0:32, 96:128]` of a call, as the reference prints it."""

    def __init__(self, text):
        self.name, bounds = re.fullmatch(r"(\w+)\[(.*)\]", text).groups()
        both = [tuple(map(number, b.split(":"))) for b in bounds.split(", ")]
        self.bounds = [b if len(b) == 2 else (b[0], b[0] + 1) for b in both]
        self.rows, self.columns = (b[1] - b[0] for b in self.bounds[-2:])
        self.row, self.column = (b[0] for b in self.bounds[-2:])


class Product:
    """The operands of a gemm_async call, and how the script declares them."""

    def __init__(self, case):
        text = case.theirs()["call"]
        self.regions = [Region(r) for r in re.findall(r"\w+\[[^\]]*\]", text)]
        self.c, self.a, self.b = self.regions[:3]
        self.scales = self.regions[3:5]
        flags = re.search(r"\], (True|False), (True|False), ", text)
        self.t_a, self.t_b = (flags.group(i) == "True" for i in (1, 2))
        group = re.search(r"cta_group=(\d)", text)
        self.group = int(group.group(1)) if group else 1
        self.script = case.text

    def declared(self, region):
        """The line that makes the buffer; of a view the one behind it."""
        line = re.search(rf"^\s*{region.name} = (.*)$", self.script, re.M).group(1)
        view = re.match(r"(\w+)\.view\(", line)
        return re.search(rf"^\s*{view.group(1)} = (.*)$", self.script, re.M).group(1) if view else line

    def type(self):
        line = re.search(rf"^\s*{self.a.name} = (.*)$", self.script, re.M).group(1)
        return re.search(r'"(\w+)"', line).group(1)

    def atom_row(self, region):
        """Elements in a row of the swizzle's atom; None: no swizzle."""
        m = re.search(r"(?:Swizzle|Compose)Layout\((\d), (\d), 3[,)]|mma_shared_layout\(\"(\w+)\", (\d)", self.declared(region))
        if not m:
            return None
        mode = int(m.group(2) or m.group(4))
        return (128 << mode) // {16: 16, 32: 8, 64: 4}[STEP[self.type()]]

    def parts(self):
        """(start, extent) of A and B along K."""
        a = (self.a.row, self.a.rows) if self.t_a else (self.a.column, self.a.columns)
        b = (self.b.row, self.b.rows) if self.t_b else (self.b.column, self.b.columns)
        return a, b

    def legal_step(self):
        m = self.c.rows
        if self.scales:
            return 16 if self.group == 2 else 8
        return 32 if self.group == 2 else 8 if m == 64 else 16


def accepted_by_reference(case, *words):
    said = case.reason("tcgen05")
    return case.theirs()["variant"] == "tcgen05" and case.ours_of("tcgen05", "declined") and any(w in said for w in words)


def rule(name, note, why, *words):
    """The reference takes a call that we decline with one of these words; the test looks at the call."""
    def add(test):
        rule_and_its_kernel(name, note, why)(lambda case: accepted_by_reference(case, *words) and test(Product(case)))
        return test
    return add


@rule("rows of a CTA", "G1", "the unit has 128 lanes a CTA, and 64-row instructions lie otherwise", "64 or 128 rows at once")
def _(p):
    return p.c.rows not in (64, 128)


@rule("64 rows lie in 16 of every 32 lanes", "G2", "the reference takes one lane a row, the unit does not", 'datapath="F"')
def _(p):
    return p.c.rows == 64 and p.group == 1 and "(4, 16, " not in p.declared(p.c)


@rule("rows from another lane", "G3", "the reference drops the first lane of the region", "on TLane")
def _(p):
    return p.c.row != 0 or (p.a.row != 0 and "TLane" in p.declared(p.a))


@rule("64 rows of A in tensor memory", "open", "it is not documented in which lanes the unit reads them", "A in tensor memory has 128 rows")
def _(p):
    return p.a.rows == 64 and 'scope="tmem"' in p.declared(p.a)


@rule("cells of two elements", "G4", "the reference rounds down to the cell", "share 32-bit cells")
def _(p):
    return p.a.column % 2 == 1


@rule("columns that no instruction has", "G5, G8, G16", "the reference folds the descriptor without asking what is legal",
      "is no sum of equal tiles", "is not possible")
def _(p):
    return p.c.columns % p.legal_step() != 0 or p.c.columns > 256


@rule("tiles of a pair", "G6", "rows of both CTAs would not stand in the order of the columns", "at most 256 columns in one call")
def _(p):
    return p.group == 2 and p.c.columns > 256


@rule("distances that only the launch knows", "G33", "they are to fit 14 bits", "_smem has a layout known only at run time")
def _(p):
    return any("(n * 512, " in p.declared(o) for o in (p.a, p.b))


@rule("places of scale factors", "G7", "the reference compares 32 lanes, not the steps around them nor their repetition",
      "in all four quarters", "the unit reads it in lane", "has a layout known only at run time")
def _(p):
    return any("R[4 : 32 @ TLane]" not in p.declared(s) or "(n @ TCol" in p.declared(s) for s in p.scales)


@rule("four times as many factors", "G12", "the reference takes every fourth of them", "they do not repeat")
def _(p):
    return any(s.columns > p.scales[0].columns // 4 and ", 4) : (" in p.declared(s) for s in p.scales)


@rule("a step of K over the end of an atom's row", "G15", "the unit goes on in the next row", "cross the end of that row")
def _(p):
    return any(start % STEP[p.type()] or extent % STEP[p.type()] for start, extent in p.parts())


@rule("M or N from inside an atom", "G16", "the unit goes on a whole atom further", "must start where an atom starts")
def _(p):
    return p.t_a or p.t_b or "mma_shared_layout" not in p.script


@rule("atoms at several distances", "G19", "a descriptor has one distance; the reference takes the inner one", "at one distance")
def _(p):
    blocks = re.escape("S[(2, 64, 64) : (8192, 64, 1)]"), r"2, 64\) : \(64, 24576, 8192, 1\)"
    return any(re.search(b, p.declared(r)) for r in (p.a, p.b) for b in blocks)


@rule("atoms that are too far apart", "G33", "a descriptor has 14 bits for a distance, and the reference cuts it to them", "14 bits of 16 bytes")
def _(p):
    return any(": (64, 131072, 1)" in p.declared(r) for r in (p.a, p.b))


@rule("rows from inside an atom", "G20", "the pattern of the swizzle starts with an atom of eight rows",
      "of the eight of an atom", "first of the eight rows of an atom")
def _(p):
    return p.a.row % 8 != 0 or p.b.row % 8 != 0


@rule("a pair without a cluster", "G30", "two CTAs work together in a cluster; the reference does not look", "works in a pair of CTAs")
def _(p):
    return p.group == 2 and "cta_id_in_cluster" not in p.script


@rule("a tile inside of a buffer", "G21", "the pattern of the swizzle starts where the storage does, or a whole atom on", "where no atom of")
def _(p):
    return any(re.search(r"elem_offset=(8|64|256),", p.declared(r)) for r in (p.a, p.b))


@rule("several copies of a tile", "G33", "a descriptor reads one; the reference drops the others", "has a replicated layout")
def _(p):
    return any("+ R[2 : 8192]" in p.declared(r) for r in (p.a, p.b))


@rule("tiles that no shared memory holds", "G33", "a descriptor's addresses end at 256 KB", "that no shared memory has")
def _(p):
    return any("(128, 1048576)" in p.declared(r) for r in (p.a, p.b))


@rule("factors from another lane", "G3", "the reference drops the first lane of the region", "the unit reads from lane 0")
def _(p):
    return any("16 @ TLane" in p.declared(s) for s in p.scales)


@rule("two factors from an odd byte", "H5", "the unit reads bytes 0 and 1 of a cell, or 2 and 3", "at a time start at a multiple of")
def _(p):
    return any(s.column % 2 for s in p.scales)


def address(p, region):
    """The column that the script gives a buffer, counted from where its allocation starts or from the memory's first."""
    m = re.search(r"allocated_addr=(?:address\[0\] \+ )?(\d+)", p.declared(region))
    return int(m.group(1)) if m else None


@rule("columns that there are not", "G30", "tensor memory has 512", "of tensor memory, which has")
def _(p):
    known = [r for r in (p.c, p.a, *p.scales) if "allocated_addr=address" not in p.declared(r) and address(p, r) is not None]
    return any(address(p, r) + r.column + r.columns > 512 for r in known)


@rule("C over its own operands", "G30", "the product would write over A or the factors while they are read", "would write over")
def _(p):
    first = address(p, p.c)
    return first is not None and any(
        first - 64 <= (address(p, r) or 0) < first + p.c.columns for r in (p.a, *p.scales) if 'scope="tmem"' in p.declared(r))


@rule_and_its_kernel("targets without the instruction", "G30", "the reference has no predicate for the target")
def _(case):
    theirs = case.theirs()
    words = {"gemm_async": "tcgen05.mma needs", "gemm": "mma.sync.m16n8k"}.get(theirs["primitive"])
    said = case.reason(theirs["variant"] or "")
    return bool(words) and words in said and "the target is" in said and case.call["variant"] is None


@rule_and_its_kernel("errors after the choice", "G27",
                     "the reference chooses the variant and finds out while it generates code; we decline with the same rule")
def _(case):
    variant = case.theirs()["variant"]
    return (variant in ("tcgen05", "mma.m16n8k*") and case.ours_of(variant, "declined")
            and "no variant serves" not in (case.reference.get("error") or "no variant serves"))


def part_of_an_atom(p):
    for region, (start, extent) in zip((p.a, p.b), p.parts()):
        row = p.atom_row(region)
        if row and (start % row or extent % row):
            return True
    return p.c.columns % 8 == 0 and p.c.columns < 64  # fewer rows of B than the reference's rounding reaches


@rule_and_its_kernel(
    "parts of K by whole steps", "G14, G18",
    "each step stays inside an atom's row; the reference wants the region to be one strided block of whole atoms, in the last "
    "dimension alone a part of one")
def _(case):
    said = " ".join(t.get("reason", "") for t in case.theirs()["trials"])
    return (case.theirs()["variant"] is None and case.ours_of("tcgen05", "chosen")
            and ("no MMA SMEM descriptor matches" in said or "NoneType" in said) and part_of_an_atom(Product(case)))


def several_tiles(case):
    """The instruction that differs belongs to tiles of N that the reference cuts where no atom, or no legal extent, ends."""
    calls = [case.reference["calls"][i] for i in range(len(case.reference["calls"]))]
    return any(c["primitive"] == "gemm_async" and Region(re.search(r"\w+\[[^\]]*\]", c["call"]).group()).columns > 256 for c in calls)


RULES.append(Rule(
    "tiles of N that start where atoms do", "G5, G8, G16",
    "we cut N into legal tiles that start at an atom along N, or at a block of 32 rows of scale factors",
    lambda case: case.what.startswith("instructions: number") and several_tiles(case)))


# Refusals that the reference cannot be asked about, and where they are tried.
NOT_SHOWN = {
    "gemm": {
        "at most 4096": "our own limit; the reference takes ten minutes for a call that is above it (tests/unit/dispatch_gemm.cpp)",
        "cannot be cut into": "a part of a layout is cut by its dimensions already, so that no script comes here",
    },
    "gemm_async": {
        "at most 4096": "our own limit, as that of gemm (tests/unit/dispatch_gemm_async.cpp)",
        "SFA and SFB must both be given": "the reference cannot read such a script at all (tests/script/tcgen05.py)",
        "is distributed over axis": "a swizzle over thread axes is refused where it is written; of wgmma: tests/script/wgmma_refused.py",
        "has no address in tensor memory": "the reference's scripts cannot declare such a tile (tests/unit/dispatch_gemm_async.cpp)",
    },
}


# ---- gemm ----

def of_gemm(case):
    return case.theirs()["variant"] == "mma.m16n8k*" and case.theirs()["primitive"] == "gemm"


@rule_and_its_kernel("a slice that chooses threads", "G24", "the reference drops the thread that the slice starts at")
def _(case):
    said = case.reason("mma.m16n8k*")
    if not of_gemm(case):
        return False
    first = Region(re.search(r"\w+\[[^\]]*\]", case.theirs()["call"]).group())
    declared = re.search(rf"^\s*{first.name} = T.alloc_buffer\(\((\d+), ", case.text, re.M)
    return ("a slice cannot choose threads" in said and "32 @ tx" in case.text
            and declared and int(declared.group(1)) > first.rows)


@rule_and_its_kernel("sums over warps", "G26", "K is spread over warps, and nothing adds their sums up")
def _(case):
    lines = re.findall(r"^\s*[ab] = .*$", case.text, re.M)
    return of_gemm(case) and "nothing adds their sums up" in case.reason("mma.m16n8k*") and all("32 @ tx" in x for x in lines)


@rule_and_its_kernel("threads of a part of a warp", "G34", "two rows of the fragment would be held by the same lanes")
def _(case):
    return of_gemm(case) and "not a step of whole warps" in case.reason("mma.m16n8k*") and "16 @ tx" in case.text


@rule_and_its_kernel("threads beyond the scope", "G34", "a warp has 32 of the 64 threads that hold the tile")
def _(case):
    return of_gemm(case) and case.theirs()["scope"] == "warp" and re.search("is spread over 64 threads, the warp has", case.reason("mma.m16n8k*"))


@rule_and_its_kernel("CTAs that are no whole warps", "N4", "a fragment is spread over the 32 lanes of a warp, and some of them are not there")
def _(case):
    words = ("less than one warp", "not a whole number of warps", "not known before the launch")
    count = re.search(r"T\.thread_id\(\[(\w+)\]\)", case.text)
    odd = count is not None and (not count.group(1).isdigit() or int(count.group(1)) % 32 != 0)
    return of_gemm(case) and any(w in case.reason("mma.m16n8k*") for w in words) and odd


@rule_and_its_kernel("pairs that no register holds", "G34", "two elements along K are the halves of a 32-bit register; the reference reads them "
                     "wherever they are")
def _(case):
    return of_gemm(case) and "some pair starts at an odd one" in case.reason("mma.m16n8k*") and re.search(r"\(3, ", case.text)


@rule_and_its_kernel("registers along an axis that they do not have", "G34", "the reference counts columns of tensor memory as registers")
def _(case):
    return of_gemm(case) and "is distributed over axis TCol" in case.reason("mma.m16n8k*") and "@ TCol" in case.text


@rule_and_its_kernel("a fragment in one thread", "G26", "32 lanes hold a fragment; one thread cannot multiply it")
def _(case):
    return of_gemm(case) and case.ours_of("mma.m16n8k*", "rejected") and case.theirs()["scope"] == "thread"
