// Diagnostics of scope ids and active threads: TW30xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::scope {

namespace code {
inline constexpr std::string_view kInconsistent = "TW3001";
inline constexpr std::string_view kNotDivisible = "TW3002";
inline constexpr std::string_view kNotInferred = "TW3003";
inline constexpr std::string_view kNoThreads = "TW3004";
inline constexpr std::string_view kOnHost = "TW3005";
inline constexpr std::string_view kMalformed = "TW3006";
inline constexpr std::string_view kPreferred = "TW3007";
inline constexpr std::string_view kHardware = "TW3008";
inline constexpr std::string_view kThreadCount = "TW3009";
inline constexpr std::string_view kPairWithoutCluster = "TW3010";
inline constexpr std::string_view kCrossesWarpgroup = "TW3011";
inline constexpr std::string_view kAssumedUniform = "TW3012";
inline constexpr std::string_view kGridNotDivisible = "TW3013";
inline constexpr std::string_view kShapeRedeclared = "TW3014";
inline constexpr std::string_view kUntracked = "TW3015";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kInconsistent, "scope ids contradict each other",
     "The extents of all scope ids of a kernel describe one thread hierarchy: cluster, CTA, warpgroup, warp, thread. "
     "Extents along one path multiply to those of the path as a whole, so warp_id[4] with lane_id[32] makes a CTA of "
     "128 threads. Two declarations disagree about the same step; change one, or leave its extent out and have it "
     "inferred."},
    {code::kNotDivisible, "one scope id does not divide another",
     "A unit is split evenly: 100 threads cannot be shared out to 3 warps. Choose extents that divide."},
    {code::kNotInferred, "extent cannot be inferred",
     "A scope id declared without an extent takes it from the others, by multiplying or dividing along the hierarchy. "
     "Nothing here says what it is: give the extent, or declare another id that settles it."},
    {code::kNoThreads, "the CTA has no thread count",
     "A launch needs the number of threads of a CTA. Declare thread_id([n]), or warp_id([n])."},
    {code::kOnHost, "scope id in the host part",
     "Positions in the thread hierarchy exist only on the device. Declare scope ids after `T.device_entry()`."},
    {code::kMalformed, "malformed scope id",
     "Every dimension has one extent and one variable; one to three dimensions for clusters, CTAs and threads of a "
     "CTA, one for all others; an id without extent is a single variable."},
    {code::kPreferred, "preferred cluster size misplaced",
     "`preferred=` gives the cluster size to try first. It belongs to cta_id_in_cluster with an extent, and has as "
     "many dimensions as the extent."},
    {code::kHardware, "extent fixed by the hardware",
     "A warp has 32 lanes, a warpgroup 4 warps and 128 threads. Other extents would name threads that do not exist."},
    {code::kThreadCount, "impossible number of threads",
     "A CTA has at least one thread, and a whole number of warps as soon as ids of warps, warpgroups or lanes are "
     "used."},
    {code::kPairWithoutCluster, "CTA pair without cluster",
     "cta_id_in_pair is the parity of the CTA's rank in its cluster. Declare cta_id_in_cluster as well."},
    {code::kCrossesWarpgroup, "active warps cross a warpgroup boundary",
     "A warpgroup primitive runs once in each warpgroup. The warps that reach this call are neither whole warpgroups "
     "nor part of a single one, so there is no such split. Guard the call with warpgroup_id, or use warp or CTA "
     "scope."},
    {code::kAssumedUniform, "condition taken to be uniform",
     "A cooperative primitive runs only if all of its threads reach it. Whether they do depends on a value that the "
     "compiler does not know to be the same in all of them, such as one loaded from memory. It is taken to be; check "
     "it."},
    {code::kGridNotDivisible, "grid is not a whole number of clusters",
     "Each dimension of the grid, counted in CTAs, is a multiple of the cluster's in that dimension."},
    {code::kShapeRedeclared, "scope id declared again with another shape",
     "The first declaration of a scope id gives its dimensions; further ones repeat them or leave them out."},
    {code::kUntracked, "active threads unknown",
     "The number of threads of the CTA is only known at run time, so the compiler does not know who reaches a call. "
     "Variants that need cooperating threads refuse; declare constant extents."},
};

}  // namespace tilewright::scope
