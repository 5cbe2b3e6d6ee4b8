"""What the binary answers, as dataclasses. Made by packaging/python_types.py of protocol/schema; do not edit."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from tilewright._answer import Answer


@dataclass(frozen=True)
class Accesses(Answer):
    """How accesses of threads are counted: as NVIDIA's compiler joins them into wider ones, or as the script writes them."""

    counted_as: str
    why: Optional[str]
    changed: List[AccessesChanged]


@dataclass(frozen=True)
class AccessesChanged(Answer):
    line: int
    kind: str
    written: int
    made: int


@dataclass(frozen=True)
class Call(Answer):
    """One evaluated call of a tile primitive: before unrolling, after inlining."""

    range: Optional[Range]
    chain: List[Optional[Range]]
    primitive: str
    scope: str
    forced: Optional[str]
    active: CallActive
    variant: Optional[str]
    trials: List[Trial]
    facts: Dict[str, Union[int, str, List[Any]]]
    operands: Optional[List[Operand]] = None
    summary: Optional[str] = None
    width: Optional[str] = None


@dataclass(frozen=True)
class CallActive(Answer):
    inter: Dict[str, List[Union[int, str]]]
    intra: Dict[str, List[Union[int, str]]]
    kind: str


@dataclass(frozen=True)
class CheckReport(Answer):
    files: List[str]
    diagnostics: List[Diagnostic]
    silenced: Optional[List[Silenced]] = None
    not_checked: Optional[List[CheckReportNotChecked]] = None
    failures: Optional[List[Failure]] = None
    dialects: Optional[List[CheckReportDialect]] = None
    counts: Optional[CheckReportCount] = None


@dataclass(frozen=True)
class CheckReportCount(Answer):
    """How many there are of each; `fixable`: findings with a fix; `unchecked`: functions that were not looked at; `failures`: files that could not be; `fixes_not_tried`: findings with a fix that was not tried for lack of time."""

    files: int
    kernels: int
    errors: int
    warnings: int
    fixable: int
    silenced: int
    unchecked: int
    failures: int
    fixes_not_tried: int


@dataclass(frozen=True)
class CheckReportDialect(Answer):
    file: str
    release: str
    source: str
    why: str


@dataclass(frozen=True)
class CheckReportNotChecked(Answer):
    what: str
    message: str


@dataclass(frozen=True)
class Compilation(Answer):
    kernels: List[CompiledKernel]
    diagnostics: List[Diagnostic]
    files: List[str]
    failures: Optional[List[Failure]] = None


@dataclass(frozen=True)
class CompiledKernel(Answer):
    name: str
    entry: str
    entry_kind: str
    range: Optional[Range]
    failed: bool
    launch: Optional[Launch]
    calls: List[Call]
    tensor_maps: List[TensorMap]
    arch: str
    arch_from: CompiledKernelArchFrom
    sources: CompiledKernelSource
    dialect: Dialect
    plan: Optional[Plan] = None
    call: Optional[HostCall] = None
    resources: Optional[CompiledKernelResource] = None
    source_map: Optional[List[CompiledKernelSourceMap]] = None


@dataclass(frozen=True)
class CompiledKernelArchFrom(Answer):
    """Who chose the architecture: --arch, the script's comment, tilewright.toml, KERNEL_META, the kernel's own calls (the one that asked for it, and its place), or the default."""

    source: str
    call: Optional[str] = None
    range: Optional[Range] = None


@dataclass(frozen=True)
class CompiledKernelResource(Answer):
    registers: int
    spill_stores: int
    spill_loads: int
    static_shared_bytes: int
    stack_bytes: int
    barriers: int


@dataclass(frozen=True)
class CompiledKernelSource(Answer):
    """The texts asked for with --emit; cubin in base64."""

    tirx: Optional[str] = None
    lowered: Optional[str] = None
    cuda: Optional[str] = None
    ptx: Optional[str] = None
    cubin: Optional[str] = None
    sass: Optional[str] = None
    host: Optional[str] = None
    host_runtime: Optional[str] = None


