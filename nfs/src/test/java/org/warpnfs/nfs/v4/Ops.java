package org.warpnfs.nfs.v4;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Builds the operations of a COMPOUND. */
final class Ops {
    /** The anonymous stateid: all zeroes. */
    static final int[] ANONYMOUS = {0, 0, 0, 0};

    /** The current stateid, which an earlier operation of the same COMPOUND returned (RFC 8881, section 16.2.3.1.2). */
    static final int[] CURRENT = {1, 0, 0, 0};

    final List<Consumer<CallWriter>> writers = new ArrayList<>();
    int count;

    Ops add(OpCode code, Consumer<CallWriter> arguments) {
        return add(code.number(), arguments);
    }

    /** Adds an operation whose number may be invalid. */
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

    /** Adds an operation whose number may be invalid. */
    Ops op(int number, int... words) {
        return add(number, c -> c.words(words));
    }

    Ops exchangeId(long verifier, String owner, int flags) {
        return add(OpCode.EXCHANGE_ID, c -> c.hyper(verifier).string(owner).words(flags, 0, 0));
    }

    /** Adds an EXCHANGE_ID with SP4_SSV and so many hash and encryption algorithms. */
    Ops exchangeIdWithSsv(String owner, int hashes, int ciphers) {
        return add(OpCode.EXCHANGE_ID, c -> {
            c.hyper(1).string(owner).words(0, 2);
            // Operations that must, and that may be protected; algorithms; window, handles; no implementation id.
            c.words(0, 0).words(hashes);
            for (int i = 0; i < hashes; i++) {
                c.string("hash");
            }
            c.words(ciphers);
            for (int i = 0; i < ciphers; i++) {
                c.string("cipher");
            }
            c.words(128, 1, 0);
        });
    }

    /** Adds a CREATE_SESSION with a flag, a callback program, and callback credentials. */
    Ops createSession(long clientId, int sequence, int flags, int program, int... flavors) {
        return add(OpCode.CREATE_SESSION, c -> c.hyper(clientId)
                .words(sequence, flags)
                .words(0, 65536, 65536, 4096, 16, 8, 0)
                .words(0, 4068, 4068, 0, 2, 16, 0)
                .words(program)
                .words(flavors));
    }

    Ops bind(byte[] session, int direction) {
        return add(OpCode.BIND_CONN_TO_SESSION, c -> c.bytes(session).words(direction, 0));
    }

    Ops destroySession(byte[] session) {
        return add(OpCode.DESTROY_SESSION, c -> c.bytes(session));
    }

    Ops destroyClientid(long clientId) {
        return add(OpCode.DESTROY_CLIENTID, c -> c.hyper(clientId));
    }

    Ops renew(long clientId) {
        return add(OpCode.RENEW, c -> c.hyper(clientId));
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

    /** Adds a RECLAIM_COMPLETE with rca_one_fs. */
    Ops reclaimCompleteOfOne() {
        return add(OpCode.RECLAIM_COMPLETE, c -> c.words(1));
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

    /** Adds a GETATTR of attributes by their numbers. */
    Ops getAttrs(int... numbers) {
        return getAttr(Fattr.mask(numbers));
    }

    /** Adds an OPEN by name that creates: UNCHECKED with mode 0644; access 1, 2 or 3. */
    Ops openCreate(String owner, String name, int access, int deny) {
        return open(owner, name, access, deny, CreateHow.unchecked(Fattr.mode(0644)));
    }

    Ops open(String owner, String name, int access, int deny) {
        return open(owner, name, access, deny, CreateHow.nothing());
    }

    Ops open(String owner, String name, int access, int deny, CreateHow how) {
        return open(0, access, deny, 0, owner, how, name);
    }

    /** Adds an OPEN by name (CLAIM_NULL), with the seqid and client id that only NFSv4.0 uses. */
    Ops open(int seqid, int access, int deny, long clientId, String owner, CreateHow how, String name) {
        return add(OpCode.OPEN, c -> {
            c.words(seqid, access, deny).hyper(clientId).string(owner);
            how.writer().accept(c);
            c.words(0).string(name);
        });
    }

    /** Adds an OPEN for reading, UNCHECKED with size 0. */
    Ops openCutting(String owner, String name) {
        return open(owner, name, 1, 0, CreateHow.unchecked(Fattr.size(0)));
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

    /** Adds an OPEN with CLAIM_DELEGATE_PREV. */
    Ops openDelegatedBefore(String owner, String name) {
        return add(
                OpCode.OPEN,
                c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 3).string(name));
    }

    /** Adds an OPEN with CLAIM_DELEG_PREV_FH. */
    Ops openDelegatedBeforeFh(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 6));
    }

