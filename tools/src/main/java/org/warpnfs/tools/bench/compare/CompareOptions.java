package org.warpnfs.tools.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a comparison.
 *
 * @param depths numbers of calls in flight; if empty, those of the goals
 * @param uids uids of the callers; if empty, root, and uid 1000 too where a goal needs it
 * @param servers the competitors, by their words in {@link Kind}
 * @param other the directory of another build of warpnfs, with the server's jar and {@code lib} beside it; what is
 *     measured of this build is then measured of that one too
 * @param versions 3, 4 (for 4.1) or both
 * @param duration length of each measurement
 * @param warmUp time before each measurement, which does not count
 */
public record CompareOptions(
        List<Work> works,
        List<Integer> depths,
        List<Tree> trees,
        List<Integer> uids,
        Set<String> servers,
        Optional<Path> other,
        List<Integer> versions,
        int rounds,
        Duration duration,
        Duration warmUp) {}
