// The answer of `tilewright entries` as JSON (protocol/schema/entries.json).
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compiler/session/registered.h"
#include "server/render/json.h"

namespace tilewright::render {

// A module of a kernel library's registry.
struct RegisteredFile {
  std::string file;
  session::Registered as;
};

Json entries_json(const script::Evaluation& evaluation);
// Of a folder: the modules of it that are registered.
Json registered_json(std::span<const RegisteredFile> modules);
// A file that could not be read.
Json no_entries_json(std::string_view file, std::string_view message);

}  // namespace tilewright::render
