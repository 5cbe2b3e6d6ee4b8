"""Where a kernel of the reference compiler is itself wrong, as a Note of the specification says.

A rule looks at facts: the reference's CUDA text, its launch with the tensor maps, the script, and our report of the
same call. It says what is wrong in that very kernel, or nothing. Only a kernel with such a sentence may differ on a GPU.
"""

import re
from dataclasses import dataclass

import exceptions

# Rules of exceptions.py that say more than "we choose differently": the reference's kernel copies wrong data, only a part
# of it, or faults. What is left out changes the choice alone (X16: threads in y and z repeat a copy; V9; Y16).
WRONG_WHEN_RUN = {
    "rows of other threads", "ldmatrix moves 16-bit elements", "ldmatrix rows start at 16 bytes", "a tail warp",
    "the else branch is the rest", "some threads do not come", "a range without a lower bound",
    "warpgroups that the CTA does not have", "a box that starts off 128 bytes",
    "shared memory at an address that the unit does not take", "a swizzle that is not the hardware's",
    "the address of the tensor", "targets without the instruction", "less than a repetition", "registers that are cut",
    "bulk copies keep bytes in their order", "16 bytes that do not stay together", "chunks that the swizzle tears apart", "bulk copies off 16 bytes",
    "a descriptor's base", "a warpgroup without all its warps",
}  # fmt: skip
assert {r.name for r in exceptions.RULES} >= WRONG_WHEN_RUN

# By number of the driver's CUtensorMapDataType.
MAP_TYPES = ["uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bfloat16"]
MAP_NOTES = {
    "V1": "a box of more than 256 elements; the driver refuses the map",
    "V2": "a stride that is no multiple of 16 bytes, or too large; the driver refuses the map",
    "V3": "the innermost box is no multiple of 16 bytes; the driver refuses the map",
    "V4": "the innermost box is wider than the swizzle; the driver refuses the map",
    "V5": "rows narrower than the swizzle; the unit gives each of them a whole span",
    "V11": "an extent outside of 1 to 2^32; the driver refuses the map",
}
TYPE_BYTES = {
    "uchar": 1, "signed char": 1, "char": 1, "bool": 1, "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1, "half": 2,
    "nv_bfloat16": 2, "ushort": 2, "short": 2, "int": 4, "uint": 4, "float": 4, "double": 8, "int64_t": 8,
    "uint64_t": 8, "long long": 8,
}  # fmt: skip
KIND = r"((?:unsigned |signed |long )*\w+)"
DECLARED = re.compile(rf"{KIND}(?: ?\* ?__restrict__)? (\w+_ptr)(?:\[\d*\]|,|\))")
ASSIGNED = re.compile(r"(\w+)\[0\] = (.*);")
POINTER = re.compile(rf"tvm_builtin_pointer_offset\(\(&\((?:\(\({KIND}\*\)(\w+)\)|(\w+))\[(\d+)\]\)\), (.*)\)$")
VECTOR = re.compile(r"tvm_builtin_copy_(\d+)b\((\w+)\[0\], (\w+)\[0\]\)")
CP_ASYNC = re.compile(r"tvm_builtin_ptx_cp_async_c[ag]_(\d+)\w*\((\w+)\[0\], (\w+)\[0\]")
# Of 0.26 and 0.27: a pointer is declared, and a load stands before its store.
POINTED = re.compile(r"void\* (\w+) = \(void\*\)(.*);")
HALF_OF_COPY = re.compile(r"tvm_builtin_ptx_(ld|st)_\w*?_(?:v(\d)_)?[a-z](\d+)(?:_(?:to_dst|from_src))?\((.*)\)")
TABLE = re.compile(r"alignas\(\d+\) int (v\w*)\[(\d+)\];")
LOOP = re.compile(r"for \(int (\w+) = 0; \w+ < (\d+); ")


@dataclass
class Pointer:
    base: str     # the array
    size: int     # bytes of an element
    start: int    # the constant element that the offset counts from
    first: int | None  # element of the first access; None: not known
    pitch: int  # elements from a thread's access to its neighbour's


@dataclass
class Move:
    """A vector access of the reference's CUDA text."""
    bytes: int
    pointers: list  # what is moved to, what is moved from
    rounds: int     # of the loops that the dispatch made around it


