// The table as data: complete, consistent, found by name, bound and verified as Python would call it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/intrinsics/say.h"
#include "compiler/intrinsics/spellings.h"
#include "compiler/ptx/chain.h"
#include "tests/unit/catch.h"
#include "tests/unit/intrinsics_samples.h"

namespace tilewright::intrinsics {
namespace {

constexpr std::string_view kNone[] = {""};
std::span<const std::string_view> none() { return {kNone, 0}; }

ir::Target target(const char* name) { return *ir::parse_target(name); }

constexpr text::Dialect kFirst = text::Dialect::V0_25;

const char* const kTargets[] = {"sm_75",  "sm_80",   "sm_89",   "sm_90",   "sm_90a",
                                "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_120a"};

// Rows of the document that are no instruction of their own, and where they are held to: E30 a scope of wait and E35 a
// space of ld and st (here), E31 a class of the prelude (script_python.cpp), E40 and E41 attributes of the launch
// (session_launch.cpp); L4 to L10, L13 and L14 are expressions and statements of the language (cuda.cpp).
bool is_no_row(const std::string& id) { return is_one_of(id, "E30|E31|E35|E40|E41|L4|L5|L6|L7|L8|L9|L10|L13|L14"); }

// Where the literal begins whose closing quote is at `end`.
std::size_t opening_quote(const std::string& source, std::size_t end) {
  std::size_t at = source.rfind('"', end - 1);
  while (source[at - 1] == '\\') at = source.rfind('"', at - 1);
  return at;
}

// The texts for say() in a source, with the literals before them that the compiler joins to them.
void add_row_texts(const std::string& source, std::vector<std::string>& out) {
  constexpr std::string_view kSuffix = "_row_text";
  for (std::size_t at = source.find("\"_row_text"); at != source.npos; at = source.find("\"_row_text", at + 1)) {
    std::string joined;
    for (std::size_t end = at; source[end] == '"';) {
      const std::size_t begin = opening_quote(source, end);
      std::string text;
      for (std::size_t i = begin + 1; i < end; ++i)
        if (source[i] != '\\' || source[++i] != '\n') text += source[i];
      joined.insert(0, text);
      end = source.find_last_not_of(" \n", begin - 1);
      if (source.compare(end + 1 - kSuffix.size(), kSuffix.size(), kSuffix) == 0) end -= kSuffix.size();
    }
    out.push_back(joined);
  }
}

std::vector<std::string> row_texts() {
  std::vector<std::string> out;
  for (const char* part : {"/compiler", "/server"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TILEWRIGHT_SOURCE_DIR + std::string(part))) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream in(entry.path());
      add_row_texts({std::istreambuf_iterator<char>(in), {}}, out);
    }
  }
  return out;
}

// Can a script of the release write this: a name, or a whole instruction where it is called?
bool is_written(const std::string& path, bool called, text::Dialect release) {
  if (release < text::Dialect::V0_27 || !path.starts_with("ptx."))
    return is_intrinsic(release, path) || (!called && is_namespace(release, path));
  std::string tokens;
  for (std::size_t from = 4; from < path.size();) {
    const std::size_t end = std::min(path.find('.', from), path.size());
    tokens.append(tokens.empty() ? "" : ".").append(ptx::token_of_word(path.substr(from, end - from)));
    from = end + 1;
  }
  const auto chain = ptx::Chain::parse(tokens);
  return chain && (!called || chain->complete());
}

}  // namespace

TEST_CASE("what hints and fixes say to write exists in the release of the script") {
  static const std::regex name(R"(T\.((?:ptx|cuda)\.[A-Za-z0-9_.]*[A-Za-z0-9_])(\()?)");
  const std::vector<std::string> texts = row_texts();
  CHECK(texts.size() > 80);
  for (const std::string& text : texts) {
    for (text::Dialect release : {text::Dialect::V0_25, text::Dialect::V0_26, text::Dialect::V0_27}) {
      const std::string said = say(text, release);
      for (std::sregex_iterator at(said.begin(), said.end(), name), end; at != end; ++at) {
        INFO(text::dialect_name(release) << ": " << said);
        CHECK(is_written((*at)[1], (*at)[2].matched, release));
      }
    }
  }
}

