package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file system of a backend that keeps files, names and contents, and leaves POSIX's rules to this class: who may do
 * what, in which order errors are reported, what create modes and renames mean, and which attributes result. The rules
 * themselves are in {@link PosixJudge} and {@link PosixRules}. For files without access control lists and with one name
 * each.
 *
 * <p>The backend says what {@linkplain #limits it can do}. Without {@link Capability#WRITE} it implements the methods
 * without a default, with it {@link #changing}, {@link #changes}, {@link #next} and {@link #sync} too.
 *
 * @param <F> a file as the backend knows it; how it was when it was found, or how it is now
 */
public abstract class PosixFileSystem<F> implements FileSystem {
    /** So many names are read at once, since a visitor may be slow and is called outside {@link #reading}. */
    private static final int LIST_STEP = 128;

    /** How often each file is open, by its file id. */
    final Map<Long, Integer> opens = new ConcurrentHashMap<>();

    /** What the backend runs in {@link #reading} or {@link #changing}. */
    @FunctionalInterface
    protected interface Operation<T> {
        T run() throws FsException;
    }

    /** A name in a directory, with its cookie and its file; see {@link DirectoryEntry}. */
    public record Name<F>(FileName name, long cookie, F file) {}

    /**
     * Changes that are made together: when the host ends, all of them are there or none. Until {@link #commit} the
     * backend shows none of them.
     */
    protected interface Changes<F> {
        /** A new file without a name, whose attributes tell its file id. {@code target} is that of a symbolic link. */
        F add(FileAttributes attributes, byte[] target);

        /** New attributes. A file whose length becomes less loses its data behind the new length. */
        void set(F file, FileAttributes attributes);

        /** Gives a file a name, which the directory does not have. The parent of a directory is the new one. */
        void enter(F directory, FileName name, F file);

        void leave(F directory, FileName name);

        /** Writes data to a regular file, up to the source's limit. The attributes come by {@link #set}. */
        void write(F file, ByteBuffer source, long offset);

        /** The file is gone: it has no name, and nobody has it open. */
        void drop(F file);

        /** Makes all changes, or fails with NO_SPACE or IO and makes none. */
        void commit() throws FsException;
    }

    /** Runs an operation that only reads, while nothing changes. */
    protected abstract <T> T reading(Operation<T> operation) throws FsException;

    /** The file of a handle; BAD_HANDLE, or STALE if it is gone. */
    protected abstract F find(FileHandle handle) throws FsException;

    protected abstract FileHandle handleOf(F file);

    /** The attributes of a file. One that has no name, and is still open, has a link count of 0. */
    protected abstract FileAttributes attributesOf(F file);

    /** The file that has the name; null if none has. */
    protected abstract @Nullable F child(F directory, FileName name) throws FsException;

    /** The directory that holds this one. */
    protected abstract F parent(F directory) throws FsException;

    /** At most {@code most} names after a cookie, in the order of cookies; BAD_COOKIE for one that cannot be. */
    protected abstract List<Name<F>> names(F directory, long cookie, int most) throws FsException;

    /** Fills the sink up to its limit from a regular file. The file does not end before that. */
    protected abstract void read(F file, ByteBuffer sink, long offset) throws FsException;

    /** The target of a symbolic link. */
    protected byte[] target(F symlink) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Runs an operation that changes the tree, while nothing else reads or changes. */
    protected <T> T changing(Operation<T> operation) throws FsException {
        throw limits().refusal();
    }

    /** Begins changes, within {@link #changing}. */
    protected Changes<F> changes() throws FsException {
        throw limits().refusal();
    }

    /**
     * Brings all changes that were committed to stable storage. Is called outside {@link #changing}, so that threads
     * can share it. If it fails, the {@linkplain #writeVerifier verifier} has changed.
     */
    protected void sync() throws FsException {
        throw limits().refusal();
    }

    /** A number that this tree has never had before, for a new file or a new state of one. */
    protected long next() {
        throw new UnsupportedOperationException("a tree that can be written to has change ids");
    }

    private <T> T changed(Operation<T> operation) throws FsException {
        T result = changing(operation);
        sync();
        return result;
    }

    private Protection protection(F file) {
        return Protection.of(attributesOf(file), null);
    }

    private FileNode found(F file) {
        return new FileNode(handleOf(file), attributesOf(file));
    }

    static Timestamp now() {
        return Timestamp.of(Instant.now());
    }

    private boolean isDirectory(F file) {
        return attributesOf(file).type() == FileType.DIRECTORY;
    }

    private boolean isSame(F one, @Nullable F other) {
        return other != null
                && attributesOf(one).fileId() == attributesOf(other).fileId();
    }

    private F directory(FileHandle handle) throws FsException {
        F directory = find(handle);
        if (!isDirectory(directory)) {
            throw FsException.of(FsError.NOT_DIRECTORY);
        }
        return directory;
    }

    private F searchable(Caller caller, FileHandle handle) throws FsException {
        F directory = directory(handle);
        PosixJudge.require(caller, protection(directory), Permission.EXECUTE);
        return directory;
    }

    private F existing(F directory, FileName name) throws FsException {
        F file = child(directory, name);
        if (file == null) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        return file;
    }

    private void require(Capability capability) throws FsException {
        if (!limits().has(capability)) {
            throw limits().refusal();
        }
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return reading(() -> attributesOf(find(file)));
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        return reading(() -> found(existing(searchable(caller, directory), name)));
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        return reading(() -> found(parent(searchable(caller, directory))));
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        long after = cookie;
        while (true) {
            long from = after;
            int most = Math.clamp(visitor.room(), 1, LIST_STEP);
            List<DirectoryEntry> step = reading(() -> entries(caller, directory(directory), from, most, withNodes));
            for (DirectoryEntry entry : step) {
                if (!visitor.visit(entry)) {
                    return false;
                }
                after = entry.cookie();
            }
            if (step.size() < most) {
                return true;
            }
        }
    }

    private List<DirectoryEntry> entries(Caller caller, F directory, long cookie, int most, boolean withNodes)
            throws FsException {
        PosixJudge.require(caller, protection(directory), Permission.READ);
        boolean maySearch = PosixJudge.has(caller, protection(directory), Permission.EXECUTE);
        List<DirectoryEntry> entries = new ArrayList<>();
        for (Name<F> each : names(directory, cookie, most)) {
            FileNode node = found(each.file());
            entries.add(new DirectoryEntry(
                    each.name(),
                    each.cookie(),
                    node.attributes().fileId(),
                    node.attributes().type(),
                    withNodes && maySearch ? node : null,
                    withNodes && !maySearch ? FsError.ACCESS : null));
        }
        return entries;
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        return reading(() -> {
            F file = find(symlink);
            if (attributesOf(file).type() != FileType.SYMLINK) {
                throw FsException.of(FsError.INVALID);
            }
            return target(file);
        });
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        return reading(() -> {
            F found = find(file);
            PosixRules.requireRegular(attributesOf(found).type());
            PosixJudge.requireOpenable(caller, protection(found), access);
            if (access.writes()) {
                require(Capability.WRITE);
            }
            opens.merge(attributesOf(found).fileId(), 1, Integer::sum);
            return new PosixOpenFile<>(this, caller, file, access);
        });
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        return changed(() -> set(caller, find(file), changes));
    }

    private FileAttributes set(Caller caller, F file, AttributeChanges wanted) throws FsException {
        PosixJudge.requireSettable(caller, protection(file), wanted);
        requireLength(wanted.sizeBytes());
        FileAttributes changed = PosixRules.afterChange(caller, attributesOf(file), wanted, now(), next());
        Changes<F> changes = changes();
        changes.set(file, changed);
        changes.commit();
        return attributesOf(find(handleOf(file)));
    }

    private void requireLength(@Nullable Long sizeBytes) throws FsException {
        if (sizeBytes != null && sizeBytes > limits().maxFileSizeBytes()) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return changed(() -> {
            F parent = searchable(caller, directory);
            F there = child(parent, name);
            if (there != null) {
                return new Created(accepted(caller, there, mode), false);
            }
            AttributeChanges wanted = mode instanceof CreateMode.Exclusive exclusive
                    ? PosixRules.withVerifier(exclusive)
                    : mode.attributes();
            return new Created(add(caller, parent, name, FileType.REGULAR, wanted, new byte[0]), true);
        });
    }

    private FileNode accepted(Caller caller, F there, CreateMode mode) throws FsException {
        switch (mode) {
            case CreateMode.Guarded _ -> throw FsException.of(FsError.EXISTS);
            case CreateMode.Exclusive exclusive -> {
                if (!PosixRules.isMadeBy(caller, exclusive, attributesOf(there))) {
                    throw FsException.of(FsError.EXISTS);
                }
                return found(there);
            }
            case CreateMode.Unchecked unchecked -> {
                PosixRules.requireRegular(attributesOf(there).type());
                Long sizeBytes = unchecked.attributes().sizeBytes();
                return sizeBytes == null
                        ? found(there)
                        : new FileNode(handleOf(there), set(caller, there, AttributeChanges.ofSize(sizeBytes)));
            }
        }
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return changed(() -> addNew(caller, directory, name, FileType.DIRECTORY, attributes, new byte[0]));
    }

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        require(Capability.SYMLINKS);
        PosixRules.requireSymlinkTarget(target);
        return changed(() -> addNew(caller, directory, name, FileType.SYMLINK, attributes.withSize(null), target));
    }

    private FileNode addNew(
            Caller caller, FileHandle directory, FileName name, FileType type, AttributeChanges wanted, byte[] target)
            throws FsException {
        F parent = searchable(caller, directory);
        if (child(parent, name) != null) {
            throw FsException.of(FsError.EXISTS);
        }
        return add(caller, parent, name, type, wanted, target);
    }

    private FileNode add(Caller caller, F parent, FileName name, FileType type, AttributeChanges wanted, byte[] target)
            throws FsException {
        PosixJudge.requireModifiable(caller, protection(parent));
        if (attributesOf(parent).linkCount() == 0) {
            throw FsException.of(FsError.STALE);
        }
        requireLength(wanted.sizeBytes());
        FileAttributes made = PosixRules.ofNew(caller, attributesOf(parent), type, wanted, next(), now(), next());
        Changes<F> changes = changes();
        F file = changes.add(type == FileType.SYMLINK ? PosixRules.withSizeBytes(made, target.length) : made, target);
        changes.enter(parent, name, file);
        named(changes, parent, type == FileType.DIRECTORY ? 1 : 0);
        changes.commit();
        return found(find(handleOf(file)));
    }

    /** The names in a directory have changed, and the number of directories in it by so many. */
    private void named(Changes<F> changes, F directory, int directories) {
        changes.set(directory, PosixRules.afterNaming(attributesOf(directory), directories, now(), next()));
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        changed(() -> remove(caller, searchable(caller, directory), name, false));
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        changed(() -> remove(caller, searchable(caller, directory), name, true));
    }

    private F remove(Caller caller, F parent, FileName name, boolean directory) throws FsException {
        F file = existing(parent, name);
        PosixJudge.requireModifiable(caller, protection(parent));
        PosixJudge.requireRemovable(caller, protection(parent), protection(file));
        if (isDirectory(file) != directory) {
            throw FsException.of(directory ? FsError.NOT_DIRECTORY : FsError.IS_DIRECTORY);
        }
        requireEmpty(file);
        Changes<F> changes = changes();
        changes.leave(parent, name);
        named(changes, parent, directory ? -1 : 0);
        drop(changes, file);
        changes.commit();
        return file;
    }

    private void requireEmpty(F file) throws FsException {
        if (isDirectory(file) && !names(file, 0, 1).isEmpty()) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
    }

    /** The file has lost its name: it is gone now, or when nobody has it open any more. */
    private void drop(Changes<F> changes, F file) {
        FileAttributes before = attributesOf(file);
        if (opens.containsKey(before.fileId())) {
            changes.set(file, PosixRules.afterNaming(before, -before.linkCount(), now(), next()));
        } else {
            changes.drop(file);
        }
    }

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        require(Capability.RENAME);
        changed(() -> {
            F from = searchable(caller, fromDirectory);
            F to = searchable(caller, toDirectory);
            F moved = existing(from, fromName);
            F replaced = child(to, toName);
            requireRenamable(caller, from, moved, to, replaced);
            if (!isSame(moved, replaced)) {
                move(from, fromName, to, toName, moved, replaced);
            }
            return moved;
        });
    }

    private void requireRenamable(Caller caller, F from, F moved, F to, @Nullable F replaced) throws FsException {
        if (isWithin(to, moved)) {
            throw FsException.of(FsError.INVALID);
        }
        if (replaced != null && !isSame(moved, replaced) && isWithin(from, replaced)) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
        Protection other = replaced == null ? null : protection(replaced);
        PosixRules.requireRenamable(
                caller, protection(from), protection(moved), protection(to), other, !isSame(from, to));
        if (replaced != null && !isSame(moved, replaced)) {
            requireEmpty(replaced);
        }
    }

    /** True if a directory is {@code ancestor} or below it. */
    private boolean isWithin(F directory, F ancestor) throws FsException {
        F at = directory;
        while (!isSame(at, ancestor)) {
            F above = parent(at);
            if (isSame(at, above)) {
                return false;
            }
            at = above;
        }
        return true;
    }

    private void move(F from, FileName fromName, F to, FileName toName, F moved, @Nullable F replaced)
            throws FsException {
        boolean isDirectory = isDirectory(moved);
        int lost = isDirectory ? -1 : 0;
        int won = isDirectory && replaced == null ? 1 : 0;
        Changes<F> changes = changes();
        changes.leave(from, fromName);
        if (replaced != null) {
            changes.leave(to, toName);
            drop(changes, replaced);
        }
        if (isSame(from, to)) {
            named(changes, from, lost + won);
        } else {
            named(changes, from, lost);
            named(changes, to, won);
        }
        changes.set(moved, PosixRules.afterRename(attributesOf(moved), now(), next()));
        changes.enter(to, toName, moved);
        changes.commit();
    }
}
