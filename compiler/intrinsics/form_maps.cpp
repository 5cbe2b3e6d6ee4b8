// Which operands of a row of the table stand for what of an instruction of 0.27 that means the same.
//
//   bar=addr           the operand `bar` is the instruction's operand `addr`
//   sem=.sem           the word in slot `sem`, or the operand's default where that is left out
//   op=.redop|add      the first of these slots that has a word, else this text
//   num=.num#          the number at the end of the word: 4 of x4, 2 of cta_group::2
//   M=.shape#m         the number after that letter: 64 of m64n16k16
//   packing=.a+.b      the words of both slots, a dot between
//   read=.read?        whether the slot has a word; trans=.trans?1 the same as 0 or 1
//   inc=.action?inc    whether the slot has this word
//   in_dtype=.atype~   the dtype that a type of PTX is: float16 of f16
//   d_dtype=.kind%d    a dtype with which a product of tensor memory is of that kind: d, a, or s for scales
//   use_a_tmem=@a_tmem whether the instruction has that operand
//   accums=d,a         several operands after each other in a list
//   pred=none          nothing: the operand keeps its default
//
// Operands with the name of an operand or a slot of the instruction need no words. What has no counterpart keeps its
// default. A register that the instruction writes and the row does not take is where the row's result goes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>

#include "compiler/intrinsics/forms.h"

