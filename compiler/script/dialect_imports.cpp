#include "compiler/script/dialect_imports.h"

#include <algorithm>
#include <set>
#include <string>

#include "compiler/script/traced/kernel.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/syntax/walk.h"

namespace tilewright::script {
namespace {

using namespace syntax;

class Imports {
 public:
  explicit Imports(Loader& loader) : loader_(loader) {}

  // Scripts that are found for the first time.
  std::vector<std::shared_ptr<const Tree>> of(const Tree& tree) {
    path_ = tree.source()->path();
    for (const Tree::Statement& s : tree.statements()) {
      std::vector<const Node*> todo{s.node->statement};
      while (!todo.empty()) {
        const Node* n = todo.back();
        todo.pop_back();
        if (as<FunctionDef>(n) || as<ClassDef>(n)) continue;
        take(n);
        for_children(n, [&](const Node* child) { todo.push_back(child); });
      }
    }
    return std::exchange(found_, {});
  }
  void know(const Tree& tree) { known_.insert(tree.source()->path()); }

 private:
  void take(const Node* n) {
    if (auto* import = as<Import>(n)) {
      for (const ImportedName& name : import->names) load(name.name, 0);
    } else if (auto* from = as<ImportFrom>(n)) {
      if (!from->module.empty()) load(from->module, from->level);
      for (const ImportedName& name : from->names) {
        if (name.name == "*") continue;
        load(std::string(from->module) + (from->module.empty() ? "" : ".") + std::string(name.name), from->level);
      }
    }
  }

  void load(std::string_view module, int level) {
    // The dialect is no script, nor are the libraries that are built in.
    const bool built_in = module == "tvm" || module.starts_with("tvm.") || is_traced_library(module) ||
                          is_tirx_package(module) || is_host_package(module);
    if (level == 0 && built_in) return;
    auto tree = loader_.load(module, level, path_);
    if (tree && known_.insert(tree->source()->path()).second) found_.push_back(std::move(tree));
  }

  Loader& loader_;
  std::string path_;
  std::set<std::string> known_;
  std::vector<std::shared_ptr<const Tree>> found_;
};

constexpr std::size_t kMostImported = 256;

}  // namespace

bool is_host_package(std::string_view module) {
  constexpr std::string_view kPackages[] = {"cupy", "jax", "numpy", "pandas", "scipy", "torch", "triton"};
  return std::ranges::find(kPackages, module.substr(0, module.find('.'))) != std::end(kPackages);
}

std::vector<std::shared_ptr<const Tree>> imported_scripts(const Tree& tree, Loader& loader) {
  Imports imports(loader);
  imports.know(tree);
  std::vector<std::shared_ptr<const Tree>> out = imports.of(tree);
  for (std::size_t i = 0; i < out.size() && out.size() < kMostImported; ++i) {
    for (auto& next : imports.of(*out[i])) out.push_back(std::move(next));
  }
  if (out.size() > kMostImported) out.resize(kMostImported);
  return out;
}

}  // namespace tilewright::script
