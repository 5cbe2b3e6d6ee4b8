// JUnit XML as CI systems read it (jenkins-junit.xsd): suites of test cases.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::render {

// UTF-8, and none of the control characters that XML does not know.
std::string xml_escape(std::string_view raw);

struct TestCase {
  std::string name, classname;
  enum class Outcome { Passed, Failed, Error, Skipped } outcome = Outcome::Passed;
  std::string type{}, message{}, text{};  // unless it passed; no type: none is said
  std::optional<double> seconds{};
  std::string out{};  // what it printed
};
std::string test_case(const TestCase& test);

// A second test of a name is "name #2": reports are read by the names of their cases.
class UniqueNames {
 public:
  std::string of(const std::string& name);

 private:
  std::map<std::string, int> seen_;
};

// What a report says of several tests. Skipped ones and times are only given where they were counted.
struct TestCounts {
  std::size_t tests = 0, failures = 0, errors = 0;
  std::optional<std::size_t> skipped{};
  std::optional<double> seconds{};

  void add(const TestCase& test);  // counts skipped ones and times from then on
  void add(const TestCounts& more);
};
// `cases`: those of test_case(), one after the other; `out`: what belongs to none of them.
std::string test_suite(const std::string& name, const TestCounts& counts, const std::string& cases,
                       const std::string& out = {});
// The whole document, in two parts around the suites; `counts` are those of all of them.
std::string test_document_head(const std::string& name, const TestCounts& counts);
std::string test_document_end();

}  // namespace tilewright::render
