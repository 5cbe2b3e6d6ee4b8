#include "tests/simulate/runs.h"

#include "compiler/expr/analyzer.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::testing {

Numbers numbers(const simulate::Tensor& tensor, ir::DataType dtype) {
  Numbers out{tensor.shape, {}, dtype};
  const auto width = static_cast<std::size_t>(dtype.storage_bits() / 8);
  for (std::size_t at = 0; at + width <= tensor.bytes.size(); at += width) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, tensor.bytes.data() + at, width);
    const std::uint64_t value = simulate::from_bits(raw, dtype);
    if (dtype.is_floating()) {
      out.values.push_back(dtype.bits == 64 ? std::bit_cast<double>(value)
                                            : std::bit_cast<float>(static_cast<std::uint32_t>(value)));
    } else {
      out.values.push_back(static_cast<double>(static_cast<std::int64_t>(value)));
    }
  }
  return out;
}

simulate::Tensor tensor_of(const Numbers& n) {
  simulate::Tensor out;
  out.shape = n.shape;
  const auto width = static_cast<std::size_t>(n.dtype.storage_bits() / 8);
  out.bytes.resize(n.values.size() * width);
  for (std::size_t i = 0; i < n.values.size(); ++i) {
    std::uint64_t value = static_cast<std::uint64_t>(static_cast<std::int64_t>(n.values[i]));
    if (n.dtype.is_floating())
      value = n.dtype.bits == 64 ? std::bit_cast<std::uint64_t>(n.values[i])
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(n.values[i]));
    const std::uint64_t raw = simulate::to_bits(value, n.dtype);
    std::memcpy(out.bytes.data() + i * width, &raw, width);
  }
  return out;
}

Runs::Runs(const std::string& text, std::string_view arch, const std::string& path)
    : source_(std::make_shared<text::Source>(path, text)) {
  session::CompileOptions options;
  options.target = *ir::parse_target(arch);
  options.stage = session::Stage::Lower;
  compiled_ = session::compile(syntax::Tree::parse(source_), nullptr, {}, options);
  std::string errors;
  for (const text::Diagnostic& d : compiled_.diagnostics)
    if (d.severity == text::Severity::Error)
      errors += std::string(d.code) + ": " + d.message + " at `" + line(d.span) + "`\n";
  INFO(path << " for " << std::string(arch) << "\n" << errors);
  REQUIRE(errors.empty());
  for (const session::CompiledKernel& k : compiled_.kernels) {
    REQUIRE(k.lowered);
    kernels_.push_back({std::string(k.value->kernel.name), &k});
  }
  REQUIRE_FALSE(kernels_.empty());
}

const ir::Buffer* Runs::tensor(const Kernel& kernel, std::string_view name) const {
  for (const ir::Param& p : kernel.compiled->value->kernel.params)
    if (p.buffer && p.buffer->name == name) return p.buffer;
  return nullptr;
}

simulate::Inputs Runs::inputs(const Kernel& kernel, const std::function<double(std::int64_t)>& fill) const {
  simulate::Inputs out;
  for (const ir::Param& p : kernel.compiled->value->kernel.params) {
    if (!p.buffer) continue;
    Numbers n{{}, {}, p.buffer->dtype};
    std::int64_t count = 1;
    for (ir::Expr e : p.buffer->shape) {
      const std::int64_t* extent = ir::constant(e);
      REQUIRE(extent);
      n.shape.push_back(*extent);
      count *= *extent;
    }
    const bool given = p.buffer->name == "A";
    for (std::int64_t i = 0; i < count; ++i) n.values.push_back(given ? fill(i) : 0);
    simulate::Tensor t = tensor_of(n);
    t.defined = given;
    out.tensors.emplace(p.buffer->name, std::move(t));
  }
  return out;
}

std::string Runs::line(const text::Span& span) const {
  text::Anchors::Place place = compiled_.evaluation->anchors.resolve(span);
  if (!place.source) return {};
  std::string_view text = place.source->line(place.source->position(place.begin).line);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string(text);
}

std::string said(const simulate::Result& result) {
  std::string text;
  for (const simulate::Finding& f : result.findings)
    text += std::string(f.code) + ": " + f.message + " (CTA " + std::to_string(f.cta[0]) + ", thread " +
            std::to_string(f.thread) + ")\n";
  return text;
}

std::vector<simulate::Options> all_timings() {
  std::vector<simulate::Options> out(6);
  out[1].timing = simulate::Timing::Earliest;
  for (simulate::Options& options : out) options.races = true;
  for (std::size_t i = 2; i < out.size(); ++i) {
    out[i].timing = simulate::Timing::Random;
    out[i].seed = i;
  }
  return out;
}

std::string kernel(std::string_view a_shape, std::string_view b_shape, std::initializer_list<std::string_view> body) {
  std::string out =
      "from tvm.script import tirx as T\n"
      "from tvm.script.tirx import tile as Tx\n"
      "from tvm.tirx.layout import S, TileLayout\n\n"
      "@T.prim_func\n"
      "def k(A_ptr: T.handle, B_ptr: T.handle):\n"
      "    A = T.match_buffer(A_ptr, (" +
      std::string(a_shape) + ",), \"int32\")\n    B = T.match_buffer(B_ptr, (" + std::string(b_shape) +
      ",), \"int32\")\n";
  for (std::string_view line : body) out += "    " + std::string(line) + "\n";
  return out;
}

Numbers result_of(const std::string& script, std::string_view arch) {
  Runs runs(script, arch);
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Inputs in = runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); });
  Numbers out;
  for (const simulate::Options& options : all_timings()) {
    simulate::Result r = runs.run(k, in, options);
    INFO(said(r));
    INFO("timing " << static_cast<int>(options.timing) << ", seed " << options.seed);
    REQUIRE(r.verdict == simulate::Verdict::Clean);
    Numbers now = numbers(r.tensors.at("B"), runs.tensor(k, "B")->dtype);
    if (!out.values.empty()) REQUIRE(now.values == out.values);
    out = std::move(now);
  }
  return out;
}

std::string finding_of(const std::string& script, simulate::Timing timing, std::string_view arch) {
  Runs runs(script, arch);
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Options options;
  options.timing = timing;
  options.max_steps = 20'000'000;
  simulate::Result r = runs.run(k, runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); }), options);
  if (r.findings.empty()) return "clean";
  const simulate::Finding& f = r.findings[0];
  return std::string(f.code) + " | " + runs.line(f) + " | " + f.message;
}

}  // namespace tilewright::testing
