// Records over a socket: a length of eight bytes, then the encoded record. Both sides are the same build of the same
// binary, so there is nothing to negotiate. File descriptors travel beside the bytes: memory that both sides map.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/process/fd.h"
#include "compiler/toolchain/record.h"

namespace tilewright::toolchain {

// More than this in one message is a broken peer, not a big kernel.
inline constexpr std::uint64_t kMessageLimit = 1ull << 30;

// Blocking; false when the other side is gone.
bool send_record(int fd, const Record& record);
// Blocking; nothing at the end of the stream or on nonsense. Descriptors that came with it are added to `descriptors`.
std::optional<Record> receive_record(int fd, std::vector<process::Fd>& descriptors);

// What goes out piece by piece, for a sender that must not block. The descriptors stay the caller's.
class RecordWriter {
 public:
  enum class State { Incomplete, Complete, Closed };
  RecordWriter(const Record& record, std::span<const int> descriptors);
  // Sends what the socket takes now, without waiting.
  State poll(int fd);

 private:
  std::string frame_;
  std::vector<int> descriptors_;
  std::size_t sent_ = 0, given_ = 0;
};

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
