// Kernels without an entry: what they need, and what hides that they are kernels.
#include <algorithm>

#include "compiler/script/entries/finder.h"
#include "compiler/syntax/run_comment.h"
#include "compiler/syntax/statement_bit.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kOtherPackages[] = {"triton", "gluon", "cuda", "tilelang"};

}  // namespace

void EntryFinder::open() {
  for (Jit* jit : open_jits_) {
    const bool forgotten = std::ranges::find(forgotten_, jit->function) != forgotten_.end();
    const bool failed =
        std::ranges::any_of(in_.kernels(), [&](KernelValue* k) { return k->failed && k->source == jit->function; });
    if (forgotten || (jit->cache.empty() && !failed)) open_jit(jit);
  }
  for (Candidate& c : functions_) {
    const bool makes_none = c.called && c.failure.empty();
    if (!c.served && c.direct && !makes_none && !named_as_reference(c.name.text)) open_factory(c);
  }
}

void EntryFinder::open_factory(Candidate& c) {
  text::Span span{c.function->anchor, c.function->def->name.at.begin, c.function->def->name.at.end};
  const std::string name(c.name.text);
  if (c.called) {
    text::Diagnostic& d = e_.diagnostics.emplace_back();
    d.code = code::kNeedsEntry;
    d.severity = text::Severity::Information;
    d.message = name + "() makes no kernel: " + c.failure;
    d.span = span;
    d.hint = "name other arguments in a comment: # tilewright: entry " + name + "(...)";
    return;
  }
  std::string signature = name + "(";
  for (const syntax::Parameter& p : c.function->def->params.subspan(c.of ? 1 : 0)) {
    signature += (signature.back() == '(' ? "" : ", ") + std::string(p.name.text);
  }
  note({signature + ")", span}, is_told(c.function) || configs_.told_why(c.function));
}

bool EntryFinder::is_told(const Function* f) const { return std::ranges::find(told_, f) != told_.end(); }

void EntryFinder::unread() {
  struct Said {
    std::string decorator;
    std::size_t diagnostic;
    std::vector<std::string_view> names;
    bool conditional = false;
  };
  std::vector<Said> all;
  for (const Interpreter::Unread& u : in_.unread()) {
    text::Anchors::Place place = e_.anchors.resolve(u.span);
    if (place.source != e_.tree->source().get()) continue;
    for (Candidate& c : functions_) c.served = c.served || c.function->anchor == u.function->anchor;
    const syntax::Node* node = u.decorator;
    if (auto* call = syntax::as<syntax::Call>(node)) node = call->function;
    std::string decorator(u.function->keep->text.substr(node->at.begin, node->at.end - node->at.begin));
    // Beside kernels of ours those of another package are what they are compared with.
    const std::string_view package = std::string_view(decorator).substr(0, decorator.find('.'));
    const bool other = std::ranges::find(kOtherPackages, package) != std::end(kOtherPackages);
    const bool of_tvm = e_.tree->source()->text().find("tvm") != std::string_view::npos;
    if (other && (package == "tilelang" ? of_tvm : tile_script_)) continue;  // its kernels are `prim_func`s, too
    if (u.conditional) decorator = u.why;
    auto said = std::ranges::find(all, decorator, &Said::decorator);
    if (said == all.end()) {
      all.push_back({decorator, e_.diagnostics.size(), {}, u.conditional});
      said = all.end() - 1;
      text::Diagnostic& d = e_.diagnostics.emplace_back();
      d.code = code::kUnchecked;
      d.severity = text::Severity::Information;
      d.message =
          u.conditional ? "whether it is made depends on " + std::string(u.why) : std::string("it comes from ") + u.why;
      d.span = u.span;
    }
    const std::string_view name = u.function->def->name.text;
    if (std::ranges::find(said->names, name) == said->names.end()) said->names.push_back(name);
  }
  for (const Said& s : all) {
    std::string names(s.names[0]);
    if (s.names.size() == 2) names += " and " + std::string(s.names[1]);
    if (s.names.size() > 2) names += " and " + std::to_string(s.names.size() - 1) + " more";
    std::string& message = e_.diagnostics[s.diagnostic].message;
    const std::string why = s.conditional ? message : s.decorator + " is not known here, " + message;
    message = names + (s.names.size() > 1 ? " are" : " is") + " not checked: " + why;
    for (std::string_view name : s.names) {
      e_.unchecked.push_back({std::string(name), why, e_.diagnostics[s.diagnostic].span});
    }
  }
  foreign();
  builders();
}

