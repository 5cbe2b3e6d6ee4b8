# The launch of a kernel of tvm_tirx (dialects.md 8): its configuration, and the ids that follow from it.
#
# `X._launch()` is a dict of the kernel under construction, which holds what T.device_entry was given. No variable here
# holds an id: the script names it.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral
from tvm_tirx.script import tirx as X

_MOST_THREADS = 1024
_UINT32 = 0xFFFFFFFF


def _integer(value):
    """The constant that `value` is, or None."""
    return value if isinstance(value, Integral) and not isinstance(value, bool) else None


def _dimensions(value, name):
    if value is None:
        return None
    if not isinstance(value, (tuple, list)):
        value = (value,)
    value = tuple(value)
    if not 1 <= len(value) <= 3:
        raise ValueError(f"{name}= takes one to three dimensions, {len(value)} are given")
    for extent in value:
        if isinstance(extent, (bool, float, str)):
            raise TypeError(f"a dimension of {name}= is an integer, not {extent!r}")
        constant = _integer(extent)
        if constant is not None and not 0 < constant <= _UINT32:
            raise ValueError(f"a dimension of {name}= is {constant}: it must be positive")
    return value


def _within(value, name, low, high):
    constant = _integer(value)
    if isinstance(value, (bool, float, str)):
        raise TypeError(f"{name}= is an integer, not {value!r}")
    if constant is not None and not low <= constant <= high:
        raise ValueError(f"{name}={constant} is outside of {low} to {high}")


def _padded(shape):
    return tuple(shape) + (1,) * (3 - len(shape))


def _divides(grid, by, name, by_name):
    if grid is None or by is None:
        return
    for axis, a, b in zip("xyz", _padded(grid), _padded(by)):
        a, b = _integer(a), _integer(b)
        if a is not None and b is not None and a % b != 0:
            raise ValueError(f"{by_name}= divides {name}= in every dimension, and {a} is no multiple of {b} in {axis}")


class _Choice:
    """One of several words, or its number."""

    def __init__(self, *words):
        self.words = words

    def check(self, value, name):
        if isinstance(value, str) and value not in self.words:
            raise ValueError(f"{name}={value!r} is none of {', '.join(self.words)}")
        constant = _integer(value)
        if constant is not None and not 0 <= constant < len(self.words):
            raise ValueError(f"{name}={constant} is none of {', '.join(self.words)}")


_CHOICES = {
    "cluster_scheduling_policy": _Choice("default", "spread", "load_balancing"),
    "mem_sync_domain": _Choice("default", "remote"),
    "portable_cluster_size_mode": _Choice("default", "require_portable", "allow_non_portable"),
    "shared_memory_mode": _Choice(
        "default", "require_portable", "allow_non_portable", "allow_oversized", "prefer_oversized"
    ),
}


class _Config:
    def _take(self, fields):
        self._fields = fields
        for name, value in fields.items():
            setattr(self, name, value)

    def replace(self, **updates):
        """The same with other values of these fields."""
        fields = dict(self._fields)
        for name, value in updates.items():
            if name not in fields:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            fields[name] = value
        return type(self)(**fields)


