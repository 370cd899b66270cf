package org.warpnfs.server;

import java.io.IOException;
import org.warpnfs.server.config.PluginChoice;

/**
 * What processes of a cluster's nodes leave at the engine of their exports when they die, such as mounts that keep
 * their locks. Others end it, once the record of the cluster says that the process may never grant anything again.
 *
 * <p>Methods wait for the engine, some without a limit. Safe for any thread.
 */
interface Remains {
    /** Of exports of which others can end nothing. */
    Remains NONE = new Remains() {
        @Override
        public boolean isNothing() {
            return true;
        }

        @Override
        public void awaitEngine() {
            // It is not known which it is.
        }

        @Override
        public PluginChoice backendOf(int instance, PluginChoice choice) {
            return choice;
        }

        @Override
        public void opening(int instance, String source) {
            // Nobody can end it.
        }

        @Override
        public void leaving(int instance) {
            // Nobody would end anything.
        }

        @Override
        public void endFormer(int instance) {
            // Nothing can be ended.
        }

        @Override
        public void end(String node, int instance) {
            // Nothing can be ended.
        }
    };

    /** True if nothing can be left. */
    boolean isNothing();

    /** Returns when the engine of the exports has answered. */
    void awaitEngine() throws IOException;

    /** The backend, in which what it makes bears the name of this instance of this node. */
    PluginChoice backendOf(int instance, PluginChoice choice);

    /** Writes down that this instance of this node is about to open a file system. */
    void opening(int instance, String source) throws IOException;

    /**
     * Writes down that this instance of this node stops in order: it closes what it has opened, which takes a while.
     */
    void leaving(int instance) throws IOException;

    /** Ends what earlier instances of this node have left. This one has joined the cluster. */
    void endFormer(int instance) throws IOException;

    /** Ends what an instance of another node has left, unless it was leaving. The record says that it does not run. */
    void end(String node, int instance) throws IOException;
}
