package org.warpnfs.example.log;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Timestamp;

/** Attributes as bytes. All files are of one tree, and none is a device. */
final class Codec {
    private static final List<FileType> TYPES = List.of(FileType.REGULAR, FileType.DIRECTORY, FileType.SYMLINK);
    private static final int LENGTH_BYTES = 3 * Integer.BYTES + 6 * Long.BYTES + 4 * (Long.BYTES + Integer.BYTES);

    private Codec() {}

    static byte[] bytes(FileAttributes file) {
        ByteBuffer out = ByteBuffer.allocate(LENGTH_BYTES)
                .putInt(TYPES.indexOf(file.type()))
                .putInt(file.permissions())
                .putInt(file.linkCount())
                .putLong(file.uid())
                .putLong(file.gid())
                .putLong(file.sizeBytes())
                .putLong(file.usedBytes())
                .putLong(file.fileId())
                .putLong(file.changeId());
        for (Timestamp time : List.of(file.accessTime(), file.modifyTime(), file.changeTime(), file.birthTime())) {
            out.putLong(time.seconds()).putInt(time.nanos());
        }
        return out.array();
    }

    static FileAttributes attributes(byte[] bytes, long treeId) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        FileType type = TYPES.get(in.getInt());
        int permissions = in.getInt();
        int linkCount = in.getInt();
        long uid = in.getLong();
        long gid = in.getLong();
        long sizeBytes = in.getLong();
        long usedBytes = in.getLong();
        long fileId = in.getLong();
        long changeId = in.getLong();
        return new FileAttributes(
                type,
                permissions,
                linkCount,
                uid,
                gid,
                sizeBytes,
                usedBytes,
                0,
                0,
                treeId,
                fileId,
                time(in),
                time(in),
                time(in),
                time(in),
                changeId);
    }

    private static Timestamp time(ByteBuffer in) {
        return new Timestamp(in.getLong(), in.getInt());
    }
}
