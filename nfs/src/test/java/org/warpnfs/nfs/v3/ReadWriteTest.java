package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.COMMIT;
import static org.warpnfs.nfs.v3.V3Server.MIB;
import static org.warpnfs.nfs.v3.V3Server.READ;
import static org.warpnfs.nfs.v3.V3Server.WRITE;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.payload.Payload;

class ReadWriteTest {
    private static final int UNSTABLE = 0;
    private static final int DATA_SYNC = 1;
    private static final int FILE_SYNC = 2;

    private final V3Server server = new V3Server();
    private final byte[] file = server.file("f", 0640, "hello, world");

    /** READ3resok, with one character for each byte of its data. */
    private record Data(V3Reply.Attributes attributes, boolean eof, String bytes) {}

    private V3Reply read(byte[] handle, long offset, int count) {
        return server.call(READ, c -> c.opaque(handle).hyper(offset).words(count));
    }

    private static Data data(V3Reply reply) {
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Attributes attributes = reply.postOp();
        int count = reply.word();
        boolean eof = reply.bool();
        byte[] bytes = reply.opaque(MIB);
        assertThat(bytes).hasSize(count);
        reply.end();
        // Linux places READ data by the size of what precedes them, so the attributes must be there.
        assertThat(attributes).isNotNull();
        return new Data(attributes, eof, new String(bytes, StandardCharsets.ISO_8859_1));
    }

    private V3Reply write(byte[] handle, long offset, int stable, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return server.call(
                WRITE,
                c -> c.opaque(handle).hyper(offset).words(bytes.length, stable).opaque(bytes));
    }

    private static Nfs3Status refused(V3Reply reply) {
        Nfs3Status status = reply.status();
        assertThat(reply.wcc().before()).isNull();
        reply.end();
        return status;
    }

    @Test
    void read_partOfAFile_isThatPart() {
        Data data = data(read(file, 7, 3));
        assertThat(data.bytes()).isEqualTo("wor");
        assertThat(data.eof()).isFalse();
        assertThat(data.attributes().size()).isEqualTo(12);
    }

    @Test
    void read_upToTheEnd_saysEof() {
        assertThat(data(read(file, 0, 12)).eof()).isTrue();
        Data beyond = data(read(file, 7, 1000));
        assertThat(beyond.bytes()).isEqualTo("world");
        assertThat(beyond.eof()).isTrue();
    }

    @Test
    void read_nothingAsked_saysWhetherTheEndIsThere() {
        assertThat(data(read(file, 0, 0)).eof()).isFalse();
        assertThat(data(read(file, 12, 0)).eof()).isTrue();
    }

    @Test
    void read_offsetsNoFileReaches_areBeyondTheEnd() {
        for (long offset : new long[] {12, Long.MAX_VALUE - 5, Long.MAX_VALUE, Long.MIN_VALUE, -1, -4096}) {
            for (int count : new int[] {0, 1, 4096, MIB, -1}) {
                Data data = data(read(file, offset, count));
                assertThat(data.bytes()).isEmpty();
                assertThat(data.eof()).isTrue();
            }
        }
    }

    @Test
    void read_moreThanTheLimit_isCutToIt() {
        byte[] contents = new byte[MIB + 1000];
        new Random(1).nextBytes(contents);
        byte[] big = server.handle(server.data, server.newFile("big", 0600, contents));
        Data data = data(read(big, 0, -1));
        assertThat(data.bytes()).isEqualTo(new String(contents, 0, MIB, StandardCharsets.ISO_8859_1));
        assertThat(data.eof()).isFalse();
    }

    @Test
    void read_poolUsedUp_isJukebox() {
        Payload[] lent = new Payload[4];
        for (int i = 0; i < lent.length; i++) {
            lent[i] = server.payloads.tryAcquire(MIB);
        }
        byte[] message = server.begin(READ).opaque(file).hyper(0).words(1).toBytes();
        byte[] bytes;
        try {
            bytes = org.warpnfs.nfs.testing.ReplyKeeper.call(server.program, V3Server.CLIENT, message);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        V3Reply reply = new V3Reply(bytes);
        assertThat(reply.status()).isEqualTo(Nfs3Status.JUKEBOX);
        assertThat(reply.postOp()).isNotNull();
        reply.end();
        for (Payload payload : lent) {
            payload.release();
        }
        assertThat(data(read(file, 0, 1)).bytes()).hasSize(1);
    }

    @Test
    void read_notARegularFile_isInvalid() {
        V3Reply reply = read(server.directory("d", 0755), 0, 10);
        assertThat(reply.status()).isEqualTo(Nfs3Status.INVAL);
        assertThat(reply.postOp().type()).isEqualTo(2);
    }

    @Test
    void read_permissions_areJudged() {
        server.uid = 2000;
        server.gid = 2000;
        assertThat(read(file, 0, 5).status()).isEqualTo(Nfs3Status.ACCES);
        byte[] executable = server.file("x", 0711, "#!");
        assertThat(data(read(executable, 0, 5)).bytes()).isEqualTo("#!");
        server.gid = V3Server.GROUP;
        assertThat(data(read(file, 0, 5)).bytes()).isEqualTo("hello");
    }

    @Test
    void read_ownerWithoutPermission_isLetThrough() {
        byte[] shut = server.file("shut", 0, "mine");
        assertThat(data(read(shut, 0, 5)).bytes()).isEqualTo("mine");
        server.uid = 0;
        assertThat(read(shut, 0, 5).status()).as("root is squashed").isEqualTo(Nfs3Status.ACCES);
        assertThat(data(read(server.through(server.trusting, shut), 0, 5)).bytes())
                .isEqualTo("mine");
        server.uid = V3Server.ALICE;
        assertThat(read(server.through(server.squashing, shut), 0, 5).status()).isEqualTo(Nfs3Status.ACCES);
    }

    @Test
    void write_withinAndBeyondTheEnd_isKept() {
        for (int stable : new int[] {UNSTABLE, DATA_SYNC, FILE_SYNC}) {
            V3Reply reply = write(file, 10, stable, "stand");
            assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
            V3Reply.Wcc wcc = reply.wcc();
            assertThat(wcc.after().size()).isEqualTo(15);
            assertThat(reply.word()).isEqualTo(5);
            assertThat(reply.word()).isBetween(stable, FILE_SYNC);
            reply.hyper();
            reply.end();
        }
        assertThat(data(read(file, 0, 100)).bytes()).isEqualTo("hello, worstand");
    }

    @Test
    void write_nothing_succeedsAndChangesNothing() {
        V3Reply reply = write(file, 1000, FILE_SYNC, "");
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.wcc().after().size()).isEqualTo(12);
        assertThat(reply.word()).isZero();
        assertThat(reply.word()).isEqualTo(FILE_SYNC);
    }

