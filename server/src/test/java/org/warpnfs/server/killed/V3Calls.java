package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.warpnfs.server.NfsCall;

/** The calls of an NFSv3 client (RFC 1813, section 3). */
final class V3Calls implements FileCalls {
    private static final int GETATTR = 1;
    private static final int SETATTR = 2;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int MKDIR = 9;
    private static final int SYMLINK = 10;
    private static final int REMOVE = 12;
    private static final int RMDIR = 13;
    private static final int RENAME = 14;
    private static final int LINK = 15;
    private static final int COMMIT = 21;
    private static final int GUARDED = 1;
    private static final int FATTR3_BYTES = 84;
    private static final int WCC_ATTR_BYTES = 24;

    private final Link link;
    private final int uid;

    V3Calls(Link link, int uid) {
        this.link = link;
        this.uid = uid;
    }

    private NfsCall call(int xid, int procedure, byte[] handle) {
        return NfsCall.of(xid, NfsCall.NFS, 3, procedure, uid).opaque(handle);
    }

    private NfsCall call(int procedure, byte[] handle) {
        return call(Link.nextXid(), procedure, handle);
    }

    @Override
    public byte[] root() throws Exception {
        ByteBuffer mounted = link.answerOverTcp(
                NfsCall.of(Link.nextXid(), NfsCall.MOUNT, 3, 1, uid).string("/"));
        assertThat(mounted.getInt()).as("MNT").isZero();
        return NfsCall.opaque(mounted);
    }

    /** Encodes a sattr3 that sets only the mode. */
    private static NfsCall mode(NfsCall call, int mode) {
        return call.word(1).word(mode).word(0).word(0).word(0).word(0).word(0);
    }

    @Override
    public Answer perform(Change change, byte[] directory) throws Exception {
        NfsCall call =
                switch (change.kind()) {
                    case CREATE ->
                        mode(
                                call(change.xid(), CREATE, directory)
                                        .string(change.name())
                                        .word(GUARDED),
                                0644);
                    case MKDIR -> mode(call(change.xid(), MKDIR, directory).string(change.name()), 0755);
                    case SYMLINK ->
                        mode(call(change.xid(), SYMLINK, directory).string(change.name()), 0777)
                                .string(change.other());
                    case LINK ->
                        call(change.xid(), LINK, change.node().handle)
                                .opaque(directory)
                                .string(change.name());
                    case REMOVE ->
                        call(change.xid(), change.node().type == Node.Type.DIRECTORY ? RMDIR : REMOVE, directory)
                                .string(change.name());
                    case RENAME ->
                        call(change.xid(), RENAME, directory)
                                .string(change.name())
                                .opaque(directory)
                                .string(change.other());
                    case SET_SIZE ->
                        call(change.xid(), SETATTR, change.node().handle)
                                .word(0)
                                .word(0)
                                .word(0)
                                .word(1)
                                .hyper(change.sizeBytes())
                                .word(0)
                                .word(0)
                                .word(0);
                };
        ByteBuffer results = link.answer(call);
        int status = results.getInt();
        boolean makes =
                switch (change.kind()) {
                    case CREATE, MKDIR, SYMLINK -> true;
                    case LINK, REMOVE, RENAME, SET_SIZE -> false;
                };
        if (status != OK || !makes) {
            return new Answer(status);
        }
        assertThat(results.getInt()).as("a handle follows").isEqualTo(1);
        return new Answer(OK, NfsCall.opaque(results), 0, 0);
    }

    @Override
    public void settle() {
        // NFSv3 opens no files.
    }

    @Override
    public Answer lookup(byte[] directory, String name) throws Exception {
        ByteBuffer results = link.answer(call(LOOKUP, directory).string(name));
        int status = results.getInt();
        return status == OK ? new Answer(OK, NfsCall.opaque(results), 0, 0) : new Answer(status);
    }

    @Override
    public int probe(byte[] handle) throws Exception {
        return link.answer(call(GETATTR, handle)).getInt();
    }

    @Override
    public Answer write(int xid, byte[] handle, FileModel.Range range, int stable) throws Exception {
        ByteBuffer data = range.data();
        int count = data.remaining();
        ByteBuffer results = link.answer(call(xid, WRITE, handle)
                .hyper(range.offsetBytes())
                .word(count)
                .word(stable)
                .data(data));
        int status = results.getInt();
        if (status != OK) {
            return new Answer(status);
        }
        skipWcc(results);
        assertThat(results.getInt()).as("count").isEqualTo(count);
        return new Answer(OK, new byte[0], results.getInt(), results.getLong());
    }

    private static void skipWcc(ByteBuffer results) {
        for (int bytes : new int[] {WCC_ATTR_BYTES, FATTR3_BYTES}) {
            if (results.getInt() != 0) {
                results.position(results.position() + bytes);
            }
        }
    }

    @Override
    public Answer commit(byte[] handle) throws Exception {
        ByteBuffer results = link.answer(call(COMMIT, handle).hyper(0).word(0));
        int status = results.getInt();
        if (status != OK) {
            return new Answer(status);
        }
        skipWcc(results);
        return new Answer(OK, new byte[0], STABLE, results.getLong());
    }

    @Override
    public ByteBuffer read(byte[] handle) throws Exception {
        int count = FileModel.BLOCKS * FileModel.BLOCK_BYTES;
        return link.read(call(READ, handle).hyper(0).word(count), count, 4 + 4 + FATTR3_BYTES + 4 + 4);
    }
}
