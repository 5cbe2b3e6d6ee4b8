#include "compiler/dispatch/variants/copy_async/tma_config.h"

#include <algorithm>
#include <array>

#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/words.h"
#include "compiler/ir/primitive.h"

namespace tilewright::dispatch::tma {
namespace {

using ir::Expr;

constexpr std::array<std::string_view, 12> kKeywords = {"cache_hint", "cta_group", "cta_mask", "mbar", "mbarrier_addr",
                                                        "oob", "prefetch_tensormap", "tensormap_l2_promotion",
                                                        "tma_dtype", "use_tma_reduce",
                                                        // tma_explicit alone
                                                        "gather4", "src_selector"};
constexpr std::size_t kOfExplicit = 2;
constexpr std::size_t kMostSelectors = 64;  // each is a map among the kernel's parameters, and they are nested

const ir::StringImm* text_in(Expr e) { return e ? e.as<ir::StringImm>() : nullptr; }

// 'zero', or the expression.
std::string quoted(Expr e) {
  const auto* text = text_in(e);
  return text ? cat("'", text->value, "'") : ir::to_string(e);
}

class Reader {
 public:
  Reader(const ir::TileCall& call, bool to_shared, Variety variety)
      : call_(call), to_shared_(to_shared), explicit_(variety == Variety::Explicit) {}

  std::expected<Config, Reason> read() {
    using Step = Reason (Reader::*)();
    for (Step step :
         {&Reader::known, &Reader::outside, &Reader::group, &Reader::mask, &Reader::barrier, &Reader::direction,
          &Reader::reduce, &Reader::hint, &Reader::promotion, &Reader::fill, &Reader::prefetch, &Reader::lists}) {
      if (Reason why = (this->*step)(); !why.empty()) return std::unexpected(std::move(why));
    }
    out_.tma_dtype = given("tma_dtype");
    return std::move(out_);
  }

 private:
  Expr given(std::string_view key) const { return option(call_, key); }
  // Some keywords do not take None for "not given".
  bool is_none(std::string_view key) const {
    return !given(key) &&
           std::ranges::any_of(call_.config, [&](const ir::ConfigItem& item) { return item.key == key; });
  }

  Reason known() {
    const auto keywords = std::span(kKeywords).first(kKeywords.size() - (explicit_ ? 0 : kOfExplicit));
    std::vector<std::string_view> strangers;
    for (const ir::ConfigItem& item : call_.config) {
      if (std::ranges::find(keywords, item.key) == keywords.end()) strangers.push_back(item.key);
    }
    if (strangers.empty()) return {};
    std::ranges::sort(strangers);
    strangers.erase(std::ranges::unique(strangers).begin(), strangers.end());
    std::string names;
    for (std::string_view key : strangers) names += cat(names.empty() ? "'" : ", '", key, "'");
    return cat("dispatch=", explicit_ ? "tma_explicit" : "tma_auto", " does not support config key(s) [", names, "]");
  }

  Reason outside() {
    if (!given("oob")) return {};
    if (!explicit_) return "tma_auto does not support non-default oob; use dispatch=\"tma_explicit\"";
    return to_shared_ ? Reason() : "TensorMap oob is only valid for explicit global-to-shared copies";
  }

  Reason group() {
    Expr value = given("cta_group");
    if (is_none("cta_group")) return "cta_group must be 1 or 2, got None";
    if (!value) return {};
    const std::int64_t* group = ir::constant(value);
    if (!group || (*group != 1 && *group != 2)) return cat("cta_group must be 1 or 2, got ", quoted(value));
    out_.cta_group = static_cast<int>(*group);
    return {};
  }

  Reason mask() {
    Expr value = given("cta_mask");
    if (!value && !is_none("cta_mask")) return {};
    if (!value || !value.dtype().is_integral()) return "cta_mask must be an integer or TIR expression";
    const std::int64_t* mask = ir::constant(value);
    if (mask && (*mask < 0 || *mask > 0xFFFF)) return cat("cta_mask must fit uint16, got ", *mask);
    out_.mask = value;
    return {};
  }

  Reason barrier() {
    out_.mbar = given("mbar");
    Expr flag = given("mbarrier_addr");
    const std::int64_t* address = flag ? ir::constant(flag) : nullptr;
    if (text_in(flag) || is_none("mbarrier_addr")) return "mbarrier_addr must be bool or Expr";
    // A flag that only the device knows chooses between two forms of one address: it is the 32-bit one then.
    out_.barrier_address = to_shared_ && (out_.cta_group == 2 || (flag && (!address || *address)));
    if (to_shared_ && !out_.mbar) return "global-to-shared TMA requires mbar";
    if (out_.mbar && !out_.mbar.dtype().is_handle() && out_.mbar.dtype() != ir::kUInt64) {
      return "mbar is not a pointer: write bar.ptr_to([i])";
    }
    return {};
  }

  Reason direction() {
    if (to_shared_) return {};
    if (out_.mbar) return "mbar is only valid for global-to-shared TMA";
    if (Expr flag = given("mbarrier_addr"); flag && !ir::is_constant(flag, 0)) {
      return "mbarrier_addr is only valid for global-to-shared TMA";
    }
    if (out_.mask && !ir::is_constant(out_.mask, 0)) return "cta_mask is only valid for global-to-shared TMA";
    return {};
  }

