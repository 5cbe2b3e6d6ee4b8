#include "compiler/dispatch/blocks/load_hints.h"

#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

struct Hint {
  std::string_view key;
  std::string LoadHints::* member;
  std::string_view values;  // parted by |
};
constexpr Hint kHints[] = {
    {"cache", &LoadHints::cache, "nc"},
    {"l1_evict", &LoadHints::l1_evict,
     "L1::evict_normal|L1::evict_first|L1::evict_last|L1::evict_unchanged|L1::no_allocate"},
    {"l2_evict", &LoadHints::l2_evict, "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"prefetch_size", &LoadHints::prefetch_size, "L2::64B|L2::128B|L2::256B"},
};

bool is_one_of(std::string_view value, std::string_view values) {
  while (!values.empty()) {
    const std::size_t end = std::min(values.find('|'), values.size());
    if (values.substr(0, end) == value) return true;
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return false;
}

std::string in_words(std::string_view values) {
  std::string out = "\"";
  for (char c : values) out += c == '|' ? std::string("\", \"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::expected<LoadHints, Reason> load_hints(const ir::TileCall& call) {
  LoadHints out;
  for (const Hint& hint : kHints) {
    const Expr given = option(call, hint.key);
    if (!given) continue;
    const auto* text = given.as<ir::StringImm>();
    if (text && text->value.empty()) continue;
    if (!text || !is_one_of(text->value, hint.values)) {
      return std::unexpected(cat(hint.key, "= is one of ", in_words(hint.values), ", not ", ir::to_string(given)));
    }
    out.*hint.member = text->value;
  }
  return out;
}

void add_hinted_copy(ir::BodyBuilder& out, const LoadHints& hints, int bits, Expr dst, Expr src) {
  Expr args[] = {dst, src};
  if (!hints.any()) {
    out.add<ir::Evaluate>(ir::call(ir::kVoid, intrinsics::copy_bytes_row(bits), args));
    return;
  }
  static const intrinsics::Intrinsic& row = *intrinsics::row_of_id("C26.hinted");
  out.add<ir::Evaluate>(
      row_call(row, {dst, src, Expr(bits / 8), ir::string_imm(hints.cache), ir::string_imm(hints.l1_evict),
                     ir::string_imm(hints.l2_evict), ir::string_imm(hints.prefetch_size)}));
}

}  // namespace tilewright::dispatch
