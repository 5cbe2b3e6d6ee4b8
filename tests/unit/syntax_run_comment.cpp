#include "compiler/syntax/run_comment.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

std::optional<syntax::RunComment> read(std::string_view text) {
  return syntax::run_comment(syntax::Directive{0, 0, text});
}

using Settings = std::vector<std::pair<std::string_view, std::string_view>>;
Settings settings(const syntax::RunComment& c) {
  Settings out;
  for (const auto& s : c.settings) out.emplace_back(s.name, s.value);
  return out;
}

}  // namespace

TEST_CASE("syntax: the parts of a run comment") {
  auto c = read("run make(shape=(128, 64), name=\"a b\") reference=plain(1, 2) A=random(seed=7), n = 3  # twice");
  REQUIRE(c);
  CHECK(c->entry == "make(shape=(128, 64), name=\"a b\")");
  CHECK(settings(*c) == Settings{{"reference", "plain(1, 2)"}, {"A", "random(seed=7)"}, {"n", "3"}});
  CHECK(c->stray.empty());
}

TEST_CASE("syntax: kernels in turn, no kernel, and words that stand alone") {
  auto turns = read("run encode then make(2) then consume n=1");
  REQUIRE(turns);
  CHECK(turns->kernels() == std::vector<std::string_view>{"encode", "make(2)", "consume"});
  auto none = read("run expected.B=\"my file.npy\"");
  REQUIRE(none);
  CHECK(none->entry.empty());
  CHECK(settings(*none) == Settings{{"expected.B", "\"my file.npy\""}});
  auto stray = read("run copy fast n=1 more A=");
  REQUIRE(stray);
  CHECK(stray->entry == "copy");
  CHECK(stray->stray == std::vector<std::string_view>{"fast", "more"});
  CHECK(settings(*stray) == Settings{{"n", "1"}, {"A", ""}});
  CHECK(read("run"));
  CHECK_FALSE(read("runs copy"));
  CHECK_FALSE(read("entry run(1)"));
}
