package org.warpnfs.server.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one source says: of each setting it names, where and in which words. */
final class Source {
    /**
     * What is said of one setting.
     *
     * @param origin of the whole
     * @param words one, or for lists each
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
