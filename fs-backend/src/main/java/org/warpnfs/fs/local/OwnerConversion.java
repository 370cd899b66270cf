package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
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
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixAclXattr;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * Converts a tree that no server serves: from owners in an {@link OwnerAttribute} of each file to owners of the host,
 * or back. Follows no symbolic link. For one thread.
 *
 * <p>What a file shall be is noted first in an attribute that only the host's superuser can set, and the note is
 * removed last. So a conversion that was interrupted goes on when it is started again, and believes nothing that a user
 * of the host could have forged. A directory belongs to the server's user as long as files in it are converted, so that
 * other users cannot exchange them.
 */
public final class OwnerConversion {
    /** From what to what. */
    public enum Way {
        /** From attributes to owners of the host. */
        EXPORT,
        /** From owners of the host to attributes. */
        IMPORT
    }

    /**
     * What is asked for.
     *
     * @param serverUser the user to whom files with an attribute belong on the host; -1 for the directory's owner
     * @param entersMounts whether other file systems that are mounted in the tree are converted too
     * @param makesPrivileged whether an export makes devices and set-id files, which may give clients' users power over
     *     the host
     */
    public record Wanted(Way way, long serverUser, boolean entersMounts, boolean makesPrivileged) {}

    /** How many files were converted, and how many could not be. */
    public record Result(long converted, long failed) {}

    private static final byte[] NOTE = "trusted.warpnfs.owner".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRIAL = "trusted.warpnfs.trial".getBytes(StandardCharsets.US_ASCII);
    /** Takes the place of a file, and is hidden from clients. A run that was interrupted may have left one. */
    private static final byte[] REPLACEMENT = ".warpnfs-new-owner".getBytes(StandardCharsets.US_ASCII);

    private static final int NO_FOLLOW = OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW;
    private static final int STEP = 256;
    /** Each level takes two descriptors. */
    private static final int MAX_DEPTH = 500;

    private final Wanted wanted;
    private final Consumer<String> said;
    private final long serverUser;
    private final long mountId;
    private long converted;
    private long failed;

    private OwnerConversion(Wanted wanted, Statx root, Consumer<String> said) {
        this.wanted = wanted;
        this.said = said;
        this.serverUser = wanted.serverUser() < 0 ? root.uid() : wanted.serverUser();
        this.mountId = root.mountId();
    }

    /**
     * Converts a tree.
     *
     * @param said is told, with its path, of each file that could not be converted
     * @throws IOException if nothing can be converted
     */
    public static Result run(Path directory, Wanted wanted, Consumer<String> said) throws IOException {
        byte[] path = directory.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
        int flags = OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY | OpenCalls.O_NOFOLLOW;
        try (Fd root = OpenCalls.open(path, flags)) {
            requirePrivilege(root);
            OwnerConversion run = new OwnerConversion(wanted, AttributeCalls.statx(root), said);
            run.visit(root, root, REPLACEMENT, directory.toString(), 0);
            DataCalls.syncFileSystem(root);
            return new Result(run.converted, run.failed);
        } catch (ErrnoException e) {
            throw new IOException(directory + ": " + words(Failure.of(e)), e);
        }
    }

    private static void requirePrivilege(Fd root) throws IOException {
        try {
            XattrCalls.set(root, TRIAL, new byte[1], 0);
            XattrCalls.remove(root, TRIAL);
        } catch (ErrnoException e) {
            throw new IOException(
                    "owners can be converted only by root with CAP_SYS_ADMIN, on a file system with extended"
                            + " attributes (" + words(Failure.of(e)) + ")",
                    e);
        }
    }

    private void visit(Fd parent, Fd file, byte[] name, String path, int depth) {
        try {
            Statx host = AttributeCalls.statx(file);
            if (host.mountId() != mountId && !wanted.entersMounts()) {
                said.accept(path + ": another file system is mounted here, which was left as it is");
                return;
            }
            boolean isDirectory = AttributeReader.type(host) == FileType.DIRECTORY;
            if (isDirectory && wanted.way() == Way.EXPORT) {
                visitAll(file, path, depth);
            }
            boolean did =
                    switch (wanted.way()) {
                        case EXPORT -> exported(parent, file, name, host);
                        case IMPORT -> imported(parent, file, name, host);
                    };
            converted += did ? 1 : 0;
            if (isDirectory && wanted.way() == Way.IMPORT) {
                visitAll(file, path, depth);
            }
        } catch (FsException e) {
            failed(path, e);
        } catch (ErrnoException e) {
            failed(path, Failure.of(e));
        }
    }

