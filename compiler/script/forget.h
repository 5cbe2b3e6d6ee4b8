// What the values of an evaluation hold can be given back once all that is said about it is said: kernels, findings and
// entries are none of them. An editor keeps the evaluations of its open documents, and some modules make lists of
// configurations by searches that leave hundreds of megabytes behind.
#pragma once
#include "compiler/script/evaluate.h"

namespace tilewright::script {

// Every object ends but the kernels of the entries, which are others then, in the same order, and know no function that
// made them. Nothing may be evaluated, printed or asked of a value afterwards. Evaluations that hold little keep it.
void forget_values(Evaluation& evaluation);

}  // namespace tilewright::script
