package org.warpnfs.rpcrdma.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.PayloadPool;

/** A program with one procedure for each way in which data may be sent. */
public final class EchoProgram implements RpcDispatchable {
    public static final int NUMBER = 0x2000_0099;
    public static final int VERSION = 3;
    public static final OncRpcProgram PROGRAM = new OncRpcProgram(NUMBER, VERSION);

    /** void NULL(void). */
    public static final int NULL = 0;
    /** (int, int) WRITE(int before, opaque data, int after): the results are the count with a checksum, and 'after'. */
    public static final int WRITE = 1;
    /** (int, opaque data, int) READ(int count): a payload between two words. */
    public static final int READ = 2;
    /** opaque BULK(int count): an opaque that is no payload. */
    public static final int BULK = 3;
    /** Throws a RuntimeException. */
    public static final int FAIL = 4;
    /** Does not answer until the test says so. */
    public static final int PARK = 5;
    /** Begins a reply whose encoder throws. */
    public static final int HALF = 6;
    /** opaque COPY(opaque data), by the byte array decoders. */
    public static final int COPY = 7;
    /** The same as COPY, but checks the count before it takes the bytes. */
    public static final int BOUNDED_COPY = 8;

    private static final int MAX_COUNT = 1 << 20;

    private final PayloadPool pool;
    public final List<RpcCall> parked = new ArrayList<>();
    public final List<RpcTransport> transports = new ArrayList<>();
    /** Every WRITE that ran. */
    public final List<WriteRun> runs = new ArrayList<>();

    public int writes;

    /** A WRITE, with the word before its data, and its connection. */
    public record WriteRun(RpcTransport transport, int before) {}

    public EchoProgram(PayloadPool pool) {
        this.pool = pool;
    }

    /** The number of parked calls. To be called on a thread that runs no program. */
    public synchronized int parkedCount() {
        return parked.size();
    }

    /** The byte at an index in the data of READ and BULK. */
    public static byte pattern(int index) {
        return (byte) (index * 31 + (index >> 8));
    }

    public static byte[] pattern(int count, int from) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = pattern(from + i);
        }
        return bytes;
    }

    public static int checksum(ByteBuffer data) {
        int sum = 1;
        for (int i = data.position(); i < data.limit(); i++) {
            sum = sum * 31 + data.get(i);
        }
        return sum;
    }

    @Override
    public synchronized void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
        transports.add(call.getTransport());
        switch (call.getProcedure()) {
            case NULL -> call.reply(XdrVoid.XDR_VOID);
            case WRITE -> write(call);
            case READ -> read(call);
            case BULK -> {
                int count = call.getXdr().xdrDecodeInt();
                if (count < 0 || count > MAX_COUNT) {
                    call.failRpcGarbage();
                } else {
                    call.reply((Encoded) xdr -> xdr.xdrEncodeDynamicOpaque(pattern(count, 0)));
                }
            }
            case FAIL -> throw new IllegalArgumentException("this procedure always fails");
            case PARK -> parked.add(call);
            case HALF ->
                call.reply((Encoded) xdr -> {
                    xdr.xdrEncodeInt(1);
                    throw new IOException("cannot be encoded");
                });
            case COPY -> {
                byte[] data = call.getXdr().xdrDecodeDynamicOpaque();
                call.reply((Encoded) xdr -> xdr.xdrEncodeByteBuffer(ByteBuffer.wrap(data)));
            }
            case BOUNDED_COPY -> {
                int count = call.getXdr().xdrDecodeInt();
                if (count < 0 || count > MAX_COUNT) {
                    call.failRpcGarbage();
                    return;
                }
                byte[] data = new byte[count];
                call.getXdr().xdrDecodeOpaque(data, 0, data.length);
                call.reply((Encoded) xdr -> xdr.xdrEncodeByteBuffer(ByteBuffer.wrap(data)));
            }
            default -> call.failProcedureUnavailable();
        }
    }

    private void write(RpcCall call) throws IOException {
        int before = call.getXdr().xdrDecodeInt();
        ByteBuffer data = call.getXdr().xdrDecodeByteBuffer();
        int after = call.getXdr().xdrDecodeInt();
        writes++;
        runs.add(new WriteRun(call.getTransport(), before));
        call.reply((Encoded) xdr -> {
            xdr.xdrEncodeInt(before);
            xdr.xdrEncodeInt(data.remaining());
            xdr.xdrEncodeInt(checksum(data));
            xdr.xdrEncodeInt(after);
        });
    }

    private void read(RpcCall call) throws IOException {
        int count = call.getXdr().xdrDecodeInt();
        Payload payload = count < 0 || count > MAX_COUNT ? null : pool.tryAcquire(count);
        if (payload == null) {
            call.failRpcGarbage();
            return;
        }
        payload.buffer().put(0, pattern(count, 0));
        call.reply((Encoded) xdr -> {
            xdr.xdrEncodeInt(0x11111111);
            ((PayloadEncoder) xdr).xdrEncodePayload(payload);
            xdr.xdrEncodeInt(0x22222222);
        });
    }

    /** An encoder alone. */
    public interface Encoded extends XdrAble {
        @Override
        default void xdrDecode(XdrDecodingStream xdr) {
            throw new UnsupportedOperationException();
        }

        @Override
        void xdrEncode(XdrEncodingStream xdr) throws OncRpcException, IOException;
    }

    /** A decoder alone. */
    public interface Decoded extends XdrAble {
        @Override
        default void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException();
        }

        @Override
        void xdrDecode(XdrDecodingStream xdr) throws OncRpcException, IOException;
    }
}
