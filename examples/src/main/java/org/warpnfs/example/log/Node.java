package org.warpnfs.example.log;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Protection;
import org.warpnfs.fs.spi.Timestamp;

/**
 * The state of a file without its contents and names. A change replaces it.
 *
 * @param attributes without the space that the contents take
 * @param parent of a directory: the file id of its parent, or 0 if it was removed
 * @param target of a symbolic link, one character for each byte, else empty
 * @param verifier of the exclusive create that made the file, until the file is changed
 */
record Node(
        FileAttributes attributes,
        long parent,
        String target,
        @Nullable Long verifier) {
    long id() {
        return attributes.fileId();
    }

    FileType type() {
        return attributes.type();
    }

    Protection protection() {
        return Protection.of(attributes, null);
    }

    byte[] targetBytes() {
        return target.getBytes(StandardCharsets.ISO_8859_1);
    }

    Node with(FileAttributes changed) {
        return new Node(changed, parent, target, verifier);
    }

    Node withParent(long newParent) {
        return new Node(attributes, newParent, target, verifier);
    }

    Node withVerifier(@Nullable Long newVerifier) {
        return new Node(attributes, parent, target, newVerifier);
    }

    void write(DataOutput out) throws IOException {
        FileAttributes a = attributes;
        out.writeUTF(a.type().name());
        out.writeInt(a.permissions());
        out.writeInt(a.linkCount());
        out.writeLong(a.uid());
        out.writeLong(a.gid());
        out.writeLong(a.sizeBytes());
        out.writeLong(a.fileSystemId());
        out.writeLong(a.fileId());
        write(a.accessTime(), out);
        write(a.modifyTime(), out);
        write(a.changeTime(), out);
        write(a.birthTime(), out);
        out.writeLong(a.changeId());
        out.writeLong(parent);
        out.writeUTF(target);
        out.writeBoolean(verifier != null);
        out.writeLong(verifier == null ? 0 : verifier);
    }

    static Node read(DataInput in) throws IOException {
        FileAttributes attributes = new FileAttributes(
                FileType.valueOf(in.readUTF()),
                in.readInt(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                0,
                0,
                0,
                in.readLong(),
                in.readLong(),
                time(in),
                time(in),
                time(in),
                time(in),
                in.readLong());
        long parent = in.readLong();
        String target = in.readUTF();
        boolean hasVerifier = in.readBoolean();
        long verifier = in.readLong();
        return new Node(attributes, parent, target, hasVerifier ? verifier : null);
    }

    private static void write(Timestamp time, DataOutput out) throws IOException {
        out.writeLong(time.seconds());
        out.writeInt(time.nanos());
    }

    private static Timestamp time(DataInput in) throws IOException {
        return new Timestamp(in.readLong(), in.readInt());
    }
}
