// Output formats of `check`: JSON, SARIF 2.1.0, GitHub annotations, JUnit XML.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/checked.h"

namespace tilewright::render {

// `format`: json, sarif, github or junit.
std::string formatted(const std::vector<ide::CheckedFile>& files, std::string_view format);

}  // namespace tilewright::render
