// The dict that vars() and __dict__ give of an instance: one for each instance, in step with its attributes.
#pragma once
#include <string_view>

#include "compiler/script/value.h"

namespace tilewright::script {

class Interpreter;

Dict* names_of(Interpreter& in, Instance* instance);
// An attribute of the instance, and the entry of its dict if that was asked for.
void set_in_instance(Interpreter& in, Instance* instance, std::string_view name, Value value);
bool erase_in_instance(Interpreter& in, Instance* instance, std::string_view name);  // false: there was none
// The instance is changed in a way that is not known; so is its dict.
void lose_names(Interpreter& in, const Instance* instance, const char* why);

}  // namespace tilewright::script