@dataclass(frozen=True)
class CompiledKernelSourceMap(Answer):
    cuda: int
    range: Optional[Range]
    chain: List[Optional[Range]]
    ptx: List[int]
    sass: List[int]


@dataclass(frozen=True)
class Contest(Answer):
    ratio: float
    interval: List[float]
    probability: float
    significant: bool


@dataclass(frozen=True)
class Counted(Answer):
    global_read: Sectors
    global_write: Sectors
    shared_read: Wavefronts
    shared_write: Wavefronts
    atomics: int
    atomic_requests: int
    atomic_turns: int
    operations: int
    copied_global_bytes: int
    copied_global_sectors: int
    copied_shared_bytes: int
    copied_shared_wavefronts: EngineWavefronts
    tensor_operations: int
    barrier_waits: int
    barrier_meetings: int
    uncounted: int


@dataclass(frozen=True)
class Diagnostic(Answer):
    """One finding; `tilewright explain CODE` says what its code means."""

    code: str
    severity: str
    message: str
    range: Optional[Range]
    related: List[Related]
    hint: str
    chain: Optional[List[Optional[Range]]] = None
    fixes: Optional[List[Fix]] = None
    fixes_not_tried: Optional[bool] = None


@dataclass(frozen=True)
class Dialect(Answer):
    """The release of the dialect that the script is written in, and what says so."""

    release: str
    source: str
    why: str


@dataclass(frozen=True)
class EngineWavefronts(Answer):
    """Wavefronts of shared memory for bulk and tensor copies and for operands of tensor cores."""

    from_: str
    needed: Optional[int] = None
    ideal: Optional[int] = None
    why: Optional[str] = None


@dataclass(frozen=True)
class Entries(Answer):
    entries: List[EntriesEntry]
    needs_arguments: List[EntriesNeedsArgument]
    registered: Optional[List[EntriesRegistered]] = None
    failures: Optional[List[Failure]] = None
    dialect: Optional[Dialect] = None


@dataclass(frozen=True)
class EntriesEntry(Answer):
    entry: str
    kind: str
    kernels: List[str]
    range: Optional[Range]


@dataclass(frozen=True)
class EntriesNeedsArgument(Answer):
    factory: str
    range: Optional[Range]


@dataclass(frozen=True)
class EntriesRegistered(Answer):
    name: str
    category: str
    architectures: List[str]
    file: str


@dataclass(frozen=True)
class ExplainedKernel(Answer):
    name: str
    entry: str
    calls: List[Call]
    occupancy: Optional[Occupancy] = None


@dataclass(frozen=True)
class Explanation(Answer):
    kernels: List[ExplainedKernel]
    diagnostics: List[Diagnostic]
    failures: Optional[List[Failure]] = None
    dialect: Optional[Dialect] = None
    time: Optional[List[KernelTime]] = None


@dataclass(frozen=True)
class Failure(Answer):
    file: str
    message: str


@dataclass(frozen=True)
class Figure(Answer):
    """A number and where it comes from; 0 where it is not available. `counted as written`: counted, and NVIDIA's compiler may make another number of instructions of what the script writes."""

    value: float
    from_: str


@dataclass(frozen=True)
class Fix(Answer):
    title: str
    edits: List[FixEdit]


@dataclass(frozen=True)
class FixEdit(Answer):
    range: Optional[Range]
    text: str


@dataclass(frozen=True)
class HostCall(Answer):
    """How a program calls the kernel: what it gives in the script's order, and what the launch passes for it. With --emit plan."""

    signature: List[HostCallSignature]
    arguments: List[HostCallArgument]
    values: List[HostCallValue]
    checks: List[HostCallCheck]
    maps: List[HostCallMap]
    refused: Optional[str] = None


@dataclass(frozen=True)
class HostCallArgument(Answer):
    kind: str
    of: Optional[str] = None
    byte_offset: Optional[List[Union[int, str]]] = None
    name: Optional[str] = None
    dtype: Optional[str] = None
    value: Optional[Union[int, str]] = None
    map: Optional[int] = None


