package org.warpnfs.nfs.export;

import java.util.List;

/** The servers that serve the same exports at the same paths and with the same filehandles, if there are several. */
@FunctionalInterface
public interface Gateways {
    /** No servers that would tell clients of each other. */
    Gateways NONE = List::of;

    /**
     * For each server the addresses at which clients reach it, this one first. They change while the server runs.
     * Returns at once, to any thread.
     */
    List<List<String>> hosts();
}
