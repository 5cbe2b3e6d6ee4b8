// Diagnostics of dispatch: TW31xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::dispatch {

namespace code {
inline constexpr std::string_view kNoVariants = "TW3101";
inline constexpr std::string_view kUnknownVariant = "TW3102";
inline constexpr std::string_view kNotServed = "TW3104";
inline constexpr std::string_view kUnknownOption = "TW3105";
inline constexpr std::string_view kFallback = "TW3106";
inline constexpr std::string_view kManyThreads = "TW3107";
inline constexpr std::string_view kNested = "TW3108";
inline constexpr std::string_view kIdleOption = "TW3109";
inline constexpr std::string_view kScalarRounding = "TW3110";
inline constexpr std::string_view kRepeated = "TW3111";
inline constexpr std::string_view kOverlap = "TW3112";
inline constexpr std::string_view kTensorUnit = "TW3113";
inline constexpr std::string_view kOverrun = "TW3121";
inline constexpr std::string_view kWholeCopies = "TW3122";
inline constexpr std::string_view kUnequalRegions = "TW3123";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kNoVariants, "no variant for this primitive",
     "A tile primitive becomes code through one of its variants. This one has no registered variants for the target."},
    {code::kUnknownVariant, "unknown variant",
     "`dispatch=` names the variant to use. The primitive has none of that name; the hint lists those it has."},
    {code::kNotServed, "no variant serves this call",
     "Every variant of the primitive was asked, in order of preference, and each refused: before planning, because a "
     "condition on scope, operands or threads does not hold (rejected), or while planning, because no plan fits "
     "(declined). The lines below the message give each one's reason."},
    {code::kUnknownOption, "unknown option",
     "Keywords of a tile primitive are passed to its variants. None of them reads this one, so it has no effect; it "
     "may be misspelt."},
    {code::kFallback, "scalar fallback",
     "No faster variant accepts this copy, so one single thread moves the tile element by element (copy/fallback). "
     "That is correct and slow. The dispatch report says what each faster variant is missing."},
    {code::kManyThreads, "single-thread primitive reached by many threads",
     "This variant is issued by one thread, but as far as the compiler can see several threads reach the call, and "
     "each of them issues it. Guard the call with the election of one lane, or with a test of thread_id."},
    {code::kNested, "primitive inside a variant's body",
     "A variant emitted a tile primitive, which nothing lowers again. This is a defect of the variant."},
    {code::kIdleOption, "option of another variant",
     "A keyword of the call is read by some variants of the primitive, but a different one was chosen, so it has no "
     "effect. A copy from global to shared memory in one thread, for instance, becomes cp.async and leaves `mbar` "
     "alone. Name the variant you mean with `dispatch=`."},
    {code::kScalarRounding, "rounding of a scalar form",
     "`rounding_mode` says how packed float32 arithmetic rounds (two elements in one instruction, sm_100 and up). This "
     "call takes one element at a time, and that rounds to nearest whatever the option says."},
    {code::kRepeated, "the same work several times",
     "A primitive at warp scope is done by each warp that reaches it, one at thread scope by each thread. Here several "
     "reach it and all of them mean the same tile in shared memory: the work is done several times, and what works in "
     "place is applied several times."},
    {code::kOverlap, "source and destination overlap",
     "Source and destination are tiles of one buffer that overlap without being the same. Threads read and write their "
     "elements one after the other, so some elements may be read after they were written."},
    {code::kTensorUnit, "the tensor unit does otherwise",
     "The copy is compiled as the reference compiles it, and the tensor unit (TMA) does something else than the script "
     "says: it puts the elements in another place than the layout of shared memory names, stops at an address that is "
     "no multiple of 128 bytes, or has no such reduction of the type. The message says which of them, with the numbers "
     "of this call. Boxes lie on multiples of 128 bytes in shared memory; a swizzle permutes chunks of 16 bytes within "
     "rows of its own width, and a box of narrower rows gives each of them a whole row."},
    {code::kOverrun, "beyond the buffer",
     "For some block, thread and round that do run, this lies outside of its buffer: the message says which. Ranges of "
     "scope ids and loops are exact, and every condition on the way was followed, so it is certain. It is a warning, "
     "since the script can be compiled, and what lies beyond may belong to the same allocation; a load there reads "
     "something else, a store spoils it, and `run --on sim` stops at it (TW5001). Copies by the tensor unit (tma) are "
     "not meant: it leaves out what lies outside of a tensor. An index beyond its own dimension names an element of "
     "another row; only where all other indices are constant a kernel is taken to count across rows on purpose. A view "
     "must have room in the storage that it looks at: "
     "what the layout of that buffer spans over the buffer's own shape."},
    {code::kWholeCopies, "every thread copies the whole tile",
     "A tile primitive without a scope belongs to one thread. Several threads reach this copy, nothing in its regions "
     "depends on which thread it is, and so each of them moves the same elements to the same place. That gives the "
     "right values and takes as many times the traffic: Tx.cta.copy, Tx.warp.copy share the work. It is a warning, "
     "because the reference compiles it the same way."},
    {code::kUnequalRegions, "copied regions differ in shape",
     "From release 0.26 on both regions of a copy have the same extents, apart from dimensions of extent 1, whatever "
     "variant serves it: a copy does not reshape. Copies that name `tma_auto` or `tma_explicit` move bytes and need "
     "only as many of them on both sides. Index or slice the longer side, or copy between views of one shape."},
};

}  // namespace tilewright::dispatch
