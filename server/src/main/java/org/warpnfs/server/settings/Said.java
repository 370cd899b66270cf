package org.warpnfs.server.settings;

/**
 * One word of a value as somebody wrote it.
 *
 * @param text without quotes and escapes
 * @param origin where
 */
public record Said(String text, Origin origin) {}
