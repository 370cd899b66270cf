package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Timestamp;

/**
 * The files of an archive as a tree. An entry whose name leads out of the archive, or anywhere that another entry
 * forbids, is left out. After it has been built, the tree is safe for many threads.
 */
final class ZipTree {
    private static final int MAX_DEPTH = 128;

    /** A file or directory. */
    static final class Node {
        final int index;
        final Node parent;
        final FileName name;
        final Map<FileName, Node> byName = new HashMap<>();
        final List<Node> children = new ArrayList<>();

        @Nullable
        ZipEntry entry;

        int subdirectories;

        private Node(int index, @Nullable Node parent, FileName name) {
            this.index = index;
            this.parent = parent == null ? this : parent;
            this.name = name;
        }

        /** A directory may have no entry of its own. */
        FileType type() {
            return entry == null ? FileType.DIRECTORY : entry.type();
        }

        int permissions() {
            return entry == null ? 0755 : entry.permissions();
        }

        Timestamp modifyTime() {
            return entry == null ? new Timestamp(0, 0) : entry.modifyTime();
        }
    }

    private final int maxFiles;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> skipped = new TreeMap<>();
    private final MessageDigest digest;
    private long identity;

    ZipTree(int maxFiles) throws IOException {
        this.maxFiles = maxFiles;
        try {
            digest = MessageDigest.getInstance("SHA-256");
            nodes.add(new Node(0, null, FileName.of("root")));
        } catch (NoSuchAlgorithmException | FsException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    Node root() {
        return nodes.getFirst();
    }

    /** The file with the index, or null. */
    @Nullable
    Node node(int index) {
        return index >= 0 && index < nodes.size() ? nodes.get(index) : null;
    }

    int size() {
        return nodes.size();
    }

    /** A number that another archive does not have: handles into another are stale. */
    long identity() {
        if (identity == 0) {
            identity = ByteBuffer.wrap(digest.digest()).getLong() | 1;
        }
        return identity;
    }

    void identify(long fileBytes) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(fileBytes).array());
    }

    void identify(ByteBuffer fixed, ByteBuffer rest) {
        digest.update(fixed.duplicate());
        digest.update(rest.duplicate());
    }

    /** Counts an entry that is left out. */
    void skip(String why) {
        skipped.merge(why, 1, Integer::sum);
    }

    void logSkipped(Logger logger, String source) {
        skipped.forEach((why, count) -> logger.warn("{}: {} entries are left out, since they {}", source, count, why));
    }

    void add(ZipEntry entry) throws IOException {
        List<FileName> path = path(entry.name());
        if (path == null) {
            skip("have a name that leads elsewhere or is too long");
            return;
        }
        Node at = root();
        for (int i = 0; i < path.size(); i++) {
            if (at.type() != FileType.DIRECTORY) {
                skip("are in something that is no directory");
                return;
            }
            Node child = at.byName.get(path.get(i));
            boolean isLast = i == path.size() - 1;
            if (child == null) {
                child = newNode(at, path.get(i));
                if (!isLast || entry.type() == FileType.DIRECTORY) {
                    at.subdirectories++;
                }
                if (isLast) {
                    child.entry = entry;
                }
            } else if (isLast) {
                replace(child, entry);
            }
            at = child;
        }
    }

    /** The first entry of a name counts. A directory may have been made for its files before its own entry comes. */
    private void replace(Node known, ZipEntry entry) {
        if (known.entry == null && entry.type() == FileType.DIRECTORY) {
            known.entry = entry;
        } else {
            skip("have the name of another entry");
        }
    }

    private Node newNode(Node parent, FileName name) throws IOException {
        if (nodes.size() >= maxFiles) {
            throw new IOException("has more than " + maxFiles + " files (max-files)");
        }
        Node node = new Node(nodes.size(), parent, name);
        nodes.add(node);
        parent.byName.put(name, node);
        parent.children.add(node);
        return node;
    }

    /** The components of a name, or null if one of them is none. */
    private static @Nullable List<FileName> path(String name) {
        String trimmed = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
        List<FileName> path = new ArrayList<>();
        for (int from = 0; from <= trimmed.length() && path.size() < MAX_DEPTH; ) {
            int slash = trimmed.indexOf('/', from);
            int until = slash < 0 ? trimmed.length() : slash;
            try {
                path.add(FileName.of(trimmed.substring(from, until).getBytes(StandardCharsets.ISO_8859_1)));
            } catch (FsException e) {
                return null;
            }
            if (slash < 0) {
                return path;
            }
            from = slash + 1;
        }
        return null;
    }
}
