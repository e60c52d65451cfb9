/* What the race detector asks the embedded OpenSHMEM library. Not for programs. */
#ifndef THRILLE_SHMEM_H
#define THRILLE_SHMEM_H

#include <stddef.h>

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define THRILLE_SHMEM_HEAP 0
#define THRILLE_SHMEM_STATICS 1

/* Where a segment of a PE is mapped in the calling process; for the calling PE's static data, the program's own addresses.
 * Several writable segments are one range from the lowest to the highest address. Returns 1, or 0 before shmem_init, for a PE
 * that does not exist, or when there is no such segment. */
int thrille_shmem_range(int segment, int pe, void **base, size_t *len);

/* Called once, before the process ends because the job was aborted, because of shmem_global_exit or of a bad argument. */
void thrille_shmem_on_abort(void (*f)(void));

/* The calling PE is about to end with this status, without shmem_finalize: whoever waits for it in a collective is told so, and a
 * failure ends the job. */
void thrille_shmem_leaving(int status);

/* The same number on all members, of no other team of the job: 1 is the world, 2 is SHMEM_TEAM_SHARED, 0 is no team. */
void thrille_shmem_team_id(shmem_team_t team, unsigned long long *id);

/* The PE of the job that a PE of the team is, -1 when there is none. */
int thrille_shmem_team_world_pe(shmem_team_t team, int pe);

/* 0 for the default context, otherwise unique within the PE and never used again. */
unsigned thrille_shmem_ctx_id(shmem_ctx_t ctx);

/* That of one of the contexts that go when their team does, 0 if there are not so many. */
unsigned thrille_shmem_team_ctx(shmem_team_t team, size_t which);

/* How many bytes the last collect of this thread has written to its destination: that depends on the other members. */
size_t thrille_shmem_collected(void);

#ifdef __cplusplus
}
#endif

#endif
