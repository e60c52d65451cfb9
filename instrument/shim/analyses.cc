// Questions to analyses that have no C interface: loops, induction, what escapes, where code comes from.
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
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
  Value *Start, *Times, *Step;
  // Of a nest of loops: how often that is repeated, and how far apart; null otherwise.
  Value *Rows, *Pitch;
};

extern "C" bool thrille_is_arithmetic(const CallBase *Call);

// Whether an instruction could end a loop early or synchronise with others.
static bool bringsAnythingElse(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I); Call && thrille_is_arithmetic(Call))
    return false;
  else if (Call)
    return !isa<IntrinsicInst>(Call) || !I.willReturn() || I.mayThrow() || !Call->hasFnAttr(Attribute::NoSync);
  return I.isAtomic() || I.isVolatile();
}

namespace {
// Which loops let their checks be made before them, and how often such a loop is executed.
class Fitness {
  ScalarEvolution &SE;
  DominatorTree &DT;
  LoopInfo &LI;
  Type *I64;
  DenseMap<Loop *, const SCEV *> Known;

  const SCEV *look(Loop *L) {
    BasicBlock *Latch = L->getLoopLatch();
    // The one exit at the end: whatever comes before it is executed once in each iteration.
    if (!Latch || L->getExitingBlock() != Latch)
      return nullptr;
    const SCEV *Back = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Back) || Back->getType()->getIntegerBitWidth() > 64)
      return nullptr;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B)
        if (bringsAnythingElse(I))
          return nullptr;
    // A loop without an end may be in it.
    for (Loop *Inner : L->getSubLoops())
      if (!times(Inner))
        return nullptr;
    if (!L->getLoopPreheader() && !InsertPreheaderForLoop(L, &DT, &LI, nullptr, false))
      return nullptr;
    return SE.getAddExpr(SE.getTruncateOrZeroExtend(Back, I64), SE.getOne(I64));
  }

public:
  Fitness(ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI, Type *I64) : SE(SE), DT(DT), LI(LI), I64(I64) {}

  // Null if it does not.
  const SCEV *times(Loop *L) {
    auto Found = Known.find(L);
    if (Found != Known.end())
      return Found->second;
    const SCEV *Times = look(L);
    return Known[L] = Times;
  }
};

struct Dimension {
  const SCEV *Times, *Step;
};
} // namespace

// Loads and stores of loops that are executed once in each iteration, at equally spaced addresses or always the same one, with nothing in the loop that
// could end it early or synchronise: where that begins and how often, computed before the loop. With `Nests` before the outermost loop for which it can be said by two
// such rows, otherwise before the innermost.
void thrille_affine(Function *F, FunctionAnalysisManager *FAM, bool Nests, void (*Visit)(void *, const ThrilleAffine *),
                    void *Data) {
  auto &LI = FAM->getResult<LoopAnalysis>(*F);
  auto &SE = FAM->getResult<ScalarEvolutionAnalysis>(*F);
  auto &DT = FAM->getResult<DominatorTreeAnalysis>(*F);
  SCEVExpander Expander(SE, F->getParent()->getDataLayout(), "thrille");
  Type *I64 = Type::getInt64Ty(F->getContext());
  Fitness Fit(SE, DT, LI, I64);
  SmallVector<Loop *, 8> Loops;
  for (Loop *L : LI.getLoopsInPreorder())
    if (Fit.times(L))
      Loops.push_back(L);
  SmallVector<Instruction *, 32> Accesses;
  for (Loop *L : Loops)
    for (BasicBlock *B : L->blocks())
      if (LI.getLoopFor(B) == L)
        for (Instruction &I : *B)
          if (getLoadStorePointerOperand(&I))
            Accesses.push_back(&I);
  for (Instruction *I : Accesses) {
    Value *P = getLoadStorePointerOperand(I);
    if (!SE.isSCEVable(P->getType()))
      continue;
    const SCEV *Start = SE.getSCEV(P);
    BasicBlock *Where = I->getParent();
    SmallVector<Dimension, 2> Dimensions;
    Instruction *At = nullptr;
    for (Loop *L = LI.getLoopFor(Where); L && Fit.times(L); L = Nests ? L->getParentLoop() : nullptr) {
      if (!DT.dominates(Where, L->getLoopLatch()))
        break;
      Instruction *Before = L->getLoopPreheader()->getTerminator();
      const SCEV *From = Start;
      SmallVector<Dimension, 2> Now = Dimensions;
      if (!SE.isLoopInvariant(Start, L)) {
        auto *Induction = dyn_cast<SCEVAddRecExpr>(Start);
        if (!Induction || Induction->getLoop() != L || !Induction->isAffine() || Now.size() == 2)
          break;
        From = Induction->getStart();
        Now.push_back({Fit.times(L), SE.getTruncateOrSignExtend(Induction->getStepRecurrence(SE), I64)});
      }
      bool Safe = SE.isLoopInvariant(From, L) && Expander.isSafeToExpandAt(From, Before);
      for (const Dimension &D : Now)
        for (const SCEV *S : {D.Times, D.Step})
          Safe &= SE.isLoopInvariant(S, L) && Expander.isSafeToExpandAt(S, Before);
      if (!Safe)
        break;
      Start = From, Dimensions = Now, At = Before, Where = Before->getParent();
    }
    if (!At)
      continue;
    auto Expand = [&](const SCEV *S) { return Expander.expandCodeFor(S, S->getType(), At); };
    const Dimension Once{SE.getOne(I64), SE.getZero(I64)};
    const Dimension Row = Dimensions.empty() ? Once : Dimensions[0];
    ThrilleAffine Told{I, At, Expand(Start), Expand(Row.Times), Expand(Row.Step), nullptr, nullptr};
    if (Dimensions.size() == 2)
      Told.Rows = Expand(Dimensions[1].Times), Told.Pitch = Expand(Dimensions[1].Step);
    Visit(Data, &Told);
  }
}

