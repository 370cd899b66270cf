package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.Map;

/** Where metadata servers tell data servers of fences. Methods wait for the medium. Safe for any thread. */
public interface FenceStore {
    /**
     * The texts of all metadata servers by their names. One may be half written, and one that cannot be read is empty.
     */
    Map<String, byte[]> read() throws IOException;

    /**
     * Writes the first text of a process of a metadata server. From then on no earlier process of it changes anything,
     * however long it was held up, and between whatever instructions.
     *
     * @param first has the number of the process
     * @throws IOException also if a later process has done so
     */
    Claimed claim(String node, FenceEpochs first) throws IOException;

    /** The text of a metadata server, in the hands of one of its processes. */
    interface Claimed {
        /**
         * Replaces the text. When it returns true, each later {@link FenceStore#read} has the new one.
         *
         * @return false if a later process has the text; then no read has the new one
         */
        boolean replace(FenceEpochs next) throws IOException;
    }
}
