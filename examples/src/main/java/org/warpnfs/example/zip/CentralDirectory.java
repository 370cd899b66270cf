package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Reads the central directory at the end of a zip file (APPNOTE.TXT, sections 4.3.12 to 4.3.16), also that of zip64. No
 * count or length in the file is believed before the bytes are there.
 */
final class CentralDirectory {
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int MAX_COMMENT_BYTES = 65_535;
    private static final int LOCATOR_SIGNATURE = 0x07064b50;
    private static final int LOCATOR_BYTES = 20;
    private static final int END64_SIGNATURE = 0x06064b50;
    private static final int END64_BYTES = 56;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int ENTRY_BYTES = 46;
    private static final long U32 = 0xffff_ffffL;

    private static final int MADE_ON_UNIX = 3;
    private static final int TYPE_BITS = 0170000;
    private static final int EXTRA_ZIP64 = 1;
    private static final int EXTRA_TIMES = 0x5455;

    private final FileChannel file;
    private final long fileBytes;

    private CentralDirectory(FileChannel file) throws IOException {
        this.file = file;
        this.fileBytes = file.size();
    }

    /** Gives every entry to the tree. */
    static void read(FileChannel file, ZipTree tree) throws IOException {
        new CentralDirectory(file).read(tree);
    }

    private ByteBuffer bytes(long offset, int length) throws IOException {
        if (offset < 0 || offset > fileBytes || length > fileBytes - offset) {
            throw new IOException("is no whole zip file");
        }
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offset + buffer.position()) < 0) {
                throw new IOException("became shorter");
            }
        }
        return buffer.flip();
    }

    private void read(ZipTree tree) throws IOException {
        long end = findEnd();
        ByteBuffer record = bytes(end, END_BYTES);
        long lengthBytes = record.getInt(12) & U32;
        long offset = record.getInt(16) & U32;
        if ((lengthBytes == U32 || offset == U32) && end >= LOCATOR_BYTES) {
            ByteBuffer locator = bytes(end - LOCATOR_BYTES, LOCATOR_BYTES);
            if (locator.getInt(0) == LOCATOR_SIGNATURE) {
                ByteBuffer end64 = bytes(locator.getLong(8), END64_BYTES);
                if (end64.getInt(0) != END64_SIGNATURE) {
                    throw new IOException("has a damaged zip64 record");
                }
                lengthBytes = end64.getLong(40);
                offset = end64.getLong(48);
            }
        }
        if (offset < 0 || lengthBytes < 0 || offset > end || lengthBytes > end - offset) {
            throw new IOException("has no central directory where its end says");
        }
        long until = offset + lengthBytes;
        tree.identify(fileBytes);
        for (long at = offset; at < until; ) {
            at += entry(at, until, tree);
        }
    }

    /** The place of the record at the end, which a comment may follow. */
    private long findEnd() throws IOException {
        if (fileBytes < END_BYTES) {
            throw new IOException("is too short for a zip file");
        }
        int length = (int) Math.min(fileBytes, END_BYTES + MAX_COMMENT_BYTES);
        ByteBuffer tail = bytes(fileBytes - length, length);
        for (int at = length - END_BYTES; at >= 0; at--) {
            if (tail.getInt(at) == END_SIGNATURE) {
                return fileBytes - length + at;
            }
        }
        throw new IOException("is no zip file");
    }

    /** Reads one entry and returns its length. */
    private int entry(long at, long until, ZipTree tree) throws IOException {
        if (until - at < ENTRY_BYTES) {
            throw new IOException("has a central directory that ends in an entry");
        }
        ByteBuffer fixed = bytes(at, ENTRY_BYTES);
        int nameBytes = Short.toUnsignedInt(fixed.getShort(28));
        int extraBytes = Short.toUnsignedInt(fixed.getShort(30));
        int commentBytes = Short.toUnsignedInt(fixed.getShort(32));
        int length = ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
        if (fixed.getInt(0) != ENTRY_SIGNATURE || length > until - at) {
            throw new IOException("has a damaged entry in its central directory");
        }
        ByteBuffer rest = bytes(at + ENTRY_BYTES, nameBytes + extraBytes);
        tree.identify(fixed, rest);
        byte[] name = new byte[nameBytes];
        rest.get(name);
        ZipEntry entry = entry(
                new String(name, StandardCharsets.ISO_8859_1),
                fixed,
                rest.slice().order(ByteOrder.LITTLE_ENDIAN));
        if (entry == null) {
            tree.skip("are neither files, directories nor symbolic links");
        } else {
            tree.add(entry);
        }
        return length;
    }

    private static @Nullable ZipEntry entry(String name, ByteBuffer fixed, ByteBuffer extra) {
        int flags = fixed.getShort(8);
        long compressedBytes = fixed.getInt(20) & U32;
        long sizeBytes = fixed.getInt(24) & U32;
        long headerOffset = fixed.getInt(42) & U32;
        Timestamp time = dosTime(Short.toUnsignedInt(fixed.getShort(14)), Short.toUnsignedInt(fixed.getShort(12)));
        while (extra.remaining() >= 4) {
            int kind = Short.toUnsignedInt(extra.getShort());
            int length = Short.toUnsignedInt(extra.getShort());
            if (length > extra.remaining()) {
                break;
            }
            ByteBuffer field = extra.slice(extra.position(), length).order(ByteOrder.LITTLE_ENDIAN);
            extra.position(extra.position() + length);
            if (kind == EXTRA_ZIP64) {
                sizeBytes = sizeBytes == U32 && field.remaining() >= 8 ? field.getLong() : sizeBytes;
                compressedBytes = compressedBytes == U32 && field.remaining() >= 8 ? field.getLong() : compressedBytes;
                headerOffset = headerOffset == U32 && field.remaining() >= 8 ? field.getLong() : headerOffset;
            } else if (kind == EXTRA_TIMES && length >= 5 && (field.get(0) & 1) != 0) {
                time = new Timestamp(field.getInt(1), 0);
            }
        }
        boolean isDirectory = name.endsWith("/");
        boolean hasMode = Short.toUnsignedInt(fixed.getShort(4)) >>> 8 == MADE_ON_UNIX && fixed.getInt(38) >>> 16 != 0;
        int mode = hasMode ? fixed.getInt(38) >>> 16 : isDirectory ? 0755 : 0644;
        FileType type = isDirectory ? FileType.DIRECTORY : type(mode & TYPE_BITS);
        // Set-user-id and its like are not taken from a stranger's archive.
        return type == null
                ? null
                : new ZipEntry(
                        name,
                        type,
                        mode & 0777,
                        time,
                        Short.toUnsignedInt(fixed.getShort(10)),
                        (flags & 1) != 0,
                        fixed.getInt(16) & U32,
                        compressedBytes,
                        sizeBytes,
                        headerOffset);
    }

    private static @Nullable FileType type(int bits) {
        return switch (bits) {
            case 0, 0100000 -> FileType.REGULAR;
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMLINK;
            default -> null;
        };
    }

    /** A time without a zone, taken for UTC. */
    private static Timestamp dosTime(int date, int time) {
        try {
            LocalDateTime when = LocalDateTime.of(
                    1980 + (date >>> 9),
                    date >>> 5 & 15,
                    date & 31,
                    time >>> 11,
                    time >>> 5 & 63,
                    Math.min(59, (time & 31) * 2));
            return new Timestamp(when.toEpochSecond(ZoneOffset.UTC), 0);
        } catch (DateTimeException e) {
            return new Timestamp(0, 0);
        }
    }
}
