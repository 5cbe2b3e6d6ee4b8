// Places elsewhere as addresses and settings say them, and the commands that they become.
#include <sys/stat.h>

#include <fstream>

#include "server/remote/consent.h"
#include "server/remote/process.h"
#include "server/remote/record.h"
#include "server/remote/secret.h"
#include "server/remote/slurm.h"
#include "server/remote/ssh.h"
#include "server/remote/words.h"
#include "tests/unit/catch.h"
#include "tests/unit/scratch.h"

using namespace tilewright;
using remote::Kind;

namespace {

remote::Place good(std::string_view address, const std::filesystem::path& folder = {}) {
  auto place = remote::parse_place(address, folder);
  INFO(address << ": " << (place ? "" : place.error().message));
  REQUIRE(place);
  return *place;
}

std::string wrong(std::string_view address) {
  auto place = remote::parse_place(address);
  INFO(address);
  REQUIRE_FALSE(place);
  return place.error().message + " | " + place.error().hint;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

project::Config settings(std::string_view text) {
  auto config = project::parse_config(text, "/project/tilewright.toml");
  INFO((config ? "" : config.error()));
  REQUIRE(config);
  config->file = "/project/tilewright.toml";
  return *config;
}

std::string wrong_settings(std::string_view text) {
  auto config = project::parse_config(text, "tilewright.toml");
  INFO(text);
  REQUIRE_FALSE(config);
  return config.error();
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a client says names and no addresses") {
  for (const char* name : {"", "sim", "gpu", "lab", "gpu 1", "exec", "the-pool"})
    CHECK(!remote::not_from_a_client(name));
  for (const char* address :
       {"exec:true", "exec:", "ssh://x", "slurm:", "tls://x:1", "tcp://127.0.0.1:1", "unix:", "unix:/x", "http://x"}) {
    INFO(address);
    CHECK(remote::not_from_a_client(address).value_or("").contains("is an address"));
  }
}

TEST_CASE("a command is taken apart as a shell does it, without a shell") {
  CHECK(remote::split_words("docker  run\t-i img") == Words{"docker", "run", "-i", "img"});
  CHECK(remote::split_words("a 'b c' \"d $e\" f\\ g ''") == Words{"a", "b c", "d $e", "f g", ""});
  CHECK(remote::split_words(R"("a\"b\\c\d" 'e\f' x"y"'z')") == Words{"a\"b\\c\\d", "e\\f", "xyz"});
  CHECK(remote::split_words("echo $(id); rm *") == Words{"echo", "$(id);", "rm", "*"});
  CHECK(remote::split_words("   ")->empty());
  CHECK_FALSE(remote::split_words("a 'b"));
  CHECK_FALSE(remote::split_words("a \"b"));
  CHECK_FALSE(remote::split_words("a \\"));
  // What is quoted for a shell there is what was meant.
  for (const char* word : {"plain-1.2/x", "two words", "it's", "$HOME", "a;b", "", "*", "\\"}) {
    INFO(word);
    CHECK(remote::split_words(remote::quoted_word(word)) == Words{word});
  }
  CHECK(remote::quoted_word("~/my tools/x") == "~/'my tools/x'");
}

TEST_CASE("addresses become typed places") {
  auto p = good("ssh://ada@gpu1.lab:2222?command=/opt/tile%20wright/bin/x&slots=3");
  CHECK(p.kind == Kind::Ssh);
  CHECK(p.user == "ada");
  CHECK(p.host == "gpu1.lab");
  CHECK(p.port == 2222);
  CHECK(p.command == Words{"/opt/tile", "wright/bin/x"});
  CHECK(p.slots == 3);
  CHECK(p.name == "ssh://ada@gpu1.lab:2222");
  CHECK(good("ssh://gpu2").port == 0);
  CHECK(good("ssh://gpu2/").host == "gpu2");
  CHECK(good("ssh://[fe80::1%25eth0]:22").host == "fe80::1%eth0");
  CHECK(good("ssh://a%40b@gpu2").user == "a@b");

  p = good("exec:docker run -i --gpus all 'my image' tilewright worker --stdio");
  CHECK(p.command == Words{"docker", "run", "-i", "--gpus", "all", "my image", "tilewright", "worker", "--stdio"});
  CHECK(p.name == "exec:docker");
  CHECK(remote::worker_command(p, false) == p.command);

  p = good("tls://lab.example:7600?ca=ca.pem&cert=/c.pem&key=k.pem&token-file=t&name=worker", "/project");
  CHECK(p.host == "lab.example");
  CHECK(p.port == 7600);
  CHECK(p.credentials.ca == "/project/ca.pem");
  CHECK(p.credentials.cert == "/c.pem");
  CHECK(p.credentials.token_file == "/project/t");
  CHECK(p.credentials.name == "worker");
  CHECK(good("tcp://127.0.0.1:7000").port == 7000);
  CHECK(good("tcp://[::1]:7000").host == "::1");
  CHECK(good("tcp://localhost:7000").host == "localhost");
  p = good("unix:run/w.sock?token-file=t&slots=2", "/project");
  CHECK(p.socket == "/project/run/w.sock");
  CHECK(p.credentials.token_file == "/project/t");
  CHECK(p.slots == 2);
  CHECK(p.name == "unix:run/w.sock");
  CHECK(good("unix:w.sock").socket == "w.sock");  // of the user's own folder
  ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  CHECK(good("unix:").socket == "/run/user/7/tilewright-worker.sock");
  ::unsetenv("XDG_RUNTIME_DIR");

  p = good("slurm:partition=gpu,gres=gpu:h100:1,time=1:00:00,account=a%2Cb,slots=4,nodes=2,keep=60,cpus=3,mem=16G");
  CHECK(p.slurm.options.at("partition") == "gpu");
  CHECK(p.slurm.options.at("time") == "1:00:00");
  CHECK(p.slurm.options.at("account") == "a,b");
  CHECK(p.slurm.gres == "gpu:h100:1");
  CHECK(p.slurm.mem == "16G");
  CHECK(p.slurm.cpus == 3);
  CHECK(p.slurm.nodes == 2);
  CHECK(p.slurm.keep == 60);
  CHECK(p.slots == 4);
  CHECK(good("slurm:").slurm.options.empty());
}

TEST_CASE("a wrong address says what is wrong and what is meant") {
  CHECK(has(wrong("lab"), "ssh://HOST"));
  CHECK(has(wrong("http://lab"), "'http' begins no address"));
  CHECK(has(wrong("ssh://"), "host is missing"));
  CHECK(has(wrong("ssh://gpu:x"), "port is a number"));
  CHECK(has(wrong("ssh://gpu:70000"), "65535"));
  CHECK(has(wrong("ssh://gpu:"), "port is missing"));
  CHECK(has(wrong("ssh://gpu/path"), "no path"));
  CHECK(has(wrong("ssh://::1"), "brackets"));
  CHECK(has(wrong("ssh://[::1"), "open"));
  CHECK(has(wrong("ssh://gpu?comand=x"), "did you mean command?"));
  CHECK(has(wrong("ssh://gpu?ca=x"), "there are command, slots"));
  CHECK(has(wrong("ssh://gpu?slots=0"), "slots is a number"));
  CHECK(has(wrong("ssh://gpu?slots"), "NAME=VALUE"));
  CHECK(has(wrong("ssh://gpu?command="), "empty"));
  CHECK(has(wrong("ssh://gpu?command=%zz"), "hexadecimal"));
  CHECK(has(wrong("ssh://gpu?command=a%0Ab"), "control"));
  CHECK(has(wrong("exec:"), "command is empty"));
  CHECK(has(wrong("exec:a 'b"), "open at its end"));
  CHECK(has(wrong("tls://lab"), "tls://lab:PORT"));
  CHECK(has(wrong("tls://lab:1?cert=x"), "go together"));
  CHECK(has(wrong("tls://me@lab:1"), "only ssh://"));
  CHECK(has(wrong("tcp://10.0.0.1:7000"), "tls://10.0.0.1:7000"));
  CHECK(has(wrong("tcp://127.evil.com:7000"), "this machine alone"));
  CHECK(has(wrong("unix:"), "XDG_RUNTIME_DIR"));
  CHECK(has(wrong("unix:/w.sock?ca=x"), "there are token-file, slots"));
  CHECK(has(wrong("slurm:gpu"), "NAME=VALUE"));
  CHECK(has(wrong("slurm:patition=gpu"), "did you mean partition?"));
  CHECK(has(wrong("slurm:mem=lots"), "16G"));
  CHECK(has(wrong("slurm:slots=3,nodes=2"), "multiple"));
  CHECK(has(wrong(std::string("ssh://g\npu")), "control"));
  CHECK(has(wrong("exec:" + std::string(20000, 'x')), "too long"));
  // What ssh would take for an option, and a shell for a command, is no host.
  for (const char* hostile : {"ssh://-oProxyCommand=id", "ssh://a;id", "ssh://$(id)", "ssh://-l@gpu", "ssh://a b"}) {
    wrong(hostile);
  }
}

TEST_CASE("no message repeats what may be a secret") {
  for (const char* address : {"ssh://me:S3CRET@gpu", "tls://lab:1?token=S3CRET", "tls://lab:1?tken-file=S3CRET",
                              "tls://lab:1?password=S3CRET", "slurm:token=S3CRET"}) {
    INFO(address);
    CHECK_FALSE(has(wrong(address), "S3CRET"));
  }
  CHECK_FALSE(has(good("exec:run -e TOKEN=S3CRET img").name, "S3CRET"));
  CHECK_FALSE(has(good("ssh://gpu?command=env%20T=S3CRET%20x").name, "S3CRET"));
}

TEST_CASE("ssh is asked for plain streams, and a password only where a user can answer") {
  const auto words = remote::worker_command(good("ssh://ada@gpu1:2222?command=~/tw%20--x"), false);
  CHECK(words.front() == "ssh");
  auto place_of = [&](const char* word) { return std::ranges::find(words, word) - words.begin(); };
  CHECK(place_of("BatchMode=yes") < std::ssize(words));
  CHECK(place_of("ServerAliveInterval=15") < std::ssize(words));
  CHECK(words[static_cast<std::size_t>(place_of("-p")) + 1] == "2222");
  CHECK(words[static_cast<std::size_t>(place_of("-l")) + 1] == "ada");
  CHECK(Words(words.end() - 3, words.end()) == Words{"--", "gpu1", "exec ~/tw --x worker --stdio"});
  const auto asking = remote::worker_command(good("ssh://gpu1"), true);
  CHECK(std::ranges::find(asking, "BatchMode=yes") == asking.end());
  // One word for the shell there, which starts the version that is installed or what is on the PATH.
  const auto line = remote::split_words(asking.back());
  REQUIRE(line);
  REQUIRE(line->size() == 7);
  CHECK(Words(line->begin(), line->begin() + 3) == Words{"exec", "sh", "-c"});
  CHECK(has((*line)[3], "tilewright-" TILEWRIGHT_VERSION));
  CHECK(Words(line->begin() + 4, line->end()) == Words{"sh", "worker", "--stdio"});
}

TEST_CASE("remotes and pools of the settings are found by their names") {
  const auto config = settings(R"(
[remotes.lab]
at = "tls://lab.example:7600"
token_file = "keys/lab.token"
slots = 2
[remotes.box]
at = "exec:./tools/box.sh worker --stdio"
[remotes.cluster]
at = "slurm:partition=gpu"
gres = "gpu:1"
keep = 30
[pools]
all = ["lab", "ssh://gpu2"]
)");
  auto lab = remote::find_places("lab", config);
  REQUIRE(lab);
  REQUIRE(lab->size() == 1);
  CHECK(lab->front().name == "lab");
  CHECK(lab->front().credentials.token_file == "/project/keys/lab.token");
  CHECK(lab->front().slots == 2);
  CHECK(remote::find_places("box", config)->front().command.front() == "/project/tools/box.sh");
  CHECK(remote::find_places("cluster", config)->front().slurm.gres == "gpu:1");
  CHECK(remote::find_places("cluster", config)->front().slurm.keep == 30);
  auto all = remote::find_places("all", config);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[1].host == "gpu2");
  CHECK(remote::find_places("ssh://other", config)->front().host == "other");
  // An address that the user writes means files of the user's own folder.
  CHECK(remote::find_places("exec:./x", config)->front().command.front() == "./x");

