package org.warpnfs.example.log;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/**
 * All files. Nothing but {@link #apply} changes it, at a start with what the log has and later with what is appended to
 * the log. So a restart finds just what was there. For one thread at a time.
 */
final class Tree {
    static final long ROOT_ID = 1;
    /** What a file is charged with beside its contents. */
    static final int NODE_BYTES = 1024;

    private final Map<Long, Node> nodes = new HashMap<>();
    private final Map<Long, Directory> directories = new HashMap<>();
    private final Map<Long, Contents> contents = new HashMap<>();
    private long contentBytes;
    private long treeId;
    private long epoch;

    long id() {
        return treeId;
    }

    long epoch() {
        return epoch;
    }

    @Nullable
    Node node(long id) {
        return nodes.get(id);
    }

    /** The names in a directory that exists. */
    Directory directory(long id) {
        return directories.getOrDefault(id, new Directory());
    }

    Contents contents(long id) {
        return contents.getOrDefault(id, new Contents());
    }

    /** What all files take in memory. */
    long usedBytes() {
        return contentBytes + (long) nodes.size() * NODE_BYTES;
    }

    /** Reads a {@link Batch} and makes its states the present ones. */
    void apply(byte[] batch) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(batch));
        while (in.available() > 0) {
            int kind = in.readByte();
            switch (kind) {
                case Batch.TREE -> {
                    treeId = in.readLong();
                    epoch = in.readLong();
                }
                case Batch.NODE -> put(Node.read(in));
                case Batch.ENTRY -> {
                    long directory = in.readLong();
                    long cookie = in.readLong();
                    long file = in.readLong();
                    directory(directory).put(new Directory.Entry(name(in), cookie, file));
                }
                case Batch.NO_ENTRY -> directory(in.readLong()).remove(name(in));
                case Batch.DATA -> {
                    Contents to = contents(in.readLong());
                    long offset = in.readLong();
                    byte[] data = in.readNBytes(in.readInt());
                    contentBytes -= to.usedBytes();
                    to.write(offset, ByteBuffer.wrap(data));
                    contentBytes += to.usedBytes();
                }
                case Batch.GONE -> forget(in.readLong());
                default -> throw new IOException("a record of kind " + kind);
            }
        }
    }

    private static FileName name(DataInputStream in) throws IOException {
        try {
            return FileName.of(in.readNBytes(in.readUnsignedByte()));
        } catch (FsException e) {
            throw new IOException("a name that is none", e);
        }
    }

    private void put(Node node) {
        nodes.put(node.id(), node);
        if (node.type() == FileType.DIRECTORY) {
            directories.computeIfAbsent(node.id(), _ -> new Directory());
        } else {
            Contents cut = contents.computeIfAbsent(node.id(), _ -> new Contents());
            contentBytes -= cut.usedBytes();
            cut.cut(node.attributes().sizeBytes());
            contentBytes += cut.usedBytes();
        }
    }

    private void forget(long id) {
        nodes.remove(id);
        directories.remove(id);
        Contents forgotten = contents.remove(id);
        contentBytes -= forgotten == null ? 0 : forgotten.usedBytes();
    }

    /** The files that have no name, since the host ended while they were open. */
    Batch nameless() {
        Batch batch = new Batch();
        for (Node node : nodes.values()) {
            if (node.attributes().linkCount() == 0) {
                batch.gone(node.id());
            }
        }
        return batch;
    }

    /** Gives the shortest log that leads to this tree. */
    void writeTo(Consumer<byte[]> log) {
        log.accept(new Batch().tree(treeId, epoch).toBytes());
        for (Node node : nodes.values()) {
            log.accept(new Batch().node(node).toBytes());
            contents(node.id())
                    .chunks()
                    .forEach((index, chunk) -> log.accept(new Batch()
                            .data(node.id(), index * Contents.CHUNK_BYTES, ByteBuffer.wrap(chunk))
                            .toBytes()));
        }
        directories.forEach((id, directory) -> directory
                .after(0)
                .values()
                .forEach(entry -> log.accept(new Batch().entry(id, entry).toBytes())));
    }
}
