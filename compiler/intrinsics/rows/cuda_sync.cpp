// Threads of a warp, a CTA, a cluster or the grid meeting and exchanging values, in CUDA's spelling.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

// What combines two values, and what changes nothing.
struct Reduction {
  std::string_view step;      // of T a, b
  std::string_view identity;  // for T
};
Reduction reduction_of(std::string_view op) {
  if (op == "sum") return {"a + b", "T(0)"};
  // NVRTC has no name for infinity without further headers.
  if (op == "max") return {"a > b ? a : b", "(T)__int_as_float(0xff800000)"};
  return {"a < b ? a : b", "(T)__int_as_float(0x7f800000)"};
}

std::string butterfly(std::string_view op, std::string_view from, std::string_view step) {
  std::string out = "for (int d = " + std::string(from) + "; d > 0; d >>= 1) {{\n";
  out += "  T a = " + std::string(step) + ", b = __shfl_xor_sync(0xffffffffu, a, d);\n";
  out += "  " + std::string(step) + " = " + std::string(reduction_of(op).step) + ";\n}}\n";
  return out;
}

std::string warp_reduce(const Arguments& a, ir::Target) {
  std::string out = "using T = decltype(+{value});\nT r = {value};\n";
  out += butterfly(a.operation(), std::to_string(a.integer("width") / 2), "r");
  return out + "return r;";
}

// Warps reduce, their first lanes meet in `scratch`, warp 0 reduces those, all threads read the outcome.
std::string cta_reduce(const Arguments& a, ir::Target) {
  const std::string warps = std::to_string(a.integer("num_warps"));
  const std::string op = a.operation();
  std::string identity(reduction_of(op).identity);
  if (!a["value"].dtype().is_floating()) {
    // Integers have no infinity: lanes without a warp repeat the first one's value.
    identity = "{scratch}[0]";
  }
  std::string out =
      "using T = decltype(+{value});\n"
      "T r = {value};\n"
      "int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
      "int lane = tid & 31, warp = tid >> 5;\n";
  out += butterfly(op, "16", "r");
  out += "if (lane == 0) {scratch}[warp] = r;\n__syncthreads();\nif (warp == 0) {{\n";
  if (op == "sum") identity = "T(0)";
  out += "  r = lane < " + warps + " ? (T){scratch}[lane] : (T)" + identity + ";\n";
  std::string inner = butterfly(op, "16", "r");
  for (std::size_t at = 0; at < inner.size();) {
    std::size_t end = inner.find('\n', at);
    out += "  " + inner.substr(at, end - at + 1);
    at = end + 1;
  }
  out += "  if (lane == 0) {scratch}[0] = r;\n}}\n__syncthreads();\nreturn (T){scratch}[0];";
  return out;
}

Failure check_width(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  return first_of(check_power_of_two(a, "width", 2, 32), check_power_of_two(a, "num_warps", 1, 32));
}

Failure check_bar_no(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_range(Arguments(row, args), "bar_no", 0, 15);
}

