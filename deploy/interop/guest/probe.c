/*
 * The parts of the scenarios that a shell cannot do, or does too slowly in an emulated guest. One process writes
 * hundreds of files and compares every byte, does unaligned direct I/O, reads a directory while it changes, and keeps a
 * journal with a record of what was acknowledged. The program is linked statically and needs no other file. It prints
 * only what is wrong. Exit status 0 means success.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stdout, format, arguments);
    va_end(arguments);
    if (error)
        printf(" (errno %d: %s)", error, strerror(error));
    putchar('\n');
    exit(1);
}

static long number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 0);
    if (*end || value < 0)
        die("not a number: %s", text);
    return value;
}

static void *room(size_t length_bytes)
{
    void *buffer = malloc(length_bytes ? length_bytes : 1);
    if (!buffer)
        die("no memory for %zu bytes", length_bytes);
    return buffer;
}

/* Every byte depends on its offset and the seed, so that shifted, swapped and stale bytes are all detected. */
static void pattern(unsigned char *to, size_t length_bytes, uint64_t offset, uint64_t seed)
{
    for (size_t i = 0; i < length_bytes; i++) {
        uint64_t word = ((offset + i) >> 3) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
        word ^= word >> 29;
        to[i] = (unsigned char)(word >> (((offset + i) & 7) * 8));
    }
}

static void compare(const char *what, const unsigned char *got, const unsigned char *want, size_t length_bytes, uint64_t offset)
{
    for (size_t i = 0; i < length_bytes; i++)
        if (got[i] != want[i]) {
            errno = 0;
            die("%s: byte %llu is %02x, not %02x", what, (unsigned long long)(offset + i), got[i], want[i]);
        }
}

static int open_or_die(const char *path, int flags)
{
    int fd = open(path, flags, 0644);
    if (fd < 0)
        die("open %s", path);
    return fd;
}

static void write_at(int fd, const void *from, size_t length_bytes, off_t offset)
{
    size_t done = 0;
    while (done < length_bytes) {
        ssize_t n = pwrite(fd, (const char *)from + done, length_bytes - done, offset + (off_t)done);
        if (n <= 0)
            die("write of %zu bytes at %lld gave %zd", length_bytes, (long long)offset, n);
        done += (size_t)n;
    }
}

static void read_at(int fd, void *to, size_t length_bytes, off_t offset)
{
    size_t done = 0;
    while (done < length_bytes) {
        ssize_t n = pread(fd, (char *)to + done, length_bytes - done, offset + (off_t)done);
        if (n <= 0)
            die("read of %zu bytes at %lld gave %zd", length_bytes, (long long)offset, n);
        done += (size_t)n;
    }
}

/* ---- whole files ---- */

static void fill(const char *path, size_t size_bytes, uint64_t seed)
{
    unsigned char *buffer = room(size_bytes);
    int fd = open_or_die(path, O_WRONLY | O_CREAT | O_TRUNC);
    pattern(buffer, size_bytes, 0, seed);
    write_at(fd, buffer, size_bytes, 0);
    if (close(fd))
        die("close %s", path);
    free(buffer);
}

static void same(const char *path, size_t size_bytes, uint64_t seed)
{
    unsigned char *got = room(size_bytes + 1), *want = room(size_bytes);
    int fd = open_or_die(path, O_RDONLY);
    size_t done = 0;
    ssize_t n;
    while ((n = read(fd, got + done, size_bytes + 1 - done)) > 0)
        done += (size_t)n;
    if (n < 0)
        die("read %s", path);
    errno = 0;
    if (done != size_bytes)
        die("%s has %zu bytes or more, not %zu", path, done, size_bytes);
    pattern(want, size_bytes, 0, seed);
    compare(path, got, want, size_bytes, 0);
    close(fd);
    free(got);
    free(want);
}

/* One file for each size FIRST..LAST. The size is also the seed. */
static void sizes(const char *directory, long first, long last, void (*each)(const char *, size_t, uint64_t))
{
    char path[4096];
    for (long size = first; size <= last; size++) {
        snprintf(path, sizeof path, "%s/size.%ld", directory, size);
        each(path, (size_t)size, (uint64_t)size);
    }
}

/* ---- O_DIRECT with offset, length and memory off page boundaries ---- */

