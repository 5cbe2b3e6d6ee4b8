// What was found in a script, by itself: places are lines and columns of named files, so that it can be kept, sent and
// reported when the script's tree is gone.
#pragma once
#include <string>
#include <vector>

#include "compiler/session/findings.h"
#include "compiler/text/source.h"

namespace tilewright::work {

struct BuildPlace {
  std::string path;             // as its source is called: absolute for a build server
  text::LineColumn begin, end;  // from 0, columns in UTF-16 units
  // Nothing of the file is meant more than the rest.
  bool whole_file() const { return begin == end && begin.line == 0 && begin.column == 0; }
  friend bool operator==(const BuildPlace& a, const BuildPlace& b) = default;
};

struct BuildFinding {
  BuildPlace at;
  text::Severity severity = text::Severity::Error;
  std::string code, message, hint;
  struct Related {
    BuildPlace at;
    std::string message;
    friend bool operator==(const Related& a, const Related& b) = default;
  };
  std::vector<Related> related;
  // Edits that fix it, each alone; of `at.path`. They are not kept with a build.
  struct Fix {
    BuildPlace at;
    std::string title, text;
    friend bool operator==(const Fix& a, const Fix& b) = default;
  };
  std::vector<Fix> fixes{};
  friend bool operator==(const BuildFinding& a, const BuildFinding& b) = default;
};

// What lies nowhere is put at the beginning of `path`.
BuildFinding build_finding(const session::Finding& found, const std::string& path);

}  // namespace tilewright::work
