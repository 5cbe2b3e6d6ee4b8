// The module `os.path`, as far as it computes with texts; what asks the file system is not known.
#include "compiler/script/python/paths.h"

#include <algorithm>

namespace tilewright::script::python {
namespace {

using Text = std::string_view;

// The texts that a function of paths was given; nothing: other values, or an error is pending.
std::optional<std::vector<std::string>> texts(Interpreter& in, const Arguments& args, Text function, std::size_t most) {
  if (!takes(in, args, function, 1, most)) return std::nullopt;
  std::vector<std::string> out;
  for (Value v : args.positional) {
    Str* s = v.as<Str>();
    if (!s || !in.charge_text(s->text.size(), args.call)) return std::nullopt;
    out.push_back(s->text);
  }
  return out;
}
Value none_of(Interpreter& in, const Arguments& args, Text function) {
  if (in.has_pending()) return Value::error();
  return args.positional.empty() ? Value::error() : opaque_named(in, "os.path." + std::string(function));
}

Value join(Interpreter& in, const Arguments& args, Value) {
  auto parts = texts(in, args, "join", SIZE_MAX);
  if (!parts) return none_of(in, args, "join");
  std::string path = (*parts)[0];
  for (std::size_t i = 1; i < parts->size(); ++i) {
    const std::string& part = (*parts)[i];
    if (part.starts_with('/')) {
      path = part;
    } else {
      path += (path.empty() || path.ends_with('/') ? "" : "/") + part;
    }
    if (!in.reserve(path.size(), args.call)) return Value::error();
  }
  return in.string(path);
}

// Head and tail; the head without slashes at its end, where it has others.
std::pair<std::string, std::string> halves(const std::string& path) {
  const std::size_t at = path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1;
  std::string head = path.substr(0, at);
  if (const std::size_t last = head.find_last_not_of('/'); last != head.npos) head.resize(last + 1);
  return {std::move(head), path.substr(at)};
}

enum class Part : std::uint8_t { Both, Head, Tail };
template <Part P>
Value split(Interpreter& in, const Arguments& args, Value) {
  constexpr Text kName = P == Part::Both ? "split" : P == Part::Head ? "dirname" : "basename";
  auto path = texts(in, args, kName, 1);
  if (!path) return none_of(in, args, kName);
  const auto [head, tail] = halves((*path)[0]);
  if (P == Part::Both) return in.tuple({in.string(head), in.string(tail)});
  return in.string(P == Part::Head ? head : tail);
}

// A name that begins with dots has no other end for them.
Value splitext(Interpreter& in, const Arguments& args, Value) {
  auto path = texts(in, args, "splitext", 1);
  if (!path) return none_of(in, args, "splitext");
  const std::string& text = (*path)[0];
  const std::size_t slash = text.rfind('/'), dot = text.rfind('.');
  const std::size_t name = slash == text.npos ? 0 : slash + 1;
  const bool has = dot != text.npos && dot >= name && text.find_first_not_of('.', name) < dot;
  const std::size_t at = has ? dot : text.size();
  return in.tuple({in.string(text.substr(0, at)), in.string(text.substr(at))});
}

Value isabs(Interpreter& in, const Arguments& args, Value) {
  auto path = texts(in, args, "isabs", 1);
  return path ? Value::boolean((*path)[0].starts_with('/')) : none_of(in, args, "isabs");
}

constexpr Entry kPaths[] = {
    {"join", known<join>},
    {"split", known<split<Part::Both>>},
    {"dirname", known<split<Part::Head>>},
    {"basename", known<split<Part::Tail>>},
    {"splitext", known<splitext>},
    {"isabs", known<isabs>},
    {"sep", nullptr, [](Interpreter& in) { return in.string("/"); }},
};

}  // namespace

std::span<const Entry> os_path_names() { return kPaths; }

}  // namespace tilewright::script::python
