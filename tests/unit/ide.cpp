// Answers about scripts as plain values, asked for without any protocol.
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "compiler/session/session.h"
#include "server/ide/actions.h"
#include "server/ide/background_trials.h"
#include "server/ide/call_hierarchy.h"
#include "server/ide/completion.h"
#include "server/ide/diagnostics.h"
#include "server/ide/folding.h"
#include "server/ide/hints.h"
#include "server/ide/hover.h"
#include "server/ide/lenses.h"
#include "server/ide/links.h"
#include "server/ide/navigation.h"
#include "server/ide/outline.h"
#include "server/ide/rename.h"
#include "server/ide/run_findings.h"
#include "server/ide/selection.h"
#include "server/ide/signature.h"
#include "server/ide/tokens.h"
#include "server/ide/view.h"
#include "server/project/codes.h"
#include "server/project/run_targets.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

constexpr std::string_view kScript = R"(from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from helpers import SIZE

# tilewright: entry make(32)


def make(rows):
    @T.prim_func
    def kernel(a: T.handle):
        A = T.match_buffer(a, (rows, 32), "float16")
        T.device_entry()
        T.cta_id([1])
        T.thread_id([32])
        tile = T.alloc_shared((rows, 32), "float16")
        Tx.warp.copy(tile[:, :], A[:, :])
        T.cuda.cta_sync()

    return kernel
)";
constexpr std::string_view kHelpers = "SIZE = 64\n\n\ndef unused():\n    return SIZE\n";

// The folder of the script, without any files.
class Folder : public script::Loader {
 public:
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
    return module == "helpers" ? helpers : nullptr;
  }
  std::shared_ptr<const syntax::Tree> helpers =
      syntax::Tree::parse(std::make_shared<text::Source>("/scripts/helpers.py", std::string(kHelpers)));
};

struct Asked {
  std::shared_ptr<Folder> folder = std::make_shared<Folder>();
  session::Session session{[folder = folder](const std::string&) { return folder; }};
  ide::Query query;
  explicit Asked(std::string_view text = kScript) {
    auto settings = std::make_shared<session::Settings>();
    query.snapshot = session.open("/scripts/copy.py", std::string(text), 1, settings);
    query.open = {session.open("/scripts/helpers.py", std::string(kHelpers), 1, settings), query.snapshot};
  }
  // Where the text begins, `skip` bytes further.
  std::uint32_t at(std::string_view text, std::uint32_t skip = 0) const {
    std::size_t found = query.snapshot->source().text().find(text);
    REQUIRE(found != std::string_view::npos);
    return static_cast<std::uint32_t>(found) + skip;
  }
  std::string_view text(ide::Stretch s) const {
    return query.snapshot->source().text().substr(s.begin, s.end - s.begin);
  }
};

template <class Block>
std::vector<Block> blocks(const ide::Hover& hover) {
  std::vector<Block> out;
  for (const ide::Hover::Block& b : hover.blocks) {
    if (const auto* found = std::get_if<Block>(&b)) out.push_back(*found);
  }
  return out;
}

}  // namespace

TEST_CASE("a hover on a copy says what it became, in blocks with typed links") {
  Asked asked;
  auto hover = ide::hover(asked.query, asked.at("copy(tile"));
  REQUIRE(hover);
  REQUIRE(*hover);
  CHECK(asked.text((*hover)->at) == "Tx.warp.copy");
  auto titles = blocks<ide::Hover::Title>(**hover);
  REQUIRE(titles.size() == 1);
  CHECK(titles[0].strong == "copy → gmem_smem");
  CHECK(titles[0].rest == "warp, 32 lanes");
  auto sections = blocks<ide::Hover::Section>(**hover);
  REQUIRE(sections.size() == 2);
  CHECK(sections[0].name == "IR");
  CHECK(sections[0].language == "python");
  CHECK(sections[1].language == "cuda");
  auto links = blocks<ide::Hover::Links>(**hover);
  REQUIRE(links.size() == 1);
  REQUIRE(links[0].named.size() == 5);
  const ide::ViewName& cuda = links[0].named[1].second;
  CHECK(cuda.kind == ide::ViewKind::Cuda);
  CHECK(cuda.kernel == "kernel");
  CHECK(cuda.entry == "make(32)");
  CHECK(cuda.document == "/scripts/copy.py");
}

