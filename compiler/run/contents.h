// What a tensor holds, in memory that another process can be given without a copy.
//
// The bytes lie in a memory file of their own: passing its descriptor over a socket is enough for the process that
// holds the GPU to read and write them in place. Copies of a Contents share the bytes. Untouched pages cost
// nothing.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright::run {

class Contents {
 public:
  // Nothing at all.
  Contents() = default;
  // `bytes` zeros. Throws std::bad_alloc where the system has no more memory to map.
  static Contents of_size(std::int64_t bytes);
  // What a descriptor that another process gave stands for, at least `bytes` long; `fd` is not kept. Empty when it is
  // no such memory.
  static Contents mapped(int fd, std::int64_t bytes);
  // A copy of these bytes.
  template <class T>
    requires(std::convertible_to<const T&, std::string_view> && !std::same_as<T, Contents>)
  Contents(const T& text) : Contents(copied(text)) {}  // NOLINT(google-explicit-constructor): text is contents

  std::string_view view() const { return {data(), size()}; }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  // Writing is seen by every copy.
  char* data() const;
  // Copies `bytes` to the place `at`, where they fit. Untouched pages are not cleared first, as they would be
  // for a copy through data().
  void put(std::size_t at, std::string_view bytes) const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  // Of the memory file; -1: there is nothing in it.
  int descriptor() const;

  template <std::convertible_to<std::string_view> T>
  friend bool operator==(const Contents& a, const T& b) {
    return a.view() == std::string_view(b);
  }

 private:
  struct Block;
  static Contents copied(std::string_view text);
  std::shared_ptr<Block> block_;
};

}  // namespace tilewright::run
