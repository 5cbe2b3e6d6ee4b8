// What the names of a script mean in the dialect, whatever it imports them as.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/script/surface.h"
#include "compiler/syntax/tree.h"

namespace tilewright::migrate {

class Names {
 public:
  Names(const syntax::Tree& tree, text::Dialect release);

  // "T.ptx.elect_sync", "Tx.copy" in whatever scope, "layout.ComposeLayout". Empty: no name of the dialect.
  std::string path(const syntax::Node* n) const;
  // How the script writes a path of another release: with what it calls `T`, or by the name that it imported.
  std::string spelled(std::string_view path) const;
  text::Dialect release() const { return release_; }

 private:
  struct Bound {
    std::string_view name;  // in the script
    std::string path;
  };
  std::string below(std::string_view path, std::string_view name) const;
  std::string_view name_of(std::string_view path) const;

  text::Dialect release_;
  const script::Surface& surface_;
  std::vector<Bound> bound_;
};

// The node as its statement writes it.
inline std::string written(const syntax::Tree::Statement& statement, const syntax::Node* n) {
  return statement.node->text.substr(n->at.begin, n->at.end - n->at.begin);
}

}  // namespace tilewright::migrate
