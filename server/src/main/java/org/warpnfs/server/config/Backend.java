package org.warpnfs.server.config;

/** Where the files are stored. */
public enum Backend {
    /** Directories of this host. */
    LOCAL,
    /** The server's own memory; its contents are lost when the server stops. */
    MEMORY,
    /** Whatever the backend of a plug-in serves, or the built-in one of Ceph: {@link PluginChoice}. */
    PLUGIN
}
