// Methods of str. Positions count code points; letters outside ASCII have no case here.
#include <algorithm>
#include <array>

#include "compiler/script/codes.h"
#include "compiler/script/python/methods.h"
#include "compiler/script/python/unicode.h"
#include "compiler/text/search.h"

namespace tilewright::script::python {
namespace {

using Text = std::string_view;
constexpr Text kBlank = " \t\n\r\f\v";

Text self_text(Value self) { return self.as<Str>()->text; }

Value make(Interpreter& in, const Arguments& args, Text text) {
  return reserve(in, args.call, text.size()) ? in.string(text) : Value::error();
}

std::optional<Text> text_argument(Interpreter& in, const Arguments& args, std::size_t i, Text what) {
  return in.as_string(args.positional[i], args.at(i), what);
}

bool is_ascii(Text text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Byte offset of a position given in code points, negative ones from the end.
std::size_t offset_of(Text text, std::int64_t at) {
  std::int64_t length = static_cast<std::int64_t>(is_ascii(text) ? text.size() : text_length(text));
  if (at < 0) at = std::max<std::int64_t>(0, at + length);
  if (at >= length) return text.size();
  return is_ascii(text) ? static_cast<std::size_t>(at) : text_offset(text, static_cast<std::size_t>(at));
}

// ---- joining and splitting --------------------------------------------------------------------------------------

Value str_join(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "join", 1, 1)) return Value::error();
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items) return Value::error();
  Text separator = self_text(self);
  std::uint64_t size = 0;
  for (Value v : *items) {
    if (v.is_opaque() || v.is_poison()) return v;
    Str* part = v.as<Str>();
    if (!part) {
      auto text = in.as_string(v, args.at(0), "an item of join()");
      if (!text) return Value::error();
      size += text->size();
    } else {
      size += part->text.size();
    }
    size += separator.size();
  }
  if (!reserve(in, args.call, size) || !work(in, args.call, items->size())) return Value::error();
  std::string out;
  out.reserve(size);
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i) out += separator;
    out += *in.as_string((*items)[i], args.at(0), "an item of join()");
  }
  return in.string(out);
}

Value list_of_texts(Interpreter& in, const Arguments& args, const std::vector<Text>& parts) {
  if (!reserve(in, args.call, parts.size() * sizeof(Str)) || !work(in, args.call, parts.size())) return Value::error();
  std::vector<Value> items;
  items.reserve(parts.size());
  for (Text part : parts) items.push_back(in.string(part));
  return in.list(std::move(items));
}

