// One experiment: kernels run in turn on tensors, and what they leave held against what is expected.
//
//   set_up    binds the kernels to numbers and takes in what is given     fill      makes up the rest
//   execute   lets an executor run them                                   expect    compares with a reference kernel
//   judge     says what is wrong and what is worth knowing
//
// Everything is a plain value; nothing here reads files, compiles or prints. The command line, the language server and
// tests go through these steps with an executor of their choice.
#pragma once
#include <functional>
#include <map>

#include "compiler/run/executor.h"
#include "compiler/run/fill.h"
#include "compiler/run/npy.h"
#include "compiler/run/report.h"
#include "compiler/run/sums.h"

namespace tilewright::run {

// Something that was asked for cannot be done.
struct Failure {
  std::string message;
  std::string hint;  // the way out; may be empty
};

struct GivenArray {
  std::string from;  // the file, for people
  NpyArray array;
};

// The elements of a tensor that may come in any order: all of them, or those of its first dimension from `from` to
// before `to`, each a number, a scalar, an extent or a tensor of one element. What lies outside is not compared.
struct Unordered {
  std::string from, to;
  bool whole() const { return to.empty(); }
};

// What an experiment is to be, beside its kernels. Names are those of tensors.
struct Wanted {
  std::map<std::string, Number, std::less<>> values;  // scalars and symbolic extents
  std::map<std::string, GivenArray, std::less<>> inputs;
  std::map<std::string, GivenArray, std::less<>> expected;
  std::map<std::string, Fill, std::less<>> fills, expected_fills;  // of those without an array
  std::vector<std::string> outputs;          // that the kernels only write, where this is not found out
  std::uint64_t seed = 1;                    // of the inputs that are not given
  std::optional<double> relative, absolute;  // tolerances; by type where they are not said
  int warmups = 3, repeats = 10;
  std::map<std::string, Unordered, std::less<>> unordered;  // by tensor
  int schedules = 0;                                        // of the simulator; 0: as many as it tries by itself
  bool samples = false;                                     // of program counters, on a GPU
  bool marks = false;                                       // a timeline of a GPU (compiler/cuda/marks.h)
  std::int64_t memory_limit = default_memory_limit();       // bytes of this machine's memory for tensors
};

// What a reference leaves, by tensor.
struct Expected {
  std::string where;  // "reference plain(64) on the host"
  Sum sum;            // its longest
  std::map<std::string, Contents, std::less<>> tensors;
};

class Experiment {
 public:
  // Binds the kernels, and fits the arrays to their tensors. `name` is what they are called in errors. The kernels stay
  // where they are while the experiment lives.
  static std::expected<Experiment, Failure> set_up(std::vector<const lower::LoweredKernel*> kernels, Wanted wanted,
                                                   const std::string& name);

  // Others that are timed beside the kernels, on the same tensors. The caller verifies them by an experiment of their
  // own.
  std::expected<void, Failure> set_rivals(std::vector<const lower::LoweredKernel*> kernels, const std::string& name);

  // Makes up the inputs that are not given. May run beside whatever makes the cubins.
  void fill();
  // Runs the kernels, whose cubins are in the report's job already, and compares with the arrays that were expected.
  void execute(Executor& executor, const std::stop_token& stop);

  // Compares whatever is written and nothing was expected of yet with what a kernel of the same tensors leaves of the
  // same inputs: on the host, or, where that would take too long, on `executor`, with the cubin that `cubin` makes.
  // Stopped: an empty message.
  using Cubin = std::function<std::expected<std::string, Failure>()>;
  std::expected<void, Failure> expect(const lower::LoweredKernel& reference, const std::string& name,
                                      Executor& executor, const Cubin& cubin, const std::stop_token& stop);
  // The same in two steps, for several experiments on the same inputs. After `host_steps` on the host the executor
  // computes it, if it can; 0: as many as it takes.
  std::expected<Expected, Failure> results_of(const lower::LoweredKernel& reference, const std::string& name,
                                              Executor& executor, const Cubin& cubin, std::uint64_t host_steps,
                                              const std::stop_token& stop) const;
  void expect(const Expected& expected);
  // Compares a tensor that the kernels write with an array, as far as nothing was expected of it yet.
  std::expected<void, Failure> expect(const std::string& tensor, const GivenArray& array);
  // Is there something written of which nothing was expected yet?
  bool lacks_expectations() const;
  // After a fault: the simulator, given the same inputs, may find the line. Takes seconds, at most.
  void locate_fault();
  // After a mismatch: the simulator, given the same inputs, finds who writes the first element that is wrong. Takes as
  // long as a run there; gives up after some seconds.
  void locate_mismatches(const std::stop_token& stop);
  // The digest of each tensor's contents, for those who keep records.
  void digest();
  void judge();

  Report report;

 private:
  explicit Experiment(Wanted wanted) : wanted_(std::move(wanted)) {}
  std::optional<Failure> take(std::size_t buffer);
  std::optional<std::size_t> buffer_named(std::string_view name) const;
  void compare_with(std::size_t buffer, std::string_view expected, const std::string& from);
  void compare_timed();
  std::optional<std::int64_t> number_of(std::string_view word) const;
  std::string in_any_order(std::size_t buffer, std::string_view contents) const;

  Wanted wanted_;
  std::vector<const lower::LoweredKernel*> kernels_;
  Sum sum_;  // the longest of the kernels and of what they are held against
};

}  // namespace tilewright::run
