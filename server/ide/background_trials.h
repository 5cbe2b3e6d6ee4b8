// Kernels of open documents, tried out on the simulator in pauses of typing; what is found stands until the kernel
// changes.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/session/session.h"
#include "server/ide/backlog.h"
#include "server/work/time.h"

namespace tilewright::ide {

class Artifacts;

class BackgroundTrials {
 public:
  // `made` is called on the background thread with the document for which something new is there.
  // Accesses count as NVIDIA's compiler makes them where `artifacts` has the machine code when a time is made. Null:
  // never.
  explicit BackgroundTrials(std::function<void(const std::string& document)> made,
                            const Artifacts* artifacts = nullptr);
  ~BackgroundTrials();

  // What was found in the kernels of an analysis, as far as they have been tried. Asked at each keystroke: not copied.
  std::vector<std::shared_ptr<const text::Diagnostic>> find(const std::string& document,
                                                            const session::Compiled& compiled) const;
  // The model of a kernel's time; null: it was not made yet.
  std::shared_ptr<const work::KernelTime> time_of(const std::string& document,
                                                  const session::CompiledKernel& kernel) const;
  // Tries the kernels that were not tried yet, the changed ones that is, and forgets those that are no more. What has
  // changed since the document's last wish goes first and is told by itself: it was just written, and the
  // others may be many.
  // Before that, it is found out what the analysis assumes of the order of sets.
  void want(std::shared_ptr<const session::Snapshot> script, std::shared_ptr<const session::Analysis> analysis,
            std::chrono::milliseconds delay);
  void typed(const std::string& document) { backlog_.typed(document); }  // edited
  void forget(const std::string& document);                              // closed

 private:
  struct Wish {
    std::string document;
    std::shared_ptr<const session::Analysis> analysis;  // keeps the kernels alive
    std::shared_ptr<const session::Snapshot> script;
    std::unordered_set<const lower::LoweredKernel*> changed{};
    bool is(const Wish& other) const { return document == other.document; }
    void join(const Wish& other) {
      analysis = other.analysis;
      script = other.script;
      changed = other.changed;
    }
  };
  struct Tried {
    std::weak_ptr<const lower::LoweredKernel> kernel;
    std::vector<std::shared_ptr<const text::Diagnostic>> found;
    std::shared_ptr<const work::KernelTime> time{};
  };
  using Job = Backlog<Wish>::Job;
  void work(const std::stop_token& end);
  enum class Outcome : std::uint8_t { NothingNew, Tried, Found };
  Outcome try_out(const Job& job, bool changed);  // the changed kernels, or the others
  void model_times(const Job& job);               // of the kernels that were tried
  using OfDocument = std::unordered_map<const lower::LoweredKernel*, Tried>;
  static const Tried* tried(const OfDocument& document, const session::CompiledKernel& kernel);

  std::function<void(const std::string&)> made_;
  const Artifacts* artifacts_;
  Backlog<Wish> backlog_;
  mutable std::mutex mutex_;  // guards what was tried
  // By document and kernel; another kernel may come to lie where one was, and then the weak pointer has expired.
  std::unordered_map<std::string, OfDocument> tried_;
  std::unordered_map<std::string, std::unordered_set<const lower::LoweredKernel*>> wanted_;  // last, by document
  std::jthread thread_;                                                                      // last: ends first
};

}  // namespace tilewright::ide