Value split(Interpreter& in, const Arguments& args, Value self, bool from_right) {
  Bound a(in, args, from_right ? "rsplit" : "split", {"sep", "maxsplit"}, 0);
  if (!a) return Value::error();
  Text text = self_text(self);
  std::int64_t most = -1;
  if (a.has(1)) {
    auto given = in.as_int(a[1], a.span(1), "maxsplit");
    if (!given) return Value::error();
    most = *given;
  }
  auto more = [&](std::size_t cuts) { return most < 0 || cuts < static_cast<std::uint64_t>(most); };
  std::vector<Text> parts;
  if (a.has(0)) {
    auto separator = in.as_string(a[0], a.span(0), "the separator");
    if (!separator) return Value::error();
    if (separator->empty()) return in.fail(code::kValue, a.span(0), "the separator is empty", {}, "ValueError");
    // From the right, both texts are turned round once, and what is found is counted from the end.
    std::string turned_text, turned_separator;
    Text all = text, cut = *separator;
    if (from_right) {
      all = turned_text.assign(text.rbegin(), text.rend());
      cut = turned_separator.assign(cut.rbegin(), cut.rend());
    }
    auto part = [&](std::size_t begin, std::size_t end) {
      return text.substr(from_right ? text.size() - end : begin, end - begin);
    };
    std::size_t begin = 0;
    while (more(parts.size())) {
      std::size_t at = text::find_first(all, cut, begin);
      if (at == all.npos) break;
      parts.push_back(part(begin, at));
      begin = at + cut.size();
    }
    parts.push_back(part(begin, all.size()));
  } else {
    while (true) {
      std::size_t first = text.find_first_not_of(kBlank);
      if (first == text.npos) break;
      text = text.substr(first, text.find_last_not_of(kBlank) - first + 1);
      std::size_t cut = from_right ? text.find_last_of(kBlank) : text.find_first_of(kBlank);
      if (cut == text.npos || !more(parts.size())) {
        parts.push_back(text);
        break;
      }
      parts.push_back(from_right ? text.substr(cut + 1) : text.substr(0, cut));
      text = from_right ? text.substr(0, cut) : text.substr(cut + 1);
    }
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return list_of_texts(in, args, parts);
}

Value str_split(Interpreter& in, const Arguments& args, Value self) { return split(in, args, self, false); }
Value str_rsplit(Interpreter& in, const Arguments& args, Value self) { return split(in, args, self, true); }

Value str_splitlines(Interpreter& in, const Arguments& args, Value self) {
  Text text = self_text(self);
  std::vector<Text> lines;
  while (!text.empty()) {
    std::size_t end = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return list_of_texts(in, args, lines);
}

Value partition(Interpreter& in, const Arguments& args, Value self, bool from_right) {
  if (!takes(in, args, "partition", 1, 1)) return Value::error();
  auto separator = text_argument(in, args, 0, "the separator");
  if (!separator) return Value::error();
  if (separator->empty()) return in.fail(code::kValue, args.at(0), "the separator is empty", {}, "ValueError");
  Text text = self_text(self);
  std::size_t at = from_right ? text::find_last(text, *separator) : text::find_first(text, *separator);
  if (at == text.npos) {
    Value all = in.string(text), none = in.string("");
    return from_right ? in.tuple({none, none, all}) : in.tuple({all, none, none});
  }
  return in.tuple(
      {in.string(text.substr(0, at)), in.string(*separator), in.string(text.substr(at + separator->size()))});
}

Value str_partition(Interpreter& in, const Arguments& args, Value self) { return partition(in, args, self, false); }
Value str_rpartition(Interpreter& in, const Arguments& args, Value self) { return partition(in, args, self, true); }

// ---- trimming ---------------------------------------------------------------------------------------------------

Value strip(Interpreter& in, const Arguments& args, Value self, bool left, bool right) {
  if (!takes(in, args, "strip", 0, 1)) return Value::error();
  Text text = self_text(self), characters = kBlank;
  if (!args.positional.empty() && !args.positional[0].is_none()) {
    auto given = text_argument(in, args, 0, "the characters");
    if (!given) return Value::error();
    characters = *given;
  }
  std::array<bool, 256> goes{};
  for (char c : characters) goes[static_cast<unsigned char>(c)] = true;
  auto end_goes = [&](char c) { return goes[static_cast<unsigned char>(c)]; };
  while (left && !text.empty() && end_goes(text.front())) text.remove_prefix(1);
  while (right && !text.empty() && end_goes(text.back())) text.remove_suffix(1);
  return make(in, args, text);
}

Value str_strip(Interpreter& in, const Arguments& args, Value self) { return strip(in, args, self, true, true); }
Value str_lstrip(Interpreter& in, const Arguments& args, Value self) { return strip(in, args, self, true, false); }
Value str_rstrip(Interpreter& in, const Arguments& args, Value self) { return strip(in, args, self, false, true); }

Value str_removeprefix(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "removeprefix", 1, 1)) return Value::error();
  auto prefix = text_argument(in, args, 0, "the prefix");
  if (!prefix) return Value::error();
  Text text = self_text(self);
  return make(in, args, text.starts_with(*prefix) ? text.substr(prefix->size()) : text);
}

Value str_removesuffix(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "removesuffix", 1, 1)) return Value::error();
  auto suffix = text_argument(in, args, 0, "the suffix");
  if (!suffix) return Value::error();
  Text text = self_text(self);
  return make(in, args, text.ends_with(*suffix) ? text.substr(0, text.size() - suffix->size()) : text);
}

// ---- searching --------------------------------------------------------------------------------------------------

