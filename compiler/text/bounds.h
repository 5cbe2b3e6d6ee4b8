// Numbers of another program, each with the range that its protocol states. What lies outside is an error that names
// the number and the range; it is never made to fit.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include "compiler/text/json.h"

namespace tilewright::text {

// A JSON exception: what reads a message needs one handler for all that is wrong with it.
class OutOfBounds : public nlohmann::json::exception {
 public:
  explicit OutOfBounds(const std::string& what) : exception(406, what.c_str()) {}
};

template <class T>
std::string number_text(T value) {
  return nlohmann::json(value).dump();
}

// Throws OutOfBounds unless least <= value <= most; of a double also where it is no number.
template <class T>
void check_bounds(std::string_view name, T value, std::type_identity_t<T> least, std::type_identity_t<T> most) {
  if (value >= least && value <= most) return;
  throw OutOfBounds(std::string(name) + " is " + number_text(value) + "; it lies between " + number_text(least) +
                    " and " + number_text(most));
}

// The same of how many elements a list has.
template <class List>
void check_count(std::string_view name, const List& list, std::size_t most) {
  if (list.size() <= most) return;
  throw OutOfBounds("there are " + std::to_string(list.size()) + " " + std::string(name) + "; at most " +
                    std::to_string(most) + " are allowed");
}

}  // namespace tilewright::text
