package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.dcache.oncrpc4j.rpc.RpcAuthStat;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.payload.PayloadPool;

/** Behaviour of the program outside of its procedures. */
class Nfs3ProgramTest {
    private final AtomicReference<Runnable> beforeEach = new AtomicReference<>(() -> {});
    private final FileSystem memory = new MemoryFileSystem(1 << 20, 100);
    /** Runs a task before each operation of the backend, which can fail or delay it. */
    private final FileSystem interrupted = (FileSystem) Proxy.newProxyInstance(
            FileSystem.class.getClassLoader(), new Class<?>[] {FileSystem.class}, (_, method, args) -> {
                if (!method.getName().equals("root")) {
                    beforeEach.get().run();
                }
                try {
                    return method.invoke(memory, args);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    private final V3Server server = new V3Server(interrupted);

    private CallWriter call(int xid, int version, int procedure) {
        return CallWriter.call(xid, Nfs3Program.PROGRAM, version, procedure);
    }

    @Test
    void null_anyCredential_isAnswered() {
        ReplyReader reply = new ReplyReader(server.send(call(1, 3, 0).authNone().toBytes()));
        assertThat(reply.stat()).isEqualTo(ReplyReader.SUCCESS);
        assertThat(reply.remaining()).isZero();
    }

    @Test
    void procedure_unknown_isUnavailable() {
        for (int procedure : new int[] {22, 23, 1000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            ReplyReader reply = new ReplyReader(
                    server.send(call(1, 3, procedure).authSys(1, 1).toBytes()));
            assertThat(reply.stat()).isEqualTo(ReplyReader.PROC_UNAVAIL);
        }
    }

    @Test
    void version_other_isAMismatch() {
        for (int version : new int[] {0, 2, 4}) {
            ReplyReader reply =
                    new ReplyReader(server.send(call(1, version, 0).authNone().toBytes()));
            assertThat(reply.stat()).isEqualTo(ReplyReader.PROG_MISMATCH);
            assertThat(reply.word()).isEqualTo(3);
            assertThat(reply.word()).isEqualTo(3);
        }
    }

    @Test
    void credential_tooManyGroups_isDenied() {
        ReplyReader reply = new ReplyReader(server.send(
                call(1, 3, 1).authSys(1, 1, new int[17]).opaque(server.root()).toBytes()));
        assertThat(reply.isDenied()).isTrue();
        assertThat(reply.stat()).isEqualTo(RpcAuthStat.AUTH_BADCRED);
    }

    @Test
    void credential_none_isTheAnonymousUser() {
        byte[] shut = server.file("shut", 0600, "x");
        V3Reply reply = new V3Reply(server.send(call(1, 3, V3Server.READ)
                .authNone()
                .opaque(shut)
                .hyper(0)
                .words(1)
                .toBytes()));
        assertThat(reply.status()).isEqualTo(Nfs3Status.ACCES);
    }

    @Test
    void backend_bug_isAServerFaultOfThatCallAlone() {
        byte[] file = server.file("f", 0600, "x");
        byte[] root = server.root();
        beforeEach.set(() -> {
            throw new IllegalStateException("a bug, made for this test");
        });
        for (int procedure = 1; procedure <= 21; procedure++) {
            V3Reply reply =
                    server.call(procedure, c -> c.opaque(file).opaque(root).words(new int[64]));
            if (reply.stat() == ReplyReader.SUCCESS) {
                assertThat(reply.status())
                        .as("procedure %d", procedure)
                        .isIn(Nfs3Status.SERVERFAULT, Nfs3Status.INVAL, Nfs3Status.ACCES, Nfs3Status.BADHANDLE);
            }
        }
        beforeEach.set(() -> {});
        assertThat(server.attributes(file).size()).isEqualTo(1);
    }

    @Test
    void repetition_onAnotherConnection_hasTheFirstAnswer() {
        server.file("f", 0600, "x");
        byte[] message =
                server.begin(V3Server.REMOVE).opaque(server.root()).string("f").toBytes();
        byte[] first = server.send(message);
        byte[] again = server.send(new InetSocketAddress(InetAddress.getLoopbackAddress(), 901), message);
        assertThat(new V3Reply(first).status()).isEqualTo(Nfs3Status.OK);
        assertThat(again).isEqualTo(first);
    }

    @Test
    void sameXid_otherCallOrCaller_isACallOfItsOwn() {
        server.file("f", 0666, "x");
        server.file("g", 0666, "x");
        byte[] root = server.root();
        assertThat(removeWithXid9(1000, "f", root)).isEqualTo(Nfs3Status.OK);
        assertThat(removeWithXid9(1000, "g", root)).isEqualTo(Nfs3Status.OK);
        assertThat(removeWithXid9(1001, "f", root)).isEqualTo(Nfs3Status.NOENT);
        assertThat(removeWithXid9(1000, "f", root)).isEqualTo(Nfs3Status.OK);
    }

    private Nfs3Status removeWithXid9(int uid, String name, byte[] root) {
        return new V3Reply(server.send(call(9, 3, V3Server.REMOVE)
                        .authSys(uid, 100)
                        .opaque(root)
                        .string(name)
                        .toBytes()))
                .status();
    }

    @Test
    void repetition_whileTheFirstIsBusy_waitsForItsAnswer() throws Exception {
        byte[] root = server.root();
        byte[] message = server.begin(V3Server.MKDIR)
                .opaque(root)
                .string("d")
                .words(V3Server.NO_SATTR)
                .toBytes();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        beforeEach.set(() -> {
            if (runs.getAndIncrement() == 0) {
                entered.countDown();
                awaitQuietly(release);
            }
        });
        CompletableFuture<byte[]> first = CompletableFuture.supplyAsync(() -> server.send(message));
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<byte[]> second = CompletableFuture.supplyAsync(() -> server.send(message));
        release.countDown();
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(first.get(20, TimeUnit.SECONDS));
        assertThat(new V3Reply(first.join()).status()).isEqualTo(Nfs3Status.OK);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void change_whileAnotherOverlaps_hasNoAttributesFromBefore() {
        byte[] root = server.root();
        AtomicInteger depth = new AtomicInteger();
        beforeEach.set(() -> {
            if (depth.getAndIncrement() == 2) {
                V3Reply inner = server.call(
                        V3Server.MKDIR, c -> c.opaque(root).string("inner").words(V3Server.NO_SATTR));
                assertThat(inner.status()).isEqualTo(Nfs3Status.OK);
                inner.postOpHandle();
                inner.postOp();
                assertThat(inner.wcc().before()).isNull();
            }
        });
        V3Reply outer =
                server.call(V3Server.MKDIR, c -> c.opaque(root).string("outer").words(V3Server.NO_SATTR));
        assertThat(outer.status()).isEqualTo(Nfs3Status.OK);
        outer.postOpHandle();
        outer.postOp();
        V3Reply.Wcc wcc = outer.wcc();
        assertThat(depth.get()).isGreaterThan(3);
        assertThat(wcc.before()).isNull();
        assertThat(wcc.after()).isNotNull();
    }

    @Test
    void construct_poolSmallerThanATransfer_saysSo() {
        assertThatThrownBy(() -> new Nfs3Program(new Nfs3Server(
                        server.exports,
                        server.handles,
                        new PayloadPool(1 << 16, 1 << 16),
                        Nfs3Options.of(1),
                        org.warpnfs.nfs.export.FileChanges.UNWATCHED,
                        new ReplyCache(1, System::nanoTime))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pool");
        assertThatThrownBy(() -> new Nfs3Options(1, 1, 1, 1)).hasMessageContaining("transfer sizes");
    }

    @Test
    void status_everyErrorOfABackend_hasOne() {
        for (org.warpnfs.fs.spi.FsError error : org.warpnfs.fs.spi.FsError.values()) {
            assertThat(Nfs3Status.of(error)).isNotNull().isNotEqualTo(Nfs3Status.OK);
        }
        assertThat(List.of(Nfs3Status.values())).extracting(Nfs3Status::code).doesNotHaveDuplicates();
    }
}
