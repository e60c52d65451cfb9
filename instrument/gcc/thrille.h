// What the plugin for gcc, g++ and gfortran consists of.
#ifndef THRILLE_GCC_H
#define THRILLE_GCC_H
// Before gcc's own headers, which forbid some of what these use.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#include "gcc-plugin.h"
#include "tree.h"

namespace thrille {

// overlooked.cc: what the sanitizer would overlook.
void helpSanitizer(const char *Plugin);

// double.cc: two copies of each function.
void doubleFunctions(const char *Plugin);

// tables.cc: what hooks.h says of a load or store.
struct Site {
  unsigned Kind;
  unsigned Size; // 0: told with each execution
  location_t At;
  unsigned Together; // of the first of some that are told together: how many; 0 of the others
};

// The tables of a function. They are written when all of the file is.
class Table {
public:
  Table(tree Function, bool Leaf);
  tree descriptor() const { return Descriptor; }
  tree hot() const { return Hot; }
  // A site's number.
  unsigned add(Site New);
  // To be written.
  void file();

private:
  std::string Name, Group, Number;
  bool Leaf;
  std::vector<std::string> Sites, Places;
  tree Descriptor, Hot;
  friend void writeTables();
};

void writeTables();

} // namespace thrille
#endif
