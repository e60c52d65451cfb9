/* Tasks where there is no OpenMP: spawn and sync, async, finish and isolated, for `thrille ... --tasks`.
 *
 * A task is a function and its argument. It is run at once, to its end, by the thread that creates it: what the functions below add is what a
 * scheduler would have been free to do. Without thrille they do nothing else; nothing has to be linked.
 *
 *     thrille_finish_begin();
 *     for (int i = 0; i < n; i++)
 *         thrille_async(work, &part[i]);
 *     thrille_finish_end();
 */
#ifndef THRILLE_TASKS_H
#define THRILLE_TASKS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { THRILLE_BEGIN_TASK, THRILLE_END_TASK, THRILLE_WAIT, THRILLE_BEGIN_FINISH, THRILLE_END_FINISH, THRILLE_BEGIN_ISOLATED, THRILLE_END_ISOLATED };

extern void thrille_task_step(int step) __attribute__((weak));

static inline void thrille_step_(int step)
{
    if (thrille_task_step)
        thrille_task_step(step);
}

/* A task that may run in parallel with whatever its creator does next, until the end of the innermost finish. */
static inline void thrille_async(void (*body)(void *), void *argument)
{
    thrille_step_(THRILLE_BEGIN_TASK);
    body(argument);
    thrille_step_(THRILLE_END_TASK);
}

/* Waits for the tasks that this one has spawned. */
static inline void thrille_sync(void)
{
    thrille_step_(THRILLE_WAIT);
}

/* The same, as Cilk has it: a spawned task waits for its own before it ends, its creator waits by thrille_sync. */
static inline void thrille_spawn(void (*body)(void *), void *argument)
{
    thrille_step_(THRILLE_BEGIN_TASK);
    body(argument);
    thrille_step_(THRILLE_WAIT);
    thrille_step_(THRILLE_END_TASK);
}

/* Waits for all tasks that are created between the two, and for theirs. They may stand under conditions, as long as they are nested. */
static inline void thrille_finish_begin(void)
{
    thrille_step_(THRILLE_BEGIN_FINISH);
}

static inline void thrille_finish_end(void)
{
    thrille_step_(THRILLE_END_FINISH);
}

/* What lies between the two excludes whatever lies between two others. */
static inline void thrille_isolated_begin(void)
{
    thrille_step_(THRILLE_BEGIN_ISOLATED);
}

static inline void thrille_isolated_end(void)
{
    thrille_step_(THRILLE_END_ISOLATED);
}

#ifdef __cplusplus
}

namespace thrille {
template <typename Body> void run_(void *body)
{
    Body *mine = static_cast<Body *>(body);
    (*mine)();
    delete mine;
}

/* The same with anything that can be called: the task has a copy of its own. */
template <typename Body> void async(Body body)
{
    thrille_async(run_<Body>, new Body(body));
}

template <typename Body> void spawn(Body body)
{
    thrille_spawn(run_<Body>, new Body(body));
}

inline void sync()
{
    thrille_sync();
}

template <typename Body> void finish(Body body)
{
    thrille_finish_begin();
    body();
    thrille_finish_end();
}

template <typename Body> void isolated(Body body)
{
    thrille_isolated_begin();
    body();
    thrille_isolated_end();
}
}
#endif
#endif
