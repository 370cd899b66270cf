package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.warpnfs.server.killed.Change.Kind;

/** The names in the directory of one client. The tree contains exactly what the server acknowledged. */
final class Tree {
    private static final int MAX_NAMES = 10;

    private final Path directory;
    private final ExportedFiles files;
    private final SplittableRandom random;
    private final Map<String, Node> names = new TreeMap<>();
    private int made;

    Tree(Path directory, ExportedFiles files, SplittableRandom random) {
        this.directory = directory;
        this.files = files;
        this.random = random;
    }

    /** Whether a change is done, by looking into the exported directory itself. */
    boolean isDone(Change change) throws IOException {
        return change.isDone(files, directory);
    }

    Map<String, Node> names() {
        return names;
    }

    String freshName(String what) {
        return what + "-" + made++;
    }

    List<Node> files() {
        return names.values().stream()
                .filter(node -> node.type == Node.Type.FILE)
                .distinct()
                .toList();
    }

    String nameOf(Node node) {
        return names.entrySet().stream()
                .filter(entry -> entry.getValue() == node)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Picks a random change that can be done now. The held file keeps at least one name. */
    Change draw(Node held) {
        List<String> all = List.copyOf(names.keySet());
        List<String> free = all.stream().filter(name -> names.get(name) != held).toList();
        Kind kind = all.isEmpty() ? Kind.CREATE : pick(List.of(Kind.values()));
        boolean makes = kind != Kind.REMOVE && kind != Kind.RENAME && kind != Kind.SET_SIZE;
        if ((makes && all.size() >= MAX_NAMES) || (kind == Kind.REMOVE && free.isEmpty())) {
            kind = free.isEmpty() ? Kind.CREATE : Kind.REMOVE;
        }
        List<Node> files = files();
        if (files.isEmpty() && (kind == Kind.LINK || kind == Kind.SET_SIZE)) {
            kind = Kind.CREATE;
        }
        int xid = Link.nextXid();
        return switch (kind) {
            case CREATE -> new Change(kind, xid, freshName("file"), "", null, 0);
            case MKDIR -> new Change(kind, xid, freshName("directory"), "", null, 0);
            case SYMLINK -> new Change(kind, xid, freshName("symlink"), freshName("to"), null, 0);
            case LINK -> new Change(kind, xid, freshName("link"), "", pick(files), 0);
            case REMOVE -> {
                String name = pick(free);
                yield new Change(kind, xid, name, "", names.get(name), 0);
            }
            case RENAME -> {
                String name = pick(all);
                yield new Change(kind, xid, name, renamed(name, held), names.get(name), 0);
            }
            case SET_SIZE -> {
                Node file = pick(files);
                long size = (long) random.nextInt(FileModel.BLOCKS + 1) * FileModel.BLOCK_BYTES;
                yield new Change(kind, xid, nameOf(file), "", file, size);
            }
        };
    }

    /** Returns a new name, or the name of another file, which the rename replaces. */
    private String renamed(String name, Node held) {
        Node node = names.get(name);
        List<String> others = new ArrayList<>();
        if (node.type == Node.Type.FILE) {
            names.forEach((other, replaced) -> {
                if (replaced != node && replaced != held && replaced.type == Node.Type.FILE) {
                    others.add(other);
                }
            });
        }
        return others.isEmpty() || random.nextBoolean() ? freshName("renamed") : pick(others);
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    void sent(Change change) {
        if (change.kind() == Kind.SET_SIZE) {
            change.node().data.sizeSent(change.sizeBytes());
        }
    }

    /** @param handle the handle of the file that the change made */
    void done(Change change, byte[] handle) {
        switch (change.kind()) {
            case CREATE -> names.put(change.name(), new Node(Node.Type.FILE, handle, ""));
            case MKDIR -> names.put(change.name(), new Node(Node.Type.DIRECTORY, handle, ""));
            case SYMLINK -> names.put(change.name(), new Node(Node.Type.SYMLINK, handle, change.other()));
            case LINK -> names.put(change.name(), change.node());
            case REMOVE -> names.remove(change.name());
            case RENAME -> {
                names.remove(change.name());
                names.put(change.other(), change.node());
            }
            case SET_SIZE -> change.node().data.sizeAnswered(change.sizeBytes());
        }
    }

    /** Checks the exported directory itself: it has exactly the acknowledged names, each of its type. */
    void verify() throws IOException {
        Map<String, ExportedFiles.Found> found = files.list(directory);
        assertThat(found.keySet()).as("names in %s", directory).containsExactlyInAnyOrderElementsOf(names.keySet());
        names.forEach((name, node) -> {
            long links = names.values().stream().filter(other -> other == node).count();
            assertThat(found.get(name))
                    .as("%s", directory.resolve(name))
                    .isEqualTo(
                            switch (node.type) {
                                case FILE -> new ExportedFiles.Found(node.type, (int) links, "");
                                case DIRECTORY -> new ExportedFiles.Found(node.type, 0, "");
                                case SYMLINK -> new ExportedFiles.Found(node.type, 0, node.target);
                            });
        });
    }
}
