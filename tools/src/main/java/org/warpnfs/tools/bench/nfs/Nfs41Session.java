package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ReplyItems;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * A client of NFS version 4.1 (RFC 8881). Each connection has its own client ID and one session without a backchannel.
 *
 * <p>The slots of the load are the slots of the session. Calls around the measurement use slot 0.
 */
public final class Nfs41Session implements NfsSession {
    private static final int PROGRAM = 100_003;
    private static final int VERSION = 4;
    private static final int COMPOUND = 1;

    private static final int CLOSE = 4;
    private static final int COMMIT = 5;
    private static final int GETATTR = 9;
    private static final int GETFH = 10;
    private static final int LOOKUP = 15;
    private static final int OPEN = 18;
    private static final int PUTFH = 22;
    private static final int PUTROOTFH = 24;
    private static final int READ = 25;
    private static final int REMOVE = 28;
    private static final int WRITE = 38;
    private static final int EXCHANGE_ID = 42;
    private static final int CREATE_SESSION = 43;
    private static final int DESTROY_SESSION = 44;
    private static final int SEQUENCE = 53;
    private static final int DESTROY_CLIENTID = 57;
    private static final int RECLAIM_COMPLETE = 58;

    private static final int SESSION_BYTES = 16;
    private static final int STATEID_BYTES = 16;
    private static final int MAX_HANDLE_BYTES = 128;
    private static final int ACCESS_BOTH = 3;
    private static final int WANT_NO_DELEGATION = 0x0400;
    private static final int FILE_SYNC = 2;
    private static final int COMPOUND_OVERHEAD_BYTES = 4096;
    private static final int FILE_MODE = 0600;
    private static final int ATTRIBUTE_SIZE = 1 << 4;
    private static final long GRACE_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** One slot of the session. */
    private static final class Slot {
        private final CallBuffer call = new CallBuffer();
        private int seqid;
        private int seqidOffset;
    }

    private final Calls calls;
    private final AuthSysCredential caller;
    private final Duration graceLimit;
    private final CallBuffer plain = new CallBuffer();
    private final byte[] session;
    private final long clientId;
    private final byte[] directory;
    private final Slot[] slots;
    private final int maxTransferBytes;
    private byte @Nullable [] file;
    private byte[] stateid = new byte[STATEID_BYTES];
    private boolean prepared;
    private final UnstableWrites unstable = new UnstableWrites();

    /**
     * Creates a client ID and a session, and looks up the directory.
     *
     * @param owner client owner, different for each connection
     * @param wantedSlots number of calls that will be in flight at once
     * @param maxBytes size of the largest READ or WRITE
     * @param graceLimit how long to wait for a server that has just started
     */
    public Nfs41Session(
            Requester requester,
            AuthSysCredential caller,
            String owner,
            String export,
            int wantedSlots,
            int maxBytes,
            Duration timeout,
            Duration graceLimit)
            throws IOException {
        this.calls = new Calls(requester, timeout);
        this.caller = caller;
        this.graceLimit = graceLimit;
        CallBuffer exchange =
                compound(plain, 1).word(EXCHANGE_ID).hyper(System.nanoTime()).string(owner);
        ReplyWords id = result("EXCHANGE_ID", exchange.word(0).word(0).word(0), EXCHANGE_ID);
        this.clientId = id.hyper();
        int sequence = id.word();
        int channelBytes = maxBytes + COMPOUND_OVERHEAD_BYTES;
        CallBuffer create = compound(plain, 1)
                .word(CREATE_SESSION)
                .hyper(clientId)
                .word(sequence)
                .word(0);
        create.word(0)
                .word(channelBytes)
                .word(channelBytes)
                .word(COMPOUND_OVERHEAD_BYTES)
                .word(16);
        create.word(wantedSlots).word(0);
        create.word(0).word(4096).word(4096).word(0).word(2).word(1).word(0);
        ReplyWords created =
                result("CREATE_SESSION", create.word(0x4000_0000).word(1).word(0), CREATE_SESSION);
        this.session = created.fixed(SESSION_BYTES);
        created.word();
        created.word();
        created.word();
        int requestBytes = created.word();
        int responseBytes = created.word();
        created.word();
        created.word();
        this.slots = new Slot[Math.max(1, Math.min(wantedSlots, created.word()))];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
        this.maxTransferBytes =
                (int) Math.min(Integer.toUnsignedLong(requestBytes), Integer.toUnsignedLong(responseBytes))
                        - COMPOUND_OVERHEAD_BYTES;
        inSlot0("RECLAIM_COMPLETE", sequence(0, 2).word(RECLAIM_COMPLETE).word(0));
        this.directory = lookUp(export);
    }

    @Override
    public String describe() {
        return "NFSv4.1, " + slots.length + " slots, transfers of up to " + maxTransferBytes + " bytes";
    }

    @Override
    public int slots() {
        return slots.length;
    }

    @Override
    public int maxTransferBytes() {
        return maxTransferBytes;
    }

    // Calls around the measurement

