package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ReplyItems;
import org.warpnfs.rpcrdma.request.Requester;

/** A client of NFS version 3 (RFC 1813). */
public final class Nfs3Session implements NfsSession {
    private static final int PROGRAM = 100_003;
    private static final int VERSION = 3;
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int REMOVE = 12;
    private static final int FSINFO = 19;
    private static final int COMMIT = 21;

    private static final int GUARDED = 1;
    private static final int UNSTABLE = 0;
    private static final int FILE_SYNC = 2;
    private static final int FATTR_BYTES = 84;
    private static final int BEFORE_SIZE_BYTES = 20;
    private static final int WCC_BYTES = 24;
    private static final int MAX_HANDLE_BYTES = 64;
    private static final int FILE_MODE = 0600;

    private final Calls calls;
    private final AuthSysCredential caller;
    private final byte[] directory;
    private final CallBuffer buffer = new CallBuffer();
    private final List<CallBuffer> slots = new ArrayList<>();
    private final int maxTransferBytes;
    private byte @Nullable [] file;
    private final UnstableWrites unstable = new UnstableWrites();

    /**
     * Asks the server for its limits.
     *
     * @param directory handle of the directory that contains the file
     * @param slots calls that will be in flight at once
     */
    public Nfs3Session(Requester requester, AuthSysCredential caller, byte[] directory, int slots, Duration timeout)
            throws IOException {
        this.calls = new Calls(requester, timeout);
        this.caller = caller;
        this.directory = directory;
        for (int i = 0; i < slots; i++) {
            this.slots.add(new CallBuffer());
        }
        ReplyWords reply = call("FSINFO", begin(FSINFO).opaque(directory));
        skipAttributes(reply);
        int readMax = reply.word();
        reply.word();
        reply.word();
        int writeMax = reply.word();
        this.maxTransferBytes = Math.max(0, Math.min(readMax, writeMax));
    }

    @Override
    public String describe() {
        return "NFSv3, transfers of up to " + maxTransferBytes + " bytes";
    }

    @Override
    public int slots() {
        return slots.size();
    }

    @Override
    public int maxTransferBytes() {
        return maxTransferBytes;
    }

    private CallBuffer begin(int procedure) {
        return buffer.begin(caller, PROGRAM, VERSION, procedure);
    }

    private ReplyWords call(String what, CallBuffer call) throws IOException {
        ReplyWords reply = calls.call(call.message(calls.nextXid()));
        reply.requireOk(what);
        return reply;
    }

    @Override
    public void create(String name) throws IOException {
        CallBuffer create = begin(CREATE).opaque(directory).string(name).word(GUARDED);
        create.word(1).word(FILE_MODE).word(0).word(0).word(0).word(0).word(0);
        ReplyWords reply = call("CREATE " + name, create);
        if (reply.word() == 1) {
            opened(reply.opaque(MAX_HANDLE_BYTES));
        } else {
            open(name);
        }
    }

    @Override
    public void open(String name) throws IOException {
        opened(call("LOOKUP " + name, begin(LOOKUP).opaque(directory).string(name))
                .opaque(MAX_HANDLE_BYTES));
    }

    private void opened(byte[] handle) {
        file = handle;
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
        ReplyWords reply = call("GETATTR", begin(GETATTR).opaque(file()));
        reply.skip(BEFORE_SIZE_BYTES);
        return reply.hyper();
    }

    @Override
    public void commit() throws IOException {
        ReplyWords reply = call("COMMIT", begin(COMMIT).opaque(file()).hyper(0).word(0));
        skipWcc(reply);
        unstable.committed(reply.hyper());
    }

    @Override
    public void remove(String name) throws IOException {
        call("REMOVE " + name, begin(REMOVE).opaque(directory).string(name));
        file = null;
    }

    @Override
    public RpcMessage readCall(int slot, long offset, int countBytes) {
        CallBuffer call = slots.get(slot);
        call.begin(caller, PROGRAM, VERSION, READ).opaque(file()).hyper(offset).word(countBytes);
        return call.message(calls.nextXid());
    }

    @Override
    public ByteBuffer readReply(int slot, XdrStream reply, List<ByteBuffer> written) throws IOException {
        ReplyWords words = ReplyWords.accepted(reply);
        words.requireOk("READ");
        skipAttributes(words);
        words.word();
        words.word();
        return new ReplyItems(written).take(words.stream(), words.word());
    }

    @Override
    public RpcMessage writeCall(int slot, long offset, ByteBuffer data, boolean stable) {
        CallBuffer call = slots.get(slot);
        call.begin(caller, PROGRAM, VERSION, WRITE).opaque(file()).hyper(offset);
        call.word(data.remaining()).word(stable ? FILE_SYNC : UNSTABLE).dataCount(data.remaining());
        return call.message(calls.nextXid(), data);
    }

    @Override
    public int writeReply(int slot, XdrStream reply) throws IOException {
        ReplyWords words = ReplyWords.accepted(reply);
        words.requireOk("WRITE");
        skipWcc(words);
        int count = words.word();
        if (words.word() == UNSTABLE) {
            unstable.written(words.hyper());
        }
        return count;
    }

    private static void skipAttributes(ReplyWords words) throws NfsException {
        if (words.word() == 1) {
            words.skip(FATTR_BYTES);
        }
    }

    private static void skipWcc(ReplyWords words) throws NfsException {
        if (words.word() == 1) {
            words.skip(WCC_BYTES);
        }
        skipAttributes(words);
    }

    // Metadata calls

    @Override
    public NameCalls names() {
        return new Nfs3Names(this);
    }

    /** Makes a call whose first argument is the export's directory. */
    ReplyWords inDirectory(String what, int procedure, UnaryOperator<CallBuffer> arguments) throws IOException {
        return call(what, arguments.apply(begin(procedure).opaque(directory)));
    }

    CallBuffer inSlot(int slot, int procedure) {
        return slots.get(slot).begin(caller, PROGRAM, VERSION, procedure);
    }

    RpcMessage message(CallBuffer call) {
        return call.message(calls.nextXid());
    }

    @Override
    public void close() {
        file = null;
    }
}
