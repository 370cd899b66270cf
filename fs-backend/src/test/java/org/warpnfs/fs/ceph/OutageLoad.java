package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** What one client of NFS does, as far as a backend sees it, and what it may rely on afterwards. */
abstract class OutageLoad {
    private static final int BLOCK_BYTES = 16 * 1024;
    private static final int BLOCKS = 64;

    final FileSystem fs;
    private final AtomicLong commits = new AtomicLong();
    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);
    private volatile boolean stopped;
    private volatile Throwable failure;

    OutageLoad(FileSystem fs) {
        this.fs = fs;
    }

    /** One step, which ends with something that a client relies on. */
    abstract void step() throws Exception;

    /** Checks through another gateway. */
    abstract void verify(FileSystem other) throws Exception;

    void start() {
        thread.start();
    }

    long commits() {
        return commits.get();
    }

    void requireWell(String when) {
        if (failure != null) {
            throw new AssertionError(when, failure);
        }
    }

    private void run() {
        try {
            while (!stopped) {
                step();
                commits.incrementAndGet();
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    /** Returns when the step under way is over, or never will be. */
    void stop() {
        stopped = true;
        try {
            if (thread.getState() != Thread.State.NEW) {
                thread.join(60_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @FunctionalInterface
    interface Call<T> {
        T make() throws FsException;
    }

    /** Makes a call as a client does, which tries again on NFS4ERR_DELAY. */
    static <T> T patiently(Call<T> call) throws FsException, InterruptedException {
        while (true) {
            try {
                return call.make();
            } catch (FsException e) {
                if (e.error() != FsError.TRY_LATER) {
                    throw e;
                }
                Thread.sleep(50);
            }
        }
    }

    /** Writes blocks of a file, commits them, and writes again what the verifier says may be lost. */
    static OutageLoad writing(FileSystem fs, FileHandle file, long seed) {
        return new OutageLoad(fs) {
            private final Random random = new Random(seed);
            private final Map<Integer, Long> committed = new HashMap<>();
            private long generation;

            @Override
            void step() throws Exception {
                Map<Integer, Long> written = new HashMap<>();
                for (int i = 0; i < 8; i++) {
                    written.put(random.nextInt(BLOCKS), ++generation);
                }
                // Until the commit either content is right.
                committed.keySet().removeAll(written.keySet());
                try (OpenFile open = patiently(() -> fs.open(Caller.ROOT, file, OpenAccess.WRITE))) {
                    while (!writeAndCommit(open, written)) {
                        Thread.sleep(20);
                    }
                }
                committed.putAll(written);
            }

            private boolean writeAndCommit(OpenFile open, Map<Integer, Long> written) throws Exception {
                long verifier = fs.writeVerifier();
                for (Map.Entry<Integer, Long> block : written.entrySet()) {
                    byte[] bytes = block(seed, block.getKey(), block.getValue());
                    patiently(() -> open.write(
                            ByteBuffer.wrap(bytes), (long) block.getKey() * BLOCK_BYTES, Stability.UNSTABLE));
                }
                try {
                    patiently(() -> {
                        open.sync();
                        return true;
                    });
                } catch (FsException e) {
                    assertThat(e.error()).isEqualTo(FsError.IO);
                    return false;
                }
                return fs.writeVerifier() == verifier;
            }

            @Override
            void verify(FileSystem other) throws Exception {
                requireWell("at the end");
                assertThat(committed).isNotEmpty();
                try (OpenFile open = other.open(Caller.ROOT, file, OpenAccess.READ)) {
                    for (Map.Entry<Integer, Long> block : committed.entrySet()) {
                        ByteBuffer sink = ByteBuffer.allocate(BLOCK_BYTES);
                        int _ = open.read(sink, (long) block.getKey() * BLOCK_BYTES);
                        assertThat(sink.array())
                                .as("block %d of client %d", block.getKey(), seed)
                                .isEqualTo(block(seed, block.getKey(), block.getValue()));
                    }
                }
            }
        };
    }

    private static byte[] block(long seed, int number, long generation) {
        byte[] bytes = new byte[BLOCK_BYTES];
        new Random(seed * 1_000_003 + number * 7919L + generation * 31).nextBytes(bytes);
        return bytes;
    }

    /** Makes and removes names. */
    static OutageLoad naming(FileSystem fs) {
        return new OutageLoad(fs) {
            private final Set<String> there = new HashSet<>();
            private final Set<String> gone = new HashSet<>();
            private int number;

            @Override
            void step() throws Exception {
                String name = "name" + ++number;
                CreateMode mode = new CreateMode.Unchecked(AttributeChanges.ofPermissions(0644));
                var _ = patiently(() -> fs.create(Caller.ROOT, fs.root(), FileName.of(name), mode));
                there.add(name);
                if (number % 3 == 0) {
                    String old = "name" + (number - 2);
                    patiently(() -> {
                        fs.remove(Caller.ROOT, fs.root(), FileName.of(old));
                        return true;
                    });
                    there.remove(old);
                    gone.add(old);
                }
            }

            @Override
            void verify(FileSystem other) throws Exception {
                requireWell("at the end");
                Set<String> found = new HashSet<>();
                boolean all = other.list(
                        Caller.ROOT,
                        other.root(),
                        0,
                        false,
                        entry -> found.add(entry.name().toString()));
                assertThat(all).isTrue();
                assertThat(found).containsAll(there).doesNotContainAnyElementsOf(gone);
            }
        };
    }
}
