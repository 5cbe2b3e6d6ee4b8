// The artifact cache: what it keeps, and that nothing found on disk is believed.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/toolchain/cache.h"
#include "compiler/toolchain/digest.h"
#include "tests/unit/catch.h"
#include "tests/unit/toolchain_testing.h"

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::Scratch;
using testing::write_file;

const Record kKey{{"source", "__global__ void k() {}"}, {"arch", "sm_90a"}};
const Record kValue{{"log", ""},
                    {"cubin", std::string("\x7f"
                                          "ELF\0binary",
                                          11)}};

std::size_t files_below(const fs::path& folder) {
  std::size_t count = 0;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file();
  }
  return count;
}

TEST_CASE("a record survives its encoding, and nothing else decodes") {
  CHECK(decode(encode(kValue)) == kValue);
  CHECK(decode("") == Record{});
  std::string bytes = encode(kValue);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    auto cut = decode(std::string_view(bytes).substr(0, size));
    CHECK((!cut || cut->size() < kValue.size()));
  }
  CHECK(!decode(std::string(7, '\xff')));
  CHECK(!decode(std::string(64, '\xff')));
}

TEST_CASE("an entry is found again under its key, and under no other") {
  Scratch scratch;
  Cache cache({scratch.path()});
  CHECK(!cache.load(kKey));
  REQUIRE(cache.store(kKey, kValue));
  CHECK(cache.load(kKey) == kValue);
  CHECK(!cache.load({{"source", "__global__ void k() {}"}, {"arch", "sm_80"}}));
  CHECK(Cache({scratch.path()}).load(kKey) == kValue);
  CHECK(cache.counts().hits == 1);
  CHECK(cache.counts().misses == 2);
  CHECK(files_below(scratch.path() / "tmp") == 0);
}

TEST_CASE("with a key only entries of that key are believed, and others are told of once") {
  // RFC 4231, test cases 2 and 6.
  CHECK(hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  Scratch scratch;
  std::vector<std::string> told;
  auto with = [&](std::string key) {
    CacheOptions options{.folder = scratch.path(), .key = std::move(key)};
    options.told = [&](const std::string& what) { told.push_back(what); };
    return options;
  };
  REQUIRE(Cache(with("ours")).store(kKey, kValue));
  CHECK(Cache(with("ours")).load(kKey) == kValue);
  CHECK(told.empty());
  for (const char* other : {"theirs", ""}) {
    REQUIRE(Cache(with(other)).store(kKey, kValue));
    Cache cache(with("ours"));
    CHECK(!cache.load(kKey));
    CHECK(cache.counts().corrupt == 1);
    REQUIRE(cache.store(kKey, kValue));
    REQUIRE(Cache(with(other)).store(kKey, kValue));
    CHECK(!cache.load(kKey));
  }
  CHECK(told.size() == 2);
}

TEST_CASE("a corrupt entry is set aside, counted and made again") {
  Scratch scratch;
  Cache cache({scratch.path()});
  REQUIRE(cache.store(kKey, kValue));
  fs::path path = cache.path_of(kKey);
  std::string good = read_file(path);

  SECTION("one bit flipped, anywhere") {
    for (std::size_t at = 0; at < good.size(); at += 7) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      write_file(path, bad);
      CHECK(!cache.load(kKey));
      CHECK(!fs::exists(path));
    }
    CHECK(cache.counts().hits == 0);
  }
  SECTION("truncated, to any length") {
    for (std::size_t size = 0; size < good.size(); size += 5) {
      write_file(path, good.substr(0, size));
      CHECK(!cache.load(kKey));
    }
  }
  SECTION("bytes after its end") {
    write_file(path, good + "x");
    CHECK(!cache.load(kKey));
  }
  SECTION("a whole entry, but of another key") {
    Record other{{"source", "other"}};
    REQUIRE(cache.store(other, kValue));
    fs::copy_file(cache.path_of(other), path, fs::copy_options::overwrite_existing);
    CHECK(!cache.load(kKey));
  }
  CHECK(cache.counts().corrupt >= 1);
  CHECK(files_below(scratch.path() / "corrupt") == 1);
  REQUIRE(cache.store(kKey, kValue));
  CHECK(cache.load(kKey) == kValue);
}

