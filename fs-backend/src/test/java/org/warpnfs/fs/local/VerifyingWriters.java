package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * Writers that behave as NFS clients do. Each writes blocks that no other writes, some as stable, the others to be
 * committed later, and remembers which of them were acknowledged as stable. Between writes, some try to create files.
 */
final class VerifyingWriters implements AutoCloseable {
    static final int COUNT = 8;
    static final int BLOCK_BYTES = 4096;
    /** Number of blocks of one writer, which are adjacent. */
    private static final int MAX_WRITES = 1000;

    private static final long LIMIT_SECONDS = 120;

    private final LocalFileSystem fs;
    private final List<FileHandle> files = new ArrayList<>();
    private final Map<Integer, Boolean> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Boolean> made = new ConcurrentHashMap<>();
    private final Queue<FsError> failures = new ConcurrentLinkedQueue<>();
    private final Semaphore allowed = new Semaphore(0);
    private final AtomicInteger done = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(COUNT);
    private final List<Future<Void>> running = new ArrayList<>();
    private volatile boolean stopping;
    private int wanted;

    /** Makes writers that share so many files, which are created in the root. */
    VerifyingWriters(LocalFileSystem fs, int fileCount) throws FsException {
        this.fs = fs;
        for (int i = 0; i < fileCount; i++) {
            files.add(newFile(fs, fs.root(), "f" + i));
        }
        for (int writer = 0; writer < COUNT; writer++) {
            int number = writer;
            Callable<Void> client = () -> {
                write(number);
                return null;
            };
            running.add(threads.submit(client));
        }
    }

    /** The errors that they were answered. */
    Queue<FsError> failures() {
        return failures;
    }

    /** Lets them write so many more blocks. Returns when half of these are done and the others are in progress. */
    void goOn(int writes) throws InterruptedException {
        awaitDone(wanted);
        wanted += writes;
        allowed.release(writes);
        awaitDone(wanted - writes / 2);
    }

    private void awaitDone(int writes) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (done.get() < writes) {
            assertThat(System.nanoTime() - deadline).as("writers stand still").isNegative();
            Thread.sleep(1);
        }
    }

    /** Lets them finish their blocks, and ends them. */
    void end() throws Exception {
        awaitDone(wanted);
        stopping = true;
        allowed.release(COUNT);
        for (Future<Void> writer : running) {
            writer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Contents of a block, which depend on its number only. */
    static ByteBuffer block(int seed) {
        byte[] bytes = new byte[BLOCK_BYTES];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private void write(int writer) throws Exception {
        Map<Integer, Long> uncommitted = new HashMap<>();
        for (int i = 0; i < MAX_WRITES; i++) {
            allowed.acquire();
            if (stopping) {
                return;
            }
            int block = writer * MAX_WRITES + i;
            try (OpenFile open = fs.open(Caller.ROOT, files.get(writer % files.size()), OpenAccess.READ_WRITE)) {
                writeBlock(open, block, uncommitted);
                if (i % 7 == 6) {
                    commit(open, uncommitted);
                }
                if (i % 10 == 9) {
                    String name = "made" + block;
                    newFile(fs, fs.root(), name);
                    made.put(name, true);
                }
            } catch (FsException e) {
                failures.add(e.error());
            }
            done.incrementAndGet();
        }
        throw new AssertionError("no more blocks");
    }

    private void writeBlock(OpenFile open, int block, Map<Integer, Long> uncommitted) throws FsException {
        boolean stable = block % 3 == 0;
        long verifier = fs.writeVerifier();
        open.write(block(block), (long) block * BLOCK_BYTES, stable ? Stability.FILE_SYNC : Stability.UNSTABLE);
        if (stable) {
            acknowledged.put(block, true);
        } else {
            uncommitted.put(block, verifier);
        }
    }

    private void commit(OpenFile open, Map<Integer, Long> uncommitted) throws FsException {
        open.sync();
        long now = fs.writeVerifier();
        uncommitted.forEach((block, then) -> {
            if (then == now) {
                acknowledged.put(block, true);
            }
        });
        uncommitted.clear();
    }

    /** Checks that everything that was acknowledged as stable is in this file system, which has the same files. */
    void verify(LocalFileSystem back) throws FsException {
        assertThat(acknowledged).isNotEmpty();
        for (int block : acknowledged.keySet()) {
            int file = block / MAX_WRITES % files.size();
            FileHandle handle = back.lookup(Caller.ROOT, back.root(), FileName.of("f" + file))
                    .handle();
            ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
            try (OpenFile open = back.open(Caller.ROOT, handle, OpenAccess.READ)) {
                open.read(read, (long) block * BLOCK_BYTES);
            }
            assertThat(read.array())
                    .as("block %s, acknowledged as stable", block)
                    .isEqualTo(block(block).array());
        }
        for (String name : made.keySet()) {
            back.lookup(Caller.ROOT, back.root(), FileName.of(name));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