  Reason reduce() {
    Expr value = given("use_tma_reduce");
    if (!value) return {};
    if (to_shared_) return "use_tma_reduce is only valid for shared-to-global TMA";
    constexpr std::array<std::string_view, 8> kOps = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    const auto* op = text_in(value);
    if (!op || std::ranges::find(kOps, op->value) == kOps.end()) {
      return cat("unsupported TMA reduce operation ", quoted(value));
    }
    out_.reduce = op->value;
    return {};
  }

  Reason hint() {
    Expr value = given("cache_hint");
    if (!value) return {};
    if (const auto* name = text_in(value)) {
      out_.hint = name->value;
    } else if (value.dtype().is_integral()) {
      out_.policy = value;
    } else {
      return "cache_hint must be a string or TIR expression";
    }
    return {};
  }

  Reason promotion() {
    Expr value = given("tensormap_l2_promotion");
    if (!value) return {};
    if (const std::int64_t* level = ir::constant(value)) {
      if (*level < 0 || *level > 3) return "TensorMap L2 promotion integer must be in [0, 3]";
      out_.l2_promotion = static_cast<int>(*level);
      return {};
    }
    constexpr std::pair<std::string_view, int> kNames[] = {
        {"none", 0}, {"L2::none", 0}, {"L2::64B", 1}, {"L2::128B", 2}, {"L2::256B", 3}};
    for (const auto& [name, level] : kNames) {
      if (const auto* text = text_in(value); text && text->value == name) {
        out_.l2_promotion = level;
        return {};
      }
    }
    return "TensorMap L2 promotion must be None, 0..3, 'none', 'L2::64B', 'L2::128B', or 'L2::256B'";
  }

  Reason fill() {
    Expr value = given("oob");
    if (!value) return {};
    const auto* text = text_in(value);
    if (text && text->value == "nan") out_.oob_fill = 1;
    if (out_.oob_fill == 1 || (text && text->value == "zero")) return {};
    return cat("unsupported TensorMap oob=", quoted(value), "; expected None, 'zero', or 'nan'");
  }

  Reason prefetch() {
    Expr flag = given("prefetch_tensormap");
    if (!flag) return {};
    const std::int64_t* value = ir::constant(flag);
    if (!value) return "prefetch_tensormap is True or False";
    out_.prefetch = *value != 0;
    return {};
  }

  // Each member of a list is an item of its own.
  Reason lists() {
    std::size_t place = 0;
    for (const ir::ConfigItem& item : call_.config) {
      if (!ir::is_given(item.value)) continue;
      if (item.key == "gather4") {
        out_.gathers = true;
        out_.rows.push_back(item.value.value);
      }
      if (item.key != "src_selector") continue;
      const std::string name = cat("tma_explicit src_selector[", place++, "]");
      if (!item.value.region.buffer || !item.value.value) {
        return cat(name, " must be a (condition, Buffer/view) pair");
      }
      const ir::Buffer* buffer = item.value.region.buffer;
      if (buffer->scope != ir::StorageScope::Global) {
        return cat(name, " candidate scope must be global, got ", ir::storage_scope_name(buffer->scope));
      }
      out_.selectors.emplace_back(item.value.value, buffer);
    }
    if (out_.gathers && (out_.rows.size() != 4 ||
                         std::ranges::any_of(out_.rows, [](Expr row) { return !row || !row.dtype().is_integral(); }))) {
      return "tma_explicit gather4 must contain exactly four row coordinates";
    }
    if (out_.selectors.size() > kMostSelectors) {
      return cat("tma_explicit src_selector names ", out_.selectors.size(), " tensors; ", kMostSelectors,
                 " is the most");
    }
    if ((out_.gathers || !out_.selectors.empty()) && !to_shared_) {
      return "tma_explicit gather4 and src_selector are only valid for global-to-shared";
    }
    return {};
  }

  const ir::TileCall& call_;
  bool to_shared_, explicit_;
  Config out_;
};

Reason is_copy(CallContext& context) {
  auto sides = sides_of(context.call);
  if (sides && sides->global.buffer->layout && sides->shared.buffer->layout) return {};
  return "not a global<->shared TMA copy";
}

Reason single_thread(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Thread) return {};
  return cat("unsupported exec_scope ", ir::exec_scope_name(context.scope.kind),
             ", expected single thread: guard with one elected lane");
}

constexpr Predicate kTmaConfigPredicates[] = {{"validate_tma_copy_op", is_copy}, {"single_thread", single_thread}};

}  // namespace

std::expected<Config, Reason> read_config(const ir::TileCall& call, bool to_shared, Variety variety) {
  return Reader(call, to_shared, variety).read();
}

std::optional<Sides> sides_of(const ir::TileCall& call) {
  if (call.args.size() < 2) return std::nullopt;
  const ir::Region &dst = call.args[0].region, &src = call.args[1].region;
  if (!dst.buffer || !src.buffer) return std::nullopt;
  if (src.buffer->scope == ir::StorageScope::Global && ir::is_shared(dst.buffer->scope)) return Sides{src, dst, true};
  if (ir::is_shared(src.buffer->scope) && dst.buffer->scope == ir::StorageScope::Global) return Sides{dst, src, false};
  return std::nullopt;
}

std::span<const Predicate> copy_predicates() { return kTmaConfigPredicates; }

}  // namespace tilewright::dispatch::tma