// Kernels for other hardware: one line for all of them.
void EntryFinder::foreign() {
  const std::size_t count = in_.foreign().size();
  for (const Interpreter::Foreign& f : in_.foreign()) {
    const std::string why = "it is a kernel for " + std::string(f.hardware) + ", and only those for CUDA are checked";
    text::Anchors::Place place = e_.anchors.resolve(f.kernel);
    std::string name =
        place.source ? std::string(place.source->text().substr(place.begin, place.end - place.begin)) : "";
    if (e_.unchecked.empty() || e_.unchecked.back().why != why) {
      text::Diagnostic& d = e_.diagnostics.emplace_back();
      d.code = code::kUnchecked;
      d.severity = text::Severity::Information;
      d.span = f.kernel;
      d.message =
          name + (count > 1 ? " and " + std::to_string(count - 1) + " more are" : " is") + " not checked: " +
          (count > 1 ? "they are kernels for " + std::string(f.hardware) + ", and only those for CUDA are checked"
                     : why);
    }
    e_.unchecked.push_back({name, why, f.kernel});
  }
}

// Code that makes kernels by the builder of the package, without a decorator.
void EntryFinder::builders() {
  static syntax::StatementBit builds;
  const auto names_builder = [](const syntax::TopLevel& statement) {
    return std::ranges::find(statement.names, "IRBuilder", &syntax::Name::text) != statement.names.end();
  };
  for (const syntax::Tree::Statement& s : e_.tree->statements()) {
    if (!builds.of(*s.node, names_builder)) continue;
    auto* f = syntax::as<syntax::FunctionDef>(s.node->statement);
    if (!f && s.node->statement->kind != syntax::NodeKind::With) continue;
    const syntax::Extent at =
        f ? f->name.at : syntax::Extent{s.node->statement->at.begin, s.node->statement->at.begin + 4};
    const std::string name = f ? std::string(f->name.text) : "this block";
    const std::string why = "IRBuilder is not followed";
    text::Diagnostic& d = e_.diagnostics.emplace_back();
    d.code = code::kUnchecked;
    d.severity = text::Severity::Information;
    d.span = {s.node->id, at.begin, at.end};
    d.message = name + " is not checked: " + why;
    e_.unchecked.push_back({name, why, d.span});
  }
}

bool EntryFinder::named_as_reference(std::string_view name) const {
  return std::ranges::any_of(e_.tree->directives(), [&](const syntax::Directive& d) {
    const std::string call = std::string(name) + "(";
    if (d.text.starts_with("reference " + call)) return true;
    const auto run = syntax::run_comment(d);
    return run && std::ranges::any_of(run->settings, [&](const syntax::RunComment::Setting& s) {
             return s.name == "reference" && s.value.starts_with(call);
           });
  });
}

void EntryFinder::open_jit(Jit* jit) {
  std::string signature = std::string(jit->function->def->name.text) + ".specialize(";
  for (const syntax::Parameter& p : jit->function->def->params) {
    auto* a = syntax::as<syntax::Attribute>(p.annotation);
    if (a && a->name.text == "constexpr")
      signature += (signature.back() == '(' ? "" : ", ") + std::string(p.name.text) + "=...";
  }
  note({signature + ")", {jit->function->anchor, jit->function->def->name.at.begin, jit->function->def->name.at.end}});
}

void EntryFinder::note(Factory f, bool said) {
  if (!said)
    e_.diagnostics.push_back(
        {code::kNeedsEntry,
         text::Severity::Information,
         "the kernel in " + f.signature + " needs arguments to be compiled",
         f.span,
         {},
         "name some in a comment: # tilewright: entry " + f.signature,
         {},
         {text::Fix::Kind::LineAbove, "Add an entry comment", "# tilewright: entry " + f.signature}});
  e_.open_factories.push_back(std::move(f));
}

}  // namespace tilewright::script
