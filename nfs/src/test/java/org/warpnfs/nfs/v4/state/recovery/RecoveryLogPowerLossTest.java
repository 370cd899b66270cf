package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * What the end of the host can leave of the recovery log. Everything that was synced is there. Of what was being
 * written, any sectors may be there, in any order, and the others are as before. The file's length may or may not have
 * grown.
 */
class RecoveryLogPowerLossTest {
    private static final int SECTOR_BYTES = 512;
    private static final int PAGE_BYTES = 4096;
    /** In memory where possible, for thousands of starts that each sync. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private Path directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "warpnfs-recovery")
                : Files.createTempDirectory("warpnfs-recovery");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private Path file() {
        return directory.resolve(FileRecoveryLog.FILE_NAME);
    }

    private static Opaque owner(String name) {
        return Opaque.of(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** An owner name of the greatest length. */
    private static Opaque longOwner(int number) {
        byte[] bytes = new byte[Opaque.MAX_LENGTH_BYTES];
        new Random(number).nextBytes(bytes);
        return Opaque.of(bytes);
    }

    private static List<RecoveryLog.Change> added(int first, int count) {
        List<RecoveryLog.Change> changes = new ArrayList<>();
        for (int number = first; number < first + count; number++) {
            changes.add(new RecoveryLog.Change.Added(longOwner(number)));
        }
        return changes;
    }

    private Set<Opaque> start(byte[] left) throws IOException {
        Files.write(file(), left);
        try (FileRecoveryLog log = FileRecoveryLog.open(directory)) {
            return log.reclaimers();
        }
    }

    /** A log before and after its last batch, with the reclaimers of each. */
    private static final class LastBatch {
        private final byte[] before;
        private final Set<Opaque> old;
        private final byte[] after;
        private final Set<Opaque> all;

        LastBatch(byte[] before, Set<Opaque> old, byte[] after, Set<Opaque> all) {
            this.before = before;
            this.old = old;
            this.after = after;
            this.all = all;
        }

        /** The log with the new contents of these blocks and the old contents of the others, at its new length. */
        byte[] with(int blockBytes, Set<Integer> blocks) {
            byte[] mixed = Arrays.copyOf(before, Math.max(before.length, after.length));
            for (int block : blocks) {
                int from = block * blockBytes;
                System.arraycopy(after, from, mixed, from, Math.min(blockBytes, after.length - from));
            }
            return mixed;
        }

        /** The blocks that the batch has written. */
        List<Integer> blocks(int blockBytes) {
            List<Integer> changed = new ArrayList<>();
            for (int from = 0; from < after.length; from += blockBytes) {
                byte[] then = Arrays.copyOfRange(before, Math.min(from, before.length), from + blockBytes);
                byte[] now = Arrays.copyOfRange(after, from, from + blockBytes);
                if (!Arrays.equals(Arrays.copyOf(then, blockBytes), now)) {
                    changed.add(from / blockBytes);
                }
            }
            return changed;
        }
    }

    /** A last batch that adds so many clients with the longest names, and removes an earlier one. */
    private LastBatch lastBatch(int clients) throws IOException {
        try (FileRecoveryLog log = FileRecoveryLog.open(directory)) {
            log.add(owner("kept"));
            log.add(owner("removed"));
            byte[] before = Files.readAllBytes(file());
            List<RecoveryLog.Change> changes = added(0, clients);
            changes.add(new RecoveryLog.Change.Removed(owner("removed")));
            log.write(changes);
            Set<Opaque> all = new HashSet<>(Set.of(owner("kept")));
            for (int number = 0; number < clients; number++) {
                all.add(longOwner(number));
            }
            return new LastBatch(before, Set.of(owner("kept"), owner("removed")), Files.readAllBytes(file()), all);
        }
    }

    @Test
    void lastBatch_anySectorsOfItOnTheMedium_isThereWholeOrNotAtAll() throws IOException {
        anyBlocks(lastBatch(4), SECTOR_BYTES);
    }

    @Test
    void lastBatch_anyPagesOfItOnTheMedium_isThereWholeOrNotAtAll() throws IOException {
        anyBlocks(lastBatch(30), PAGE_BYTES);
    }

