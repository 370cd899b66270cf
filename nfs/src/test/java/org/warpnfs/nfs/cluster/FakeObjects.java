package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Objects in memory, which behave as those of RADOS. */
public final class FakeObjects implements SharedObjects {
    private record Stored(@Nullable String mark, NavigableMap<String, byte[]> values) {}

    private final Map<String, Stored> objects = new HashMap<>();
    private boolean failing;
    private boolean losingAnswers;

    /** From now on changes fail and are not made; or are made, although they fail. */
    public synchronized void fail(boolean fails, boolean made) {
        failing = fails;
        losingAnswers = fails && made;
    }

    /** As an administrator may. */
    public synchronized void remove(String object) {
        objects.remove(object);
    }

    @Override
    public synchronized NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
        NavigableMap<String, byte[]> found = new TreeMap<>();
        Stored stored = objects.get(object);
        if (stored != null) {
            stored.values.forEach((name, value) -> {
                if (name.startsWith(prefix)) {
                    found.put(name, value.clone());
                }
            });
        }
        return found;
    }

    @Override
    public synchronized boolean change(String object, Change change) throws IOException {
        if (failing && !losingAnswers) {
            throw new IOException("no answer in time");
        }
        Stored stored = objects.get(object);
        String expected = change.expected();
        if (expected != null
                && (expected.isEmpty() ? stored != null : stored == null || !expected.equals(stored.mark))) {
            return false;
        }
        NavigableMap<String, byte[]> values = stored == null ? new TreeMap<>() : stored.values;
        if (change.expectedValues().entrySet().stream()
                .anyMatch(
                        value -> !Arrays.equals(value.getValue(), values.getOrDefault(value.getKey(), new byte[0])))) {
            return false;
        }
        change.removed().forEach(values::remove);
        change.values().forEach((name, value) -> values.put(name, value.clone()));
        String before = stored == null ? null : stored.mark;
        objects.put(object, new Stored(change.mark() == null ? before : change.mark(), values));
        if (losingAnswers) {
            throw new IOException("no answer in time");
        }
        return true;
    }
}