  CHECK(has(remote::find_places("labb", config).error().hint, "did you mean lab?"));
  CHECK(has(remote::find_places("elsewhere", config).error().hint, "all"));
  CHECK(has(remote::find_places("elsewhere", {}).error().hint, "[remotes.elsewhere]"));
  const auto odd = settings("[remotes.a]\nat = \"ssh://gpu\"\nca = \"x\"\n[remotes.b]\nat = \"nothing\"\n");
  CHECK(has(remote::find_places("a", odd).error().message, "the remote 'a': 'ca' is no setting of ssh://"));
  CHECK(has(remote::find_places("b", odd).error().message, "begins no address"));
}

TEST_CASE("what a project's remotes demand is shown, and its content is what a consent is to") {
  testing::Scratch scratch;
  const auto file = scratch.path() / "tilewright.toml";
  auto demand = [&](const std::string& text) {
    auto config = project::parse_config(text, file.string());
    REQUIRE(config);
    config->file = file;
    auto found = remote::demand_of(*config);
    REQUIRE(found);
    return *found;
  };
  CHECK_FALSE(demand("arch = \"sm_90a\"\n"));
  const std::string lab = "[remotes.lab]\nat = \"exec:sh ./w.sh\"\n";
  std::ofstream(scratch.path() / "w.sh") << "exec true\n";
  const auto first = demand(lab);
  REQUIRE(first);
  CHECK(first->acts.front().remote == "lab");
  CHECK(first->acts.front().lines.front() == "runs sh ./w.sh");
  CHECK(has(first->acts.front().lines.back(), "w.sh"));
  CHECK(demand("arch = \"sm_90a\"\n" + lab)->content == first->content);
  CHECK(demand(lab + "slots = 2\n")->content != first->content);
  CHECK(demand(lab + "[pools]\nall = [\"lab\"]\n")->content != first->content);
  std::ofstream(scratch.path() / "w.sh") << "exec false\n";
  CHECK(demand(lab)->content != first->content);
  const auto odd = demand("[remotes.lab]\nat = \"tls://h:1\"\ntoken_file = \"a\\u009b\\u202eb\\u200bc\"\n");
  CHECK(has(remote::words_of(odd->acts), "a\\x9b\\u202eb\\u200bc"));
  // The user's own needs none.
  auto own = project::parse_config(lab, file.string(), project::Owner::User);
  REQUIRE(own);
  CHECK_FALSE(*remote::demand_of(*own));
  CHECK(remote::allowed_places("lab", *own));
}

