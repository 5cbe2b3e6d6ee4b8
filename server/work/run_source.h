// The script of a run as another machine needs it (run/script.h).
#pragma once
#include <deque>

#include "compiler/run/script.h"
#include "server/project/load.h"

namespace tilewright::work {

class RunSource final : public run::Script {
 public:
  // Of the kernels that `entries` yield in `compiled`, for `target`. Both references outlive it.
  RunSource(const project::LoadedFile& file, const session::Compiled& compiled, std::vector<std::string> entries,
            std::string target)
      : file_(file), compiled_(compiled), entries_(std::move(entries)), target_(std::move(target)) {}

  run::ScriptText text() override;
  ir::Origin origin(std::span<const run::ScriptPlace> places) override;

 private:
  text::Span span_of(const run::ScriptPlace& place);

  const project::LoadedFile& file_;
  const session::Compiled& compiled_;
  const std::vector<std::string> entries_;
  const std::string target_;
  std::deque<ir::CallSite> sites_;  // that origins point to
};

}  // namespace tilewright::work
