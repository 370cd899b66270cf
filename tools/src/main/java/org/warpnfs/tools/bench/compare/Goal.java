package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A limit on the ratio of two measured figures, or on one figure.
 *
 * @param figure the figure that is taken from both sides
 * @param against the divisor
 * @param limit the highest or lowest ratio or figure that is good
 */
record Goal(Work work, int depth, Kind kind, Figure figure, Against against, Bound bound, double limit) {
    /** What a figure is divided by. */
    sealed interface Against {
        /**
         * A competitor's figure.
         *
         * @param depth calls in flight; a goal with another depth there counts on ext4 only
         */
        record Other(Kind kind, int depth) implements Against {}

        /** The figure of the same competitor when root calls it. */
        record Root() implements Against {}

        /** The limit is on the figure itself. */
        record Nothing() implements Against {}
    }

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
            new Goal(
                    Work.READ_1M,
                    8,
                    Kind.RDMA,
                    Figure.MEGABYTES,
                    new Against.Other(Kind.GANESHA, 8),
                    Bound.AT_LEAST,
                    1.8),
            most(Work.WRITE_1M, 8, Kind.RDMA, Figure.SERVER_GIB, Kind.BARE_PWRITE, 1.1),
            most(Work.WRITE_1M, 8, Kind.TCP, Figure.SERVER_GIB, Kind.BARE_PWRITE, 1.1),
            most(Work.READ_4K, 32, Kind.RDMA, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 5.0),
            most(Work.READ_4K, 32, Kind.TCP, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 6.0),
            most(Work.WRITE_4K, 32, Kind.RDMA, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 3.5),
            most(Work.WRITE_4K, 32, Kind.TCP, Figure.SERVER_OPERATION, Kind.GANESHA, 1 / 6.0),
            asUser(Kind.RDMA),
            asUser(Kind.TCP),
            most(Work.READ_4K, 1, Kind.RDMA, Figure.P50, Kind.GANESHA, 0.7),
            most(Work.READ_4K, 1, Kind.TCP, Figure.P50, Kind.GANESHA, 0.6),
            entries(Work.LIST_1000, Kind.RDMA, 1.5),
            entries(Work.LIST_1000, Kind.TCP, 1.5),
            entries(Work.LIST_4K, Kind.RDMA, 1.5),
            entries(Work.LIST_4K, Kind.TCP, 1.5),
            entries(Work.LIST_64K, Kind.RDMA, 1.5),
            entries(Work.LIST_64K, Kind.TCP, 1.5),
            entries(Work.PLUS_1000, Kind.RDMA, 5),
            entries(Work.PLUS_1000, Kind.TCP, 5),
            entries(Work.PLUS_4K, Kind.RDMA, 5),
            entries(Work.PLUS_4K, Kind.TCP, 5),
            entries(Work.PLUS_64K, Kind.RDMA, 5),
            entries(Work.PLUS_64K, Kind.TCP, 5),
            shared(Kind.RDMA),
            shared(Kind.TCP));

    /**
     * A goal and the ratio, or the figure, that was measured.
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
            return switch (goal.against) {
                case Against.Nothing() -> of;
                case Against.Root() -> of + ", uid " + USER + " / root";
                case Against.Other(Kind other, int otherDepth) ->
                    of + " / " + (otherDepth == goal.depth ? other.title() : "depth " + otherDepth);
            };
        }

        String limitText() {
            return goal.bound.text + " " + String.format(Locale.ROOT, "%.2f", goal.limit);
        }
    }

    private static Goal most(Work work, int depth, Kind kind, Figure figure, Kind by, double limit) {
        return new Goal(work, depth, kind, figure, new Against.Other(by, depth), Bound.AT_MOST, limit);
    }

    /** A goal that a user's WRITE costs little more than root's. */
    private static Goal asUser(Kind kind) {
        return new Goal(Work.WRITE_4K, 32, kind, Figure.SERVER_OPERATION, new Against.Root(), Bound.AT_MOST, 1.1);
    }

    /** A limit on the cost of each entry of a listing, whatever the size of replies. */
    private static Goal entries(Work work, Kind kind, double micros) {
        return new Goal(work, 1, kind, Figure.SERVER_OPERATION, new Against.Nothing(), Bound.AT_MOST, micros);
    }

    /** A goal that many calls in flight share the cost of stable storage. */
    private static Goal shared(Kind kind) {
        return new Goal(Work.CHANGE, 64, kind, Figure.OPERATIONS, new Against.Other(kind, 1), Bound.AT_LEAST, 8);
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
        Row row = row(tree, 0, kind, version);
        return switch (against) {
            case Against.Nothing() -> results.spread(row, figure);
            // Only NFSv3 checks access at each call.
            case Against.Root() ->
                version != 3 ? Optional.empty() : results.ratio(row(tree, USER, kind, version), row, figure);
            case Against.Other(Kind other, int otherDepth) -> {
                if (otherDepth != depth && tree != Tree.EXT4) {
                    yield Optional.empty();
                }
                Competitor divisor = new Competitor(other, other.bare() ? 0 : version);
                yield results.ratio(row, new Row(work, otherDepth, tree, 0, divisor), figure);
            }
        };
    }

    private Row row(Tree tree, int uid, Kind of, int version) {
        return new Row(work, depth, tree, uid, new Competitor(of, version));
    }
}
