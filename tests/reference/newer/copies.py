"""Copies that 0.26 adds: vectors of a named width, loads with hints for caches, fragments of matrices beside any memory."""

from newer.kernel import BITS, Kernel

WIDTHS = [16, 32, 64, 128, 256]
HINTS = [
    {},
    {},
    {"cache": '"nc"'},
    {"l1_evict": '"L1::no_allocate"'},
    {"cache": '"nc"', "l1_evict": '"L1::no_allocate"', "prefetch_size": '"L2::256B"'},
    {"l1_evict": '"L1::evict_last"', "prefetch_size": '"L2::128B"'},
]


def options(hints):
    return "".join(f", {k}={v}" for k, v in hints.items())


def vectors(rng, name):
    """global -> registers or shared memory -> global, each thread its row, by vectors of one width."""
    width = rng.choice(WIDTHS)
    dtype = rng.choice([d for d, bits in BITS.items() if width % bits == 0])
    n, rounds = width // BITS[dtype], rng.choice([1, 1, 2, 3])
    k = Kernel(name, "vectors", 32 * rng.choice([1, 2, 4]), dtype, None)
    k.shape = k.a_shape = (k.threads, n * rounds)
    hints, forced = rng.choice(HINTS), f', dispatch="vec_{width}b"'
    kind = rng.choice(["registers", "shared", "both", "direct"])
    k.buffers = [
        f'X = T.alloc_buffer(({k.threads}, {n * rounds}), "{dtype}", scope="shared")',
        f'R = T.alloc_buffer(({n * rounds},), "{dtype}", scope="local")',
    ]
    loop = f"for j in T.unroll({rounds}):" if rounds > 1 else ""
    at = f"j * {n} : j * {n} + {n}" if loop else f"0:{n}"
    if rng.random() < 0.3 and not loop:
        at = ":"
    a, b, x, r = f"A[tid, {at}]", f"B[tid, {at}]", f"X[tid, {at}]", f"R[{at}]"
    prefix = rng.choice(["Tx", "Tx.thread"])
    steps = {
        "registers": [(r, a, options(hints)), (b, r, "")],
        "shared": [(x, a, options(hints)), (b, x, "")],
        "both": [(r, a, options(hints)), (x, r, ""), (r, x, ""), (b, r, "")],
        "direct": [(r, a, options(hints)), (x, r, ""), (b, x, "")],
    }[kind]
    k.wide = width == 256 and kind != "registers"
    for dst, src, more in steps:
        call = f"{prefix}.copy({dst}, {src}{forced}{more})"
        k.body += [loop, "    " + call] if loop else [call]
        k.body.append("T.cuda.cta_sync()")
    return k


def vectors_refused(rng, name):
    """What a vector of a named width does not move."""
    width = rng.choice(WIDTHS)
    dtype = rng.choice([d for d, bits in BITS.items() if width % bits == 0])
    n = width // BITS[dtype]
    k = Kernel(name, "vectors_refused", 32, dtype, (32, 2 * n))
    k.checked = False
    k.buffers = [
        f'X = T.alloc_buffer((32, {2 * n}), "{dtype}", scope="shared")',
        f'R = T.alloc_buffer(({2 * n},), "{dtype}", scope="local")',
    ]
    kind = rng.choice(["scope", "count", "hint", "pair", "width", "unforced", "cache"])
    one = f"0:{n}"
    if kind == "scope":
        k.body = [f'Tx.warp.copy(X[0, {one}], A[0, {one}], dispatch="vec_{width}b")']
    elif kind == "count":
        k.body = [f'Tx.copy(R[0:{2 * n}], A[tid, 0:{2 * n}], dispatch="vec_{width}b")']
    elif kind == "hint":
        k.body = [f'Tx.copy(R[{one}], X[tid, {one}], dispatch="vec_{width}b", cache="nc")']
    elif kind == "pair":
        k.body = [f'Tx.copy(B[tid, {one}], A[tid, {one}], dispatch="vec_{width}b")']
    elif kind == "width":
        other = rng.choice([w for w in WIDTHS if w != width])
        k.body = [f'Tx.copy(R[{one}], A[tid, {one}], dispatch="vec_{other}b")']
    elif kind == "cache":
        k.body = [f'Tx.copy(R[{one}], A[tid, {one}], dispatch="vec_{width}b", cache="ca")']
    else:
        k.body = [f"Tx.copy(R[{one}], A[tid, {one}])", f"Tx.copy(B[tid, {one}], R[{one}])"]
    return k


