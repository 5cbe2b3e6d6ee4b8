// Rows, slots and rules in words for people.
#pragma once
#include "compiler/ptx/chain.h"

namespace tilewright::ptx {

// ".cta, .cluster or .gpu"; more than `most` are counted.
std::string listed(std::vector<std::string_view> tokens, std::string_view last = "or", std::size_t most = 8);
// A token as messages show it: ".shared::cta".
std::string dotted(std::string_view token);

// Why a rule does not hold for what is filled: "with .relaxed, scope must be written: .cta, .cluster, .gpu or .sys".
std::string reason_of(const Row& row, const Rule& rule, const Filled& filled);
// Why a row does not take one more token: a slot that has it already, or none that lists it.
std::string refusal_of(const Row& row, const Filled& filled, std::string_view token);
// Why a token with a dot in it cannot be written.
std::string unspellable(std::string_view token);

// "mbarrier.arrive{.sem}{.scope}{.space}.b64 _, [addr], count": the instruction as PTX documents write it.
std::string syntax_of(const Row& row);

}  // namespace tilewright::ptx
