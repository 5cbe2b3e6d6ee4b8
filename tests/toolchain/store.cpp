// store FOLDER LIMIT ROUNDS SEED: writes and reads cache entries as one of several processes at once.
// The value under each key is a function of the key, so any process can tell a wrong one. Exits 1 on a wrong value.
#include <cstdlib>
#include <random>

#include "compiler/toolchain/cache.h"

using namespace tilewright::toolchain;

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  Cache cache({argv[1], std::strtoull(argv[2], nullptr, 10), 1u << 20});
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[4])));
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    unsigned number = random() % 64;
    Record key{{"number", std::to_string(number)}};
    std::string expected(1000 + 997 * number, static_cast<char>('a' + number % 26));
    if (auto value = cache.load(key)) {
      if (field(*value, "payload") != expected) return 1;
    } else {
      cache.store(key, {{"payload", expected}});
    }
  }
  return cache.counts().corrupt == 0 ? 0 : 1;
}