@dataclass(frozen=True)
class HostCallCheck(Answer):
    condition: Union[int, str]
    message: str


@dataclass(frozen=True)
class HostCallMap(Answer):
    symbol: str
    type: int


@dataclass(frozen=True)
class HostCallSignature(Answer):
    name: str
    kind: str
    dtype: str
    range: Optional[Range]
    shape: Optional[List[Union[int, str]]] = None
    strides: Optional[List[Union[int, str]]] = None
    first: Optional[Union[int, str]] = None
    align: Optional[int] = None
    access: Optional[str] = None


@dataclass(frozen=True)
class HostCallValue(Answer):
    name: str
    value: Union[int, str]


@dataclass(frozen=True)
class KernelTime(Answer):
    """The model of a kernel's time: what is counted, modelled or measured is said in `tilewright explain --time`."""

    name: str
    entry: str
    time_is: str
    why: Optional[str] = None
    us: Optional[float] = None
    low_us: Optional[float] = None
    high_us: Optional[float] = None
    launch_us: Optional[float] = None
    parts_us: Optional[KernelTimePartsU] = None
    bound: Optional[str] = None
    device: Optional[str] = None
    clock_ghz: Optional[float] = None
    measured_on: Optional[str] = None
    ctas: Optional[int] = None
    ctas_simulated: Optional[int] = None
    ctas_per_sm: Optional[int] = None
    occupancy: Optional[str] = None
    waves: Optional[int] = None
    path_cycles: Optional[float] = None
    sectors: Optional[int] = None
    tensor_operations: Optional[int] = None
    tensor_bytes: Optional[int] = None
    operations_per_byte: Optional[float] = None
    lines: Optional[List[KernelTimeLine]] = None
    waits: Optional[List[KernelTimeWait]] = None
    advice: Optional[List[Diagnostic]] = None
    occupied: Optional[KernelTimeOccupied] = None
    roofline: Optional[KernelTimeRoofline] = None
    path: Optional[KernelTimePath] = None
    accesses: Optional[Accesses] = None
    instructions_are: Optional[str] = None


@dataclass(frozen=True)
class KernelTimeLine(Answer):
    file: str
    line: int
    text: str
    primitive: str
    variant: str
    share: float
    instructions: KernelTimeLineInstruction
    fused: int
    busy_cycles: float
    stalled_cycles: float
    waited_cycles: float
    path_cycles: float


@dataclass(frozen=True)
class KernelTimeLineInstruction(Answer):
    """Of lanes, as the simulator's program has them."""

    integer: int
    float: int
    double: int
    special: int
    conversion: int
    memory: int
    control: int
    call: int


@dataclass(frozen=True)
class KernelTimeOccupied(Answer):
    ctas_per_sm: int
    warps_per_sm: int
    most_warps_per_sm: int
    bound: str
    threads: int
    shared_bytes: int
    registers: Figure


@dataclass(frozen=True)
class KernelTimePartsU(Answer):
    """Each part that can bound the kernel, alone."""

    path: float
    issue: float
    shared: float
    l2: float
    tensor: float
    device_l2: float
    device_dram: float
    ctas: float
    special: float


@dataclass(frozen=True)
class KernelTimePath(Answer):
    words: str
    bounded_by: ScriptLine
    share: Figure
    what: str
    waited_for_at: Optional[ScriptLine]
    starved_steps: str


@dataclass(frozen=True)
class KernelTimeRoofline(Answer):
    device: str
    operations_of: str
    bytes_of: str
    operations: Figure
    bytes: Figure
    operations_per_byte: Figure
    ridge: Figure
    roof_per_second: Figure
    reached_per_second: Figure
    bound: str


@dataclass(frozen=True)
class KernelTimeWait(Answer):
    at: ScriptLine
    for_: ScriptLine
    what: str
    times: int
    cycles: float
    most: float
    steps: List[float]


@dataclass(frozen=True)
class Launch(Answer):
    grid: List[int]
    block: List[int]
    cluster: List[int]
    dynamic_shared_bytes: int
    preferred_cluster: Optional[List[int]] = None


