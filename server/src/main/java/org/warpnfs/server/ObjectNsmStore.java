package org.warpnfs.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.nlm.NsmStore;

/**
 * The texts as values {@code nlm/NAME} of the node's object, those of clients as {@code nlm/hosts/NAME}.
 *
 * @param node is owned by this process
 */
record ObjectNsmStore(NodeObject node) implements NsmStore {
    private static final String TEXTS = "nlm/";
    private static final String HOSTS = "nlm/hosts/";

    @Override
    public Optional<String> read(String name) throws IOException {
        return Optional.ofNullable(node.read(TEXTS + name).get(TEXTS + name)).map(ObjectNsmStore::text);
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.ISO_8859_1);
    }

    @Override
    public Map<String, String> hosts(int most) throws IOException {
        Map<String, String> all = new HashMap<>();
        for (Map.Entry<String, byte[]> value : node.read(HOSTS).entrySet()) {
            if (all.size() < most) {
                all.put(value.getKey().substring(HOSTS.length()), text(value.getValue()));
            }
        }
        return all;
    }

    @Override
    public void write(String name, String text) throws IOException {
        node.change(Map.of(TEXTS + name, text.getBytes(StandardCharsets.US_ASCII)), Set.of());
    }

    @Override
    public void addHost(String name, String text) throws IOException {
        node.change(Map.of(HOSTS + name, text.getBytes(StandardCharsets.US_ASCII)), Set.of());
    }

    @Override
    public void removeHost(String name) throws IOException {
        node.change(Map.of(), Set.of(HOSTS + name));
    }

    @Override
    public String place(String name) {
        return "value " + TEXTS + name + " of the node's object";
    }
}
