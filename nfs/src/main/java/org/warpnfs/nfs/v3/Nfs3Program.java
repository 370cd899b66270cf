package org.warpnfs.nfs.v3;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.payload.PayloadPool;

/**
 * NFS version 3 (RFC 1813): all 22 procedures.
 *
 * <h2>Operation</h2>
 *
 * A call's arguments are decoded in whole before anything is done. Then its procedure runs on the calling thread, and the
 * reply is on its way when {@link #dispatchOncRpcCall} returns; but for a call that is already being done, which is answered along with
 * the first. Calls that must not be done twice are answered from a {@link ReplyCache} when they are repeated.
 *
 * <h2>Buffers</h2>
 *
 * READ data come from the payload pool; while it is used up, READ is answered with JUKEBOX. WRITE data are the transport's.
 *
 * <h2>Errors</h2>
 *
 * What cannot be decoded is answered with GARBAGE_ARGS, an unknown procedure with PROC_UNAVAIL, a credential that is not
 * served with an authentication error. A bug in a procedure or a backend ends that one call with SERVERFAULT and a line in
 * the log.
 *
 * <p>Safe for any thread; blocks as the backend does.
 */
public final class Nfs3Program implements RpcDispatchable {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Nfs3Program.class);
    private static final int NULL = 0;

    /** By number, from GETATTR, which is 1. */
    private static final List<Nfs3Procedure<?>> PROCEDURES = List.of(
            new GetAttr(),
            new SetAttr(),
            new Lookup(),
            new Access(),
            new ReadLink(),
            new Read(),
            new Write(),
            new Create(),
            new MakeDirectory(),
            new MakeSymlink(),
            new MakeNode(),
            Remove.FILE,
            Remove.DIRECTORY,
            new Rename(),
            new Link(),
            ReadDir.PLAIN,
            ReadDir.PLUS,
            FsQuery.FSSTAT,
            FsQuery.FSINFO,
            FsQuery.PATHCONF,
            new Commit());

    private final Nfs3Server server;
    private final ReplyCache replyCache;

    /** @param fileChanges what stands between NFSv3 changes and what clients of other versions rely on */
    public Nfs3Program(
            ExportTable exports,
            NfsHandles handles,
            PayloadPool payloads,
            Nfs3Options options,
            FileChanges fileChanges) {
        this(new Nfs3Server(exports, handles, payloads, options, fileChanges));
    }

    Nfs3Program(Nfs3Server server) {
        if (server.options().maxTransferBytes() > server.payloads().maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "transfers of " + server.options().maxTransferBytes() + " bytes from a pool that lends at most "
                            + server.payloads().maxLengthBytes());
        }
        this.server = server;
        this.replyCache = new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime);
    }

    @Override
    public void dispatchOncRpcCall(RpcCall rpc) throws IOException {
        if (rpc.getProgramVersion() != VERSION) {
            rpc.failProgramMismatch(VERSION, VERSION);
        } else if (rpc.getProcedure() == NULL) {
            rpc.reply(XdrVoid.XDR_VOID);
        } else if (rpc.getProcedure() < NULL || rpc.getProcedure() > PROCEDURES.size()) {
            rpc.failProcedureUnavailable();
        } else {
            dispatch(rpc, PROCEDURES.get(rpc.getProcedure() - 1));
        }
    }

    private <A> void dispatch(RpcCall rpc, Nfs3Procedure<A> procedure) {
        Identity identity;
        try {
            identity = Identity.of(rpc);
        } catch (RpcAuthException e) {
            rpc.reject(e.getStatus(), e.getRpcReply());
            return;
        }
        A args = decode(rpc, procedure);
        if (args == null) {
            rpc.failRpcGarbage();
            return;
        }
        Nfs3Call call = new Nfs3Call(server, identity);
        InetAddress client = procedure.isRemembered() ? clientOf(rpc) : null;
        if (client == null) {
            try (Nfs3Reply reply = run(procedure, call, args)) {
                rpc.reply(reply);
            }
            return;
        }
        long checksum = procedure.checksum(args) * 31 + identity.hashCode();
        once(rpc, new ReplyCache.Key(client, rpc.getXid(), rpc.getProcedure(), checksum), procedure, call, args);
    }

    /** Does it unless it was done, or is being done for the same call on this connection or another. */
    private <A> void once(RpcCall rpc, ReplyCache.Key key, Nfs3Procedure<A> procedure, Nfs3Call call, A args) {
        ReplyCache.Verdict verdict = replyCache.begin(
                key,
                reply -> rpc.reply(reply != null ? reply : failure(procedure, call.blind(), args, Nfs3Status.JUKEBOX)));
        switch (verdict) {
            case ReplyCache.Verdict.Repeat known -> rpc.reply(known.reply());
            case ReplyCache.Verdict.Perform(ReplyCache.Running running) ->
                rpc.reply(perform(running, procedure, call, args));
            case ReplyCache.Verdict.Wait _ -> {
                // The thread that does it answers.
            }
            case ReplyCache.Verdict.Refuse _ -> rpc.reply(failure(procedure, call, args, Nfs3Status.JUKEBOX));
        }
    }

    private <A> EncodedReply perform(ReplyCache.Running running, Nfs3Procedure<A> procedure, Nfs3Call call, A args) {
        EncodedReply encoded = null;
        boolean changed = false;
        try (Nfs3Reply reply = run(procedure, call, args)) {
            encoded = reply.encoded();
            // Nothing was done then, and the client will ask again.
            changed = reply.status() != Nfs3Status.JUKEBOX;
            return encoded;
        } finally {
            if (changed && encoded != null) {
                replyCache.done(running, encoded);
            } else {
                replyCache.undone(running, encoded);
            }
        }
    }

    private static <A> @Nullable A decode(RpcCall rpc, Nfs3Procedure<A> procedure) {
        Arguments<A> arguments = new Arguments<>(procedure);
        try {
            rpc.retrieveCall(arguments);
            return arguments.decoded;
        } catch (IOException e) {
            LOG.debug("garbage arguments of procedure {}: {}", rpc.getProcedure(), e.getMessage());
            return null;
        } catch (RuntimeException e) {
            LOG.error("arguments of procedure {} could not be decoded by a bug of the server", rpc.getProcedure(), e);
            return null;
        }
    }

    private static @Nullable InetAddress clientOf(RpcCall rpc) {
        return rpc.getTransport().getRemoteSocketAddress().getAddress();
    }

    private static <A> Nfs3Reply run(Nfs3Procedure<A> procedure, Nfs3Call call, A args) {
        try {
            return procedure.run(call, args);
        } catch (FsException e) {
            return failure(procedure, call, args, Nfs3Status.of(e.error()));
        } catch (Nfs3Exception e) {
            return failure(procedure, call, args, e.status());
        } catch (RuntimeException e) {
            LOG.error("procedure {} failed by a bug of the server", PROCEDURES.indexOf(procedure) + 1, e);
            return failure(procedure, call.blind(), args, Nfs3Status.SERVERFAULT);
        }
    }

    private static <A> Nfs3Reply failure(Nfs3Procedure<A> procedure, Nfs3Call call, A args, Nfs3Status status) {
        try {
            return new Nfs3Reply(status, procedure.failed(call, args));
        } catch (RuntimeException e) {
            LOG.error(
                    "{} failed twice by a bug of the server",
                    procedure.getClass().getSimpleName(),
                    e);
            return new Nfs3Reply(Nfs3Status.SERVERFAULT, procedure.failed(call.blind(), args));
        }
    }

    /** Reads arguments where oncrpc4j asks for them. */
    private static final class Arguments<A> implements XdrAble {
        private final Nfs3Procedure<A> procedure;
        private @Nullable A decoded;

        Arguments(Nfs3Procedure<A> procedure) {
            this.procedure = procedure;
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            decoded = procedure.decode(xdr);
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException("a server does not send calls");
        }
    }
}