def fragments(rng, name):
    """global -> fragments in registers -> global or shared memory, with thread axes in strides and in several walks."""
    dtype = rng.choice(["float16", "bfloat16", "float32", "uint8", "float64", "int32"])
    n, scope = rng.choice([1, 2, 4]), rng.choice(["warp", "warp", "warpgroup", "cta"])
    if scope == "warp":
        shape, layout = rng.choice(
            [
                ((8, 8 * n), f"S[(8, {n}, 4, 2) : (4 @ laneid, 2, 1 @ laneid, 1)]"),
                ((16, 8 * n), f"S[(2, 8, {n}, 4, 2) : ({2 * n}, 4 @ laneid, 2, 1 @ laneid, 1)]"),
                ((32, 4 * n), f"S[(4, 8, {4 * n}) : (1 @ laneid, 4 @ laneid, 1)]"),
                ((8, 4 * n), f"S[(8, {4 * n}) : (4 @ laneid, 1)]"),
                ((8, 4 * n), f"S[(8, {4 * n}) : (4 @ laneid, 1)] + R[4 : 1 @ laneid]"),
                ((4, 8, 2 * n), f"S[(4, 8, {2 * n}) : (8 @ laneid, 1 @ laneid, 1)]"),
                ((32, 2), "S[(32, 2) : (1 @ laneid, 1)]"),
            ]
        )
    else:
        shape, layout = rng.choice(
            [
                ((64, 8 * n), f"S[(4, 2, 8, {n}, 4, 2) : (1 @ wid_in_wg, {2 * n}, 4 @ laneid, 2, 1 @ laneid, 1)]"),
                ((32, 8 * n), f"S[(4, 8, {n}, 4, 2) : (1 @ wid_in_wg, 4 @ laneid, 2, 1 @ laneid, 1)]"),
                ((128, 4 * n), f"S[(4, 32, {4 * n}) : (1 @ wid_in_wg, 1 @ laneid, 1)]"),
                ((128, 2 * n), f"S[(32, 4, {2 * n}) : (1 @ laneid, 1 @ wid_in_wg, 1)]"),
                ((64, 4 * n), f"S[(64, {4 * n}) : (2 @ tid_in_wg, 1)]"),
                ((64, 4 * n), f"S[(64, 2, {2 * n}) : (1 @ tid_in_wg, 64 @ tid_in_wg, 1)]"),
            ]
        )
    flat = (shape[0] * shape[1], shape[2]) if len(shape) == 3 else shape
    k = Kernel(name, "fragments", 32 if scope == "warp" else 128, dtype, flat)
    a, b = ("A", "B")
    k.buffers = [f'R0 = T.alloc_buffer({flat}, "{dtype}", scope="local", layout=TileLayout({layout}))']
    hints = options(rng.choice(HINTS)) if rng.random() < 0.4 else ""
    there = rng.choice(["", f"[0:{flat[0]}, 0:{flat[1]}]", "[:, :]"])
    k.body = [f"Tx.{scope}.copy(R0, {a}{there}{hints})"]
    if rng.random() < 0.3:
        k.buffers.append(f'X = T.alloc_buffer({flat}, "{dtype}", scope="shared")')
        k.body += [f"Tx.{scope}.copy(X, R0)", "T.cuda.cta_sync()", f"Tx.cta.copy({b}, X)"]
    else:
        k.body.append(f"Tx.{scope}.copy({b}{there}, R0)")
    return k


def one_element(rng, name):
    """A copy of one element by the fallback."""
    dtype = rng.choice(list(BITS))
    k = Kernel(name, "one_element", 64, dtype, (1, 1))
    scope = rng.choice(["warp", "cta"])
    k.buffers = [f'X = T.alloc_buffer((4, 4), "{dtype}", scope="shared")']
    i, j = rng.randrange(4), rng.randrange(4)
    k.body = [
        f"Tx.{scope}.copy(X[{i} : {i + 1}, {j} : {j + 1}], A[0:1, 0:1])",
        "T.cuda.cta_sync()",
        f"Tx.{scope}.copy(B[0:1, 0:1], X[{i}:{i + 1}, {j}:{j + 1}])",
    ]
    if scope == "warp":
        k.body = ["if w == 0:", "    " + k.body[0], "T.cuda.cta_sync()", "if w == 0:", "    " + k.body[2]]
    return k


def direct(rng, name):
    """cp.async of one piece a thread, where a predicate says so."""
    size = rng.choice([4, 8, 16])
    dtype = rng.choice([d for d, bits in BITS.items() if size * 8 % bits == 0])
    n = size * 8 // BITS[dtype]
    guarded = rng.random() < 0.5
    k = Kernel(name, "direct", 32 * rng.choice([1, 2]), dtype, None, kept=rng.choice([0, 1]) if guarded else -1)
    k.shape = k.a_shape = (k.threads, n)
    more = ", direct=True" if rng.random() < 0.7 else ""
    if guarded:
        more += f', predicate=tid % 2 == {k.kept}, fill_mode="zero"'
    if size == 16 and rng.random() < 0.4:
        more += f", prefetch_size={rng.choice([64, 128, 256])}"
    k.buffers = [f'X = T.alloc_buffer(({k.threads}, {n}), "{dtype}", scope="shared")']
    k.body = [
        f'Tx.copy_async(X[tid, 0:{n}], A[tid, 0:{n}], dispatch="ldgsts"{more})',
        "T.ptx.cp_async.commit_group()",
        "T.ptx.cp_async.wait_group(0)",
        "T.cuda.cta_sync()",
        "Tx.cta.copy(B, X)",
    ]
    if rng.random() < 0.15:  # not a piece that cp.async moves
        k.body[0] = f'Tx.copy_async(X[tid:tid + 1, 0:{n}], A[tid : tid + 1, 0:{n}], dispatch="ldgsts", direct=True)'.replace(
            f"0:{n}", f"0:{max(1, n // 2)}"
        )
        k.body, k.checked = k.body[:3], False  # of what it does move, half a row is not written
    return k


FAMILIES = [(vectors, 40), (vectors_refused, 12), (fragments, 30), (one_element, 6), (direct, 14)]


def make(rng, name, release):
    k = rng.choice([f for f, weight in FAMILIES for _ in range(weight)])(rng, name)
    if release == "0.27" and getattr(k, "wide", False):  # which no access of shared memory is
        k.checked = False
    return k
