package org.warpnfs.tools.bench.load;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a load does with each block of the file.
 *
 * @param write whether to write; otherwise to read
 * @param stable whether the server must put writes on stable storage before its reply
 * @param blockBytes size of each transfer
 * @param pattern the data to write, or to compare with what is read; null to write arbitrary data and compare nothing
 * @param timeout time limit of each call
 */
public record Transfer(
        boolean write,
        boolean stable,
        int blockBytes,
        @Nullable Pattern pattern,
        Duration timeout) {}
