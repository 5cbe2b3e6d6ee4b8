// What an edit leaves as it was is not looked into again; what it may have changed is, also behind a name that stayed.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/evaluate.h"
#include "compiler/script/last_run.h"
#include "compiler/script/memo.h"
#include "compiler/session/session.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

// Counts the kernels that are looked for by their keys.
class Memo final : public script::KernelMemo {
 public:
  std::shared_ptr<script::KernelRecord> make() override { return std::make_shared<script::KernelRecord>(); }
  std::vector<std::shared_ptr<script::KernelRecord>> find(const text::Digest& key) override {
    ++looked_for;
    std::vector<std::shared_ptr<script::KernelRecord>> found;
    for (const auto& r : records_) {
      if (r->key == key) found.push_back(r);
    }
    return found;
  }
  void keep(std::shared_ptr<script::KernelRecord> record) override { records_.push_back(std::move(record)); }
  void use(const std::shared_ptr<script::KernelRecord>&) override { ++known; }
  bool remembers() const override { return true; }
  std::unique_ptr<script::LastRun> take_last_run(const text::Digest&) override { return std::move(last_); }
  void keep_last_run(const text::Digest&, std::unique_ptr<script::LastRun> run) override { last_ = std::move(run); }

  int looked_for = 0, known = 0;

 private:
  std::vector<std::shared_ptr<script::KernelRecord>> records_;
  std::unique_ptr<script::LastRun> last_;
};

class Folder final : public script::Loader {
 public:
  std::map<std::string, std::string> files;
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
    auto it = files.find(std::string(module));
    if (it == files.end()) return nullptr;
    auto& tree = trees_[it->second];
    if (!tree) tree = syntax::Tree::parse(std::make_shared<text::Source>(it->first + ".py", it->second));
    return tree;
  }
  std::optional<std::vector<std::string>> beside(std::string_view module, int, std::string_view) override {
    std::vector<std::string> out;
    for (const auto& [name, text] : files) out.push_back(name);
    return module.empty() ? std::optional(out) : std::nullopt;
  }

 private:
  std::map<std::string, std::shared_ptr<const syntax::Tree>> trees_;  // by their text
};

std::string kernel(const std::string& name, const std::string& index) {
  return "\n\n@T.prim_func\ndef " + name +
         "(a: T.handle):\n    A = T.match_buffer(a, (32, 32), \"float16\")\n    T.device_entry()\n    T.cta_id([1])\n" +
         "    T.warp_id([1])\n    lane = T.lane_id([32])\n    A[lane, " + index + "] = A[lane, 0]\n";
}

const std::string kImport = "from tvm.script import tirx as T\n";

struct Told {
  std::vector<std::string> cuda, findings;
};

Told told(const session::Analysis& analysis) {
  Told out;
  for (const session::CompiledKernel& k : analysis.first().kernels) out.cuda.push_back(k.cuda ? k.cuda->text : "none");
  for (const session::Finding& f : analysis.findings) {
    text::Anchors::Place at = f.anchors->resolve(f.diagnostic->span);
    out.findings.push_back(std::to_string(at.begin) + ".." + std::to_string(at.end) + " " + f.diagnostic->message +
                           " | " + f.diagnostic->hint);
  }
  return out;
}

struct Counts {
  int known, looked_for;
  friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << "{known " << c.known << ", looked for " << c.looked_for << "}";
}