TEST_CASE("a hover on a name tells the value that it has, and none where there is nothing") {
  Asked asked;
  auto hover = ide::hover(asked.query, asked.at("rows, 32), \"float16\")\n        T.device"));
  REQUIRE(hover);
  REQUIRE(*hover);
  auto titles = blocks<ide::Hover::Title>(**hover);
  REQUIRE(titles.size() == 1);
  CHECK(titles[0].strong == "rows");
  auto codes = blocks<ide::Hover::Code>(**hover);
  REQUIRE(codes.size() == 1);
  CHECK(codes[0].text == "32");
  auto nothing = ide::hover(asked.query, asked.at("\n\ndef make"));
  REQUIRE(nothing);
  CHECK_FALSE(*nothing);
}

TEST_CASE("who stops waiting gets no answer") {
  Asked asked;
  std::stop_source stop;
  stop.request_stop();
  asked.query.stop = stop.get_token();
  auto hover = ide::hover(asked.query, asked.at("copy(tile"));
  REQUIRE_FALSE(hover);
  CHECK(hover.error().kind == ide::Failure::Kind::Cancelled);
  CHECK_FALSE(ide::lenses(asked.query));
}

TEST_CASE("a diagnostic stands where it is, and beside it what belongs to it") {
  std::string text(kScript);
  text.replace(text.find("A[:, :])"), 8, "A[:, :], B)");
  Asked asked(text);
  auto found = ide::diagnostics(*asked.query.snapshot, asked.query.analysis(), nullptr);
  REQUIRE_FALSE(found.list.empty());
  auto unknown = std::ranges::find_if(found.list, [&](const auto& d) { return asked.text(d.at) == "B"; });
  REQUIRE(unknown != found.list.end());
  CHECK(unknown->said->severity == text::Severity::Error);
  for (const ide::Diagnostic::Related& r : unknown->related) CHECK(r.at.source != nullptr);
}

TEST_CASE("lenses name the entry and the targets of a run") {
  Asked asked;
  auto config = project::parse_config("[remotes.lab]\nat = \"exec:touch ran\"\n[pools]\nall = [\"lab\"]\n", "t.toml");
  REQUIRE(config);
  asked.query.run_targets = project::run_targets(*config);
  auto lenses = ide::lenses(asked.query);
  REQUIRE(lenses);
  std::vector<std::string> titles;
  for (std::size_t i = 2; i < lenses->size(); ++i) titles.push_back(lenses->at(i).title);
  CHECK(titles == std::vector<std::string>{"run on sim", "run on gpu", "run on lab", "run on all"});
  for (const ide::Lens& l : *lenses) CHECK(asked.text(l.at) == "kernel");
  CHECK(lenses->at(0).title == "entry make(32) for sm_90a");
  CHECK(std::holds_alternative<ide::ShowEntries>(lenses->at(0).action));
  CHECK(lenses->at(1).title == "2,048 B shared");
  CHECK(std::get<ide::ViewName>(lenses->at(1).action).kind == ide::ViewKind::Plan);
  CHECK(std::get<ide::Run>(lenses->at(2).action).entry == "make(32)");
  asked.query.preferences.code_lenses = false;
  CHECK(ide::lenses(asked.query)->empty());
}