    private CallBuffer compound(CallBuffer buffer, int operations) {
        return buffer.begin(caller, PROGRAM, VERSION, COMPOUND).word(0).word(1).word(operations);
    }

    /** Begins a COMPOUND in slot 0 with SEQUENCE. */
    private CallBuffer sequence(int slot, int operations) {
        return sequence(plain, slots[slot], slot, operations, true);
    }

    /**
     * @param kept whether the server must keep the reply, because a call that changes something may be sent again after
     *     a connection was lost
     */
    private CallBuffer sequence(CallBuffer buffer, Slot slot, int number, int operations, boolean kept) {
        compound(buffer, operations).word(SEQUENCE).fixed(session);
        slot.seqidOffset = buffer.position();
        slot.seqid++;
        return buffer.word(slot.seqid).word(number).word(slots.length - 1).word(kept ? 1 : 0);
    }

    /** Makes a call. Returns the result of its first operation, after the status. */
    private ReplyWords result(String what, CallBuffer call, int operation) throws IOException {
        ReplyWords reply = calls.call(call.message(calls.nextXid()));
        reply.requireOk(what);
        reply.opaque(1024);
        reply.word();
        operation(what, reply, operation);
        return reply;
    }

    static void operation(String what, ReplyWords reply, int operation) throws IOException {
        if (reply.word() != operation) {
            throw new NfsException(what + ": a reply to another operation");
        }
        reply.requireOk(what);
    }