// Evaluates one text after another; of the last, the kernels that were known and those that were looked for. Each is
// told as from scratch.
Counts after(const std::vector<std::string>& texts, Folder* folder = nullptr,
             const std::vector<std::map<std::string, std::string>>& files = {}) {
  auto loaders = [&](const std::string&) { return std::shared_ptr<script::Loader>(folder, [](auto*) {}); };
  session::Session session(folder ? session::Session::LoaderFactory(loaders) : nullptr);
  Memo memo;
  std::shared_ptr<const syntax::Tree> tree;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    if (folder && i < files.size()) folder->files = files[i];
    if (i == 0)
      session.open("a.py", texts[i], 0, std::make_shared<session::Settings>());
    else
      session.change("a.py", texts[i], static_cast<std::int64_t>(i));
    session::Session fresh(folder ? session::Session::LoaderFactory(loaders) : nullptr);
    auto alone = fresh.open("a.py", texts[i], 0, std::make_shared<session::Settings>());
    const Told now = told(*session.find("a.py")->analyse({})), wanted = told(*alone->analyse({}));
    CHECK(now.cuda == wanted.cuda);
    CHECK(now.findings == wanted.findings);

    auto source = std::make_shared<text::Source>("a.py", texts[i]);
    tree = tree ? syntax::Tree::reparse(*tree, source) : syntax::Tree::parse(source);
    memo.looked_for = memo.known = 0;
    script::EvaluateOptions options;
    options.memo = &memo;
    script::evaluate(tree, folder, {}, options);
  }
  return {memo.known, memo.looked_for};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

// The text, then with `from` replaced.
Counts edited(const std::string& text, const std::string& from, const std::string& to) {
  return after({text, replaced(text, from, to)});
}

}  // namespace

TEST_CASE("last run: only what an edit may have changed is looked for") {
  const std::string text = kImport + "SIZE = 4\n\n\ndef half(x):\n    return x // SIZE\n" + kernel("first", "half(8)") +
                           kernel("second", "3") + kernel("third", "SIZE");
  CHECK(edited(text, "SIZE = 4\n", "# a comment\nSIZE = 4\n") == Counts{3, 0});
  CHECK(edited(text, ", 3]", ", 5]") == Counts{2, 1});
  CHECK(edited(text, "// SIZE", "// 2") == Counts{2, 1});
  CHECK(edited(text, "SIZE = 4", "SIZE = 8") == Counts{1, 2});
  CHECK(edited(text, "SIZE = 4\n", "") == Counts{0, 3});  // the first says that it is not bound
  CHECK(edited(text, "SIZE = 4\n", "SIZE = 4\nOTHER = 5\n") == Counts{3, 0});
  CHECK(edited(text, "import tirx as T", "import tirx as T, ir as I") == Counts{0, 3});
  CHECK(after({text, replaced(text, "SIZE = 4", "SIZE = 8"), text, text}) == Counts{3, 0});
}

TEST_CASE("last run: a layout is taken over where what it was made of stands") {
  const std::string text = "from tvm.tirx.layout import S, TileLayout\n" + kImport +
                           "N = 32\nL = TileLayout(S[(32, N)])\nM = L\n" + kernel("first", "L.shard[0].extent - 30") +
                           kernel("second", "1 if M is L else 2") + kernel("third", "3");
  CHECK(edited(text, ", 3]", ", 5]") == Counts{2, 1});
  CHECK(edited(text, "else 2", "else 4") == Counts{2, 1});  // they are still one object
  CHECK(edited(text, "N = 32", "N = 16") == Counts{1, 2});
  CHECK(edited(text, "M = L", "M = TileLayout(S[(32, N)])") == Counts{2, 1});
  CHECK(after({text, replaced(text, ", 3]", ", 5]"), replaced(text, "S[(32, N)]", "S[(31, N)]")}) == Counts{0, 3});
}

