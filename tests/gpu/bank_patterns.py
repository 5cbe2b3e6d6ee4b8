# tilewright: arch sm_90a
# tilewright: dialect 0.25
"""One warp reads shared memory by addresses that a pattern says, 4, 8 or 16 bytes a lane: what beside_ncu.py and
tests/unit/layout_picture.cpp hold the model of banks against."""
from tvm.script import tirx as T

PATTERNS = {
    "same": lambda t: 0,
    "pairs": lambda t: t // 2,
    "halves": lambda t: t // 16,
    "quarters": lambda t: t // 8,
    "eights": lambda t: t % 8,
    "fours": lambda t: t % 4,
    "sixteens": lambda t: t % 16,
    "line": lambda t: t,
    "twos": lambda t: t * 2,
    "by4": lambda t: t * 4,
    "by8": lambda t: t * 8,
    "by3": lambda t: t * 3,
    "by5": lambda t: t * 5,
    "mixed": lambda t: (t % 8) * 8 + t // 8,
    "mixed2": lambda t: (t % 16) * 2 + t // 16,
    "mixed3": lambda t: (t % 4) * 16 + t // 4,
    "odd": lambda t: (t * 7) % 32,
}


def get_kernel(pattern, width):
    at = PATTERNS[pattern]
    words = width // 4

    @T.prim_func
    def kernel(A: T.Buffer((32, words), "float32"), B: T.Buffer((32, words), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([32])
        tile = T.alloc_shared((256 * words,), "float32")
        mine = T.alloc_local((words,), "float32")
        for i in T.serial(8):
            for j in T.unroll(words):
                tile[(i * words + j) * 32 + t] = A[t, j]
        T.cuda.cta_sync()
        if words == 4:
            T.cuda.copy_128b(mine.ptr_to([0]), tile.ptr_to([at(t) * 4]))
        elif words == 2:
            T.cuda.copy_64b(mine.ptr_to([0]), tile.ptr_to([at(t) * 2]))
        else:
            mine[0] = tile[at(t)]
        for j in T.unroll(words):
            B[t, j] = mine[j]

    return kernel


CONFIGS = [{"label": f"{p}{w}", "pattern": p, "width": w} for w in (4, 8, 16) for p in PATTERNS]
