// Atomic read-modify-write operations that the thread sanitizer leaves alone (minimum, maximum, floating point) become loops around a
// compare-and-exchange, which it does not.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static Value *newValue(IRBuilder<> &B, AtomicRMWInst::BinOp Op, Value *Old, Value *With) {
  switch (Op) {
  case AtomicRMWInst::Max:
    return B.CreateSelect(B.CreateICmpSGT(Old, With), Old, With);
  case AtomicRMWInst::Min:
    return B.CreateSelect(B.CreateICmpSLE(Old, With), Old, With);
  case AtomicRMWInst::UMax:
    return B.CreateSelect(B.CreateICmpUGT(Old, With), Old, With);
  case AtomicRMWInst::UMin:
    return B.CreateSelect(B.CreateICmpULE(Old, With), Old, With);
  case AtomicRMWInst::FAdd:
    return B.CreateFAdd(Old, With);
  case AtomicRMWInst::FSub:
    return B.CreateFSub(Old, With);
  case AtomicRMWInst::FMax:
    return B.CreateMaxNum(Old, With);
  case AtomicRMWInst::FMin:
    return B.CreateMinNum(Old, With);
  default:
    return nullptr;
  }
}

static void lower(AtomicRMWInst *I) {
  LLVMContext &C = I->getContext();
  Type *Ty = I->getType();
  Type *Bits = Type::getIntNTy(C, Ty->getScalarSizeInBits());
  BasicBlock *Head = I->getParent();
  BasicBlock *Tail = SplitBlock(Head, I);
  BasicBlock *Loop = BasicBlock::Create(C, "thrille.atomic", Head->getParent(), Tail);
  Head->getTerminator()->setSuccessor(0, Loop);
  IRBuilder<> B(Head->getTerminator());
  B.SetCurrentDebugLocation(I->getDebugLoc());
  // A first guess; what counts is what the exchange sees.
  LoadInst *Guess = B.CreateAlignedLoad(Bits, I->getPointerOperand(), I->getAlign());
  Guess->setAtomic(AtomicOrdering::Monotonic, I->getSyncScopeID());
  B.SetInsertPoint(Loop);
  PHINode *Seen = B.CreatePHI(Bits, 2);
  Seen->addIncoming(Guess, Head);
  Value *Old = B.CreateBitCast(Seen, Ty);
  Value *New = B.CreateBitCast(newValue(B, I->getOperation(), Old, I->getValOperand()), Bits);
  AtomicOrdering Order = I->getOrdering();
  auto *Exchange = B.CreateAtomicCmpXchg(I->getPointerOperand(), Seen, New, I->getAlign(), Order,
                                         AtomicCmpXchgInst::getStrongestFailureOrdering(Order), I->getSyncScopeID());
  Seen->addIncoming(B.CreateExtractValue(Exchange, 0), Loop);
  B.CreateCondBr(B.CreateExtractValue(Exchange, 1), Tail, Loop);
  I->replaceAllUsesWith(Old);
  I->eraseFromParent();
}

extern "C" void thrille_lower_odd_atomics(Function *F) {
  SmallVector<AtomicRMWInst *, 4> Odd;
  for (BasicBlock &B : *F)
    for (Instruction &I : B)
      if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
        switch (Atomic->getOperation()) {
        case AtomicRMWInst::Max:
        case AtomicRMWInst::Min:
        case AtomicRMWInst::UMax:
        case AtomicRMWInst::UMin:
        case AtomicRMWInst::FAdd:
        case AtomicRMWInst::FSub:
        case AtomicRMWInst::FMax:
        case AtomicRMWInst::FMin:
          if (Atomic->getType()->getPrimitiveSizeInBits() <= 64 && !Atomic->getType()->isVectorTy())
            Odd.push_back(Atomic);
          break;
        default:
          break;
        }
  for (AtomicRMWInst *I : Odd)
    lower(I);
}
