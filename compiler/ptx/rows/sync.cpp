// Barriers, fences, votes and cluster launch control.
#include "compiler/ptx/rows/rows.h"

namespace tilewright::ptx {
namespace {

constexpr RowText kSyncRows[] = {
    {"bar_sync", "bar cta? sync", "a:u32", "sm_75 1.0 orders"},
    {"barrier_sync", "barrier cta? sync aligned?", "a:u32", "sm_75 6.0 orders"},
    {"bar_sync_count", "bar cta? sync", "a:u32 b:u32", "sm_75 1.0 orders same:P13"},
    {"bar_arrive", "bar cta? arrive", "a:u32 b:u32", "sm_75 1.0 orders same:P12"},
    {"barrier_sync_count", "barrier cta? sync aligned?", "a:u32 b:u32", "sm_75 6.0 orders same:E33"},
    {"barrier_arrive", "barrier cta? arrive aligned?", "a:u32 b:u32", "sm_75 6.0 orders same:E33.arrive"},
    {"barrier_cluster_arrive", "barrier cluster arrive sem=release|relaxed? aligned?", "", "sm_90 7.8 orders same:P14"},
    {"barrier_cluster_wait", "barrier cluster wait acquire? aligned?", "", "sm_90 7.8 orders same:P15"},
    {"bar_warp_sync", "bar warp sync", "membermask:u32", "sm_75 1.0 orders"},
    {"bar_red_popc", "bar cta? red popc u32", "=d:u32 a:u32 c:pred", "sm_75 1.0 orders"},
    {"bar_red_popc_count", "bar cta? red popc u32", "=d:u32 a:u32 b:u32 c:pred", "sm_75 1.0 orders"},
    {"bar_red_pred", "bar cta? red op=and|or pred", "=d:pred a:u32 c:pred", "sm_75 1.0 orders"},
    {"bar_red_pred_count", "bar cta? red op=and|or pred", "=d:pred a:u32 b:u32 c:pred", "sm_75 1.0 orders"},
    {"barrier_red_popc", "barrier cta? red popc aligned? u32", "=d:u32 a:u32 c:pred", "sm_75 6.0 orders"},
    {"barrier_red_popc_count", "barrier cta? red popc aligned? u32", "=d:u32 a:u32 b:u32 c:pred", "sm_75 6.0 orders"},
    {"barrier_red_pred", "barrier cta? red op=and|or aligned? pred", "=d:pred a:u32 c:pred", "sm_75 6.0 orders"},
    {"barrier_red_pred_count", "barrier cta? red op=and|or aligned? pred", "=d:pred a:u32 b:u32 c:pred",
     "sm_75 6.0 orders"},
    {"vote_sync", "vote.sync mode=all|any|uni pred", "=d:pred a:pred membermask:u32", "sm_75 6.0 same:P23@mode=any"},
    {"vote_sync_ballot", "vote.sync ballot type=b32", "=d a:pred membermask:u32", "sm_75 6.0"},
    {"match_any_sync", "match any sync type=b32|b64", "=d:i32 a membermask:u32", "sm_90 6.0"},
    {"match_all_sync", "match all sync type=b32|b64", "=d:i32 a membermask:u32", "sm_90 6.0"},
    {"match_all_sync_p", "match all sync type=b32|b64", "=d:i32|=p:pred a membermask:u32", "sm_90 6.0"},
    {"activemask", "activemask type=b32", "=d", "sm_75 6.2"},
    {"elect_sync", "elect.sync", "=d:i32|=p:pred membermask:u32", "sm_90 8.0 same:E32"},
    {"redux_sync", "redux.sync op=add|min|max type=u32|s32", "=d a membermask:u32", "sm_90 7.0"},
    {"redux_sync_bitwise", "redux.sync op=and|or|xor b32", "=d:i32 a:i32 membermask:u32", "sm_90 7.0"},
    {"redux_sync_f32", "redux.sync op=min|max abs? NaN? type=f32", "=d a membermask:u32", "sm_100a 8.6"},
    {"fence", "fence sem=sc|acq_rel|acquire|release? scope=cta|cluster|gpu|sys", "",
     "sm_90 7.8 orders same:P16@sem=sc,P16@sem=acq_rel,P16@!sem"},
    {"fence_mbarrier_init", "fence mbarrier_init release cluster", "", "sm_90 7.8 orders same:P18"},
    {"fence_proxy", "fence proxy proxykind=alias|async space=global|shared::cta|shared::cluster?", "",
     "sm_90 7.8 if:proxy_space orders same:E23@proxykind=alias,P17"},
    {"fence_proxy_fabric",
     "fence proxy direction=generic::fabric|fabric::generic|fabric::fabric alias sem=acquire|release sys", "",
     "sm_103a 9.3 orders"},
    {"fence_proxy_tensormap_release", "fence proxy tensormap::generic release scope=cta|cluster|gpu|sys", "",
     "sm_90 7.8 orders same:E21"},
    {"fence_proxy_tensormap_acquire", "fence proxy tensormap::generic acquire scope=cta|cluster|gpu|sys",
     "[addr] #size=128", "sm_90 7.8 orders same:E22"},
    {"griddepcontrol", "griddepcontrol action=launch_dependents|wait", "",
     "sm_90 7.8 orders same:P20@action=launch_dependents,P19"},
    {"clusterlaunchcontrol_try_cancel",
     "clusterlaunchcontrol try_cancel async space=shared::cta? mbarrier::complete_tx::bytes "
     "multicast=multicast::cluster::all? b128",
     "[addr] [mbar]", "sm_100a 8.6 same:P27"},
    {"clusterlaunchcontrol_query_cancel_is_canceled", "clusterlaunchcontrol query_cancel is_canceled pred b128",
     "=p:pred response:b128", "sm_100a 8.6"},
    {"clusterlaunchcontrol_query_cancel_get_first_ctaid",
     "clusterlaunchcontrol query_cancel query=get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128",
     "+d:b32 response:b128", "sm_100a 8.6"},
    {"clusterlaunchcontrol_query_cancel_get_first_ctaid_v4",
     "clusterlaunchcontrol query_cancel get_first_ctaid v4 b32 b128", "+d:b32*4~ response:b128", "sm_100a 8.6"},
    {"setmaxnreg", "setmaxnreg action=inc|dec sync aligned u32",
     "#nreg(24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|"
     "240|248|256)",
     "sm_90a 8.0 orders same:P21"},
};

}  // namespace

std::span<const RowText> sync_rows() { return kSyncRows; }

}  // namespace tilewright::ptx
