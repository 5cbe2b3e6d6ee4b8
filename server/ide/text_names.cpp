#include "server/ide/text_names.h"

#include <algorithm>

#include "compiler/syntax/walk.h"
#include "compiler/text/letters.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using session::Symbol;
using session::SymbolKind;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
}

// The last part of what is called: `getattr` of `builtins.getattr`.
std::string_view called_name(const Node* function) {
  if (auto* ref = as<NameRef>(function)) return ref->name.text;
  auto* attribute = as<Attribute>(function);
  return attribute ? attribute->name.text : std::string_view();
}

class Search {
 public:
  Search(Names& names, const Script& script, const Meaning& meaning)
      : names_(names), script_(script), meaning_(meaning), symbol_(*meaning.symbol), name_(symbol_.name) {}

  TextNames run() {
    const session::SymbolIndex& home = meaning_.script->symbols();
    is_member_ = class_around(home, symbol_);
    is_parameter_ = symbol_.kind == SymbolKind::Parameter;
    is_global_ = symbol_.scope == 0;
    function_ = is_parameter_ ? as<FunctionDef>(symbol_.node) : nullptr;
    // An extent that a kernel names, as `n = T.int32()`, is given by its name, too.
    auto* around = meaning_.script == script_ ? as<FunctionDef>(home.scopes[symbol_.scope].node) : nullptr;
    if (!is_parameter_ && around && symbol_.kind == SymbolKind::Variable && session::is_kernel(*around)) {
      kernel_ = around;
      if (auto at = in_comment()) unsure(*at);
      return std::move(out_);
    }
    if (!is_member_ && !is_global_ && !function_) return {};
    type_ = is_member_ && symbol_.kind == SymbolKind::Variable ? class_around(home, symbol_) : nullptr;
    for_all_statements(script_->symbols(), [&](const Tree::Statement& s) {
      offset_ = s.offset;
      for_all(s.node->statement, [&](const Node* n) { look_at(n); });
    });
    if (function_ && meaning_.script == script_) of_kernel();
    if (meaning_.script == script_ && (is_global_ || function_)) in_comments();
    if (double_star_ && key_) unsure(*key_);
    return std::move(out_);
  }

 private:
  bool is_text(const Node* n) const {
    auto* text = as<StringLit>(n);
    return text && text->value == name_;
  }
  void unsure(std::uint32_t at) { out_.unsure = std::min(out_.unsure.value_or(at), at); }
  void unsure(const Node* n) { unsure(offset_ + n->at.begin); }
  // The name within its quotes; not known where it is written in another way.
  void certain(const Node* text) {
    const std::uint32_t begin = offset_ + text->at.begin + 1, end = offset_ + text->at.end - 1;
    const std::string_view all = script_->source().text();
    if (end > begin && end <= all.size() && all.substr(begin, end - begin) == name_)
      out_.uses.push_back({begin, end, session::Role::Read, false});
    else
      unsure(text);
  }

  void look_at(const Node* n) {
    if (symbol_.kind == SymbolKind::Class && is_global_) {
      if (auto* f = as<FunctionDef>(n)) {
        for (const Parameter& p : f->params) in_annotation(p.annotation);
        in_annotation(f->returns);
      }
      if (auto* a = as<AnnAssign>(n)) in_annotation(a->annotation);
    }
    // What makes a dictionary of an instance has its fields as keys.
    if (auto* a = as<Attribute>(n); a && type_ && a->name.text == "__dict__") double_star_ = true;
    if (auto* call = as<Call>(n)) look_at_call(*call);
    if (auto* dict = as<Dict>(n); dict && (function_ || type_)) {
      for (const DictItem& item : dict->items)
        if (is_text(item.key)) key(item.key->at);
    }
    if (auto* at = as<Subscript>(n); at && !at->indices.empty() && is_text(at->indices[0])) {
      auto* call = as<Call>(at->object);
      if (is_global_ && call && is_one_of(called_name(call->function), {"globals", "vars", "locals"}))
        unsure(at->indices[0]);
      if (function_ || type_) key(at->indices[0]->at);
    }
    if (auto* assign = as<Assign>(n); assign && is_global_) exports(assign->targets, assign->value);
    if (auto* more = as<AugAssign>(n); more && is_global_) exports({&more->target, 1}, more->value);
  }

