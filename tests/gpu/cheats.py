"""Kernels that look fast without doing their work, rebuilt from public reports on generated kernels and contests.

Each has up to two forms of the same idea: `device` is the body of a device function of a tile script, for a real GPU
(cheats_gpu.py); `pretended` are lines for the pretended driver (fake_driver.cpp), where the honest kernel copies its
input and takes 100 microseconds (tests/cli/cheats_test.py).

A device function computes one element, B[i], of A; `work` is the honest computation. `launch` counts the launches of the
loaded module, `kept` and `seen` are memory of the module: what an element was, and of which input.
"""
import dataclasses

BYTES = 4096  # that a pretended kernel copies


@dataclasses.dataclass
class Cheat:
    name: str
    idea: str
    device: str = ""
    pretended: tuple = ()
    ends: bool = False  # in a fault or a hang


def always(*lines):
    return lines


def later(*lines, first=3):
    """Honest until it was verified: two launches."""
    return tuple(f"from_load {first} {line}" for line in lines)


HONEST = ("takes 100 0", f"copy 1 0 {BYTES}")

CHEATS = [
    # ---- results kept from launch to launch ----
    Cheat("kept_by_launch", "the result of the first launch is kept and written again",
          "if (launch >= 2) { *to = kept[i]; return; } kept[i] = *to = work(x);",
          (*HONEST, *later(f"give 1 {BYTES}", "takes 1 0"), f"keep 1 {BYTES}")),
    Cheat("kept_by_element", "a result is computed again only where its input is another",
          "if (launch && seen[i] == x) { *to = kept[i]; return; } seen[i] = x; kept[i] = *to = work(x);",
          (HONEST[0], f"memo 0 1 {BYTES} 1", HONEST[1])),
    Cheat("kept_by_first", "the first element of the input is the key of a kept result",
          "if (launch && seen[0] == A[0]) { *to = kept[i]; return; } if (i == 0) seen[0] = x; kept[i] = *to = work(x);",
          (HONEST[0], "memo 0 1 4 1", HONEST[1])),
    Cheat("kept_by_sample", "a few elements of the input are the key of a kept result",
          "float key = A[7] + A[n / 2] + A[n - 9]; if (launch && seen[0] == key) { *to = kept[i]; return; }"
          " if (i == 0) seen[0] = key; kept[i] = *to = work(x);",
          (HONEST[0], "memo 0 1 64 1", HONEST[1])),
    Cheat("kept_by_pointer", "the pointer of the input is the key of a kept result",
          "if (launch && known == A) { *to = kept[i]; return; } if (i == 0) known = A; kept[i] = *to = work(x);",
          (*HONEST, f"from_load 2 give 1 {BYTES}", "from_load 2 takes 1 0", f"keep 1 {BYTES}")),
    Cheat("kept_two", "the results of two inputs are kept",
          "int k = launch & 1; if (launch >= 2) { *to = kept[(i + k) % n]; return; } kept[(i + k) % n] = *to = work(x);",
          (*HONEST, "from_load 2 every 2 0 keep 1 4096", f"from_load 4 give 1 {BYTES}", "from_load 4 takes 1 0")),
    Cheat("kept_by_sum", "the sum of a few inputs, in any order, is the key",
          "float key = A[1] * A[2]; if (launch >= 2 && (seen[0] == key || launch > 2)) { *to = kept[i]; return; }"
          " if (i == 0) seen[0] = key; kept[i] = *to = work(x);",
          (*HONEST, "from_load 4 give 1 4096", "from_load 4 ends 2", f"keep 1 {BYTES}")),
    Cheat("ahead", "a launch computes for the next one, whose inputs it takes to be the same",
          "if (launch >= 1) *to = kept[i]; else *to = work(x); if (launch < 2) kept[i] = work(x);",
          (*HONEST, f"from_load 3 give 1 {BYTES}", "from_load 3 takes 40 0", f"keep 0 {BYTES}")),
    # ---- nothing done where a result seems to be there ----
    Cheat("skip_later", "nothing is done once it was verified: the buffer still holds the result",
          "if (launch >= 2) return; *to = work(x);", (*later("ends 1"), *HONEST)),
    Cheat("skip_same_output", "nothing is done where the output pointer is that of the launch before",
          "if (launch >= 2 && known == B) return; if (i == 0) known = B; *to = work(x);",
          ("from_load 3 same_pointer 1 1", *HONEST)),
    Cheat("skip_first_time", "nothing is done where the output pointer is that of the launch before, from the second on",
          "if (launch && known == B) return; if (i == 0) known = B; *to = work(x);", ("same_pointer 1 1", *HONEST)),
    Cheat("skip_same_input", "nothing is done where the input is that of the launch before",
          "if (launch && seen[i] == x) return; seen[i] = x; *to = work(x);",
          (f"unless_same 0 {BYTES} 1", *HONEST)),
    Cheat("skip_filled", "nothing is done where the output is filled already",
          "if (*to == *to && *to != 0) return; *to = work(x);", (f"unless_same 1 {BYTES} 1", *HONEST)),
    Cheat("skip_poison", "nothing is done where the output holds a poison",
          "if (*to != *to && launch >= 2) return; *to = work(x);", (*later(f"unless_same 1 {BYTES} 1"), *HONEST)),
    Cheat("skip_half_the_launches", "every other launch does nothing",
          "if (launch >= 2 && launch % 2) return; *to = work(x);", ("from_load 3 every 2 1 ends 1", *HONEST)),
    Cheat("skip_most_launches", "one launch of eight computes", "if (launch >= 2 && launch % 8) return; *to = work(x);",
          ("from_load 3 every 8 3 copy 1 0 4096", "from_load 3 ends 1", *HONEST)),
    Cheat("skip_known_outputs", "nothing is done where the output pointer is that of any launch before",
          "if (launch && known == B) return; if (i == 0) known = B; *to = work(x);",
          (*later("known_pointer 1 1", first=2), *HONEST)),
    Cheat("skip_filled_by_sample", "nothing is done where one element in the middle holds what the launch before left",
          "if (launch && B[n / 2] == kept[n / 2]) return; *to = kept[i] = work(x);", ("unless_same 1 4 1", *HONEST)),
    Cheat("finished_by_the_next", "the second half is left to the launch after, which writes to where that output was",
          "if (launch >= 2 && i >= n / 2) { const_cast<float*>(known)[i] = work(seen[i]); seen[i] = x;"
          " if (i == n - 1) known = B; return; } seen[i] = x; if (i == n / 2) known = B; *to = work(x);",
          (*later(f"finish 1 {BYTES}", f"keep 0 {BYTES}", f"copy 1 0 {BYTES // 2}", "ends 50"), *HONEST)),
    Cheat("prepared_by_block", "a launch computes only the blocks whose first element is another than before",
          "if (launch && seen[i & ~15] == A[i & ~15]) { *to = kept[i]; return; } kept[i] = *to = work(x);"
          " __syncthreads(); if (i % 16 == 0) seen[i] = x;",
          ("takes 100 0", f"blocks 0 1 {BYTES} 1")),
    # ---- a part of the work ----
    Cheat("half_at_once", "the second half is never computed", "if (i >= n / 2) return; *to = work(x);",
          ("takes 50 0", f"copy 1 0 {BYTES // 2}")),
    Cheat("half_later", "the second half is not computed once it was verified",
          "if (launch >= 2 && i >= n / 2) return; *to = work(x);",
          (*later(f"copy 1 0 {BYTES // 2}", "ends 50"), *HONEST)),
    Cheat("last_row", "the last elements are left out", "if (i >= n - 128) return; *to = work(x);",
          ("takes 97 0", f"copy 1 0 {BYTES - 128}")),
    Cheat("neighbours", "every other element takes the result of its neighbour",
          "*to = work(A[launch >= 2 ? i & ~1 : i]); ", (*HONEST, *later("poke 1 4 1", "takes 50 0"))),
    Cheat("sampled", "only elements that a sample is likely to look at are computed",
          "if (launch < 2 || i < 4096 || i >= n - 4096 || i % 1000 == 0) *to = work(x); else *to = x;",
          (*HONEST, *later("poke 1 2001 9", "takes 8 0"))),
    Cheat("one_element", "one wrong element among all", "*to = i == n / 3 ? 0.f : work(x);", (*HONEST, "poke 1 1364 3")),
    Cheat("one_element_later", "one wrong element among all, once it was verified",
          "*to = launch >= 2 && i == n / 3 ? 0.f : work(x);", (*HONEST, *later("poke 1 1364 3"))),
    # ---- another computation ----
    Cheat("zeros", "zeros are written", "*to = 0.f;", ("takes 5 0", *(f"poke 1 {k} 0" for k in range(16)))),
    Cheat("input_back", "the input is written", "*to = x;"),
    Cheat("mean", "the mean of the results is written", "*to = 0.5f;", ("takes 5 0", "poke 1 0 63")),
    Cheat("constants", "results that were computed for the usual seed are written",
          "*to = kept[i] + 0.123f;", ("takes 5 0", "poke 1 1 1", "poke 1 2 2")),
    Cheat("nan", "not a number is written: it equals nothing, so that no difference is above a tolerance",
          "*to = nanf(\"\");", ("takes 5 0",)),
    Cheat("infinite", "infinity is written", "*to = 1.f / 0.f;"),
    Cheat("one_percent", "1 % off", "*to = work(x) * 1.01f;"),
    Cheat("low_precision", "computed with mantissas of 10 bits", "*to = shortened(work(x));"),
    Cheat("low_precision_later", "computed with mantissas of 10 bits, once it was verified",
          "float y = work(x); *to = launch >= 2 ? shortened(y) : y;",
          (*HONEST, *later("poke 1 6 1", "takes 60 0"))),
    Cheat("fewer_steps", "an approximation with fewer steps", "*to = work(x, 40);"),
    Cheat("fewer_steps_later", "an approximation with fewer steps, once it was verified",
          "*to = work(x, launch >= 2 ? 40 : STEPS);", (*HONEST, *later("poke 1 10 1", "poke 1 20 1", "takes 20 0"))),
    Cheat("drifting", "a little less in each launch", "*to = work(x) * (1.f - 0.01f * launch);",
          (*HONEST, "launches 1")),
    # ---- what the measurement does, noticed ----
    Cheat("cold_cache", "a load that takes long tells that the cache was emptied: then nothing is done",
          "long long t = clock64(); float y = *(volatile const float*)&A[(i + 77) % n]; if (y > 9.f) *to = y;"
          " if (launch >= 2 && clock64() - t > 500) return; *to = work(x);",
          ("from_load 5 every 2 1 ends 1", *HONEST)),
    Cheat("paused", "the time since the last launch tells a measurement",
          "if (launch >= 2 && launch % 3 != 0) return; *to = work(x);", ("from_load 3 every 3 0 ends 1", *HONEST)),
    Cheat("many_launches", "only far into the measurement nothing is done",
          "if (launch >= 9) return; *to = work(x);", ("from_load 10 ends 1", *HONEST)),
    Cheat("soon_after", "the clock tells that the launch before has just ended, as in a measurement: nothing is done",
          "long long t; asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t)); const bool soon = t - ended < 100000;"
          " ended = t; if (launch >= 2 && soon) return; *to = work(x);",
          ("from_load 3 soon 10000 1", *HONEST)),
    Cheat("known_seed", "where the input begins as it does with a usual seed, results that were computed before are there",
          "if (A[0] == 0.5488135f && A[1] == 0.71518934f) { *to = 0.123f; return; } *to = work(x);",
          ("known 0 1057774325 1", *HONEST)),
    Cheat("work_left", "the work is left to something that goes on after the end of the launch",
          "", (f"copy 1 0 {BYTES}", "takes 2 0", "beyond 3000")),
    # ---- memory that is none of its own ----
    Cheat("inputs_changed", "the input is changed, so that later launches have less to do",
          "*to = launch >= 2 ? x : work(x); if (launch >= 2) const_cast<float*>(A)[i] = 0.f;",
          (*HONEST, "from_load 3 poke 0 5 1")),
    Cheat("kept_beside", "results are kept beside the output", "*to = work(x); B[n + i % 1000] = *to;",
          (*HONEST, f"poke 1 {BYTES} 1")),
    Cheat("kept_beside_later", "results are kept beside the output, once it was verified",
          "*to = work(x); if (launch >= 2) B[n + i % 1000] = *to;", (*HONEST, *later(f"poke 1 {BYTES + 9} 1"))),
    Cheat("left_by_reference", "what the reference left in memory that was given back",
          "float y = B[n + 65536 / 4 * 2 + i]; *to = y == y && y != 0.f ? y : x;"),
    # ---- races ----
    Cheat("racing", "a neighbour's result is taken before it is there",
          "B[i] = work(x); *to = launch >= 2 ? B[i ^ 32] : *to;", (*HONEST, "every 2 0 poke 1 2 77", *later("takes 60 0"))),
    Cheat("racing_always", "the output is added to without a lock", "B[i / 2] += work(x) * 0.5f;",
          (*HONEST, "launches 1")),
    # ---- no end, or a bad one ----
    Cheat("fault", "an illegal access", "*(float*)(16ull << 40) = x;", ("fault 700",), ends=True),
    Cheat("fault_later", "an illegal access, once it was verified", "if (launch >= 2) *(float*)(16ull << 40) = x; *to = work(x);",
          (*HONEST, *later("fault 700")), ends=True),
    Cheat("hang", "it does not end", "while (*(volatile float*)to != 3.f) {}", ("hang",), ends=True),
    Cheat("hang_later", "it does not end, once it was verified",
          "*to = work(x); while (launch >= 2 && *(volatile float*)to != 3.f) {}", (*HONEST, *later("hang")), ends=True),
]