static void direct(const char *path)
{
    static const struct { off_t offset; size_t length_bytes; size_t misalignment; } writes[] = {
        {0, 1, 1}, {1, 4095, 3}, {4096, 4097, 511}, {8193, 100, 2048}, {8293, 65537, 1}, {73830, 300001, 4095}, {5000, 9000, 7},
    };
    enum { SIZE_BYTES = 73830 + 300001, SLACK_BYTES = 8192 };
    unsigned char *want = calloc(1, SIZE_BYTES), *memory = NULL;
    if (!want || posix_memalign((void **)&memory, 4096, SIZE_BYTES + SLACK_BYTES))
        die("no memory");
    int fd = open_or_die(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        unsigned char *from = memory + writes[i].misalignment;
        pattern(from, writes[i].length_bytes, (uint64_t)writes[i].offset, 77 + i);
        write_at(fd, from, writes[i].length_bytes, writes[i].offset);
        memcpy(want + writes[i].offset, from, writes[i].length_bytes);
    }
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        unsigned char *to = memory + writes[i].misalignment;
        memset(memory, 0xEE, SIZE_BYTES + SLACK_BYTES);
        read_at(fd, to, writes[i].length_bytes, writes[i].offset);
        compare("direct read", to, want + writes[i].offset, writes[i].length_bytes, (uint64_t)writes[i].offset);
        if (to[-1] != 0xEE || to[writes[i].length_bytes] != 0xEE)
            die("direct read of %zu bytes wrote outside its buffer", writes[i].length_bytes);
    }
    close(fd);
    fd = open_or_die(path, O_RDONLY);
    read_at(fd, memory, SIZE_BYTES, 0);
    compare("buffered read", memory, want, SIZE_BYTES, 0);
    if (pread(fd, memory, 1, SIZE_BYTES) != 0)
        die("no end of file at %d", SIZE_BYTES);
    close(fd);
}

/* ---- a directory that changes while it is read ---- */

enum { NAME_LENGTH = 200 };

/* The kind of an entry is stay, gone (removed half way) or came (made half way). */
static void entry_name(char *name, const char *kind, long i)
{
    int length = snprintf(name, NAME_LENGTH + 1, "%s.%05ld.", kind, i);
    for (; length < NAME_LENGTH; length++)
        name[length] = (char)('a' + (i + length) % 26);
    name[length] = 0;
}

/* The entries are links to one file, because a link takes one call and a file takes three. */
static void make_entries(const char *directory, const char *kind, long count)
{
    char name[NAME_LENGTH + 1], file[4096], path[8192];
    snprintf(file, sizeof file, "%s/../entry", directory);
    close(open_or_die(file, O_WRONLY | O_CREAT));
    for (long i = 0; i < count; i++) {
        entry_name(name, kind, i);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        if (link(file, path))
            die("link %s", path);
    }
}

static void remove_entries(const char *directory, const char *kind, long count)
{
    char name[NAME_LENGTH + 1], path[8192];
    for (long i = 0; i < count; i++) {
        entry_name(name, kind, i);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        if (unlink(path))
            die("unlink %s", path);
    }
}

static void list_while_changing(const char *directory, long stay, long gone, long came)
{
    unsigned char *seen = calloc(1, (size_t)stay);
    long count = 0;
    struct dirent *entry;
    DIR *stream = opendir(directory);
    if (!stream || !seen)
        die("opendir %s", directory);
    for (errno = 0; (entry = readdir(stream)); errno = 0) {
        if (++count == stay / 3) {
            remove_entries(directory, "gone", gone);
            make_entries(directory, "came", came);
        }
        long i;
        char name[NAME_LENGTH + 1];
        if (sscanf(entry->d_name, "stay.%5ld.", &i) != 1)
            continue;
        errno = 0;
        if (i < 0 || i >= stay || (entry_name(name, "stay", i), strcmp(name, entry->d_name)))
            die("an entry that nobody made: %s", entry->d_name);
        if (seen[i]++)
            die("entry %ld was listed twice", i);
    }
    if (errno)
        die("readdir %s after %ld entries", directory, count);
    closedir(stream);
    for (long i = 0; i < stay; i++)
        if (!seen[i])
            die("entry %ld of %ld was lost", i, stay);
    free(seen);
}

static void listing(const char *directory, long stay, long change)
{
    make_entries(directory, "stay", stay);
    make_entries(directory, "gone", change);
    list_while_changing(directory, stay, change, change);
    /* the second round undoes the first */
    make_entries(directory, "gone", change);
    remove_entries(directory, "came", change);
    list_while_changing(directory, stay, change, change);
}

/* ---- a journal: what was acknowledged must survive ---- */

enum { RECORD_BYTES = 5000 }; /* not aligned with pages, so that records cross pages and segments */

struct record {
    uint32_t number;
    uint32_t length_bytes;
    unsigned char payload[RECORD_BYTES - 8];
};

static void make_record(struct record *record, uint32_t n)
{
    record->number = n;
    record->length_bytes = RECORD_BYTES;
    pattern(record->payload, sizeof record->payload, 0, n);
}

