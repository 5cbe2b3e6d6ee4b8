# tilewright: dialect 0.27
"""Instructions of 0.27, right and wrong ones, as a reader of the documents writes them."""
from __future__ import annotations

from typing import TypeVar

from tvm.backend.cuda.tile_primitive.tma_utils import SwizzleMode, mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.alloc_pool import SMEMPool
from tvm.tirx.lang.pipeline import MBarrier, Pipeline, PipelineState, TCGen05Bar, TMABar
from tvm.tirx.layout import ComposeLayout, S, TileLayout

KIND = "global"
WORDS = {"wide": "v4", "one": ""}


def _k(body, dtype="uint32", local="uint32"):
    @T.prim_func
    def k(A: T.Buffer((64,), dtype)):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([32])
        s = T.alloc_shared([64], dtype, align=128)
        bar = T.alloc_shared([2], "uint64")
        r = T.alloc_local([8], local)
        x: T.uint32
        f: T.float32
        x = T.uint32(0)
        f = T.float32(0)
        body(A, s, bar, r, x, f, tx)
        A[tx] = T.Cast(dtype, x)

    return k


def load_by_chain():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.ld.global_.u32(r[0], A.ptr_to([t])))


def load_by_subscript():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], A.ptr_to([t])))


def load_by_computed_name():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx[f"ld.{KIND}.u32"](r[0], A.ptr_to([t])))


def load_by_getattr():
    return _k(lambda A, s, bar, r, x, f, t: getattr(T.ptx.ld, "global_").u32(r[0], A.ptr_to([t])))


def load_mixed_chain_and_subscript():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.ld["global.v4.u32"](r[0], r[1], r[2], r[3], A.ptr_to([0])))


def load_words_out_of_order():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.u32.global"](r[0], A.ptr_to([t])))


def load_without_type():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global"](r[0], A.ptr_to([t])))


def load_two_types():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32.s32"](r[0], A.ptr_to([t])))


def load_word_that_is_none():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.fast.u32"](r[0], A.ptr_to([t])))


def load_into_float():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](f, A.ptr_to([t])))


def load_into_value():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](A[t] + 1, A.ptr_to([t])))


def load_into_sink():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.v4.u32"](r[0], T.ptx.SINK, T.ptx.SINK, r[1], A.ptr_to([0])))


def load_all_sinks():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](T.ptx.SINK, A.ptr_to([0])))


def load_too_few():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.v4.u32"](r[0], r[1], A.ptr_to([0])))


def load_with_offset():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], T.ptx.addr(A.ptr_to([t]), 16)))


def load_with_running_offset():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], T.ptx.addr(A.ptr_to([0]), t * 4)))


def load_predicated():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], A.ptr_to([t]), pred=t < 3))


def load_predicated_kept():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], A.ptr_to([t]), pred=t < 3, preserve_dst=True))


def load_kept_alone():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], A.ptr_to([t]), preserve_dst=True))


def load_predicate_that_is_a_number():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.u32"](r[0], A.ptr_to([t]), pred=1))


def shared_by_number():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.shared.u32"](r[0], T.cuda.cvta_generic_to_shared(s.ptr_to([0]))))


def shared_by_a_wide_number():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.shared.u32"](r[0], T.uint64(0)))


def mbarrier_old_spelling():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.mbarrier.init(bar.ptr_to([0]), 1))


def mbarrier_new_spelling():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1))


def mbarrier_arrive_with_count():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.mbarrier.arrive.shared.b64(bar.ptr_to([0]), 2))


def mbarrier_expect_float():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 2.5))


def mbarrier_double_underscore():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.mbarrier.arrive.release.cluster.shared__cluster.b64(bar.ptr_to([0])))


def fence_of_keyword():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.fence.proxy.async_.shared__cta())


def fence_scope_first():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.fence.gpu.acq_rel())


def fence_without_scope():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.fence.acq_rel())


def wait_by_cuda():
    return _k(lambda A, s, bar, r, x, f, t: T.cuda.mbarrier_wait(bar.ptr_to([0]), 0))


def elect_by_ptx():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.elect_sync())


def elect_by_instruction():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.elect_sync(r[0], r[1], T.uint32(0xFFFFFFFF)))


