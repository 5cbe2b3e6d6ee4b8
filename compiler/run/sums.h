// How long the sums are that a kernel computes, read off its lowered form: what its results may differ by from those of
// another order of additions grows with them.
#pragma once
#include <cstdint>

#include "compiler/run/bind.h"
#include "compiler/run/element.h"

namespace tilewright::run {

// The longest sum of floating-point numbers: never too short, as far as the kernel says it; too long where it adds up
// in ways that are not followed.
struct Sum {
  std::int64_t terms = 1;
  double unit = 0;  // the distance of 1 from the next number of the type that adds up; of several the coarsest
};
Sum longest_sum(const Bound& bound);

// By type, and for sums by their length: n roundings of partial sums lead astray like n steps at random, each of half a
// unit of a partial sum. `largest` is the greatest magnitude among the results, of which partial sums are a part.
Tolerance tolerance_of(ir::DataType dtype, const Sum& sum, double largest);

}  // namespace tilewright::run