TEST_CASE("what a run found stands in its script until the text is another one") {
  Asked asked;
  std::vector<std::string> told;
  ide::RunFindings runs([&](const std::string& document) { told.push_back(document); });
  asked.query.runs = &runs;
  const session::Snapshot& script = *asked.query.snapshot;
  const auto source = std::make_shared<text::Source>(script.path(), std::string(script.source().text()));
  auto answer = [&] {
    work::RunAnswer out;
    project::LoadedFile file;
    file.source = source;
    file.tree = syntax::Tree::parse(source);
    out.compiled = project::compile(file, {});
    REQUIRE(out.compiled.kernels.size() == 1);
    return out;
  };
  auto failed = answer();
  simulate::Finding finding;
  finding.code = "TW5020";
  finding.message = "thread 1 reads what thread 2 writes";
  finding.origin.span = failed.compiled.kernels[0].value->kernel.span;
  failed.report.outcome.findings.push_back(finding);
  failed.report.problems = {finding.message};
  runs.keep(script.path(), source, "make(32)", "lab", failed);
  CHECK(told == std::vector<std::string>{script.path()});

  auto found = ide::diagnostics(script, asked.query.analysis(), nullptr, nullptr, &runs);
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].said->code == "TW5020");
  CHECK(found.list[0].said->message == "thread 1 reads what thread 2 writes (CTA (0, 0, 0)) (run of make(32) on lab)");
  CHECK(asked.text(found.list[0].at) == "kernel");
  auto lenses = ide::lenses(asked.query);
  REQUIRE(lenses);
  CHECK(lenses->back().title == "lab: failed");
  CHECK(std::get<ide::Run>(lenses->back().action).target == "lab");

  // A wrong result without a known line stands at the kernel.
  auto wrong = answer();
  wrong.report.problems = {"3 elements of A are not as expected"};
  runs.keep(script.path(), source, "make(32)", "gpu", wrong);
  CHECK(ide::diagnostics(script, asked.query.analysis(), nullptr, nullptr, &runs).list.size() == 2);
  // A better run takes the place of the one before it.
  runs.keep(script.path(), source, "make(32)", "lab", answer());
  found = ide::diagnostics(script, asked.query.analysis(), nullptr, nullptr, &runs);
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].said->code == project::kRunCode);

  const auto edited =
      asked.session.open(script.path(), std::string(kScript) + "\n", 2, std::make_shared<session::Settings>());
  CHECK(runs.find(*edited).empty());
  CHECK(runs.results(*edited, "make(32)").empty());
  runs.forget(script.path());
  CHECK(runs.find(script).empty());
}

TEST_CASE("hints follow the preferences") {
  Asked asked;
  ide::Stretch all{0, asked.query.snapshot->source().size()};
  auto hints = ide::hints(asked.query, all);
  REQUIRE(hints);
  auto plan = std::ranges::find(*hints, ide::Hint::Kind::Plan, &ide::Hint::kind);
  REQUIRE(plan != hints->end());
  CHECK(plan->label.starts_with("→ gmem_smem · 128-bit"));
  CHECK(plan->at == asked.at("A[:, :])", 8));
  asked.query.preferences.inlay_hints = {false, false, false};
  CHECK(ide::hints(asked.query, all)->empty());
}

