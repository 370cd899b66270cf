package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The addresses of the nodes that run. Each publishes its own before it joins, so they are read once for each instance.
 *
 * <p>{@link #hosts} is safe for any thread and never waits. One thread calls {@link #update}.
 */
public final class Addresses {
    private final String node;
    private final List<String> own;
    private final Map<String, Known> known = new HashMap<>();
    private volatile List<List<String>> hosts;

    private record Known(int instance, List<String> addresses) {}

    /** @param own addresses of this node; if it has none, it tells clients of no others either */
    public Addresses(String node, List<String> own) {
        this.node = node;
        this.own = List.copyOf(own);
        this.hosts = own.isEmpty() ? List.of() : List.of(this.own);
    }

    /** For each node that runs and has addresses, these; this node first. */
    public List<List<String>> hosts() {
        return hosts;
    }

    /**
     * Takes in who runs by a record, and reads the addresses of those that are new in it.
     *
     * @throws IOException if those of some node could not be read. It is left out until they can be; all others are
     *     taken in
     */
    public void update(ClusterRecord record, ClusterStore store) throws IOException {
        if (own.isEmpty()) {
            return;
        }
        known.keySet().retainAll(Ring.all(record, node));
        IOException failed = null;
        List<List<String>> next = new ArrayList<>();
        next.add(own);
        for (Map.Entry<String, Member> entry : record.members().entrySet()) {
            String name = entry.getKey();
            Member member = entry.getValue();
            if (!member.running() || name.equals(node)) {
                continue;
            }
            Known before = known.get(name);
            if (before == null || before.instance() != member.instance()) {
                try {
                    before = new Known(member.instance(), store.addresses(name));
                } catch (IOException e) {
                    failed = new IOException("the addresses of node " + name + " cannot be read: " + e.getMessage(), e);
                    continue;
                }
                known.put(name, before);
            }
            if (!before.addresses().isEmpty()) {
                next.add(before.addresses());
            }
        }
        hosts = List.copyOf(next);
        if (failed != null) {
            throw failed;
        }
    }
}
