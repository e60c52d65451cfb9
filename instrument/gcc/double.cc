// Two copies of a function, for gcc, g++ and gfortran: what the plugin for clang does, right behind the pass of gcc's thread sanitizer.
//
// The sanitizer has put a call before each access. All blocks are copied; the plain ones lose these calls, and in the instrumented ones they become countdowns,
// with hooks that are called when one is below zero. Both are in one function, so that control can change sides:
//
//   at the entry           mode is OFF? plain. Else the call is counted, and the library asked when the countdown is below zero
//   at headers of loops    with calls or inner loops: the mode is looked at in each iteration, by one block in front of both headers; the library may
//                          have asked to be asked before the last iteration, where it is known which one that is
//   at ends of iterations  of innermost loops without calls, in the instrumented copy alone: it is left when the budget is spent, unless their number is
//                          a small constant
//   behind loops           that are in no other one: the library has asked to be asked as long as there is something that it has not seen
//
//      ──►─┬─ decide ──► plain header              ──► plain header ◄─┐
//          │     └─► ask ──► instrumented header         ▲   └─ ... ──┘
//      both back edges                                   └─ spent ◄── instrumented back edge
//
// A plain loop keeps its one header, and what comes later (the vectoriser above all) finds it as the user's compiler would. The names that both copies define are made one again by gcc itself
// (`update_ssa`), as where it threads jumps. Handlers of exceptions are there once: who throws in the instrumented copy comes to them in the plain one, and their hooks stay calls.
//
// In functions with loops of `omp simd` control changes sides at their entry and in other loops' headers alone: what the lanes have is of one copy.
//
// Functions that control enters or leaves in ways of its own (setjmp, labels whose addresses are taken) are left with the sanitizer's calls.
#include "thrille.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "basic-block.h"
#include "function.h"
#include "cfg.h"
#include "cfganal.h"
#include "cfghooks.h"
#include "cfgloop.h"
#include "context.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-fold.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-into-ssa.h"
#include "tree-chrec.h"
#include "tree-scalar-evolution.h"
#include "tree-pass.h"
#include "tree-phinodes.h"
#include "tree-ssa.h"

namespace thrille {
namespace {

// enum thrille_mode of hooks.h.
enum Mode { Off = 0, In = 2 }; // and 3: the library has asked to be asked
// Where the words of a descriptor are.
enum Word { ModeAt = 0, BudgetAt = 4, CountdownAt = 8 };
enum Kind { Read = 1, Write = 2 };

const pass_data Data = {GIMPLE_PASS, "thrille_double", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0};

// The function that is, or was, doubled or left alone last: what comes now comes behind the sanitizer.
tree Behind = NULL_TREE;

// What a call of the sanitizer tells.
struct Told {
  unsigned Kind; // 0: nothing
  unsigned Size; // 0: the second argument
};

Told told(gimple *Statement) {
  gcall *Call = dyn_cast<gcall *>(Statement);
  tree Callee = Call ? gimple_call_fndecl(Call) : NULL_TREE;
  if (!Callee || !fndecl_built_in_p(Callee, BUILT_IN_NORMAL))
    return {};
  const char *Name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(Callee));
  auto Skip = [&Name](const char *Word) {
    bool Is = !strncmp(Name, Word, strlen(Word));
    Name += Is ? strlen(Word) : 0;
    return Is;
  };
  if (!Skip("__tsan_"))
    return {};
  // What an object is, in its first word.
  if (Skip("vptr_"))
    return {Skip("read") ? Read : Write, POINTER_SIZE / BITS_PER_UNIT};
  Skip("unaligned_") || Skip("volatile_");
  unsigned Kind = Skip("read") ? Read : Skip("write") ? Write : 0;
  if (!strcmp(Name, "_range"))
    return {Kind, 0};
  unsigned Size = strtoul(Name, nullptr, 10);
  return Kind && Size ? Told{Kind, Size} : Told{};
}

// Whether the library, or anybody, may learn something or synchronise there.
bool calls(gimple *Statement) {
  gcall *Call = dyn_cast<gcall *>(Statement);
  return Call && !gimple_call_internal_p(Call) && !told(Call).Kind && !(gimple_call_flags(Call) & (ECF_CONST | ECF_PURE | ECF_NOVOPS));
}

using Blocks = std::unordered_set<basic_block>;

// What is seldom executed is, for the compiler, executed so much more seldom.
const int Rare = 4096;

// Assembly that gives a place a name can be there once only.
bool definesLabel(gimple *Statement) {
  gasm *Assembly = dyn_cast<gasm *>(Statement);
  const char *Text = Assembly ? gimple_asm_string(Assembly) : "";
  for (const char *Colon = strchr(Text, ':'); Colon; Colon = strchr(Colon + 1, ':')) {
    const char *Name = Colon;
    while (Name > Text && (ISALNUM(Name[-1]) || strchr("_.$", Name[-1])))
      Name--;
    if (Name < Colon && !ISDIGIT(*Name) && *Name != '$' && (Name == Text || Name[-1] != '%'))
      return true;
  }
  return false;
}

// Iterations of a loop that is carried out to its end in the instrumented copy: the vectoriser may want to know that the plain one has a constant number.
const unsigned Most = 1 << 16;

// A loop of the plain copy.
struct Loop {
  basic_block Header;
  Blocks Inside;
  bool Innermost = true, Outermost = false, Tells = false, Calls = false;
  bool Simd = false; // what OpenMP has the vectoriser do
  bool Short = false; // of so many iterations, a constant number
  tree Counter = NULL_TREE, Last = NULL_TREE; // of iterations from 0 on, and what it is in the last one, if that is known before
  unsigned Accesses = 0; // of one iteration, without those of inner loops

