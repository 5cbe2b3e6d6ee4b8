// Output formats of `check`: text for people, JSON, SARIF 2.1.0, GitHub annotations, JUnit XML.
//
// A report of many files is put together from what is said about each, so that no file needs to be kept: its tree and
// its kernels are a thousand times larger than what is found in them.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/render/json.h"
#include "server/render/junit.h"
#include "server/work/checked.h"

namespace tilewright::render {

// One file's part of a report, in one format.
struct FilePart {
  std::string path;
  std::string text;                            // text, github, junit: as it stands in the report
  Json results = Json::array();                // json, sarif: one a finding
  std::set<std::string> codes;                 // sarif: those of the results
  TestCounts tests;                            // junit
  std::size_t kernels = 0;                     // so that what is not checked of them is to be said
  std::vector<script::Unchecked> unchecked{};  // functions that were not looked at
  std::optional<std::size_t> untried;          // as CheckedFile has it
  std::size_t untried_fixes = 0;               // sarif: findings whose fixes were not all tried
  Json silenced = Json::array();               // json: one a silenced finding
  Json dialect{};                              // json: the release that the file is written in, and what says so
};

// `format`: text, json, sarif, github or junit. Text has the colours of standard output.
FilePart file_part(const work::CheckedFile& file, std::string_view format);
// A file that could not be looked at, or not for an architecture that it asks for.
struct Failure {
  std::string file, message;
};
// The answers of a command for its files, and the files that it could not do.
text::Json files_json(text::Json files, const std::vector<Failure>& failures);
// The report of all formats but text, whose parts are shown as they come.
std::string joined(std::vector<FilePart> files, std::string_view format, const std::vector<Failure>& failures);

}  // namespace tilewright::render
