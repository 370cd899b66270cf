package org.warpnfs.iwarp.sim;

/** Memory for the ends, which is reused for each seed, because allocating and clearing it costs more than a run. */
final class Arenas {
    private static final int BYTES = 1 << 20;

    private final Arena[] all = new Arena[4];

    Arena take(boolean ofInitiator, boolean direct) {
        int index = (ofInitiator ? 2 : 0) + (direct ? 1 : 0);
        if (all[index] == null) {
            all[index] = new Arena(BYTES, direct);
        }
        all[index].clear();
        return all[index];
    }
}
