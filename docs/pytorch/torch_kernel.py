"""A kernel of a tile script, launched on PyTorch's tensors by its plan.

    tilewright compile scale.py --arch sm_90a --emit cubin,plan -o out

    kernel = Kernel("out/scale.cubin", "out/scale.json")
    kernel(A, B)                        # in PyTorch's current stream; tensors and numbers in the order of the plan's parameters

Copy this file into your project. It needs the driver alone: no compiler, no CUDA toolkit, no tilewright. What a tensor is: an object with data_ptr(), on the device of the
current context, with the shape and the strides of the script. Extents that the script left to the call are not evaluated here.
"""
import ctypes
import json

# CUtensorMapDataType; floats of 8 bits and less are bytes to a tensor map.
MAP_TYPES = {"uint8": 0, "int8": 0, "uint16": 1, "int16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5, "float16": 6, "float32": 7,
             "float64": 8, "bfloat16": 9}
SCALARS = {"int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32, "int64": ctypes.c_int64, "uint8": ctypes.c_uint8,
           "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64, "float32": ctypes.c_float,
           "float64": ctypes.c_double, "bool": ctypes.c_bool}
COOPERATIVE, CLUSTER, OVERLAPS, PREFERRED_CLUSTER = 2, 4, 6, 11  # CUlaunchAttributeID
DYNAMIC_SHARED, OTHER_CLUSTERS = 8, 14  # CUfunction_attribute


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


class TensorMap(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 16)]


def aligned_map():
    """A CUtensorMap lies at a multiple of 64 bytes."""
    memory = ctypes.create_string_buffer(ctypes.sizeof(TensorMap) + 64)
    start = (ctypes.addressof(memory) + 63) // 64 * 64
    out = TensorMap.from_address(start)
    out.memory = memory
    return out


class Kernel:
    def __init__(self, cubin, plan, driver="libcuda.so.1"):
        with open(plan, encoding="utf-8") as f:
            self.plan = json.load(f)
        if self.plan["attributes"].get("tensor_maps"):
            raise ValueError(f"{plan}: its tensor maps are in {self.plan['attributes']['tensor_maps']} memory, use the launcher of --emit host")
        launch = self.plan["launch"]
        for extent in [*launch["grid"], *launch["block"], *launch["cluster"]]:
            if not isinstance(extent, int):
                raise ValueError(f"{plan}: the launch depends on the call ({extent}); compile an entry with numbers")
        self.params = [(p, self.map_of(p)) for p in self.plan["params"]]
        # Of what is given, in order. A tensor may have several maps, and is given once.
        self.names = list(dict.fromkeys(description["param"] if description else p["name"] for p, description in self.params))
        self.driver = ctypes.CDLL(driver)
        self.enter_context()
        with open(cubin, "rb") as f:
            image = f.read()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), image)
        self.check("cuModuleGetFunction", ctypes.byref(self.function), module, self.plan["symbol"].encode())
        if launch["dynamic_shared_bytes"]:
            self.check("cuFuncSetAttribute", self.function, DYNAMIC_SHARED, launch["dynamic_shared_bytes"])
        if launch["cluster"][0] * launch["cluster"][1] * launch["cluster"][2] > 8:
            self.check("cuFuncSetAttribute", self.function, OTHER_CLUSTERS, 1)

    def enter_context(self):
        """That of this thread; where there is none yet, the one that PyTorch uses: the first device's primary context."""
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.check("cuInit", 0)
        self.check("cuCtxGetCurrent", ctypes.byref(context))
        if not context:
            self.check("cuDeviceGet", ctypes.byref(device), 0)
            self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.check("cuCtxSetCurrent", context)

    def check(self, name, *arguments):
        error = getattr(self.driver, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(error, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({error})")

    def tensor_map(self, description, tensor):
        """As the plan says it, over the tensor's memory."""
        def array(kind, values):
            if not all(isinstance(v, int) for v in values):
                raise ValueError(f"{description['name']}: its extents depend on the call; compile an entry with numbers")
            return (kind * max(1, len(values)))(*values)

        out = aligned_map()
        self.check("cuTensorMapEncodeTiled", ctypes.byref(out), MAP_TYPES.get(description["dtype"], 0), description["rank"],
                   ctypes.c_void_p(tensor.data_ptr() + description["byte_offset"]), array(ctypes.c_uint64, description["dims"]),
                   array(ctypes.c_uint64, description["strides"]), array(ctypes.c_uint32, description["box"]),
                   array(ctypes.c_uint32, description["element_strides"]), description["interleave"], description["swizzle"],
                   description["l2_promotion"], description["oob_fill"])
        return out

    def map_of(self, param):
        """What the plan says of a parameter that is a tensor map: by the map's own name, else by its tensor's. None: it is none."""
        if param["kind"] != "tensor_map":
            return None
        maps = self.plan["tensor_maps"]
        return next((m for m in maps if m["name"] == param["name"]), None) or next(m for m in maps if m["param"] == param["name"])

    def attributes(self):
        launch, asked, out = self.plan["launch"], self.plan["attributes"], []
        if launch["cluster"] != [1, 1, 1]:
            out.append((CLUSTER, launch["cluster"]))
        if launch.get("preferred_cluster"):
            out.append((PREFERRED_CLUSTER, launch["preferred_cluster"]))
        out += [(which, [1]) for name, which in (("cooperative", COOPERATIVE), ("programmatic_dependent_launch", OVERLAPS)) if asked.get(name)]
        array = (Attribute * max(1, len(out)))()
        for attribute, (which, values) in zip(array, out):
            attribute.id = which
            attribute.value[: len(values)] = values
        return array, len(out)

    def __call__(self, *given, stream=None):
        if stream is None:
            import torch
            stream = torch.cuda.current_stream().cuda_stream
        params, names = self.params, self.names
        if len(given) != len(names):
            raise TypeError(f"{self.plan['symbol']} takes {', '.join(names)}; {len(given)} were given")
        values, held = dict(zip(names, given)), []
        for p, description in params:
            if description:
                held.append(self.tensor_map(description, values[description["param"]]))
            elif p["kind"] == "pointer":
                held.append(ctypes.c_void_p(values[p["name"]].data_ptr()))
            else:
                held.append(SCALARS[p["dtype"]](values[p["name"]]))
        pointers = (ctypes.c_void_p * max(1, len(held)))(*[ctypes.addressof(h) for h in held])
        attributes, count = self.attributes()
        launch = self.plan["launch"]
        config = Config((ctypes.c_uint * 3)(*launch["grid"]), (ctypes.c_uint * 3)(*launch["block"]), launch["dynamic_shared_bytes"], stream,
                        attributes, count)
        self.check("cuLaunchKernelEx", ctypes.byref(config), self.function, pointers, None)
