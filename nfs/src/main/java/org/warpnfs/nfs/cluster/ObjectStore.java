package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The store of a cluster in objects.
 *
 * <pre>
 *   object            mark       values
 *   record            version    record: the version in 8 bytes, then the text
 *   identity                     identity: that of the cluster; says that there was a record
 *   beat.NODE                    beat: the sign of life of a node
 *   addresses.NODE               addresses: where clients reach a node, one address a line
 * </pre>
 *
 * <p>The mark is the compare-and-swap: a record replaces the one that has the version before. An {@link IOException}
 * names the object. Safe for any thread.
 */
public final class ObjectStore implements ClusterStore {
    private static final String RECORD = "record";
    private static final String IDENTITY = "identity";
    /** What nodes keep has the instances of this cluster, and those of another one begin at 1. */
    private static final String ANEW = "; stop all nodes, and remove all objects of this namespace but handle-key to"
            + " begin anew, without reclaims";

    private static final String BEAT = "beat";
    private static final String ADDRESSES = "addresses";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SharedObjects objects;
    private volatile boolean identified;

    public ObjectStore(SharedObjects objects) {
        this.objects = objects;
    }

    @Override
    public Versioned read() throws IOException {
        byte[] value = objects.read(RECORD, "").get(RECORD);
        if (value == null) {
            if (!objects.read(IDENTITY, IDENTITY).isEmpty()) {
                // Who founded another cluster now would grant what clients of this one still hold.
                throw new IOException("object " + RECORD + ": was removed, although the cluster exists" + ANEW);
            }
            byte[] identity = new byte[16];
            RANDOM.nextBytes(identity);
            return new Versioned(0, ClusterRecord.empty(HexFormat.of().formatHex(identity)));
        }
        if (value.length < Long.BYTES || value.length > Long.BYTES + RecordText.MAX_BYTES) {
            throw new IOException("object " + RECORD + ": has " + value.length + " bytes" + ANEW);
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        long version = bytes.getLong();
        byte[] text = new byte[bytes.remaining()];
        bytes.get(text);
        ClusterRecord record;
        try {
            record = RecordText.parse(text);
        } catch (IOException e) {
            throw new IOException("object " + RECORD + ": " + e.getMessage() + ANEW, e);
        }
        identify(record);
        return new Versioned(version, record);
    }

    /** Whoever reads the record first says that there is one. */
    private void identify(ClusterRecord record) throws IOException {
        if (identified) {
            return;
        }
        byte[] identity = record.identity().getBytes(StandardCharsets.US_ASCII);
        boolean first =
                objects.change(IDENTITY, new SharedObjects.Change("", null, Map.of(IDENTITY, identity), Set.of()));
        if (!first && !Arrays.equals(identity, objects.read(IDENTITY, IDENTITY).get(IDENTITY))) {
            throw new IOException("object " + RECORD + ": is of another cluster than object " + IDENTITY + ANEW);
        }
        identified = true;
    }

    @Override
    public boolean replace(long version, ClusterRecord next) throws IOException {
        byte[] text = RecordText.encode(next);
        if (text.length > RecordText.MAX_BYTES) {
            throw new IOException("object " + RECORD + ": would be larger than " + RecordText.MAX_BYTES + " bytes");
        }
        long replacing = version + 1;
        byte[] value = ByteBuffer.allocate(Long.BYTES + text.length)
                .putLong(replacing)
                .put(text)
                .array();
        return objects.change(
                RECORD,
                new SharedObjects.Change(
                        version == 0 ? "" : Long.toString(version),
                        Long.toString(replacing),
                        Map.of(RECORD, value),
                        Set.of()));
    }

    @Override
    public void beat(String node, Beat beat) throws IOException {
        boolean _ = objects.change(BEAT + '.' + node, SharedObjects.Change.of(BEAT, BeatText.encode(beat)));
    }

    @Override
    public Map<String, Beat> beats(Set<String> nodes) throws IOException {
        Map<String, Beat> all = new HashMap<>();
        for (String node : nodes) {
            byte[] value = objects.read(BEAT + '.' + node, "").get(BEAT);
            Beat beat = value == null ? null : BeatText.parse(value);
            if (beat != null) {
                all.put(node, beat);
            }
        }
        return all;
    }

    @Override
    public void publish(String node, List<String> addresses) throws IOException {
        byte[] text = String.join("\n", addresses).getBytes(StandardCharsets.US_ASCII);
        if (text.length > DirectoryStore.MAX_ADDRESSES_BYTES) {
            throw new IOException("the addresses of node " + node + " are longer than "
                    + DirectoryStore.MAX_ADDRESSES_BYTES + " bytes");
        }
        boolean _ = objects.change(ADDRESSES + '.' + node, SharedObjects.Change.of(ADDRESSES, text));
    }

    @Override
    public List<String> addresses(String node) throws IOException {
        byte[] text = objects.read(ADDRESSES + '.' + node, "").get(ADDRESSES);
        if (text == null) {
            return List.of();
        }
        if (text.length > DirectoryStore.MAX_ADDRESSES_BYTES) {
            throw new IOException("object " + ADDRESSES + '.' + node + ": is larger than "
                    + DirectoryStore.MAX_ADDRESSES_BYTES + " bytes");
        }
        return new String(text, StandardCharsets.US_ASCII)
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }

    @Override
    public void close() {
        // Who made the objects closes them.
    }
}
