// One build by a build server, as its client sees it: from build/initialize to build/exit.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "protocol/bsp_data.h"
#include "server/remote/link.h"
#include "server/work/build_finding.h"

namespace tilewright::ci {

struct Asked {
  std::string root;                    // of the workspace, absolute
  std::vector<std::string> targets;    // absolute paths of scripts and folders; empty: all that there are
  std::vector<std::string> compiling;  // arguments of buildTarget/compile
  bool compile = true;
  std::optional<std::vector<std::string>> testing;  // of buildTarget/test; nothing: nothing is run
  // Until a server has said who it is; and that one which was asked says nothing: ours says something every minute.
  std::chrono::seconds greeting{60}, silence{600};
};

struct Outcome {
  enum class End {
    Done,       // the server has answered everything
    Refused,    // it will not, or cannot: `why` are its words
    Lost,       // the connection broke, or there is no answer: another try may do
    Cancelled,  // as `stop` wanted
  };
  End end = End::Lost;
  std::string why;
  std::vector<protocol::bsp::CompiledScript> scripts;  // in the order in which they were told
  std::vector<work::BuildFinding> findings;            // each once; absolute paths
  std::vector<protocol::bsp::TestRun> tests;
  bool tests_failed = false;             // the server says so
  std::vector<std::string> problems;     // errors of its log
  std::vector<std::string> passed_over;  // files that were named and hold no kernel
};

struct Watcher {
  std::function<void(const std::string&)> progress;  // one line: how far it is
  std::function<void(const std::string&)> said;      // what the server logs, but for errors
};

// Returns within seconds once `stop` is requested.
Outcome build(remote::Reached reached, const Asked& asked, const Watcher& watcher, const std::stop_token& stop);

}  // namespace tilewright::ci
