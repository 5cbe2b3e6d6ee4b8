#include "compiler/run/npy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "compiler/run/parallel.h"

namespace tilewright::run {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderLimit = 1 << 16;
constexpr std::int64_t kElementLimit = std::int64_t{1} << 40;

// The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class Header {
 public:
  explicit Header(std::string_view text) : rest_(text) {}

  std::string descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> shape;

  bool parse() {
    if (!take('{')) return false;
    while (!take('}')) {
      std::string key;
      if (!text(key) || !take(':')) return false;
      bool good = key == "descr" ? text(descr) : key == "fortran_order" ? truth() : key == "shape" ? tuple() : false;
      if (!good) return false;
      take(',');
    }
    blanks();
    return rest_.empty() && !descr.empty() && fortran && shape;
  }

 private:
  void blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool text(std::string& out) {
    blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    std::size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool truth() {
    blanks();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      fortran = value;
      return true;
    }
    return false;
  }
  bool tuple() {
    if (!take('(')) return false;
    shape.emplace();
    while (!take(')')) {
      blanks();
      std::int64_t n = 0;
      auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc{} || n < 0 || shape->size() >= 64) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape->push_back(n);
      take(',');
    }
    return true;
  }

  std::string_view rest_;
};

// The number of elements; nothing when it is absurd.
std::optional<std::int64_t> count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t n : shape) {
    if (n != 0 && count > kElementLimit / n) return std::nullopt;
    count *= n;
  }
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

std::string type_text(const NpyArray& a) {
  static constexpr std::pair<char, const char*> kNames[] = {{'b', "bool"}, {'i', "int"}, {'u', "uint"}, {'f', "float"}};
  for (const auto& [kind, name] : kNames)
    if (kind == a.kind) return kind == 'b' ? name : name + std::to_string(a.item_bytes * 8);
  return std::to_string(a.item_bytes) + " raw bytes";
}

// What NumPy calls elements of a type: its own, or unsigned integers.
std::pair<char, int> numpy_type(ir::DataType d) {
  int bytes = d.storage_bits() / 8;
  if (bytes < 1) return {'u', 1};
  if (d.is_bool()) return {'b', 1};
  if (d.is_int()) return {'i', bytes};
  if (d.is_float()) return {'f', bytes};
  return {'u', bytes};
}

std::vector<std::int64_t> packed_shape(ir::DataType d, std::vector<std::int64_t> shape) {
  if (d.lanes > 1) shape.push_back(d.lanes);
  if (d.storage_bits() % 8 != 0 && !shape.empty()) shape.back() = (shape.back() * d.storage_bits() + 7) / 8;
  return shape;
}

// Before the elements: the array without them, and where they begin. `size` is the whole file's.
struct Front {
  NpyArray array;
  std::size_t begin = 0, bytes = 0;
};

std::expected<Front, std::string> read_front(std::string_view file, std::uint64_t size) {
  auto bad = [](const std::string& why) { return std::unexpected("not a .npy file that can be read: " + why); };
  if (!file.starts_with(kMagic) || file.size() < 10) return bad("it does not begin as one");
  int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) return bad("its version is " + std::to_string(version) + "; 1 to 3 are known");
  std::size_t width = version == 1 ? 2 : 4, length = 0;
  if (file.size() < 8 + width) return bad("it ends in its header");
  for (std::size_t i = width; i-- > 0;) length = length << 8 | static_cast<unsigned char>(file[8 + i]);
  std::string_view rest = file.substr(8 + width);
  if (length > kHeaderLimit || length > rest.size()) return bad("it ends in its header");
  Header header(rest.substr(0, length));
  if (!header.parse()) return bad("its header is not {'descr', 'fortran_order', 'shape'}");
  std::uint64_t have = size - 8 - width - length;

  Front front{{}, 8 + width + length, 0};
  NpyArray& out = front.array;
  std::string_view descr = header.descr;
  char order = descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=') descr.remove_prefix(1);
  int bytes = 0;
  bool understood = descr.size() >= 2;
  if (understood) {
    auto [end, error] = std::from_chars(descr.data() + 1, descr.data() + descr.size(), bytes);
    understood = error == std::errc{} && end == descr.data() + descr.size() && bytes >= 1 && bytes <= 64 &&
                 std::string_view("biufV").find(descr[0]) != std::string_view::npos;
  }
  if (!understood) return bad("its type is '" + header.descr + "'");
  if (order == '>' && bytes > 1) return bad("its elements are big-endian");
  out.kind = descr[0];
  out.item_bytes = bytes;
  out.shape = *header.shape;
  std::optional<std::int64_t> count = count_of(out.shape);
  if (!count) return bad("its shape " + shape_text(out.shape) + " is too large");
  int wide = 0;
  for (std::int64_t n : out.shape) wide += n > 1;
  if (*header.fortran && wide > 1) return bad("it is in Fortran order; save it with numpy.ascontiguousarray");
  auto want = static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(bytes);
  if (have != want)
    return bad("its shape " + shape_text(out.shape) + " takes " + std::to_string(want) + " bytes, it has " +
               std::to_string(have));
  front.bytes = want;
  return front;
}

}  // namespace

