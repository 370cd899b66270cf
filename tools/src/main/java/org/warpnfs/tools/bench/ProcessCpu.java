package org.warpnfs.tools.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time that a process of this host has used, from {@code /proc/PID/stat} (proc(5)).
 *
 * @param userSeconds time in user mode
 * @param systemSeconds time in the kernel
 */
public record ProcessCpu(double userSeconds, double systemSeconds) {
    /** USER_HZ. Linux always reports 100 to programs, whatever its internal clock rate is. */
    private static final double TICKS_PER_SECOND = 100;

    /** Index among the fields after the parenthesised name. Index 0 is the state. */
    private static final int UTIME = 11;

    private static final int STIME = 12;

    /** The CPU time that the process has used so far. */
    public static ProcessCpu of(long pid) throws BenchException {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new ProcessCpu(
                    Long.parseLong(fields[UTIME]) / TICKS_PER_SECOND, Long.parseLong(fields[STIME]) / TICKS_PER_SECOND);
        } catch (IOException e) {
            throw new BenchException("--server-pid " + pid + ": no such process on this host", e);
        }
    }

    /** The CPU time that this process has used so far. */
    static ProcessCpu own() throws BenchException {
        return of(ProcessHandle.current().pid());
    }

    /** The CPU time between {@code before} and this moment. */
    public ProcessCpu since(ProcessCpu before) {
        return new ProcessCpu(userSeconds - before.userSeconds, systemSeconds - before.systemSeconds);
    }

    public double seconds() {
        return userSeconds + systemSeconds;
    }
}
