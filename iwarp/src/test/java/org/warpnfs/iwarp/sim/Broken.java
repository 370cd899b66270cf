package org.warpnfs.iwarp.sim;

import java.util.function.Supplier;

/** What must hold after every step, asked so often that the words for its failure are made only when it fails. */
final class Broken {
    private Broken() {}

    static void unless(boolean holds, Supplier<String> rule) {
        if (!holds) {
            throw new AssertionError(rule.get());
        }
    }
}
