/* Prints the rate of this machine's time stamp counter in kHz. An emulated guest sees the same counter. On a busy
 * machine a guest measures it wrongly by a factor of two and more, and its clock is then wrong by as much. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    double begun = now();
    uint64_t first = __rdtsc();
    struct timespec pause = {0, 200000000};
    nanosleep(&pause, NULL);
    double ended = now();
    uint64_t last = __rdtsc();
    printf("%.0f\n", (double)(last - first) / (ended - begun) / 1000);
    return 0;
}