class LaunchConfig(_Config):
    """Grid, CTA and cluster of a kernel, and what the driver is told besides."""

    def __init__(
        self,
        *,
        grid,
        block,
        cluster=None,
        preferred_cluster=None,
        dynamic_smem_bytes=None,
        stream=None,
        cooperative=None,
        programmatic_stream_serialization=None,
        cluster_scheduling_policy=None,
        priority=None,
        mem_sync_domain=None,
        mem_sync_domain_map=None,
        access_policy_window=None,
        preferred_shared_memory_carveout=None,
        nvlink_util_centric_scheduling=None,
        portable_cluster_size_mode=None,
        shared_memory_mode=None,
        programmatic_event=None,
        launch_completion_event=None,
    ):
        if grid is None or block is None:
            raise ValueError("LaunchConfig needs grid= and block=")
        self._take(
            {
                "grid": _dimensions(grid, "grid"),
                "block": _dimensions(block, "block"),
                "cluster": _dimensions(cluster, "cluster"),
                "preferred_cluster": _dimensions(preferred_cluster, "preferred_cluster"),
                "dynamic_smem_bytes": dynamic_smem_bytes,
                "stream": stream,
                "cooperative": cooperative,
                "programmatic_stream_serialization": programmatic_stream_serialization,
                "cluster_scheduling_policy": cluster_scheduling_policy,
                "priority": priority,
                "mem_sync_domain": mem_sync_domain,
                "mem_sync_domain_map": mem_sync_domain_map,
                "access_policy_window": access_policy_window,
                "preferred_shared_memory_carveout": preferred_shared_memory_carveout,
                "nvlink_util_centric_scheduling": nvlink_util_centric_scheduling,
                "portable_cluster_size_mode": portable_cluster_size_mode,
                "shared_memory_mode": shared_memory_mode,
                "programmatic_event": programmatic_event,
                "launch_completion_event": launch_completion_event,
            }
        )
        self._check()

    def _check(self):
        threads = 1
        for extent in self.block:
            constant = _integer(extent)
            threads = threads * (1 if constant is None else constant)
        if threads > _MOST_THREADS:
            raise ValueError(f"block= has {threads} threads; a CTA has at most {_MOST_THREADS}")
        if self.preferred_cluster is not None and self.cluster is None:
            raise ValueError("preferred_cluster= needs cluster=")
        _divides(self.grid, self.cluster, "grid", "cluster")
        _divides(self.grid, self.preferred_cluster, "grid", "preferred_cluster")
        _divides(self.preferred_cluster, self.cluster, "preferred_cluster", "cluster")
        if self.dynamic_smem_bytes is not None:
            _within(self.dynamic_smem_bytes, "dynamic_smem_bytes", 0, _UINT32)
        if self.priority is not None:
            _within(self.priority, "priority", -0x80000000, 0x7FFFFFFF)
        if self.preferred_shared_memory_carveout is not None:
            _within(self.preferred_shared_memory_carveout, "preferred_shared_memory_carveout", 0, 100)
        for name, choice in _CHOICES.items():
            if self._fields[name] is not None:
                choice.check(self._fields[name], name)


class KernelAttributes(_Config):
    """What the kernel is compiled for: its launch bounds, or its registers."""

    def __init__(
        self,
        *,
        min_blocks_per_sm=None,
        max_blocks_per_cluster=None,
        max_registers_per_thread=None,
        required_block_size=False,
    ):
        fields = {
            "min_blocks_per_sm": min_blocks_per_sm,
            "max_blocks_per_cluster": max_blocks_per_cluster,
            "max_registers_per_thread": max_registers_per_thread,
        }
        for name, value in fields.items():
            if value is None:
                continue
            if _integer(value) is None:
                raise TypeError(f"{name}= is a constant, not {value!r}")
            if value <= 0:
                raise ValueError(f"{name}={value}: it must be positive")
        if max_blocks_per_cluster is not None and min_blocks_per_sm is None:
            raise ValueError("max_blocks_per_cluster= needs min_blocks_per_sm=")
        bounds = min_blocks_per_sm is not None or max_blocks_per_cluster is not None or required_block_size
        if max_registers_per_thread is not None and bounds:
            raise ValueError("max_registers_per_thread= and launch bounds exclude each other")
        fields["required_block_size"] = required_block_size
        self._take(fields)


class _Words(_Config):
    """A part of a LaunchConfig that changes nothing that a kernel computes."""

    def __init__(self, **fields):
        self._take(fields)


class MemSyncDomainMap(_Words):
    def __init__(self, *, default=0, remote=1):
        _within(default, "default", 0, 255)
        _within(remote, "remote", 0, 255)
        self._take({"default": default, "remote": remote})