TEST_CASE("wrong remotes in the settings are told with their line") {
  CHECK(has(wrong_settings("[remotes.lab]\nat = \"ssh://a\"\ntoken = \"x\"\n"),
            "tilewright.toml:3: unknown setting 'token'"));
  CHECK(has(wrong_settings("[remotes.lab]\nslots = 2\n"), "lacks at"));
  CHECK(has(wrong_settings("[remotes]\nlab = \"ssh://a\"\n"), "tilewright.toml:2: remotes.lab is a table"));
  CHECK(has(wrong_settings("[remotes.gpu]\nat = \"ssh://a\"\n"), "no name of a remote"));
  CHECK(has(wrong_settings("[remotes.\"a:b\"]\nat = \"ssh://a\"\n"), "no name of a remote"));
  CHECK(has(wrong_settings("[remotes.lab]\nat = []\n"), "text or a whole number"));
  CHECK(has(wrong_settings("[pools]\np = \"lab\"\n"), "tilewright.toml:2: pools.p is a list"));
  CHECK(has(wrong_settings("[pools]\np = []\n"), "is a list"));
  CHECK(has(wrong_settings("[pools]\np = [\"lab\"]\n"), "there is no remote 'lab'"));
  CHECK(has(wrong_settings("[pools]\np = [\"ssh://a\", \"ssh://a\"]\n"), "twice"));
  CHECK(has(wrong_settings("[remotes.p]\nat = \"ssh://a\"\n[pools]\np = [\"ssh://a\"]\n"), "same name"));
  CHECK(has(wrong_settings("remote = 1\n"), "[remotes] and [pools]"));
}

