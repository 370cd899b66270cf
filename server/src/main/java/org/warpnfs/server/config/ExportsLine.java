package org.warpnfs.server.config;

import java.util.List;

/**
 * One parsed but not yet interpreted line of a file of exports(5).
 *
 * @param place the place of its first character
 * @param path the path without quotes and escapes
 * @param clients the clients in their order; empty if the line names none
 */
record ExportsLine(Place place, String path, List<Client> clients) {
    /**
     * {@code name(word,word)}.
     *
     * @param name the client; empty for everyone
     * @param words the options; the line's defaults come first
     */
    record Client(String name, List<String> words) {}
}