namespace tilewright::intrinsics {
namespace {

struct Map {
  std::string_view id;
  std::string_view text;  // " " for one without words
};

constexpr Map kMaps[] = {
    // Barriers in shared memory.
    {"P1", "bar=addr thread_count=count"},
    {"P2", "bar=addr"},
    {"P6", "bar=addr byte_count=tx_count"},
    {"P11", "barrier=addr"},
    {"E4", "bar=addr"},
    {"E5", "bar=addr"},
    {"E6", "bar=addr ticks=time_hint"},
    {"E7", "bar=addr byte_count=tx_count"},
    {"E8", "bar=addr byte_count=tx_count"},
    {"E9", "bar=addr"},
    {"E10", "bar=addr"},
    {"E11", " "},
    {"E26", "bar=addr"},
    {"E27", "bar=addr byte_count=tx_count"},
    {"E28", "bar=addr byte_count=tx_count"},
    {"E29", "bar=addr ticks=time_hint"},
    // Copies.
    {"P29", "dst_ptr=dst_mem src_ptr=src_mem prefetch_size=.prefetch#"},
    {"E38", "dst_ptr=dst_mem src_ptr=src_mem prefetch_size=.prefetch#"},
    {"P33", " "},
    {"P34", "num=group"},
    {"E1", "bar=addr noinc=.noinc?"},
    {"E3", " "},
    {"P36", "dst_ptr=dst_mem src_ptr=src_mem num_bytes=size mbarrier_ptr=mbar ignore_oob=none"},
    {"P37",
     "dst_ptr=dst_mem src_ptr=src_mem num_bytes=size mbarrier_ptr=mbar multicast=.multicast?|.multicast::cluster::16b?|"
     ".multicast::cluster::32b?"},
    {"P39", "dst_ptr=dst_mem src_ptr=src_mem"},
    {"P40", "dst_ptr=dst_mem src_ptr=src_mem num_bytes=size cp_mask=.cp_mask?"},
    {"P41", " "},
    {"P42", "n=group read=.read?"},
    {"E12", "src_ptr=src_mem num_bytes=size"},
    {"E13", "dst_ptr=dst_mem src_ptr=src_mem num_bytes=size op=.redop|add dtype=.type|f32"},
    {"E14", "dst_ptr=dst_mem src_ptr=src_mem num_bytes=size mbarrier=mbar op=.redop dtype=.type"},
    {"E19",
     "tm=addr value=new_val "
     "field=.field|.global_address|.rank|.global_stride|.elemtype|.interleave_layout|.swizzle_mode|.fill_mode"},
    {"E20", "dst_global=dst_mem src_shared=src_mem"},
    {"E24", "addr_u64=addr values=b bar_u64=mbar ptx_type=.type weak=.weak?"},
    {"E25", "addr_u64=addr bar_u64=mbar ptx_type=.type"},
    {"P51", "tensormap_addr=addr"},
    {"P58", "ptr=addr num_bytes=size weak=.weak?"},
    {"E36", "kind=.pri: secondary=.sec:"},
    {"E37", " "},
    // Addresses and launch.
    {"E34", "addr=a"},
    {"P25", "ptr=a rank=b ptx_type=.type space=.shared::cluster"},
    {"P27", "handle=addr"},
    {"P21", "inc=.action?inc reg_count=nreg"},
    {"P19", " "},
    {"P20", " "},
    // Threads meeting, and fences.
    {"P12", "name_bar_id=a thread_count=b"},
    {"P13", "name_bar_id=a thread_count=b"},
    {"E33", "name_bar_id=a thread_count=b"},
    {"E33.arrive", "name_bar_id=a thread_count=b"},
    {"P14", "aligned=.aligned?"},
    {"P15", "acquire=.acquire? aligned=.aligned?"},
    {"P16", "sem=.sem|acq_rel"},
    {"P17", " "},
    {"P18", " "},
    {"E21", " "},
    {"E22", " "},
    {"E23", " "},
    // Approximations; what else works on registers alone is computed by compiler/ptx.
    {"P93", "x=value"},
    {"P94", "x=value"},
    // Matrices.
    {"P61", "trans=.trans?1 num=.num# dtype=.b16 smem_ptr=p dst_handles=r"},
    {"P63", "trans=.trans?1 num=.num# dtype=.b16|.b8 shape=.m8n8|.m16n8 smem_ptr=p src_handles=r"},
    {"P64",
     "a_layout=.alayout|row b_layout=.blayout|col d_type=.f32|.f16|.s32|.f64 c_type=.f32|.f16|.s32|.f64 "
     "a_type=.atype|.f16|.f64 b_type=.btype|.f16|.f64 d_ptrs=d a_ptrs=a b_ptrs=b c_ptrs=c saturate=.satfinite? "
     "bit_op=.bitop"},
    {"P64.half",
     "a_layout=.alayout b_layout=.blayout d_type=.f32 c_type=.f16 a_type=.f16 b_type=.f16 d_ptrs=d a_ptrs=a b_ptrs=b "
     "c_ptrs=c shape=.m8n8k4"},
    {"P65.list",
     "shape=.shape|.m16n8k16|.m16n8k32|.m16n8k64 a_layout=.none|row b_layout=.none|col d_type=.f32|.f16|.s32 "
     "c_type=.f32|.f16|.s32 a_type=.atype|.f16 "
     "b_type=.btype|.f16 d_ptrs=d a_ptrs=a b_ptrs=b c_ptrs=c metadata=e sparse_selector=f saturate=.satfinite? "
     "variant=.spvariant"},
    {"P67", " "},
    {"P68", " "},
    {"P69", "n=group"},
    {"P72",
     "descA=a_desc descB=b_desc accums=d M=.shape#m N=.shape#n K=.shape#k in_dtype=.atype~|.f16~|.bf16~|.tf32~ "
     "out_dtype=.f32~ transA=trans_a|.none? transB=trans_b|.none? scaleA=scale_a scaleB=scale_b scaleD=scale_d"},
    {"P73",
     "descB=b_desc reg_list=a,d M=.shape#m N=.shape#n K=.shape#k in_dtype=.atype~|.f16~|.bf16~|.tf32~ "
     "out_dtype=.f32~ transA=.none? transB=trans_b|.none? scaleA=scale_a scaleB=scale_b scaleD=scale_d"},
    {"P72.integer",
     "descA=a_desc descB=b_desc accums=d M=.shape#m N=.shape#n K=.shape#k in_dtype=.atype~ scaleD=scale_d"},
    {"P73.integer", "descB=b_desc reg_list=a,d M=.shape#m N=.shape#n K=.shape#k in_dtype=.atype~ scaleD=scale_d"},
    {"P72.mixed",
     "descA=a_desc descB=b_desc accums=d M=.shape#m N=.shape#n K=.shape#k a_dtype=.atype~|.f16~|.b1 "
     "b_dtype=.btype~|.f16~|.b1 out_dtype=.s32~|.f32~|.f16~ transA=trans_a|.none? transB=trans_b|.none? "
     "scaleA=scale_a scaleB=scale_b saturate=.satfinite? scaleD=scale_d"},
    {"P73.mixed",
     "descB=b_desc reg_list=a,d M=.shape#m N=.shape#n K=.shape#k a_dtype=.atype~|.f16~|.b1 b_dtype=.btype~|.f16~|.b1 "
     "out_dtype=.s32~|.f32~|.f16~ transA=.none? transB=trans_b|.none? scaleA=scale_a scaleB=scale_b "
     "saturate=.satfinite? scaleD=scale_d"},
    // Copies of tensors.
    {"P44", "dim=.dim#|1 dst_ptr=dst_mem bar=mbar tensormap_addr=tmap cta_group=.cta_group#|1"},
    {"P45", "dim=.dim# dst_ptr=dst_mem bar=mbar tensormap_addr=tmap cta_group=.cta_group#|1"},
    {"P48", "dim=.dim#|1 src_ptr=src_mem tensormap_addr=tmap"},
    {"P49", "dim=.dim#|1 src_ptr=src_mem tensormap_addr=tmap red_op=.redop"},
    {"P50", "dim=.dim# tensormap_addr=tmap"},
    {"E15", "dim=.dim#|1 dst_ptr=dst_mem bar=mbar tensormap_addr=tmap"},
    {"E17", "src_ptr=src_mem tensormap_addr=tmap"},
    // Tensor memory.
    {"P74", "dst_ptr=dst n_cols=ncols cta_group=.cta_group#"},
    {"P75", "n_cols=ncols cta_group=.cta_group#"},
    {"P76", "cta_group=.cta_group#"},
    {"P78", "src_addr=taddr regs=r,mdata,cdata shape=.shape|.32x32b|.16x32bx2 num=.num# pack=.pack::16b?"},
    {"P79", "dst_addr=taddr regs=r shape=.shape|.16x32bx2 num=.num# unpack=.unpack::16b?"},
    {"P80", " "},
    {"P81", " "},
    {"P82", " "},
    {"P83", " "},
    {"P84", "src_desc=s_desc cta_group=.cta_group# decompress=.dst_fmt+.src_fmt"},
    {"P85", "bar=mbar cta_group=.cta_group# cta_mask=mask,cta_mask pred=none"},
    {"P86",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem b_desc=b_desc,b_compressed_desc i_desc=idesc "
     "d_dtype=.kind%d|.kind::f8f6f4%d|kind::ti16 a_dtype=.kind%a|.kind::f8f6f4%a|kind::ti16 "
     "b_dtype=.kind%a|.kind::f8f6f4%a|kind::ti16 use_a_tmem=@a_tmem cta_group=.cta_group# pred=none"},
    {"P87",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem sp_tmem_addr=sp_meta_tmem i_desc=idesc d_dtype=.kind%d|kind::ti16 "
     "a_dtype=.kind%a|kind::ti16 b_dtype=.kind%a|kind::ti16 use_a_tmem=@a_tmem cta_group=.cta_group#"},
    {"P86.ws",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem i_desc=idesc d_dtype=.kind%d|kind::ti16 a_dtype=.kind%a|kind::ti16 "
     "b_dtype=.kind%a|kind::ti16 use_a_tmem=@a_tmem cta_group=none"},
    {"P87.ws",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem sp_tmem_addr=sp_meta_tmem i_desc=idesc d_dtype=.kind%d|kind::ti16 "
     "a_dtype=.kind%a|kind::ti16 b_dtype=.kind%a|kind::ti16 use_a_tmem=@a_tmem cta_group=none"},
    {"P88",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem b_desc=b_desc,b_compressed_desc sfa_tmem_addr=sfa_tmem "
     "sfb_tmem_addr=sfb_tmem i_desc=idesc d_dtype=.kind%d|.kind::mxf8f6f4%d a_dtype=.kind%a|.kind::mxf8f6f4%a "
     "b_dtype=.kind%a|.kind::mxf8f6f4%a sfa_dtype=.kind%s|.kind::mxf8f6f4%s sfb_dtype=.kind%s|.kind::mxf8f6f4%s "
     "use_a_tmem=@a_tmem cta_group=.cta_group#"},
    {"P89",
     "d_tmem_addr=d_tmem a_operand=a_desc,a_tmem sfa_tmem_addr=sfa_tmem sfb_tmem_addr=sfb_tmem "
     "sp_tmem_addr=sp_meta_tmem i_desc=idesc d_dtype=.kind::mxf8f6f4%d a_dtype=.kind::mxf8f6f4%a "
     "b_dtype=.kind::mxf8f6f4%a sfa_dtype=.kind::mxf8f6f4%s "
     "sfb_dtype=.kind::mxf8f6f4%s use_a_tmem=@a_tmem cta_group=.cta_group#"},
};

constexpr auto kById = [] {
  std::array<std::uint16_t, std::size(kMaps)> places{};
  std::iota(places.begin(), places.end(), std::uint16_t{0});
  std::ranges::sort(places, {}, [](std::uint16_t place) { return kMaps[place].id; });
  return places;
}();

}  // namespace

bool serves(std::string_view id, const ptx::Row& row, const ptx::Filled& filled) {
  auto word = [&](std::string_view slot) {
    const auto at = row.slot_named(slot);
    return at ? row.token(filled, *at) : std::string_view();
  };
  // Rows of one type, without saturation, and rows of all.
  if (id.starts_with("P72") || id.starts_with("P73"))
    return id.ends_with(".mixed") || (word("atype") == word("btype") && word("satfinite").empty());
  return true;
}

std::string_view form_map(std::string_view id) {
  const auto id_of = [](std::uint16_t place) { return kMaps[place].id; };
  const auto found = std::ranges::lower_bound(kById, id, {}, id_of);
  return found == kById.end() || id_of(*found) != id ? std::string_view() : kMaps[*found].text;
}

}  // namespace tilewright::intrinsics
