package org.warpnfs.example.zip;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Writes zip files, also such that lie. */
final class ZipWriter {
    static final int REGULAR = 0100000;
    static final int DIRECTORY = 0040000;
    static final int SYMLINK = 0120000;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream central = new ByteArrayOutputStream();
    private int count;

    /** What the central directory says, if it is not the truth. Null is the truth. */
    static final class Claim {
        Long sizeBytes;
        Long compressedBytes;
        Long crc;
        Long headerOffset;
        Integer method;
        int flags;
    }

    ZipWriter add(String name, int mode, byte[] data, boolean deflated) {
        return add(name, mode, data, deflated, new Claim());
    }

    ZipWriter add(String name, int mode, byte[] data, boolean deflated, Claim claim) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] stored = deflated ? deflate(data) : data;
        CRC32 crc = new CRC32();
        crc.update(data);
        int method = claim.method != null ? claim.method : deflated ? 8 : 0;
        int offset = out.size();
        put(
                out,
                ByteBuffer.allocate(30)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0x04034b50)
                        .putShort((short) 20)
                        .putShort((short) claim.flags)
                        .putShort((short) method)
                        .putInt(0)
                        .putInt((int) crc.getValue())
                        .putInt(stored.length)
                        .putInt(data.length)
                        .putShort((short) nameBytes.length)
                        .putShort((short) 0));
        out.writeBytes(nameBytes);
        out.writeBytes(stored);
        put(
                central,
                ByteBuffer.allocate(46)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0x02014b50)
                        .putShort((short) (3 << 8))
                        .putShort((short) 20)
                        .putShort((short) claim.flags)
                        .putShort((short) method)
                        .putShort((short) 0)
                        .putShort((short) (44 << 9 | 5 << 5 | 6))
                        .putInt((int) or(claim.crc, crc.getValue()))
                        .putInt((int) or(claim.compressedBytes, stored.length))
                        .putInt((int) or(claim.sizeBytes, data.length))
                        .putShort((short) nameBytes.length)
                        .putShort((short) 0)
                        .putShort((short) 0)
                        .putShort((short) 0)
                        .putShort((short) 0)
                        .putInt(mode << 16)
                        .putInt((int) or(claim.headerOffset, offset)));
        central.writeBytes(nameBytes);
        count++;
        return this;
    }

    private static long or(Long claim, long truth) {
        return claim != null ? claim : truth;
    }

    private static void put(ByteArrayOutputStream to, ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        to.writeBytes(bytes);
    }

    private static byte[] deflate(byte[] data) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        deflater.setInput(data);
        deflater.finish();
        byte[] block = new byte[data.length + data.length / 100 + 100];
        int length = deflater.deflate(block);
        deflater.end();
        return java.util.Arrays.copyOf(block, length);
    }

    byte[] toBytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(out.toByteArray());
        all.writeBytes(central.toByteArray());
        put(
                all,
                ByteBuffer.allocate(22)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0x06054b50)
                        .putInt(0)
                        .putShort((short) count)
                        .putShort((short) count)
                        .putInt(central.size())
                        .putInt(out.size())
                        .putShort((short) 0));
        return all.toByteArray();
    }

    Path write(Path path) {
        try {
            return Files.write(path, toBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
