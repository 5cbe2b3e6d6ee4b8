#!/usr/bin/env python3
"""A Slurm cluster of one machine: munged, slurmctld and slurmd with folders and ports of their own, for tests.

    with Cluster() as cluster:                       # None of its parts outlives the block
        subprocess.run(["srun", "hostname"], env=cluster.env)

Two GPUs are pretended (/dev/null and /dev/zero). Needs root and the packages slurm-wlm and munge; reason_not() says what lacks.

    slurm_cluster.py COMMAND…                        runs a command with such a cluster around it
"""
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

PROGRAMS = ("munged", "slurmctld", "slurmd", "salloc", "srun", "squeue", "scancel")


def path_with_sbin():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def reason_not():
    """Why there can be no cluster here; empty: there can."""
    if os.geteuid() != 0:
        return "daemons of Slurm want root"
    missing = [p for p in PROGRAMS if not shutil.which(p, path=path_with_sbin())]
    if missing:
        return f"not installed: {', '.join(missing)} (apt-get install --no-install-recommends slurm-wlm munge)"
    return ""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    def __init__(self, cpus=4, gpus=2, settings=""):
        self.cpus, self.gpus, self.settings = cpus, gpus, settings
        self.started = {}  # name to process
        self.folder = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-slurm-")
        os.chmod(self.folder, 0o755)
        try:
            self.configure()
            self.start("munged")
            self.wait(lambda: os.path.exists(self.munge_socket), "munged")
            self.start("slurmctld")
            self.start("slurmd")
            self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "the node to be idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if "slurmctld" in self.started:
            subprocess.run(["scancel", "--user=root", "--signal=KILL"], env=self.env, capture_output=True, timeout=30)
            subprocess.run(["scancel", "--user=root"], env=self.env, capture_output=True, timeout=30)
            end = time.monotonic() + 10
            while time.monotonic() < end and self.ask("squeue", "-h"):
                time.sleep(0.1)
        for name in ("slurmd", "slurmctld", "munged"):
            self.stop(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def configure(self):
        host = socket.gethostname().split(".")[0]
        here = self.folder
        # The socket of munged has a path of its own, so that a cluster of this machine is left alone.
        munge = os.path.join(here, "munge")
        os.mkdir(munge, 0o755)
        user = pwd.getpwnam("munge")
        key = os.path.join(munge, "key")
        with open(key, "wb") as f:
            f.write(os.urandom(128))
        os.chmod(key, 0o400)
        for path in (munge, key):
            os.chown(path, user.pw_uid, user.pw_gid)
        self.munge_socket = os.path.join(munge, "socket")
        for name in ("state", "spool"):
            os.mkdir(os.path.join(here, name))
        files = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random"][:self.gpus]
        with open(os.path.join(here, "gres.conf"), "w") as f:
            f.writelines(f"Name=gpu Type=h100 File={file}\n" for file in files)
        # Nothing here uses control groups. From 23 on slurmd looks for systemd to make them; before, it looks which version the
        # system has, and ends where a container shows none, unless it is told.
        said = subprocess.run(["slurmctld", "-V"], env=dict(os.environ, PATH=path_with_sbin()), capture_output=True, text=True)
        if version := re.search(r"(\d+)\.", said.stdout):
            with open(os.path.join(here, "cgroup.conf"), "w") as f:
                f.write(f"CgroupPlugin={'disabled' if int(version[1]) >= 23 else 'cgroup/v1'}\n")
        self.conf = os.path.join(here, "slurm.conf")
        with open(self.conf, "w") as f:
            f.write(f"""ClusterName=tilewright
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.munge_socket}
CredType=cred/munge
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
GresTypes=gpu
KillWait=1
SlurmdTimeout=10
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
{self.settings or "SelectTypeParameters=CR_Core"}
NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} RealMemory=2000 Gres=gpu:h100:{self.gpus}
PartitionName=gpu Nodes=ALL Default=YES State=UP
""")
        self.env = dict(os.environ, SLURM_CONF=self.conf, PATH=path_with_sbin())
        for name in [n for n in self.env if n.startswith("SLURM_") and n != "SLURM_CONF"]:
            del self.env[name]

    def start(self, name):
        host = socket.gethostname().split(".")[0]
        munge = os.path.join(self.folder, "munge")
        command = {
            "munged": ["munged", "--foreground", f"--socket={self.munge_socket}", f"--key-file={munge}/key",
                       f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"],
            "slurmctld": ["slurmctld", "-D", "-f", self.conf] + ([] if "slurmctld" in self.started else ["-c"]),
            "slurmd": ["slurmd", "-D", "-f", self.conf, "-N", host],
        }[name]
        options = {"user": "munge", "group": "munge", "extra_groups": []} if name == "munged" else {}
        with open(os.path.join(self.folder, f"{name}.out"), "ab") as log:
            if name == "munged":
                os.chmod(log.name, 0o666)
            self.started[name] = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  start_new_session=True, **options)

    def stop(self, name, how=signal.SIGTERM):
        process = self.started.get(name)
        if not process or process.poll() is not None:
            return
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)

    def wait(self, holds, what, seconds=30):
        end = time.monotonic() + seconds
        while not holds():
            for name, process in self.started.items():
                if process.poll() is not None and name != "slurmd":
                    raise RuntimeError(f"{name} ended with {process.returncode}: {self.log(name)}")
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s for {what}\n" + "\n".join(self.log(n) for n in self.started))
            time.sleep(0.05)

    def log(self, name):
        text = ""
        for suffix in ("log", "out"):
            try:
                with open(os.path.join(self.folder, f"{name}.{suffix}"), errors="replace") as f:
                    text += f.read()[-3000:]
            except OSError:
                pass
        return text

    def wait_for_saved_state(self):
        """Until the controller has written what it knows now, which it does some seconds after each change."""
        path = os.path.join(self.folder, "state", "job_state")
        now = time.time()
        self.wait(lambda: os.path.exists(path) and os.stat(path).st_mtime > now, "the controller to write its state")

    def forget_jobs(self):
        """The controller is killed and comes back without what it knew: it gives the same numbers again."""
        self.stop("slurmctld", signal.SIGKILL)
        del self.started["slurmctld"]  # so that it starts with nothing
        self.start("slurmctld")

    def ask(self, *command):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=30)
        return done.stdout.strip() if done.returncode == 0 else ""

    def jobs(self):
        """The jobs that hold or want something, by id."""
        return self.ask("squeue", "-h", "-o", "%i %T").splitlines()


if __name__ == "__main__":
    if problem := reason_not():
        sys.exit(f"slurm_cluster: {problem}")
    with Cluster() as c:
        sys.exit(subprocess.run(sys.argv[1:] or ["bash"], env=c.env).returncode)
