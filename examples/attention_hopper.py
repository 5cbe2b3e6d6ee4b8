# tilewright: arch sm_90a
"""Attention for Hopper, written with tile primitives: O = softmax(Q K^T / sqrt(D)) V, for each head.

A CTA has 128 queries, 64 for each of two warpgroups, and walks over the keys, 128 at a time; a third warpgroup loads
keys and values ahead by TMA. The scores never leave registers: a product leaves them where the next one takes its left
operand from, so they become weights in place. A row lies in four neighbouring lanes. The softmax is computed as one
goes: when a larger score appears, what has been added up so far shrinks by what the largest one has grown.
"""
import math

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState, TMABar
from tvm.tirx.lang.warp_role import WarpgroupRole
from tvm.tirx.layout import S, TileLayout, wgmma_accumulator_layout, wgmma_operand_layout

QUERIES, KEYS, STAGES = 64, 128, 2  # of a warpgroup, of a step
ALL_LANES = 0xFFFFFFFF


def of_lane(value, distance):
    """The value that the lane so far away has."""
    return T.tvm_warp_shuffle_xor(ALL_LANES, value, distance, 32, 32)


@T.inline
def reduce_quad(values, row, combine):
    """Combines a row's values of its four lanes."""
    values[row] = combine(values[row], of_lane(values[row], 1))
    values[row] = combine(values[row], of_lane(values[row], 2))


@T.inline
def load(ring, slot, tiles, source):
    """Fills a slot of the ring with a tile once its readers have given it back."""
    ring.empty.wait(slot.stage, slot.phase)
    ring.full.arrive(slot.stage, KEYS * tiles.shape[2] * 2)
    Tx.copy_async(tiles[slot.stage], source, dispatch="tma", mbar=ring.full.ptr_to([slot.stage]))


