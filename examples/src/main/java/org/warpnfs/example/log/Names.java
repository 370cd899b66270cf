package org.warpnfs.example.log;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Protection;
import org.warpnfs.fs.spi.Timestamp;

/** Names that go: removed, or renamed over another. Methods are called with the monitor of the store.tree. */
final class Names {
    private final Store store;
    private final Map<Long, Integer> opens;

    /** Makes the names of a store. {@code opens} counts the open files of each id. */
    Names(Store store, Map<Long, Integer> opens) {
        this.store = store;
        this.opens = opens;
    }

    void rename(Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        Node from = store.searchable(caller, fromDirectory);
        Node to = store.searchable(caller, toDirectory);
        Node moved = store.child(from, fromName);
        Directory.Entry there = store.tree.directory(to.id()).find(toName);
        Node replaced = there == null ? null : store.node(there.file());
        requireRenamable(caller, from, moved, to, replaced);
        if (!moved.equals(replaced)) {
            move(from, fromName, to, toName, moved, replaced);
        }
    }

    private void requireRenamable(Caller caller, Node from, Node moved, Node to, @Nullable Node replaced)
            throws FsException {
        if (isWithin(to, moved)) {
            throw FsException.of(FsError.INVALID);
        }
        if (replaced != null && !replaced.equals(moved) && isWithin(from, replaced)) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
        Protection other = replaced == null ? null : replaced.protection();
        PosixRules.requireRenamable(
                caller, from.protection(), moved.protection(), to.protection(), other, from.id() != to.id());
        if (replaced != null && replaced.id() != moved.id()) {
            requireEmpty(replaced);
        }
    }

    /** True if a directory is {@code ancestor} or below it. */
    private boolean isWithin(Node directory, Node ancestor) throws FsException {
        Node at = directory;
        while (at.id() != ancestor.id()) {
            if (at.id() == Tree.ROOT_ID) {
                return false;
            }
            at = store.node(at.parent());
        }
        return true;
    }

    private void move(Node from, FileName fromName, Node to, FileName toName, Node moved, @Nullable Node replaced)
            throws FsException {
        Timestamp now = Store.now();
        boolean isDirectory = moved.type() == FileType.DIRECTORY;
        int lost = isDirectory ? -1 : 0;
        int won = isDirectory && replaced == null ? 1 : 0;
        Batch batch = new Batch().noEntry(from.id(), fromName).noEntry(to.id(), toName);
        if (from.id() == to.id()) {
            batch.node(from.with(PosixRules.afterNaming(from.attributes(), lost + won, now, store.next())));
        } else {
            batch.node(from.with(PosixRules.afterNaming(from.attributes(), lost, now, store.next())));
            batch.node(to.with(PosixRules.afterNaming(to.attributes(), won, now, store.next())));
        }
        if (replaced != null && isDirectory) {
            batch.gone(replaced.id());
        } else if (replaced != null) {
            removed(batch, replaced, now);
        }
        FileAttributes renamed = PosixRules.afterRename(moved.attributes(), now, store.next());
        batch.node(moved.with(renamed).withParent(to.id()));
        batch.entry(to.id(), new Directory.Entry(toName, store.next(), moved.id()));
        store.commit(batch, 0);
    }

    Node removable(Caller caller, Node parent, FileName name) throws FsException {
        Node file = store.child(parent, name);
        PosixJudge.requireModifiable(caller, parent.protection());
        PosixJudge.requireRemovable(caller, parent.protection(), file.protection());
        return file;
    }

    /** A file that lost its name is kept for as long as it is open. */
    Batch removed(Batch batch, Node file, Timestamp now) {
        if (!opens.containsKey(file.id())) {
            return batch.gone(file.id());
        }
        return batch.node(file.with(
                PosixRules.afterNaming(file.attributes(), -file.attributes().linkCount(), now, store.next())));
    }

    void requireEmpty(Node directory) throws FsException {
        if (!store.tree.directory(directory.id()).isEmpty()) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
    }
}
