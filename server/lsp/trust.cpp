#include "server/lsp/trust.h"

#include <mutex>
#include <set>

#include "server/project/trust.h"
#include "server/remote/consent.h"

namespace tilewright::lsp {
namespace {

// What was declined, by content: true the first time.
bool first_question(const std::string& content) {
  static std::mutex mutex;
  static std::set<std::string> asked;
  const std::scoped_lock lock(mutex);
  return asked.insert(content).second;
}

std::string words_of(const run::Failure& failure) {
  return failure.message + (failure.hint.empty() ? "" : "\n  " + failure.hint);
}

}  // namespace

std::optional<std::string> untrusted(const Request& r, std::string_view word, const project::Config& config,
                                     bool again) {
  const auto missing = remote::unmet(word, config);
  if (!missing) return words_of(missing.error());
  if (!*missing) return std::nullopt;
  const auto refusal = [&] {
    const auto places = remote::allowed_places(word, config);
    return places ? std::optional<std::string>() : words_of(places.error());
  };
  const bool first = first_question((*missing)->content);
  if (!r.choose || (!first && !again)) return refusal();
  // The consent is to all that the file names, so all of it is shown.
  const auto whole = remote::demand_of(config);
  if (!whole || !*whole) return refusal();
  const std::string shown = remote::words_of((*whole)->acts);
  constexpr std::string_view kTrust = "Trust";
  const auto chosen =
      r.choose("Trust the remotes of " + (*whole)->settings.string() + "? A run on one of them\n" + shown,
               {std::string(kTrust), "Do not trust"});
  if (chosen != kTrust) return refusal();
  if (auto done = project::trust((*whole)->settings, (*whole)->content, shown); !done) return done.error();
  return refusal();  // nothing, unless the file has become another meanwhile
}

}  // namespace tilewright::lsp
