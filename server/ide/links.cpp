#include "server/ide/links.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "compiler/syntax/walk.h"
#include "server/ide/scripts.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

class Links {
 public:
  explicit Links(const Query& q) : q_(q), scripts_(q) {}

  void imports(const Tree::Statement& statement) {
    for_all(statement.node->statement, [&](const Node* n) {
      if (auto* i = as<Import>(n)) {
        for (const ImportedName& name : i->names) module(statement, name.at.begin, name.name, name.name, 0);
      }
      if (auto* from = as<ImportFrom>(n)) import_from(statement, *from);
    });
  }

  void entry(const Directive& d, const session::Analysis& analysis) {
    std::string_view expression = directive_expression(d);
    if (expression.empty() || !d.text.starts_with("entry ")) return;
    auto begin = static_cast<std::uint32_t>(expression.data() - q_.snapshot->source().text().data());
    for (const session::CompiledKernel& k : analysis.first().kernels) {
      if (k.entry->expression != expression) continue;
      return add({begin, begin + static_cast<std::uint32_t>(expression.size())},
                 view_of(ViewKind::Cuda, k, q_.snapshot->path()),
                 "CUDA of " + std::string(k.value->kernel.name) + " for " + k.target.name());
    }
  }

  std::vector<Link> take() { return std::move(out_); }

 private:
  void add(Stretch at, std::variant<Script, ViewName> target, std::string tooltip) {
    out_.push_back({at, std::move(target), std::move(tooltip)});
  }

  // `written` stands at `begin` of the statement, if it is written in one piece.
  void module(const Tree::Statement& s, std::uint32_t begin, std::string_view written, std::string_view module,
              int level) {
    if (std::string_view(s.node->text).substr(begin, written.size()) != written) return;
    auto script = scripts_.imported(*q_.snapshot, module, level);
    if (!script || script == q_.snapshot) return;
    std::filesystem::path file(script->path()), here(q_.snapshot->path());
    std::string tooltip = file.lexically_proximate(here.parent_path()).string();
    add({s.offset + begin, s.offset + begin + static_cast<std::uint32_t>(written.size())}, std::move(script),
        std::move(tooltip));
  }

  void import_from(const Tree::Statement& s, const ImportFrom& from) {
    std::string written = std::string(static_cast<std::size_t>(from.level), '.') + std::string(from.module);
    std::string_view text = s.node->text;
    std::size_t begin = from.at.begin + std::string_view("from").size();
    while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
    module(s, static_cast<std::uint32_t>(begin), written, from.module, from.level);
    // Scripts of a package: `from package import helpers`.
    for (const ImportedName& n : from.names) {
      auto package = scripts_.imported(*q_.snapshot, from.module, from.level);
      if (n.name == "*" || (package && package->symbols().lookup(n.name, 0))) continue;
      std::string dotted = (from.module.empty() ? "" : std::string(from.module) + ".") + std::string(n.name);
      module(s, n.at.begin, n.name, dotted, from.level);
    }
  }

  const Query& q_;
  Scripts scripts_;
  std::vector<Link> out_;
};

}  // namespace

Answer<std::vector<Link>> links(const Query& q) {
  Links links(q);
  const Tree& tree = *q.snapshot->tree();
  for (const Tree::Statement& s : tree.statements()) links.imports(s);
  if (std::ranges::any_of(tree.directives(), [](const Directive& d) { return d.text.starts_with("entry "); })) {
    auto analysis = q.analysis();
    if (!analysis) return cancelled();
    for (const Directive& d : tree.directives()) links.entry(d, *analysis);
  }
  return links.take();
}

}  // namespace tilewright::ide
