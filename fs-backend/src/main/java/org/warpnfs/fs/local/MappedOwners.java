package org.warpnfs.fs.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.DirectoryStream;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.NameCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;

/**
 * Owners, permissions, lists, types and device numbers in an {@link OwnerAttribute} beside each file, for a server that
 * cannot act as its callers. On the host every file belongs to the server's user, and its permissions let nobody else
 * in.
 *
 * <p>A file gets its attribute before its name. All but directories begin without a name (O_TMPFILE). A directory
 * begins under a name that clients do not see. A crash may leave such a directory behind, empty; it goes when the
 * directory in which it lies is removed, or by hand.
 */
final class MappedOwners implements Owners {
    private static final int DIRECTORY_ON_HOST = 0700;
    static final int FILE_ON_HOST = 0600;
    private static final int BEING_ADOPTED = 0200;
    private static final ByteBuffer NO_TARGET = ByteBuffer.allocate(0);
    private static final int LEFTOVERS_STEP = 64;
    private static final int MAX_LEFTOVERS = 4096;
    private static final int MAX_TRIES = 8;
    private static final int OPEN_TO_ALL = 01777;
    /** Made by mkfs. */
    private static final byte[] LOST_AND_FOUND = "lost+found".getBytes(StandardCharsets.US_ASCII);

    private static final String UNFINISHED = ".warpnfs-new-";

    private final SecureRandom random = new SecureRandom();

