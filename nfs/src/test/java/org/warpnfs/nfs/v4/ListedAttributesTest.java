package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Listings with attributes of files that a client with write delegations may have changed in its cache. */
@Timeout(60)
class ListedAttributesTest {
    private static final long ABSENT = -1;
    private static final long WRITTEN_BYTES = 100;
    private static final int FATTR3_BYTES = 84;
    private static final int SIZE_AT = 20;

    private final V4Server server = new V4Server();
    private V4Client holder;
    private V4Client other;
    private Nfs3Program nfs3;
    private byte[] root;

    @BeforeEach
    void delegate() {
        server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
        server.newFile("g", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
        holder = V4Client.callable(server, "a", 0);
        other = V4Client.mounted(server, "b", 0);
        holder.writeDelegation("f");
        holder.writeDelegation("g");
        nfs3 = new Nfs3Program(new Nfs3Server(
                server.exports,
                server.handles,
                server.payloads,
                Nfs3Options.of(7),
                server.program().fileChanges(),
                server.replies));
        root = server.handles.encode(
                server.exports.byPath(PseudoPath.of("/data")).root());
        server.program().setPatience(Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** The sizes of files by READDIR of NFSv4, or that the entry says DELAY. */
    private Map<String, Long> listed(V4Client by) {
        Reply reply = by.run(new Ops().data().readDir(0, 4000, 4000, Attributes.SIZE, Attributes.RDATTR_ERROR))
                .afterData();
        reply.op(OpCode.READDIR);
        reply.hyper();
        Map<String, Long> sizes = new LinkedHashMap<>();
        while (reply.bool()) {
            reply.hyper();
            String name = reply.string();
            int words = reply.word();
            int first = reply.word();
            if (words > 1) {
                reply.word();
            }
            reply.word();
            boolean hasSize = (first & 1 << Attributes.SIZE) != 0;
            long size = hasSize ? reply.hyper() : ABSENT;
            assertThat(Reply.of(reply.word())).isEqualTo(hasSize ? Nfs4Status.OK : Nfs4Status.DELAY);
            sizes.put(name, size);
        }
        return sizes;
    }

    /** The sizes of files by READDIRPLUS of NFSv3. */
    private Map<String, Long> listedPlus() throws Exception {
        byte[] call = CallWriter.call(9, 100003, 3, 17)
                .authSys(0, 0)
                .opaque(root)
                .hyper(0)
                .hyper(0)
                .words(4000, 4000)
                .toBytes();
        ByteBuffer reply = ByteBuffer.wrap(V4Server.newConnection().call(nfs3, call));
        reply.position(24);
        assertThat(reply.getInt()).as("NFS3_OK").isZero();
        sizeOf(reply);
        reply.getLong();
        Map<String, Long> sizes = new LinkedHashMap<>();
        while (reply.getInt() != 0) {
            reply.getLong();
            String name = new String(opaque(reply), StandardCharsets.US_ASCII);
            reply.getLong();
            long size = sizeOf(reply);
            assertThat(reply.getInt()).as("a handle").isEqualTo(1);
            opaque(reply);
            if (!name.startsWith(".")) {
                sizes.put(name, size);
            }
        }
        return sizes;
    }

    private static byte[] opaque(ByteBuffer reply) {
        byte[] bytes = new byte[reply.getInt()];
        reply.get(bytes);
        reply.position(reply.position() + (-bytes.length & 3));
        return bytes;
    }

    private static long sizeOf(ByteBuffer reply) {
        if (reply.getInt() == 0) {
            return ABSENT;
        }
        long size = reply.getLong(reply.position() + SIZE_AT);
        reply.position(reply.position() + FATTR3_BYTES);
        return size;
    }

    /** Lists while the holder answers what it is asked: it has written to each file. */
    private Map<String, Long> answered(Callable<Map<String, Long>> listing) throws Exception {
        CompletableFuture<Map<String, Long>> sizes = CompletableFuture.supplyAsync(() -> {
            try {
                return listing.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        while (!sizes.isDone()) {
            CallbackSeen question = holder.nextCallback();
            if (question != null) {
                assertThat(question.operation).isEqualTo(CallbackSeen.CB_GETATTR);
                holder.answerGetAttr(question, 12_345, WRITTEN_BYTES);
            }
            Thread.onSpinWait();
        }
        return sizes.get(30, TimeUnit.SECONDS);
    }

    @Test
    void readdir_filesThatTheirHolderHasWritten_haveItsSizes() throws Exception {
        assertThat(answered(() -> listed(other))).isEqualTo(Map.of("f", WRITTEN_BYTES, "g", WRITTEN_BYTES));
        assertThat(holder.nextCallback()).as("no recall").isNull();
    }

    @Test
    void readdirplus_filesThatTheirHolderHasWritten_haveItsSizes() throws Exception {
        assertThat(answered(this::listedPlus)).isEqualTo(Map.of("f", WRITTEN_BYTES, "g", WRITTEN_BYTES));
        assertThat(holder.nextCallback()).as("no recall").isNull();
    }

    @Test
    void readdir_byTheHolder_asksNobody() {
        assertThat(listed(holder)).isEqualTo(Map.of("f", 8L, "g", 8L));
        assertThat(holder.nextCallback()).isNull();
    }

    @Test
    void readdir_holderDoesNotAnswer_asksOnce_andSaysWhy() {
        server.program().setPatience(Duration.ZERO);
        assertThat(listed(other)).isEqualTo(Map.of("f", ABSENT, "g", ABSENT));
        assertAskedOnce();
    }

    @Test
    void readdirplus_holderDoesNotAnswer_asksOnce_andLeavesAttributesOut() throws Exception {
        server.program().setPatience(Duration.ZERO);
        assertThat(listedPlus()).isEqualTo(Map.of("f", ABSENT, "g", ABSENT));
        assertAskedOnce();
    }

    private void assertAskedOnce() {
        assertThat(holder.nextCallback().operation).isEqualTo(CallbackSeen.CB_GETATTR);
        assertThat(holder.nextCallback().operation).as("CB_RECALL").isEqualTo(4);
        assertThat(holder.nextCallback()).isNull();
    }
}
