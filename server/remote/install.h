// Tilewright on a machine that ssh reaches and that has none: this very binary is copied there, over the same ssh.
//
// It lands in ~/.local/share/tilewright/bin/tilewright-VERSION, where worker_command() looks first. The machine is
// asked for its system before, the copy has its checksum compared and is started once before it gets its name: an
// interrupted copy leaves nothing.
#pragma once
#include <functional>
#include <stop_token>

#include "server/remote/allocation.h"
#include "server/remote/place.h"

namespace tilewright::remote {

// Is it there? Asks the machine, where the place is one that this can help: ssh, and no `command` of the user's. The
// error says why the machine cannot be asked.
std::expected<bool, run::Failure> lacks_tilewright(const Place& place, bool terminal, const std::stop_token& stop);

// Copies it, a copy that is there and the same stays. The path there; an empty message as error: it was stopped.
std::expected<std::string, run::Failure> install(const Place& place, bool terminal, const Told& told,
                                                 const std::stop_token& stop);

// The first use of a place that lacks it: asks, if there is a user to ask (`confirm`), and installs. True: it is
// there now, and the worker can be started again. False: it did not lack it. The error: it is not there, and what to
// do.
using Confirm = std::function<bool(const std::string& question)>;
std::expected<bool, run::Failure> offer_install(const Place& place, bool terminal, const Confirm& confirm,
                                                const Told& told, const std::stop_token& stop);

}  // namespace tilewright::remote
