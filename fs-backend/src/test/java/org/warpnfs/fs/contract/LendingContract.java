package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Lent pages keep the bytes of one moment, whatever becomes of the file. */
@Needs(Capability.LENT_PAGES)
public abstract class LendingContract extends ContractFixture {
    private static final int FILE_BYTES = 200_000;

    private static byte[] bytesOf(LentPages pages) {
        List<ByteBuffer> buffers = pages.buffers();
        byte[] all = new byte[buffers.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer buffer : buffers) {
            assertThat(buffer.isDirect()).isTrue();
            assertThat(buffer.hasRemaining()).isTrue();
            int lengthBytes = buffer.remaining();
            buffer.slice().get(all, at, lengthBytes);
            at += lengthBytes;
        }
        return all;
    }

    @Test
    void lend_anywhere_lendsWhatReadReads() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, random(7, 100_000));
        write(file, 150_000, random(8, 50_000));
        boolean lent = false;
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            for (long offset : new long[] {0, 1, 4095, 99_999, 120_000, 199_999, FILE_BYTES, 1 << 30, Long.MAX_VALUE}) {
                for (int length : new int[] {1, 4096, 100_000, FILE_BYTES, Integer.MAX_VALUE}) {
                    ByteBuffer expected = ByteBuffer.allocateDirect(Math.min(length, FILE_BYTES));
                    int count = open.read(expected, offset);
                    Optional<LentPages> pages = open.lend(offset, length);
                    if (pages.isPresent()) {
                        lent = true;
                        try (LentPages each = pages.get()) {
                            assertThat(count).isPositive();
                            assertThat(ByteBuffer.wrap(bytesOf(each)))
                                    .as("%d at %d", length, offset)
                                    .isEqualTo(expected.flip());
                        }
                    }
                }
            }
        }
        assertThat(lent).isTrue();
    }

    @Test
    void lend_openForWritingOnly_lendsNothing() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, random(7, 100_000));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            boolean refused;
            try {
                refused = open.lend(0, 100_000).isEmpty();
            } catch (FsException e) {
                refused = true;
            }
            assertThat(refused).isTrue();
        }
    }

    private interface Change {
        void of(FileHandle file, OpenFile open) throws Exception;
    }

    private void assertKeepsWhatWasLent(String name, Change change) throws Exception {
        byte[] data = random(7, FILE_BYTES);
        FileHandle file = file(root, name);
        write(file, 0, data);
        List<LentPages> loans = new ArrayList<>();
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            loans.add(open.lend(0, FILE_BYTES).orElseThrow());
            loans.add(open.lend(0, FILE_BYTES).orElseThrow());
            change.of(file, open);
        }
        // Memory that was given up too early is used again.
        FileHandle other = file(root, name + "-other");
        write(other, 0, random(9, 2 * FILE_BYTES));
        for (LentPages each : loans) {
            assertThat(bytesOf(each)).as(name).isEqualTo(data);
            each.close();
        }
        assertThat(read(other, 0, 2 * FILE_BYTES)).isEqualTo(random(9, 2 * FILE_BYTES));
    }

    @Test
    void lent_fileOverwrittenCutPunchedAndRemoved_staysAsItWas() throws Exception {
        byte[] zeroes = new byte[FILE_BYTES];
        assertKeepsWhatWasLent("overwritten", (file, open) -> {
            open.write(ByteBuffer.wrap(random(3, 70_000)), 1000, Stability.UNSTABLE);
            assertThat(read(file, 1000, 70_000)).isEqualTo(random(3, 70_000));
            assertThat(read(file, 0, 1000)).isEqualTo(Arrays.copyOf(random(7, FILE_BYTES), 1000));
        });
        assertKeepsWhatWasLent("cut", (file, open) -> {
            fs.setAttributes(ROOT, file, AttributeChanges.ofSize(12_345));
            fs.setAttributes(ROOT, file, AttributeChanges.ofSize(FILE_BYTES));
            byte[] expected = Arrays.copyOf(Arrays.copyOf(random(7, FILE_BYTES), 12_345), FILE_BYTES);
            assertThat(read(file, 0, FILE_BYTES)).isEqualTo(expected);
        });
        assertKeepsWhatWasLent("emptied", (file, open) -> {
            fs.setAttributes(ROOT, file, AttributeChanges.ofSize(0L));
            open.write(ByteBuffer.wrap(zeroes), 0, Stability.UNSTABLE);
        });
        if (can(Capability.HOLES)) {
            assertKeepsWhatWasLent("punched", (file, open) -> {
                open.deallocate(5, 100_000);
                byte[] expected = random(7, FILE_BYTES);
                Arrays.fill(expected, 5, 100_005, (byte) 0);
                assertThat(read(file, 0, FILE_BYTES)).isEqualTo(expected);
                open.deallocate(150_001, 3);
                Arrays.fill(expected, 150_001, 150_004, (byte) 0);
                assertThat(read(file, 0, FILE_BYTES)).isEqualTo(expected);
            });
        }
        assertKeepsWhatWasLent("removed", (_, _) -> fs.remove(ROOT, root, name("removed")));
    }

    @Test
    void lent_fileSystemClosed_staysAsItWas() throws Exception {
        byte[] data = random(7, FILE_BYTES);
        FileHandle file = file(root, "f");
        write(file, 0, data);
        LentPages pages;
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            pages = open.lend(0, FILE_BYTES).orElseThrow();
        }
        restart();
        assertThat(bytesOf(pages)).isEqualTo(data);
        pages.close();
    }

    /**
     * Loans begin and end while others write, cut and punch. Each keeps its bytes, and no file gets those of another.
     */
    @Test
    void lent_whileManyThreadsChangeTheFile_staysAsItWas() throws Exception {
        FileHandle file = file(root, "f");
        write(file, 0, random(7, FILE_BYTES));
        AtomicBoolean over = new AtomicBoolean();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> writers = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int seed = i;
            writers.add(Thread.ofPlatform().start(() -> {
                Random random = new Random(seed);
                try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
                    while (!over.get()) {
                        int offset = random.nextInt(FILE_BYTES);
                        int length = 1 + random.nextInt(FILE_BYTES - offset);
                        open.write(ByteBuffer.wrap(random(random.nextInt(), length)), offset, Stability.UNSTABLE);
                        if (random.nextInt(4) == 0) {
                            fs.setAttributes(ROOT, file, AttributeChanges.ofSize((long) offset));
                        }
                    }
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ)) {
            int loans = 0;
            Random random = new Random(4711);
            for (int i = 0; i < 1000; i++) {
                Optional<LentPages> pages = open.lend(random.nextInt(FILE_BYTES), FILE_BYTES);
                if (pages.isPresent()) {
                    loans++;
                    long before = checksum(pages.get());
                    // Meanwhile the writers go on.
                    assertThat(open.read(ByteBuffer.allocateDirect(FILE_BYTES), 0))
                            .isNotNegative();
                    assertThat(checksum(pages.get())).as("loan %d", i).isEqualTo(before);
                    pages.get().close();
                }
            }
            assertThat(loans).isPositive();
        } finally {
            over.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
        }
        assertThat(failures).isEmpty();
    }

    private static long checksum(LentPages pages) {
        CRC32C crc = new CRC32C();
        pages.buffers().forEach(buffer -> crc.update(buffer.slice()));
        return crc.getValue();
    }
}
