package org.warpnfs.nfs.v4.op;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.Bitmap;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** CREATE (RFC 8881, section 18.4), for all types except regular files. The text of a symbolic link is DDP-eligible. */
final class Create implements ChangingOperation {
    private static final int DIRECTORY = 2;
    private static final int BLOCK = 3;
    private static final int CHARACTER = 4;
    private static final int SYMLINK = 5;
    private static final int SOCKET = 6;
    private static final int FIFO = 7;
    private static final int MAX_SYMLINK_BYTES = 4095;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        What what = What.decode(in);
        FileName name = Names.decode(in);
        Location directory = call.files().current();
        FileSystem fileSystem = directory.fileSystem();
        AttributeUpdate update = AttributeUpdate.decodeOfNewFile(in, call.supported(directory), call.owners());
        call.admissions().requireWritable(directory);
        Names.requireDirectory(directory);
        AclChanges acls = what.type() == SYMLINK
                ? null
                : update.aclChanges(what.type() == DIRECTORY ? FileType.DIRECTORY : FileType.REGULAR);
        AttributeChanges attributes =
                NewFileAcl.overrulesUmask(directory, update) ? update.changesUnderDefaultAcl() : update.changes();
        try (DirectoryChange change = DirectoryChange.begin(call, directory)) {
            FileNode made = what.makeSupported(
                    fileSystem,
                    call.admissions().callerAt(directory),
                    directory.file(),
                    name,
                    attributes.withSize(null));
            BitSet set = update.named();
            set.clear(Attributes.SIZE);
            NewFileAcl.apply(call, directory, made, acls, set);
            change.encode(out);
            Bitmap.encode(set, out);
            call.files().setCurrent(directory.sibling(made.handle()));
        }
    }

    /** createtype4. */
    private record What(int type, String target, int major, int minor) {
        static What decode(CompoundReader in) throws Nfs4Exception {
            int type = in.int32();
            return switch (type) {
                case SYMLINK -> new What(type, target(in.data()), 0, 0);
                case BLOCK, CHARACTER -> new What(type, "", in.int32(), in.int32());
                case DIRECTORY, SOCKET, FIFO -> new What(type, "", 0, 0);
                default -> throw Nfs4Exception.of(Nfs4Status.BADTYPE);
            };
        }

        /** One character per byte: a link's text has no defined encoding. */
        private static String target(ByteBuffer text) throws Nfs4Exception {
            if (!text.hasRemaining()) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            if (text.remaining() > MAX_SYMLINK_BYTES) {
                throw Nfs4Exception.of(Nfs4Status.NAMETOOLONG);
            }
            byte[] bytes = new byte[text.remaining()];
            text.get(bytes);
            for (byte b : bytes) {
                if (b == 0) {
                    throw Nfs4Exception.of(Nfs4Status.INVAL);
                }
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }

        /** BADTYPE for a type that the file system does not support (section 15.1.4.1). */
        FileNode makeSupported(
                FileSystem fileSystem, Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
                throws Nfs4Exception, FsException {
            try {
                return make(fileSystem, caller, directory, name, attributes);
            } catch (FsException e) {
                if (e.error() == FsError.NOT_SUPPORTED) {
                    throw Nfs4Exception.of(Nfs4Status.BADTYPE);
                }
                throw e;
            }
        }

        private FileNode make(
                FileSystem fileSystem, Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
                throws Nfs4Exception, FsException {
            return switch (type) {
                case DIRECTORY -> fileSystem.makeDirectory(caller, directory, name, attributes);
                case SYMLINK ->
                    fileSystem.makeSymlink(
                            caller, directory, name, target.getBytes(StandardCharsets.ISO_8859_1), attributes);
                case BLOCK ->
                    fileSystem.makeSpecial(caller, directory, name, FileType.BLOCK_DEVICE, major, minor, attributes);
                case CHARACTER ->
                    fileSystem.makeSpecial(
                            caller, directory, name, FileType.CHARACTER_DEVICE, major, minor, attributes);
                case SOCKET -> fileSystem.makeSpecial(caller, directory, name, FileType.SOCKET, 0, 0, attributes);
                case FIFO -> fileSystem.makeSpecial(caller, directory, name, FileType.FIFO, 0, 0, attributes);
                default -> throw Nfs4Exception.of(Nfs4Status.BADTYPE);
            };
        }
    }
}
