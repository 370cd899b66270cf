package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.testkit.ceph.CephCluster;
import org.warpnfs.testkit.ceph.CephCluster.Daemon;

/**
 * A pool that holds as much as its quota allows: what is there can be read, writes are refused and never reported as
 * stable, nothing waits, and all goes on when there is room. The pool with the names has room.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CephFullPoolTest {
    private static final int THERE_BYTES = 200_000;
    private static final int QUOTA_BYTES = 100_000;
    private static final int PIECE_BYTES = 1_000;

    private CephCluster cluster;
    private CephOptions options;
    private FileHandle file;

    @BeforeEach
    void start() throws Exception {
        CephCluster.skipUnlessLimitsArePossible(Assumptions::abort);
        cluster = CephCluster.start();
        cluster.start(Daemon.MANAGER);
        Mount top = CephBackend.mountTop(cluster);
        options = CephBackend.options(cluster, CephBackend.newDirectory(top, 1L << 34));
        top.unmount();
        top.release();
        try (CephFileSystem fs = CephFileSystem.open(options)) {
            file = create(fs, "file");
            write(fs, THERE_BYTES, 1);
        }
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static FileHandle create(CephFileSystem fs, String name) throws FsException {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        return fs.create(Caller.ROOT, fs.root(), FileName.of(name), mode).node().handle();
    }

    private void write(CephFileSystem fs, int bytes, int value) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(bytes(bytes, value), 0, Stability.FILE_SYNC);
        }
    }

    private static ByteBuffer bytes(int count, int value) {
        ByteBuffer data = ByteBuffer.allocateDirect(count);
        while (data.hasRemaining()) {
            data.put((byte) value);
        }
        return data.flip();
    }

    private static Optional<FsError> refusal(Call call) throws Exception {
        try {
            call.run();
            return Optional.empty();
        } catch (FsException e) {
            return Optional.of(e.error());
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    private byte first(CephFileSystem fs) throws FsException {
        ByteBuffer sink = ByteBuffer.allocateDirect(PIECE_BYTES);
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            assertThat(open.read(sink, 0)).isEqualTo(PIECE_BYTES);
        }
        return sink.get(0);
    }

    private void awaitWritten(CephFileSystem fs, int value) throws Exception {
        Optional<FsError> refusal = refusal(() -> write(fs, PIECE_BYTES, value));
        while (refusal.isPresent()) {
            assertThat(refusal).contains(FsError.NO_SPACE);
            Thread.sleep(50);
            refusal = refusal(() -> write(fs, PIECE_BYTES, value));
        }
        try (CephFileSystem other = CephFileSystem.open(options)) {
            assertThat(first(other)).isEqualTo((byte) value);
        }
    }

    /** The library knows of it when it has asked an OSD, or when it mounts. */
    @Test
    void gatewaysThatHaveUsedNoData_readAndGetNoSpace_untilThereIsRoom() throws Exception {
        try (CephFileSystem reads = CephFileSystem.open(options);
                CephFileSystem writes = CephFileSystem.open(options)) {
            cluster.limitData(QUOTA_BYTES);

            assertThat(first(reads)).as("of a mount from before").isEqualTo((byte) 1);
            assertThat(refusal(() -> write(writes, PIECE_BYTES, 2)))
                    .as("at a mount from before")
                    .contains(FsError.NO_SPACE);
            try (CephFileSystem started = CephFileSystem.open(options)) {
                assertThat(first(started)).as("of a mount since").isEqualTo((byte) 1);
                assertThat(refusal(() -> write(started, PIECE_BYTES, 2)))
                        .as("at a mount since")
                        .contains(FsError.NO_SPACE);
                FileHandle _ = create(started, "new");
                started.remove(Caller.ROOT, started.root(), FileName.of("new"));
                assertThat(started.fault()).isEmpty();
            }
            assertThat(first(reads)).as("what was refused").isEqualTo((byte) 1);

            cluster.endLimit();
            awaitWritten(writes, 3);
        }
    }

    @Test
    void commitThatWaits_isRefusedWhenThePoolBecomesFull_thoughTheOsdDoesNotAnswer() throws Exception {
        // So that the cluster knows how much is there.
        cluster.limitData(QUOTA_BYTES);
        cluster.endLimit();
        try (CephFileSystem fs = CephFileSystem.open(options)) {
            awaitWritten(fs, 2);
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
                long verifier = fs.writeVerifier();
                cluster.pause(Daemon.OSD);
                open.write(bytes(PIECE_BYTES, 3), 0, Stability.UNSTABLE);
                FutureTask<Optional<FsError>> commit = new FutureTask<>(() -> refusal(open::sync));
                Thread.ofPlatform().daemon().start(commit);
                cluster.limitData(QUOTA_BYTES);
                assertThat(commit.get()).contains(FsError.NO_SPACE);
                assertThat(fs.writeVerifier()).isNotEqualTo(verifier);
                cluster.resume(Daemon.OSD);
            }
            cluster.endLimit();
            awaitWritten(fs, 4);
        }
    }
}