  bool decides() const { return Tells && (!Innermost || Calls); }
};

tree hook(const char *Name) {
  tree Type = build_function_type_list(integer_type_node, ptr_type_node, long_unsigned_type_node, NULL_TREE);
  return build_fn_decl(Name, Type);
}

// Of the library's tables. `Fresh`: another thread may have changed it.
tree word(tree Table, unsigned At, bool Fresh = false) {
  tree Type = Fresh ? build_qualified_type(integer_type_node, TYPE_QUAL_VOLATILE) : integer_type_node;
  tree Place = build2(MEM_REF, Type, build_fold_addr_expr(Table), build_int_cst(build_pointer_type(char_type_node), At));
  TREE_THIS_VOLATILE(Place) = Fresh;
  return Place;
}

profile_probability rarely() { return profile_probability::very_unlikely(); }
profile_probability evenly() { return profile_probability::even(); }

// Statements at the end of a block.
class Builder {
public:
  explicit Builder(basic_block Block) : Block(Block), At(gsi_last_bb(Block)) {}

  tree load(tree From) {
    tree To = make_ssa_name(integer_type_node);
    add(gimple_build_assign(To, From));
    return To;
  }

  // Takes so much off a word, and gives back what is left.
  tree countDown(tree Word, unsigned By) {
    tree Left = make_ssa_name(integer_type_node);
    add(gimple_build_assign(Left, PLUS_EXPR, load(Word), build_int_cst(integer_type_node, -(HOST_WIDE_INT)By)));
    add(gimple_build_assign(unshare_expr(Word), Left));
    return Left;
  }

  tree ask(const char *Name, tree Table, unsigned HOST_WIDE_INT What = 0) {
    gcall *Call = gimple_build_call(hook(Name), 2, build_fold_addr_expr(Table), build_int_cstu(long_unsigned_type_node, What));
    tree Answer = make_ssa_name(integer_type_node);
    gimple_call_set_lhs(Call, Answer);
    add(Call);
    return Answer;
  }

  // Where it goes on.
  std::pair<edge, edge> branch(tree Left, tree_code Code, int Right, basic_block Yes, basic_block No, profile_probability Likely) {
    return branch(Left, Code, build_int_cst(integer_type_node, Right), Yes, No, Likely);
  }

  std::pair<edge, edge> branch(tree Left, tree_code Code, tree Right, basic_block Yes, basic_block No, profile_probability Likely) {
    add(gimple_build_cond(Code, Left, Right, NULL_TREE, NULL_TREE));
    return {way(Yes, EDGE_TRUE_VALUE, Likely), way(No, EDGE_FALSE_VALUE, Likely.invert())};
  }

private:
  basic_block Block;
  gimple_stmt_iterator At;

  void add(gimple *Statement) { gsi_insert_after(&At, Statement, GSI_NEW_STMT); }

