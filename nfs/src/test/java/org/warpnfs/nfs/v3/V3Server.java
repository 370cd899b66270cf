package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.OnlyWhatIsAsked;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.payload.PayloadPool;

/** A server in memory with exports of all kinds, and a client that writes and reads RFC 1813 word by word. */
final class V3Server {
    static final int ALICE = 1000;
    static final int GROUP = 100;
    static final int ANON = 65534;
    static final int MIB = 1 << 20;
    static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 900);

    static final int GETATTR = 1;
    static final int SETATTR = 2;
    static final int LOOKUP = 3;
    static final int ACCESS = 4;
    static final int READLINK = 5;
    static final int READ = 6;
    static final int WRITE = 7;
    static final int CREATE = 8;
    static final int MKDIR = 9;
    static final int SYMLINK = 10;
    static final int MKNOD = 11;
    static final int REMOVE = 12;
    static final int RMDIR = 13;
    static final int RENAME = 14;
    static final int LINK = 15;
    static final int READDIR = 16;
    static final int READDIRPLUS = 17;
    static final int FSSTAT = 18;
    static final int FSINFO = 19;
    static final int PATHCONF = 20;
    static final int COMMIT = 21;

    /** sattr3 that sets nothing. */
    static final int[] NO_SATTR = {0, 0, 0, 0, 0, 0};

    final FileSystem fs;
    /** root_squash. */
    final Export data;
    /** The same files, read-only. */
    final Export readOnly;
    /** The same files, no_root_squash. */
    final Export trusting;
    /** The same files, all_squash. */
    final Export squashing;

    /** The same files, for hosts of 198.51.100.0/24 alone. */
    final Export elsewhere;
    /** The same files, from privileged ports alone. */
    final Export guarded;

    final ExportTable exports;
    final NfsHandles handles;
    final PayloadPool payloads = new PayloadPool(4L * MIB, MIB);
    final Nfs3Program program;
    final NfsAclProgram acl;
    int uid = ALICE;
    int gid = GROUP;
    private int xid = 1;

    V3Server() {
        this(new MemoryFileSystem(256L << 20, 10_000));
    }

    V3Server(FileSystem fs) {
        this(fs, FileChanges.UNWATCHED);
    }

    V3Server(FileSystem fs, FileChanges fileChanges) {
        this(fs, fileChanges, Identities.NUMERIC);
    }

    V3Server(FileSystem fs, FileChanges fileChanges, Identities identities) {
        this.fs = fs;
        ExportOptions options = ExportOptions.DEFAULTS;
        FileSystem served = OnlyWhatIsAsked.of(fs);
        data = Export.of(PseudoPath.of("/data"), served, options, "memory");
        readOnly = Export.of(PseudoPath.of("/ro"), served, options.withReadOnly(true), "memory");
        trusting = Export.of(PseudoPath.of("/trusting"), served, options.withSquash(Squash.NONE), "memory");
        squashing = Export.of(PseudoPath.of("/squashing"), served, options.withSquash(Squash.ALL), "memory");
        elsewhere = Export.of(
                PseudoPath.of("/elsewhere"),
                served,
                ExportPolicy.of(List.of(new ExportRule(
                        HostPattern.of("198.51.100.0/24", HostNames.NONE), options.withSquash(Squash.NONE)))),
                "memory");
        guarded = Export.of(PseudoPath.of("/guarded"), served, options.withPrivilegedPort(true), "memory");
        exports = ExportTable.of(List.of(data, readOnly, trusting, squashing, elsewhere, guarded), identities);
        handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        program = new Nfs3Program(new Nfs3Server(
                exports,
                handles,
                payloads,
                Nfs3Options.of(7),
                fileChanges,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)));
        acl = program.aclProgram();
        try {
            // Every user may create files in the root.
            fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }

    V3Reply call(int procedure, UnaryOperator<CallWriter> args) {
        return new V3Reply(send(args.apply(begin(procedure)).toBytes()));
    }

    /** A call of the NFS_ACL program. */
    V3Reply aclCall(int procedure, UnaryOperator<CallWriter> args) {
        CallWriter call = CallWriter.call(xid++, NfsAclProgram.PROGRAM, NfsAclProgram.VERSION, procedure)
                .authSys(uid, gid);
        return new V3Reply(aclSend(args.apply(call).toBytes()));
    }

    byte[] aclSend(byte[] message) {
        return send(acl, CLIENT, message);
    }

    CallWriter begin(int procedure) {
        return CallWriter.call(xid++, Nfs3Program.PROGRAM, Nfs3Program.VERSION, procedure)
                .authSys(uid, gid);
    }

    byte[] send(byte[] message) {
        return send(CLIENT, message);
    }

    byte[] send(InetSocketAddress client, byte[] message) {
        return send(program, client, message);
    }

    private byte[] send(RpcDispatchable to, InetSocketAddress client, byte[] message) {
        try {
            byte[] reply = ReplyKeeper.call(to, client, message);
            assertThat(reply).as("a reply").isNotNull();
            assertThat(payloads.lentBytes()).as("payloads given back").isZero();
            return reply;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    byte[] root(Export export) {
        return handles.encode(export.root());
    }

    byte[] root() {
        return root(data);
    }

    byte[] handle(Export export, FileHandle file) {
        return handles.encode(new Location(export, file));
    }

    /** Makes a regular file of alice's in the root. */
    byte[] file(String name, int permissions, String contents) {
        return handle(data, newFile(name, permissions, contents.getBytes(StandardCharsets.UTF_8)));
    }

    FileHandle newFile(String name, int permissions, byte[] contents) {
        Caller alice = new Caller(ALICE, GROUP, List.of());
        try {
            FileHandle file = fs.create(
                            alice,
                            fs.root(),
                            FileName.of(name),
                            new CreateMode.Guarded(AttributeChanges.ofPermissions(permissions)))
                    .node()
                    .handle();
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
                open.write(java.nio.ByteBuffer.wrap(contents), 0, Stability.UNSTABLE);
            }
            return file;
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes a directory of alice's in the root. */
    byte[] directory(String name, int permissions) {
        try {
            return handle(
                    data,
                    fs.makeDirectory(
                                    new Caller(ALICE, GROUP, List.of()),
                                    fs.root(),
                                    FileName.of(name),
                                    AttributeChanges.ofPermissions(permissions))
                            .handle());
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }

    /** The handle of the same file through another export. */
    byte[] through(Export export, byte[] handle) {
        try {
            return handle(export, handles.decode(handle).file());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    boolean exists(String name) {
        try {
            return fs.lookup(Caller.ROOT, fs.root(), FileName.of(name)) != null;
        } catch (FsException e) {
            return false;
        }
    }

    V3Reply.Attributes attributes(byte[] handle) {
        V3Reply reply = call(GETATTR, c -> c.opaque(handle));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        return reply.attributes();
    }
}
