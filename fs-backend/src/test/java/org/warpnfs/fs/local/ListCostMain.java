package org.warpnfs.fs.local;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileSystem;

/**
 * Measures the cost of listings. Not a test: run it by hand, with directories as arguments.
 *
 * <p>Prints the CPU time of the thread, best of several rounds: of a page of {@value #PAGE} names with their attributes
 * at the beginning of the directory and in its middle, and of each name of a listing of all by such pages.
 */
final class ListCostMain {
    private static final int PAGE = 20;
    private static final int ROUNDS = 7;
    private static final int PAGES = 2_000;

    private ListCostMain() {}

    public static void main(String[] arguments) throws Exception {
        for (int warm = 0; warm < 2; warm++) {
            for (String argument : arguments) {
                try (LocalFileSystem fs = LocalFileSystem.open(Path.of(argument), LocalOptions.DEFAULTS)) {
                    measure(argument, fs);
                }
            }
        }
    }

    private static void measure(String directory, FileSystem fs) throws Exception {
        List<Long> cookies = new ArrayList<>();
        long names = 0;
        long begin = cpuNanos();
        Page page = new Page();
        while (page.take(fs, page.last)) {
            names += page.taken;
            cookies.add(page.last);
        }
        double eachNanos = (cpuNanos() - begin) / (double) names;
        System.out.printf(
                Locale.ROOT,
                "%s: %d names; a page at the beginning %.1f us, in the middle %.1f us; whole listing %.2f us a name%n",
                directory,
                names,
                pageMicros(fs, 0),
                pageMicros(fs, cookies.get(cookies.size() / 2 - 1)),
                eachNanos / 1e3);
    }

    private static double pageMicros(FileSystem fs, long cookie) throws Exception {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begin = cpuNanos();
            for (int i = 0; i < PAGES; i++) {
                var _ = new Page().take(fs, cookie);
            }
            best = Math.min(best, cpuNanos() - begin);
        }
        return best / 1e3 / PAGES;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Takes the entries of one reply. */
    private static final class Page implements FileSystem.EntryVisitor {
        private int taken;
        private long last;

        /** False if there are no more entries. */
        boolean take(FileSystem fs, long cookie) throws Exception {
            taken = 0;
            fs.list(Caller.ROOT, fs.root(), cookie, true, this);
            return taken > 0;
        }

        @Override
        public boolean visit(DirectoryEntry entry) {
            if (taken == PAGE) {
                return false;
            }
            taken++;
            last = entry.cookie();
            return true;
        }

        @Override
        public int room() {
            return PAGE - taken + 1;
        }
    }
}
