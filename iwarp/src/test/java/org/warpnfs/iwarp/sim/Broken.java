package org.warpnfs.iwarp.sim;

import java.util.function.Supplier;

/** Assertions that must hold after every step. They run so often that the message is created only on failure. */
final class Broken {
    private Broken() {}

    static void unless(boolean holds, Supplier<String> rule) {
        if (!holds) {
            throw new AssertionError(rule.get());
        }
    }
}
