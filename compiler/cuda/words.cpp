#include "compiler/cuda/words.h"

#include <algorithm>
#include <array>

#include "compiler/text/symbol.h"

namespace tilewright::cuda {

namespace {

// Words that CUDA headers or our own text use for something else.
constexpr std::string_view kWords[] = {
    "half",         "half2",         "nv_bfloat16",
    "nv_bfloat162", "uint",          "uchar",
    "ushort",       "float2",        "float4",
    "int2",         "int4",          "uint2",
    "uint4",        "min",           "max",
    "abs",          "exp",           "log",
    "sqrt",         "threadIdx",     "blockIdx",
    "blockDim",     "gridDim",       "warpSize",
    "vec",          "bit_cast",      "floor_div",
    "floor_mod",    "gather",        "scatter",
    "clusterid",    "cluster_ctaid", "cluster_ctarank",
    "printf",       "assert",        "main",
    "NULL",         "cuda",          "std",
    "CUtensorMap",
};

}  // namespace

std::span<const std::string_view> reserved_words() {
  static constexpr auto kOrdered = [] {
    constexpr std::size_t kKeywords = std::size(text::kCxxKeywords);
    std::array<std::string_view, kKeywords + std::size(kWords)> all{};
    std::ranges::copy(text::kCxxKeywords, all.begin());
    std::ranges::copy(kWords, all.begin() + kKeywords);
    std::ranges::sort(all);
    return all;
  }();
  return kOrdered;
}

}  // namespace tilewright::cuda