TEST_CASE("last run: what is changed behind a name is looked into") {
  SECTION("a list that grows") {
    const std::string text =
        kImport + "ROWS = [1]\nMORE = 2\nROWS.append(MORE)\n" + kernel("first", "ROWS[1]") + kernel("second", "3");
    CHECK(edited(text, ", 3]", ", 5]") == Counts{1, 1});  // the list grew as before
    CHECK(edited(text, "MORE = 2", "MORE = 4") == Counts{0, 2});
    CHECK(edited(text, "append(MORE)", "append(6)") == Counts{0, 2});
    CHECK(edited(text, "ROWS.append(MORE)", "ROWS.append(MORE); ROWS.clear(); ROWS.extend([8, 9])") == Counts{0, 2});
    CHECK(edited(text, "ROWS.append(MORE)\n", "") == Counts{0, 2});
  }
  SECTION("by a function that is called") {
    const std::string text = kImport +
                             "ROWS = [1, 2]\n\n\ndef grow(x):\n    ROWS[1] = x\n    return x\n\n\nX = grow(4)\n" +
                             kernel("first", "ROWS[1]") + kernel("second", "3");
    CHECK(edited(text, ", 3]", ", 5]") == Counts{1, 1});
    CHECK(edited(text, "ROWS[1] = x\n", "ROWS[1] = x + 1\n") == Counts{0, 2});
    CHECK(edited(text, "X = grow(4)", "X = grow(6)") == Counts{0, 2});
    CHECK(edited(text, "X = grow(4)", "X = 6") == Counts{0, 2});
  }
  SECTION("a global that is bound again") {
    const std::string text = kImport + "SIZE = 4\n\n\ndef grow():\n    global SIZE\n    SIZE = 6\n\n\ngrow()\n" +
                             kernel("first", "SIZE") + kernel("second", "3");
    CHECK(edited(text, "SIZE = 6", "SIZE = 7") == Counts{0, 2});
    CHECK(edited(text, "\ngrow()\n", "\n") == Counts{0, 2});
  }
  SECTION("an attribute") {
    const std::string text = kImport + "class Config:\n    rows = 4\n\n\nOTHER = Config\nOTHER.rows = 5\n" +
                             kernel("first", "Config.rows") + kernel("second", "3");
    CHECK(edited(text, ", 3]", ", 5]") == Counts{1, 1});
    CHECK(edited(text, "OTHER.rows = 5", "OTHER.rows = 6") == Counts{0, 2});
    CHECK(edited(text, "rows = 4", "rows = 7") == Counts{0, 2});
  }
  SECTION("a decorator, a default") {
    const std::string text =
        kImport + "SEEN = []\n\n\ndef note(f):\n    SEEN.append(4)\n    return f\n\n\n@note\ndef g():\n" +
        "    pass\n\n\ndef h(x=SEEN.append(5)):\n    pass\n" + kernel("first", "len(SEEN)") + kernel("second", "3");
    CHECK(edited(text, "SEEN.append(4)", "SEEN.append(4); SEEN.append(4)") == Counts{0, 2});
    CHECK(edited(text, "@note\ndef g", "def g") == Counts{0, 2});
    CHECK(edited(text, "x=SEEN.append(5)", "x=(SEEN.append(5), SEEN.append(6))") == Counts{0, 2});
    CHECK(edited(text, "def h(x=SEEN.append(5))", "def h(x=5)") == Counts{0, 2});
  }
  SECTION("a method as a decorator, a property as a default, a method in an assignment") {
    const std::string kernels = kernel("first", "len(SEEN)") + kernel("second", "3");
    const std::string method = kImport + "SEEN = []\n\n\n@SEEN.append\ndef g():\n    pass\n" + kernels;
    CHECK(edited(method, ", 3]", ", 5]") == Counts{1, 1});
    CHECK(edited(method, "@SEEN.append\n", "") == Counts{0, 2});
    const std::string property = kImport +
                                 "SEEN = []\n\n\nclass C:\n    @property\n    def p(self):\n        SEEN.append(4)\n" +
                                 "        return 4\n\n\nOBJECT = C()\n\n\ndef h(x=OBJECT.p):\n    pass\n" + kernels;
    CHECK(edited(property, ", 3]", ", 5]") == Counts{1, 1});
    CHECK(edited(property, "x=OBJECT.p", "x=5") == Counts{0, 2});
    const std::string pop = kImport + "SEEN = [1, 3, 2]\nX = SEEN.pop()\n" + kernels;
    CHECK(edited(pop, ", 3]", ", 5]") == Counts{1, 1});
    CHECK(edited(pop, "X = SEEN.pop()", "X = 2") == Counts{0, 2});
  }
  SECTION("by a kernel that calls no function") {
    const std::string text =
        kImport + "SEEN = [1, 2, 3]\n" + kernel("first", "SEEN.pop()") + kernel("second", "SEEN[-1]");
    CHECK(edited(text, "SEEN.pop()", "7").known == 0);
    CHECK(edited(text, "[1, 2, 3]", "[1, 4, 3]").known == 0);
  }
  SECTION("by a kernel") {
    const std::string text = kImport + "SEEN = [1, 1]\n\n\ndef note(x):\n    SEEN[0] = x\n    return x\n" +
                             kernel("first", "note(4)") + kernel("second", "SEEN[0]") + kernel("third", "3");
    CHECK(edited(text, "note(4)", "note(5)").known == 0);
    CHECK(edited(text, "note(4)", "7").known == 0);
    CHECK(edited(text, "SEEN[0] = x\n", "SEEN[1] = x\n").known == 0);
  }
}

