package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Metadata calls of NFS version 4.1 (RFC 8881, section 18).
 *
 * <p>A file is created by OPEN and CLOSE in one COMPOUND. CLOSE uses the current stateid (RFC 8881, section
 * 16.2.3.1.2).
 */
final class Nfs41Names implements NameCalls {
    private static final int CLOSE = 4;
    private static final int CREATE = 6;
    private static final int GETATTR = 9;
    private static final int GETFH = 10;
    private static final int LOOKUP = 15;
    private static final int READDIR = 26;
    private static final int REMOVE = 28;

    private static final int NF4DIR = 2;
    private static final int FATTR_MODE = 1 << 1;
    private static final int FILE_MODE = 0600;
    private static final int DIRECTORY_MODE = 0700;
    private static final int FATTR_FILEID = 1 << 20;
    /** The attributes type, change, size and fileid. */
    private static final int STAT_0 = 1 << 1 | 1 << 3 | 1 << 4 | FATTR_FILEID;
    /** The attributes mode, numlinks, space_used, time_access, time_metadata and time_modify. */
    private static final int STAT_1 = FATTR_MODE | 1 << 3 | 1 << 13 | 1 << 15 | 1 << 20 | 1 << 21;

    /** The attribute rdattr_error, which Linux asks for in each listing. */
    private static final int FATTR_ERROR = 1 << 11;
    /**
     * What Linux asks for in a readdirplus: type, change, size, fsid, rdattr_error, filehandle and fileid (nfs4xdr.c,
     * encode_readdir).
     */
    private static final int PLUS_0 = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 8 | FATTR_ERROR | 1 << 19 | FATTR_FILEID;
    /** The same of the second word: the attributes of STAT_1, owner, owner_group, rawdev and mounted_on_fileid. */
    private static final int PLUS_1 = STAT_1 | 1 << 4 | 1 << 5 | 1 << 9 | 1 << 23;

    private static final int CURRENT_STATEID = 1;
    private static final byte[] NO_OTHER = new byte[12];
    private static final int MAX_HANDLE_BYTES = 128;
    private static final int MAX_NAME_BYTES = 1024;
    private static final int MAX_ATTRIBUTE_BYTES = 4096;
    private static final int CHANGE_INFO_BYTES = 20;

    private final Nfs41Session session;
    private String name = "";
    private byte[] directory = new byte[0];

    Nfs41Names(Nfs41Session session) {
        this.session = session;
    }

    /** Writes the attributes to set, which are only a mode. */
    private static CallBuffer mode(CallBuffer call, int mode) {
        return call.word(2).word(0).word(FATTR_MODE).word(4).word(mode);
    }

    @Override
    public void makeDirectory(String made) throws IOException {
        ReplyWords reply = session.inDirectory(
                "CREATE " + made, 2, call -> mode(call.word(CREATE).word(NF4DIR).string(made), DIRECTORY_MODE)
                        .word(GETFH));
        Nfs41Session.operation("CREATE", reply, CREATE);
        reply.skip(CHANGE_INFO_BYTES);
        reply.skip(Integer.BYTES * reply.count(16));
        Nfs41Session.operation("GETFH", reply, GETFH);
        directory = reply.opaque(MAX_HANDLE_BYTES);
        name = made;
    }

    @Override
    public void useDirectory(String used) throws IOException {
        ReplyWords reply = session.inDirectory(
                "LOOKUP " + used, 2, call -> call.word(LOOKUP).string(used).word(GETFH));
        Nfs41Session.operation("LOOKUP", reply, LOOKUP);
        Nfs41Session.operation("GETFH", reply, GETFH);
        directory = reply.opaque(MAX_HANDLE_BYTES);
        name = used;
    }

    @Override
    public void removeDirectory() throws IOException {
        session.inDirectory("REMOVE " + name, 1, call -> call.word(REMOVE).string(name));
    }

    @Override
    public RpcMessage createCall(int slot, String file) {
        CallBuffer call = session.beginOpen(session.inSlot(slot, directory, 5));
        mode(call.word(1).word(1), FILE_MODE).word(0).string(file);
        call.word(GETFH);
        return session.message(call.word(CLOSE).word(0).word(CURRENT_STATEID).fixed(NO_OTHER));
    }

    @Override
    public byte[] createReply(XdrStream reply) throws IOException {
        ReplyWords words = Nfs41Session.afterPutFh("OPEN", reply);
        Nfs41Session.opened("OPEN", words);
        Nfs41Session.operation("GETFH", words, GETFH);
        return words.opaque(MAX_HANDLE_BYTES);
    }

    @Override
    public RpcMessage attributesCall(int slot, byte[] handle) {
        return session.message(session.inSlot(slot, handle, 3)
                .word(GETATTR)
                .word(2)
                .word(STAT_0)
                .word(STAT_1));
    }

    @Override
    public void attributesReply(XdrStream reply) throws IOException {
        Nfs41Session.operation("GETATTR", Nfs41Session.afterPutFh("GETATTR", reply), GETATTR);
    }

    @Override
    public RpcMessage listCall(int slot, Position from, Listing listing) {
        CallBuffer call = session.inSlot(slot, directory, 3).word(READDIR);
        call.hyper(from.cookie())
                .hyper(from.verifier())
                .word(listing.replyBytes())
                .word(listing.replyBytes());
        return session.message(
                listing.plus()
                        ? call.word(2).word(PLUS_0).word(PLUS_1)
                        : call.word(1).word(FATTR_FILEID));
    }

    @Override
    public Position listReply(XdrStream reply, Listing listing) throws IOException {
        ReplyWords words = Nfs41Session.afterPutFh("READDIR", reply);
        Nfs41Session.operation("READDIR", words, READDIR);
        long verifier = words.hyper();
        long cookie = 0;
        int entries = 0;
        while (words.word() == 1) {
            cookie = words.hyper();
            words.skipOpaque(MAX_NAME_BYTES);
            words.skip(Integer.BYTES * words.count(16));
            words.skipOpaque(MAX_ATTRIBUTE_BYTES);
            entries++;
        }
        return new Position(cookie, verifier, entries, words.word() == 1);
    }

    @Override
    public RpcMessage removeCall(int slot, String file) {
        return session.message(session.inSlot(slot, directory, 3).word(REMOVE).string(file));
    }

    @Override
    public void removeReply(XdrStream reply) throws IOException {
        Nfs41Session.operation("REMOVE", Nfs41Session.afterPutFh("REMOVE", reply), REMOVE);
    }
}
