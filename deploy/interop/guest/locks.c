/*
 * Byte-range locks by fcntl(2), of owners that see one file through two mounts, so that only the server can find a
 * conflict between them. An owner is a process of its own, which does what the checks below tell it. The program is
 * linked statically and prints only what is wrong. Exit status 0 means success.
 *
 * Offsets are signed here: 2^63-1 is the last one, and a lock that ends there ends at the end of the file, wherever it
 * will be (fcntl(2), l_len 0).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { R = F_RDLCK, W = F_WRLCK, U = F_UNLCK };
enum verb { OPEN, CLOSE, SET, SET_WAIT, TEST, FORK_TEST, FORK_SET, WRITE, READ };
enum { DESCRIPTORS = 2, BLOCKED_MILLIS = 400, GRANT_MILLIS = 45000, ANSWER_MILLIS = 60000 };
enum { OWNERS = 4 };

#define LAST INT64_MAX

struct request {
    enum verb verb;
    int descriptor; /* the first or the second that the owner has */
    int flags;      /* of open */
    int seconds;    /* after which a signal interrupts SET_WAIT; 0 for none */
    short type, whence;
    int64_t start, length_bytes;
};

struct answer {
    int error; /* errno, or 0 */
    struct flock lock;
};

struct owner {
    const char *name, *path;
    pid_t pid;
    int to, from;
};

static struct owner owners[OWNERS];

#define FAIL(...) (printf("line %d: ", __LINE__), printf(__VA_ARGS__), putchar('\n'), exit(1))

/* ---- in the process of an owner ---- */

static void interrupted(int signal) { (void)signal; }

static int fcntl_of(int fd, const struct request *request, int command, struct flock *lock)
{
    *lock = (struct flock){.l_type = request->type, .l_whence = request->whence, .l_start = request->start, .l_len = request->length_bytes};
    return fcntl(fd, command, lock) ? errno : 0;
}

/* The same request in a child, which has no locks of its own. */
static struct answer in_a_child(int fd, const struct request *request)
{
    struct answer answer = {.error = EIO};
    int pair[2];
    pid_t child;
    if (pipe(pair))
        return answer;
    if (!(child = fork())) {
        answer.error = fcntl_of(fd, request, request->verb == FORK_TEST ? F_GETLK : F_SETLK, &answer.lock);
        _exit(write(pair[1], &answer, sizeof answer) != sizeof answer);
    }
    close(pair[1]);
    if (read(pair[0], &answer, sizeof answer) != sizeof answer)
        answer.error = EPIPE;
    close(pair[0]);
    waitpid(child, NULL, 0);
    return answer;
}

static struct answer perform(const char *path, int *descriptors, const struct request *request)
{
    struct answer answer = {0};
    char byte = 'x';
    int fd = descriptors[request->descriptor];
    switch (request->verb) {
    case OPEN:
        descriptors[request->descriptor] = open(path, request->flags, 0644);
        answer.error = descriptors[request->descriptor] < 0 ? errno : 0;
        break;
    case CLOSE:
        answer.error = close(fd) ? errno : 0;
        break;
    case SET:
        answer.error = fcntl_of(fd, request, F_SETLK, &answer.lock);
        break;
    case SET_WAIT:
        alarm((unsigned)request->seconds);
        answer.error = fcntl_of(fd, request, F_SETLKW, &answer.lock);
        alarm(0);
        break;
    case TEST:
        answer.error = fcntl_of(fd, request, F_GETLK, &answer.lock);
        break;
    case FORK_TEST:
    case FORK_SET:
        answer = in_a_child(fd, request);
        break;
    case WRITE:
        answer.error = pwrite(fd, &byte, 1, request->start) != 1 || fsync(fd) ? errno : 0;
        break;
    case READ:
        answer.error = pread(fd, &byte, 1, request->start) < 0 ? errno : 0;
        break;
    }
    return answer;
}

static void serve(const char *path, int from, int to)
{
    int descriptors[DESCRIPTORS] = {-1, -1};
    struct request request;
    struct sigaction action = {.sa_handler = interrupted}; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(from, &request, sizeof request) == sizeof request) {
        struct answer answer = perform(path, descriptors, &request);
        if (write(to, &answer, sizeof answer) != sizeof answer)
            break;
    }
    _exit(0);
}

