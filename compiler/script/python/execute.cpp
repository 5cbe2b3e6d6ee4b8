// exec(text, names): statements that a script writes itself, such as a function with as many parameters as a kernel has
// operands. They run as a module of their own, whose names come from the dict and end in it. With other arguments, a
// text that is not known or one that uses the names at once, nothing runs, and what the names lead to is not known.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/more_names.h"

namespace tilewright::script::python {
namespace {

constexpr const char* kUnknown = "exec()";

Value not_followed(Interpreter& in, const Arguments& args) {
  for (Value v : args.positional) {
    if (v.is_object() && !v.as<Str>() && !in.lose(v, kUnknown)) return Value::error();
  }
  return Value::opaque(kUnknown);
}

// Is it a function, whose body looks its names up when it is called?
bool waits(const syntax::Node* statement) {
  auto* f = syntax::as<syntax::FunctionDef>(statement);
  return f && f->decorators.empty() &&
         std::ranges::none_of(f->params, [](const auto& p) { return p.default_value || p.annotation; });
}

// Do its statements need none of the names before they are there?
bool runs_without(const syntax::Tree& tree, const Dict& names) {
  return std::ranges::all_of(tree.statements(), [&](const syntax::Tree::Statement& s) {
    return waits(s.node->statement) || std::ranges::none_of(s.node->names, [&](const syntax::Name& n) {
             return std::ranges::any_of(names.items, [&](const auto& item) {
               Str* name = item.first.template as<Str>();
               return !name || name->text == n.text;
             });
           });
  });
}

}  // namespace

Value py_exec(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "exec", 1, 3)) return Value::error();
  Str* text = args.positional[0].as<Str>();
  Dict* names = args.positional.size() == 2 ? args.positional[1].as<Dict>() : nullptr;
  if (!text || !names || names->owner) return not_followed(in, args);
  // A tree stays as long as the evaluation, and parsing takes far more than a step.
  constexpr std::size_t kBytes = 16 << 10, kBytesOfCharacter = 64, kSteps = 2000;
  if (!in.charge(16 * (kSteps + text->text.size()), args.call)) return Value::error();
  if (!reserve(in, args.call, kBytes + kBytesOfCharacter * text->text.size())) return Value::error();
  auto source = std::make_shared<text::Source>(std::string(kExecuted), text->text);
  std::shared_ptr<const syntax::Tree> tree = syntax::Tree::parse(source);
  if (!tree->errors().empty()) {
    return in.fail(code::kSyntax, args.call, "the text of exec(): " + tree->errors()[0].message, {}, "SyntaxError");
  }
  constexpr std::uint32_t kLevels = 8;
  if (!runs_without(*tree, *names)) return not_followed(in, args);
  if (!in.enter(kLevels, args.call)) return Value::error();
  Scope* scope = in.modules().run(tree);
  in.leave(kLevels);
  if (in.has_pending()) return Value::error();
  const std::vector<Scope::Binding> made = scope->bindings;
  for (const auto& [name, value] : std::vector(names->items)) {
    if (!scope->find(name.as<Str>()->text)) scope->set(in.keep(name.as<Str>()->text), value);
  }
  // What the dict is given later its functions would find there; that is not followed.
  for (const syntax::Tree::Statement& s : tree->statements()) {
    for (const syntax::Name& n : s.node->names) {
      if (!scope->find(n) && !in.builtins().has(n)) scope->set(n, Value::opaque("the names of exec()"));
    }
  }
  for (const Scope::Binding& b : made) {
    if (b.name != "__name__" && b.name != "__file__") in.dict_set(names, in.string(b.name), b.value);
  }
  return Value::none();
}

}  // namespace tilewright::script::python
