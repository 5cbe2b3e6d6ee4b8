#!/usr/bin/env python3
"""Allocations of a real Slurm cluster on this machine: granted, waited for, used again, taken away, and always given back.

    slurm_test.py PROBE        PROBE: tests/remote/launch_probe.cpp
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slurm_cluster

PATIENCE = 40  # seconds until something that must happen has not


def setUpModule():
    global cluster
    cluster = slurm_cluster.Cluster(cpus=4, gpus=2, settings=SETTINGS)
    cluster.__enter__()


def tearDownModule():
    cluster.__exit__()


# Memory is handed out like processors: a step that took all of it would keep the others waiting.
SETTINGS = "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100"


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        if time.monotonic() > end:
            raise AssertionError(f"{PATIENCE} s have passed without {what}; jobs: {cluster.jobs()}")
        time.sleep(0.02)
    return value


class Probe:
    """A client: says "command" and reads what it got."""

    def __init__(self, address, env=None):
        self.process = subprocess.Popen([PROBE, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=env or CaseOfSlurm.env, text=True, start_new_session=True)
        self.lines, self.told = [], []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        CaseOfSlurm.probes.append(self)

    def read(self):
        for line in self.process.stdout:
            (self.told if line.startswith("told ") else self.lines).append(line.rstrip("\n"))

    def ask(self):
        before = len([l for l in self.lines if not l.startswith("slots")])
        self.process.stdin.write("command\n")
        self.process.stdin.flush()
        return lambda: ([l for l in self.lines if not l.startswith("slots")][before:] or [None])[0]

    def command(self):
        line = until(self.ask(), "an answer of the client")
        kind, _, rest = line.partition(" ")
        assert kind == "command", line
        return json.loads(rest)

    def failure(self):
        line = until(self.ask(), "an answer of the client")
        assert line.startswith("failed "), line
        return line[7:]

    def end(self):
        self.process.stdin.close()
        self.gone()

    def kill(self, how):
        self.process.send_signal(how)
        self.gone()
        self.process.stdin.close()

    def gone(self):
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()


def job_of(command):
    return next(w.split("=")[1] for w in command if w.startswith("--jobid="))


def children_of_holders():
    """Processes that hold allocations: holders and their salloc."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().decode(errors="replace").split("\0")
            with open(f"/proc/{pid}/environ", "rb") as f:
                ours = f"SLURM_CONF={cluster.conf}".encode() in f.read()
        except OSError:
            continue
        if ours and ("slurm-holder" in words[1:2] or words[0] == "salloc"):
            found.append((int(pid), words))
    return found


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


class CaseOfSlurm(unittest.TestCase):
    env = None
    probes = []

    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="tilewright-state-")
        CaseOfSlurm.env = dict(cluster.env, XDG_RUNTIME_DIR=self.state)
        self.addCleanup(shutil.rmtree, self.state)

    def tearDown(self):
        for probe in CaseOfSlurm.probes:  # of a test that failed
            if probe.process.poll() is None:
                probe.kill(signal.SIGKILL)
        CaseOfSlurm.probes.clear()
        self.nothing_left()

    def nothing_left(self):
        until(lambda: not cluster.jobs(), "all jobs being given back")
        until(lambda: not children_of_holders(), "all holders being gone")

    def run_step(self, command, **options):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=PATIENCE, **options)


