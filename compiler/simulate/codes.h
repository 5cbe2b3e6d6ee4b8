// Findings of the simulator: TW50xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::simulate {

inline constexpr text::CodeInfo kCodes[] = {
    {"TW5001", "access out of bounds",
     "The address lies outside the buffer. On a GPU this faults or damages other data."},
    {"TW5002", "read of memory that nobody wrote",
     "The bytes were never written in this run: an input is missing, or a copy or a synchronisation comes too late."},
    {"TW5003", "misaligned access",
     "An access of n bytes needs an address that is a multiple of n. On a GPU a misaligned one faults."},
    {"TW5004", "deadlock", "Every thread that is left waits for others that will not come."},
    {"TW5005", "threads of one CTA meet at different calls",
     "Some threads wait at one cta_sync and some at another. The hardware counts them together; the script probably "
     "does not mean that."},
    {"TW5006", "warp instruction without the whole warp",
     "A shuffle, vote or matrix instruction needs all lanes that its mask names, at the same call. Some have left the "
     "kernel or wait elsewhere."},
    {"TW5007", "step limit reached", "The run was stopped: a loop may not end. The limit is an option."},
    {"TW5008", "not modelled", "The simulator does not execute this call; the run stops here and is not a pass."},
    {"TW5009", "input missing",
     "The kernel needs this parameter and the run was given none, or one of the wrong size."},
    {"TW5010", "trap", "T.cuda.trap_when_assert_failed found its condition false."},
    {"TW5011", "division by zero", "An integer division or remainder by zero."},
    {"TW5012", "null or foreign pointer", "The pointer does not lead into any buffer of this run."},
    {"TW5013", "mbarrier misused",
     "A barrier has to be initialised, counts up to 1,048,575 arrivals and bytes, and gets as many arrivals in a phase "
     "as it was initialised for."},
    {"TW5014", "bytes of a barrier do not add up",
     "At the end of the CTA a barrier still expects bytes, or has got bytes that nobody announced: expect_tx and the "
     "copies differ."},
    {"TW5015", "copy that the hardware refuses",
     "Sizes, alignment, tensor map or coordinates break a rule of the copy instruction. On a GPU it faults or moves "
     "other data."},
    {"TW5016", "shared memory of a CTA that has ended",
     "A CTA of the cluster touches the shared memory of one that has left the kernel. A cluster_sync before the end "
     "keeps all of them alive."},
    {"TW5017", "tensor memory misused",
     "Tensor memory has 128 lanes and 512 columns, is used where it is allocated, by the warp that a lane belongs to, "
     "and given back before the CTA ends."},
    {"TW5018", "asynchronous work unfinished at the end of a CTA",
     "A CTA ends while a copy still reads or writes its shared memory. Wait for it first."},
    {"TW5019", "launch that the driver refuses",
     "A CTA has up to 1,024 threads, a cluster up to 16 CTAs, and the grid is a whole number of clusters."},
};

}  // namespace tilewright::simulate
