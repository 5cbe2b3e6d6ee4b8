#include "server/bsp/kept_tests.h"

#include <algorithm>
#include <filesystem>

#include "server/project/files.h"

namespace tilewright::bsp {

namespace wire = protocol::bsp;

bool are_kept(const std::string& script) {
  const auto text = project::read_script(script);
  if (!text) return false;
  // Files of contents, references in Python.
  constexpr std::string_view kFiles[] = {".npy", ".npz", ".bin", ".py:"};
  return std::ranges::none_of(kFiles,
                              [&](std::string_view file) { return text->text.find(file) != std::string::npos; });
}

std::optional<std::vector<wire::TestRun>> kept_tests(work::Builder& builder, const TestsOf& tests) {
  const auto bytes = builder.kept_runs(tests.script, tests.build, tests.words);
  if (!bytes) return std::nullopt;
  try {
    return Json::parse(*bytes).get<std::vector<wire::TestRun>>();
  } catch (const Json::exception&) {
    return std::nullopt;  // of another version, or damaged: they are run again
  }
}

void keep_tests(work::Builder& builder, const TestsOf& tests, const std::vector<wire::TestRun>& runs) {
  using enum wire::TestStatus;
  const bool sound = !runs.empty() && std::ranges::all_of(runs, [](const wire::TestRun& run) {
    return run.status == Passed || run.status == Ignored;
  });
  if (!sound) return;
  Json kept(runs);
  for (Json& run : kept) run["uri"] = "";
  const std::string bytes = kept.dump(-1, ' ', false, Json::error_handler_t::replace);
  // What speaks of places would speak of them in another checkout, too.
  const std::string folder = std::filesystem::path(tests.script).parent_path().string();
  if (bytes.find(folder) == bytes.npos) builder.keep_runs(tests.script, tests.build, tests.words, bytes);
}

}  // namespace tilewright::bsp