class Granted(CaseOfSlurm):
    def test_steps_share_one_allocation_that_ends_with_the_command(self):
        probe = Probe("slurm:partition=gpu,gres=gpu:h100:1,slots=2,time=5,command=/bin/echo")
        command = probe.command()
        self.assertEqual(probe.lines[0], "slots 2")
        self.assertEqual(self.run_step(command).stdout, "worker --stdio\n")
        self.assertEqual(job_of(probe.command()), job_of(command))
        self.assertEqual(len(cluster.jobs()), 1)
        # A GPU each, at the same time: both wait for the other's word.
        both = [subprocess.Popen(command[:-3] + ["sh", "-c", "echo $CUDA_VISIBLE_DEVICES; read x; echo $x"], env=self.env,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        gpus = {p.stdout.readline().strip() for p in both}
        self.assertEqual(gpus, {"0", "1"})
        for p in both:
            self.assertEqual(p.communicate("bye\n", timeout=PATIENCE)[0], "bye\n")
        probe.end()
        self.assertEqual(cluster.jobs(), [], "the allocation outlives the command")

    def test_a_killed_client_leaves_nothing(self):
        probe = Probe("slurm:partition=gpu,slots=2")
        probe.command()
        probe.kill(signal.SIGKILL)
        self.nothing_left()

    def test_a_killed_holder_leaves_nothing_and_the_client_gets_another(self):
        probe = Probe("slurm:command=/bin/echo")
        first = job_of(probe.command())
        holder = next(pid for pid, words in children_of_holders() if "slurm-holder" in words)
        os.kill(holder, signal.SIGKILL)
        until(lambda: not cluster.jobs(), "the job being given back")
        command = probe.command()
        self.assertNotEqual(job_of(command), first)
        self.assertEqual(self.run_step(command).stdout, "worker --stdio\n")
        probe.end()
        # Told to end while its command ends, salloc of 22.05 now and then waits for that command for ever. It has given
        # its job back by then; those of holders that live are not left out.
        until(lambda: not cluster.jobs(), "all jobs being given back")
        holders = [pid for pid, words in children_of_holders() if "slurm-holder" in words]
        for pid, words in children_of_holders():
            try:
                if words[0] == "salloc" and parent_of(pid) not in holders:
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass  # it has ended

    def test_an_allocation_that_is_taken_away_is_renewed_a_few_times(self):
        probe = Probe("slurm:")
        jobs = [job_of(probe.command())]
        for _ in range(3):
            subprocess.run(["scancel", jobs[-1]], env=self.env, check=True)
            until(lambda: not cluster.jobs(), "the end of the cancelled job")
            jobs.append(job_of(probe.command()))
        self.assertEqual(len(set(jobs)), 4)
        self.assertEqual(len([t for t in probe.told if "has ended" in t]), 3)
        subprocess.run(["scancel", jobs[-1]], env=self.env, check=True)
        until(lambda: not cluster.jobs(), "the end of the cancelled job")
        self.assertRegex(probe.failure(), "has ended 4 times.*sacct")
        probe.end()

    def test_memory_is_shared_between_steps_or_as_wished(self):
        for address, mem in (("slurm:slots=2", "--mem=0"), ("slurm:slots=2,mem=300M", "--mem=300M")):
            probe = Probe(address)
            command = probe.command()
            self.assertIn(mem, command)
            both = [subprocess.Popen(command[:-3] + ["sh", "-c", "echo here; read x"], env=self.env, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True) for _ in range(2)]
            self.assertEqual([p.stdout.readline() for p in both], ["here\n"] * 2)
            for p in both:
                p.communicate("\n", timeout=PATIENCE)
            probe.end()


class Queued(CaseOfSlurm):
    def setUp(self):
        super().setUp()
        self.other = Probe("slurm:slots=4")
        self.other.command()

    def tearDown(self):
        if self.other.process.poll() is None:
            self.other.end()
        super().tearDown()

    def waiting(self):
        probe = Probe("slurm:partition=gpu,slots=3")
        answer = probe.ask()
        until(lambda: any("PENDING" in j for j in cluster.jobs()), "a job in the queue")
        return probe, answer

    def test_waiting_is_told_and_ends_with_the_grant(self):
        probe, answer = self.waiting()
        until(lambda: probe.told, "a word about the queue")
        self.assertIn("waiting in the queue of partition gpu", probe.told[0])
        second = Probe("slurm:partition=gpu,slots=2")
        second.ask()
        until(lambda: any("1 ahead" in t for t in second.told), "a word about who is ahead")
        self.other.end()
        self.assertRegex(until(answer, "the grant"), "^command .*--jobid=")
        second.kill(signal.SIGKILL)
        probe.end()

    def test_a_stop_leaves_the_queue(self):
        probe, answer = self.waiting()
        probe.kill(signal.SIGTERM)
        until(lambda: len(cluster.jobs()) == 1, "the queue being left")
        self.assertEqual(probe.lines[-1], "failed  | ")

    def test_a_killed_client_leaves_the_queue(self):
        probe, _ = self.waiting()
        probe.kill(signal.SIGKILL)
        until(lambda: len(cluster.jobs()) == 1, "the queue being left")

    def test_a_killed_holder_leaves_the_queue(self):
        probe, answer = self.waiting()
        holder = next(pid for pid, words in children_of_holders() if "slurm-holder" in words and "--ntasks=3" in words)
        os.kill(holder, signal.SIGKILL)
        until(lambda: len(cluster.jobs()) == 1, "the queue being left")
        self.assertRegex(until(answer, "an answer"), "^failed ")
        probe.end()

    def test_patience_has_an_end_where_one_is_wished(self):
        probe = Probe("slurm:slots=3,wait=1")
        self.assertRegex(probe.failure(), "no allocation within 1 s.*wait=SECONDS")
        until(lambda: len(cluster.jobs()) == 1, "the queue being left")
        probe.end()


class Kept(CaseOfSlurm):
    def test_the_next_command_uses_it_and_it_ends_by_itself(self):
        first = Probe("slurm:slots=2,keep=3")
        job = job_of(first.command())
        first.end()
        self.assertEqual(len(cluster.jobs()), 1)
        second = Probe("slurm:slots=2,keep=3")
        self.assertEqual(job_of(second.command()), job)
        # Another command's wish, or a second one at the same time, gets its own.
        for address in ("slurm:slots=1,keep=1", "slurm:slots=2,keep=1"):
            other = Probe(address)
            self.assertNotEqual(job_of(other.command()), job)
            other.end()
            until(lambda: len(cluster.jobs()) == 1, "the end of the other")
        # In use, its time does not run: nor after a client that was killed does it end at once.
        second.kill(signal.SIGKILL)
        again = Probe("slurm:slots=2,keep=3")
        self.assertEqual(job_of(again.command()), job)
        again.end()
        self.nothing_left()
        self.assertEqual(os.listdir(os.path.join(self.state, "tilewright")), [])

    def test_a_record_without_its_job_is_passed_over(self):
        first = Probe("slurm:keep=60")
        job = job_of(first.command())
        first.end()
        records = os.path.join(self.state, "tilewright")
        until(lambda: os.listdir(records), "a record of what is kept")
        # Everything that held it is killed, its file stays.
        for pid, _ in children_of_holders():
            os.kill(pid, signal.SIGKILL)
        subprocess.run(["scancel", job], env=self.env)
        until(lambda: not cluster.jobs(), "the end of the job")
        self.assertEqual(len(os.listdir(records)), 1)
        second = Probe("slurm:keep=60")
        self.assertNotEqual(job_of(second.command()), job)
        second.end()
        for job in cluster.jobs():
            subprocess.run(["scancel", job.split()[0]], env=self.env)
        self.nothing_left()
        self.assertEqual(os.listdir(records), [])

    def test_one_that_was_cancelled_in_use_is_replaced(self):
        first = Probe("slurm:keep=60")
        job = job_of(first.command())
        first.end()
        second = Probe("slurm:keep=1")
        self.assertEqual(job_of(second.command()), job)
        subprocess.run(["scancel", job], env=self.env)
        until(lambda: not cluster.jobs(), "the end of the job")
        self.assertNotEqual(job_of(second.command()), job)
        second.end()


class Around(CaseOfSlurm):
    def test_a_surrounding_job_is_used_and_left_alone(self):
        outer = subprocess.Popen(["salloc", "-N1", "-n2", "--mem-per-cpu=100", "sh", "-c", "env; echo; read x"], env=self.env,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        env = dict(l.rstrip("\n").split("=", 1) for l in iter(outer.stdout.readline, "\n") if "=" in l)
        inner = {k: v for k, v in env.items() if k.startswith("SLURM_")}
        probe = Probe("slurm:command=/bin/echo", env=dict(self.env, **inner))
        command = probe.command()
        self.assertEqual(job_of(command), inner["SLURM_JOB_ID"])
        self.assertEqual(probe.lines[0], "slots 2")
        done = subprocess.run(command, env=dict(self.env, **inner), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.stdout, done.stderr), ("worker --stdio\n", ""))
        probe.end()
        self.assertEqual(len(cluster.jobs()), 1)
        outer.communicate("\n", timeout=PATIENCE)
        until(lambda: not cluster.jobs(), "the end of the outer job")


class Refused(CaseOfSlurm):
    def fails(self, address, words, env=None):
        probe = Probe(address, env)
        self.assertRegex(probe.failure(), words)
        probe.end()

    def test_what_the_cluster_does_not_have(self):
        self.fails("slurm:partition=nope", "Invalid partition name")
        self.fails("slurm:gres=gpu:a100:1", "node configuration is not available")
        self.fails("slurm:slots=64", "would wait for ever.*PartitionConfig|configuration is not available")

    def test_no_slurm_here(self):
        self.fails("slurm:", "no salloc on the PATH.*login node", env=dict(self.env, PATH="/nowhere"))

    def test_a_controller_that_is_away(self):
        with open(cluster.conf) as f:
            text = re.sub(r"SlurmctldPort=\d+", f"SlurmctldPort={slurm_cluster.free_port()}", f.read())
        away = os.path.join(self.state, "slurm.conf")
        with open(away, "w") as f:
            f.write(text)
        shutil.copy(os.path.join(cluster.folder, "gres.conf"), self.state)
        probe = Probe("slurm:", dict(self.env, SLURM_CONF=away))
        self.assertRegex(probe.failure(), "Slurm gives no allocation.*controller")
        self.assertIn("has not answered yet", probe.told[0])
        probe.end()


if __name__ == "__main__":
    if problem := slurm_cluster.reason_not():
        print(f"SKIPPED: no test of Slurm ran: {problem}", file=sys.stderr)
        sys.exit(77)
    PROBE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
