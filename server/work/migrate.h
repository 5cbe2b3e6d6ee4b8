// Scripts moved to another release of the dialect, and the proof that they do the same: what each of their kernels
// leaves on the simulator, byte for byte.
#pragma once
#include <expected>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/migrate/package.h"
#include "server/project/load.h"

namespace tilewright::work {

struct MigratedFile {
  std::string path;
  project::LoadedFile original;
  script::DialectChoice from;
  bool already = false;      // it is of that release, or of a later one: nothing is done
  std::string wrong;         // why its release is not known; empty: it is
  migrate::Migrated result;  // empty text: `already`, or `wrong`
};
// The error names the file and the reason. `from`: the release it is written in; none: it is found out.
std::expected<MigratedFile, std::string> migrate_file(const std::string& path, std::optional<text::Dialect> from,
                                                      migrate::Target to);

struct MigrationCheck {
  enum class Result : std::uint8_t {
    Same,     // the same bytes in each tensor
    Differs,  // other bytes, or one of the two does not run as the other does
    NotRun,   // it does not run as it was, so that nothing can be said
  };
  std::string entry;  // empty: the script as a whole, also for an architecture that is refused after
  Result result = Result::NotRun;
  std::string words;  // what differs, or why it was not run
};
// Runs each kernel of the script before and after. Files of `all`, by canonical path, stand for those that it imports.
std::vector<MigrationCheck> check_migration(const MigratedFile& file, migrate::Target to,
                                            const std::map<std::string, std::string>& all, const std::stop_token& stop);

}  // namespace tilewright::work
