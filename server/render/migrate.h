// What `tilewright migrate` says.
#pragma once
#include <string>
#include <vector>

#include "compiler/text/json.h"
#include "server/render/formats.h"
#include "server/work/migrate.h"

namespace tilewright::render {

// A file with what was found of it; checks are none where nothing was run.
struct MigratedPart {
  const work::MigratedFile* file = nullptr;
  std::vector<work::MigrationCheck> checks;
};
// Without the diff: releases, edits, decisions and checks, as lines.
std::string migrated_text(const MigratedPart& part, migrate::Target to);
text::Json migrated_json(const MigratedPart& part, migrate::Target to);

}  // namespace tilewright::render
