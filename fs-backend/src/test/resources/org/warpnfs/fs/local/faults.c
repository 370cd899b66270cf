/*
 * Makes calls of libc fail, for the tests of the local file system. Preloaded into a Java virtual machine it stands between the
 * machine and dlsym(3): whoever looks up one of the calls below in a library gets a wrapper. The machine's own calls are not
 * looked up that way, so they are left alone.
 *
 * A file, whose name is in WARPNFS_FAULTS, tells what fails; both sides map it. 32-bit words of the machine:
 *
 *   0  how many calls still succeed before one fails; negative: nothing fails
 *   1  errno of those that fail
 *   2  how many calls in a row fail
 *   3  out: how many failed
 *   4  out: number of the call that failed last, as in the list below, from 0
 *   5  if not 0: fstatfs(2) says that the file system is of this type
 *   6  if not 0: the only call that fails, its number plus 1
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CALLS(X) \
    X(openat) X(open_by_handle_at) X(name_to_handle_at) X(statx) X(chmod) X(fchownat) X(utimensat) X(faccessat) \
    X(pwrite) X(ftruncate) X(fallocate) X(copy_file_range) X(fsync) X(fdatasync) X(syncfs) X(mkdirat) X(mknodat) \
    X(symlinkat) X(linkat) X(unlinkat) X(renameat) X(getxattr) X(setxattr) X(removexattr) X(fstatfs)

enum { COUNTDOWN, ERRNO, TIMES, HITS, LAST, TYPE, ONLY };

static atomic_int *control;

static int fails(int number) {
    if (control[COUNTDOWN] < 0 || (control[ONLY] != 0 && control[ONLY] != number + 1)) {
        return 0;
    }
    int before = atomic_fetch_sub(&control[COUNTDOWN], 1);
    if (before > 0) {
        return 0;
    }
    if (atomic_fetch_sub(&control[TIMES], 1) <= 0) {
        control[COUNTDOWN] = -1;
        return 0;
    }
    control[COUNTDOWN] = 0;
    control[LAST] = number;
    atomic_fetch_add(&control[HITS], 1);
    errno = control[ERRNO];
    return 1;
}

typedef long (*call)(long, long, long, long, long, long);

#define NUMBER(name) CALL_##name,
enum { CALLS(NUMBER) CALL_COUNT };

static call real[CALL_COUNT];

/* All arguments are integers or pointers, which the calling conventions of x86-64 and aarch64 pass alike. */
#define WRAPPER(name) \
    static long wrapped_##name(long a, long b, long c, long d, long e, long f) { \
        if (fails(CALL_##name)) { \
            return -1; \
        } \
        long result = real[CALL_##name](a, b, c, d, e, f); \
        if (CALL_##name == CALL_fstatfs && (int) result == 0 && control[TYPE] != 0) { \
            ((struct statfs *) b)->f_type = (unsigned int) control[TYPE]; \
        } \
        return result; \
    }
CALLS(WRAPPER)

#define NAME(name) #name,
static const char *const names[] = {CALLS(NAME)};
#define POINTER(name) wrapped_##name,
static const call wrappers[] = {CALLS(POINTER)};

static void *real_dlsym(void *handle, const char *name) {
    static void *(*function)(void *, const char *);
    if (function == NULL) {
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        for (int i = 0; i < 3 && function == NULL; i++) {
            function = (void *(*)(void *, const char *)) dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        }
        if (function == NULL) {
            abort();
        }
    }
    return function(handle, name);
}

static int ready(void) {
    if (control == NULL) {
        const char *path = getenv("WARPNFS_FAULTS");
        int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            return 0;
        }
        void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (mapped == MAP_FAILED) {
            abort();
        }
        control = mapped;
    }
    return 1;
}

void *dlsym(void *handle, const char *name) {
    void *found = real_dlsym(handle, name);
    if (found == NULL || handle == RTLD_DEFAULT || handle == RTLD_NEXT) {
        return found;
    }
    for (int i = 0; i < CALL_COUNT; i++) {
        if (strcmp(names[i], name) == 0 && ready()) {
            real[i] = (call) found;
            return (void *) wrappers[i];
        }
    }
    return found;
}
