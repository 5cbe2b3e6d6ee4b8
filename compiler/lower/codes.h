// Diagnostics of lowering: TW40xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::lower {

namespace code {
inline constexpr std::string_view kNoDevice = "TW4001";
inline constexpr std::string_view kDistributed = "TW4002";
inline constexpr std::string_view kTensorMemory = "TW4003";
inline constexpr std::string_view kLayout = "TW4004";
inline constexpr std::string_view kVector = "TW4005";
inline constexpr std::string_view kSize = "TW4006";
inline constexpr std::string_view kSecondDynamic = "TW4007";
inline constexpr std::string_view kStaticLimit = "TW4008";
inline constexpr std::string_view kStorage = "TW4009";
inline constexpr std::string_view kHostValue = "TW4010";
inline constexpr std::string_view kIdOnHost = "TW4011";
inline constexpr std::string_view kTileCall = "TW4012";
inline constexpr std::string_view kExpansion = "TW4013";
inline constexpr std::string_view kAttribute = "TW4014";
inline constexpr std::string_view kTensorMap = "TW4015";
inline constexpr std::string_view kMapPlace = "TW4016";
inline constexpr std::string_view kSharedLimit = "TW4017";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kNoDevice, "no device part",
     "The kernel has no `T.device_entry()`, so there is nothing to launch. Statements before the marker run on the "
     "host, statements after it on the GPU. A function of the host is no error, and nothing of it is compiled; where "
     "it works on tensors or calls tile primitives the marker was most likely forgotten, which is a warning."},
    {code::kDistributed, "element access through a distributed layout",
     "The buffer's layout spreads its elements over threads (axes such as laneid or tid_in_wg), so one thread cannot "
     "name an arbitrary element of it. Take the thread's own part with `.local(...)`, or use a tile primitive."},
    {code::kTensorMemory, "element access to tensor memory",
     "Tensor memory has no addresses that a thread can load from or store to. Move data with copy_async or the "
     "tcgen05 instructions."},
    {code::kLayout, "layout cannot be applied",
     "The index of this access cannot be turned into one address under the buffer's layout; the message has the "
     "layout's own reason."},
    {code::kVector, "vector access is not contiguous",
     "The lanes of a vector access must lie at evenly spaced addresses. Under this layout they do not: split the "
     "access, or keep it within one chunk of the swizzle."},
    {code::kSize, "allocation has no fixed size",
     "Local and shared allocations need constant extents: their size is part of the generated code. A pool of shared "
     "memory has the size that its `commit()` declares; from release 0.26 on it has none without that call."},
    {code::kSecondDynamic, "more than one dynamic shared allocation",
     "A kernel has one dynamic shared memory segment. Allocate it once, for instance with `T.SMEMPool`, and carve the "
     "buffers from it."},
    {code::kStaticLimit, "too much static shared memory",
     "Statically sized shared memory is limited to 48 KiB a CTA; code for one architecture (sm_90a, sm_100a, sm_103a, "
     "sm_110a: 227 KiB, sm_120a, sm_121a: 99 KiB) may have all that the architecture has. Use `shared.dyn` "
     "(`T.SMEMPool`) for more."},
    {code::kStorage, "storage scope cannot be allocated here",
     "Device code cannot allocate global memory, and this target has no storage of the named kind."},
    {code::kHostValue, "host value used on the device",
     "A mutable scalar or a buffer of the host part does not exist on the GPU. Bind the value with `T.let` before "
     "`T.device_entry()`: it then becomes a kernel parameter."},
    {code::kIdOnHost, "scope id used on the host",
     "Thread and CTA ids have values only on the device: declare and use them after `T.device_entry()`."},
    {code::kTileCall, "tile primitive left over",
     "A variant's body contained a tile primitive; variants may not emit any."},
    {code::kExpansion, "loop cannot be expanded",
     "An instruction attribute in this loop depends on the loop variable, so the loop must be expanded, which needs "
     "constant bounds and no break or continue."},
    {code::kAttribute, "attribute is not a constant",
     "The value of this attribute must be known when the kernel is compiled."},
    {code::kTensorMap, "tensor map cannot be encoded",
     "The host part encodes a tensor map with arguments that cuTensorMapEncodeTiled refuses, or in a place where it "
     "may not happen exactly once before the launch. Arguments: map, element type, rank, pointer, extents (innermost "
     "first), byte strides of all but the innermost, box, element strides, interleave, swizzle, L2 promotion, fill."},
    {code::kMapPlace, "unknown place of tensor maps",
     "The attribute tilewright.tensor_maps says where the kernel finds the tensor maps that its host part encodes: "
     "\"parameter\" (__grid_constant__, the default), \"constant\" (__constant__ memory) or \"global\" (global memory, "
     "acquired by a fence before use)."},
    {code::kSharedLimit, "more shared memory than the architecture has",
     "No launch can give a CTA so much shared memory, static and dynamic together: the driver refuses it. Hopper and "
     "the Blackwell of data centres have 227 KiB for a CTA, sm_80 and sm_87 163 KiB, sm_86, sm_89 and sm_120 99 KiB."},
};

}  // namespace tilewright::lower
