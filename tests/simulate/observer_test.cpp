// Observers of the machine: each is told each event, until they are silenced.
#include "compiler/simulate/machine/observer.h"

#include <string>

#include "compiler/simulate/machine/machine.h"
#include "tests/unit/catch.h"

using namespace tilewright::simulate;

namespace {

class Notes final : public Observer {
 public:
  explicit Notes(std::string& out) : out_(out) {}
  void read(const Thread&, std::uint64_t pointer, std::int64_t bytes, How, std::string_view view) override {
    out_ += "r" + std::to_string(pointer) + ":" + std::to_string(bytes) + std::string(view) + " ";
  }
  void write(const Thread&, std::uint64_t, std::int64_t, const std::byte* old, const std::byte* now, How how,
             std::string_view) override {
    out_ += std::string("w") + (old ? "o" : "") + (now ? "n" : "") + (how == How::Atomic ? "a" : "") + " ";
  }
  void access(const Thread&, const Accessed& what) override {
    out_ += "#" + std::to_string(what.operation) + (what.writes ? "w" : "r") + " ";
  }
  void arrive(const Thread&, std::uint64_t place, bool relaxed) override {
    out_ += "a" + std::to_string(place) + (relaxed ? "~ " : " ");
  }

 private:
  std::string& out_;
};

void happen(const Observers& observers) {
  const Thread t;
  const std::byte byte{};
  observers.read(t, 7, 4, How::Plain, "A");
  observers.write(t, 7, 4, &byte, nullptr, How::Atomic);
  observers.read(t, std::uint32_t{1}, 7, 16);
  observers.write(t, std::uint32_t{2}, 7, 16);
  observers.tell(&Observer::arrive, t, 5, true);
  observers.tell(&Observer::close, 5);  // which no observer here wants
}

constexpr std::string_view kAll = "r7:4A woa #1r #2w a5~ ";

}  // namespace

TEST_CASE("observers are told what happens, one or several") {
  Observers observers;
  CHECK_FALSE(observers);
  happen(observers);
  std::string first, second;
  observers.add(std::make_unique<Notes>(first));
  CHECK(observers);
  happen(observers);
  CHECK(first == kAll);
  first.clear();
  observers.add(std::make_unique<Notes>(second));
  happen(observers);
  CHECK(first == kAll);
  CHECK(second == kAll);
}

TEST_CASE("silenced observers are told nothing more") {
  Observers observers;
  std::string out;
  observers.add(std::make_unique<Notes>(out));
  observers.silence();
  CHECK_FALSE(observers);
  happen(observers);
  CHECK(out.empty());
}
