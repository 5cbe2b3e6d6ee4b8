// What the host does for a kernel: attributes of the launch, and tensor maps that the script itself encodes.
#include "compiler/cuda/host.h"
#include "compiler/session/compile.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

// A kernel with these lines before and behind T.device_entry().
session::Compiled compile_kernel(const std::string& host, const std::string& device) {
  std::string text = R"(from tvm.script import tirx as T

@T.prim_func
def kernel(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (64, 32), "int32")
    B = T.match_buffer(b, (64, 32), "int32")
)";
  auto add = [&](const std::string& lines) {
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      text += "    " + lines.substr(at, end - at) + "\n";
      at = end + 1;
    }
  };
  add(host);
  add("T.device_entry()\nT.cta_id([2])\ntid = T.thread_id([32])");
  add(device);
  auto source = std::make_shared<text::Source>("kernel.py", std::move(text));
  return session::compile(syntax::Tree::parse(source), nullptr, {}, {});
}

const lower::LaunchPlan& plan_of(const session::Compiled& c) {
  for (const text::Diagnostic& d : c.diagnostics) INFO(d.message);
  REQUIRE(c.kernels.size() == 1);
  REQUIRE(c.kernels[0].lowered);
  return c.kernels[0].lowered->plan;
}

std::string first_message(const session::Compiled& c) {
  return c.diagnostics.empty() ? "" : std::string(c.diagnostics[0].code) + " " + c.diagnostics[0].message;
}

const std::string kMap = "m: T.let[T.handle(\"tensormap\")] = T.tvm_stack_alloca(\"tensormap\", 1)\n";
std::string encode(const std::string& arguments) {
  return "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", " + arguments + ")\n";
}
const std::string kUse =
    "bar = T.alloc_shared([1], \"uint64\")\ns = T.alloc_shared([8, 32], \"int32\")\n"
    "T.ptx.cp_async.bulk.tensor.g2c(2, s.ptr_to([0, 0]), bar.ptr_to([0]), T.address_of(m), 0, 1, \"\", -4, 60)";

}  // namespace

TEST_CASE("launch attributes come from the script, and from a sync of the grid") {
  const std::string store = "B[0, tid] = A[0, tid]";
  CHECK(!plan_of(compile_kernel("", store)).cooperative);
  CHECK(!plan_of(compile_kernel("", store)).programmatic_dependent_launch);
  CHECK(plan_of(compile_kernel("", store + "\nT.cuda.grid_sync()")).cooperative);
  CHECK(plan_of(compile_kernel("T.func_attr({\"tirx.use_cooperative_launch\": True})", store)).cooperative);
  CHECK(plan_of(compile_kernel("T.func_attr({\"tirx.use_programmatic_dependent_launch\": True})", store))
            .programmatic_dependent_launch);
  // As the reference's runtime spells it.
  CHECK(plan_of(compile_kernel("T.func_attr({\"tirx.use_programtic_dependent_launch\": True})", store))
            .programmatic_dependent_launch);
}

TEST_CASE("a tensor map that the host part encodes stands in the plan") {
  auto c =
      compile_kernel(kMap + encode("m, \"int32\", 2, A.ptr_to([1, 4]), 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 0"), kUse);
  const lower::LaunchPlan& plan = plan_of(c);
  CHECK(c.diagnostics.empty());
  REQUIRE(plan.tensor_maps.size() == 1);
  const dispatch::TensorMap& map = plan.tensor_maps[0];
  CHECK(map.var->name == "m");
  CHECK(map.tensor->name == "A");
  CHECK(ir::constant(map.byte_offset) != nullptr);
  CHECK(*ir::constant(map.byte_offset) == 144);
  CHECK(map.dtype == "int32");
  CHECK(*ir::constant(map.dims[1]) == 64);
  CHECK(*ir::constant(map.strides.at(0)) == 128);
  CHECK(map.box == std::vector<std::int64_t>{32, 8});
  CHECK(map.element_strides == std::vector<std::int64_t>{1, 1});
  CHECK(map.swizzle == 3);
  CHECK(map.l2_promotion == 2);
  REQUIRE(plan.params.size() == 1);
  CHECK(plan.params[0].kind == lower::ParamKind::TensorMap);
  CHECK(plan.params[0].var == map.var);
}

