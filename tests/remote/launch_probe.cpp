// Starts workers at a place as a command of ours does, step by step, for tests that look at what is started and what is
// left. It obeys lines of its standard input: "command" prints the words of the next worker's command as a JSON list,
// "install" copies this program to the place, "offer" asks before ("yes" is answered); the end of the input ends it.
// Ctrl-C and a polite kill stop what waits.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

#include "compiler/text/json.h"
#include "server/remote/holder.h"
#include "server/remote/install.h"
#include "server/remote/launch.h"

using namespace tilewright;

namespace {

std::stop_source stopped;

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

void install(const remote::Place& place, const std::string& how) {
  auto told = [](const std::string& line) { say("told " + line); };
  const auto yes = [](const std::string& question) {
    say("asked " + question);
    return true;
  };
  if (how == "install") {
    const auto path = remote::install(place, false, told, stopped.get_token());
    say(path ? "installed " + *path : "failed " + path.error().message + " | " + path.error().hint);
  } else {
    const auto offered =
        remote::offer_install(place, false, how == "offer" ? yes : remote::Confirm(), told, stopped.get_token());
    say(!offered ? "failed " + offered.error().message + " | " + offered.error().hint : *offered ? "offered" : "there");
  }
}

int obey(const char* address) {
  const auto place = remote::parse_place(address);
  if (!place) {
    say("failed " + place.error().message + " | " + place.error().hint);
    return 2;
  }
  const auto launcher = remote::make_launcher(*place, false, [](const std::string& line) { say("told " + line); });
  if (!launcher) return 2;
  say("slots " + std::to_string(launcher->slots()));
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "command") {
      install(*place, line);
      continue;
    }
    const auto words = launcher->command(stopped.get_token());
    if (!words) {
      say("failed " + words.error().message + " | " + words.error().hint);
      continue;
    }
    say("command " + nlohmann::json(*words).dump());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // As the binary itself: a reader that is gone is an error of writing.
  std::signal(SIGPIPE, SIG_IGN);
  if (argc > 2 && std::string_view(argv[1]) == "slurm-holder") return remote::slurm_holder_main(argc, argv);
  // As what is installed, it is a tilewright.
  if (argc > 1 && std::string_view(argv[1]) == "--version") return 0;
  if (argc > 1 && std::string_view(argv[1]) == "worker") {
    say("a worker");
    return 0;
  }
  if (argc != 2) return 2;
  // Before any thread: they inherit that these wait for the one that takes them.
  sigset_t polite;
  sigemptyset(&polite);
  sigaddset(&polite, SIGINT);
  sigaddset(&polite, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &polite, nullptr);
  std::thread([polite] {
    int signal = 0;
    ::sigwait(&polite, &signal);
    stopped.request_stop();
    ::close(STDIN_FILENO);
  }).detach();
  return obey(argv[1]);
}
