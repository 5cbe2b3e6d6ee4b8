// What bound kernels were made from: for an executor elsewhere that makes them again, and for what it then says of
// places in them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/text/context.h"
#include "compiler/text/dialect.h"

namespace tilewright::run {

// A script with all that its evaluation reads, so that it can be evaluated where none of its files are.
struct ScriptText {
  struct File {
    std::string path, text;
  };
  // What an import statement found (script::Loader): `level` leading dots, and the path of a file; empty: nothing.
  struct Import {
    std::string module;
    int level = 0;
    std::string importer, path;
  };
  std::vector<File> files;  // the script itself, then what it imports
  std::vector<Import> imports;
  std::vector<std::string> entries;  // one a launch: the expression that yields its kernel
  std::string target;                // "sm_90a"
  text::Dialect dialect = text::kDefaultDialect;
  text::Limits limits;
};

// Bytes of one of the files.
struct ScriptPlace {
  std::string path;
  std::uint32_t begin = 0, end = 0;
};

class Script {
 public:
  virtual ~Script() = default;
  virtual ScriptText text() = 0;
  // The statement at `places[0]`, reached through calls at the others, innermost first. Nowhere: there is no such file.
  // What it points to lives as long as this.
  virtual ir::Origin origin(std::span<const ScriptPlace> places) = 0;
};

}  // namespace tilewright::run
