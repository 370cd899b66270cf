package org.warpnfs.tools.bench.load;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a load does with each block.
 *
 * @param write or read
 * @param stable whether writes are to be on stable storage when they are answered
 * @param blockBytes of each transfer
 * @param pattern what to write, or to compare with what was read; null to write anything and to look at nothing
 * @param timeout of each call
 */
public record Transfer(
        boolean write,
        boolean stable,
        int blockBytes,
        @Nullable Pattern pattern,
        Duration timeout) {}
