// The tables of hooks.h, written as assembly behind everything else of the file. They go with their functions: in the same group, if those are in one.
#include "thrille.h"
#include "cgraph.h"
#include "output.h"
#include "stringpool.h"
#include "toplev.h"

namespace thrille {
namespace {

std::vector<Table> All;

// enum thrille_trait.
const int IsLeaf = 4;

// Room of so many bytes, here in this file; what is in it is written in the end.
tree room(const std::string &Name, unsigned Align) {
  tree Type = build_array_type_nelts(char_type_node, 1 << 20);
  tree Room = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(Name.c_str()), Type);
  SET_DECL_ASSEMBLER_NAME(Room, get_identifier(("*" + Name).c_str()));
  DECL_EXTERNAL(Room) = TREE_PUBLIC(Room) = TREE_ADDRESSABLE(Room) = TREE_USED(Room) = 1;
  DECL_ARTIFICIAL(Room) = DECL_IGNORED_P(Room) = 1;
  DECL_VISIBILITY(Room) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(Room) = 1;
  SET_DECL_ALIGN(Room, Align * BITS_PER_UNIT);
  DECL_USER_ALIGN(Room) = 1;
  varpool_node::get_create(Room);
  return Room;
}

// A function's number: the same in each build of its file. (FNV-1a, as everywhere.)
unsigned long id(const std::string &File, const std::string &Name) {
  unsigned long Hash = 0xcbf29ce484222325;
  for (unsigned char Byte : File + '\0' + Name)
    Hash = (Hash ^ Byte) * 0x100000001b3;
  return Hash;
}

void section(const char *Name, const char *Flags, const std::string &Group) {
  if (Group.empty())
    fprintf(asm_out_file, "\t.section\t%s,\"%s\",@progbits\n", Name, Flags);
  else
    fprintf(asm_out_file, "\t.section\t%s,\"%sG\",@progbits,%s,comdat\n", Name, Flags, Group.c_str());
}

// Before main, and at the end: the library is told where the section of descriptors is.
void tell(const char *Hook, const char *Section, const char *Label) {
  fprintf(asm_out_file,
          "\t.section\t.text.startup,\"ax\",@progbits\n%s:\n\t.cfi_startproc\n\tsubq\t$8, %%rsp\n\t.cfi_def_cfa_offset 16\n"
          "\tleaq\t__start_thrille_functions_3(%%rip), %%rdi\n\tleaq\t__stop_thrille_functions_3(%%rip), %%rsi\n"
          "\tcall\t*%s@GOTPCREL(%%rip)\n\taddq\t$8, %%rsp\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n"
          "\t.section\t%s,\"aw\"\n\t.p2align 3\n\t.quad\t%s\n",
          Label, Hook, Section, Label);
}

} // namespace

Table::Table(tree Function, bool Leaf) : Leaf(Leaf) {
  const char *Known = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(Function));
  Name = Known + (*Known == '*');
  if (DECL_COMDAT_GROUP(Function))
    Group = IDENTIFIER_POINTER(DECL_COMDAT_GROUP(Function));
  Number = std::to_string(All.size());
  Descriptor = room(".Lthrille.function" + Number, 64);
  Hot = room(".Lthrille.hot" + Number, 8);
}

unsigned Table::add(Site New) {
  expanded_location Place = expand_location(New.At);
  Sites.push_back("\t.long\t0\n\t.byte\t0," + std::to_string(New.Kind) + "\n\t.value\t" + std::to_string(New.Size));
  Places.push_back(std::to_string(MAX(Place.line, 0)) + "\n\t.value\t" + std::to_string(MIN(MAX(Place.column, 0), 0xffff)) + "," + std::to_string(MIN(New.Together, 0xffffu)));
  return Sites.size() - 1;
}

void Table::file() { All.push_back(std::move(*this)); }

void writeTables() {
  if (All.empty() || !asm_out_file)
    return;
  for (const Table &Of : All) {
    const char *Number = Of.Number.c_str();
    section(".data.thrille", "aw", Of.Group);
    fprintf(asm_out_file, "\t.p2align 3\n.Lthrille.hot%s:\n", Number);
    for (const std::string &Site : Of.Sites)
      fprintf(asm_out_file, "%s\n", Site.c_str());
    section(".rodata.thrille", "a", Of.Group);
    fprintf(asm_out_file, "\t.p2align 2\n.Lthrille.cold%s:\n", Number);
    for (const std::string &Place : Of.Places)
      fprintf(asm_out_file, "\t.long\t0,0,%s\n", Place.c_str());
    fprintf(asm_out_file, ".Lthrille.name%s:\n\t.string\t\"%s\"\n", Number, Of.Name.c_str());
    section("thrille_functions_3", "aw", Of.Group);
    fprintf(asm_out_file,
            "\t.p2align 6\n.Lthrille.function%s:\n\t.long\t0,0,0,%zu\n\t.quad\t.Lthrille.hot%s\n\t.quad\t.Lthrille.cold%s\n"
            "\t.quad\t.Lthrille.name%s\n\t.quad\t%lu\n\t.quad\t%d,0\n",
            Number, Of.Sites.size(), Number, Number, Number, id(main_input_filename, Of.Name), Of.Leaf ? IsLeaf : 0);
  }
  fprintf(asm_out_file, "\t.hidden\t__start_thrille_functions_3\n\t.hidden\t__stop_thrille_functions_3\n");
  tell("thrille_register_3", ".init_array.00099", ".Lthrille.start");
  tell("thrille_unregister", ".fini_array.00099", ".Lthrille.end");
  All.clear();
}

} // namespace thrille
