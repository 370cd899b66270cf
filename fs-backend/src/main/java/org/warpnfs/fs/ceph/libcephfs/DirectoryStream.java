package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a directory, without {@code .} and {@code ..}. struct dirent of Linux on 64 bits:
 *
 * <pre>
 * offset  length  field
 *   0       8     d_ino
 *   8       8     d_off       position of the next entry
 *  16       2     d_reclen
 *  18       1     d_type
 *  19     256     d_name      NUL-terminated
 * </pre>
 *
 * For one thread.
 */
public final class DirectoryStream implements AutoCloseable {
    private static final int INO = 0;
    private static final int OFF = 8;
    private static final int TYPE = 18;
    private static final int NAME = 19;
    private static final int LENGTH_BYTES = 280;
    /** A DT_ number is the S_IFMT bits of the type, shifted by this. */
    private static final int TYPE_SHIFT = 12;

    private static final MethodHandle OPENDIR =
            Library.CEPHFS.intFunction("ceph_ll_opendir", POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle SEEKDIR = Library.CEPHFS.voidFunction("ceph_seekdir", POINTER, POINTER, LONG);
    private static final MethodHandle READDIR =
            Library.CEPHFS.intFunction("ceph_readdirplus_r", POINTER, POINTER, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle READDIR_NAMES =
            Library.CEPHFS.intFunction("ceph_readdir_r", POINTER, POINTER, POINTER);
    private static final MethodHandle RELEASEDIR = Library.CEPHFS.intFunction("ceph_ll_releasedir", POINTER, POINTER);

    private final Mount mount;
    private final MemorySegment stream;

    private DirectoryStream(Mount mount, MemorySegment stream) {
        this.mount = mount;
        this.stream = stream;
    }

    /** Opens a directory if the caller may read it. */
    public static DirectoryStream open(Mount mount, Inode directory, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check(
                    (int) OPENDIR.invokeExact(mount.address, directory.address(), memory.pointer(), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return new DirectoryStream(mount, memory.returned());
    }

    /** Goes to an entry's {@link Entry#nextOffset}. Any other number may end the process. */
    public void seek(long offset) {
        try {
            SEEKDIR.invokeExact(mount.address, stream, offset);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /**
     * Reads the next entry; null at the end of the directory.
     *
     * @param withFile whether to look the file up
     * @param wanted what to read of the file, a mask of CEPH_STATX_
     */
    public @Nullable Entry next(boolean withFile, int wanted) throws CephException {
        CallMemory memory = CallMemory.current();
        MemorySegment entry = memory.small.asSlice(0, LENGTH_BYTES);
        while (true) {
            if (!read(memory, entry, withFile, wanted)) {
                return null;
            }
            Inode inode = withFile ? new Inode(memory.returned()) : null;
            byte[] name = name(entry);
            if (isDots(name)) {
                if (inode != null && !MemorySegment.NULL.equals(inode.address())) {
                    InodeCalls.put(mount, inode);
                }
                continue;
            }
            return new Entry(
                    name,
                    entry.get(JAVA_LONG, INO),
                    entry.get(JAVA_LONG, OFF),
                    (entry.get(JAVA_BYTE, TYPE) & 0xff) << TYPE_SHIFT,
                    inode == null || MemorySegment.NULL.equals(inode.address())
                            ? null
                            : new NameCalls.Found(inode, CephStatx.parse(memory.statx)));
        }
    }

    private boolean read(CallMemory memory, MemorySegment entry, boolean withFile, int wanted) throws CephException {
        try {
            int result = withFile
                    ? (int) READDIR.invokeExact(mount.address, stream, entry, memory.statx, wanted, 0, memory.pointer())
                    : (int) READDIR_NAMES.invokeExact(mount.address, stream, entry);
            return Library.check(result) > 0;
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    private static byte[] name(MemorySegment entry) {
        long end = NAME;
        while (end < LENGTH_BYTES && entry.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return entry.asSlice(NAME, end - NAME).toArray(JAVA_BYTE);
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    @Override
    public void close() {
        try {
            int _ = (int) RELEASEDIR.invokeExact(mount.address, stream);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /** One name. */
    public static final class Entry {
        private final byte[] name;
        private final long inode;
        private final long nextOffset;
        private final int type;
        private final NameCalls.@Nullable Found found;

        Entry(byte[] name, long inode, long nextOffset, int type, NameCalls.@Nullable Found found) {
            this.name = name;
            this.inode = inode;
            this.nextOffset = nextOffset;
            this.type = type;
            this.found = found;
        }

        public byte[] name() {
            return name.clone();
        }

        public long inode() {
            return inode;
        }

        /** Where the next entry is. */
        public long nextOffset() {
            return nextOffset;
        }

        /** S_IFMT bits. */
        public int type() {
            return type;
        }

        /** The file, if it was asked for; its reference has to be given back. */
        public NameCalls.@Nullable Found found() {
            return found;
        }
    }
}
