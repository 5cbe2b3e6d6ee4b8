// A hover as Markdown and as plain text.
#include "server/views/hover.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

const ide::Hover kHover{{ide::Hover::Title{"copy → reg", "warp"}, ide::Hover::Code{"text", "A\n→ B\n"},
                         ide::Hover::Words{"elsewhere: none"}, ide::Hover::Section{"CUDA", "cuda", "x = 1;\n"},
                         ide::Hover::Section{"SASS", "", "LDG ×4"},
                         ide::Hover::Links{{{"CUDA", {ide::ViewKind::Cuda, "sm_90a", "k", "k()", "/k.py"}}}}},
                        {3, 7}};

}  // namespace

TEST_CASE("Markdown has fences, bold names and links") {
  auto uri = [](const ide::ViewName& v) { return "view:" + std::string(ide::view_kind_name(v.kind)) + v.document; };
  CHECK(views::hover_markdown(kHover, uri) ==
        "**copy → reg** — warp\n\n```text\nA\n→ B\n```\nelsewhere: none\n\n**CUDA**\n```cuda\nx = 1;\n```\n"
        "**SASS** `LDG ×4`\n\n[CUDA](view:cuda/k.py)");
}

TEST_CASE("what a script's author says is no markup, and nothing ends a fence") {
  auto uri = [](const ide::ViewName&) { return std::string(); };
  const ide::Hover said{{ide::Hover::Said{"![x](https://e/a.png) <b> [r]: //e `c` www.e"}}, {}};
  CHECK(views::hover_markdown(said, uri) == "!\\[x\\](https\\://e/a.png) \\<b> \\[r\\]: //e \\`c\\` www\\.e");
  CHECK(views::hover_plain(said) == "![x](https://e/a.png) <b> [r]: //e `c` www.e");
  const ide::Hover code{{ide::Hover::Code{"python", "\"\"\"\n```\n![x](u)"}, ide::Hover::Section{"PTX", "", "a`b"}},
                        {}};
  CHECK(views::hover_markdown(code, uri) == "````python\n\"\"\"\n```\n![x](u)\n````\n**PTX** `` a`b ``");
  const ide::Hover named{{ide::Hover::Title{"A[0]", "x](y) <i>"}}, {}};
  CHECK(views::hover_markdown(named, uri) == "**A[0]** — x]\\(y) \\<i>");
}

TEST_CASE("plain text has rules drawn by hand and no links") {
  CHECK(views::hover_plain(kHover) ==
        "copy → reg    warp\nA\n→ B\nelsewhere: none\n── CUDA ──\nx = 1;\n── SASS ──\nLDG ×4");
}
