package org.warpnfs.server.settings;

/**
 * One word of a value, as it was written.
 *
 * @param text without quotes and escapes
 * @param origin where it was written
 */
public record Said(String text, Origin origin) {}
