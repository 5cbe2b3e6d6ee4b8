// What an evaluation does where it begins to take much memory: an editor's wait for each other there.
#pragma once
#include <functional>

namespace tilewright::script {

// While it lives, an evaluation of this thread calls `then` where its values reach 16 MB, once (limits.cpp). Lists of
// configurations that are found by a search hold more; kernels hardly do.
class MuchMemory {
 public:
  explicit MuchMemory(std::function<void()> then);
  ~MuchMemory();
  MuchMemory(const MuchMemory&) = delete;
  MuchMemory& operator=(const MuchMemory&) = delete;

  // Of the evaluation, which holds so many bytes.
  static void held(std::size_t bytes);

 private:
  std::function<void()> then_;
  MuchMemory* const outer_;
};

}  // namespace tilewright::script
