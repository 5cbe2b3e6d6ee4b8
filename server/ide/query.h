// What a question about scripts knows, and how it can fail.
//
// Each answer of this room is a function of a Query and of plain parameters; a file holds one kind of answer. Places
// are bytes of a script, files are paths, texts for people are blocks with their kind: who speaks for the house makes
// positions, URIs, JSON and Markdown of them (server/lsp/features/ does for editors).
//
// An answer is given on the snapshot that was current when the question came, on any thread and without locks. It looks
// at `stop` wherever it could take longer than a millisecond (analyses do).
#pragma once
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/snapshot.h"
#include "server/ide/preferences.h"
#include "server/project/files.h"

namespace tilewright::ide {

class Artifacts;
class BackgroundTrials;
class RunFindings;

// A script as it was when the question came: an open document, a file, or a file of the prelude.
using Script = std::shared_ptr<const session::Snapshot>;

// Half-open bytes of a script.
struct Stretch {
  std::uint32_t begin = 0, end = 0;
  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

// Where a span of a script stands in the document of this path; nothing where it stands elsewhere.
std::optional<Stretch> place_in(text::Span span, const text::Anchors& anchors, const std::string& path);

// Why there is no answer.
struct Failure {
  enum class Kind {
    Cancelled,  // the caller cancelled it
    Refused,    // it makes no sense here
    Invalid,    // no such question
  };
  Kind kind = Kind::Refused;
  std::string reason;  // for people; of Cancelled empty
};
template <class T>
using Answer = std::expected<T, Failure>;

inline std::unexpected<Failure> cancelled() { return std::unexpected(Failure{Failure::Kind::Cancelled, {}}); }
inline std::unexpected<Failure> refused(std::string why) {
  return std::unexpected(Failure{Failure::Kind::Refused, std::move(why)});
}
inline std::unexpected<Failure> invalid(std::string why) {
  return std::unexpected(Failure{Failure::Kind::Invalid, std::move(why)});
}

struct Query {
  Script snapshot;                   // of the script that the question is about; null: about the workspace
  std::vector<Script> open;          // all open documents, by path
  std::vector<std::string> folders;  // of the workspace, as paths
  std::stop_token stop;
  Preferences preferences;
  Artifacts* artifacts = nullptr;            // of NVIDIA's tools; null: none are made
  const BackgroundTrials* trials = nullptr;  // on the simulator; null: there are none
  RunFindings* runs = nullptr;               // that were asked for; null: what they found is not kept
  std::vector<std::string> run_targets;      // where the script can be run (project/run_targets.h)
  // Tells how far it is: a message, and per cent or -1. Empty where it is not asked for.
  std::function<void(const std::string& message, int percent)> progress;
  // Opens a file of the workspace that is not open, under its own settings. Null: it cannot be read.
  std::function<Script(const std::string& path)> read_file;
  // Is a file of the workspace a tile script, or any other Python? Empty: each may be one.
  std::function<bool(const std::string& path)> is_script;

  // The analysis of the script, which may have to be made. Null only after a stop: answer cancelled().
  std::shared_ptr<const session::Analysis> analysis() const { return snapshot->analyse(stop); }
};

// Documents that are no files are named by what their editor calls them.
using project::is_file;

// The place of a span that a reader of `script` could go to: in the script itself or in a file. `source` is null where
// there is none.
text::Anchors::Place place_of(text::Span span, const text::Anchors& anchors, const session::Snapshot& script);

}  // namespace tilewright::ide