TEST_CASE("a token is read from a file that no other user can read") {
  testing::Scratch scratch;
  const auto file = scratch.path() / "token";
  auto write = [&](std::string_view text, mode_t mode) {
    std::ofstream(file) << text;
    REQUIRE(::chmod(file.c_str(), mode) == 0);
  };
  write("0123456789abcdef\n", 0600);
  CHECK(remote::read_token(file) == "0123456789abcdef");
  CHECK(remote::check_private(file, "the key"));
  write("0123456789abcdef\n", 0640);
  CHECK(has(remote::read_token(file).error().message, "other users"));
  CHECK(has(remote::read_token(file).error().hint, "chmod 600"));
  CHECK_FALSE(remote::check_private(file, "the key"));
  for (const char* text : {"", "short\n", "S3CRET-0123456789\nS3CRET-0123456789\n", "S3CRET 0123456789 abc\n"}) {
    write(text, 0600);
    auto token = remote::read_token(file);
    REQUIRE_FALSE(token);
    CHECK_FALSE(has(token.error().message + token.error().hint, "S3CRET"));
  }
  write(std::string(5000, 'x'), 0600);
  CHECK_FALSE(remote::read_token(file));
  CHECK(has(remote::read_token(scratch.path() / "none").error().message, "No such file"));
  CHECK(has(remote::read_token(scratch.path()).error().message, "no plain file"));
  const auto fifo = scratch.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(has(remote::read_token(fifo).error().message, "no plain file"));
}

