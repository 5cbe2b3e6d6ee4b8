// tcgen05 in scripts: products by the descriptors that scripts encode, pairs of CTAs, scales that come by tcgen05.cp;
// and each wait, fence and barrier around tensor memory, taken out.
#include <cmath>
#include <random>

#include "compiler/simulate/tensor/matrix_operand.h"
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// A product of which each CTA has A's rows and its share of B's in the plain K-major layout: 8 x 16 bytes together,
// then the next 16 bytes of K, then the next eight rows. D comes back as the words of tensor memory, all lanes of each
// CTA.
struct Shape {
  const char *d = "float32", *a = "float16", *b = "float16", *scale = "";
  int m = 128, n = 64, k = 16, ctas = 1, a_bits = 16, b_bits = 16, per_scale = 0;
};

int bytes_of(int k, int bits) { return k * bits / 8; }

constexpr std::string_view kScript = R"(from tvm.script import tirx as T

@T.prim_func
def k(A_ptr: T.handle, B_ptr: T.handle, S_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (CTAS, A_BYTES), "uint8")
    B = T.match_buffer(B_ptr, (CTAS, B_BYTES), "uint8")
    S = T.match_buffer(S_ptr, (CTAS, 3, 512), "uint8")
    D = T.match_buffer(D_ptr, (CTAS, 128, COLUMNS), "uint32")
    T.device_entry()
    rank = T.cta_id_in_cluster([CTAS])
    T.cta_id([CTAS])
    warp = T.warp_id([4])
    tid = T.thread_id([128])
    a_smem = T.alloc_shared([A_BYTES], "uint8", align=1024)
    b_smem = T.alloc_shared([B_BYTES], "uint8", align=1024)
    s_smem = T.alloc_shared([1536], "uint8", align=128)
    address = T.alloc_shared([1], "uint32")
    done = T.alloc_shared([1], "uint64")
    kind = T.alloc_local((1,), "uint32")
    desc = T.alloc_local((3,), "uint64")
    r = T.alloc_local((8,), "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=512, cta_group=CTAS)
    if tid == 0:
        T.ptx.mbarrier.init(done.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    for i in T.serial(A_BYTES // 128):
        a_smem[i * 128 + tid] = A[rank, i * 128 + tid]
    for i in T.serial((B_BYTES + 127) // 128):
        if i * 128 + tid < B_BYTES:
            b_smem[i * 128 + tid] = B[rank, i * 128 + tid]
    for i in T.serial(12):
        s_smem[i * 128 + tid] = S[rank, i // 4, i % 4 * 128 + tid]
    T.ptx.fence.proxy_async()
    T.cuda.cta_sync()
    T.cuda.cluster_sync()
    for i in T.unroll(8):
        r[i] = T.uint32(0)
    for c in T.unroll(COLUMNS // 8):
        T.ptx.tcgen05.st(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], shape="32x32b", num=8, col=c * 8)
    T.ptx.tcgen05.wait.st()
    T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cta_sync()
    T.cuda.cluster_sync()
    if T.And(rank == 0, tid == 0):
        T.ptx.tcgen05.fence.after_thread_sync()
        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[0]), a_smem.ptr_to([0]), 8, A_STRIDE, 0)
        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[1]), b_smem.ptr_to([0]), 8, B_STRIDE, 0)
        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[2]), s_smem.ptr_to([0]), 8, 8, 0)
ISSUE
        T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=CTAS, cta_mask=MASK)
    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence.after_thread_sync()
    for c in T.unroll(COLUMNS // 8):
        T.ptx.tcgen05.ld(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], shape="32x32b", num=8, col=c * 8)
        T.ptx.tcgen05.wait.ld()
        for i in T.unroll(8):
            D[rank, tid, c * 8 + i] = r[i]
    T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cta_sync()
    T.cuda.cluster_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=CTAS)
        T.ptx.tcgen05.dealloc(address[0], n_cols=512, cta_group=CTAS)
)";
constexpr std::string_view kDense =
    R"(        T.ptx.tcgen05.encode_instr_descriptor(T.address_of(kind[0]), d_dtype="D_TYPE", a_dtype="A_TYPE", b_dtype="B_TYPE", M=ROWS, N=WIDTH, K=DEPTH, trans_a=False, trans_b=False, n_cta_groups=CTAS)
        T.ptx.tcgen05.mma(address[0], desc[0], desc[1], kind[0], d_dtype="D_TYPE", a_dtype="A_TYPE", b_dtype="B_TYPE", use_a_tmem=False, cta_group=CTAS))";
