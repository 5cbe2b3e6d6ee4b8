// The calls that belong to no instruction, and what each does besides giving a value.
#include "compiler/expr/expr.h"

namespace tilewright::expr::builtin {

const Callee address_of{"address_of", Effect::Pure};
const Callee reinterpret{"reinterpret", Effect::Pure};
const Callee pointer_offset{"ptr_offset", Effect::Pure};
const Callee handle_byte_offset{"handle_add_byte_offset", Effect::Pure};
const Callee warp_shuffle{"tvm_warp_shuffle", Effect::Synchronises};
const Callee likely{"likely", Effect::Pure};
const Callee is_null{"isnullptr", Effect::Pure};
const Callee undef{"undef", Effect::Pure};

}  // namespace tilewright::expr::builtin
