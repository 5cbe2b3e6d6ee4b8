// A release of the dialect, with what says that a script is written in it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/text/dialect.h"

namespace tilewright::script {

enum class DialectSource : std::uint8_t { Asked, Comment, Setting, Pin, Names, Installed, Assumed };
// "asked", "comment", "setting", "pin", "names", "installed", "assumed".
std::string_view dialect_source_name(DialectSource source);

struct DialectChoice {
  text::Dialect dialect = text::kDefaultDialect;
  DialectSource source = DialectSource::Assumed;
  std::string why;  // "requirements.txt pins apache-tvm==0.26.0"

  std::string words() const;  // "0.26: requirements.txt pins apache-tvm==0.26.0"
};

// What stands around a script says of its release; each is weaker than the one before.
struct DialectHints {
  struct Said {
    text::Dialect dialect;
    std::string words;  // who says it, and where
    friend bool operator==(const Said&, const Said&) = default;
  };
  std::optional<Said> setting;    // of the project
  std::optional<Said> pin;        // of the workspace: requirements.txt, pyproject.toml
  std::string pins_disagree;      // two pins of different releases: names both; empty: they agree
  std::optional<Said> installed;  // in a Python environment of the workspace
  friend bool operator==(const DialectHints&, const DialectHints&) = default;
};

}  // namespace tilewright::script
