package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.EntryVisitor;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Lists directories. The cookie of an entry is its d_off, which is where the file system resumes after it. The SPI
 * reserves the cookies 0, 1 and 2, but some file systems use these offsets. Such an offset becomes {@link #LOW_OFFSETS}
 * plus itself, which no file system uses.
 */
final class Listing {
    private static final long LOW_OFFSETS = 0x7fff_ffff_ffff_fff0L;
    private static final long LOWEST_COOKIE = 3;
    /** Stands for the end of a directory in place of a cookie, which it never is. */
    private static final long END = 1;

    /**
     * Most files that are looked up before the visitor is called again. Each step changes the thread's identity twice,
     * if the caller is another user.
     */
    private static final int MAX_STEP_ENTRIES = 128;

    private final TreeContext tree;
    private final Calls calls;
    private final LongSupplier clockSeconds;

    Listing(TreeContext tree) {
        this(tree, new KernelCalls(), () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }

    /**
     * Does the same with other calls and another clock.
     *
     * @param clockSeconds seconds since 1970, by the clock that the file system's times are from
     */
    Listing(TreeContext tree, Calls calls, LongSupplier clockSeconds) {
        this.tree = tree;
        this.calls = calls;
        this.clockSeconds = clockSeconds;
    }

    /** Lists a directory; {@code wanted} is null if no file is to be looked up. */
    boolean list(
            Caller caller, FileHandle handle, long cookie, @Nullable Set<FileAttribute> wanted, EntryVisitor visitor)
            throws FsException {
        long offset = offset(cookie);
        long removals = tree.listings().removals();
        ListedDirectory kept = tree.listings().take(new KeptListings.Key(handle, caller, cookie));
        try {
            ListedDirectory listed = kept == null ? open(caller, handle, offset) : kept;
            long stoppedAt = END;
            try {
                stoppedAt = read(caller, handle, cookie, listed, wanted, visitor);
            } finally {
                // A listing from the start always begins anew.
                if (stoppedAt == END || stoppedAt == 0) {
                    listed.close();
                }
            }
            if (stoppedAt != END && stoppedAt != 0) {
                tree.listings().keep(new KeptListings.Key(handle, caller, stoppedAt), listed, removals);
            }
            return stoppedAt == END;
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /**
     * Reads names until the visitor stops or the directory ends. What the visitor has not taken is left in
     * {@code listed}.
     *
     * @return the cookie of the last entry that was taken, or {@link #END}
     */
    private long read(
            Caller caller,
            FileHandle handle,
            long from,
            ListedDirectory listed,
            @Nullable Set<FileAttribute> wanted,
            EntryVisitor visitor)
            throws FsException, ErrnoException {
        long last = from;
        while (true) {
            List<DirectoryStream.Entry> batch = listed.next(calls, visitor.room());
            if (batch.isEmpty()) {
                return END;
            }
            int done = 0;
            while (done < batch.size()) {
                int step = Math.min(batch.size() - done, wanted == null ? batch.size() : step(visitor));
                List<DirectoryStream.Entry> entries = batch.subList(done, done + step);
                List<Found> found = wanted == null ? unasked(step) : find(caller, listed, handle, entries, wanted);
                for (int i = 0; i < step; i++) {
                    DirectoryEntry entry = entry(listed, entries.get(i), found.get(i));
                    if (tree.owners().hides(entry.name())) {
                        continue;
                    }
                    if (!visitor.visit(entry)) {
                        listed.leave(batch.subList(done + i, batch.size()));
                        return last;
                    }
                    last = entry.cookie();
                }
                done += step;
            }
        }
    }

    /** Only as many files are looked up as the visitor is likely to take. */
    private static int step(EntryVisitor visitor) {
        return Math.clamp(visitor.room(), 1, MAX_STEP_ENTRIES);
    }

    private ListedDirectory open(Caller caller, FileHandle handle, long offset) throws FsException, ErrnoException {
        try (Fd path = tree.open(handle)) {
            long nowSeconds = clockSeconds.getAsLong();
            Statx statx = AttributeReader.statx(path);
            TreeContext.requireDirectory(statx);
            Fd directory = openForReading(caller, path);
            ListedDirectory listed =
                    new ListedDirectory(directory, Stillness.of(directory, statx, tree.durability(), nowSeconds));
            boolean found = false;
            try {
                seek(listed.stream(), offset);
                found = true;
            } finally {
                if (!found) {
                    listed.close();
                }
            }
            return listed;
        }
    }

    /**
     * Opens a directory through its descriptor. A lookup of "." would require permission to search, and to list a
     * directory permission to read suffices.
     */
    private Fd openForReading(Caller caller, Fd path) throws FsException, ErrnoException {
        tree.authority().require(caller, path, Permission.READ);
        return tree.authority().as(caller, () -> calls.open(path));
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

    private DirectoryEntry entry(ListedDirectory listed, DirectoryStream.Entry entry, Found found) throws FsException {
        FileNode node = found.node();
        FileType type = node != null ? node.attributes().type() : typeUnasked(entry.type());
        long fileId =
                node == null ? fileIdUnasked(listed, entry) : node.attributes().fileId();
        return new DirectoryEntry(
                FileName.of(entry.name()), cookie(entry.nextOffset()), fileId, type, node, found.error());
    }

    /** The file id of a file that nobody looked at: that of a subvolume is none of the directory's inode numbers. */
    private long fileIdUnasked(ListedDirectory listed, DirectoryStream.Entry entry) {
        if (!tree.attributes().mayBeSubvolume(entry)) {
            return entry.inode();
        }
        try {
            Statx named = calls.statx(listed.directory(), entry.name(), 0);
            return named.mountId() == tree.mountId() && tree.attributes().isSubvolume(named)
                    ? AttributeReader.fileIdOfSubvolume(entry)
                    : entry.inode();
        } catch (ErrnoException e) {
            // Removed, or this server may not search the directory.
            return entry.inode();
        }
    }

    /** The type of a file that nobody looked at, or null: what is regular on the host may be anything to clients. */
    private @Nullable FileType typeUnasked(int bits) {
        FileType type = bits == 0 ? null : AttributeReader.type(bits);
        return type == FileType.REGULAR && tree.attributes().areMapped() ? null : type;
    }

    private static List<Found> unasked(int count) {
        return Collections.nCopies(count, Found.NOT_ASKED);
    }

    /** Looks up the files of these names. The result has a node or an error for each. */
    private List<Found> find(
            Caller caller,
            ListedDirectory listed,
            FileHandle handle,
            List<DirectoryStream.Entry> step,
            Set<FileAttribute> wanted)
            throws FsException, ErrnoException {
        Fd directory = listed.directory();
        if (!tree.authority().actsAsCaller() && !tree.authority().has(caller, directory, Permission.EXECUTE)) {
            return Collections.nCopies(step.size(), new Found(null, FsError.ACCESS));
        }
        return tree.authority().as(caller, () -> {
            if (listed.stillness().isPossible() && !tree.attributes().areMapped()) {
                List<Found> found = findByName(directory, handle, step, wanted);
                if (listed.stillness().lasts()) {
                    return found;
                }
            }
            List<Found> found = new ArrayList<>(step.size());
            for (DirectoryStream.Entry entry : step) {
                found.add(findOpen(directory, handle, entry));
            }
            return found;
        });
    }

    /**
     * Looks up files without opening them, by a call for the handle and one for the attributes. They are of the same
     * file only if no name changed between the calls.
     */
    private List<Found> findByName(
            Fd directory, FileHandle handle, List<DirectoryStream.Entry> step, Set<FileAttribute> wanted)
            throws FsException {
        int mask = AttributeReader.mask(wanted);
        List<Found> found = new ArrayList<>(step.size());
        for (DirectoryStream.Entry entry : step) {
            FileNode named = findByName(directory, entry, wanted, mask);
            found.add(named == null ? findOpen(directory, handle, entry) : new Found(named, null));
        }
        return found;
    }

    /**
     * The file of one name. Mounts are compared too, because a mount does not change the directory. A subvolume is on
     * another device than the directory.
     *
     * @return null if the file must be opened, also to learn why it cannot be reached
     */
    private @Nullable FileNode findByName(
            Fd directory, DirectoryStream.Entry entry, Set<FileAttribute> wanted, int mask) {
        try {
            FileHandle file = tree.handles().ofName(directory, entry.name(), tree.mountId());
            if (file == null) {
                return null;
            }
            Statx statx = calls.statx(directory, entry.name(), mask);
            boolean same = statx.inode() == entry.inode()
                    && statx.mountId() == tree.mountId()
                    && !tree.attributes().isSubvolume(statx);
            return same ? new FileNode(file, tree.attributes().convert(directory, statx, wanted)) : null;
        } catch (ErrnoException | FsException e) {
            return null;
        }
    }

    /** Opens a file to look it up: what is open is the same file at each call. */
    private Found findOpen(Fd directory, FileHandle handle, DirectoryStream.Entry entry) throws FsException {
        try (Fd file = OpenCalls.openAt(directory, entry.name(), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW)) {
            return new Found(tree.node(file, handle, FileName.of(entry.name())), null);
        } catch (ErrnoException e) {
            return unavailable(Failure.of(e));
        } catch (FsException e) {
            return unavailable(e);
        }
    }

    private static Found unavailable(FsException e) throws FsException {
        if (e.error() == FsError.TRY_LATER) {
            throw e;
        }
        return new Found(null, e.error());
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

    /** System calls of a listing. A test replaces them. */
    interface Calls {
        /** Opens a directory for reading, at its start. */
        Fd open(Fd path) throws ErrnoException;

        /** The next names of the directory; see {@link DirectoryStream#next}. */
        List<DirectoryStream.Entry> next(DirectoryStream stream, int wanted) throws ErrnoException;

        /** The wanted attributes of the file that has this name; see {@link AttributeCalls#statx}. */
        Statx statx(Fd directory, byte[] name, int wanted) throws ErrnoException;
    }

    /** The calls themselves. */
    static class KernelCalls implements Calls {
        @Override
        public Fd open(Fd path) throws ErrnoException {
            return OpenCalls.reopen(path, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
        }

        @Override
        public List<DirectoryStream.Entry> next(DirectoryStream stream, int wanted) throws ErrnoException {
            return stream.next(wanted);
        }

        @Override
        public Statx statx(Fd directory, byte[] name, int wanted) throws ErrnoException {
            return AttributeCalls.statx(directory, name, wanted);
        }
    }

    /** The file behind a name, or the error of its lookup. Both are null if no lookup was asked for. */
    private record Found(@Nullable FileNode node, @Nullable FsError error) {
        static final Found NOT_ASKED = new Found(null, null);
    }
}