TEST_CASE("words of instructions are completed, told about, and their calls have signatures") {
  Asked asked(R"(# tilewright: dialect 0.27
from tvm.script import tirx as T


@T.prim_func
def kernel(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    d: T.float32
    T.ptx.ld.global_.f32(d, A.ptr_to([tx]))
    A[tx] = d
)");
  auto has = [](const std::vector<ide::Completion>& all, std::string_view label) {
    return std::ranges::find(all, label, &ide::Completion::label) != all.end();
  };
  auto hover = ide::hover(asked.query, asked.at("f32(d"));
  REQUIRE(hover);
  REQUIRE(*hover);
  auto codes = blocks<ide::Hover::Code>(**hover);
  REQUIRE_FALSE(codes.empty());
  CHECK(codes[0].text.starts_with("ld"));
  auto families = ide::completions(asked.query, asked.at("T.ptx.ld", 6));
  CHECK(has(families, "mbarrier"));
  std::string labels;
  for (const ide::Completion& c : families) labels += c.label + " ";
  INFO(labels);
  CHECK(has(families, "addr"));
  auto words = ide::completions(asked.query, asked.at("ld.global_", 3));
  CHECK(has(words, "global_"));
  CHECK(has(words, "acquire"));
  CHECK_FALSE(has(words, "add"));
  auto signature = ide::signatures(asked.query, asked.at("(d, A.ptr", 1));
  REQUIRE(signature);
}

TEST_CASE("completion knows the members of the language and the keywords of a call") {
  Asked asked;
  auto find = [](const std::vector<ide::Completion>& all, std::string_view label) {
    return std::ranges::find(all, label, &ide::Completion::label);
  };
  auto members = ide::completions(asked.query, asked.at("Tx.warp.copy", 8));
  auto copy = find(members, "copy");
  REQUIRE(copy != members.end());
  CHECK(copy->kind == ide::Completion::Kind::Function);
  CHECK(copy->call);
  CHECK_FALSE(copy->documentation.empty());
  auto words = ide::completions(asked.query, asked.at("A[:, :])", 7));
  REQUIRE(find(words, "dispatch=") != words.end());
  CHECK(find(words, "dispatch=")->rank == 0);
  CHECK(find(words, "tile") != words.end());
  auto ours = ide::completions(asked.query, asked.at("# tilewright: entry", 4));
  REQUIRE(ours.size() == 1);
  CHECK(ours[0].label == "tilewright:");
  auto entries = ide::completions(asked.query, asked.at("# tilewright: entry", 20));
  CHECK(std::ranges::find(entries, "make", &ide::Completion::label) != entries.end());
}

TEST_CASE("a signature says which operand is being typed") {
  Asked asked;
  auto found = ide::signatures(asked.query, asked.at("A[:, :])", 1));
  REQUIRE(found);
  REQUIRE(found->best < found->forms.size());
  const ide::Signature& form = found->forms[found->best];
  CHECK(form.label.starts_with("Tx.warp.copy(dst, src"));
  REQUIRE(form.active);
  CHECK(form.parameters[*form.active].starts_with("src"));
  CHECK_FALSE(ide::signatures(asked.query, 0));
}

TEST_CASE("names lead to other scripts and back") {
  Asked asked;
  auto definition = ide::definition(asked.query, asked.at("SIZE"));
  REQUIRE(definition);
  CHECK(definition->script->path() == "/scripts/helpers.py");
  CHECK(definition->name == ide::Stretch{0, 4});
  CHECK(definition->whole == ide::Stretch{0, 9});
  REQUIRE(definition->origin);
  CHECK(asked.text(*definition->origin) == "SIZE");
  auto declaration = ide::declaration(asked.query, asked.at("SIZE"));
  REQUIRE(declaration);
  CHECK(declaration->script == asked.query.snapshot);

  std::map<std::string, std::size_t> uses;
  auto whole = ide::references(asked.query, asked.at("SIZE"), [&](const ide::Script& script, const auto& found) {
    uses[script->path()] += found.size();
  });
  REQUIRE(whole);
  CHECK(*whole);
  CHECK(uses == std::map<std::string, std::size_t>{{"/scripts/copy.py", 1}, {"/scripts/helpers.py", 2}});
  auto nothing = ide::references(asked.query, asked.at("\n\ndef make"), [](const auto&, const auto&) {});
  REQUIRE(nothing);
  CHECK_FALSE(*nothing);
}

TEST_CASE("a rename lists the places of each script, or says why not") {
  Asked asked;
  auto renamed = ide::rename(asked.query, asked.at("make(rows)"), "build");
  REQUIRE(renamed);
  REQUIRE(renamed->size() == 1);
  CHECK(renamed->at(0).open);
  CHECK(renamed->at(0).places.size() == 2);  // the definition and the entry comment
  auto taken = ide::rename(asked.query, asked.at("make(rows)"), "SIZE");
  REQUIRE_FALSE(taken);
  CHECK(taken.error().kind == ide::Failure::Kind::Refused);
  CHECK(taken.error().reason == "'SIZE' is taken on line 3");
  CHECK_FALSE(ide::renamable(asked.query, asked.at("T.device_entry", 3)));
}

TEST_CASE("a rename to a name that the script uses and does not bind is refused") {
  Asked asked("def size(rows):\n    count = len(rows)\n    return count + len(missing)\n");
  for (const char* name : {"len", "missing"}) {
    auto taken = ide::rename(asked.query, asked.at("count"), name);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().reason == "'" + std::string(name) + "' means something else in this script already");
  }
}

