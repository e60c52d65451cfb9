/* One side of the race is in a function that MPI calls back, while another thread of that rank calls MPI all the time: whoever is held there must keep nobody for good. With POLLED the data is
   ordered by a word that is polled by hand. Each rank notes the time before and after its own access, rank 0 compares them and appends a line to the file that WITNESS names. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long shared[2], span[2];
static int over;

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int copy(MPI_Comm comm, int key, void *extra, void *from, void *to, int *there)
{
    (void)comm;
    (void)key;
    (void)extra;
    span[0] = now_ns();
    shared[0] = 3; /* data */
    span[1] = now_ns();
    *(void **)to = from;
    *there = 1;
    return MPI_SUCCESS;
}

static void *calls(void *comm)
{
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        int sent = 1, got = 0;
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void testify(int me)
{
    long other[2];
    if (me == 1)
        MPI_Send(span, 2, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Recv(other, 2, MPI_LONG, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const char *name = getenv("WITNESS");
        FILE *file = name ? fopen(name, "a") : NULL;
        if (file) {
            fprintf(file, span[0] < other[1] && other[0] < span[1] ? "overlap\n" : "apart\n");
            fclose(file);
        }
    }
}

int main(int argc, char **argv)
{
    int level, me, key;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long value = 1, five = 5;
    MPI_Comm self, again;
    MPI_Win win;
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    MPI_Win_create(shared, sizeof shared, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 0 && level == MPI_THREAD_MULTIPLE)
        pthread_create(&thread, NULL, calls, &self);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        span[0] = now_ns();
        MPI_Put(&five, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* data */
        MPI_Win_flush(0, win);
        span[1] = now_ns();
#ifdef POLLED
        MPI_Put(&five, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
#endif
        MPI_Win_unlock(0, win);
    }
    if (me == 0) {
#ifdef POLLED
        int flag;
        while (*(volatile long *)&shared[1] == 0)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#endif
        MPI_Comm_dup(MPI_COMM_SELF, &again);
        MPI_Comm_free(&again);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0 && level == MPI_THREAD_MULTIPLE) {
        __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
    }
    testify(me);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MPI_Win_free(&win);
    MPI_Comm_free(&self);
    MPI_Finalize();
    return 0;
}