def shuffle_instruction():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.shfl_sync.bfly.b32(r[0], r[1], T.uint32(1), T.uint32(31), T.uint32(0xFFFFFFFF)))


def shuffle_dotted():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["shfl.sync.bfly.b32"](r[0], r[1], T.uint32(1), T.uint32(31), T.uint32(0xFFFFFFFF)))


def vote_predicate():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.vote_sync.ballot.b32(r[0], T.ptx.pred(r[1]), T.uint32(0xFFFFFFFF)))


def vote_without_mark():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.vote_sync.ballot.b32(r[0], r[1], T.uint32(0xFFFFFFFF)))


def vote_of_bool():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.vote_sync.ballot.b32(r[0], t < 4, T.uint32(0xFFFFFFFF)))


def async_store_folded():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.st_async.shared__cluster.mbarrier__complete_tx__bytes.u32(s.ptr_to([0]), r[0], bar.ptr_to([0])))


def async_store_dotted():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["st.async.shared::cluster.mbarrier::complete_tx::bytes.u32"](s.ptr_to([0]), r[0], bar.ptr_to([0])))


def max_of_three():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.max.f32(f, f, f, T.float32(1)))


def exp2_by_value():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.exp2(f))


def exp2_instruction():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.ex2.approx.ftz.f32(f, f))


def pack_f32x2():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.add.rn.f32x2(r[0], r[1], r[2]), local="uint64")


def pack_f32x2_of_words():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.add.rn.f32x2(r[0], r[1], r[2]))


def half_in_a_float16():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.add.f16(r[0], r[1], r[2]), local="float16")


def half_in_a_word():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.add.f16(r[0], r[1], r[2]), local="uint16")


def lop3_open_immediate():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.lop3.b32(r[0], r[1], r[2], r[3], 0x96))


def lop3_immediate_too_big():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.lop3.b32(r[0], r[1], r[2], r[3], 300))


def register_count():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.setmaxnreg.inc.sync.aligned.u32(240))


def register_count_odd():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.setmaxnreg.inc.sync.aligned.u32(241))


def register_count_by_value():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.setmaxnreg.inc.sync.aligned.u32(r[0]))


def sreg_by_cuda():
    return _k(lambda A, s, bar, r, x, f, t: T.buffer_store(A, T.cuda.mov_sreg(32, "laneid"), [t]))


def register_by_old_name():
    return _k(lambda A, s, bar, r, x, f, t: T.buffer_store(A, T.ptx.fetch_register(32, "laneid"), [t]))


def family_that_is_none():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.frobnicate.u32(r[0]))


def shift_that_went():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.tcgen05.shift(T.uint32(0)))


def masked_store():
    return _k(lambda A, s, bar, r, x, f, t: T.masked_store(A, T.uint32(1), [t], t < 4))


def masked_load():
    return _k(lambda A, s, bar, r, x, f, t: T.buffer_store(A, T.masked_load(A, [t], t < 4), [t]))


def fdividef():
    return _k(lambda A, s, bar, r, x, f, t: T.buffer_store(A, T.cuda.fdividef(f, T.float32(3)), [t]), dtype="float32")


def legacy_ldmatrix():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx_legacy.ldmatrix(False, 1, ".b16", r.ptr_to([0]), 0, s.ptr_to([0]), 0))


def ldmatrix_old_order():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.ldmatrix(False, 1, ".b16", s.ptr_to([0]), r.ptr_to([0])))


def ldmatrix_words():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(r[0], r[1], s.ptr_to([0])))


def starred_operands():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.v4.u32"](*[r[i] for i in range(4)], A.ptr_to([0])))


def list_operand():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx["ld.global.v4.u32"]([r[i] for i in range(4)], A.ptr_to([0])))


def atom_returns():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.atom.global_.add.u32(r[0], A.ptr_to([0]), T.uint32(1)))


def atom_by_value():
    return _k(lambda A, s, bar, r, x, f, t: T.buffer_store(A, T.ptx.atom.global_.add.u32(A.ptr_to([0]), T.uint32(1)), [t]))


def red_relaxed_needs_scope():
    return _k(lambda A, s, bar, r, x, f, t: T.ptx.red.relaxed.global_.add.u32(A.ptr_to([0]), T.uint32(1)))
