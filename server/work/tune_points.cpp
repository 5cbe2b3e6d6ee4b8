// The candidates of `tune`: what CONFIGS, comments and calls of a file list for an entry.
#include <algorithm>

#include "compiler/session/run_comments.h"
#include "compiler/text/escape.h"
#include "server/work/runnables.h"
#include "server/work/tune.h"

namespace tilewright::work {
namespace {

constexpr std::size_t kMostPoints = 4096;
constexpr std::string_view kTune = "tune ";

// The expression with these arguments in the place of its `*`. Nothing: it has none that stands alone.
std::optional<std::string> with_point(std::string_view entry, const std::string& arguments) {
  for (std::size_t at = entry.find('*'); at != entry.npos; at = entry.find('*', at + 1)) {
    std::size_t before = at, after = at + 1;
    while (before > 0 && entry[before - 1] == ' ') --before;
    while (after < entry.size() && entry[after] == ' ') ++after;
    const bool begins = before > 0 && (entry[before - 1] == '(' || entry[before - 1] == ',');
    const bool ends = after < entry.size() && (entry[after] == ')' || entry[after] == ',');
    if (begins && ends) return std::string(entry.substr(0, at)) + arguments + std::string(entry.substr(at + 1));
  }
  return std::nullopt;
}

Candidate& candidate(TunePoints& out, std::string entry) {
  Candidate& c = out.candidates.emplace_back();
  c.entry = std::move(entry);
  return c;
}

// A factory's entries in the file: what its CONFIGS, comments and calls list.
std::expected<TunePoints, run::Failure> listed(const project::LoadedFile& file, const std::string& name,
                                               const std::stop_token& stop) {
  TunePoints out;
  for (const Runnable& r : entries_to_run(file, stop).entries)
    if (r.entry == name || r.entry.starts_with(name + "("))
      if (std::ranges::find(out.candidates, r.entry, &Candidate::entry) == out.candidates.end())
        candidate(out, r.entry);
  if (out.candidates.empty())
    return std::unexpected(
        run::Failure{"'" + text::visible(name) + "' has no `*` for the settings, and no entries in " +
                         text::visible(file.source->path()),
                     "write the call with a `*`, as 'gemm(4096, 4096, 4096, *)', or list settings in CONFIGS"});
  return out;
}

}  // namespace

std::expected<TunePoints, run::Failure> tune_points(const project::LoadedFile& file, const TuneRequest& request,
                                                    const std::stop_token& stop) {
  constexpr const char* kCall = "write the call with a `*`, as 'gemm(4096, 4096, 4096, *)'";
  auto of_entry = [&](const std::string& what, const char* hint) {
    return std::unexpected(run::Failure{"'" + text::visible(request.entry) + "' " + what, hint});
  };
  const auto starred = with_point(request.entry, "x");
  if (!starred && !request.space.empty()) return of_entry("has no `*` for the settings of --space", kCall);
  if (!starred && !request.small.empty()) return of_entry("has no `*`, as --small has", kCall);
  if (!starred) return listed(file, request.entry, stop);
  if (with_point(*starred, "x")) return of_entry("has more than one `*` for the settings", kCall);
  const std::string said = request.space.empty() ? text_of_comment(file, kTune) : request.space;
  if (said.empty())
    return std::unexpected(
        run::Failure{"nothing says which settings to try",
                     "--space 'BM=64,128 STAGES=2..6 if BM * STAGES <= 512', or the same in a comment "
                     "`# tilewright: tune ...`"});
  auto space = inputs::parse_space(said);
  if (!space) return std::unexpected(run::Failure{"the space '" + text::visible(said) + "': " + space.error(), {}});
  auto points = inputs::points_of(*space, kMostPoints);
  if (!points) return std::unexpected(run::Failure{"the space '" + text::visible(said) + "': " + points.error(), {}});
  if (points->empty())
    return std::unexpected(run::Failure{"no point of the space fulfils '" + space->condition + "'", {}});
  TunePoints out;
  for (std::vector<std::string>& point : *points) {
    std::string arguments;
    for (std::size_t i = 0; i < point.size(); ++i) arguments += (i ? ", " : "") + space->axes[i].name + "=" + point[i];
    if (!request.small.empty()) {
      auto small = with_point(request.small, arguments);
      if (!small)
        return std::unexpected(run::Failure{"'" + text::visible(request.small) + "' has no `*` for the settings", {}});
      out.small.push_back(std::move(*small));
    }
    candidate(out, *with_point(request.entry, arguments)).values = std::move(point);
  }
  out.axes = std::move(space->axes);
  return out;
}

}  // namespace tilewright::work