TEST_CASE("linked names are those that comments hold as well") {
  Asked asked;
  auto linked = ide::linked_names(asked.query, asked.at("make(rows)", 2));
  REQUIRE(linked);
  REQUIRE(linked->size() == 2);
  for (ide::Stretch s : *linked) CHECK(asked.text(s) == "make");
  CHECK(ide::linked_names(asked.query, asked.at("kernel(a"))->empty());
}

TEST_CASE("calls are told with who makes them") {
  Asked asked;
  auto item = ide::call_item(asked.query, asked.at("make(rows)"));
  REQUIRE(item);
  CHECK(item->path == "make");
  CHECK(item->kind == ide::CallItem::Kind::Function);
  auto edges = ide::incoming_calls(asked.query, item->script->path(), item->path, {});
  REQUIRE(edges);
  REQUIRE(*edges);
  REQUIRE((*edges)->size() == 1);  // by the entry comment, which the script itself makes
  CHECK((*edges)->at(0).item.kind == ide::CallItem::Kind::Script);
  CHECK(asked.text((*edges)->at(0).places.at(0)) == "make");
  auto gone = ide::incoming_calls(asked.query, item->script->path(), "unknown", {});
  REQUIRE(gone);
  CHECK_FALSE(*gone);
}

TEST_CASE("an outline nests, and names are found by their letters") {
  Asked asked;
  auto outline = ide::outline(*asked.query.snapshot);
  REQUIRE(outline.size() == 1);
  CHECK(outline[0].name == "make");
  REQUIRE(outline[0].children.size() == 1);
  CHECK(outline[0].children[0].detail == "@prim_func");
  CHECK(asked.text(outline[0].children[0].name_at) == "kernel");

  ide::Outlines outlines;
  std::vector<std::string> found;
  for (int twice = 0; twice < 2; ++twice) {
    auto whole = ide::find_names(asked.query, "uu", outlines, [&](const ide::FoundNames& f) {
      for (const ide::NamedPlace& n : f.names) found.push_back(f.source->path() + " " + n.name);
    });
    CHECK(whole);
  }
  CHECK(found == std::vector<std::string>(2, "/scripts/helpers.py unused"));
}

TEST_CASE("the shapes of a script: folds, selections, tokens and links") {
  Asked asked;
  auto folds = ide::folds(*asked.query.snapshot->tree());
  REQUIRE_FALSE(folds.empty());
  CHECK(folds[0].kind == ide::Fold::Kind::Imports);
  CHECK(folds[0].last == 2);

  auto selections = ide::selections(*asked.query.snapshot, asked.at("rows, 32), \"float16\")\n        T.device", 1));
  REQUIRE(selections.size() > 3);
  CHECK(selections.front() == ide::Stretch{0, asked.query.snapshot->source().size()});
  CHECK(asked.text(selections.back()) == "rows");

  auto tokens = ide::tokens(*asked.query.snapshot, {asked.at("make(rows)"), asked.at("make(rows)", 9)});
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].type == ide::Token::Type::Function);
  CHECK(tokens[1].type == ide::Token::Type::Parameter);
  CHECK(tokens[1].modifiers == ide::Token::kDeclaration);

  auto links = ide::links(asked.query);
  REQUIRE(links);
  REQUIRE(links->size() == 2);
  CHECK(std::get<ide::Script>(links->at(0).target)->path() == "/scripts/helpers.py");
  CHECK(std::get<ide::ViewName>(links->at(1).target).entry == "make(32)");
}