/* ---- what the checks tell owners ---- */

static void begin(int who, const char *name, const char *path)
{
    int there[2], back[2];
    if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
        FAIL("no pipe");
    pid_t pid = fork();
    if (!pid) {
        for (int other = 0; other < who; other++) {
            close(owners[other].to);
            close(owners[other].from);
        }
        close(there[1]);
        close(back[0]);
        serve(path, there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
    owners[who] = (struct owner){name, path, pid, there[1], back[0]};
}

static void tell(int who, struct request request)
{
    if (write(owners[who].to, &request, sizeof request) != sizeof request)
        FAIL("%s is gone", owners[who].name);
}

static int has_answered(int who, int millis)
{
    struct pollfd answer = {.fd = owners[who].from, .events = POLLIN};
    return poll(&answer, 1, millis) == 1;
}

static struct answer answer_of(int who, int millis)
{
    struct answer answer;
    if (!has_answered(who, millis))
        FAIL("no answer to %s in %d ms", owners[who].name, millis);
    if (read(owners[who].from, &answer, sizeof answer) != sizeof answer)
        FAIL("%s is gone", owners[who].name);
    return answer;
}

static struct answer ask(int who, struct request request)
{
    tell(who, request);
    return answer_of(who, ANSWER_MILLIS);
}

#define EXPECT(who, wanted, ...)                                                                                       \
    do {                                                                                                               \
        int got = ask(who, (struct request){__VA_ARGS__}).error;                                                       \
        if (got == EACCES && (wanted) == EAGAIN)                                                                       \
            got = EAGAIN; /* POSIX allows either */                                                                    \
        if (got != (wanted))                                                                                           \
            FAIL("%s got %s, not %s", owners[who].name, strerror(got), strerror(wanted));                              \
    } while (0)

#define ASKED(verb_, type_, start_, length_) .verb = verb_, .type = type_, .start = start_, .length_bytes = length_
#define LOCKED(who, type, start, length) EXPECT(who, 0, ASKED(SET, type, start, length))
#define DENIED(who, type, start, length) EXPECT(who, EAGAIN, ASKED(SET, type, start, length))
#define WAITS(who, type_, start_, length_)                                                                             \
    do {                                                                                                               \
        tell(who, (struct request){ASKED(SET_WAIT, type_, start_, length_)});                                          \
        if (has_answered(who, BLOCKED_MILLIS))                                                                         \
            FAIL("%s did not wait: %s", owners[who].name, strerror(answer_of(who, 0).error));                          \
    } while (0)
#define WOKEN(who, wanted)                                                                                             \
    do {                                                                                                               \
        int got = answer_of(who, GRANT_MILLIS).error;                                                                  \
        if (got != (wanted))                                                                                           \
            FAIL("%s got %s, not %s", owners[who].name, strerror(got), strerror(wanted));                              \
    } while (0)
/*
 * What F_GETLK finds; type U and two zeros if nothing is in the way. If a lock to write and one to read are in the way,
 * a server may name either, so no check asks for that.
 */
#define FINDS(who, asked, from, length, type, start, length_found)                                                     \
    finds(__LINE__, who, (struct request){ASKED(TEST, asked, from, length)}, type, start, length_found)
#define FREE(who, from, length) FINDS(who, W, from, length, U, 0, 0)

static void finds(int line, int who, struct request request, short type, int64_t start, int64_t length_bytes)
{
    struct answer answer = ask(who, request);
    struct flock *found = &answer.lock;
    if (answer.error || found->l_type != type || (type != U && (found->l_start != start || found->l_len != length_bytes))) {
        printf("line %d: %s found type %d, start %lld, length %lld (%s), not type %d, start %lld, length %lld\n", line,
            owners[who].name, found->l_type, (long long)found->l_start, (long long)found->l_len, strerror(answer.error), type,
            (long long)start, (long long)length_bytes);
        exit(1);
    }
}

/* ---- the checks: `near` and `beside` are two processes at one mount, `far` and `third` at the other ---- */

enum { near, far, beside, third };

static void unlock_all(void)
{
    for (int who = 0; who < OWNERS; who++)
        LOCKED(who, U, 0, 0);
}

static void ends(void)
{
    static const struct { int64_t start, length_bytes, before; } ranges[] = {
        {0, 0, -1}, {0, 1, -1}, {4095, 2, 4094}, {0x7fffffff, 1, 0x7ffffffe}, {0x7fffffff, 2, 0x7ffffffe}, {0xffffffff, 2, 0xfffffffe},
        {INT64_C(1) << 32, 10, (INT64_C(1) << 32) - 1}, {INT64_C(1) << 40, 0, (INT64_C(1) << 40) - 1}, {LAST - 1, 1, LAST - 2}, {LAST - 9, 5, LAST - 10},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        int64_t start = ranges[i].start, length = ranges[i].length_bytes;
        LOCKED(near, W, start, length);
        FINDS(far, R, 0, 0, W, start, length);
        DENIED(far, R, start, 1);
        if (ranges[i].before >= 0)
            FREE(far, 0, ranges[i].before + 1);
        if (length) {
            FREE(far, start + length, 0);
            LOCKED(far, W, start + length, 0);
            LOCKED(far, U, start + length, 0);
        } else {
            DENIED(far, W, LAST, 1);
        }
        LOCKED(near, U, start, length);
        FREE(far, 0, 0);
    }
    /* the last byte is the end of the file */
    LOCKED(near, W, LAST, 1);
    FINDS(far, W, 0, 0, W, LAST, 0);
    FREE(far, 0, LAST);
    LOCKED(near, U, LAST, 1);
    /* beyond it, and before the first */
    EXPECT(near, EOVERFLOW, ASKED(SET, W, LAST, 2));
    EXPECT(near, EINVAL, ASKED(SET, W, -1, 1));
    EXPECT(near, EINVAL, ASKED(SET, W, 5, -6));
    FREE(far, 0, 0);
    /* a length below zero ends before the start */
    LOCKED(near, W, 100, -10);
    FINDS(far, W, 0, 0, W, 90, 10);
    /* up to the end of the file, and then up to a byte */
    LOCKED(near, W, 0, 0);
    LOCKED(near, U, 1000, 0);
    FINDS(far, W, 0, 0, W, 0, 1000);
    LOCKED(far, W, 1000, 0);
    DENIED(near, R, 999, 2);
}

static void overlaps(void)
{
    LOCKED(near, W, 100, 100);
    /* cut in two, then at both ends */
    LOCKED(near, U, 140, 20);
    FINDS(far, W, 0, 0, W, 100, 40);
    FINDS(far, W, 140, 0, W, 160, 40);
    FREE(far, 140, 20);
    LOCKED(near, U, 0, 110);
    LOCKED(near, U, 190, 0);
    FINDS(far, W, 0, 0, W, 110, 30);
    FINDS(far, W, 150, 0, W, 160, 30);
    /* made one again */
    LOCKED(near, W, 130, 40);
    FINDS(far, W, 0, 0, W, 110, 80);
    FREE(far, 0, 110);
    FREE(far, 190, 0);
    /* neighbours */
    LOCKED(near, W, 190, 10);
    LOCKED(near, W, 100, 10);
    FINDS(far, W, 0, 0, W, 100, 100);
    /* downgrade in the middle, read by both, upgrade against a reader and without */
    LOCKED(near, R, 140, 20);
    FINDS(far, R, 0, 0, W, 100, 40);
    FINDS(far, W, 140, 20, R, 140, 20);
    FINDS(far, W, 160, 0, W, 160, 40);
    FINDS(far, R, 140, 20, U, 0, 0);
    LOCKED(far, R, 150, 5);
    DENIED(near, W, 140, 20);
    FINDS(far, W, 140, 10, R, 140, 20);
    FINDS(near, W, 100, 100, R, 150, 5);
    LOCKED(far, U, 150, 5);
    LOCKED(near, W, 140, 20);
    FINDS(far, R, 0, 0, W, 100, 100);
    /* what one has does not conflict with itself */
    FREE(near, 0, 0);
    /* a denied request has changed nothing */
    LOCKED(far, W, 300, 10);
    DENIED(far, R, 150, 200);
    FINDS(near, R, 0, 0, W, 300, 10);
    /* nothing locked is unlocked without an error */
    LOCKED(far, U, 1000, 10);
    /* many parts */
    LOCKED(near, U, 0, 0);
    for (int64_t at = 0; at < 40; at += 2)
        LOCKED(near, W, at, 1);
    for (int64_t at = 0; at < 40; at += 8)
        DENIED(far, R, at, 1);
    for (int64_t at = 1; at < 40; at += 8)
        LOCKED(far, W, at, 1);
    LOCKED(far, U, 0, 0);
    LOCKED(near, W, 0, 40);
    FINDS(far, W, 0, 0, W, 0, 40);
}

static void holders(void)
{
    /* two processes at one mount */
    LOCKED(near, W, 0, 10);
    DENIED(beside, R, 5, 10);
    FINDS(beside, R, 0, 0, W, 0, 10);
    /* a child has none of its parent's locks, and takes none with it when it ends */
    finds(__LINE__, near, (struct request){ASKED(FORK_TEST, W, 0, 0)}, W, 0, 10);
    EXPECT(near, EAGAIN, ASKED(FORK_SET, R, 0, 1));
    EXPECT(near, 0, ASKED(FORK_SET, W, 20, 10));
    FREE(far, 20, 10);
    FINDS(far, W, 0, 0, W, 0, 10);
    /* locks are advice */
    EXPECT(far, 0, .verb = WRITE, .start = 0);
    EXPECT(far, 0, .verb = READ, .start = 0);
    EXPECT(beside, 0, .verb = WRITE, .start = 5);
    /* any descriptor that is closed ends all locks of its process */
    EXPECT(near, 0, .verb = OPEN, .descriptor = 1, .flags = O_RDONLY);
    LOCKED(near, W, 100, 10);
    EXPECT(near, 0, .verb = CLOSE, .descriptor = 1);
    FREE(far, 0, 0);
    LOCKED(far, W, 0, 0);
    LOCKED(far, U, 0, 0);
    /* what the descriptor is open for */
    EXPECT(near, 0, .verb = OPEN, .descriptor = 1, .flags = O_RDONLY);
    EXPECT(near, EBADF, ASKED(SET, W, 0, 1), .descriptor = 1);
    EXPECT(near, 0, ASKED(SET, R, 0, 1), .descriptor = 1);
    DENIED(far, W, 0, 1);
    EXPECT(near, 0, .verb = CLOSE, .descriptor = 1);
    EXPECT(near, 0, .verb = OPEN, .descriptor = 1, .flags = O_WRONLY);
    EXPECT(near, EBADF, ASKED(SET, R, 0, 1), .descriptor = 1);
    EXPECT(near, 0, ASKED(SET, W, 0, 1), .descriptor = 1);
    DENIED(far, R, 0, 1);
    EXPECT(near, 0, .verb = CLOSE, .descriptor = 1);
    FREE(far, 0, 0);
}

/* FILE has 1000 bytes. */
static void appends(void)
{
    EXPECT(near, 0, .verb = OPEN, .descriptor = 1, .flags = O_WRONLY | O_APPEND);
    EXPECT(near, 0, ASKED(SET, W, 0, 0), .descriptor = 1, .whence = SEEK_END);
    FINDS(far, W, 0, 0, W, 1000, 0);
    EXPECT(near, 0, .verb = WRITE, .descriptor = 1, .start = 0);
    /* what was locked stays so; the end of the file is elsewhere now */
    FINDS(far, W, 0, 0, W, 1000, 0);
    EXPECT(near, 0, ASKED(SET, U, 0, 0), .descriptor = 1, .whence = SEEK_END);
    FINDS(far, W, 0, 0, W, 1000, 1);
    EXPECT(near, 0, ASKED(SET, W, -11, 10), .descriptor = 1, .whence = SEEK_END);
    FINDS(far, W, 0, 0, W, 990, 11);
    EXPECT(near, 0, .verb = CLOSE, .descriptor = 1);
    FREE(far, 0, 0);
}

static void waits(void)
{
    /* woken by a release, by a downgrade, by a close, by the end of a process */
    LOCKED(near, W, 0, 10);
    WAITS(far, W, 5, 10);
    LOCKED(near, U, 0, 10);
    WOKEN(far, 0);
    FINDS(near, W, 0, 0, W, 5, 10);
    WAITS(near, W, 0, 0);
    LOCKED(far, R, 5, 10);
    FINDS(beside, R, 0, 0, U, 0, 0);
    LOCKED(far, U, 10, 5);
    LOCKED(far, U, 0, 0);
    WOKEN(near, 0);
    WAITS(far, R, 1000, 1);
    LOCKED(near, R, 0, 0);
    WOKEN(far, 0);
    EXPECT(near, 0, .verb = OPEN, .descriptor = 1, .flags = O_RDONLY);
    WAITS(far, W, 0, 0);
    EXPECT(near, 0, .verb = CLOSE, .descriptor = 1);
    WOKEN(far, 0);
    /* interrupted: it is not granted later */
    tell(near, (struct request){ASKED(SET_WAIT, W, 0, 10), .seconds = 1});
    WOKEN(near, EINTR);
    LOCKED(far, U, 0, 0);
    FREE(far, 0, 0);
    FREE(third, 0, 0);
    LOCKED(third, W, 0, 0);
    /* two that wait, one of which is interrupted while the other stays in line */
    WAITS(far, W, 0, 10);
    tell(near, (struct request){ASKED(SET_WAIT, W, 0, 10), .seconds = 1});
    WOKEN(near, EINTR);
    LOCKED(third, U, 0, 0);
    WOKEN(far, 0);
    FINDS(near, W, 0, 0, W, 0, 10);
    /* the holder is killed */
    WAITS(near, W, 0, 10);
    kill(owners[far].pid, SIGKILL);
    WOKEN(near, 0);
}

static void deadlocks(void)
{
    /* of two */
    LOCKED(near, W, 0, 10);
    LOCKED(far, W, 10, 10);
    WAITS(near, W, 10, 10);
    EXPECT(far, EDEADLK, ASKED(SET_WAIT, W, 0, 10));
    EXPECT(far, EAGAIN, ASKED(SET, W, 0, 10));
    LOCKED(far, U, 10, 10);
    WOKEN(near, 0);
    unlock_all();
    /* the other way round */
    LOCKED(near, W, 0, 10);
    LOCKED(far, W, 10, 10);
    WAITS(far, W, 0, 10);
    EXPECT(near, EDEADLK, ASKED(SET_WAIT, R, 10, 10));
    LOCKED(near, U, 0, 10);
    WOKEN(far, 0);
    unlock_all();
    /* both read, and want to write */
    LOCKED(near, R, 0, 10);
    LOCKED(far, R, 0, 10);
    WAITS(near, W, 0, 10);
    EXPECT(far, EDEADLK, ASKED(SET_WAIT, W, 0, 10));
    LOCKED(far, U, 0, 10);
    WOKEN(near, 0);
}

static int usage(void)
{
    puts("locks: ends|overlaps|holders|appends|waits|deadlocks FILE SAMEFILE");
    return 2;
}

int main(int count, char **words)
{
    static const struct { const char *name; void (*check)(void); } checks[] = {
        {"ends", ends}, {"overlaps", overlaps}, {"holders", holders}, {"appends", appends}, {"waits", waits}, {"deadlocks", deadlocks},
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; count == 4 && i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(words[1], checks[i].name))
            continue;
        begin(near, "near", words[2]);
        begin(far, "far", words[3]);
        begin(beside, "beside", words[2]);
        begin(third, "third", words[3]);
        for (int who = 0; who < OWNERS; who++)
            EXPECT(who, 0, .verb = OPEN, .flags = O_RDWR);
        checks[i].check();
        return 0;
    }
    return usage();
}
