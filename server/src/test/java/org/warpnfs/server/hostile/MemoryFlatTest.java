package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.hostile.HonestClient.Way;

/**
 * Checks that repeated attacks do not increase memory beyond that of the second round, as the server keeps nothing of
 * them.
 */
@Timeout(600)
class MemoryFlatTest {
    private static final int SIZE_BYTES = 64 << 20;
    private static final int ROUNDS = 5;
    private static final long MIB = 1 << 20;

    /** The allowed growth of the heap. One round of each of these attacks took more before it was bounded. */
    private static final long HEAP_SLACK_BYTES = 16 * MIB;

    private static final long DIRECT_SLACK_BYTES = 8 * MIB;
    /** The allowed growth of resident memory. The collector's own structures, compiled code and thread stacks vary. */
    private static final long RESIDENT_SLACK_BYTES = 128 * MIB;

    private static final long END_OF_HEAP = 32L << 30;
    /** Matches the first line of each mapping in smaps (proc(5)). */
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ ");

    private record Memory(long heapBytes, long directBytes, long residentBytes) {
        static Memory now() throws IOException {
            // Collect garbage, so that only reachable memory is counted.
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
            direct += Math.max(0, io.netty.util.internal.PlatformDependent.usedDirectMemory());
            return new Memory(heap, direct, residentBesidesTheHeap());
        }

        /**
         * Returns the resident memory outside the heap. Pages of the heap do not count, because the collector keeps as
         * many as it likes. With compressed references the heap is below 32 GiB, and no other mapping is there.
         */
        private static long residentBesidesTheHeap() throws IOException {
            long bytes = 0;
            boolean counts = false;
            for (String line : Files.readAllLines(Path.of("/proc/self/smaps"), StandardCharsets.ISO_8859_1)) {
                Matcher mapping = MAPPING.matcher(line);
                if (mapping.lookingAt()) {
                    counts = Long.compareUnsigned(Long.parseUnsignedLong(mapping.group(1), 16), END_OF_HEAP) >= 0;
                } else if (counts && line.startsWith("Rss:")) {
                    bytes += 1024 * Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            return bytes;
        }
    }

    /** The attacks that once made the server's memory grow without limit. */
    private static List<Attack.Worst> attacks() {
        List<Attack.Worst> all = new ArrayList<>();
        all.add(TcpAttack.READERS_THAT_TAKE_NOTHING::begin);
        all.add(TcpAttack.PARTIAL_RECORDS::begin);
        all.add(TcpAttack.REPLIES_TO_NO_CALL::begin);
        all.add(TcpAttack.CHURN::begin);
        all.add(TcpAttack.FLOOD_OF_SILENCE::begin);
        all.add(RdmaAttack.READERS_THAT_TAKE_NOTHING::begin);
        all.add(RdmaAttack.READS_THAT_NOBODY_ANSWERS::begin);
        all.add(RdmaAttack.HEADERS_WITHOUT_SENSE::begin);
        all.add(RdmaAttack.REPLIES_TO_NO_CALL::begin);
        all.add(RdmaAttack.FLOOD_OF_SILENCE::begin);
        all.add(RdmaAttack.CHURN::begin);
        return all;
    }

    @Test
    void attacks_repeated_holdNoMoreThanTheSecondTime() throws Exception {
        try (WarpServer server = WarpServer.start(InMemory.config(":/", SIZE_BYTES, Duration.ofSeconds(90)))) {
            Target target = Target.prepare(server);
            List<Memory> after = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                for (Attack.Worst worst : attacks()) {
                    try (Attack attack = new Attack(worst)) {
                        attack.begin(target, new Random(round));
                    }
                }
                try (HonestClient honest = new HonestClient(server, Way.RDMA)) {
                    honest.round();
                }
                after.add(Memory.now());
            }
            Memory second = after.get(1);
            Memory last = after.getLast();
            assertThat(last.heapBytes).as("heap: %s", after).isLessThan(second.heapBytes + HEAP_SLACK_BYTES);
            // Netty takes it in chunks of megabytes, so one round alone may have needed less of them than the others
            // do.
            long direct = Math.max(second.directBytes, after.get(2).directBytes);
            assertThat(last.directBytes).as("direct memory: %s", after).isLessThan(direct + DIRECT_SLACK_BYTES);
            assertThat(second.residentBytes)
                    .as("resident memory beside the heap")
                    .isPositive();
            assertThat(last.residentBytes)
                    .as("resident memory: %s", after)
                    .isLessThan(second.residentBytes + RESIDENT_SLACK_BYTES);
        }
    }
}
