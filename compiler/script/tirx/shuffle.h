// T.Shuffle.
#pragma once
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

Value shuffle(Interpreter& in, const Arguments& args, Value self);

}  // namespace tilewright::script