    private void anyBlocks(LastBatch last, int blockBytes) throws IOException {
        List<Integer> changed = last.blocks(blockBytes);
        assertThat(changed).hasSizeBetween(6, 12);
        for (int subset = 0; subset < 1 << changed.size(); subset++) {
            Set<Integer> there = new HashSet<>();
            for (int bit = 0; bit < changed.size(); bit++) {
                if ((subset >> bit & 1) != 0) {
                    there.add(changed.get(bit));
                }
            }
            boolean whole = there.size() == changed.size();
            assertThat(start(last.with(blockBytes, there)))
                    .as("of %s these: %s", changed, there)
                    .isEqualTo(whole ? last.all : last.old);
        }
    }

    @Test
    void lastBatch_cutAtAnyByte_isThereWholeOrNotAtAll() throws IOException {
        LastBatch last = lastBatch(1);
        List<Integer> sectors = last.blocks(SECTOR_BYTES);
        int from = sectors.getFirst() * SECTOR_BYTES;
        int to = Math.min((sectors.getLast() + 1) * SECTOR_BYTES, last.after.length);
        for (int cut = from; cut < to; cut++) {
            byte[] left = last.with(SECTOR_BYTES, Set.of());
            System.arraycopy(last.after, from, left, from, cut - from);
            assertThat(start(left))
                    .as("cut at byte %s of %s to %s", cut, from, to)
                    .isIn(last.old, last.all);
        }
    }

    @Test
    void log_lengthExtendedWithZeroes_isReadToItsEnd() throws IOException {
        LastBatch last = lastBatch(1);
        for (int more : new int[] {1, 9, SECTOR_BYTES, PAGE_BYTES + 1}) {
            assertThat(start(Arrays.copyOf(last.after, last.after.length + more)))
                    .as("%d zeroes more", more)
                    .isEqualTo(last.all);
        }
    }

    @Test
    void log_anyByteOfItChanged_isRefusedOrSaysTheSame() throws IOException {
        LastBatch last = lastBatch(2);
        int refused = 0;
        int written = (last.blocks(PAGE_BYTES).getLast() + 1) * PAGE_BYTES;
        for (int at = 0; at < written; at++) {
            if (last.after[at] == 0 && at % 31 != 0) {
                continue;
            }
            byte[] changed = last.after.clone();
            changed[at] ^= (byte) (1 << at % 8);
            Set<Opaque> reclaimers;
            try {
                reclaimers = start(changed);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining(file().toString()).hasMessageContaining("move it away");
                refused++;
                continue;
            }
            assertThat(reclaimers).as("byte %d", at).isEqualTo(last.all);
        }

        assertThat(refused).isGreaterThan(1000);
    }

    @Test
    void log_syncedBatchIsMissing_isRefusedWithItsPlace() throws IOException {
        LastBatch last = lastBatch(2);
        byte[] lost = last.after.clone();
        Arrays.fill(lost, PAGE_BYTES, 2 * PAGE_BYTES, (byte) 0);

        assertThatThrownBy(() -> start(lost))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file().toString())
                .hasMessageContaining("byte " + PAGE_BYTES)
                .hasMessageContaining("move it away");

        byte[] changedPlaces = last.after.clone();
        System.arraycopy(last.after, PAGE_BYTES, changedPlaces, 2 * PAGE_BYTES, PAGE_BYTES);
        assertThatThrownBy(() -> start(changedPlaces)).isInstanceOf(IOException.class);

        byte[] cut = Arrays.copyOf(last.after, PAGE_BYTES);
        assertThatThrownBy(() -> start(cut)).isInstanceOf(IOException.class).hasMessageContaining("cut off");
    }

    @Test
    void log_batchesOfAnOlderFileBehindIt_areRefused() throws IOException {
        LastBatch older = lastBatch(1);
        LastBatch newer = lastBatch(2);
        byte[] mixed = newer.after.clone();
        int from = (newer.blocks(PAGE_BYTES).getLast() + 1) * PAGE_BYTES;
        System.arraycopy(older.after, 2 * PAGE_BYTES, mixed, from, PAGE_BYTES);

        assertThatThrownBy(() -> start(mixed)).isInstanceOf(IOException.class);
    }

    @Test
    void log_replacedHalfWay_isTheOldOne() throws IOException {
        LastBatch last = lastBatch(2);
        Path fresh = directory.resolve(FileRecoveryLog.FILE_NAME + ".new");
        for (int length : new int[] {0, 1, SECTOR_BYTES, PAGE_BYTES, last.before.length}) {
            Files.write(fresh, Arrays.copyOf(last.before, length));
            assertThat(start(last.after)).isEqualTo(last.all);
            assertThat(fresh).as("it has been replaced").doesNotExist();
        }
    }
}
