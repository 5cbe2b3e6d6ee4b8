#include "compiler/script/releases.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/intrinsics/spellings.h"
#include "compiler/ir/primitive.h"

namespace tilewright::script {
namespace {

using enum text::Dialect;

constexpr Change renamed(text::Dialect release, std::string_view was, std::string_view is) {
  return {release, Change::Kind::Renamed, was, is};
}
constexpr Change replaced(text::Dialect release, std::string_view was, std::string_view is) {
  return {release, Change::Kind::Replaced, was, is};
}
constexpr Change beside(text::Dialect release, std::string_view like, std::string_view is) {
  return {release, Change::Kind::Beside, like, is};
}
constexpr Change added(text::Dialect release, std::string_view is) { return {release, Change::Kind::Added, {}, is}; }
constexpr Change dropped(text::Dialect release, std::string_view was) {
  return {release, Change::Kind::Dropped, was, {}};
}

constexpr Change kChanges[] = {
    // ---- 0.26: helpers, layouts and views
    dropped(V0_26, "T.SizeVar"),
    replaced(V0_26, "T.SwizzleLayout", "T.ComposeLayout"),
    dropped(V0_26, "T.TMEMStages"),
    dropped(V0_26, "lang.TMEMStages"),
    dropped(V0_26, "buffer.axis_separators"),
    replaced(V0_26, "T.ret", "T.Return"),
    added(V0_26, "T.Optional"),
    added(V0_26, "Tx.log2"),
    replaced(V0_26, "layout.SwizzleLayout", "layout.ComposeLayout"),
    added(V0_26, "layout.tmem_mma_operand_layout"),
    renamed(V0_26, "layout.tma_shared_layout", "layout.mma_shared_layout"),
    renamed(V0_26, "layout.tma_atom_layout", "layout.mma_atom_layout"),
    renamed(V0_26, "layout.tma_atom_shape", "layout.mma_atom_shape"),
    added(V0_26, "buffer.rearrange"),
    added(V0_26, "buffer.sub"),
    added(V0_26, "buffer.tile"),
    added(V0_26, "buffer.chunk"),
    added(V0_26, "Layout.group_many"),
    renamed(V0_26, "T.SMEMPool.alloc_mma", "T.SMEMPool.alloc_tcgen05_mma_AB"),
    beside(V0_26, "T.TMEMPool.alloc", "T.TMEMPool.alloc_tcgen05_mma_A"),
    beside(V0_26, "T.TMEMPool.alloc", "T.TMEMPool.alloc_tcgen05_mma_C"),
    beside(V0_26, "T.TMEMPool.alloc", "T.TMEMPool.alloc_tcgen05_mma_D"),
    // 0.26: instructions
    replaced(V0_26, "T.ptx.cp_async.bulk.tensor.g2c", "T.ptx.cp_async.bulk.tensor.g2s_cluster"),
    replaced(V0_26, "T.ptx.cp_async.bulk.tensor.g2c_bar_addr", "T.ptx.cp_async.bulk.tensor.g2s_cluster"),
    replaced(V0_26, "T.ptx.cp_async.bulk.tensor.g2c_tile_gather4", "T.ptx.cp_async.bulk.tensor.g2s_cluster"),
    replaced(V0_26, "T.ptx.cp_async.bulk.tensor.g2c_tile_gather4_bar_addr", "T.ptx.cp_async.bulk.tensor.g2s_cluster"),
    replaced(V0_26, "T.ptx.cp_async.bulk.tensor.g2c_prefetch", "T.ptx.cp_async.bulk.tensor.prefetch"),
    dropped(V0_26, "T.ptx.mbarrier.arrive.cluster_count"),
    added(V0_26, "T.ptx.mbarrier.arrive.no_complete"),
    added(V0_26, "T.ptx.cp_async.mbarrier.arrive.noinc"),
    added(V0_26, "T.ptx.cvt"),
    beside(V0_26, "T.ptx.ld", "T.ptx.ld_global_nc"),
    beside(V0_26, "T.ptx.ld", "T.ptx.ld_mmio"),
    beside(V0_26, "T.ptx.ld", "T.ptx.ld_relaxed"),
    beside(V0_26, "T.ptx.st", "T.ptx.st_mmio"),
    beside(V0_26, "T.ptx.st", "T.ptx.st_relaxed"),
    beside(V0_26, "T.ptx.st", "T.ptx.st_release"),
    beside(V0_26, "T.ptx.st", "T.ptx.st_volatile"),
    dropped(V0_26, "T.cuda.copy_bytes"),
    replaced(V0_26, "T.cuda.copy_128b", "T.ptx.ld"),
    replaced(V0_26, "T.cuda.copy_64b", "T.ptx.ld"),
    replaced(V0_26, "T.cuda.copy_32b", "T.ptx.ld"),
    replaced(V0_26, "T.cuda.copy_16b", "T.ptx.ld"),
    replaced(V0_26, "T.cuda.copy_8b", "T.ptx.ld"),
    replaced(V0_26, "T.cuda.sm100_tma_2sm_mbarrier_addr", "T.cuda.sm100_2sm_leader_smem_addr"),
    added(V0_26, "T.cuda.fdividef"),
    added(V0_26, "T.cuda.iket.mark"),
    added(V0_26, "T.cuda.iket.official_event"),
    added(V0_26, "T.cuda.iket.range_end"),
    added(V0_26, "T.cuda.iket.range_pop"),
    added(V0_26, "T.cuda.iket.range_push"),
    added(V0_26, "T.cuda.iket.range_start"),
    added(V0_26, "T.cuda.iket.sentinel_token"),

    // ---- 0.27: `T`
    dropped(V0_27, "T.ProducerLoad"),
    dropped(V0_27, "T.StringImm"),
    dropped(V0_27, "Tx.compose_op"),
    beside(V0_27, "T.BufferLoad", "T.masked_load"),
    beside(V0_27, "T.buffer_store", "T.masked_store"),
    beside(V0_27, "T.call_packed", "T.tensormap_encode_tiled"),
    added(V0_27, "T.call_ffi_kernel"),
    beside(V0_27, "T.bitwise_and", "T.BitwiseAnd"),
    beside(V0_27, "T.bitwise_or", "T.BitwiseOr"),
    beside(V0_27, "T.bitwise_xor", "T.BitwiseXor"),
    beside(V0_27, "T.bitwise_not", "T.BitwiseNot"),
    beside(V0_27, "T.shift_left", "T.LShift"),
    beside(V0_27, "T.shift_right", "T.RShift"),
    added(V0_27, "T.Tuple"),
    added(V0_27, "T.cuda.wait_until"),
    // 0.27: an instruction is spelled with its modifiers
    replaced(V0_27, "T.ptx.mbarrier.init", "T.ptx.mbarrier.init.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.arrive", "T.ptx.mbarrier.arrive.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.arrive", "T.ptx.mbarrier.arrive.shared__cluster.b64"),
    replaced(V0_27, "T.ptx.mbarrier.arrive.expect_tx", "T.ptx.mbarrier.arrive.expect_tx.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.try_wait_once", "T.ptx.mbarrier.try_wait.parity"),
    replaced(V0_27, "T.ptx.mbarrier_test_wait_parity", "T.ptx.mbarrier.test_wait.parity.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.complete_tx", "T.ptx.mbarrier.complete_tx.relaxed.cluster.shared__cluster.b64"),
    replaced(V0_27, "T.ptx.map_shared_rank", "T.ptx.mapa.u64"),
    replaced(V0_27, "T.ptx.mapa", "T.ptx.mapa.shared__cluster.u32"),
    replaced(V0_27, "T.ptx.any_sync", "T.ptx.vote_sync.any.pred"),
    replaced(V0_27, "T.ptx.fence.proxy_async", "T.ptx.fence.proxy.async_"),
    replaced(V0_27, "T.ptx.fence.mbarrier_init", "T.ptx.fence.mbarrier_init.release.cluster"),
    replaced(V0_27, "T.ptx.setmaxnreg", "T.ptx.setmaxnreg.inc.sync.aligned.u32"),
    replaced(V0_27, "T.ptx.setmaxnreg", "T.ptx.setmaxnreg.dec.sync.aligned.u32"),
    replaced(V0_27, "T.ptx.barrier.sync", "T.ptx.barrier.sync.aligned"),
    replaced(V0_27, "T.ptx.barrier.cluster.arrive", "T.ptx.barrier.cluster.arrive.release.aligned"),
    replaced(V0_27, "T.ptx.barrier.cluster.arrive", "T.ptx.barrier.cluster.arrive.relaxed.aligned"),
    replaced(V0_27, "T.ptx.barrier.cluster.wait", "T.ptx.barrier.cluster.wait.acquire.aligned"),
    replaced(V0_27, "T.ptx.tcgen05.alloc", "T.ptx.tcgen05.alloc.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.alloc", "T.ptx.tcgen05.alloc.cta_group__2"),
    replaced(V0_27, "T.ptx.tcgen05.dealloc", "T.ptx.tcgen05.dealloc.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.dealloc", "T.ptx.tcgen05.dealloc.cta_group__2"),
    replaced(V0_27, "T.ptx.tcgen05.relinquish_alloc_permit", "T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.relinquish_alloc_permit", "T.ptx.tcgen05.relinquish_alloc_permit.cta_group__2"),
    replaced(V0_27, "T.ptx.tcgen05.ld", "T.ptx.tcgen05.ld.sync.aligned"),
    replaced(V0_27, "T.ptx.tcgen05.st", "T.ptx.tcgen05.st.sync.aligned"),
    replaced(V0_27, "T.ptx.tcgen05.wait.ld", "T.ptx.tcgen05.wait__ld.sync.aligned"),
    replaced(V0_27, "T.ptx.tcgen05.wait.st", "T.ptx.tcgen05.wait__st.sync.aligned"),
    replaced(V0_27, "T.ptx.tcgen05.fence.after_thread_sync", "T.ptx.tcgen05.fence__after_thread_sync"),
    replaced(V0_27, "T.ptx.tcgen05.fence.before_thread_sync", "T.ptx.tcgen05.fence__before_thread_sync"),
    replaced(V0_27, "T.ptx.tcgen05.mma", "T.ptx.tcgen05.mma.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.mma", "T.ptx.tcgen05.mma.cta_group__2"),
    replaced(V0_27, "T.ptx.tcgen05.cp", "T.ptx.tcgen05.cp.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.cp", "T.ptx.tcgen05.cp.cta_group__2"),
    replaced(V0_27, "T.ptx.tcgen05.commit", "T.ptx.tcgen05.commit.cta_group__1"),
    replaced(V0_27, "T.ptx.tcgen05.commit", "T.ptx.tcgen05.commit.cta_group__2"),
    dropped(V0_27, "T.ptx.tcgen05.shift"),
    replaced(V0_27, "T.ptx.cp_async", "T.ptx.cp.async_.cg"),
    replaced(V0_27, "T.ptx.cp_async", "T.ptx.cp.async_.ca"),
    replaced(V0_27, "T.ptx.cp_async.commit_group", "T.ptx.cp.async_.commit_group"),
    replaced(V0_27, "T.ptx.cp_async.wait_group", "T.ptx.cp.async_.wait_group"),
    replaced(V0_27, "T.ptx.cp_async.bulk.tensor.g2s_cluster", "T.ptx.cp.async_.bulk.tensor"),
    replaced(V0_27, "T.ptx.cp_async.bulk.tensor.s2g_reduce", "T.ptx.cp.reduce.async_.bulk.tensor"),
    replaced(V0_27, "T.ptx.cp_async.bulk.commit_group", "T.ptx.cp.async_.bulk.commit_group"),
    replaced(V0_27, "T.ptx.cp_async.bulk.wait_group", "T.ptx.cp.async_.bulk.wait_group"),
    replaced(V0_27, "T.ptx.prefetch_tensormap", "T.ptx.prefetch.tensormap"),
    replaced(V0_27, "T.ptx.exp2", "T.ptx.ex2"),
    replaced(V0_27, "T.ptx.rcp", "T.ptx.rcp.approx.ftz.f32"),
    replaced(V0_27, "T.ptx.add_f32x2", "T.ptx.add.rn.f32x2"),
    replaced(V0_27, "T.ptx.mul_f32x2", "T.ptx.mul.rn.f32x2"),
    replaced(V0_27, "T.ptx.fma_f32x2", "T.ptx.fma.rn.f32x2"),
    replaced(V0_27, "T.ptx.sub_f32x2", "T.ptx.sub.rn.f32x2"),
    replaced(V0_27, "T.ptx.reduce3_max_f32", "T.ptx.max.f32"),
    replaced(V0_27, "T.ptx.reduce3_min_f32", "T.ptx.min.f32"),
    replaced(V0_27, "T.ptx.add_rn_f32_bf16", "T.ptx.add.rn.f32.bf16"),
    replaced(V0_27, "T.ptx.ld_acquire", "T.ptx.ld.acquire"),
    replaced(V0_27, "T.ptx.ld_volatile", "T.ptx.ld.volatile"),
    replaced(V0_27, "T.ptx.ld", "T.ptx.ld.global_"),
    replaced(V0_27, "T.ptx.ld", "T.ptx.ld.shared"),
    replaced(V0_27, "T.ptx.st", "T.ptx.st.global_"),
    replaced(V0_27, "T.ptx.st", "T.ptx.st.shared"),
    replaced(V0_27, "T.ptx.atom_scalar", "T.ptx.atom"),
    replaced(V0_27, "T.ptx.red_scalar", "T.ptx.red"),
    replaced(V0_27, "T.ptx.fns_b32", "T.ptx.fns.b32"),
    replaced(V0_27, "T.ptx.ldmatrix", "T.ptx.ldmatrix.sync.aligned"),
    replaced(V0_27, "T.ptx.stmatrix", "T.ptx.stmatrix.sync.aligned"),
    replaced(V0_27, "T.ptx.mma", "T.ptx.mma.sync.aligned"),
    replaced(V0_27, "T.ptx.add_f32", "T.ptx.add"),
    replaced(V0_27, "T.ptx.add_f64", "T.ptx.add"),
    replaced(V0_27, "T.ptx.mul_f32", "T.ptx.mul"),
    replaced(V0_27, "T.ptx.mul_f64", "T.ptx.mul"),
    replaced(V0_27, "T.ptx.sub_f32", "T.ptx.sub"),
    replaced(V0_27, "T.ptx.sub_f64", "T.ptx.sub"),
    replaced(V0_27, "T.ptx.fma_f32", "T.ptx.fma"),
    replaced(V0_27, "T.ptx.fma_f64", "T.ptx.fma"),
    replaced(V0_27, "T.ptx.max_f32", "T.ptx.max"),
    replaced(V0_27, "T.ptx.barrier.arrive", "T.ptx.barrier.arrive.aligned"),
    replaced(V0_27, "T.ptx.clc_query_cancel", "T.ptx.clusterlaunchcontrol.query_cancel"),
    replaced(V0_27, "T.ptx.clc_try_cancel", "T.ptx.clusterlaunchcontrol.try_cancel"),
    replaced(V0_27, "T.ptx.cp_async.mbarrier.arrive", "T.ptx.cp.async_.mbarrier.arrive.shared.b64"),
    replaced(V0_27, "T.ptx.cp_async.mbarrier.arrive.noinc", "T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64"),
    replaced(V0_27, "T.ptx.cp_async.wait_all", "T.ptx.cp.async_.wait_all"),
    replaced(V0_27, "T.ptx.cp_async_bulk_g2s_cta", "T.ptx.cp.async_.bulk.shared__cta.global_"),
    replaced(V0_27, "T.ptx.cp_async_bulk_g2s_cluster", "T.ptx.cp.async_.bulk.shared__cluster.global_"),
    replaced(V0_27, "T.ptx.cp_async_bulk_prefetch", "T.ptx.cp.async_.bulk.prefetch"),
    replaced(V0_27, "T.ptx.cp_async_bulk_s2g", "T.ptx.cp.async_.bulk.global_.shared__cta"),
    replaced(V0_27, "T.ptx.cp_async_bulk_s2g_reduce", "T.ptx.cp.reduce.async_.bulk.global_.shared__cta"),
    replaced(V0_27, "T.ptx.cp_async_bulk_s2s_cluster", "T.ptx.cp.async_.bulk.shared__cluster.shared__cta"),
    replaced(V0_27, "T.ptx.cp_async_bulk_s2s_reduce", "T.ptx.cp.reduce.async_.bulk.shared__cluster.shared__cta"),
    replaced(V0_27, "T.ptx.fence.proxy_alias", "T.ptx.fence.proxy.alias"),
    replaced(V0_27, "T.ptx.fence.proxy_tensormap_acquire", "T.ptx.fence.proxy.tensormap__generic.acquire"),
    replaced(V0_27, "T.ptx.fence.proxy_tensormap_release", "T.ptx.fence.proxy.tensormap__generic.release"),
    replaced(V0_27, "T.ptx.ld_global_acquire", "T.ptx.ld.acquire"),
    replaced(V0_27, "T.ptx.ld_global_nc", "T.ptx.ld.global_.nc"),
    replaced(V0_27, "T.ptx.ld_mmio", "T.ptx.ld.mmio"),
    replaced(V0_27, "T.ptx.ld_relaxed", "T.ptx.ld.relaxed"),
    replaced(V0_27, "T.ptx.st_mmio", "T.ptx.st.mmio"),
    replaced(V0_27, "T.ptx.st_relaxed", "T.ptx.st.relaxed"),
    replaced(V0_27, "T.ptx.st_release", "T.ptx.st.release"),
    replaced(V0_27, "T.ptx.st_volatile", "T.ptx.st.volatile"),
    replaced(V0_27, "T.ptx.mbarrier.arrive.no_complete", "T.ptx.mbarrier.arrive.noComplete"),
    replaced(V0_27, "T.ptx.mbarrier.arrive_expect_tx_cluster", "T.ptx.mbarrier.arrive.expect_tx.release.cluster"),
    replaced(V0_27, "T.ptx.mbarrier.arrive_expect_tx_remote", "T.ptx.mbarrier.arrive.expect_tx.shared__cluster.b64"),
    replaced(V0_27, "T.ptx.mbarrier.arrive_remote", "T.ptx.mbarrier.arrive.shared__cluster.b64"),
    replaced(V0_27, "T.ptx.mbarrier.arrive_state", "T.ptx.mbarrier.arrive.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.inval", "T.ptx.mbarrier.inval.shared.b64"),
    replaced(V0_27, "T.ptx.mbarrier.test_wait_state", "T.ptx.mbarrier.test_wait.shared__cta.b64"),
    replaced(V0_27, "T.ptx.mbarrier.try_wait_state", "T.ptx.mbarrier.try_wait.shared__cta.b64"),
    replaced(V0_27, "T.ptx.mbarrier.try_wait_parity", "T.ptx.mbarrier.try_wait.parity"),
    replaced(V0_27, "T.ptx.prefetch_l2", "T.ptx.prefetch.L2"),
    replaced(V0_27, "T.ptx.tensormap.cp_fenceproxy", "T.ptx.tensormap_cp_fenceproxy"),
    replaced(V0_27, "T.ptx.tensormap.replace", "T.ptx.tensormap_replace"),
    replaced(V0_27, "T.ptx.wgmma.fence", "T.ptx.wgmma.fence.sync.aligned"),
    replaced(V0_27, "T.ptx.wgmma.commit_group", "T.ptx.wgmma.commit_group.sync.aligned"),
    replaced(V0_27, "T.ptx.wgmma.wait_group", "T.ptx.wgmma.wait_group.sync.aligned"),
    replaced(V0_27, "T.ptx.wgmma.mma_async.ss", "T.ptx.wgmma.mma_async.sync.aligned"),
    replaced(V0_27, "T.ptx.wgmma.mma_async.rs", "T.ptx.wgmma.mma_async.sync.aligned"),
    // 0.27: what texts that were printed before hold
    replaced(V0_27, "T.ptx.ldmatrix", "T.ptx_legacy.ldmatrix"),
    replaced(V0_27, "T.ptx.mma", "T.ptx_legacy.mma"),
    replaced(V0_27, "T.ptx.ldg32", "T.s_tir.ldg32"),
    replaced(V0_27, "T.ptx.cp_async", "T.s_tir.cp_async_raw"),
    // 0.27: families that no wrapper of before stands for
    added(V0_27, "T.ptx.SINK"),
    added(V0_27, "T.ptx.pred"),
    added(V0_27, "T.ptx.addr"),
    added(V0_27, "T.ptx.abs"),
    added(V0_27, "T.ptx.activemask"),
    added(V0_27, "T.ptx.and_"),
    added(V0_27, "T.ptx.applypriority"),
    added(V0_27, "T.ptx.bfe"),
    added(V0_27, "T.ptx.bfi"),
    added(V0_27, "T.ptx.bfind"),
    added(V0_27, "T.ptx.bmsk"),
    added(V0_27, "T.ptx.brev"),
    added(V0_27, "T.ptx.clmad"),
    added(V0_27, "T.ptx.clusterlaunchcontrol"),
    added(V0_27, "T.ptx.clz"),
    added(V0_27, "T.ptx.cnot"),
    added(V0_27, "T.ptx.copysign"),
    added(V0_27, "T.ptx.cos"),
    added(V0_27, "T.ptx.cvt_pack"),
    added(V0_27, "T.ptx.cvta"),
    added(V0_27, "T.ptx.discard"),
    added(V0_27, "T.ptx.div"),
    added(V0_27, "T.ptx.dp2a"),
    added(V0_27, "T.ptx.dp4a"),
    added(V0_27, "T.ptx.fabric"),
    added(V0_27, "T.ptx.isspacep"),
    added(V0_27, "T.ptx.ldu"),
    added(V0_27, "T.ptx.lg2"),
    added(V0_27, "T.ptx.lop3"),
    added(V0_27, "T.ptx.mad"),
    added(V0_27, "T.ptx.mad24"),
    added(V0_27, "T.ptx.match"),
    added(V0_27, "T.ptx.mov"),
    added(V0_27, "T.ptx.movmatrix"),
    added(V0_27, "T.ptx.mul24"),
    added(V0_27, "T.ptx.multimem_cp"),
    added(V0_27, "T.ptx.multimem_ld_reduce"),
    added(V0_27, "T.ptx.multimem_red"),
    added(V0_27, "T.ptx.multimem_red_async"),
    added(V0_27, "T.ptx.multimem_st"),
    added(V0_27, "T.ptx.multimem_st_async"),
    added(V0_27, "T.ptx.neg"),
    added(V0_27, "T.ptx.not_"),
    added(V0_27, "T.ptx.or_"),
    added(V0_27, "T.ptx.popc"),
    added(V0_27, "T.ptx.prefetchu"),
    added(V0_27, "T.ptx.prmt"),
    added(V0_27, "T.ptx.redux_sync"),
    added(V0_27, "T.ptx.rem"),
    added(V0_27, "T.ptx.rsqrt"),
    added(V0_27, "T.ptx.sad"),
    added(V0_27, "T.ptx.selp"),
    added(V0_27, "T.ptx.set"),
    added(V0_27, "T.ptx.setp"),
    added(V0_27, "T.ptx.shf"),
    added(V0_27, "T.ptx.shfl_sync"),
    added(V0_27, "T.ptx.shl"),
    added(V0_27, "T.ptx.shr"),
    added(V0_27, "T.ptx.sin"),
    added(V0_27, "T.ptx.slct"),
    added(V0_27, "T.ptx.spcompress"),
    added(V0_27, "T.ptx.spdecompress"),
    added(V0_27, "T.ptx.sqrt"),
    added(V0_27, "T.ptx.szext"),
    added(V0_27, "T.ptx.tanh"),
    added(V0_27, "T.ptx.tensormap_cp_fenceproxy"),
    added(V0_27, "T.ptx.tensormap_replace"),
    added(V0_27, "T.ptx.testp"),
    added(V0_27, "T.ptx.xor"),
};

// The written changes, and before those of the same release what the tables of instructions and primitives rename.
struct AllChanges {
  std::vector<Change> list;
  std::deque<std::string> paths;

  AllChanges() {
    for (const intrinsics::Spelling& s : intrinsics::spellings()) {
      rename("T.", *intrinsics::row_of_id(s.id), s.spelling);
    }
    for (const ir::Primitive& row : ir::primitives()) {
      for (const ir::Respelling& r : row.respelled) rename("Tx.", row, r);
    }
    list.insert(list.end(), std::begin(kChanges), std::end(kChanges));
    std::ranges::stable_sort(list, {}, &Change::release);
  }

  void rename(std::string_view space, const auto& row, const ir::Respelling& spelling) {
    const auto earlier = static_cast<text::Dialect>(static_cast<int>(spelling.since) - 1);
    const std::string_view was = row.name_in(earlier);
    if (was.empty() || spelling.name.empty()) return;
    auto path = [&](std::string_view name) -> std::string_view {
      return paths.emplace_back(std::string(space).append(name));
    };
    list.push_back(renamed(spelling.since, path(was), path(spelling.name)));
  }
};

}  // namespace

std::span<const Change> written_changes() {
  static_assert(std::ranges::is_sorted(kChanges, {}, &Change::release));
  return kChanges;
}

std::span<const Change> changes() {
  static const AllChanges all;
  return all.list;
}

}  // namespace tilewright::script
