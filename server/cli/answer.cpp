#include "server/cli/answer.h"

#include <charconv>

#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/render/json.h"

namespace tilewright::cli {
namespace {

std::optional<std::uint32_t> line_number(std::string_view text) {
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace

void add_answer(CLI::App& command, AnswerOptions& options) {
  command
      .add_option("--fields", options.fields,
                  "Only these members of the JSON answer, e.g. kernels.name,kernels.calls.variant; means --json")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  command.add_flag("--summary", options.summary, "A short JSON answer: names, outcomes and findings; means --json");
}

void add_lines(CLI::App& command, AnswerOptions& options) {
  CLI::Option* lines = command.add_option("--lines", options.lines, "Only what these lines of the script became: A:B");
  command.add_option("--call", options.call, "Only what the call at FILE:LINE became, also in a file that is imported")
      ->excludes(lines);
}

std::expected<std::optional<render::ScriptLines>, std::string> lines_of(const AnswerOptions& options) {
  if (!options.call.empty()) {
    const std::size_t colon = options.call.rfind(':');
    const auto line = colon == std::string::npos ? std::nullopt : line_number(options.call.substr(colon + 1));
    if (!line) return std::unexpected("'" + options.call + "' is no place: write FILE:LINE");
    return render::ScriptLines{options.call.substr(0, colon), *line, *line};
  }
  if (options.lines.empty()) return std::nullopt;
  const std::size_t colon = options.lines.find(':');
  const auto from = line_number(std::string_view(options.lines).substr(0, colon));
  const auto to = colon == std::string::npos ? from : line_number(std::string_view(options.lines).substr(colon + 1));
  if (!from || !to || *from > *to)
    return std::unexpected("'" + options.lines + "' are no lines: write FIRST:LAST, which count from 1");
  return render::ScriptLines{{}, *from, *to};
}

void print_json(const text::Json& answer) { project::emit(stdout, render::dump_for_output(answer) + "\n"); }

// The part of an answer that is asked for, or why there is none.
static std::expected<text::Json, std::string> part(const text::Json& answer, const AnswerOptions& options,
                                                   std::string_view summary, bool strict) {
  std::vector<std::string> paths = options.fields;
  if (paths.empty()) {
    for (std::size_t from = 0; from < summary.size();) {
      const std::size_t end = std::min(summary.find(' ', from), summary.size());
      paths.emplace_back(summary.substr(from, end - from));
      from = end + 1;
    }
  }
  return render::selected(answer, paths, strict && !options.fields.empty());
}

text::Json part_of(const text::Json& answer, const AnswerOptions& options, std::string_view summary) {
  return options.is_part() ? *part(answer, options, summary, false) : answer;
}

bool print_answer(const text::Json& answer, const AnswerOptions& options, std::string_view summary) {
  if (!options.is_part()) {
    print_json(answer);
    return true;
  }
  auto wanted = part(answer, options, summary, true);
  if (!wanted) {
    fail_usage(wanted.error());
    return false;
  }
  print_json(*wanted);
  return true;
}

}  // namespace tilewright::cli
