package org.warpnfs.server.metrics;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.XattrMode;
import org.warpnfs.server.metrics.BackendTimes.Call;

/** Wraps a backend and measures its calls, and those of the files that it opens. Safe for any thread. */
public final class TimedFileSystem implements FileSystem {
    private final FileSystem files;
    private final BackendTimes times;

    private TimedFileSystem(FileSystem files, BackendTimes times) {
        this.files = files;
        this.times = times;
    }

    /** Wraps {@code files}; closing the wrapper closes it. */
    public static FileSystem of(FileSystem files, BackendTimes times) {
        return new TimedFileSystem(files, times);
    }

    @Override
    public FileHandle root() {
        return files.root();
    }

    @Override
    public FileIdentity identity(FileHandle file) {
        return files.identity(file);
    }

    @Override
    public FsLimits limits() {
        return files.limits();
    }

    @Override
    public long writeVerifier() {
        return files.writeVerifier();
    }

    @Override
    public boolean actsAsCaller() {
        return files.actsAsCaller();
    }

    @Override
    public Optional<String> fault() throws FsException {
        return files.fault();
    }

    @Override
    public FsStatistics statistics() throws FsException {
        long began = times.begin(Call.STATISTICS);
        try {
            return files.statistics();
        } finally {
            times.ended(Call.STATISTICS, began);
        }
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return attributes(file, FileAttribute.ALL);
    }

    @Override
    public FileAttributes attributes(FileHandle file, Set<FileAttribute> wanted) throws FsException {
        long began = times.begin(Call.ATTRIBUTES);
        try {
            return files.attributes(file, wanted);
        } finally {
            times.ended(Call.ATTRIBUTES, began);
        }
    }

    /** Counts if the attributes are there. */
    @Override
    public @Nullable FileAttributes tryAttributes(FileHandle file) throws FsException {
        long began = times.begin(Call.ATTRIBUTES);
        FileAttributes known = files.tryAttributes(file);
        if (known != null) {
            times.ended(Call.ATTRIBUTES, began);
        }
        return known;
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        long began = times.begin(Call.SET_ATTRIBUTES);
        try {
            return files.setAttributes(caller, file, changes);
        } finally {
            times.ended(Call.SET_ATTRIBUTES, began);
        }
    }

    @Override
    public Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        long began = times.begin(Call.PERMISSIONS);
        try {
            return files.permissions(caller, file, asked);
        } finally {
            times.ended(Call.PERMISSIONS, began);
        }
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        long began = times.begin(Call.LOOKUP);
        try {
            return files.lookup(caller, directory, name);
        } finally {
            times.ended(Call.LOOKUP, began);
        }
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        long began = times.begin(Call.LOOKUP);
        try {
            return files.lookupParent(caller, directory);
        } finally {
            times.ended(Call.LOOKUP, began);
        }
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        long began = times.begin(Call.LIST);
        try {
            return files.list(caller, directory, cookie, withNodes, visitor);
        } finally {
            times.ended(Call.LIST, began);
        }
    }

    @Override
    public boolean list(
            Caller caller, FileHandle directory, long cookie, Set<FileAttribute> wanted, EntryVisitor visitor)
            throws FsException {
        long began = times.begin(Call.LIST);
        try {
            return files.list(caller, directory, cookie, wanted, visitor);
        } finally {
            times.ended(Call.LIST, began);
        }
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        long began = times.begin(Call.CREATE);
        try {
            return files.create(caller, directory, name, mode);
        } finally {
            times.ended(Call.CREATE, began);
        }
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        long began = times.begin(Call.CREATE);
        try {
            return files.makeDirectory(caller, directory, name, attributes);
        } finally {
            times.ended(Call.CREATE, began);
        }
    }

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        long began = times.begin(Call.CREATE);
        try {
            return files.makeSymlink(caller, directory, name, target, attributes);
        } finally {
            times.ended(Call.CREATE, began);
        }
    }

    @Override
    public FileNode makeSpecial(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            int deviceMajor,
            int deviceMinor,
            AttributeChanges attributes)
            throws FsException {
        long began = times.begin(Call.CREATE);
        try {
            return files.makeSpecial(caller, directory, name, type, deviceMajor, deviceMinor, attributes);
        } finally {
            times.ended(Call.CREATE, began);
        }
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        long began = times.begin(Call.READ_SYMLINK);
        try {
            return files.readSymlink(caller, symlink);
        } finally {
            times.ended(Call.READ_SYMLINK, began);
        }
    }

    @Override
    public FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name) throws FsException {
        long began = times.begin(Call.LINK);
        try {
            return files.link(caller, file, directory, name);
        } finally {
            times.ended(Call.LINK, began);
        }
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        long began = times.begin(Call.REMOVE);
        try {
            files.remove(caller, directory, name);
        } finally {
            times.ended(Call.REMOVE, began);
        }
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        long began = times.begin(Call.REMOVE);
        try {
            files.removeDirectory(caller, directory, name);
        } finally {
            times.ended(Call.REMOVE, began);
        }
    }

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        long began = times.begin(Call.RENAME);
        try {
            files.rename(caller, fromDirectory, fromName, toDirectory, toName);
        } finally {
            times.ended(Call.RENAME, began);
        }
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        long began = times.begin(Call.OPEN);
        try {
            return new TimedOpenFile(files.open(caller, file, access), times);
        } finally {
            times.ended(Call.OPEN, began);
        }
    }

    /** Counts if the file is open already. */
    @Override
    public @Nullable OpenFile tryOpen(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        long began = times.begin(Call.OPEN);
        OpenFile open = files.tryOpen(caller, file, access);
        if (open == null) {
            return null;
        }
        times.ended(Call.OPEN, began);
        return new TimedOpenFile(open, times);
    }

    @Override
    public OwnerLocks openLocks(FileHandle file, OpenAccess access) throws FsException {
        long began = times.begin(Call.OPEN);
        try {
            return new TimedLocks(files.openLocks(file, access), times);
        } finally {
            times.ended(Call.OPEN, began);
        }
    }

    @Override
    public Optional<Lease> lease(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        long began = times.begin(Call.LOCK);
        try {
            return files.lease(file, kind, breaking);
        } finally {
            times.ended(Call.LOCK, began);
        }
    }

    @Override
    public List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        long began = times.begin(Call.XATTR);
        try {
            return files.listXattrs(caller, file);
        } finally {
            times.ended(Call.XATTR, began);
        }
    }

    @Override
    public byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        long began = times.begin(Call.XATTR);
        try {
            return files.getXattr(caller, file, name);
        } finally {
            times.ended(Call.XATTR, began);
        }
    }

    @Override
    public void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode) throws FsException {
        long began = times.begin(Call.XATTR);
        try {
            files.setXattr(caller, file, name, value, mode);
        } finally {
            times.ended(Call.XATTR, began);
        }
    }

    @Override
    public void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        long began = times.begin(Call.XATTR);
        try {
            files.removeXattr(caller, file, name);
        } finally {
            times.ended(Call.XATTR, began);
        }
    }

    @Override
    public Acls acls(FileHandle file) throws FsException {
        long began = times.begin(Call.ACL);
        try {
            return files.acls(file);
        } finally {
            times.ended(Call.ACL, began);
        }
    }

    @Override
    public FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException {
        long began = times.begin(Call.ACL);
        try {
            return files.setAcls(caller, file, changes);
        } finally {
            times.ended(Call.ACL, began);
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
