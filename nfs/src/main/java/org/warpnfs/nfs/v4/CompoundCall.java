package org.warpnfs.nfs.v4;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.nfs.export.RpcOrigin;
import org.warpnfs.nfs.io.Lanes;
import org.warpnfs.nfs.replay.EncodedReply;
import org.warpnfs.nfs.replay.RememberedCall;
import org.warpnfs.nfs.v4.op.CompoundOrigin;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * A COMPOUND that has arrived and whose header is decoded. Several threads may execute it, one after the other.
 *
 * <p>In minor version 0 it has no session, and its changes must not be made again when it is repeated. Its operations
 * are decoded as they are executed, so only its end shows whether it has changed anything.
 *
 * <h2>Buffers</h2>
 *
 * If the reply is kept, its payloads are copied and released at once. The copy may fail, for example if the disk cannot
 * read what the page cache has lost since. Then the call has failed, and a repetition is performed.
 */
final class CompoundCall implements RememberedCall {
    private final Compound compound;
    private final RpcCall rpc;
    private final CompoundOrigin caller;
    private final Compound.Header header;
    private final CompoundReader in;
    private final Consumer<Compound.Executed> answered;
    private Compound.@Nullable Executed executed;

    /** @param answered is told what was executed, once the reply has been sent */
    CompoundCall(
            Compound compound,
            RpcCall rpc,
            CompoundOrigin caller,
            Compound.Header header,
            CompoundReader in,
            Consumer<Compound.Executed> answered) {
        this.compound = compound;
        this.rpc = rpc;
        this.caller = caller;
        this.header = header;
        this.in = in;
        this.answered = answered;
    }

    /** Performs and answers the call without a look for repetitions. */
    void run() {
        execute((result, out) -> {
            if (result != null) {
                send(out);
            }
        });
    }

    @Override
    public void perform(Consumer<@Nullable Outcome> ended) {
        execute((result, out) -> {
            Outcome outcome = null;
            boolean known = false;
            try {
                outcome = result == null ? null : outcome(result, out);
                known = true;
            } finally {
                if (!known) {
                    ended.accept(null);
                }
            }
            ended.accept(outcome);
        });
    }

    private Outcome outcome(Compound.Executed result, CompoundWriter out) {
        return switch (result.effect()) {
            case NONE -> new Outcome.Own(() -> send(out));
            case PUT_OFF -> new Outcome.Passing(encoded(out));
            case WROTE -> new Outcome.Kept(encoded(out), true);
            case CHANGED -> new Outcome.Kept(encoded(out));
        };
    }

    @Override
    public void answer(EncodedReply reply) {
        reply(reply);
    }

    @Override
    public CallOnThread.@Nullable Described described() {
        return Lanes.describedOf(rpc);
    }

    @Override
    public void putOff() {
        CompoundWriter out = new CompoundWriter();
        header.refuse(Nfs4Status.DELAY, out);
        send(out);
    }

    @Override
    public void fail() {
        rpc.failRpcSystem();
    }

    private void execute(BiConsumer<Compound.@Nullable Executed, CompoundWriter> ended) {
        CompoundWriter out = new CompoundWriter();
        compound.execute(Lanes.of(rpc), new RpcOrigin(rpc), caller, header, in, out, result -> {
            executed = result;
            ended.accept(result, out);
        });
    }

    private static EncodedReply encoded(CompoundWriter out) {
        try {
            return EncodedReply.of(new Result(out));
        } finally {
            out.release();
        }
    }

    private void send(CompoundWriter out) {
        try {
            reply(new Result(out));
        } finally {
            // It is empty already, unless encoding the reply failed.
            out.release();
        }
    }

    private void reply(XdrAble result) {
        rpc.reply(result);
        if (executed != null) {
            answered.accept(executed);
        }
    }

    /** The reply's body. It can be encoded once. */
    private record Result(CompoundWriter out) implements XdrAble {
        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new UnsupportedOperationException("a reply is only encoded here");
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            out.writeTo(xdr);
        }
    }
}
