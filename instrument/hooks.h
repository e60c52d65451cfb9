/* What doubled functions and the run-time library say to each other. Nothing else is shared between them.
 * Functions are doubled by the plugin, or by joining two compilations of gcc (`join/`); what follows is the plugin's, what differs stands at the end.
 *
 * Each function is there twice, plain and instrumented. At its entry, and at the headers of loops that contain calls or other loops,
 * it looks at `mode` and goes on in one copy or the other. In the instrumented copy each basic block counts down the first of its sites; when that
 * is below zero, all sites of the block are told; hooks set the countdowns again, of which the first one's counts. A loop without calls and inner
 * loops leaves the instrumented copy in the middle when the budget is spent, and never comes back in the middle. Loops in which nothing is told are there once.
 *
 * What is compiled and the library must be of one version. It is in the names of the section and of thrille_register: files of another one are not observed, and the library says so.
 *
 * Words that both sides write (mode, budget, countdowns) are plain 32-bit words without any lock: a lost update costs a sample more or less.
 *
 * Calling convention from `thrille_enter` on: "preserve most". All general registers but r11 (and rax when something is
 * returned) are the caller's; vector registers are not. */
#ifndef THRILLE_HOOKS_H
#define THRILLE_HOOKS_H
#include <stdint.h>

#define THRILLE_HOOKS_VERSION 3 /* raise it with every change of what is said here that the other side could misread (a new bit that may be ignored is none), and keep the old register function, see preload/src/sites/retired.rs */

#ifdef __clang__
#define THRILLE_PRESERVING __attribute__((preserve_most))
#else
#define THRILLE_PRESERVING
#endif

/* A function's mode. All tables begin as THRILLE_OFF: without the library's word nothing is observed. */
enum thrille_mode {
    THRILLE_OFF = 0,   /* plain copy; nothing is counted */
    THRILLE_COUNT = 1, /* plain copy; each call counts `countdown` down, and asks thrille_enter when it is below zero */
    THRILLE_IN = 2,    /* instrumented copy; `budget` is counted down by the accesses that it contains, and `countdown` is 0 or less: each call asks thrille_enter */
    THRILLE_ASK = 3    /* as THRILLE_COUNT, and thrille_behind is asked behind loops that are in no other one, thrille_decide before last iterations */
};

/* What a site does. */
enum thrille_kind {
    THRILLE_READ = 1,
    THRILLE_WRITE = 2,   /* both: reads, then writes the same bytes */
    THRILLE_LIBRARY = 4, /* a copy or fill of memory that the compiler expands itself */
    THRILLE_VOLATILE = 8
};

/* What is touched all the time: 8 bytes a site. The sites of a basic block stand together, in the order of execution. */
struct thrille_hot {
    int32_t countdown; /* of a block's first site: executions of the block until it is told */
    uint8_t state;     /* the library's own; begins as 0 */
    uint8_t kind;      /* enum thrille_kind */
    uint16_t size;     /* bytes; 0 for ranges, whose length is told with them */
};

/* What is looked at when somebody asks: as many as there are hot ones. Texts are given by their distance from the field itself; 0: none. */
struct thrille_cold {
    int32_t file;     /* path, as the debug information has it */
    int32_t function; /* name in the source; that of the inlined function, if it is one */
    uint32_t line;
    uint16_t column;
    uint16_t together; /* of a block's first site: how many sites are told together; 0 of the others */
};

/* One for each function, 64 bytes, in section "thrille_functions_3". */
struct thrille_function {
    int32_t mode;
    int32_t budget;
    int32_t countdown;
    uint32_t sites;
    struct thrille_hot *hot;
    const struct thrille_cold *cold;
    const char *name; /* as the linker knows it */
    uint64_t id;      /* of source file and name: the same in each build of this file; a site's is this and its number */
    uint64_t traits;  /* enum thrille_trait */
    uint64_t own;     /* the library's; begins as 0 */
};