TEST_CASE("arguments behind a name are written as the release writes them") {
  using text::Dialect;
  const auto newest = [](std::string_view text) { return say(text, Dialect::V0_27); };
  CHECK(newest("put {bulk_commit}() and {bulk_wait}(0, True), then") ==
        "put T.ptx.cp.async_.bulk.commit_group() and T.ptx.cp.async_.bulk.wait_group.read(0), then");
  CHECK(newest("{bulk_wait}(0)") == "T.ptx.cp.async_.bulk.wait_group(0)");
  CHECK(newest("{fence_proxy_async}(\"shared::cta\")") == "T.ptx.fence.proxy.async_.shared__cta()");
  CHECK(newest("{mbarrier_arrive}(bars.ptr_to([0, 1]))") ==
        "T.ptx.mbarrier.arrive.shared.b64(bars.ptr_to([0, 1]), T.uint32(1))");
  CHECK(newest("{tmem_dealloc}(address, n_cols=64) into") ==
        "T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(address, T.uint32(64)) into");
  CHECK(newest("{bulk_wait}(0") == "T.ptx.cp.async_.bulk.wait_group(0");
  CHECK(say("{bulk_wait}(0, True)", Dialect::V0_26) == "T.ptx.cp_async.bulk.wait_group(0, True)");
  CHECK(say_call(*row_of_id("E1"), "(bar, noinc=True)", Dialect::V0_26) == "T.ptx.cp_async.mbarrier.arrive.noinc(bar)");
  CHECK(say_call(*row_of_id("P6"), "(bar, 4096)", Dialect::V0_27) ==
        "T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar, T.uint32(4096))");
}

TEST_CASE("names in braces are spelled as a release spells their rows, and other text stays") {
  using text::Dialect;
  CHECK(say("put {cta_sync}() before {mbarrier_inval}"_row_text, kFirst) ==
        "put T.cuda.cta_sync() before T.ptx.mbarrier.inval");
  CHECK(say("if {elect}():"_row_text, kFirst) == "if T.ptx.elect_sync():");
  CHECK(say("if {elect}():"_row_text, Dialect::V0_27) == "if T.cuda.elect_sync():");
  for (std::string_view text : {"", "no braces", "{", "{}", "{cta_sync", "{no such row}", "{no row}", "a { {b} }"}) {
    CHECK(say(text, kFirst) == text);
  }
  CHECK(say(row_of("special_register"), Dialect::V0_26) == "T.ptx.fetch_register");
  CHECK(say(row_of("special_register"), Dialect::V0_27) == "T.cuda.mov_sreg");
  // The last spelling of a row that a release has lost.
  CHECK(row_of_id("E32")->name_in(Dialect::V0_27).empty());
  CHECK(say(*row_of_id("E32"), Dialect::V0_27) == "T.ptx.elect_sync");
}

TEST_CASE("each name and each spelling is that of a row, and no release has two rows that answer the same call") {
  std::set<std::string_view> names;
  for (const RowName& name : kRowNames) {
    INFO(name.name);
    CHECK(row_of_id(name.id));
    CHECK(names.insert(name.name).second);
  }
  for (const Spelling& s : spellings()) {
    INFO(s.id);
    REQUIRE(row_of_id(s.id));
    CHECK(row_of_id(s.id)->name_in(s.spelling.since) == s.spelling.name);
  }
  for (const text::DialectName& release : text::kDialects) {
    for (const Named& named : intrinsics::names(release.dialect)) {
      INFO(release.name << " " << named.name);
      CHECK_FALSE(forms(release.dialect, named.name).empty());
      CHECK(named.row->name_in(release.dialect) == named.name);
    }
  }
}