TEST_CASE("an allocation is asked for with room for all slots, a step for one") {
  CHECK(remote::times_gres("gpu", 2) == "gpu:2");
  CHECK(remote::times_gres("gpu:h100", 2) == "gpu:h100:2");
  CHECK(remote::times_gres("gpu:h100:2,nvme", 3) == "gpu:h100:6,nvme:3");
  CHECK(remote::times_memory("16G", 2) == "32G");
  CHECK(remote::times_memory("500", 3) == "1500");
  const auto p = good("slurm:partition=gpu,gres=gpu:h100:1,slots=4,nodes=2,cpus=3,mem=8G,time=10");
  auto words = remote::salloc_command(p.slurm, p.slots);
  auto contains = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  for (const char* word : {"salloc", "--nodes=2", "--ntasks=4", "--ntasks-per-node=2", "--cpus-per-task=3",
                           "--gres=gpu:h100:2", "--mem=16G", "--partition=gpu", "--time=10"}) {
    INFO(word);
    CHECK(contains(word));
  }
  words = remote::step_command(p.slurm, "17", {"/opt/tilewright"});
  for (const char* word :
       {"srun", "--jobid=17", "--exact", "--ntasks=1", "--cpus-per-task=3", "--gres=gpu:h100:1", "--mem=8G"}) {
    INFO(word);
    CHECK(contains(word));
  }
  CHECK(Words(words.end() - 3, words.end()) == Words{"/opt/tilewright", "worker", "--stdio"});
  // In the place of a lost one: beside what that may still hold, but never on a GPU that another has.
  CHECK_FALSE(contains("--overlap"));
  words = remote::step_command(p.slurm, "17", {"tilewright"}, true);
  CHECK_FALSE(contains("--overlap"));
  words = remote::step_command(good("slurm:slots=2").slurm, "17", {"tilewright"}, true);
  CHECK(contains("--overlap"));
}

TEST_CASE("a step inside a job inherits nothing that speaks of the job") {
  constexpr const char* kNames[] = {"SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE",  "SLURM_LABELIO",
                                    "SLURM_WHOLE",    "SLURM_HINT",          "SLURM_NTASKS_PER_GPU", "SLURM_GPUS"};
  for (const char* name : kNames) ::setenv(name, "1", 1);
  const Words words = remote::step_command(good("slurm:").slurm, "17", {"tilewright"});
  for (const char* name : kNames) ::unsetenv(name);
  CHECK(words.front() == "env");
  for (const char* name : kNames) {
    INFO(name);
    const auto at = std::ranges::find(words, name);
    REQUIRE(at != words.end());
    CHECK(*(at - 1) == "-u");
  }
}

