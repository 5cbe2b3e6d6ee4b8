// Typed copies, atomics and address arithmetic in CUDA's spelling.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

// The type whose plain assignment moves this many bytes at once.
std::string_view word_of(std::int64_t bytes) {
  switch (bytes) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    case 8: return "uint2";
    default: return "uint4";
  }
}

std::string copy_bytes(const Arguments& a, ir::Target) {
  const std::string word(word_of(a.integer("num_bytes")));
  return "*(" + word + "*){dst} = *(const " + word + "*){src};";
}

std::string ldg(const Arguments& a, ir::Target) {
  ir::DataType d = ir::parse_dtype(a.text("dtype")).value_or(ir::kVoid);
  std::string_view type = c_type(d);
  if (type.empty()) return "return __ldg({addr});";
  return "return __ldg((const " + std::string(type) + "*){addr});";
}

Failure check_dtype(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  std::string name = Arguments(row, args).text("dtype");
  if (auto d = ir::parse_dtype(name); d && !d->is_void()) return std::nullopt;
  return "'" + name + "' is no data type";
}

Failure check_vector(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string type = a.text("dtype");
  if (!is_one_of(type, "int32|uint32|float32")) return "a vector is of int32, uint32 or float32, not of " + type;
  const std::size_t wanted = a.text("vec")[1] - '0', given = a.items("dst").size();
  if (given == wanted) return std::nullopt;
  return "'dst' names " + std::to_string(wanted) + " pointers for " + a.text("vec") + ", " + std::to_string(given) +
         " given";
}

std::string ldg_vector(const Arguments& a, ir::Target) {
  const std::string type = a.text("dtype") == "int32" ? "int" : a.text("dtype") == "uint32" ? "unsigned int" : "float";
  const std::string vector = (type == "unsigned int" ? "uint" : type) + a.text("vec").substr(1);
  std::string out = vector + " v = __ldg((const " + vector + "*){addr});\n";
  for (std::size_t i = 0; i < a.items("dst").size(); ++i) {
    const std::string n = std::to_string(i);
    out += type + "* to" + n + " = (" + type + "*){*dst:u32:" + n + ":1};\n*to" + n + " = v." + "xyzw"[i] + ";\n";
  }
  return out;
}

// CUDA's 64-bit atomics know unsigned long long only; other values take the type of the memory.
std::string atomic_add(const Arguments& a, ir::Target) {
  ir::DataType d = a["value"].dtype();
  if (d.is_integral() && d.bits == 64) {
    return "return atomicAdd((unsigned long long*){res_addr}, (unsigned long long){value});";
  }
  return "return atomicAdd({res_addr}, (decltype(+*{res_addr})){value});";
}

std::string atomic_cas(const Arguments& a, ir::Target) {
  ir::DataType d = a["old_val"].dtype();
  if (d.is_integral() && d.bits == 64) {
    return "return atomicCAS((unsigned long long*){ptr}, (unsigned long long){old_val}, (unsigned long "
           "long){new_val});";
  }
  return "return atomicCAS({ptr}, (decltype(+*{ptr})){old_val}, (decltype(+*{ptr})){new_val});";
}

