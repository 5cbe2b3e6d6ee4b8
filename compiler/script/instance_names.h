// The dict that vars() and __dict__ give of an instance: one for each instance, in step with its attributes.
#pragma once
#include <string_view>

#include "compiler/script/value.h"

namespace tilewright::script {

class Interpreter;

// Was it left by one of two ways, of which it is not known which was gone? Then what has it may lack it.
bool may_be_missing(Value v);
Dict* names_of(Interpreter& in, Instance* instance);
// An attribute of the instance, and the entry of its dict if that was asked for.
void set_in_instance(Interpreter& in, Instance* instance, std::string_view name, Value value);
bool erase_in_class(Class* cls, std::string_view name);                              // false: there was none
bool erase_in_instance(Interpreter& in, Instance* instance, std::string_view name);  // false: there was none
// The instance is changed in a way that is not known; so is its dict.
void lose_names(Interpreter& in, const Instance* instance, const char* why);

// A script has set this name in a module that is no script (`math.ceil = f`): what it stands for there is not known.
void note_set_in_module(Interpreter& in, const Namespace& module, std::string_view name);
bool is_set_in_module(Interpreter& in, const Namespace& module, std::string_view name);
// A name that is not known is bound to `value` in it, or deleted: each attribute of an instance, a class or a function,
// and each name of a module of scripts, may be that one; Python's own methods (`__init__`) are not. False: a limit is
// pending.
bool lose_any_name(Interpreter& in, Value object, const char* why, Value value);

}  // namespace tilewright::script