class AccessPolicyWindow(_Words):
    def __init__(self, *, base_ptr, num_bytes, hit_ratio=1.0, hit_prop="persisting", miss_prop="normal"):
        if isinstance(hit_ratio, (int, float)) and not 0 <= hit_ratio <= 1:
            raise ValueError(f"hit_ratio={hit_ratio} is outside of 0 to 1")
        for name, value in (("hit_prop", hit_prop), ("miss_prop", miss_prop)):
            _Choice("normal", "streaming", "persisting").check(value, name)
        self._take(
            {
                "base_ptr": base_ptr,
                "num_bytes": num_bytes,
                "hit_ratio": hit_ratio,
                "hit_prop": hit_prop,
                "miss_prop": miss_prop,
            }
        )


class ProgrammaticEvent(_Words):
    def __init__(self, *, event, flags=0, trigger_at_block_start=False):
        self._take({"event": event, "flags": flags, "trigger_at_block_start": trigger_at_block_start})


class LaunchCompletionEvent(_Words):
    def __init__(self, *, event, flags=0):
        self._take({"event": event, "flags": flags})


class BackendConfig(_Words):
    """How the package calls its compiler: nothing here depends on it."""

    def __init__(self, **settings):
        self._take(settings)


def _ids(values):
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _attributes(kernel_attrs, launch):
    if kernel_attrs is None:
        return
    if not isinstance(kernel_attrs, KernelAttributes):
        raise TypeError("kernel_attrs= is a T.cuda.KernelAttributes(...)")
    if kernel_attrs.min_blocks_per_sm is not None:
        if any(_integer(extent) is None for extent in launch.block):
            raise ValueError("min_blocks_per_sm= needs a block= of constants")
        T.attr({"tirx.launch_bounds_min_blocks_per_sm": kernel_attrs.min_blocks_per_sm})
    if kernel_attrs.max_blocks_per_cluster is not None:
        T.attr({"tirx.launch_bounds_max_blocks_per_cluster": kernel_attrs.max_blocks_per_cluster})
    if kernel_attrs.max_registers_per_thread is not None:
        T.attr({"tirx.max_registers": kernel_attrs.max_registers_per_thread})


# What printed kernels say of a launch that the plan has.
_FIELDS = (
    "grid",
    "block",
    "cluster",
    "preferred_cluster",
    "dynamic_smem_bytes",
    "cooperative",
    "programmatic_stream_serialization",
)
_COMPILED = ("min_blocks_per_sm", "max_blocks_per_cluster", "max_registers_per_thread")


