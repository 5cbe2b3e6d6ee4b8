// Entries that are calls: of functions with literal parametrize lists, and of those whose parameters all have defaults.
#include <algorithm>

#include "compiler/script/entries/finder.h"
#include "compiler/script/python/support.h"

namespace tilewright::script {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "m, n" -> m, n
std::vector<std::string_view> split_names(Interpreter& in, std::string_view names) {
  std::vector<std::string_view> out;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    if (std::string_view one = trimmed(names.substr(0, comma)); !one.empty()) out.push_back(in.keep(one));
    names = comma == std::string_view::npos ? "" : names.substr(comma + 1);
  }
  return out;
}

}  // namespace

EntryFinder::Combinations EntryFinder::multiplied(const Combinations& by, const std::vector<std::string_view>& names,
                                                  const std::vector<Value>& items) const {
  Combinations out;
  for (auto& have : by) {
    for (Value item : items) {
      if (out.size() >= options_.max_entries) return out;
      auto made = have;
      if (names.size() == 1) {
        made.push_back({names[0], item, {}});
      } else {
        Tuple* t = item.as<Tuple>();
        List* l = item.as<List>();
        std::vector<Value> parts = t ? t->items : l ? l->items : std::vector<Value>();
        for (std::size_t i = 0; i < names.size() && i < parts.size(); ++i) made.push_back({names[i], parts[i], {}});
      }
      out.push_back(std::move(made));
    }
  }
  return out;
}

EntryFinder::Combinations EntryFinder::combinations(const Function& f) {
  Combinations out{{}};
  for (auto& [names, values] : f.parametrize) {
    const std::vector<std::string_view> split = split_names(in_, names);
    auto items = values.is_opaque() || values.is_poison() ? std::nullopt : in_.iterate(values, {});
    if (items)
      out = multiplied(out, split, *items);
    else if (in_.has_pending())
      in_.take_pending();
  }
  return out;
}

void EntryFinder::parametrized(const std::string* wanted) {
  for (Candidate& c : functions_) {
    if (c.function->parametrize.empty()) continue;
    for (const std::vector<Keyword>& keywords : combinations(*c.function)) {
      std::string text = std::string(c.name.text) + "(";
      for (std::size_t i = 0; i < keywords.size(); ++i) {
        text += (i ? ", " : "") + std::string(keywords[i].name) + "=" + spelled(keywords[i].value);
      }
      text += ")";
      if (c.served && !wanted && !options_.all_entries) {
        text::Span at{c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
        e_.other_entries.push_back({EntryKind::Parametrize, std::move(text), at, {}});
        continue;
      }
      if (!wanted || text == *wanted) call(c, EntryKind::Parametrize, text, keywords);
    }
  }
}

void EntryFinder::defaults() {
  // Beside get_kernel the functions that only call something that makes a kernel are its drivers: tests, benchmarks.
  const bool drivers = e_.module->find("get_kernel") != nullptr;
  for (Candidate& c : functions_) {
    if (c.served || (drivers && !c.direct && c.name.text != "get_kernel")) continue;
    bool closed = true;
    for (const syntax::Parameter& p : c.function->def->params.subspan(c.of ? 1 : 0)) {
      bool variadic = p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords;
      closed = closed && (p.default_value || variadic);
    }
    if (!closed) continue;
    c.called = true;
    call(c, EntryKind::Defaults, std::string(c.name.text) + "()", {});
  }
}

void EntryFinder::call(Candidate& c, EntryKind kind, const std::string& text, const std::vector<Keyword>& keywords) {
  if (e_.entries.size() >= options_.max_entries || e_.stopped) return;
  std::size_t before = in_.kernels().size(), said = e_.diagnostics.size();
  Arguments args;
  args.keywords = keywords;
  args.call = {c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
  args.function = args.call;
  Arguments none;
  none.call = none.function = args.call;
  const Value self = c.of ? in_.call(Value::object(c.of), none) : Value();
  Value v = self.is_error() ? self
            : c.of          ? in_.call_function(c.function, args, self)
                            : in_.call_function(c.function, args);
  std::vector<KernelValue*> kernels;
  if (v.is_error()) {
    Pending p = in_.take_pending();
    if (p.fatal || (p.refused && tile_script_)) {
      e_.diagnostics.push_back(p.diagnostic);
      told(p);
      c.served = true;  // it is said what is wrong with it
      if (p.fatal && !in_.go_on_after(p)) e_.stopped = true;
      if (p.fatal) return;
    }
    c.failure = p.type == python::kTestOutcome ? "" : p.diagnostic.message;
  } else {
    collect(v, kernels);
  }
  if (kernels.empty()) kernels.assign(in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), in_.kernels().end());
  if (kind == EntryKind::Defaults && forget_guess(c, said, kernels)) return;
  add(kind, text, args.call, kernels);
  c.served = c.served || !kernels.empty();
}

bool EntryFinder::forget_guess(Candidate& c, std::size_t said, std::vector<KernelValue*>& kernels) {
  const auto first = e_.diagnostics.begin() + static_cast<std::ptrdiff_t>(said);
  const auto unknown =
      std::find_if(first, e_.diagnostics.end(), [](const text::Diagnostic& d) { return d.code == code::kOpaque; });
  if (unknown == e_.diagnostics.end()) return false;
  c.failure = unknown->message;
  e_.diagnostics.erase(first, e_.diagnostics.end());
  for (KernelValue* k : kernels) {
    seen_.insert(k);
    forgotten_.push_back(k->source);
  }
  return true;
}

}  // namespace tilewright::script
