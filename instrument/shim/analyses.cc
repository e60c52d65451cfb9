// Questions to analyses that have no C interface: loops, induction, what escapes, where code comes from.
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

extern "C" {

struct ThrilleLoop {
  BasicBlock *Header;
  BasicBlock *const *Blocks;
  size_t Count;
  bool Innermost;
};

// Outer loops before inner ones.
void thrille_loops(Function *F, FunctionAnalysisManager *FAM, void (*Visit)(void *, const ThrilleLoop *), void *Data) {
  for (Loop *L : FAM->getResult<LoopAnalysis>(*F).getLoopsInPreorder()) {
    ThrilleLoop Told{L->getHeader(), L->getBlocks().data(), L->getNumBlocks(), L->isInnermost()};
    Visit(Data, &Told);
  }
}

struct ThrilleAffine {
  Instruction *Access, *Before;
  Value *Start, *Times;
  int64_t Step;
};

// Whether an instruction could end a loop early or synchronise with others.
static bool bringsAnythingElse(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return !isa<IntrinsicInst>(Call) || !I.willReturn() || I.mayThrow() || !Call->hasFnAttr(Attribute::NoSync);
  return I.isAtomic();
}

// Loads and stores of innermost loops that are executed once in each iteration, at equally spaced addresses, with nothing in the loop
// that could end it early or synchronise: where it begins and how often, computed before the loop.
void thrille_affine(Function *F, FunctionAnalysisManager *FAM, void (*Visit)(void *, const ThrilleAffine *), void *Data) {
  auto &LI = FAM->getResult<LoopAnalysis>(*F);
  auto &SE = FAM->getResult<ScalarEvolutionAnalysis>(*F);
  auto &DT = FAM->getResult<DominatorTreeAnalysis>(*F);
  SCEVExpander Expander(SE, F->getParent()->getDataLayout(), "thrille");
  Type *I64 = Type::getInt64Ty(F->getContext());
  for (Loop *L : LI.getLoopsInPreorder()) {
    BasicBlock *Before = L->getLoopPreheader(), *Latch = L->getLoopLatch();
    // The one exit at the end: whatever comes before it is executed once in each iteration.
    if (!L->isInnermost() || !Latch || L->getExitingBlock() != Latch)
      continue;
    const SCEV *Back = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Back) || Back->getType()->getIntegerBitWidth() > 64)
      continue;
    bool Plain = true;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B)
        Plain &= !bringsAnythingElse(I);
    if (!Plain)
      continue;
    if (!Before)
      Before = InsertPreheaderForLoop(L, &DT, &LI, nullptr, false);
    if (!Before)
      continue;
    Instruction *At = Before->getTerminator();
    const SCEV *Times = SE.getAddExpr(SE.getTruncateOrZeroExtend(Back, I64), SE.getOne(I64));
    for (BasicBlock *B : L->blocks()) {
      if (!DT.dominates(B, Latch))
        continue;
      for (Instruction &I : *B) {
        Value *P = getLoadStorePointerOperand(&I);
        if (!P || !SE.isSCEVable(P->getType()))
          continue;
        auto *Induction = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(P));
        if (!Induction || Induction->getLoop() != L || !Induction->isAffine())
          continue;
        auto *Step = dyn_cast<SCEVConstant>(Induction->getStepRecurrence(SE));
        const SCEV *Start = Induction->getStart();
        if (!Step || !Expander.isSafeToExpandAt(Start, At) || !Expander.isSafeToExpandAt(Times, At))
          continue;
        ThrilleAffine Told{&I, At, Expander.expandCodeFor(Start, Start->getType(), At),
                           Expander.expandCodeFor(Times, I64, At), Step->getAPInt().getSExtValue()};
        Visit(Data, &Told);
      }
    }
  }
}

// What a pointer is derived from.
Value *thrille_underlying(Value *P) { return const_cast<Value *>(getUnderlyingObject(P)); }

// Whether anybody but this function can come to know the address.
bool thrille_escapes(Value *Alloca) { return PointerMayBeCaptured(Alloca, true, true); }

bool thrille_in_tables_of_others(Value *Global) {
  auto *G = dyn_cast<GlobalVariable>(Global);
  return G && G->hasSection() && (G->getSection().contains("__llvm_prf") || G->getSection().starts_with("__llvm"));
}

struct ThrilleText {
  const char *At;
  size_t Len;
};

struct ThrilleSource {
  ThrilleText Directory, File, Function;
  unsigned Line, Column;
};

static ThrilleText text(StringRef S) { return {S.data(), S.size()}; }

// The place of an instruction in the source, that of the innermost inlined function; false when it has none.
bool thrille_source(Instruction *I, ThrilleSource *Out) {
  const DebugLoc &Loc = I->getDebugLoc();
  if (!Loc)
    return false;
  const DILocation *At = Loc.get();
  StringRef Name;
  if (auto *Scope = At->getScope()->getSubprogram())
    Name = Scope->getName();
  *Out = {text(At->getDirectory()), text(At->getFilename()), text(Name), At->getLine(), At->getColumn()};
  return true;
}

// Instructions that the optimiser left without a place are told to be at line 0 of their function, not at the line before.
void thrille_place(Instruction *I, Instruction *Like) {
  if (const DebugLoc &Loc = Like->getDebugLoc())
    I->setDebugLoc(Loc);
  else if (DISubprogram *SP = I->getFunction()->getSubprogram())
    I->setDebugLoc(DILocation::get(I->getContext(), 0, 0, SP));
}
}