TEST_CASE("every row of the document is in the table, once") {
  std::set<std::string_view> ids;
  for (const Intrinsic& row : table()) {
    INFO(row.id);
    CHECK(ids.insert(row.id).second);
  }
  auto demand = [&](std::string prefix, int n) {
    for (int i = 1; i <= n; ++i) {
      std::string id = prefix + std::to_string(i);
      INFO(id);
      CHECK((is_no_row(id) || row_of_id(id) != nullptr));
    }
  };
  demand("P", 111);
  demand("C", 71);
  demand("N", 16);
  demand("E", 41);
  demand("L", 14);
  demand("W", 54);
}

TEST_CASE("what the document proposes as a form of another row") {
  Arena arena;
  ArenaScope scope(arena);
  ir::Expr bar = ir::make_var("bar", ir::kHandle);
  auto text = [](std::string_view id, std::vector<ir::Expr> args) {
    const Intrinsic& row = *row_of_id(id);
    CHECK(verify(row, args, target("sm_90a")).value_or("") == "");
    return row.emit(row, args, target("sm_90a")).helper_source;
  };
  // E30: the blocking wait at cluster scope.
  CHECK(text("E2", {bar, 0, ir::string_imm(""), ir::string_imm("cluster")})
            .find("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64") != std::string::npos);
  // E35: loads and stores through an address of another CTA.
  for (const samples::Sample& s : samples::of(*row_of_id("P52"))) {
    if (s.what.find("shared::cluster addr=uint64") == std::string::npos) continue;
    CHECK(text("P52", s.args).find("ld.shared::cluster.u32") != std::string::npos);
  }
  for (const samples::Sample& s : samples::of(*row_of_id("P57"))) {
    if (s.what.find("address=uint64") == std::string::npos) continue;
    CHECK(text("P57", s.args).find("st.shared::cluster.f32") != std::string::npos);
  }
  // E39: the guide's names.
  CHECK(text("E39", {}).find("cp.async.commit_group;") != std::string::npos);
  CHECK(text("E39.wait", {2}).find("cp.async.wait_group 2;") != std::string::npos);
}

TEST_CASE("the names of each release are sorted, forms in the order of the table") {
  for (const text::DialectName& release : text::kDialects) {
    const std::span<const Named> all = names(release.dialect);
    CHECK(std::ranges::is_sorted(all, {}, [](const Named& n) { return std::pair(n.name, n.row - table().data()); }));
    for (const Named& n : all) {
      INFO(release.name << " " << n.name);
      CHECK(n.row->name_in(release.dialect) == n.name);
      CHECK(std::ranges::count(forms(release.dialect, n.name), n.row, &Named::row) == 1);
    }
    CHECK(all.size() > 100);
  }
  CHECK_FALSE(is_intrinsic(text::Dialect::V0_27, "ptx.mma"));  // called by its words
  CHECK(is_intrinsic(text::Dialect::V0_27, "cuda.any_sync"));  // T.ptx.any_sync before
  CHECK_FALSE(is_intrinsic(text::Dialect::V0_26, "cuda.any_sync"));
}

TEST_CASE("rows are complete") {
  for (const Intrinsic& row : table()) {
    INFO(row.id << " " << row.name);
    CHECK(row.emit);
    CHECK(!row.documentation.empty());
    CHECK((row.documentation.ends_with('.') || row.documentation.ends_with('?')));
    CHECK((row.signature.empty() == row.operands.empty()));
    for (const Operand& o : row.operands) {
      INFO(o.name);
      CHECK(!o.name.empty());
      if (o.kind == OperandKind::Variadic) CHECK(&o == &row.operands.back());
      // A default is one of the choices.
      Arena arena;
      ArenaScope scope(arena);
      if (o.kind == OperandKind::Attribute && !o.default_text.empty() && !o.choices.empty() &&
          o.default_text != "None") {
        std::string text = attribute_text(default_value(o));
        CHECK(("|" + std::string(o.choices) + "|").find("|" + text + "|") != std::string::npos);
      }
    }
  }
}