@dataclass(frozen=True)
class Meaning(Answer):
    code: str
    title: str
    explanation: str


@dataclass(frozen=True)
class Occupancy(Answer):
    """How many CTAs one SM holds, by their threads and shared memory alone; absent where the launch is not known."""

    arch: str
    threads: int
    shared_bytes: int
    ctas_per_sm: int
    warps_per_sm: int
    most_warps_per_sm: int
    bound: str
    without: str


@dataclass(frozen=True)
class Operand(Answer):
    """A region of a buffer, or a scalar with its value."""

    name: Optional[str]
    role: Optional[str] = None
    region: Optional[str] = None
    buffer: Optional[str] = None
    dtype: Optional[str] = None
    scope: Optional[str] = None
    shape: Optional[List[Union[int, str]]] = None
    layout: Optional[str] = None
    value: Optional[str] = None


@dataclass(frozen=True)
class Plan(Answer):
    """What a launcher needs to know."""

    symbol: str
    launch: Launch
    params: List[PlanParam]
    attributes: PlanAttribute
    static_shared_bytes: int
    dynamic_shared_bytes: int
    tensor_maps: List[TensorMap]


@dataclass(frozen=True)
class PlanAttribute(Answer):
    min_blocks_per_sm: Optional[int] = None
    persistent: Optional[bool] = None


@dataclass(frozen=True)
class PlanParam(Answer):
    name: str
    kind: str
    dtype: str
    shape: List[Union[int, str]]
    strides: Optional[List[Union[int, str]]]


