// What the optimiser makes of memory that may or may not be touched.
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// One of two loads, both of which are made: they stand next to each other for nothing but the choice, and come from one place of the program.
static bool isSpeculative(const SelectInst *Choice) {
  auto *One = dyn_cast<LoadInst>(Choice->getTrueValue()), *Other = dyn_cast<LoadInst>(Choice->getFalseValue());
  if (!One || !Other || One == Other || !One->isSimple() || !Other->isSimple() || !One->hasOneUse() || !Other->hasOneUse())
    return false;
  if (One->getParent() != Choice->getParent() || Other->getParent() != Choice->getParent())
    return false;
  if (One->getDebugLoc() != Other->getDebugLoc() || One->getPointerOperandType() != Other->getPointerOperandType())
    return false;
  if (Choice->getCondition()->getType()->isVectorTy())
    return false;
  const Instruction *First = One->comesBefore(Other) ? One : Other;
  for (const Instruction *I = First; I != Choice; I = I->getNextNode())
    if (I->mayWriteToMemory())
      return false;
  return true;
}

// `c ? a : b` of two variables loads one of them: where LLVM knows that both are there, it loads both and chooses. Nobody has asked for the other one.
extern "C" void thrille_load_chosen(Function *F) {
  SmallVector<SelectInst *, 8> Choices;
  for (Instruction &I : instructions(F))
    if (auto *Choice = dyn_cast<SelectInst>(&I); Choice && isSpeculative(Choice))
      Choices.push_back(Choice);
  for (SelectInst *Choice : Choices) {
    auto *One = cast<LoadInst>(Choice->getTrueValue()), *Other = cast<LoadInst>(Choice->getFalseValue());
    IRBuilder<> B(Choice);
    Value *Address = B.CreateSelect(Choice->getCondition(), One->getPointerOperand(), Other->getPointerOperand());
    LoadInst *Chosen = B.CreateAlignedLoad(Choice->getType(), Address, std::min(One->getAlign(), Other->getAlign()));
    Chosen->setAAMetadata(One->getAAMetadata().merge(Other->getAAMetadata()));
    if (One->getDebugLoc())
      Chosen->setDebugLoc(One->getDebugLoc());
    Choice->replaceAllUsesWith(Chosen);
    Choice->eraseFromParent();
    One->eraseFromParent();
    Other->eraseFromParent();
  }
}

// How many bytes a call copies of what its argument points to, to pass it by value; 0 if it does not.
extern "C" uint64_t thrille_passes_by_value(const Instruction *I, unsigned Index) {
  auto *Call = cast<CallBase>(I);
  if (Index >= Call->arg_size() || !Call->isByValArgument(Index))
    return 0;
  return I->getModule()->getDataLayout().getTypeStoreSize(Call->getParamByValType(Index));
}
