# tilewright: dialect 0.27
# The same while a line is being typed: what is known before it stays known.
import contextlib
from dataclasses import dataclass
from enum import IntEnum

import tirx_kernels.tirx_lite as txl
from tirx_kernels.tirx_lite import Pipeline, idioms


class Slot(IntEnum):
    FULL = 0


@contextlib.contextmanager
def one_thread(of=0):
    with txl.If(txl.tid_in_role() == of), txl.Then():
        yield of


@dataclass
class Cfg:
    rows: int = 4
    cols: int = 128


def bring(pipe, buf, state, *, length=512):
    pipe.full.arrive(state.stage, length)
    #         ^ completion(^arr|^wait):
#| arrive kind 2 (stage, tx_count=None, remote=None, pred=None)
#| wait kind 2 (stage, phase)
    #                ^ signatureHelp:
#| pipe.full.arrive(stage, tx_count=None, remote=None, pred=None)
#| active: stage
    #                      ^ completion:
#| stage kind 5 int32
#| advance kind 2 ()
#| depth kind 5 2
#| init kind 2 (phase)
#| phase kind 5 int32
    buf.ptr_to([state.stage, 0])
    #   ^ completion(ptr):
#| ptr_to kind 3 (indices)
#| access_ptr kind 3 (access_mask, ptr_type='handle', content_lanes=1, offset=0, extent=None)
    #          ^ signatureHelp: nothing


def get_kernel(cfg=Cfg()):
    @txl.kernel(warps=8, arch="sm_90a", grid=1, min_blocks_per_sm=1)
    #                    ^ completion(grid|min):
#| grid= kind 5 grid=None
#| min_blocks_per_sm= kind 5 min_blocks_per_sm=None
#| min kind 3
    def k(A: txl.gptr[txl.f32, (4, 128)], B: txl.gptr[txl.f32, (4, 128)]):
        pool = txl.smem_pool()
        buf = pool.alloc((cfg.rows, cfg.cols), txl.f32, align=128)
        #                     ^ completion:
#| cols kind 5 128
#| rows kind 5 4
        #                                      ^ signatureHelp:
#| pool.alloc(shape, dtype="float32", swizzle=None, align=0)
#| active: dtype="float32"
        #                                               ^ completion(ali): align= kind 5 align=0
        pipe = Pipeline(pool, 2, full="tma", empty="mbar", init_empty=128)
        #               ^ signatureHelp:
#| Pipeline(pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None)
#| active: pool
        #                        ^ completion(init):
#| init_empty= kind 5 init_empty=1
#| init_full= kind 5 init_full=1
        bar = txl.MBarrier(pool, depth=2)
        #                  ^ signatureHelp:
#| txl.MBarrier(pool, depth, phase_offset=0, leader=None)
#| active: pool
        #                        ^ completion(dep): depth= kind 5 depth
        bar.init(1)
        #        ^ signatureHelp:
#| bar.init(count)
#| active: count
        roles = txl.specialize()
        load = roles.role("load", warps=range(4), regs=24)
        #                 ^ signatureHelp:
#| roles.role(name, warps, regs=None, when=None, group=None, register_scope=None)
#| active: name
        #                         ^ completion(regs): regs= kind 5 regs=None
        use = roles.role("use", warps=range(4, 8), regs=240)
        #           ^ completion(^r):
#| role kind 2 (name, warps, regs=None, when=None, group=None, register_scope=None)
#| register_scope kind 2 (name, warps, regs)
#| register_scopes kind 5 list
#| roles kind 5 list
        with load:
            with one_thread() as one:
                state = txl.PipelineState(2, 1)
                #                         ^ signatureHelp:
#| txl.PipelineState(depth, phase=None)
#| active: depth
                with txl.serial(4) as r:
                #               ^ signatureHelp:
#| txl.serial(start, stop=None, annotations=None, step=None, unroll=None)
#| active: start
                    bring(pipe, buf, state, length=512)
                    #     ^ signatureHelp:
#| bring(pipe, buf, state, *, length=512)
#| active: pipe
                    state.advance()
                    #     ^ completion:
#| stage kind 5 int32
#| advance kind 2 ()
#| depth kind 5 2
#| init kind 2 (phase)
#| phase kind 5 int32
        with use:
            v = txl.local_scalar("float32")
            #                    ^ signatureHelp:
#| txl.local_scalar(dtype='float32', init=None, *, name=None)
#| active: dtype='float32'
            v.dtype
            # ^ completion:
#| dtype kind 5 'float32'
#| astype kind 2 (dtype)
            A.ptr_to([0, Slot.FULL])
            # ^ completion(ptr|view):
#| ptr_to kind 3 (indices)
#| access_ptr kind 3 (access_mask, ptr_type='handle', content_lanes=1, offset=0, extent=None)
#| view kind 3 (*shape, layout=None)
            #                 ^ completion: FULL kind 5 Slot
            txl.idioms.warp_scan_add
            #          ^ completion(mma|scan):
#| warp_scan_add kind 3 (vals, n, lane, *, width=32, chain=True)
#| mma_chain kind 3 (mma, d, *, a, b, idesc, pred, accumulate, guard, dol=None, k_range=None)
            idioms.warp_scan_add
            #      ^ completion(mma|scan):
#| warp_scan_add kind 3 (vals, n, lane, *, width=32, chain=True)
#| mma_chain kind 3 (mma, d, *, a, b, idesc, pred, accumulate, guard, dol=None, k_range=None)
            txl.cuda.
            #        ^ completion(mov): mov_sreg kind 3 (bits: attr(32|64), reg_name: attr)
            txl.ptx.ld.shared.f32(v, buf.ptr_to([0, 0]))
            #          ^ completion(^sh):
#| shared kind 14 .shared  space
#| shared__cluster kind 14 .shared::cluster  space
#| shared__cta kind 14 .shared::cta  space
    return k


get_kernel()
#          ^ signatureHelp:
#| get_kernel(cfg=Cfg())
#| active: cfg=Cfg()
