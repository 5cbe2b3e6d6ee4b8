// Parts of a question about a layout that no script has: its shape, and a warp's access in words.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/layout/picture.h"
#include "compiler/script/value.h"

namespace tilewright::ide {

// "64, 64" or "(64, 64)". None: it is no shape.
std::optional<layout::Shape> parse_shape(std::string_view text);
std::string shape_words(layout::ShapeView shape);  // "(64, 64)"
// What a layout alone says about its shape: one dimension an iter, or one period of a bare swizzle, a row as long as
// the bits that are XORed reach.
layout::Shape default_layout_shape(const layout::Layout& l);

// 'lane -> (lane//4, lane%4*2)' as an expression that gives the coordinates of each lane of a warp. None: there is no
// arrow in it.
std::optional<std::string> access_expression(const std::string& text);
// The coordinates of the lanes; every lane gives one number, or as many as the shape has dimensions.
std::expected<std::vector<std::vector<std::int64_t>>, std::string> access_coordinates(script::Value value);
// The shape that these coordinates are of: a single number is a linear index of the whole shape.
layout::Shape shape_of_access(const layout::Shape& shape, const layout::Access& access);
// Empty: each lane lies in the shape.
std::string why_outside(const layout::Access& access, const layout::Shape& of);

}  // namespace tilewright::ide
