package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where metadata servers tell data servers of fences. Methods wait for the medium. Safe for any thread. */
public interface FenceStore {
    /**
     * The texts of all metadata servers by their names. One may be half written, and one that cannot be read is empty.
     */
    Map<String, byte[]> read() throws IOException;

    /** The text of one metadata server; null if there is none. */
    byte @Nullable [] read(String node) throws IOException;

    /** Replaces the text of a metadata server. When it returns, each later {@link #read} has the new one. */
    void write(String node, byte[] text) throws IOException;
}
