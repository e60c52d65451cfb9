// Registration: the part of the pass manager that has no C interface.
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
} // namespace

// After simplification and before the vectoriser: the plain copies are optimised as if nobody had been here.
extern "C" void thrille_register_passes(PassBuilder &PB) {
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, auto...) { MPM.addPass(DoubleFunctions()); });
}

