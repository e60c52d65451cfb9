// Copies of functions and blocks, with what belongs to them (debug information, alias scopes), and the joining of two copies' values.
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Variables' places are told by the plain copy alone.
static void dropVariables(ArrayRef<BasicBlock *> Blocks) {
  for (BasicBlock *B : Blocks)
    for (Instruction &I : make_early_inc_range(*B)) {
#if LLVM_VERSION_MAJOR >= 19
      I.dropDbgRecords();
#endif
      if (isa<DbgVariableIntrinsic>(I))
        I.eraseFromParent();
    }
}

extern "C" {

ValueToValueMapTy *thrille_map_new() { return new ValueToValueMapTy; }
void thrille_map_free(ValueToValueMapTy *Map) { delete Map; }
Value *thrille_map_get(ValueToValueMapTy *Map, Value *V) { return Map->lookup(V); }

// A copy that nobody else calls. It goes where the original goes.
Function *thrille_copy_function(Function *F, ValueToValueMapTy *Map, const char *Name) {
  Function *Copy = CloneFunction(F, *Map);
  Copy->setName(Name);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDSOLocal(true);
  Copy->setComdat(F->getComdat());
  Copy->removeFnAttr(Attribute::AlwaysInline);
  Copy->addFnAttr(Attribute::NoInline);
  return Copy;
}

// A copy of some blocks in their own function.
void thrille_copy_blocks(Function *F, BasicBlock **Blocks, size_t Count, ValueToValueMapTy *Map) {
  ArrayRef<BasicBlock *> Old(Blocks, Count);
  SmallVector<BasicBlock *, 32> New;
  SmallVector<MDNode *, 8> Scopes;
  identifyNoAliasScopesToClone(Old, Scopes);
  for (BasicBlock *B : Old) {
    BasicBlock *Copy = CloneBasicBlock(B, *Map, ".t", F);
    (*Map)[B] = Copy;
    New.push_back(Copy);
  }
  remapInstructionsInBlocks(New, *Map);
  cloneAndAdaptNoAliasScopes(Scopes, New, F->getContext(), "t");
  dropVariables(New);
}

// Nothing leads to these any more.
void thrille_delete_blocks(BasicBlock **Blocks, size_t Count) {
  if (Count > 0)
    DeleteDeadBlocks(ArrayRef<BasicBlock *>(Blocks, Count), nullptr, /*KeepOneInputPHIs=*/true);
}

// Splits a block before an instruction: a detour that is taken sometimes. The end of the detour. In line it takes less code: short jumps, and none back.
Instruction *thrille_detour(Value *Sometimes, Instruction *Before, bool InLine) {
  MDNode *Weights = MDBuilder(Before->getContext()).createBranchWeights(1, InLine ? 1 : 100000);
  return SplitBlockAndInsertIfThen(Sometimes, Before, false, Weights);
}

void thrille_rarely(Instruction *Branch) {
  Branch->setMetadata(LLVMContext::MD_prof, MDBuilder(Branch->getContext()).createBranchWeights(1, 100000));
}

// A loop that tells in each iteration gains nothing by being there several times. The branch is one that leads back to its header.
void thrille_once(Instruction *Branch) {
  LLVMContext &Context = Branch->getContext();
  Metadata *Said[] = {nullptr, MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"))};
  MDNode *Loop = MDNode::getDistinct(Context, Said);
  Loop->replaceOperandWith(0, Loop);
  Branch->setMetadata(LLVMContext::MD_loop, Loop);
}

// Values that two copies define, each in its own block, reach their uses along whatever ways there are now.
void thrille_join_values(Instruction **Pairs, size_t Count) {
  for (size_t Pair = 0; Pair < Count; ++Pair) {
    Instruction *Both[] = {Pairs[2 * Pair], Pairs[2 * Pair + 1]};
    SmallVector<Use *, 16> Uses;
    for (Instruction *One : Both)
      for (Use &U : One->uses()) {
        auto *User = cast<Instruction>(U.getUser());
        if (isa<PHINode>(User) || User->getParent() != One->getParent())
          Uses.push_back(&U);
      }
    if (Uses.empty() || Both[0]->getType()->isTokenTy())
      continue;
    SSAUpdater Updater;
    Updater.Initialize(Both[0]->getType(), Both[0]->getName());
    for (Instruction *One : Both)
      Updater.AddAvailableValue(One->getParent(), One);
    for (Use *U : Uses)
      Updater.RewriteUse(*U);
  }
}

// A call that hands a function's own arguments on.
void thrille_copy_attributes(CallInst *Call, Function *F) {
  AttributeList All = F->getAttributes();
  SmallVector<AttributeSet, 8> Parameters;
  for (unsigned I = 0; I < F->arg_size(); ++I)
    Parameters.push_back(All.getParamAttrs(I));
  Call->setAttributes(AttributeList::get(F->getContext(), AttributeSet(), All.getRetAttrs(), Parameters));
}

void thrille_at_start(Function *F) { appendToGlobalCtors(*F->getParent(), F, 1); }
void thrille_at_end(Function *F) { appendToGlobalDtors(*F->getParent(), F, 1); }

// The tables of a function stay or go with it.
void thrille_go_with(GlobalObject *Table, Function *F) { Table->setComdat(F->getComdat()); }

void thrille_forget_analyses(Function *F, FunctionAnalysisManager *FAM) { FAM->invalidate(*F, PreservedAnalyses::none()); }

// What the library's functions do to memory is nobody's business.
void thrille_touches_nothing(Function *F) {
  F->setOnlyAccessesInaccessibleMemory();
  F->addFnAttr(Attribute::WillReturn);
}

// They set the countdown of the site that their second argument is, and nothing else that the program knows of.
void thrille_touches_second(Function *F) {
  F->setOnlyAccessesInaccessibleMemOrArgMem();
  F->addFnAttr(Attribute::WillReturn);
  F->addParamAttr(0, Attribute::ReadNone);
}

// What is computed for one detour alone is computed there, right before it is needed: otherwise it waits in memory while others are told. All that is told must be there by now.
void thrille_sink(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->use_empty() || !(isa<GetElementPtrInst>(I) || isa<CastInst>(I) || isa<BinaryOperator>(I)))
    return;
  BasicBlock *There = nullptr;
  SmallPtrSet<const User *, 4> Users;
  for (const User *U : I->users()) {
    BasicBlock *Here = const_cast<BasicBlock *>(cast<Instruction>(U)->getParent());
    if (isa<PHINode>(U) || (There && There != Here))
      return;
    There = Here;
    Users.insert(U);
  }
  for (Instruction &First : *There)
    if (Users.contains(&First)) {
      I->moveBefore(&First);
      return;
    }
}
}