# tilewright: run attention(1, 512, 64) reference=plain(...) atol=1e-3
def attention(heads, length, D):
    scale = math.log2(math.e) / math.sqrt(D)

    def rows_of_thread(fragment, columns):
        """A thread's two rows of a tile in registers, and in each its share of the columns."""
        return fragment.local(2, columns // 4, layout=TileLayout(S[(2, columns // 8, 2) : (2, 4, 1)]))

    @T.prim_func
    def kernel(Q_ptr: T.handle, K_ptr: T.handle, V_ptr: T.handle, O_ptr: T.handle):
        Q = T.match_buffer(Q_ptr, (heads, length, D), "float16")
        K = T.match_buffer(K_ptr, (heads, length, D), "float16")
        V = T.match_buffer(V_ptr, (heads, length, D), "float16")
        O = T.match_buffer(O_ptr, (heads, length, D), "float16")
        T.device_entry()
        block, head = T.cta_id([length // (2 * QUERIES), heads])
        wg = T.warpgroup_id([3])
        warp = T.warp_id_in_wg([4])
        tid = T.thread_id_in_wg([128])
        pool = T.SMEMPool()
        q_tiles = pool.alloc_mma((2, QUERIES, D), "float16")
        k_tiles = pool.alloc_mma((STAGES, KEYS, D), "float16")
        v_tiles = pool.alloc_mma((STAGES, KEYS, D), "float16")
        q_full = TMABar(pool, 1)
        q_full.init(1)
        k_ring = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
        v_ring = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()

        with WarpgroupRole(wg, 2, regs=40):
            if warp == 0:
                if T.ptx.elect_sync():
                    q_full.arrive(0, 2 * QUERIES * D * 2)
                    for i in T.unroll(2):
                        first = T.meta_var(block * 2 * QUERIES + i * QUERIES)
                        Tx.copy_async(
                            q_tiles[i], Q[head, first : first + QUERIES, :], dispatch="tma", mbar=q_full.ptr_to([0])
                        )
                    fill = PipelineState(STAGES, phase=1)
                    for step in T.serial(length // KEYS):
                        first = T.meta_var(step * KEYS)
                        load(k_ring, fill, k_tiles, K[head, first : first + KEYS, :])
                        load(v_ring, fill, v_tiles, V[head, first : first + KEYS, :])
                        fill.advance()

        with WarpgroupRole(wg, (0, 2), regs=232, increase=True):
            scores = T.alloc_buffer((QUERIES, KEYS), "float32", scope="local", layout=wgmma_accumulator_layout(KEYS))
            weights = T.alloc_buffer(
                (QUERIES, KEYS), "float16", scope="local", layout=wgmma_operand_layout(KEYS, "float16")
            )
            out = T.alloc_buffer((QUERIES, D), "float32", scope="local", layout=wgmma_accumulator_layout(D))
            rounded = T.alloc_buffer((QUERIES, D), "float16", scope="local", layout=wgmma_accumulator_layout(D))
            my_scores = rows_of_thread(scores, KEYS)
            my_out = rows_of_thread(out, D)
            largest = T.alloc_local((2,), "float32")
            before = T.alloc_local((2,), "float32")
            total = T.alloc_local((2,), "float32")
            part = T.alloc_local((2,), "float32")
            Tx.fill(largest, T.float32("-inf"))
            Tx.fill(total, 0.0)
            Tx.fill(my_out, 0.0)
            q_full.wait(0, 0)
            use = PipelineState(STAGES, phase=0)
            for step in T.serial(length // KEYS):
                k_ring.full.wait(use.stage, use.phase)
                Tx.wg.gemm_async(scores, q_tiles[wg], k_tiles[use.stage])
                T.ptx.wgmma.commit_group()
                T.ptx.wgmma.wait_group(0)
                if tid == 0:
                    k_ring.empty.arrive(use.stage)
                for row in T.unroll(2):
                    before[row] = largest[row]
                    Tx.max(largest[row : row + 1], my_scores[row, :], accum=True)
                    reduce_quad(largest, row, T.max)
                    # exp(x - largest) as a power of two.
                    Tx.fma(my_scores[row, :], my_scores[row, :], T.float32(scale), -largest[row] * T.float32(scale))
                    Tx.exp2(my_scores[row, :], my_scores[row, :])
                    Tx.sum(part[row : row + 1], my_scores[row, :])
                    before[row] = T.exp2((before[row] - largest[row]) * T.float32(scale))
                    total[row] = total[row] * before[row] + part[row]
                    Tx.mul(my_out[row, :], my_out[row, :], before[row])
                Tx.wg.cast(weights, scores)
                v_ring.full.wait(use.stage, use.phase)
                Tx.wg.gemm_async(out, weights, v_tiles[use.stage], transB=True, accum=True)
                T.ptx.wgmma.commit_group()
                T.ptx.wgmma.wait_group(0)
                if tid == 0:
                    v_ring.empty.arrive(use.stage)
                use.advance()
            for row in T.unroll(2):
                reduce_quad(total, row, lambda a, b: a + b)
                Tx.mul(my_out[row, :], my_out[row, :], T.float32(1) / total[row])
            Tx.wg.cast(rounded, out)
            # These queries are not read any more.
            Tx.wg.copy(q_tiles[wg], rounded)
            T.ptx.fence.proxy_async("shared::cta")
            T.cuda.warpgroup_sync(1 + wg)
            if tid == 0:
                first = T.meta_var(block * 2 * QUERIES + wg * QUERIES)
                Tx.copy_async(O[head, first : first + QUERIES, :], q_tiles[wg], dispatch="tma")
                T.ptx.cp_async.bulk.commit_group()
                T.ptx.cp_async.bulk.wait_group(0)

    return kernel


def plain(heads, length, D):
    """What `run` expects: a thread for each query."""

    @T.prim_func
    def expected(Q_ptr: T.handle, K_ptr: T.handle, V_ptr: T.handle, O_ptr: T.handle):
        Q = T.match_buffer(Q_ptr, (heads, length, D), "float16")
        K = T.match_buffer(K_ptr, (heads, length, D), "float16")
        V = T.match_buffer(V_ptr, (heads, length, D), "float16")
        O = T.match_buffer(O_ptr, (heads, length, D), "float16")
        T.device_entry()
        head, block = T.cta_id([heads, length // 32])
        query: T.let = block * 32 + T.thread_id([32])
        scores = T.alloc_local((length,), "float32")
        largest: T.float32 = T.float32("-inf")
        for k in T.serial(length):
            scores[k] = 0.0
            for d in T.serial(D):
                scores[k] = scores[k] + T.cast(Q[head, query, d], "float32") * T.cast(K[head, k, d], "float32")
            largest = T.max(largest, scores[k])
        total: T.float32 = T.float32(0)
        for k in T.serial(length):
            scores[k] = T.exp((scores[k] - largest) / T.float32(math.sqrt(D)))
            total = total + scores[k]
        for d in T.serial(D):
            sum: T.float32 = T.float32(0)
            for k in T.serial(length):
                sum = sum + scores[k] * T.cast(V[head, k, d], "float32")
            O[head, query, d] = T.cast(sum / total, "float16")

    return expected


def reference(Q, K, V):
    import numpy

    scores = Q.astype("float32") @ K.astype("float32").transpose(0, 2, 1) / math.sqrt(Q.shape[-1])
    weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return {"O": (weights @ V.astype("float32")).astype("float16")}
