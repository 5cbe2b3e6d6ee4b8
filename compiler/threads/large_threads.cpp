#include "compiler/threads/large_threads.h"

#include <utility>

namespace tilewright::threads {

namespace {
constexpr std::size_t kStackBytes = 64u << 20;  // of addresses; memory comes as it is touched
}

LargeThreads::LargeThreads(unsigned count, std::function<void()> body) : body_(std::move(body)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto start = [](void* self) -> void* {
    static_cast<LargeThreads*>(self)->body_();
    return nullptr;
  };
  for (unsigned i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, start, this) == 0) threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
}

LargeThreads::~LargeThreads() {
  for (pthread_t thread : threads_) pthread_join(thread, nullptr);
}

}  // namespace tilewright::threads
