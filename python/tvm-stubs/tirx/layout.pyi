"""Made by packaging/script_stubs.py of Tilewright's tables; do not edit."""
from typing import Any

class _Axis:
    Bank: Any
    """Axis: the bank of another target's memory."""
    F: Any
    """Axis: the free dimension of another target's memory."""
    P: Any
    """Axis: the partition of another target's memory."""
    TCol: Any
    """Axis: the column of tensor memory."""
    TLane: Any
    """Axis: the lane of tensor memory."""
    bx: Any
    """Axis: the x index of the CTA in the grid."""
    by: Any
    """Axis: the y index of the CTA in the grid."""
    bz: Any
    """Axis: the z index of the CTA in the grid."""
    cbx: Any
    """Axis: the x index of the CTA in its cluster."""
    cby: Any
    """Axis: the y index of the CTA in its cluster."""
    cbz: Any
    """Axis: the z index of the CTA in its cluster."""
    def get(self, name: Any, **_: Any) -> Any:
        """The axis of this name."""
        ...
    laneid: Any
    """Axis: the lane in its warp."""
    m: Any
    """Axis: linear memory."""
    tid_in_wg: Any
    """Axis: the thread in its warpgroup."""
    tx: Any
    """Axis: the thread in its CTA."""
    warpid: Any
    """Axis: the warp in its CTA."""
    wgid: Any
    """Axis: the warpgroup in its CTA."""
    wid_in_wg: Any
    """Axis: the warp in its warpgroup."""

Axis: _Axis
"""The axes by name: Axis.get("laneid")."""
Bank: Any
"""Axis: the bank of another target's memory."""
class ComposeLayout(Any):
    """An XOR permutation of the addresses of a tile layout."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
F: Any
"""Axis: the free dimension of another target's memory."""
class Iter(Any):
    """One strided loop over an axis."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
class Layout(Any):
    """The class of all layouts."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
P: Any
"""Axis: the partition of another target's memory."""
R: Any
"""Replica: R[extents : strides], copies of the same elements."""
S: Any
"""Shard: S[extents : strides], a stride being a number or number @ axis."""
class SwizzleLayout(Any):
    """An XOR permutation of one linear address."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
class SwizzleMode(Any):
    """The swizzles of tensor copies."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
TCol: Any
"""Axis: the column of tensor memory."""
TLane: Any
"""Axis: the lane of tensor memory."""
class TileLayout(Any):
    """Strided iters over named axes."""
    def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __class_getitem__(cls, item: Any) -> Any: ...
bx: Any
"""Axis: the x index of the CTA in the grid."""
by: Any
"""Axis: the y index of the CTA in the grid."""
bz: Any
"""Axis: the z index of the CTA in the grid."""
cbx: Any
"""Axis: the x index of the CTA in its cluster."""
cby: Any
"""Axis: the y index of the CTA in its cluster."""
cbz: Any
"""Axis: the z index of the CTA in its cluster."""
def get_swizzle_mode_from_layout(layout: Any, **_: Any) -> Any:
    """The swizzle of tensor copies that a shared layout has."""
    ...
laneid: Any
"""Axis: the lane in its warp."""
m: Any
"""Axis: linear memory."""
def mma_atom_layout(dtype: Any, swizzle_mode: Any, **_: Any) -> Any:
    """The atom of mma_shared_layout."""
    ...
def mma_atom_shape(dtype: Any, swizzle_mode: Any, shape: Any = ..., **_: Any) -> Any:
    """The shape of that atom."""
    ...
def mma_fragment_layout(operand: Any, k: Any = ..., **_: Any) -> Any:
    """Registers of a warp as mma.m16n8kX has its operand "A", "B", "C" or "D". The name is Tilewright's own, the reference has none."""
    ...
def mma_shared_layout(dtype: Any, swizzle_mode: Any, shape: Any, **_: Any) -> Any:
    """The swizzled layout that wgmma and tcgen05 read from shared memory."""
    ...
def sf_tmem_layout(rows: Any, SF_K: Any, sf_per_mma: Any, sf_reuse: Any = ..., pipe_depth: Any = ..., **_: Any) -> Any:
    """Scale factors in tensor memory."""
    ...
def tcgen05_atom_layout(instr_shape: Any, tensor_shape: Any, dtype: Any, **_: Any) -> Any:
    """Registers as tcgen05.ld and tcgen05.st move them."""
    ...
tid_in_wg: Any
"""Axis: the thread in its warpgroup."""
def tma_atom_layout(dtype: Any, swizzle_mode: Any, **_: Any) -> Any:
    """mma_atom_layout under its name for tensor copies."""
    ...
def tma_atom_shape(dtype: Any, swizzle_mode: Any, shape: Any = ..., **_: Any) -> Any:
    """mma_atom_shape under its name for tensor copies."""
    ...
def tma_shared_layout(dtype: Any, swizzle_mode: Any, shape: Any, **_: Any) -> Any:
    """The same layout under its name for tensor copies."""
    ...
def tmem_datapath_layout(datapath: Any, rows: Any, cols: Any, sub_slab: Any = ..., **_: Any) -> Any:
    """Tensor memory as a datapath of tcgen05 sees it: "A" to "G"."""
    ...
def tmem_mma_operand_layout(operand: Any, shape: Any, dtype: Any, *, M: Any, cta_group: Any, ws: Any = ..., sparse: Any = ..., group: Any = ..., **_: Any) -> Any:
    """Operand "A" or "D" of tcgen05.mma in tensor memory."""
    ...
tx: Any
"""Axis: the thread in its CTA."""
warpid: Any
"""Axis: the warp in its CTA."""
def wg_local_layout(cols: Any, rows: Any = ..., **_: Any) -> Any:
    """Registers of a warpgroup, one row a thread."""
    ...
wgid: Any
"""Axis: the warpgroup in its CTA."""
def wgmma_accumulator_layout(cols: Any, rows: Any = ..., **_: Any) -> Any:
    """Registers of a warpgroup as wgmma adds up in them. The name is Tilewright's own, the reference has none."""
    ...
def wgmma_operand_layout(cols: Any, dtype: Any, rows: Any = ..., **_: Any) -> Any:
    """Registers of a warpgroup as wgmma takes A from them. The name is Tilewright's own, the reference has none."""
    ...
wid_in_wg: Any
"""Axis: the warp in its warpgroup."""

def __getattr__(name: str) -> Any: ...
