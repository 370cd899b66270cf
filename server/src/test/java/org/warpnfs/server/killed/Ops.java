package org.warpnfs.server.killed;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.warpnfs.server.NfsCall;

/** The operations of a COMPOUND, encoded word by word (RFC 7530, section 16, RFC 8881, section 18). */
final class Ops {
    private final List<UnaryOperator<NfsCall>> operations = new ArrayList<>();

    int count() {
        return operations.size();
    }

    NfsCall writeTo(NfsCall call) {
        NfsCall written = call;
        for (UnaryOperator<NfsCall> operation : operations) {
            written = operation.apply(written);
        }
        return written;
    }

    Ops add(int operation, UnaryOperator<NfsCall> arguments) {
        operations.add(call -> arguments.apply(call.word(operation)));
        return this;
    }

    Ops putRootFh() {
        return add(24, call -> call);
    }

    Ops putFh(byte[] handle) {
        return add(22, call -> call.opaque(handle));
    }

    Ops saveFh() {
        return add(32, call -> call);
    }

    Ops getFh() {
        return add(10, call -> call);
    }

    Ops lookup(String name) {
        return add(15, call -> call.string(name));
    }

    /** GETATTR of the size, as the size is the shortest attribute. */
    Ops getAttr() {
        return add(9, call -> call.word(1).word(1 << 4));
    }

    /** CREATE of type NF4DIR with mode 0755. */
    Ops makeDirectory(String name) {
        return add(6, call -> call.word(2)
                .string(name)
                .word(2)
                .word(0)
                .word(2)
                .word(4)
                .word(0755));
    }

    /** CREATE of type NF4LNK. */
    Ops makeSymlink(String name, String target) {
        return add(6, call -> call.word(5).string(target).string(name).word(0).word(0));
    }

    Ops link(String name) {
        return add(11, call -> call.string(name));
    }

    Ops remove(String name) {
        return add(28, call -> call.string(name));
    }

    Ops rename(String from, String to) {
        return add(29, call -> call.string(from).string(to));
    }

    Ops setSize(byte[] stateid, long sizeBytes) {
        return add(
                34, call -> stateid(call, stateid).word(1).word(1 << 4).word(8).hyper(sizeBytes));
    }

    Ops write(byte[] stateid, FileModel.Range range, int stable) {
        return add(38, call -> stateid(call, stateid)
                .hyper(range.offsetBytes())
                .word(stable)
                .data(range.data()));
    }

    Ops commit() {
        return add(5, call -> call.hyper(0).word(0));
    }

    Ops read(byte[] stateid, int count) {
        return add(25, call -> stateid(call, stateid).hyper(0).word(count));
    }

    /** OPEN to read and write that denies nothing. If it creates the file, it is GUARDED4 with mode 0644. */
    Ops open(int seqid, long clientid, String owner, boolean create, String name) {
        return add(18, call -> {
            call.word(seqid).word(3).word(0).hyper(clientid).string(owner);
            if (create) {
                call.word(1).word(1).word(2).word(0).word(2).word(4).word(0644);
            } else {
                call.word(0);
            }
            return call.word(0).string(name);
        });
    }

    /** OPEN with CLAIM_PREVIOUS and without a delegation. */
    Ops reclaimOpen(int seqid, long clientid, String owner) {
        return add(18, call -> call.word(seqid)
                .word(3)
                .word(0)
                .hyper(clientid)
                .string(owner)
                .word(0)
                .word(1)
                .word(0));
    }

    Ops openConfirm(byte[] stateid, int seqid) {
        return add(20, call -> stateid(call, stateid).word(seqid));
    }

    Ops close(int seqid, byte[] stateid) {
        return add(4, call -> stateid(call.word(seqid), stateid));
    }

    /** LOCK of type WRITE_LT of the first 100 bytes, by a new lock-owner. */
    Ops lock(boolean reclaim, int openSeqid, byte[] open, long clientid, String owner) {
        return add(12, call -> stateid(
                        call.word(2)
                                .word(reclaim ? 1 : 0)
                                .hyper(0)
                                .hyper(100)
                                .word(1)
                                .word(openSeqid),
                        open)
                .word(0)
                .hyper(clientid)
                .string(owner));
    }

    private static NfsCall stateid(NfsCall call, byte[] stateid) {
        for (int i = 0; i < stateid.length; i += 4) {
            call.word(ByteBuffer.wrap(stateid).getInt(i));
        }
        return call;
    }
}
