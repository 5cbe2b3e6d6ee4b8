// Positions of a text: what the line's beginning gives is what the marks of a long line give.
#include <random>

#include "compiler/text/source.h"
#include "tests/unit/catch.h"

using namespace tilewright::text;

namespace {

// By counting from the line's beginning. `offset` is where a character begins.
LineColumn counted(std::string_view text, std::uint32_t offset, Encoding encoding) {
  LineColumn at;
  for (std::uint32_t i = 0; i < offset;) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::uint32_t bytes = sequence_length(c);
    if (c == '\n') {
      at = {at.line + 1, 0};
    } else {
      at.column += units(bytes, encoding);
    }
    i += bytes;
  }
  return at;
}

std::string random_text(std::mt19937& random) {
  constexpr std::string_view kCharacters[] = {"a", " ", "é", "€", "😀", "\xff"};
  const bool plain = random() % 3 == 0;
  std::string text;
  for (int line = 0; line < 4; ++line) {
    const unsigned length = random() % 2 ? random() % 20 : 900 + random() % 6000;
    for (unsigned i = 0; i < length; ++i) text += plain ? "x" : kCharacters[random() % std::size(kCharacters)];
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("positions in lines of any length are those that counting gives") {
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    const std::string text = random_text(random);
    const Source made("x.py", text),
        edited(Source("x.py", text.substr(0, text.size() / 2)), static_cast<std::uint32_t>(text.size() / 2), ~0u,
               std::string_view(text).substr(text.size() / 2));
    REQUIRE(edited.text() == text);
    for (std::uint32_t offset = 0; offset < text.size();) {
      const auto step = sequence_length(static_cast<unsigned char>(text[offset]));
      if (random() % 50 == 0) {
        for (Encoding e : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
          const LineColumn wanted = counted(text, offset, e);
          REQUIRE(made.position(offset, e) == wanted);
          REQUIRE(edited.position(offset, e) == wanted);
          REQUIRE(made.offset(wanted, e) == offset);
          REQUIRE(edited.offset(wanted, e) == offset);
        }
      }
      offset += step;
    }
  }
}

TEST_CASE("a column behind the end of a long line is its end") {
  const Source source("x.py", std::string(5000, 'x') + "\r\ny");
  CHECK(source.offset({0, 5000}) == 5000);
  CHECK(source.offset({0, 5002}) == 5000);
  CHECK(source.offset({0, 9000}, Encoding::Utf16) == 5000);
}
