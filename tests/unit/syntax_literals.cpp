// Values of literals.
#include <cmath>

#include "compiler/syntax/literals.h"
#include "tests/unit/catch.h"
#include "tests/unit/syntax_testing.h"

using namespace tilewright::syntax;
using namespace tilewright::syntax::testing;

TEST_CASE("syntax: integers") {
  CHECK(value("1_000_000") == "(int 1000000)");
  CHECK(value("0xFf_ff") == "(int 65535)");
  CHECK(value("0O17") == "(int 15)");
  CHECK(value("0b1_01") == "(int 5)");
  CHECK(value("000") == "(int 0)");
  CHECK(value("0") == "(int 0)");
  CHECK(value("170141183460469231731687303715884105727") == "(int 170141183460469231731687303715884105727)");
  CHECK(value("170141183460469231731687303715884105728") == "(int too-large)");
  CHECK(value("0x7fffffffffffffffffffffffffffffff") == "(int 170141183460469231731687303715884105727)");
  CHECK(value("0x80000000000000000000000000000000") == "(int too-large)");
  CHECK(value("1j") == "(int too-large)");
  CHECK(value("1.5J") == "(int too-large)");
}

TEST_CASE("syntax: floats") {
  CHECK(float_value("1_0.5_0e1_0") == 10.5e10);
  CHECK(float_value(".5") == 0.5);
  CHECK(float_value("5.") == 5.0);
  CHECK(float_value("1e-3") == 1e-3);
  CHECK(float_value("1E+3") == 1e3);
  CHECK(std::isinf(float_value("1e400")));
  CHECK(std::isinf(float_value("1" + std::string(400, '0') + ".0")));
  CHECK(float_value("1e-400") == 0.0);
  CHECK(float_value("0." + std::string(400, '0') + "1") == 0.0);
  CHECK(std::isinf(float_value("1e99999999999999999999")));
  CHECK(float_value("0e99999999999999999999") == 0.0);
  CHECK(value("1.5e3") == "(float 1500)");
}

TEST_CASE("syntax: strings") {
  CHECK(value("'a' \"b\" '''c'''") == R"((str "abc"))");
  CHECK(value(R"('\a\b\f\n\r\t\v\\\'\"')") == R"((str "\x07\x08\x0c\x0a\x0d\x09\x0b\\'\""))");
  CHECK(value(R"('\x41\101\7\u00e9\U0001F600')") == "(str \"AA\\x07\xC3\xA9\xF0\x9F\x98\x80\")");
  CHECK(value(R"('\N{BULLET}')") == "(str \"\xEF\xBF\xBD\")");
  CHECK(value(R"('\ud800')") == "(str \"\xEF\xBF\xBD\")");
  CHECK(value(R"('\d\ ')") == R"((str "\\d\\ "))");
  CHECK(value(R"(r'\n' R"\'")") == R"((str "\\n\\'"))");
  CHECK(value("'a\\\nb'") == R"((str "ab"))");
  CHECK(value("'''a\r\nb\rc'''") == R"((str "a\x0ab\x0ac"))");
  CHECK(value("u'a'") == R"((str "a"))");
  CHECK(value("''") == R"((str ""))");
  CHECK(value("('a'  # c\n 'b')") == R"((str "ab"))");
}

TEST_CASE("syntax: a plain string views the statement's text") {
  auto tree = parse("x = 'plain'\n");
  const auto* literal = as<StringLit>(as<Assign>(tree->statements()[0].node->statement)->value);
  REQUIRE(literal);
  const std::string& text = tree->statements()[0].node->text;
  CHECK(literal->value.data() == text.data() + 5);
}

TEST_CASE("syntax: bytes") {
  CHECK(value(R"(b'a\xff\101\u0041' rb'\n' Br"\x")") ==
        "(bytes \"a\xFF"
        "A\\\\u0041\\\\n\\\\x\")");
  CHECK(statements(*parse("b'a' 'b'")) == "(broken-stmt (broken))");
  CHECK(errors(*parse("b'a' 'b'")) == "1:1 cannot mix bytes and text literals [b'a' 'b']");
}

TEST_CASE("syntax: f-strings") {
  CHECK(value("f'a{b}c'") == R"((fstr "a" (field (name b)) "c"))");
  CHECK(value("f'{a!r:>{w}.2f}'") == R"((fstr (field (name a) !r (fstr ">" (field (name w)) ".2f"))))");
  CHECK(value("f'{a = }{b=!s}{c=:x}'") ==
        R"((fstr (field (name a) "a = ") (field (name b) !s "b=") (field (name c) "c=" (fstr "x"))))");
  CHECK(value("f'{{x}}{a}'") == R"((fstr "{x}" (field (name a))))");
  CHECK(value("'a' f'b{c}' 'd' f'e'") == R"((fstr "ab" (field (name c)) "de"))");
  CHECK(value("f'plain'") == R"((fstr "plain"))");
  CHECK(value(R"(f'\n{a}' rf'\n{b}')") == R"((fstr "\x0a" (field (name a)) "\\n" (field (name b))))");
  CHECK(value(R"(f"{d["k"]}")") == R"((fstr (field (index (name d) (str "k")))))");
  CHECK(value("f'{a, b}{f\"{c}\"}'") == R"((fstr (field (tuple (name a) (name b))) (field (fstr (field (name c))))))");
  CHECK(value("f'''{\na}'''") == R"((fstr (field (name a))))");
}