    @Test
    void write_countThatIsNotTheDatas_isInvalid() {
        for (int count : new int[] {0, 4, 6, -1}) {
            V3Reply reply = server.call(
                    WRITE, c -> c.opaque(file).hyper(0).words(count, FILE_SYNC).string("HELLO"));
            assertThat(refused(reply)).isEqualTo(Nfs3Status.INVAL);
        }
        assertThat(data(read(file, 0, 100)).bytes()).isEqualTo("hello, world");
    }

    @Test
    void write_whereNoFileReaches_isTooBig() {
        for (long offset : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 3}) {
            assertThat(refused(write(file, offset, FILE_SYNC, "HELLO"))).isEqualTo(Nfs3Status.FBIG);
        }
        assertThat(server.attributes(file).size()).isEqualTo(12);
    }

    @Test
    void write_unknownStability_isGarbage() {
        V3Reply reply = write(file, 0, 3, "x");
        assertThat(reply.stat()).isEqualTo(V3Reply.GARBAGE_ARGS);
    }

    @Test
    void write_permissions_areJudged() {
        server.uid = 2000;
        assertThat(refused(write(file, 0, FILE_SYNC, "x"))).isEqualTo(Nfs3Status.ACCES);
        server.uid = 0;
        assertThat(refused(write(file, 0, FILE_SYNC, "x"))).isEqualTo(Nfs3Status.ACCES);
        assertThat(write(server.through(server.trusting, file), 0, FILE_SYNC, "H")
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(refused(write(server.through(server.readOnly, file), 0, FILE_SYNC, "x")))
                .isEqualTo(Nfs3Status.ROFS);
        assertThat(refused(write(server.directory("d", 0777), 0, FILE_SYNC, "x")))
                .isIn(Nfs3Status.INVAL);
    }

    /** COMMIT has no error for a range (RFC 1813, section 3.3.21), so all of the file is synced. */
    @Test
    void commit_ofARangeThatNoFileHas_isDone() {
        for (long offset : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(server.call(COMMIT, c -> c.opaque(file).hyper(offset).words(-1))
                            .status())
                    .isEqualTo(Nfs3Status.OK);
        }
    }

    @Test
    void commit_afterUnstableWrite_hasTheWritesVerifier() {
        V3Reply write = write(file, 0, UNSTABLE, "HELLO");
        assertThat(write.status()).isEqualTo(Nfs3Status.OK);
        write.wcc();
        write.word();
        write.word();
        long verifier = write.hyper();
        V3Reply commit = server.call(COMMIT, c -> c.opaque(file).hyper(0).words(0));
        assertThat(commit.status()).isEqualTo(Nfs3Status.OK);
        assertThat(commit.wcc().after().size()).isEqualTo(12);
        assertThat(commit.hyper()).isEqualTo(verifier);
        commit.end();
        V3Server later = new V3Server(server.fs);
        assertThat(new Nfs3Call(
                                new Nfs3Server(
                                        later.exports,
                                        later.handles,
                                        later.payloads,
                                        Nfs3Options.of(8),
                                        FileChanges.UNWATCHED,
                                        new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)),
                                new Requester(V3Server.CLIENT.getAddress(), true, new Identity.Anonymous()))
                        .writeVerifier(new Nfs3File(later.data.root(), new Admission(Caller.ROOT, false))))
                .as("another instance of the server")
                .isNotEqualTo(verifier);
    }

    @Test
    void commit_refusals_areAsThoseOfWrite() {
        assertThat(refused(server.call(COMMIT, c -> c.opaque(server.through(server.readOnly, file))
                        .hyper(0)
                        .words(0))))
                .isEqualTo(Nfs3Status.ROFS);
        assertThat(refused(server.call(
                        COMMIT,
                        c -> c.opaque(server.directory("d", 0777)).hyper(0).words(0))))
                .isEqualTo(Nfs3Status.INVAL);
        server.uid = 2000;
        assertThat(refused(server.call(COMMIT, c -> c.opaque(file).hyper(0).words(0))))
                .isEqualTo(Nfs3Status.ACCES);
    }
}
