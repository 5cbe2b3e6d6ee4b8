// What instructions compute that work on registers alone, to the bit.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ptx/chain.h"

namespace tilewright::ptx {

using Bits = unsigned __int128;

// `read`: the bits of each register that the instruction reads and of each constant in its text, in order; predicates
// are 0 or 1. Returns the bits of each register that it writes, in order, or none for a form that is not computed here:
// what reaches memory or other threads, and approximations, whose bits PTX leaves open.
std::optional<std::vector<Bits>> computed(const Candidate& instruction, std::span<const Bits> read);

// The places of the two of four floats of 32 bits that spcompress keeps: the largest, or the `least` ones, by their
// numbers or their magnitudes. The lower place first.
std::array<std::size_t, 2> kept_of_four(std::span<const Bits, 4> floats, bool least, bool magnitudes);

}  // namespace tilewright::ptx