TEST_CASE("the entries not used for longest go first") {
  Scratch scratch;
  Cache cache({scratch.path(), 100'000});
  auto key = [](int number) { return Record{{"number", std::to_string(number)}}; };
  Record value{{"payload", std::string(9'000, 'x')}};
  for (int i = 0; i < 10; ++i) {
    REQUIRE(cache.store(key(i), value));
    // Ages in seconds, so that the order does not hang on the clock's grain.
    timespec times[2] = {{1'000'000 + i, 0}, {1'000'000 + i, 0}};
    ::utimensat(AT_FDCWD, cache.path_of(key(i)).c_str(), times, 0);
  }
  CHECK(cache.counts().evicted == 0);
  REQUIRE(cache.load(key(0)));  // used now: the youngest
  REQUIRE(cache.store(key(10), value));
  REQUIRE(cache.store(key(11), value));
  CHECK(cache.counts().evicted > 0);
  CHECK(cache.load(key(0)));
  CHECK(cache.load(key(11)));
  CHECK(!cache.load(key(1)));
  std::uintmax_t total = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path() / "entries")) {
    if (entry.is_regular_file()) total += entry.file_size();
  }
  CHECK(total <= 100'000);
}

TEST_CASE("an entry larger than the store is not kept") {
  Scratch scratch;
  Cache cache({scratch.path(), 1000});
  CHECK(!cache.store(kKey, {{"payload", std::string(2000, 'x')}}));
  CHECK(files_below(scratch.path()) == 0);
}

TEST_CASE("without a folder there is no cache and no complaint") {
  Cache cache({fs::path()});
  CHECK(!cache.store(kKey, kValue));
  CHECK(!cache.load(kKey));
}

// What another machine would hold.
struct Elsewhere final : SharedStore {
  std::map<std::string, std::string> entries;
  std::optional<std::string> get(const std::string& name) override {
    const auto at = entries.find(name);
    return at == entries.end() ? std::nullopt : std::optional(at->second);
  }
  void put(const std::string& name, std::string bytes) override { entries[name] = std::move(bytes); }
};

TEST_CASE("what another machine made is found once there and then here, and only under its own key") {
  Scratch here, there;
  auto shared = std::make_shared<Elsewhere>();
  const Record key{{"source", "a"}}, other{{"source", "b"}}, value{{"cubin", std::string(1000, 'x')}};
  CHECK(Cache({.folder = there.path(), .shared = shared}).store(key, value));
  REQUIRE(shared->entries.size() == 1);

  Cache cache({.folder = here.path(), .shared = shared});
  CHECK(cache.load(key) == value);
  CHECK(cache.counts().shared == 1);
  shared->entries.clear();
  CHECK(cache.load(key) == value);
  CHECK(cache.counts().shared == 1);
  CHECK_FALSE(cache.load(other));

  // Swapped, cut short and changed entries are nothing.
  CHECK(Cache({.folder = {}, .shared = shared}).load(key) == std::nullopt);
  Cache({.folder = there.path(), .shared = shared}).store(other, value);
  const std::string good = shared->entries.begin()->second;
  const std::string name = Cache({.folder = here.path()}).path_of(key).parent_path().filename().string() +
                           Cache({.folder = here.path()}).path_of(key).filename().string();
  Scratch fresh;
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  for (const std::string& bad : {good, good.substr(0, good.size() / 2), std::string(), changed}) {
    shared->entries = {{name, bad}};
    Cache strict({.folder = fresh.path(), .shared = shared});
    CHECK_FALSE(strict.load(key));
    CHECK(strict.counts().corrupt == 1);
  }
}

TEST_CASE("a folder that cannot be written costs only the cache") {
  Scratch scratch;
  write_file(scratch.path() / "file", "");
  Cache cache({scratch.path() / "file" / "below"});  // unwritable for root as well
  CHECK(!cache.store(kKey, kValue));
  CHECK(!cache.load(kKey));
  CHECK(cache.counts().failed == 1);
}

TEST_CASE("a full disk leaves no half entry") {
  Scratch scratch;
  // A limit on file size fails the write in the middle, as a full disk does.
  pid_t pid = ::fork();
  if (pid == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit small{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    Cache cache({scratch.path()});
    bool kept = cache.store(kKey, {{"payload", std::string(100'000, 'x')}});
    ::_exit(!kept && cache.counts().failed == 1 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(files_below(scratch.path()) == 0);
}

TEST_CASE("many processes at once never see a wrong or half entry, also while entries are evicted") {
  Scratch scratch;
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    // Room for about half of the 64 values: eviction runs against readers and writers.
    std::string arguments[] = {TOOLCHAIN_STORE, scratch.path().string(), "1000000", "400", std::to_string(i)};
    char* argv[6] = {};
    for (int a = 0; a < 5; ++a) argv[a] = arguments[a].data();
    pid_t pid = 0;
    REQUIRE(::posix_spawn(&pid, TOOLCHAIN_STORE, nullptr, nullptr, argv, environ) == 0);
    processes.push_back(pid);
  }
  for (pid_t pid : processes) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(files_below(scratch.path() / "corrupt") == 0);
  CHECK(files_below(scratch.path() / "tmp") == 0);
}

}  // namespace
}  // namespace tilewright::toolchain
