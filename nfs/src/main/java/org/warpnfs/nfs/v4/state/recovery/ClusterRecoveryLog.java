package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The recovery log of a node of a cluster: a list of its clients for each epoch, {@code clients-EPOCH-INSTANCE.log}.
 *
 * <h2>Operation</h2>
 *
 * Which list is valid stands in the record of the cluster, so {@link Change.GraceEnded} writes nothing here: it tells
 * the cluster, and the lists that clients have reclaimed from lose their meaning for all nodes at once when the grace
 * period is lifted. A client that is removed in a grace period can reclaim after another crash in the same period;
 * until it is lifted nobody else can have got what it had.
 *
 * <p>Safe for any thread.
 */
public final class ClusterRecoveryLog implements RecoveryLog {
    private static final Pattern NAME = Pattern.compile("clients-(\\d{1,18})-(\\d{1,10})\\.log(\\.new)?");

    private final Path directory;
    private final int instance;
    private final byte[] identity;
    private final byte[] owner;
    private final SharedGrace shared;
    private final Set<Opaque> reclaimers;
    private final Runnable recovered;
    private ClientList list;
    private boolean recovering;

    private ClusterRecoveryLog(Path directory, int instance, Place place, Set<Opaque> reclaimers, ClientList list) {
        this.directory = directory;
        this.instance = instance;
        this.identity = place.identity();
        this.owner = place.owner();
        this.shared = place.shared();
        this.recovered = place.recovered();
        this.reclaimers = Set.copyOf(reclaimers);
        this.list = list;
        this.recovering = !reclaimers.isEmpty();
    }

    /**
     * What the cluster gives a node.
     *
     * @param identity of the cluster
     * @param owner identifies the node
     * @param recovered is told once its clients have reclaimed or their time is up, at once if there are none
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Place(byte[] identity, byte[] owner, SharedGrace shared, Runnable recovered) {}

    /**
     * Begins the list of a node that has joined.
     *
     * @param directory of the node
     * @param joined the node in the record
     * @param epoch in which it joined
     * @throws IOException if a list is damaged or cannot be written; the message names the file
     */
    public static ClusterRecoveryLog open(Path directory, Member joined, long epoch, Place place) throws IOException {
        Member.Records source = joined.need() ? joined.records() : null;
        Set<Opaque> reclaimers = source == null ? Set.of() : ClientList.read(file(directory, source));
        Member.Records own = new Member.Records(epoch, joined.instance());
        ClientList list = ClientList.create(file(directory, own), Set.of());
        removeOthers(directory, joined.records(), own);
        if (reclaimers.isEmpty()) {
            place.recovered().run();
        }
        return new ClusterRecoveryLog(directory, joined.instance(), place, reclaimers, list);
    }

    private static Path file(Path directory, Member.Records records) {
        return directory.resolve("clients-" + records.epoch() + "-" + records.instance() + ".log");
    }

    /**
     * Removes lists that the record will never name again: those of earlier instances but the valid one. Lists of later
     * instances stay. There are some if this process was held up since it joined, and another took its place.
     */
    private static void removeOthers(Path directory, Member.@Nullable Records valid, Member.Records own)
            throws IOException {
        Set<Path> kept = new HashSet<>();
        kept.add(file(directory, own));
        if (valid != null) {
            kept.add(file(directory, valid));
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "clients-*")) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches() && Long.parseLong(name.group(2)) < own.instance() && !kept.contains(file)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public int instance() {
        return instance;
    }

    @Override
    public byte[] serverIdentity() {
        return identity.clone();
    }

    @Override
    public byte[] serverOwner() {
        return owner.clone();
    }

    @Override
    public SharedGrace shared() {
        return shared;
    }

    @Override
    public Set<Opaque> reclaimers() {
        return reclaimers;
    }

    @Override
    public void write(List<Change> changes) throws IOException {
        boolean ended;
        synchronized (this) {
            list.write(changes);
            ended = recovering && changes.stream().anyMatch(Change.GraceEnded.class::isInstance);
            if (ended) {
                recovering = false;
            }
        }
        if (ended) {
            recovered.run();
        }
    }

    /**
     * Writes the clients to the list of a new epoch, and goes on there. Lists of epochs that can no longer be valid are
     * removed.
     */
    public synchronized void enter(long epoch) throws IOException {
        ClientList next = ClientList.create(file(directory, new Member.Records(epoch, instance)), list.clients());
        ClientList before = list;
        list = next;
        before.close();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "clients-*")) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches() && Long.parseLong(name.group(1)) < epoch - 1) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** True if a client has state, or may still reclaim some. */
    public synchronized boolean hasClients() {
        return recovering || !list.clients().isEmpty();
    }

    @Override
    public synchronized void close() {
        list.close();
    }
}
