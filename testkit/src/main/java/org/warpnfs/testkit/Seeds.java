package org.warpnfs.testkit;

/**
 * Runs a test with several seeds and names the seed that failed. {@code -Dwarpnfs.seed=N} runs only seed N.
 * {@code -Dwarpnfs.seeds=N} runs N seeds instead of the test's own number.
 */
public final class Seeds {
    private static final String ONE = "warpnfs.seed";
    private static final String COUNT = "warpnfs.seeds";

    private Seeds() {}

    /** A test body that depends on a seed. */
    @FunctionalInterface
    public interface SeededTest {
        void run(long seed) throws Exception;
    }

    /** Runs {@code test} for the seeds 1 to {@code count}. */
    public static void each(int count, SeededTest test) {
        Long only = Long.getLong(ONE);
        if (only != null) {
            runOne(only, test);
            return;
        }
        int last = Integer.getInteger(COUNT, count);
        for (long seed = 1; seed <= last; seed++) {
            runOne(seed, test);
        }
    }

    private static void runOne(long seed, SeededTest test) {
        try {
            test.run(seed);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("seed " + seed + " (replay with -D" + ONE + "=" + seed + "): " + e, e);
        }
    }
}
