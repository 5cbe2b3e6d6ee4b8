#include "server/ide/call_words.h"

#include <algorithm>

#include "compiler/ir/printer.h"

namespace tilewright::ide {

const dispatch::FactValue* find_fact(const dispatch::CallReport& call, std::string_view name) {
  for (const dispatch::Fact& f : call.facts) {
    if (f.name == name) return &f.value;
  }
  return nullptr;
}

std::optional<std::int64_t> number_fact(const dispatch::CallReport& call, std::string_view name) {
  const dispatch::FactValue* value = find_fact(call, name);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

std::string width_words(const dispatch::CallReport& call) {
  if (auto bits = number_fact(call, "vec_bits")) return std::to_string(*bits) + "-bit";
  if (const auto* fact = find_fact(call, "box")) {
    if (const auto* box = std::get_if<std::vector<std::int64_t>>(fact)) {
      std::string out = "box ";
      for (std::size_t i = 0; i < box->size(); ++i) out += (i ? "x" : "") + std::to_string((*box)[i]);
      return out;
    }
  }
  if (const auto* fact = find_fact(call, "shape")) {
    if (const auto* shape = std::get_if<std::string>(fact)) {
      auto num = number_fact(call, "num");
      return *shape + (num ? ".x" + std::to_string(*num) : "");
    }
  }
  if (auto matrices = number_fact(call, "matrices")) {
    auto trans = number_fact(call, "trans");
    return "x" + std::to_string(*matrices) + (trans && *trans ? " transposed" : "");
  }
  if (auto chunk = number_fact(call, "chunk_bytes")) return grouped(*chunk) + "-byte chunks";
  return {};
}

std::string arithmetic_words(const dispatch::CallReport& call) {
  if (call.call->primitive.starts_with("copy") || call.call->primitive.starts_with("gemm")) return {};
  // The summary names the operands first, the destination last.
  constexpr std::string_view kEnd = "], ";
  const std::size_t at = call.summary.rfind(kEnd);
  return at == call.summary.npos ? std::string() : call.summary.substr(at + kEnd.size());
}

std::optional<std::int64_t> issue_count(const dispatch::CallReport& call) {
  for (std::string_view name : {"issues", "outer", "chunks"}) {
    if (auto n = number_fact(call, name)) return n;
  }
  return std::nullopt;
}

std::optional<std::int64_t> moved_bytes(const dispatch::CallReport& call) {
  for (const ir::Operand& operand : call.call->args) {
    if (!operand.region.buffer) continue;
    std::int64_t elements = 1;
    bool known = true;
    for (const ir::Range& range : operand.region.ranges) {
      const std::int64_t* extent = range.extent ? ir::constant(range.extent) : nullptr;
      known = known && extent && *extent >= 0 && !__builtin_mul_overflow(elements, *extent, &elements);
    }
    if (!known) continue;
    ir::DataType dtype = operand.region.buffer->dtype;
    std::int64_t bits = 0;
    if (__builtin_mul_overflow(elements, std::int64_t{dtype.bits} * std::max<std::int64_t>(1, dtype.lanes), &bits)) {
      return std::nullopt;
    }
    return bits / 8;
  }
  return std::nullopt;
}

lower::PointerAccess pointer_access(const dispatch::CallReport& call) {
  lower::PointerAccess pointers;
  if (auto bits = number_fact(call, "vec_bits")) {
    pointers.bits = static_cast<int>(*bits);
  } else if (auto matrices = number_fact(call, "matrices")) {
    pointers = {.bits = 128, .lanes = static_cast<int>(8 * *matrices)};  // each lane names a row of 16 bytes
  }
  return pointers;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string worker_words(const dispatch::CallReport& call) {
  if (!call.scope.tracked) return "threads not known";
  std::int64_t threads = 1;
  bool elected = false;
  for (const scope::AxisRange& axis : call.scope.intra) {
    threads *= axis.range.extent;
    elected |= axis.range.elected;
  }
  if (const scope::ActiveRange* lane = scope::find(call.scope.inter, scope::ActiveAxis::laneid)) {
    elected |= lane->elected;
  }
  if (threads == 1) return elected ? "one elected thread" : "one thread";
  bool lanes_only = call.call->scope == ir::ExecScope::Warp;
  return grouped(threads) + (lanes_only ? " lanes" : " threads");
}

}  // namespace tilewright::ide