TEST_CASE("names are found, forms by their arguments") {
  CHECK(find(kFirst, "ptx.mbarrier.init", 2, none())->id == "P1");
  CHECK(find(kFirst, "ptx.mbarrier.arrive", 1, none())->id == "P2");
  std::string_view remote[] = {"cta_id", "pred"}, counted[] = {"cta_id", "pred", "count"};
  CHECK(find(kFirst, "ptx.mbarrier.arrive", 1, remote)->id == "P3");
  CHECK(find(kFirst, "ptx.mbarrier.arrive", 1, counted)->id == "P4");
  CHECK(find(kFirst, "ptx.mbarrier.arrive.expect_tx", 2, none())->id == "P6");
  CHECK(find(kFirst, "ptx.mbarrier.arrive.expect_tx", 3, none())->id == "P7");
  CHECK(find(kFirst, "ptx.cp_async", 3, none())->id == "P29");
  std::string_view predicate[] = {"predicate"}, filled[] = {"predicate", "fill_mode"}, ignore[] = {"ignore_src"};
  CHECK(find(kFirst, "ptx.cp_async", 3, predicate)->id == "P31");
  CHECK(find(kFirst, "ptx.cp_async", 3, filled)->id == "P30");
  CHECK(find(kFirst, "ptx.cp_async", 3, ignore)->id == "E38");
  CHECK(find(kFirst, "ptx.cp_async", 6, none())->id == "P32.elem");
  CHECK(find(kFirst, "ptx.elect_sync", 0, none())->id == "P22");
  // A release spells rows in its own way, forms with other operands included.
  CHECK(!find(kFirst, "cuda.elect_sync", 0, none()));
  CHECK(find(text::Dialect::V0_27, "cuda.elect_sync", 0, none())->id == "P22");
  CHECK(!find(text::Dialect::V0_27, "ptx.elect_sync", 0, none()));
  CHECK(find(kFirst, "ptx.elect_sync", 1, none())->id == "E32");
  using enum text::Dialect;
  std::string_view elsewhere[] = {"remote"}, pred[] = {"pred"}, into[] = {"dst"}, value_form[] = {"dps"};
  CHECK(find(V0_26, "ptx.mbarrier.arrive", 1, pred)->id == "W1");
  CHECK(find(V0_26, "ptx.mbarrier.arrive", 1, elsewhere)->id == "W2");
  CHECK(find(V0_26, "ptx.ld", 3, none())->id == "W33");
  CHECK(find(V0_26, "ptx.ld", 3, into)->id == "W34");
  CHECK(find(V0_26, "ptx.add_f32x2", 2, value_form)->id == "W15");
  CHECK(find(V0_26, "ptx.cp_async.bulk.tensor.prefetch", 4, none())->id == "P50");
  CHECK(!find(V0_26, "cuda.copy_128b", 2, none()));
  CHECK(!find(kFirst, "ptx.ld_relaxed", 3, none()));
  CHECK(find(V0_27, "ptx_legacy.mma", 13, none()));
  CHECK(is_namespace(V0_27, "s_tir"));
  CHECK(find(kFirst, "ptx.nonsense", 0, none()) == nullptr);
  CHECK(find(kFirst, "ptx.mbarrier", 0, none()) == nullptr);
  CHECK(is_namespace(kFirst, "ptx"));
  CHECK(is_namespace(kFirst, "ptx.mbarrier"));
  CHECK(is_namespace(kFirst, "ptx.mma"));
  CHECK(!is_namespace(kFirst, "ptx.mbarrier.init"));
  CHECK(!is_namespace(kFirst, "ptx.mbar"));
  CHECK(is_intrinsic(kFirst, "ptx.mma"));
  CHECK(is_intrinsic(kFirst, "cuda.__shfl_sync"));
  CHECK(!is_intrinsic(kFirst, "ptx.mbarrier"));
  CHECK(of(find(kFirst, "cuda.cta_sync", 0, none()))->id == "C1");
  CHECK(of(&ir::builtin::address_of) == nullptr);
}

