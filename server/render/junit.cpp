#include "server/render/junit.h"

#include <cstdio>

#include "compiler/text/escape.h"

namespace tilewright::render {
namespace {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_escape(value) + "\"";
}

std::string counted(const TestCounts& counts) {
  std::string out = attribute("tests", std::to_string(counts.tests)) +
                    attribute("failures", std::to_string(counts.failures)) +
                    attribute("errors", std::to_string(counts.errors));
  return out;
}

std::string timed(const TestCounts& counts) {
  return counts.seconds ? attribute("time", seconds_text(*counts.seconds)) : std::string();
}

}  // namespace

// XML has no way to write most control characters: they are shown as text.
std::string xml_escape(std::string_view raw) {
  std::string out;
  auto plain = [&](std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (text.substr(i).starts_with("##")) {  // CI services obey "##[" and the like anywhere in a line
        out += "&#35;";
        continue;
      }
      switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
      }
    }
  };
  std::size_t from = 0;
  for (text::Hidden h = text::find_hidden(raw); h; h = text::find_hidden(raw, from)) {
    plain(raw.substr(from, h.at - from));
    const bool legal = h.code == '\n' || h.code == '\t' || h.code == '\r' || h.code >= 0x80;
    const bool character = legal && !h.is_byte && h.code != 0xFFFE && h.code != 0xFFFF;
    if (h.is_byte) {
      out += "\xEF\xBF\xBD";
    } else if (character) {
      out += "&#" + std::to_string(static_cast<std::uint32_t>(h.code)) + ";";
    } else {
      text::append_escaped(out, h, text::Escape::Python);
    }
    from = h.at + h.size;
  }
  plain(raw.substr(from));
  return out;
}

std::string test_case(const TestCase& test) {
  using enum TestCase::Outcome;
  std::string out = "    <testcase" + attribute("name", test.name) + attribute("classname", test.classname);
  if (test.seconds) out += attribute("time", seconds_text(*test.seconds));
  if (test.outcome == Passed && test.out.empty()) return out + "/>\n";
  out += ">\n";
  if (test.outcome == Skipped) {  // has no attributes
    out += "      <skipped>" + xml_escape(test.message) + "</skipped>\n";
  } else if (test.outcome != Passed) {
    const std::string element = test.outcome == Failed ? "failure" : "error";
    out += "      <" + element + (test.type.empty() ? "" : attribute("type", test.type)) +
           attribute("message", test.message);
    out += test.text.empty() ? "/>\n" : ">" + xml_escape(test.text) + "</" + element + ">\n";
  }
  if (!test.out.empty()) out += "      <system-out>" + xml_escape(test.out) + "</system-out>\n";
  return out + "    </testcase>\n";
}

void TestCounts::add(const TestCase& test) {
  using enum TestCase::Outcome;
  TestCounts one{.tests = 1, .skipped = test.outcome == Skipped, .seconds = test.seconds.value_or(0)};
  one.failures = test.outcome == Failed;
  one.errors = test.outcome == Error;
  add(one);
}

void TestCounts::add(const TestCounts& more) {
  tests += more.tests;
  failures += more.failures;
  errors += more.errors;
  if (more.skipped) skipped = skipped.value_or(0) + *more.skipped;
  if (more.seconds) seconds = seconds.value_or(0) + *more.seconds;
}

std::string test_suite(const std::string& name, const TestCounts& counts, const std::string& cases,
                       const std::string& out) {
  std::string suite = "  <testsuite" + attribute("name", name) + counted(counts);
  if (counts.skipped) suite += attribute("skipped", std::to_string(*counts.skipped));
  suite += timed(counts) + ">\n" + cases;
  if (!out.empty()) suite += "    <system-out>" + xml_escape(out) + "\n</system-out>\n";
  return suite + "  </testsuite>\n";
}

std::string test_document_head(const std::string& name, const TestCounts& counts) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", name);
  return out + counted(counts) + timed(counts) + ">\n";
}

std::string test_document_end() { return "</testsuites>\n"; }

std::string UniqueNames::of(const std::string& name) {
  const int n = ++seen_[name];
  return n == 1 ? name : of(name + " #" + std::to_string(n));
}

}  // namespace tilewright::render
