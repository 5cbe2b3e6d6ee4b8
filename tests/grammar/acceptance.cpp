// Says of each file whether it is an acceptable script.
//
//   acceptance [-q] FILE…      the files named
//   acceptance [-q] -          the files named on standard input, one a line
//
// Prints `accept PATH` or `reject PATH: OFFSET: MESSAGE` for each, and counts on standard error (`-q`: counts alone).
// The exit status is 2 if a file cannot be read, else 0.

#include "compiler/syntax/acceptance.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  std::vector<std::string> files;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "-q") {
      quiet = true;
    } else if (argument == "-") {
      for (std::string line; std::getline(std::cin, line);) files.push_back(line);
    } else {
      files.emplace_back(argument);
    }
  }

  std::size_t accepted = 0;
  std::size_t rejected = 0;
  int status = 0;
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::cerr << "cannot read " << file << '\n';
      status = 2;
      continue;
    }
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto verdict = tilewright::syntax::accept(bytes);
    ++(verdict ? accepted : rejected);
    if (quiet) continue;
    if (verdict) {
      std::cout << "accept " << file << '\n';
    } else {
      std::cout << "reject " << file << ": " << verdict.error().begin << ": " << verdict.error().message << '\n';
    }
  }
  std::cerr << accepted << " accepted, " << rejected << " rejected\n";
  return status;
}
