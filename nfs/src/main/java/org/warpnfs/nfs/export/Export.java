package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.idmap.AnswerPending;
import org.warpnfs.nfs.idmap.GroupSource;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.PrincipalUsers;

/** A file system served under a path with a policy. Immutable; safe for any thread. */
public final class Export {
    private static final Logger LOG = LoggerFactory.getLogger(Export.class);
    private static final LogLimiter LINES = new LogLimiter();

    /** The key of the virtual directories above the exports. */
    public static final int PSEUDO_KEY = 0;

    private final int key;
    private final PseudoPath path;
    private final FileSystem fileSystem;
    private final ExportPolicy policy;
    private final ExportTraits traits;
    private final String source;

    private Export(
            int key, PseudoPath path, FileSystem fileSystem, ExportPolicy policy, ExportTraits traits, String source) {
        this.key = key;
        this.path = path;
        this.fileSystem = fileSystem;
        this.policy = policy;
        this.traits = traits;
        this.source = source;
    }

    /**
     * Makes an export of the whole of {@code fileSystem}.
     *
     * @param source where the files come from, to show to people
     */
    public static Export of(
            PseudoPath path, FileSystem fileSystem, ExportPolicy policy, ExportTraits traits, String source) {
        return new Export(keyOf(path, traits), path, fileSystem, policy, traits, source);
    }

    /** Makes an export with the default traits. */
    public static Export of(PseudoPath path, FileSystem fileSystem, ExportPolicy policy, String source) {
        return of(path, fileSystem, policy, ExportTraits.DEFAULTS, source);
    }

    /** Makes an export with one rule for everyone and the default traits. */
    public static Export of(PseudoPath path, FileSystem fileSystem, ExportOptions options, String source) {
        return of(path, fileSystem, ExportPolicy.everyone(options), source);
    }

    /** @param flavors what the exports accept, since a client must pass through to any of them */
    static Export pseudo(PseudoFileSystem fileSystem, List<Flavor> flavors) {
        ExportOptions options = ExportOptions.DEFAULTS
                .withReadOnly(true)
                .withSquash(Squash.NONE)
                .withFlavors(flavors);
        return new Export(
                PSEUDO_KEY,
                PseudoPath.root(),
                fileSystem,
                ExportPolicy.everyone(options),
                ExportTraits.DEFAULTS,
                "pseudo file system");
    }

    private static int keyOf(PseudoPath path, ExportTraits traits) {
        String fsid = traits.fsid();
        int hash = (int) (fsid == null ? PathHash.of(path) : PathHash.ofFsid(fsid));
        return hash == PSEUDO_KEY ? 1 : hash;
    }

    /**
     * A number for this export in handles and file system ids. It is made of the fsid or, without one, of the path, so
     * it is the same after every restart.
     */
    public int key() {
        return key;
    }

    /**
     * True if both are one export, before and after a reload of the exports: the same files by the same key, or the
     * virtual directories. Rules and traits may differ.
     */
    public boolean isSame(Export other) {
        return key == other.key && (isPseudo() || fileSystem == other.fileSystem);
    }

    public boolean isPseudo() {
        return key == PSEUDO_KEY;
    }

    public PseudoPath path() {
        return path;
    }

    public FileSystem fileSystem() {
        return fileSystem;
    }

    public ExportPolicy policy() {
        return policy;
    }

    public ExportTraits traits() {
        return traits;
    }

    /** Where the files come from, to show to people. */
    public String source() {
        return source;
    }

    /** The root directory of the export. */
    public Location root() {
        return new Location(this, fileSystem.root());
    }

    /**
     * True if a rule of the export applies to the host at {@code address}.
     *
     * @throws FsException TRY_LATER if a name service has not answered yet
     */
    public boolean isFor(InetAddress address) throws FsException {
        return optionsFor(address) != null;
    }

    private @Nullable ExportOptions optionsFor(InetAddress address) throws FsException {
        try {
            return policy.optionsFor(address);
        } catch (AnswerPending e) {
            throw FsException.of(FsError.TRY_LATER);
        }
    }

    /**
     * The credentials that are accepted from hosts at {@code address}, the preferred one first; none if those hosts are
     * not served.
     *
     * @throws FsException TRY_LATER if a name service has not answered yet
     */
    public List<Flavor> flavorsFor(InetAddress address) throws FsException {
        ExportOptions options = optionsFor(address);
        return options == null ? List.of() : options.flavors();
    }

    /**
     * True if the host at {@code address} is served and may call from any port, so that each of its users can do what
     * the host can. Asks no name service: where one decides, every rule has to say so.
     */
    public boolean takesEveryPortOf(InetAddress address) {
        try {
            if (policy.needsNames()) {
                return policy.rules().stream().noneMatch(rule -> rule.options().privilegedPort());
            }
            ExportOptions options = policy.optionsFor(address);
            return options != null && !options.privilegedPort();
        } catch (AnswerPending e) {
            return false;
        }
    }

    /**
     * Decides whether the export accepts {@code requester}, and as which caller. The rule for the host says how user,
     * group and supplementary groups are squashed, each of them separately.
     *
     * @throws ExportDenial if the export does not accept calls from that host, from that port, on such a connection or
     *     with that credential, or cannot decide yet
     */
    public Admission admit(Requester requester) throws ExportDenial {
        ExportOptions options = optionsFor(requester);
        if (!options.transports().contains(requester.transport())) {
            logRefused(
                    requester,
                    "transport",
                    "the call came by transport=" + requester.transport().word()
                            + ", and the export wants another one");
            throw new ExportDenial(ExportDenial.Reason.TRANSPORT);
        }
        if (!options.accepts(requester.security().protection())) {
            logRefused(
                    requester,
                    "protection",
                    "its connection is xprtsec="
                            + requester.security().protection().word()
                            + ", and the export wants another one. RDMA has no TLS: sec=krb5p, IPsec or WireGuard "
                            + "protect it");
            throw new ExportDenial(ExportDenial.Reason.PROTECTION);
        }
        return admitted(options, requester);
    }