TEST_CASE("arguments are bound as Python binds them") {
  const Intrinsic& st = *find(kFirst, "ptx.st", 3, none());
  std::string_view words[] = {"vec", "ptx_type"};
  auto slots = intrinsics::bind(st, 3, words);
  REQUIRE(slots);
  CHECK((*slots)[0].first == 0);
  // Keyword-only operands come before the variadic one in the bound order.
  CHECK(st.operands.back().name == "values");
  CHECK(slots->back().first == 1);
  CHECK(slots->back().count == 2);
  auto vec = std::ranges::find(st.operands, std::string_view("vec"), &Operand::name) - st.operands.begin();
  CHECK((*slots)[vec].first == 3);
  auto space = std::ranges::find(st.operands, std::string_view("space"), &Operand::name) - st.operands.begin();
  CHECK((*slots)[space].first == -1);

  const Intrinsic& init = *row_of_id("P1");
  CHECK(intrinsics::bind(init, 1, none()).error() ==
        "needs 'thread_count'; its operands are (bar: shared, thread_count: u32)");
  CHECK(intrinsics::bind(init, 3, none()).error() == "takes 2 positional arguments, 3 given");
  std::string_view wrong[] = {"count"}, twice[] = {"bar"};
  CHECK(intrinsics::bind(init, 2, wrong).error().find("has no keyword 'count'") != std::string::npos);
  CHECK(intrinsics::bind(init, 2, twice).error().find("two values for 'bar'") != std::string::npos);
}

TEST_CASE("verify speaks about targets, attributes and operands") {
  Arena arena;
  ArenaScope scope(arena);
  auto say = [](std::string_view id, std::vector<ir::Expr> args, const char* arch) {
    return verify(*row_of_id(id), args, target(arch)).value_or("");
  };
  ir::Expr pointer = ir::make_var("bar", ir::kHandle), n = ir::make_var("n", ir::kInt32);
  CHECK(say("P1", {pointer, 1}, "sm_90a") == "");
  CHECK(say("P1", {pointer, 0}, "sm_90a") == "'thread_count' is 0; it must be 1 to 1048575");
  CHECK(say("P1", {n, 1}, "sm_90a") == "'bar' takes a pointer to shared memory, int32 given");
  CHECK(say("P8", {pointer, 0}, "sm_80") == "needs sm_90 and up, this is sm_80");
  CHECK(say("P17", {ir::string_imm("shared::ct")}, "sm_90a")
            .starts_with("'space' is '', 'global', 'shared::cta' or 'shared::cluster', not "));
  CHECK(say("P21", {ir::bool_imm(true), 20}, "sm_90a") == "'reg_count' is 20; it must be 24 to 256 in steps of 8");
  CHECK(say("P34", {n}, "sm_90a") == "'num' is part of the instruction and must be known at compile time");
  CHECK(say("P35", {n}, "sm_90a").find("barrier numbers never worked") != std::string::npos);
  CHECK(say("P24", {32, ir::string_imm("lane")}, "sm_90a").find("there is no special register %lane") !=
        std::string::npos);
}

TEST_CASE("samples of each row are legal somewhere") {
  Arena arena;
  ArenaScope scope(arena);
  for (const Intrinsic& row : table()) {
    if (row.availability == Availability::Never || row.id.starts_with("L12")) continue;
    std::string said;
    bool legal = std::ranges::any_of(kTargets, [&](const char* t) {
      auto failure = verify(row, samples::of(row).front().args, target(t));
      if (failure) said = *failure;
      return !failure;
    });
    INFO(row.id << ": " << said);
    CHECK(legal);
  }
}

