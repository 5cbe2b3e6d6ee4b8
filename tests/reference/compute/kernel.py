"""One kernel of a generated script: tiles with what is in them, one call, and what has to be in them afterwards."""

import os

from compute.model import BITS, Layout, fold, held, indices, is_float, npy, product, rounded

HEADER = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg
'''


def tup(xs):
    return "(" + ", ".join(map(str, xs)) + ("," if len(xs) == 1 else "") + ")"


class Tile:
    """A tile in registers or in shared memory, filled from a tensor of its own before the call."""

    def __init__(self, name, scope, dtype, shape, layout, threads):
        self.name, self.scope, self.dtype, self.shape, self.layout = name, scope, dtype, list(shape), layout
        self.local = scope == "local"
        self.distributed = self.local and layout is not None and layout.threads()
        self.plain = layout or Layout.row_major(shape)
        self.threads = threads
        self.values = {}  # (thread or None, register or index): value
        self.held = held(layout, shape, threads) if self.distributed else None
        # Of a tile that threads hold together the registers are filled, of others the elements.
        self.registers = layout.registers() if self.distributed else []
        self.extents = [len(self.registers)] if self.distributed else self.shape

    def places(self):
        """The places that are filled and read back, in the order of the tensor."""
        if self.distributed:
            return [(t, r) for t in range(self.threads) for r in self.registers]
        if self.local:
            return [(t, i) for t in range(self.threads) for i in indices(self.shape)]
        return [(None, i) for i in indices(self.shape)]

    def tensor_shape(self):
        return ([self.threads] if self.local else []) + self.extents

    def tensor_dtype(self):
        return "float32" if is_float(self.dtype) else "int32"

    def declaration(self):
        layout = f", layout={self.layout.text()}" if self.layout else ""
        return f'{self.name} = T.alloc_buffer({tup(self.shape)}, "{self.dtype}", scope="{self.scope}"{layout})'

    # The value of an element as a thread sees it; None: the thread does not hold it.
    def get(self, thread, index):
        if self.distributed:
            register = self.held[thread].get(index)
            return None if register is None else self.values[thread, register]
        return self.values[thread if self.local else None, index]

    def put(self, thread, index, value):
        value = rounded(self.dtype, value)
        if self.distributed:
            self.values[thread, self.held[thread][index]] = value
        else:
            self.values[thread if self.local else None, index] = value


class Kernel:
    def __init__(self, rng, name, family, arch):
        self.rng, self.name, self.family, self.arch = rng, name, family, arch
        self.tiles, self.body, self.extra = [], [], []
        self.checked = True  # what comes out is known
        self.tolerance = {}
        self.result = None
        self.model = None  # called to compute; changes the result's values

    def launch(self, threads):
        self.threads = threads
        return self

    def tile(self, scope, dtype, shape, layout=None):
        tile = Tile("abcdef"[len(self.tiles)], scope, dtype, shape, layout, self.threads)
        rng = self.rng
        for place in tile.places():
            tile.values[place] = rounded(dtype, self.value(dtype, rng))
        self.tiles.append(tile)
        return tile

    @staticmethod
    def value(dtype, rng):
        """Small numbers, whose sums and products are exact in their types."""
        if not is_float(dtype):
            return rng.randrange(0, 5) if dtype.startswith("u") else rng.randrange(-4, 5)
        return rng.choice([-2, -1, -0.5, 0.5, 1, 1.5, 2, 3] if BITS[dtype] >= 16 else [-1, -0.5, 0.5, 1, 2])

    # ---- text -------------------------------------------------------------------------------------------------------
    def fill(self, tile, tensor, back=False):
        """Lines that bring the tensor into the tile, or the tile into the tensor; each thread its own elements."""
        own, loop, index = tile.name, [], []
        if tile.distributed:
            self.extra.append(f"{tile.name}_own = {tile.name}.local({tile.extents[0]})")
            own = f"{tile.name}_own"
        for d, e in enumerate(tile.extents):
            loop.append("    " * d + f"for i{d} in T.serial({e}):")
            index.append(f"i{d}")
        depth = "    " * len(loop)
        there = f"{tensor}[{', '.join((['tid'] if tile.local else []) + index)}]"
        here = f"{own}[{', '.join(index)}]"
        wide = tile.tensor_dtype()
        move = f'{there} = T.cast({here}, "{wide}")' if back else f'{here} = T.cast({there}, "{tile.dtype}")'
        if tile.local:
            return loop + [depth + move]
        lines = ["if tid == 0:"] + ["    " + line for line in loop + [depth + move]]
        return lines + ["T.cuda.cta_sync()"]

    def text(self, folder=None):
        """The kernel; with a folder its inputs and what must come out are written there."""
        t = self.threads
        ids = ["T.cta_id([1])"]
        if t % 128 == 0:
            ids.append(f"wg = T.warpgroup_id([{t // 128}])")
        if t % 32 == 0:
            ids += [f"w = T.warp_id([{t // 32}])", "l = T.lane_id([32])"]
        ids.append(f"tid = T.thread_id([{t}])")
        tensors, before, words = [], [], []
        can_fill = [tile for tile in self.tiles if tile.dtype != "float4_e2m1fn"]
        for tile in can_fill:
            tensors.append((f"X{tile.name}", tile))
            before += self.fill(tile, f"X{tile.name}")
        after = self.fill(self.result, "Y", back=True) if self.result in can_fill else []
        declarations = list(dict.fromkeys(self.extra))
        params = [name for name, _ in tensors] + ["Y"]
        host = [f'{n} = T.match_buffer({n}_ptr, {tup(x.tensor_shape())}, "{x.tensor_dtype()}")' for n, x in tensors]
        y = self.result
        host.append(f'Y = T.match_buffer(Y_ptr, {tup(y.tensor_shape())}, "{y.tensor_dtype()}")')
        if folder and self.checked:
            words = self.write(folder, tensors)
        lines = host + ["T.device_entry()"] + ids + [x.declaration() for x in self.tiles] + declarations
        lines += before + self.body
        if any(not x.local for x in self.tiles):
            lines.append("T.cuda.cta_sync()")
        out = ["", "", f"# family: {self.family}"]
        if words:
            out.append("# tilewright: run " + " ".join(words))
        out += ["@T.prim_func", f"def {self.name}({', '.join(p + '_ptr: T.handle' for p in params)}):"]
        return "\n".join(out + ["    " + line for line in lines + after]) + "\n"

    def write(self, folder, tensors):
        words = []
        for name, tile in tensors:
            path = f"{self.name}_{name}.npy"
            npy(
                os.path.join(folder, path),
                tile.tensor_dtype(),
                tile.tensor_shape(),
                [tile.values[p] for p in tile.places()],
            )
            words.append(f"{name}={path}")
        self.model()
        path = f"{self.name}_Y.npy"
        npy(
            os.path.join(folder, path),
            self.result.tensor_dtype(),
            self.result.tensor_shape(),
            [self.result.values[p] for p in self.result.places()],
        )
        words.append(f"expected.Y={path}")
        return words + [f"{k}={v}" for k, v in self.tolerance.items()]


class Region:
    """A box of a tile: a start and an extent a dimension. Bare: the tile itself."""

    def __init__(self, tile, starts=None, extents=None, text=None):
        self.tile = tile
        self.starts = list(starts or [0] * len(tile.shape))
        self.extents = list(extents or tile.shape)
        self.written = text
        self.bare = starts is None and extents is None and text is None

    def text(self):
        if self.bare:
            return self.tile.name
        if self.written:
            return self.written
        return f"{self.tile.name}[{', '.join(f'{s}:{s + e}' for s, e in zip(self.starts, self.extents))}]"

    def at(self, index):
        """The element of the tile that stands for this index of a tile of the region's rank or higher."""
        index = index[len(index) - len(self.extents) :]
        return tuple(s + (0 if e == 1 else i) for s, i, e in zip(self.starts, index, self.extents))

    def whole(self):
        return self.starts == [0] * len(self.extents) and self.extents == self.tile.shape


def elements(region):
    return product(region.extents)


__all__ = ["HEADER", "Kernel", "Region", "Tile", "elements", "fold", "tup"]
