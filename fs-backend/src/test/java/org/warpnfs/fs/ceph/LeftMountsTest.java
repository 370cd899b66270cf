package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.Fh;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.LockCalls;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.testkit.ceph.CephCluster;

/** A mount that another client of the cluster ends, since its process is said to have died. */
// Less than the 60 s after which the cluster itself ends a silent one.
@Timeout(value = 50, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeftMountsTest {
    private CephCluster cluster;
    private CephFileSystem fs;
    private FileHandle file;
    private Mount dead;

    @BeforeEach
    void start() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        cluster = CephCluster.start();
        fs = CephFileSystem.open(CephBackend.options(cluster, "/"));
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        file = fs.create(Caller.ROOT, fs.root(), FileName.of("file"), mode)
                .node()
                .handle();
        dead = mounted("dead");
    }

    @AfterEach
    void stop() {
        if (fs != null) {
            dead.abort();
            dead.release();
            fs.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private Mount mounted(String name) throws Exception {
        Mount mount = Mount.create("admin");
        mount.readConfiguration(cluster.configuration().toString());
        mount.initialize();
        mount.setName(name);
        mount.mount(CephBackend.bytes("/"));
        return mount;
    }

    private static Fh opened(Mount mount) throws Exception {
        NameCalls.Found found =
                NameCalls.lookup(mount, InodeCalls.root(mount), CephBackend.bytes("file"), UserPerm.SUPERUSER);
        return DataCalls.open(mount, found.inode(), DataCalls.O_RDWR, UserPerm.SUPERUSER);
    }

    private CephOptions named(String name) {
        return new CephOptions(cluster.configuration(), "admin", CephCluster.FILE_SYSTEM, "/", name);
    }

    @Test
    void mountThatIsEnded_losesItsLocks_andNoOtherMountLosesAnything() throws Exception {
        Mount alive = mounted("alive");
        LockCalls.lock(dead, opened(dead), 1, true, 0, 10);
        LockCalls.lock(alive, opened(alive), 1, true, 20, 10);
        int before = cluster.clientAddresses().size();
        LeftMounts.end(named("dead"));
        try (OwnerLocks locks = fs.openLocks(file, OpenAccess.READ_WRITE)) {
            assertThat(locks.tryLock(true, 0, 9))
                    .as("of the mount that was ended")
                    .isEmpty();
            assertThat(locks.tryLock(true, 20, 29)).as("of the other mount").isPresent();
        }
        assertThat(cluster.clientAddresses()).as("sessions").hasSize(before - 1);
        alive.unmount();
        alive.release();
    }

    @Test
    void nameThatNoMountHas_isNoError_andLeavesNoSession() throws Exception {
        int before = cluster.clientAddresses().size();
        LeftMounts.end(named("nobody"));
        LeftMounts.awaitAnswer(named("dead"));
        assertThat(cluster.clientAddresses()).hasSize(before);
    }
}