// Scales of A stand in four columns, those of B in up to eight.
constexpr std::string_view kScaled =
    R"(        T.ptx.tcgen05.cp(address[0], desc[2], shape="32x128b", multicast="warpx4", cta_group=CTAS, col=256)
        T.ptx.tcgen05.cp(address[0], desc[2] + T.uint64(32), shape="32x128b", multicast="warpx4", cta_group=CTAS, col=260)
        T.ptx.tcgen05.cp(address[0], desc[2] + T.uint64(64), shape="32x128b", multicast="warpx4", cta_group=CTAS, col=264)
        T.ptx.tcgen05.encode_instr_descriptor_block_scaled(T.address_of(kind[0]), d_dtype="D_TYPE", a_dtype="A_TYPE", b_dtype="B_TYPE", sfa_dtype="S_TYPE", sfb_dtype="S_TYPE", sfa_tmem_addr=0, sfb_tmem_addr=0, M=ROWS, N=WIDTH, K=DEPTH, trans_a=False, trans_b=False, n_cta_groups=CTAS)
        T.cuda.runtime_instr_desc(T.address_of(kind[0]), SCALE_ID)
        T.ptx.tcgen05.mma.block_scale(address[0], desc[0], desc[1], address[0] + T.uint32(256), address[0] + T.uint32(260), kind[0], d_dtype="D_TYPE", a_dtype="A_TYPE", b_dtype="B_TYPE", sfa_dtype="S_TYPE", sfb_dtype="S_TYPE", use_a_tmem=False, cta_group=CTAS))";

int columns_of(const Shape& s) { return s.ctas == 2 && s.m == 128 ? s.n / 2 : s.n; }

std::string product_script(const Shape& s, int scale_id = 0) {
  const int a_row = bytes_of(s.k, s.a_bits), b_row = bytes_of(s.k, s.b_bits);
  auto number = [](int n) { return std::to_string(n); };
  std::string out = replaced(std::string(kScript), "ISSUE", s.per_scale ? kScaled : kDense);
  for (auto [name, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"CTAS", number(s.ctas)},
                                                                  {"A_BYTES", number(s.m / s.ctas * a_row)},
                                                                  {"B_BYTES", number(s.n / s.ctas * b_row)},
                                                                  {"COLUMNS", number(columns_of(s))},
                                                                  {"A_STRIDE", number(a_row / 16 * 8)},
                                                                  {"B_STRIDE", number(b_row / 16 * 8)},
                                                                  {"MASK", s.ctas == 2 ? "3" : "0"},
                                                                  {"D_TYPE", s.d},
                                                                  {"A_TYPE", s.a},
                                                                  {"B_TYPE", s.b},
                                                                  {"S_TYPE", s.scale},
                                                                  {"ROWS", number(s.m)},
                                                                  {"WIDTH", number(s.n)},
                                                                  {"DEPTH", number(s.k)},
                                                                  {"SCALE_ID", number(scale_id)}})
    out = replaced(out, name, value);
  return out;
}

simulate::Element element_of(std::string_view type) {
  using enum simulate::Element;
  return type == "float16"         ? F16
         : type == "bfloat16"      ? BF16
         : type == "tf32"          ? TF32
         : type == "float8_e4m3fn" ? E4M3
         : type == "float8_e5m2"   ? E5M2
         : type == "float4_e2m1fn" ? E2M1
         : type == "int8"          ? S8
                                   : U8;
}

// Rows of codes: of bits that are numbers of a few binary places, so that sums of products are exact.
std::vector<std::uint32_t> codes(std::string_view type, int count, std::mt19937& random) {
  std::vector<std::uint32_t> out;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t any = static_cast<std::uint32_t>(random()), sign = any & 1;
    out.push_back(type == "float16"         ? sign << 15 | (15 + any / 2 % 3) << 10 | any / 64 % 4 << 8
                  : type == "bfloat16"      ? sign << 15 | (127 + any / 2 % 3) << 7 | any / 64 % 4 << 5
                  : type == "tf32"          ? sign << 31 | (127 + any / 2 % 3) << 23 | any / 64 % 4 << 21
                  : type == "float8_e4m3fn" ? sign << 7 | (48 + any / 2 % 24)
                  : type == "float8_e5m2"   ? sign << 7 | (56 + any / 2 % 12)
                  : type == "float4_e2m1fn" ? any % 16
                                            : any % 256);
  }
  return out;
}

simulate::Tensor bytes_tensor(const std::vector<std::uint8_t>& bytes) {
  simulate::Tensor t;
  t.bytes.resize(bytes.size());
  std::memcpy(t.bytes.data(), bytes.data(), bytes.size());
  t.defined = true;
  return t;
}

// The operand's bytes as the CTAs hold them.
std::vector<std::uint8_t> plain_layout(const std::vector<std::uint32_t>& codes, int rows, int k, int bits, int ctas) {
  const int row_bytes = bytes_of(k, bits), own = rows / ctas;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(rows * row_bytes));
  for (int r = 0; r < rows; ++r) {
    for (int b = 0; b < k * bits; ++b) {
      const std::uint32_t code = codes[static_cast<std::size_t>(r * k + b / bits)];
      const int byte = b / 8, in = r % own;
      const int at =
          r / own * own * row_bytes + in / 8 * (row_bytes / 16 * 128) + byte / 16 * 128 + in % 8 * 16 + byte % 16;
      out[static_cast<std::size_t>(at)] |= static_cast<std::uint8_t>((code >> b % bits & 1) << b % 8);
    }
  }
  return out;
}

