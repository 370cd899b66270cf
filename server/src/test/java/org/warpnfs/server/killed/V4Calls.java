package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.NfsCall;

/** The calls on files of NFSv4.0, 4.1 and 4.2. {@link V4Client} has the identity and the state of the client. */
final class V4Calls implements FileCalls {
    private static final byte[] ANONYMOUS = new byte[16];
    private static final int OPERATION_BYTES = 8;

    private final Link link;
    private final V4Client client;

    V4Calls(Link link, V4Client client) {
        this.link = link;
        this.client = client;
    }

    private ByteBuffer send(int xid, Ops ops) throws Exception {
        return client.send(link, xid, ops);
    }

    private ByteBuffer send(Ops ops) throws Exception {
        return send(Link.nextXid(), ops);
    }

    private static int status(ByteBuffer results) {
        return results.getInt(0);
    }

    @Override
    public byte[] root() throws Exception {
        return handle(send(new Ops().putRootFh().getFh()), 1).handle();
    }

    /** Returns the handle of a GETFH that follows operations whose results are only statuses. */
    private static Answer handle(ByteBuffer results, int before) {
        if (status(results) != OK) {
            return new Answer(status(results));
        }
        results.position(results.position() + (before + 1) * OPERATION_BYTES);
        return new Answer(OK, NfsCall.opaque(results), 0, 0);
    }

    @Override
    public Answer perform(Change change, byte[] directory) throws Exception {
        Ops ops = new Ops();
        switch (change.kind()) {
            case CREATE -> {
                return client.create(link, change.xid(), directory, change.name());
            }
            case MKDIR -> {
                return made(send(
                        change.xid(),
                        ops.putFh(directory).makeDirectory(change.name()).getFh()));
            }
            case SYMLINK -> {
                ops.putFh(directory).makeSymlink(change.name(), change.other()).getFh();
                return made(send(change.xid(), ops));
            }
            case LINK ->
                ops.putFh(change.node().handle).saveFh().putFh(directory).link(change.name());
            case REMOVE -> ops.putFh(directory).remove(change.name());
            case RENAME -> ops.putFh(directory).saveFh().rename(change.name(), change.other());
            case SET_SIZE -> ops.putFh(change.node().handle).setSize(stateid(change.node().handle), change.sizeBytes());
        }
        return new Answer(status(send(change.xid(), ops)));
    }

    /** Parses the results of PUTFH, CREATE (with change_info4 and a bitmap) and GETFH. */
    private static Answer made(ByteBuffer results) {
        if (status(results) != OK) {
            return new Answer(status(results));
        }
        results.position(results.position() + 2 * OPERATION_BYTES + 20);
        V4Client.skipBitmap(results);
        results.position(results.position() + OPERATION_BYTES);
        return new Answer(OK, NfsCall.opaque(results), 0, 0);
    }

    private byte[] stateid(byte[] handle) {
        byte @Nullable [] held = client.stateidOf(handle);
        return held == null ? ANONYMOUS : held;
    }

    @Override
    public void settle() throws Exception {
        client.closeCreated(link);
    }

    @Override
    public Answer lookup(byte[] directory, String name) throws Exception {
        return handle(send(new Ops().putFh(directory).lookup(name).getFh()), 2);
    }

    @Override
    public int probe(byte[] handle) throws Exception {
        return status(send(new Ops().putFh(handle).getAttr()));
    }

    @Override
    public Answer write(int xid, byte[] handle, FileModel.Range range, int stable) throws Exception {
        ByteBuffer results = send(xid, new Ops().putFh(handle).write(stateid(handle), range, stable));
        if (status(results) != OK) {
            return new Answer(status(results));
        }
        results.position(results.position() + 2 * OPERATION_BYTES);
        assertThat(results.getInt()).as("count").isEqualTo(range.data().remaining());
        return new Answer(OK, new byte[0], results.getInt(), results.getLong());
    }

    @Override
    public Answer commit(byte[] handle) throws Exception {
        ByteBuffer results = send(new Ops().putFh(handle).commit());
        if (status(results) != OK) {
            return new Answer(status(results));
        }
        results.position(results.position() + 2 * OPERATION_BYTES);
        return new Answer(OK, new byte[0], STABLE, results.getLong());
    }

    @Override
    public ByteBuffer read(byte[] handle) throws Exception {
        int count = FileModel.BLOCKS * FileModel.BLOCK_BYTES;
        return client.read(link, new Ops().putFh(handle).read(stateid(handle), count), count);
    }
}
