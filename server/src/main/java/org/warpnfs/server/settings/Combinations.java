package org.warpnfs.server.settings;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.DataPath.OnOff;

/**
 * Checks of settings against each other.
 *
 * <p>The limit of a part cannot exceed the limit of the whole. If only the whole was set, to less than the default of
 * the part, the part is lowered with it, so that lowering one number needs no further changes. Every other
 * contradiction is a mistake that names both settings.
 */
final class Combinations {
    /**
     * A limit that cannot exceed another limit.
     *
     * @param part key below {@code limits}
     * @param whole key below {@code limits}. If it is itself a part, that row comes first
     */
    record Within(String part, String whole) {}

    /** Rows in which a limit is the part come before those in which it is the whole. */
    static final List<Within> WITHIN = List.of(
            new Within("connections.ofClient", "connections.most"),
            new Within("connections.halfOpen", "connections.most"),
            new Within("connections.halfOpenOfClient", "connections.halfOpen"),
            new Within("deadlines.draining", "deadlines.grace"),
            new Within("streams.receiveQueueDepth", "streams.receivesOfAll"),
            new Within("streams.receiveBytes", "streams.receiveBytesOfAll"),
            new Within("streams.registeredBytes", "streams.registeredBytesOfAll"),
            new Within("streams.inboundReads", "streams.inboundReadsOfAll"),
            new Within("rdma.ord", "streams.outstandingReads"),
            new Within("rdma.postedWork", "streams.sendQueueDepth"),
            new Within("rdma.exposedReplies", "streams.inboundReads"),
            new Within("rdma.maxCredits", "streams.receiveQueueDepth"),
            new Within("rdma.credits", "rdma.maxCredits"),
            new Within("rdma.receiveBuffersOfClient", "rdma.receiveBuffers"),
            new Within("rdma.replyBytesOfClient", "rdma.replyBytes"),
            new Within("rdma.exposedBytesOfClient", "rdma.exposedBytesOfAll"),
            new Within("rdma.exposedBytes", "rdma.exposedBytesOfClient"),
            new Within("tcp.callsInFlight", "tcp.callsInFlightOfClient"),
            new Within("tcp.recordMemoryBytesOfConnection", "tcp.recordMemoryBytes"),
            new Within("tcp.recordBytes", "tcp.recordMemoryBytesOfConnection"),
            new Within("tcp.unsentBytesOfClient", "tcp.unsentBytesOfAll"),
            new Within("tcp.unsentBytes", "tcp.unsentBytesOfClient"),
            new Within("memory.transferBytes", "memory.payloadBytes"),
            new Within("state.sessionsOfClient", "state.sessions"),
            new Within("state.keptReplyBytes", "state.keptRepliesBytes"),
            new Within("state.opensOfClient", "state.opens"),
            new Within("state.locksOfClient", "state.locks"));

    private Combinations() {}

    static void check(Resolved resolved, Mistakes mistakes) {
        for (Within within : WITHIN) {
            check(resolved, limit(within.part()), limit(within.whole()), mistakes);
        }
        exports(resolved, mistakes);
        backend(resolved, mistakes);
        identities(resolved, mistakes);
        ports(resolved, mistakes);
        tls(resolved, mistakes);
        cluster(resolved, mistakes);
    }