constexpr Intrinsic kCudaSyncRows[] = {
    row<"">("C1", "cuda.cta_sync", Meaning::CtaSync)
        .effects<"meets cta acq_rel.cta; by cta">()
        .inline_cxx("__syncthreads()")
        .says(
            "All threads of the CTA meet; their earlier writes to shared and global memory are visible to each other."),
    row<"">("C2", "cuda.warp_sync", Meaning::WarpSync)
        .effects<"meets lanes acq_rel.warp; by lanes">()
        .inline_cxx("__syncwarp()")
        .says("All lanes of the warp meet; their earlier writes are visible to each other."),
    row<"bar_no: i32">("C3", "cuda.warpgroup_sync", Meaning::WarpgroupSync)
        .effects<"meets barrier bar_no[128] acq_rel.cta; by warp">()
        .check(check_bar_no)
        .ptx("bar.sync {bar_no}, 128;")
        .says("The 128 threads of a warpgroup meet at the named barrier of this number."),
    row<"">("C4", "cuda.cluster_sync", Meaning::ClusterSync)
        .effects<"meets cluster acq_rel.cluster; by warp">()
        .cc(Sm90)
        .ptx("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;")
        .says("All threads of all CTAs of the cluster meet."),
    row<"">("C5", "cuda.grid_sync", Meaning::GridSync)
        .effects<"meets grid acq_rel.gpu; by grid">()
        .needs("cooperative_groups")
        .inline_cxx("cooperative_groups::this_grid().sync()")
        .says("All threads of the grid meet. The kernel must be launched cooperatively."),
    row<"">("C6", "cuda.thread_fence", Meaning::Fence)
        .effects<"fences memory sc.gpu">()
        .inline_cxx("__threadfence()")
        .says("Orders this thread's memory accesses before and after it for every thread of the device."),
    row<"cond: i32">("C7", "cuda.syncthreads_and", Meaning::CtaReduceAnd)
        .effects<"meets cta acq_rel.cta; by cta">()
        .returns<ir::kInt64>()
        .inline_cxx("__syncthreads_and({0})")
        .says("All threads of the CTA meet; non-zero when the condition holds for every one of them."),
    row<"cond: i32">("C8", "cuda.syncthreads_or", Meaning::CtaReduceOr)
        .effects<"meets cta acq_rel.cta; by cta">()
        .returns<ir::kInt64>()
        .inline_cxx("__syncthreads_or({0})")
        .says("All threads of the CTA meet; non-zero when the condition holds for any of them."),
    row<"mask: u32, pred: i32">("C9", "cuda.ballot_sync", Meaning::Ballot)
        .effects<"exchanges lanes; by lanes mask">()
        .returns<ir::kUInt32>()
        .inline_cxx("__ballot_sync({0}, {1})")
        .says("One bit a lane: is its predicate non-zero?"),
    row<"mask: u32, value: u32">("C10", "cuda.reduce_add_sync_u32", Meaning::ReduceSync)
        .effects<"exchanges lanes; by lanes mask">()
        .combines("add")
        .cc(Sm80)
        .returns<ir::kUInt32>()
        .inline_cxx("__reduce_add_sync({0}, {1})")
        .says("The sum of a value over the lanes of the mask."),
    row<"mask: u32, value: u32">("C11", "cuda.reduce_min_sync_u32", Meaning::ReduceSync)
        .effects<"exchanges lanes; by lanes mask">()
        .combines("min")
        .cc(Sm80)
        .returns<ir::kUInt32>()
        .inline_cxx("__reduce_min_sync({0}, {1})")
        .says("The least value of the lanes of the mask."),
    row<"value: any, op: attr(sum|max|min), width: attr = 32">("C12", "cuda.warp_reduce", Meaning::WarpReduce)
        .effects<"exchanges lanes; by lanes">()
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("for (d = width / 2; d > 0; d /= 2) value = op(value, __shfl_xor_sync(0xffffffff, value, d));",
             warp_reduce)
        .says("Every lane gets the sum, maximum or minimum over its group of `width` lanes."),
    row<"value: any, width: attr = 32">("C13", "cuda.warp_sum", Meaning::WarpReduce)
        .effects<"exchanges lanes; by lanes">()
        .combines("sum")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("warp_reduce(value, 'sum', width)", warp_reduce)
        .says("Every lane gets the sum over its group of `width` lanes."),
    row<"value: any, width: attr = 32">("C14", "cuda.warp_max", Meaning::WarpReduce)
        .effects<"exchanges lanes; by lanes">()
        .combines("max")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("warp_reduce(value, 'max', width)", warp_reduce)
        .says("Every lane gets the maximum over its group of `width` lanes."),
    row<"value: any, width: attr = 32">("C15", "cuda.warp_min", Meaning::WarpReduce)
        .effects<"exchanges lanes; by lanes">()
        .combines("min")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("warp_reduce(value, 'min', width)", warp_reduce)
        .says("Every lane gets the minimum over its group of `width` lanes."),
    row<"value: any, op: attr(sum|max|min), num_warps: attr, scratch: ptr">("C16", "cuda.cta_reduce",
                                                                            Meaning::CtaReduce)
        .effects<"exchanges lanes; reads generic scratch[size(value)*num_warps]; "
                 "writes generic scratch[size(value)*num_warps]; meets cta acq_rel.cta; by cta">()
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("warp_reduce, scratch[warp], sync, warp 0 reduces, sync, scratch[0]", cta_reduce)
        .says(
            "Every thread of the CTA gets the sum, maximum or minimum over all of them. `scratch` holds one element a "
            "warp; sync before it is used again."),
    row<"value: any, num_warps: attr, scratch: ptr">("C17", "cuda.cta_sum", Meaning::CtaReduce)
        .effects<"exchanges lanes; reads generic scratch[size(value)*num_warps]; "
                 "writes generic scratch[size(value)*num_warps]; meets cta acq_rel.cta; by cta">()
        .combines("sum")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("cta_reduce(value, 'sum', num_warps, scratch)", cta_reduce)
        .says("Every thread of the CTA gets the sum over all of them."),
    row<"value: any, num_warps: attr, scratch: ptr">("C18", "cuda.cta_max", Meaning::CtaReduce)
        .effects<"exchanges lanes; reads generic scratch[size(value)*num_warps]; "
                 "writes generic scratch[size(value)*num_warps]; meets cta acq_rel.cta; by cta">()
        .combines("max")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("cta_reduce(value, 'max', num_warps, scratch)", cta_reduce)
        .says("Every thread of the CTA gets the maximum over all of them."),
    row<"value: any, num_warps: attr, scratch: ptr">("C19", "cuda.cta_min", Meaning::CtaReduce)
        .effects<"exchanges lanes; reads generic scratch[size(value)*num_warps]; "
                 "writes generic scratch[size(value)*num_warps]; meets cta acq_rel.cta; by cta">()
        .combines("min")
        .returns(type_of_argument<0>)
        .check(check_width)
        .cxx("cta_reduce(value, 'min', num_warps, scratch)", cta_reduce)
        .says("Every thread of the CTA gets the minimum over all of them."),
    row<"mask: u32, var: any, lane: i32, width: i32">("C20", "cuda.__shfl_sync", Meaning::ShuffleIndex)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_sync({0}, {1}, {2}, {3})")
        .says("The value that another lane of the group holds."),
    row<"mask: u32, var: any, delta: i32, width: i32">("C21", "cuda.__shfl_up_sync", Meaning::ShuffleUp)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_up_sync({0}, {1}, {2}, {3})")
        .says("The value of the lane `delta` below; the lowest lanes keep their own."),
    row<"mask: u32, var: any, delta: i32, width: i32">("C22", "cuda.__shfl_down_sync", Meaning::ShuffleDown)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_down_sync({0}, {1}, {2}, {3})")
        .says("The value of the lane `delta` above; the highest lanes keep their own."),
    row<"mask: u32, var: any, lane_mask: i32, width: i32">("C23", "cuda.__shfl_xor_sync", Meaning::ShuffleXor)
        .effects<"exchanges lanes; by lanes mask">()
        .returns(type_of_argument<1>)
        .inline_cxx("__shfl_xor_sync({0}, {1}, {2}, {3})")
        .says("The value of the lane whose number differs in the bits of the mask."),
    row<"">("C24", "cuda.__activemask", Meaning::ActiveMask)
        .effects<"reads machine">()
        .returns<ir::kUInt32>()
        .inline_cxx("__activemask()")
        .says("One bit for each lane that executes this with the caller."),
    row<"">("C25", "cuda.thread_rank", Meaning::ThreadRank)
        .pure()
        .returns<ir::kInt32>()
        // As cooperative_groups computes it, without its header, which takes NVRTC a second.
        .inline_cxx("(int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))")
        .says("The number of this thread in its CTA, over x, y and z."),
};

}  // namespace

std::span<const Intrinsic> cuda_sync_rows() { return kCudaSyncRows; }

}  // namespace tilewright::intrinsics