enum thrille_trait {
    THRILLE_JOINED = 1,      /* joined from two compilations */
    THRILLE_SYNCHRONISES = 2, /* has atomic instructions, which the plain copy does not tell: instrumented as long as anybody listens */
    THRILLE_LEAF = 4 /* calls nobody and synchronises with nobody; not every such function says so */
};

/* Before main, or when a library is loaded, and before it is unloaded: the section's bounds. Told once by each object file, so more than once.
 * Ordinary calling convention. */
void thrille_register_3(struct thrille_function *begin, struct thrille_function *end);
void thrille_unregister(struct thrille_function *begin, struct thrille_function *end);

/* A function is called, not in mode OFF, and its countdown is below zero. In mode IN its sites are taken off its budget. Not 0: go into the instrumented copy. */
THRILLE_PRESERVING int32_t thrille_enter(struct thrille_function *function);

/* The budget is below zero. Not 0: stay in the instrumented copy. */
THRILLE_PRESERVING int32_t thrille_spent(struct thrille_function *function);

/* A loop that is in no other one is left, in the plain copy or the only one, in mode IN or ASK. Not 0: go on in the instrumented copy. */
THRILLE_PRESERVING int32_t thrille_behind(struct thrille_function *function);

/* An iteration of a loop with calls or inner loops begins, in mode IN; in mode ASK the last one. Bits 0 to 15: its accesses, which are taken off the budget; 16 to 30: the function's
 * such-and-such loop; 31: whether it is the last. Not 0: in the instrumented copy. */
THRILLE_PRESERVING int32_t thrille_decide(struct thrille_function *function, uint64_t iteration);

/* What is known of the calling thread's accesses: those of which nothing comes, by lines of 64 bytes. A line is at the place of its address by 64, modulo 512. If `tag` is
 * its address by 64, or `now`, its bits say which of its bytes may be read or written without telling anybody. Compiled code looks here first, and counts what it does not tell in `repeated`.
 * While nothing is known, `now` is such that no tag fits. Hooks change all of it. */
struct thrille_line {
    uint64_t tag;
    uint64_t read;
    uint64_t written;
    uint64_t owner; /* the library's */
};

struct thrille_quick {
    uint64_t now;
    uint64_t repeated;
    uint64_t own[2]; /* the library's */
    struct thrille_line lines[512];
};

/* That of the calling thread, until the next call of anything but a hook. Leaves all registers but rax alone. */
THRILLE_PRESERVING struct thrille_quick *thrille_quick(void);

/* A site is executed, on so many bytes: before it is carried out. Sets its countdown, and gives back the next site. */
THRILLE_PRESERVING struct thrille_hot *thrille_access(void *address, struct thrille_hot *site);
THRILLE_PRESERVING struct thrille_hot *thrille_range(void *address, struct thrille_hot *site, uint64_t bytes);

/* A site of a loop, told before the loop: `times` executions, each `step` bytes after the last one. */
THRILLE_PRESERVING struct thrille_hot *thrille_affine(void *address, struct thrille_hot *site, uint64_t times, int64_t step);

/* The same of a nest of loops, told before the outermost: all that `rows` times, each `pitch` bytes after the last one. */
THRILLE_PRESERVING struct thrille_hot *thrille_nest(void *address, struct thrille_hot *site, uint64_t times, int64_t step, uint64_t rows, int64_t pitch);
/* Joined functions: they look at their mode at their entry alone and do not count `budget`. In the instrumented copy each site counts down for itself,
 * and the library sets its countdown again. Ordinary calling convention, but for thrille_arrive: */

/* As thrille_enter: the function is in r11, the answer too, and all other registers are the caller's. */
void thrille_arrive(void);

/* A site is executed. */
void thrille_visit(void *address, struct thrille_hot *site);
void thrille_visit_range(void *address, struct thrille_hot *site, uint64_t bytes);

#endif
