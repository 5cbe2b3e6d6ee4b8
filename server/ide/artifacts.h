// PTX, SASS, resources and messages of NVIDIA's tools, made in the background and never waited for.
//
// Who wants an artifact asks `find`, which only looks into memory, and `want`s what is missing; when it is there, the
// server is told and refreshes what shows it. One thread works through the wishes, the tools run in their helper
// process. Typing puts wishes of that document off; a wish for a text that was typed over is dropped, and a background
// compilation that runs for one is stopped.
#pragma once
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/text/digest.h"
#include "compiler/toolchain/line_map.h"
#include "compiler/toolchain/toolchain.h"
#include "server/ide/backlog.h"

namespace tilewright::ide {

struct Made {
  std::string ptx, sass;
  std::string sass_missing;  // why there is none
  std::string error;         // why there is nothing at all
  bool sass_tried = false;
  bool no_tools = false;  // they are not installed: `error` says where they were looked for
  std::vector<toolchain::LogEntry> entries;
  std::vector<toolchain::KernelResources> kernels;
  toolchain::LineMap ptx_lines, sass_lines;
  std::size_t bytes() const;
};

// Of what the tools answered; `sass`: whether it was asked for.
Made made_from(std::expected<toolchain::Artifacts, toolchain::Error> answer, bool sass);

struct Wish {
  std::string document;  // path
  std::shared_ptr<const cuda::CudaSource> cuda;
  std::string architecture;
  bool sass = false;
};

class Artifacts {
 public:
  using For = BackgroundFor;

  // `made` is called on the background thread with the document for which something new is there.
  // `health` is called there whenever the tools broke (with why) or work again (with nothing).
  Artifacts(toolchain::Options options, std::function<void(const std::string& document)> made,
            std::function<void(const std::string& problem)> health = {}, std::size_t limit = 32u << 20);
  ~Artifacts();

  // Null: not made yet.
  std::shared_ptr<const Made> find(const cuda::CudaSource& cuda, const std::string& architecture) const;
  void want(std::vector<Wish> wishes, For whom, std::chrono::milliseconds delay);
  // The document was edited or closed.
  void typed(const std::string& document) { backlog_.typed(document); }
  std::size_t bytes() const;

 private:
  struct Keyed : Wish {
    text::Digest key;
    bool is(const Keyed& other) const { return key == other.key; }
    void join(const Keyed& other) { sass |= other.sass; }
  };
  void work(const std::stop_token& end);
  void keep(const text::Digest& key, std::shared_ptr<const Made> made);

  toolchain::Options options_;
  std::function<void(const std::string&)> made_, health_;
  std::size_t limit_;
  Backlog<Keyed> backlog_;
  mutable std::mutex mutex_;                                                     // guards what is kept
  using Kept = std::list<std::pair<text::Digest, std::shared_ptr<const Made>>>;  // the newest first
  Kept kept_;
  std::unordered_map<text::Digest, Kept::iterator, text::DigestHash> by_key_;
  std::size_t bytes_ = 0;
  std::jthread thread_;  // last: ends first
};

}  // namespace tilewright::ide