TEST_CASE("a helper's name says everything about its text") {
  Arena arena;
  ArenaScope scope(arena);
  for (const char* t : kTargets) {
    std::map<std::string, std::string> sources;
    for (const Intrinsic& row : table()) {
      if (row.availability == Availability::Never) continue;
      for (const samples::Sample& s : samples::of(row)) {
        if (verify(row, s.args, target(t))) continue;
        Emitted e = row.emit(row, s.args, target(t));
        INFO(t << " " << row.id << " " << s.what << "\n" << e.helper_source);
        REQUIRE(e.helper_name.empty() != e.expression.empty());
        CHECK(e.helper_source.find("no operand") == std::string::npos);
        CHECK(e.helper_source.find_first_of("\x01\x02") == std::string::npos);
        if (e.helper_name.empty()) continue;
        CHECK(e.helper_source.find(e.helper_name) != std::string::npos);
        auto [at, fresh] = sources.emplace(e.helper_name, e.helper_source);
        CHECK((fresh || at->second == e.helper_source));
      }
    }
  }
}

TEST_CASE("the text of some helpers") {
  Arena arena;
  ArenaScope scope(arena);
  ir::Expr bar = ir::make_var("bar", ir::kHandle), phase = ir::make_var("phase", ir::kUInt32);
  const Intrinsic& wait = *row_of_id("P8");
  const std::vector<ir::Expr> args = {bar, phase};
  Emitted e = wait.emit(wait, args, target("sm_90a"));
  CHECK(e.helper_name == "tvm_builtin_ptx_mbarrier_try_wait");
  CHECK(e.argument_positions == std::vector<int>{0, 1});
  CHECK(e.helper_source ==
        R"(__forceinline__ __device__ void tvm_builtin_ptx_mbarrier_try_wait(void* bar, unsigned int phase) {
  asm volatile("{\n"
      ".reg .pred done;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, 0x989680;\n"
      "@done bra LAB_DONE;\n"
      "bra LAB_WAIT;\n"
      "LAB_DONE:\n"
      "}"
      :
      : "r"((unsigned int)__cvta_generic_to_shared(bar)), "r"(phase)
      : "memory");
}
)");
  CHECK(instruction_text(wait, args, target("sm_90a")).find("done, [bar], phase") != std::string::npos);

  const std::vector<ir::Expr> copy = {bar, bar};
  e = copy_bytes_row(128).emit(copy_bytes_row(128), copy, target("sm_90a"));
  CHECK(e.helper_source ==
        "__forceinline__ __device__ void tvm_builtin_cuda_copy_128b(void* dst, void* src) {\n"
        "  *(uint4*)dst = *(const uint4*)src;\n}\n");
  // A mapped address may be a number or a pointer.
  const Intrinsic& remote = *row_of_id("E26");
  ir::Expr mapped = ir::make_var("mapped", ir::kUInt64);
  Emitted number =
      remote.emit(remote, std::vector<ir::Expr>{mapped, absent(), ir::string_imm("release")}, target("sm_90a"));
  Emitted pointer =
      remote.emit(remote, std::vector<ir::Expr>{bar, absent(), ir::string_imm("release")}, target("sm_90a"));
  CHECK(number.helper_name == "tvm_builtin_ptx_mbarrier_arrive_remote");
  CHECK(pointer.helper_name == "tvm_builtin_ptx_mbarrier_arrive_remote_handle");
  for (int bits : {8, 16, 32, 64}) CHECK(copy_bytes_row(bits).meaning == Meaning::CopyBytes);
  CHECK(copy_bytes_row(8).name == "cuda.copy_8b");

  const std::vector<ir::Expr> fragment = {1, 2, bar, bar, bar};
  e = ldmatrix_row().emit(ldmatrix_row(), fragment, target("sm_90a"));
  CHECK(e.helper_source.find("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];") != std::string::npos);
  CHECK(e.argument_positions == std::vector<int>{2, 3, 4});
}

}  // namespace tilewright::intrinsics