  // The edge may be there already.
  edge way(basic_block To, int When, profile_probability Likely) {
    edge Way = find_edge(Block, To);
    if (!Way)
      Way = make_edge(Block, To, 0);
    Way->flags = (Way->flags & ~EDGE_FALLTHRU) | When;
    Way->probability = Likely;
    return Way;
  }
};

// A new edge brings what another one brings, to the same block or to its other copy: their names are in the same order.
void bringSame(edge New, edge Known) {
  gphi_iterator To = gsi_start_phis(New->dest), From = gsi_start_phis(Known->dest);
  for (; !gsi_end_p(To) && !gsi_end_p(From); gsi_next(&To), gsi_next(&From)) {
    unsigned Index = Known->dest_idx;
    add_phi_arg(To.phi(), gimple_phi_arg_def(From.phi(), Index), New, gimple_phi_arg_location(From.phi(), Index));
  }
}

basic_block newBlock(basic_block After) {
  basic_block New = create_empty_bb(After);
  New->count = After->count.apply_scale(1, Rare);
  if (current_loops)
    add_bb_to_loop(New, current_loops->tree_root);
  return New;
}

bool tellsAnything(function *F) {
  basic_block Block;
  FOR_EACH_BB_FN(Block, F)
    for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At))
      if (told(gsi_stmt(At)).Kind)
        return true;
  return false;
}

class Doubling {
public:
  explicit Doubling(function *F) : F(F) {
    reach(single_succ(ENTRY_BLOCK_PTR_FOR_FN(F)));
    for (basic_block Block : Plain)
      for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At)) {
        unsigned &Here = told(gsi_stmt(At)).Kind ? Sites[Block] : Callers[Block];
        Here += told(gsi_stmt(At)).Kind || calls(gsi_stmt(At));
      }
  }

  // Whether there is something to double, and it can be.
  bool fits() {
    if (POINTER_SIZE != 64 || F->calls_setjmp || F->has_nonlocal_label || lookup_attribute("naked", DECL_ATTRIBUTES(F->decl)))
      return false;
    for (basic_block Block : Plain)
      for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At))
        if (definesLabel(gsi_stmt(At)))
          return false;
    basic_block Block;
    edge Edge;
    edge_iterator At;
    FOR_EACH_BB_FN(Block, F)
      FOR_EACH_EDGE(Edge, At, Block->succs)
        if ((Edge->flags & EDGE_ABNORMAL) && !(Edge->flags & EDGE_EH))
          return false;
    bool Tells = std::any_of(Sites.begin(), Sites.end(), [](auto &Here) { return Here.second > 0; });
    return Tells && can_copy_bbs_p(Plain.data(), Plain.size());
  }

  void findLoops() {
    Blocks Reached(Plain.begin(), Plain.end());
    std::vector<class loop *> Known;
    for (auto Each : loops_list(F, LI_FROM_INNERMOST))
      if (Reached.count(Each->header) && !isCaught(Each->header))
        Known.push_back(Each);
    for (auto Each = Known.rbegin(); Each != Known.rend(); ++Each) {
      Loop One{(*Each)->header};
      One.Innermost = !(*Each)->inner;
      One.Outermost = !loop_outer(loop_outer(*Each));
      One.Simd = (*Each)->simduid != NULL_TREE;
      basic_block *Body = get_loop_body(*Each);
      for (unsigned I = 0; I < (*Each)->num_nodes; I++) {
        One.Inside.insert(Body[I]);
        One.Tells |= of(Sites, Body[I]) > 0;
        One.Calls |= of(Callers, Body[I]) > 0;
        One.Accesses += Body[I]->loop_father == *Each ? of(Sites, Body[I]) : 0;
      }
      free(Body);
      if (One.decides() && !One.Simd)
        findLast(One, *Each);
      else if (tree Last = number_of_latch_executions(*Each); Last && tree_fits_uhwi_p(Last))
        One.Short = tree_to_uhwi(Last) < Most;
      Loops.push_back(std::move(One));
    }
  }

  // Loops are found by then.
  void run() {
    forgetDominators();
    bool Leaf = std::all_of(Callers.begin(), Callers.end(), [](auto &Here) { return Here.second == 0; });
    Table Its(F->decl, Leaf);
    Descriptor = Its.descriptor();
    basic_block Head = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(F)));
    copy();
    enter(Head);
    if (!F->has_simduid_loops)
      for (auto [From, To] : exits())
        comeBack(find_edge(From, To));
    unsigned Number = 0;
    for (Loop &One : Loops)
      if (One.decides() && !One.Simd)
        deciding(One, Number++);
      else if (One.Tells && !F->has_simduid_loops)
        leaving(One);
    update_ssa(TODO_update_ssa);
    forgetDominators();
    for (basic_block Block : Plain)
      silence(Block);
    for (basic_block Block : Copies)
      countDown(Block, Its);
    mark_virtual_operands_for_renaming(F);
    update_ssa(TODO_update_ssa_only_virtuals);
    Its.file();
    if (current_loops)
      loops_state_set(LOOPS_NEED_FIXUP);
  }