std::expected<NpyArray, std::string> read_npy(std::string_view file) {
  auto front = read_front(file, file.size());
  if (!front) return std::unexpected(front.error());
  front->array.data = file.substr(front->begin);
  return std::move(front->array);
}

std::expected<NpyArray, std::string> read_npy_file(int fd) {
  struct stat file{};
  std::string head(kHeaderLimit + 12, '\0');
  ssize_t got = ::fstat(fd, &file) == 0 ? ::pread(fd, head.data(), head.size(), 0) : -1;
  if (got < 0) return std::unexpected(std::string(std::strerror(errno)));
  head.resize(static_cast<std::size_t>(got));
  auto front = read_front(head, static_cast<std::uint64_t>(std::max<off_t>(file.st_size, got)));
  if (!front) return std::unexpected(front.error());
  Contents data = Contents::of_size(static_cast<std::int64_t>(front->bytes));
  std::atomic<bool> torn = false;
  in_pieces(static_cast<std::int64_t>(front->bytes), kPiece, [&](std::int64_t from, std::int64_t to) {
    while (from < to) {
      ssize_t n =
          ::pread(fd, data.data() + from, static_cast<std::size_t>(to - from), static_cast<off_t>(front->begin) + from);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        torn = true;
        return;
      }
      from += n;
    }
  });
  if (torn) return std::unexpected("it changes while it is read");
  front->array.data = std::move(data);
  return std::move(front->array);
}

std::string npy_header(const NpyArray& array) {
  std::string header = "{'descr': '" + std::string(array.item_bytes == 1 ? "|" : "<") + array.kind +
                       std::to_string(array.item_bytes) +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  // Magic, version and length take 10 bytes; the elements begin at a multiple of 64.
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

std::string write_npy(const NpyArray& array) { return npy_header(array).append(array.data.view()); }

NpyArray to_npy(ir::DataType dtype, const std::vector<std::int64_t>& shape, Contents data) {
  auto [kind, bytes] = numpy_type(dtype);
  return {kind, bytes, packed_shape(dtype, shape), std::move(data)};
}

std::expected<void, std::string> matches(const NpyArray& array, ir::DataType dtype,
                                         const std::vector<std::int64_t>& shape) {
  auto [kind, bytes] = numpy_type(dtype);
  bool raw = array.kind == 'V' || (array.kind == 'u' && kind != 'i' && kind != 'b');
  NpyArray want{kind, bytes, packed_shape(dtype, shape), {}};
  if (array.item_bytes != bytes || (array.kind != kind && !raw))
    return std::unexpected("it holds " + type_text(array) + ", " + ir::dtype_name(dtype) + " is wanted" +
                           (kind == 'u' && !dtype.is_uint() ? " (as " + type_text(want) + ")" : ""));
  if (array.shape != want.shape)
    return std::unexpected("its shape is " + shape_text(array.shape) + ", " + shape_text(want.shape) + " is wanted");
  return {};
}

std::vector<std::int64_t> tensor_shape(const NpyArray& array, ir::DataType dtype) {
  std::vector<std::int64_t> shape = array.shape;
  if (dtype.lanes > 1 && !shape.empty()) shape.pop_back();
  int bits = dtype.storage_bits();
  if (bits > 0 && bits % 8 != 0 && !shape.empty()) shape.back() = shape.back() * 8 / bits;
  return shape;
}

}  // namespace tilewright::run