@dataclass(frozen=True)
class Position(Answer):
    """Line and column from 1; columns count code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Profile(Answer):
    """What the run asks of the hardware, by line of the script, the most costly first."""

    counted_by: str
    cost_is: str
    total: Counted
    global_bytes: int
    operations_per_byte: float
    lines: List[ProfileLine]
    advice: List[Diagnostic]
    buffers: List[ProfileBuffer]
    complete: bool
    accesses: Accesses
    kernels: Optional[List[KernelTime]] = None


@dataclass(frozen=True)
class ProfileBuffer(Answer):
    name: str
    row_bytes: int
    rows: int
    used_by_copies: bool
    wavefronts: int
    ideal: int
    advised: Optional[str]
    others: List[ProfileBufferOther]


@dataclass(frozen=True)
class ProfileBufferOther(Answer):
    layout: str
    wavefronts: int


@dataclass(frozen=True)
class ProfileLine(Answer):
    global_read: Sectors
    global_write: Sectors
    shared_read: Wavefronts
    shared_write: Wavefronts
    atomics: int
    atomic_requests: int
    atomic_turns: int
    operations: int
    copied_global_bytes: int
    copied_global_sectors: int
    copied_shared_bytes: int
    copied_shared_wavefronts: EngineWavefronts
    tensor_operations: int
    barrier_waits: int
    barrier_meetings: int
    uncounted: int
    file: str
    line: int
    text: str
    cost: float
    chain: List[Optional[Range]]


@dataclass(frozen=True)
class Range(Answer):
    """A place in a script, end exclusive; null where there is none."""

    file: str
    start: Position
    end: Position


@dataclass(frozen=True)
class Related(Answer):
    range: Optional[Range]
    message: str


@dataclass(frozen=True)
class RunReport(Answer):
    """One kernel, executed to verify it, and on a GPU several times to time it. Times are in microseconds."""

    kernel: str
    entry: str
    arch: str
    device: RunReportDevice
    launch: Launch
    extents: Dict[str, int]
    seed: int
    status: str
    error: str
    fault: Optional[RunReportFault]
    findings: List[Diagnostic]
    tensors: List[Tensor]
    timing: Optional[RunReportTiming]
    printed: str
    problems: List[str]
    notes: List[str]
    verdict: str
    secret_seed: Optional[bool] = None
    silenced: Optional[List[Silenced]] = None
    part: Optional[str] = None
    launches: Optional[List[Launch]] = None
    watches: Optional[List[RunReportWatch]] = None
    unseen: Optional[int] = None
    file: Optional[str] = None
    where: Optional[str] = None
    attempt: Optional[int] = None
    seconds: Optional[float] = None
    profile: Optional[Profile] = None
    samples: Optional[Samples] = None
    timeline: Optional[RunReportTimeline] = None
    diagnostics: Optional[List[Diagnostic]] = None


@dataclass(frozen=True)
class RunReportDevice(Answer):
    name: str
    arch: str
    driver_version: int
    multiprocessors: int
    memory_bytes: int


@dataclass(frozen=True)
class RunReportFault(Answer):
    range: Optional[Range]
    reason: str


@dataclass(frozen=True)
class RunReportTimeline(Answer):
    """With --trace, of a GPU: what the marks cost and what they recorded, measured."""

    marks: int
    ctas: int
    plain_us: float
    marked_us: float
    spanned_us: float
    left_out: int


@dataclass(frozen=True)
class RunReportTiming(Answer):
    """With the L2 cache emptied before each launch."""

    launches: List[float]
    median_us: float
    min_us: float
    max_us: float
    p20_us: float
    p80_us: float
    stable: bool
    bytes: int
    floor_us: Optional[float]
    suspect: bool
    hot: Spread
    copy: Optional[RunReportTimingCopy]
    against: Optional[RunReportTimingAgainst]
    checked_rounds: int
    changed_inputs: int
    beyond_us: float
    conditions: RunReportTimingCondition


@dataclass(frozen=True)
class RunReportTimingAgainst(Answer):
    name: str
    cold: Spread
    hot: Spread
    compared_cold: Optional[Contest]
    compared_hot: Optional[Contest]


@dataclass(frozen=True)
class RunReportTimingCondition(Answer):
    driver: Optional[str] = None
    sm_mhz: Optional[List[int]] = None
    sm_limit_mhz: Optional[int] = None
    memory_mhz: Optional[int] = None
    celsius: Optional[List[int]] = None
    watts: Optional[float] = None
    throttled: Optional[bool] = None
    reasons: Optional[List[str]] = None
    samples: Optional[int] = None
    absent: Optional[str] = None


@dataclass(frozen=True)
class RunReportTimingCopy(Answer):
    launches: List[float]
    median_us: float
    min_us: float
    max_us: float
    p20_us: float
    p80_us: float
    stable: bool
    bytes: int
    fraction: float


@dataclass(frozen=True)
class RunReportWatch(Answer):
    expression: str
    line: int
    dtype: str
    loops: List[str]
    elements: List[str]
    rows: List[RunReportWatchRow]


@dataclass(frozen=True)
class RunReportWatchRow(Answer):
    cta: List[int]
    thread: int
    loops: List[int]
    values: List[Union[float, str]]


@dataclass(frozen=True)
class Samples(Answer):
    """Where the warps of a GPU were when their program counters were sampled, by line of the script, and what they waited for."""

    counted_by: Optional[str]
    absent: Optional[str] = None
    missing: Optional[str] = None
    samples: Optional[int] = None
    attributed: Optional[int] = None
    taken: Optional[int] = None
    dropped: Optional[int] = None
    elsewhere: Optional[int] = None
    rounds: Optional[int] = None
    seconds: Optional[float] = None
    period: Optional[int] = None
    waits: Optional[List[Wait]] = None
    lines: Optional[List[SamplesLine]] = None


@dataclass(frozen=True)
class SamplesLine(Answer):
    file: str
    line: int
    text: str
    callers: List[Optional[Range]]
    chain: List[Optional[Range]]
    primitive: Optional[str]
    variant: Optional[str]
    samples: int
    waits: List[Wait]
    instructions: List[SamplesLineInstruction]


@dataclass(frozen=True)
class SamplesLineInstruction(Answer):
    launch: int
    offset: int
    sass: str
    samples: int


@dataclass(frozen=True)
class ScriptLine(Answer):
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Sectors(Answer):
    requests: int
    sectors: int
    ideal: int
    bytes: int
    worst: int


@dataclass(frozen=True)
class Silenced(Answer):
    """A finding that is silenced, and why."""

    code: str
    severity: str
    message: str
    range: Optional[Range]
    related: List[Related]
    hint: str
    reason: str
    chain: Optional[List[Optional[Range]]] = None


@dataclass(frozen=True)
class Spread(Answer):
    """Times of launches, in their order."""

    launches: List[float]
    median_us: float
    min_us: float
    max_us: float
    p20_us: float
    p80_us: float
    stable: bool


@dataclass(frozen=True)
class Tensor(Answer):
    name: str
    dtype: str
    shape: List[int]
    bytes: int
    role: str
    source: str
    sha256: Optional[str] = None
    bytes_outside: Optional[int] = None
    bytes_changed: Optional[int] = None
    bytes_unwritten: Optional[int] = None
    bytes_unstable: Optional[int] = None
    comparison: Optional[TensorComparison] = None
    file: Optional[str] = None


@dataclass(frozen=True)
class TensorComparison(Answer):
    expected_from: str
    rtol: float
    atol: float
    elements: int
    mismatches: int
    max_absolute: float
    max_relative: float
    first: Optional[TensorComparisonFirst]
    ulps: List[TensorComparisonUlp]
    producer: Optional[TensorComparisonProducer] = None


@dataclass(frozen=True)
class TensorComparisonFirst(Answer):
    element: int
    index: List[int]
    got: Optional[float]
    expected: Optional[float]


@dataclass(frozen=True)
class TensorComparisonProducer(Answer):
    """Of the first mismatch: the statement that wrote it, as the simulator finds it; absent: it does not know, or no statement wrote it."""

    range: Optional[Range]
    cta: List[int]
    thread: int


@dataclass(frozen=True)
class TensorComparisonUlp(Answer):
    least: int
    most: Optional[int]
    elements: int


@dataclass(frozen=True)
class TensorMap(Answer):
    """As cuTensorMapEncodeTiled takes it: innermost first, strides in bytes, CUDA's enum values."""

    name: str
    param: str
    byte_offset: Union[int, str]
    dtype: str
    rank: int
    dims: List[Union[int, str]]
    strides: List[Union[int, str]]
    box: List[Union[int, str]]
    element_strides: List[Union[int, str]]
    interleave: int
    swizzle: int
    l2_promotion: int
    oob_fill: int


