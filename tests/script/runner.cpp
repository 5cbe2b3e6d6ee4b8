// Runs the script tests: runner [--update] FILE.py... (see cases.h for what a file holds).
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/script/cases.h"

using namespace tilewright::script_tests;

namespace {

// The lines that differ, old and new.
void show_difference(const std::string& was, const std::string& is) {
  std::istringstream a(was), b(is);
  std::vector<std::string> x, y;
  for (std::string l; std::getline(a, l);) x.push_back(l);
  for (std::string l; std::getline(b, l);) y.push_back(l);
  std::size_t head = 0, tail = 0;
  while (head < x.size() && head < y.size() && x[head] == y[head]) ++head;
  while (tail + head < x.size() && tail + head < y.size() && x[x.size() - 1 - tail] == y[y.size() - 1 - tail]) ++tail;
  for (std::size_t i = head > 2 ? head - 2 : 0; i < head; ++i) std::printf("      %s\n", x[i].c_str());
  for (std::size_t i = head; i + tail < x.size(); ++i) std::printf("    - %s\n", x[i].c_str());
  for (std::size_t i = head; i + tail < y.size(); ++i) std::printf("    + %s\n", y[i].c_str());
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  int bad = 0, cases = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--update") == 0) {
      update = true;
      continue;
    }
    std::ifstream in(argv[i], std::ios::binary);
    std::stringstream buffer;
    buffer << in.rdbuf();
    if (!in) {
      std::printf("%s cannot be read\n", argv[i]);
      return 2;
    }
    File file = read(buffer.str());
    std::string whole = file.preamble;
    for (const Case& c : file.cases) {
      ++cases;
      std::vector<std::string> failures;
      std::string is = answer(c, failures);
      whole += is;
      bool same = is == c.written;
      if (!same && !update) {
        std::printf("%s: %s\n", argv[i], c.title.c_str());
        show_difference(c.written, is);
      }
      for (const std::string& f : failures) std::printf("%s: %s\n", argv[i], f.c_str());
      if ((!same && !update) || !failures.empty()) ++bad;
    }
    if (update && whole != buffer.str()) {
      std::ofstream(argv[i], std::ios::binary) << whole;
      std::printf("%s rewritten\n", argv[i]);
    }
  }
  std::printf("%d cases, %d bad\n", cases, bad);
  return bad ? 1 : 0;
}
