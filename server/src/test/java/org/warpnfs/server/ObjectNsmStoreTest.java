package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.cluster.SharedObjects;

class ObjectNsmStoreTest {
    private final SharedObjects objects = new OneObject();

    /** An object in memory, with its mark. */
    private static final class OneObject implements SharedObjects {
        private final NavigableMap<String, byte[]> values = new TreeMap<>();
        private final Map<String, String> marks = new HashMap<>();

        @Override
        public NavigableMap<String, byte[]> read(String object, String prefix) {
            NavigableMap<String, byte[]> found = new TreeMap<>(values);
            found.keySet().removeIf(name -> !name.startsWith(prefix));
            return found;
        }

        @Override
        public boolean change(String object, Change change) {
            if (!marks.getOrDefault(object, "").equals(change.expected())) {
                return false;
            }
            change.removed().forEach(values::remove);
            values.putAll(change.values());
            if (change.mark() != null) {
                marks.put(object, change.mark());
            }
            return true;
        }
    }

    @Test
    void texts_ofTheProcessBefore_areThere() throws IOException {
        ObjectNsmStore first = new ObjectNsmStore(NodeObject.claim(objects, "a", 1));
        assertThat(first.read("state")).isEmpty();
        first.write("state", "7");
        first.write("state2", "8");
        first.addHost("x", "one\n");
        first.addHost("y", "two\n");
        first.addHost("z", "three\n");
        first.removeHost("z");
        ObjectNsmStore second = new ObjectNsmStore(NodeObject.claim(objects, "a", 2));
        assertThat(second.read("state")).contains("7");
        assertThat(second.hosts(10)).isEqualTo(Map.of("x", "one\n", "y", "two\n"));
        assertThat(second.hosts(1)).hasSize(1);
    }

    @Test
    void processThatWasTakenOver_writesNothing() throws IOException {
        ObjectNsmStore first = new ObjectNsmStore(NodeObject.claim(objects, "a", 1));
        ObjectNsmStore second = new ObjectNsmStore(NodeObject.claim(objects, "a", 2));
        assertThatThrownBy(() -> first.addHost("x", "late")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> first.write("settled", "1")).isInstanceOf(IOException.class);
        assertThat(second.hosts(10)).isEmpty();
        assertThat(second.read("settled")).isEmpty();
    }
}
