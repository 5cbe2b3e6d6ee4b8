// Line maps and logs, from texts as NVRTC 13.0 and nvdisasm print them.
#include <string>

#include "compiler/toolchain/compile_log.h"
#include "compiler/toolchain/line_map.h"
#include "compiler/toolchain/newer.h"
#include "tests/unit/catch.h"

namespace tilewright::toolchain {
namespace {

using Lines = std::vector<std::uint32_t>;

constexpr std::string_view kPtx = R"(.version 9.0
.target sm_90a
.visible .entry k_kernel(
	.param .u64 .ptr .align 1 k_kernel_param_0
)
{
	.reg .b32 	%r<19>;
	.loc	1 10 0

	ld.param.u64 	%rd1, [k_kernel_param_0];
	.loc	1 11 3
	.loc	1 7 3, function_name $L__info_string0, inlined_at 1 11 3
	.loc	1 4 3, function_name $L__info_string1, inlined_at 1 7 3
	cvta.to.global.u64 	%rd3, %rd1;
	.loc	2 90 5, function_name $L__info_string2, inlined_at 1 12 3
	// begin inline asm
	{add.f16x2 %r1,%r3,%r3;
}
	// end inline asm
$L__BB0_3:
	.loc	1 14 1
	ret;

}
.func  (.param .b32 func_retval0) _Z4slowfi(
	.param .b32 _Z4slowfi_param_0
)
{
	.loc	1 5 0
	ret;
}
	.file	1 "/kernel.cu"
	.file	2 "/cuda/include/cuda_fp16.hpp"
	.section	.debug_str
{
$L__info_string0:
.b8 95
}
)";

TEST_CASE("what a newer CUDA would take is said with its version") {
  CHECK(newer_for_architecture("sm_107a", "13.0") == "CUDA 13.0 does not know sm_107a: CUDA 13.4 and later do");
  CHECK(newer_for_architecture("sm_107f", "13.5").empty());
  CHECK(newer_for_architecture("sm_90a", "13.0").empty());
  CHECK(newer_for_architecture("sm_107a", "").empty());
  CHECK(newer_for_message("Unknown modifier '.s2f6x2'", "13.0") == " (this is CUDA 13.0; CUDA 13.5 knows more of PTX)");
  CHECK(newer_for_message("Unexpected instruction types specified for 'cvt'", "13.4") ==
        " (this is CUDA 13.4; CUDA 13.5 knows more of PTX)");
  CHECK(newer_for_message("Unknown modifier '.x'", "13.5").empty());
  CHECK(newer_for_message("Instruction 'tcgen05.wait' not supported on .target 'sm_90a'", "13.0").empty());
}

TEST_CASE("PTX lines know their inlining chain") {
  LineMap map = read_ptx_lines(kPtx);
  REQUIRE(map.functions == std::vector<std::string>{"k_kernel", "_Z4slowfi"});
  REQUIRE(map.rows.size() == 5);
  CHECK(map.cuda_lines_at(10) == Lines{10});
  CHECK(map.cuda_lines_at(14) == Lines{4, 7, 11});
  CHECK(map.cuda_lines_at(17) == Lines{12});  // in the header, called from line 12
  CHECK(map.chain_at(17).size() == 2);
  CHECK(map.chain_at(17)[0].line == 90);
  CHECK(map.cuda_lines_at(22) == Lines{14});
  CHECK(map.cuda_lines_at(8).empty());
  CHECK(map.lines_of(11) == Lines{14});
  CHECK(map.lines_of(5) == Lines{30});
  CHECK(map.rows.back().function == 1);
}

constexpr std::string_view kSass = R"(	.target	sm_90a
//--------------------- .text.k_kernel            --------------------------
	.section	.text.k_kernel,"ax",@progbits
k_kernel:
.text.k_kernel:
	//## File "/kernel.cu", line 10
        /*0000*/                   LDC R1, c[0x0][0x37c] ;
	//## File "/kernel.cu", line 4 inlined at "/kernel.cu", line 7
	//## File "/kernel.cu", line 7 inlined at "/kernel.cu", line 11
	//## File "/kernel.cu", line 11
        /*0010*/                   LDC.64 R2, c[0x0][0x388] ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
.L_x_1:
        /*0030*/                   EXIT ;
)";

TEST_CASE("SASS lines know their inlining chain, across labels") {
  LineMap map = read_sass_lines(kSass);
  CHECK(map.functions == std::vector<std::string>{"k_kernel"});
  CHECK(map.cuda_lines_at(7) == Lines{10});
  CHECK(map.cuda_lines_at(11) == Lines{4, 7, 11});
  CHECK(map.lines_of(7) == Lines{11, 12, 14});
  CHECK(map.lines_of(11) == Lines{11, 12, 14});
}

