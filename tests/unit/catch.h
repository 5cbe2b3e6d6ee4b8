// Bridges the two Catch2 generations: 2.x on Debian 12, 3.x on Debian 13 and Ubuntu 24.04.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#ifdef TILEWRIGHT_TEST_MAIN
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif
#else
#ifdef TILEWRIGHT_TEST_MAIN
#define CATCH_CONFIG_MAIN
#endif
#include <catch2/catch.hpp>
// Its name in the third generation, where Contains is for ranges.
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