private:
  function *F;
  std::vector<basic_block> Plain, Copies;
  std::unordered_map<basic_block, basic_block> CopyOf;
  std::unordered_map<basic_block, unsigned> Sites, Callers;
  std::vector<Loop> Loops; // outer ones first
  tree Descriptor = NULL_TREE;

  // Meets each block that is reached along edges that lead on, until that is enough.
  template <class Leads, class Enough> static bool walk(basic_block From, Leads leads, Enough enough) {
    Blocks Met{From};
    std::vector<basic_block> Next{From};
    while (!Next.empty()) {
      basic_block Block = Next.back();
      Next.pop_back();
      if (enough(Block))
        return true;
      edge Edge;
      edge_iterator At;
      FOR_EACH_EDGE(Edge, At, Block->succs)
        if (leads(Edge) && Met.insert(Edge->dest).second)
          Next.push_back(Edge->dest);
    }
    return false;
  }

  // All blocks that are reached without an exception.
  void reach(basic_block From) {
    auto Leads = [this](edge Edge) { return !(Edge->flags & EDGE_EH) && Edge->dest != EXIT_BLOCK_PTR_FOR_FN(F); };
    walk(From, Leads, [this](basic_block Block) {
      Plain.push_back(Block);
      return false;
    });
  }

  static void forgetDominators() {
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
  }

  static unsigned of(const std::unordered_map<basic_block, unsigned> &Counts, basic_block Block) {
    auto Known = Counts.find(Block);
    return Known == Counts.end() ? 0 : Known->second;
  }

  // Counts iterations, if the number of the last one is known before the loop.
  static void findLast(Loop &One, class loop *Known) {
    tree Last = number_of_latch_executions(Known);
    if (!Last || chrec_contains_undetermined(Last) || !INTEGRAL_TYPE_P(TREE_TYPE(Last)) || expression_expensive_p(Last))
      return;
    tree Type = unsigned_type_for(TREE_TYPE(Last));
    gimple_seq Before = NULL;
    One.Last = force_gimple_operand(fold_convert(Type, unshare_expr(Last)), &Before, true, NULL_TREE);
    if (Before)
      gsi_insert_seq_on_edge_immediate(loop_preheader_edge(Known), Before);
    One.Counter = make_ssa_name(Type);
    tree Next = make_ssa_name(Type);
    gimple_stmt_iterator Start = gsi_after_labels(Known->header);
    gsi_insert_before(&Start, gimple_build_assign(Next, PLUS_EXPR, One.Counter, build_int_cst(Type, 1)), GSI_SAME_STMT);
    gphi *Counts = create_phi_node(One.Counter, Known->header);
    add_phi_arg(Counts, build_int_cst(Type, 0), loop_preheader_edge(Known), UNKNOWN_LOCATION);
    add_phi_arg(Counts, Next, loop_latch_edge(Known), UNKNOWN_LOCATION);
  }

  // Exceptions come here, by ways that cannot be led elsewhere.
  static bool isCaught(basic_block Block) {
    edge Edge;
    edge_iterator At;
    FOR_EACH_EDGE(Edge, At, Block->preds)
      if (Edge->flags & EDGE_EH)
        return true;
    return false;
  }

  void copy() {
    initialize_original_copy_tables();
    class loop *Root = current_loops ? current_loops->tree_root : nullptr;
    // Copies are in no loop, until loops are looked for again.
    if (Root)
      for (auto Each : loops_list(F, LI_INCLUDE_ROOT))
        set_loop_copy(Each, Root);
    Copies.resize(Plain.size());
    copy_bbs(Plain.data(), Plain.size(), Copies.data(), nullptr, 0, nullptr, Root, EXIT_BLOCK_PTR_FOR_FN(F)->prev_bb, false);
    add_phi_args_after_copy(Copies.data(), Copies.size(), nullptr);
    free_original_copy_tables();
    if (Root) {
      // Headers that are copied into it become its own.
      Root->header = ENTRY_BLOCK_PTR_FOR_FN(F);
      Root->latch = EXIT_BLOCK_PTR_FOR_FN(F);
    }
    for (size_t I = 0; I < Plain.size(); I++) {
      CopyOf[Plain[I]] = Copies[I];
      Copies[I]->count = Plain[I]->count.apply_scale(1, Rare);
    }
  }

  void enter(basic_block Head) {
    edge Known = single_succ_edge(Head);
    basic_block First = Known->dest, Count = newBlock(Head), Ask = newBlock(Count);
    Builder Begin(Head), Counting(Count), Asking(Ask);
    Begin.branch(Begin.load(word(Descriptor, ModeAt, true)), NE_EXPR, Off, Count, First, rarely());
    edge Not = Counting.branch(Counting.countDown(word(Descriptor, CountdownAt), 1), LT_EXPR, 0, Ask, First, rarely()).second;
    bringSame(Not, Known);
    choose(Asking, Asking.ask("thrille_enter", Descriptor), Known);
  }

  // Not 0: the instrumented copy of what that edge leads to.
  void choose(Builder &Asking, tree Answer, edge Known) {
    auto [Yes, No] = Asking.branch(Answer, NE_EXPR, 0, CopyOf[Known->dest], Known->dest, evenly());
    bringSame(Yes, Known);
    bringSame(No, Known);
  }

  // Where loops that are in no other one are left, if something is told from there on.
  std::vector<std::pair<basic_block, basic_block>> exits() {
    std::vector<std::pair<basic_block, basic_block>> Found;
    for (Loop &One : Loops)
      if (One.Outermost)
        for (basic_block Block : Plain)
          if (One.Inside.count(Block)) {
            edge Edge;
            edge_iterator At;
            FOR_EACH_EDGE(Edge, At, Block->succs)
              if (!(Edge->flags & EDGE_EH) && CopyOf.count(Edge->dest) && !One.Inside.count(Edge->dest) && tells(Edge->dest, One))
                Found.push_back({Block, Edge->dest});
          }
    return Found;
  }

  bool tells(basic_block From, const Loop &Left) {
    auto Leads = [&](edge Edge) { return CopyOf.count(Edge->dest) && !Left.Inside.count(Edge->dest); };
    return walk(From, Leads, [this](basic_block Block) { return of(Sites, Block) > 0; });
  }

  void comeBack(edge Exit) {
    basic_block Behind = split_edge(Exit), Ask = newBlock(Behind);
    edge Known = single_succ_edge(Behind);
    Builder Looking(Behind), Asking(Ask);
    Looking.branch(Looking.load(word(Descriptor, ModeAt, true)), GE_EXPR, In, Ask, Known->dest, rarely());
    choose(Asking, Asking.ask("thrille_behind", Descriptor), Known);
  }

  void deciding(const Loop &One, unsigned Number) {
    basic_block Header = One.Header, Copy = CopyOf[Header];
    std::vector<edge> Ways = waysTo(Header), More = waysTo(Copy);
    Ways.insert(Ways.end(), More.begin(), More.end());
    // What leads to both copies leads here once.
    Blocks From;
    for (edge &Way : Ways)
      if (!From.insert(Way->src).second)
        Way = single_succ_edge(split_edge(Way));
    std::vector<std::pair<gphi *, gphi *>> Names;
    for (gphi_iterator I = gsi_start_phis(Header), J = gsi_start_phis(Copy); !gsi_end_p(I); gsi_next(&I), gsi_next(&J))
      Names.push_back({I.phi(), J.phi()});
    std::vector<std::vector<std::pair<tree, location_t>>> Brought;
    for (edge Way : Ways) {
      Brought.emplace_back();
      for (auto [Own, Other] : Names) {
        gphi *Name = Way->dest == Header ? Own : Other;
        Brought.back().push_back({gimple_phi_arg_def(Name, Way->dest_idx), gimple_phi_arg_location(Name, Way->dest_idx)});
      }
    }
    basic_block Decide = newBlock(Header->prev_bb), Ask = newBlock(Decide);
    Decide->count = Header->count;
    for (edge &Way : Ways)
      Way = redirect_edge_and_branch(Way, Decide);
    std::vector<tree> Joined;
    for (size_t I = 0; I < Names.size(); I++) {
      Joined.push_back(copy_ssa_name(gimple_phi_result(Names[I].first)));
      gphi *Join = create_phi_node(Joined.back(), Decide);
      for (size_t Way = 0; Way < Ways.size(); Way++)
        add_phi_arg(Join, Brought[Way][I].first, Ways[Way], Brought[Way][I].second);
    }
    Builder Deciding(Decide), Asking(Ask);
    unsigned HOST_WIDE_INT What = MIN(Number, 0x7fffu) << 16 | MIN(MAX(One.Accesses, 1u), 0xffffu);
    tree Mode = Deciding.load(word(Descriptor, ModeAt, true));
    std::vector<edge> Stays;
    auto Counter = std::find_if(Names.begin(), Names.end(), [&](auto &Both) { return gimple_phi_result(Both.first) == One.Counter; });
    if (Counter == Names.end()) {
      Stays.push_back(Deciding.branch(Mode, EQ_EXPR, In, Ask, Header, rarely()).second);
    } else {
      basic_block On = newBlock(Decide), Last = newBlock(On), Goes = newBlock(On);
      Builder Looking(On), IsLast(Last), IsNot(Goes);
      Stays.push_back(Deciding.branch(Mode, GE_EXPR, In, On, Header, rarely()).second);
      Looking.branch(Joined[Counter - Names.begin()], EQ_EXPR, One.Last, Last, Goes, rarely());
      Stays.push_back(IsNot.branch(Mode, EQ_EXPR, In, Ask, Header, evenly()).second);
      tree Other = IsLast.ask("thrille_decide", Descriptor, What | 1u << 31);
      auto [Enters, Not] = IsLast.branch(Other, NE_EXPR, 0, Copy, Header, evenly());
      Stays.push_back(Not);
      for (size_t I = 0; I < Names.size(); I++)
        add_phi_arg(Names[I].second, Joined[I], Enters, UNKNOWN_LOCATION);
    }
    tree Answer = Asking.ask("thrille_decide", Descriptor, What);
    auto [Yes, No] = Asking.branch(Answer, NE_EXPR, 0, Copy, Header, evenly());
    Stays.push_back(No);
    for (size_t I = 0; I < Names.size(); I++) {
      for (edge Way : Stays)
        add_phi_arg(Names[I].first, Joined[I], Way, UNKNOWN_LOCATION);
      add_phi_arg(Names[I].second, Joined[I], Yes, UNKNOWN_LOCATION);
    }
  }

  static std::vector<edge> waysTo(basic_block Block) {
    std::vector<edge> Ways;
    edge Edge;
    edge_iterator At;
    FOR_EACH_EDGE(Edge, At, Block->preds)
      Ways.push_back(Edge);
    return Ways;
  }

  void leaving(const Loop &One) {
    basic_block Copy = CopyOf[One.Header];
    Blocks Inside;
    for (basic_block Block : One.Inside)
      if (CopyOf.count(Block))
        Inside.insert(CopyOf[Block]);
    for (edge Back : waysTo(Copy)) {
      if (!Inside.count(Back->src))
        continue;
      basic_block Pay = split_edge(Back);
      edge Known = single_succ_edge(Pay);
      Builder Paying(Pay);
      tree Left = Paying.countDown(word(Descriptor, BudgetAt), MAX(One.Accesses, 1u));
      if (One.Short)
        continue;
      basic_block Spent = newBlock(Pay);
      Builder Asking(Spent);
      Paying.branch(Left, LT_EXPR, 0, Spent, Copy, rarely());
      auto [Stay, Leave] = Asking.branch(Asking.ask("thrille_spent", Descriptor), NE_EXPR, 0, Copy, One.Header, evenly());
      bringSame(Stay, Known);
      bringSame(Leave, Known);
    }
  }

  // In the plain copy nothing is told.
  static void silence(basic_block Block) {
    for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At);) {
      gimple *Statement = gsi_stmt(At);
      gsi_next(&At);
      if (told(Statement).Kind)
        remove(Statement);
    }
  }

  // Loops of `omp simd` keep what each lane has in arrays. The instrumented copy is not vectorised: it has one lane, from where they are set up to where they are summed up.
  static void oneLane(gimple_stmt_iterator *At) {
    gcall *Call = dyn_cast<gcall *>(gsi_stmt(*At));
    tree Result = Call ? gimple_call_lhs(Call) : NULL_TREE;
    if (!Result || !gimple_call_internal_p(Call))
      return;
    internal_fn What = gimple_call_internal_fn(Call);
    if (What == IFN_GOMP_SIMD_LANE || What == IFN_GOMP_SIMD_LAST_LANE || What == IFN_GOMP_SIMD_VF)
      replace_call_with_value(At, build_int_cst(TREE_TYPE(Result), What == IFN_GOMP_SIMD_VF));
  }

  // In the instrumented one, when it is time: at the first of some accesses for all whose addresses are, or can be, known there.
  static void countDown(basic_block Block, Table &Its) {
    unsigned Order = 0;
    for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At); gsi_next(&At))
      gimple_set_uid(gsi_stmt(At), ++Order);
    for (gimple_stmt_iterator At = gsi_start_bb(Block); !gsi_end_p(At);) {
      gimple *First = gsi_stmt(At);
      if (!told(First).Kind) {
        oneLane(&At);
        gsi_next(&At);
        continue;
      }
      std::vector<Group> All = together(At);
      gsi_prev(&At);
      basic_block Tells = gsi_end_p(At) ? split_block_after_labels(Block)->dest : split_block(Block, gsi_stmt(At))->dest;
      basic_block Behind = split_block(Tells, First)->dest;
      Tells->count = Tells->count.apply_scale(1, Rare);
      tree Site = NULL_TREE;
      for (Group &One : All) {
        Told What = told(One.Call);
        unsigned Number = Its.add({What.Kind, What.Size, gimple_location(One.Call), &One == &All[0] ? (unsigned)All.size() : 0});
        if (!Site) {
          Builder Counting(Block);
          Counting.branch(Counting.countDown(word(Its.hot(), 8 * Number), 1), LT_EXPR, 0, Tells, Behind, rarely());
          Site = build1(ADDR_EXPR, ptr_type_node, word(Its.hot(), 8 * Number));
        }
        Site = tell(One, What, Site, Tells);
      }
      Block = Behind;
      At = gsi_start_bb(Block);
    }
  }

  // A call of the sanitizer, and what is computed for it alone.
  struct Group {
    gimple *Call;
    std::vector<gimple *> Before;
  };

  // Those that can be told where the first one is, with nothing in between that anybody could notice.
  static std::vector<Group> together(gimple_stmt_iterator At) {
    gimple *First = gsi_stmt(At);
    std::vector<Group> All;
    for (; !gsi_end_p(At); gsi_next(&At)) {
      gimple *Statement = gsi_stmt(At);
      if (is_gimple_debug(Statement))
        continue;
      if (calls(Statement) || gimple_code(Statement) == GIMPLE_ASM)
        break;
      if (!told(Statement).Kind)
        continue;
      Group One{Statement, {}};
      bool Known = true;
      for (unsigned I = 0; I < gimple_call_num_args(Statement); I++)
        Known = Known && isKnown(gimple_call_arg(Statement, I), First, One.Before, 0);
      if (Known || Statement == First)
        All.push_back(std::move(One));
    }
    return All;
  }

  // Whether a value is there before a statement of the same block, or can be computed there from such. What is used for it alone is computed with it.
  static bool isKnown(tree Value, gimple *Place, std::vector<gimple *> &Before, int Deep) {
    if (TREE_CODE(Value) != SSA_NAME)
      return is_gimple_min_invariant(Value);
    gimple *Made = SSA_NAME_DEF_STMT(Value);
    bool Early = gimple_nop_p(Made) || gimple_code(Made) == GIMPLE_PHI || gimple_bb(Made) != gimple_bb(Place) || gimple_uid(Made) < gimple_uid(Place);
    bool Moves = is_gimple_assign(Made) && !gimple_vuse(Made) && !gimple_could_trap_p(Made) && has_single_use(Value) && gimple_bb(Made) == gimple_bb(Place) && Deep < 3;
    if (!Moves)
      return Early;
    ssa_op_iter Each;
    tree Used;
    std::vector<gimple *> Own;
    bool Known = true;
    FOR_EACH_SSA_TREE_OPERAND(Used, Made, Each, SSA_OP_USE)
      Known = Known && isKnown(Used, Place, Own, Deep + 1);
    if (Known) {
      Before.insert(Before.end(), Own.begin(), Own.end());
      Before.push_back(Made);
    }
    return Known || Early;
  }

  // Tells of one at the end of a block, or in the place of the call that is there; the site of the next one.
  static tree tell(Group &One, Told What, tree Site, basic_block Tells) {
    tree Address = gimple_call_arg(One.Call, 0), Next = make_ssa_name(ptr_type_node);
    gcall *Tell = What.Size ? gimple_build_call(hook("thrille_access"), 2, Address, Site)
                            : gimple_build_call(hook("thrille_range"), 3, Address, Site, gimple_call_arg(One.Call, 1));
    gimple_set_location(Tell, gimple_location(One.Call));
    gimple_call_set_fntype(Tell, build_function_type_list(ptr_type_node, NULL_TREE));
    gimple_call_set_lhs(Tell, Next);
    gimple_stmt_iterator End = gsi_last_bb(Tells);
    for (gimple *Statement : One.Before) {
      forgetIn(gimple_assign_lhs(Statement));
      gimple_stmt_iterator Place = gsi_for_stmt(Statement);
      gsi_remove(&Place, false);
      gsi_insert_after(&End, Statement, GSI_NEW_STMT);
    }
    gsi_insert_after(&End, Tell, GSI_NEW_STMT);
    remove(One.Call);
    return Next;
  }

  // Debuggers do without a value that is computed elsewhere now.
  static void forgetIn(tree Name) {
    gimple *User;
    imm_use_iterator Each;
    FOR_EACH_IMM_USE_STMT(User, Each, Name)
      if (gimple_debug_bind_p(User)) {
        gimple_debug_bind_reset_value(User);
        update_stmt(User);
      }
  }

  static void remove(gimple *Call) {
    gimple_stmt_iterator At = gsi_for_stmt(Call);
    unlink_stmt_vdef(Call);
    gsi_remove(&At, true);
    release_defs(Call);
  }
};

