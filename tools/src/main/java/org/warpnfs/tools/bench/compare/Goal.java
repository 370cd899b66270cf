package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the ratio of two measured figures.
 *
 * @param figure the figure that is taken from both sides
 * @param by the competitor whose figure is the divisor; null for the same competitor called by root
 * @param byDepth calls in flight on the divisor's side; a goal with another depth there counts on ext4 only
 * @param limit the highest or lowest ratio that is good
 */
record Goal(
        Work work,
        int depth,
        Kind kind,
        Figure figure,
        @Nullable Kind by,
        int byDepth,
        Bound bound,
        double limit) {
    /** Whether the limit is an upper or a lower bound. */
    enum Bound {
        AT_MOST("at most"),
        AT_LEAST("at least");

        private final String text;

        Bound(String text) {
            this.text = text;
        }
    }

    private static final int USER = 1000;

    /** All goals, in the order of the report. */
    static final List<Goal> ALL = List.of(
            most(Work.READ_1M, 8, Kind.RDMA, Figure.SERVER_GIB, Kind.BARE_PREAD, 0.6),
            most(Work.READ_1M, 8, Kind.TCP, Figure.SERVER_GIB, Kind.BARE_PREAD, 0.6),
            most(Work.READ_1M, 8, Kind.RDMA, Figure.SERVER_GIB, Kind.BARE_SPLICE, 2),
            most(Work.READ_1M, 8, Kind.TCP, Figure.SERVER_GIB, Kind.BARE_SPLICE, 2),
            most(Work.READ_1M, 8, Kind.RDMA_CRC, Figure.SERVER_GIB, Kind.BARE_PREAD, 0.9),
            new Goal(Work.READ_1M, 8, Kind.RDMA, Figure.MEGABYTES, Kind.GANESHA, 8, Bound.AT_LEAST, 1.8),
            most(Work.WRITE_1M, 8, Kind.RDMA, Figure.SERVER_GIB, Kind.BARE_PWRITE, 1.1),
            most(Work.WRITE_1M, 8, Kind.TCP, Figure.SERVER_GIB, Kind.BARE_PWRITE, 1.1),
            most(Work.READ_4K, 32, Kind.RDMA, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 5.0),
            most(Work.READ_4K, 32, Kind.TCP, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 6.0),
            most(Work.WRITE_4K, 32, Kind.RDMA, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 3.5),
            most(Work.WRITE_4K, 32, Kind.TCP, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 6.0),
            most(Work.WRITE_4K, 32, Kind.RDMA, Figure.SERVER_OPERATION, null, 1.1),
            most(Work.WRITE_4K, 32, Kind.TCP, Figure.SERVER_OPERATION, null, 1.1),
            most(Work.READ_4K, 1, Kind.RDMA, Figure.P50, Kind.GANESHA, 0.7),
            most(Work.READ_4K, 1, Kind.TCP, Figure.P50, Kind.GANESHA, 0.6),
            shared(Work.CREATE, Kind.RDMA),
            shared(Work.CREATE, Kind.TCP),
            shared(Work.REMOVE, Kind.RDMA),
            shared(Work.REMOVE, Kind.TCP));

    /**
     * A goal and the ratio that was measured.
     *
     * @param version version of NFS on our side, and on the other side unless it is a bare loop
     */
    record Reached(Goal goal, int version, Tree tree, Spread ratio) {
        boolean met() {
            return goal.bound == Bound.AT_MOST ? ratio.median() <= goal.limit : ratio.median() >= goal.limit;
        }

        String title() {
            String of = goal.work.title() + " depth " + goal.depth + ", " + tree.word() + ": "
                    + new Competitor(goal.kind, version).title();
            if (goal.by == null) {
                return of + ", uid " + USER + " / root";
            }
            return of + " / " + (goal.byDepth == goal.depth ? goal.by.title() : "depth " + goal.byDepth);
        }

        String limitText() {
            return goal.bound.text + " " + String.format(Locale.ROOT, "%.2f", goal.limit);
        }
    }

    private static Goal most(Work work, int depth, Kind kind, Figure figure, @Nullable Kind by, double limit) {
        return new Goal(work, depth, kind, figure, by, depth, Bound.AT_MOST, limit);
    }

    /** A goal that many calls in flight share the cost of stable storage. */
    private static Goal shared(Work work, Kind kind) {
        return new Goal(work, 64, kind, Figure.OPERATIONS, kind, 1, Bound.AT_LEAST, 8);
    }

    /** Returns the goals for which both sides were measured. */
    static List<Reached> reached(Results results) {
        List<Reached> reached = new ArrayList<>();
        for (Goal goal : ALL) {
            for (Tree tree : Tree.values()) {
                for (int version : List.of(3, 4)) {
                    goal.ratio(results, tree, version)
                            .ifPresent(ratio -> reached.add(new Reached(goal, version, tree, ratio)));
                }
            }
        }
        return reached;
    }

    private Optional<Spread> ratio(Results results, Tree tree, int version) {
        Kind other = by;
        if (other == null) {
            // Only NFSv3 checks access at each call.
            return version != 3
                    ? Optional.empty()
                    : results.ratio(row(tree, USER, kind, version), row(tree, 0, kind, version), figure);
        }
        if (byDepth != depth && tree != Tree.EXT4) {
            return Optional.empty();
        }
        Competitor against = new Competitor(other, other.bare() ? 0 : version);
        return results.ratio(row(tree, 0, kind, version), new Row(work, byDepth, tree, 0, against), figure);
    }

    private Row row(Tree tree, int uid, Kind of, int version) {
        return new Row(work, depth, tree, uid, new Competitor(of, version));
    }
}
