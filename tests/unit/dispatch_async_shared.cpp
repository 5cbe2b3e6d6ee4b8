// copy_async into shared memory: ldgsts and dsmem. The worked examples of copy_async.md 10.1 and 10.3, element by
// element, with the defects of section 9 fixed.
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr auto kThread = ExecScope::Thread, kWarp = ExecScope::Warp, kGroup = ExecScope::Warpgroup,
               kCta = ExecScope::Cta;
constexpr auto G = StorageScope::Global, S = StorageScope::Shared;

CopyCase async(ExecScope scope, std::int64_t threads, ir::DataType dtype, Side src, Side dst) {
  return {.scope = scope,
          .threads = threads,
          .dtype = dtype,
          .src = std::move(src),
          .dst = std::move(dst),
          .primitive = "copy_async"};
}

void check_served(const CopyCase& c, std::int64_t vec, std::int64_t bytes, std::int64_t outer) {
  CopyResult r = run_copy(c);
  INFO(r.report.summary);
  CHECK(r.report.variant == "ldgsts");
  CHECK(r.wrong == "");
  CHECK(r.fact("vec_elems") == vec);
  CHECK(r.fact("vec_bits") == bytes * 8);
  CHECK(r.fact("outer") == outer);
  CHECK(r.bytes_moved == bytes * outer);
}

void check_declined(const CopyCase& c, std::string_view variant, std::string_view reason) {
  CopyResult r = run_copy(c);
  REQUIRE(r.report.variant == "");
  const dispatch::Trial* t = r.trial(variant);
  REQUIRE(t);
  INFO(t->reason);
  CHECK(t->outcome == dispatch::Outcome::Declined);
  CHECK(t->reason.find(reason) != std::string::npos);
}

// With everything that dsmem needs.
std::vector<ir::ConfigItem> remote() {
  ir::Operand barrier, rank;
  barrier.value = ir::make_var("mbar", ir::kHandle);
  rank.value = Expr(1);
  return {{"mbar", barrier}, {"remote_cta_id", rank}};
}
CopyCase remote_copy(ir::DataType dtype, Side src, Side dst) {
  CopyCase c = async(kThread, 1, dtype, std::move(src), std::move(dst));
  c.config = remote;
  return c;
}
void check_chunks(const CopyCase& c, std::int64_t bytes, std::int64_t chunks) {
  CopyResult r = run_copy(c);
  INFO(r.report.summary);
  CHECK(r.report.variant == "dsmem");
  CHECK(r.wrong == "");
  CHECK(r.fact("chunk_bytes") == bytes);
  CHECK(r.fact("chunks") == chunks);
  CHECK(r.bytes_moved == bytes * chunks);
}

}  // namespace

TEST_CASE("copy_async: ldgsts, the examples of 10.1") {
  const ir::DataType f16 = ir::kFloat16, u8 = ir::kUInt8;
  check_served(async(kCta, 128, f16, {G, {128, 32}}, {S, {128, 32}}), 8, 16, 4);
  check_served(async(kCta, 128, f16, {G, {64, 64}}, {S, {64, 64}, "Z(3,3,3)"}), 8, 16, 4);
  check_declined(async(kWarp, 32, f16, {G, {16, 40}, "", {{0, 16}, {4, 24}}}, {S, {16, 20}}), "ldgsts", "2 bytes");
  check_declined(async(kWarp, 32, f16, {G, {32, 40}, "", {{0, 32}, {4, 28}}}, {S, {32, 24}}), "ldgsts", "2 bytes");
  check_served(async(kWarp, 32, f16, {G, {32, 64}, "", {{0, 32}, {2, 18}}}, {S, {32, 16}}), 2, 4, 8);
  check_declined(async(kWarp, 32, f16, {G, {32, 64}, "", {{0, 32}, {1, 17}}}, {S, {32, 16}}), "ldgsts", "2 bytes");
  check_served(async(kWarp, 32, ir::kFloat32, {G, {32, 64}, "", {{0, 32}, {3, 19}}}, {S, {32, 16}}), 1, 4, 16);
  check_served(async(kCta, 256, u8, {G, {64, 64}}, {S, {64, 64}}), 16, 16, 1);
  check_declined(async(kCta, 256, u8, {G, {64, 80}, "", {{0, 64}, {2, 66}}}, {S, {64, 64}}), "ldgsts",
                 "cp.async moves 4, 8 or 16");
  check_served(async(kThread, 1, f16, {G, {8, 64}}, {S, {8, 64}}), 8, 16, 64);
  check_served(async(kWarp, 32, ir::kFloat64, {G, {16, 16}}, {S, {16, 16}}), 2, 16, 4);
  check_served(async(kWarp, 32, f16, {G, {32, 32}}, {S, {32, 32}, "Z(2,3,3)"}), 4, 8, 8 * 32 / 32);
  check_declined(async(kWarp, 32, f16, {G, {32, 32}}, {S, {32, 32}, "Z(0,3,3)"}), "ldgsts", "2 bytes");
}

