// JSON, read with care: a number becomes an integer only where it is one that fits. The library casts, so that 1e30
// becomes whatever the processor makes of it (C++ leaves it open), 2^32 becomes 0 in an int, and true becomes 1.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tilewright::text {

// What we write: members stay in the order in which they were put.
using Json = nlohmann::ordered_json;
// What others send: members are found by a search in a tree, so that an object of a million of them costs what it is
// long. A Json and a MessageJson are made of one another without being printed.
using MessageJson = nlohmann::json;

// The number as a T. None: it is no integer, or does not fit. 4.0 is 4: some clients know one kind of number only.
template <std::integral T, typename Json>
std::optional<T> integer(const Json& json) {
  auto fitting = [](auto value) {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  };
  if (json.is_number_unsigned()) return fitting(json.template get_ref<const std::uint64_t&>());
  if (json.is_number_integer()) return fitting(json.template get_ref<const std::int64_t&>());
  if (!json.is_number_float()) return std::nullopt;
  const double value = json.template get_ref<const double&>();
  // A power of two is exact as a double; the greatest value of T may not be.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value != std::floor(value) || value >= end || value < (std::is_signed_v<T> ? -end : 0.0)) return std::nullopt;
  return static_cast<T>(value);
}

}  // namespace tilewright::text

namespace nlohmann {

// Of `get<int>()`, `get_to`, `value("name", 0)` and containers of integers. Throws json::type_error for what is no
// number, and json::out_of_range for one that is no T.
template <std::integral T>
  requires(!std::same_as<T, bool>)
struct adl_serializer<T, void> {
  template <typename Json>
  static void from_json(const Json& json, T& to) {
    if (!json.is_number())
      throw detail::type_error::create(302, std::string("type must be number, but is ") + json.type_name(), &json);
    const auto value = tilewright::text::integer<T>(json);
    if (!value) throw detail::out_of_range::create(406, json.dump() + " is not an integer that fits here", &json);
    to = *value;
  }
  template <typename Json>
  static void to_json(Json& json, T value) {
    nlohmann::to_json(json, value);
  }
};

template <typename T>
  requires std::is_enum_v<T>
struct adl_serializer<T, void> {
  template <typename Json>
  static void from_json(const Json& json, T& to) {
    to = static_cast<T>(json.template get<std::underlying_type_t<T>>());
  }
  template <typename Json>
  static void to_json(Json& json, T value) {
    nlohmann::to_json(json, value);
  }
};

}  // namespace nlohmann
