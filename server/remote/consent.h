// Consent to what a project's settings would execute, connect to and send.
//
// A settings file comes with a repository, and so do its remotes: none of them is used before the user has seen and
// agreed to them (`tilewright trust`). The consent is to the content: to the file's remotes and pools, and to the bytes
// of the programs, certificates and keys that they name in the checkout. What else the file says takes no part.
// Remotes of the user's own settings and of --remotes need none.
#pragma once
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/experiment.h"
#include "server/project/config.h"
#include "server/remote/place.h"

namespace tilewright::remote {

// What one remote does, in lines for people, without control characters: "runs docker run -i image tilewright".
struct Act {
  std::string remote;  // its name, or the pool and the address that the pool names
  std::vector<std::string> lines;
};

struct Demand {
  std::filesystem::path settings;  // in its canonical folder
  std::vector<Act> acts;
  std::string content;  // what the consent is to (project/trust.h)
};

// All that the project's settings demand; nothing: they name no remotes of their own. The error: a file that they name
// in the checkout is too large to be compared.
std::expected<std::optional<Demand>, run::Failure> demand_of(const project::Config& config);
// What must be agreed to before `word` (an address, a remote or a pool) is used, with the acts of `word` alone;
// nothing: it may be used, or there is no such name.
std::expected<std::optional<Demand>, run::Failure> unmet(std::string_view word, const project::Config& config);
// The acts as a text of several lines, each indented.
std::string words_of(const std::vector<Act>& acts);
// The acts in one line of at most `most` bytes.
std::string short_words(const std::vector<Act>& acts, std::size_t most = 200);

// As find_places(), and an error where a project's settings lack the consent.
std::expected<std::vector<Place>, run::Failure> allowed_places(std::string_view word, const project::Config& config);

}  // namespace tilewright::remote
