"""The matrix instructions that CUDA text issues, in order, as numbers: of the reference and of us, to be compared.

Both print straight-line code: a call for each instruction, operands as constants or as scalars set in the lines before. What is
known only at run time (addresses of buffers, what allocation gave) counts as 0, so that offsets and constants remain.
"""
import re

IDS = 0x60000030  # both scale ids of an instruction descriptor


class Reader:
    def __init__(self, text, name):
        # The kernel alone, without the helpers around it.
        at = text.find(f"{name}_kernel(", text.find("__global__"))
        found = [m.start() for m in re.finditer(rf"\b{name}_kernel\(", text)]
        self.lines = text[found[0] if found else at:].split("\n")
        self.known = {}  # scalars, by the names that they have here
        self.issued, self.descriptors = [], set()

    def value(self, text):
        """An operand's number; what is not known counts as 0."""
        text = re.sub(r"\(\((?:\w+)\s*\*\)\(?(\w+)(?: \+ 0)?\)?\)", r"\1", text)
        text = re.sub(r"\((?:uint|int|bool|signed char|uint64_t|unsigned|unsigned int|unsigned long long|int64_t)\)", "", text)
        text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)(?:ull|ULL|u|U|L)\b", r"\1", text)
        text = re.sub(r"\b(\w+)\[0\]", lambda m: str(self.known.get(m.group(1), 0)), text)
        text = re.sub(r"\b\w+\[[^\[\]]*\]", "0", text)
        text = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
        text = text.replace("tvm_builtin_cuda_get_tmem_addr", "tensor").replace("tvm_builtin_smem_desc_add_16B_offset", "moved")
        text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
        names = {n: 0 for n in re.findall(r"[A-Za-z_]\w*", text) if n not in ("tensor", "moved", "and", "or", "not")}
        names |= {n: self.known[n] for n in names if n in self.known}
        functions = {"tensor": lambda a, lane, column: a + (lane << 16) + column, "moved": lambda d, n: d + n}
        return int(eval(text, {"__builtins__": {}}, names | functions))  # noqa: S307: text that compilers print

    @staticmethod
    def arguments(line):
        """[text] of a call's arguments."""
        out, depth, last = [], 0, ""
        for c in line[line.index("(") + 1:]:
            depth += c in "([{"
            depth -= c in ")]}"
            if depth < 0:
                break
            if c == "," and depth == 0:
                out.append(last.strip())
                last = ""
            else:
                last += c
        return [*out, last.strip()]

    def register(self, text):
        m = re.search(r"\[([^\]]*)\]", text)
        return self.value(m.group(1)) if m else 0

    def line(self, line):
        line = line.strip()
        assigned = re.match(r"(?:alignas\(\d+\) )?(?:[\w ]+ )?(\w+)(?:\[0\])? = ([^;]*);$", line)
        called = re.match(r"(\w+)\(", line)
        if "encode_matrix_descriptor" in line and called:
            a = self.arguments(line)
            mode = self.value(a[4]) if len(a) > 4 else int(re.search(r"descriptor_(\d)", line).group(1))
            self.descriptors.add((self.value(a[2]), self.value(a[3]), mode))
        elif "encode_instr_descriptor" in line and called:
            self.encode(line)
        elif "runtime_instr_desc" in line and called:
            name, number = self.arguments(line)
            name, number = re.search(r"&\(?(\w+)", name).group(1), self.value(number)
            self.known[name] = (self.known.get(name, 0) & ~IDS) | number << 29 | number << 4
        elif called and "mma_m16n8k" in line:
            self.fragment(line)
        elif called and re.match(r"(tvm_builtin_)?ptx_tcgen05_mma", line):
            self.product(line, called.group(1))
        elif assigned:
            try:
                self.known[assigned.group(1)] = self.value(assigned.group(2))
            except Exception:  # noqa: BLE001: a value of run time
                self.known.pop(assigned.group(1), None)

    def encode(self, line):
        """The block-scaled descriptor, which the reference fills in field by field: the fields are among the arguments."""
        a = self.arguments(line)
        m, n, a_type, b_type, scale, a_mn, b_mn, a_minus, b_minus, sparse = (self.value(x) for x in a[1:])
        name = re.search(r"&\(?(\w+)", a[0]).group(1)
        self.known[name] = (sparse << 2 | a_type << 7 | b_type << 10 | a_minus << 13 | b_minus << 14 | a_mn << 15 | b_mn << 16
                            | n >> 3 << 17 | scale << 23 | m >> 4 << 24)

    def fragment(self, line):
        shape = re.search(r"m16n8k(\d+)", line).group(1)
        types = re.search(r"float32_(\w+?)_\1_float32", line)
        self.issued.append((f"m16n8k{shape}", types and types.group(1), *map(self.register, self.arguments(line))))

    def product(self, line, name):
        a = self.arguments(line)
        theirs = "cta_" in name
        scaled = "block_scale" in name
        if theirs and not scaled:  # d, a, b, descriptor, adds, masks
            order, group, from_tensor = [0, 1, 2, 3, 4], int(re.search(r"cta_(\d)", name).group(1)), name.endswith("_TS")
        elif theirs:  # d, a, b, descriptor, adds, sfa, sfb
            order, group, from_tensor = [0, 1, 2, 3, 4, 5, 6], int(re.search(r"cta_(\d)", name).group(1)), name.endswith("_TS")
        else:  # d, a, b, (sfa, sfb,) descriptor, adds
            group = int(re.search(r"use_a_tmem_(\d)", name).group(1))
            from_tensor = "no_use_a_tmem" not in name
            order = [0, 1, 2, 5, 6, 3, 4] if scaled else [0, 1, 2, 3, 4]
        if len(a) < len(order):  # a constant `adds` is part of our helper's name
            a.insert(order[4], "1" if "enable_input_d" not in name else "0")
        out = [f"tcgen05.cta_group::{group}", from_tensor]
        for i, at in enumerate(order):
            value = self.value(a[at])
            out.append(bool(value) if i == 4 else value)
        self.issued.append(tuple(out))


def issued(text, name):
    """([instruction], {(ldo, sdo, mode)})"""
    reader = Reader(text, name)
    for line in reader.lines:
        reader.line(line)
    return reader.issued, reader.descriptors