def value_of(text, known, thread=0):
    """An offset with zero for every variable but the known ones, of threadIdx.x = thread; None: it is more than
    arithmetic."""
    text = text.replace("((int)threadIdx.x)", str(thread))
    text = re.sub(r"\(\(int\)\w+\.[xyz]\)", "0", text).replace("[0]", "").replace("(int)", "").replace("/", "//")
    if not re.fullmatch(r"[\w\s()+\-*/%&^|<>]*", text):
        return None
    names = {n: known.get(n, 0) for n in re.findall(r"[A-Za-z_]\w*", text)}
    try:
        return int(eval(text, {"__builtins__": {}}, names))  # noqa: S307: arithmetic, as just tested
    except Exception:  # noqa: BLE001
        return None


def moves_of(cuda):
    """All vector accesses of a kernel's text, in order."""
    body = cuda[cuda.rfind('extern "C" __global__'):]
    kinds = {name: kind for kind, name in DECLARED.findall(body)}
    values, next_thread, pointers, loops, out, loaded = {}, {}, {}, [], [], None
    for line in map(str.strip, body.splitlines()):
        if line.startswith("}"):
            del loops[-1:]
        if line.endswith("{"):
            m = LOOP.match(line)
            loops.append(int(m.group(2)) if m and re.fullmatch(r"f(_\d+)?", m.group(1)) else 1)
        if m := ASSIGNED.fullmatch(line) or POINTED.fullmatch(line):
            name, text = m.groups()
            if p := POINTER.match(text):
                kind, cast, plain, start, offset = p.groups()
                size = TYPE_BYTES.get(kind or kinds.get(plain, ""))
                first, second = value_of(offset, values), value_of(offset, next_thread, 1)
                pointers[name] = size and Pointer(cast or plain, size, int(start),
                                                  None if first is None else int(start) + first,
                                                  0 if first is None or second is None else second - first)
            else:
                values[name] = value_of(text, values) or 0
                next_thread[name] = value_of(text, next_thread, 1) or 0
            continue
        if m := VECTOR.search(line) or CP_ASYNC.search(line):
            count = int(m.group(1)) // (8 if VECTOR.search(line) else 1)
            ends = [pointers.get(m.group(i)) for i in (2, 3)]
        elif m := HALF_OF_COPY.search(line):
            count = int(m.group(2) or 1) * int(m.group(3)) // 8
            end = next((pointers[n] for n in re.findall(r"\w+", m.group(4)) if n in pointers), None)
            if m.group(1) == "ld":
                loaded = end
                continue
            ends = [end, loaded]
        else:
            continue
        rounds = 1
        for n in loops:
            rounds *= n
        if all(ends):
            out.append(Move(count, ends, rounds))
    return out


@dataclass
class Carried:
    """A kernel of the reference, and what is known of it."""
    source: exceptions.Source
    reference: dict
    ours: dict
    plan: dict
    differences: list  # compare.differences

    @property
    def text(self):
        return self.source.text_of(self.ours)

    @property
    def moves(self):
        return moves_of(self.reference["cuda"])


def refused_maps(k):
    """V1 to V5, V11: a tensor map that the driver refuses, or that moves something else."""
    for m in k.plan["tensor_maps"]:
        if note := exceptions.refused_by_driver(m | {"dtype": MAP_TYPES[m["dtype"]]}):
            dims, strides, box = (",".join(map(str, m[key])) for key in ("dims", "strides", "box"))
            yield f"{note}: {MAP_NOTES[note]} (extents {dims}, strides {strides}, box {box})"


def misaligned(k):
    """X17: the base of a buffer takes no part in the reference's alignment test."""
    for m in k.moves:
        for p in m.pointers:
            if p.first is not None and p.start * p.size % m.bytes and p.first * p.size % m.bytes:
                yield (f"X17: an access of {m.bytes} bytes at a base that is {p.start * p.size} bytes into {p.base}; the "
                       "reference does not test where a buffer starts")


def steps_of(layout):
    """(extent, stride) of the iters of "S[(64, 2) : (2, 1)]"; row-major, or something else: nothing."""
    m = re.search(r"S\[\(?([\d, ]+)\)? : \(?([\d, ]+)\)?\]", layout)
    return list(zip(*([int(n) for n in re.findall(r"\d+", part)] for part in m.groups()))) if m else []


def lanes_misaligned(k):
    """X9: what a register copy's threads are apart takes no part in the reference's alignment test."""
    for m in k.moves:
        if not any(p.base.startswith("r_local_ptr") for p in m.pointers):
            continue
        for p in m.pointers:
            if p.pitch * p.size % m.bytes:
                yield (f"X9: accesses of {m.bytes} bytes whose threads are {p.pitch * p.size} bytes apart in {p.base}; the "
                       "reference does not test the stride of threads")