// The optional start and end arguments after the first one.
std::optional<std::pair<std::size_t, std::size_t>> window(Interpreter& in, const Arguments& args, Text text) {
  std::size_t bounds[2] = {0, text.size()};
  for (std::size_t i = 0; i < 2; ++i) {
    if (args.positional.size() <= i + 1 || args.positional[i + 1].is_none()) continue;
    auto at = in.as_int(args.positional[i + 1], args.at(i + 1), "a position");
    if (!at) return std::nullopt;
    bounds[i] = offset_of(text, *at);
  }
  return std::pair(bounds[0], std::max(bounds[0], bounds[1]));
}

Value affix(Interpreter& in, const Arguments& args, Value self, bool at_start) {
  Text name = at_start ? "startswith" : "endswith";
  if (!takes(in, args, name, 1, 3)) return Value::error();
  Text text = self_text(self);
  auto bounds = window(in, args, text);
  if (!bounds) return Value::error();
  text = text.substr(bounds->first, bounds->second - bounds->first);
  std::vector<Value> choices{args.positional[0]};
  if (Tuple* t = args.positional[0].as<Tuple>()) choices = t->items;
  for (Value v : choices) {
    auto part = in.as_string(v, args.at(0), "the text to look for");
    if (!part) return Value::error();
    if (at_start ? text.starts_with(*part) : text.ends_with(*part)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value str_startswith(Interpreter& in, const Arguments& args, Value self) { return affix(in, args, self, true); }
Value str_endswith(Interpreter& in, const Arguments& args, Value self) { return affix(in, args, self, false); }

Value search(Interpreter& in, const Arguments& args, Value self, Text name, bool from_right, bool must) {
  if (!takes(in, args, name, 1, 3)) return Value::error();
  Text text = self_text(self);
  auto part = text_argument(in, args, 0, "the text to look for");
  if (!part) return Value::error();
  auto bounds = window(in, args, text);
  if (!bounds || !work(in, args.call, text.size() / 16)) return Value::error();
  Text inside = text.substr(bounds->first, bounds->second - bounds->first);
  std::size_t at = from_right ? text::find_last(inside, *part) : text::find_first(inside, *part);
  if (at != inside.npos) {
    return Value::integer(static_cast<std::int64_t>(text_length(text.substr(0, bounds->first + at))));
  }
  if (!must) return Value::integer(-1);
  return in.fail(code::kValue, args.call, "the text does not occur", {}, "ValueError");
}

Value str_find(Interpreter& in, const Arguments& args, Value self) {
  return search(in, args, self, "find", false, false);
}
Value str_rfind(Interpreter& in, const Arguments& args, Value self) {
  return search(in, args, self, "rfind", true, false);
}
Value str_index(Interpreter& in, const Arguments& args, Value self) {
  return search(in, args, self, "index", false, true);
}
Value str_rindex(Interpreter& in, const Arguments& args, Value self) {
  return search(in, args, self, "rindex", true, true);
}

Value str_count(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "count", 1, 3)) return Value::error();
  Text text = self_text(self);
  auto part = text_argument(in, args, 0, "the text to look for");
  if (!part) return Value::error();
  auto bounds = window(in, args, text);
  if (!bounds || !work(in, args.call, text.size() / 16)) return Value::error();
  text = text.substr(bounds->first, bounds->second - bounds->first);
  if (part->empty()) return Value::integer(static_cast<std::int64_t>(text_length(text)) + 1);
  std::int64_t n = 0;
  for (std::size_t at = text::find_first(text, *part); at != text.npos;
       at = text::find_first(text, *part, at + part->size())) {
    ++n;
  }
  return Value::integer(n);
}

Value str_replace(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "replace", {"old", "new", "count"}, 2);
  if (!a) return Value::error();
  Text text = self_text(self);
  auto from = in.as_string(a[0], a.span(0), "the text to replace");
  auto to = from ? in.as_string(a[1], a.span(1), "the replacement") : std::nullopt;
  if (!to) return Value::error();
  std::int64_t most = -1;
  if (a.has(2)) {
    auto given = in.as_int(a[2], a.span(2), "the count");
    if (!given) return Value::error();
    most = *given;
  }
  std::string out;
  std::size_t at = 0, budget = 0;
  for (std::int64_t n = 0; most < 0 || n < most; ++n) {
    std::size_t next = text::find_first(text, *from, at);
    if (next == text.npos) break;
    std::size_t end = next + from->size();
    if (from->empty()) {  // before every character, and at the end
      out += *to;
      if (next == text.size()) {
        at = next + 1;
        break;
      }
      out += text[next];
      at = next + 1;
    } else {
      out += text.substr(at, next - at);
      out += *to;
      at = end;
    }
    if (out.size() > budget) {  // ask in ever larger pieces
      budget = 2 * out.size() + 4096;
      if (!reserve(in, args.call, budget)) return Value::error();
    }
    if (!in.step(args.call)) return Value::error();
  }
  if (at < text.size()) out += text.substr(at);
  return make(in, args, out);
}

