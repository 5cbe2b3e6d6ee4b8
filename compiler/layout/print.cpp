// Layouts as text: the script notation of layout.md 3, its short form, and the tail of every error message.
#include <algorithm>

#include "compiler/layout/detail.h"
#include "compiler/layout/notation.h"

namespace tilewright::layout {
namespace {

enum class Form { Script, Short };

// A symbolic value needs parentheses before `@`, which binds like `*`.
std::string operand(Dim d) {
  std::string text = to_string(d);
  if (d.is_constant() || d.expr().kind() == expr::ExprKind::Var) return text;
  return "(" + text + ")";
}

std::string on_axis(Dim value, Axis axis, Form form) {
  if (form == Form::Short) return operand(value) + "@" + std::string(axis_name(axis));
  return operand(value) + " @ Axis." + std::string(axis_name(axis));
}

std::string iters(const Iters& part, Form form) {
  const std::string_view separator = form == Form::Script ? ", " : ",";
  if (part.empty()) return "[()]";
  std::string extents, strides;
  for (const Iter& i : part) {
    if (!extents.empty()) {
      extents += separator;
      strides += separator;
    }
    extents += to_string(i.extent);
    strides += i.axis == Axis::m ? to_string(i.stride) : on_axis(i.stride, i.axis, form);
  }
  if (part.size() == 1) return "[" + extents + ":" + strides + "]";
  return "[(" + extents + "):(" + strides + ")]";
}

// Offsets in the order of axis names, as the notation prints them.
std::vector<std::pair<Axis, Dim>> by_name(const Offsets& offsets) {
  std::vector<std::pair<Axis, Dim>> sorted = offsets;
  std::ranges::sort(sorted, {}, [](const auto& o) { return axis_name(o.first); });
  return sorted;
}

std::string tile_text(const TileLayout& l, Form form) {
  const std::string prefix = form == Form::Script ? "T." : "";
  std::string text;
  if (!l.shard.empty() || l.replica.empty()) text = prefix + "S" + iters(l.shard, form);
  if (!l.replica.empty()) text += (text.empty() ? "" : " + ") + prefix + "R" + iters(l.replica, form);
  for (const auto& [axis, value] : by_name(l.offset)) {
    bool bare = axis == Axis::m && (value.is_constant() || form == Form::Short);
    text += " + " + (bare ? operand(value) : on_axis(value, axis, form));
  }
  return text;
}

std::string script_tile(const TileLayout& l) {
  if (!l.shard.empty() || !l.replica.empty() || l.offset.empty())
    return "T.TileLayout(" + tile_text(l, Form::Script) + ")";
  std::string entries;
  for (const auto& [axis, value] : by_name(l.offset)) {
    if (!entries.empty()) entries += ", ";
    entries += "\"" + std::string(axis_name(axis)) + "\": " + to_string(value);
  }
  return "T.TileLayout.from_iters(offset={" + entries + "})";
}

std::string script_swizzle(const Swizzle& z) {
  return "T.SwizzleLayout(" + std::to_string(z.per_element) + ", " + std::to_string(z.swizzle_len) + ", " +
         std::to_string(z.atom_len) + ", swizzle_inner=" + (z.inner ? "True" : "False") + ")";
}

}  // namespace

std::string to_string(const Layout& l) {
  if (!l.swizzle) return script_tile(l.tile ? *l.tile : TileLayout());
  if (!l.tile) return script_swizzle(*l.swizzle);
  return "T.ComposeLayout(" + script_swizzle(*l.swizzle) + ", " + script_tile(*l.tile) + ")";
}

Layout over_identity(const Layout& l) {
  return l.is_bare_swizzle() ? Layout{l.swizzle, detail::identity(l.swizzle->period())} : l;
}

std::string to_combined_string(const Layout& l) {
  if (!l.swizzle) return to_string(l);
  const Swizzle& z = *l.swizzle;
  return "T.ComposeLayout(" + std::to_string(z.per_element) + ", " + std::to_string(z.swizzle_len) + ", " +
         std::to_string(z.atom_len) + ", " + script_tile(*over_identity(l).tile) +
         (z.inner ? ")" : ", swizzle_inner=False)");
}

std::string to_short_string(const Layout& l) {
  std::string text;
  if (l.swizzle) {
    text = "Z(" + std::to_string(l.swizzle->per_element) + "," + std::to_string(l.swizzle->swizzle_len) + "," +
           std::to_string(l.swizzle->atom_len) + (l.swizzle->inner ? ")" : ",outer)");
    if (!l.tile) return text;
    text += " o ";
  }
  return text + tile_text(l.tile ? *l.tile : TileLayout(), Form::Short);
}

namespace detail {

std::string shape_text(ShapeView shape) {
  std::string text = "[";
  for (Dim d : shape) {
    if (text.size() > 1) text += ", ";
    text += to_string(d);
  }
  return text + "]";
}

std::string short_text(const TileLayout& l) { return tile_text(l, Form::Short); }

std::unexpected<Error> fail(std::string reason, const Layout& l) {
  return std::unexpected(Error{std::move(reason) + ": layout " + to_short_string(l)});
}
std::unexpected<Error> fail(std::string reason, const TileLayout& l) {
  return std::unexpected(Error{std::move(reason) + ": layout " + short_text(l)});
}
std::unexpected<Error> fail(std::string reason, const Layout& l, ShapeView shape) {
  return std::unexpected(Error{std::move(reason) + ": layout " + to_short_string(l) + ", shape " + shape_text(shape)});
}
std::unexpected<Error> fail(std::string reason, const TileLayout& l, ShapeView shape) {
  return std::unexpected(Error{std::move(reason) + ": layout " + short_text(l) + ", shape " + shape_text(shape)});
}

}  // namespace detail
}  // namespace tilewright::layout