TEST_CASE("tensor maps reach the kernel in the three ways of the CUDA guide") {
  struct Way {
    const char* place;
    std::size_t params;
    // In the kernel's text, and in the launchers for the driver and the runtime.
    std::vector<const char*> cuda, driver, runtime;
  };
  const Way kWays[] = {
      {"parameter", 1, {"const __grid_constant__ CUtensorMap m"}, {"{&m}"}, {"{&m}"}},
      {"constant",
       0,
       {"__constant__ CUtensorMap kernel_kernel_m;", "kernel_kernel(", "&kernel_kernel_m"},
       {"CUmodule module", "cuModuleGetGlobal(&m_variable, nullptr, module, \"kernel_kernel_m\")",
        "cuMemcpyHtoDAsync(m_variable, &m, sizeof m, stream)"},
       {"cudaMemcpyToSymbolAsync(static_cast<const void*>(&kernel_kernel_m), &m, sizeof m, 0, cudaMemcpyHostToDevice, "
        "stream)"}},
      {"global",
       1,
       {"const CUtensorMap* m", "fence.proxy.tensormap::generic.acquire.sys", "&*m"},
       {"CUdeviceptr m_memory", "cuMemcpyHtoDAsync(m_memory, &m, sizeof m, stream)", "{&m_memory}"},
       {"CUtensorMap* m_memory", "cudaMemcpyAsync(m_memory, &m, sizeof m, cudaMemcpyHostToDevice, stream)"}}};
  const std::string host = kMap + encode("m, \"int32\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 0");
  for (const Way& way : kWays) {
    auto c =
        compile_kernel("T.func_attr({\"tilewright.tensor_maps\": \"" + std::string(way.place) + "\"})\n" + host, kUse);
    const lower::LaunchPlan& plan = plan_of(c);
    INFO(way.place);
    CHECK(c.diagnostics.empty());
    CHECK(lower::map_place_word(plan.map_place) == way.place);
    CHECK(plan.params.size() == way.params);
    auto holds = [](const std::string& text, const std::vector<const char*>& parts) {
      for (const char* part : parts) {
        INFO(part << " in\n" << text);
        CHECK(text.find(part) != std::string::npos);
      }
    };
    REQUIRE(c.kernels[0].cuda);
    holds(c.kernels[0].cuda->text, way.cuda);
    auto driver = cuda::host_launcher(*c.kernels[0].lowered, cuda::HostApi::Driver);
    auto runtime = cuda::host_launcher(*c.kernels[0].lowered, cuda::HostApi::Runtime);
    REQUIRE(driver);
    REQUIRE(runtime);
    holds(*driver, way.driver);
    holds(*runtime, way.runtime);
    // It follows the kernel's text in one file, where nvcc takes this for a second variable.
    CHECK(runtime->find("extern __constant__") == std::string::npos);
  }
  auto wrong = compile_kernel("T.func_attr({\"tilewright.tensor_maps\": \"texture\"})\n" + host, kUse);
  CHECK(first_message(wrong).starts_with("TW4016 the attribute tilewright.tensor_maps is"));
}

TEST_CASE("encode calls that the driver would refuse are refused here") {
  auto said = [](const std::string& arguments) {
    return first_message(compile_kernel(kMap + encode(arguments), kUse));
  };
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 3, 2").find("TW4015") == 0);
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 128, 32, 257, 1, 1, 0, 3, 2, 0").find("is 257; it must be 1 to 256") !=
        std::string::npos);
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 120, 32, 8, 1, 1, 0, 3, 2, 0").find("steps of 16") != std::string::npos);
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 128, 3, 8, 1, 1, 0, 0, 2, 0").find("12 bytes") != std::string::npos);
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 1, 2, 0").find("more than the 32") !=
        std::string::npos);
  CHECK(said("m, \"int32\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 1").find("NaN fill") != std::string::npos);
  CHECK(said("m, \"int16\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 0").find("no element type 'int16'") !=
        std::string::npos);
  CHECK(said("m, \"int32\", 2, A.ptr_to([0, 1]), 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 0").find("multiple of 16 bytes") !=
        std::string::npos);
  CHECK(first_message(compile_kernel(kMap, kUse)).find("never encoded") != std::string::npos);
  const std::string good = "m, \"int32\", 2, A.data, 32, 64, 128, 32, 8, 1, 1, 0, 3, 2, 0";
  CHECK(first_message(compile_kernel(kMap + encode(good) + encode(good), kUse)).find("encoded twice") !=
        std::string::npos);
}
