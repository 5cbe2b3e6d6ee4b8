// Which modifiers go together, by name. "a -> b": where a holds, b must.
//
//   sem           the slot is written           !sem          it is left out
//   sem=a,b       it is one of these            sem!=a,b      it is none of these (- is "left out")
#include <stdexcept>
#include <string>

#include "compiler/ptx/row_text.h"

namespace tilewright::ptx {
namespace {

struct Rules {
  std::string_view name;
  std::string_view text;
};

constexpr Rules kRules[] = {
    {"ashift", "collector_a=collector::a::fill,collector::a::use -> !ashift"},
    {"async_reduce",
     "op=inc,dec -> type=u32; "
     "op=min,max -> type=u32,s32; "
     "op=and,or,xor -> type=b32; "
     "op=add -> type!=b32"},
    {"async_release", "mmio -> scope=sys"},
    {"async_vector", "type=b64,u64,s64,f64 -> vec=v2"},
    {"atomic",
     "cache -> space=-,global; "
     "op=and,or,xor -> type=b32,b64; "
     "op=add -> type!=b32,b64,s64; "
     "op=inc,dec -> type=u32; "
     "op=min,max -> type=u32,u64,s32,s64"},
    {"atomic_half",
     "-> type=f16,f16x2; "
     "cache -> space=-,global"},
    {"atomic_half_vector",
     "vec!=v8 -> type=f16,f16x2; "
     "vec=v8 -> type=f16"},
    {"atomic_vector", "vec=v8 -> type=f16,bf16,f32"},
    {"bulk_order",
     "!scope -> sem=-,weak; "
     "scope -> sem=relaxed; "
     "!type -> !scope; "
     "type -> scope"},
    {"bulk_reduce",
     "!scope -> !sem; "
     "scope -> sem; "
     "type=b32 -> redop=and,or,xor; "
     "completion=bulk_group type=b32,b64 -> redop=and,or,xor; "
     "type=u32 -> redop!=and,or,xor; "
     "completion=bulk_group type=s32,u64,f16,bf16 -> redop=add,min,max; "
     "type=s32 -> redop=add,min,max; "
     "completion=bulk_group type=f32,f64 -> redop=add; "
     "completion!=bulk_group type=u64 -> redop=add; "
     "completion=bulk_group type=s64 -> redop=min,max; "
     "redop=add !noftz -> type=u32,s32,u64,f32,f64; "
     "redop=add noftz -> type=f16,bf16; "
     "redop=min,max !noftz -> type!=b32,b64,f32,f64; "
     "redop!=add noftz -> type=; "
     "redop=inc,dec !noftz -> type=u32; "
     "redop=and,or,xor !noftz -> type=b32,b64"},
    {"bulk_report",
     "!scope -> sem=-,weak; "
     "scope -> sem=relaxed; "
     "!type -> !scope; "
     "type -> scope; "
     "ignore_oob -> report=mbarrier::report::disabled"},
    {"cache_hint", "cache -> space=-,global"},
    {"compare",
     "cmp=lt,le,gt,ge -> stype!=b16,b32,b64; "
     "cmp=lo,ls,hi,hs -> stype=-,u16,u32,u64; "
     "cmp!=eq,ne,lt,le,gt,ge,lo,ls,hi,hs -> stype=-,f32,f64; "
     "cmp=lt,le,gt,ge -> type!=b16,b32,b64; "
     "cmp=lo,ls,hi,hs -> type=-,u16,u32,u64; "
     "cmp!=eq,ne,lt,le,gt,ge,lo,ls,hi,hs -> type=-,f32,f64; "
     "ftz -> stype=-,f32; "
     "ftz -> type=-,f32"},
    {"convert",
     "relu -> rnd=rn,rz; "
     "satfinite -> rnd=rn,rz; "
     "ftz -> !relu; "
     "sat -> !relu; "
     "relu -> atype=f32; "
     "ftz -> !satfinite; "
     "sat -> !satfinite; "
     "satfinite -> atype=f32; "
     "!rnd dtype!=bf16,f16,f32,f64 -> atype!=bf16,f16,f32,f64; "
     "rnd=rn,rz,rm,rp dtype=f64 -> atype!=bf16,f16,f32,f64; "
     "rnd!=rn,rz,rm,rp dtype=bf16 -> atype=bf16; "
     "rnd!=rn,rz,rm,rp dtype=f16 -> atype=f16; "
     "!rnd dtype=f32 -> atype=bf16,f16,f32; "
     "!rnd dtype=f64 -> atype=bf16,f16,f32,f64; "
     "rnd!=-,rn,rz,rm,rp dtype=u16,u32,u64,s16,s32,s64 -> atype=bf16,f16,f32,f64; "
     "rnd!=-,rn,rz,rm,rp dtype=u8,s8 -> atype=f16,f32,f64; "
     "rnd!=-,rn,rz,rm,rp dtype=f32 -> atype=f32; "
     "rnd!=-,rn,rz,rm,rp dtype=f64 -> atype=f64; "
     "rnd=rn,rz,rm,rp dtype!=bf16,f16,f32,f64 -> atype=; "
     "rnd=rn,rz,rm,rp dtype=bf16 -> atype!=u8,s8,bf16; "
     "rnd=rn,rz,rm,rp dtype=f16 -> atype!=f16; "
     "rnd=rn,rz,rm,rp dtype=f32 -> atype!=bf16,f16,f32; "
     "!ftz atype=u8,s8 -> dtype!=bf16; "
     "!ftz atype=bf16 -> dtype!=u8,s8; "
     "ftz atype!=f32 -> dtype=f32; "
     "!sat dtype=u8,s8 -> atype!=bf16; "
     "sat dtype=f16,f32,f64 -> atype!=bf16; "
     "!sat dtype=bf16 -> atype!=u8,s8; "
     "sat dtype=u8 -> atype!=u8,bf16; "
     "sat dtype=u16 -> atype!=u8,u16,bf16; "
     "sat dtype=u32 -> atype!=u8,u16,u32,bf16; "
     "sat dtype=u64 -> atype!=u8,u16,u32,u64,bf16; "
     "sat dtype=s8 -> atype!=s8,bf16; "
     "sat dtype=s16 -> atype!=u8,s8,s16,bf16; "
     "sat dtype=s32 -> atype=u32,u64,s64,f16,f32,f64; "
     "sat dtype=s64 -> atype=u64,f16,f32,f64; "
     "sat dtype=bf16 -> atype="},
    {"convert_tf32", "relu -> rnd!=rna"},
    {"decompress",
     "idxsize=b2 -> spfactor=sp::1:2,sp::1:4,sp::2:4; "
     "elemsize=b8 spfactor=sp::1:2 -> num!=x1; "
     "elemsize=b16 spfactor=sp::1:8,sp::2:8 -> num!=x64; "
     "elemsize=b8 spfactor=sp::1:16,sp::2:16,sp::4:16 -> num!=x64; "
     "elemsize=b16 spfactor=sp::1:16,sp::2:16 -> num!=x32,x64; "
     "elemsize=b16 spfactor=sp::4:8,sp::4:16 -> num="},
    {"fabric_pull",
     "redop=and,or,xor -> type=b32,b64; "
     "redop=min,max -> type!=b32,b64,f32; "
     "redop=add -> type!=b32,b64,s32,s64"},
    {"fabric_reduce",
     "redop=and,or,xor -> type=b32,b64; "
     "redop=min,max -> type!=b32,b64,f32,f64; "
     "redop=add -> type!=b32,b64,s32,s64"},
    {"float_arithmetic",
     "type=f64 -> !ftz; "
     "srctype -> !ftz; "
     "sat -> type=f32; "
     "srctype -> type=f32"},
    {"float_division",
     "type=f64 -> mode=rn,rz,rm,rp; "
     "ftz -> type=f32"},
    {"gather4", "load_mode!=-,tile -> dim=2d"},
    {"half_arithmetic",
     "ftz -> type=f16,f16x2; "
     "sat -> type=f16,f16x2"},
    {"half_compare", "ftz -> type=f16,f16x2"},
    {"half_exp2",
     "type=f16,f16x2 -> !ftz; "
     "type!=f16,f16x2 -> ftz"},
    {"half_fma",
     "oob -> !ftz; "
     "ftz -> type=f16,f16x2; "
     "oob -> !sat; "
     "relu -> !sat; "
     "sat -> type=f16,f16x2"},
    {"half_set",
     "stype=b16,b32,b64 -> cmp=eq,ne; "
     "stype=u16,u32,u64,s16,s32,s64 -> cmp=eq,ne,lt,le,gt,ge; "
     "dtype=bf16,bf16x2 -> !ftz; "
     "ftz -> stype=f16,f32,f16x2; "
     "dtype=f16,bf16 -> stype!=bf16,f16x2,bf16x2; "
     "dtype=u16,s16 -> stype=f16,bf16; "
     "dtype=u32,s32 -> stype=f16,bf16,f16x2,bf16x2; "
     "dtype=f16x2 -> stype=f16x2; "
     "dtype=bf16x2 -> stype=bf16x2"},
    {"integer_add", "sat -> type=s32"},
    {"integer_mad",
     "sat -> mode=hi; "
     "sat -> type=s32"},
    {"integer_sub", "sat -> type=s32"},
    {"load",
     "mmio -> scope=sys; "
     "mmio -> space=-,global; "
     "l1ev -> !mmio; "
     "cache -> !mmio; "
     "prefetch -> !mmio; "
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=acquire,relaxed; "
     "cop -> sem=-,weak; "
     "nc -> !sem; "
     "l1ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "space=local -> !scope; "
     "nc -> space=global; "
     "l1ev -> space=-,global; "
     "cache -> space=-,global; "
     "prefetch -> space=-,global; "
     "nc -> cop!=lu,cv; "
     "l1ev -> !cop"},
    {"load_256",
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=acquire,relaxed; "
     "cop -> sem=-,weak; "
     "nc -> !sem; "
     "l1ev -> sem!=volatile; "
     "l2ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "nc -> space; "
     "nc -> cop!=lu,cv; "
     "l1ev -> !cop; "
     "l2ev -> !cop; "
     "type=b32,u32,s32,f32 -> vec=v8; "
     "type=b64,u64,s64,f64 -> vec=v4"},
    {"load_vector",
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=acquire,relaxed; "
     "cop -> sem=-,weak; "
     "nc -> !sem; "
     "l1ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "space=local -> !scope; "
     "nc -> space=global; "
     "l1ev -> space=-,global; "
     "cache -> space=-,global; "
     "prefetch -> space=-,global; "
     "nc -> cop!=lu,cv; "
     "l1ev -> !cop; "
     "type=b64,u64,s64,f64 -> vec=v2"},
    {"matrix_bytes",
     "!trans -> shape=m8n16; "
     "trans -> shape=m16n16; "
     "trans -> num!=x4"},
    {"mbarrier_order",
     "!scope -> !sem; "
     "scope -> sem"},
    {"min_max",
     "ftz -> type=f32,f16,f16x2; "
     "nan -> type=f32,f16,f16x2,bf16,bf16x2; "
     "!abs -> !xorsign; "
     "abs -> xorsign; "
     "abs -> type=f32,f16,f16x2,bf16,bf16x2; "
     "relu -> type=s16x2,s32"},
    {"mma_f16",
     "alayout=col -> shape=m8n8k4; "
     "blayout=row -> shape=m8n8k4; "
     "shape=m8n8k4,m16n8k8 -> btype=f16; "
     "shape=m16n8k32 -> btype!=f16; "
     "btype=f16 -> atype=f16; "
     "btype!=f16 -> atype!=f16"},
    {"mma_f32",
     "alayout=col -> shape=m8n8k4; "
     "blayout=row -> shape=m8n8k4; "
     "btype=f16 -> shape!=m16n8k4,m16n8k32; "
     "btype=bf16 -> shape=m16n8k8,m16n8k16; "
     "btype=tf32 -> shape=m16n8k4,m16n8k8; "
     "btype=e4m3,e5m2 -> shape=m16n8k16,m16n8k32; "
     "btype=f16 -> atype=f16; "
     "btype=bf16 -> atype=bf16; "
     "btype=tf32 -> atype=tf32; "
     "btype=e4m3,e5m2 -> atype=e4m3,e5m2"},
    {"mma_integer",
     "btype=u8,s8 -> shape=m8n8k16,m16n8k16,m16n8k32; "
     "btype=u4,s4 -> shape=m16n8k32,m8n8k32,m16n8k64; "
     "btype=b1 -> shape=m8n8k128,m16n8k128,m16n8k256; "
     "bitop -> !satfinite; "
     "btype=u8,s8 -> atype=u8,s8; "
     "btype=u4,s4 -> atype=u4,s4; "
     "btype=b1 -> atype=b1; "
     "!bitop -> btype!=b1; "
     "bitop -> btype=b1; "
     "!popc -> !bitop; "
     "popc -> bitop"},
    {"multimem_float",
     "!scope -> sem=-,weak; "
     "scope -> sem!=-,weak; "
     "acc -> op=-,add; "
     "type=f32,f64 -> op=-,add; "
     "type=f32,f64 -> !acc; "
     "type=f16,bf16 -> vec; "
     "type!=f16,bf16,f64 -> vec!=v8; "
     "type=f64 -> !vec"},
    {"multimem_integer",
     "!scope -> sem=-,weak; "
     "scope -> sem!=-,weak; "
     "op=min,max -> type!=b32,b64; "
     "op=add -> type=u32,u64,s32; "
     "op=and,or,xor -> type=b32,b64"},
    {"narrow_to_zero", "rnd=rn !scaled -> pzo"},
    {"packed_set", "cmp=lo,ls,hi,hs -> type=u8x4,u16x2"},
    {"prefetch",
     "evict -> space=global; "
     "space=global,local -> !tensormap; "
     "space=const,param -> tensormap; "
     "!evict !tensormap -> level; "
     "!evict tensormap -> !level; "
     "evict !tensormap -> !level; "
     "evict tensormap -> level="},
    {"proxy_space", "space -> proxykind=async"},
    {"reciprocal",
     "!ftz type=f64 -> mode!=approx; "
     "ftz type=f64 -> mode=approx"},
    {"scale_block",
     "block_size=block16 -> kind=kind::mxf4nvf4; "
     "collector_b -> collector_a"},
    {"scale_vector",
     "kind=kind::mxf8f6f4 -> scale_vec=scale_vec::1X; "
     "kind=kind::mxf4 -> scale_vec=scale_vec::2X; "
     "kind=kind::mxf4nvf4 -> scale_vec!=scale_vec::1X"},
    {"select_ftz", "ftz -> ctype=f32"},
    {"sign_of_float", "ftz -> type=f32"},
    {"sign_of_half", "ftz -> type=f16,f16x2"},
    {"sparse_float",
     "btype!=tf32 -> shape=m16n8k16; "
     "btype=tf32 -> shape=m16n8k8; "
     "btype=f16 -> atype=f16; "
     "btype=bf16 -> atype=bf16; "
     "btype=tf32 -> atype=tf32"},
    {"sparse_float_pair",
     "btype!=tf32 -> shape=m16n8k32; "
     "btype=tf32 -> shape=m16n8k16; "
     "btype=f16 -> atype=f16; "
     "btype=bf16 -> atype=bf16; "
     "btype=tf32 -> atype=tf32"},
    {"sparse_integer",
     "btype=u8,s8 -> shape=m16n8k32; "
     "btype=u4,s4 -> shape=m16n8k64; "
     "btype=u8,s8 -> atype=u8,s8; "
     "btype=u4,s4 -> atype=u4,s4"},
    {"sparse_integer_all",
     "btype=u8,s8 -> shape=m16n8k64; "
     "btype=u4,s4 -> shape=m16n8k128; "
     "btype=u8,s8 -> atype=u8,s8; "
     "btype=u4,s4 -> atype=u4,s4"},
    {"square_root",
     "mode=approx -> type=f32; "
     "ftz -> type=f32"},
    {"store",
     "mmio -> scope=sys; "
     "mmio -> space=-,global; "
     "l1ev -> !mmio; "
     "cache -> !mmio; "
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=release,relaxed; "
     "cop -> sem=-,weak; "
     "l1ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "space=local -> !scope; "
     "l1ev -> space=-,global; "
     "cache -> space=-,global; "
     "l1ev -> !cop"},
    {"store_256",
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=release,relaxed; "
     "cop -> sem=-,weak; "
     "l1ev -> sem!=volatile; "
     "l2ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "l1ev -> !cop; "
     "l2ev -> !cop; "
     "type=b32,u32,s32,f32 -> vec=v8; "
     "type=b64,u64,s64,f64 -> vec=v4"},
    {"store_vector",
     "!scope -> sem=-,weak,volatile; "
     "scope -> sem=release,relaxed; "
     "cop -> sem=-,weak; "
     "l1ev -> sem!=volatile; "
     "cache -> sem!=volatile; "
     "space=local -> !scope; "
     "l1ev -> space=-,global; "
     "cache -> space=-,global; "
     "l1ev -> !cop; "
     "type=b64,u64,s64,f64 -> vec=v2"},
    {"tensor_copy",
     "!multicast -> shape!=64x128b,32x128b; "
     "multicast!=-,warpx4 -> shape=64x128b; "
     "multicast=warpx4 -> shape=32x128b; "
     "!src_fmt -> !dst_fmt; "
     "src_fmt -> dst_fmt"},
    {"tensor_reduce",
     "-> num!=x1; "
     "abs -> type=f32; "
     "nan -> type=f32"},
    {"tensor_repeat",
     "num=x64 -> shape!=16x256b; "
     "num=x128 -> shape=16x64b,32x32b"},
    {"vector_128", "type=b64,u64,s64,f64 -> vec=v2"},
};

}  // namespace

std::string_view rule_text(std::string_view name) {
  for (const Rules& rules : kRules)
    if (rules.name == name) return rules.text;
  throw std::logic_error("no rules " + std::string(name));
}

}  // namespace tilewright::ptx
