// Names that nothing binds in code that no evaluation reached.
#pragma once
#include "compiler/script/evaluate.h"

namespace tilewright::script {

// Is the file a tile script, or one that means to be? Others are plain Python and none of our business.
bool means_tile_script(std::string_view text);

// Does Python, or the program that runs scripts, put this name there?
bool is_given(std::string_view name);
// So many undefined names are reported, and for so many a similar one is looked for.
inline constexpr std::size_t kMostRefused = 1000, kMostSuggested = 100;

// Reports each name of the script that nothing binds and that the evaluation has not met, once: an error in code that
// every run reaches and in kernels, a warning elsewhere.
void report_unbound(Evaluation& evaluation);

}  // namespace tilewright::script