TEST_CASE("last run: what decides which statements run is looked into") {
  const std::string text =
      kImport + "WIDE = True\nSIZE = 4\nif WIDE:\n    SIZE = 8\n" + kernel("first", "SIZE") + kernel("second", "3");
  CHECK(edited(text, ", 3]", ", 5]") == Counts{1, 1});
  CHECK(edited(text, "WIDE = True", "WIDE = False") == Counts{0, 2});
  CHECK(edited(text, "if WIDE:", "if not WIDE:") == Counts{0, 2});
  const std::string loop = kImport + "SIZE = 0\nN = 3\nfor i in range(N):\n    SIZE += 2\n" + kernel("first", "SIZE");
  CHECK(edited(loop, "N = 3", "N = 2") == Counts{0, 1});
  const std::string swapped = kImport + "SIZE = 4\nSIZE = 8\n" + kernel("first", "SIZE");
  CHECK(edited(swapped, "SIZE = 4\nSIZE = 8\n", "SIZE = 8\nSIZE = 4\n") == Counts{0, 1});
}

TEST_CASE("last run: names without a binding, and statements that fail") {
  const std::string text = kImport + kernel("first", "rows") + kernel("second", "rows") + kernel("third", "3");
  CHECK(edited(text, "import tirx as T\n", "import tirx as T\nrows = 4\n").known == 0);
  CHECK(edited(text, ", rows]", ", 5]").known == 0);
  const std::string below = kImport + kernel("first", "rows") + "rows = 4\n" + kernel("second", "rows");
  edited(below, "rows = 4\n", "");
  edited(below, "rows = 4\n", "rows = 5\n");
  const std::string failing = kImport + "N = 0\nSIZES = [4]\nSIZES[1 // N] = 5\n" + kernel("first", "SIZES[0]");
  CHECK(edited(failing, "N = 0", "N = 4").known == 0);
  CHECK(edited(failing, "1 // N", "0") == Counts{0, 1});
  edited(kImport + kernel("first", "3") + kernel("second", "4"), "def first(", "def first((");
  edited(kImport + kernel("first", "3") + kernel("second", "4"), "def first(", "deff first(");
}

TEST_CASE("last run: what an import brings is looked into") {
  Folder folder;
  const std::string text = "import sizes\nfrom shapes import rows\n" + kImport + kernel("first", "sizes.columns") +
                           kernel("second", "rows(4)") + kernel("third", "3");
  const std::map<std::string, std::string> files = {
      {"sizes", "columns = 4\n"}, {"shapes", "import sizes\n\n\ndef rows(x):\n    return x + sizes.columns\n"}};
  auto with = [&](const std::string& file, const std::string& content) {
    auto out = files;
    out[file] = content;
    return out;
  };
  CHECK(after({text, replaced(text, ", 3]", ", 5]")}, &folder, {files, files}) == Counts{2, 1});
  CHECK(after({text, text}, &folder, {files, with("sizes", "columns = 5\n")}) == Counts{0, 3});
  CHECK(after({text, text}, &folder, {files, with("shapes", "def rows(x):\n    return x\n")}) == Counts{0, 3});
  CHECK(after({text, replaced(text, "import rows", "import rows as rows")}, &folder, {files, files}).known <= 2);
  // What lies beside the script decides whether an unknown module is a misspelt one.
  const std::string misspelt = "import shapez\n" + kImport + kernel("first", "shapez.rows") + kernel("second", "3");
  CHECK(after({misspelt, misspelt}, &folder, {{}, files}).known == 0);
  // A file that was not there.
  CHECK(after({text, text}, &folder, {{{"sizes", "columns = 4\n"}}, files}).known == 0);
}
