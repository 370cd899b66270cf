package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The recovery log of a node of a cluster: a list of its clients for each epoch.
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
    private final ClientLists lists;
    private final int instance;
    private final byte[] identity;
    private final byte[] owner;
    private final SharedGrace shared;
    private final Set<Opaque> reclaimers;
    private final Runnable recovered;
    private ClientList list;
    private boolean recovering;

    private ClusterRecoveryLog(ClientLists lists, int instance, Place place, Set<Opaque> reclaimers, ClientList list) {
        this.lists = lists;
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
     * @param lists of the node
     * @param joined the node in the record
     * @param epoch in which it joined
     * @throws IOException if a list is damaged or cannot be written; the message names the file
     */
    public static ClusterRecoveryLog open(ClientLists lists, Member joined, long epoch, Place place)
            throws IOException {
        Member.Records source = joined.need() ? joined.records() : null;
        Set<Opaque> reclaimers = source == null ? Set.of() : lists.read(source);
        Member.Records own = new Member.Records(epoch, joined.instance());
        ClientList list = lists.create(own, Set.of());
        removeOthers(lists, joined.records(), own);
        if (reclaimers.isEmpty()) {
            place.recovered().run();
        }
        return new ClusterRecoveryLog(lists, joined.instance(), place, reclaimers, list);
    }

    /**
     * Removes lists that the record will never name again: those of earlier instances but the valid one. Lists of later
     * instances stay. There are some if this process was held up since it joined, and another took its place.
     */
    private static void removeOthers(ClientLists lists, Member.@Nullable Records valid, Member.Records own)
            throws IOException {
        lists.remove(list -> list.instance() < own.instance() && !list.equals(valid));
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
        ClientList next = lists.create(new Member.Records(epoch, instance), list.clients());
        ClientList before = list;
        list = next;
        before.close();
        lists.remove(old -> old.epoch() < epoch - 1);
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
