// The natives of the module `re`; the rest of it is prelude/python/re.py.
#include <algorithm>

#include "compiler/script/python/more_names.h"
#include "compiler/script/python/regex.h"

namespace tilewright::script::python {
namespace {

constexpr const char* kNotFollowed = "a regular expression that is not followed";

// What a call is about: a pattern, and a text of ASCII that is looked through.
struct Search {
  const Regex* regex = nullptr;  // null: it is not followed
  std::string_view text;
};

// The pattern that was read last in this thread: searches come one after the other with the same one.
const Regex* regex_of(const std::string& pattern, unsigned flags) {
  struct Last {
    std::string pattern;
    unsigned flags = 0;
    std::optional<Regex> regex;
    bool is_read = false;
  };
  static thread_local Last last;
  if (!last.is_read || last.pattern != pattern || last.flags != flags) {
    last = {pattern, flags, Regex::read(pattern, flags), true};
  }
  return last.regex ? &*last.regex : nullptr;
}

Search search_of(const Arguments& args) {
  Search out;
  const Str *pattern = args.positional[0].as<Str>(), *text = args.positional[2].as<Str>();
  if (!pattern || !text || !args.positional[1].is_int() || args.positional[1].numpy != NumpyType::None) return out;
  const bool ascii = std::ranges::all_of(text->text, [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (!ascii) return out;
  out.text = text->text;
  out.regex = regex_of(pattern->text, static_cast<unsigned>(args.positional[1].i));
  return out;
}

Value spans_of(Interpreter& in, const std::vector<std::int64_t>& spans) {
  std::vector<Value> out;
  for (const std::int64_t at : spans) out.push_back(Value::integer(at));
  return in.tuple(std::move(out));
}

// Steps of the search as steps of the script.
bool pay(Interpreter& in, const Arguments& args, std::uint64_t steps) {
  constexpr std::uint64_t kOfOne = 8;
  return in.charge(1 + steps / kOfOne, args.call);
}

// _find(pattern, flags, text, how, begin, end): the places of all groups; None: there is no match.
Value find_one(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "_find", 6, 6)) return Value::error();
  const Search search = search_of(args);
  if (!search.regex) return Value::opaque(kNotFollowed);
  const auto begin = static_cast<std::size_t>(args.positional[4].i),
             end = static_cast<std::size_t>(args.positional[5].i);
  std::vector<std::int64_t> spans;
  std::uint64_t steps = 0;
  if (end < begin) return Value::none();
  const auto outcome =
      search.regex->find(search.text, begin, end, static_cast<Regex::How>(args.positional[3].i), false, spans, steps);
  if (!pay(in, args, steps)) return Value::error();
  if (outcome == Regex::Outcome::Lost) return Value::opaque(kNotFollowed);
  return outcome == Regex::Outcome::None ? Value::none() : spans_of(in, spans);
}

// _find_all(pattern, flags, text): one match after the other. An empty one does not count where the one before ended
// that was empty as well.
Value find_all(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "_find_all", 3, 3)) return Value::error();
  const Search search = search_of(args);
  if (!search.regex) return Value::opaque(kNotFollowed);
  std::vector<Value> out;
  std::vector<std::int64_t> spans;
  std::size_t at = 0;
  bool no_empty = false;
  while (at <= search.text.size()) {
    std::uint64_t steps = 0;
    const auto outcome =
        search.regex->find(search.text, at, search.text.size(), Regex::How::Anywhere, no_empty, spans, steps);
    if (!pay(in, args, steps) || !in.reserve(spans.size() * sizeof(Value), args.call)) return Value::error();
    if (outcome == Regex::Outcome::Lost) return Value::opaque(kNotFollowed);
    if (outcome == Regex::Outcome::None) break;
    out.push_back(spans_of(in, spans));
    at = static_cast<std::size_t>(spans[1]);
    no_empty = spans[0] == spans[1];
  }
  return in.list(std::move(out));
}

// _groups(pattern, flags): how many groups it has, their names with their numbers, and all flags.
Value groups_of(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "_groups", 2, 2)) return Value::error();
  const Str* pattern = args.positional[0].as<Str>();
  const Value flags = args.positional[1];
  const Regex* regex = pattern && flags.is_int() ? regex_of(pattern->text, static_cast<unsigned>(flags.i)) : nullptr;
  if (!pay(in, args, pattern ? pattern->text.size() : 0)) return Value::error();
  if (!regex) return Value::opaque(kNotFollowed);
  Dict* names = in.make<Dict>();
  for (const auto& [name, number] : regex->names()) in.dict_set(names, in.string(name), Value::integer(number));
  return in.tuple({Value::integer(regex->groups()), Value::object(names), Value::integer(regex->flags())});
}

constexpr Entry kRe[] = {{"_find", known<find_one>}, {"_find_all", known<find_all>}, {"_groups", known<groups_of>}};

}  // namespace

std::span<const Entry> re_names() { return kRe; }

}  // namespace tilewright::script::python
