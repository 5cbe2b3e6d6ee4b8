#include "tests/unit/intrinsics_samples.h"

#include <algorithm>
#include <map>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/operand_forms.h"

namespace tilewright::intrinsics::samples {
namespace {

// What a signature cannot say: values of free attributes, types of untyped operands, lengths of lists. Words are
// name=value; a list is name=dtype*count; `;` separates samples.
struct Recipe {
  std::string_view id, text;
};
constexpr Recipe kRecipes[] = {
    {"E13",
     "op=add dtype=f16; op=add dtype=f32; op=add dtype=u64; op=min dtype=bf16; op=max dtype=s64; op=inc dtype=u32; "
     "op=xor dtype=b64; op=and dtype=b32"},
    {"E14",
     "op=add dtype=u64; op=add dtype=s32; op=min dtype=s32; op=max dtype=u32; op=inc dtype=u32; op=dec dtype=u32; "
     "op=and dtype=b32; op=or dtype=b32; op=xor dtype=b32"},
    {"P21", "reg_count=64"},
    {"P24",
     "bits=32 reg_name=laneid; bits=64 reg_name=globaltimer; bits=32 reg_name=smid; bits=32 reg_name=clusterid.x; "
     "bits=32 reg_name=tid.x; bits=32 reg_name=nctaid.z; bits=32 reg_name=ntid.y; bits=32 reg_name=ctaid.x; "
     "bits=32 reg_name=warpid; bits=32 reg_name=nwarpid; bits=32 reg_name=nsmid; bits=32 reg_name=lanemask_lt; "
     "bits=32 reg_name=clock; bits=32 reg_name=clock_hi; bits=32 reg_name=globaltimer_lo; "
     "bits=32 reg_name=globaltimer_hi; bits=32 reg_name=total_smem_size; bits=32 reg_name=dynamic_smem_size; "
     "bits=64 reg_name=gridid; bits=64 reg_name=clock64; bits=32 reg_name=nclusterid.y; "
     "bits=32 reg_name=cluster_ctaid.z; bits=32 reg_name=cluster_nctaid.x; bits=32 reg_name=cluster_ctarank; "
     "bits=32 reg_name=cluster_nctarank; bits=32 reg_name=aggr_smem_size"},
    {"P32.elem", "elem=float16 cp_size=16; elem=float32 cp_size=4"},
    {"P32.legacy", "elem=float16 cp_size=16"},
    {"P34", "num=2"},
    {"P42", "n=1"},
    {"P44",
     "dim=1 coords=int32*1 cta_group=1; dim=2 coords=int32*2 cta_group=1; dim=5 coords=int32*5 cta_group=1; "
     "dim=3 coords=int32*3 cta_group=1 cta_mask=0"},
    {"P45", "dim=2 coords=int32*5 cta_group=1; dim=2 coords=int32*5 cta_group=1 cta_mask=0"},
    {"P46", "dim=2 coords=int32*2 cta_group=1; dim=2 coords=int32*2 cta_group=1 cta_mask=0"},
    {"P47", "dim=2 coords=int32*5 cta_group=1; dim=2 coords=int32*5 cta_group=1 cta_mask=0"},
    {"P48", "dim=2 coords=int32*2; dim=1 coords=int32*1; dim=5 coords=int32*5"},
    {"P49", "dim=2 coords=int32*2"},
    {"P50", "dim=2 coords=int32*2; dim=4 coords=int32*4"},
    {"E15", "dim=2 coords=int32*2; dim=3 coords=int32*3"},
    {"E16", "dim=4 coords=int32*4 offsets=uint16*2; dim=3 coords=int32*3 offsets=uint16*1 cta_mask=0"},
    {"E17", "coords=int32*5"},
    {"E19",
     "field=global_address value=uint64; field=rank value=int32; field=box_dim ord=1 value=uint32; "
     "field=global_dim ord=4 value=uint32; field=global_stride ord=3 value=uint64; field=element_stride ord=0 "
     "value=int32; "
     "field=elemtype value=7; field=elemtype value=13; field=interleave_layout value=0; field=swizzle_mode value=3; "
     "field=swizzle_mode value=4; field=swizzle_atomicity value=1; field=fill_mode value=1"},
    {"P52",
     "return_type=uint32 ptx_type=b32; return_type=int32 ptx_type=s32; return_type=float32 ptx_type=f32; "
     "return_type=float32 ptx_type=b32; return_type=uint64 ptx_type=u64; return_type=float64 ptx_type=f64; "
     "return_type=uint16 ptx_type=u16; return_type=uint32 ptx_type=u32 space=shared::cluster addr=uint64"},
    {"P53", "return_type=uint32 ptx_type=b32; return_type=float32 ptx_type=f32"},
    {"P54", "return_type=uint32 ptx_type=b32; return_type=int64 ptx_type=s64"},
    {"P55", "res=int32; res=uint64"},
    {"P57",
     "values=float32*1 ptx_type=f32; values=uint32*4 vec=v4 ptx_type=b32; values=uint64*2 vec=v2 ptx_type=u64; "
     "values=uint32*8 vec=v8 ptx_type=b32 space=global; values=uint64*4 vec=v4 ptx_type=b64 space=global; "
     "values=float32*1 ptx_type=f32 space=shared::cluster address=uint64"},
    {"P59",
     "value=uint32 op=add ptx_type=u32; value=float32 op=add ptx_type=f32; value=uint32 op=xor ptx_type=b32; "
     "value=int64 op=min ptx_type=s64; value=uint32 op=inc ptx_type=u32; value=float64 op=add ptx_type=f64; "
     "value=uint64 op=and ptx_type=b64"},
    {"P60",
     "value=uint32 op=add ptx_type=u32; value=float32 op=add ptx_type=f32; value=uint64 op=exch ptx_type=b64; "
     "value=int32 op=max ptx_type=s32; value=uint32 op=dec ptx_type=u32"},
    {"E24",
     "values=uint32*1 ptx_type=b32; values=float32*4 vec=v4 ptx_type=f32; values=uint64*2 vec=v2 ptx_type=u64; "
     "values=float64*1 ptx_type=f64; values=int64*1 ptx_type=s64"},
    {"E25",
     "value=uint32 op=add ptx_type=u32; value=int32 op=min ptx_type=s32; value=uint32 op=inc ptx_type=u32; "
     "value=uint32 op=xor ptx_type=b32; value=uint64 op=add ptx_type=u64"},
    {"P61",
     "num=4 dst_handles=uint32*4; num=1 dst_handles=uint32*1 dtype=b16; num=2 dst_handles=uint32*2; num=1 "
     "dst_handles=uint32*1"},
    {"P61.dispatch", "num=4 dst_handles=uint32*4; num=1 dst_handles=float16*1"},
    {"P62",
     "elem=float16 trans=0 num=4 type=.b16 local_ptr=float16 smem_ptr=float16; elem=int8 trans=1 num=4 type=.b16 "
     "local_ptr=int8 smem_ptr=int8"},
    {"P62.short", "trans=0 num=4 type=.b16 local_ptr=uint32 smem_ptr=float16"},
    {"P63",
     "num=4 src_handles=uint32*4 dtype=.b16; num=1 src_handles=uint32*1 dtype=.b16; "
     "num=2 src_handles=uint32*2 dtype=.b8 shape=m16n8 trans=1"},
    {"P63.dispatch", "num=4 src_handles=uint32*4; num=2 src_handles=uint32*2"},
    {"P64",
     "shape=m16n8k16 a_layout=row b_layout=col d_type=float32 a_type=float16 b_type=float16 c_type=float32 "
     "d_ptrs=float32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2 c_ptrs=float32*4; "
     "shape=m16n8k16 a_layout=row b_layout=col d_type=fp16 a_type=fp16 b_type=fp16 c_type=fp16 d_ptrs=uint32*2 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2; "
     "shape=m16n8k8 a_layout=row b_layout=col d_type=float32 a_type=float16 b_type=float16 c_type=float32 "
     "d_ptrs=float32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1; "
     "shape=m16n8k16 a_layout=row b_layout=col d_type=fp32 a_type=bf16 b_type=bf16 c_type=fp32 d_ptrs=float32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2; "
     "shape=m16n8k8 a_layout=row b_layout=col d_type=fp32 a_type=bf16 b_type=bf16 c_type=fp32 d_ptrs=float32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1; "
     "shape=m16n8k8 a_layout=row b_layout=col d_type=fp32 a_type=tf32 b_type=tf32 c_type=fp32 d_ptrs=float32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2; "
     "shape=m16n8k4 a_layout=row b_layout=col d_type=fp32 a_type=tf32 b_type=tf32 c_type=fp32 d_ptrs=float32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1; "
     "shape=m8n8k4 a_layout=row b_layout=col d_type=fp64 a_type=fp64 b_type=fp64 c_type=fp64 d_ptrs=float64*2 "
     "a_ptrs=float64*1 b_ptrs=float64*1; "
     "shape=m16n8k8 a_layout=row b_layout=col d_type=fp64 a_type=fp64 b_type=fp64 c_type=fp64 d_ptrs=float64*4 "
     "a_ptrs=float64*4 b_ptrs=float64*2 c_ptrs=float64*4; "
     "shape=m16n8k4 a_layout=row b_layout=col d_type=fp64 a_type=fp64 b_type=fp64 c_type=fp64 d_ptrs=float64*4 "
     "a_ptrs=float64*2 b_ptrs=float64*1 c_ptrs=float64*4; "
     "shape=m16n8k16 a_layout=row b_layout=col d_type=fp64 a_type=fp64 b_type=fp64 c_type=fp64 d_ptrs=float64*4 "
     "a_ptrs=float64*8 b_ptrs=float64*4 c_ptrs=float64*4; "
     "shape=m8n8k4 a_layout=row b_layout=row d_type=fp32 a_type=fp16 b_type=fp16 c_type=fp32 d_ptrs=float32*8 "
     "a_ptrs=uint32*2 b_ptrs=uint32*2 c_ptrs=float32*8; "
     "shape=m16n8k32 a_layout=row b_layout=col d_type=int32 a_type=int8 b_type=uint8 c_type=int32 d_ptrs=int32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2 c_ptrs=int32*4 saturate=True; "
     "shape=m8n8k16 a_layout=row b_layout=col d_type=int32 a_type=int8 b_type=int8 c_type=int32 d_ptrs=int32*2 "
     "a_ptrs=uint32*1 b_ptrs=uint32*1; "
     "shape=m16n8k16 a_layout=row b_layout=col d_type=s32 a_type=s8 b_type=s8 c_type=s32 d_ptrs=int32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1; "
     "shape=m8n8k32 a_layout=row b_layout=col d_type=int32 a_type=int4 b_type=int4 c_type=int32 d_ptrs=int32*2 "
     "a_ptrs=uint32*1 b_ptrs=uint32*1; "
     "shape=m16n8k32 a_layout=row b_layout=col d_type=int32 a_type=int4 b_type=uint4 c_type=int32 d_ptrs=int32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1; "
     "shape=m16n8k64 a_layout=row b_layout=col d_type=int32 a_type=u4 b_type=s4 c_type=int32 d_ptrs=int32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2; "
     "shape=m8n8k128 a_layout=row b_layout=col d_type=int32 a_type=int1 b_type=int1 c_type=int32 d_ptrs=int32*2 "
     "a_ptrs=uint32*1 b_ptrs=uint32*1 bit_op=xor; "
     "shape=m16n8k128 a_layout=row b_layout=col d_type=int32 a_type=int1 b_type=int1 c_type=int32 d_ptrs=int32*4 "
     "a_ptrs=uint32*2 b_ptrs=uint32*1 bit_op=and; "
     "shape=m16n8k256 a_layout=row b_layout=col d_type=int32 a_type=b1 b_type=b1 c_type=int32 d_ptrs=int32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2 bit_op=xor; "
     "shape=m16n8k32 a_layout=row b_layout=col d_type=float32 a_type=e4m3 b_type=e5m2 c_type=float32 d_ptrs=float32*4 "
     "a_ptrs=uint32*4 b_ptrs=uint32*2 c_ptrs=float32*4"},
    {"P64.half",
     "shape=m8n8k4 a_layout=row b_layout=col d_type=float32 a_type=float16 b_type=float16 c_type=float16 "
     "d_ptrs=float32*8 a_ptrs=uint32*2 b_ptrs=uint32*2 c_ptrs=uint32*4"},
    {"P65.list",
     "shape=m16n8k16 a_layout=row b_layout=col d_type=float32 a_type=float16 b_type=float16 c_type=float32 "
     "d_ptrs=float32*4 a_ptrs=uint32*2 b_ptrs=uint32*2 c_ptrs=float32*4 metadata=uint32 sparse_selector=0; "
     "shape=m16n8k32 a_layout=row b_layout=col d_type=float32 a_type=bf16 b_type=bf16 c_type=float32 "
     "d_ptrs=float32*4 a_ptrs=uint32*4 b_ptrs=uint32*4 c_ptrs=float32*4 metadata=uint32 sparse_selector=1"},
    {"P65",
     "dtype=float32 shape=m16n8k16 A_layout=row B_layout=col A_dtype=fp16 B_dtype=fp16 C_dtype=fp32 "
     "multiplicand_a=float16 multiplicand_b=float16 accumulator=float32 metadata=uint32 sparse_selector=0 "
     "saturate=False; "
     "dtype=float16 shape=m16n8k32 A_layout=row B_layout=col A_dtype=fp16 B_dtype=fp16 C_dtype=fp16 "
     "multiplicand_a=float16 multiplicand_b=float16 accumulator=float16 metadata=uint32 sparse_selector=0 "
     "saturate=False; "
     "dtype=float32 shape=m16n8k32 A_layout=row B_layout=col A_dtype=bf16 B_dtype=bf16 C_dtype=fp32 "
     "multiplicand_a=float16 multiplicand_b=float16 accumulator=float32 metadata=uint32 sparse_selector=0 "
     "saturate=False"},
    {"P66",
     "dtype=float32 shape=m16n8k16 A_layout=row B_layout=col A_dtype=fp16 B_dtype=fp16 C_dtype=fp32 "
     "multiplicand_a=float16 multiplicand_b=float16 accumulator=float32 saturate=False; "
     "dtype=int32 shape=m16n8k256 A_layout=row B_layout=col A_dtype=b1 B_dtype=b1 C_dtype=s32 "
     "multiplicand_a=int32 multiplicand_b=int32 accumulator=int32 saturate=False operator=xor"},
    {"P66.short",
     "shape=m16n8k32 A_layout=row B_layout=col A_dtype=s8 B_dtype=u8 C_dtype=int32 "
     "multiplicand_a=int8 multiplicand_b=uint8 accumulator=int32 saturate=True"},
    {"P70", "reg=uint32; reg=float32"},
    {"P69", "n=0"},
    {"P72",
     "M=64 N=8 K=16 in_dtype=float16 out_dtype=float32 scaleA=1 scaleB=-1 accums=float32*4; "
     "M=64 N=256 K=16 in_dtype=bfloat16 out_dtype=float32 scaleA=1.0 scaleB=-1.0 accums=float32*128; "
     "M=64 N=64 K=8 in_dtype=tf32 out_dtype=float32 scaleA=1 scaleB=1 accums=float32*32; "
     "M=64 N=64 K=32 in_dtype=float8_e4m3fn out_dtype=float32 scaleA=1 scaleB=1 accums=float32*32"},
    {"P73",
     "M=64 N=16 K=16 in_dtype=float16 out_dtype=float32 scaleA=1 scaleB=1 reg_list=float32*12; "
     "M=64 N=8 K=8 in_dtype=tf32 out_dtype=float32 scaleA=1 scaleB=1 reg_list=float32*8; "
     "M=64 N=8 K=32 in_dtype=float8_e5m2 out_dtype=float32 scaleA=1 scaleB=1 reg_list=float32*8"},
    {"P72.mixed",
     "M=64 N=8 K=16 a_dtype=float16 b_dtype=float16 out_dtype=float16 transB=True accums=uint32*2; "
     "M=64 N=16 K=32 a_dtype=e4m3 b_dtype=e5m2 out_dtype=float32 scaleA=-1 accums=float32*8; "
     "M=64 N=8 K=256 a_dtype=b1 b_dtype=b1 out_dtype=int32 accums=uint32*4; "
     "M=64 N=8 K=32 a_dtype=int8 b_dtype=uint8 out_dtype=int32 saturate=True accums=uint32*4"},
    {"P73.mixed",
     "M=64 N=8 K=16 a_dtype=float16 b_dtype=float16 out_dtype=float16 transB=True reg_list=uint32*6; "
     "M=64 N=8 K=256 a_dtype=b1 b_dtype=b1 out_dtype=int32 reg_list=uint32*8"},
    {"P72.integer", "M=64 N=8 K=32 in_dtype=int8 accums=int32*4; M=64 N=256 K=32 in_dtype=uint8 accums=int32*128"},
    {"P73.integer", "M=64 N=8 K=32 in_dtype=uint8 reg_list=int32*8"},
    {"P78",
     "shape=32x32b num=1 regs=float32*1; shape=32x32b num=32 regs=uint32*32 row=0 col=0; "
     "shape=16x64b num=4 regs=uint32*4; shape=16x128b num=2 regs=uint32*4; shape=16x256b num=1 regs=float32*4; "
     "shape=16x32bx2 num=8 regs=uint32*8; shape=32x32b num=128 regs=float32*128 row=0 col=0; "
     "shape=16x32bx2 num=8 regs=uint32*8 pack=True"},
    {"P79",
     "shape=32x32b num=1 regs=float32*1; shape=32x32b num=32 regs=uint32*32 row=0 col=0; "
     "shape=16x64b num=4 regs=uint32*4; shape=16x128b num=2 regs=uint32*4; shape=16x256b num=1 regs=float32*4; "
     "shape=16x32bx2 num=8 regs=uint32*8; shape=16x32bx2 num=8 regs=uint32*8 unpack=True"},
    {"P84",
     "shape=128x256b; shape=4x256b; shape=128x128b; shape=64x128b multicast=warpx2::02_13; "
     "shape=64x128b multicast=warpx2::01_23; shape=32x128b multicast=warpx4 row=0 col=0"},
    {"P85", "cta_mask=0; pred=int32; cta_mask=uint16"},
    {"P86",
     "a_operand=uint64 d_dtype=float32 a_dtype=float16 b_dtype=float16 cta_group=1 use_a_tmem=False; "
     "a_operand=uint32 d_dtype=float32 a_dtype=bfloat16 b_dtype=bfloat16 cta_group=2 use_a_tmem=True "
     "disable_output_lane=uint32*8; "
     "a_operand=uint64 d_dtype=float32 a_dtype=tf32 b_dtype=tf32 cta_group=1 use_a_tmem=False scale_input_d=3; "
     "a_operand=uint64 d_dtype=int32 a_dtype=int8 b_dtype=uint8 cta_group=1 use_a_tmem=False; "
     "a_operand=uint64 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e5m2 cta_group=1 use_a_tmem=False "
     "disable_output_lane=uint32*4; "
     "a_operand=uint64 d_dtype=float16 a_dtype=float4_e2m1fn b_dtype=float6_e3m2fn cta_group=1 use_a_tmem=False "
     "pred=int32"},
    {"P86.ws",
     "a_operand=uint64 d_dtype=float32 a_dtype=float16 b_dtype=float16 cta_group=1 use_a_tmem=False; "
     "a_operand=uint32 d_dtype=float32 a_dtype=bfloat16 b_dtype=bfloat16 cta_group=1 use_a_tmem=True; "
     "a_operand=uint64 d_dtype=float32 a_dtype=tf32 b_dtype=tf32 cta_group=1 use_a_tmem=False; "
     "a_operand=uint64 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e4m3fn cta_group=1 use_a_tmem=False"},
    {"P87",
     "a_operand=uint64 d_dtype=float32 a_dtype=float16 b_dtype=float16 cta_group=1 use_a_tmem=False; "
     "a_operand=uint32 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e4m3fn cta_group=2 use_a_tmem=True"},
    {"P87.ws",
     "a_operand=uint64 d_dtype=float32 a_dtype=float16 b_dtype=float16 cta_group=1 use_a_tmem=False; "
     "a_operand=uint32 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e4m3fn cta_group=1 use_a_tmem=True"},
    {"P88",
     "a_operand=uint64 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e4m3fn sfa_dtype=float8_e8m0fnu "
     "sfb_dtype=float8_e8m0fnu cta_group=1 use_a_tmem=False; "
     "a_operand=uint64 d_dtype=float32 a_dtype=float4_e2m1fn b_dtype=float4_e2m1fn sfa_dtype=float8_e8m0fnu "
     "sfb_dtype=float8_e8m0fnu cta_group=1 use_a_tmem=False; "
     "a_operand=uint64 d_dtype=float32 a_dtype=float4_e2m1fn b_dtype=float4_e2m1fn sfa_dtype=float8_e4m3fn "
     "sfb_dtype=float8_e4m3fn cta_group=2 use_a_tmem=True"},
    {"P89",
     "a_operand=uint64 d_dtype=float32 a_dtype=float8_e4m3fn b_dtype=float8_e4m3fn sfa_dtype=float8_e8m0fnu "
     "sfb_dtype=float8_e8m0fnu cta_group=1 use_a_tmem=False; "
     "a_operand=uint64 d_dtype=float32 a_dtype=float4_e2m1fn b_dtype=float4_e2m1fn sfa_dtype=float8_e4m3fn "
     "sfb_dtype=float8_e4m3fn cta_group=2 use_a_tmem=False"},
    {"P91",
     "d_dtype=float32 a_dtype=float16 b_dtype=float16 M=128 N=256 K=16 trans_a=False trans_b=False; "
     "d_dtype=int32 a_dtype=int8 b_dtype=uint8 M=64 N=24 K=32 trans_a=False trans_b=False"},
    {"P92",
     "d_dtype=float32 a_dtype=float4_e2m1fn b_dtype=float4_e2m1fn sfa_dtype=float8_e4m3fn sfb_dtype=float8_e4m3fn "
     "M=128 N=64 K=64 trans_a=False trans_b=False"},
    {"C12",
     "value=float32 op=sum width=32; value=int32 op=max width=8; value=float16 op=min width=32; value=float64 op=sum"},
    {"C13", "value=float32; value=int32; value=bfloat16"},
    {"C14", "value=float32; value=uint32"},
    {"C15", "value=float32; value=int32 width=4"},
    {"C16",
     "value=float32 num_warps=4 scratch=float32; value=float32 num_warps=4 scratch=float32 op=max; "
     "value=float64 num_warps=8 scratch=float64 op=min; value=int32 num_warps=32 scratch=int32"},
    {"C17", "value=float32 num_warps=4 scratch=float32; value=int32 num_warps=4 scratch=int32"},
    {"C18", "value=float32 num_warps=4 scratch=float32; value=int32 num_warps=4 scratch=int32"},
    {"C19", "value=float32 num_warps=4 scratch=float32; value=uint32 num_warps=4 scratch=uint32"},
    {"C20", "var=float32; var=int32; var=uint64; var=float16"},
    {"C21", "var=float32"},
    {"C22", "var=float32"},
    {"C23", "var=float32"},
    {"C32", "addr=float32 dtype=float32; addr=int32 dtype=int32; addr=float16 dtype=float16; addr=void dtype=uint64"},
    {"C33",
     "res_addr=float32 value=float32; res_addr=int32 value=int32; res_addr=uint64 value=uint64; "
     "res_addr=float32 value=int32; res_addr=float64 value=float64"},
    {"C34", "ptr=int32 old_val=int32 new_val=int32; ptr=uint64 old_val=uint64 new_val=uint64"},
    {"C58", "fmt=hello; fmt=x=%d,%d args=int32*2; fmt=%f args=float32*1; fmt=%lld args=int64*1"},
    {"C60", "func_name=twice source_code=__device___int_twice(int_x)_{_return_2_*_x;_} return_type=int32 args=int32*1"},
    {"C63", "profiler_buffer=uint64 profiler_tag=uint64 profiler_write_offset=uint32"},
    {"C64", "profiler_buffer=uint64 profiler_tag=uint64 profiler_write_offset=uint32"},
    {"C65", "profiler_buffer=uint64 profiler_tag=uint64 profiler_write_offset=uint32"},
    {"C66", "profiler_buffer=uint64 profiler_tag=uint64 profiler_write_offset=uint32"},
    {"C68", "dtype=float32 m=16 n=16 dst_ptr=float32 src_ptr=float32"},
    {"C70", "dtype=float32 m=16 n=16 dst_ptr=float32 src_ptr=float32"},
    {"C69", "dtype=float32 local_size=8 local_ptr=float32"},
    {"C71", "dtype=float32 local_size=8 local_ptr=float32"},
    {"P56", "reg=float32"},
    {"L2", "value=float32"},
    {"L2.up", "value=float32"},
    {"L2.down", "value=float32"},
    {"L2.xor", "value=float32"},
    {"L11", "dtype=float32 func_name=sinf args=float32*1"},
    {"L11.pure", "dtype=float32 func_name=fmaxf args=float32*2"},
    {"W1", "count=uint32 pred=int32; scope=cta sem=release space=shared::cta; pred=int32"},
    {"W2", "remote=int32; remote=int32 count=uint32 pred=int32; remote=int32 space=shared::cluster"},
    {"W4", "remote=int32; remote=int32 pred=int32"},
    {"W7", "remote=int32; remote=int32 pred=int32"},
    {"W10",
     "dim=1 coords=int32*1 cta_group=1; dim=2 coords=int32*2 cta_group=1 cta_mask=0; dim=2 coords=int32*2 cta_group=1 "
     "cta_mask=2; dim=2 coords=int32*2 cta_group=1 cta_mask=3; dim=2 coords=int32*2 cta_group=1 cta_mask=3 "
     "multicast=False; dim=3 coords=int32*3 cta_group=1 mbar=uint32 mbar_is_shared_addr=True"},
    {"W11",
     "dim=2 coords=int32*5 cta_group=1; dim=2 coords=int32*5 cta_group=1 cta_mask=0; dim=2 coords=int32*5 cta_group=1 "
     "mbar=uint32 mbar_is_shared_addr=True"},
    {"W12",
     "dim=2 coords=int32*2 cta_group=-1; dim=2 coords=int32*2 cta_group=-1 mbar=uint32 mbar_is_shared_addr=True"},
    {"W13", "dim=2 coords=int32*5 cta_group=-1"},
    {"W22", "name=here; name=here payload=uint32"},
    {"W23", "name=here"},
    {"W25", "name=here"},
    {"W27", "name=here"},
    {"W28", "event_id=1"},
    {"W29", "dtype=int32 vec=v2 dst=int32*2; dtype=float32 vec=v4 dst=float32*4; dtype=uint32 vec=v4 dst=uint32*4"},
    {"W33",
     "return_type=uint32 ptx_type=b32; return_type=int32 ptx_type=s32; return_type=float32 ptx_type=f32; "
     "return_type=uint64 ptx_type=u64; return_type=float64 ptx_type=f64; return_type=uint16 ptx_type=u16; "
     "return_type=uint32 ptx_type=u8; return_type=int32 ptx_type=s8; "
     "return_type=uint32 ptx_type=u32 space=shared::cluster addr=uint64; "
     "return_type=uint32 ptx_type=u32 space=shared addr=uint32"},
    {"W34",
     "return_type=uint32 ptx_type=b32 dst=uint32*1; return_type=uint32 ptx_type=u32 vec=v4 dst=uint32*4; "
     "return_type=uint32 ptx_type=u32 vec=v4 dst=uint32*1; return_type=uint64 ptx_type=u64 vec=v2 dst=uint64*1; "
     "return_type=float32 ptx_type=f32 vec=v2 dst=float32*2 space=shared addr=uint32; "
     "return_type=uint32 ptx_type=u32 vec=v8 dst=uint32*1; return_type=uint32 ptx_type=u8 dst=uint8*1; "
     "return_type=uint32 ptx_type=u8 dst=uint8*1 space=shared; return_type=uint16 ptx_type=u16 vec=v4 dst=uint16*1; "
     "return_type=uint32 ptx_type=b32 vec=v8 dst=uint32*1 l2_evict=L2::evict_last"},
    {"W35", "return_type=uint32 ptx_type=b32; return_type=float32 ptx_type=f32"},
    {"W36", "return_type=uint32 ptx_type=b32 dst=uint32*1; return_type=uint32 ptx_type=u32 vec=v2 dst=uint32*2"},
    {"W37", "return_type=uint32 ptx_type=b32; return_type=float32 ptx_type=f32"},
    {"W38", "return_type=uint32 ptx_type=b32 dst=uint32*1; return_type=uint32 ptx_type=u32 vec=v2 dst=uint32*1"},
    {"W39", "return_type=uint32 ptx_type=b32; return_type=float32 ptx_type=f32"},
    {"W40", "return_type=uint32 ptx_type=b32 dst=uint32*1; return_type=uint32 ptx_type=u32 vec=v4 dst=uint32*1"},
    {"W41", "return_type=uint32 ptx_type=b32; return_type=int64 ptx_type=s64"},
    {"W42", "return_type=uint32 ptx_type=b32 dst=uint32*1; return_type=uint32 ptx_type=u32 vec=v2 dst=uint32*1"},
    {"W43", "return_type=uint32 ptx_type=b32"},
    {"W44", "return_type=uint32 ptx_type=b32 dst=uint32*1"},
    {"W45",
     "values=float32*1 ptx_type=f32; values=uint32*4 vec=v4 ptx_type=b32; values=uint64*2 vec=v2 ptx_type=u64; "
     "values=uint32*8 vec=v8 ptx_type=b32 space=global; values=uint32*1 ptx_type=u8; values=uint8*1 ptx_type=b8; "
     "values=uint16*1 ptx_type=b16; values=float32*1 ptx_type=f32 space=shared::cluster address=uint64; "
     "values=float32*1 ptx_type=f32 space=shared address=uint32"},
    {"W46",
     "src=uint32 ptx_type=b32; src=uint32 vec=v4 ptx_type=u32; src=uint64 vec=v2 ptx_type=u64 space=global; "
     "src=uint8 ptx_type=u8; src=uint16 vec=v2 ptx_type=b16; src=uint64 ptx_type=b128 weak=True space=shared::cta; "
     "src=float32 ptx_type=f32 space=shared address=uint32"},
    {"W47", "values=uint32*1 ptx_type=u32; values=uint32*2 vec=v2 ptx_type=b32"},
    {"W48", "src=uint32 ptx_type=u32; src=uint32 vec=v2 ptx_type=b32"},
    {"W49", "values=uint32*1 ptx_type=u32; values=uint32*2 vec=v2 ptx_type=b32"},
    {"W50", "src=uint32 ptx_type=u32; src=uint32 vec=v2 ptx_type=b32"},
    {"W51", "values=uint32*1 ptx_type=u32; values=uint32*2 vec=v2 ptx_type=b32"},
    {"W52", "src=uint32 ptx_type=u32; src=uint32 vec=v2 ptx_type=b32"},
    {"W53", "value=uint32 ptx_type=u32; value=uint64 ptx_type=b64"},
    {"W54",
     "dtype=u32 atype=f32 rounding=rzi values=float32*1; dtype=f32 atype=s32 rounding=rn values=int32*1; "
     "dtype=f16 atype=f32 rounding=rn values=float32*1; dtype=bf16x2 atype=f32 rounding=rn values=float32*2; "
     "dtype=f16x2 atype=f32 rounding=rz relu=True values=float32*2; dtype=f32 atype=f16 values=uint16*1; "
     "dtype=f32 atype=bf16 values=uint16*1; dtype=tf32 atype=f32 rounding=rna values=float32*1; "
     "dtype=e4m3x2 atype=f32 rounding=rn satfinite=True values=float32*2; "
     "dtype=e5m2x2 atype=f16x2 rounding=rn satfinite=True values=uint32*1; "
     "dtype=f16x2 atype=e4m3x2 rounding=rn values=uint16*1; dtype=f64 atype=f32 values=float32*1; "
     "dtype=e2m1x2 atype=f32 rounding=rn satfinite=True values=float32*2; "
     "dtype=f16x2 atype=e2m1x2 rounding=rn values=uint8*1; dtype=s8 atype=s32 sat=True values=int32*1; "
     "dtype=e2m3x2 atype=f32 rounding=rn satfinite=True values=float32*2; "
     "dtype=ue8m0x2 atype=f32 rounding=rz values=float32*2; dtype=bf16x2 atype=ue8m0x2 rounding=rn values=uint16*1; "
     "dtype=u64 atype=f64 rounding=rmi values=float64*1; dtype=f32 atype=f32 rounding=rni ftz=True values=float32*1"},
};

using Words = std::map<std::string, std::string, std::less<>>;

std::vector<Words> recipes_of(std::string_view id) {
  std::vector<Words> out;
  for (const Recipe& r : kRecipes) {
    if (r.id != id) continue;
    std::string_view rest = r.text;
    out.emplace_back();
    while (!rest.empty()) {
      if (rest[0] == ' ' || rest[0] == ';') {
        if (rest[0] == ';') out.emplace_back();
        rest.remove_prefix(1);
        continue;
      }
      std::size_t end = std::min(rest.find_first_of(id == "C60" ? " " : " ;"), rest.size());
      std::string_view word = rest.substr(0, end);
      std::size_t equals = word.find('=');
      out.back().emplace(word.substr(0, equals), word.substr(equals + 1));
      rest.remove_prefix(end);
    }
  }
  if (out.empty()) out.emplace_back();
  return out;
}

ir::Expr constant_of(std::string_view text) {
  if (text == "True" || text == "False") return ir::bool_imm(text == "True");
  bool number = !text.empty() && text.find_first_not_of("-0123456789") == text.npos && text != "-";
  if (number) return ir::int_imm(ir::kInt32, std::stoll(std::string(text)));
  return ir::string_imm(Arena::current().copy(text));
}

// A run-time argument of this kind; `type` from the recipe, or empty.
ir::Expr runtime(const Operand& o, OperandKind kind, std::string_view type, const std::string& name) {
  if (!type.empty() && type.find_first_not_of("0123456789") == type.npos) {
    return ir::int_imm(o.dtype.is_void() ? ir::kInt32 : o.dtype, std::stoll(std::string(type)));
  }
  ir::DataType wanted = ir::parse_dtype(type).value_or(ir::kVoid);
  auto variable = [&](ir::DataType d) { return ir::make_var(Arena::current().copy(name), d, ir::VarRole::Parameter); };
  switch (kind) {
    case OperandKind::Value: {
      ir::DataType d = !o.dtype.is_void() ? o.dtype : wanted.is_void() ? ir::kInt32 : wanted;
      return variable(d);
    }
    case OperandKind::TensorMap: return variable(ir::kUInt64);
    case OperandKind::Reference: {
      ir::DataType d = !o.dtype.is_void() ? o.dtype : wanted.is_void() ? ir::kUInt32 : wanted;
      auto* buffer = Arena::current().make<ir::Buffer>();
      buffer->name = Arena::current().copy(name);
      buffer->dtype = d;
      buffer->scope = ir::StorageScope::Local;
      buffer->shape = {Arena::current().make<ir::Expr>(ir::int_imm(ir::kInt32, 1)), 1};
      ir::Expr zero[] = {ir::int_imm(ir::kInt32, 0)};
      return ir::load(buffer, zero);
    }
    default: {
      if (!o.dtype.is_void() && kind == OperandKind::SharedPointer) return variable(ir::kUInt64);
      if (wanted == ir::kUInt64 && kind == OperandKind::Pointer && o.dtype.is_void() &&
          (o.name == "addr" || o.name == "address")) {
        return variable(ir::kUInt64);  // a mapped address
      }
      if (wanted == ir::kUInt32 && takes_address(o)) return variable(ir::kUInt32);  // its number in shared memory
      const ir::Var* v = variable(ir::kHandle);
      const_cast<ir::Var*>(v)->pointee = wanted;
      return v;
    }
  }
}

std::vector<ir::Expr> bind_words(const Intrinsic& row, const Words& words) {
  std::vector<ir::Expr> args;
  for (const Operand& o : row.operands) {
    auto word = words.find(o.name);
    std::string_view text = word == words.end() ? std::string_view() : word->second;
    const bool written = word != words.end();
    std::string name = "p" + std::to_string(args.size());
    if (o.kind == OperandKind::Attribute) {
      if (written) {
        std::string value(text);
        if (o.name == "source_code") std::ranges::replace(value, '_', ' ');
        if (o.name == "source_code") value = "__device__ int twice(int x) { return 2 * x; }\n";
        args.push_back(constant_of(value));
      } else if (!o.default_text.empty()) {
        args.push_back(default_value(o));
      } else {
        args.push_back(constant_of(o.choices.substr(0, o.choices.find('|'))));
      }
    } else if (o.kind == OperandKind::List || o.kind == OperandKind::Variadic) {
      std::size_t star = text.find('*');
      const int n = star == text.npos ? 0 : std::stoi(std::string(text.substr(star + 1)));
      if (o.kind == OperandKind::List) args.push_back(ir::int_imm(ir::kInt32, n));
      for (int i = 0; i < n; ++i) {
        args.push_back(runtime(o, o.item, text.substr(0, star), "p" + std::to_string(args.size())));
      }
    } else if (o.default_text == "None" && !written) {
      args.push_back(absent());
    } else {
      args.push_back(runtime(o, o.kind, text, name));
    }
  }
  return args;
}

}  // namespace

std::vector<Sample> of(const Intrinsic& row) {
  std::vector<Sample> out;
  std::vector<Words> recipes = recipes_of(row.id);
  auto add = [&](const Words& words) {
    std::string what;
    for (const auto& [name, value] : words) what += (what.empty() ? "" : " ") + name + "=" + value;
    if (std::ranges::none_of(out, [&](const Sample& s) { return s.what == what; })) {
      out.push_back({&row, what, bind_words(row, words)});
    }
  };
  for (const Words& base : recipes) add(base);
  for (const Operand& o : row.operands) {
    Words words = recipes.front();
    if (o.kind == OperandKind::Attribute && !o.choices.empty()) {
      for (std::size_t from = 0; from <= o.choices.size();) {
        std::size_t end = std::min(o.choices.find('|', from), o.choices.size());
        words[std::string(o.name)] = o.choices.substr(from, end - from);
        add(words);
        if ((o.name == "scope" || o.name == "sem") && row.id.starts_with('W')) {  // pairs that must be given together
          Words pair = words;
          if (o.name == "scope") pair["sem"] = "release";
          if (o.name == "sem") pair["scope"] = "cta";
          if (row.operands.size() > 2) add(pair);
        } else if (o.name == "scope" && row.operands.size() > 2) {
          Words pair = words;
          pair["sem"] = "acquire";
          add(pair);
        }
        from = end + 1;
      }
    } else if (o.default_text == "None" && o.kind != OperandKind::Attribute && o.kind != OperandKind::List) {
      words[std::string(o.name)] = "";
      add(words);
    }
  }
  return out;
}

std::string headers(std::string_view tags) {
  std::string out;
  auto has = [&](std::string_view tag) { return tags.find(tag) != tags.npos; };
  if (has("fp16")) out += "#include <cuda_fp16.h>\n";
  if (has("bf16")) out += "#include <cuda_bf16.h>\n";
  if (has("fp8")) out += "#include <cuda_fp8.h>\n";
  if (has("cooperative_groups")) out += "#include <cooperative_groups.h>\n";
  if (has("mma")) out += "#include <mma.h>\n";
  return out;
}

std::string kernel(const Sample& sample, const Emitted& emitted, std::string_view name) {
  auto type = [](ir::DataType d) { return std::string(d.is_void() ? "void" : c_type(d)); };
  std::string parameters = "char* memory", before, after, call;
  std::vector<std::string> texts(sample.args.size());
  for (int p : emitted.argument_positions) {
    ir::Expr e = sample.args[p];
    const std::string v = "p" + std::to_string(p);
    texts[p] = v;
    if (const auto* load = e.as<ir::Load>()) {
      const std::string t = type(load->dtype),
                        at = "((" + t + "*)memory)[" + std::to_string(p) + " * 32 + threadIdx.x]";
      before += "  " + t + " " + v + " = " + at + ";\n";
      after += "  " + at + " = " + v + ";\n";
    } else if (e.as<ir::Var>() && e.dtype() == ir::kUInt64) {
      // Not a parameter: ptxas 13.0 crashes on mbarrier.test_wait below sm_90 when the token comes straight from one.
      before += "  unsigned long long " + v + " = ((unsigned long long*)memory)[" + std::to_string(p) + "];\n";
    } else if (const auto* var = e.as<ir::Var>()) {
      parameters += ", " + (var->dtype.is_handle() ? type(var->pointee) + "*" : type(var->dtype)) + " " + v;
    } else {
      texts[p] = attribute_text(e);
    }
  }
  if (emitted.helper_name.empty()) {
    for (std::size_t i = 0; i < emitted.expression.size(); ++i) {
      if (emitted.expression[i] == '{') {
        std::size_t end = emitted.expression.find('}', i);
        call += texts[std::stoul(emitted.expression.substr(i + 1, end - i - 1))];
        i = end;
      } else {
        call += emitted.expression[i];
      }
    }
  } else {
    call = emitted.helper_name + "(";
    bool first = true;
    for (int p : emitted.argument_positions) {
      call += (first ? "" : ", ") + texts[p];
      first = false;
    }
    call += ")";
  }
  ir::DataType result = sample.row->result ? sample.row->result(sample.args) : ir::kVoid;
  if (!result.is_void()) call = "*(" + type(result) + "*)memory = " + call;
  return "extern \"C\" __global__ void " + std::string(name) + "(" + parameters + ") {\n" + before + "  " + call +
         ";\n" + after + "}\n";
}

}  // namespace tilewright::intrinsics::samples
