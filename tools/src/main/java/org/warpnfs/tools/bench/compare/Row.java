package org.warpnfs.tools.bench.compare;

/**
 * One line of a table, measured once in each round.
 *
 * @param depth calls in flight
 * @param uid uid of the caller; the bare loops run as root
 */
record Row(Work work, int depth, Tree tree, int uid, Competitor competitor) {
    /** The rows that are compared with each other. */
    record Group(Work work, int depth, Tree tree, int uid) {
        String title() {
            return work.title() + ", depth " + depth + ", " + tree.word() + ", "
                    + (uid == 0 ? "as root" : "as uid " + uid);
        }
    }

    Group group() {
        return new Group(work, depth, tree, uid);
    }

    /** The row of another kind of competitor, and otherwise the same. */
    Row of(Kind kind) {
        return new Row(work, depth, tree, uid, new Competitor(kind, competitor.version()));
    }

    String title() {
        return group().title() + ": " + competitor.title();
    }
}
