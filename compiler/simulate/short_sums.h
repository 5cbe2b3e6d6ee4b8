// Sums of 8-bit floats as the wgmma of Hopper makes them.
//
// All products of an instruction and the number that they are added to are written out in steps of the greatest one's
// leading bit times 2^-13, what is below is cut off, and so is what the sum has beyond 13 bits behind its own leading
// bit. A product's leading bit is that of its value. No document says so: it is the one of several ways that leaves the
// same largest difference from the exact sums as an H200 does (tests/gpu/README.md).
#pragma once

namespace tilewright::simulate {

// before + sign * (a . b), of `depth` numbers each, that are exact in a float as their products are.
float short_sum(const float* a, const float* b, int depth, float sign, float before);

}  // namespace tilewright::simulate
