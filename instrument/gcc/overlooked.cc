// For gcc, g++ and gfortran: what their thread sanitizer would overlook, or tell at the wrong line. All but the last two right before its pass.
//
// * A call copies a structure out of memory to pass it by value, or leaves its result in memory: the sanitizer looks at assignments, so each becomes one.
// * Copies and fills by the compiler's own names, which it expands in place, stay calls of the library, which sees them.
// * The two loads that one of a complex number becomes have no place in the source: they get one.
// * gfortran tells the optimiser that procedures keep no address of an argument without `target`. MPI does: that is forgotten before the first analysis.
// * What is assigned to a shared variable of an OpenMP construct has no place in Fortran: it gets that of the statement before, of which it is a part, as long as that stands there.
#include "thrille.h"
#include "tree-pass.h"
#include "context.h"
#include "function.h"
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "tree-cfg.h"
#include "tree-ssa.h"
#include "ssa.h"
#include "attribs.h"

namespace thrille {
namespace {

// Larger ones are left alone: a copy needs room on the stack.
const unsigned long Largest = 1 << 16;

const pass_data Data = {GIMPLE_PASS, "thrille_overlooked", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa};

// A structure in memory that others may know of. Those that C++ may not copy are passed by their address.
bool isShared(tree T) {
  tree Type = TREE_TYPE(T);
  if (is_gimple_reg_type(Type) || TREE_CODE(T) == CONSTRUCTOR || is_gimple_min_invariant(T))
    return false;
  if (!COMPLETE_TYPE_P(Type) || TREE_ADDRESSABLE(Type) || TREE_CODE(TYPE_SIZE(Type)) != INTEGER_CST || integer_zerop(TYPE_SIZE(Type)))
    return false;
  if (!tree_fits_uhwi_p(TYPE_SIZE_UNIT(Type)) || tree_to_uhwi(TYPE_SIZE_UNIT(Type)) > Largest)
    return false;
  tree Base = get_base_address(T);
  return Base && (!DECL_P(Base) || is_global_var(Base) || TREE_ADDRESSABLE(Base));
}

tree variable(tree Like) { return create_tmp_var(TYPE_MAIN_VARIANT(TREE_TYPE(Like)), "thrille"); }

gassign *assignment(tree To, tree From, gcall *Call) {
  gassign *New = gimple_build_assign(To, From);
  gimple_set_location(New, gimple_location(Call));
  return New;
}

// The arguments, each read before the call.
bool readBefore(gimple_stmt_iterator *At, gcall *Call) {
  bool Changed = false;
  for (unsigned I = 0; I < gimple_call_num_args(Call); I++) {
    tree Argument = gimple_call_arg(Call, I);
    if (!isShared(Argument))
      continue;
    tree Copy = variable(Argument);
    gsi_insert_before(At, assignment(Copy, Argument, Call), GSI_SAME_STMT);
    gimple_call_set_arg(Call, I, Copy);
    Changed = true;
  }
  return Changed;
}

// The result, written behind the call: on the way that it returns by, if it may throw. What does not return leaves none.
bool writtenBehind(gimple_stmt_iterator *At, gcall *Call, bool *Edges) {
  tree Result = gimple_call_lhs(Call);
  if (!Result || !isShared(Result))
    return false;
  bool Ends = stmt_ends_bb_p(Call);
  edge Returns = Ends ? find_fallthru_edge(gimple_bb(Call)->succs) : nullptr;
  if (Ends && !Returns)
    return false;
  tree Copy = variable(Result);
  gassign *Write = assignment(Result, Copy, Call);
  gimple_call_set_lhs(Call, Copy);
  gimple_call_set_return_slot_opt(Call, false);
  if (Ends)
    gsi_insert_on_edge(Returns, Write);
  else
    gsi_insert_after(At, Write, GSI_SAME_STMT);
  *Edges |= Ends;
  return true;
}

// A load that has no place gets that of what it loads, or of the next statement: it is made for that one.
void place(gimple_stmt_iterator At) {
  gassign *Load = dyn_cast<gassign *>(gsi_stmt(At));
  if (!Load || gimple_has_location(Load) || !gimple_vuse(Load))
    return;
  tree What = gimple_assign_rhs1(Load);
  if (TREE_CODE(What) != REALPART_EXPR && TREE_CODE(What) != IMAGPART_EXPR)
    return;
  location_t Where = EXPR_LOCATION(TREE_OPERAND(What, 0));
  for (gsi_next(&At); Where == UNKNOWN_LOCATION && !gsi_end_p(At); gsi_next(&At))
    if (!is_gimple_debug(gsi_stmt(At)))
      Where = gimple_location(gsi_stmt(At));
  gimple_set_location(Load, Where);
}

// Copies and fills by the compiler's own names for them stay calls of the library, which sees them.
void call(gcall *Call, tree Builtin) {
  const char *Name = nullptr;
  switch (fndecl_built_in_p(Builtin, BUILT_IN_NORMAL) ? DECL_FUNCTION_CODE(Builtin) : BUILT_IN_NONE) {
  case BUILT_IN_MEMCPY: Name = "memcpy"; break;
  case BUILT_IN_MEMMOVE: Name = "memmove"; break;
  case BUILT_IN_MEMPCPY: Name = "mempcpy"; break;
  case BUILT_IN_MEMSET: Name = "memset"; break;
  default: return;
  }
  gimple_call_set_fndecl(Call, build_fn_decl(Name, TREE_TYPE(Builtin)));
  update_stmt(Call);
}

class Overlooked : public gimple_opt_pass {
public:
  explicit Overlooked(gcc::context *Context) : gimple_opt_pass(Data, Context) {}
  opt_pass *clone() final override { return new Overlooked(m_ctxt); }