TEST_CASE("line maps of nonsense are empty, not wrong") {
  CHECK(read_ptx_lines("").rows.empty());
  CHECK(read_ptx_lines("}}}}\n.loc 1\n.loc 9 9 9, inlined_at\n.file\n").rows.empty());
  CHECK(read_ptx_lines(".visible .entry k(\n)\n{\n.loc 7 1 1\nret;\n}").cuda_lines_at(5).empty());
  CHECK(read_sass_lines("//## File \n/*0*/").cuda_lines_at(2).empty());
  CHECK(read_sass_lines("//## File \"a\", line x\n/*0*/\n.section .text.").cuda_lines_at(2).empty());
}

TEST_CASE("resources are read for each kernel, and not mixed with those of functions") {
  CompileLog log = read_log(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'j_kernel' for 'sm_100a'
ptxas info    : Function properties for j_kernel
ptxas         .     400 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 38 registers, used 4 barriers, 400 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 16.050 ms
ptxas info    : Function properties for _Z4slowfi
ptxas         .     77 bytes stack frame, 99 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'k_kernel' for 'sm_100a'
ptxas info    : Function properties for k_kernel
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 26 registers, used 0 barriers
ptxas info    : Compile time = 1.990 ms
)",
                            "", "", "");
  CHECK(log.text.empty());
  CHECK(log.entries.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK(log.kernels[0].name == "j_kernel");
  CHECK(log.kernels[0].registers == 38);
  CHECK(log.kernels[0].barriers == 4);
  CHECK(log.kernels[0].stack == 400);
  CHECK(log.kernels[0].spill_stores == 8);
  CHECK(log.kernels[0].spill_loads == 12);
  CHECK(log.kernels[0].static_shared == 2048);
  CHECK(log.kernels[1].registers == 26);
}

TEST_CASE("messages get their line and column") {
  std::string source = "extern \"C\" __global__ void k(float* A) {\n\tA[0] = nothing + 1;\n  A[0] = \"x\";\n}\n";
  CompileLog log = read_log(R"(kernel.cu(2): error: identifier "nothing" is undefined
  	A[0] = nothing + 1;
  	       ^

kernel.cu(3): warning #177-D: odd (really): value
    A[0] = "x";
         ^

/cuda/include/cuda_fp16.h(14): error: no
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
2 errors detected in the compilation of "kernel.cu".
)",
                            source, "", "");
  REQUIRE(log.entries.size() == 4);
  CHECK(log.entries[0].cuda_line == 2);
  CHECK(log.entries[0].column == 9);
  CHECK(log.entries[0].message == "identifier \"nothing\" is undefined");
  CHECK(log.entries[1].severity == LogEntry::Severity::Warning);
  CHECK(log.entries[1].cuda_line == 3);
  CHECK(log.entries[1].column == 8);
  CHECK(log.entries[1].message == "odd (really): value");
  CHECK(log.entries[2].file == "/cuda/include/cuda_fp16.h");
  CHECK(log.entries[2].cuda_line == 0);
  CHECK(log.entries[3].severity == LogEntry::Severity::Warning);
  CHECK(log.entries[3].message.starts_with("(C7510)"));
}

TEST_CASE("a message of ptxas is led back through the PTX") {
  CompileLog log = read_log(
      "ptxas application ptx input, line 14; error   : Instruction 'x' not supported on .target 'sm_80'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      "", kPtx, "");
  REQUIRE(log.entries.size() == 2);
  CHECK(log.entries[0].ptx_line == 14);
  CHECK(log.entries[0].cuda_line == 4);
  CHECK(log.entries[0].chain == Lines{4, 7, 11});
  CHECK(log.entries[1].severity == LogEntry::Severity::Error);
}

TEST_CASE("a note of ptxas that names its line in words is led back, too") {
  // As CUDA 13.0 says it, and as 13.5 does.
  for (const char* said : {"ptxas info    : (C7517) warpgroup.wait is injected in around line 14 by compiler\n",
                           "ptxas info    : (C7511) serialized in the function 'kernel' in line 14)\n"}) {
    CompileLog log = read_log(said, "", kPtx, "");
    REQUIRE(log.entries.size() == 1);
    CHECK(log.entries[0].severity == LogEntry::Severity::Warning);
    CHECK(log.entries[0].ptx_line == 14);
    CHECK(log.entries[0].chain == Lines{4, 7, 11});
  }
}

}  // namespace
}  // namespace tilewright::toolchain
