// Framing and JSON-RPC, without a server.
#include <random>

#include "protocol/frame.h"
#include "protocol/lsp.h"
#include "protocol/publish.h"
#include "protocol/rpc.h"
#include "tests/unit/catch.h"

using namespace tilewright::protocol;

namespace {

std::vector<std::string> read(FrameReader& reader, std::string_view bytes, std::size_t piece = 1 << 20) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (auto f = reader.next()) out.push_back((f->malformed ? "!" : "") + f->text);
  }
  return out;
}

}  // namespace

TEST_CASE("frames come out whole, however the bytes were cut") {
  std::string wire = framed("{\"a\":1}") + framed("") + framed(std::string(100'000, 'x')) + framed("\xc3\xa9");
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, wire.size()}) {
    FrameReader reader;
    auto got = read(reader, wire, piece);
    REQUIRE(got.size() == 4);
    CHECK(got[0] == "{\"a\":1}");
    CHECK(got[1].empty());
    CHECK(got[2].size() == 100'000);
    CHECK(got[3] == "\xc3\xa9");
  }
}

TEST_CASE("lines come out whole, however the bytes were cut") {
  const std::string wire = framed("{\"a\":1}", {}, Framing::Line) + "\r\n  \n" + std::string(30, 'x') + "\n" +
                           framed("two", "no payload", Framing::Line) + std::string(200, 'y') + "\n  three \r\nfour";
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, wire.size()}) {
    FrameReader reader({.body_bytes = 20, .framing = Framing::Line});
    const std::string refused = "!a line of more than 20 bytes";
    CHECK(read(reader, wire, piece) == std::vector<std::string>{"{\"a\":1}", refused, "two", refused, "three"});
    CHECK(reader.take_rest() == "four");
  }
  FrameReader strict({.body_bytes = 20, .strict = true, .framing = Framing::Line});
  CHECK(read(strict, std::string(30, 'x') + "\ntwo\n").size() == 1);
}