  // A class in quotes: `cfg: "Config"`, `"Config | None"`.
  void in_annotation(const Node* annotation) {
    if (!annotation) return;
    const Symbol* here = meaning_.script == script_ ? &symbol_ : script_->symbols().lookup(name_, 0);
    if (!here || (here != &symbol_ && here->kind != SymbolKind::Import)) return;
    const std::string_view all = script_->source().text();
    for_all(annotation, [&](const Node* n) {
      auto* text = as<StringLit>(n);
      if (!text || text->value.find(name_) == text->value.npos) return;
      const std::uint32_t begin = offset_ + n->at.begin, end = offset_ + n->at.end;
      words(all.substr(begin, end - begin), begin, [&](std::uint32_t at, char) { certain(at); });
    });
  }
  // Calls f(place, byte after it) for each word of `text` that is the name.
  template <class F>
  void words(std::string_view text, std::uint32_t offset, F&& f) const {
    for (std::size_t i = text.find(name_); i != text.npos; i = text.find(name_, i + 1)) {
      const std::size_t after = i + name_.size();
      const char next = after < text.size() ? text[after] : ' ';
      if ((i == 0 || !text::is_name_byte(text[i - 1])) && !text::is_name_byte(next))
        f(static_cast<std::uint32_t>(offset + i), next);
    }
  }
  void certain(std::uint32_t at) {
    out_.uses.push_back({at, at + static_cast<std::uint32_t>(name_.size()), session::Role::Read, false});
  }

  // Kernels of a sequence, references in Python and names that are tuned; expressions are followed as code is.
  void in_comments() {
    comments([&](std::string_view line, std::size_t at) {
      const auto begin = static_cast<std::uint32_t>(at);
      if (line.find("tilewright: sequence ") != line.npos && is_global_)
        words(line, begin, [&](std::uint32_t place, char next) {
          if (next != '=') certain(place);
        });
      if (line.find("tilewright: tune ") != line.npos)
        words(line, begin, [&](std::uint32_t place, char) { unsure(place); });
      const std::size_t python = line.find("python:");
      if (python != line.npos && is_global_)
        words(line.substr(python), static_cast<std::uint32_t>(at + python), [&](std::uint32_t place, char) {
          if (place == at + python + 7) certain(place);
        });
    });
  }

  // `__all__` of the script that binds it.
  void exports(Exprs targets, const Node* value) {
    auto* target = targets.size() == 1 ? as<NameRef>(targets[0]) : nullptr;
    if (!target || target->name.text != "__all__" || meaning_.script != script_) return;
    for_all(value, [&](const Node* n) {
      if (is_text(n)) certain(n);
    });
  }

  void look_at_call(const Call& call) {
    const std::string_view called = called_name(call.function);
    if ((is_member_ || is_global_) && is_one_of(called, {"getattr", "setattr", "hasattr", "delattr", "attrgetter",
                                                         "methodcaller", "patch", "get", "pop"})) {
      // Of a dictionary only where it holds the script's names.
      auto* method = as<Attribute>(call.function);
      auto* of = method ? as<Call>(method->object) : nullptr;
      const bool of_names = of && is_one_of(called_name(of->function), {"globals", "vars"});
      if (!is_one_of(called, {"get", "pop"}) || of_names) {
        for (const Node* a : call.args)
          if (is_text(a)) unsure(a);
      }
    }
    if (type_ && is_one_of(called, {"asdict", "vars", "astuple"})) double_star_ = true;
    if (function_ || type_) hands_over(call, called);
  }

  // A key that a call with ** may hand over.
  void key(const Extent& at) { key_ = std::min(key_.value_or(offset_ + at.begin), offset_ + at.begin); }

