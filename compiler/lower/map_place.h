// Where a kernel finds the tensor maps that its host part encodes: the three ways of the CUDA programming
// guide, 4.11.2.2.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::lower {

//   Parameter: `const __grid_constant__` parameters, by value. The guide's recommendation, and the default.
//   Constant: variables in `__constant__` memory, which the host writes before the launch.
//   Global: 128 bytes each in global memory, which the host writes; the kernel gets a pointer. Each CTA acquires them
//   by a fence of the tensor-map proxy before it uses them.
enum class MapPlace : std::uint8_t { Parameter, Constant, Global };

// "parameter", "constant", "global"; nothing for other words.
std::optional<MapPlace> map_place(std::string_view word);
std::string_view map_place_word(MapPlace place);

}  // namespace tilewright::lower
