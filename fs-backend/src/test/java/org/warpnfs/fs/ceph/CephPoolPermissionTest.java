package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

/** A user of the cluster whose capabilities do not reach the pool with the contents. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CephPoolPermissionTest {
    @Test
    void data_thatTheOsdsRefuse_areNeverReportedAsStable() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        try (CephCluster cluster = CephCluster.startWithKeys()) {
            cluster.addReader("reader");
            try (CephFileSystem writer = open(cluster, "admin");
                    CephFileSystem reader = open(cluster, "reader")) {
                CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
                FileHandle file = writer.create(Caller.ROOT, writer.root(), FileName.of("file"), mode)
                        .node()
                        .handle();
                write(writer, file, 1);

                assertThat(first(reader, file)).isEqualTo((byte) 1);
                long verifier = reader.writeVerifier();
                assertThatThrownBy(() -> write(reader, file, 2))
                        .isInstanceOfSatisfying(
                                FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.IO));
                assertThat(reader.writeVerifier()).isNotEqualTo(verifier);
                assertThat(first(writer, file)).isEqualTo((byte) 1);
            }
        }
    }

    private static CephFileSystem open(CephCluster cluster, String user) throws Exception {
        // As in a server, whose next mount makes the cluster end the one before.
        String name = "mount of " + user;
        return CephFileSystem.open(new CephOptions(cluster.configuration(), user, CephCluster.FILE_SYSTEM, "/", name));
    }

    private static void write(CephFileSystem fs, FileHandle file, int value) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            ByteBuffer data = ByteBuffer.allocateDirect(1).put((byte) value).flip();
            open.write(data, 0, Stability.FILE_SYNC);
        }
    }

    private static byte first(CephFileSystem fs, FileHandle file) throws FsException {
        ByteBuffer sink = ByteBuffer.allocateDirect(1);
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
            assertThat(open.read(sink, 0)).isEqualTo(1);
        }
        return sink.get(0);
    }
}
