package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Where NSM keeps short texts by name. Methods wait for a medium, and return when it has what was written. Not safe for
 * several threads on one name.
 */
public interface NsmStore {
    /** The text of that name. */
    Optional<String> read(String name) throws IOException;

    /** The texts that {@link #addHost} has added, by name. */
    Map<String, String> hosts(int most) throws IOException;

    /** Sets or replaces a text. */
    void write(String name, String text) throws IOException;

    /** Sets or replaces the text of a client. */
    void addHost(String name, String text) throws IOException;

    /** Removes the text of a client. It may be there again after a crash. */
    void removeHost(String name) throws IOException;

    /** Where a text is, for messages. */
    String place(String name);
}