    /**
     * Why owners cannot be kept so in a tree, or null if they can. Where nothing can be written they can, since nothing
     * has to be made.
     */
    static @Nullable String lacking(Fd root) {
        try (Fd trial = OpenCalls.openNameless(root, FILE_ON_HOST)) {
            try {
                OwnerAttribute.of(FileType.REGULAR, new Ownership(0, 0, 0, Acls.NONE), 0, 0)
                        .write(trial);
                return null;
            } catch (ErrnoException e) {
                return "the file system keeps no user attributes (" + e.getMessage() + ")";
            }
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.EROFS -> null;
                case Errno.EACCES -> UserXattrs.areSupported(root) ? null : "the file system keeps no user attributes";
                default -> "the file system makes no files without a name (" + e.getMessage() + ")";
            };
        }
    }

    /**
     * Lets everyone make files in the root of a tree that has no owners yet: it is empty, and has no attribute. Its
     * owner on the host is the server's user, which few clients act as, so nobody could begin. As in /tmp, the sticky
     * bit keeps users from each other's files.
     *
     * @return true if the root was such a one
     */
    static boolean begin(Fd root) throws FsException, ErrnoException {
        if (OwnerAttribute.isKept(root) || !isEmpty(root)) {
            return false;
        }
        Statx host = AttributeReader.statx(root);
        OwnerAttribute.of(FileType.DIRECTORY, new Ownership(OPEN_TO_ALL, host.uid(), host.gid(), Acls.NONE), 0, 0)
                .write(root);
        return true;
    }

    private static boolean isEmpty(Fd directory) throws ErrnoException {
        try (Fd listed = OpenCalls.reopen(directory, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY)) {
            return new DirectoryStream(listed)
                    .next(2).stream().allMatch(entry -> Arrays.equals(entry.name(), LOST_AND_FOUND));
        }
    }

    @Override
    public boolean keepCallers() {
        return true;
    }

    @Override
    public boolean set(Caller caller, Fd file, AttributeChanges changes) throws FsException, ErrnoException {
        if (changes.uid() == null && changes.gid() == null && changes.permissions() == null) {
            return false;
        }
        AttributeChanges own =
                new AttributeChanges(changes.permissions(), changes.uid(), changes.gid(), null, null, null);
        change(file, (type, before) -> {
            // Judged before, but the owner may have changed since.
            PosixJudge.requireSettable(caller, before.protection(type), own);
            return before.after(caller, type, changes);
        });
        return true;
    }

    @Override
    public void setAcls(Caller caller, Fd file, AclChanges changes) throws FsException, ErrnoException {
        change(file, (type, before) -> {
            PosixJudge.requireAclsSettable(caller, before.protection(type), changes);
            return before.after(caller, changes);
        });
    }

    @Override
    public void beforeWrite(Caller caller, Fd file, KeptOwner kept) throws FsException, ErrnoException {
        if (caller.isSuperuser()) {
            return;
        }
        Ownership seen = kept.of(file, AttributeReader.statx(file)).ownership();
        if (!seen.afterWrite(caller).equals(seen)) {
            change(file, (_, before) -> before.afterWrite(caller));
        }
    }

    private static void change(Fd file, Change change) throws FsException, ErrnoException {
        Statx locked = AttributeReader.statx(file);
        Lock lock = RegularOpener.lockOf(locked);
        lock.lock();
        try {
            Statx host = AttributeReader.statx(file);
            if (!OwnerAttribute.canHave(host)) {
                throw FsException.of(FsError.NOT_PERMITTED, "another user of the host owns the file");
            }
            OwnerAttribute before = OwnerAttribute.of(file, host);
            write(file, host, before.with(change.of(before.type(), before.ownership())));
        } finally {
            KeptOwner.changed(locked);
            lock.unlock();
        }
    }

    /** Keeps an attribute. From then on the host lets nobody but the server in, also if the file was put there. */
    static void write(Fd file, Statx host, OwnerAttribute attribute) throws ErrnoException {
        boolean isDirectory = AttributeReader.type(host) == FileType.DIRECTORY;
        int onHost = isDirectory ? DIRECTORY_ON_HOST : FILE_ON_HOST;
        int before = host.mode() & PosixJudge.PERMISSION_BITS;
        // The mode of a directory that is lent to the server is not its to change.
        if (before == onHost || OwnerAttribute.isLent(host)) {
            attribute.write(file);
            return;
        }
        // An attribute that somebody else has set must not be believed before it is replaced.
        AttributeCalls.chmod(file, isDirectory ? DIRECTORY_ON_HOST : BEING_ADOPTED);
        try {
            attribute.write(file);
        } catch (ErrnoException e) {
            AttributeCalls.chmod(file, before);
            throw e;
        }
        if (!isDirectory) {
            AttributeCalls.chmod(file, FILE_ON_HOST);
        }
    }

    @Override
    public Fd makeRegular(Caller caller, Fd directory, FileName name, int permissions)
            throws FsException, ErrnoException {
        return makeFile(caller, directory, name, new NewNode(FileType.REGULAR, permissions, NO_TARGET, 0, 0));
    }

    @Override
    public Fd make(Caller caller, Fd directory, FileName name, NewNode node) throws FsException, ErrnoException {
        return node.type() == FileType.DIRECTORY
                ? makeDirectory(caller, directory, name, node)
                : makeFile(caller, directory, name, node);
    }

    private static Fd makeFile(Caller caller, Fd directory, FileName name, NewNode node)
            throws FsException, ErrnoException {
        Fd made = OpenCalls.openNameless(directory, FILE_ON_HOST);
        boolean named = false;
        try {
            newAttribute(caller, directory, node).write(made);
            if (node.target().hasRemaining()) {
                writeTarget(made, node.targetBytes());
            }
            NameCalls.link(made, directory, name.toBytes());
            named = true;
            return made;
        } finally {
            if (!named) {
                made.close();
            }
        }
    }

    /** Makes a file contain the target of a symbolic link. */
    static void writeTarget(Fd symlink, byte[] target) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, target);
            long written = DataCalls.pwrite(symlink, bytes, 0);
            if (written < target.length) {
                throw ErrnoException.of(Errno.ENOSPC);
            }
        }
    }

    /** The target of a symbolic link, which is what its file contains. */
    static byte[] readTarget(Fd symlink) throws FsException, ErrnoException {
        try (Fd file = RegularOpener.open(symlink, OpenCalls.O_RDONLY);
                Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(PosixRules.MAX_SYMLINK_BYTES);
            long length = DataCalls.pread(file, target, 0);
            return target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private Fd makeDirectory(Caller caller, Fd parent, FileName name, NewNode node) throws FsException, ErrnoException {
        for (int tries = 1; ; tries++) {
            byte[] unfinished = unfinishedName();
            NameCalls.makeDirectory(parent, unfinished, DIRECTORY_ON_HOST);
            try {
                return finishDirectory(caller, parent, unfinished, name, node);
            } catch (ErrnoException e) {
                removeUnfinished(parent, unfinished);
                // A removal of the parent that failed may have taken it for one that a crash has left.
                if (e.errno() != Errno.ENOENT || tries == MAX_TRIES) {
                    throw e;
                }
            } catch (FsException e) {
                removeUnfinished(parent, unfinished);
                throw e;
            }
        }
    }

    private static Fd finishDirectory(Caller caller, Fd parent, byte[] unfinished, FileName name, NewNode node)
            throws FsException, ErrnoException {
        Fd made = OpenCalls.openAt(parent, unfinished, OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW);
        boolean named = false;
        try {
            newAttribute(caller, parent, node).write(made);
            NameCalls.renameToFree(parent, unfinished, name.toBytes());
            named = true;
            return made;
        } finally {
            if (!named) {
                made.close();
            }
        }
    }

    private static void removeUnfinished(Fd parent, byte[] unfinished) {
        try {
            NameCalls.removeDirectory(parent, unfinished);
        } catch (ErrnoException e) {
            // It stays hidden. Why the directory could not be made is what counts.
        }
    }

    private byte[] unfinishedName() {
        String suffix = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
        return (UNFINISHED + suffix).getBytes(StandardCharsets.US_ASCII);
    }

    private static OwnerAttribute newAttribute(Caller caller, Fd directory, NewNode node) throws FsException {
        Ownership parent =
                OwnerAttribute.of(directory, AttributeReader.statx(directory)).ownership();
        return OwnerAttribute.of(
                node.type(),
                Ownership.ofNew(caller, parent, node.type(), node.permissions()),
                node.deviceMajor(),
                node.deviceMinor());
    }

    @Override
    public boolean hides(FileName name) {
        return isUnfinished(name.toBytes());
    }

    /** In any case of letters, since a directory of the host may fold them. */
    private static boolean isUnfinished(byte[] name) {
        String start = new String(name, 0, Math.min(name.length, UNFINISHED.length()), StandardCharsets.ISO_8859_1);
        return name.length > UNFINISHED.length() && start.equalsIgnoreCase(UNFINISHED);
    }

    @Override
    public boolean removeLeftovers(Fd directory) throws FsException, ErrnoException {
        List<byte[]> left = new ArrayList<>();
        try (Fd listed = OpenCalls.reopen(directory, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY)) {
            DirectoryStream stream = new DirectoryStream(listed);
            List<DirectoryStream.Entry> names = stream.next(LEFTOVERS_STEP);
            while (!names.isEmpty()) {
                for (DirectoryStream.Entry entry : names) {
                    if (!isUnfinished(entry.name()) || left.size() == MAX_LEFTOVERS) {
                        return false;
                    }
                    left.add(entry.name());
                }
                names = stream.next(LEFTOVERS_STEP);
            }
        }
        left.forEach(name -> removeUnfinished(directory, name));
        return !left.isEmpty();
    }

    /** What becomes of an ownership. */
    private interface Change {
        Ownership of(FileType type, Ownership before) throws FsException;
    }
}
