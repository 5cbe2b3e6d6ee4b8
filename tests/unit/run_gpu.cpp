// Jobs through the process that holds the GPU, with a driver of our own making (tests/gpu/fake_driver.cpp).
#include <fstream>
#include <sstream>
#include <thread>

#include "compiler/process/fd.h"
#include "compiler/run/gpu_executor.h"
#include "compiler/run/statistics.h"
#include "tests/unit/catch.h"
#include "tests/unit/scratch.h"

using namespace tilewright::run;
using tilewright::lower::MapPlace;
using tilewright::testing::Scratch;

namespace {

// A runner over the fake, and what the fake has noted.
struct Lab {
  explicit Lab(std::chrono::milliseconds deadline = std::chrono::seconds(60), const std::string& devices = "1",
               const std::string& library = FAKE_CUDA, const std::string& pinned = "1000000000")
      : runner(options(deadline, devices, library, pinned)) {}

  GpuOptions options(std::chrono::milliseconds deadline, const std::string& devices, const std::string& library,
                     const std::string& pinned) {
    GpuOptions o;
    o.library = library;
    o.deadline = deadline;
    o.helper = GPU_HELPER;
    o.helper_arguments = {};
    o.environment = {"FAKE_CUDA_LOG=" + log_path(), "FAKE_CUDA_DEVICES=" + devices, "FAKE_CUDA_PINNED=" + pinned};
    return o;
  }
  std::string log_path() const { return (scratch.path() / "log").string(); }
  std::string log() const {
    std::ifstream in(log_path());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  bool noted(const std::string& line) const { return ("\n" + log()).find("\n" + line + "\n") != std::string::npos; }

  Scratch scratch;
  GpuExecutor runner;
};

// Two buffers of 256 bytes, an input and an output, as parameters 0 and 1.
Job job(const std::string& program, Role out = Role::Output) {
  Job j;
  j.launches.emplace_back();
  j.launches[0].symbol = "k";
  j.launches[0].cubin = "kernel k\n" + program;
  std::string contents;
  for (int i = 0; i < 256; ++i) contents += static_cast<char>(i * 7);
  j.buffers = {{"A", 256, Role::Input, contents}, {"B", 256, out, out == Role::Output ? "" : std::string(256, 'b')}};
  j.launches[0].params = {{JobParam::Kind::Pointer, 0, 0, {}}, {JobParam::Kind::Pointer, 1, 0, {}}};
  return j;
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("run: a copy arrives, nothing else moves") {
  Lab lab;
  Job j = job("copy 1 0 256\n");
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(out.buffers[1].contents == j.buffers[0].contents);
  for (const BufferOutcome& b : out.buffers) {
    CHECK(b.guard_damage == 0);
    CHECK(b.unwritten == 0);
    CHECK(b.changed == 0);
    CHECK(b.unstable == 0);
  }
  CHECK(out.measured.cold.empty());
}

TEST_CASE("run: the device says what it is") {
  Lab lab;
  auto device = lab.runner.device();
  REQUIRE(device.has_value());
  CHECK(device->name == "Pretended GPU");
  CHECK(device->arch() == "sm_90a");
  CHECK(device->driver_version == 13000);
  CHECK(device->bandwidth == 256e9);  // 1 GHz, twice, 1024 bits
}

TEST_CASE("run: bytes that were not written are told from bytes that look like poison") {
  Lab lab;
  Job j = job("copy 1 0 100\n");
  j.buffers[0].contents = std::string(256, '\xFF');  // the first poison
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(out.buffers[1].unwritten == 156);
  CHECK(out.buffers[1].unstable == 0);
  // What is read and written keeps its contents instead.
  out = lab.runner.run(job("copy 1 0 100\n", Role::InOut));
  CHECK(out.buffers[1].unwritten == 0);
  CHECK(out.buffers[1].contents.view().substr(100) == std::string(156, 'b'));
}

TEST_CASE("run: stray writes are found on either side") {
  Lab lab;
  Outcome out = lab.runner.run(job("copy 1 0 256\npoke 1 256 1\npoke 1 300 1\n"));
  CHECK(out.buffers[1].guard_damage == 2);
  CHECK(out.buffers[1].guard_first == 256);
  CHECK(out.buffers[0].guard_damage == 0);
  out = lab.runner.run(job("poke 0 -1 1\n"));
  CHECK(out.buffers[0].guard_damage == 1);
  CHECK(out.buffers[0].guard_first == -1);
}

TEST_CASE("run: an input that changes, an output that differs from launch to launch") {
  Lab lab;
  Outcome out = lab.runner.run(job("copy 1 0 256\npoke 0 5 1\n"));
  CHECK(out.buffers[0].changed == 1);
  out = lab.runner.run(job("copy 1 0 256\nlaunches 1\n"));
  CHECK(out.buffers[1].unstable == 1);
}

TEST_CASE("run: timed launches find everything as a first launch does") {
  Lab lab;
  Job j = job("copy 1 0 256\n");
  j.warmups = 2;
  j.repeats = 5;
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  REQUIRE(out.measured.cold.size() == 5);
  REQUIRE(out.measured.hot.size() == 5);
  CHECK(out.measured.cold[0] == 250.0);
  CHECK(out.measured.copy.empty());
  CHECK(out.measured.checked == 2 * 5 + 1);
  CHECK(out.measured.turned == 0);
  CHECK(out.buffers[1].unstable == 0);
  CHECK(out.buffers[1].later.empty());
  std::string log = lab.log();
  int launches = 0;
  for (std::size_t at = 0; (at = log.find("launch ", at)) != std::string::npos; ++at) ++launches;
  // Two to verify; then cold, and hot after one that is not measured; and one more of the first inputs.
  CHECK(launches == 2 + 3 * (2 + 5) + 1);
}

TEST_CASE("run: rivals and the driver's copy are measured in turn with the kernels") {
  Lab lab;
  Job j = job("copy 1 0 256\ntakes 100 0\n");
  j.rivals = j.launches;
  j.rivals[0].cubin = "kernel k\ncopy 1 0 255\ntakes 200 0\n";
  j.warmups = 1;
  j.repeats = 6;
  j.copy_bytes = 4096;
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  for (double us : out.measured.cold) CHECK(std::abs(us - 100) < 0.01);
  REQUIRE(out.measured.rival_hot.size() == 6);
  for (double us : out.measured.rival_cold) CHECK(std::abs(us - 200) < 0.01);
  REQUIRE(out.measured.copy.size() == 6);
  for (double us : out.measured.copy) CHECK(std::abs(us - 4.096) < 0.01);
  CHECK(out.measured.rival_differs == 1);
  CHECK(out.buffers[1].unstable == 0);
}

TEST_CASE("run: what a timed round leaves otherwise comes back") {
  Lab lab;
  Job j = job("copy 1 0 256\nfrom_launch 12 poke 1 7 99\n");
  j.repeats = 5;
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(out.buffers[1].contents == j.buffers[0].contents);
  REQUIRE(out.buffers[1].later.size() == 256);
  CHECK(out.buffers[1].later.view()[7] == 99);
  CHECK(out.buffers[1].later.view()[8] == j.buffers[0].contents.view()[8]);
}

namespace {

// With inputs that change from launch to launch.
Outcome timed(Lab& lab, const std::string& program, Role out = Role::Output) {
  Job j = job(program, out);
  j.buffers[0].turn = 1;
  j.repeats = 8;
  Outcome o = lab.runner.run(j);
  REQUIRE(o.status == Status::Done);
  CHECK(o.measured.turned == 1);
  CHECK(o.measured.checked == 2 * 8 + 1);
  return o;
}

}  // namespace

TEST_CASE("run: an honest kernel leaves of other inputs what it leaves when loaded again") {
  for (Role role : {Role::Output, Role::InOut}) {
    Lab lab;
    const Outcome out = timed(lab, "copy 1 0 200\n", role);
    CHECK(out.buffers[1].unstable == 0);
    CHECK(out.buffers[1].timed.empty());
    CHECK(out.measured.otherwise == 0);
    CHECK(lab.noted("persisting lines released"));
  }
}

TEST_CASE("run: a kernel that keeps results or work from launch to launch is found out") {
  for (const char* program : {
           "unless_same 0 256\nfrom_load 4 copy 1 0 100\n",  // a part, once it was verified
           "copy 1 0 256\nfrom_load 4 poke 1 9 77\n",        // other results, once it was verified
           "same_pointer 1 1\ncopy 1 0 256\n",               // nothing where the pointer is known
           "from_load 3 unless_same 1 8 1\ncopy 1 0 256\n",  // nothing where the output is poisoned as before
           "from_load 3 takes 1 0\nfrom_load 1 copy 1 0 256\nevery 2 1 poke 1 3 1\n",  // in every other launch
       }) {
    CAPTURE(program);
    Lab lab;
    const Outcome out = timed(lab, program);
    CHECK(out.buffers[1].unstable + out.buffers[1].unwritten > 0);
  }
}

TEST_CASE("run: results that were kept for known inputs gain no time") {
  Lab lab;
  const Outcome out = timed(lab, "takes 100 0\nmemo 0 1 256 1\n");
  CHECK(out.buffers[1].unstable == 0);
  // Few of the 255 rotations come twice.
  CHECK(spread_of(out.measured.cold).median > 99);
  CHECK(spread_of(out.measured.hot).median > 99);
}

TEST_CASE("run: work after the end of a launch shows") {
  Lab lab;
  CHECK(timed(lab, "copy 1 0 256\nbeyond 3000\n").measured.beyond > 2500);
  CHECK(timed(lab, "copy 1 0 256\n").measured.beyond < 2500);
}

TEST_CASE("run: memory that timed launches change outside of their tensors is found") {
  Lab lab;
  Outcome out = timed(lab, "copy 1 0 256\nfrom_load 5 poke 1 256 1\n");
  CHECK(out.buffers[1].guard_damage == 1);
  out = timed(lab, "copy 1 0 256\nfrom_load 5 poke 0 3 1\n");
  CHECK(out.buffers[0].changed == 1);
}

TEST_CASE("run: what is read and written is as it was before each timed launch") {
  Lab lab;
  Job j = job("poke 1 3 1\nfrom_launch 3 poke 1 4 1\n", Role::InOut);
  j.repeats = 2;
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(out.buffers[1].contents.view()[3] == 1);
  CHECK(out.buffers[1].contents.view()[4] == 'b');
}

TEST_CASE("run: launch configuration, attributes, scalars and tensor maps as the plan says") {
  Lab lab;
  Job j = job("scalar 2 4\nmap 3\ncopy 1 0 256\n");
  j.launches[0].grid = {8, 2, 1};
  j.launches[0].block = {128, 1, 2};
  j.launches[0].cluster = {2, 1, 1};
  j.launches[0].preferred_cluster = std::array<std::int64_t, 3>{16, 1, 1};
  j.launches[0].dynamic_shared_bytes = 100000;
  j.launches[0].params.push_back({JobParam::Kind::Scalar, 0, 0, std::string("\x80\0\0\0", 4)});
  j.launches[0].params.push_back({JobParam::Kind::TensorMap, 0, 0, {}});
  j.launches[0].tensor_maps.push_back({MapPlace::Parameter, {}, 0, 16, 6, {8, 4}, {16}, {8, 2}, {1, 1}, 0, 3, 2, 1});
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(lab.noted("launch 8 2 1  128 1 2  shared 100000 attribute 4 2 1 1 attribute 11 16 1 1"));
  CHECK(lab.noted("attribute 8 100000"));  // dynamic shared memory beyond 48 KB
  CHECK(lab.noted("attribute 14 1"));      // clusters beyond 8
  CHECK(lab.noted("scalar 80000000"));
  CHECK(lab.noted("encode 6 2 8 4 | 16 | 8 2 | 1 1 | 0 3 2 1"));
  CHECK(lab.noted("map 4711"));
  // Kernels that wait for each other.
  Lab together;
  Job all = job("copy 1 0 256\n");
  all.launches[0].cooperative = all.launches[0].programmatic_dependent_launch = true;
  together.runner.run(all);
  CHECK(together.noted("launch 1 1 1  1 1 1  shared 0 attribute 2 1 0 0 attribute 6 1 0 0"));
  // One without any of it asks for nothing.
  Lab plain;
  plain.runner.run(job("copy 1 0 256\n"));
  CHECK(plain.noted("launch 1 1 1  1 1 1  shared 0"));
  CHECK(!says(plain.log(), "attribute"));
}

TEST_CASE("run: a map of rank 1 has no strides, and the driver still gets an address") {
  Lab lab;
  Job j = job("copy 1 0 256\n");
  j.launches[0].tensor_maps.push_back({MapPlace::Parameter, {}, 0, 0, 0, {256}, {}, {64}, {1}, 0, 0, 0, 0});
  CHECK(lab.runner.run(j).status == Status::Done);
  CHECK(lab.noted("encode 0 1 256 | | 64 | 1 | 0 0 0 0"));
}

TEST_CASE("run: what the driver refuses is told in its words, and the next job runs") {
  Lab lab;
  Job bad = job("");
  bad.launches[0].cubin = "nothing";
  Outcome out = lab.runner.run(bad);
  CHECK(out.status == Status::NotLaunched);
  CHECK(says(out.message, "does not load the cubin: CUDA_ERROR_INVALID_IMAGE"));
  CHECK(out.error == "CUDA_ERROR_INVALID_IMAGE");

  bad = job("");
  bad.launches[0].symbol = "other";
  CHECK(says(lab.runner.run(bad).message, "the cubin has no kernel other"));

  bad = job("");
  bad.launches[0].dynamic_shared_bytes = 300000;
  CHECK(says(lab.runner.run(bad).message, "300000 bytes of dynamic shared memory are refused (the device has 232448"));

  bad = job("");
  bad.launches[0].tensor_maps.push_back({MapPlace::Parameter, {}, 0, 0, 0, {512}, {}, {512}, {1}, 0, 0, 0, 0});
  CHECK(says(lab.runner.run(bad).message, "cuTensorMapEncodeTiled refuses the tensor map of A"));

  out = lab.runner.run(job("refuse 1\n"));
  CHECK(out.status == Status::NotLaunched);
  CHECK(says(out.message, "the driver refuses the launch"));

  CHECK(lab.runner.run(job("copy 1 0 256\n")).status == Status::Done);
  CHECK(lab.runner.processes() == 1);
}

TEST_CASE("run: a fault ends its process, not the next job") {
  Lab lab;
  Outcome out = lab.runner.run(job("fault 700\n"));
  CHECK(out.status == Status::Fault);
  CHECK(out.error == "CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(says(out.message, "an illegal memory access was encountered"));
  CHECK(out.buffers.empty());
  CHECK(lab.runner.run(job("copy 1 0 256\n")).status == Status::Done);
  CHECK(lab.runner.processes() == 2);
}

TEST_CASE("run: a kernel that hangs is ended at its deadline") {
  Lab lab(std::chrono::milliseconds(1500));
  Outcome out = lab.runner.run(job("hang\n"));
  CHECK(out.status == Status::Timeout);
  CHECK(says(out.message, "the kernel was ended after the 1.5 s it may take"));
}

TEST_CASE("run: a driver that crashes costs one job") {
  Lab lab;
  Outcome out = lab.runner.run(job("crash\n"));
  CHECK(out.status == Status::Lost);
  CHECK(says(out.message, "the kernel process was ended by Aborted"));
  CHECK(lab.runner.run(job("copy 1 0 256\n")).status == Status::Done);
}

TEST_CASE("run: a job without a waiting client is ended") {
  Lab lab;
  std::stop_source stop;
  REQUIRE(lab.runner.device().has_value());
  std::jthread later([&] { stop.request_stop(); });
  CHECK(lab.runner.run(job("hang\n"), stop.get_token()).status == Status::Stopped);
}

TEST_CASE("run: what a kernel prints comes back, for each job its own") {
  Lab lab;
  Outcome out = lab.runner.run(job("print hello from 3\n"));
  CHECK(says(out.printed, "hello from 3\n"));
  CHECK(lab.runner.run(job("copy 1 0 256\n")).printed.empty());
}

TEST_CASE("run: without a driver or a device it says so") {
  Lab none(std::chrono::seconds(60), "1", "libdoes-not-exist.so.1");
  auto device = none.runner.device();
  REQUIRE(!device);
  CHECK(says(device.error(), "no CUDA driver"));
  CHECK(none.runner.run(job("")).status == Status::NoDriver);
  Lab empty(std::chrono::seconds(60), "0");
  CHECK(says(empty.runner.device().error(), "the CUDA driver finds no device"));
  Lab old(std::chrono::seconds(60), "1", "libc.so.6");
  CHECK(says(old.runner.device().error(), "is too old: it has no cuInit"));
}

TEST_CASE("run: a job is the same after it travelled") {
  Job j = job("copy 1 0 256\n");
  j.launches[0].params.push_back({JobParam::Kind::Scalar, 0, 0, std::string("\1\2\xFF", 3)});
  j.launches[0].params.push_back({JobParam::Kind::TensorMap, 0, 0, {}});
  j.launches[0].tensor_maps.push_back(
      {MapPlace::Parameter, {}, 1, 128, 9, {8, 4, 2}, {16, 64}, {8, 2, 1}, {1, 1, 1}, 0, 3, 2, 0});
  j.launches[0].preferred_cluster = std::array<std::int64_t, 3>{4, 1, 1};
  j.launches[0].cooperative = j.launches[0].programmatic_dependent_launch = true;
  j.repeats = 7;
  j.buffers[0].turn = 2;
  j.rivals = {j.launches[0]};
  j.rivals[0].cubin = "another";
  j.copy_bytes = 4096;
  std::vector<Contents> results;
  for (int i = 0; i < 8; ++i) results.push_back(Contents::of_size(256));
  Message message = encode(j, results);
  std::vector<tilewright::process::Fd> files;
  for (int fd : message.descriptors) files.emplace_back(::dup(fd));
  auto back = decode_job(message.record, files);
  REQUIRE(back.has_value());
  CHECK(plan_to_json(back->job) == plan_to_json(j));
  CHECK(back->job.launches[0].cubin == j.launches[0].cubin);
  CHECK(back->job.repeats == 7);
  CHECK(back->job.copy_bytes == 4096);
  REQUIRE(back->job.rivals.size() == 1);
  CHECK(back->job.rivals[0].cubin == "another");
  REQUIRE(back->results.size() == 8);
  CHECK(back->job.buffers[0].turn == 2);
  CHECK(back->job.buffers[0].contents == j.buffers[0].contents);
  CHECK(back->job.buffers[1].contents.empty());
  CHECK(back->job.launches[0].params[2].scalar == j.launches[0].params[2].scalar);
  // The memory for what is found afterwards is one and the same on both sides.
  back->results[1].data()[3] = 'x';
  CHECK(results[1].view()[3] == 'x');
  files.pop_back();
  CHECK(!decode_job(message.record, files).has_value());
  auto plan = plan_from_json(plan_to_json(j));
  REQUIRE(plan.has_value());
  CHECK(plan_to_json(*plan) == plan_to_json(j));
}

TEST_CASE("run: plans that make no sense are refused") {
  std::string good = plan_to_json(job(""));
  REQUIRE(plan_from_json(good).has_value());
  auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return !plan_from_json(text.replace(at, from.size(), to)).has_value();
  };
  CHECK(refused("\"symbol\"", "\"cymbal\""));
  CHECK(refused("\"pointer\"", "\"pointing\""));
  CHECK(refused("\"bytes\": 256", "\"bytes\": -1"));
  CHECK(refused("\"bytes\": 256", "\"bytes\": 999999999999999"));
  CHECK(refused("\"index\": 1", "\"index\": 2"));
  CHECK(refused("\"dynamic_shared_bytes\": 0", "\"dynamic_shared_bytes\": 1e99"));
  CHECK(!plan_from_json("[]").has_value());
  CHECK(!plan_from_json("{").has_value());
}

TEST_CASE("run: several kernels in turn, on the same memory") {
  Lab lab;
  // The first copies A to B, the second, whose parameters come in another order, B to C.
  Job j = job("copy 1 0 256\n");
  j.buffers.push_back({"C", 256, Role::Output, {}});
  j.launches.push_back(j.launches[0]);
  j.launches[1].symbol = "second";
  j.launches[1].cubin = "kernel second\ncopy 0 1 256\n";
  j.launches[1].grid = {3, 1, 1};
  j.launches[1].params = {{JobParam::Kind::Pointer, 2, 0, {}}, {JobParam::Kind::Pointer, 1, 0, {}}};
  j.repeats = 2;
  Outcome out = lab.runner.run(j);
  REQUIRE(out.status == Status::Done);
  CHECK(out.buffers[2].contents == j.buffers[0].contents);
  CHECK(out.buffers[2].unwritten == 0);
  CHECK(out.measured.cold.size() == 2);  // of both together
  CHECK(lab.noted("launch 3 1 1  1 1 1  shared 0"));
  CHECK(plan_to_json(*plan_from_json(plan_to_json(j))) == plan_to_json(j));
  // A fault of the second is a fault.
  j.launches[1].cubin = "kernel second\nfault 700\n";
  CHECK(lab.runner.run(j).status == Status::Fault);
  // Nothing to launch is no plan.
  j.launches.clear();
  CHECK(!plan_from_json(plan_to_json(j)).has_value());
}

TEST_CASE("run: tensor maps as parameters, in constant and in global memory") {
  auto with_map = [](const std::string& program, MapPlace place) {
    Job j = job("copy 1 0 256\n" + program);
    j.launches[0].params.push_back({JobParam::Kind::TensorMap, 0, 0, {}});
    j.launches[0].tensor_maps.push_back(
        {place, place == MapPlace::Constant ? "k_map" : "", 0, 0, 0, {256}, {}, {64}, {1}, 0, 0, 0, 0});
    if (place == MapPlace::Constant) j.launches[0].params.pop_back();
    return j;
  };
  for (auto& [program, place] :
       {std::pair{"map 2\n", MapPlace::Parameter}, std::pair{"map_of k_map\nvariable k_map 128\n", MapPlace::Constant},
        std::pair{"map_at 2\n", MapPlace::Global}}) {
    Lab lab;
    Job j = with_map(program, place);
    REQUIRE(lab.runner.run(j).status == Status::Done);
    CHECK(lab.noted("map 4711"));
    CHECK(plan_to_json(*plan_from_json(plan_to_json(j))) == plan_to_json(j));
  }
  Lab lab;
  Outcome out = lab.runner.run(with_map("", MapPlace::Constant));
  CHECK(out.status == Status::NotLaunched);
  CHECK(says(out.message, "the cubin has no variable k_map for the tensor map of A"));
  out = lab.runner.run(with_map("variable k_map 64\n", MapPlace::Constant));
  CHECK(says(out.message, "the variable k_map is no tensor map"));
}

TEST_CASE("run: tensors larger than what moves at once, with and without pinned memory") {
  constexpr std::int64_t kBytes = (70 << 20) + 24;  // three pieces
  for (const char* pinned : {"1000000000", "1000"}) {
    Lab lab(std::chrono::seconds(60), "1", FAKE_CUDA, pinned);
    Job j = job("copy 1 0 " + std::to_string(kBytes - 8) + "\npoke 0 40000000 1\n");
    j.buffers[0].bytes = j.buffers[1].bytes = kBytes;
    j.buffers[0].contents = Contents::of_size(kBytes);
    for (std::int64_t i = 0; i < kBytes; i += 4096) j.buffers[0].contents.data()[i] = static_cast<char>(i >> 12);
    Outcome out = lab.runner.run(j);
    REQUIRE(out.status == Status::Done);
    CHECK((out.buffers[1].contents.view().substr(0, kBytes - 8) == j.buffers[0].contents.view().substr(0, kBytes - 8)));
    CHECK(out.buffers[1].unwritten == 8);
    // An input that changed is told with what it became; what was given stays.
    CHECK(out.buffers[0].changed == 1);
    CHECK(out.buffers[0].contents.view()[40000000] == 1);
    CHECK(j.buffers[0].contents.view()[40000000] == 0);
  }
}

TEST_CASE("run: this machine's memory is used up to a limit") {
  Lab lab;
  GpuOptions options = lab.options(std::chrono::seconds(60), "1", FAKE_CUDA, "");
  options.memory_limit = 511;
  GpuExecutor small(options);
  Outcome out = small.run(job("copy 1 0 256\n"));
  CHECK(out.status == Status::NotLaunched);
  CHECK(says(out.message, "the tensors take 512 bytes of this machine's memory; at most 511 are used"));
  CHECK(small.processes() == 0);
  CHECK(default_memory_limit() > 1 << 20);
}