    /** Makes a call that begins with SEQUENCE. Repeats it while the server is in its grace period. */
    private ReplyWords inSlot0(String what, CallBuffer call) throws IOException {
        long begin = System.nanoTime();
        while (true) {
            try {
                ReplyWords reply = result(what, call, SEQUENCE);
                reply.skip(SESSION_BYTES + 20);
                return reply;
            } catch (NfsException e) {
                if (!e.tryAgain() || System.nanoTime() - begin > graceLimit.toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(GRACE_POLL_NANOS);
                slots[0].seqid++;
                call.patch(slots[0].seqidOffset, slots[0].seqid);
            }
        }
    }

    private byte[] lookUp(String export) throws IOException {
        List<String> names = List.of(export.split("/")).stream()
                .filter(name -> !name.isEmpty())
                .toList();
        CallBuffer call = sequence(0, names.size() + 3).word(PUTROOTFH);
        names.forEach(name -> call.word(LOOKUP).string(name));
        ReplyWords reply = inSlot0("LOOKUP " + export, call.word(GETFH));
        operation("PUTROOTFH", reply, PUTROOTFH);
        for (String name : names) {
            operation("LOOKUP " + name, reply, LOOKUP);
        }
        operation("GETFH", reply, GETFH);
        return reply.opaque(MAX_HANDLE_BYTES);
    }

    @Override
    public void create(String name) throws IOException {
        // Create mode GUARDED4 with attribute mode.
        open(
                name,
                beginOpen().word(1).word(1).word(2).word(0).word(1 << 1).word(4).word(FILE_MODE));
    }

    @Override
    public void open(String name) throws IOException {
        open(name, beginOpen().word(0));
    }

    private CallBuffer beginOpen() {
        return beginOpen(sequence(0, 4).word(PUTFH).opaque(directory));
    }

    /** Writes an OPEN up to its openhow. */
    CallBuffer beginOpen(CallBuffer call) {
        call.word(OPEN).word(0).word(ACCESS_BOTH | WANT_NO_DELEGATION).word(0);
        return call.hyper(clientId).string("warpnfs-bench");
    }

    private void open(String name, CallBuffer call) throws IOException {
        ReplyWords reply = inSlot0("OPEN " + name, call.word(0).string(name).word(GETFH));
        operation("PUTFH", reply, PUTFH);
        byte[] opened = opened("OPEN " + name, reply);
        operation("GETFH", reply, GETFH);
        byte[] handle = reply.opaque(MAX_HANDLE_BYTES);
        // Set the seqid of the stateid to 0, which means the latest.
        stateid =
                ByteBuffer.wrap(opened).order(ByteOrder.BIG_ENDIAN).putInt(0, 0).array();
        file = handle;
        prepared = false;
    }

    /** Skips the result of an OPEN and returns its stateid. */
    static byte[] opened(String what, ReplyWords reply) throws IOException {
        operation(what, reply, OPEN);
        byte[] opened = reply.fixed(STATEID_BYTES);
        reply.skip(20);
        reply.word();
        reply.skip(4 * reply.count(16));
        skipDelegation(reply);
        return opened;
    }

    private static void skipDelegation(ReplyWords reply) throws IOException {
        switch (reply.word()) {
            case 0 -> {}
            case 3 -> {
                int why = reply.word();
                if (why == 1 || why == 2) {
                    reply.word();
                }
            }
            default -> throw new NfsException("OPEN: a delegation that was not wanted");
        }
    }

    private byte[] file() {
        byte[] handle = file;
        if (handle == null) {
            throw new IllegalStateException("no file is open");
        }
        return handle;
    }

    @Override
    public long sizeBytes() throws IOException {
        ReplyWords reply = inSlot0(
                "GETATTR",
                sequence(0, 3).word(PUTFH).opaque(file()).word(GETATTR).word(1).word(ATTRIBUTE_SIZE));
        operation("PUTFH", reply, PUTFH);
        operation("GETATTR", reply, GETATTR);
        reply.skip(Integer.BYTES * reply.count(16));
        if (reply.word() != Long.BYTES) {
            throw new NfsException("GETATTR: other attributes than were asked for");
        }
        return reply.hyper();
    }

    @Override
    public void commit() throws IOException {
        ReplyWords reply = inSlot0(
                "COMMIT",
                sequence(0, 3).word(PUTFH).opaque(file()).word(COMMIT).hyper(0).word(0));
        operation("PUTFH", reply, PUTFH);
        operation("COMMIT", reply, COMMIT);
        unstable.committed(reply.hyper());
        prepared = false;
    }

    @Override
    public void remove(String name) throws IOException {
        closeFile();
        inSlot0(
                "REMOVE " + name,
                sequence(0, 3).word(PUTFH).opaque(directory).word(REMOVE).string(name));
    }

    private void closeFile() throws IOException {
        byte[] handle = file;
        if (handle != null) {
            file = null;
            inSlot0(
                    "CLOSE",
                    sequence(0, 3)
                            .word(PUTFH)
                            .opaque(handle)
                            .word(CLOSE)
                            .word(0)
                            .fixed(stateid));
        }
    }

    @Override
    public void close() throws IOException {
        closeFile();
        result("DESTROY_SESSION", compound(plain, 1).word(DESTROY_SESSION).fixed(session), DESTROY_SESSION);
        result("DESTROY_CLIENTID", compound(plain, 1).word(DESTROY_CLIENTID).hyper(clientId), DESTROY_CLIENTID);
    }

    // Measured calls

    /** The call up to PUTFH changes only in its sequence ID, so it is written once. */
    private CallBuffer inSlot(int number) {
        if (!prepared) {
            for (int i = 0; i < slots.length; i++) {
                Slot slot = slots[i];
                sequence(slot.call, slot, i, 3, false).word(PUTFH).opaque(file());
                slot.call.mark();
                slot.seqid--;
            }
            prepared = true;
        }
        Slot slot = slots[number];
        slot.seqid++;
        slot.call.patch(slot.seqidOffset, slot.seqid);
        return slot.call.rewind();
    }

    @Override
    public RpcMessage readCall(int slot, long offset, int countBytes) {
        CallBuffer call = inSlot(slot).word(READ).fixed(stateid);
        return call.hyper(offset).word(countBytes).message(calls.nextXid());
    }

    @Override
    public ByteBuffer readReply(int slot, XdrStream reply, List<ByteBuffer> written) throws IOException {
        ReplyWords words = afterPutFh("READ", reply);
        operation("READ", words, READ);
        words.word();
        return new ReplyItems(written).take(words.stream(), words.word());
    }

    @Override
    public RpcMessage writeCall(int slot, long offset, ByteBuffer data, boolean stable) {
        CallBuffer call = inSlot(slot).word(WRITE).fixed(stateid);
        call.hyper(offset).word(stable ? FILE_SYNC : 0).dataCount(data.remaining());
        return call.message(calls.nextXid(), data);
    }

    @Override
    public int writeReply(int slot, XdrStream reply) throws IOException {
        ReplyWords words = afterPutFh("WRITE", reply);
        operation("WRITE", words, WRITE);
        int count = words.word();
        if (words.word() == 0) {
            unstable.written(words.hyper());
        }
        return count;
    }

    // Metadata calls

    @Override
    public NameCalls names() {
        return new Nfs41Names(this);
    }

    /**
     * Makes a call with that many operations after the one that sets the current filehandle to the export's directory.
     */
    ReplyWords inDirectory(String what, int operations, UnaryOperator<CallBuffer> arguments) throws IOException {
        CallBuffer call = sequence(0, 2 + operations).word(PUTFH).opaque(directory);
        ReplyWords reply = inSlot0(what, arguments.apply(call));
        operation("PUTFH", reply, PUTFH);
        return reply;
    }

    /** Begins a COMPOUND of that many operations with SEQUENCE and PUTFH. */
    CallBuffer inSlot(int number, byte[] handle, int operations) {
        prepared = false;
        Slot slot = slots[number];
        return sequence(slot.call, slot, number, operations, false).word(PUTFH).opaque(handle);
    }

    RpcMessage message(CallBuffer call) {
        return call.message(calls.nextXid());
    }

    static ReplyWords afterPutFh(String what, XdrStream reply) throws IOException {
        ReplyWords words = ReplyWords.accepted(reply);
        words.requireOk(what);
        words.opaque(1024);
        words.word();
        operation(what, words, SEQUENCE);
        words.skip(SESSION_BYTES + 20);
        operation(what, words, PUTFH);
        return words;
    }
}