void compare(const Shape& s, int scale_id, unsigned seed) {
  INFO(s.a << " by " << s.b << " " << s.m << " x " << s.n << " x " << s.k << ", " << s.ctas << " CTAs, id "
           << scale_id);
  std::mt19937 random(seed);
  Runs runs(product_script(s, scale_id), "sm_100a");
  const auto a = codes(s.a, s.m * s.k, random), b = codes(s.b, s.n * s.k, random);
  // Bytes of scales: of each CTA three blocks of 32 lanes by 4 columns of 4 bytes. B's are the same in both.
  std::vector<std::uint8_t> scales(static_cast<std::size_t>(s.ctas) * 1536);
  const bool powers = std::string_view(s.scale).find("e8m0") != std::string_view::npos;
  for (std::uint8_t& code : scales) code = static_cast<std::uint8_t>(powers ? 125 + random() % 5 : 48 + random() % 16);
  if (s.ctas == 2) std::copy_n(scales.begin() + 512, 1024, scales.begin() + 1536 + 512);
  simulate::Inputs inputs = runs.inputs(runs.kernels()[0], [](auto) { return 0; });
  inputs.tensors["A"] = bytes_tensor(plain_layout(a, s.m, s.k, s.a_bits, s.ctas));
  inputs.tensors["B"] = bytes_tensor(plain_layout(b, s.n, s.k, s.b_bits, s.ctas));
  inputs.tensors["S"] = bytes_tensor(scales);
  const bool folded = s.ctas == 2 && s.m == 128;
  // Of a row, its scale for an element: the CTA's block, the lane, the column of its 32 rows, the byte.
  auto scale = [&](int cta, int first, int row, int k) -> double {
    if (!s.per_scale) return 1;
    const int column = first + row / 32;
    const auto code = scales[static_cast<std::size_t>(cta * 1536 + column / 4 * 512 + row % 32 * 16 + column % 4 * 4 +
                                                      scale_id + k / s.per_scale)];
    return powers ? std::ldexp(1.0, code - 127)
                  : static_cast<double>(simulate::number_of(simulate::Element::E4M3, code));
  };
  for (const simulate::Options& options : {all_timings().front(), all_timings().back()}) {
    simulate::Result result = runs.run(runs.kernels()[0], inputs, options);
    INFO(said(result));
    REQUIRE(result.verdict == simulate::Verdict::Clean);
    const auto& d = result.tensors.at("D").bytes;
    int wrong = 0;
    const int own = s.m / s.ctas, half = s.n / 2, columns = columns_of(s);
    for (int m = 0; m < s.m; ++m) {
      for (int n = 0; n < s.n; ++n) {
        double sum = 0;
        for (int k = 0; k < s.k; ++k)
          sum += static_cast<double>(simulate::number_of(element_of(s.a), a[static_cast<std::size_t>(m * s.k + k)])) *
                 static_cast<double>(simulate::number_of(element_of(s.b), b[static_cast<std::size_t>(n * s.k + k)])) *
                 scale(m / own, 0, m % own, k) * scale(m / own, 4, folded ? n % half : n, k);
        const int lane = s.ctas == 1 && s.m == 64 ? m / 16 * 32 + m % 16 : m % own + (folded ? n / half * 64 : 0);
        const int at = (m / own * 128 + lane) * columns + (folded ? n % half : n);
        std::uint32_t word;
        std::memcpy(&word, d.data() + 4 * at, 4);
        const double got = std::string_view(s.d) == "int32" ? static_cast<double>(static_cast<std::int32_t>(word))
                           : std::string_view(s.d) == "float16"
                               ? static_cast<double>(simulate::number_of(simulate::Element::F16, word))
                               : static_cast<double>(__builtin_bit_cast(float, word));
        if (std::fabs(got - sum) > 1e-5 * std::fabs(sum) + 1e-3 && wrong++ == 0)
          UNSCOPED_INFO("D[" << m << ", " << n << "] is " << got << " instead of " << sum);
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("products of scripts, by one CTA and by pairs") {
  unsigned seed = 1;
  for (const Shape& s : std::initializer_list<Shape>{
           {},
           {.m = 64, .n = 24},
           {.a = "bfloat16", .b = "bfloat16", .m = 256, .n = 32, .ctas = 2},
           {.m = 128, .n = 64, .ctas = 2},
           {.a = "tf32", .b = "tf32", .n = 16, .k = 8, .a_bits = 32, .b_bits = 32},
           {.a = "float8_e4m3fn", .b = "float8_e5m2", .n = 256, .k = 32, .a_bits = 8, .b_bits = 8},
           {.d = "int32", .a = "int8", .b = "uint8", .n = 32, .k = 32, .a_bits = 8, .b_bits = 8},
           {.d = "int32", .a = "uint8", .b = "int8", .m = 256, .n = 64, .k = 32, .ctas = 2, .a_bits = 8, .b_bits = 8},
       })
    compare(s, 0, seed++);
}

TEST_CASE("block-scaled products of scripts, at random") {
  std::mt19937 random(3);
  for (int i = 0; i < 12; ++i) {
    const int format = static_cast<int>(random() % 3), ctas = 1 + static_cast<int>(random() % 2);
    Shape s{.m = ctas == 2 ? 128 << random() % 2 : 128, .ctas = ctas};
    s.n = (1 + static_cast<int>(random() % 8)) * 32;
    s.k = format == 0 ? 32 : 64;
    s.a_bits = s.b_bits = format == 0 ? 8 : 4;
    s.per_scale = format == 2 ? 16 : 32;
    s.a = format ? "float4_e2m1fn" : random() % 2 ? "float8_e4m3fn" : "float8_e5m2";
    s.b = format ? "float4_e2m1fn" : random() % 2 ? "float8_e4m3fn" : "float8_e5m2";
    s.scale = format == 2 ? "float8_e4m3fn" : "float8_e8m0fnu";
    const int id = format == 0 ? static_cast<int>(random() % 4) : format == 1 ? static_cast<int>(random() % 2) * 2 : 0;
    compare(s, id, static_cast<unsigned>(random()));
  }
}

namespace {

// Without the line that holds `call`, the n-th of them.
std::string without(std::string text, std::string_view call, int n = 0) {
  std::size_t at = text.find(call);
  for (; n > 0; --n) at = text.find(call, at + 1);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.rfind('\n', at) + 1, end = text.find('\n', at);
  const std::size_t indent = text.find_first_not_of(' ', begin) - begin;
  return text.replace(begin, end - begin, std::string(indent, ' ') + "pass");
}

// All findings of all timings, each once, with warnings: "TW5021 | line | message".
std::string findings(const std::string& text) {
  Runs runs(text, "sm_100a");
  simulate::Inputs inputs = runs.inputs(runs.kernels()[0], [](auto) { return 1; });
  for (auto& [name, tensor] : inputs.tensors) tensor.defined = tensor.defined || name == "B" || name == "S";
  std::string out;
  for (const simulate::Options& options : all_timings()) {
    for (const simulate::Finding& f : runs.run(runs.kernels()[0], inputs, options).findings) {
      const std::string line = std::string(f.code) + " | " + runs.line(f) + " | " + f.message + "\n";
      if (out.find(line) == std::string::npos) out += line;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("operands of a product beside its matrices") {
  // A is 1 in every element and B is 1 at K = 0, so that D is 1; before, D holds 1, too.
  const std::string plain = replaced(product_script({}), "r[i] = T.uint32(0)", "r[i] = T.uint32(0x3f800000)");
  auto d = [](const std::string& text, int lane, int column) {
    Runs runs(text, "sm_100a");
    simulate::Inputs inputs = runs.inputs(runs.kernels()[0], [](auto) { return 0; });
    const std::vector<std::uint32_t> ones(128 * 16, 0x3c00);
    std::vector<std::uint32_t> b(64 * 16);
    for (std::size_t n = 0; n < 64; ++n) b[n * 16] = 0x3c00;
    inputs.tensors["A"] = bytes_tensor(plain_layout(ones, 128, 16, 16, 1));
    inputs.tensors["B"] = bytes_tensor(plain_layout(b, 64, 16, 16, 1));
    inputs.tensors["S"] = bytes_tensor(std::vector<std::uint8_t>(1536));
    simulate::Result r = runs.run(runs.kernels()[0], inputs);
    INFO(said(r));
    REQUIRE(r.verdict == simulate::Verdict::Clean);
    float out;
    std::memcpy(&out, r.tensors.at("D").bytes.data() + 4 * (lane * 64 + column), sizeof out);
    return out;
  };
  CHECK(d(plain, 35, 7) == 2);
  const std::string disabled =
      replaced(plain, "kind[0], d_dtype", "kind[0], T.uint32(0), T.uint32(8), T.uint32(0), T.uint32(0), d_dtype");
  CHECK(d(disabled, 35, 7) == 1);
  CHECK(d(disabled, 36, 7) == 2);
  CHECK(d(replaced(plain, "cta_group=1)\n        T.ptx.tcgen05.commit",
                   "cta_group=1, scale_input_d=2)\n        T.ptx.tcgen05.commit"),
          0, 0) == 1.25f);
  CHECK(d(replaced(plain, "cta_group=1)\n        T.ptx.tcgen05.commit",
                   "cta_group=1, enable_input_d=0)\n        T.ptx.tcgen05.commit"),
          0, 0) == 1);
  CHECK(d(replaced(plain, "cta_group=1)\n        T.ptx.tcgen05.commit",
                   "cta_group=1, pred=0)\n        T.ptx.tcgen05.commit"),
          0, 0) == 1);
  // Read as MN-major, eight columns of N make a row of 16 bytes: the bytes of K = 0 are then columns 0, 8, 16, ...
  std::string across = replaced(plain, "M=128, N=64, K=16, trans_a=False, trans_b=False",
                                "M=128, N=64, K=16, trans_a=False, trans_b=True");
  across = replaced(across, "b_smem.ptr_to([0]), 8, 16, 0", "b_smem.ptr_to([0]), 64, 8, 0");
  // Byte (n, k): n / 8 * 128 + k mod 8 * 16 + k / 8 * 1024 + n mod 8 * 2. A one stands at every 16 bytes of the even
  // 128 bytes: N = 0, 16, 32, 48 have all of their 16 ones along K, the others none.
  CHECK(d(across, 3, 0) == 17);
  CHECK(d(across, 3, 1) == 1);
  CHECK(d(across, 3, 8) == 1);
  CHECK(d(across, 3, 48) == 17);
}

TEST_CASE("waits and fences around tensor memory, each taken out") {
  const std::string good = product_script({});
  CHECK(findings(good).empty());
  SECTION("stores that no wait covers") {
    CHECK_THAT(findings(without(good, "wait.st")), ContainsSubstring("TW5021 | T.ptx.tcgen05.mma(") &&
                                                       ContainsSubstring("the tcgen05.st of thread") &&
                                                       ContainsSubstring("no wait covers it"));
  }
  SECTION("no fence before the barrier") {
    CHECK_THAT(findings(without(good, "fence.before")),
               ContainsSubstring("TW5030 | T.ptx.tcgen05.mma(") &&
                   ContainsSubstring("no tcgen05.fence.before_thread_sync() stands between"));
  }
  SECTION("no fence behind the barrier, before the product") {
    CHECK_THAT(findings(without(good, "fence.after")),
               ContainsSubstring("TW5030 | T.ptx.tcgen05.mma(") &&
                   ContainsSubstring("no tcgen05.fence.after_thread_sync() stands between"));
  }
  SECTION("no fence behind the barrier, before the loads") {
    CHECK_THAT(findings(without(good, "fence.after", 1)), ContainsSubstring("TW5030 | T.ptx.tcgen05.ld("));
  }
  SECTION("a kernel that does without fences, or with those of one side, relies on its barriers") {
    std::string none = good;
    for (int n = 0; n < 2; ++n) none = without(none, "fence.after");
    CHECK(findings(none).empty());
    for (int n = 0; n < 2; ++n) none = without(none, "fence.before");
    CHECK(findings(none).empty());
    CHECK_THAT(findings(without(none, "wait.st")), ContainsSubstring("TW5021 | T.ptx.tcgen05.mma("));
  }
  SECTION("no barrier between stores and the product") {
    CHECK_THAT(findings(without(without(good, "cta_sync", 1), "cluster_sync", 1)),
               ContainsSubstring("TW5020 | T.ptx.tcgen05.mma(") && ContainsSubstring("nothing orders the two"));
  }
  SECTION("no wait for the product") {
    CHECK_THAT(findings(without(good, "try_wait")),
               ContainsSubstring("| T.ptx.tcgen05.ld(") && ContainsSubstring("the tcgen05 operation of thread 0"));
  }
  SECTION("a pair of lines is told once, and not again where the loaded registers are used") {
    Runs runs(without(good, "try_wait"), "sm_100a");
    simulate::Inputs inputs = runs.inputs(runs.kernels()[0], [](auto) { return 1; });
    for (auto& [name, tensor] : inputs.tensors) tensor.defined = true;
    for (simulate::Options options : all_timings()) {
      options.races = true;
      int loads = 0;
      for (const simulate::Finding& f : runs.run(runs.kernels()[0], inputs, options).findings) {
        CHECK(f.code != "TW5002");
        loads += runs.line(f).starts_with("T.ptx.tcgen05.ld(");
      }
      CHECK(loads == 1);
    }
  }
  SECTION("no commit") { CHECK_THAT(findings(without(good, "commit(")), ContainsSubstring("TW5004")); }
  SECTION("no proxy fence between ordinary writes and the product") {
    CHECK_THAT(findings(without(good, "proxy_async")), ContainsSubstring("TW5022 | T.ptx.tcgen05.mma("));
  }
  SECTION("shared memory overwritten under a product") {
    std::string early = replaced(good, "    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)\n",
                                 "    a_smem[tid] = T.uint8(0)\n    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)\n");
    CHECK_THAT(findings(early), ContainsSubstring("| a_smem[tid] = T.uint8(0)"));
  }
  SECTION("registers before the wait are a true dependency, the columns that are given back are not") {
    CHECK_THAT(findings(without(good, "wait.ld")),
               ContainsSubstring("TW5021 | T.ptx.tcgen05.dealloc(") && !ContainsSubstring("TW5002"));
  }
  SECTION("columns given back while others load them") {
    const std::string text = without(without(good, "cta_sync", 2), "cluster_sync", 2);
    CHECK_THAT(findings(text),
               ContainsSubstring("| T.ptx.tcgen05.dealloc(") &&
                   ContainsSubstring("gives back columns of tensor memory that the tcgen05.ld of thread"));
  }
  SECTION("a product onto what was never written") {
    const std::string text = without(replaced(good, "wait.st()", "wait.ld()"), "tcgen05.st(");
    CHECK_THAT(findings(text), ContainsSubstring("TW5002 | T.ptx.tcgen05.mma(") &&
                                   ContainsSubstring("reads D, of which nothing was written by then"));
  }
  SECTION("columns that are not allocated") {
    CHECK_THAT(findings(replaced(good, "n_cols=512", "n_cols=32")),
               ContainsSubstring("TW5017") && ContainsSubstring("column 32 of tensor memory"));
  }
  SECTION("used after it was given back") {
    const std::string text =
        good +
        "        T.ptx.tcgen05.mma(address[0], desc[0], desc[1], kind[0], d_dtype=\"float32\", a_dtype=\"float16\", "
        "b_dtype=\"float16\", use_a_tmem=False, cta_group=1)\n";
    CHECK_THAT(findings(text), ContainsSubstring("TW5017 | T.ptx.tcgen05.mma("));
  }
}

TEST_CASE("pairs of CTAs: waits and barriers of both") {
  const std::string good = product_script({.m = 256, .n = 64, .ctas = 2});
  CHECK(findings(good).empty());
  SECTION("the other CTA's stores") {
    CHECK_THAT(findings(without(good, "cluster_sync", 1)), ContainsSubstring("TW5020 | T.ptx.tcgen05.mma(") &&
                                                               ContainsSubstring("thread 0 of CTA 1 of the cluster"));
  }
  SECTION("the other CTA's shared memory") {
    const std::string text = without(without(good, "cluster_sync", 0), "cluster_sync", 0);
    CHECK_THAT(findings(text), ContainsSubstring("| T.ptx.tcgen05.mma("));
  }
  SECTION("a commit that tells one CTA only") {
    CHECK_THAT(findings(replaced(good, "cta_mask=3", "cta_mask=1")), ContainsSubstring("TW5004"));
  }
  SECTION("no second CTA") {
    const std::string alone = replaced(good, "rank = T.cta_id_in_cluster([2])\n    T.cta_id([2])",
                                       "rank = T.cta_id_in_cluster([1])\n    T.cta_id([2])");
    CHECK_THAT(findings(alone), ContainsSubstring("cta_group 2 works in a pair of CTAs"));
  }
}

namespace {

// Tensor memory through one warpgroup: A's bytes in shared memory, `issue` by thread 0, then 8 columns of all lanes.
std::string moved(std::string_view issue) {
  std::string text = R"(from tvm.script import tirx as T

@T.prim_func
def k(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (4096,), "uint8")
    B = T.match_buffer(B_ptr, (128, 8), "uint32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tid = T.thread_id([128])
    tile = T.alloc_shared([4096], "uint8", align=1024)
    address = T.alloc_shared([1], "uint32")
    done = T.alloc_shared([1], "uint64")
    desc = T.alloc_local((1,), "uint64")
    r = T.alloc_local((8,), "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32)
    if tid == 0:
        T.ptx.mbarrier.init(done.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    for i in T.serial(32):
        tile[i * 128 + tid] = A[i * 128 + tid]
    T.ptx.fence.proxy_async()
    T.cuda.cta_sync()
    for i in T.unroll(8):
        r[i] = T.cast(tid * 16 + i, "uint32")
    T.ptx.tcgen05.st(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], shape="32x32b", num=8)
    T.ptx.tcgen05.wait.st()
    T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.tcgen05.fence.after_thread_sync()
        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[0]), tile.ptr_to([0]), 8, 16, 0)
ISSUE
        T.ptx.tcgen05.commit(done.ptr_to([0]))
    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
    T.ptx.tcgen05.fence.after_thread_sync()
    T.ptx.tcgen05.ld(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], shape="32x32b", num=8)
    T.ptx.tcgen05.wait.ld()
    for i in T.unroll(8):
        B[tid, i] = r[i]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.dealloc(address[0], n_cols=32)
)";
  return replaced(text, "ISSUE", issue);
}
// Its result with A's byte i being i * 7 mod 251; the word of lane and column.
Numbers words(std::string_view issue) {
  Runs runs(moved(issue), "sm_100a");
  simulate::Inputs inputs = runs.inputs(runs.kernels()[0], [](auto i) { return static_cast<double>(i * 7 % 251); });
  Numbers out;
  for (const simulate::Options& options : all_timings()) {
    simulate::Result r = runs.run(runs.kernels()[0], inputs, options);
    INFO(said(r));
    REQUIRE(r.verdict == simulate::Verdict::Clean);
    out = numbers(r.tensors.at("B"), ir::DataType{ir::TypeCode::UInt, 32, 1});
  }
  out.shape = {128, 8};
  return out;
}

// The word of four bytes from `at` on; `change` is what becomes of a byte.
std::uint32_t source(std::int64_t at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>((at + i) * 7 % 251) << 8 * i;
  return word;
}
// In the plain layout whose rows have 32 bytes.
std::int64_t plain(int row, int byte) { return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16; }

}  // namespace

TEST_CASE("tcgen05.cp: shapes, multicasts, packed elements") {
  SECTION("all lanes, 32 bytes") {
    Numbers b = words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"128x256b\")");
    for (int lane = 0; lane < 128; ++lane)
      for (int c = 0; c < 8; ++c) CHECK(b({lane, c}) == source(plain(lane, 4 * c)));
  }
  SECTION("one lane of each warp") {
    Numbers b = words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"4x256b\", row=31)");
    for (int q = 0; q < 4; ++q)
      for (int c = 0; c < 8; ++c) CHECK(b({32 * q + 31, c}) == source(plain(q, 4 * c)));
    CHECK(b({30, 1}) == 30 * 16 + 1);
  }
  SECTION("64 rows for two warps each") {
    Numbers b = words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"64x128b\", multicast=\"warpx2::02_13\")");
    Numbers c = words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"64x128b\", multicast=\"warpx2::01_23\")");
    for (int lane = 0; lane < 128; ++lane) {
      CHECK(b({lane, 3}) == source(plain(lane % 64, 12)));
      CHECK(c({lane, 3}) == source(plain(lane / 64 * 32 + lane % 32, 12)));
    }
    CHECK(b({5, 4}) == 5 * 16 + 4);
  }
  SECTION("4-bit elements in the middle of bytes") {
    Numbers b =
        words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"128x128b\", decompress=\"b8x16.b4x16_p64\")");
    for (int c = 0; c < 4; ++c) {
      std::uint32_t word = 0;
      for (int i = 0; i < 4; ++i) {
        const int element = 4 * c + i;
        const std::uint32_t byte = source(plain(9, element / 2)) & 0xff;
        word |= (byte >> element % 2 * 4 & 15) << (8 * i + 2);
      }
      CHECK(b({9, c}) == word);
    }
  }
  SECTION("6-bit elements at the lower end of bytes") {
    Numbers b =
        words("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"128x128b\", decompress=\"b8x16.b6x16_p32\")");
    for (int c = 0; c < 4; ++c) {
      std::uint32_t word = 0;
      for (int i = 0; i < 4; ++i) {
        const int bit = (4 * c + i) * 6;
        const std::uint32_t two = source(plain(77, bit / 8)) & 0xffff;
        word |= (two >> bit % 8 & 63) << 8 * i;
      }
      CHECK(b({77, c}) == word);
    }
  }
  SECTION("a lane that is none of its own") {
    CHECK_THAT(finding_of(moved("        T.ptx.tcgen05.cp(address[0], desc[0], shape=\"128x256b\", row=1)"),
                          simulate::Timing::Latest, "sm_100a"),
               ContainsSubstring("TW5017") && ContainsSubstring("tcgen05.cp starts at lane 0, not at lane 1"));
  }
}

TEST_CASE("tcgen05.shift moves a warp's lanes down by one") {
  Numbers b = words("        T.ptx.tcgen05.shift(address[0] + T.uint32(32 << 16))");
  CHECK(b({31, 2}) == 31 * 16 + 2);
  CHECK(b({32, 2}) == 32 * 16 + 2);
  CHECK(b({33, 2}) == 32 * 16 + 2);
  CHECK(b({63, 7}) == 62 * 16 + 7);
  CHECK(b({64, 7}) == 64 * 16 + 7);
}

TEST_CASE("descriptors that tcgen05 refuses") {
  CHECK_THAT(finding_of(moved("        T.ptx.tcgen05.cp(address[0], T.uint64(0), shape=\"128x256b\")"),
                        simulate::Timing::Latest, "sm_100a"),
             ContainsSubstring("TW5015") && ContainsSubstring("bits 46 to 48"));
  const std::string mixed = replaced(product_script({}), "kind[0], d_dtype", "T.uint32(0), d_dtype");
  CHECK_THAT(findings(mixed),
             ContainsSubstring("TW5015 | T.ptx.tcgen05.mma(") && ContainsSubstring("is not possible with cta_group 1"));
}

namespace {

// Two products, the second of which reads the first one's result from tensor memory, where a warpgroup has changed it:
// as attention does. B = 2 (A A^T) A, with A (128, 16) of tf32 in the plain K-major layout and also transposed.
constexpr std::string_view kChained = R"(from tvm.script import tirx as T

@T.prim_func
def k(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 16), "float32")
    B = T.match_buffer(B_ptr, (128, 16), "float32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([8])
    tid = T.thread_id([256])
    lane = T.lane_id([32])
    rows = T.alloc_shared([2048], "float32", align=1024)
    across = T.alloc_shared([2048], "float32", align=1024)
    address = T.alloc_shared([1], "uint32")
    scores = T.alloc_shared([1], "uint64")
    changed = T.alloc_shared([1], "uint64")
    result = T.alloc_shared([1], "uint64")
    r = T.alloc_local((16,), "float32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=256)
    if tid == 0:
        T.ptx.mbarrier.init(scores.ptr_to([0]), 1)
        T.ptx.mbarrier.init(changed.ptr_to([0]), 128)
        T.ptx.mbarrier.init(result.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    if tid < 128:
        for k in T.unroll(16):
            rows[tid // 8 * 128 + k // 4 * 32 + tid % 8 * 4 + k % 4] = A[tid, k]
            across[k // 8 * 1024 + tid // 4 * 32 + k % 8 * 4 + tid % 4] = A[tid, k]
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if warp == 4:
        if lane == 0:
            desc = T.alloc_local((3,), "uint64")
            kind = T.alloc_local((2,), "uint32")
            T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[0]), rows.ptr_to([0]), 8, 32, 0)
            T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(desc[1]), across.ptr_to([0]), 8, 256, 0)
            T.ptx.tcgen05.encode_instr_descriptor(T.address_of(kind[0]), d_dtype="float32", a_dtype="tf32", b_dtype="tf32", M=128, N=128, K=8, trans_a=False, trans_b=False)
            T.ptx.tcgen05.encode_instr_descriptor(T.address_of(kind[1]), d_dtype="float32", a_dtype="tf32", b_dtype="tf32", M=128, N=16, K=8, trans_a=False, trans_b=False)
            for k in T.unroll(2):
                T.ptx.tcgen05.mma(address[0], desc[0] + T.uint64(k * 16), desc[0] + T.uint64(k * 16), kind[0], d_dtype="float32", a_dtype="tf32", b_dtype="tf32", use_a_tmem=False, cta_group=1, enable_input_d=k)
            T.ptx.tcgen05.commit(scores.ptr_to([0]))
            T.ptx.mbarrier.try_wait(changed.ptr_to([0]), 0)
            T.ptx.tcgen05.fence.after_thread_sync()
            for k in T.unroll(16):
                T.ptx.tcgen05.mma(address[0] + T.uint32(128), address[0] + T.uint32(k * 8), desc[1] + T.uint64(k * 16), kind[1], d_dtype="float32", a_dtype="tf32", b_dtype="tf32", use_a_tmem=True, cta_group=1, enable_input_d=T.Or(k > 0, False))
            T.ptx.tcgen05.commit(result.ptr_to([0]))
    if warp < 4:
        T.ptx.mbarrier.try_wait(scores.ptr_to([0]), 0)
        T.ptx.tcgen05.fence.after_thread_sync()
        for c in T.unroll(8):
            T.ptx.tcgen05.ld(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14], r[15], shape="32x32b", num=16, col=c * 16)
            T.ptx.tcgen05.wait.ld()
            for i in T.unroll(16):
                r[i] = r[i] * T.float32(2)
            T.ptx.tcgen05.st(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14], r[15], shape="32x32b", num=16, col=c * 16)
        T.ptx.tcgen05.wait.st()
        T.ptx.tcgen05.fence.before_thread_sync()
        T.ptx.mbarrier.arrive(changed.ptr_to([0]))
        T.ptx.mbarrier.try_wait(result.ptr_to([0]), 0)
        T.ptx.tcgen05.fence.after_thread_sync()
        T.ptx.tcgen05.ld(address[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14], r[15], shape="32x32b", num=16, col=128)
        T.ptx.tcgen05.wait.ld()
        for i in T.unroll(16):
            B[tid, i] = r[i]
        T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.dealloc(address[0], n_cols=256)
)";

}  // namespace

