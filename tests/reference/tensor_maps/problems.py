"""Problems for tma_auto and tma_explicit: each rule from both of its sides, then draws around them."""

import random

from tensor_maps.problem import ARCHS, BITS, Problem, product, row_major, strided, swizzled

DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64", "uint16", "uint32", "uint64"]
DTYPES += ["float8_e4m3fn", "float8_e5m2"]
OTHERS = ["float4_e2m1fn", "int16", "bool"]


class Problems(list):
    def add(self, *args, **more):
        one = Problem(f"k{len(self)}", *args, **more)
        if one.same_payload():  # else the reference refuses the script at the call
            self.append(one)

    def both(self, *args, **more):
        self.add(*args, **more)
        self.add(*args, variant="tma_explicit", **more)


def unit(dtype):
    return max(1, 128 // BITS[dtype])


def types(p):
    """Every element type, loaded and stored, without a swizzle and with each."""
    for dtype in DTYPES + OTHERS:
        u = unit(dtype)
        p.both([64, 8 * u], [0, 0], [16, 4 * u], [16, 4 * u], dtype=dtype)
        p.both([64, 8 * u], [16, 4 * u], [16, 4 * u], [16, 4 * u], dtype=dtype, store=True)
        for mode in (1, 2, 3):
            shape = [16, (2 << mode) // 2 * u * 2]
            p.add([64, shape[1]], [16, 0], shape, shape, dtype=dtype, s_layout=swizzled(dtype, mode, shape))
            row = [16, (u << mode)]
            p.add(
                [64, row[1] * 2], [0, row[1]], row, row, dtype=dtype, variant="tma_explicit",
                s_layout=swizzled(dtype, mode, row),
            )  # fmt: skip
    for dtype in ("float32", "float16"):
        for word in ('"tf32"', '"tfloat32"', '"tf16"'):
            p.both([64, 32], [0, 0], [16, 32], [16, 32], dtype=dtype, options={"tma_dtype": word})
    p.both([64, 32], [0, 0], [16, 32], [16, 32], dtype="float16", s_dtype="bfloat16")
    p.both([64, 32], [0, 0], [16, 32], [16, 16], dtype="float16", s_dtype="float32")


def boxes(p):
    """Boxes around 256, rows around 16 bytes, ranks around 5."""
    for rows in (1, 8, 128, 255, 256, 257, 300, 384, 512, 520, 1024):
        p.both([2 * rows, 64], [rows, 0], [rows, 8], [rows, 8])
        p.add([rows, 8], [0, 0], [rows, 8], [rows, 8])
    for columns in (1, 2, 4, 7, 8, 12, 16, 24, 128, 248, 256, 264, 512, 768, 1024, 2048):
        p.both([8, columns * 2], [0, columns], [4, columns], [4, columns])
        p.add([8, columns], [0, 0], [4, columns], [4, columns])
        p.add([8, columns], [0, 0], [8, columns], [8, columns], dtype="uint8")
        p.both([columns * 3], [columns], [columns], [columns])
    for n in range(1, 8):
        outer = [2] * (n - 1)
        p.both([4] * (n - 1) + [64], [1] * (n - 1) + [8], [*outer, 8], [*outer, 8])
        p.both([2] * (n - 1) + [64], [0] * n, [*outer, 64], [*outer, 64])
        p.both([4] * (n - 1) + [64], [2] * (n - 1) + [0], [1] * (n - 1) + [64], [1] * (n - 1) + [64])
        p.add([4] * (n - 1) + [64], [0] * n, [1] * (n - 1) + [64], [64])
        if n > 1:
            p.add([3] * (n - 1) + [64], [0] * n, [3] + [1] * (n - 2) + [64], [3, 64])
    for shape in ([1, 64], [64, 1], [1, 1, 64], [1, 64, 1], [64, 1, 8], [1, 8, 1, 8]):
        p.both(shape, [0] * len(shape), shape, shape)
        p.both([2 * e for e in shape], [0] * len(shape), shape, shape)
    p.add([4, 4], [0, 0], [1, 1], [1, 1])


def strides(p):
    """Pitches around 16 bytes, gaps, transposes, blocks, and where the tensor begins."""
    for pitch in (64, 65, 66, 68, 72, 80, 96, 100, 128):
        p.both([64, 64], [0, 0], [16, 64], [16, 64], layout=strided([64, 64], [pitch, 1]))
        p.both([4, 16, 64], [1, 0, 0], [2, 16, 64], [2, 16, 64], layout=strided([4, 16, 64], [16 * pitch, pitch, 1]))
        p.add([4, 16, 64], [1, 0, 0], [1, 16, 64], [16, 64], layout=strided([4, 16, 64], [64, pitch * 4, 1]))
    p.both([64, 64], [0, 0], [16, 16], [16, 16], layout=strided([64, 64], [1, 64]))
    p.add([64, 64], [0, 0], [16, 16], [16, 16], layout=strided([64, 64], [1, 64]), s_layout=strided([16, 16], [1, 16]))
    p.add([64, 64], [0, 0], [16, 16], [16, 16], s_layout=strided([16, 16], [1, 16]))
    p.both([64, 64], [0, 0], [16, 16], [16, 16], layout=strided([64, 64], [128, 2]))
    p.both([64, 64], [0, 0], [16, 16], [16, 16], layout=strided([64, 64], [0, 1]))
    p.both([64, 64], [0, 0], [16, 16], [16, 16], dtype="float4_e2m1fn", layout=strided([64, 64], [128, 2]))
    blocks = "TileLayout(S[(8, 8, 2, 32) : (512, 32, 256, 1)])"
    for start, rows, columns in (([0, 0], 8, 64), ([8, 0], 16, 32), ([0, 0], 4, 64), ([4, 0], 8, 32), ([0, 16], 8, 32)):
        p.both([64, 64], start, [rows, columns], [rows, columns], layout=blocks)
    for kind in ("TileLayout(S[(64, 64) : (64, 1)] + R[2 : 4096])", "TileLayout(S[(64, 64) : (1 @ laneid, 1)])"):
        p.both([64, 64], [0, 0], [16, 16], [16, 16], layout=kind)
        p.both([64, 64], [0, 0], [64, 64], [64, 64], s_layout=kind)
    for offset in (0, 4, 8, 16, 64):
        p.both([64, 64], [0, 0], [16, 64], [16, 64], layout=strided([64, 64], [64, 1], offset))
        p.both([64, 64], [0, 0], [16, 64], [16, 64], elem_offset=offset)
        p.both([64, 64], [0, 0], [16, 64], [16, 64], s_layout=strided([16, 64], [64, 1], offset))


def shared(p):
    """The chain of shared memory: parts, stages, gaps, orders; starts around the alignment of each swizzle."""
    for mode in range(4):
        for columns in (8, 16, 32, 64, 128):
            shape = [32, columns]
            if mode and (columns * 16) % (256 << (mode - 1)):
                continue
            layout = swizzled("float16", mode, shape)
            p.both([64, 128], [0, 0], shape, shape, s_layout=layout)
            p.add([64, columns], [32, 0], shape, shape, s_layout=layout)
            for start in (1, 2, 4, 8, 16):
                p.both([64, 128], [0, 0], [8, columns], shape, [start, 0], [8, columns], s_layout=layout)
            for stage in (0, 1, 2):
                ring = [3, *shape]
                p.both([64, 128], [32, 0], shape, ring, [stage, 0, 0], [1, *shape],
                       s_layout=swizzled("float16", mode, ring))  # fmt: skip
            if mode:
                for inner in (", swizzle_inner=False", ""):
                    compose = f"ComposeLayout(3, {mode}, 3, {strided(shape, row_major(shape))}{inner})"
                    p.both([64, 128], [0, 0], shape, shape, s_layout=compose)
    for columns in (4, 8, 16, 24, 32):
        p.both([64, 64], [0, 0], [8, 8], [32, 64], [0, columns], [8, 8])
        p.both([64, 64], [0, 0], [1, 16], [32, 64], [3, columns], [1, 16])
    for pitch in (64, 65, 72, 128):
        p.both([64, 64], [0, 0], [16, 64], [16, 64], s_layout=strided([16, 64], [pitch, 1]))
        p.both([64, 64], [0, 0], [4, 4, 64][1:], [4, 64], s_layout=strided([4, 64], [pitch, 1]))
    for order in ([64, 1, 16], [1024, 64, 1], [16, 1, 64]):
        p.both([4, 16, 64], [0, 0, 0], [4, 16, 16], [4, 16, 16], s_layout=strided([4, 16, 16], order))
    for order in ([256, 16, 1], [16, 64, 1], [1, 4, 64]):
        p.both([4, 16, 64], [0, 0, 0], [4, 4, 16], [4, 4, 16], s_layout=strided([4, 4, 16], order))
    p.both([64, 64], [0, 0], [16, 64], [16, 64], s_layout="TileLayout(S[(16, 8, 8) : (8, 128, 1)])")
    p.both([64, 64], [0, 0], [16, 64], [16, 64], s_layout="TileLayout(S[(2, 8, 8, 8) : (64, 8, 128, 1)])")
    p.both([64, 64], [16, 32], [16, 32], [16, 32], s_layout="TileLayout(S[(2, 8, 4, 8) : (64, 8, 128, 1)])")
    # other shapes of the same elements
    for s_shape, extent in (([128, 64], [2, 64, 64]), ([2, 64, 64], [2, 64, 64]), ([2, 8, 8, 64], [2, 64, 64]),
                            ([8192], [2, 64, 64]), ([64, 128], [2, 64, 64]), ([2, 4096], [2, 64, 64]),
                            ([24, 64], [2, 12, 64]), ([6, 4, 64], [2, 12, 64]), ([8, 3, 64], [2, 12, 64])):  # fmt: skip
        p.both([4, 64, 64], [2, 0, 0], extent, s_shape)
        p.both([2, 64, 64], [0, 0, 0], extent, s_shape)
    p.both([4, 100, 64], [0, 0, 0], [2, 10, 64], [4, 5, 64])
    p.both([4, 100, 64], [0, 3, 0], [2, 10, 64], [4, 5, 64])
    p.both([4, 103, 64], [0, 5, 0], [2, 10, 64], [4, 5, 64])
    p.both([16, 128], [0, 0], [16, 64], [32, 32])
    p.both([16, 96], [0, 48], [16, 48], [16, 3, 16])
    p.both([16, 96], [0, 16], [16, 48], [16, 3, 16])


def outside(p):
    """Regions that hang over an end of the tensor."""
    for shape in ([60, 64], [64, 60], [17, 64], [64, 72], [3, 17, 64]):
        extent = [1] * (len(shape) - 2) + [16, 64]
        start = [0] * (len(shape) - 2) + [shape[-2] - 8, 0]
        p.both(shape, start, extent, [16, 64])
        p.both(shape, start, extent, [16, 64], store=True)


def options(p):
    """Every keyword, right and wrong, for loads and stores."""
    given = {
        "cta_group": ["1", "2", "3", "0"],
        "cta_mask": ["0", "1", "3", "65535", "65536", "-1", "T.uint16(5)"],
        "cache_hint": ['"evict_first"', '"evict_last"', '"evict_normal"', '""', "T.uint64(0x12F0000000000000)"],
        "oob": ['"zero"', '"nan"', '"ones"', "None"],
        "prefetch_tensormap": ["True", "False"],
        "mbarrier_addr": ["True", "False", '"yes"'],
        "tensormap_l2_promotion": ['"none"', '"L2::none"', '"L2::64B"', '"L2::128B"', '"L2::256B"', '"L2"']
        + ["0", "3", "4", "-1"],
        "use_tma_reduce": ['"add"', '"min"', '"xor"', '"mul"'],
        "gather4": ["(0, 1, 2, 3)", "(0, 1, 2)"],
        "src_selector": ["[(bx == 1, A)]"],
        "remote_cta_id": ["1"],
    }
    for key in [*given, "tma_dtype", "unknown"]:
        if key not in ("gather4", "src_selector", "remote_cta_id"):
            p.both([64, 64], [0, 0], [16, 64], [16, 64], options={key: "None"})
    for key, value in (("cta_group", "bx"), ("cta_mask", "tid"), ("mbarrier_addr", "bx == 1"), ("cache_hint", '"bogus"')):
        p.both([64, 64], [0, 0], [16, 64], [16, 64], options={key: value})
    for arch in ARCHS:
        for store in (False, True):
            for key, values in given.items():
                if key == "prefetch_tensormap":
                    continue  # needs a warp id: below
                for value in values:
                    # The reference refuses four rows at the call where the operands cannot be them.
                    if key == "gather4":
                        continue
                    p.both([64, 64], [0, 0], [16, 64], [16, 64], store=store, arch=arch, options={key: value})
    for dtype in ("float16", "float8_e4m3fn", "int32", "float64"):
        p.add([64, 64], [0, 0], [16, 64], [16, 64], dtype=dtype, variant="tma_explicit", options={"oob": '"nan"'})
    p.both([64, 64], [0, 0], [16, 64], [16, 64], barrier=False)
    p.both([64, 64], [0, 0], [16, 64], [16, 64], store=True, options={"mbar": "bar.ptr_to([0])"})
    for dtype in ("float16", "bfloat16", "float32", "int32", "uint32", "uint64"):
        for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
            p.add([64, 64], [0, 0], [16, 64], [16, 64], dtype=dtype, store=True, options={"use_tma_reduce": f'"{op}"'})
    # A reduction and a fill keep the element type.
    p.add([64, 512], [0, 0], [4, 512], [4, 512], store=True, options={"use_tma_reduce": '"add"'})
    p.add([2, 2, 512], [0, 0, 0], [2, 2, 512], [2, 2, 512], dtype="float32", options={"tma_dtype": '"tf32"'})


def symbolic(p):
    """Extents that the host knows, and starts that the device knows."""
    n = {"host": ["n = T.int32()"]}
    for start in (0, "bx * 16", "bx", "bx * 16 + 8"):
        p.both(["n", 64], [start, 0], [16, 64], [16, 64], **n)
        p.both(["n", 4, 64], [start, 0, 0], [16, 1, 64], [16, 64], **n)
        p.both([256, 64], [start, 0], [16, 64], [16, 64])
        p.both([256, 256], [0, start], [16, 64], [16, 64])
        p.both([64, 4, 64], [0, 0, start], [16, 4, 8], [16, 4, 8])
        p.both([64, 256], [start, 0], [16, 64], [16, 8, 8])
        p.both([64, 256], [0, start], [16, 64], [16, 8, 8])
    for shape in ([4, "n", 64], [4, 64, "n"], [64, "n * 8"], ["n * 8"], ["n", "n"], [64, "n * 64"], ["n * 2", 64]):
        extent = [1] * (len(shape) - 2) + ([16, 64] if len(shape) > 1 else [64])
        shared_shape = [16, 64] if len(shape) > 1 else [64]
        p.both(shape, [0] * len(shape), extent, shared_shape, **n)
    p.add(["n", 64], [0, 0], ["n", 64], [64, 64], [0, 0], ["n", 64], variant="tma_explicit", **n)
    p.add(["n", 64], ["n - 4", 0], [4, 64], [4, 64], variant="tma_explicit", **n)
    p.add([64, "n"], [0, 0], [4, "n"], [4, 64], [0, 0], [4, "n"], variant="tma_explicit", **n)
    p.add([64, 64], [0, 0], ["n", 64], [64, 64], [0, 0], ["n", 64], variant="tma_explicit", store=True, **n)
    p.both([64, 64], [-8, 0], [16, 64], [16, 64])
    p.both([256, 64], [0, 0], [16, 64], [3, 16, 64], ["bx", 0, 0], [1, 16, 64])
    p.both([256, 64], [0, 0], [16, 64], [64, 64], ["bx * 16", 0], [16, 64])
    p.both([256, 64], [0, 0], [4, 4], [64, 64], ["bx * 4", 0], [4, 4])


def gathers(p):
    """Four rows by number, and maps that are chosen at run time."""
    for arch in ARCHS:
        for rows in ("(0, 3, 5, 7)", "(bx, bx + 1, bx + 2, 9)"):
            more = {"variant": "tma_explicit", "arch": arch, "options": {"gather4": rows}}
            p.add([64, 64], [0, 0], [1, 64], [4, 64], **more)
            part = {"s_layout": swizzled("float16", 3, [8, 64])}
            p.add([64, 128], [0, 64], [1, 64], [8, 64], [4, 0], [4, 64], **part, **more)
            p.add([64, 512], [0, 0], [1, 512], [4, 512], **more)
            p.add([64, 68], [0, 0], [1, 64], [4, 64], **more)
            p.add([64, 64], [0, 0], [1, 12], [4, 12], **more)
            p.add([64, 64], [0, 8], [1, 32], [4, 32], s_layout=strided([4, 32], [40, 1]), **more)
            p.add([64, 64], [0, 8], [1, 32], [4, 32], s_layout=strided([4, 32], [1, 4]), **more)
            p.add([64, 64], [0, 0], [1, 64], [4, 64], dtype="float32", **more)
            p.add([64, 64], [0, 0], [1, 64], [4, 64], layout=strided([64, 64], [72, 1]), **more)
    for views, word in (
        (["B = A.view(64, 64)"], "B"),
        (["B = A.view(32, 128)"], "B"),
        (["B = A.view(64, 8, 8)"], "B"),
        (["B = A.view(4096)"], "B"),
    ):
        for conditions in ([f"(bx == 1, {word})"], [f"(bx == 1, {word})", f"(bx > 2, {word})"]):
            p.add(
                [64, 64], [0, 0], [16, 64], [16, 64], variant="tma_explicit", views=views,
                options={"src_selector": f"[{', '.join(conditions)}]"},
            )  # fmt: skip
    p.add([64, 64], [0, 0], [16, 64], [16, 64], variant="tma_explicit", options={"src_selector": "[(bx == 1, s)]"})
    p.add([64, 64], [0, 0], [16, 64], [16, 64], variant="tma_explicit", options={"src_selector": "[]"})


def corners(p):
    """Layouts whose cuts do not meet, digits of digits, other types of the same bits, views, pools."""
    swapped = lambda a, b: strided([a, b, 64], [64, 64 * a, 1])  # noqa: E731
    for a, b, rows in ((4, 5, [2, 10]), (6, 4, [4, 6]), (6, 4, [2, 12]), (8, 3, [2, 12]), (2, 12, [4, 6])):
        for start in (0, 1, 3, 5, 10):
            for n in (48, 60, 103):
                p.add([8, n, 64], [0, start, 0], [*rows, 64], [a, b, 64], s_layout=swapped(a, b))
    for shape, inner in (((4, 3), 3), ((3, 4), 4), ((2, 6), 6)):
        blocks = f"TileLayout(S[({shape[0]}, {shape[1]}, 64) : ({64 * 16 * inner}, 64, 1)])"
        for a, b in ((6, 2), (4, 3), (2, 6), (3, 4), (12, 1)):
            p.both([12, 64], [0, 0], [12, 64], [a, b, 64], layout=blocks, s_layout=swapped(a, b))
        for start, rows in ((0, 6), (3, 6), (2, 4), (4, 4), (1, 2), (6, 6)):
            p.both([12, 64], [start, 0], [rows, 64], [rows, 64], layout=blocks)
    p.both([6, 64], [0, 0], [6, 64], [6, 64], layout="TileLayout(S[(4, 96) : (96, 1)])")
    for offset in (1, 2, 64):
        p.add([64, 64], [0, 0], [16, 16], [16, 16], dtype="float4_e2m1fn", layout=strided([64, 64], [128, 2], offset))
    blocks = "TileLayout(S[(8, 8, 4, 16) : (512, 16, 128, 1)])"
    for extent in ([16, 64], [64, 16], [64, 64], [32, 32]):
        p.both([64, 64], [0, 0], extent, extent, layout=blocks)
        half = [extent[0], extent[1] // 8, 8]
        p.both([64, 64], [0, 0], extent, half, layout=blocks, s_layout=strided(half, [8, 8 * half[0], 1]))
        p.both([64, 64], [0, 0], extent, half, layout=blocks, s_layout=strided(half, [half[1] * 8, 1, half[1]]))
    for g, s in (("uint16", "float16"), ("float16", "uint8"), ("uint8", "float16"), ("float32", "bfloat16")):
        n = 64 * BITS[g] // BITS[s]
        p.both([64, 64], [0, 0], [16, 64], [16, n], dtype=g, s_dtype=s)
    for view, start, extent in (
        ("B = A.view(32, 128)", [0, 0], [8, 128]), ("B = A.view(64, 8, 8)", [0, 0, 0], [16, 8, 8]),
        ("B = A.view(4096)", [64], [1024]), ("B = A.view(4, 16, 64)", [1, 0, 0], [1, 16, 64]),
    ):  # fmt: skip
        p.both([64, 64], start, extent, [16, 64], views=[view], tensor="B")
    for before in (0, 16, 64, 128, 1000):
        for align in (16, 128, 1024):
            p.both([64, 64], [0, 0], [16, 64], [16, 64], pool=before, align=align)
            p.both([64, 64], [0, 0], [16, 64], [16, 64], pool=before, align=align,
                   s_layout=swizzled("float16", 3, [16, 64]))  # fmt: skip
    for ring in ([1, 16, 64], [2, 16, 64]):
        p.both([64, 64], [0, 0], [16, 64], ring, ["bx", 0, 0], [1, 16, 64])
        p.both([64, 64], [0, 0], [16, 64], ring, ["bx", 0, 0], [1, 16, 64], s_layout=swizzled("float16", 3, ring))
    p.both([64, 64], [0, 0], [16, 64], [16, 64], views=["w = T.warp_id([1])"], options={"prefetch_tensormap": "True"})
    # No variant named: what is asked first, and what takes what that one refuses.
    for shape, extent in (([64, 64], [16, 64]), ([64, 68], [16, 64]), ([64, 64], [16, 12]), ([600, 64], [512, 8])):
        for store in (False, True):
            p.add(shape, [0, 0], extent, extent, variant=None, store=store)
            p.add(["n", shape[1]], [0, 0], extent, extent, variant=None, store=store, host=["n = T.int32()"])
    p.add([64, 64], [0, 0], [16, 64], [16, 64], variant=None, store=True, layout=strided([64, 64], [64, 1], 4))
    p.add([64, 64], [0, 0], [16, 64], [16, 64], variant=None, store=True, options={"tma_dtype": '"tf32"'})


FAMILIES = [types, boxes, strides, shared, outside, options, symbolic, gathers, corners]


def systematic():
    p = Problems()
    for family in FAMILIES:
        family(p)
    return p


# ---- draws


def draw(rng, name):
    dtype = rng.choice(DTYPES[:9] + DTYPES)
    u = unit(dtype)
    rank = rng.choice([1, 2, 2, 2, 3, 3, 4, 5])
    extent = [rng.choice([1, 2, 3, 4, 8]) for _ in range(rank - 1)] + [u * rng.choice([1, 2, 4, 8, 16, 32, 40])]
    if rank > 1:
        extent[-2] = rng.choice([1, 8, 16, 32, 64])
    if rng.random() < 0.1:
        extent[-1] = rng.choice([5, 12, 20, 100])
    if product(extent) * BITS[dtype] // 8 > 40000:
        return None
    shape, start = [], []
    for e in extent:
        n = rng.choice([1, 1, 2, 3])
        shape.append(e * n + (rng.choice([0, 0, 0, 1, 8]) if rng.random() < 0.3 else 0))
        start.append(e * rng.randrange(n))
    layout = None
    r = rng.random()
    if r < 0.15:
        pitch = shape[-1] + rng.choice([u, u, 2 * u, 1, 4])
        layout = strided(shape, [s // shape[-1] * pitch for s in row_major(shape)[:-1]] + [1])
    elif r < 0.25 and rank > 2:
        order = list(range(rank))
        rng.shuffle(order)
        if rng.random() < 0.6:
            order.remove(rank - 1)
            order.append(rank - 1)
        strides, n = [0] * rank, 1
        for d in reversed(order):
            strides[d], n = n, n * shape[d]
        layout = strided(shape, strides)
    s_shape = list(extent)
    r = rng.random()
    if r < 0.15:
        s_shape = [e for e in extent if e != 1] or [1]
    elif r < 0.3 and rank > 1:
        d = rng.randrange(rank - 1)
        s_shape[d : d + 2] = [extent[d] * extent[d + 1]]
    elif r < 0.4:
        d = rng.randrange(rank)
        f = rng.choice([f for f in (2, 4, 8, u) if extent[d] % f == 0] or [1])
        s_shape[d : d + 1] = [extent[d] // f, f]
    s_start, s_extent = [0] * len(s_shape), list(s_shape)
    r = rng.random()
    if r < 0.12:
        s_shape, s_start, s_extent = [2, *s_shape], [rng.randrange(2), *s_start], [1, *s_extent]
    elif r < 0.2:
        s_shape[0], s_start[0] = s_shape[0] * 2, rng.choice([0, s_shape[0], 1])
    s_layout = None
    r = rng.random()
    mode = rng.choice([1, 2, 3])
    if r < 0.35 and len(s_shape) > 1 and s_shape[-1] % ((2 << mode) // 2 * u) == 0 and s_shape[-2] % 8 == 0:
        s_layout = swizzled(dtype, mode, s_shape)
    elif r < 0.45 and len(s_shape) > 1:
        order = list(range(len(s_shape)))
        rng.shuffle(order)
        strides, n = [0] * len(s_shape), 1
        for d in reversed(order):
            strides[d], n = n, n * s_shape[d]
        s_layout = strided(s_shape, strides)
    elif r < 0.55 and len(s_shape) > 1:
        s_layout = swizzled(dtype, 0, s_shape)
    # The reference unrolls one issue for each box.
    if layout or (s_layout and "S[" in s_layout):
        if product(extent) > 2048:
            return None
    return Problem(
        name, shape, start, extent, s_shape, s_start, s_extent, dtype=dtype, layout=layout, s_layout=s_layout,
        variant=rng.choice(["tma_auto"] * 3 + ["tma_explicit"]), store=rng.random() < 0.25, arch=rng.choice(ARCHS),
    )  # fmt: skip


def drawn(seed, count):
    out = []
    rng = random.Random(f"tensor maps/{seed}")
    while len(out) < count:
        if problem := draw(rng, f"d{len(out)}"):
            out.append(problem)
    return out
