#include "server/worker/confinement.h"

#include "compiler/toolchain/confine.h"
#include "server/worker/worker.h"

namespace tilewright::worker {

std::string confinement_words() { return "confinement: " + toolchain::confinement_here().words(); }

std::string wrong_with_confinement(bool for_strangers, bool unconfined) {
  const toolchain::Confinement here = toolchain::confinement_here();
  if (here.is_floor()) return {};
  std::string missing = "this kernel does not confine processes that work for clients (it has: " + here.words() +
                        "; needed are seccomp and Landlock, of Linux 5.13 or newer)";
  if (for_strangers && !unconfined) return missing;
  Worker::log("warning: " + missing + "; jobs can read what this user can");
  return {};
}

}  // namespace tilewright::worker
