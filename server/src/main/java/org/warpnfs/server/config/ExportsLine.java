package org.warpnfs.server.config;

import java.util.List;

/**
 * One line of a file of exports(5), taken apart and not yet understood.
 *
 * @param place of its first character
 * @param path as it was meant, without quotes and escapes
 * @param clients in their order; empty if the line names none
 */
record ExportsLine(Place place, String path, List<Client> clients) {
    /**
     * {@code name(word,word)}.
     *
     * @param name empty for everyone
     * @param words those of the line's defaults first
     */
    record Client(String name, List<String> words) {}
}
