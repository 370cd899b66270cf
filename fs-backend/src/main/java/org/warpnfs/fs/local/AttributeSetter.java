package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Sets attributes, in the order of the SPI. */
final class AttributeSetter {
    private static final Caller SERVER = Caller.ROOT;

    private final Authority authority;
    private final Owners owners;
    private final AttributeReader attributes;

    AttributeSetter(Authority authority, Owners owners, AttributeReader attributes) {
        this.authority = authority;
        this.owners = owners;
        this.attributes = attributes;
    }

    /** Sets the attributes and makes the change durable. Opens everything that it needs before it changes anything. */
    void setDurably(Caller caller, Fd file, FileHandle handle, AttributeChanges changes, TreeContext tree)
            throws FsException {
        CachedFd leased = tree.leases().writerOf(handle);
        if (leased == null) {
            Long sizeBytes = changes.sizeBytes();
            try (ChangeSync sync = sizeBytes == null
                    ? tree.durability().ofAttributes(file)
                    : tree.durability().ofLength(file, sizeBytes)) {
                set(caller, file, handle, changes, null, sync, tree);
            }
            return;
        }
        try (ChangeSync sync = tree.durability().ofWriter(leased.fd(), changes.sizeBytes())) {
            set(caller, file, handle, changes, leased.fd(), sync, tree);
        } finally {
            tree.files().release(leased);
        }
    }

    private void set(
            Caller caller,
            Fd file,
            FileHandle handle,
            AttributeChanges changes,
            @Nullable Fd writable,
            ChangeSync sync,
            TreeContext tree)
            throws FsException {
        try {
            set(caller, file, changes, writable);
        } catch (FsException e) {
            tree.noteIfPossible(file);
            throw e;
        } finally {
            if (changes.permissions() != null) {
                tree.files().modeChanged(handle);
            }
        }
        try {
            tree.settle(sync, file);
        } catch (FsException e) {
            throw e.after(changes);
        }
    }

    /** Sets the attributes without making the change durable. TRY_LATER is thrown only if nothing was changed. */
    void set(Caller caller, Fd file, AttributeChanges changes) throws FsException {
        set(caller, file, changes, null);
    }

    /**
     * Does the same as {@link #set(Caller, Fd, AttributeChanges)}.
     *
     * @param writable a descriptor of the file that is open for writing, or null
     */
    void set(Caller caller, Fd file, AttributeChanges changes, @Nullable Fd writable) throws FsException {
        authority.requireSettable(caller, file, changes);
        Long sizeBytes = changes.sizeBytes();
        if (sizeBytes == null || writable != null) {
            setAll(caller, file, changes, writable);
            return;
        }
        requireSizeSettable(file, sizeBytes);
        // The server opens the file, since the owner may set its length even if permissions forbid writing. It is
        // truncated as the caller, so that the kernel clears set-user-id.
        try (Fd opened = RegularOpener.open(file, OpenCalls.O_WRONLY)) {
            setAll(caller, file, changes, opened);
        }
    }

    private void setAll(Caller caller, Fd file, AttributeChanges changes, @Nullable Fd writable) throws FsException {
        AttributeChanges made = AttributeChanges.NONE;
        try {
            requireId(changes.uid());
            requireId(changes.gid());
            if (owners.set(caller, file, changes)) {
                made = new AttributeChanges(changes.permissions(), changes.uid(), changes.gid(), null, null, null);
            }
            Long sizeBytes = changes.sizeBytes();
            if (sizeBytes != null && writable != null) {
                owners.beforeWrite(caller, writable, new KeptOwner());
                authority.runAs(caller, () -> DataCalls.truncate(writable, sizeBytes));
                made = made.withSize(sizeBytes);
            }
            setTimes(caller, file, changes.accessTime(), changes.modifyTime());
        } catch (ErrnoException e) {
            throw after(made, Failure.of(e));
        } catch (FsException e) {
            throw after(made, e);
        }
    }

    private static FsException after(AttributeChanges made, FsException e) {
        return made.isEmpty() ? e : ChangeSync.afterChange(e).after(made);
    }

    private static void requireId(@Nullable Long id) throws FsException {
        if (id != null && (id >>> 32 != 0 || id.intValue() == AttributeCalls.UNCHANGED_ID)) {
            throw FsException.of(FsError.INVALID);
        }
    }

    private void requireSizeSettable(Fd file, long sizeBytes) throws FsException {
        FileType type = AttributeReader.type(attributes.seen(file));
        if (type == FileType.DIRECTORY) {
            throw FsException.of(FsError.IS_DIRECTORY);
        }
        if (type != FileType.REGULAR || sizeBytes < 0) {
            throw FsException.of(FsError.INVALID);
        }
    }

    private void setTimes(Caller caller, Fd file, @Nullable TimeChange access, @Nullable TimeChange modify)
            throws FsException, ErrnoException {
        if (access == null && modify == null) {
            return;
        }
        boolean explicit = access instanceof TimeChange.To || modify instanceof TimeChange.To;
        boolean both = access != null && modify != null;
        Caller setter = caller;
        if (!explicit && !both && !owns(caller, file)) {
            // To set only one of the two times to the present, the kernel requires the owner; NFS requires permission
            // to write.
            if (!authority.has(caller, file, Permission.WRITE)) {
                throw FsException.of(FsError.ACCESS);
            }
            setter = SERVER;
        }
        authority.runAs(
                setter,
                () -> AttributeCalls.setTimes(file, seconds(access), nanos(access), seconds(modify), nanos(modify)));
    }

    private boolean owns(Caller caller, Fd file) throws FsException {
        return caller.isSuperuser() || attributes.seen(file).uid() == caller.uid();
    }

    private static long seconds(@Nullable TimeChange change) {
        return change instanceof TimeChange.To to ? to.time().seconds() : 0;
    }

    private static long nanos(@Nullable TimeChange change) {
        return switch (change) {
            case null -> AttributeCalls.UTIME_OMIT;
            case TimeChange.ToServerTime now -> AttributeCalls.UTIME_NOW;
            case TimeChange.To to -> to.time().nanos();
        };
    }
}
