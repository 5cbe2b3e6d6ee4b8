// A build of a script, and what its imports led to, as bytes. Paths below `root` are written relative to it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/project/workspace.h"
#include "server/work/build_types.h"

namespace tilewright::work {

// Nothing where it speaks of paths that are not below `root`.
std::optional<std::string> write_build(const BuiltScript& script, const std::filesystem::path& root);
// The script has the path `path` from then on. Null: these bytes are no build.
std::shared_ptr<BuiltScript> read_build(std::string_view bytes, const std::string& path,
                                        const std::filesystem::path& root);

// Nothing where one of them leads out of `root`. With `contents`, their digests are part of it.
std::optional<std::string> write_imports(const std::vector<project::ImportedFile>& imports,
                                         const std::filesystem::path& root, bool contents);
// Without the states of the files. Nothing: these bytes are none.
std::optional<std::vector<project::ImportedFile>> read_imports(std::string_view bytes,
                                                               const std::filesystem::path& root);

}  // namespace tilewright::work
