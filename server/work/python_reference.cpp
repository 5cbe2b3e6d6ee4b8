#include "server/work/python_reference.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/process/program.h"
#include "compiler/run/npy.h"
#include "compiler/text/json.h"
#include "server/project/temporary_folder.h"
#include "server/work/run.h"

namespace tilewright::work {

std::string_view python_source(std::string_view file);  // embedded: server/work/python/

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsualPython = "python3";

bool write(const fs::path& path, std::initializer_list<std::string_view> parts) {
  const process::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  bool good = static_cast<bool>(file);
  for (std::string_view part : parts) good = good && process::write_all(file.get(), part);
  return good;
}

text::Json request_json(const PythonFunction& function, const run::Bound& bound) {
  text::Json tensors = text::Json::array(), numbers = text::Json::object();
  for (const run::BoundTensor& t : bound.tensors)
    tensors.push_back({{"name", t.name},
                       {"file", std::to_string(tensors.size()) + ".npy"},
                       {"dtype", ir::dtype_name(t.dtype)},
                       {"role", run::kRoleWords[t.role]}});
  for (const auto& [name, value] : bound.extents) numbers[name] = value;
  for (const auto& [name, value] : bound.values)
    numbers[name] = value.real ? text::Json(value.floating) : text::Json(value.integer);
  return {{"file", function.file}, {"function", function.name}, {"tensors", tensors}, {"numbers", numbers}};
}

// The contents that a kernel starts from; of what it only writes, zeros.
bool write_tensors(const fs::path& folder, const run::Bound& bound) {
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const run::BoundTensor& t = bound.tensors[i];
    const run::Contents& known = bound.job.buffers[i].contents;
    const run::Contents contents = known.empty() ? run::Contents::of_size(t.bytes) : known;
    const run::NpyArray array = run::to_npy(t.dtype, run::array_shape(t), contents);
    if (!write(folder / (std::to_string(i) + ".npy"), {run::npy_header(array), array.data.view()})) return false;
  }
  return true;
}

std::string read(const fs::path& path) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const process::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string out;
  if (file) process::read_all(file.get(), out, kMost);
  return out;
}

// Waits for the end of the process, and ends it where the caller stops. False: stopped.
bool finish(process::Child& child, const std::stop_token& stop) {
  constexpr auto kLook = std::chrono::milliseconds(20);
  while (!child.wait_until(std::chrono::steady_clock::now() + kLook)) {
    if (!stop.stop_requested()) continue;
    child.kill_group();
    child.wait();
    return false;
  }
  return true;
}

}  // namespace

std::optional<PythonFunction> python_function(const std::string& reference, const std::string& script) {
  constexpr std::string_view kPrefix = "python:", kFile = ".py:";
  const bool marked = reference.starts_with(kPrefix);
  const std::string rest = marked ? reference.substr(kPrefix.size()) : reference;
  const std::size_t at = rest.rfind(kFile);
  if (at == rest.npos) return marked ? std::optional(PythonFunction{script, rest}) : std::nullopt;
  const std::string file = rest.substr(0, at + kFile.size() - 1), name = rest.substr(at + kFile.size());
  if (!marked) return PythonFunction{file, name};
  return PythonFunction{(fs::path(script).parent_path() / file).string(), name};
}

PythonArrays python_reference(const PythonFunction& function, const std::string& interpreter, const run::Bound& bound,
                              const std::stop_token& stop) {
  auto failed = [&](std::string why, std::string hint = {}, bool missing = false) {
    return std::unexpected(
        PythonFailure{{"the reference python:" + function.name + ": " + std::move(why), std::move(hint)}, missing});
  };
  std::error_code ec;
  PythonFunction absolute{fs::absolute(function.file, ec).string(), function.name};
  if (!fs::is_regular_file(absolute.file, ec)) return failed("there is no file " + function.file);
  const project::TemporaryFolder folder;
  const fs::path source = folder.path() / "reference.py", said = folder.path() / "said.txt";
  const std::string request = request_json(absolute, bound).dump(-1, ' ', false, text::Json::error_handler_t::replace);
  if (folder.path().empty() || !write(source, {python_source("reference.py")}) ||
      !write(folder.path() / "request.json", {request}) || !write(said, {}) || !write_tensors(folder.path(), bound))
    return failed("the inputs cannot be written to " + fs::temp_directory_path(ec).string(),
                  "TMPDIR names a folder with room for all tensors");
  const process::Fd log(::open(said.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  process::SpawnOptions options{.words = {interpreter, source.string(), folder.path().string()}};
  options.output = options.errors = log.get();
  options.group = process::SpawnOptions::Group::Own;
  auto child = process::spawn(options);
  if (!child)
    return failed("the interpreter '" + interpreter + "' cannot be started",
                  "name one that has numpy with --python or TILEWRIGHT_PYTHON", interpreter == kUsualPython);
  if (!finish(*child, stop)) return std::unexpected(PythonFailure{});
  if (const int status = child->exit()->code(); status != 0) {
    constexpr int kSaid = 3, kNoNumpy = 4;
    const bool told = status == kSaid || status == kNoNumpy;
    const std::string words = read(said);
    return failed(process::last_words(words) + (told ? "" : " (exit status " + std::to_string(status) + ")"),
                  told && words.find("Traceback") == words.npos ? std::string() : words, status == kNoNumpy);
  }
  std::map<std::string, run::GivenArray> out;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const fs::path path = folder.path() / "out" / (std::to_string(i) + ".npy");
    if (!fs::exists(path, ec)) continue;
    auto array = given_array(path.string());
    if (!array) return failed(array.error());
    array->from = "reference " + fs::path(function.file).filename().string() + ":" + function.name + " in Python";
    out.emplace(bound.tensors[i].name, std::move(*array));
  }
  return out;
}

}  // namespace tilewright::work
