package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps what the nodes of a cluster share. Any engine with a compare-and-swap can provide it.
 *
 * <p>Methods wait for the medium. Safe for any thread, and for any number of nodes on any hosts.
 */
public interface ClusterStore extends AutoCloseable {
    /**
     * A record and its version, which grows by one with each replacement.
     *
     * @param version 0 for a cluster that does not exist yet; then the record is empty
     */
    record Versioned(long version, ClusterRecord record) {}

    /**
     * Reads the record. It may be older than the latest, if the medium caches; it was the latest once.
     *
     * @throws IOException if it cannot be read or is damaged; the message names the place
     */
    Versioned read() throws IOException;

    /**
     * Replaces the record, if {@code version} is the version of the latest. When it returns true the new record is on
     * stable storage and every later {@link #replace} minds it. A node that crashes meanwhile has replaced it or not.
     *
     * @return false if another node was first
     */
    boolean replace(long version, ClusterRecord next) throws IOException;

    /** Gives a sign of life. Need not be on stable storage, but others must see it soon. */
    void beat(String node, Beat beat) throws IOException;

    /** The signs of life of these nodes that can be seen. Costs as much as there are nodes to look at. */
    Map<String, Beat> beats(Set<String> nodes) throws IOException;

    /** Tells the others at which addresses clients reach a node. They see it once the node has joined after this. */
    void publish(String node, List<String> addresses) throws IOException;

    /** The addresses at which clients reach a node; none if it has published none. */
    List<String> addresses(String node) throws IOException;

    @Override
    void close();
}
