// Allocations that outlive the command that made them, for the next one (`keep`): a file each, that says what was
// wished and which job has it.
//
// A file is locked while a command uses its allocation, and by its holder (holder.h) for as long as that lives; the
// kernel ends a lock with its process, however that ends. The holder removes file and allocation when it was not used
// for long enough; the file of a holder that was killed is removed by the next process that sees it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/remote/place.h"

namespace tilewright::remote {

// One line that two wishes share if one's allocation serves the other.
std::string wish_key(const SlurmWish& wish, int slots);

// Below XDG_RUNTIME_DIR, XDG_STATE_HOME or the home folder, ours alone. Empty: there is no such place.
std::filesystem::path record_folder();
// The path of a record that does not exist yet.
std::filesystem::path new_record(const std::filesystem::path& folder);

// An open record. The lock, if it was had, ends with this.
class Record {
 public:
  ~Record();
  Record(Record&& other) noexcept
      : path_(std::move(other.path_)), job_(std::move(other.job_)), fd_(std::exchange(other.fd_, -1)) {}
  Record& operator=(Record&&) = delete;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Writes a new one, as its holder; it is not in use yet. Nothing: it cannot be written.
  static std::optional<Record> create(const std::filesystem::path& path, const std::string& job,
                                      const std::string& key);
  // Locks one with this key that is not in use. Nothing: there is none, it was removed meanwhile, or its holder is
  // gone, and then it is removed.
  static std::optional<Record> claim(const std::filesystem::path& path, const std::string& key);

  bool lock() const;    // to use it; false if another process does
  bool in_use() const;  // by another process
  void remove() const;
  const std::string& job() const { return job_; }

 private:
  Record(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::filesystem::path path_;
  std::string job_;
  int fd_;
};

// All records there are.
std::vector<std::filesystem::path> records_in(const std::filesystem::path& folder);

}  // namespace tilewright::remote
