// The code that a hint names.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::ide {

// What `hint` says to write: "write n = T.int32() ..." gives "n = T.int32()". Empty: nothing that
// could stand in a script as it is (`T.uint8(...)` has a place for something else).
std::string code_in(std::string_view hint);
// The dotted name that follows `word`: of "cast one side, e.g. T.uint32(x)" after "e.g. " it is T.uint32. Empty: none.
std::string name_after(std::string_view hint, std::string_view word);

}  // namespace tilewright::ide
