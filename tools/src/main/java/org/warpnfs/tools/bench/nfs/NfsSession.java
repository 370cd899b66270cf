package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * One connection's view of the server and of the one file in use.
 *
 * <h2>Operation</h2>
 *
 * {@link #create}, {@link #open}, {@link #commit}, {@link #remove} and {@link #close} make calls and wait. Between them
 * the calls that are measured are encoded and decoded by slot: each slot has one call in flight at most, and a buffer
 * for it.
 *
 * <h2>Buffers</h2>
 *
 * A message is valid until its slot's next; what {@link #readReply} returns as long as the reply.
 *
 * <h2>Errors</h2>
 *
 * {@link NfsException} for what the server says, any other {@link IOException} for a call that failed below. Slots may
 * be used by any one thread at a time.
 */
public interface NfsSession extends AutoCloseable {
    /** What to say of the server to people. */
    String describe();

    /** Calls that the server takes at once on this session. */
    int slots();

    /** The largest READ and WRITE, as the server has it. */
    int maxTransferBytes();

    /** Creates a file that is not there and opens it. */
    void create(String name) throws IOException;

    /** Opens a file that is there. */
    void open(String name) throws IOException;

    /** The size of the file, as GETATTR has it. */
    long sizeBytes() throws IOException;

    /** Puts what was written on stable storage. */
    void commit() throws IOException;

    /** Closes the file, if it is open, and takes its name away. */
    void remove(String name) throws IOException;

    /** Encodes a READ. */
    RpcMessage readCall(int slot, long offset, int countBytes);

    /** Decodes its reply. */
    ByteBuffer readReply(int slot, XdrStream reply, List<ByteBuffer> written) throws IOException;

    /** Encodes a WRITE of {@code data} from position to limit. */
    RpcMessage writeCall(int slot, long offset, ByteBuffer data, boolean stable);

    /** Decodes its reply: how many bytes the server took. */
    int writeReply(int slot, XdrStream reply) throws IOException;

    /** Calls on names, instead of on the file. */
    NameCalls names();

    /** Closes the file and ends the session. Does not end the connection. */
    @Override
    void close() throws IOException;
}