class _Region:
    """The device part, as `with T.device_entry(...):` of printed kernels has it."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def _printed(values, attrs):
    """The configuration of a printed launch: its values, and the fields that they are of."""
    fields = {}
    for name, value in zip(attrs["cuda.launch_fields"], values):
        field, _, axis = name.partition(".")
        fields[field] = (*fields.get(field, ()), value) if axis in ("x", "y", "z") else value
    return LaunchConfig(**{name: value for name, value in fields.items() if name in _FIELDS})


def device_entry(*values, launch=None, kernel_attrs=None, backend_config=None, attrs=None):
    """Everything below runs on the device, in the grid that `launch` says."""
    if attrs is not None and "cuda.launch_fields" in attrs:
        launch = _printed(values, attrs)
        compiled = {name: value for name, value in attrs.get("cuda.kernel_attrs", {}).items() if name in _COMPILED}
        kernel_attrs = KernelAttributes(**compiled)
    if launch is None:
        raise ValueError("a kernel for CUDA says its launch: T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))")
    if not isinstance(launch, LaunchConfig):
        raise TypeError("launch= is a T.cuda.LaunchConfig(grid=..., block=...)")
    T.device_entry()
    _attributes(kernel_attrs, launch)
    if _integer(launch.dynamic_smem_bytes) is not None:
        T.attr({"tirx.dyn_smem_bytes": launch.dynamic_smem_bytes})
    if launch.cooperative:
        T.attr({"tirx.use_cooperative_launch": True})
    if launch.programmatic_stream_serialization:
        T.attr({"tirx.use_programmatic_dependent_launch": True})
    X._launch()["config"] = launch
    X._launch()["block_idx"] = _ids(T.cta_id(list(launch.grid)))
    if launch.cluster is not None:
        preferred = None if launch.preferred_cluster is None else list(_padded(launch.preferred_cluster))
        X._launch()["cluster_cta_id"] = _ids(T.cta_id_in_cluster(list(_padded(launch.cluster)), preferred=preferred))
    X._launch()["thread_idx"] = _ids(T.thread_id(list(launch.block)))
    return _Region()


def _config(what):
    if "config" not in X._launch():
        X._no_launch(f"T.cuda.{what}")
    return X._launch()["config"]


def _axis(values, axis, what, beyond):
    if axis not in ("x", "y", "z"):
        raise ValueError(f'T.cuda.{what} takes "x", "y" or "z", not {axis!r}')
    index = "xyz".index(axis)
    return values[index] if index < len(values) else T.int32(beyond)


def block_idx(axis):
    """The index of the CTA in the grid along one axis."""
    _config("block_idx")
    return _axis(X._launch()["block_idx"], axis, "block_idx", 0)


def thread_idx(axis):
    """The index of the thread in its CTA along one axis."""
    _config("thread_idx")
    return _axis(X._launch()["thread_idx"], axis, "thread_idx", 0)


def grid_dim(axis):
    return _axis(_config("grid_dim").grid, axis, "grid_dim", 1) + T.int32(0)


def block_dim(axis):
    return _axis(_config("block_dim").block, axis, "block_dim", 1) + T.int32(0)


def _cluster(what):
    config = _config(what)
    return (1, 1, 1) if config.cluster is None else _padded(config.cluster)


def cluster_dim(axis):
    return _axis(_cluster("cluster_dim"), axis, "cluster_dim", 1) + T.int32(0)


def cluster_cta_id(axis):
    """The index of the CTA in its cluster along one axis."""
    _config("cluster_cta_id")
    return _axis(X._launch().get("cluster_cta_id", ()), axis, "cluster_cta_id", 0)


def cluster_id(axis):
    """The index of the cluster in the grid along one axis."""
    size = _axis(_cluster("cluster_id"), axis, "cluster_id", 1)
    return block_idx(axis) if _integer(size) == 1 else block_idx(axis) // size


def linear_thread_id():
    """The index of the thread in its CTA, counted over all axes."""
    block = _padded(_config("linear_thread_id").block)
    dimensions = len(X._launch()["thread_idx"])
    if dimensions == 1:
        return thread_idx("x")
    if dimensions == 2:
        return thread_idx("y") * block[0] + thread_idx("x")
    return (thread_idx("z") * block[1] + thread_idx("y")) * block[0] + thread_idx("x")


def _threads(what):
    threads = 1
    for extent in _config(what).block:
        if _integer(extent) is None:
            return None
        threads = threads * extent
    return threads


def lane_id():
    """The index of the thread in its warp."""
    threads = _threads("lane_id")
    if threads is not None and threads % 32 == 0:
        return T.lane_id([32])
    return linear_thread_id() % 32


def warp_id():
    """The index of the warp in its CTA, the same in all its lanes."""
    threads = _threads("warp_id")
    if threads is not None and threads % 32 == 0:
        return T.warp_id([threads // 32])
    return linear_thread_id() // 32


def warpgroup_id():
    """The index of the warpgroup in its CTA."""
    threads = _threads("warpgroup_id")
    return T.warpgroup_id([threads // 128]) if threads is not None and threads % 128 == 0 else warp_id() // 4


def warp_in_warpgroup():
    """The index of the warp in its warpgroup."""
    threads = _threads("warp_in_warpgroup")
    return T.warp_id_in_wg([4]) if threads is not None and threads % 128 == 0 else warp_id() % 4


def thread_in_warpgroup():
    """The index of the thread in its warpgroup."""
    threads = _threads("thread_in_warpgroup")
    return T.thread_id_in_wg([128]) if threads is not None and threads % 128 == 0 else linear_thread_id() % 128


def cta_pair_id():
    """0 or 1: which CTA of a pair this is."""
    _config("cta_pair_id")
    return T.cta_id_in_pair()