  void hands_over(const Call& call, std::string_view called) {
    const Node* subject = function_ ? static_cast<const Node*>(function_) : type_;
    auto means = [&](const std::optional<Meaning>& f) { return f && f->symbol && f->symbol->node == subject; };
    auto callee_of = [&] {
      return type_ ? names_.callee(script_, offset_, call) : names_.keywords_of(script_, offset_, call);
    };
    // partial(f, scale=2): the keyword is f's.
    if (is_one_of(called, {"partial", "partialmethod"}) && !call.args.empty()) {
      const bool ours = means(names_.of(script_, offset_, call.args[0]));
      for (const Keyword& k : call.keywords) {
        if (!ours) continue;
        if (k.name.text.empty()) double_star_ = true;
        if (k.name.text == name_)
          out_.uses.push_back({offset_ + k.name.at.begin, offset_ + k.name.at.end, session::Role::Write, false});
      }
      return;
    }
    const bool stars = std::ranges::any_of(call.keywords, [](const Keyword& k) { return k.name.text.empty(); });
    const bool mentions = std::ranges::any_of(call.keywords, [&](const Keyword& k) { return k.name.text == name_; });
    if (!stars && !mentions) return;
    const bool ours = means(callee_of());
    if (ours && stars) double_star_ = true;
    // dict(scale=2), or what another function takes with its own **.
    if (mentions && !ours) {
      for (const Keyword& k : call.keywords) {
        if (k.name.text != name_) continue;
        auto callee = names_.keywords_of(script_, offset_, call);
        auto* other = callee && callee->symbol ? as<FunctionDef>(callee->symbol->node) : nullptr;
        const bool own =
            other && std::ranges::any_of(other->params, [&](const Parameter& p) { return p.name.text == name_; });
        if (!own) key(k.name.at);
      }
    }
  }

  // A parameter of a kernel, which its decorator and our comments name; of `get_kernel`, which CONFIGS hold.
  void of_kernel() {
    const session::SymbolIndex& index = script_->symbols();
    offset_ = index.tree->statements()[symbol_.statement].offset;
    if (function_->name.text == "get_kernel" && key_ && mentions_configs()) double_star_ = true;
    if (!session::is_kernel(*function_)) {
      of_reference();
      return;
    }
    for (const Node* decorator : function_->decorators) {
      auto* call = as<Call>(decorator);
      if (!call) continue;
      for (const Keyword& k : call->keywords) {
        if (is_one_of(k.name.text, {"grid", "host_prelude"})) launch(k.value);
      }
      const bool sized = std::ranges::any_of(call->keywords, [](const Keyword& k) { return k.name.text == "grid"; });
      if (name_ == "num_sms" && !sized) unsure(decorator);  // the grid of a kernel that names none
    }
    for (const Parameter& p : function_->params) {
      if (!p.annotation) continue;
      for_all(p.annotation, [&](const Node* n) {
        if (auto* shape = as<Lambda>(n)) launch(shape->body);
      });
    }
    kernel_ = function_;
    if (auto at = in_comment()) unsure(*at);
  }

  // Texts of `grid=` and the like name parameters; so do those of a function of the script that is given there.
  void launch(const Node* value) {
    for_all(value, [&](const Node* n) {
      if (is_text(n)) certain(n);
      auto* ref = as<NameRef>(n);
      if (!ref) return;
      auto found = names_.of(script_, offset_, ref);
      auto* other = found && found->symbol && found->script == script_ ? as<FunctionDef>(found->symbol->node) : nullptr;
      if (!other || other == function_ || found->symbol->kind != SymbolKind::Function) return;
      const std::uint32_t there = script_->symbols().tree->statements()[found->symbol->statement].offset;
      for (const Node* s : other->body) {
        for_all(s, [&](const Node* inner) {
          if (is_text(inner)) unsure(there + inner->at.begin);
        });
      }
    });
  }

