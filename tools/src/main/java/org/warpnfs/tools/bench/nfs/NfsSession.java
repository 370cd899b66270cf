package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * The NFS client of one connection, with one file in use.
 *
 * <h2>Operation</h2>
 *
 * {@link #create}, {@link #open}, {@link #commit}, {@link #remove} and {@link #close} make calls and wait. The measured
 * calls are encoded and decoded by slot. Each slot has a buffer and at most one call in flight.
 *
 * <h2>Buffers</h2>
 *
 * A message is valid until the next message of its slot. The result of {@link #readReply} is valid as long as the
 * reply.
 *
 * <h2>Errors</h2>
 *
 * Methods throw {@link NfsException} for an error of the server, and any other {@link IOException} for a call that
 * failed below NFS. One thread at a time may use a slot.
 */
public interface NfsSession extends AutoCloseable {
    /** A description of the server for people. */
    String describe();

    /** The number of calls that the server accepts at once on this session. */
    int slots();

    /** The largest READ and WRITE that the server allows. */
    int maxTransferBytes();

    /** Creates a new file and opens it. */
    void create(String name) throws IOException;

    /** Opens an existing file. */
    void open(String name) throws IOException;

    /** The size of the file by GETATTR. */
    long sizeBytes() throws IOException;

    /** Puts what was written on stable storage. */
    void commit() throws IOException;

    /** Closes the file if it is open, and removes its name. */
    void remove(String name) throws IOException;

    /** Encodes a READ. */
    RpcMessage readCall(int slot, long offset, int countBytes);

    /** Decodes its reply. */
    ByteBuffer readReply(int slot, XdrStream reply, List<ByteBuffer> written) throws IOException;

    /** Encodes a WRITE of {@code data} from position to limit. */
    RpcMessage writeCall(int slot, long offset, ByteBuffer data, boolean stable);

    /** Decodes its reply and returns how many bytes the server wrote. */
    int writeReply(int slot, XdrStream reply) throws IOException;

    /** The metadata calls of this session. */
    NameCalls names();

    /** Closes the file and ends the session. Does not end the connection. */
    @Override
    void close() throws IOException;
}
