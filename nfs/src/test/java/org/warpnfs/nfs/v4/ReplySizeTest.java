package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.v4.op.ReplyRoom;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * No reply of a session is longer than its channel takes, and none that is kept is longer than the channel keeps (RFC
 * 8881, sections 2.10.6.4 and 18.36.3): each operation whose result has a variable length, in sessions of each size.
 */
class ReplySizeTest {
    private static final int LEAST_BYTES = 256;
    private static final int LARGE_BYTES = 65536;
    private static final String LONG = "x".repeat(1000);
    /** The sizes below the reply's own that are tried one by one; smaller ones in steps. */
    private static final int NEAR_BYTES = 90;

    private static final Set<OpCode> SHORTEN =
            EnumSet.of(OpCode.READ, OpCode.READDIR, OpCode.READ_PLUS, OpCode.LISTXATTRS);

    private final V4Server server = new V4Server();
    private V4Client client;
    private int made;

    @BeforeEach
    void fill() {
        server.newFile("f", 0666, LONG.getBytes(StandardCharsets.US_ASCII));
        client = V4Client.mounted(server, "c", 0);
        V4Client holder = V4Client.mounted(server, "h", 0);
        int[] held = holder.open("o", "f", 3);
        holder.run(new Ops().data().lookup("f").lock(2, false, 0, 10, held, LONG));
        client.run(new Ops().data().makeSymlink("link", LONG, Fattr.mode(0777)));
        client.run(new Ops().data().makeDirectory("d"));
        for (int i = 0; i < 8; i++) {
            String entry = i + "n".repeat(7 * i);
            client.run(new Ops().data().lookup("d").makeDirectory(entry));
            client.run(new Ops().data().lookup("f").setXattr(0, entry, LONG.substring(200 * (i / 7))));
        }
        int[] sparse = client.create("sparse");
        for (int i = 0; i < 6; i++) {
            client.run(new Ops().data().lookup("sparse").write(sparse, i * 16384L, 2, "data"));
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Map<OpCode, Supplier<Ops>> operations() {
        int[] open = client.open("o", "f", 3);
        Map<OpCode, Supplier<Ops>> all = new LinkedHashMap<>();
        all.put(OpCode.GETATTR, () -> file().getAttr(-1 & ~(1 << 11), 0x00ffffff));
        all.put(OpCode.GETFH, () -> file().getFh());
        all.put(OpCode.READLINK, () -> new Ops().data().lookup("link").op(OpCode.READLINK));
        all.put(OpCode.READ, () -> file().read(Ops.ANONYMOUS, 0, 900));
        all.put(OpCode.READ_PLUS, () -> new Ops().data().lookup("sparse").readPlus(Ops.ANONYMOUS));
        all.put(OpCode.READDIR, () -> new Ops().data().lookup("d").readDir(0, 8192, 8192, Fattr.SIZE));
        all.put(OpCode.LISTXATTRS, () -> file().listXattrs(0, 8192));
        all.put(OpCode.GETXATTR, () -> file().add(OpCode.GETXATTR, c -> c.string("7" + "n".repeat(49))));
        all.put(OpCode.LOCK, () -> file().lock(2, false, 0, 10, open, "l"));
        all.put(OpCode.LOCKT, () -> file().lockTest(2, 0, 10, client.clientId, "l"));
        all.put(OpCode.SETATTR, () -> file().setAttr(Fattr.mode(0666)));
        all.put(OpCode.OPEN, () -> new Ops().data().openCreate("o", "new" + made++, 3, 0));
        all.put(OpCode.CREATE, () -> new Ops().data().makeDirectory("new" + made++));
        all.put(OpCode.SECINFO, () -> new Ops().data().named(OpCode.SECINFO, "f"));
        all.put(OpCode.EXCHANGE_ID, () -> new Ops().exchangeId(client.verifier, "other", 0));
        all.put(OpCode.TEST_STATEID, () -> new Ops().add(OpCode.TEST_STATEID, c -> {
            c.words(64);
            for (int i = 0; i < 64; i++) {
                c.words(Ops.ANONYMOUS);
            }
        }));
        return all;
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    @TestFactory
    Iterable<DynamicTest> reply_toEachOperation_isNeverLongerThanItsSession() {
        return operations().entrySet().stream()
                .flatMap(each -> Stream.of(false, true)
                        .map(kept -> DynamicTest.dynamicTest(
                                each.getKey() + (kept ? ", kept" : ""),
                                () -> tryAllSizes(each.getKey(), each.getValue(), kept))))
                .toList();
    }

    private void tryAllSizes(OpCode code, Supplier<Ops> ops, boolean kept) {
        for (int before = 0; before < 3; before++) {
            Supplier<Ops> padded = padded(ops, before);
            int own = size(padded.get(), LARGE_BYTES, LARGE_BYTES, true).length;
            for (int bytes = LEAST_BYTES; bytes <= own + 8; bytes += bytes < own - NEAR_BYTES ? 13 : 1) {
                byte[] reply = size(padded.get(), kept ? LARGE_BYTES : bytes, kept ? bytes : LARGE_BYTES, kept);
                assertThat(reply.length)
                        .as("%s with room for %d of %d", code, bytes, own)
                        .isLessThanOrEqualTo(bytes);
                requireWhole(reply, kept, SHORTEN.contains(code));
            }
        }
    }

    /** Moves the end of the reply by operations with the shortest results. */
    private static Supplier<Ops> padded(Supplier<Ops> ops, int more) {
        return () -> {
            Ops all = new Ops();
            for (int i = 0; i < more; i++) {
                all.root();
            }
            Ops those = ops.get();
            all.writers.addAll(those.writers);
            all.count += those.count;
            return all.root();
        };
    }

    private byte[] size(Ops ops, int replyBytes, int keptBytes, boolean kept) {
        client.readSession(client.sendBare(new Ops().add(OpCode.CREATE_SESSION, c -> c.hyper(client.clientId)
                .words(client.createSequence, 0)
                .words(0, LARGE_BYTES, replyBytes, keptBytes, 64, 1, 0)
                .words(0, 4096, 4096, 0, 2, 16, 0)
                .words(0x40000000, 1, 0))));
        client.cacheThis = kept;
        byte[] reply =
                server.send(client.connection, client.message("", client.minorVersion, client.sequence(0, 1, ops)));
        assertThat(client.statusBare(new Ops().destroySession(client.session))).isEqualTo(Nfs4Status.OK);
        return reply;
    }

    /** The reply is well-formed to its end, and a reply that is too big says so. */
    private static void requireWhole(byte[] message, boolean kept, boolean mayBeShort) {
        Reply reply = new Reply(message);
        Nfs4Status tooBig = kept ? Nfs4Status.REP_TOO_BIG_TO_CACHE : Nfs4Status.REP_TOO_BIG;
        assertThat(reply.status()).isIn(Nfs4Status.OK, Nfs4Status.DENIED, tooBig);
        if (reply.status() == tooBig) {
            ByteBuffer bytes = ByteBuffer.wrap(message);
            boolean emptyBitmap = bytes.getInt(message.length - 4) == 0
                    && bytes.getInt(message.length - 12) == OpCode.SETATTR.number();
            int end = message.length - (emptyBitmap ? 4 : 0);
            assertThat(bytes.getInt(end - 4)).as("the last status").isEqualTo(tooBig.code());
            assertThat(mayBeShort && bytes.getInt(end - 8) == OpCode.READ.number())
                    .as("a READ that could be short")
                    .isFalse();
            assertThat(bytes.getInt(end - 8) == OpCode.SETATTR.number())
                    .as("a SETATTR has its bitmap")
                    .isEqualTo(emptyBitmap);
        }
    }

    @Test
    void changingOperation_whoseResultMayNotFit_isNotExecuted() throws FsException {
        V4Client other = V4Client.callable(server, "other", 0);
        client = other;
        for (OpCode code : List.of(OpCode.CREATE, OpCode.OPEN)) {
            int refused = 0;
            for (int bytes = LEAST_BYTES; bytes <= LEAST_BYTES + 300; bytes++) {
                String name = code + "." + bytes;
                Ops all = new Ops();
                for (int i = 0; i < 9; i++) {
                    all.root();
                }
                all.data();
                all = code == OpCode.CREATE ? all.makeDirectory(name) : all.openCreate("o", name, 3, 0);
                Reply reply = new Reply(size(all.getAttrs(Fattr.SIZE), bytes, LARGE_BYTES, false));
                boolean wasExecuted = reply.count() == all.count + 1;
                refused += wasExecuted ? 0 : 1;
                assertThat(isThere(name)).as("%s in %d bytes", name, bytes).isEqualTo(wasExecuted);
            }
            assertThat(refused).isBetween(1, 290);
        }
    }

    private boolean isThere(String name) throws FsException {
        try {
            server.find(name);
            return true;
        } catch (FsException e) {
            if (e.error() != FsError.NO_ENTRY) {
                throw e;
            }
            return false;
        }
    }

    @Test
    void manyShortOperations_endWithinTheSession() {
        Ops many = new Ops();
        for (int i = 0; i < 60; i++) {
            many.root();
        }
        for (int bytes = LEAST_BYTES; bytes < 560; bytes++) {
            byte[] reply = size(many, bytes, LARGE_BYTES, false);
            assertThat(reply.length).isBetween(bytes - 12, bytes);
            requireWhole(reply, false, false);
        }
    }

    @Test
    void longTag_leavesNoRoomForSequence_isTooBigAndLeavesTheSlot() {
        client.createSession(300, 300);
        byte[] message = client.message("t".repeat(250), 2, client.sequence(0, 1, new Ops().root()));

        Reply refused = new Reply(server.send(client.connection, message));

        assertThat(refused.status()).isEqualTo(Nfs4Status.REP_TOO_BIG);
        client.cacheThis = false;
        assertThat(client.statusBare(client.sequence(0, 1, new Ops().root()))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void readAndReaddir_inASmallSession_areShort() {
        client.createSession(512, 512);
        Reply read = client.run(file().read(Ops.ANONYMOUS, 0, 1000));
        read.afterFile().op(OpCode.READ);
        assertThat(read.bool()).as("the end").isFalse();
        assertThat(read.opaque(1000).length).isBetween(300, 400);

        Reply listed = client.run(new Ops().data().lookup("d").readDir(0, 8192, 8192, Fattr.SIZE));
        listed.afterFile().op(OpCode.READDIR);
        listed.hyper();
        assertThat(listed.bool()).as("an entry").isTrue();
    }

    @Test
    void readdir_withoutRoomForAnEntry_isTooBig() {
        client.run(new Ops().data().makeDirectory("e"));
        client.run(new Ops().data().lookup("e").makeDirectory("y".repeat(250)));
        client.createSession(300, 300);
        client.cacheThis = false;

        assertThat(client.statusOf(new Ops().data().lookup("e").readDir(0, 8192, 8192, Fattr.SIZE)))
                .isEqualTo(Nfs4Status.REP_TOO_BIG);
        assertThat(client.statusOf(new Ops().data().lookup("e").readDir(0, 64, 64, Fattr.SIZE)))
                .isEqualTo(Nfs4Status.TOOSMALL);
    }

    @Test
    void setattr_refusedBeforeItIsExecuted_hasItsBitmap() {
        Reply misplaced = client.sendBare(new Ops().setAttr(Fattr.mode(0666)));

        misplaced.op(OpCode.SETATTR, Nfs4Status.OP_NOT_IN_SESSION);
        assertThat(misplaced.word()).as("length of the bitmap").isZero();
    }

    @Test
    void reply_underProtection_hasRoomForWhatItAdds() {
        // A checksum of aes256-cts-hmac-sha1-96: a header of 16 bytes, and 12.
        int micBytes = 28;

        assertThat(ReplyRoom.overheadBytes(0, Flavor.SYS)).isEqualTo(24);
        assertThat(ReplyRoom.overheadBytes(micBytes, Flavor.KRB5)).isEqualTo(24 + 28);
        assertThat(ReplyRoom.overheadBytes(micBytes, Flavor.KRB5I)).isEqualTo(24 + 28 + 4 + 4 + 4 + 28);
        assertThat(ReplyRoom.overheadBytes(micBytes, Flavor.KRB5P)).isEqualTo(24 + 28 + 4 + 4 + 16 + 16 + 16 + 12);
    }
}