    /** Locks have to be seen by other gateways, and delegations that they cannot recall must not be given. */
    private static void cluster(Resolved resolved, Mistakes mistakes) {
        boolean isCluster = resolved.origin(Settings.CLUSTER).isSaid();
        boolean isCeph = resolved.get(Settings.BACKEND).toLowerCase(Locale.ROOT).equals(CephProvider.NAME);
        for (Setting<String> setting :
                List.of(Settings.CLUSTER, Settings.NODE, Settings.CLUSTER_DIRECTORY, Settings.CLUSTER_POOL)) {
            boolean isSaid = resolved.origin(setting).isSaid();
            boolean isPlace = setting.equals(Settings.CLUSTER_DIRECTORY) || setting.equals(Settings.CLUSTER_POOL);
            boolean isNeeded = setting.equals(Settings.CLUSTER_DIRECTORY) ? !isCeph : !isPlace;
            if (isCluster && isNeeded && !isSaid) {
                mistakes.add(resolved.at(Settings.CLUSTER) + ": this needs " + setting.key() + " too");
            } else if (!isCluster && isSaid) {
                mistakes.add(resolved.at(setting) + ": this is for a cluster (--cluster)");
            } else if (isSaid && !isPlace && !ClusterChoice.isName(resolved.get(setting))) {
                mistakes.add(
                        resolved.told(setting) + ": at most 63 letters, digits, dots, - and _ after a letter or digit");
            }
        }
        boolean hasDirectory = resolved.origin(Settings.CLUSTER_DIRECTORY).isSaid();
        if (isCluster && resolved.origin(Settings.CLUSTER_POOL).isSaid() && (!isCeph || hasDirectory)) {
            mistakes.add(
                    resolved.at(Settings.CLUSTER_POOL) + ": this is for --backend ceph without --cluster-directory");
        }
        if (!isCluster && resolved.origin(Settings.NODE_ADDRESSES).isSaid()) {
            mistakes.add(resolved.at(Settings.NODE_ADDRESSES) + ": this is for a cluster (--cluster)");
        }
        for (String address : resolved.get(Settings.NODE_ADDRESSES)) {
            if (!ClusterChoice.isAddress(address)) {
                mistakes.add(resolved.at(Settings.NODE_ADDRESSES) + ": '" + address
                        + "' is neither a host's name nor its address; IPv6 addresses have no brackets");
            }
        }
        if (!isCluster) {
            return;
        }
        if (isBuiltIn(resolved, Backend.MEMORY)) {
            mistakes.add(resolved.at(Settings.CLUSTER) + ": gateways do not share files in memory");
        }
        follow(resolved, Settings.HOST_LOCKS, OnOff.ON, "gateways would not see each other's locks", mistakes);
        if (!isCeph) {
            follow(
                    resolved,
                    Settings.DELEGATIONS,
                    DelegationPolicy.NONE,
                    "gateways cannot recall each other's delegations",
                    mistakes);
        } else if (resolved.get(Settings.DELEGATIONS) == DelegationPolicy.ALL) {
            // Those of files have leases of Ceph, which other gateways break. Directories have none.
            mistakes.add(resolved.told(Settings.DELEGATIONS)
                    + ": not in a cluster (--cluster): gateways cannot recall each other's delegations of directories");
        }
    }

    private static <T> void follow(Resolved resolved, Setting<T> setting, T value, String why, Mistakes mistakes) {
        if (resolved.get(setting).equals(value)) {
            return;
        }
        if (resolved.origin(setting).isSaid()) {
            mistakes.add(resolved.told(setting) + ": not in a cluster (--cluster): " + why);
        } else {
            resolved.follow(setting, value, Settings.CLUSTER.key());
        }
    }

    private static Setting<?> limit(String name) {
        return Objects.requireNonNull(SettingIndex.byKey(LimitSettings.PREFIX + name), name);
    }

    /** Checks one row; both settings have the same kind. */
    private static <T> void check(Resolved resolved, Setting<T> part, Setting<?> whole, Mistakes mistakes) {
        @SuppressWarnings("unchecked") // one kind, as a test holds
        T most = (T) resolved.get(whole);
        @SuppressWarnings("unchecked") // a Long or a Duration
        Comparable<T> value = (Comparable<T>) resolved.get(part);
        if (value.compareTo(most) <= 0) {
            return;
        }
        if (resolved.origin(part).isSaid()) {
            mistakes.add(resolved.told(part) + " is more than " + resolved.told(whole));
        } else {
            resolved.follow(part, most, whole.key());
        }
    }

    private static void exports(Resolved resolved, Mistakes mistakes) {
        boolean files = resolved.origin(Settings.EXPORTS).isSaid();
        if (resolved.get(Settings.WATCH_EXPORTS) && !files) {
            mistakes.add(
                    resolved.at(Settings.WATCH_EXPORTS) + ": without exports (--exports) there are no files to watch");
        }
        if (files && isBuiltIn(resolved, Backend.MEMORY)) {
            mistakes.add(resolved.at(Settings.EXPORTS) + ": files of exports(5) contain directories, which "
                    + resolved.told(Settings.BACKEND) + " does not have");
        }
    }

