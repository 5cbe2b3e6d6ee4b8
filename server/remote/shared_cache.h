// The cache of compilations that machines share, over HTTP: GET and PUT of entries by name, as ccache and Bazel's
// clients speak to the same servers.
//
//   TILEWRIGHT_SHARED_CACHE        https://HOST[:PORT]/PATH; entries are at PATH/NAME
//   TILEWRIGHT_SHARED_CACHE_TOKEN  a file of its owner alone with one line, said as a bearer token
//   TILEWRIGHT_SHARED_CACHE_WRITE  1: what is made here is offered to the others; else it is only read
//
// It comes from the environment alone: a repository's settings must not choose whose compilations are trusted, nor
// where a token goes.
//
// A slow or dead server costs a process at most kPatience in all. Waiting for answers counts, each entry that came
// counts for what it saved; when nothing is left, the server is not asked again. What is offered leaves on a thread of
// its own; at the end of the process that is waited for no longer than kFarewell, and the one on its way no longer than
// kOneOffer. So a process is never longer than 7 seconds for it: 2 and one answer, then 2 and one offer.
#pragma once
#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "compiler/toolchain/shared_store.h"

namespace tilewright::remote {

inline constexpr std::chrono::milliseconds kPatience{2000}, kFarewell{2000};
// One request takes no longer; an entry that came is worth so much, about a small compilation.
inline constexpr std::chrono::milliseconds kOneAnswer{1000}, kOneOffer{2000}, kWorth{50};

struct SharedCacheOptions {
  std::string url;         // empty: there is none
  std::string token_file;  // empty: no token
  bool writes = false;
  std::function<void(const std::string&)> told;  // once, why it is not asked any more
};
SharedCacheOptions shared_cache_options();  // of the environment
// Null where there is none. The error says what is wrong with the settings.
std::expected<std::shared_ptr<toolchain::SharedStore>, std::string> shared_cache(SharedCacheOptions options);

}  // namespace tilewright::remote
