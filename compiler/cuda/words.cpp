#include "compiler/cuda/words.h"

namespace tilewright::cuda {

// Keywords of C++, and words that CUDA headers or our own text use for something else.
const std::unordered_set<std::string_view>& reserved_words() {
  static const std::unordered_set<std::string_view> words = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
      "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      "half", "half2", "nv_bfloat16", "nv_bfloat162", "uint", "uchar", "ushort", "float2", "float4", "int2", "int4",
      "uint2", "uint4", "min", "max", "abs", "exp", "log", "sqrt", "threadIdx", "blockIdx", "blockDim", "gridDim",
      "warpSize", "vec", "bit_cast", "floor_div", "floor_mod", "gather", "scatter", "clusterid", "cluster_ctaid",
      "cluster_ctarank", "printf", "assert", "main", "NULL", "cuda", "std", "CUtensorMap",
  };
  return words;
}

}  // namespace tilewright::cuda
