// What a person sees: colours on a terminal only, tables, and the shape of a diagnostic.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::render {

// Marks that project::say() makes escape sequences of; empty where the output is not a terminal (or NO_COLOR is set).
struct Colours {
  std::string_view bold, dim, red, yellow, blue, green, plain;
};
const Colours& colours(std::FILE* stream);

// The first line of a message, bold, and those that follow, below it.
void append_message(std::string& out, std::string_view code, std::string_view message, const Colours& c);
// "copy.py:14:8: error[TW3104]: message" with the source line, its marks, the notes and the hint below.
std::string diagnostic_text(const text::Diagnostic& d, const text::Anchors& anchors, const Colours& c);

}  // namespace tilewright::render
