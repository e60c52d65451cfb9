// Registration: the part of the pass manager that has no C interface.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

static_assert(LLVM_PLUGIN_API_VERSION == 1, "another plugin interface");
static_assert(LLVM_VERSION_MAJOR >= 16, "LLVM 16 or later is needed");

extern "C" int thrille_run_module(Module *M, FunctionAnalysisManager *FAM);

namespace {
struct DoubleFunctions : PassInfoMixin<DoubleFunctions> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    return thrille_run_module(&M, &FAM) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  // Also for functions that are not optimised.
  static bool isRequired() { return true; }
};

// What two lines call stays two calls, each with its line: branches that do much the same are not made one. Before anything is simplified.
struct KeepCallsApart : PassInfoMixin<KeepCallsApart> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    for (Function &F : M)
      if (F.hasFnAttribute(Attribute::SanitizeThread))
        for (Instruction &I : instructions(F))
          if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm())
            Call->addFnAttr(Attribute::NoMerge);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
} // namespace

// After simplification and before the vectoriser: the plain copies are optimised as if nobody had been here.
extern "C" void thrille_register_passes(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, auto...) { MPM.addPass(KeepCallsApart()); });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, auto...) { MPM.addPass(DoubleFunctions()); });
}