// ---- letters ------------------------------------------------------------------------------------------------------

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }

template <char (*F)(char)>
Value each(Interpreter& in, const Arguments& args, Value self) {
  std::string text(self_text(self));
  std::transform(text.begin(), text.end(), text.begin(), F);
  return make(in, args, text);
}

char swap_case(char c) { return is_upper(c) ? to_lower(c) : to_upper(c); }

Value str_capitalize(Interpreter& in, const Arguments& args, Value self) {
  std::string text(self_text(self));
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = i == 0 ? to_upper(text[i]) : to_lower(text[i]);
  return make(in, args, text);
}

Value str_title(Interpreter& in, const Arguments& args, Value self) {
  std::string text(self_text(self));
  bool inside = false;
  for (char& c : text) {
    c = inside ? to_lower(c) : to_upper(c);
    inside = is_letter(c);
  }
  return make(in, args, text);
}

template <bool (*F)(char)>
Value all_are(Interpreter&, const Arguments&, Value self) {
  Text text = self_text(self);
  return Value::boolean(!text.empty() && std::all_of(text.begin(), text.end(), F));
}

bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
bool is_space(char c) { return kBlank.find(c) != kBlank.npos; }

// isupper(), islower(): letters of one case, and none of the other.
template <bool (*Has)(char), bool (*Lacks)(char)>
Value str_is_case(Interpreter&, const Arguments&, Value self) {
  Text text = self_text(self);
  return Value::boolean(std::any_of(text.begin(), text.end(), Has) && std::none_of(text.begin(), text.end(), Lacks));
}

Value str_isidentifier(Interpreter&, const Arguments&, Value self) {
  Text text = self_text(self);
  auto part = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return Value::boolean(!text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), part));
}

// ---- padding ------------------------------------------------------------------------------------------------------

Value pad(Interpreter& in, const Arguments& args, Value self, Text name, char side) {
  if (!takes(in, args, name, 1, 2)) return Value::error();
  Text text = self_text(self);
  auto width = in.as_int(args.positional[0], args.at(0), "the width");
  if (!width) return Value::error();
  std::string fill = " ";
  if (args.positional.size() == 2) {
    auto given = text_argument(in, args, 1, "the fill character");
    if (!given) return Value::error();
    if (text_length(*given) != 1)
      return wrong_type(in, args.at(1), name, "a fill of one character", args.positional[1]);
    fill = *given;
  }
  std::int64_t missing = *width - static_cast<std::int64_t>(text_length(text));
  if (missing <= 0) return make(in, args, text);
  if (!reserve(in, args.call, static_cast<std::uint64_t>(missing) * fill.size() + text.size())) return Value::error();
  std::int64_t left = side == '<' ? 0 : side == '>' ? missing : missing / 2 + (missing & *width & 1);
  std::string out;
  for (std::int64_t i = 0; i < left; ++i) out += fill;
  out += text;
  for (std::int64_t i = left; i < missing; ++i) out += fill;
  return in.string(out);
}

Value str_ljust(Interpreter& in, const Arguments& args, Value self) { return pad(in, args, self, "ljust", '<'); }
Value str_rjust(Interpreter& in, const Arguments& args, Value self) { return pad(in, args, self, "rjust", '>'); }
Value str_center(Interpreter& in, const Arguments& args, Value self) { return pad(in, args, self, "center", '^'); }

