#include "compiler/simulate/machine/foreign.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "compiler/text/letters.h"

namespace tilewright::simulate {
namespace {

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two == "//" || two == "/*") {
      const std::string_view end = two == "//" ? "\n" : "*/";
      const std::size_t at = text.find(end, i + 2);
      i = at == text.npos ? text.size() : at + end.size() - 1;
      out += ' ';
      continue;
    }
    out += text[i];
    if (text[i] != '"') continue;
    while (++i < text.size()) {  // a literal stays as it is
      out += text[i];
      if (text[i] == '\\' && i + 1 < text.size()) {
        out += text[++i];
      } else if (text[i] == '"') {
        break;
      }
    }
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::vector<std::string> parts_of(std::string_view text, char by) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) out.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Reads the text of one function from left to right; whatever it does not expect ends it.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void skip() { rest_ = trimmed(rest_); }
  bool at_end() {
    skip();
    return rest_.empty();
  }
  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    if (text::is_ascii_name_byte(word.back()) && rest_.size() > word.size() &&
        text::is_ascii_name_byte(rest_[word.size()]))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string name() {
    skip();
    std::size_t n = 0;
    while (n < rest_.size() && text::is_ascii_name_byte(rest_[n])) ++n;
    std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return out;
  }
  // What stands before `end`, which is taken, too.
  std::optional<std::string> until(char end) {
    const std::size_t at = rest_.find(end);
    if (at == rest_.npos) return std::nullopt;
    std::string out(trimmed(rest_.substr(0, at)));
    rest_.remove_prefix(at + 1);
    return out;
  }
  // Literals that stand one behind the other.
  std::optional<std::string> text() {
    std::string out;
    bool any = false;
    while (take("\"")) {
      any = true;
      for (;; rest_.remove_prefix(1)) {
        if (rest_.empty()) return std::nullopt;
        if (rest_[0] == '"') break;
        if (rest_[0] == '\\' && rest_.size() > 1) {
          rest_.remove_prefix(1);
          out += rest_[0] == 'n' || rest_[0] == 't' ? ' ' : rest_[0];
        } else {
          out += rest_[0];
        }
      }
      rest_.remove_prefix(1);
    }
    return any ? std::optional(out) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<std::vector<PtxFunction::Operand>> operands(Reader& r, bool out) {
  std::vector<PtxFunction::Operand> all;
  r.skip();
  for (bool more = true; more; more = r.take(",")) {
    const auto constraint = r.text();
    if (!constraint) return all.empty() && !more ? std::optional(all) : all.empty() ? std::optional(all) : std::nullopt;
    const std::string_view kind = std::string_view(*constraint).substr(out && constraint->starts_with('=') ? 1 : 0);
    if (kind.size() != 1 || std::string_view("hrlfd").find(kind[0]) == std::string_view::npos) return std::nullopt;
    if (out && !constraint->starts_with('=')) return std::nullopt;
    if (!r.take("(")) return std::nullopt;
    const auto value = r.until(')');
    if (!value || value->empty() || !std::ranges::all_of(*value, text::is_ascii_name_byte)) return std::nullopt;
    all.push_back({kind[0], *value});
  }
  return all;
}

std::optional<std::vector<PtxFunction::Line>> lines_of(std::string text) {
  std::ranges::replace(text, '{', ';');
  std::ranges::replace(text, '}', ';');
  std::vector<PtxFunction::Line> out;
  for (const std::string& statement : parts_of(text, ';')) {
    if (statement.starts_with(".reg")) continue;
    if (statement[0] == '@' || statement.find(':') != statement.npos || statement.find('[') != statement.npos)
      return std::nullopt;
    const std::size_t end = std::min(statement.find_first_of(" \t\n"), statement.size());
    out.push_back({parts_of(std::string_view(statement).substr(0, end), '.'),
                   parts_of(std::string_view(statement).substr(end), ',')});
  }
  return out;
}

std::optional<PtxFunction::Block> block(Reader& r) {
  if (!r.take("volatile")) r.take("__volatile__");
  if (!r.take("(")) return std::nullopt;
  PtxFunction::Block out;
  const auto text = r.text();
  if (!text) return std::nullopt;
  auto lines = lines_of(*text);
  if (!lines) return std::nullopt;
  out.lines = std::move(*lines);
  if (r.take(":")) {
    auto outs = operands(r, true);
    if (!outs) return std::nullopt;
    out.outs = std::move(*outs);
  }
  if (r.take(":")) {
    auto ins = operands(r, false);
    if (!ins) return std::nullopt;
    out.ins = std::move(*ins);
  }
  return r.take(")") && r.take(";") ? std::optional(std::move(out)) : std::nullopt;
}

// Where the parameters of the function begin, behind its bracket.
std::size_t parameters_at(std::string_view source, std::string_view name) {
  for (std::size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
    if (at > 0 && text::is_ascii_name_byte(source[at - 1])) continue;
    std::size_t next = at + name.size();
    while (next < source.size() && std::isspace(static_cast<unsigned char>(source[next]))) ++next;
    if (next < source.size() && source[next] == '(') return next + 1;
  }
  return source.npos;
}

}  // namespace

std::optional<PtxFunction> ptx_function(std::string_view source, std::string_view name) {
  const std::string text = without_comments(source);
  const std::size_t at = parameters_at(text, name);
  if (at == text.npos) return std::nullopt;
  Reader r(std::string_view(text).substr(at));
  PtxFunction out;
  const auto params = r.until(')');
  if (!params || params->find_first_of("*&") != params->npos) return std::nullopt;
  for (const std::string& param : parts_of(*params, ',')) {
    std::size_t begin = param.size();
    while (begin > 0 && text::is_ascii_name_byte(param[begin - 1])) --begin;
    out.params.push_back(param.substr(begin));
  }
  if (!r.take("{")) return std::nullopt;
  for (;;) {
    if (r.take("asm")) {
      auto one = block(r);
      if (!one) return std::nullopt;
      out.blocks.push_back(std::move(*one));
    } else if (r.take("return")) {
      out.result = r.name();
      const bool ends = !out.result.empty() && r.take(";") && r.take("}") && r.at_end();
      return ends && !out.blocks.empty() ? std::optional(std::move(out)) : std::nullopt;
    } else {
      // Declarations alone, without values.
      const auto declared = r.until(';');
      const auto of_names = [](char c) { return text::is_ascii_name_byte(c) || c == ' ' || c == ','; };
      if (!declared || !std::ranges::all_of(*declared, of_names)) return std::nullopt;
    }
  }
}

bool is_function_of_scalars(std::string_view source) {
  constexpr std::array<std::string_view, 33> kMore = {
      "sync",    "bar",        "fence",          "atom",         "red.",       "cp.",       "[%",
      "tcgen05", "mma",        "trap",           "exit",         "*)",         "->",        "reinterpret",
      "__cvta",  "mapa",       "printf",         "assert",       "elect",      "vote",      "match",
      "shfl",    "activemask", "griddepcontrol", "nanosleep",    "setmaxnreg", "threadIdx", "blockIdx",
      "__ldg",   "extern",     "%clock",         "%globaltimer", "__shared__"};
  const std::string text = without_comments(source);
  return std::ranges::none_of(kMore, [&](std::string_view word) { return text.find(word) != text.npos; });
}

std::optional<std::uint64_t> ptx_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X") || text.starts_with("0f") || text.starts_with("0F")) {
    if (negative && (text[1] == 'f' || text[1] == 'F')) return std::nullopt;
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return negative ? ~value + 1 : value;
}

}  // namespace tilewright::simulate