/* Appends and syncs records until STOP exists. LOG, which is not on the share under test, lists each synced record. */
static void append(const char *path, const char *log, const char *stop)
{
    struct record record;
    int fd = open_or_die(path, O_WRONLY | O_CREAT | O_APPEND);
    int acknowledged = open_or_die(log, O_WRONLY | O_CREAT | O_APPEND);
    for (uint32_t n = 0; access(stop, F_OK); n++) {
        char line[16];
        make_record(&record, n);
        ssize_t written = write(fd, &record, sizeof record);
        if (written != sizeof record)
            die("record %u: write gave %zd", n, written);
        if (fsync(fd))
            die("record %u: fsync", n);
        int length = snprintf(line, sizeof line, "%u\n", n);
        if (write(acknowledged, line, (size_t)length) != length)
            die("cannot log record %u", n);
        usleep(20000); /* limits the size of captures; the journal is still always in use */
    }
    if (close(fd))
        die("close %s", path);
}

static void replay(const char *path, const char *log)
{
    struct record got, want;
    FILE *acknowledged = fopen(log, "r");
    int fd = open_or_die(path, O_RDONLY);
    unsigned n, count = 0;
    if (!acknowledged)
        die("open %s", log);
    while (fscanf(acknowledged, "%u", &n) == 1) {
        if (n != count++)
            die("the log skips from %u to %u", count - 1, n);
        ssize_t length = pread(fd, &got, sizeof got, (off_t)n * RECORD_BYTES);
        if (length != sizeof got)
            die("record %u was synced and is lost: %zd of %d bytes", n, length, RECORD_BYTES);
        make_record(&want, n);
        compare("synced record", (unsigned char *)&got, (unsigned char *)&want, sizeof got, (uint64_t)n * RECORD_BYTES);
    }
    errno = 0;
    if (!count)
        die("no record was ever acknowledged");
}

/* ---- locks ---- */

static int range_lock(int fd, short type, off_t start, off_t length_bytes)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length_bytes};
    return fcntl(fd, F_SETLK, &lock);
}

/* THERE is the file HERE seen through another mount, so only the server can find a conflict. */
static void ranges(const char *here, const char *there)
{
    int fd = open_or_die(here, O_RDWR | O_CREAT);
    if (range_lock(fd, F_WRLCK, 100, 100))
        die("lock 100..199");
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int other = open_or_die(there, O_RDWR);
        if (!range_lock(other, F_WRLCK, 150, 10))
            die("150..159 was locked twice");
        if (errno != EAGAIN && errno != EACCES)
            die("conflict at 150..159");
        if (range_lock(other, F_WRLCK, 200, 100))
            die("200..299 is free, yet refused");
        struct flock ask = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1000};
        if (fcntl(other, F_GETLK, &ask))
            die("F_GETLK");
        if (ask.l_type != F_WRLCK || ask.l_start != 100 || ask.l_len != 100)
            die("F_GETLK named type %d, start %lld, length %lld", ask.l_type, (long long)ask.l_start, (long long)ask.l_len);
        exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        exit(1);
    if (range_lock(fd, F_UNLCK, 120, 20) || range_lock(fd, F_RDLCK, 100, 20))
        die("split and downgrade of the lock");
    close(fd);
}

/*
 * Adds 1 to the number in a file, TIMES times, each time under a lock of that file. It uses direct I/O, because two
 * mounts of one client are one client to the server. A delegation for one mount's cache is not recalled when the other
 * mount writes.
 */
static void increment(const char *path, long times)
{
    while (times--) {
        char text[32] = "";
        int fd = open_or_die(path, O_RDWR | O_CREAT | O_DIRECT);
        if (flock(fd, LOCK_EX))
            die("flock %s", path);
        if (read(fd, text, sizeof text - 1) < 0)
            die("read %s", path);
        int length = snprintf(text, sizeof text, "%ld\n", atol(text) + 1);
        write_at(fd, text, (size_t)length, 0);
        if (flock(fd, LOCK_UN) || close(fd))
            die("unlock %s", path);
    }
}

/* ---- what NFSv4.2 adds ---- */

static struct stat status_of(int fd)
{
    struct stat status;
    if (fstat(fd, &status))
        die("fstat");
    return status;
}

static void preallocate(const char *path)
{
    int fd = open_or_die(path, O_RDWR | O_CREAT | O_TRUNC);
    if (fallocate(fd, 0, 0, 1 << 20))
        die("fallocate of 1 MiB");
    struct stat status = status_of(fd);
    errno = 0;
    if (status.st_size != 1 << 20)
        die("size after fallocate is %lld", (long long)status.st_size);
    if (status.st_blocks * 512 < 1 << 20)
        die("only %lld bytes were allocated", (long long)status.st_blocks * 512);
    unsigned char zeros[4096] = {0}, got[4096];
    read_at(fd, got, sizeof got, (1 << 20) - 4096);
    compare("preallocated block", got, zeros, sizeof got, (1 << 20) - 4096);
    close(fd);
}

