package org.warpnfs.server.config;

/** The format of log lines. */
public enum LogFormat {
    /** Text. */
    TEXT,
    /** One JSON object per line, for log collectors. */
    JSON
}
