// Fences, named barriers, cluster barriers, launch control, and what lanes ask each other or the hardware.
#include <array>

#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

Failure check_barrier(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  return first_of(check_range(a, "name_bar_id", 0, 15), check_range(a, "thread_count", 32, 1024, 32));
}

Failure check_scope(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  return check_value_target(Arguments(row, args), "scope", "cluster", Sm90, target);
}

Failure check_register_count(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_range(Arguments(row, args), "reg_count", 24, 256, 8);
}

struct SpecialRegister {
  std::string_view name;
  int bits = 32;
  Availability needs = All;
};
constexpr SpecialRegister kRegisters[] = {
    {"tid.x"},
    {"tid.y"},
    {"tid.z"},
    {"ntid.x"},
    {"ntid.y"},
    {"ntid.z"},
    {"ctaid.x"},
    {"ctaid.y"},
    {"ctaid.z"},
    {"nctaid.x"},
    {"nctaid.y"},
    {"nctaid.z"},
    {"laneid"},
    {"warpid"},
    {"nwarpid"},
    {"smid"},
    {"nsmid"},
    {"lanemask_eq"},
    {"lanemask_le"},
    {"lanemask_lt"},
    {"lanemask_ge"},
    {"lanemask_gt"},
    {"clock"},
    {"clock_hi"},
    {"globaltimer_lo"},
    {"globaltimer_hi"},
    {"total_smem_size"},
    {"dynamic_smem_size"},
    {"gridid", 64},
    {"clock64", 64},
    {"globaltimer", 64},
    {"clusterid.x", 32, Sm90},
    {"clusterid.y", 32, Sm90},
    {"clusterid.z", 32, Sm90},
    {"nclusterid.x", 32, Sm90},
    {"nclusterid.y", 32, Sm90},
    {"nclusterid.z", 32, Sm90},
    {"cluster_ctaid.x", 32, Sm90},
    {"cluster_ctaid.y", 32, Sm90},
    {"cluster_ctaid.z", 32, Sm90},
    {"cluster_nctaid.x", 32, Sm90},
    {"cluster_nctaid.y", 32, Sm90},
    {"cluster_nctaid.z", 32, Sm90},
    {"cluster_ctarank", 32, Sm90},
    {"cluster_nctarank", 32, Sm90},
    {"aggr_smem_size", 32, Sm90},
};

Failure check_register(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const std::string name = a.text("reg_name");
  for (const SpecialRegister& r : kRegisters) {
    if (r.name != name) continue;
    if (!available(r.needs, target)) {
      return "%" + name + " needs " + std::string(availability_name(r.needs)) + ", this is " + target.name();
    }
    if (r.bits != a.integer("bits")) return "%" + name + " has " + std::to_string(r.bits) + " bits";
    return std::nullopt;
  }
  return "there is no special register %" + name;
}

ir::DataType register_result(std::span<const ir::Expr> args) {
  return ir::is_constant(args[0], 64) ? ir::kInt64 : ir::kInt32;
}

// Without a space both addresses are generic; with one they are in the shared window.
Failure check_mapa(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const bool narrow = a.text("ptx_type") == "u32";
  if (narrow != (a.text("return_type") == "uint32")) return "'return_type' is uint32 for u32 and uint64 for u64";
  if (narrow && !a.given("space")) return "'ptx_type' = 'u32' needs space='shared::cluster'";
  return std::nullopt;
}

std::string mapa(const Arguments& a, ir::Target) {
  if (a.text("ptx_type") == "u32") {
    return "unsigned int r;\nasm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(r) "
           ": \"r\"((unsigned int)__cvta_generic_to_shared((void*){ptr})), \"r\"({rank}));\nreturn r;";
  }
  if (!a.given("space"))
    return "unsigned long long r;\nasm volatile(\"mapa.u64 %0, %1, %2;\" : \"=l\"(r) : \"l\"({ptr}), "
           "\"r\"({rank}));\nreturn r;";
  return "unsigned long long r;\nasm volatile(\"mapa.shared::cluster.u64 %0, %1, %2;\" : \"=l\"(r) "
         ": \"l\"((unsigned long long)__cvta_generic_to_shared((void*){ptr})), \"r\"({rank}));\nreturn r;";
}

