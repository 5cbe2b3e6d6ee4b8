#include "server/mcp/tool.h"

#include <algorithm>

#include "compiler/text/escape.h"
#include "compiler/text/nearest.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kLongestText = 16'384, kMostTexts = 64;
constexpr std::size_t kShown = 80;  // bytes of a wrong value

std::string in_quotes(std::string_view text) {
  return "'" + text::visible(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::string_view word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

// Why the value is none for the parameter; empty: it is one.
std::string why_not(const Parameter& p, const protocol::Json& value) {
  const std::string name(p.name);
  auto too_long = [&](const protocol::Json& v) { return v.get_ref<const std::string&>().size() > kLongestText; };
  switch (p.kind) {
    case Parameter::Kind::Text:
      if (!value.is_string()) return name + " must be a string";
      if (too_long(value)) return name + " has at most " + std::to_string(kLongestText) + " bytes";
      if (!p.choices.empty() &&
          std::ranges::find(p.choices, std::string_view(value.get_ref<const std::string&>())) == p.choices.end())
        return name + " is one of " + listed(p.choices) + ", not " + in_quotes(value.get_ref<const std::string&>());
      return {};
    case Parameter::Kind::Number:
      return text::integer<std::int32_t>(value) ? std::string() : name + " must be an integer";
    case Parameter::Kind::Flag: return value.is_boolean() ? std::string() : name + " must be true or false";
    case Parameter::Kind::Texts:
      if (!value.is_array()) return name + " must be an array of strings";
      if (value.size() > kMostTexts) return name + " has at most " + std::to_string(kMostTexts) + " elements";
      for (const protocol::Json& one : value) {
        if (!one.is_string()) return name + " must be an array of strings";
        if (too_long(one)) return "each of " + name + " has at most " + std::to_string(kLongestText) + " bytes";
      }
      return {};
  }
  return {};
}

}  // namespace

std::expected<Arguments, std::string> Arguments::read(const protocol::Json& json,
                                                      const std::vector<Parameter>& parameters) {
  Arguments out;
  if (!json.is_null() && !json.is_object()) return std::unexpected("arguments must be an object");
  std::vector<std::string_view> known;
  for (const Parameter& p : parameters) known.push_back(p.name);
  for (const auto& [name, value] : json.items()) {
    const auto p = std::ranges::find(parameters, std::string_view(name), &Parameter::name);
    if (p == parameters.end()) {
      text::Nearest nearest(name, text::Nearest::Among::Few);
      for (std::string_view k : known) nearest.consider(k);
      const std::string hint = nearest.found().empty() ? "the arguments are " + listed(known)
                                                       : "did you mean " + std::string(nearest.found()) + "?";
      return std::unexpected("there is no argument " + in_quotes(name) + ": " + hint);
    }
    if (value.is_null()) continue;  // as if it was not given
    if (std::string wrong = why_not(*p, value); !wrong.empty()) return std::unexpected(std::move(wrong));
    out.given_[name] = value;
  }
  for (const Parameter& p : parameters)
    if (p.required && !out.has(p.name) && !out.has("cursor"))
      return std::unexpected("the argument " + std::string(p.name) + " is missing");
  return out;
}

bool Arguments::has(std::string_view name) const { return given_.contains(name); }

std::string Arguments::text(std::string_view name) const {
  return has(name) ? given_.at(std::string(name)).get<std::string>() : std::string();
}

std::optional<std::int64_t> Arguments::number(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return text::integer<std::int64_t>(given_.at(std::string(name)));
}

bool Arguments::flag(std::string_view name) const { return has(name) && given_.at(std::string(name)).get<bool>(); }

std::vector<std::string> Arguments::texts(std::string_view name) const {
  return has(name) ? given_.at(std::string(name)).get<std::vector<std::string>>() : std::vector<std::string>();
}

Parameter path_parameter() {
  return {.name = "path", .words = "A script of the workspace, or example:NAME for one of ours", .required = true};
}
Parameter entry_parameter() {
  return {.name = "entry", .words = "The kernel, as the tool entries lists it; default: the first"};
}
Parameter arch_parameter() { return {.name = "arch", .words = "Architecture, such as sm_90a; default: the script's"}; }

}  // namespace tilewright::mcp
