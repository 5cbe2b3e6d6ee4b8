// Scripts compiled in process and run by the simulator, for tests that say what must come out.
#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "compiler/session/compile.h"
#include "compiler/simulate/simulate.h"
#include "tests/unit/catch.h"

namespace tilewright::testing {

// A tensor as numbers; exact for the integers that the tests use.
struct Numbers {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
  ir::DataType dtype{};

  std::int64_t extent(std::size_t d) const { return shape[d]; }
  // Row-major.
  double operator()(std::initializer_list<std::int64_t> at) const {
    std::int64_t n = 0;
    std::size_t d = 0;
    for (std::int64_t i : at) n = n * shape[d++] + i;
    return values[static_cast<std::size_t>(n)];
  }
};
Numbers numbers(const simulate::Tensor& tensor, ir::DataType dtype);
simulate::Tensor tensor_of(const Numbers& numbers);

// The kernels of a script, ready to run.
class Runs {
 public:
  // What does not compile fails the test with its diagnostics.
  explicit Runs(const std::string& text, std::string_view arch = "sm_90a", const std::string& path = "test.py");

  struct Kernel {
    std::string name;
    const session::CompiledKernel* compiled;
  };
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const ir::Buffer* tensor(const Kernel& kernel, std::string_view name) const;

  // Every parameter named A holds small numbers, which `fill` gives; all others hold nothing.
  simulate::Inputs inputs(const Kernel& kernel, const std::function<double(std::int64_t)>& fill) const;
  simulate::Result run(const Kernel& kernel, const simulate::Inputs& inputs, simulate::Options options = {}) const {
    return simulate::run(*kernel.compiled->lowered, inputs, options);
  }
  // The text of the line, without its indentation.
  std::string line(const text::Span& span) const;
  std::string line(const simulate::Finding& finding) const { return line(finding.origin.span); }

 private:
  std::shared_ptr<const text::Source> source_;
  session::Compiled compiled_;
  std::vector<Kernel> kernels_;
};

std::string said(const simulate::Result& result);
// Early, late, and at several random moments.
std::vector<simulate::Options> all_timings();

// A script of one kernel: header, signature with int32 tensors A and B of these shapes, and a body by lines.
std::string kernel(std::string_view a_shape, std::string_view b_shape, std::initializer_list<std::string_view> body);
// That kernel's B, whatever the timing, when A holds 1, 2, 3, ...
Numbers result_of(const std::string& script, std::string_view arch = "sm_90a");
// Its first finding under one timing: "TW5004 | the line | message"; "clean" when there is none.
std::string finding_of(const std::string& script, simulate::Timing timing = simulate::Timing::Latest,
                       std::string_view arch = "sm_90a");

}  // namespace tilewright::testing
