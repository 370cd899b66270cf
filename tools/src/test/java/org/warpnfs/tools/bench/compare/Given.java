package org.warpnfs.tools.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Plans and samples for tests. */
final class Given {
    private Given() {}

    static Set<String> allServers() {
        return Stream.of(Kind.values()).map(Kind::word).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    static CompareOptions everything() {
        return new CompareOptions(
                List.of(Work.values()),
                List.of(),
                List.of(Tree.values()),
                List.of(),
                allServers(),
                Optional.empty(),
                List.of(3, 4),
                1,
                Duration.ofSeconds(2),
                Duration.ofMillis(500));
    }

    static CompareOptions options(List<Work> works, int rounds) {
        return new CompareOptions(
                works,
                List.of(),
                List.of(Tree.TMPFS),
                List.of(),
                allServers(),
                Optional.empty(),
                List.of(3, 4),
                rounds,
                Duration.ofSeconds(2),
                Duration.ofMillis(500));
    }

    static CompareOptions twoBuilds(List<Work> works) {
        return new CompareOptions(
                works,
                List.of(),
                List.of(Tree.TMPFS),
                List.of(0),
                allServers(),
                Optional.of(Path.of("/other/server/target")),
                List.of(4),
                2,
                Duration.ofSeconds(2),
                Duration.ofMillis(500));
    }

    static Row row(Work work, int depth, Kind kind, int version) {
        return new Row(work, depth, Tree.TMPFS, 0, new Competitor(kind, version));
    }

    /** A sample of a thousand operations in one second, with that much CPU time. */
    static Sample sample(double serverSeconds) {
        return new Sample(1000, 1, 100, 200, 300, serverSeconds, 0.125);
    }
}