  unsigned execute(function *F) final override {
    bool Edges = false;
    basic_block Block;
    FOR_EACH_BB_FN(Block, F)
      for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At)) {
        place(At);
        gcall *Call = dyn_cast<gcall *>(gsi_stmt(At));
        // What the compiler knows itself may become anything.
        if (!Call || gimple_call_internal_p(Call) || gimple_call_must_tail_p(Call))
          continue;
        if (tree Callee = gimple_call_fndecl(Call); Callee && fndecl_built_in_p(Callee)) {
          call(Call, Callee);
          continue;
        }
        bool Changed = readBefore(&At, Call);
        Changed |= writtenBehind(&At, Call, &Edges);
        if (Changed)
          update_stmt(Call);
      }
    if (Edges)
      gsi_commit_edge_inserts();
    return 0;
  }
};

const pass_data EarlyData = {GIMPLE_PASS, "thrille_early", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

// Before anybody asks what calls do to their arguments, and while statements stand as they were written.
class Early : public gimple_opt_pass {
public:
  explicit Early(gcc::context *Context) : gimple_opt_pass(EarlyData, Context) {}
  opt_pass *clone() final override { return new Early(m_ctxt); }

  unsigned execute(function *F) final override {
    basic_block Block;
    FOR_EACH_BB_FN(Block, F) {
      location_t Before = UNKNOWN_LOCATION;
      for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At)) {
        gimple *Here = gsi_stmt(At);
        if (gcall *Call = dyn_cast<gcall *>(Here); Call && !gimple_call_internal_p(Call))
          forget(gimple_call_fndecl(Call), gimple_call_fntype(Call));
        if (is_gimple_assign(Here) && !gimple_clobber_p(Here) && !gimple_has_location(Here))
          gimple_set_location(Here, Before);
        else if (!is_gimple_debug(Here) && gimple_has_location(Here))
          Before = gimple_location(Here);
      }
    }
    return 0;
  }

private:
  // What libgfortran does is known; any other procedure may hand its arguments to MPI.
  void forget(tree Callee, tree Type) {
    bool Known = Callee && (fndecl_built_in_p(Callee) || startswith(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(Callee)), "_gfortran_"));
    if (Type && !Known)
      TYPE_ATTRIBUTES(Type) = remove_attribute("fn spec", TYPE_ATTRIBUTES(Type));
  }
};

} // namespace

void helpSanitizer(const char *Plugin) {
  register_pass_info First{new Early(g), "ssa", 1, PASS_POS_INSERT_BEFORE};
  register_callback(Plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &First);
  // The second is for -O0.
  for (const char *Sanitizer : {"tsan", "tsan0"}) {
    register_pass_info Pass{new Overlooked(g), Sanitizer, 0, PASS_POS_INSERT_BEFORE};
    register_callback(Plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &Pass);
  }
}

} // namespace thrille
