#include "compiler/simulate/machine/watch_expression.h"

#include <algorithm>
#include <charconv>

#include "compiler/expr/analyzer.h"
#include "compiler/text/letters.h"

namespace tilewright::simulate {
namespace {

using ir::Expr;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Wrong {
  std::string what;
};

class Parser {
 public:
  Parser(std::string_view text, const Names& names) : rest_(text), names_(names) {}

  WatchTarget target(bool is_buffer) {
    WatchTarget out;
    if (!is_buffer) {
      out.number = sum();
    } else {
      out.name = name();
      if (take("[")) out.indices = indices();
    }
    blanks();
    if (!rest_.empty()) throw Wrong{"'" + std::string(rest_) + "' is too much"};
    return out;
  }

  std::string_view name() {
    blanks();
    std::size_t end = 0;
    while (end < rest_.size() && (text::begins_name(rest_[end]) || is_digit(rest_[end]) || rest_[end] == '.')) ++end;
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }

 private:
  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool take(std::string_view sign) {
    blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  bool at(std::string_view sign) {
    blanks();
    return rest_.starts_with(sign);
  }

  std::vector<WatchIndex> indices() {
    std::vector<WatchIndex> out;
    do {
      WatchIndex& index = out.emplace_back();
      if (!at(":")) index.first = sum();
      if (!take(":")) continue;
      index.end = Expr();
      if (!at(",") && !at("]")) index.end = sum();
    } while (take(","));
    if (!take("]")) throw Wrong{"a bracket is not closed"};
    return out;
  }

  Expr sum() {
    Expr out = product();
    for (;;) {
      if (take("+")) {
        out = out + product();
      } else if (take("-")) {
        out = out - product();
      } else {
        return out;
      }
    }
  }

  Expr product() {
    Expr out = factor();
    for (;;) {
      if (take("//")) {
        out = out / factor();
      } else if (take("*")) {
        out = out * factor();
      } else if (take("%")) {
        out = out % factor();
      } else {
        return out;
      }
    }
  }

  Expr factor() {
    if (take("-")) return Expr(0) - factor();
    if (take("(")) {
      Expr inner = sum();
      if (!take(")")) throw Wrong{"a bracket is not closed"};
      return inner;
    }
    blanks();
    if (!rest_.empty() && is_digit(rest_.front())) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc{}) throw Wrong{"a number is too large"};
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return Expr(value);
    }
    const std::string_view word = rest_.empty() || !text::begins_name(rest_.front()) ? std::string_view() : name();
    if (word.empty()) throw Wrong{rest_.empty() ? "it ends too early" : "'" + std::string(rest_) + "' is no number"};
    Expr value = names_(word);
    if (!value) throw Wrong{"there is no `" + std::string(word) + "` at that line"};
    return value;
  }

  std::string_view rest_;
  const Names& names_;
};

}  // namespace

std::string_view watched_name(std::string_view text) {
  const Names none = [](std::string_view) { return Expr(); };
  const std::string_view name = Parser(text, none).name();
  if (name.empty() || is_digit(name.front())) return {};
  std::string_view rest = text.substr(static_cast<std::size_t>(name.data() + name.size() - text.data()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return rest.empty() || rest.starts_with('[') ? name : std::string_view();
}

std::expected<WatchTarget, std::string> parse_watch(std::string_view text, bool is_buffer, const Names& names) {
  try {
    return Parser(text, names).target(is_buffer);
  } catch (const Wrong& wrong) {
    return std::unexpected(wrong.what);
  }
}

}  // namespace tilewright::simulate