TEST_CASE("actions carry an edit and what it fixes") {
  Asked asked;
  auto unused = asked.at("tile = T.alloc");
  std::vector<ide::ShownDiagnostic> shown{{"TW3106", {unused, unused + 4}, std::nullopt}};
  auto actions = ide::actions(asked.query, asked.at("copy(tile"), shown);
  REQUIRE(actions);
  auto silence = std::ranges::find(*actions, &shown[0], &ide::Action::fixes);
  REQUIRE(silence != actions->end());
  CHECK(silence->kind == ide::Action::Kind::QuickFix);
  CHECK(silence->text == "  # tilewright: ignore[TW3106]");
  auto forced = std::ranges::find(*actions, "Force the variant gmem_smem", &ide::Action::title);
  REQUIRE(forced != actions->end());
  CHECK(forced->kind == ide::Action::Kind::Rewrite);
  CHECK(forced->text == ", dispatch=\"gmem_smem\"");
  CHECK(forced->fixes == nullptr);
}

TEST_CASE("a finding of the simulator has an action with a fix that was simulated") {
  Asked asked(R"(from tvm.script import tirx as T


@T.prim_func
def turned(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    tile = T.alloc_shared((64,), "float32")
    tile[tx] = A[tx]
    B[tx] = tile[63 - tx]
)");
  const auto read = asked.at("tile[63");
  // The finding lies at the statement, as `check --simulate` and background trials say it.
  std::vector<ide::ShownDiagnostic> shown{{"TW5020", {asked.at("B[tx] ="), read + 13}, std::nullopt}};
  const auto actions = ide::actions(asked.query, read, shown);
  REQUIRE(actions);
  REQUIRE_FALSE(actions->empty());
  CHECK(actions->front().title == "Insert T.cuda.cta_sync()");
  CHECK(actions->front().fixes == shown.data());
  CHECK(actions->front().text == "    T.cuda.cta_sync()\n");
  CHECK(actions->back().title == "Silence TW5020 here, with a reason to edit");
}

TEST_CASE("a view is ready, pending or failed, and says why") {
  Asked asked;
  auto name = ide::find_view(asked.query, ide::ViewKind::Cuda, "/scripts/copy.py", "", "");
  REQUIRE(name);
  CHECK(name->entry == "make(32)");
  auto cuda = ide::open_view(asked.query, *name);
  REQUIRE(cuda);
  CHECK(cuda->view.state == ide::View::State::Ready);
  REQUIRE(cuda->view.kernel);
  CHECK(cuda->view.kernel->cuda != nullptr);

  ide::ViewName ptx = *name;
  ptx.kind = ide::ViewKind::Ptx;
  CHECK(ide::view(ptx, *cuda->analysis, nullptr).state == ide::View::State::Pending);
  CHECK(ide::wish_for(ptx, *cuda->analysis)->cuda == cuda->view.kernel->cuda);
  CHECK_FALSE(ide::wish_for(*name, *cuda->analysis));

  ide::ViewName gone = *name;
  gone.entry = "make(7)";
  ide::View failed = ide::view(gone, *cuda->analysis, nullptr);
  CHECK(failed.state == ide::View::State::Failed);
  CHECK(failed.problem == "The script has no entry `make(7)` for sm_90a at the moment.");
  CHECK_FALSE(ide::find_view(asked.query, ide::ViewKind::Cuda, "/scripts/none.py", "", ""));

  auto entries = ide::entries(asked.query, "/scripts/copy.py");
  REQUIRE(entries);
  REQUIRE(entries->entries.size() == 1);
  REQUIRE(entries->entries[0].name_at);
  CHECK(asked.text(*entries->entries[0].name_at) == "kernel");
}

TEST_CASE("the kinds of views have names that lead back to them") {
  for (ide::ViewKind kind : ide::view_kinds()) {
    auto again = ide::parse_view_kind(ide::view_kind_name(kind));
    REQUIRE(again);
    CHECK(*again == kind);
  }
  CHECK_FALSE(ide::parse_view_kind("poem"));
}

TEST_CASE("what was edited is tried out first, and told before the others are") {
  auto kernel = [](std::string_view name, int shift) {
    return "@T.prim_func\ndef " + std::string(name) +
           "(B: T.Buffer((64,), \"int32\")):\n"
           "    T.device_entry()\n    tid = T.thread_id([64])\n    tile = T.alloc_shared((64,), \"int32\")\n"
           "    tile[tid] = tid\n    B[tid] = tile[(tid + " +
           std::to_string(shift) + ") % 64]\n\n";
  };
  const std::string head = "from tvm.script import tirx as T\n\n" + kernel("first", 1) + kernel("second", 2);
  session::Session session{[](const std::string&) { return std::make_shared<Folder>(); }};
  auto settings = std::make_shared<session::Settings>();
  const std::string path = "/scripts/races.py";
  auto old = session.open(path, head + kernel("third", 3), 1, std::make_shared<session::Settings>());
  auto before = old->analyse({});
  auto script = session.change(path, head + kernel("third", 4), 2);
  auto after = script->analyse({});
  REQUIRE(after->kernels_made == 1);

  std::mutex mutex;
  std::condition_variable told;
  std::vector<std::size_t> found;
  {
    const ide::BackgroundTrials* all = nullptr;
    ide::BackgroundTrials trials([&](const std::string& document) {
      std::lock_guard lock(mutex);
      found.push_back(all->find(document, after->first()).size());
      told.notify_all();
    });
    std::unique_lock lock(mutex);
    all = &trials;
    trials.want(old, before, std::chrono::hours(1));
    trials.want(script, after, std::chrono::milliseconds(0));
    CHECK(told.wait_for(lock, std::chrono::minutes(1), [&] { return found.size() == 2; }));
  }
  CHECK(found == std::vector<std::size_t>{1, 3});
}

// `B[i]` leaves its buffer where `s[i]` may, and what the latter meets of others has the same cause.
TEST_CASE("a race that stands where an access may leave its buffer belongs to the one that does") {
  for (const bool shares : {true, false}) {
    const std::string path = "/scripts/outside.py";
    const std::string text = std::string(R"(from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    t = T.thread_id([128])
    s = T.alloc_shared((128,), "float32")
    for r in T.serial(2):
        B[t + )") + (shares ? "r" : "1") +
                             R"(] = A[t]
        s[)" + (shares ? "t // 127 * 127 + r] = A[t]" : "r * 128] = T.float32(t)") +
                             R"(
        T.cuda.cta_sync()
)";
    session::Session session{[](const std::string&) { return std::make_shared<Folder>(); }};
    auto script = session.open(path, text, 1, std::make_shared<session::Settings>());
    auto analysis = script->analyse({});
    std::mutex mutex;
    std::condition_variable told;
    bool is_there = false;
    ide::BackgroundTrials trials([&](const std::string&) {
      std::lock_guard lock(mutex);
      is_there = true;
      told.notify_all();
    });
    trials.want(script, analysis, std::chrono::milliseconds(0));
    std::unique_lock lock(mutex);
    REQUIRE(told.wait_for(lock, std::chrono::minutes(1), [&] { return is_there; }));
    std::vector<std::string> codes;
    const ide::Diagnostics all = ide::diagnostics(*script, analysis, nullptr, &trials);
    for (const ide::Diagnostic& d : all.list) codes.emplace_back(d.said->code);
    std::ranges::sort(codes);
    CAPTURE(codes);
    CHECK(codes ==
          (shares ? std::vector<std::string>{"TW5001"} : std::vector<std::string>{"TW3121", "TW5001", "TW5020"}));
  }
}