  bool mentions_configs() const {
    for (const Symbol& s : script_->symbols().symbols)
      if (s.scope == 0 && s.kind == SymbolKind::Variable && s.name.ends_with("CONFIGS")) return true;
    return false;
  }

  // Calls f(line, its offset) for our comments.
  template <class F>
  void comments(F&& f) const {
    const std::string_view text = script_->source().text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != line.npos && line.substr(first).starts_with("# tilewright:")) f(line, at);
      at = end + 1;
    }
  }
  // Does a comment say how the kernel is run? Not one that names another kernel.
  bool is_about(std::string_view line) const {
    constexpr std::string_view kRun = "tilewright: run ", kSequence = "tilewright: sequence ";
    const std::size_t run = line.find(kRun);
    if (run == line.npos) return line.find(kSequence) != line.npos;
    std::string_view entry = line.substr(run + kRun.size());
    std::size_t end = 0;
    while (end < entry.size() && text::is_name_byte(entry[end])) ++end;
    entry = entry.substr(0, end);
    return std::ranges::none_of(script_->symbols().symbols, [&](const Symbol& s) {
      return s.kind == SymbolKind::Kernel && s.node != kernel_ && s.name == entry;
    });
  }
  // `A=arange`, `expected.C=…` or `unordered(out[0:n])` of a comment that says how a kernel is run.
  std::optional<std::uint32_t> in_comment() const {
    std::optional<std::uint32_t> out;
    comments([&](std::string_view line, std::size_t at) {
      if (out || !is_about(line)) return;
      words(line, static_cast<std::uint32_t>(at), [&](std::uint32_t place, char next) {
        if (!out && (next == '=' || line.substr(0, place - at).find("expected=") != line.npos)) out = place;
      });
    });
    if (out) return out;
    // A reference in Python takes tensors by the kernel's names.
    for (const Symbol& s : script_->symbols().symbols) {
      auto* function = s.kind == SymbolKind::Parameter && s.name == name_ ? as<FunctionDef>(s.node) : nullptr;
      if (!function || function == kernel_ || !is_reference(function->name.text) || s.occurrences.empty()) continue;
      return script_->symbols().occurrences[s.occurrences.front()].begin;
    }
    return std::nullopt;
  }
  bool is_reference(std::string_view name) const {
    bool found = false;
    comments([&](std::string_view line, std::size_t) {
      const std::size_t at = line.find("python:");
      if (at == line.npos || (kernel_ && line.find("tilewright: reference ") == line.npos && !is_about(line))) return;
      const std::string_view named = line.substr(at + 7);
      found |= named.starts_with(name) && (named.size() == name.size() || !text::is_name_byte(named[name.size()]));
    });
    return found;
  }
  // The other way round: the parameter of a reference in Python is named like a kernel's.
  void of_reference() {
    if (!is_reference(function_->name.text)) return;
    for (const Symbol& s : script_->symbols().symbols) {
      auto* kernel = s.kind == SymbolKind::Parameter && s.name == name_ ? as<FunctionDef>(s.node) : nullptr;
      if (kernel && session::is_kernel(*kernel) && !s.occurrences.empty())
        unsure(script_->symbols().occurrences[s.occurrences.front()].begin);
    }
  }

  Names& names_;
  const Script& script_;
  const Meaning& meaning_;
  const Symbol& symbol_;
  std::string_view name_;
  const FunctionDef* function_ = nullptr;  // of a parameter
  const FunctionDef* kernel_ = nullptr;    // that comments are about
  const ClassDef* type_ = nullptr;         // of a field, which calls of a dataclass name
  bool is_member_ = false, is_parameter_ = false, is_global_ = false;
  std::uint32_t offset_ = 0;
  bool double_star_ = false;  // a call with ** of the function, or what stands for one
  std::optional<std::uint32_t> key_;
  TextNames out_;
};

}  // namespace

TextNames text_names(Names& names, const Script& script, const Meaning& meaning) {
  return meaning.symbol ? Search(names, script, meaning).run() : TextNames{};
}

}  // namespace tilewright::ide