constexpr Intrinsic kFenceRows[] = {
    row<"name_bar_id: u32, thread_count: u32">("P12", "ptx.bar.arrive", Meaning::NamedBarrierArrive)
        .effects<"arrives barrier name_bar_id[thread_count] release.cta; by warp">()
        .check(check_barrier)
        .ptx("bar.arrive {name_bar_id}, {thread_count};")
        .says("Arrives at a named barrier of the CTA without waiting; all lanes of the warp together."),
    row<"name_bar_id: u32, thread_count: u32">("P13", "ptx.bar.sync", Meaning::NamedBarrierSync)
        .effects<"meets barrier name_bar_id[thread_count] acq_rel.cta; by warp">()
        .check(check_barrier)
        .ptx("bar.sync {name_bar_id}, {thread_count};")
        .says("Arrives at a named barrier of the CTA and waits until that many threads have."),
    row<"sem: attr(|release|relaxed) = '', aligned: flag = True">("P14", "ptx.barrier.cluster.arrive",
                                                                  Meaning::ClusterArrive)
        .effects<"arrives cluster {sem=release}.cluster; by warp if aligned">()
        .cc(Sm90)
        .ptx("barrier.cluster.arrive{.sem}{.aligned};")
        .says("Arrives at the barrier of the cluster without waiting."),
    row<"acquire: flag = False, aligned: flag = True">("P15", "ptx.barrier.cluster.wait", Meaning::ClusterWait)
        .effects<"waits cluster acquire.cluster; by warp if aligned">()
        .cc(Sm90)
        .ptx("barrier.cluster.wait{.acquire}{.aligned};")
        .says("Waits until all threads of the cluster have arrived at its barrier."),
    row<"sem: attr(sc|acq_rel), scope: attr(cta|cluster|gpu|sys)">("P16", "ptx.fence", Meaning::Fence)
        .effects<"fences memory {sem}.{scope}">()
        .check(check_scope)
        .ptx("fence.{sem}.{scope};")
        .says("Orders this thread's memory accesses before and after it as threads of the scope see them."),
    row<"space: attr(|global|shared::cta|shared::cluster) = ''">("P17", "ptx.fence.proxy_async",
                                                                 Meaning::FenceProxyAsync)
        .effects<"fences async {space}">()
        .cc(Sm90)
        .ptx("fence.proxy.async{.space};")
        .says("Makes this thread's ordinary writes visible to asynchronous copies (and wgmma, tcgen05), and the "
              "reverse."),
    row<"">("P18", "ptx.fence.mbarrier_init", Meaning::FenceMbarrierInit)
        .effects<"fences mbarrier_init release.cluster">()
        .cc(Sm90)
        .ptx("fence.mbarrier_init.release.cluster;")
        .says("Makes barriers that this thread initialised visible to the cluster, once the others have synchronised "
              "with it."),
    row<"">("P19", "ptx.griddepcontrol.wait", Meaning::DependentWait)
        .effects<"waits dependency acquire.gpu">()
        .cc(Sm90)
        .ptx("griddepcontrol.wait;")
        .says("Waits until the grids that this one depends on have finished and their writes are visible."),
    row<"">("P20", "ptx.griddepcontrol.launch_dependents", Meaning::DependentLaunch)
        .effects<"schedules dependency">()
        .cc(Sm90)
        .ptx("griddepcontrol.launch_dependents;")
        .says("Lets grids that depend on this one start, once every CTA has said so or ended."),
    row<"inc: flag, reg_count: attr">("P21", "ptx.setmaxnreg", Meaning::None)
        .effects<"schedules threads; by warpgroup">()
        .cc(Sm90aPlus)
        .quiet()
        .check(check_register_count)
        .ptx("setmaxnreg.{inc?inc}{!inc?dec}.sync.aligned.u32 {reg_count};")
        .says("Changes how many registers each thread of the warpgroup owns; all of its warps do it together."),
    row<"">("P22", "ptx.elect_sync", Meaning::Elect)
        .effects<"elects lanes; by lanes">()
        .cc(Sm90)
        .quiet()
        .returns<ir::kUInt32>()
        .ptx(".reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 {=}, 1, 0, p;")
        .says("1 in one lane of the warp, which the hardware chooses, and 0 in the others."),
    row<"mask: u32">("E32", "ptx.elect_sync", Meaning::Elect)
        .effects<"elects lanes; by lanes mask">()
        .cc(Sm90)
        .quiet()
        .returns<ir::kUInt32>()
        .ptx(".reg .pred p;\nelect.sync _|p, {mask};\nselp.u32 {=}, 1, 0, p;")
        .says("1 in one lane of the mask, which the hardware chooses, and 0 in the others."),
    row<"mask: u32, pred: i32">("P23", "ptx.any_sync", Meaning::AnySync)
        .effects<"exchanges lanes; by lanes mask">()
        .returns<ir::kInt32>()
        .inline_cxx("__any_sync({0}, {1})")
        .says("Non-zero in all lanes of the mask when the predicate holds in any of them."),
    row<"bits: attr(32|64), reg_name: attr">("P24", "ptx.fetch_register", Meaning::ReadRegister)
        .effects<"reads machine">()
        .quiet()
        .returns(register_result)
        .check(check_register)
        .ptx("mov.u{bits} {=}, %%{reg_name};")
        .says("Reads a special register: 'laneid', 'smid', 'clusterid.x', 'globaltimer', ..."),
    row<"ptr: global, rank: u32, *, space: attr(|shared::cluster) = '', ptx_type: attr(u64) = 'u64', return_type: attr "
        "= "
        "'uint64'">("P25", "ptx.mapa", Meaning::MapSharedRank)
        .cc(Sm90)
        .pure()
        .returns<ir::kUInt64>()
        .cxx("mapa{.space}.{ptx_type} result, {ptr}, {rank};", mapa)
        .says("The address in another CTA of the cluster that corresponds to this shared one: generic, or in the "
              "shared::cluster window when a space is given."),
    row<"ptr: global, rank: u32">("P26", "ptx.map_shared_rank", Meaning::MapSharedRank)
        .cc(Sm90)
        .quiet()
        .pure()
        .returns<ir::kUInt64>()
        .ptx("mapa.u64 {=}, {ptr}, {rank};")
        .says("The generic address of the same shared variable in another CTA of the cluster."),
    row<"handle: shared, mbar: shared">("P27", "ptx.clc_try_cancel", Meaning::LaunchControlTryCancel)
        .effects<"writes shared::cluster handle[16]; proxy async; until mbarrier mbar; by one">()
        .cc(Sm100Suffixed)
        .ptx("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all."
             "b128 "
             "[{handle}], [{mbar}];")
        .says("Asks to take over a cluster that has not started yet; the 16-byte answer arrives in shared memory of "
              "every "
              "CTA of this cluster."),
    row<"handle: shared">("P28", "ptx.clc_query_cancel", Meaning::LaunchControlQueryCancel)
        .effects<"reads shared handle[16]; fences async shared::cta">()
        .cc(Sm100)
        .returns<ir::kUInt32>()
        .ptx(".reg .b128 q;\n.reg .pred p;\nld.shared.b128 q, [{handle}];\n"
             "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\nmov.u32 {=}, 0xffffffff;\n"
             "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 {=}, q;\nfence.proxy.async.shared::cta;")
        .says("Reads the answer of clc_try_cancel: blockIdx.x of the cluster taken over, 0xFFFFFFFF for none."),
    row<"ptr: global, rank: u32, space: attr(|shared::cluster) = '', ptx_type: attr(u64|u32) = 'u64', return_type: "
        "attr(uint64|uint32) = 'uint64'">("W32", "ptx.mapa", Meaning::MapSharedRank)
        .cc(Sm90)
        .pure()
        .returns(type_named_by<4>)
        .check(check_mapa)
        .form("_any")
        .cxx("mapa{.space}.{ptx_type} result, {ptr}, {rank};", mapa)
        .says("The address in another CTA of the cluster that corresponds to this shared one: generic, or in the "
              "shared::cluster window when a space is given."),
    row<"handle: shared, *, use_ld_acquire: flag = True">("W32.clc", "ptx.clc_query_cancel",
                                                          Meaning::LaunchControlQueryCancel)
        .effects<"reads shared handle[16] acquire.cta if use_ld_acquire; reads shared handle[16] unless "
                 "use_ld_acquire; fences async shared::cta">()
        .cc(Sm100)
        .form("_answer")
        .returns<ir::kUInt32>()
        .ptx(".reg .b128 q;\n.reg .pred p;\nld{use_ld_acquire?.acquire.cta}.shared.b128 q, [{handle}];\n"
             "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\nmov.u32 {=}, 0xffffffff;\n"
             "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 {=}, q;\nfence.proxy.async.shared::cta;")
        .says("Reads the answer of clc_try_cancel: blockIdx.x of the cluster taken over, 0xFFFFFFFF for none."),
    row<"scope: attr(cta|cluster|gpu|sys) = 'gpu'">("E21", "ptx.fence.proxy_tensormap_release",
                                                    Meaning::FenceProxyTensormapRelease)
        .effects<"fences tensormap release.{scope}">()
        .cc(Sm90)
        .ptx("fence.proxy.tensormap::generic.release.{scope};")
        .says("Publishes changes that this thread made to a tensor map in global memory."),
    row<"addr: global, *, scope: attr(cta|cluster|gpu|sys) = 'gpu'">("E22", "ptx.fence.proxy_tensormap_acquire",
                                                                     Meaning::FenceProxyTensormapAcquire)
        .effects<"fences tensormap addr[128] acquire.{scope}">()
        .cc(Sm90)
        .ptx("fence.proxy.tensormap::generic.acquire.{scope} [{addr}], 128;")
        .says("Makes a tensor map that was changed by the device or the host usable by later copies of this CTA."),
    row<"">("E23", "ptx.fence.proxy_alias", Meaning::FenceProxyAlias)
        .effects<"fences alias">()
        .ptx("fence.proxy.alias;")
        .says("Orders accesses to one location through different virtual addresses."),
    row<"name_bar_id: u32, thread_count: u32">("E33", "ptx.barrier.sync", Meaning::NamedBarrierSync)
        .effects<"meets barrier name_bar_id[thread_count] acq_rel.cta">()
        .check(check_barrier)
        .ptx("barrier.sync {name_bar_id}, {thread_count};")
        .says("bar.sync for divergent code: lanes of a warp may come separately."),
    row<"name_bar_id: u32, thread_count: u32">("E33.arrive", "ptx.barrier.arrive", Meaning::NamedBarrierArrive)
        .effects<"arrives barrier name_bar_id[thread_count] release.cta">()
        .check(check_barrier)
        .ptx("barrier.arrive {name_bar_id}, {thread_count};")
        .says("bar.arrive for divergent code."),
    row<"addr: remote">("E34", "ptx.getctarank", Meaning::GetCtaRank)
        .cc(Sm90)
        .returns<ir::kUInt32>()
        .movable()
        .ptx("getctarank.shared::cluster.u32 {=}, {addr};")
        .says("The rank of the CTA whose shared memory a mapped address lies in."),
};

}  // namespace

std::span<const Intrinsic> fence_rows() { return kFenceRows; }

}  // namespace tilewright::intrinsics