    private void failed(String path, FsException e) {
        failed++;
        said.accept(path + ": " + words(e));
    }

    private static String words(FsException e) {
        String name = e.error().name();
        return String.valueOf(e.getMessage())
                .replace(name, name.toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    private void visitAll(Fd directory, String path, int depth) throws FsException, ErrnoException {
        if (depth == MAX_DEPTH) {
            throw FsException.of(FsError.NAME_TOO_LONG, "what is in it is too deep; convert it by itself");
        }
        Statx before = AttributeCalls.statx(directory);
        try (Fd listed = OpenCalls.reopen(directory, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY)) {
            DirectoryStream stream = new DirectoryStream(listed);
            List<DirectoryStream.Entry> entries = stream.next(STEP);
            while (!entries.isEmpty()) {
                for (DirectoryStream.Entry entry : entries) {
                    visitName(listed, entry.name(), path, depth);
                }
                entries = stream.next(STEP);
            }
        }
        AttributeCalls.setTimes(
                directory, before.accessSeconds(), before.accessNanos(), before.modifySeconds(), before.modifyNanos());
    }

    private void visitName(Fd directory, byte[] name, String path, int depth) {
        String below = path + "/" + new String(name, StandardCharsets.UTF_8);
        if (Arrays.equals(name, REPLACEMENT)) {
            return;
        }
        try (Fd file = OpenCalls.openAt(directory, name, NO_FOLLOW)) {
            visit(directory, file, name, below, depth + 1);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                failed(below, Failure.of(e));
            }
        }
    }

    /** Returns true if there was something to convert. */
    private boolean exported(Fd parent, Fd file, byte[] name, Statx host) throws FsException, ErrnoException {
        OwnerAttribute noted = OwnerAttribute.read(file, NOTE);
        OwnerAttribute kept = noted != null ? noted : OwnerAttribute.read(file);
        if (kept == null) {
            return false;
        }
        if (noted == null && host.uid() != serverUser) {
            throw FsException.of(
                    FsError.NOT_PERMITTED, "its attribute is not believed, since it belongs to user " + host.uid());
        }
        if (noted == null && !OwnerAttribute.isOwnersAlone(host)) {
            throw FsException.of(
                    FsError.NOT_PERMITTED, "its attribute is not believed, since others may write to the file");
        }
        requireHarmless(kept);
        if (isPlain(kept.type()) != (kept.type() == AttributeReader.type(host))) {
            throw FsException.of(FsError.IO, "its attribute is one of another type of file");
        }
        if (isPlain(kept.type())) {
            kept.write(file, NOTE);
            giveOnHost(file, kept);
            removeAttribute(file, OwnerAttribute.NAME_BYTES);
            removeAttribute(file, NOTE);
        } else {
            replace(parent, name, host, () -> makeOnHost(parent, file, kept));
        }
        return true;
    }

    private void requireHarmless(OwnerAttribute kept) throws FsException {
        if (wanted.makesPrivileged()) {
            return;
        }
        boolean isDevice = kept.type() == FileType.BLOCK_DEVICE || kept.type() == FileType.CHARACTER_DEVICE;
        boolean isSetId =
                kept.type() == FileType.REGULAR && (kept.mode() & (PosixJudge.SET_UID | PosixJudge.SET_GID)) != 0;
        if (isDevice || isSetId) {
            throw FsException.of(
                    FsError.NOT_PERMITTED,
                    isDevice ? "a device, which was not asked for" : "a set-id file, which was not asked for");
        }
    }

    /** True if the file is of the same type on the host. */
    private static boolean isPlain(FileType type) {
        return type == FileType.REGULAR || type == FileType.DIRECTORY;
    }

    private static void giveOnHost(Fd file, OwnerAttribute kept) throws ErrnoException {
        AttributeCalls.chown(file, (int) kept.uid(), (int) kept.gid());
        if (kept.type() == FileType.SYMLINK) {
            return;
        }
        set(file, AclXattrs.ACCESS, kept.acls().access());
        if (kept.type() == FileType.DIRECTORY) {
            set(file, AclXattrs.DEFAULT, kept.acls().inherited());
        }
        AttributeCalls.chmod(file, kept.mode() & PosixJudge.PERMISSION_BITS);
    }

    private static void set(Fd file, byte[] name, @Nullable PosixAcl list) throws ErrnoException {
        if (list == null) {
            removeAttribute(file, name);
        } else {
            XattrCalls.set(file, name, PosixAclXattr.encode(list), 0);
        }
    }

    private static void removeAttribute(Fd file, byte[] name) throws ErrnoException {
        try {
            XattrCalls.remove(file, name);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENODATA && e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
    }

    private static Fd makeOnHost(Fd parent, Fd file, OwnerAttribute kept) throws FsException, ErrnoException {
        if (kept.type() == FileType.SYMLINK) {
            NameCalls.makeSymlink(MappedOwners.readTarget(file), parent, REPLACEMENT);
        } else {
            int type = AttributeReader.typeBits(kept.type());
            NameCalls.makeNode(parent, REPLACEMENT, type, kept.deviceMajor(), kept.deviceMinor());
        }
        Fd made = OpenCalls.openAt(parent, REPLACEMENT, NO_FOLLOW);
        boolean given = false;
        try {
            giveOnHost(made, kept);
            given = true;
            return made;
        } finally {
            if (!given) {
                made.close();
            }
        }
    }

    /** Returns true if there was something to convert. */
    private boolean imported(Fd parent, Fd file, byte[] name, Statx host) throws FsException, ErrnoException {
        OwnerAttribute noted = OwnerAttribute.read(file, NOTE);
        if (noted == null
                && host.uid() == serverUser
                && OwnerAttribute.isOwnersAlone(host)
                && OwnerAttribute.read(file) != null) {
            return false;
        }
        OwnerAttribute kept = noted != null ? noted : onHost(file, host);
        if (isPlain(kept.type())) {
            kept.write(file, NOTE);
            AttributeCalls.chown(file, (int) serverUser, AttributeCalls.UNCHANGED_ID);
            removeAttribute(file, AclXattrs.ACCESS);
            removeAttribute(file, AclXattrs.DEFAULT);
            MappedOwners.write(file, AttributeCalls.statx(file), kept);
            removeAttribute(file, NOTE);
        } else {
            replace(parent, name, host, () -> makeMapped(parent, file, kept));
        }
        return true;
    }

    private static OwnerAttribute onHost(Fd file, Statx host) throws FsException {
        FileType type = AttributeReader.type(host);
        Acls acls = type == FileType.SYMLINK
                ? Acls.NONE
                : new Acls(
                        AclXattrs.get(file, AclXattrs.ACCESS),
                        type == FileType.DIRECTORY ? AclXattrs.get(file, AclXattrs.DEFAULT) : null);
        return OwnerAttribute.of(
                type,
                new Ownership(host.mode() & PosixJudge.PERMISSION_BITS, host.uid(), host.gid(), acls),
                host.deviceMajor(),
                host.deviceMinor());
    }

    private Fd makeMapped(Fd parent, Fd file, OwnerAttribute kept) throws FsException, ErrnoException {
        Fd made = OpenCalls.createAt(
                parent,
                REPLACEMENT,
                OpenCalls.O_RDWR | OpenCalls.O_EXCL | OpenCalls.O_NOFOLLOW,
                MappedOwners.FILE_ON_HOST);
        boolean written = false;
        try {
            if (kept.type() == FileType.SYMLINK) {
                MappedOwners.writeTarget(made, NameCalls.readSymlink(file));
            }
            AttributeCalls.chown(made, (int) serverUser, AttributeCalls.UNCHANGED_ID);
            kept.write(made);
            DataCalls.fsync(made);
            written = true;
            return made;
        } finally {
            if (!written) {
                made.close();
            }
        }
    }

    private static void replace(Fd directory, byte[] name, Statx before, Authority.Calls<Fd> making)
            throws FsException, ErrnoException {
        try {
            NameCalls.unlink(directory, REPLACEMENT);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
        try (Fd made = making.make()) {
            AttributeCalls.setTimes(
                    made, before.accessSeconds(), before.accessNanos(), before.modifySeconds(), before.modifyNanos());
        }
        NameCalls.rename(directory, REPLACEMENT, directory, name);
        if (before.linkCount() > 1) {
            throw FsException.of(FsError.TOO_MANY_LINKS, "it is converted, but its other names are other files now");
        }
    }
}
