package org.warpnfs.server.killed;

/** A file, a directory or a symbolic link, as its client knows it. */
final class Node {
    enum Type {
        FILE,
        DIRECTORY,
        SYMLINK
    }

    final Type type;
    final byte[] handle;
    /** The target of a symbolic link. */
    final String target;
    /** The content of a file. */
    final FileModel data = new FileModel();

    Node(Type type, byte[] handle, String target) {
        this.type = type;
        this.handle = handle;
        this.target = target;
    }
}
