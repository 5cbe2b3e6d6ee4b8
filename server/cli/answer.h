// How an answer in JSON goes out: which part of it, and in how many lines.
#pragma once
#include <CLI/CLI.hpp>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/render/selection.h"

namespace tilewright::cli {

struct AnswerOptions {
  std::vector<std::string> fields;
  bool summary = false;
  std::string lines, call;

  bool is_part() const { return summary || !fields.empty(); }  // which only JSON has
  bool of_lines() const { return !lines.empty() || !call.empty(); }
};
// `--fields` and `--summary`; both mean `--json`.
void add_answer(CLI::App& command, AnswerOptions& options);
// `--lines` and `--call`: the part of a script that an answer is about.
void add_lines(CLI::App& command, AnswerOptions& options);
// None: the whole. The error is for the person.
std::expected<std::optional<render::ScriptLines>, std::string> lines_of(const AnswerOptions& options);

// Prints JSON: in one line where standard output is no terminal.
void print_json(const text::Json& answer);
// Of one answer of several: what it does not have is left out.
text::Json part_of(const text::Json& answer, const AnswerOptions& options, std::string_view summary);
// The part that is asked for. `summary`: the paths of a short answer, separated by blanks. False: a field does not
// exist, which is said.
bool print_answer(const text::Json& answer, const AnswerOptions& options, std::string_view summary);

}  // namespace tilewright::cli