class Double : public gimple_opt_pass {
public:
  explicit Double(gcc::context *Context) : gimple_opt_pass(Data, Context) {}
  opt_pass *clone() final override { return new Double(m_ctxt); }

  unsigned execute(function *F) final override {
    Behind = F->decl;
    if (!tellsAnything(F))
      return 0;
    // What it needs to know of loops, and an entry of its own for each.
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    scev_initialize();
    Doubling Both(F);
    bool Fits = Both.fits();
    if (Fits)
      Both.findLoops();
    scev_finalize();
    loop_optimizer_finalize();
    if (Fits)
      Both.run();
    return TODO_cleanup_cfg;
  }
};

// What the user's compiler would do before the sanitizer's pass and must not: to load what a condition keeps a loop from loading, before the loop, and to make one store of those of two branches, by
// the line of either. And nowhere are calls at the end of a function to become jumps: the library has to know who called.
void gate(void *Given, void *) {
  bool &Runs = *static_cast<bool *>(Given);
  if (!Runs || !cfun || !current_pass || !sanitize_flags_p(SANITIZE_THREAD, cfun->decl))
    return;
  const char *Name = current_pass->name;
  const auto Is = [Name](const char *Other) { return !strcmp(Name, Other); };
  if (Is("tailc") || (Behind != cfun->decl && (Is("lim") || Is("sink") || Is("cselim"))))
    Runs = false;
}

} // namespace

void doubleFunctions(const char *Plugin) {
  for (const char *Sanitizer : {"tsan", "tsan0"}) {
    register_pass_info Pass{new Double(g), Sanitizer, 0, PASS_POS_INSERT_AFTER};
    register_callback(Plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &Pass);
  }
  register_callback(Plugin, PLUGIN_OVERRIDE_GATE, gate, nullptr);
  register_callback(Plugin, PLUGIN_FINISH_UNIT, [](void *, void *) { writeTables(); }, nullptr);
}

} // namespace thrille
