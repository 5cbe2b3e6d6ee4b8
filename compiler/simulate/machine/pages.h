// A long stretch of bytes that says the same again and again, and takes memory only where it is written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewright::simulate {

class Pages {
 public:
  // How long a pattern has to be for so many bytes: whole pages, and long enough that its repetitions are few.
  static std::int64_t pattern_for(std::int64_t bytes);

  // `bytes` of the pattern repeated, zeros where it is empty. Reading shares the pattern's own pages, writing makes a
  // page one's own. Throws std::bad_alloc where the system has no addresses or mappings left.
  Pages(std::int64_t bytes, std::span<const std::byte> pattern);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tilewright::simulate
