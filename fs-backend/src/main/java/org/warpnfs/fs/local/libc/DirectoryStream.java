package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The entries of a directory, by getdents64(2), without {@code .} and {@code ..}. struct linux_dirent64:
 *
 * <pre>
 * offset  length  field
 *   0       8     d_ino
 *   8       8     d_off       position of the next entry
 *  16       2     d_reclen    length of this entry
 *  18       1     d_type
 *  19       .     d_name      NUL-terminated
 * </pre>
 *
 * <p>The position is the descriptor's, and the descriptor stays the caller's. For one thread at a time.
 */
public final class DirectoryStream {
    /** Holds the longest name. */
    private static final int MIN_BYTES = 512;

    /** Of a name of 12 to 20 characters. */
    private static final int USUAL_ENTRY_BYTES = 40;

    private static final int INO = 0;
    private static final int OFF = 8;
    private static final int RECLEN = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;
    private static final byte DT_UNKNOWN = 0;
    private static final byte DT_DIR = 4;
    /** A DT_ number is the S_IFMT bits of the type, shifted by this. */
    private static final int TYPE_SHIFT = 12;

    private static final MethodHandle GETDENTS64 = Libc.longFunction("getdents64", INT, POINTER, LONG);

    private final Fd directory;

    public DirectoryStream(Fd directory) {
        this.directory = directory;
    }

    /**
     * Goes to an entry's {@link Entry#nextOffset}, or to the start if {@code offset} is 0; EINVAL if there is no such
     * position.
     */
    public void seek(long offset) throws ErrnoException {
        DataCalls.seek(directory, offset, DataCalls.SEEK_SET);
    }

    /**
     * Reads the next entries. The list is empty at the end of the directory.
     *
     * @param wanted about how many are wanted, since the kernel's time grows with their number
     */
    public List<Entry> next(int wanted) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        long bytes = Math.clamp((long) wanted * USUAL_ENTRY_BYTES, MIN_BYTES, CallMemory.DIRECTORY_BYTES);
        MemorySegment buffer = memory.directoryEntries();
        while (true) {
            long length;
            try {
                length = Libc.check((long) GETDENTS64.invokeExact(memory.state, directory.number(), buffer, bytes));
            } catch (Throwable e) {
                throw Libc.failure(e);
            }
            if (length == 0) {
                return List.of();
            }
            List<Entry> entries = parse(buffer, length);
            if (!entries.isEmpty()) {
                return entries;
            }
        }
    }

    private static List<Entry> parse(MemorySegment buffer, long length) {
        List<Entry> entries = new ArrayList<>();
        long at = 0;
        while (at < length) {
            int recordLength = buffer.get(JAVA_SHORT_UNALIGNED, at + RECLEN) & 0xffff;
            byte[] name = name(buffer, at + NAME, at + recordLength);
            if (!isDots(name)) {
                entries.add(new Entry(
                        name,
                        buffer.get(JAVA_LONG_UNALIGNED, at + INO),
                        buffer.get(JAVA_LONG_UNALIGNED, at + OFF),
                        buffer.get(JAVA_BYTE, at + TYPE)));
            }
            at += recordLength;
        }
        return entries;
    }

    private static byte[] name(MemorySegment buffer, long start, long limit) {
        long end = start;
        while (end < limit && buffer.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return buffer.asSlice(start, end - start).toArray(JAVA_BYTE);
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    /** One name. */
    public static final class Entry {
        private final byte[] name;
        private final long inode;
        private final long nextOffset;
        private final byte type;

        Entry(byte[] name, long inode, long nextOffset, byte type) {
            this.name = name;
            this.inode = inode;
            this.nextOffset = nextOffset;
            this.type = type;
        }

        /** The name itself, not a copy. */
        public byte[] name() {
            return name;
        }

        public long inode() {
            return inode;
        }

        /** False if the file is known not to be a directory. */
        public boolean mayBeDirectory() {
            return type == DT_DIR || type == DT_UNKNOWN;
        }

        /** S_IFMT bits as in {@link Statx#type}; 0 if the file system does not say. */
        public int type() {
            return type << TYPE_SHIFT;
        }

        /** Position of the entry after this one. */
        public long nextOffset() {
            return nextOffset;
        }
    }
}
