// Which names of architectures there are.
#include "compiler/ir/target.h"
#include "tests/unit/catch.h"

using namespace tilewright;

TEST_CASE("architectures: those that exist, and no others") {
  for (const char* name : {"sm_50", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
                           "sm_100f", "sm_103a", "sm_107", "sm_107a", "sm_107f", "sm_110f", "sm_120a", "sm_121"}) {
    CAPTURE(name);
    auto target = ir::parse_target(name);
    REQUIRE(target);
    CHECK(target->name() == name);
  }
  for (const char* name : {"", "sm_", "sm_9", "90a", "sm_90b", "sm_90aa", "sm_95", "sm_80a", "sm_90f", "sm_75f",
                           "sm_1000", "sm_99999", "sm_ 90", "compute_90", "SM_90"}) {
    CAPTURE(name);
    CHECK_FALSE(ir::parse_target(name));
  }
}

TEST_CASE("architectures: the order in which one is looked for") {
  const auto known = ir::known_targets();
  CHECK(known.front().name() == "sm_90a");
  std::string names;
  for (ir::Target target : known) {
    CHECK(ir::parse_target(target.name()) == target);
    CHECK(ir::first_of(ir::set_of(target)) == target);
    if (target.major == 10 && target.minor == 0) names += target.name() + " ";
  }
  CHECK(names == "sm_100 sm_100a sm_100f ");
  CHECK(ir::first_of(ir::set_of(*ir::parse_target("sm_120a")) | ir::set_of(*ir::parse_target("sm_100f")))->name() ==
        "sm_100f");
  CHECK_FALSE(ir::first_of(0));
  CHECK(ir::set_of(ir::Target{8, 5, 0}) == 0);
}