def apart_in_regions(k, parameter):
    """How many elements the copied ones of a row-major tensor are apart, as all regions of it in the script take one
    place of its inner dimensions; 1: they are neighbours, or not all of this is written as numbers."""
    declared = re.search(rf"(\w+) = T\.match_buffer\({parameter}, \(([\d, ]+)\), \"\w+\"\)$", k.text, re.M)
    if not declared:
        return 1
    shape = [int(n) for n in re.findall(r"\d+", declared.group(2))]
    distances = []
    for region in re.findall(rf"\b{declared.group(1)}\[([^\]]*:[^\]]*)\]", k.text):
        distance = 1
        for extent, bounds in zip(reversed(shape), reversed(region.split(","))):
            m = re.fullmatch(r"\s*(\d+):(\d+)\s*", bounds)
            if not m or int(m.group(2)) - int(m.group(1)) != 1:
                break
            distance *= extent
        distances.append(distance)
    return min(distances, default=1)


def rounds_at_one_place(k):
    """X7: of an unsplit copy into a swizzle the reference takes the loop's iters from behind the first one."""
    tables = [(m.group(1), int(m.group(2)), m.end()) for m in TABLE.finditer(k.reference["cuda"])]
    for name, entries, end in tables:
        loop = LOOP.search(k.reference["cuda"], end)
        if loop and 2 ** entries < int(loop.group(2)):
            yield (f"X7: {loop.group(2)} rounds step by the {entries} bits of {name}; the reference leaves out iters of the "
                   "loop, so that rounds meet at one place of the swizzle")


def not_side_by_side(k):
    """X5: gmem_smem and ldgsts sort a tensor's iters by stride and take the smallest to be 1."""
    for m in k.moves:
        if any(p.base == "r_local_ptr" for p in m.pointers):
            continue
        for p in m.pointers:
            layout = re.search(rf"= T\.match_buffer\({p.base}, .*layout=(.*)\)$", k.text, re.M)
            strides = [stride for extent, stride in steps_of(layout.group(1)) if extent > 1] if layout else []
            apart = min(strides) if strides else apart_in_regions(k, p.base)
            if m.bytes > p.size and apart > 1:
                yield (f"X5: {m.bytes // p.size} elements at once of {p.base}, whose elements are {apart} apart; "
                       "the reference copies neighbours instead")


def too_few_registers(k):
    """X8: the reference's register copy fuses iters of the registers and then pairs them wrongly."""
    calls = list(zip(k.reference["calls"], k.ours["calls"]))
    wanted = [b["facts"]["per_thread"] for a, b in calls if a["variant"] == b["variant"] == "reg"]
    if not wanted or any(a["variant"] == "reg" != b["variant"] for a, b in calls):
        return
    for m in k.moves:
        size = next((p.size for p in m.pointers if p.base.startswith("r_local_ptr")), None)
        if size and m.rounds * m.bytes < min(wanted) * size:
            yield (f"X8: a register copy moves {m.rounds * m.bytes // size} of {min(wanted)} elements a thread; the "
                   "reference fuses the registers' iters and pairs them with the wrong ones")


def elements_in_static_memory(cuda):
    return sum(int(n) for n in re.findall(r"__shared__ alignas\(\d+\) [^;\[]*\[(\d+)\]", cuda or ""))


def too_little_memory(k):
    """layout.md N10: of a padded layout the reference allocates the product of the extents, not the span."""
    have = elements_in_static_memory(k.reference["cuda"])
    need = elements_in_static_memory(k.ours.get("sources", {}).get("cuda"))
    if have < need:
        yield f"N10: the reference allocates {have} elements of shared memory, and the layouts span {need}"


def wrong_choices(k):
    """A call that the reference serves by a variant that cannot serve it, as the comparison of choices knows it."""
    for index, text in k.differences:
        case = exceptions.Case(k.source, k.reference, k.ours, index, text)
        for rule in exceptions.RULES:
            if rule.name in WRONG_WHEN_RUN and rule.test(case):
                yield f"{rule.note}: {rule.name}: {rule.why}"


RULES = [refused_maps, misaligned, lanes_misaligned, not_side_by_side, rounds_at_one_place, too_few_registers,
         too_little_memory, wrong_choices]


def defects(kernel):
    """What is wrong with the reference's kernel, a sentence each; nothing: it has to do what ours does."""
    return list(dict.fromkeys(said for rule in RULES for said in rule(kernel)))
