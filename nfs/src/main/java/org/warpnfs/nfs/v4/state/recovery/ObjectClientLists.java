package org.warpnfs.nfs.v4.state.recovery;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * All lists in the node's object. Each client is a value {@code clients/EPOCH/INSTANCE/HASH}, its {@link RecordedName}.
 *
 * @param node is owned by this process
 */
public record ObjectClientLists(NodeObject node) implements ClientLists {
    private static final String ALL = "clients/";
    private static final Pattern NAME = Pattern.compile("clients/(\\d{1,18})/(\\d{1,10})/[0-9a-f]{64}");

    private static String prefix(Member.Records records) {
        return ALL + records.epoch() + '/' + records.instance() + '/';
    }

    private static String name(String prefix, Opaque owner) {
        return prefix + Hashing.sha256().hashBytes(owner.toBytes());
    }

    @Override
    public Set<Opaque> read(Member.Records records) throws IOException {
        Set<Opaque> clients = new LinkedHashSet<>();
        String prefix = prefix(records);
        for (Map.Entry<String, byte[]> value : node.read(prefix).entrySet()) {
            if (value.getValue().length > Opaque.MAX_LENGTH_BYTES) {
                throw damaged(value.getKey());
            }
            Opaque owner = Opaque.of(value.getValue());
            if (!name(prefix, owner).equals(value.getKey())) {
                throw damaged(value.getKey());
            }
            clients.add(owner);
        }
        return clients;
    }

    private static IOException damaged(String value) {
        return new IOException("NFSv4 recovery: value " + value + " of the node's object is damaged; remove it to start"
                + " without it: then that client cannot reclaim its opens and locks");
    }

    @Override
    public ClientList create(Member.Records records, Set<Opaque> clients) throws IOException {
        String prefix = prefix(records);
        Set<String> removed = new HashSet<>(node.read(prefix).keySet());
        Map<String, byte[]> values = new HashMap<>();
        clients.forEach(owner -> values.put(name(prefix, owner), owner.toBytes()));
        removed.removeAll(values.keySet());
        node.change(values, removed);
        return new OneList(node, prefix, new LinkedHashSet<>(clients));
    }

    @Override
    public void remove(Predicate<Member.Records> obsolete) throws IOException {
        Set<String> removed = new HashSet<>();
        for (String name : node.read(ALL).keySet()) {
            Matcher parts = NAME.matcher(name);
            if (parts.matches()
                    && obsolete.test(
                            new Member.Records(Long.parseLong(parts.group(1)), Integer.parseInt(parts.group(2))))) {
                removed.add(name);
            }
        }
        if (!removed.isEmpty()) {
            node.change(Map.of(), removed);
        }
    }

    /** Guarded by the log. */
    private static final class OneList implements ClientList {
        private final NodeObject node;
        private final String prefix;
        private final Set<Opaque> current;
        /** Clients of changes that had no answer: nobody knows whether they are in the object. */
        private final Set<Opaque> doubtful = new LinkedHashSet<>();

        OneList(NodeObject node, String prefix, Set<Opaque> current) {
            this.node = node;
            this.prefix = prefix;
            this.current = current;
        }

        @Override
        public Set<Opaque> clients() {
            return Set.copyOf(current);
        }

        /** A change that fails is repeated by the next one, so that no client stays listed that was removed. */
        @Override
        public void write(List<RecoveryLog.Change> changes) throws IOException {
            List<Opaque> added = new ArrayList<>(1);
            for (RecoveryLog.Change change : changes) {
                if (change instanceof RecoveryLog.Change.Added(Opaque owner) && current.add(owner)) {
                    added.add(owner);
                    doubtful.add(owner);
                } else if (change instanceof RecoveryLog.Change.Removed(Opaque owner) && current.remove(owner)) {
                    doubtful.add(owner);
                }
            }
            if (doubtful.isEmpty()) {
                return;
            }
            Map<String, byte[]> values = new HashMap<>();
            Set<String> removed = new HashSet<>();
            for (Opaque owner : doubtful) {
                if (current.contains(owner)) {
                    values.put(name(prefix, owner), owner.toBytes());
                } else {
                    removed.add(name(prefix, owner));
                }
            }
            boolean done = false;
            try {
                node.change(values, removed);
                done = true;
            } finally {
                if (done) {
                    doubtful.clear();
                } else {
                    added.forEach(current::remove);
                }
            }
        }

        @Override
        public void close() {
            // Everything that was acknowledged is on stable storage.
        }
    }
}
