package org.warpnfs.example.log;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.FileName;

/** The new states that one change brings about. The log keeps all of them or none. {@link Tree#apply} reads them. */
final class Batch {
    static final int TREE = 1;
    static final int NODE = 2;
    static final int ENTRY = 3;
    static final int NO_ENTRY = 4;
    static final int DATA = 5;
    static final int GONE = 6;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Writing {
        void run() throws IOException;
    }

    private Batch add(int kind, Writing writing) {
        try {
            out.writeByte(kind);
            writing.run();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes everything", e);
        }
    }

    /** The tree itself: its id, and how often it was started. */
    Batch tree(long treeId, long epoch) {
        return add(TREE, () -> {
            out.writeLong(treeId);
            out.writeLong(epoch);
        });
    }

    Batch node(Node node) {
        return add(NODE, () -> node.write(out));
    }

    Batch entry(long directory, Directory.Entry entry) {
        return add(ENTRY, () -> {
            out.writeLong(directory);
            out.writeLong(entry.cookie());
            out.writeLong(entry.file());
            name(entry.name());
        });
    }

    Batch noEntry(long directory, FileName name) {
        return add(NO_ENTRY, () -> {
            out.writeLong(directory);
            name(name);
        });
    }

    private void name(FileName name) throws IOException {
        out.writeByte(name.lengthBytes());
        out.write(name.toBytes());
    }

    Batch data(long file, long offset, ByteBuffer source) {
        return add(DATA, () -> {
            out.writeLong(file);
            out.writeLong(offset);
            out.writeInt(source.remaining());
            byte[] data = new byte[source.remaining()];
            source.duplicate().get(data);
            out.write(data);
        });
    }

    /** The file is gone, and its id is never used again. */
    Batch gone(long file) {
        return add(GONE, () -> out.writeLong(file));
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
