// Reads JSON of another program without exceptions: the first thing that is wrong is kept, and what is read after it is
// empty. Its words are those of the JSON library's exceptions, and of bounds.h.
//
// A caller reads member after member, and asks ok() where it goes by what it has read: to index, to count, to loop.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/text/json.h"

namespace tilewright::text {

class JsonReader {
 public:
  bool ok() const { return wrong_.empty(); }
  const std::string& wrong() const { return wrong_; }
  // Does nothing where something was wrong before.
  void refuse(std::string why) {
    if (ok()) wrong_ = std::move(why);
  }
  void require(bool holds, std::string_view why) {
    if (!holds) refuse(std::string(why));
  }

  // The value of a text; null where it is no JSON.
  Json parse(std::string_view text);
  // A member, or an element; a null value where there is none.
  const Json& at(const Json& json, std::string_view key);
  const Json& at(const Json& json, std::size_t index);
  // As a T: a bool, an integer that fits, a double, a string, or a list of them.
  template <class T>
  T get(const Json& json) {
    T out{};
    if (ok()) read(json, out);
    return ok() ? out : T{};
  }
  template <class T, class Key>
  T get(const Json& json, Key key) {
    return get<T>(at(json, key));
  }
  // The same, `otherwise` where the object has no such member.
  template <class T>
  T value(const Json& json, std::string_view key, T otherwise) {
    const Json* found = member_or(json, key);
    return found ? get<T>(*found) : std::move(otherwise);
  }

  // least <= value <= most; of a double also that it is a number.
  template <class T>
  void bounds(std::string_view name, T value, std::type_identity_t<T> least, std::type_identity_t<T> most) {
    if (!ok() || (value >= least && value <= most)) return;
    refuse_bounds(name, Json(value), Json(least), Json(most));
  }
  // How many elements a list has.
  void count(std::string_view name, const Json& list, std::size_t most);

 private:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void read(const Json& json, T& to) {
    if (!json.is_number()) return refuse_type(json, "number");
    if (const auto value = integer<T>(json))
      to = *value;
    else
      refuse_integer(json);
  }
  template <class T>
  void read(const Json& json, std::vector<T>& to) {
    if (!json.is_array()) return refuse_type(json, "array");
    for (const Json& one : json) to.push_back(get<T>(one));
  }
  void read(const Json& json, bool& to);
  void read(const Json& json, double& to);
  void read(const Json& json, std::string& to);

  const Json* member_or(const Json& json, std::string_view key);  // null: none
  void refuse_type(const Json& json, std::string_view wanted);
  void refuse_integer(const Json& json);
  void refuse_bounds(std::string_view name, const Json& value, const Json& least, const Json& most);

  std::string wrong_;
};

}  // namespace tilewright::text
