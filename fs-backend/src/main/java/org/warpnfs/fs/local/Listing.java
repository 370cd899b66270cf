package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.EntryVisitor;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Lists directories. The cookie of an entry is d_off, where the file system says the next entry is; 0, 1 and 2, which the SPI
 * keeps for itself and some file systems use, are written as {@link #LOW_OFFSETS} and up, which none uses.
 */
final class Listing {
    private static final long LOW_OFFSETS = 0x7fff_ffff_ffff_fff0L;
    private static final long LOWEST_COOKIE = 3;

    private final TreeContext tree;

    Listing(TreeContext tree) {
        this.tree = tree;
    }

    boolean list(Caller caller, FileHandle handle, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        long offset = offset(cookie);
        try (Fd path = tree.openDirectory(handle);
                Fd directory = openForReading(caller, path);
                DirectoryStream stream = new DirectoryStream(directory)) {
            seek(stream, offset);
            for (List<DirectoryStream.Entry> batch = stream.next(); !batch.isEmpty(); batch = stream.next()) {
                List<@Nullable FileNode> nodes = withNodes ? nodes(caller, path, handle, batch) : List.of();
                for (int i = 0; i < batch.size(); i++) {
                    DirectoryStream.Entry entry = batch.get(i);
                    FileName name = FileName.of(entry.name());
                    FileNode node = withNodes ? nodes.get(i) : null;
                    long fileId =
                            node == null ? entry.inode() : node.attributes().fileId();
                    if (!visitor.visit(new DirectoryEntry(name, cookie(entry.nextOffset()), fileId, node))) {
                        return false;
                    }
                }
            }
            return true;
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /** By way of its descriptor: a look-up of "." would ask for leave to search, where leave to read is enough. */
    private Fd openForReading(Caller caller, Fd path) throws FsException, ErrnoException {
        tree.authority().require(caller, path, Permission.READ);
        return tree.authority().as(caller, () -> OpenCalls.reopen(path, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY));
    }

    private static void seek(DirectoryStream stream, long offset) throws FsException {
        if (offset == 0) {
            return;
        }
        try {
            stream.seek(offset);
        } catch (ErrnoException e) {
            throw e.errno() == Errno.EINVAL ? FsException.of(FsError.BAD_COOKIE) : Failure.of(e);
        }
    }

    /** Files behind the names; null where there is none any more, or none that the caller may see. */
    private List<@Nullable FileNode> nodes(
            Caller caller, Fd directory, FileHandle handle, List<DirectoryStream.Entry> batch)
            throws FsException, ErrnoException {
        if (!tree.authority().actsAsCaller() && !tree.authority().has(caller, directory, Permission.EXECUTE)) {
            return Collections.nCopies(batch.size(), null);
        }
        return tree.authority().as(caller, () -> {
            List<@Nullable FileNode> nodes = new ArrayList<>(batch.size());
            for (DirectoryStream.Entry entry : batch) {
                nodes.add(node(directory, handle, entry));
            }
            return nodes;
        });
    }

    private @Nullable FileNode node(Fd directory, FileHandle handle, DirectoryStream.Entry entry) throws FsException {
        try (Fd file = OpenCalls.openAt(directory, entry.name(), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW)) {
            Statx statx = AttributeCalls.statx(file);
            tree.requireSameMount(statx);
            return new FileNode(
                    tree.handles().of(file, statx, handle, FileName.of(entry.name())),
                    tree.attributes().convert(statx));
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM -> throw Failure.of(e);
                default -> null;
            };
        } catch (FsException e) {
            if (e.error() == FsError.TRY_LATER) {
                throw e;
            }
            return null;
        }
    }

    private static long cookie(long offset) {
        return offset >= 0 && offset < LOWEST_COOKIE ? LOW_OFFSETS + offset : offset;
    }

    private static long offset(long cookie) throws FsException {
        if (cookie > 0 && cookie < LOWEST_COOKIE) {
            throw FsException.of(FsError.BAD_COOKIE);
        }
        return cookie >= LOW_OFFSETS && cookie < LOW_OFFSETS + LOWEST_COOKIE ? cookie - LOW_OFFSETS : cookie;
    }
}
