#include "server/ide/outline.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/syntax/walk.h"
#include "server/ide/scripts.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

std::string decorated(const FunctionDef& f) {
  for (const Node* n : f.decorators) {
    if (auto* c = as<Call>(n)) n = c->function;
    if (auto* a = as<Attribute>(n)) return "@" + std::string(a->name.text);
  }
  return {};
}

bool is_constant_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

// What one top-level statement names.
class Collector {
 public:
  explicit Collector(const Tree::Statement& statement) : offset_(statement.offset) {
    if (statement.node->statement) collect(statement.node->statement, false, true, found_);
  }
  std::vector<OutlineItem> take() && { return std::move(found_.items); }

 private:
  // The items of one place, and their names, which are of the text.
  struct Items {
    std::vector<OutlineItem> items;
    std::unordered_set<std::string_view> names;
    void add(std::string_view name, OutlineItem item) {
      names.insert(name);
      items.push_back(std::move(item));
    }
  };

  Stretch bytes(Extent at) const { return {offset_ + at.begin, offset_ + at.end}; }

  void target(const Node* n, Extent all, Items& out) {
    if (auto* ref = as<NameRef>(n)) {
      std::string_view name = ref->name.text;
      if (out.names.contains(name)) return;
      OutlineKind kind = is_constant_name(name) ? OutlineKind::Constant : OutlineKind::Variable;
      out.add(name, {std::string(name), {}, kind, bytes(all), bytes(ref->name.at), {}});
    } else if (n && (n->kind == NodeKind::Tuple || n->kind == NodeKind::List)) {
      for_children(n, [&](const Node* part) { target(part, all, out); });
    }
  }

  // `variables`: assignments of a module or class; those of function bodies are no outline.
  void collect(const Node* n, bool in_class, bool variables, Items& out) {
    if (auto* f = as<FunctionDef>(n)) {
      OutlineKind kind = in_class ? OutlineKind::Method : OutlineKind::Function;
      Items inside;
      for (const Node* inner : f->body) collect(inner, false, false, inside);
      out.add(f->name.text, {std::string(f->name.text), decorated(*f), kind, bytes(f->at), bytes(f->name.at),
                             std::move(inside.items)});
    } else if (auto* c = as<ClassDef>(n)) {
      Items inside;
      for (const Node* inner : c->body) collect(inner, true, true, inside);
      out.add(c->name.text, {std::string(c->name.text),
                             {},
                             OutlineKind::Class,
                             bytes(c->at),
                             bytes(c->name.at),
                             std::move(inside.items)});
    } else if (auto* a = as<Assign>(n)) {
      if (!variables) return;
      for (const Node* t : a->targets) target(t, n->at, out);
    } else if (auto* a = as<AnnAssign>(n)) {
      if (variables) target(a->target, n->at, out);
    } else if (n->kind == NodeKind::If || n->kind == NodeKind::Try || n->kind == NodeKind::With ||
               n->kind == NodeKind::For || n->kind == NodeKind::While || n->kind == NodeKind::Match) {
      for_children(n, [&](const Node* child) { collect(child, in_class, variables, out); });
    }
  }

  std::uint32_t offset_;
  Items found_;
};

void flatten(std::vector<OutlineItem> items, const std::string& container, std::vector<NamedPlace>& out) {
  for (OutlineItem& i : items) {
    out.push_back({i.name, container, i.kind, i.name_at});
    flatten(std::move(i.children), i.name, out);
  }
}

// The letters of `wanted` in order, in any case.
bool matches(std::string_view name, std::string_view wanted) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::size_t at = 0;
  for (char c : name) {
    if (at < wanted.size() && lower(c) == lower(wanted[at])) ++at;
  }
  return at == wanted.size();
}

text::Digest digest_of(std::string_view text) {
  text::Digest digest;
  digest.add(text);
  return digest;
}

constexpr std::size_t kMostOutlines = 4000;

}  // namespace

std::vector<OutlineItem> outline(const session::Snapshot& script) {
  std::vector<OutlineItem> out;
  for (const Tree::Statement& s : script.tree()->statements()) {
    for (OutlineItem& i : Collector(s).take()) out.push_back(std::move(i));
  }
  return out;
}

std::vector<NamedPlace> named_places(const session::Snapshot& script) {
  std::vector<NamedPlace> out;
  flatten(outline(script), "", out);
  return out;
}

Outlines::Outline Outlines::find(const std::string& path, const text::Digest& text) {
  std::lock_guard lock(mutex_);
  auto it = known_.find(path);
  return it == known_.end() || it->second.first != text ? nullptr : it->second.second;
}

Outlines::Outline Outlines::keep(const std::string& path, const text::Digest& text, std::vector<NamedPlace> places) {
  std::lock_guard lock(mutex_);
  if (known_.size() > kMostOutlines) known_.clear();
  auto& known = known_[path];
  known = {text, std::make_shared<const std::vector<NamedPlace>>(std::move(places))};
  return known.second;
}

Answer<void> find_names(const Query& q, std::string_view wanted, Outlines& outlines,
                        const std::function<void(FoundNames)>& visit) {
  Scripts scripts(q);
  const std::vector<std::string>& all = scripts.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& path = all[i];
    if (q.stop.stop_requested()) return cancelled();
    report_search(q, path, i, all.size());
    bool open = std::ranges::any_of(q.open, [&](const Script& s) { return s->path() == path; });
    if (!open && q.is_script && !q.is_script(path)) continue;
    FoundNames found{scripts.source(path), {}};
    if (!found.source) continue;
    auto outline = outlines.find(path, digest_of(found.source->text()));
    if (!outline) {
      auto script = scripts.find(path);
      if (!script) continue;
      found.source = script->tree()->source();
      outline = outlines.keep(path, digest_of(found.source->text()), named_places(*script));
    }
    for (const NamedPlace& n : *outline) {
      if (matches(n.name, wanted)) found.names.push_back(n);
    }
    if (!found.names.empty()) visit(std::move(found));
  }
  return {};
}

}  // namespace tilewright::ide
