// String literals: joined, decoded, and viewed in place where they mean what they say.
#include "compiler/syntax/expressions.h"

namespace tilewright::syntax {

void Expressions::append_text(Joined& joined, std::string_view text, bool bytes) {
  if (text.empty()) return;
  if (!joined.copied) {
    if (joined.verbatim.empty() && is_verbatim(text, bytes)) return void(joined.verbatim = text);
    buffer_ += joined.verbatim;
    joined.copied = true;
  }
  append_verbatim(text, bytes, buffer_);
}

std::string_view Expressions::take_text(Joined& joined) {
  std::string_view text = joined.verbatim;
  if (joined.copied) text = arena_.copy(std::string_view(buffer_).substr(joined.text_base));
  buffer_.resize(joined.text_base);
  joined.verbatim = {};
  joined.copied = false;
  return text;
}

void Expressions::contents(Joined& joined, StringStart start) {
  children([&](Kind kind) {
    switch (kind) {
      case Kind::string_start:
        start = string_start(view(here()));
        joined.format = joined.format || start.format;
        ++(start.bytes ? joined.bytes : joined.texts);
        break;
      case Kind::string_content: append_text(joined, view(here()), start.bytes); break;
      case Kind::escape_sequence: {
        std::string_view escape = view(here());
        if (escape[0] != '\\') {  // a doubled brace
          append_text(joined, escape.substr(1), start.bytes);
        } else if (start.raw) {
          append_text(joined, escape, start.bytes);
        } else {
          if (!joined.copied) buffer_ += joined.verbatim;
          joined.copied = true;
          append_escape(escape, start.bytes, buffer_);
        }
        break;
      }
      case Kind::interpolation: {
        if (std::string_view text = take_text(joined); !text.empty()) joined.parts.push({text, nullptr, 0, {}, false});
        joined.parts.push(interpolation());
        break;
      }
      default: break;
    }
  });
}

FStringPart Expressions::interpolation() {
  Extent at = here();
  FStringPart part;
  std::uint32_t equal_end = 0;  // where the text of `{x = }` ends: at the next token behind the `=`
  bool equal = false;
  children([&](Kind kind, Field field) {
    if (equal && equal_end == 0) equal_end = here().begin;
    if (kind == Kind::token_equal) {
      equal = true;
    } else if (kind == Kind::type_conversion) {
      std::string_view text = view(here());
      part.conversion = text.empty() ? '\0' : text.back();
    } else if (kind == Kind::format_specifier) {
      Extent format_at = here();
      if (too_deep(format_at)) return;
      ++depth_;
      Joined joined{Items<FStringPart>(parts_), buffer_.size(), {}};
      contents(joined, {});
      if (std::string_view text = take_text(joined); !text.empty()) joined.parts.push({text, nullptr, 0, {}, false});
      Expr format = arena_.make<FString>(Node{NodeKind::FString, format_at}, joined.parts.copy(arena_));
      part.format = arena_.copy(std::span<const Expr>(&format, 1));
      --depth_;
    } else if (field == Field::expression || (is_expression(kind) && !part.value)) {
      part.value = expression();
    }
  });
  part.value = required(part.value, at);
  if (equal) {
    part.self_documenting = true;
    part.text = view({at.begin + 1, std::max(equal_end, at.begin + 1)});
  }
  return part;
}

Expr Expressions::string_literal(Kind kind, Extent at) {
  Joined joined{Items<FStringPart>(parts_), buffer_.size(), {}};
  if (kind == Kind::string) {
    contents(joined, {});
  } else {
    children([&](Kind child, Field) {
      if (child == Kind::string) contents(joined, {});
    });
  }
  std::string_view text = take_text(joined);
  suspect_ = suspect_ || (joined.bytes > 0 && kind == Kind::concatenated_string);
  if (joined.bytes > 0 && joined.texts > 0) return broken(at);  // check_rules says why
  if (joined.bytes > 0) return arena_.make<BytesLit>(Node{NodeKind::BytesLit, at}, text);
  if (!joined.format) return arena_.make<StringLit>(Node{NodeKind::StringLit, at}, text);
  if (!text.empty()) joined.parts.push({text, nullptr, 0, {}, false});
  return arena_.make<FString>(Node{NodeKind::FString, at}, joined.parts.copy(arena_));
}

}  // namespace tilewright::syntax
