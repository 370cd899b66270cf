package org.warpnfs.server.config;

/** How lines of the log look. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** One JSON object a line, for collectors. */
    JSON
}