    Ops openPreviousDelegated(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 1, 1));
    }

    /** Adds an OPEN for both with CLAIM_PREVIOUS of a write delegation. */
    Ops openPreviousDelegatedToWrite(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 3, 0).hyper(0).string(owner).words(0, 1, 2));
    }

    /** The same by an OPEN to read alone. */
    Ops openPreviousDelegatedToWriteForReading(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 1, 2));
    }

    /** The same of a delegation under which the client kept the file's times (RFC 9754). */
    Ops openPreviousDelegatedWithTimes(String owner) {
        return add(OpCode.OPEN, c -> c.words(0, 3, 0).hyper(0).string(owner).words(0, 1, 5));
    }

    /** Adds an OPEN for both with CLAIM_DELEG_CUR_FH. */
    Ops openDelegatedFhToWrite(String owner, int[] delegation) {
        return add(
                OpCode.OPEN,
                c -> c.words(0, 3, 0).hyper(0).string(owner).words(0, 5).words(delegation));
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

    /** Adds an OPEN_DOWNGRADE with the seqid 0, which sessions ignore. */
    Ops downgrade(int[] stateid, int access, int deny) {
        return stateid(OpCode.OPEN_DOWNGRADE, stateid, 0, access, deny);
    }

    Ops lockTest(int type, long offset, long length, long clientId, String owner) {
        return add(
                OpCode.LOCKT,
                c -> c.words(type).hyper(offset).hyper(length).hyper(clientId).string(owner));
    }

    Ops delegReturn(int[] stateid) {
        return stateid(OpCode.DELEGRETURN, stateid);
    }

    Ops freeStateid(int[] stateid) {
        return stateid(OpCode.FREE_STATEID, stateid);
    }

    Ops testStateid(int[] stateid) {
        return add(OpCode.TEST_STATEID, c -> c.words(1).words(stateid));
    }

    /** Adds a LAYOUTGET of the whole file, of the type of flexible files. */
    Ops layoutGet(int iomode, int[] stateid) {
        return layoutGet(4, iomode, 0, -1, 0, stateid, 4096);
    }

    Ops layoutGet(int type, int iomode, long offset, long length, long least, int[] stateid, int maxCount) {
        return add(OpCode.LAYOUTGET, c -> c.words(0, type, iomode)
                .hyper(offset)
                .hyper(length)
                .hyper(least)
                .words(stateid)
                .words(maxCount));
    }

    /** Adds a LAYOUTRETURN of the whole file. */
    Ops layoutReturn(int iomode, int[] stateid, byte... body) {
        return add(
                OpCode.LAYOUTRETURN,
                c -> c.words(0, 4, iomode, 1).hyper(0).hyper(-1).words(stateid).opaque(body));
    }

    Ops getDeviceInfo(long high, long low, int maxCount) {
        return add(OpCode.GETDEVICEINFO, c -> c.hyper(high).hyper(low).words(4, maxCount, 0));
    }

    /** Adds a LAYOUTERROR with one error of a READ. */
    Ops layoutError(int[] stateid, long high, long low, int status) {
        return add(OpCode.LAYOUTERROR, c -> c.hyper(0)
                .hyper(-1)
                .words(stateid)
                .words(1)
                .hyper(high)
                .hyper(low)
                .words(status, OpCode.READ.number()));
    }

    Ops commit() {
        return op(OpCode.COMMIT, 0, 0, 0);
    }

    /** NFS4_CONTENT_DATA is 0, NFS4_CONTENT_HOLE 1. */
    Ops seek(int[] stateid, long offset, int what) {
        return add(OpCode.SEEK, c -> c.words(stateid).hyper(offset).words(what));
    }

    Ops allocate(int[] stateid, long offset, long length) {
        return add(OpCode.ALLOCATE, c -> c.words(stateid).hyper(offset).hyper(length));
    }

    Ops deallocate(int[] stateid, long offset, long length) {
        return add(OpCode.DEALLOCATE, c -> c.words(stateid).hyper(offset).hyper(length));
    }

    /**
     * Adds a synchronous, consecutive COPY from the beginning of the saved file to that of the current one; count 0 is
     * all.
     */
    Ops copy(int[] source, int[] target, long count) {
        return add(OpCode.COPY, c -> c.words(source)
                .words(target)
                .hyper(0)
                .hyper(0)
                .hyper(count)
                .words(1, 1, 0));
    }

    Ops setAttr(int[] stateid, Fattr attributes) {
        return add(OpCode.SETATTR, c -> attributes.write(c.words(stateid)));
    }

    Ops setAttr(Fattr attributes) {
        return setAttr(ANONYMOUS, attributes);
    }

    Ops verify(Fattr attributes) {
        return add(OpCode.VERIFY, attributes::write);
    }

    Ops nverify(Fattr attributes) {
        return add(OpCode.NVERIFY, attributes::write);
    }

    Ops setXattr(int option, String name, String value) {
        return add(OpCode.SETXATTR, c -> c.words(option).string(name).string(value));
    }

    Ops listXattrs(long cookie, int maxCount) {
        return add(OpCode.LISTXATTRS, c -> c.hyper(cookie).words(maxCount));
    }

    Ops readDir(long cookie, int dirCount, int maxCount, int... attributes) {
        int[] mask = Fattr.mask(attributes);
        return add(OpCode.READDIR, c -> c.hyper(cookie)
                .hyper(0)
                .words(dirCount, maxCount, mask.length)
                .words(mask));
    }

    Ops makeDirectory(String name) {
        return makeDirectory(name, Fattr.none());
    }

    Ops makeDirectory(String name, Fattr attributes) {
        return make(name, attributes, 2);
    }

    Ops makeSymlink(String name, String text, Fattr attributes) {
        return add(OpCode.CREATE, c -> attributes.write(c.words(5).string(text).string(name)));
    }

    Ops makeFifo(String name) {
        return make(name, Fattr.none(), 7);
    }

    /** Adds a CREATE with a createtype4 that consists of words. */
    Ops make(String name, Fattr attributes, int... type) {
        return add(OpCode.CREATE, c -> attributes.write(c.words(type).string(name)));
    }

    Ops saveFh() {
        return op(OpCode.SAVEFH);
    }

    Ops remove(String name) {
        return named(OpCode.REMOVE, name);
    }

    Ops rename(String from, String to) {
        return named(OpCode.RENAME, from, to);
    }

    Ops link(String name) {
        return named(OpCode.LINK, name);
    }

    Ops named(OpCode code, String... names) {
        return add(code, c -> {
            for (String name : names) {
                c.string(name);
            }
        });
    }
}
