// Records over a socket: a length of eight bytes, then the encoded record. Both sides are the same build of the same
// binary, so there is nothing to negotiate.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/toolchain/record.h"

namespace tilewright::toolchain {

// More than this in one message is a broken peer, not a big kernel.
inline constexpr std::uint64_t kMessageLimit = 1ull << 30;

// Blocking; false when the other side is gone.
bool send_record(int fd, const Record& record);
// Blocking; nothing at the end of the stream or on nonsense.
std::optional<Record> receive_record(int fd);

// Collects a message piece by piece, for a reader that must not block.
class RecordReader {
 public:
  enum class State { Incomplete, Complete, Closed };
  // Takes what is there to read now, without waiting. After Complete, `take` gives the record.
  State poll(int fd);
  std::optional<Record> take();

 private:
  std::string bytes_;
};

}  // namespace tilewright::toolchain
