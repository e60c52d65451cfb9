// Calls of the C library that are none for us.
//
// Functions of one or two numbers touch nothing but errno and synchronise with nobody: a loop that calls them is one without calls.
//
// A square root is one instruction, with a call behind it for negative numbers, because of errno. The code generator does that by itself, but the
// sanitizer's pass, which comes before it, forbids it for every function that may touch memory. So it is done here.
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <algorithm>

using namespace llvm;

extern "C" bool thrille_is_arithmetic(const CallBase *Call) {
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->hasLocalLinkage() || !Call->getType()->isFloatingPointTy())
    return false;
  for (const Use &Argument : Call->args())
    if (!Argument->getType()->isFloatingPointTy())
      return false;
  StringRef Name = Callee->getName();
  static const char *const Known[] = {
      "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
      "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot",
      "log", "log10", "log1p", "log2", "nearbyint", "pow", "remainder", "rint", "round", "sin", "sinh", "sqrt",
      "tan", "tanh", "tgamma", "trunc"};
  auto isKnown = [](StringRef Name) {
    return std::binary_search(std::begin(Known), std::end(Known), Name, [](StringRef A, StringRef B) { return A < B; });
  };
  return isKnown(Name) || (!Name.empty() && (Name.back() == 'f' || Name.back() == 'l') && isKnown(Name.drop_back()));
}

static bool isRoot(const CallInst *Call) {
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || Call->isNoBuiltin() || Call->isStrictFP() || Call->isMustTailCall() || Call->arg_size() != 1)
    return false;
  Type *Ty = Call->getType();
  bool Fits = (Ty->isDoubleTy() && Callee->getName() == "sqrt") || (Ty->isFloatTy() && Callee->getName() == "sqrtf");
  return Fits && !Callee->hasLocalLinkage() && Call->getArgOperand(0)->getType() == Ty;
}

static void expand(CallInst *Call) {
  IRBuilder<> B(Call);
  Value *Root = B.CreateUnaryIntrinsic(Intrinsic::sqrt, Call->getArgOperand(0), isa<FPMathOperator>(Call) ? Call : nullptr);
  Value *None = B.CreateFCmpUNO(Root, Root);
  MDNode *Rarely = MDBuilder(Call->getContext()).createBranchWeights(1, 1 << 20);
  Instruction *End = SplitBlockAndInsertIfThen(None, Call, false, Rarely);
  BasicBlock *Head = cast<Instruction>(Root)->getParent(), *Tail = Call->getParent();
  B.SetInsertPoint(Tail, Tail->begin());
  PHINode *Result = B.CreatePHI(Call->getType(), 2);
  Call->replaceAllUsesWith(Result);
  Call->moveBefore(End);
  Result->addIncoming(Root, Head);
  Result->addIncoming(Call, End->getParent());
}

extern "C" void thrille_expand_roots(Function *F) {
  if (F->hasOptNone() || F->hasMinSize())
    return;
  SmallVector<CallInst *, 4> Roots;
  for (BasicBlock &B : *F)
    for (Instruction &I : B)
      if (auto *Call = dyn_cast<CallInst>(&I); Call && isRoot(Call))
        Roots.push_back(Call);
  for (CallInst *Call : Roots)
    expand(Call);
}
