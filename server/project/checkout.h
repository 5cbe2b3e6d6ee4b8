// Where this binary was built, for development builds alone.
#pragma once
#include <string>

namespace tilewright::project {

// "CHECKOUT\nBUILD FOLDER", as CMake knew them; empty in a packaged binary: packaging/package.py blanks the text.
// Defined in a generated source (server/CMakeLists.txt).
std::string built_in();

}  // namespace tilewright::project
