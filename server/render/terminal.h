// What a person sees: colours on a terminal only, tables, and the shape of a diagnostic.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::render {

// Escape sequences, or nothing where the output is not a terminal (or NO_COLOR is set).
struct Colours {
  std::string_view bold, dim, red, yellow, blue, green, plain;
};
const Colours& colours(std::FILE* stream);

// What a script says must not steer the terminal: each control character but tab and line end becomes U+FFFD.
std::string harmless(std::string text);
std::string_view severity_name(text::Severity severity);
// "copy.py:14:8: error[TW3104]: message" with the source line, its marks, the notes and the hint below.
std::string diagnostic_text(const text::Diagnostic& d, const text::Anchors& anchors, const Colours& c);

}  // namespace tilewright::render