Value str_zfill(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "zfill", 1, 1)) return Value::error();
  auto width = in.as_int(args.positional[0], args.at(0), "the width");
  if (!width) return Value::error();
  Text text = self_text(self);
  std::int64_t missing = *width - static_cast<std::int64_t>(text_length(text));
  if (missing <= 0) return make(in, args, text);
  if (!reserve(in, args.call, static_cast<std::uint64_t>(missing) + text.size())) return Value::error();
  std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return in.string(std::string(text.substr(0, sign)) + std::string(static_cast<std::size_t>(missing), '0') +
                   std::string(text.substr(sign)));
}

// ---- format -------------------------------------------------------------------------------------------------------

// "{}", "{0}", "{name.attribute[key]!r:spec}", "{{".
class Formatter {
 public:
  Formatter(Interpreter& in, const Arguments& args) : in_(in), args_(args) {}

  std::optional<std::string> run(Text pattern, int depth = 0) {
    std::string out;
    if (depth > 2) return failed("replacement fields are nested too deeply");
    for (std::size_t i = 0; i < pattern.size();) {
      char c = pattern[i];
      if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
        out += c;
        i += 2;
      } else if (c == '}') {
        return failed("a single '}' in a format string");
      } else if (c != '{') {
        out += c;
        ++i;
      } else {
        std::size_t end = closing(pattern, i);
        if (end == pattern.npos) return failed("'{' is never closed in this format string");
        auto field = replace(pattern.substr(i + 1, end - i - 1), depth);
        if (!field) return std::nullopt;
        if (!reserve(in_, args_.call, field->size())) return std::nullopt;
        out += *field;
        i = end + 1;
      }
      if ((i & 63) == 0 && !in_.step(args_.call)) return std::nullopt;
    }
    return out;
  }

  std::optional<Value> unknown;  // an opaque value met on the way: the whole text is unknown

 private:
  std::optional<std::string> failed(std::string message) {
    in_.fail(code::kValue, args_.call, std::move(message), {}, "ValueError");
    return std::nullopt;
  }

  static std::size_t closing(Text pattern, std::size_t open) {
    int level = 0;
    for (std::size_t i = open; i < pattern.size(); ++i) {
      if (pattern[i] == '{') ++level;
      if (pattern[i] == '}' && --level == 0) return i;
    }
    return pattern.npos;
  }

  std::optional<std::string> replace(Text field, int depth) {
    Text name = field, spec;
    char conversion = 0;
    std::size_t brackets = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == '[') ++brackets;
      if (field[i] == ']' && brackets > 0) --brackets;
      if (brackets > 0 || (field[i] != '!' && field[i] != ':')) continue;
      name = field.substr(0, i);
      if (field[i] == '!') {
        if (i + 1 >= field.size()) return failed("'!' in a format string needs a conversion");
        conversion = field[i + 1];
        i += 2;
        if (i < field.size() && field[i] != ':') return failed("':' expected after a conversion in a format string");
      }
      spec = i < field.size() ? field.substr(i + 1) : Text();
      break;
    }
    auto value = find(name);
    if (!value) return std::nullopt;
    auto wanted = run(spec, depth + 1);
    if (!wanted) return std::nullopt;
    if (value->is_opaque() || value->is_poison()) {
      if (!unknown) unknown = *value;
      return std::string();
    }
    Value v = *value;
    if (conversion == 'r') v = in_.string(in_.repr(v));
    if (conversion == 'a') v = in_.string(escaped(in_.repr(v)));
    if (conversion == 's') v = in_.string(in_.str(v));
    if (in_.has_pending()) return std::nullopt;
    return in_.format(v, *wanted, args_.call);
  }

  // name, then any number of .attribute and [key].
  std::optional<Value> find(Text path) {
    std::size_t end = std::min(path.find_first_of(".["), path.size());
    Text name = path.substr(0, end);
    std::optional<Value> value;
    if (name.empty() || std::all_of(name.begin(), name.end(), is_digit)) {
      std::size_t at = next_;
      if (name.empty()) {
        ++next_;
      } else {
        at = 0;
        for (char c : name) at = std::min<std::size_t>(at * 10 + static_cast<std::size_t>(c - '0'), 1'000'000);
      }
      if (at < args_.positional.size()) value = args_.positional[at];
    } else if (const Keyword* k = keyword(args_, name)) {
      value = k->value;
    }
    if (!value) {
      in_.fail(code::kValue, args_.call, "format() has no argument for {" + std::string(path) + "}", {}, "IndexError");
      return std::nullopt;
    }
    while (end < path.size()) {
      if (path[end] == '.') {
        std::size_t stop = std::min(path.find_first_of(".[", end + 1), path.size());
        value = in_.attribute(*value, in_.keep(path.substr(end + 1, stop - end - 1)), args_.call);
        end = stop;
      } else {
        std::size_t stop = path.find(']', end);
        if (stop == path.npos) {
          failed("'[' is never closed in this format string");
          return std::nullopt;
        }
        Text key = path.substr(end + 1, stop - end - 1);
        bool number = !key.empty() && key.size() < 10 && std::all_of(key.begin(), key.end(), is_digit);
        Value index = number ? Value::integer(std::stoll(std::string(key))) : in_.string(key);
        value = in_.subscript(*value, {&index, 1}, true, args_.call);
        end = stop + 1;
      }
      if (value->is_error()) return std::nullopt;
    }
    return value;
  }

  Interpreter& in_;
  const Arguments& args_;
  std::size_t next_ = 0;
};

