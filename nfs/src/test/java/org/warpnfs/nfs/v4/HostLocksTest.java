package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Locks of NFSv4 clients on a file of the host that somebody else locks too. */
@Timeout(60)
class HostLocksTest {
    private static final int READ_LT = 1;
    private static final int WRITE_LT = 2;
    private static final int WRITEW_LT = 4;

    @TempDir
    private Path directory;

    private LocalFileSystem files;
    private LocalFileSystem elsewhere;
    private V4Server server;
    private V4Client client;
    private OwnerLocks other;
    private int[] open;

    @BeforeEach
    void start() throws Exception {
        files = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        server = V4Server.exporting(Map.of("/data", files));
        client = V4Client.mounted(server, "c", 0);
        open = client.create("f");
        elsewhere = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        other = elsewhere.openLocks(
                elsewhere
                        .lookup(Caller.ROOT, elsewhere.root(), FileName.of("f"))
                        .handle(),
                OpenAccess.READ_WRITE);
    }

    @AfterEach
    void stop() {
        server.close();
        files.close();
        elsewhere.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private int[] locked(int type, long offset, long length) {
        Reply locked = client.run(file().lock(type, false, offset, length, open, "alice"));
        locked.afterFile().op(OpCode.LOCK);
        return locked.stateid();
    }

    private boolean isFree(long at) throws Exception {
        boolean free = other.tryLock(true, at, at).isEmpty();
        other.unlock(at, at);
        return free;
    }

    @Test
    void lock_ofAClient_isSeenByTheHostUntilItIsUnlockedOrClosed() throws Exception {
        int[] lock = locked(WRITE_LT, 10, 10);
        assertThat(isFree(9)).isTrue();
        assertThat(isFree(10)).isFalse();
        client.run(file().unlock(lock, 10, 5));
        assertThat(isFree(14)).isTrue();
        assertThat(isFree(15)).isFalse();
        client.run(file().close(open));
        assertThat(isFree(15)).isTrue();
    }

    @Test
    void lockOfTheHost_isTheHolderOfAnUnknownClient() throws Exception {
        assertThat(other.tryLock(true, 5, 9)).isEmpty();
        for (Ops denied : new Ops[] {
            file().lock(READ_LT, false, 0, -1, open, "alice"), file().lockTest(READ_LT, 0, -1, client.clientId, "bob")
        }) {
            Reply reply = client.send(denied).afterFile();
            int _ = reply.word();
            assertThat(reply.word()).isEqualTo(Nfs4Status.DENIED.code());
            assertThat(reply.hyper()).as("offset").isEqualTo(5);
            assertThat(reply.hyper()).as("length").isEqualTo(5);
            assertThat(reply.word()).isEqualTo(WRITE_LT);
            assertThat(reply.hyper()).as("client id").isZero();
            assertThat(reply.string()).isEqualTo("host");
        }
        assertThat(client.statusOf(file().close(open))).as("nothing is left").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void waiter_forALockOfTheHost_isToldByACallback() throws Exception {
        V4Client waiter = V4Client.callable(server, "waiter", 0);
        int[] theirs = waiter.open("o", "f", 3);
        Ops ask = file().lock(WRITEW_LT, false, 0, 10, theirs, "bob");
        assertThat(other.tryLock(true, 0, 9)).isEmpty();
        assertThat(waiter.statusOf(ask)).isEqualTo(Nfs4Status.DENIED);
        assertThat(waiter.nextCallback()).isNull();
        other.unlock(0, 9);
        CallbackSeen told = waiter.nextCallback();
        while (told == null) {
            Thread.sleep(10);
            told = waiter.nextCallback();
        }
        assertThat(told.operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        waiter.answerRecall(told, 0);
        assertThat(waiter.statusOf(file().lock(WRITEW_LT, false, 0, 10, theirs, "bob")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(isFree(0)).isFalse();
    }

    @Test
    void lock_ofAClientWhoseLeaseRanOut_isNotInTheWay() throws Exception {
        int[] _ = locked(WRITE_LT, 0, 10);
        server.pass(Duration.ofSeconds(200));
        V4Client late = V4Client.mounted(server, "late", 0);
        int[] opened = late.open("o", "f", 3);
        assertThat(late.statusOf(file().lock(WRITE_LT, false, 0, 10, opened, "bob")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(isFree(0)).isFalse();
    }

    /** Nobody calls, and no client wants the lock: a process of the host does, and cannot ask. */
    @Test
    void lock_ofAClientThatDied_isReleasedAfterAnotherLease() throws Exception {
        int[] _ = locked(WRITE_LT, 0, 10);
        server.pass(V4Server.LEASE.plusSeconds(1));
        server.program().sweep();
        assertThat(isFree(0))
                .as("its client may have lost its network for a moment")
                .isFalse();
        server.pass(V4Server.LEASE.plusSeconds(1));
        server.program().sweep();
        while (!isFree(0)) {
            Thread.sleep(5);
        }
    }

    /** The first instance's locks on the file stay, as would those of a process that was faster than the client. */
    @Test
    void reclaim_ofWhatTheHostHasMeanwhile_isAConflict(@TempDir Path state) throws Exception {
        try (V4Server again = V4Server.restarting(state, files)) {
            V4Client holder = V4Client.mounted(again, "holder", 0);
            Reply opened =
                    holder.run(new Ops().data().openCreate("o", "g", 3, 0).getFh());
            int[] old = opened.afterData().open();
            byte[] handle = opened.getFh();
            holder.run(new Ops().putFh(handle).lock(WRITE_LT, false, 0, 10, old, "l"));

            again.start();
            holder.connect();
            Reply reclaimed = holder.run(new Ops().putFh(handle).openPrevious("o", 3));
            reclaimed.op(OpCode.PUTFH);
            int[] open = reclaimed.open();

            assertThat(holder.statusOf(new Ops().putFh(handle).lock(WRITE_LT, true, 0, 10, open, "l")))
                    .isEqualTo(Nfs4Status.RECLAIM_CONFLICT);
            assertThat(holder.statusOf(new Ops().putFh(handle).lock(WRITE_LT, true, 10, 10, open, "l")))
                    .isEqualTo(Nfs4Status.OK);
        }
    }
}
