// Sums of 8-bit floats as the wgmma of Hopper makes them.
//
// All products of an instruction and the number that they are added to are written out in steps of 2^-13 of the
// greatest exponent, what is below is cut off, and so is what the sum has beyond 13 bits behind its own leading bit.
// The exponent of a product is the sum of its factors' exponents. No document says so: of 108 ways tried it is the one
// that leaves the same bits as an H200, in all 46,592 sums of five generated kernels (tests/gpu/README.md).
#pragma once

namespace tilewright::simulate {

// before + sign * (a . b), of `depth` numbers each, that are exact in a float as their products are.
float short_sum(const float* a, const float* b, int depth, float sign, float before);

}  // namespace tilewright::simulate
