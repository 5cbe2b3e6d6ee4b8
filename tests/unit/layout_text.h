// Reads the short form of layouts in tests: L("Z(3,3,3) o S[(64,2,32):(64,4064,1)] + R[4:32@TLane] + 8 + 5@warpid").
#pragma once
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "compiler/layout/layout.h"

namespace tilewright::layout::test {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Layout read() {
    Layout l;
    if (eat("Z(")) {
      Swizzle z;
      z.per_element = static_cast<int>(number());
      need(",");
      z.swizzle_len = static_cast<int>(number());
      need(",");
      z.atom_len = static_cast<int>(number());
      need(")");
      l.swizzle = z;
      if (!eat("o")) return l;
    }
    l.tile = TileLayout();
    do {
      if (eat("S[")) {
        l.tile->shard = iters();
      } else if (eat("R[")) {
        l.tile->replica = iters();
      } else {
        Iter i = term();
        add_offset(l.tile->offset, i.axis, i.stride);
      }
    } while (eat("+"));
    space();
    if (!text_.empty()) throw std::runtime_error("left over: " + std::string(text_));
    return l;
  }

 private:
  void space() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
  }
  bool eat(std::string_view word) {
    space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void need(std::string_view word) {
    if (!eat(word)) throw std::runtime_error("expected " + std::string(word) + " at " + std::string(text_));
  }
  std::int64_t number() {
    space();
    std::size_t n = 0;
    while (n < text_.size() && (text_[n] == '-' || (text_[n] >= '0' && text_[n] <= '9'))) ++n;
    if (n == 0) throw std::runtime_error("expected a number at " + std::string(text_));
    std::int64_t v = std::strtoll(std::string(text_.substr(0, n)).c_str(), nullptr, 10);
    text_.remove_prefix(n);
    return v;
  }
  Iter term() {  // a stride or an offset
    Iter i{1, number(), Axis::m};
    if (eat("@")) {
      std::size_t n = 0;
      while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_')) ++n;
      i.axis = parse_axis(text_.substr(0, n)).value();
      text_.remove_prefix(n);
    }
    return i;
  }
  // After `S[`: extents, perhaps `:` and strides, and `]`.
  Iters iters() {
    Iters out;
    bool many = eat("(");
    if (!(many && eat(")"))) {
      do {
        out.push_back({number(), 0, Axis::m});
      } while (eat(","));
      if (many) need(")");
    }
    if (eat(":")) {
      many = eat("(");
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (i) need(",");
        Iter stride = term();
        out[i].stride = stride.stride;
        out[i].axis = stride.axis;
      }
      if (many) need(")");
    } else {
      Dim stride = 1;
      for (std::size_t i = out.size(); i-- > 0;) {
        out[i].stride = stride;
        stride = stride * out[i].extent;
      }
    }
    need("]");
    return out;
  }

  std::string_view text_;
};

inline Layout L(std::string_view text) { return Reader(text).read(); }

// An operation's answer as text: the layout, "none", or "error: ...".
inline std::string show(const Layout& l) { return to_short_string(l); }
inline std::string show(const Result<Layout>& r) { return r ? to_short_string(*r) : "error: " + r.error().message; }
inline std::string show(const Result<std::optional<Layout>>& r) {
  if (!r) return "error: " + r.error().message;
  return *r ? to_short_string(**r) : "none";
}
inline std::string show(const Result<Dim>& r) { return r ? to_string(*r) : "error: " + r.error().message; }
inline std::string show(const IntCoordinates& at) {
  std::string text;
  for (const auto& [axis, value] : at)
    text += (text.empty() ? "" : " ") + std::string(axis_name(axis)) + "=" + std::to_string(value);
  return text;
}
inline std::string show(const Result<IntCoordinates>& r) { return r ? show(*r) : "error: " + r.error().message; }
inline std::string show(const Result<Grouped>& r) {
  if (!r) return "error: " + r.error().message;
  std::string text = to_short_string(Layout{std::nullopt, r->layout}) + " seps ";
  for (std::size_t i = 0; i < r->separators.size(); ++i) text += (i ? "," : "") + std::to_string(r->separators[i]);
  return text;
}
inline std::string show(const Result<std::optional<std::pair<Unit, Unit>>>& r) {
  if (!r) return "error: " + r.error().message;
  if (!*r) return "none";
  return "(" + std::string(unit_name((*r)->first)) + ", " + std::string(unit_name((*r)->second)) + ")";
}

}  // namespace tilewright::layout::test
