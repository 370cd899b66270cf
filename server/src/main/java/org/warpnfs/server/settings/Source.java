package org.warpnfs.server.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The contents of one source: for each setting that it sets, the place and the words. */
final class Source {
    /**
     * The value of one setting in a source.
     *
     * @param origin the place of the whole value
     * @param words one word; for lists one for each element
     */
    record Entry(Origin origin, List<Said> words) {}

    private final Map<Setting<?>, Entry> entries = new LinkedHashMap<>();

    void put(Setting<?> setting, Origin origin, List<Said> words) {
        entries.put(setting, new Entry(origin, List.copyOf(words)));
    }

    @Nullable
    Entry of(Setting<?> setting) {
        return entries.get(setting);
    }
}