// A number that a loop counts by, and what it is in the last iteration of the loop unless that is left early; false if that cannot be said before the loop.
bool thrille_last(Function *F, FunctionAnalysisManager *FAM, BasicBlock *Header, Value **Counter, Value **Last) {
  auto &SE = FAM->getResult<ScalarEvolutionAnalysis>(*F);
  Loop *L = FAM->getResult<LoopAnalysis>(*F).getLoopFor(Header);
  BasicBlock *Before = L && L->getHeader() == Header ? L->getLoopPreheader() : nullptr;
  BasicBlock *Latch = Before ? L->getLoopLatch() : nullptr;
  if (!Latch || !L->isLoopExiting(Latch))
    return false;
  const SCEV *Back = SE.getExitCount(L, Latch);
  if (isa<SCEVCouldNotCompute>(Back))
    return false;
  SCEVExpander Expander(SE, F->getParent()->getDataLayout(), "thrille");
  for (PHINode &Phi : Header->phis()) {
    auto *Counts = Phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
    if (!Counts || Counts->getLoop() != L || !Counts->isAffine() || !isa<SCEVConstant>(Counts->getStepRecurrence(SE)))
      continue;
    const SCEV *Value = Counts->evaluateAtIteration(SE.getTruncateOrZeroExtend(Back, Phi.getType()), SE);
    if (!SE.isLoopInvariant(Value, L) || !Expander.isSafeToExpandAt(Value, Before->getTerminator()))
      continue;
    *Counter = &Phi;
    *Last = Expander.expandCodeFor(Value, Phi.getType(), Before->getTerminator());
    // Phis of loop headers are others when control changes sides there.
    if (isa<PHINode>(*Last))
      *Last = new FreezeInst(*Last, "thrille.last", Before->getTerminator());
    return true;
  }
  return false;
}

// How many bytes lie between two addresses that come from the same place, whatever the values in them; 0 if that is not known.
int64_t thrille_distance(Function *F, FunctionAnalysisManager *FAM, Value *From, Value *To) {
  if (From->getType() != To->getType())
    return 0;
  auto &SE = FAM->getResult<ScalarEvolutionAnalysis>(*F);
  auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(To), SE.getSCEV(From)));
  return Distance && Distance->getAPInt().getSignificantBits() <= 64 ? Distance->getAPInt().getSExtValue() : 0;
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

static const DILocation *line(const Instruction *I) {
  const DILocation *At = I->getDebugLoc().get();
  return At && At->getLine() ? At : nullptr;
}

// What the optimiser put there by itself has no line, as the load before a loop of what is kept in a register within it: it stands for those that
// touch the same address otherwise.
static const DILocation *place(const Instruction *I) {
  const Value *Address = line(I) ? nullptr : getLoadStorePointerOperand(I);
  if (Address)
    for (const User *U : Address->users())
      if (auto *Other = dyn_cast<Instruction>(U))
        if (Other->getFunction() == I->getFunction() && getLoadStorePointerOperand(Other) == Address && line(Other))
          return line(Other);
  return I->getDebugLoc().get();
}

// Whether an instruction belongs to what clang makes of the initializer of a `declare reduction`, or was inlined there.
extern "C" bool thrille_initialises(const Instruction *I) {
  for (const DILocation *At = I->getDebugLoc().get(); At; At = At->getInlinedAt())
    if (const DISubprogram *In = At->getScope()->getSubprogram(); In && In->getLinkageName().find(".omp_initializer.") == 0)
      return true;
  return false;
}

// What the initializers of `declare reduction` call becomes part of them, so that it is known for what belongs to one.
extern "C" void thrille_join_initializers(Module *M) {
  const unsigned Most = 256;
  for (Function &F : *M) {
    if (F.isDeclaration() || F.getName().find(".omp_initializer.") != 0)
      continue;
    bool Found = true;
    for (unsigned Count = 0; Found && Count < Most; Count++) {
      Found = false;
      for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee || Callee == &F || Callee->isDeclaration() || Callee->isInterposable())
          continue;
        InlineFunctionInfo Info;
        if ((Found = InlineFunction(*Call, Info).isSuccess()))
          break;
      }
    }
  }
}

// The place of an instruction in the source, that of the innermost inlined function; false when it has none.
bool thrille_source(Instruction *I, ThrilleSource *Out) {
  const DILocation *At = place(I);
  if (!At)
    return false;
  StringRef Name;
  if (auto *Scope = At->getScope()->getSubprogram())
    Name = Scope->getName();
  *Out = {text(At->getDirectory()), text(At->getFilename()), text(Name), At->getLine(), At->getColumn()};
  return true;
}

// Instructions that the optimiser left without a place are told to be at line 0 of their function, not at the line before.
void thrille_place(Instruction *I, Instruction *Like) {
  if (const DILocation *At = place(Like))
    I->setDebugLoc(At);
  else if (DISubprogram *SP = I->getFunction()->getSubprogram())
    I->setDebugLoc(DILocation::get(I->getContext(), 0, 0, SP));
}
}