enum { HOLE_START = 65536, HOLE_BYTES = 131072, HOLED_BYTES = 262144 };

static void punch(const char *path)
{
    unsigned char *want = room(HOLED_BYTES), *got = room(HOLED_BYTES);
    fill(path, HOLED_BYTES, 5);
    pattern(want, HOLED_BYTES, 0, 5);
    memset(want + HOLE_START, 0, HOLE_BYTES);
    int fd = open_or_die(path, O_RDWR);
    if (fsync(fd))
        die("fsync");
    long long before = status_of(fd).st_blocks;
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HOLE_START, HOLE_BYTES))
        die("punch hole");
    long long after = status_of(fd).st_blocks;
    errno = 0;
    if (status_of(fd).st_size != HOLED_BYTES)
        die("the hole changed the size");
    if (after >= before)
        die("the hole freed nothing: %lld blocks before, %lld after", before, after);
    read_at(fd, got, HOLED_BYTES, 0);
    compare("holed file", got, want, HOLED_BYTES, 0);
    close(fd);
}

/* Looks for the hole that punch made. */
static void holes(const char *path)
{
    int fd = open_or_die(path, O_RDONLY);
    off_t hole = lseek(fd, 0, SEEK_HOLE), data = lseek(fd, HOLE_START, SEEK_DATA), end = lseek(fd, HOLE_START + HOLE_BYTES, SEEK_HOLE);
    if (hole != HOLE_START || data != HOLE_START + HOLE_BYTES || end != HOLED_BYTES)
        die("hole at %lld (not %d), data after it at %lld (not %d), end at %lld (not %d)", (long long)hole, HOLE_START,
            (long long)data, HOLE_START + HOLE_BYTES, (long long)end, HOLED_BYTES);
    if (lseek(fd, HOLED_BYTES, SEEK_DATA) != -1 || errno != ENXIO)
        die("data after the end of the file");
    close(fd);
}

static void copy(const char *from, const char *to)
{
    enum { SIZE_BYTES = 2000003 };
    loff_t in = 0, out = 0;
    fill(from, SIZE_BYTES, 9);
    int source = open_or_die(from, O_RDONLY), target = open_or_die(to, O_RDWR | O_CREAT | O_TRUNC);
    while (out < SIZE_BYTES) {
        ssize_t n = copy_file_range(source, &in, target, &out, (size_t)(SIZE_BYTES - in), 0);
        if (n <= 0)
            die("copy_file_range at %lld gave %zd", (long long)in, n);
    }
    if (close(target))
        die("close %s", to);
    close(source);
    same(to, SIZE_BYTES, 9);
}

static int usage(void)
{
    puts("probe: fill|same FILE SIZE SEED, write-sizes|check-sizes DIR FIRST LAST, direct FILE, listing DIR STAY CHANGE,\n"
         "  append FILE LOG STOP, replay FILE LOG, ranges FILE SAMEFILE, increment FILE TIMES, preallocate|punch|holes FILE, copy FROM TO");
    return 2;
}

int main(int count, char **words)
{
    const char *verb = count > 2 ? words[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(verb, "fill") && count == 5)
        fill(words[2], (size_t)number(words[3]), (uint64_t)number(words[4]));
    else if (!strcmp(verb, "same") && count == 5)
        same(words[2], (size_t)number(words[3]), (uint64_t)number(words[4]));
    else if (!strcmp(verb, "write-sizes") && count == 5)
        sizes(words[2], number(words[3]), number(words[4]), fill);
    else if (!strcmp(verb, "check-sizes") && count == 5)
        sizes(words[2], number(words[3]), number(words[4]), same);
    else if (!strcmp(verb, "direct") && count == 3)
        direct(words[2]);
    else if (!strcmp(verb, "listing") && count == 5)
        listing(words[2], number(words[3]), number(words[4]));
    else if (!strcmp(verb, "append") && count == 5)
        append(words[2], words[3], words[4]);
    else if (!strcmp(verb, "replay") && count == 4)
        replay(words[2], words[3]);
    else if (!strcmp(verb, "ranges") && count == 4)
        ranges(words[2], words[3]);
    else if (!strcmp(verb, "increment") && count == 4)
        increment(words[2], number(words[3]));
    else if (!strcmp(verb, "preallocate") && count == 3)
        preallocate(words[2]);
    else if (!strcmp(verb, "punch") && count == 3)
        punch(words[2]);
    else if (!strcmp(verb, "holes") && count == 3)
        holes(words[2]);
    else if (!strcmp(verb, "copy") && count == 4)
        copy(words[2], words[3]);
    else
        return usage();
    return 0;
}
