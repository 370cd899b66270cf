package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** The open of one open-owner on one file (RFC 8881, section 9.7). Guarded by the lock of the state. */
public final class OpenState implements StateEntry {
    final Client client;
    final Opaque owner;
    final FileState file;
    final long number;
    int seqid = 1;
    int access;
    int deny;
    /** Bit n is set if an OPEN had access (or deny) n. OPEN_DOWNGRADE may only go back to a union of these. */
    int accessSeen;

    int denySeen;

    /** The bits by which {@link FileState} has counted this open. */
    int indexedAccess;

    int indexedDeny;

    @Nullable
    SharedFile reader;

    @Nullable
    SharedFile writer;

    final Map<Opaque, LockState> locks = new HashMap<>();
    /** The owner whose requests are ordered; null where sessions order them. */
    @Nullable
    StateOwner stateOwner;

    OpenState(Client client, Opaque owner, FileState file, long number) {
        this.client = client;
        this.owner = owner;
        this.file = file;
        this.number = number;
    }

    @Override
    public Client client() {
        return client;
    }

    @Override
    public FileKey key() {
        return file.key;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public int seqid() {
        return seqid;
    }

    /** True if it was made for that user, and not joined by another user of its owner. */
    public boolean isOpenedBy(Caller caller) {
        return (reader == null || reader.isOpenedBy(caller)) && (writer == null || writer.isOpenedBy(caller));
    }

    boolean isOf(FileSystem fileSystem) {
        return (reader != null && reader.isOf(fileSystem)) || (writer != null && writer.isOf(fileSystem));
    }

    void releaseFiles(Consumer<SharedFile> letGo) {
        releaseReader(letGo);
        releaseWriter(letGo);
    }

    void releaseReader(Consumer<SharedFile> letGo) {
        if (reader != null) {
            reader.leftByState();
            letGo.accept(reader);
            reader = null;
        }
    }

    void releaseWriter(Consumer<SharedFile> letGo) {
        if (writer != null) {
            writer.leftByState();
            letGo.accept(writer);
            writer = null;
        }
    }

    static int nextSeqid(int seqid) {
        return seqid == -1 ? 1 : seqid + 1;
    }
}
