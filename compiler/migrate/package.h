// Rewriting a script into one of the package that follows 0.27, `tvm_tirx`: what has one meaning there is edited, what
// a person must decide is listed, tile primitives among it (the package has none).
#pragma once
#include <expected>
#include <string>

#include "compiler/migrate/migrate.h"

namespace tilewright::migrate {

// What a script is moved to: a release, or the package, which is read in its release.
struct Target {
  text::Dialect dialect = text::kDefaultDialect;
  bool package = false;
  std::string_view name() const { return package ? std::string_view("tvm_tirx") : text::dialect_name(dialect); }
};
// "0.26" or "tvm_tirx"; the error says which there are.
std::expected<Target, std::string> target_named(std::string_view name);

// Release by release up to 0.27, then into the package, whose instructions are those of 0.27.
Migrated to_package(const syntax::Tree& tree, text::Dialect from);

}  // namespace tilewright::migrate
