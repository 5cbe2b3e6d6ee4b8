// What a variant is: predicates that are cheap to ask, and a plan that either gives a body or declines.
#pragma once
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/dispatch/context.h"
#include "compiler/text/releases.h"

namespace tilewright::dispatch {

// Why something is not possible, in words with the numbers in them; empty: it is.
using Reason = std::string;

/// What a step of a plan returns that cannot be made.
inline std::unexpected<Reason> refuse(Reason reason) { return std::unexpected(std::move(reason)); }

struct Predicate {
  std::string_view name;
  Reason (*test)(CallContext& context);
};

// Something that the author of a call should know although it is served: a warning.
struct Remark {
  std::string_view code;
  std::string message;
  std::string hint{};
};

struct Plan {
  const ir::Stmt* body = nullptr;
  std::string summary{};  // CallReport::summary
  std::vector<Fact> facts{};
  std::vector<std::string> constants{};  // CallReport::constants
  // Not empty: the plan is correct, but a poor choice. A warning says so (TW3106), and what each of the variants
  // before it is missing.
  std::string caution{};
  std::vector<Remark> remarks{};

  void fact(std::string_view name, std::int64_t value) {
    facts.emplace_back().name = name;
    facts.back().value = value;
  }
};
struct Decline {
  Reason reason;
};
using Planned = std::expected<Plan, Decline>;
inline std::unexpected<Decline> decline(Reason reason) { return std::unexpected(Decline{std::move(reason)}); }

struct Variant {
  std::string_view primitive;
  std::string_view name;
  int priority = 0;  // larger is preferred; equal ones in the order of their names
  text::Releases releases{};
  std::span<const Predicate> predicates;
  Planned (*plan)(CallContext& context) = nullptr;
  bool single_thread = false;                // each thread that reaches the call issues it (N10)
  std::vector<std::string_view> keywords{};  // of the primitive's row that it reads (ir/primitive.h)
};

// The variants that a release has of a primitive, in the order of trial; empty: none is registered.
std::span<const Variant> variants_of(std::string_view primitive, text::Dialect release);
// Those of them that read this keyword (dispatch.md 6).
std::vector<std::string_view> readers_of(std::string_view primitive, std::string_view keyword, text::Dialect release);
// All of a release, for listings.
std::span<const Variant> all_variants(text::Dialect release);

}  // namespace tilewright::dispatch