@dataclass(frozen=True)
class Trial(Answer):
    """One variant that was tried, in the order of trying."""

    variant: str
    priority: int
    outcome: str
    reason: str


@dataclass(frozen=True)
class Wait(Answer):
    """How many of the samples found a warp that waited for one thing."""

    reason: str
    words: str
    advice: Optional[str]
    samples: int


@dataclass(frozen=True)
class Wavefronts(Answer):
    requests: int
    wavefronts: int
    ideal: int
    bytes: int
    worst: int


# The classes of the objects in each field.
Accesses._made_of = {"changed": AccessesChanged}
Call._made_of = {"range": Range, "chain": Range, "active": CallActive, "trials": Trial, "operands": Operand}
CheckReport._made_of = {"diagnostics": Diagnostic, "silenced": Silenced, "not_checked": CheckReportNotChecked, "failures": Failure, "dialects": CheckReportDialect, "counts": CheckReportCount}
Compilation._made_of = {"kernels": CompiledKernel, "diagnostics": Diagnostic, "failures": Failure}
CompiledKernel._made_of = {"range": Range, "launch": Launch, "calls": Call, "tensor_maps": TensorMap, "arch_from": CompiledKernelArchFrom, "sources": CompiledKernelSource, "plan": Plan, "call": HostCall, "resources": CompiledKernelResource, "source_map": CompiledKernelSourceMap, "dialect": Dialect}
CompiledKernelArchFrom._made_of = {"range": Range}
CompiledKernelSourceMap._made_of = {"range": Range, "chain": Range}
Counted._made_of = {"global_read": Sectors, "global_write": Sectors, "shared_read": Wavefronts, "shared_write": Wavefronts, "copied_shared_wavefronts": EngineWavefronts}
Diagnostic._made_of = {"range": Range, "related": Related, "chain": Range, "fixes": Fix}
Entries._made_of = {"entries": EntriesEntry, "needs_arguments": EntriesNeedsArgument, "registered": EntriesRegistered, "failures": Failure, "dialect": Dialect}
EntriesEntry._made_of = {"range": Range}
EntriesNeedsArgument._made_of = {"range": Range}
ExplainedKernel._made_of = {"calls": Call, "occupancy": Occupancy}
Explanation._made_of = {"kernels": ExplainedKernel, "diagnostics": Diagnostic, "failures": Failure, "dialect": Dialect, "time": KernelTime}
Fix._made_of = {"edits": FixEdit}
FixEdit._made_of = {"range": Range}
HostCall._made_of = {"signature": HostCallSignature, "arguments": HostCallArgument, "values": HostCallValue, "checks": HostCallCheck, "maps": HostCallMap}
HostCallSignature._made_of = {"range": Range}
KernelTime._made_of = {"parts_us": KernelTimePartsU, "lines": KernelTimeLine, "waits": KernelTimeWait, "advice": Diagnostic, "occupied": KernelTimeOccupied, "roofline": KernelTimeRoofline, "path": KernelTimePath, "accesses": Accesses}
KernelTimeLine._made_of = {"instructions": KernelTimeLineInstruction}
KernelTimeOccupied._made_of = {"registers": Figure}
KernelTimePath._made_of = {"bounded_by": ScriptLine, "share": Figure, "waited_for_at": ScriptLine}
KernelTimeRoofline._made_of = {"operations": Figure, "bytes": Figure, "operations_per_byte": Figure, "ridge": Figure, "roof_per_second": Figure, "reached_per_second": Figure}
KernelTimeWait._made_of = {"at": ScriptLine, "for_": ScriptLine}
Plan._made_of = {"launch": Launch, "params": PlanParam, "attributes": PlanAttribute, "tensor_maps": TensorMap}
Profile._made_of = {"total": Counted, "lines": ProfileLine, "advice": Diagnostic, "buffers": ProfileBuffer, "kernels": KernelTime, "accesses": Accesses}
ProfileBuffer._made_of = {"others": ProfileBufferOther}
ProfileLine._made_of = {"global_read": Sectors, "global_write": Sectors, "shared_read": Wavefronts, "shared_write": Wavefronts, "copied_shared_wavefronts": EngineWavefronts, "chain": Range}
Range._made_of = {"start": Position, "end": Position}
Related._made_of = {"range": Range}
RunReport._made_of = {"device": RunReportDevice, "launch": Launch, "fault": RunReportFault, "findings": Diagnostic, "tensors": Tensor, "timing": RunReportTiming, "silenced": Silenced, "launches": Launch, "watches": RunReportWatch, "profile": Profile, "samples": Samples, "timeline": RunReportTimeline, "diagnostics": Diagnostic}
RunReportFault._made_of = {"range": Range}
RunReportTiming._made_of = {"hot": Spread, "copy": RunReportTimingCopy, "against": RunReportTimingAgainst, "conditions": RunReportTimingCondition}
RunReportTimingAgainst._made_of = {"cold": Spread, "hot": Spread, "compared_cold": Contest, "compared_hot": Contest}
RunReportWatch._made_of = {"rows": RunReportWatchRow}
Samples._made_of = {"waits": Wait, "lines": SamplesLine}
SamplesLine._made_of = {"callers": Range, "chain": Range, "waits": Wait, "instructions": SamplesLineInstruction}
Silenced._made_of = {"range": Range, "related": Related, "chain": Range}
Tensor._made_of = {"comparison": TensorComparison}
TensorComparison._made_of = {"first": TensorComparisonFirst, "ulps": TensorComparisonUlp, "producer": TensorComparisonProducer}
TensorComparisonProducer._made_of = {"range": Range}
