// What the user allowed the settings files of repositories: one file for each consent, in the user's own folder.
//
// A consent is to one content of one file: it is named by the SHA-256 of the settings file's canonical path and of all
// that it would execute, connect to and send (server/remote/consent.h makes that text). What changes needs another one.
// A store that others may write to, or that comes with the checkout itself, allows nothing.
#pragma once
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::project {

struct Trusted {
  std::filesystem::path settings;
  std::string shown;   // what the user saw when they agreed
  std::string digest;  // the name of the consent
};

// Is there a consent to this? The error says why the store cannot be asked.
std::expected<bool, std::string> is_trusted(const std::filesystem::path& settings, std::string_view content);
std::expected<void, std::string> trust(const std::filesystem::path& settings, std::string_view content,
                                       std::string_view shown);
// Takes back all consents to this file; how many there were.
std::expected<std::size_t, std::string> revoke(const std::filesystem::path& settings);
// All, sorted by file.
std::expected<std::vector<Trusted>, std::string> all_trusted();

}  // namespace tilewright::project
