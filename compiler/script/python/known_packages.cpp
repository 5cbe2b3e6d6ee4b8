#include "compiler/script/python/known_packages.h"

#include <algorithm>

#include "compiler/text/nearest.h"
#include "compiler/text/word_list.h"

namespace tilewright::script::python {
namespace {

// Python's library, and what people install beside it. Who names one of these means it, however near another is.
constexpr std::string_view kKnown =
    "Cython GPUtil IPython PIL abc absl accelerate aifc aiohttp antigravity apache_tvm apex appdirs argparse array "
    "ast asynchat asyncio asyncore atexit attr attrs audioop base64 bdb binascii bisect bitsandbytes black bokeh "
    "boto3 bottleneck bs4 builtins bz2 cProfile calendar catboost cffi cgi cgitb chainer chardet chunk click "
    "cloudpickle cmake cmath cmd code codecs codeop collections colorama colorsys compileall concurrent "
    "configparser contextlib contextvars copy copyreg cpuinfo crypt csv ctypes cuda cuda_python cudnn cupy cupyx "
    "curses cutlass cv2 dask dataclasses datasets datetime dateutil dbm decimal decorator deep_ep deep_gemm "
    "deepspeed difflib dill dis distro distutils doctest docutils einops email encodings ensurepip enum errno "
    "fastapi faulthandler fcntl filecmp fileinput filelock fire flash_attn flash_attn_interface flashinfer flask "
    "flax fnmatch fractions fsspec ftplib functools gc genericpath gensim getopt getpass gettext gflags glob gluon "
    "gmpy2 google graphlib grp gzip h5py hashlib heapq helion hidet hmac html http httpx humanize hypothesis "
    "idlelib imaplib imghdr imp importlib inspect io ipaddress ipykernel iree isort itertools jax jaxlib jinja2 "
    "json jupyter keras keyword lib2to3 librosa lightgbm lightning line_profiler linecache locale logging loguru "
    "lxml lzma mailbox mailcap markdown marshal math matplotlib megatron memory_profiler mimetypes ml_dtypes "
    "mlc_llm mlflow mlx mmap modulefinder monai mpi4py mpmath msgpack msilib msvcrt multiprocessing mxnet mypy "
    "nanobind netCDF4 netrc networkx ninja nis nltk nntplib nose notebook nt ntpath nturl2path numba numbers "
    "numexpr numpy nvmath nvshmem nvtx onnx onnxruntime opcode openai operator optax optparse orjson os ossaudiodev "
    "packaging paddle pandas paramiko pathlib pdb pickle pickletools pip pipes pkg_resources pkgutil platform "
    "platformdirs plistlib plotly polars poplib portalocker posix posixpath pprint prettytable profile pstats "
    "psutil pty pwd py_compile pyarrow pybind11 pyclbr pycuda pydantic pydoc pydoc_data pyexpat pygments "
    "pyinstrument pylint pynvml pytest pythran pytorch_lightning pytz quack queue quopri random ray re readline "
    "regex relax reprlib requests resource rich rlcompleter ruff runpy safetensors sched scipy seaborn secrets "
    "select selectors sentencepiece setuptools sglang shelve shlex shutil signal simplejson site six skimage "
    "sklearn smtpd smtplib sndhdr socket socketserver soundfile spacy sphinx spwd sqlalchemy sqlite3 sre_compile "
    "sre_constants sre_parse ssl stat statistics statsmodels string stringprep struct subprocess sunau sympy "
    "symtable sys sysconfig syslog tabnanny tabulate taichi tarfile telnetlib tempfile tensorboard tensorflow "
    "termcolor termios textwrap theano this threading thunderkittens tiktoken tilelang time timeit timm tinygrad "
    "tkinter token tokenize tokenizers toml tomli tomli_w tomllib torch torch_xla torchao torchaudio torchrl "
    "torchvision tqdm trace traceback tracemalloc transformer_engine transformers triton tty turtle turtledemo tvm "
    "tvm_ffi typer types typing typing_extensions ujson unicodedata unittest urllib urllib3 uu uuid venv viztracer "
    "vllm wandb warnings warp wave weakref webbrowser wheel winreg winsound wrapt wsgiref xdrlib xformers xgboost "
    "xml xmlrpc yaml z3 zarr zipapp zipfile zipimport zlib zmq zoneinfo";

// What tile scripts import.
constexpr std::string_view kOften =
    "tvm numpy torch math functools dataclasses itertools operator typing enum collections contextlib copy pytest "
    "scipy triton cupy einops ml_dtypes argparse pathlib logging warnings random struct json inspect textwrap types "
    "tempfile subprocess multiprocessing statistics fractions numbers typing_extensions transformers flashinfer";

// What these modules give in the releases 3.8 to 3.13 of Python; private names are not listed.
struct Library {
  std::string_view module, names;
};
constexpr Library kLibrary[] = {
    // clang-format off
    {"abc",
     "ABC ABCMeta abstractclassmethod abstractmethod abstractproperty abstractstaticmethod get_cache_token "
     "update_abstractmethods"},
    {"collections",
     "ByteString ChainMap Counter OrderedDict UserDict UserList UserString abc defaultdict deque namedtuple"},
    {"collections.abc",
     "AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection Container "
     "Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping "
     "MutableSequence MutableSet Reversible Sequence Set Sized ValuesView"},
    {"contextlib",
     "AbstractAsyncContextManager AbstractContextManager AsyncContextDecorator AsyncExitStack ContextDecorator "
     "ExitStack GenericAlias MethodType abc aclosing asynccontextmanager chdir closing contextmanager deque "
     "nullcontext os redirect_stderr redirect_stdout suppress sys wraps"},
    {"copy",
     "Error copy deepcopy dispatch_table error replace"},
    {"dataclasses",
     "Field FrozenInstanceError FunctionType GenericAlias InitVar KW_ONLY MISSING abc asdict astuple builtins copy "
     "dataclass field fields functools inspect is_dataclass itertools keyword make_dataclass re replace sys types"},
    {"enum",
     "CONFORM CONTINUOUS DynamicClassAttribute EJECT Enum EnumCheck EnumDict EnumMeta EnumType Flag FlagBoundary "
     "IntEnum IntFlag KEEP MappingProxyType NAMED_FLAGS ReprEnum STRICT StrEnum UNIQUE auto bin bltns global_enum "
     "global_enum_repr global_flag_repr global_str member nonmember pickle_by_enum_name pickle_by_global_name "
     "property reduce show_flag_values sys unique verify"},
    {"functools",
     "GenericAlias Placeholder RLock WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache cached_property cmp_to_key "
     "get_cache_token lru_cache namedtuple partial partialmethod recursive_repr reduce singledispatch "
     "singledispatchmethod total_ordering update_wrapper wraps"},
    {"inspect",
     "ArgInfo Arguments Attribute BlockFinder BoundArguments BufferFlags CORO_CLOSED CORO_CREATED CORO_RUNNING "
     "CORO_SUSPENDED CO_ASYNC_GENERATOR CO_COROUTINE CO_GENERATOR CO_ITERABLE_COROUTINE CO_NESTED CO_NEWLOCALS "
     "CO_NOFREE CO_OPTIMIZED CO_VARARGS CO_VARKEYWORDS ClassFoundException ClosureVars EndOfBlock FrameInfo "
     "FullArgSpec GEN_CLOSED GEN_CREATED GEN_RUNNING GEN_SUSPENDED OrderedDict Parameter Signature "
     "TPFLAGS_IS_ABSTRACT Traceback abc ast attrgetter builtins classify_class_attrs cleandoc collections "
     "currentframe dis enum findsource formatannotation formatannotationrelativeto formatargvalues functools "
     "get_annotations getabsfile getargs getargvalues getasyncgenlocals getasyncgenstate getattr_static getblock "
     "getcallargs getclasstree getclosurevars getcomments getcoroutinelocals getcoroutinestate getdoc getfile "
     "getframeinfo getfullargspec getgeneratorlocals getgeneratorstate getinnerframes getlineno getmembers "
     "getmembers_static getmodule getmodulename getmro getouterframes getsource getsourcefile getsourcelines "
     "importlib indentsize isabstract isasyncgen isasyncgenfunction isawaitable isbuiltin isclass iscode "
     "iscoroutine iscoroutinefunction isdatadescriptor isframe isfunction isgenerator isgeneratorfunction "
     "isgetsetdescriptor iskeyword ismemberdescriptor ismethod ismethoddescriptor ismethodwrapper ismodule "
     "isroutine istraceback itertools linecache markcoroutinefunction modulesbyfile namedtuple os re signature "
     "stack sys token tokenize trace types unwrap walktree"},
    {"itertools",
     "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile "
     "filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest"},
    {"json",
     "JSONDecodeError JSONDecoder JSONEncoder codecs decoder detect_encoding dump dumps encoder load loads scanner"},
    {"math",
     "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 "
     "expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm "
     "ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt "
     "sumprod tan tanh tau trunc ulp"},
    {"numbers",
     "ABCMeta Complex Integral Number Rational Real abstractmethod"},
    {"operator",
     "abs add and_ attrgetter call concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat "
     "ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_none is_not is_not_none "
     "isub itemgetter itruediv ixor le length_hint lshift lt matmul methodcaller mod mul ne neg not_ or_ pos pow "
     "rshift setitem sub truediv truth xor"},
    {"pathlib",
     "EBADF ELOOP ENOENT ENOTDIR Path PosixPath PurePath PurePosixPath PureWindowsPath S_ISBLK S_ISCHR S_ISDIR "
     "S_ISFIFO S_ISLNK S_ISREG S_ISSOCK Sequence WindowsPath attrgetter fnmatch functools io ntpath os posixpath "
     "re sys urlquote_from_bytes warnings"},
    {"random",
     "BPF LOG4 NV_MAGICCONST RECIP_BPF Random SG_MAGICCONST SystemRandom TWOPI betavariate binomialvariate choice "
     "choices expovariate gammavariate gauss getrandbits getstate lognormvariate normalvariate paretovariate "
     "randbytes randint random randrange sample seed setstate shuffle triangular uniform vonmisesvariate "
     "weibullvariate"},
    {"string",
     "Formatter Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits "
     "printable punctuation whitespace"},
    {"textwrap",
     "TextWrapper dedent fill indent re shorten wrap"},
    {"time",
     "CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_TAI "
     "CLOCK_THREAD_CPUTIME_ID altzone asctime clock_getres clock_gettime clock_gettime_ns clock_settime "
     "clock_settime_ns ctime daylight get_clock_info gmtime localtime mktime monotonic monotonic_ns perf_counter "
     "perf_counter_ns process_time process_time_ns pthread_getcpuclockid sleep strftime strptime struct_time "
     "thread_time thread_time_ns time time_ns timezone tzname tzset"},
    {"types",
     "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CapsuleType CellType ClassMethodDescriptorType "
     "CodeType CoroutineType DynamicClassAttribute EllipsisType FrameType FunctionType GeneratorType GenericAlias "
     "GetSetDescriptorType LambdaType MappingProxyType MemberDescriptorType MethodDescriptorType MethodType "
     "MethodWrapperType ModuleType NoneType NotImplementedType SimpleNamespace TracebackType UnionType "
     "WrapperDescriptorType coroutine get_original_bases new_class prepare_class resolve_bases"},
    {"typing",
     "ABCMeta AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator "
     "Awaitable BinaryIO ByteString CT_co Callable ChainMap ClassVar Collection Concatenate Container "
     "ContextManager Coroutine Counter DefaultDict Deque Dict EXCLUDED_ATTRIBUTES Final ForwardRef FrozenSet "
     "Generator Generic GenericAlias Hashable IO ItemsView Iterable Iterator KT KeysView List Literal "
     "LiteralString Mapping MappingView Match MethodDescriptorType MethodWrapperType MutableMapping "
     "MutableSequence MutableSet NamedTuple NamedTupleMeta Never NewType NoDefault NoReturn NotRequired Optional "
     "OrderedDict ParamSpec ParamSpecArgs ParamSpecKwargs Pattern Protocol ReadOnly Required Reversible Self "
     "Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt "
     "SupportsRound T TYPE_CHECKING T_co T_contra Text TextIO Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs "
     "TypeVar TypeVarTuple TypedDict Union Unpack VT VT_co V_co ValuesView WrapperDescriptorType abstractmethod "
     "assert_never assert_type cast clear_overloads collections contextlib dataclass_transform defaultdict "
     "evaluate_forward_ref final functools get_args get_origin get_overloads get_protocol_members get_type_hints "
     "io is_protocol is_typeddict no_type_check no_type_check_decorator operator overload override re reveal_type "
     "runtime_checkable stdlib_re sys types warnings"},
    {"warnings",
     "WarningMessage catch_warnings defaultaction deprecated filters filterwarnings formatwarning onceregistry "
     "resetwarnings showwarning simplefilter sys warn warn_explicit"},
    // clang-format on
};

template <class F>
void for_words(std::string_view words, F&& visit) {
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' '), words.size());
    visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// `maths`, `torch2`, `_json`: names of their own.
bool is_derived(std::string_view name, std::string_view from) {
  if (name.size() == from.size() + 1 && name.starts_with(from)) {
    return name.back() == 's' || name.back() == 'x' || name.back() == '_' || (name.back() >= '0' && name.back() <= '9');
  }
  if (from.size() == name.size() + 1 && from.starts_with(name)) return from.back() == 's';
  return name.starts_with('_');
}

}  // namespace

bool is_known_package(std::string_view name) {
  bool found = false;
  for_words(kKnown, [&](std::string_view word) { found = found || word == name; });
  return found;
}

std::string_view nearest_package(std::string_view name) {
  std::string_view found;
  if (name.size() < 3) return found;
  for_words(kOften, [&](std::string_view word) {
    if (!found.empty() || is_derived(name, word)) return;
    // Two short words are near each other by chance.
    const bool near = text::edit_distance(name, word, 1) <= 1 && (word.size() > 4 || name[0] == word[0]);
    if (near || same_letters(name, word)) found = word;
  });
  return found;
}

std::string_view nearest_in_library(std::string_view module, std::string_view name) {
  for (const Library& row : kLibrary) {
    if (row.module != module || name.starts_with('_')) continue;
    if (text::lists_word(row.names, name)) return {};
    text::Nearest nearest(name);
    for_words(row.names, [&](std::string_view word) { nearest.consider(word); });
    return nearest.found();
  }
  return {};
}

}  // namespace tilewright::script::python
