"""Where arithmetic on tiles differs from the reference on purpose: the Notes Q of the specification.

Each rule wants the situation itself: what the script says, or what the reference said when it refused.
"""

import re

from exceptions import RULES, Rule, rule_and_its_kernel

ELEMENTWISE = {"add", "sub", "mul", "fdiv", "fma", "cast", "exp", "exp2", "sqrt", "reciprocal", "silu", "zero", "fill", "log2", "maximum"}
REDUCTIONS = {"sum", "max", "min"}


def theirs_said(case, pattern):
    return any(re.search(pattern, t.get("reason") or "", re.S) for t in case.theirs()["trials"])


def ours_said(case, pattern):
    return any(re.search(pattern, t["reason"] or "") for t in case.call["trials"])


def served_here(case):
    return case.call["variant"] is not None and case.theirs()["variant"] is None


def refused_here(case):
    return case.call["variant"] is None and case.theirs()["variant"] is not None


def tile_of(case, name):
    """The line that declares a tile."""
    m = re.search(rf"^\s*{name} = T\.alloc_buffer\(.*$", case.text, re.M)
    return m.group(0) if m else ""


def operands(case):
    """The names in the call, the destination first."""
    call = re.search(r"\.\w+\((.*)\)$", case.theirs()["call"])
    return re.findall(r"\b([a-f])(?:\.\w+)*\[", call.group(1)) if call else []


def primitive(case, names):
    return case.call is not None and case.call["primitive"] in names


@rule_and_its_kernel("a number that is no float32", "Q8", "the reference fills with floats and regions alone")
def _(case):
    return primitive(case, {"fill"}) and served_here(case) and theirs_said(case, "unsupported src type")


@rule_and_its_kernel("a whole number as scale", "Q7", "the reference asks a Python int for its type")
def _(case):
    return (
        primitive(case, {"exp", "exp2", "log2", "sqrt"})
        and served_here(case)
        and theirs_said(case, "'int' object has no attribute|int has no dtype-bearing")
    )


@rule_and_its_kernel("a function of integers", "Q10", "the reference calls a device function that does not exist")
def _(case):
    return (
        primitive(case, {"exp", "exp2", "log2", "sqrt"})
        and refused_here(case)
        and ours_said(case, "no such function")
        and any(re.search(r'"u?int\d+"', tile_of(case, n)) for n in operands(case))
    )


def no_such_vector(case):
    said = case.reference.get("error") or ""
    return case.index is None and "Cannot convert type T.int32x16" in said and ".maximum(" in case.text


RULES.append(Rule("a vector of integers", "Q35", "the reference's code generator has no such vector", no_such_vector))


@rule_and_its_kernel("elements of four bits", "Q9", "the reference stores whole bytes and loses the neighbour")
def _(case):
    return (
        refused_here(case)
        and ours_said(case, "share a byte")
        and any("float4" in tile_of(case, n) for n in operands(case))
    )


@rule_and_its_kernel("an unknown rounding mode", "Q6", "the reference notices when it makes the code")
def _(case):
    m = re.search(r'rounding_mode="(\w+)"', case.theirs()["call"])
    return bool(m) and m.group(1) not in ("rn", "rz", "rm", "rp") and case.call["variant"] is None


@rule_and_its_kernel("a source that zero does not read", "Q11", "the reference tests it all the same")
def _(case):
    return primitive(case, {"zero"}) and served_here(case) and len(set(operands(case))) == 2


@rule_and_its_kernel(
    "a tile of several warps, cut to one",
    "Q33",
    "the reference lets every warp take index 0 and refuses any other; here it is taken by the warp that it names",
)
def _(case):
    spread = any("@ warpid" in tile_of(case, n) for n in operands(case))
    return spread and (
        refused_here(case)
        and ours_said(case, "whose warpid is")
        or served_here(case)
        and theirs_said(case, r"\['tx'\]")
    )


@rule_and_its_kernel("room for the results", "Q17", "a reduction of one thread does not look at the destination's size")
def _(case):
    return (
        primitive(case, REDUCTIONS)
        and refused_here(case)
        and case.call["scope"] == "thread"
        and ours_said(case, "dst size")
    )


@rule_and_its_kernel(
    "an axis that is not there", "Q17", "the packed forms do not look at axes, and the loop fails when it is made"
)
def _(case):
    failed = any(t["variant"] == "local" and t["outcome"] == "exception" for t in case.theirs()["trials"])
    return (
        primitive(case, REDUCTIONS)
        and case.call["variant"] is None
        and case.call["scope"] == "thread"
        and ours_said(case, "out of range")
        and (failed or case.theirs()["variant"] in ("packed_add_sum", "3input_maxmin"))
    )


@rule_and_its_kernel("results over summands", "Q28", "the first result is written before the last summand is read")
def _(case):
    names = operands(case)
    return (
        primitive(case, REDUCTIONS)
        and refused_here(case)
        and len(names) >= 2
        and names[0] == names[1]
        and ours_said(case, "takes the results while")
    )


@rule_and_its_kernel("in place", "Q23", "the reference skips the local step, or counts the old value twice")
def _(case):
    names = operands(case)
    return (
        primitive(case, REDUCTIONS)
        and refused_here(case)
        and case.call["scope"] == "warp"
        and names[0] == names[1]
        and ours_said(case, "works in place")
    )


@rule_and_its_kernel("lanes that are no power of two", "Q22", "the distances of the reference leave some of them out")
def _(case):
    m = re.search(r"S\[\((\d+), \d+\) : \(1 @ laneid", tile_of(case, (operands(case) + ["a"])[0]))
    return (
        primitive(case, REDUCTIONS)
        and refused_here(case)
        and ours_said(case, "powers of two")
        and bool(m)
        and int(m.group(1)) & (int(m.group(1)) - 1) != 0
    )


@rule_and_its_kernel("dimensions by their number", "Q21", "the reference looks a dimension up that it has dropped")
def _(case):
    # The dimension is missed while the result is placed, or, where dimensions before it are reduced, while its summands are.
    before_others = re.search(r"\], \[0[,\]]", case.theirs()["call"] if case.index is not None else "")
    missed = theirs_said(case, "KeyError") or (before_others and theirs_said(case, "list indices must be integers or slices, not NoneType"))
    return primitive(case, REDUCTIONS) and served_here(case) and bool(missed)


@rule_and_its_kernel("a part of a fragment", "Q20", "the reference refuses regions that are one strided block")
def _(case):
    return primitive(case, REDUCTIONS) and served_here(case) and theirs_said(case, "get_local_region failed")


@rule_and_its_kernel("banks of other widths", "Q31", "the reference refuses what cannot be free of conflicts")
def _(case):
    return primitive(case, {"permute_layout"}) and served_here(case) and theirs_said(case, "no XOR-bits")


@rule_and_its_kernel(
    "registers of other lanes", "Q30", "the reference lets lanes read private arrays at each other's indices"
)
def _(case):
    return (
        primitive(case, {"permute_layout"})
        and refused_here(case)
        and ours_said(case, "exchanges through")
        and any('scope="local"' in tile_of(case, n) for n in operands(case))
    )
