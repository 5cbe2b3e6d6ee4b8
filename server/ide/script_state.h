// A text of a script with what is found in it, and the same after an edit: for edits that are tried.
#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "server/ide/query.h"
#include "server/ide/trials.h"
#include "server/project/load.h"
#include "server/work/fix.h"

namespace tilewright::ide {

// A finding with what fixes are made of. Places are those of the script itself.
struct FoundHere {
  std::string code, message, hint;
  text::Severity severity = text::Severity::Error;
  std::optional<Stretch> at;  // none: it lies in another file, or nowhere
  std::vector<Stretch> related;
  const text::Diagnostic* said = nullptr;  // of the analysis; null: the simulator found it
};

struct ScriptStateOptions {
  std::vector<std::string> entries, archs;
  bool deny_fallback = false;
  bool simulate = false;
  unsigned jobs = 1;
  bool brief = false;  // simulations look as shortly as while a text is typed
};

class ScriptState {
 public:
  // None after a stop, or where the bytes of the file are no text.
  static std::optional<ScriptState> of(const project::LoadedFile& file, const ScriptStateOptions& options,
                                       const std::stop_token& stop);
  // The same of an open document, under its own settings.
  static std::optional<ScriptState> of(const Script& script, const ScriptStateOptions& options,
                                       const std::stop_token& stop);
  // None after a stop.
  std::optional<ScriptState> after(const work::Edit& edit, const std::stop_token& stop) const;
  // How many findings the simulator adds, whether or not it was asked for; none after a stop.
  std::optional<std::size_t> simulated(const std::stop_token& stop) const;

  std::string_view text() const { return snapshot_->source().text(); }
  const std::vector<FoundHere>& found() const { return found_; }
  const session::Analysis& analysis() const { return *analysis_; }
  const work::FindingCounts& counts() const { return counts_; }
  // Kernels that the simulator did not, or not wholly, look at.
  std::size_t untried() const { return untried_; }
  Query query(const std::stop_token& stop) const;

 private:
  bool look(const std::stop_token& stop);
  bool simulate(const std::stop_token& stop);
  using Known = std::vector<KnownTrial>;
  // What the simulator finds, and how many kernels it did not wholly look at; none after a stop. `keep`: where the
  // trials are kept; null: nowhere.
  std::optional<std::vector<FoundHere>> trial(std::size_t& untried, const std::stop_token& stop, Known* keep) const;

  const ScriptStateOptions* options_ = nullptr;
  Script snapshot_;
  std::shared_ptr<const session::Analysis> analysis_;
  std::vector<FoundHere> found_;
  work::FindingCounts counts_;
  std::size_t untried_ = 0;
  std::shared_ptr<const Known> known_;  // trials of the text that the edits are made in
};

}  // namespace tilewright::ide
