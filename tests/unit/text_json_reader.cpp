// What is wrong with JSON of another program is said in the words of the library's exceptions, without them.
#include <functional>

#include "compiler/text/bounds.h"
#include "compiler/text/json_reader.h"
#include "tests/unit/catch.h"

using namespace tilewright::text;

namespace {

// What the library throws for it; empty: nothing.
std::string thrown(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}
std::string refused(const std::function<void(JsonReader&)>& read) {
  JsonReader r;
  read(r);
  return r.wrong();
}

template <class T>
void same_of_type() {
  for (const char* text : {"1", "-1", "1.5", "4.0", "1e30", "18446744073709551615", "true", "null", "\"x\"", "[]",
                           "[1, 2]", "[1, \"x\"]", "[true]", "[[1]]", "{}", "{\"a\": 1}"}) {
    CAPTURE(text);
    const Json j = Json::parse(text);
    CHECK(refused([&](JsonReader& r) { r.get<T>(j); }) == thrown([&] { j.get<T>(); }));
    if (JsonReader r; thrown([&] { j.get<T>(); }).empty()) CHECK(r.get<T>(j) == j.get<T>());
    CHECK(refused([&](JsonReader& r) { r.get<T>(j, "a"); }) == thrown([&] { j.at("a").get<T>(); }));
    CHECK(refused([&](JsonReader& r) { r.get<T>(j, std::size_t{1}); }) == thrown([&] { j.at(1).get<T>(); }));
    CHECK(refused([&](JsonReader& r) { r.value(j, "a", T{}); }) == thrown([&] { j.value("a", T{}); }));
  }
}

}  // namespace

TEST_CASE("json reader: the library's words of types, members and elements", "[text]") {
  same_of_type<int>();
  same_of_type<std::uint32_t>();
  same_of_type<std::int64_t>();
  same_of_type<std::uint64_t>();
  same_of_type<bool>();
  same_of_type<double>();
  same_of_type<std::string>();
  same_of_type<std::vector<std::uint32_t>>();
  same_of_type<std::vector<double>>();
  same_of_type<std::vector<std::string>>();
}

TEST_CASE("json reader: the library's words of a text", "[text]") {
  for (const char* text :
       {"", "{", "[1,", "{\"a\" 1}", "nul", "[1] 2", "\"\xff\"", "1e999", "{\"a\": [1, {\"b\": null}]}", "-"}) {
    CAPTURE(text);
    CHECK(refused([&](JsonReader& r) { r.parse(text); }) ==
          thrown([&] { [[maybe_unused]] const Json j = Json::parse(text); }));
  }
  JsonReader r;
  CHECK(r.parse("{\"a\": [1, {\"b\": null}]}") == Json::parse("{\"a\": [1, {\"b\": null}]}"));
}

TEST_CASE("json reader: bounds, counts, and the first of all", "[text]") {
  CHECK(refused([](JsonReader& r) { r.bounds("major", 100, 0, 99); }) ==
        thrown([] { check_bounds("major", 100, 0, 99); }));
  CHECK(refused([](JsonReader& r) { r.bounds("watts", std::nan(""), 0, 1e6); }) ==
        thrown([] { check_bounds("watts", std::nan(""), 0, 1e6); }));
  CHECK(refused([](JsonReader& r) { r.bounds("major", 99, 0, 99); }).empty());
  const Json list = Json::array({1, 2, 3});
  CHECK(refused([&](JsonReader& r) { r.count("turns", list, 2); }) == thrown([&] { check_count("turns", list, 2); }));
  CHECK(refused([&](JsonReader& r) { r.count("turns", list, 3); }).empty());
  JsonReader r;
  CHECK(r.get<int>(list, std::size_t{3}) == 0);
  const std::string first = r.wrong();
  r.refuse("second");
  CHECK(r.get<std::string>(list).empty());
  CHECK(r.get<int>(list, std::size_t{0}) == 0);  // nothing more is read
  CHECK(r.wrong() == first);
}
