// The one way to standard output and standard error, colours included. What is printed holds text of others: scripts,
// names of files, workers, NVIDIA's tools. None of it may steer a terminal or a CI service that reads the log, so
// nothing else prints (tests/house/rooms.py asks).
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace tilewright::project {

// Prints text for people. Control characters other than line ends and tabs, bidirectional controls, characters without
// width and bytes that are no UTF-8 are shown as Python escapes them, and a line that would begin with `::` or `##`
// after blanks, or hold `##[`, `##vso[` or `##teamcity[`, which CI services obey, has the first of these characters as
// \x3a or \x23. Allocates nothing. Any thread may call it; one call's text stays together.
void say(std::FILE* to, std::string_view text);
// As printf. Line ends and tabs of the arguments are escaped as well: they are one line each.
[[gnu::format(printf, 2, 3)]] void sayf(std::FILE* to, const char* format, ...);
// Prints the text of a program, which means the same afterwards: hidden characters as C++ escapes them in literals, and
// `/**/` in front of a line that would begin with `::` or `##`.
void say_source(std::FILE* to, std::string_view text);
// Prints a document that escapes what it holds by itself: JSON, SARIF, XML, HTML, workflow commands.
void emit(std::FILE* to, std::string_view document);

// Why a command does not begin, to standard error: "tilewright: ...", and in a second line what to do, where that is
// said.
void say_refusal(const std::string& message, const std::string& hint);

// "\r" and clear to the end: for a line of progress on a terminal.
void clear_line(std::FILE* to);

// What say() turns into the escape sequence of a colour ("31" is red). A part of it is drawn at random by each process,
// so that no text of others can hold it.
enum class Colour : char { Plain, Bold, Dim, Red, Green, Yellow, Blue };
std::string_view colour(Colour which);

}  // namespace tilewright::project
