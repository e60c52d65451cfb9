// Where gcc, g++ and gfortran come in.
#include "thrille.h"
#include "plugin-version.h"

int plugin_is_GPL_compatible;

int plugin_init(plugin_name_args *Info, plugin_gcc_version *Version) {
  // Another build of the compiler: it does without.
  if (!plugin_default_version_check(Version, &gcc_version))
    return 0;
  thrille::helpSanitizer(Info->base_name);
  for (int I = 0; I < Info->argc; I++)
    if (!strcmp(Info->argv[I].key, "double"))
      thrille::doubleFunctions(Info->base_name);
  return 0;
}