Value str_format(Interpreter& in, const Arguments& args, Value self) {
  Formatter formatter(in, args);
  auto text = formatter.run(std::string(self_text(self)));
  if (!text) return Value::error();
  if (formatter.unknown) return *formatter.unknown;
  return in.string(*text);
}

// A method whose work grows with its own text, whatever comes out.
template <NativeFunction F>
Value reads(Interpreter& in, const Arguments& args, Value self) {
  return in.charge_text(self_text(self).size(), args.call) ? F(in, args, self) : Value::error();
}

constexpr Entry kMethods[] = {
    {"format", str_format},
    {"join", known<str_join>},
    {"split", reads<known<str_split>>},
    {"rsplit", reads<known<str_rsplit>>},
    {"splitlines", reads<known<str_splitlines>>},
    {"partition", reads<known<str_partition>>},
    {"rpartition", reads<known<str_rpartition>>},
    {"strip", reads<known<str_strip>>},
    {"lstrip", reads<known<str_lstrip>>},
    {"rstrip", reads<known<str_rstrip>>},
    {"removeprefix", reads<known<str_removeprefix>>},
    {"removesuffix", reads<known<str_removesuffix>>},
    {"startswith", reads<known<str_startswith>>},
    {"endswith", reads<known<str_endswith>>},
    {"find", reads<known<str_find>>},
    {"rfind", reads<known<str_rfind>>},
    {"index", reads<known<str_index>>},
    {"rindex", reads<known<str_rindex>>},
    {"count", reads<known<str_count>>},
    {"replace", reads<known<str_replace>>},
    {"upper", reads<each<to_upper>>},
    {"lower", reads<each<to_lower>>},
    {"casefold", reads<each<to_lower>>},
    {"swapcase", reads<each<swap_case>>},
    {"capitalize", reads<str_capitalize>},
    {"title", reads<str_title>},
    {"isdigit", reads<all_are<is_digit>>},
    {"isdecimal", reads<all_are<is_digit>>},
    {"isnumeric", reads<all_are<is_digit>>},
    {"isalpha", reads<all_are<is_letter>>},
    {"isalnum", reads<all_are<is_alphanumeric>>},
    {"isspace", reads<all_are<is_space>>},
    {"isupper", reads<str_is_case<is_upper, is_lower>>},
    {"islower", reads<str_is_case<is_lower, is_upper>>},
    {"isidentifier", reads<str_isidentifier>},
    {"ljust", reads<known<str_ljust>>},
    {"rjust", reads<known<str_rjust>>},
    {"center", reads<known<str_center>>},
    {"zfill", reads<known<str_zfill>>},
    {"encode", opaque_function},
    {"translate", known<str_translate>},
    {"expandtabs", opaque_function},
    {"format_map", opaque_function},
};

}  // namespace

std::span<const Entry> str_methods() { return kMethods; }

}  // namespace tilewright::script::python
