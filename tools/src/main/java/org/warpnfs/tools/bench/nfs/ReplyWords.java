package org.warpnfs.tools.bench.nfs;

import org.warpnfs.rpcrdma.message.XdrStream;

/** Reads the words of a reply. It checks every length, because a server may send anything. */
public final class ReplyWords {
    private static final int REPLY = 1;
    private static final int MSG_ACCEPTED = 0;
    private static final int SUCCESS = 0;
    private static final int MAX_VERIFIER_BYTES = 400;

    private final XdrStream stream;

    private ReplyWords(XdrStream stream) {
        this.stream = stream;
    }

    /**
     * Skips the header of an accepted and successful reply.
     *
     * @throws NfsException if the reply is of another kind
     */
    public static ReplyWords accepted(XdrStream stream) throws NfsException {
        ReplyWords words = new ReplyWords(stream);
        words.word();
        if (words.word() != REPLY) {
            throw new NfsException("a message that is no reply");
        }
        if (words.word() != MSG_ACCEPTED) {
            int why = words.word();
            throw new NfsException("the server refuses the call: "
                    + (why == 1 ? "authentication status " + words.word() : "another RPC version"));
        }
        words.word();
        words.skipOpaque(MAX_VERIFIER_BYTES);
        int status = words.word();
        switch (status) {
            case SUCCESS -> {}
            case 1 -> throw new NfsException("the server does not have this program");
            case 2 -> throw new NfsException("the server does not have this version of the program");
            case 3 -> throw new NfsException("the server does not have this procedure");
            case 4 -> throw new NfsException("the server cannot decode the call");
            default -> throw new NfsException("the server fails the call: RPC status " + status);
        }
        return words;
    }

    /** Reads an NFS status and throws unless the call named {@code what} has succeeded. */
    void requireOk(String what) throws NfsException {
        int status = word();
        if (status != 0) {
            throw new NfsException(what, status);
        }
    }

    public int word() throws NfsException {
        require(Integer.BYTES);
        return stream.readInt();
    }

    public long hyper() throws NfsException {
        require(Long.BYTES);
        return stream.readLong();
    }

    /** Skips variable-length opaque data. */
    void skipOpaque(int maxBytes) throws NfsException {
        skip(counted(maxBytes));
    }

    /** Skips fixed-length opaque data with their roundup, or words. */
    public void skip(int countBytes) throws NfsException {
        require(XdrStream.roundUp(countBytes));
        stream.skip(XdrStream.roundUp(countBytes));
    }

    /** Reads variable-length opaque data. */
    public byte[] opaque(int maxBytes) throws NfsException {
        byte[] value = new byte[counted(maxBytes)];
        require(XdrStream.roundUp(value.length));
        stream.read(value, 0, value.length);
        stream.skip(XdrStream.roundUp(value.length) - value.length);
        return value;
    }

    /** Reads fixed-length opaque data. The length must be a multiple of four bytes. */
    public byte[] fixed(int countBytes) throws NfsException {
        byte[] value = new byte[countBytes];
        require(countBytes);
        stream.read(value, 0, countBytes);
        return value;
    }

    /** Begins variable-length opaque data, and returns its length. */
    private int counted(int maxBytes) throws NfsException {
        int count = count(maxBytes);
        if (!stream.beginCounted(count)) {
            throw new NfsException("a reply whose data of " + count + " bytes are not where they have to be");
        }
        return count;
    }

    /** Reads a number of elements or bytes. */
    public int count(int max) throws NfsException {
        int count = word();
        if (count < 0 || count > max) {
            throw new NfsException("a reply that counts " + Integer.toUnsignedString(count) + " of at most " + max);
        }
        return count;
    }

    public XdrStream stream() {
        return stream;
    }

    private void require(int bytes) throws NfsException {
        if (stream.remainingBytes() < bytes) {
            throw new NfsException("a reply that ends too soon");
        }
    }
}