TEST_CASE("copy_async: ldgsts needs its pair, its threads and sm_80") {
  CopyCase good = async(kGroup, 128, ir::kFloat16, {G, {64, 64}}, {S, {64, 64}});
  check_served(good, 8, 16, 4);
  CopyCase old = good;
  old.target = {7, 5, 0};
  CopyResult r = run_copy(old);
  CHECK(r.report.variant == "");
  CHECK(r.trial("ldgsts")->outcome == dispatch::Outcome::Rejected);
  CHECK(r.trial("ldgsts")->reason.find("sm_75") != std::string::npos);
  std::swap(good.src, good.dst);
  CHECK(run_copy(good).trial("ldgsts")->reason.find("global -> shared") != std::string::npos);
}

TEST_CASE("copy_async: an option that the chosen variant does not read (X1)") {
  CopyCase c = async(kThread, 1, ir::kFloat16, {G, {8, 64}}, {S, {8, 64}});
  c.config = [] {
    ir::Operand barrier;
    barrier.value = ir::make_var("mbar", ir::kHandle);
    return std::vector<ir::ConfigItem>{{"mbar", barrier}};
  };
  CopyResult r = run_copy(c);
  CHECK(r.report.variant == "ldgsts");
  const text::Diagnostic* d = r.diagnostics.find(dispatch::code::kIdleOption);
  REQUIRE(d);
  CHECK(d->message.find("`mbar`") != std::string::npos);
  CHECK(d->hint.find("dispatch=\"tma\"") != std::string::npos);
  c.forced = "ldgsts";
  CHECK_FALSE(run_copy(c).diagnostics.find(dispatch::code::kIdleOption));
}

TEST_CASE("copy_async: dsmem, the examples of 10.3") {
  const ir::DataType f16 = ir::kFloat16;
  check_chunks(remote_copy(f16, {S, {128, 64}}, {S, {128, 64}}), 16384, 1);
  check_chunks(remote_copy(f16, {S, {8, 256}, "", {{0, 8}, {0, 128}}}, {S, {8, 128}}), 256, 8);
  check_chunks(remote_copy(f16, {S, {64, 64}, "S[(64,64):(72,1)]"}, {S, {64, 64}, "S[(64,64):(72,1)]"}), 128, 64);
  check_chunks(remote_copy(f16, {S, {64, 64}, "Z(3,3,3)"}, {S, {64, 64}, "Z(3,3,3)"}), 8192, 1);
  const std::string two_atoms = "Z(3,3,3) S[(64,2,64):(64,4096,1)]";
  check_chunks(remote_copy(f16, {S, {64, 128}, two_atoms}, {S, {64, 128}, two_atoms}), 16384, 1);
  check_declined(remote_copy(f16, {S, {64, 128}, two_atoms}, {S, {64, 128}}), "dsmem", "keeps bytes in their order");
  check_declined(remote_copy(ir::kFloat32, {S, {16, 16}, "S[(16,16):(1,16)]"}, {S, {16, 16}}), "dsmem",
                 "chunk_bytes=4");
  check_chunks(remote_copy(ir::kFloat32, {S, {16, 64}, "", {{4, 8}, {0, 64}}}, {S, {4, 64}}), 1024, 1);
  check_chunks(remote_copy(f16, {S, {2, 16, 32}, "S[(2,16,32):(1024,32,1)]"}, {S, {2, 16, 32}}), 1024, 2);
  check_declined(remote_copy(ir::kUInt8, {S, {4, 12}}, {S, {4, 12}, "S[(4,12):(16,1)]"}), "dsmem", "chunk_bytes=12");
  check_declined(remote_copy(f16, {S, {8, 4}, "S[(8,4):(16,1)]"}, {S, {8, 4}}), "dsmem", "chunk_bytes=8");
  // Half a span: every chunk stays in one piece, in the half that the swizzle says.
  Side half{S, {64, 64}, "Z(3,3,3)", {{0, 64}, {0, 32}}};
  check_chunks(remote_copy(f16, half, half), 64, 64);
}

TEST_CASE("copy_async: dsmem keeps to 16 bytes and to one phase of the swizzle") {
  const ir::DataType f16 = ir::kFloat16;
  check_declined(remote_copy(f16, {S, {4, 64}, "", {{0, 4}, {4, 36}}}, {S, {4, 32}}), "dsmem", "multiple of 16 bytes");
  check_declined(remote_copy(f16, {S, {4, 32}, "S[(4,32):(36,1)]"}, {S, {4, 32}}), "dsmem", "72 bytes apart");
  Side low{S, {64, 64}, "Z(3,3,3)", {{0, 8}, {0, 64}}}, odd{S, {64, 64}, "Z(3,3,3)", {{4, 12}, {0, 64}}};
  check_declined(remote_copy(f16, low, odd), "dsmem", "period");
  Side high{S, {64, 64}, "Z(3,3,3)", {{8, 16}, {0, 64}}};
  check_chunks(remote_copy(f16, low, high), 1024, 1);
}

TEST_CASE("copy_async: dsmem names the option that is missing") {
  CopyCase c = remote_copy(ir::kFloat16, {S, {8, 64}}, {S, {8, 64}});
  c.config = nullptr;
  check_declined(c, "dsmem", "remote_cta_id");
  c.config = [] { return std::vector<ir::ConfigItem>{remote()[1]}; };
  check_declined(c, "dsmem", "mbar");
  c.config = remote;
  c.target = {8, 0, 0};
  CHECK(run_copy(c).trial("dsmem")->outcome == dispatch::Outcome::Rejected);
}
