// What of release 0.26 is spelt otherwise in 0.27: instructions by their PTX words, pools, calls, modules.
#include "compiler/migrate/rules.h"

namespace tilewright::migrate {
namespace {

constexpr std::string_view kLdmatrix =
    "0.27 loads into registers of 32 bits and takes elements, not pointers: let words = T.alloc_local([n], "
    "\"uint32\"), "
    "or a view of the registers as uint32, and write T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"](words[0], "
    "words[1], words[2], words[3], smem), with .x1, .x2 and .trans before .shared where they apply";
constexpr std::string_view kCopy =
    "the spaces of its pointers are not known here: load into registers and store them, as "
    "T.ptx[\"ld.shared.b32\"](word, src) and T.ptx[\"st.global.b32\"](dst, word), with .v2 or .v4 after the space for "
    "8 "
    "and 16 bytes";
constexpr std::string_view kPacked =
    "0.27 takes the element, not its pointer, and it has 64 bits: let pair = T.alloc_local([1], \"uint64\"), or a view "
    "of the floats as uint64, and write T.ptx[\"add.rn.f32x2\"](pair[0], a, b)";

// A copy of so many bytes by pointers, through registers.
constexpr std::string_view kCopy16 =
    "words_128b = T.alloc_local([4], \"uint32\")\nT.ptx[\"ld{space:s}.v4.b32\"](words_128b[0], words_128b[1], "
    "words_128b[2], words_128b[3], s)\nT.ptx[\"st{space:d}.v4.b32\"](d, words_128b[0], words_128b[1], words_128b[2], "
    "words_128b[3])";
constexpr std::string_view kCopy8 =
    "words_64b = T.alloc_local([2], \"uint32\")\nT.ptx[\"ld{space:s}.v2.b32\"](words_64b[0], words_64b[1], "
    "s)\nT.ptx[\"st{space:d}.v2.b32\"](d, words_64b[0], words_64b[1])";
constexpr std::string_view kCopy4 =
    "words_32b = T.alloc_local([1], \"uint32\")\nT.ptx[\"ld{space:s}.b32\"](words_32b[0], "
    "s)\nT.ptx[\"st{space:d}.b32\"](d, words_32b[0])";
constexpr std::string_view kCopy2 =
    "words_16b = T.alloc_local([1], \"uint16\")\nT.ptx[\"ld{space:s}.b16\"](words_16b[0], "
    "s)\nT.ptx[\"st{space:d}.b16\"](d, words_16b[0])";
constexpr std::string_view kCopy1 =
    "words_8b = T.alloc_local([1], \"uint8\")\nT.ptx[\"ld{space:s}.b8\"](words_8b[0], "
    "s)\nT.ptx[\"st{space:d}.b8\"](d, words_8b[0])";

// Two float32 at once: into what a pointer leads to, and as a value.
#define TILEWRIGHT_PACKED(op, operands)                                                                                \
  {"T.ptx." op "_f32x2(d, " operands ", rounding=r, ftz=False)", "T.ptx[\"" op "{.r}.f32x2\"]([64, d], " operands ")", \
   kPacked},                                                                                                           \
      {"x = T.ptx." op "_f32x2(" operands ", rounding=r, ftz=False, dps=False)",                                       \
       "x: T.uint64\nT.ptx[\"" op "{.r}.f32x2\"](x, " operands ")"},                                                   \
      {"T.ptx." op "_f32x2(d, " operands ", rounding=r, ftz=True)",                                                    \
       "T.ptx[\"" op "{.r}.ftz.f32x2\"]([64, d], " operands ")", kPacked},                                             \
      {"x = T.ptx." op "_f32x2(" operands ", rounding=r, ftz=True, dps=False)",                                        \
       "x: T.uint64\nT.ptx[\"" op "{.r}.ftz.f32x2\"](x, " operands ")"}

// Operands of instructions are given in order; the names are ours.
constexpr Rule kRules[] = {
    // barriers in shared memory
    {"T.ptx.mbarrier.init(bar, n)", "T.ptx.mbarrier.init.shared.b64(bar, T.uint32(n))"},
    {"T.ptx.mbarrier.inval(bar)", "T.ptx.mbarrier.inval.shared.b64(bar)"},
    {"T.ptx.mbarrier.arrive(bar)", "T.ptx.mbarrier.arrive.shared.b64(bar, T.uint32(1))"},
    {"x = T.ptx.mbarrier.arrive_state(bar)", "x: T.uint64\nT.ptx.mbarrier.arrive.shared.b64(x, bar)"},
    {"T.ptx.mbarrier.arrive.expect_tx(bar, n)", "T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar, T.uint32(n))"},
    {"T.ptx.mbarrier.arrive_expect_tx_cluster(bar, n)",
     "T.ptx.mbarrier.arrive.expect_tx.release.cluster.shared__cta.b64(bar, T.uint32(n))"},
    {"T.ptx.mbarrier.expect_tx(bar, n)", "T.ptx.mbarrier.expect_tx.relaxed.cta.shared__cta.b64(bar, T.uint32(n))"},
    {"T.ptx.mbarrier.wait(bar, phase, sem=\"acquire\", scope=\"cluster\")",
     "T.cuda.mbarrier_wait_acquire_cluster(bar, phase)"},
    {"T.ptx.mbarrier.wait(bar, phase)", "T.cuda.mbarrier_wait(bar, phase)"},
    {"x = T.ptx.mbarrier.try_wait_once(bar, phase, ticks)",
     "x: T.uint32\nT.ptx.mbarrier.try_wait.parity.shared__cta.b64(x, bar, T.uint32(phase), T.uint32(ticks))"},
    {"x = T.ptx.mbarrier_test_wait_parity(bar, phase)",
     "x: T.uint32\nT.ptx.mbarrier.test_wait.parity.shared__cta.b64(x, bar, T.uint32(phase))"},
    {"x = T.ptx.mbarrier.test_wait_state(bar, state, sem=m, scope=c)",
     "x: T.uint32\nT.ptx[\"mbarrier.test_wait{.m}{.c}.shared::cta.b64\"](x, bar, state)"},
    {"x = T.ptx.mbarrier.try_wait_state(bar, state, ticks=None, sem=m, scope=c)",
     "x: T.uint32\nT.ptx[\"mbarrier.try_wait{.m}{.c}.shared::cta.b64\"](x, bar, state)"},
    {"x = T.ptx.mbarrier.try_wait_state(bar, state, ticks=t, sem=m, scope=c)",
     "x: T.uint32\nT.ptx[\"mbarrier.try_wait{.m}{.c}.shared::cta.b64\"](x, bar, state, T.uint32(t))"},
    {"x = T.ptx.mbarrier.try_wait_parity(bar, phase, sem=m, scope=c, ticks=None)",
     "x: T.uint32\nT.ptx[\"mbarrier.try_wait.parity{.m}{.c}.shared::cta.b64\"](x, bar, T.uint32(phase))"},
    {"x = T.ptx.mbarrier.try_wait_parity(bar, phase, sem=m, scope=c, ticks=t)",
     "x: T.uint32\nT.ptx[\"mbarrier.try_wait.parity{.m}{.c}.shared::cta.b64\"](x, bar, T.uint32(phase), T.uint32(t))"},
    // barriers of threads, fences, registers
    {"T.ptx.bar.sync(id, n)", "T.ptx.bar.sync(T.uint32(id), T.uint32(n))"},
    {"T.ptx.bar.arrive(id, n)", "T.ptx.bar.arrive(T.uint32(id), T.uint32(n))"},
    {"T.ptx.barrier.sync(id, n)", "T.ptx.barrier.sync.aligned(T.uint32(id), T.uint32(n))"},
    {"T.ptx.barrier.arrive(id, n)", "T.ptx.barrier.arrive.aligned(T.uint32(id), T.uint32(n))"},
    {"T.ptx.barrier.cluster.arrive(sem=\"\", aligned=True)", "T.ptx.barrier.cluster.arrive.aligned()"},
    {"T.ptx.barrier.cluster.arrive(sem=\"release\", aligned=True)", "T.ptx.barrier.cluster.arrive.release.aligned()"},
    {"T.ptx.barrier.cluster.arrive(sem=\"relaxed\", aligned=True)", "T.ptx.barrier.cluster.arrive.relaxed.aligned()"},
    {"T.ptx.barrier.cluster.wait(acquire=False, aligned=True)", "T.ptx.barrier.cluster.wait.aligned()"},
    {"T.ptx.barrier.cluster.wait(acquire=True, aligned=True)", "T.ptx.barrier.cluster.wait.acquire.aligned()"},
    {"T.ptx.fence(sem, scope)", "T.ptx[\"fence.{sem}.{scope}\"]()"},
    {"T.ptx.fence.mbarrier_init()", "T.ptx.fence.mbarrier_init.release.cluster()"},
    {"T.ptx.fence.proxy_async(\"\")", "T.ptx.fence.proxy.async_()"},
    {"T.ptx.fence.proxy_async(space)", "T.ptx[\"fence.proxy.async.{space}\"]()"},
    {"T.ptx.fence.proxy_tensormap_release(scope)", "T.ptx[\"fence.proxy.tensormap::generic.release.{scope}\"]()"},
    {"T.ptx.fence.proxy_tensormap_acquire(a, scope=s)", "T.ptx[\"fence.proxy.tensormap::generic.acquire.{s}\"](a)"},
    {"T.ptx.setmaxnreg(True, n)", "T.ptx.setmaxnreg.inc.sync.aligned.u32(n)"},
    {"T.ptx.setmaxnreg(False, n)", "T.ptx.setmaxnreg.dec.sync.aligned.u32(n)"},
    {"x = T.ptx.map_shared_rank(p, rank)", "x: T.uint64\nT.ptx.mapa.u64(x, p, T.uint32(rank))"},
    // copies
    // Of 0.25, and by generic addresses, which 0.26 does not load from.
    {"T.cuda.copy_128b(d, s)", kCopy16, kCopy},
    {"T.cuda.copy_bytes(d, s, 16)", kCopy16, kCopy},
    {"T.cuda.copy_64b(d, s)", kCopy8, kCopy},
    {"T.cuda.copy_bytes(d, s, 8)", kCopy8, kCopy},
    {"T.cuda.copy_32b(d, s)", kCopy4, kCopy},
    {"T.cuda.copy_bytes(d, s, 4)", kCopy4, kCopy},
    {"T.cuda.copy_16b(d, s)", kCopy2, kCopy},
    {"T.cuda.copy_bytes(d, s, 2)", kCopy2, kCopy},
    {"T.cuda.copy_8b(d, s)", kCopy1, kCopy},
    {"T.cuda.copy_bytes(d, s, 1)", kCopy1, kCopy},
    {"T.ptx.cp_async(d, s, 16)", "T.ptx.cp.async_.cg.shared.global_(d, s, 16)"},
    {"T.ptx.cp_async(d, s, 8)", "T.ptx.cp.async_.ca.shared.global_(d, s, 8)"},
    {"T.ptx.cp_async(d, s, 4)", "T.ptx.cp.async_.ca.shared.global_(d, s, 4)"},
    {"T.ptx.cp_async.commit_group()", "T.ptx.cp.async_.commit_group()"},
    {"T.ptx.cp_async.wait_group(n)", "T.ptx.cp.async_.wait_group(n)"},
    {"T.ptx.cp_async.wait_all()", "T.ptx.cp.async_.wait_all()"},
    {"T.ptx.cp_async.mbarrier.arrive(bar)", "T.ptx.cp.async_.mbarrier.arrive.shared.b64(bar)"},
    {"T.ptx.cp_async.mbarrier.arrive.noinc(bar)", "T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(bar)"},
    {"T.ptx.cp_async.bulk.commit_group()", "T.ptx.cp.async_.bulk.commit_group()"},
    {"T.ptx.cp_async.bulk.wait_group(n, True)", "T.ptx.cp.async_.bulk.wait_group.read(n)"},
    {"T.ptx.cp_async.bulk.wait_group(n, False)", "T.ptx.cp.async_.bulk.wait_group(n)"},
    {"T.ptx.cp_async_bulk_g2s_cta(d, s, n, bar)",
     "T.ptx[\"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes\"](d, s, T.uint32(n), bar)"},
    {"T.ptx.cp_async_bulk_g2s_cluster(d, s, n, bar)",
     "T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"](d, s, T.uint32(n), bar)"},
    {"T.ptx.cp_async_bulk_s2g(d, s, n)", "T.ptx[\"cp.async.bulk.global.shared::cta.bulk_group\"](d, s, T.uint32(n))"},
    {"T.ptx.cp_async_bulk_prefetch(s, n)", "T.ptx[\"cp.async.bulk.prefetch.L2.global\"](s, T.uint32(n))"},
    {"T.ptx.cp_async_bulk_s2g_reduce(d, s, n, op=o, dtype=t)",
     "T.ptx[\"cp.reduce.async.bulk.global.shared::cta.bulk_group.{o}.{t}\"](d, s, T.uint32(n))"},
    {"T.ptx.cp_async.bulk.tensor.g2s_cluster(dim, d, bar, map, 0, 1, \"\", *coords)",
     "T.ptx[\"cp.async.bulk.tensor.{dim}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"](d, map, *coords, "
     "bar)"},
    {"T.ptx.cp_async.bulk.tensor.g2s_cta(dim, d, bar, map, 1, \"\", *coords)",
     "T.ptx[\"cp.async.bulk.tensor.{dim}d.shared::cta.global.tile.mbarrier::complete_tx::bytes\"](d, map, *coords, "
     "bar)"},
    {"T.ptx.cp_async.bulk.tensor.s2g(dim, s, map, \"\", *coords)",
     "T.ptx[\"cp.async.bulk.tensor.{dim}d.global.shared::cta.tile.bulk_group\"](map, *coords, s)"},
    {"T.ptx.cp_async.bulk.tensor.s2g_reduce(dim, s, map, \"\", op, *coords)",
     "T.ptx[\"cp.reduce.async.bulk.tensor.{dim}d.global.shared::cta.{op}.tile.bulk_group\"](map, *coords, s)"},
    {"T.ptx.cp_async.bulk.tensor.prefetch(dim, map, \"\", *coords)",
     "T.ptx[\"cp.async.bulk.prefetch.tensor.{dim}d.L2.global.tile\"](map, *coords)"},
    {"T.ptx.prefetch_tensormap(map)", "T.ptx.prefetch.tensormap(map)"},
    {"T.ptx.tensormap.cp_fenceproxy(d, s, scope=k)",
     "T.ptx[\"tensormap_cp_fenceproxy.global.shared::cta.tensormap::generic.release.{k}.sync.aligned\"](d, s)"},
    // A warp copies the 128 bytes of a tensor map, 16 bytes a lane.
    {"T.ptx.tensormap.copy_to_shared(d, m)",
     "if T.cuda.mov_sreg(32, \"laneid\") < 8:\n"
     "    map_words = T.alloc_local([4], \"uint32\")\n"
     "    T.ptx[\"ld.v4.b32\"](map_words[0], map_words[1], map_words[2], map_words[3], "
     "T.handle_add_byte_offset(m, T.cuda.mov_sreg(32, \"laneid\") * 16))\n"
     "    T.ptx[\"st.shared.v4.b32\"](T.handle_add_byte_offset(d, T.cuda.mov_sreg(32, \"laneid\") * 16), "
     "map_words[0], map_words[1], map_words[2], map_words[3])\n"
     "T.cuda.warp_sync()"},
    {"T.ptx.tensormap.replace(map, \"global_address\", value)",
     "T.ptx[\"tensormap_replace.tile.global_address.shared::cta.b1024.b64\"](map, T.uint64(value))"},
    {"T.ptx.tensormap.replace(map, \"rank\", value)",
     "T.ptx[\"tensormap_replace.tile.rank.shared::cta.b1024.b32\"](map, T.int32(value))"},
    {"T.ptx.tensormap.replace(map, \"global_stride\", value, ord)",
     "T.ptx[\"tensormap_replace.tile.global_stride.shared::cta.b1024.b64\"](map, ord, T.uint64(value))"},
    {"T.ptx.tensormap.replace(map, \"box_dim\", value, ord)",
     "T.ptx[\"tensormap_replace.tile.box_dim.shared::cta.b1024.b32\"](map, ord, T.int32(value))"},
    {"T.ptx.tensormap.replace(map, \"global_dim\", value, ord)",
     "T.ptx[\"tensormap_replace.tile.global_dim.shared::cta.b1024.b32\"](map, ord, T.int32(value))"},
    {"T.ptx.tensormap.replace(map, \"element_stride\", value, ord)",
     "T.ptx[\"tensormap_replace.tile.element_stride.shared::cta.b1024.b32\"](map, ord, T.int32(value))"},
    // matrices
    {"T.ptx.ldmatrix(False, n, t, s, *regs)", "T.ptx[\"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16\"](*[32, regs], s)",
     kLdmatrix},
    {"T.ptx.ldmatrix(0, n, t, s, *regs)", "T.ptx[\"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16\"](*[32, regs], s)",
     kLdmatrix},
    {"T.ptx.ldmatrix(True, n, t, s, *regs)",
     "T.ptx[\"ldmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16\"](*[32, regs], s)", kLdmatrix},
    {"T.ptx.ldmatrix(1, n, t, s, *regs)", "T.ptx[\"ldmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16\"](*[32, regs], s)",
     kLdmatrix},
    // tensor memory
    {"T.ptx.tcgen05.alloc(d, n, g)",
     "T.ptx[\"tcgen05.alloc.cta_group::{g}.sync.aligned.shared::cta.b32\"](d, T.uint32(n))"},
    {"T.ptx.tcgen05.dealloc(a, n, g)", "T.ptx[\"tcgen05.dealloc.cta_group::{g}.sync.aligned.b32\"](a, T.uint32(n))"},
    {"T.ptx.tcgen05.relinquish_alloc_permit(g)",
     "T.ptx[\"tcgen05.relinquish_alloc_permit.cta_group::{g}.sync.aligned\"]()"},
    {"T.ptx.tcgen05.wait.ld()", "T.ptx.tcgen05.wait__ld.sync.aligned()"},
    {"T.ptx.tcgen05.wait.st()", "T.ptx.tcgen05.wait__st.sync.aligned()"},
    {"T.ptx.tcgen05.fence.after_thread_sync()", "T.ptx.tcgen05.fence__after_thread_sync()"},
    {"T.ptx.tcgen05.fence.before_thread_sync()", "T.ptx.tcgen05.fence__before_thread_sync()"},
    {"T.ptx.tcgen05.ld(a, *regs, shape=s, num=n, row=r, col=c)",
     "T.ptx[\"tcgen05.ld.sync.aligned.{s}.x{n}.b32\"](*regs, T.cuda.get_tmem_addr(a, r, c))"},
    {"T.ptx.tcgen05.st(a, *regs, shape=s, num=n, row=r, col=c)",
     "T.ptx[\"tcgen05.st.sync.aligned.{s}.x{n}.b32\"](T.cuda.get_tmem_addr(a, r, c), *regs)"},
    {"T.ptx.tcgen05.cp(a, desc, shape=s, cta_group=g, multicast=\"\", row=r, col=c)",
     "T.ptx[\"tcgen05.cp.cta_group::{g}.{s}\"](T.cuda.get_tmem_addr(a, r, c), desc)"},
    {"T.ptx.tcgen05.cp(a, desc, shape=s, cta_group=g, multicast=m, row=r, col=c)",
     "T.ptx[\"tcgen05.cp.cta_group::{g}.{s}.{m}\"](T.cuda.get_tmem_addr(a, r, c), desc)"},
    {"T.ptx.tcgen05.commit(bar, g, 0)",
     "T.ptx[\"tcgen05.commit.cta_group::{g}.mbarrier::arrive::one.shared::cluster.b64\"](bar)"},
    {"T.ptx.tcgen05.commit(bar, g, mask)",
     "T.ptx[\"tcgen05.commit.cta_group::{g}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64\"](bar, "
     "T.uint16(mask))"},
    {"T.ptx.tcgen05.mma(d, a, b, i, d_dtype=t, a_dtype=\"float16\", b_dtype=\"float16\", use_a_tmem=False, "
     "cta_group=1, enable_input_d=e)",
     "T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"](d, a, b, i, T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), "
     "T.ptx.pred(e))"},
    {"T.ptx.tcgen05.mma(d, a, b, i, d_dtype=t, a_dtype=\"float16\", b_dtype=\"float16\", use_a_tmem=False, "
     "cta_group=2, enable_input_d=e)",
     "T.ptx[\"tcgen05.mma.cta_group::2.kind::f16\"](d, a, b, i, T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), "
     "T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), T.ptx.pred(e))"},
    {"T.ptx.tcgen05.mma(d, a, b, i, d_dtype=t, a_dtype=\"bfloat16\", b_dtype=\"bfloat16\", use_a_tmem=False, "
     "cta_group=1, enable_input_d=e)",
     "T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"](d, a, b, i, T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), "
     "T.ptx.pred(e))"},
    {"T.ptx.tcgen05.mma(d, a, b, i, d_dtype=t, a_dtype=\"bfloat16\", b_dtype=\"bfloat16\", use_a_tmem=False, "
     "cta_group=2, enable_input_d=e)",
     "T.ptx[\"tcgen05.mma.cta_group::2.kind::f16\"](d, a, b, i, T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), "
     "T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), T.ptx.pred(e))"},
    {"T.ptx.tcgen05.shift(...)", "!0.27 has no tcgen05.shift"},
    // products of a warpgroup
    {"T.ptx.wgmma.fence()", "T.ptx.wgmma.fence.sync.aligned()"},
    {"T.ptx.wgmma.commit_group()", "T.ptx.wgmma.commit_group.sync.aligned()"},
    {"T.ptx.wgmma.wait_group(n)", "T.ptx.wgmma.wait_group.sync.aligned(n)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"float16\", out_dtype=\"float32\", transA=False, "
     "transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 0, 0)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"float16\", out_dtype=\"float32\", transA=False, "
     "transB=True, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 0, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"float16\", out_dtype=\"float32\", transA=True, "
     "transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 1, 0)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"float16\", out_dtype=\"float32\", transA=True, "
     "transB=True, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 1, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"bfloat16\", out_dtype=\"float32\", "
     "transA=False, transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 0, 0)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"bfloat16\", out_dtype=\"float32\", "
     "transA=False, transB=True, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 0, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"bfloat16\", out_dtype=\"float32\", transA=True, "
     "transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 1, 0)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=16, in_dtype=\"bfloat16\", out_dtype=\"float32\", transA=True, "
     "transB=True, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16\"](*acc, a, b, T.ptx.pred(e), 1, 1, 1, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=8, in_dtype=\"tf32\", out_dtype=\"float32\", transA=False, "
     "transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k8.f32.tf32.tf32\"](*acc, a, b, T.ptx.pred(e), 1, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=32, in_dtype=\"float8_e4m3fn\", out_dtype=\"float32\", "
     "transA=False, transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k32.f32.e4m3.e4m3\"](*acc, a, b, T.ptx.pred(e), 1, 1)"},
    {"T.ptx.wgmma.mma_async.ss(a, b, *acc, M=64, N=n, K=32, in_dtype=\"float8_e5m2\", out_dtype=\"float32\", "
     "transA=False, transB=False, scaleA=1.0, scaleB=1.0, scaleD=e)",
     "T.ptx[\"wgmma.mma_async.sync.aligned.m64n{n}k32.f32.e5m2.e5m2\"](*acc, a, b, T.ptx.pred(e), 1, 1)"},
    // loads, stores, atomic operations
    {"x = T.ptx.ld(a, r, t, weak=False, space=s, cop=c, vec=\"\", l1_evict=e)",
     "x = T.local_scalar(r)\nT.ptx[\"ld{.s}{.c}{.e}{.t}\"](x, a)"},
    {"x = T.ptx.ld_acquire(a, r, t, scope=c, space=s, vec=\"\")",
     "x = T.local_scalar(r)\nT.ptx[\"ld.acquire{.c}{.s}{.t}\"](x, a)"},
    {"x = T.ptx.ld_relaxed(a, r, t, scope=c, space=s, vec=\"\")",
     "x = T.local_scalar(r)\nT.ptx[\"ld.relaxed{.c}{.s}{.t}\"](x, a)"},
    {"x = T.ptx.ld_volatile(a, r, t, space=s, vec=\"\")",
     "x = T.local_scalar(r)\nT.ptx[\"ld.volatile{.s}{.t}\"](x, a)"},
    {"x = T.ptx.ld_global_nc(a, r, t, cop=c, vec=\"\", l1_evict=e)",
     "x = T.local_scalar(r)\nT.ptx[\"ld.global{.c}.nc{.e}{.t}\"](x, a)"},
    {"T.ptx.st(a, *v, weak=False, space=s, cop=c, vec=w, ptx_type=t, l1_evict=e)",
     "T.ptx[\"st{.s}{.c}{.e}{.w}{.t}\"](a, *v)"},
    {"T.ptx.st_relaxed(a, *v, scope=c, space=s, vec=w, ptx_type=t)", "T.ptx[\"st.relaxed{.c}{.s}{.w}{.t}\"](a, *v)"},
    {"T.ptx.st_release(a, *v, scope=c, space=s, vec=w, ptx_type=t)", "T.ptx[\"st.release{.c}{.s}{.w}{.t}\"](a, *v)"},
    {"T.ptx.st_volatile(a, *v, space=s, vec=w, ptx_type=t)", "T.ptx[\"st.volatile{.s}{.w}{.t}\"](a, *v)"},
    {"T.ptx.st_async(d, *v, bar_u64=b, ptx_type=t, vec=w)",
     "T.ptx[\"st_async.shared::cluster.mbarrier::complete_tx::bytes{.w}{.t}\"]("
     "T.cuda.cvta_generic_to_shared(T.reinterpret(\"handle\", d)), *v, "
     "T.cuda.cvta_generic_to_shared(T.reinterpret(\"handle\", b)))"},
    {"T.ptx.red_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=t)", "T.ptx[\"red{.m}{.c}{.s}{.o}{.t}\"](a, v)"},
    {"x = T.ptx.atom_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=\"u32\")",
     "x: T.uint32\nT.ptx[\"atom{.m}{.c}{.s}{.o}.u32\"](x, a, v)"},
    {"x = T.ptx.atom_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=\"s32\")",
     "x: T.int32\nT.ptx[\"atom{.m}{.c}{.s}{.o}.s32\"](x, a, v)"},
    {"x = T.ptx.atom_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=\"b32\")",
     "x: T.uint32\nT.ptx[\"atom{.m}{.c}{.s}{.o}.b32\"](x, a, v)"},
    {"x = T.ptx.atom_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=\"u64\")",
     "x: T.uint64\nT.ptx[\"atom{.m}{.c}{.s}{.o}.u64\"](x, a, v)"},
    {"x = T.ptx.atom_scalar(a, v, sem=m, scope=c, space=s, op=o, ptx_type=\"f32\")",
     "x: T.float32\nT.ptx[\"atom{.m}{.c}{.s}{.o}.f32\"](x, a, v)"},
    {"T.ptx.ld_global_acquire(x, a)", "T.ptx[\"ld.acquire.gpu.global.b{bits:x}\"](x, a)",
     "the width of the element is not known here: write T.ptx[\"ld.acquire.gpu.global.b32\"](x, address), or .b64"},
    {"o.vload(..., predicate=None)", "o.vload(...)"},
    {"o.vstore(..., predicate=None)", "o.vstore(...)"},
    {"T.ptx.prefetch_l2(a)", "T.ptx[\"prefetch.global.L2\"](a)"},
    // arithmetic
    {"x = T.ptx.exp2(a)", "x: T.float32\nT.ptx.ex2.approx.ftz.f32(x, a)"},
    {"x = T.ptx.rcp(a)", "x: T.float32\nT.ptx.rcp.approx.ftz.f32(x, a)"},
    {"x = T.ptx.reduce3_max_f32(a, b, c)", "x: T.float32\nT.ptx.max.f32(x, a, b, c)"},
    {"x = T.ptx.reduce3_min_f32(a, b, c)", "x: T.float32\nT.ptx.min.f32(x, a, b, c)"},
    {"x = T.ptx.add_rn_f32_bf16(a, b)", "x: T.float32\nT.ptx.add.rn.f32.bf16(x, b, a)"},
    TILEWRIGHT_PACKED("add", "a, b"),
    TILEWRIGHT_PACKED("sub", "a, b"),
    TILEWRIGHT_PACKED("mul", "a, b"),
    TILEWRIGHT_PACKED("fma", "a, b, c"),
    {"x = T.ptx.fns_b32(mask, base, offset)", "x: T.uint32\nT.ptx.fns.b32(x, mask, base, offset)"},
};
#undef TILEWRIGHT_PACKED

constexpr ModuleRule kModules[] = {
    {"tvm.arith", "tvm.sym"},
};

}  // namespace

std::span<const Rule> rules_to_0_27() { return kRules; }
std::span<const ModuleRule> modules_to_0_27() { return kModules; }

}  // namespace tilewright::migrate
