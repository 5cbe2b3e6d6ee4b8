# What stands around the body of a traced kernel (dialects.md 7): its launch, its parameters' types, its ids.
#
# From the evaluator: `_open`, `_enter` and `_leave` are called before the parameters, behind them, and behind the body;
# `txl._session()` is what `_open` made for the kernel being traced. A parameter of a function names no buffer, so what
# is made here is called what the script calls it.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral

_REGISTERS = 65536  # of an SM


class gptr:
    """A tensor in global memory, as a parameter: of a rank, of a fixed shape, or of one that numbers among the
    parameters make."""

    _is_gptr = True

    def __init__(self, dtype, ndim=1, *, shape=None):
        if shape is not None and ndim != 1:
            raise TypeError("txl.gptr takes shape= or a rank, not both")
        if shape is not None and not callable(shape):
            raise TypeError("shape= of txl.gptr is a function of the scalar parameters; write txl.gptr[dtype, (2, 3)]")
        self.dtype = dtype
        self.shape_factory = shape
        self.shape = None
        if isinstance(ndim, tuple):
            for extent in ndim:
                if not isinstance(extent, int) or isinstance(extent, bool) or extent <= 0:
                    raise TypeError(f"the shape of a txl.gptr has positive integers, not {ndim!r}")
            self.shape = ndim
            ndim = len(ndim)
        if not isinstance(ndim, int) or isinstance(ndim, bool) or ndim < 1:
            raise TypeError(f"the rank of a txl.gptr is a positive integer, not {ndim!r}")
        self.ndim = ndim
        self._is_gptr = True

    @classmethod
    def __class_getitem__(cls, item):
        if isinstance(item, tuple):
            if len(item) != 2:
                raise TypeError("txl.gptr takes a dtype, and a rank or a shape: txl.gptr[txl.f32, 2]")
            return cls(item[0], item[1])
        return cls(item)


def register_share(warps, blocks):
    """The registers a thread when `blocks` CTAs of so many warps share an SM, in steps of 8."""
    return _REGISTERS // (blocks * warps * 32) // 8 * 8


class Session:
    """The kernel being traced: its launch, its ids, its pool and its roles."""

    def __init__(self, name, warps, arch, min_blocks_per_sm):
        self.name = name
        self.warps = warps
        self.arch = arch
        self.min_blocks_per_sm = min_blocks_per_sm
        self.blocks_per_sm = 1 if min_blocks_per_sm is None else min_blocks_per_sm
        self.entry_regs = min(register_share(warps, self.blocks_per_sm), 255)
        self.pool = None
        self.specialize = None
        self.cta_id = None
        self.warp_id = None
        self.lane_id = None
        self.thread_id = None


def _open(name, warps, arch, min_blocks_per_sm):
    if not isinstance(warps, Integral) or isinstance(warps, bool) or not 1 <= warps <= 32:
        raise ValueError(f"a CTA has 1 to 32 warps, warps={warps!r}")
    if min_blocks_per_sm is not None and (not isinstance(min_blocks_per_sm, Integral) or min_blocks_per_sm < 1):
        raise ValueError(f"min_blocks_per_sm={min_blocks_per_sm!r} is no positive integer")
    return Session(name, warps, arch, min_blocks_per_sm)


def _extent(grid, params):
    if grid is None:
        return params["num_sms"] if "num_sms" in params else 1
    if isinstance(grid, str):
        if grid not in params:
            raise ValueError(f"grid={grid!r} is the name of no parameter")
        return params[grid]
    return grid


def _extents(grid, params):
    if callable(grid):
        grid = grid(params)
    if not isinstance(grid, (list, tuple)):
        grid = [grid]
    if not 1 <= len(grid) <= 3:
        raise ValueError(f"a grid has 1 to 3 dimensions, this one has {len(grid)}")
    extents = []
    for extent in grid:
        extent = _extent(extent(params) if callable(extent) else extent, params)
        if isinstance(extent, bool) or isinstance(extent, float):
            raise TypeError(f"an extent of the grid is an integer, not {extent!r}")
        if isinstance(extent, Integral) and extent <= 0:
            raise ValueError(f"an extent of the grid is {extent}: it must be positive")
        extents.append(extent)
    return extents


def _ids(session, params, grid, own_grid):
    if not own_grid:
        session.cta_id = T.cta_id(_extents(grid, params))
    session.warp_id = T.warp_id([session.warps])
    session.lane_id = T.lane_id([32])
    session.thread_id = T.thread_id([session.warps * 32])


def _enter(session, params, grid, host_prelude, own_grid):
    host = None if host_prelude is None else host_prelude(params)
    T.device_entry()
    if session.min_blocks_per_sm is not None:
        T.attr({"tirx.launch_bounds_min_blocks_per_sm": session.min_blocks_per_sm})
    _ids(session, params, grid, own_grid)
    return host


def _leave(session):
    if session.specialize is not None:
        session.specialize._check()
    if session.pool is not None:
        session.pool.commit()


def cta_id(extents=None, preferred=None, dtype="int32"):
    """The index of the CTA; with `extents` the kernel declares its own grid, which needs grid=False."""
    if extents is not None:
        return T.cta_id(extents, preferred=preferred, dtype=dtype)
    if txl._session().cta_id is None:
        raise RuntimeError("the kernel has grid=False; declare its grid: txl.cta_id(extents)")
    return txl._session().cta_id


def warp_id():
    return txl._session().warp_id


def lane_id():
    return txl._session().lane_id


def thread_id():
    return txl._session().thread_id


def _initialised(element, init):
    if init is not None:
        txl.assign(element, init)
    return element


def local_scalar(dtype="float32", init=None, *, name=None):
    """One element in a register."""
    if name is None:
        return _initialised(T.alloc_local([1], dtype)[0], init)
    return _initialised(txl._named(T.alloc_local([1], dtype), name)[0], init)


def _shuffled(to, x, width, lane):
    txl.assign(to[0], txl._cuda.__shfl_sync(T.uint32(0xFFFFFFFF), x, lane, width))
    return to[0]


def uniform(x, *, width=32, lane=0):
    """The value that lane `lane` has, in all lanes: the shuffle runs here, and not where the value is used."""
    return _shuffled(T.alloc_local([1], txl._dtype(x)), x, width, lane)


def stack_alloca(kind, size=1):
    return T.bind(T.tvm_stack_alloca(kind, size))


def call_packed(*args):
    T.evaluate(T.call_packed(*args))


def cu_tensor_map_encode_tiled(descriptor, dtype, rank, data, *operands):
    """Operands: `rank` extents, `rank - 1` strides in bytes, `rank` extents of the box, `rank` element strides; then
    interleave, swizzle, promotion to L2, what lies outside, and perhaps a dtype of CUDA."""
    modes = len(operands) - (4 * rank - 1)
    if not 4 <= modes <= 5:
        raise ValueError(
            f"a tensor map of rank {rank} takes {4 * rank - 1} numbers and 4 or 5 modes, {len(operands)} are given"
        )
    T.evaluate(T.call_packed("runtime.cuTensorMapEncodeTiled", descriptor, dtype, rank, data, *operands))
