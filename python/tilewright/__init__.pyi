from tilewright._answers import check as check, compile as compile, explain as explain, run as run
from tilewright._binary import find_tilewright_bin as find_tilewright_bin
from tilewright._errors import (
    ArgumentError as ArgumentError,
    CompileError as CompileError,
    Error as Error,
    LaunchError as LaunchError,
    RunError as RunError,
)
from tilewright._kernel import Kernel as Kernel, Script as Script, load as load
from tilewright._torch_operator import torch_operator as torch_operator
