package org.warpnfs.tools.bench.compare;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What to compare.
 *
 * @param depths calls in flight; none for those that the goals speak of
 * @param uids whose calls; none for root's, and those of uid 1000 where the goals speak of them
 * @param servers words of {@link Kind}
 * @param versions 3, 4 (for 4.1) or both
 * @param duration of each measurement
 * @param warmUp before each
 */
public record CompareOptions(
        List<Work> works,
        List<Integer> depths,
        List<Tree> trees,
        List<Integer> uids,
        Set<String> servers,
        List<Integer> versions,
        int rounds,
        Duration duration,
        Duration warmUp) {}