TEST_CASE("payloads come with their messages, however the bytes were cut") {
  const std::string wire = framed("one", std::string(70'000, 'p')) + framed("two") + framed("", "q") +
                           framed("three", std::string(200, 'r')) + framed("four");
  for (std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{4096}, wire.size()}) {
    FrameReader reader({.payload_bytes = 70'000});
    std::vector<std::string> texts, payloads;
    for (std::size_t at = 0; at < wire.size(); at += piece) {
      reader.feed(std::string_view(wire).substr(at, piece));
      while (auto f = reader.next()) {
        CHECK(!f->malformed);
        texts.push_back(f->text);
        payloads.push_back(f->payload);
      }
    }
    CHECK(texts == std::vector<std::string>{"one", "two", "", "three", "four"});
    CHECK(payloads == std::vector<std::string>{std::string(70'000, 'p'), "", "q", std::string(200, 'r'), ""});
  }
}

TEST_CASE("a payload that was not agreed on is passed over") {
  const std::string wire =
      framed("one", "12345") + framed("two") + "Content-Length: 2\r\nPayload-Length: -5\r\n\r\n{}" + framed("three");
  for (std::size_t piece : {std::size_t{1}, wire.size()}) {
    FrameReader reader;
    CHECK(read(reader, wire, piece) == std::vector<std::string>{"!a payload of 5 bytes; 0 are accepted", "two",
                                                                "!Payload-Length is not a number", "three"});
  }
}

TEST_CASE("headers about as long as they may be are read alike, however the bytes were cut") {
  for (std::size_t length = 190; length <= 210; ++length) {
    for (std::string_view end : {"\n\n", "\r\n\r\n"}) {
      std::string header = "Content-Length: 4\r\nX: ";
      std::string wire = header + std::string(length - header.size(), 'x') + std::string(end) + "body" + framed("next");
      std::vector<std::string> whole;
      for (std::size_t piece : {wire.size(), std::size_t{1}, std::size_t{2}, std::size_t{3}, length + 1, length + 2}) {
        FrameReader reader({.header_bytes = 200, .body_bytes = 50});
        auto got = read(reader, wire, piece);
        if (whole.empty()) whole = got;
        CHECK(got == whole);
      }
      CHECK(whole[0] == (length + end.size() / 2 <= 200 ? "body" : "!a header of more than 200 bytes"));
    }
  }
}

TEST_CASE("what is wrong with a frame is said, and the next one is read") {
  auto broken = [](std::string_view header) {
    FrameReader reader({.header_bytes = 200, .body_bytes = 50});
    auto got = read(reader, std::string(header) + framed("next"), 5);
    REQUIRE(got.size() == 2);
    CHECK(got[1] == "next");
    return got[0];
  };
  CHECK(broken("X: 1\r\n\r\n") == "!no Content-Length");
  CHECK(broken("Content-Length: x\r\n\r\n") == "!Content-Length is not a number");
  CHECK(broken("Content-Length: -5\r\n\r\n") == "!Content-Length is not a number");
  CHECK(broken("nonsense\r\n\r\n") == "!a header line without a colon");
  CHECK(broken("Content-Length: 60\r\n\r\n" + std::string(60, 'y')) == "!a message of 60 bytes; 50 are accepted");
  CHECK(broken("Content-Length: 2\r\nContent-Type: a; charset=utf-16\r\n\r\n{}") == "!the charset is not utf-8");
  CHECK(broken(std::string(300, 'z')) == "!a header of more than 200 bytes");
}

TEST_CASE("a body beyond its bound is skipped by its length, whatever it holds") {
  for (const std::size_t size : {std::size_t{60}, std::size_t{500}, std::size_t{5000}}) {
    std::string body = framed("not heard");
    body.resize(size, 'y');
    FrameReader reader({.header_bytes = 200, .body_bytes = 50});
    const auto got = read(reader, framed(body) + framed("next"), 7);
    CHECK(got == std::vector<std::string>{"!a message of " + std::to_string(size) + " bytes; 50 are accepted", "next"});
  }
  FrameReader reader({.header_bytes = 200, .body_bytes = 50});
  const auto got = read(reader, "Content-Length: 18446744073709551615\r\n\r\n" + framed("not heard"), 7);
  CHECK(got.size() == 1);
}

TEST_CASE("a strict reader ends with the first broken frame, as soon as it can be known") {
  auto broken = [](std::string_view header, std::size_t piece) {
    FrameReader reader({.header_bytes = 200, .body_bytes = 50, .strict = true});
    auto got = read(reader, framed("good") + std::string(header) + framed("not heard"), piece);
    CHECK(got.at(0) == "good");
    CHECK(got.size() == 2);
    CHECK(reader.take_rest().empty());
    return got.back();
  };
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20}) {
    CHECK(broken("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", piece) == "!this is no header: a line is NAME: VALUE");
    CHECK(broken("\x16\x03\x01", piece) == "!this is no header: a line is NAME: VALUE");
    CHECK(broken("Content-Length: 2\r\nGET /: x\r\n\r\n{}", piece) == "!this is no header: a line is NAME: VALUE");
    CHECK(broken("nonsense\r\n\r\n", piece) == "!a header line without a colon");
    CHECK(broken("X: 1\r\n\r\n", piece) == "!no Content-Length");
    CHECK(broken("Content-Length: -5\r\n\r\n", piece) == "!Content-Length is not a number");
    CHECK(broken("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", piece) == "!Content-Length is said twice");
    CHECK(broken("Content-Length: 60\r\n\r\n", piece) == "!a message of 60 bytes; 50 are accepted");
    CHECK(broken("Content-Length: 2\r\nPayload-Length: 1\r\n\r\n{}x", piece) ==
          "!a payload of 1 bytes; 0 are accepted");
    CHECK(broken("X: " + std::string(300, 'z'), piece) == "!a header of more than 200 bytes");
    CHECK(broken(std::string(300, 'z'), piece) == "!this is no header: a line is NAME: VALUE");
  }
  FrameReader early({.strict = true});
  early.feed("POST ");
  REQUIRE(early.next().has_value());
  FrameReader patient({.strict = true});
  patient.feed("Content-Len");
  CHECK(!patient.next().has_value());
}

TEST_CASE("values of a message are counted before they are made") {
  CHECK(parse_message(R"({"jsonrpc":"2.0","method":"m","params":[1,"a,b,[{",{}]})", 20).kind ==
        Message::Kind::Notification);
  const Message wide = parse_message("[" + std::string(100, ',') + "]", 50);
  CHECK(wide.kind == Message::Kind::Invalid);
  CHECK(wide.error.message == "the message holds more than 50 values");
}

TEST_CASE("messages are told apart") {
  CHECK(parse_message(R"({"jsonrpc":"2.0","id":1,"method":"m"})").kind == Message::Kind::Request);
  CHECK(parse_message(R"({"jsonrpc":"2.0","method":"m","params":null})").kind == Message::Kind::Notification);
  CHECK(parse_message(R"({"jsonrpc":"2.0","id":null,"result":1})").kind == Message::Kind::Response);
  CHECK(parse_message(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})").error.code == ErrorCode::InvalidRequest);
  CHECK(parse_message(R"({"jsonrpc":"2.0","id":1,"error":{"message":7}})").failed);
  CHECK(parse_message("[]").error.code == ErrorCode::InvalidRequest);
  CHECK(parse_message("nul").error.code == ErrorCode::ParseError);
  CHECK(id_key(std::int64_t{1}) != id_key(std::string("1")));
}

TEST_CASE("bytes that are no text are replaced on the way out") {
  CHECK(notification_text("m", {{"text", "a\xff"}}).find("\xef\xbf\xbd") != std::string::npos);
}

TEST_CASE("positions are numbers that are not negative; huge ones are clamped") {
  CHECK(Json::parse(R"({"line":4294967295,"character":2})").get<Position>().line == 2147483647);
  CHECK_THROWS(Json::parse(R"({"line":-1,"character":2})").get<Position>());
  CHECK_THROWS(Json::parse(R"({"line":1.5,"character":2})").get<Position>());
  CHECK_THROWS(Json::parse(R"({"line":1})").get<Position>());
}

TEST_CASE("a number becomes an integer only where it is one that fits") {
  auto of = [](const char* text) { return Json::parse(text); };
  CHECK(of("7").get<int>() == 7);
  CHECK(of("-7.0").get<int>() == -7);
  CHECK(of("2147483647").get<int>() == 2147483647);
  CHECK(of("-9223372036854775808").get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(of("-9223372036854775808.0").get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(of("18446744073709551615").get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(of("[1, 2.0]").get<std::vector<int>>() == std::vector{1, 2});
  for (const char* far :
       {"1e30", "-1e30", "1e308", "2147483648", "-2147483649", "18446744073709551615", "2147483648.0", "0.5"}) {
    INFO(far);
    CHECK_THROWS_AS(of(far).get<int>(), Json::out_of_range);
    CHECK(!tilewright::text::integer<int>(of(far)));
  }
  CHECK_THROWS_AS(of("9223372036854775808").get<std::int64_t>(), Json::out_of_range);
  CHECK_THROWS_AS(of("9223372036854775808.0").get<std::int64_t>(), Json::out_of_range);
  CHECK_THROWS_AS(of("-1").get<std::uint64_t>(), Json::out_of_range);
  CHECK_THROWS_AS(of("18446744073709551616.0").get<std::uint64_t>(), Json::out_of_range);
  for (const char* other : {"true", "null", "\"1\"", "[]"}) {
    INFO(other);
    CHECK_THROWS_AS(of(other).get<int>(), Json::type_error);
  }
  CHECK_THROWS_AS(of("{\"n\": 1e30}").value("n", 0), Json::out_of_range);
  CHECK_THROWS_AS(of("1e30").get<DiagnosticSeverity>(), Json::out_of_range);
}

TEST_CASE("what is to be cancelled has a name") {
  CHECK(id_to_cancel({{"id", 7}}) == Id(std::int64_t{7}));
  CHECK(id_to_cancel({{"id", "seven"}}) == Id(std::string("seven")));
  for (const Json& id : {Json(nullptr), Json(1e30), Json(1.0), Json(true), Json(18446744073709551615u)})
    CHECK_THROWS_AS(id_to_cancel({{"id", id}}), Json::exception);
  CHECK_THROWS_AS(id_to_cancel(Json::object()), Json::exception);
  CHECK_THROWS_AS(id_to_cancel(nullptr), Json::exception);
}

TEST_CASE("diagnostics are written as the tree of their values would be") {
  std::vector<Diagnostic> list(3);
  list[0].message = "plain";
  list[1] = {.range = {{3, 4}, {4294967295u, 0}},
             .severity = DiagnosticSeverity::Hint,
             .code = "TW2001",
             .documentation = "tilewright://code/TW2001",
             .message = "a \"b\"\n\\ \x01 \x7f \xc3\xa9 \xff end",
             .tags = {DiagnosticTag::Unnecessary, DiagnosticTag::Deprecated},
             .related = {{{"file:///a%20b.py", {{1, 2}, {3, 4}}}, "here"}, {{"", {}}, "\xe2\x82"}},
             .data = {{"edits", {1, 2.5, nullptr}}, {"at", "x"}}};
  list[2].data = Json::array();
  for (std::size_t count : {0, 1, 3}) {
    const std::vector<Diagnostic> some(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::int64_t version : {std::int64_t{-1}, std::int64_t{0}, std::numeric_limits<std::int64_t>::max()})
      CHECK(publish_text("file:///\xc3\xa9\".py", version, some) ==
            notification_text("textDocument/publishDiagnostics",
                              {{"uri", "file:///\xc3\xa9\".py"}, {"version", version}, {"diagnostics", some}}));
  }
}

TEST_CASE("long texts are read and printed as the library does it") {
  std::mt19937 draw(20261126);
  const std::vector<std::string> pieces{"a",
                                        "word ",
                                        "\n",
                                        "\"",
                                        "\\",
                                        "/",
                                        "\t",
                                        "\x01",
                                        "\x1f",
                                        "\x7f",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xed\x9f\xbf",
                                        "\b",
                                        "\r\f",
                                        "\xf0\x9f\x98\x80",
                                        "\xf4\x8f\xbf\xbf",
                                        "'",
                                        "{[,:",
                                        "    "};
  const std::vector<std::string> wrong{"\xff",     "\xc3",     "\xed\xa0\x80",    "\xf4\x90\x80\x80",
                                       "\xe2\x82", "\xc0\x80", "\xf0\x80\x80\x80"};
  auto text = [&](std::size_t length, bool may_be_wrong) {
    std::string out;
    const bool plain = draw() % 2 == 0;
    while (out.size() < length) {
      const auto& from = may_be_wrong && draw() % 200 == 0 ? wrong : pieces;
      const std::string& piece = from[draw() % from.size()];
      if (!plain || static_cast<unsigned char>(piece[0]) >= 0x20) out += piece;
    }
    return out;
  };
  for (int i = 0; i < 400; ++i) {
    Json params{
        {"short", text(5, true)}, {"long", text(2000, i % 4 == 0)}, {"number", -i}, {"list", {i, 2.5, true, nullptr}}};
    params["nested"]["texts"] = {text(700, false), text(513, false), "x"};
    params[text(600, false)] = text(1000, false);
    params["large"] = std::numeric_limits<std::uint64_t>::max();
    params["none"] = {Json::object(), Json::array()};
    const std::string printed = params.dump(-1, ' ', i % 3 == 0, Json::error_handler_t::replace);
    CHECK(json_text(params) == params.dump(-1, ' ', false, Json::error_handler_t::replace));
    const Message m = parse_message(R"({"jsonrpc":"2.0","method":"m","params":)" + printed + "}");
    REQUIRE(m.kind == Message::Kind::Notification);
    CHECK(m.params == Json::parse(printed));
  }
  // What the library refuses is refused.
  const std::string filler(1000, 'x');
  for (const char* bad : {"\\q", "\\u12", "\n", "\x01", "\xff", "\\", "\\u0001 \xc3"}) {
    const Message m = parse_message(R"({"jsonrpc":"2.0","method":"m","params":[")" + filler + bad + filler + R"("]})");
    CHECK(m.error.message == "the message is not JSON in UTF-8");
  }
  for (const char* open : {R"({"jsonrpc":"2.0","method":"m","params":[")", R"(")", R"(["\)"})
    CHECK(parse_message(open + filler).error.message == "the message is not JSON in UTF-8");
}
