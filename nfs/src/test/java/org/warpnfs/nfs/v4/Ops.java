package org.warpnfs.nfs.v4;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The operations of a COMPOUND in the making. */
final class Ops {
    final List<Consumer<CallWriter>> writers = new ArrayList<>();
    int count;

    Ops add(OpCode code, Consumer<CallWriter> arguments) {
        return add(code.number(), arguments);
    }

    /** An operation that may be none. */
    Ops add(int number, Consumer<CallWriter> arguments) {
        writers.add(c -> {
            c.words(number);
            arguments.accept(c);
        });
        count++;
        return this;
    }

    Ops op(OpCode code, int... words) {
        return add(code, c -> c.words(words));
    }

    /** An operation that may be none. */
    Ops op(int number, int... words) {
        return add(number, c -> c.words(words));
    }

    Ops exchangeId(long verifier, String owner, int flags) {
        return add(OpCode.EXCHANGE_ID, c -> c.hyper(verifier).string(owner).words(flags, 0, 0));
    }

    /** With a flag, a callback program, and its flavors. */
    Ops createSession(long clientId, int sequence, int flags, int program, int... flavors) {
        return add(OpCode.CREATE_SESSION, c -> c.hyper(clientId)
                .words(sequence, flags)
                .words(0, 65536, 65536, 4096, 16, 8, 0)
                .words(0, 4068, 4068, 0, 2, 16, 0)
                .words(program)
                .words(flavors));
    }

    Ops bind(byte[] session, int direction) {
        return add(OpCode.BIND_CONN_TO_SESSION, c -> {
            ByteBuffer id = ByteBuffer.wrap(session);
            c.hyper(id.getLong(0)).hyper(id.getLong(8)).words(direction, 0);
        });
    }

    Ops createSession(long clientId, int sequence) {
        return createSession(clientId, sequence, 2 << 20, 8192, 16);
    }

    Ops createSession(long clientId, int sequence, int size, int cached, int slots) {
        return add(OpCode.CREATE_SESSION, c -> c.hyper(clientId)
                .words(sequence, 3)
                .words(0, size, size, cached, 16, slots, 0)
                .words(0, 4096, 4096, 0, 2, 16, 0)
                .words(0x40000000, 1, 0));
    }

    Ops reclaimComplete() {
        return op(OpCode.RECLAIM_COMPLETE, 0);
    }

    Ops root() {
        return op(OpCode.PUTROOTFH);
    }

    Ops data() {
        return root().lookup("data");
    }

    Ops lookup(String name) {
        return add(OpCode.LOOKUP, c -> c.string(name));
    }

    Ops putFh(byte[] handle) {
        return add(OpCode.PUTFH, c -> c.opaque(handle));
    }

    Ops getFh() {
        return op(OpCode.GETFH);
    }

    Ops getAttr(int... words) {
        return add(OpCode.GETATTR, c -> c.words(words.length).words(words));
    }

    /** UNCHECKED with mode 0644 and perhaps size 0, by name; access 1, 2 or 3. */
    Ops openCreate(String owner, String name, int access, int deny) {
        return add(OpCode.OPEN, c -> c.words(0, access, deny)
                .hyper(0)
                .string(owner)
                .words(1, 0)
                .words(2, 0, 1 << 1, 4, 0644)
                .words(0)
                .string(name));
    }

    Ops open(String owner, String name, int access, int deny) {
        return add(
                OpCode.OPEN,
                c -> c.words(0, access, deny).hyper(0).string(owner).words(0, 0).string(name));
    }

    Ops openPrevious(String owner, int access) {
        return add(
                OpCode.OPEN, c -> c.words(0, access, 0).hyper(0).string(owner).words(0, 1, 0));
    }

    Ops openDelegated(String owner, String name, int[] delegation) {
        return add(OpCode.OPEN, c -> c.words(0, 1, 0)
                .hyper(0)
                .string(owner)
                .words(0, 2)
                .words(delegation)
                .string(name));
    }

    Ops openDelegatedFh(String owner, int[] delegation) {
        return add(
                OpCode.OPEN,
                c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 5).words(delegation));
    }

    Ops openPreviousDelegated(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 1, 1));
    }

    Ops openFh(String owner, int access) {
        return add(
                OpCode.OPEN, c -> c.words(0, access, 0).hyper(0).string(owner).words(0, 4));
    }

    Ops stateid(OpCode code, int[] stateid, int... more) {
        return add(code, c -> c.words(stateid).words(more));
    }

    Ops close(int[] stateid) {
        return add(OpCode.CLOSE, c -> c.words(0).words(stateid));
    }

    Ops write(int[] stateid, long offset, int stable, String text) {
        return write(stateid, offset, stable, text.getBytes(StandardCharsets.UTF_8));
    }

    Ops write(int[] stateid, long offset, int stable, byte[] data) {
        return add(
                OpCode.WRITE, c -> c.words(stateid).hyper(offset).words(stable).opaque(data));
    }

    Ops read(int[] stateid, long offset, int count) {
        return add(OpCode.READ, c -> c.words(stateid).hyper(offset).words(count));
    }

    Ops lock(int type, boolean reclaim, long offset, long length, int[] openStateid, String owner) {
        return add(OpCode.LOCK, c -> c.words(type, reclaim ? 1 : 0)
                .hyper(offset)
                .hyper(length)
                .words(1, 0)
                .words(openStateid)
                .words(0)
                .hyper(0)
                .string(owner));
    }

    Ops lockMore(int type, long offset, long length, int[] lockStateid) {
        return add(OpCode.LOCK, c -> c.words(type, 0)
                .hyper(offset)
                .hyper(length)
                .words(0)
                .words(lockStateid)
                .words(0));
    }

    Ops unlock(int[] lockStateid, long offset, long length) {
        return add(
                OpCode.LOCKU,
                c -> c.words(1, 0).words(lockStateid).hyper(offset).hyper(length));
    }

    Ops readPlus(int[] stateid) {
        return add(OpCode.READ_PLUS, c -> c.words(stateid).hyper(0).words(50_000));
    }

    Ops named(OpCode code, String... names) {
        return add(code, c -> {
            for (String name : names) {
                c.string(name);
            }
        });
    }
}
