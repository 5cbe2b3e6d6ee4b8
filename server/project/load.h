// A script from a file or from standard input, with what belongs to it: its imports, its settings, its compilation.
#pragma once
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/session/compile.h"
#include "compiler/syntax/decoding.h"
#include "server/project/config.h"
#include "server/project/files.h"

namespace tilewright::project {

struct LoadedFile {
  std::shared_ptr<const text::Source> source;
  std::shared_ptr<const syntax::Tree> tree;
  std::unique_ptr<script::Loader> loader;
  std::filesystem::path place;  // from where its imports are looked for
  Config config;
  std::optional<text::Dialect> dialect;          // said outright, over its comment and the settings; nothing: not said
  std::optional<syntax::Rejection> undecodable;  // why its bytes are no text; nothing else is said about it
};
// "-" is standard input, shown as `shown_name`. `known`: of a command over many scripts; null: the settings are looked
// for. The error names the file and the reason.
std::expected<LoadedFile, std::string> load(const std::string& path, const std::string& shown_name = {},
                                            KnownConfigs* known = nullptr);
// The same text once more, with a loader of its own: a file is compiled by one thread at a time.
LoadedFile beside(const LoadedFile& file);
// Under the file's own settings and in its release of the dialect. Once `stop` is requested the result is incomplete,
// and says so (Compiled::stopped).
session::Compiled compile(const LoadedFile& file, const session::CompileOptions& asked,
                          const std::stop_token& stop = {});

// The architectures to look at: those asked for, each a known one, else as session::named_targets says. Where one has
// to do, `one_architecture` takes sm_90a if it is among several, else the first.
session::NamedTargets architectures(const LoadedFile& file, const std::vector<std::string>& asked);
session::NamedTargets one_architecture(const LoadedFile& file);
// To compile these entries, or all where none is named, for the first of these architectures.
session::CompileOptions options_for(const session::NamedTargets& named, std::vector<std::string> entries);
// Compiles for one of these architectures after the other; `take` gets each result. False: `stop` was requested, or
// `take` wants no more. `asked` says all but the architecture.
bool compile_each(const LoadedFile& file, const session::NamedTargets& named, session::CompileOptions asked,
                  const std::stop_token& stop, const std::function<bool(session::Compiled)>& take);

}  // namespace tilewright::project
