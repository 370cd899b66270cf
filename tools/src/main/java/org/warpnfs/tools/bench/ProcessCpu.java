package org.warpnfs.tools.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time that a process of this host has used, by {@code /proc/PID/stat} (proc(5)).
 *
 * @param userSeconds in user mode
 * @param systemSeconds in the kernel
 */
public record ProcessCpu(double userSeconds, double systemSeconds) {
    /** USER_HZ, which Linux shows to programs as 100 whatever its own clock. */
    private static final double TICKS_PER_SECOND = 100;

    /** Fields after the parenthesised name: state is the first. */
    private static final int UTIME = 11;

    private static final int STIME = 12;

    /** What it has used until now. */
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

    /** What this process has used until now. */
    static ProcessCpu own() throws BenchException {
        return of(ProcessHandle.current().pid());
    }

    /** What was used since. */
    public ProcessCpu since(ProcessCpu before) {
        return new ProcessCpu(userSeconds - before.userSeconds, systemSeconds - before.systemSeconds);
    }

    public double seconds() {
        return userSeconds + systemSeconds;
    }
}