TEST_CASE("what salloc says is understood") {
  using Word = remote::SallocWord::Kind;
  auto read = [](std::string_view line) { return remote::read_salloc(line); };
  CHECK(read("salloc: Pending job allocation 12").kind == Word::Pending);
  CHECK(read("salloc: Granted job allocation 12").kind == Word::Granted);
  CHECK(read("salloc: Granted job allocation 12").text == "12");
  CHECK(read("salloc: Job allocation 12 has been revoked.").kind == Word::Revoked);
  CHECK(read("salloc: error: invalid partition specified: nope").text == "invalid partition specified: nope");
  CHECK(read("salloc: job 12 queued and waiting for resources").kind == Word::None);
  CHECK(read("Granted job allocation 12").kind == Word::None);
  CHECK(remote::waits_forever("PartitionTimeLimit"));
  CHECK_FALSE(remote::waits_forever("Resources"));
}

TEST_CASE("an allocation that is kept serves who wishes the same, one at a time") {
  testing::Scratch scratch;
  const auto wish = good("slurm:partition=gpu,slots=2");
  const auto key = remote::wish_key(wish.slurm, 2);
  CHECK(key != remote::wish_key(wish.slurm, 3));
  const auto path = remote::new_record(scratch.path());
  {
    const auto holder = remote::Record::create(path, "17", key);
    REQUIRE(holder);
    CHECK(remote::records_in(scratch.path()) == std::vector<std::filesystem::path>{path});
    CHECK_FALSE(holder->in_use());
    CHECK_FALSE(remote::Record::claim(path, "another key"));
    {
      const auto user = remote::Record::claim(path, key);
      REQUIRE(user);
      CHECK(user->job() == "17");
      CHECK(holder->in_use());
      CHECK_FALSE(holder->lock());
      CHECK_FALSE(remote::Record::claim(path, key));
    }
    CHECK_FALSE(holder->in_use());
    CHECK(holder->lock());
    // A process that opened it before it was removed finds that it is none any more.
    CHECK_FALSE(remote::Record::claim(path, key));
    holder->remove();
  }
  CHECK(remote::records_in(scratch.path()).empty());
  const auto odd = remote::Record::create(path, "17; rm", key);
  REQUIRE(odd);
  CHECK_FALSE(remote::Record::claim(path, key));
}

TEST_CASE("the record of a holder that was killed is removed by the next process that sees it") {
  testing::Scratch scratch;
  const auto path = remote::new_record(scratch.path());
  const std::string key = "slots=1";
  for (const std::string& text : {std::string(), "17\n" + key + "\n"}) {  // killed before it wrote, and after
    std::ofstream(path) << text;
    CHECK_FALSE(remote::Record::claim(path, key));
    CHECK_FALSE(std::filesystem::exists(path));
  }
  // That of a living one stays.
  const auto holder = remote::Record::create(path, "17", key);
  REQUIRE(holder);
  CHECK_FALSE(remote::Record::claim(path, "another key"));
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("a command is given up when it takes too long or is stopped, with all that it started") {
  std::stop_source stop;
  auto done = remote::run_command({"sh", "-c", "cat; echo oops >&2; exit 3"}, {.input = "abc"}, stop.get_token());
  REQUIRE(done);
  CHECK(done->status == 3);
  CHECK(done->output == "abc");
  CHECK(done->errors == "oops\n");
  CHECK(has(remote::run_command({"/no/such/program"}, {}, stop.get_token()).error(), "/no/such/program"));
  CHECK(has(remote::run_command({"sleep", "600"}, {.time = std::chrono::milliseconds(50)}, {}).error(), "no answer"));
  // Endless output is not endless memory.
  auto much = remote::run_command({"sh", "-c", "head -c 5000000 /dev/zero"}, {}, {});
  REQUIRE(much);
  CHECK(much->output.size() == 1u << 20);
  stop.request_stop();
  CHECK(has(remote::run_command({"sleep", "600"}, {}, stop.get_token()).error(), "stopped"));
}