    private void logRefused(Requester requester, String cause, String why) {
        String peer = requester.address().getHostAddress();
        LINES.admit(cause, ClientAddress.of(requester.address())).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", peer)
                .addKeyValue("cause", cause)
                .log("{} may not use {}: {} ({} more like it)", peer, path, why, more));
    }

    /** Whether the export is read-only for the requester's host, whatever its credential. */
    public boolean isReadOnlyFor(Requester requester) throws ExportDenial {
        return optionsFor(requester).readOnly();
    }

    /**
     * Like {@link #admit}, but for MOUNT and NLM, which clients speak over TCP or UDP, in clear and without Kerberos
     * although they will use RDMA, TLS or Kerberos for NFS: by any transport, on any connection, and where the export
     * wants Kerberos with any credential, as nobody. The answer says which flavors the export wants (RFC 1813, section
     * 5.2.1).
     */
    public Admission admitToMount(Requester requester) throws ExportDenial {
        ExportOptions options = optionsFor(requester);
        if (options.flavors().stream().anyMatch(Flavor::isKerberos)
                && !options.flavors().contains(requester.identity().flavor())) {
            requirePort(options, requester);
            return new Admission(anonymous(options), true);
        }
        return admitted(options, requester);
    }

    private ExportOptions optionsFor(Requester requester) throws ExportDenial {
        ExportOptions options;
        try {
            options = policy.optionsFor(requester.address());
        } catch (AnswerPending e) {
            throw new ExportDenial(ExportDenial.Reason.PENDING);
        }
        if (options == null) {
            throw new ExportDenial(ExportDenial.Reason.HOST);
        }
        return options;
    }

    private static void requirePort(ExportOptions options, Requester requester) throws ExportDenial {
        if (options.privilegedPort() && !requester.privilegedPort()) {
            throw new ExportDenial(ExportDenial.Reason.PORT);
        }
    }

    private Admission admitted(ExportOptions options, Requester requester) throws ExportDenial {
        requirePort(options, requester);
        if (!options.flavors().contains(requester.identity().flavor())) {
            throw new ExportDenial(ExportDenial.Reason.FLAVOR);
        }
        ExportOptions.Access access = options.accessBy(requester.identity().flavor());
        boolean readOnly = access.readOnly() || !fileSystem.limits().has(Capability.WRITE);
        return new Admission(squashed(options, access.squash(), requester), readOnly);
    }

    private Caller squashed(ExportOptions options, Squash squash, Requester requester) throws ExportDenial {
        return switch (requester.identity()) {
            case Identity.Anonymous _ -> anonymous(options);
            case Identity.KerberosUser user -> squashed(options, squash, user, requester.known());
            case Identity.SystemUser user -> squashed(options, squash, user, requester.known());
        };
    }

    /** A user of AUTH_SYS has the groups that the client says, or that this host knows. */
    private Caller squashed(ExportOptions options, Squash squash, Identity.SystemUser user, Identities known)
            throws ExportDenial {
        if (squash == Squash.ALL) {
            return anonymous(options);
        }
        if (isPseudo()) {
            // Groups have no effect in virtual directories, where every caller has the same rights.
            return new Caller(user.uid(), user.gid(), List.of());
        }
        GroupSource source = known.groups();
        List<Long> groups;
        try {
            groups = source.groupsOf(user.uid(), user.groups());
        } catch (AnswerPending e) {
            throw new ExportDenial(ExportDenial.Reason.PENDING);
        }
        long gid = user.isConfigured() ? user.gid() : source.primaryOf(user.uid(), user.gid(), groups);
        if (squash == Squash.ROOT) {
            return rootSquashed(options, user.uid(), gid, groups);
        }
        // Whatever group the superuser gives to its new files, it could give them afterwards.
        return new Caller(user.uid(), user.uid() == 0 ? user.gid() : gid, groups);
    }

    /** A user of Kerberos has the groups that this host knows. The client says nothing about them. */
    private Caller squashed(ExportOptions options, Squash squash, Identity.KerberosUser user, Identities known)
            throws ExportDenial {
        if (squash == Squash.ALL || isPseudo()) {
            return anonymous(options);
        }
        Optional<PrincipalUsers.User> found;
        try {
            found = known.principals().userOf(user.principal());
        } catch (AnswerPending e) {
            throw new ExportDenial(ExportDenial.Reason.PENDING);
        }
        if (found.isEmpty()) {
            return anonymous(options);
        }
        PrincipalUsers.User local = found.get();
        return squash == Squash.NONE
                ? new Caller(local.uid(), local.gid(), local.groups())
                : rootSquashed(options, local.uid(), local.gid(), local.groups());
    }

    private static Caller anonymous(ExportOptions options) {
        return new Caller(options.anonUid(), options.anonGid(), List.of());
    }

    private static Caller rootSquashed(ExportOptions options, long uid, long gid, List<Long> said) {
        List<Long> groups = said;
        if (groups.contains(0L)) {
            groups = groups.stream()
                    .map(group -> group == 0 ? (Long) options.anonGid() : group)
                    .toList();
        }
        return new Caller(uid == 0 ? options.anonUid() : uid, gid == 0 ? options.anonGid() : gid, groups);
    }

    @Override
    public String toString() {
        return path + " (" + source + ")";
    }
}
