// How far a command is, for people.
#pragma once
#include <cstddef>
#include <string>

#include "server/render/status_line.h"

namespace tilewright::cli {

// A line on standard error that says how far one is, for people: none unless that is a terminal, none before a second
// has passed, and none for a single piece.
class Progress {
 public:
  // "checked 12 of 60 files": `verb` and `noun` of it.
  Progress(std::string verb, std::string noun, std::size_t pieces);
  void show(std::size_t done);
  void clear() { line_.clear(); }  // before anything else is printed

 private:
  std::string verb_, noun_;
  std::size_t pieces_;
  render::StatusLine line_{std::chrono::milliseconds(100), std::chrono::seconds(1)};
};

}  // namespace tilewright::cli