    private static boolean isBuiltIn(Resolved resolved, Backend backend) {
        return resolved.get(Settings.BACKEND).equalsIgnoreCase(backend.name());
    }

    private static void backend(Resolved resolved, Mistakes mistakes) {
        boolean isCeph = resolved.get(Settings.BACKEND).equalsIgnoreCase(CephProvider.NAME);
        boolean isBuiltIn = isCeph || isBuiltIn(resolved, Backend.LOCAL) || isBuiltIn(resolved, Backend.MEMORY);
        if (isBuiltIn && !resolved.get(Settings.BACKEND_OPTION).isEmpty()) {
            mistakes.add(resolved.at(Settings.BACKEND_OPTION) + ": options are for backends of plug-ins, not for "
                    + resolved.told(Settings.BACKEND));
        }
        for (Setting<String> ofCeph : List.of(Settings.CEPH_CONF, Settings.CEPH_ID, Settings.CEPH_FILESYSTEM)) {
            if (!isCeph && resolved.origin(ofCeph).isSaid()) {
                mistakes.add(
                        resolved.at(ofCeph) + ": this is for backend ceph, not for " + resolved.told(Settings.BACKEND));
            }
        }
    }

    private static void identities(Resolved resolved, Mistakes mistakes) {
        String domain = resolved.get(Settings.ID_DOMAIN);
        if (domain.indexOf('@') >= 0) {
            mistakes.add(resolved.at(Settings.ID_DOMAIN) + " " + domain + ": not a domain, such as example.org");
        }
        if (resolved.get(Settings.ID_NAMES)
                && domain.isEmpty()
                && resolved.get(Settings.ID_MAP).isEmpty()) {
            mistakes.add(resolved.at(Settings.ID_NAMES)
                    + ": this needs names from idDomain (--id-domain) or idMap (--id-map)");
        }
    }

    private static void tls(Resolved resolved, Mistakes mistakes) {
        boolean certificate = !resolved.get(Settings.TLS_CERTIFICATE).isEmpty();
        boolean key = !resolved.get(Settings.TLS_KEY).isEmpty();
        boolean clientCa = !resolved.get(Settings.TLS_CLIENT_CA).isEmpty();
        if (certificate && !key) {
            mistakes.add(resolved.at(Settings.TLS_CERTIFICATE) + ": this needs its key, tlsKey (--tls-key)");
        }
        if (key && !certificate) {
            mistakes.add(resolved.at(Settings.TLS_KEY) + ": this needs a certificate, tlsCertificate "
                    + "(--tls-certificate)");
        }
        if (clientCa && !certificate) {
            mistakes.add(resolved.at(Settings.TLS_CLIENT_CA) + ": this needs a certificate of the server, "
                    + "tlsCertificate (--tls-certificate)");
        }
        if (!resolved.get(Settings.TLS_USER).isEmpty() && !clientCa) {
            mistakes.add(resolved.at(Settings.TLS_USER)
                    + ": this needs certificates of clients, tlsClientCa (--tls-client-ca)");
        }
    }

    private static void ports(Resolved resolved, Mistakes mistakes) {
        long rdma = resolved.get(Settings.RDMA_PORT);
        boolean isTcpOff = resolved.get(Settings.TCP_PORT) == Kind.Port.OFF;
        if (isTcpOff && rdma == Kind.Port.OFF) {
            mistakes.add(resolved.told(Settings.RDMA_PORT) + " and " + resolved.told(Settings.TCP_PORT)
                    + ": one of them must be served");
            return;
        }
        if (isTcpOff && resolved.get(Settings.MOUNT_UDP)) {
            mistakes.add(resolved.told(Settings.MOUNT_UDP)
                    + ": MOUNT over UDP is served on the port number of tcpPort, " + "which is off");
        }
        if (isTcpOff && !resolved.get(Settings.TLS_CERTIFICATE).isEmpty()) {
            mistakes.add(resolved.told(Settings.TLS_CERTIFICATE) + ": TLS is for TCP, and tcpPort is off");
        }
        if (rdma != 0 && rdma == resolved.get(Settings.TCP_PORT)) {
            mistakes.add(resolved.told(Settings.RDMA_PORT) + " and " + resolved.told(Settings.TCP_PORT)
                    + " are the same port");
        }
    }
}
