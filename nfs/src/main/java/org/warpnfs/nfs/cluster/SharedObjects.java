package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An engine of objects that all nodes of a cluster see, such as RADOS. An object has named values, and a mark that a
 * change can depend on.
 *
 * <p>Methods wait for the engine, for a time that is well below that in which a silent node is declared dead. Safe for
 * any thread.
 */
public interface SharedObjects {
    /**
     * A change of one object.
     *
     * @param expected the mark that the object must have; empty if it must not exist; null if it does not matter
     * @param mark the new mark; null to leave it
     * @param values set or replaced
     * @param removed names of values; those that do not exist do not matter
     * @param expectedValues values that the object must have too; an empty one stands for none
     */
    record Change(
            @Nullable String expected,
            @Nullable String mark,
            Map<String, byte[]> values,
            Set<String> removed,
            Map<String, byte[]> expectedValues) {
        public Change(
                @Nullable String expected, @Nullable String mark, Map<String, byte[]> values, Set<String> removed) {
            this(expected, mark, values, removed, Map.of());
        }

        /** Sets one value of an object, whatever it is. */
        static Change of(String name, byte[] value) {
            return new Change(null, null, Map.of(name, value), Set.of());
        }
    }

    /** The values whose names begin with {@code prefix}; empty if there is no such object. */
    NavigableMap<String, byte[]> read(String object, String prefix) throws IOException;

    /**
     * Makes a change as a whole. When it returns, the change is on stable storage.
     *
     * @return false, and nothing has changed, if the object was not as expected
     * @throws IOException naming the place. What became of the change is not known then: it may also be made later
     */
    boolean change(String object, Change change) throws IOException;
}
