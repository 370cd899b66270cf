package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
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
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.testkit.ceph.CephCluster;
import org.warpnfs.testkit.ceph.CephCluster.Daemon;

/**
 * Daemons of a cluster that stop, and that die and are replaced, while clients write: calls wait or get TRY_LATER, the
 * fault is told, all goes on afterwards, and what was committed is there.
 */
@Timeout(300)
class CephOutageTest {
    private static final Patience SHORT = new Patience(Duration.ofSeconds(1), 2, 2, 1);

    private CephCluster cluster;
    private CephOptions options;
    private CephFileSystem fs;
    private final List<OutageLoad> loads = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        cluster = CephCluster.start(CephCluster.Store.FILE);
        Mount top = CephBackend.mountTop(cluster);
        options = CephBackend.options(cluster, CephBackend.newDirectory(top, 1L << 34));
        top.unmount();
        top.release();
        fs = CephFileSystem.open(options, SHORT);
    }

    @AfterEach
    void stop() {
        for (OutageLoad load : loads) {
            load.stop();
        }
        if (fs != null) {
            fs.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private FileHandle file(String name) throws FsException {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        return fs.create(Caller.ROOT, fs.root(), FileName.of(name), mode).node().handle();
    }

    @Test
    void daemons_stoppedAndReplacedUnderLoad_loseNothingThatWasCommitted() throws Exception {
        FileHandle locked = file("locked");
        try (OwnerLocks locks = fs.openLocks(locked, OpenAccess.READ_WRITE)) {
            assertThat(locks.tryLock(true, 0, 9)).isEmpty();
            for (int i = 0; i < 3; i++) {
                loads.add(OutageLoad.writing(fs, file("data" + i), i));
            }
            loads.add(OutageLoad.naming(fs));
            loads.forEach(OutageLoad::start);
            awaitProgress("at first");

            cluster.pause(Daemon.METADATA);
            awaitFault();
            assertThat(refusal(() -> fs.attributes(fs.root()))).isEqualTo(FsError.TRY_LATER);
            cluster.resume(Daemon.METADATA);
            awaitWell("the metadata server that was stopped");

            cluster.pause(Daemon.OSD);
            awaitFault();
            cluster.resume(Daemon.OSD);
            awaitWell("the OSD that was stopped");

            cluster.kill(Daemon.OSD);
            awaitFault();
            cluster.start(Daemon.OSD);
            awaitWell("the OSD that was killed");

            cluster.kill(Daemon.METADATA);
            awaitFault();
            cluster.start(Daemon.METADATA);
            awaitWell("the metadata server that was killed");

            cluster.kill(Daemon.MONITOR);
            awaitProgress("without the monitor");
            cluster.start(Daemon.MONITOR);
            awaitWell("the monitor that was killed");

            loads.forEach(OutageLoad::stop);
            try (CephFileSystem other = CephFileSystem.open(options)) {
                try (OwnerLocks theirs = other.openLocks(locked, OpenAccess.READ_WRITE)) {
                    assertThat(theirs.tryLock(true, 0, 9))
                            .as("a lock that was kept")
                            .isPresent();
                }
                for (OutageLoad load : loads) {
                    load.verify(other);
                }
            }
        }
    }

    /** The metadata server answers before its journal has a change, and then both it and the mount are gone. */
    @Test
    void name_thatTheMetadataServerHasLost_isNotReportedAsMade() throws Exception {
        FileHandle before = file("before");
        List<String> clients = cluster.clientAddresses();
        cluster.pause(Daemon.OSD);
        FutureTask<Optional<FsError>> made = new FutureTask<>(() -> {
            try {
                FileHandle _ = file("name");
                return Optional.empty();
            } catch (FsException e) {
                return Optional.of(e.error());
            }
        });
        Thread.ofPlatform().daemon().start(made);
        cluster.awaitEarlyReply();
        cluster.kill(Daemon.METADATA);
        cluster.kill(Daemon.OSD);
        cluster.start(Daemon.OSD);
        cluster.blocklist(clients);
        cluster.start(Daemon.METADATA);
        Optional<FsError> refusal = made.get();
        try (CephFileSystem other = CephFileSystem.open(options)) {
            assertThat(refusal(() -> other.lookup(Caller.ROOT, other.root(), FileName.of("name"))))
                    .isEqualTo(FsError.NO_ENTRY);
        }
        assertThat(refusal).as("of what is not there").contains(FsError.IO);
        assertThat(OutageLoad.patiently(() -> fs.attributes(before)).sizeBytes())
                .isZero();
    }

    /** As after a server was killed: its next process has its name, and waits for nothing that the mount had. */
    @Test
    void mount_ofANameThatIsInUse_endsTheOtherWithItsLocks() throws Exception {
        FileHandle file = file("file");
        Mount killed = Mount.create("admin");
        killed.readConfiguration(cluster.configuration().toString());
        killed.initialize();
        killed.setName("one");
        killed.mount(CephBackend.bytes(options.directory()));
        NameCalls.Found found =
                NameCalls.lookup(killed, InodeCalls.root(killed), CephBackend.bytes("file"), UserPerm.SUPERUSER);
        Fh open = DataCalls.open(killed, found.inode(), DataCalls.O_RDWR, UserPerm.SUPERUSER);
        LockCalls.lock(killed, open, 1, true, 0, 10);
        CephOptions named = new CephOptions(
                options.configuration(), options.id(), options.fileSystem(), options.directory(), "one");
        try (CephFileSystem next = CephFileSystem.open(named);
                OwnerLocks locks = next.openLocks(file, OpenAccess.READ_WRITE)) {
            assertThat(locks.tryLock(true, 0, 9)).isEmpty();
        }
        killed.abort();
        killed.release();
    }

    @Test
    void start_whileTheMetadataServerDoesNotAnswer_tellsThatItWaits_andGoesOn() throws Exception {
        CephOptions named = new CephOptions(
                options.configuration(), options.id(), options.fileSystem(), options.directory(), "one");
        Logger logger = (Logger) LoggerFactory.getLogger(Mounts.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try {
            cluster.pause(Daemon.METADATA);
            FutureTask<CephFileSystem> start = new FutureTask<>(() -> CephFileSystem.open(named, SHORT));
            Thread.ofPlatform().daemon().start(start);
            while (lines.list.stream().noneMatch(line -> line.getFormattedMessage()
                    .contains("a metadata server of Ceph does not answer"))) {
                Thread.sleep(50);
            }
            assertThat(start.isDone()).isFalse();
            cluster.resume(Daemon.METADATA);
            try (CephFileSystem started = start.get()) {
                assertThat(started.fault()).isEmpty();
            }
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void fullCluster_refusesWhatNeedsSpace_untilThereIsRoom() throws Exception {
        FileHandle file = file("file");
        FileHandle _ = file("old");
        long verifier = fs.writeVerifier();
        setFullRatio(0.00001);
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            // The cluster tells its clients when it can.
            FsError refusal = null;
            while (refusal == null) {
                try {
                    open.write(ByteBuffer.allocateDirect(100_000), 0, Stability.FILE_SYNC);
                } catch (FsException e) {
                    refusal = e.error();
                }
            }
            assertThat(refusal).isEqualTo(FsError.NO_SPACE);
            assertThat(refusal(() -> open.write(ByteBuffer.allocateDirect(100_000), 0, Stability.FILE_SYNC)))
                    .isEqualTo(FsError.NO_SPACE);
            fs.remove(Caller.ROOT, fs.root(), FileName.of("old"));
            assertThat(fs.fault()).isEmpty();
            setFullRatio(0.95);
            while (!isWritten(open)) {
                Thread.sleep(50);
            }
        }
        System.out.println("the verifier has " + (fs.writeVerifier() == verifier ? "not " : "") + "changed");
        FileHandle _ = file("new");
    }

    private void setFullRatio(double ratio) throws Exception {
        for (String which : List.of("full", "backfillfull", "nearfull")) {
            cluster.command("osd set-" + which + "-ratio " + ratio);
        }
    }

    private static boolean isWritten(OpenFile open) throws FsException {
        try {
            Stability _ = open.write(ByteBuffer.allocateDirect(100_000), 0, Stability.FILE_SYNC);
            return true;
        } catch (FsException e) {
            assertThat(e.error()).isEqualTo(FsError.NO_SPACE);
            return false;
        }
    }

    @Test
    void close_whileNothingAnswers_ends() throws Exception {
        FileHandle file = file("f");
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[100]), 0, Stability.UNSTABLE);
            cluster.pause(Daemon.OSD);
            cluster.pause(Daemon.METADATA);
            fs.close();
        } finally {
            cluster.resume(Daemon.OSD);
            cluster.resume(Daemon.METADATA);
        }
    }

    private static FsError refusal(Callable<?> call) throws Exception {
        try {
            var _ = call.call();
        } catch (FsException e) {
            return e.error();
        }
        throw new AssertionError("it was not refused");
    }

    private void awaitFault() throws Exception {
        while (fs.fault().isEmpty()) {
            Thread.sleep(50);
        }
        System.out.println(fs.fault().orElse(""));
    }

    private void awaitWell(String after) throws Exception {
        awaitProgress(after);
        while (fs.fault().isPresent()) {
            Thread.sleep(50);
        }
    }

    private void awaitProgress(String when) throws Exception {
        List<Long> before = loads.stream().map(OutageLoad::commits).toList();
        for (int i = 0; i < loads.size(); i++) {
            while (loads.get(i).commits() < before.get(i) + 3) {
                loads.get(i).requireWell(when);
                Thread.sleep(20);
            }
        }
        System.out.println("all clients have gone on: " + when);
    }
}
