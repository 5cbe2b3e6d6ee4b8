// What `tilewright run` writes into files.
#pragma once
#include <expected>
#include <filesystem>
#include <string>

#include "server/project/made_files.h"
#include "server/work/run.h"

namespace tilewright::cli {

// Every tensor that was written goes to the folder, NAME.npy each, and the report says so. The error names the file.
// `made`: whose folder this is, or lies below.
std::expected<void, std::string> write_outputs(const std::filesystem::path& folder, const project::MadeFiles& made,
                                               run::Report& report);
std::expected<void, std::string> write_trace(const std::string& file, const work::RunAnswer& answer);

}  // namespace tilewright::cli
