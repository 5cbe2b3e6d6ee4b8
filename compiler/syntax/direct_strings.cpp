// String literals for the direct reader: as strings.cpp joins and decodes them.
#include <algorithm>
#include <optional>

#include "compiler/syntax/direct_expressions.h"
#include "compiler/syntax/literals.h"

namespace tilewright::syntax {

// Literals side by side, as they come up. Text gathers in `buffer_` from `base` on, unless it is one piece of the
// source that means itself.
struct DirectExpressions::Text {
  Items<FStringPart> parts;
  std::size_t base;
  std::string& buffer;
  std::string_view verbatim = {};
  bool copied = false;
  bool format = false, bytes = false;  // of all literals
  StringStart start = {};              // of this one

  void add(std::string_view piece) {
    if (piece.empty()) return;
    if (!copied && verbatim.empty() && is_verbatim(piece, start.bytes)) {
      verbatim = piece;
      return;
    }
    copy();
    append_verbatim(piece, start.bytes, buffer);
  }
  void copy() {
    if (!copied) buffer += verbatim;
    copied = true;
  }
  std::string_view take(Arena& arena) {
    std::string_view text = verbatim;
    if (copied) text = arena.copy(std::string_view(buffer).substr(base));
    buffer.resize(base);
    verbatim = {};
    copied = false;
    return text;
  }
  void flush(Arena& arena) {
    if (std::string_view text = take(arena); !text.empty()) parts.push({text, nullptr, 0, {}, false});
  }
};

// Whether a string's prefix and quote stand at a letter or at a quote.
bool DirectExpressions::at_string() const {
  const char* p = at_;
  while (p < at_ + 2 && is(*p, kLetter)) ++p;
  return *p == '"' || *p == '\'';
}

DirectExpressions::Part DirectExpressions::string() {
  const std::uint32_t begin = here();
  Text text{Items<FStringPart>(parts_), buffer_.size(), buffer_};
  unsigned strings = 0;
  do {
    one_string(text);
    sure(strings++ == 0 || !text.bytes);
  } while (at_string());
  const Extent at{begin, end_};
  if (text.format) {
    text.flush(arena_);
    return make<FString>(at, text.parts.copy(arena_));
  }
  const std::string_view value = text.take(arena_);
  return text.bytes ? make<BytesLit>(at, value) : make<StringLit>(at, value);
}

void DirectExpressions::one_string(Text& text) {
  const char* quote_at = at_;
  while (*quote_at != '"' && *quote_at != '\'') ++quote_at;
  const std::string_view prefix(at_, static_cast<std::size_t>(quote_at - at_));
  const StringStart start = string_start({at_, prefix.size() + 1});
  const bool plain_u = prefix == "u" || prefix == "U";
  const auto counted = static_cast<std::size_t>(start.raw + start.bytes + start.format);
  sure(plain_u || (counted == prefix.size() && !(start.bytes && start.format)));
  text.start = start;
  text.format = text.format || start.format;
  text.bytes = text.bytes || start.bytes;
  const char quote = *quote_at;
  const bool triple = quote_at[1] == quote && quote_at[2] == quote;
  at_ = quote_at + (triple ? 3 : 1);
  text_of(text, quote, triple);
  take(triple ? 3 : 1);
}

// Up to the closing quotes.
void DirectExpressions::text_of(Text& text, char quote, bool triple) {
  const char* piece = at_;
  const auto add = [&] { text.add({piece, static_cast<std::size_t>(at_ - piece)}); };
  for (;;) {
    const char c = *at_;
    if (c == quote && (!triple || (at_[1] == quote && at_[2] == quote))) break;
    if (c == '\\' && text.start.raw) {
      ++at_;
      if (*at_ == '\n' || *at_ == quote || *at_ == '\\') ++at_;
    } else if (c == '\\') {
      add();
      escape(text);
      piece = at_;
    } else if (text.start.format && (c == '{' || c == '}')) {
      add();
      if (at_[1] == c) {
        text.add({at_, 1});
        at_ += 2;
      } else {
        sure(c == '{');
        text.flush(arena_);
        text.parts.push(replacement());
      }
      piece = at_;
    } else {
      sure((c != '\n' || triple) && !at_end());
      sure(!text.start.bytes || !(static_cast<unsigned char>(c) & 0x80));
      ++at_;
    }
  }
  add();
}

// At a backslash: as the grammar's scanner cuts escapes.
void DirectExpressions::escape(Text& text) {
  const char c = at_[1];
  std::size_t bytes = 2;
  const auto hex = [&](std::size_t digits) {
    const auto is_hex = [](char d) { return is(d, kDigit) || ((d | 0x20) >= 'a' && (d | 0x20) <= 'f'); };
    for (std::size_t i = 0; i < digits; ++i, ++bytes) sure(is_hex(at_[bytes]));
  };
  if (c == '\0') unsure();
  if (c >= '0' && c <= '7') {
    while (bytes < 4 && at_[bytes] >= '0' && at_[bytes] <= '7') ++bytes;
  } else if (c == 'x') {
    hex(2);
  } else if (c == 'u' && !text.start.bytes) {
    hex(4);
  } else if ((c == 'U' || c == 'N') && !text.start.bytes) {
    unsure();
  } else if (std::string_view("\n\\'\"abfnrtv").find(c) == std::string_view::npos) {
    // No escape: both characters stand for themselves. A brace is still one.
    const bool alone = (text.start.format && (c == '{' || c == '}')) || (static_cast<unsigned char>(c) & 0x80);
    text.add({at_, alone ? 1u : 2u});
    at_ += alone ? 1 : 2;
    return;
  }
  text.copy();
  append_escape({at_, bytes}, text.start.bytes, buffer_);
  at_ += bytes;
}

// `{...}` of an f-string; what follows it is text again.
FStringPart DirectExpressions::replacement() {
  const std::uint32_t begin = here();
  const bool outside = in_field_;
  in_field_ = true;
  sure(++brackets_ < kMostBrackets);
  take(1);
  FStringPart part;
  part.value = expressions_or_yield().e;
  if (*at_ == '=') {
    take(1);
    part.self_documenting = true;
    part.text = view({begin + 1, here()});
  }
  if (*at_ == '!') {
    part.conversion = at_[1];
    sure(at_[1] == 'r' || at_[1] == 's' || at_[1] == 'a');
    take(2);
  }
  if (*at_ == ':') part.format = format();
  sure(*at_ == '}');
  ++at_;
  --brackets_;
  in_field_ = outside;
  return part;
}

// From the colon to the brace that ends the replacement.
Exprs DirectExpressions::format() {
  const bool outside = std::exchange(in_format_, true);
  sure(!outside);
  const std::uint32_t begin = here();
  ++at_;
  Text text{Items<FStringPart>(parts_), buffer_.size(), buffer_};
  const char* piece = at_;
  const auto add = [&] { text.add({piece, static_cast<std::size_t>(at_ - piece)}); };
  while (*at_ != '}') {
    sure(*at_ != '\\' && *at_ != '\n' && *at_ != '"' && *at_ != '\'' && !at_end());
    if (*at_ != '{') {
      ++at_;
      continue;
    }
    add();
    text.flush(arena_);
    text.parts.push(replacement());
    piece = at_;
  }
  add();
  text.flush(arena_);
  in_format_ = outside;
  Expr made = make<FString>({begin, here()}, text.parts.copy(arena_)).e;
  return arena_.copy(std::span<const Expr>(&made, 1));
}

}  // namespace tilewright::syntax
