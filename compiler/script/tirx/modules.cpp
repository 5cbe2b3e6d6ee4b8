// The names of the reference's modules.
#include "compiler/script/tirx/modules.h"

#include <algorithm>
#include <iterator>

#include "compiler/text/dotted.h"
#include "compiler/text/nearest.h"
#include "compiler/text/word_list.h"

namespace tilewright::script {
namespace {

struct Module {
  std::string_view path;
  std::string_view names;  // with a blank between them; private ones are not listed
};

// What `dir()` says of each module in any of the releases 0.25 to 0.27, sorted by path. Modules of `tvm.tirx` show most
// of its names besides those listed. A package that stands in a list and has no row is open: its names are listed
// nowhere.
constexpr Module kModules[] = {
    // clang-format off
    {"tvm",
     "DataType DataTypeCode IRModule Object arith backend base build compile contrib cpu cuda device "
     "device_from_target driver error exec ext_dev get_global_func hexagon instrument ir libinfo metal "
     "multiprocessing opencl os prim register_global_func register_object relax rocm rpc runtime s_tir script "
     "support sym sys target te testing tirx topi transform tvm_wrap_excepthook vpi vulkan"},
    {"tvm.arith",
     "Analyzer CompareResult ConstIntBound Extension IntSet IntervalSet IterMapExpr IterMark IterSplitExpr "
     "IterSumExpr ModularSet PresburgerSet ProofStrength allow_uint_as_index analyzer bound deduce_bound "
     "detect_clip_bound detect_iter_map detect_linear_equation estimate_region_lower_bound "
     "estimate_region_strict_bound estimate_region_upper_bound int_set int_solver inverse_affine_iter_map "
     "iter_affine_map iter_map_simplify normalize_iter_map_to_expr normalize_to_iter_sum pattern "
     "solve_linear_equations solve_linear_inequalities subspace_divide"},
    {"tvm.arith.analyzer",
     "Analyzer CompareResult ConstIntBound ConstraintScope Extension IntSet ModularSet Object ProofStrength "
     "allow_uint_as_index contextmanager enum ir tirx tvm_ffi"},
    {"tvm.arith.bound",
     "deduce_bound"},
    {"tvm.arith.int_set",
     "IntSet IntervalSet Object PresburgerSet estimate_region_lower_bound estimate_region_strict_bound "
     "estimate_region_upper_bound neg_inf pos_inf tvm_ffi union_lower_bound"},
    {"tvm.arith.int_solver",
     "IntConstraints IntConstraintsTransform IntGroupBounds Object solve_linear_equations "
     "solve_linear_inequalities tvm_ffi"},
    {"tvm.arith.iter_affine_map",
     "Expr IntEnum IterMapExpr IterMapLevel IterMapResult IterMark IterSplitExpr IterSumExpr Object PrimExpr "
     "detect_iter_map inverse_affine_iter_map iter_map_simplify normalize_iter_map_to_expr normalize_to_iter_sum "
     "subspace_divide tvm_ffi"},
    {"tvm.arith.pattern",
     "detect_clip_bound detect_linear_equation"},
    {"tvm.backend",
     "adreno annotations cuda extend_path hexagon is_loaded load loader metal opencl rocm trn vulkan webgpu"},
    {"tvm.backend.cuda",
     "Path codegen cpp export_cuda_host host iket import_module intrinsics lang load_lib_ctypes op operator ptx "
     "register_backend script script_namespace script_namespaces target_tags tile_primitive transforms"},
    {"tvm.backend.cuda.op",
     "Call Op PointerType PrimExpr PrimType StringImm annotations bitwise_and call_intrin const cuda_any_sync "
     "cuda_atomic_add cuda_atomic_cas cuda_ballot_sync cuda_bfloat1622float2 cuda_bfloat162float cuda_clock64 "
     "cuda_cluster_sync cuda_copy_128b cuda_copy_16b cuda_copy_32b cuda_copy_64b cuda_copy_8b cuda_copy_bytes "
     "cuda_cta_max cuda_cta_min cuda_cta_reduce cuda_cta_sum cuda_cta_sync cuda_cvta_generic_to_shared "
     "cuda_elect_sync cuda_fadd2_rn cuda_fdividef cuda_ffs_u32 cuda_float22bfloat162_rn "
     "cuda_float22bfloat162_rn_from_float2 cuda_float22half2 cuda_float2_x cuda_float2_y cuda_float8tohalf8 "
     "cuda_float_as_uint cuda_fmul2_rn cuda_fp8x4_e4m3_from_float4 cuda_func_call cuda_get_tmem_addr "
     "cuda_grid_sync cuda_half2float cuda_half8tofloat8 cuda_hmax2 cuda_hmin2 cuda_iket_mark "
     "cuda_iket_official_event cuda_iket_range_end cuda_iket_range_pop cuda_iket_range_push cuda_iket_range_start "
     "cuda_iket_sentinel_token cuda_ldg cuda_make_float2 cuda_mbarrier_wait cuda_mbarrier_wait_acquire_cluster "
     "cuda_mov_sreg cuda_nano_sleep cuda_printf cuda_reduce_add_sync_u32 cuda_reduce_min_sync_u32 "
     "cuda_runtime_instr_desc cuda_sm100_2sm_leader_smem_addr cuda_sm100_tma_2sm_mbarrier_addr "
     "cuda_smem_addr_from_uint64 cuda_syncthreads_and cuda_syncthreads_or cuda_tcgen05_encode_instr_descriptor "
     "cuda_tcgen05_encode_instr_descriptor_block_scaled cuda_tcgen05_encode_matrix_descriptor cuda_thread_fence "
     "cuda_thread_rank cuda_trap_when_assert_failed cuda_uint_as_float cuda_wait_until cuda_warp_max cuda_warp_min "
     "cuda_warp_reduce cuda_warp_sum cuda_warp_sync cuda_warpgroup_sync cuda_wgmma_encode_matrix_descriptor "
     "cuda_wgmma_noop_barrier is_prim_expr mma_fill mma_fill_legacy mma_store mma_store_legacy nvshmem_barrier_all "
     "nvshmem_fence nvshmem_getmem_nbi nvshmem_getmem_nbi_block nvshmem_getmem_nbi_warp nvshmem_my_pe "
     "nvshmem_n_pes nvshmem_putmem_nbi nvshmem_putmem_nbi_block nvshmem_putmem_nbi_warp nvshmem_putmem_signal_nbi "
     "nvshmem_putmem_signal_nbi_block nvshmem_putmem_signal_nbi_warp nvshmem_quiet nvshmem_signal_op "
     "nvshmem_wait_until ptx_add_f32 ptx_add_f32x2 ptx_add_f64 ptx_add_rn_f32_bf16 ptx_any_sync ptx_atom_scalar "
     "ptx_bar_arrive ptx_bar_sync ptx_barrier_cluster_arrive ptx_barrier_cluster_wait ptx_barrier_sync "
     "ptx_clc_query_cancel ptx_clc_try_cancel ptx_cp_async ptx_cp_async_bulk ptx_cp_async_bulk_commit_group "
     "ptx_cp_async_bulk_g2s_cluster ptx_cp_async_bulk_g2s_cta ptx_cp_async_bulk_s2g ptx_cp_async_bulk_s2s_cluster "
     "ptx_cp_async_bulk_shared_to_cluster ptx_cp_async_bulk_tensor_g2s_cluster ptx_cp_async_bulk_tensor_g2s_cta "
     "ptx_cp_async_bulk_tensor_global_to_cluster ptx_cp_async_bulk_tensor_global_to_cluster_prefetch "
     "ptx_cp_async_bulk_tensor_prefetch ptx_cp_async_bulk_tensor_shared_to_global "
     "ptx_cp_async_bulk_tensor_shared_to_global_reduce ptx_cp_async_bulk_tensor_tile_gather4_global_to_cluster "
     "ptx_cp_async_bulk_wait_group ptx_cp_async_commit_group ptx_cp_async_legacy ptx_cp_async_mbarrier_arrive "
     "ptx_cp_async_mbarrier_arrive_noinc ptx_cp_async_wait_group ptx_cvt ptx_elect_sync ptx_exp2 ptx_fence "
     "ptx_fence_mbarrier_init ptx_fence_proxy_async ptx_fetch_register ptx_fma_f32 ptx_fma_f32x2 ptx_fma_f64 "
     "ptx_fns_b32 ptx_griddepcontrol_launch_dependents ptx_griddepcontrol_wait ptx_ld ptx_ld_acquire "
     "ptx_ld_global_acquire ptx_ld_global_nc ptx_ld_mmio ptx_ld_relaxed ptx_ld_volatile ptx_ldmatrix "
     "ptx_ldmatrix_legacy ptx_legacy_ldmatrix ptx_legacy_mma ptx_map_shared_rank ptx_mapa ptx_max_f32 "
     "ptx_mbarrier_arrive ptx_mbarrier_arrive_cluster_count ptx_mbarrier_arrive_expect_tx "
     "ptx_mbarrier_arrive_no_complete ptx_mbarrier_complete_tx ptx_mbarrier_init ptx_mbarrier_test_wait_parity "
     "ptx_mbarrier_try_wait ptx_mbarrier_try_wait_acquire_cluster ptx_mbarrier_try_wait_once ptx_mma "
     "ptx_mma_legacy ptx_mma_sp ptx_mma_sp_legacy ptx_mul_f32 ptx_mul_f32x2 ptx_mul_f64 ptx_prefetch_tensormap "
     "ptx_rcp ptx_red_scalar ptx_reduce3_max_f32 ptx_reduce3_min_f32 ptx_setmaxnreg ptx_st ptx_st_bulk ptx_st_mmio "
     "ptx_st_relaxed ptx_st_release ptx_st_volatile ptx_stmatrix ptx_sub_f32 ptx_sub_f32x2 ptx_sub_f64 "
     "ptx_tcgen05_alloc ptx_tcgen05_commit ptx_tcgen05_cp ptx_tcgen05_dealloc ptx_tcgen05_encode_instr_descriptor "
     "ptx_tcgen05_encode_instr_descriptor_block_scaled ptx_tcgen05_encode_matrix_descriptor "
     "ptx_tcgen05_fence_after_thread_sync ptx_tcgen05_fence_before_thread_sync ptx_tcgen05_ld ptx_tcgen05_mma "
     "ptx_tcgen05_mma_block_scale ptx_tcgen05_mma_sp ptx_tcgen05_mma_sp_block_scale "
     "ptx_tcgen05_relinquish_alloc_permit ptx_tcgen05_shift ptx_tcgen05_st ptx_tcgen05_wait_ld ptx_tcgen05_wait_st "
     "ptx_wgmma_commit_group ptx_wgmma_encode_matrix_descriptor ptx_wgmma_fence ptx_wgmma_mma_async_rs "
     "ptx_wgmma_mma_async_ss ptx_wgmma_noop_barrier ptx_wgmma_wait_group reinterpret timer_end_cuda "
     "timer_finalize_cuda timer_init_cuda timer_start_cuda tir tirx tvm_access_ptr"},
    {"tvm.backend.cuda.operator.tile_primitive.tma_utils",
     "Analyzer ComposeLayout Enum Layout S SwizzleLayout SwizzleMode TileLayout copy get_swizzle_mode_from_layout "
     "mma_atom_layout mma_atom_shape mma_shared_layout tma_atom_compatible tma_atom_layout tma_atom_shape "
     "tma_shared_layout tvm"},
    {"tvm.backend.cuda.tile_primitive.tma_utils",
     "Analyzer ComposeLayout Enum Layout S SwizzleMode TileLayout copy get_swizzle_mode_from_layout "
     "mma_atom_layout mma_atom_shape mma_shared_layout tma_atom_compatible tvm"},
    {"tvm.ir",
     "type_relation Array Attrs BaseExpr BaseFunc Call CallingConv Constant DictAttrs DummyGlobalInfo EnvFunc "
     "Expr ExprOperand "
     "ExprWithOp FuncType GenericConst GlobalInfo GlobalVar IRModule Map Node Op OpaqueExpr OpaqueType PointerType "
     "PrimExpr PrimType Range RelaxExpr SequentialSpan SourceName Span StringImm StringType TensorLoad "
     "TensorRegion Tuple TupleGetItem TupleType Type VDevice Var assert_structural_equal attrs base expr function "
     "global_info instrument is_prim_expr is_prim_var json_compact load_json make_node module op prim "
     "register_intrin_lowering register_op_attr save_json supply transform type utils"},
    {"tvm.ir.attrs",
     "Attrs DictAttrs Object make_node tvm_ffi"},
    {"tvm.ir.base",
     "EnvFunc Node Object SequentialSpan SourceMap SourceName Span assert_structural_equal deprecated "
     "from_json_graph_str get_global_func json_compact load_json register_object save_json to_json_graph_str "
     "tvm_ffi"},
    {"tvm.ir.expr",
     "BaseExpr Call Constant Expr ExprOperand ExprWithOp GenericConst GlobalVar Node Number Object OpaqueExpr "
     "Optional PrimExpr Range RelaxExpr Scriptable Span StringImm TensorLoad TensorRegion Tuple TupleGetItem Var "
     "const is_prim_expr is_prim_var tvm tvm_ffi"},
    {"tvm.ir.function",
     "BaseFunc CallingConv DictAttrs Expr IntEnum Object RelaxExpr tvm tvm_ffi"},
    {"tvm.ir.global_info",
     "Device DummyGlobalInfo GlobalInfo Object VDevice tvm tvm_ffi"},
    {"tvm.ir.instrument",
     "DumpIR PassInstrument PassPrintingInstrument PassTimingInstrument Path PrintAfterAll PrintBeforeAll "
     "functools inspect pass_instrument re shutil tvm tvm_ffi"},
    {"tvm.ir.json_compact",
     "create_updater get_version json upgrade_json"},
    {"tvm.ir.module",
     "BaseFunc DictAttrs IRModule Node Object Scriptable tvm tvm_ffi"},
    {"tvm.ir.op",
     "Expr Op RelaxExpr register_intrin_lowering register_op_attr tvm_ffi"},
    {"tvm.ir.prim",
     "Add And BinaryOpExpr BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Broadcast Cast CmpExpr Div EQ Expr FloatImm "
     "FloorDiv FloorMod GE GT IntImm LE LShift LT Let LogicalExpr Max Min Mod Mul NE Not Or RShift Ramp Select "
     "Shuffle Sub clz const convert expr expr_deep_equal max_value min_value op"},
    {"tvm.ir.supply",
     "Object UniqueNameSupply tvm_ffi"},
    {"tvm.ir.transform",
     "ModulePass Pass PassContext PassInfo PrintIR Sequential functools inspect module_pass tvm tvm_ffi"},
    {"tvm.ir.type",
     "FuncType Node OpaqueType PointerType PrimType Scriptable StringType TensorMapType TupleType Type tvm_ffi"},
    {"tvm.ir.utils",
     "T TypeVar derived_object"},
    {"tvm.runtime",
     "DataType DataTypeCode Device Executable Module Object ObjectConvertible Scriptable ShapeTuple Tensor const "
     "convert cpu cuda device device_from_target disco empty enabled executable ext_dev from_dlpack load_module "
     "load_param_dict load_param_dict_from_file load_static_library metal module num_threads object_generic opencl "
     "params rocm save_param_dict save_param_dict_to_file script_printer system_lib tensor vm vpi vulkan"},
    {"tvm.script",
     "Any from_source highlight importlib ir ir_builder ir_module parse parser printer register_dialect relax sys "
     "tirx"},
    {"tvm.script.ir",
     "GenericConst IRModuleFrame Range StringImm StringType decl_function def_function dummy_global_info entry "
     "frame ir ir_module lookup_name lookup_vdevice meta_var module_attrs module_get_attr module_global_infos "
     "module_set_attr parser pyfunc vdevice"},
    {"tvm.script.tirx", "builder parser tile"},
    {"tvm.target",
     "Target TargetKind VirtualDevice codegen detect_target intrin list_tags register_tag tag tag_registry target "
     "virtual_device"},
    {"tvm.tirx",
     "bench testing Add AllocBuffer And AssertStmt AttrStmt Bind BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
     "Break Broadcast "
     "Buffer BufferAccessKind BufferLoad BufferRegion BufferRegionType BufferStore BufferType Call CallEffectKind "
     "CallFFIKernelAttr Cast CommReducer ComposeLayout Continue DataProducer DeclBuffer DispatchContext Div EQ "
     "Evaluate ExecScope Expr ExprFunctor FloatImm FloorDiv FloorMod For ForKind GE GT IfThenElse IndexMap IntImm "
     "IterVar LE LShift LT LambdaExpr Layout Let LetStmt MatchBufferRegion Max Min Mod Mul NE Not Or Predicate "
     "PrimExpr PrimFunc ProducerLoad PyStmtExprMutator PyStmtExprVisitor RShift Ramp Reduce Return SBlock "
     "SBlockRealize ScopeIdDef ScopeIdDefStmt Select SeqStmt Shuffle SizeVar Stmt StringImm Sub SwizzleLayout "
     "TVMBackendAllocWorkspace TVMBackendFreeWorkspace TensorIntrin TensorMapEncodeTiledAttr TensorMapType "
     "TileLayout TilePrimitiveCall Var While abs acos acosh add address_of adreno all analysis any asin asinh "
     "assume atan atan2 atanh backend bitwise_and bitwise_not bitwise_or bitwise_xor break_loop buffer buffer_data "
     "buffer_data_pointer_type build call_cpacked call_cpacked_lowered call_extern call_ffi_kernel call_intrin "
     "call_llvm_intrin call_llvm_pure_intrin call_packed call_packed_lowered call_pure_extern call_tir ceil "
     "ceildiv clz comm_reducer compilation_pipeline const continue_loop convert copysign cos cosh cuda decl_buffer "
     "div dp4a end_profile_intrinsic erf exec_context exec_scope exp exp10 exp2 expr expr_functor floor floordiv "
     "floormod fmod function functor generic get_active_lane_mask get_default_tir_pipeline get_tir_pipeline "
     "get_vscale_expr handle_add_byte_offset hexagon hypot if_then_else ignore_loop_partition indexdiv indexmod "
     "infinity is_buffer_var isfinite isinf isnan isnullptr lang layout ldexp likely log log10 log1p log2 "
     "logaddexp lookup_param max max_value metal min min_value multiply nearbyint nextafter op opencl operator "
     "popcount pow power predicate ptr_byte_offset q_multiply_shift q_multiply_shift_per_axis "
     "register_intrin_lowering register_tir_pipeline reinterpret ret rocm round rsqrt script shift_left "
     "shift_right sigmoid sin sinh sqrt start_profile_intrinsic stmt stmt_functor stmt_list stmt_seq subtract sum "
     "tan tanh tensormap_encode_tiled tile_primitive trace transform trn trunc truncdiv truncmod tvm "
     "tvm_access_ptr tvm_bmma_sync tvm_fill_fragment tvm_load_matrix_sync tvm_mma_sync tvm_stack_alloca "
     "tvm_stack_make_array tvm_stack_make_shape tvm_store_matrix_sync tvm_struct_get tvm_struct_set "
     "tvm_thread_allreduce tvm_throw_last_error tvm_tuple type type_annotation undef vectorcombine vectorhigh "
     "vectorlow vscale vulkan webgpu"},
    {"tvm.tirx.analysis",
     "IRModule expr_deep_equal undefined_vars verify_memory verify_ssa verify_tirx_well_formed verify_well_formed"},
    {"tvm.tirx.buffer",
     "IntEnum Integral Object PointerType PrimType Range Scriptable Type functools tvm_ffi"},
    {"tvm.tirx.build",
     "DLDeviceType IRModule Target codegen_build ir split_host_device_mods tir_to_runtime"},
    {"tvm.tirx.compilation_pipeline",
     "PIPELINE_MAP cuda_transforms default_tir_pipeline finalize_device_passes finalize_device_passes_tirx "
     "finalize_host_passes tirx tirx_pipeline"},
    {"tvm.tirx.exec_context",
     "ActiveSet Axis AxisRange CLUSTER CTA ExecContext ExecContextError Iter KERNEL LANE_CTA_THREAD LANE_FLAT "
     "LANE_WG_OUTER LANE_WG_THREAD LANE_W_INNER LaneBinding SCOPE_KINDS Split THREAD WARP WARPGROUP WG_SIZE "
     "annotations dataclass filter_modulo filter_narrow initial_A scope_switch"},
    {"tvm.tirx.exec_scope",
     "Object register_object"},
    {"tvm.tirx.expr",
     "BinaryOpExpr CmpExpr ConstExpr DataType DataTypeCode EqualOp ExprOp ExprWithOp IntImmEnum LogicalExpr "
     "NotEqualOp Object ObjectConvertible Op PrimExprWithOp Scriptable Span div_ambiguity_error functools ir "
     "tvm_ffi"},
    {"tvm.tirx.expr_functor",
     "Callable ExprMutator ExprVisitor Range T TypeVar"},
    {"tvm.tirx.function",
     "BaseFunc Callable Mapping Object Optional Range Scriptable Tensor collections inspect tvm_ffi"},
    {"tvm.tirx.functor",
     "Callable derived_object mutator tvm_ffi visitor"},
    {"tvm.tirx.generic",
     "cast divide"},
    {"tvm.tirx.lang",
     "import_module alloc_pool clc pipeline smem_desc tile_scheduler warp_role"},
    {"tvm.tirx.lang.alloc_pool",
     "DataType S SMEMPool TCol TLane TMEMPool TMEMStages TileLayout annotations functools operator"},
    {"tvm.tirx.lang.clc", "query_cancel_first_ctaid_x"},
    {"tvm.tirx.lang.pipeline",
     "MBarrier Pipeline PipelineState T TCGen05Bar TMABar"},
    {"tvm.tirx.lang.smem_desc",
     "SmemDescriptor T smem_desc_add_16B_offset"},
    {"tvm.tirx.lang.tile_scheduler",
     "BaseTileScheduler ClusterLaunchControlScheduler ClusterPersistentScheduler2D FlashAttentionLPTScheduler "
     "FlashAttentionLinearScheduler GroupMajor3D IndexedTripleTileScheduler Pipeline PipelineState "
     "RankAwareGroupMajorTileScheduler T query_cancel_first_ctaid_x"},
    {"tvm.tirx.lang.warp_role",
     "T WarpRole WarpgroupRole"},
    {"tvm.tirx.layout",
     "Axis ClassVar Iter Object Optional R S Sequence Union functools re tcgen05_atom_layout tmem_datapath_layout "
     "tmem_mma_operand_layout tvm_ffi wg_local_layout"},
    {"tvm.tirx.op",
     "Any Array ExprOp ExprWithOp Op PointerType PrimExprWithOp PrimType Span TensorLoad TensorRegion "
     "anylist_getitem anylist_resetitem anylist_setitem_call_cpacked anylist_setitem_call_packed "
     "cooperative_tensor_fill cooperative_tensor_load cooperative_tensor_multiply_accumulate "
     "cooperative_tensor_store filter fma masked_load masked_store print_buffer selector thread_return tir tirx "
     "tvm_ffi tvm_global_barrier_kinit tvm_kernel_replace_point tvm_storage_sync tvm_thread_invariant "
     "tvm_warp_activemask tvm_warp_shuffle tvm_warp_shuffle_down tvm_warp_shuffle_up tvm_warp_shuffle_xor"},
    {"tvm.tirx.predicate",
     "Callable Object inspect register_object"},
    {"tvm.tirx.script", "builder parser tile"},
    {"tvm.tirx.stmt",
     "Any ClassVar IntEnum Mapping Object Op Range Scriptable Span TYPE_CHECKING TensorRegion Type is_prim_expr "
     "normalize_const_arg tvm_ffi"},
    {"tvm.tirx.stmt_functor",
     "ExprMutator ExprVisitor Range StmtExprMutator StmtExprVisitor StmtFunctor StmtMutator StmtVisitor T TypeVar "
     "ir_transform post_order_visit pre_order_visit renew_defs substitute"},
    {"tvm.tirx.tile_primitive",
     "Any Callable ClassVar Object Op Range Scriptable Target inspect normalize_const_arg register_object tvm_ffi"},
    {"tvm.tirx.transform",
     "AnnotateEntryFunc Apply BF16ComputeLegalize BF16StorageLegalize BindTarget Callable CommonSubexprElim "
     "ConvertSSA FP8ComputeLegalize FP8StorageLegalize Filter FlattenBuffer ForceNarrowIndexToInt32 "
     "HoistExpressionConfig HoistIfThenElseConfig HoistedConditionals HoistedLetBindings InlinePrivateFunctions "
     "LowerIntrin LowerTIRx LowerTIRxOpaque LowerTVMBuiltin LowerWarpMemory MakePackedAPI NarrowDataType "
     "PointerValueTypeRewrite PrimFuncPass RemoveAssume RemoveNoOp RemoveNoOpConfig SkipAssert SplitHostDevice "
     "StmtSimplify StmtSimplifyConfig StorageRewrite TilePrimitiveDispatch UnrollLoop UnrollLoopConfig "
     "VectorizeLoop VerifyMemory common enum function_pass prim_func_pass"},
    {"tvm.tirx.type",
     "Type tvm_ffi"},
    // clang-format on
};
static_assert(std::ranges::is_sorted(kModules, {}, &Module::path));

// Packages that are open, with the modules in them that are known: a slip of one of these is told.
constexpr Module kOpen[] = {
    {"tvm.backend.cuda.operator", "intrinsics tile_primitive"},
    {"tvm.backend.cuda.operator.tile_primitive",
     "common copy copy_async elementwise exec_scope_utils gemm gemm_async gemm_utils layout_utils permute_layout "
     "reduction tma_utils"},
    {"tvm.backend.cuda.tile_primitive",
     "common copy copy_async elementwise exec_scope_utils gemm gemm_async gemm_utils layout_utils permute_layout "
     "reduction tma_utils"},
    {"tvm.tirx.operator", "intrinsics tile_primitive"},
    {"tvm.tirx.operator.tile_primitive", "common cuda dispatch_context dispatcher ops registry trn"},
    // The package that comes next (apache-tvm-tirx 0.1).
    {"tvm_tirx", "backend base codegen config ir libinfo runtime script support sym target testing tirx"},
    {"tvm_tirx.backend", "adreno cuda hexagon metal opencl rocm rust trn vulkan webgpu"},
    {"tvm_tirx.backend.cuda", "axis codegen compiler host iket lang launch layout op ptx script tile transform"},
    {"tvm_tirx.backend.cuda.lang", "alloc_pool clc pipeline tile_scheduler"},
    {"tvm_tirx.script", "ir ir_builder parser printer tirx"},
    {"tvm_tirx.tirx",
     "analysis expr function index_map layout op script structural tensor thread_scope tile transform type"},
};

// Modules that went with a release, and where their names are then; empty: nowhere.
struct Moved {
  text::Dialect release;
  std::string_view was, is;
};
constexpr Moved kMoved[] = {
    {text::Dialect::V0_26, "tvm.tirx.cuda.operator.tile_primitive", "tvm.backend.cuda.tile_primitive"},
    {text::Dialect::V0_26, "tvm.backend.cuda.operator.tile_primitive", "tvm.backend.cuda.tile_primitive"},
    {text::Dialect::V0_27, "tvm.arith", "tvm.sym"},
    {text::Dialect::V0_27, "tvm.tirx.stmt_functor", ""},
    {text::Dialect::V0_27, "tvm.tirx.expr_functor", ""},
    {text::Dialect::V0_27, "tvm.tirx.functor", ""},
};

// Modules that came with a release, and what had their names before; empty: nothing.
constexpr Moved kCame[] = {
    {text::Dialect::V0_27, "tvm.arith", "tvm.sym"},
    {text::Dialect::V0_27, "", "tvm.backend.cuda.cpp"},
    {text::Dialect::V0_27, "", "tvm.backend.cuda.ptx"},
    {text::Dialect::V0_27, "", "tvm.backend.cuda.host"},
};

const Module* row_of(std::string_view path) {
  auto found = std::ranges::lower_bound(kModules, path, {}, &Module::path);
  return found != std::end(kModules) && found->path == path ? found : nullptr;
}

// Those of the words that `fits` lets through.
template <class F>
void consider_words(text::Nearest& nearest, std::string_view words, F&& fits) {
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' '), words.size());
    if (fits(words.substr(0, end))) nearest.consider(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

constexpr std::string_view kTirx = "tvm.tirx";
bool shows_tirx(std::string_view path) { return path.starts_with("tvm.tirx.") && !path.starts_with("tvm.tirx.lang"); }

// `tvm.tirx` gives the backends, and those the modules of `lang`, under names of its own.
std::string resolved(std::string_view path) {
  constexpr std::string_view kCuda = "tvm.tirx.cuda", kBackend = "tvm.backend.cuda", kLang = "tvm.backend.cuda.lang";
  std::string out(path);
  if (text::is_or_below(out, kCuda)) {
    out.replace(0, kCuda.size(), kBackend);
  }
  if (text::is_or_below(out, kLang)) {
    out.replace(0, kLang.size(), "tvm.tirx.lang");
  }
  return out;
}

}  // namespace

bool is_dialect_module(std::string_view dotted) { return dotted == "tvm" || dotted.starts_with("tvm."); }

bool is_open_module(std::string_view path) { return !row_of(resolved(path)); }

bool module_has(std::string_view path, std::string_view name) {
  if (name.starts_with('_')) return true;
  const Module* row = row_of(resolved(path));
  return !row || text::lists_word(row->names, name) ||
         (shows_tirx(row->path) && text::lists_word(row_of(kTirx)->names, name));
}

bool lists_name(std::string_view path, std::string_view name) {
  return !is_open_module(path) && module_has(path, name);
}

// The nearest of the module's names, of those that `fits` lets through.
template <class F>
std::string_view nearest_of(const Module& module, std::string_view name, F&& fits) {
  text::Nearest nearest(name, text::Nearest::Among::Meant);
  consider_words(nearest, module.names, fits);
  if (shows_tirx(module.path)) consider_words(nearest, row_of(kTirx)->names, fits);
  return nearest.found();
}

std::optional<std::string> moved_module(std::string_view dotted, text::Dialect release) {
  const auto with = [&](std::string_view other, std::string_view own) {
    return other.empty() ? std::string() : std::string(other).append(dotted.substr(own.size()));
  };
  for (const Moved& m : kMoved)
    if (m.release <= release && text::is_or_below(dotted, m.was)) return with(m.is, m.was);
  for (const Moved& m : kCame)
    if (m.release > release && text::is_or_below(dotted, m.is)) return with(m.was, m.is);
  return std::nullopt;
}

std::string_view nearest_in_module(std::string_view path, std::string_view name) {
  const Module* row = row_of(resolved(path));
  return row ? nearest_of(*row, name, [](std::string_view) { return true; }) : std::string_view();
}

// A module of an open package: what is nearly the name of one that is known was meant to be it.
static std::string_view slip_in_open(std::string_view path, std::string_view part) {
  auto known = std::ranges::find(kOpen, resolved(path), &Module::path);
  if (known == std::end(kOpen) || text::lists_word(known->names, part) || part.starts_with('_')) return {};
  return nearest_of(*known, part, [](std::string_view) { return true; });
}

std::string_view module_with(std::string_view name) {
  for (std::string_view part : {"tvm.tirx.lang.", "tvm.tirx.layout", "tvm.backend.cuda.operator.", "tvm.tirx"}) {
    for (const Module& m : kModules) {
      if (m.path.starts_with(part) && text::lists_word(m.names, name)) return m.path;
    }
  }
  return {};
}

std::optional<UnknownPart> unknown_part(std::string_view dotted) {
  std::size_t end = dotted.find('.');
  while (end != std::string_view::npos) {
    std::string_view path = dotted.substr(0, end);
    const Module* row = row_of(resolved(path));
    std::size_t begin = end + 1;
    end = dotted.find('.', begin);
    std::string_view part = dotted.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (!row) {
      if (std::string_view meant = slip_in_open(path, part); !meant.empty()) return UnknownPart{path, part, meant};
      continue;
    }
    if (module_has(path, part)) continue;
    // Of names that are near the one below which the rest of the path is: `tvm.irx.layout` is not in `tvm.ir`.
    auto leads_on = [&](std::string_view word) {
      if (end == std::string_view::npos) return word[0] >= 'a' && word[0] <= 'z';  // no class
      const std::string there = std::string(path) + "." + std::string(word);
      const std::string_view rest = dotted.substr(end + 1);
      return module_has(there, rest.substr(0, rest.find('.')));
    };
    std::string_view nearest = nearest_of(*row, part, leads_on);
    return UnknownPart{path, part, nearest.empty() ? nearest_in_module(path, part) : nearest};
  }
  return std::nullopt;
}

}  // namespace tilewright::script
