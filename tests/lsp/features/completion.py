# What could stand where something is being typed.
import helpers
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, mma_shared_layout

ROWS = 32
T.
# @3 completion(^alloc_):
#| alloc_buffer kind 3 (shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None)
#| alloc_local kind 3 (shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='local', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None)
#| alloc_cast_frag kind 3 (src, dtype)
#| alloc_scalar kind 3 (dtype='float32', scope='local')
#| alloc_shared kind 3 (shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='shared', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None)
#| alloc_tcgen05_ldst_frag kind 3 (instr_shape, tensor_shape, dtype)
T.ptx.mbarrier.
#              ^ completion():
#| init kind 3 (bar: shared, thread_count: u32)
#| arrive kind 3 (bar: shared)
#| arrive_drop kind 3 (bar: shared, count: u32 = None)
#| arrive_expect_tx_cluster kind 3 (bar: shared, byte_count: u32)
#| arrive_expect_tx_remote kind 3 (bar: remote, byte_count: u32)
#| arrive_remote kind 3 (bar: remote, count: u32 = None, *, sem: attr(release|relaxed) = 'release')
#| arrive_state kind 3 (bar: shared, count: u32 = None)
#| complete_tx kind 3 (bar: shared, byte_count: u32, *, scope: attr(cta|cluster) = 'cta', space: attr(shared::cta|shared::cluster) = 'shared::cta')
#| expect_tx kind 3 (bar: shared, byte_count: u32, *, scope: attr(cta|cluster) = 'cta', space: attr(shared::cta|shared::cluster) = 'shared::cta')
#| inval kind 3 (bar: shared)
#| pending_count kind 3 (state: u64)
#| test_wait_state kind 3 (bar: shared, state: u64, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '')
#| try_wait kind 3 (bar: shared, phase: u32)
#| try_wait_acquire_cluster kind 3 (bar: shared, phase: u32)
#| try_wait_once kind 3 (bar: shared, phase: u32, ticks: u32)
#| try_wait_parity kind 3 (bar: shared, phase: u32, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '', ticks: u32 = None)
#| try_wait_state kind 3 (bar: shared, state: u64, *, ticks: u32 = None, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '')
#| wait kind 3 (bar: shared, phase: u32, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '')
Tx.warp.
#       ^ completion(^copy|^gemm|^cta):
#| copy kind 3 (dst, src)
#| copy_async kind 3 (dst, src)
#| gemm kind 3 (D, A, B, C, transpose_A=False, transpose_B=False, alpha=1, beta=0)
#| gemm_async kind 3 (C, A, B, SFA=None, SFB=None, transA=False, transB=False, accum=False)
#       ^ completion(_reduce$|_chain$|_negate$):
#| binary_chain kind 3 (output, data, operand0, operand1, op0, op1, reverse1=False)
#| binary_reduce kind 3 (binary_output, reduce_output, in1, in2, binary_op, reduce_op, reduce_axes=-1)
#| reduce_negate kind 3 (output, input, reduce_op, reduce_axes=-1, accum=False)
#| unary_reduce kind 3 (unary_output, reduce_output, input, unary_op, reduce_op, bias=None, scale=None, reduce_axes=-1)
helpers.
#       ^ completion():
#| Ring kind 7
#| WIDTH kind 6
#| scale kind 3


def offset(lane, step=ROWS, *, other=None) -> int:
    """Where a lane begins."""
    return lane * step


x = offset(1, )
#             ^ completion(=$):
#| other= kind 5 other=None
#| step= kind 5 step=ROWS
#          ^ signatureHelp:
#| offset(lane, step=ROWS, *, other=None) -> int
#| active: lane
#             ^ signatureHelp:
#| offset(lane, step=ROWS, *, other=None) -> int
#| active: step=ROWS
y = offset(1, other=)
#                   ^ signatureHelp:
#| offset(lane, step=ROWS, *, other=None) -> int
#| active: other=None
layout = mma_shared_layout("float16", 3, )
#                                        ^ signatureHelp:
#| mma_shared_layout(dtype, swizzle_mode, shape)
#| active: shape
#                           ^ completion(^float16$): float16 kind 12


@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (ROWS, 8), dtype="")
    #                                       ^ completion(^bfloat): bfloat16 kind 12
    #                       ^ signatureHelp:
#| T.match_buffer(param, shape=None, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default')
#| active: shape=None
    T.device_entry()
    tile = T.alloc_buffer((ROWS, 8), "float16", scope="")
    #                                                  ^ completion():
#| global kind 12
#| local kind 12
#| shared kind 12
#| shared.dyn kind 12
#| tmem kind 12
    Tx.warp.copy(tile[:, :], A[:, :], dispatch="")
    #                                           ^ completion():
#| fallback kind 12 variant of copy, priority 0
#| gmem_smem kind 12 variant of copy, priority 10
#| ldstmatrix kind 12 variant of copy, priority 10
#| reg kind 12 variant of copy, priority 10
    #                        ^ signatureHelp:
#| Tx.warp.copy(dst, src, dispatch=None)
#| active: src
    #                                 ^ completion(=$): dispatch= kind 5 dispatch=None
    T.ptx.mbarrier.init(tile.ptr_to([0]), 1)
    #                                     ^ signatureHelp:
#| T.ptx.mbarrier.init(bar: shared, thread_count: u32)
#| active: thread_count: u32
    ti
    # ^ completion(^til): tile kind 6
    # ^ completion(^RO): ROWS kind 6
    # offset(
    #        ^ signatureHelp: nothing


from helpers import Ring, scale
scale()
#     ^ signatureHelp:
#| scale(x)
#| active: x
#     ^ completion(=$): x= kind 5 x
ring = Ring(stages=2, )
#                     ^ signatureHelp:
#| Ring(stages, dtype="float16")
#| active: dtype="float16"
#                     ^ completion(=$): dtype= kind 5 dtype="float16"
ring.
#    ^ completion():
#| fill kind 2 (stage, value=0)
#| size kind 5 4
#| stages kind 5 2
ring.fill(0, )
#            ^ signatureHelp:
#| ring.fill(stage, value=0)
#| active: value=0
tile = T.alloc_local((4,), dtype = "")
#                                   ^ completion(^bfloat): bfloat16 kind 12
from helpers import x
#                   ^ completion():
#| Ring kind 7
#| WIDTH kind 6
#| scale kind 3
from tvm.tirx.layout import x
#                           ^ completion(Layout$):
#| ComposeLayout kind 7
#| Layout kind 7
#| SwizzleLayout kind 7
#| TileLayout kind 7


#--- file helpers.py
WIDTH = 8
_hidden = 1


def scale(x):
    return x * WIDTH


class Ring:
    size = 4

    def __init__(self, stages, dtype="float16"):
        self.stages = stages

    def fill(self, stage, value=0):
        """Fills a stage."""
