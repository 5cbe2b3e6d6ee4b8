// A command as one text: taken apart into words without running a shell, and put together for one.
#pragma once
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::remote {

// The words that a shell would make of `text` by its blanks, quotes and backslashes alone: '…' is taken as it is, in
// "…" a backslash before " \ $ ` takes it. Nothing is expanded: $HOME, *, ~ and ; are letters. The error says what is
// open.
std::expected<std::vector<std::string>, std::string> split_words(std::string_view text);

// A word as any shell of a remote machine reads it back; of a path below the home folder there (~/bin/tilewright) the
// tilde is left to that shell.
std::string quoted_word(std::string_view word);

}  // namespace tilewright::remote
