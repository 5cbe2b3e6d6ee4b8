// A call's plan in a few words, for hovers and inlay hints.
#pragma once
#include <optional>
#include <string>

#include "compiler/dispatch/dispatched.h"
#include "compiler/lower/banks.h"

namespace tilewright::ide {

const dispatch::FactValue* find_fact(const dispatch::CallReport& call, std::string_view name);
std::optional<std::int64_t> number_fact(const dispatch::CallReport& call, std::string_view name);

// "128-bit", "box 32x32x4", "32x32b.x16", "x4 matrices": how one instruction moves; empty: not said.
std::string width_words(const dispatch::CallReport& call);
// What the plan of arithmetic, of a reduction or of a permutation says of itself: "8 register elements a thread, two at
// a time (add.rz.ftz.f32x2)". Empty for copies and products, whose facts say it, and where there is no plan.
std::string arithmetic_words(const dispatch::CallReport& call);
// Instructions that one thread (or the elected one) issues; nothing: not known.
std::optional<std::int64_t> issue_count(const dispatch::CallReport& call);
// Of the destination's region, or the source's; nothing: symbolic.
std::optional<std::int64_t> moved_bytes(const dispatch::CallReport& call);
// How the call's instructions use the pointers that they are given.
lower::PointerAccess pointer_access(const dispatch::CallReport& call);
// "2,048"
std::string grouped(std::int64_t number);
// "32 lanes", "128 threads", "one elected thread", "4 warps": who works together.
std::string worker_words(const dispatch::CallReport& call);

}  // namespace tilewright::ide