TEST_CASE("a product of what threads have changed in tensor memory") {
  const std::string good(kChained);
  auto a = [](std::int64_t i) { return static_cast<double>(i * 5 % 7 - 3); };
  Runs runs(good, "sm_100a");
  const simulate::Inputs inputs = runs.inputs(runs.kernels()[0], a);
  for (const simulate::Options& options : all_timings()) {
    simulate::Result result = runs.run(runs.kernels()[0], inputs, options);
    INFO(said(result));
    REQUIRE(result.verdict == simulate::Verdict::Clean);
    Numbers b = numbers(result.tensors.at("B"), ir::kFloat32);
    b.shape = {128, 16};
    int wrong = 0;
    for (int m = 0; m < 128; ++m) {
      for (int n = 0; n < 16; ++n) {
        double sum = 0;
        for (int j = 0; j < 128; ++j) {
          double score = 0;
          for (int k = 0; k < 16; ++k) score += a(m * 16 + k) * a(j * 16 + k);
          sum += 2 * score * a(j * 16 + n);
        }
        wrong += b({m, n}) != sum;
      }
    }
    CHECK(wrong == 0);
  }
  SECTION("stores that no wait covers") {
    CHECK_THAT(findings(without(good, "wait.st")), ContainsSubstring("TW5021 | T.ptx.tcgen05.mma("));
  }
  SECTION("loads that no wait covers") {
    CHECK_THAT(findings(without(good, "wait.ld")), ContainsSubstring("TW5021") && !ContainsSubstring("TW5002"));
  }
  SECTION("no fence before the arrival") {
    CHECK_THAT(findings(without(good, "fence.before")), ContainsSubstring("TW5030 | T.ptx.tcgen05.mma("));
  }
  SECTION("no fence behind the wait, for stores onto what a product has read") {
    CHECK_THAT(findings(without(good, "fence.after", 1)), ContainsSubstring("TW5030 | T.ptx.tcgen05.ld("));
  }
  SECTION("no wait for the changed scores") {
    CHECK_THAT(
        findings(without(good, "try_wait(changed")),
        ContainsSubstring("the tcgen05.st of thread 0 writes column 0 of tensor memory in lanes 0 to 15, which the "
                          "tcgen05 operation of thread 128 reads"));
  }
}
