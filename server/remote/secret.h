// Secrets lie in files of their owner: they are on no command line and in no message.
#pragma once
#include <expected>
#include <filesystem>
#include <string>

#include "compiler/run/experiment.h"

namespace tilewright::remote {

// The token in a file: one line of 16 to 4,096 printable letters. The error tells of a file that is missing, is no
// plain file, can be read or written by others than its owner, or holds something else; never what it holds.
std::expected<std::string, run::Failure> read_token(const std::filesystem::path& file);
// A key file is there and only its owner can read it; TLS reads it itself.
std::expected<void, run::Failure> check_private(const std::filesystem::path& file, const std::string& what);

// A file that TLS reads itself is a plain one: a pipe would keep us waiting.
std::expected<void, run::Failure> check_plain(const std::filesystem::path& file, const std::string& what);

}  // namespace tilewright::remote