constexpr Intrinsic kCudaMemoryRows[] = {
    row<"dst: global, src: global, num_bytes: attr(1|2|4|8|16)">("C26", "cuda.copy_bytes", Meaning::CopyBytes)
        .effects<"reads generic src[num_bytes]; writes generic dst[num_bytes]">()
        .cxx("*(word*)dst = *(const word*)src;", copy_bytes)
        .says("Moves 1 to 16 bytes with one load and one store; both addresses are multiples of the size."),
    row<"dst: global, src: global">("C27", "cuda.copy_128b", Meaning::CopyBytes)
        .effects<"reads generic src[16]; writes generic dst[16]">()
        .cxx("*(uint4*){dst} = *(const uint4*){src};")
        .says("Moves 16 aligned bytes with one load and one store."),
    row<"dst: global, src: global">("C28", "cuda.copy_64b", Meaning::CopyBytes)
        .effects<"reads generic src[8]; writes generic dst[8]">()
        .cxx("*(uint2*){dst} = *(const uint2*){src};")
        .says("Moves 8 aligned bytes with one load and one store."),
    row<"dst: global, src: global">("C29", "cuda.copy_32b", Meaning::CopyBytes)
        .effects<"reads generic src[4]; writes generic dst[4]">()
        .cxx("*(unsigned int*){dst} = *(const unsigned int*){src};")
        .says("Moves 4 aligned bytes with one load and one store."),
    row<"dst: global, src: global">("C30", "cuda.copy_16b", Meaning::CopyBytes)
        .effects<"reads generic src[2]; writes generic dst[2]">()
        .cxx("*(unsigned short*){dst} = *(const unsigned short*){src};")
        .says("Moves 2 aligned bytes with one load and one store."),
    row<"dst: global, src: global">("C31", "cuda.copy_8b", Meaning::CopyBytes)
        .effects<"reads generic src[1]; writes generic dst[1]">()
        .cxx("*(unsigned char*){dst} = *(const unsigned char*){src};")
        .says("Moves one byte."),
    row<"addr: ptr, dtype: attr">("C32", "cuda.ldg", Meaning::LoadValue)
        .effects<"reads global addr[dtype]">()
        .returns(type_named_by<1>)
        .check(check_dtype)
        .cxx("return __ldg((const dtype*)addr);", ldg)
        .says("Loads through the read-only cache: the location must not be written while the kernel runs."),
    row<"res_addr: ptr, value: any">("C33", "cuda.atomic_add", Meaning::AtomicMemory)
        .effects<"updates generic res_addr[size(res_addr)] relaxed.gpu">()
        .returns(type_of_argument<1>)
        .cxx("return atomicAdd(res_addr, value);", atomic_add)
        .says("Adds to memory atomically and returns what was there before."),
    row<"ptr: ptr, old_val: any, new_val: any">("C34", "cuda.atomic_cas", Meaning::AtomicCas)
        .effects<"updates generic ptr[size(ptr)] relaxed.gpu">()
        .returns(type_of_argument<1>)
        .cxx("return atomicCAS(ptr, old_val, new_val);", atomic_cas)
        .says("Writes the new value if memory holds the old one, atomically, and returns what was there before."),
    row<"ptr: ptr">("C35", "cuda.cvta_generic_to_shared", Meaning::SharedAddress)
        .pure()
        .returns<ir::kUInt32>()
        .inline_cxx("((unsigned int)__cvta_generic_to_shared({0}))")
        .says("The 32-bit shared address of a generic pointer into shared memory."),
    row<"cluster_addr: u64">("C36", "cuda.smem_addr_from_uint64", Meaning::TruncateAddress)
        .pure()
        .returns<ir::kUInt32>()
        .inline_cxx("((unsigned int)({0}))")
        .says("The low 32 bits of a mapped shared address."),
    row<"addr: u32, row_offset: u32, col_offset: u32">("C37", "cuda.get_tmem_addr", Meaning::TmemAddress)
        .pure()
        .returns<ir::kUInt32>()
        .cxx("unsigned int lane = (({addr} >> 16) + {row_offset}) & 0xffffu;\n"
             "unsigned int column = ({addr} + {col_offset}) & 0xffffu;\nreturn lane << 16 | column;")
        .says("A tensor-memory address moved by lanes and columns; neither field carries into the other."),
    row<"bar: ptr">("C49", "cuda.sm100_tma_2sm_mbarrier_addr", Meaning::PeerBarrierAddress)
        .pure()
        .returns<ir::kUInt32>()
        .inline_cxx("(((unsigned int)__cvta_generic_to_shared({0})) & 0xfeffffffu)")
        .says("The shared address of the same barrier in the even CTA of the pair."),
    row<"addr: ptr, dtype: attr, *, dst: list to any, vec: attr(v2|v4)">("W29", "cuda.ldg", Meaning::LoadInto)
        .effects<"reads global addr[dtype*vec]">()
        .form("_dst")
        .check(check_vector)
        .cxx("dtypeN v = __ldg((const dtypeN*)addr); *dst[0] = v.x; ...", ldg_vector)
        .says("Loads two or four neighbours through the read-only cache, each behind its own pointer."),
    row<"ptr: ptr">("W30", "cuda.sm100_2sm_leader_smem_addr", Meaning::PeerBarrierAddress)
        .pure()
        .returns<ir::kUInt32>()
        .inline_cxx("(((unsigned int)__cvta_generic_to_shared({0})) & 0xfeffffffu)")
        .says("The shared address of the same variable in the even CTA of the pair."),
};

}  // namespace

std::span<const Intrinsic> cuda_memory_rows() { return kCudaMemoryRows; }

}  // namespace tilewright::intrinsics
