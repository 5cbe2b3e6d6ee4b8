// Who finds the scripts that a script imports.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::syntax {
class Tree;
}

namespace tilewright::script {

// Finds the scripts that a script imports. Paths stay below the root that the implementation knows.
class Loader {
 public:
  virtual ~Loader() = default;
  // `module` is dotted; `level` counts leading dots relative to the package of `importer` (a path). Null: not a script
  // of ours, so the import becomes opaque.
  virtual std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) = 0;
  // The names of what could be imported from the package `module` (empty: from beside the script), be it a script or
  // not. Nothing: there is no such folder below the root, or it is not known.
  virtual std::optional<std::vector<std::string>> beside(std::string_view, int, std::string_view) {
    return std::nullopt;
  }
};

}  // namespace tilewright::script
