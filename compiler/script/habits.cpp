#include "compiler/script/habits.h"

#include <iterator>

#include "compiler/intrinsics/say.h"

namespace tilewright::script {
namespace {

struct Habit {
  std::string_view name, instead;
};

constexpr Habit kNames[] = {
    {"threadIdx", "a thread's id is declared: tx = T.thread_id([128])"},
    {"blockIdx", "a CTA's id is declared: bx = T.cta_id([n])"},
    {"program_id", "a CTA's id is declared: bx = T.cta_id([n])"},
    {"blockDim", "a CTA has as many threads as T.thread_id([n]) declares"},
    {"gridDim", "a grid has as many CTAs as T.cta_id([n]) declares"},
    {"__syncthreads", "write {cta_sync}()"_row_text},
    {"syncthreads", "write {cta_sync}()"_row_text},
    {"sync_threads", "write {cta_sync}()"_row_text},
    {"__syncwarp", "write {warp_sync}()"_row_text},
    {"syncwarp", "write {warp_sync}()"_row_text},
    {"range", "write range(n), or T.serial(n)"},
    {"Parallel", "rounds are shared out by the thread's index: for i in T.serial(tid, n, step=threads)"},
    {"alloc_smem", "write T.alloc_shared(shape, dtype)"},
    {"alloc_sram", "write T.alloc_shared(shape, dtype)"},
    {"alloc_fragment", "write T.alloc_local(shape, dtype)"},
    {"alloc_registers", "write T.alloc_local(shape, dtype)"},
};

constexpr Habit kDtypes[] = {
    {"fp16", "float16"},  {"half", "float16"}, {"bf16", "bfloat16"},  {"fp32", "float32"},
    {"float", "float32"}, {"fp64", "float64"}, {"double", "float64"}, {"fp8", "float8_e4m3fn"},
};

std::string_view find(std::string_view name, const Habit* begin, const Habit* end) {
  for (const Habit* h = begin; h != end; ++h) {
    if (h->name == name) return h->instead;
  }
  return {};
}

}  // namespace

std::string brought_along(std::string_view name, text::Dialect release) {
  return intrinsics::say(find(name, std::begin(kNames), std::end(kNames)), release);
}

std::string_view dtype_known_as(std::string_view name) { return find(name, std::begin(kDtypes), std::end(kDtypes)); }

}  // namespace tilewright::script
