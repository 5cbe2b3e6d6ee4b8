#include "compiler/script/python/unicode.h"

#include <algorithm>

#include "compiler/script/codes.h"

namespace tilewright::script::python {

std::uint32_t code_point_of(std::string_view text, std::size_t* size) {
  const auto lead = static_cast<unsigned char>(text[0]);
  *size = std::min<std::size_t>(lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, text.size());
  std::uint32_t out = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
  for (std::size_t i = 1; i < *size; ++i) out = out << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    const std::uint32_t c = code_point_of(text, &size);
    if (c < 0x80) {
      out += text[0];
    } else {
      const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
      out += {'\\', digits == 2 ? 'x' : digits == 4 ? 'u' : 'U'};
      for (int d = digits - 1; d >= 0; --d) out += "0123456789abcdef"[c >> (4 * d) & 15];
    }
  }
  return out;
}

// str.maketrans(of, to, removed), or of a dict with characters or their numbers as keys.
Value str_maketrans(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "maketrans", 1, 3)) return Value::error();
  Dict* table = in.make<Dict>();
  auto set = [&](std::string_view character, Value to) {
    std::size_t size = 0;
    in.dict_set(table, Value::integer(code_point_of(character, &size)), to);
  };
  if (args.positional.size() == 1) {
    Dict* given = args.positional[0].as<Dict>();
    if (!given) return Value::opaque("str.maketrans");
    for (const auto& [key, to] : std::vector(given->items)) {
      Str* s = key.as<Str>();
      if (s && text_length(s->text) == 1) {
        set(s->text, to);
      } else if (key.is_int()) {
        in.dict_set(table, key, to);
      } else {
        return Value::opaque("str.maketrans");
      }
    }
    return Value::object(table);
  }
  for (Value v : args.positional)
    if (!v.as<Str>()) return Value::opaque("str.maketrans");
  auto of = in.iterate(args.positional[0], args.at(0)), to = in.iterate(args.positional[1], args.at(1));
  if (!of || !to) return Value::error();
  if (of->size() != to->size()) {
    return in.fail(code::kValue, args.call, "the first two texts of maketrans() must be of the same length", {},
                   "ValueError");
  }
  for (std::size_t i = 0; i < of->size(); ++i) {
    std::size_t size = 0;
    set((*of)[i].as<Str>()->text, Value::integer(code_point_of((*to)[i].as<Str>()->text, &size)));
  }
  if (args.positional.size() == 3) {
    auto removed = in.iterate(args.positional[2], args.at(2));
    if (!removed) return Value::error();
    for (Value v : *removed) set(v.as<Str>()->text, Value::none());
  }
  return Value::object(table);
}

Value str_translate(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "translate", 1, 1)) return Value::error();
  Dict* table = args.positional[0].as<Dict>();
  const std::string text = self.as<Str>()->text;
  if (!table || !in.charge_text(text.size(), args.call)) return table ? Value::error() : Value::opaque("translate()");
  const Value* chr = in.builtins().find("chr");
  std::string out;
  std::size_t size = 0;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(size)) {
    const Value* to = in.dict_find(table, Value::integer(code_point_of(rest, &size)));
    if (!to) {
      out += rest.substr(0, size);
    } else if (Str* s = to->as<Str>()) {
      out += s->text;
    } else if (to->is_int() && chr) {
      Value c = call(in, *chr, {*to}, args.call);
      if (!c.as<Str>()) return c;
      out += c.as<Str>()->text;
    } else if (!to->is_none()) {
      return Value::opaque("translate()");
    }
    if (!in.reserve(out.size(), args.call)) return Value::error();
  }
  return in.string(out);
}

}  // namespace tilewright::script::python
