package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/** Metadata calls of NFS version 3 (RFC 1813, section 3.3). */
final class Nfs3Names implements NameCalls {
    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int CREATE = 8;
    private static final int MKDIR = 9;
    private static final int REMOVE = 12;
    private static final int RMDIR = 13;
    private static final int READDIR = 16;
    private static final int READDIRPLUS = 17;
    private static final int GUARDED = 1;
    private static final int MAX_HANDLE_BYTES = 64;
    private static final int MAX_NAME_BYTES = 255;
    private static final int FATTR_BYTES = 84;
    private static final int FILE_MODE = 0600;
    private static final int DIRECTORY_MODE = 0700;

    private final Nfs3Session session;
    private String name = "";
    private byte[] directory = new byte[0];

    Nfs3Names(Nfs3Session session) {
        this.session = session;
    }

    /** Writes the attributes to set, which are only a mode. */
    private static CallBuffer mode(CallBuffer call, int mode) {
        return call.word(1).word(mode).word(0).word(0).word(0).word(0).word(0);
    }

    private static byte[] handle(String what, ReplyWords reply) throws IOException {
        if (reply.word() != 1) {
            throw new NfsException(what + ": a reply without a handle");
        }
        return reply.opaque(MAX_HANDLE_BYTES);
    }

    @Override
    public void makeDirectory(String made) throws IOException {
        ReplyWords reply = session.inDirectory("MKDIR", MKDIR, call -> mode(call.string(made), DIRECTORY_MODE));
        directory = handle("MKDIR", reply);
        name = made;
    }

    @Override
    public void useDirectory(String used) throws IOException {
        directory =
                session.inDirectory("LOOKUP", LOOKUP, call -> call.string(used)).opaque(MAX_HANDLE_BYTES);
        name = used;
    }

    @Override
    public void removeDirectory() throws IOException {
        session.inDirectory("RMDIR", RMDIR, call -> call.string(name));
    }

    @Override
    public RpcMessage createCall(int slot, String file) {
        CallBuffer call =
                session.inSlot(slot, CREATE).opaque(directory).string(file).word(GUARDED);
        return session.message(mode(call, FILE_MODE));
    }

    @Override
    public byte[] createReply(XdrStream reply) throws IOException {
        return handle("CREATE", accepted("CREATE", reply));
    }

    private static ReplyWords accepted(String what, XdrStream reply) throws IOException {
        ReplyWords words = ReplyWords.accepted(reply);
        words.requireOk(what);
        return words;
    }

    @Override
    public RpcMessage attributesCall(int slot, byte[] handle) {
        return session.message(session.inSlot(slot, GETATTR).opaque(handle));
    }

    @Override
    public void attributesReply(XdrStream reply) throws IOException {
        accepted("GETATTR", reply).skip(FATTR_BYTES);
    }

    @Override
    public RpcMessage listCall(int slot, Position from, Listing listing) {
        CallBuffer call =
                session.inSlot(slot, listing.plus() ? READDIRPLUS : READDIR).opaque(directory);
        call.hyper(from.cookie()).hyper(from.verifier()).word(listing.replyBytes());
        // dircount and maxcount of READDIRPLUS, both as large as the reply: so does Linux.
        return session.message(listing.plus() ? call.word(listing.replyBytes()) : call);
    }

    @Override
    public Position listReply(XdrStream reply, Listing listing) throws IOException {
        ReplyWords words = accepted("READDIR", reply);
        skipAttributes(words);
        long verifier = words.hyper();
        long cookie = 0;
        int entries = 0;
        while (words.word() == 1) {
            words.hyper();
            words.skipOpaque(MAX_NAME_BYTES);
            cookie = words.hyper();
            if (listing.plus()) {
                skipAttributes(words);
                if (words.word() == 1) {
                    words.skipOpaque(MAX_HANDLE_BYTES);
                }
            }
            entries++;
        }
        return new Position(cookie, verifier, entries, words.word() == 1);
    }

    private static void skipAttributes(ReplyWords words) throws NfsException {
        if (words.word() == 1) {
            words.skip(FATTR_BYTES);
        }
    }

    @Override
    public RpcMessage removeCall(int slot, String file) {
        return session.message(session.inSlot(slot, REMOVE).opaque(directory).string(file));
    }

    @Override
    public void removeReply(XdrStream reply) throws IOException {
        accepted("REMOVE", reply);
    }
}
