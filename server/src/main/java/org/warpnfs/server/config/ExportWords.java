package org.warpnfs.server.config;

import com.google.common.base.Splitter;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Protection;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.export.Transport;

/**
 * The options of one client ("General Options" and "User ID Mapping" of exports(5)), word by word.
 *
 * <p>Unknown words are refused, and so are unsupported words that would change what clients see. Words that only
 * control how another server works ({@code subtree_check}, {@code no_wdelay}) are accepted and ignored.
 */
final class ExportWords {
    /** Ignored words: they describe what this server always does, or how another server works. */
    private static final Set<String> WITHOUT_MEANING = Set.of(
            "sync",
            "wdelay",
            "no_wdelay",
            "subtree_check",
            "no_subtree_check",
            "secure_locks",
            "insecure_locks",
            "auth_nlm",
            "no_auth_nlm",
            "acl",
            "no_all_squash");

    /** Refused words of exports(5), with the reason. */
    private static final Map<String, String> REFUSED = Map.of(
            "async", "it would acknowledge changes that a crash loses; warpnfs supports only sync",
            "no_acl", "access control lists are always supported if the file system has them",
            "security_label", "labels are not supported");

    private static final List<String> KNOWN = List.of(
            "rw",
            "ro",
            "root_squash",
            "no_root_squash",
            "all_squash",
            "no_all_squash",
            "anonuid=N",
            "anongid=N",
            "sec=FLAVOR[:FLAVOR]",
            "secure",
            "insecure",
            "sync",
            "fsid=N|UUID|root",
            "crossmnt",
            "nocrossmnt",
            "nohide",
            "hide",
            "nordirplus",
            "mountpoint",
            "subtree_check",
            "no_subtree_check",
            "wdelay",
            "no_wdelay",
            "secure_locks",
            "insecure_locks",
            "auth_nlm",
            "no_auth_nlm",
            "acl",
            "pnfs",
            "no_pnfs",
            "layouts_only",
            "no_layouts_only",
            "refer=PATH@HOST",
            "replicas=PATH@HOST",
            "xprtsec=none:tls:mtls",
            "transport=rdma:tcp",
            "identity=caller|mapped|one");

    private final Place place;
    private ExportOptions options;
    private ExportTraits traits = ExportTraits.DEFAULTS;
    private Set<Flavor> section = Set.of();
    private boolean root;
    private @Nullable String requiredMount;
    private ExportSpec.Identity identity = ExportSpec.Identity.DEFAULT;

    private ExportWords(Place place, ExportOptions defaults) {
        this.place = place;
        this.options = defaults;
    }

    /**
     * Reads words in order; of two that contradict each other the later one applies, as in exports(5). After
     * {@code sec=}, {@code ro}, {@code rw} and the squash options apply to its flavors only.
     *
     * @param defaults the options that apply unless a word changes them
     */
    static ExportWords read(Place place, List<String> words, ExportOptions defaults) throws ConfigException {
        ExportWords read = new ExportWords(place, defaults);
        for (String word : words) {
            read.take(word);
        }
        if (read.identity == ExportSpec.Identity.ONE) {
            read.options = read.options.squashingAll();
        }
        if (read.options.transports().equals(Set.of(Transport.RDMA)) && !read.options.accepts(Protection.NONE)) {
            throw place.mistake("transport=rdma and xprtsec= without none: RDMA has no TLS, so no client could use it");
        }
        return read;
    }

    ExportOptions options() {
        return options;
    }

    ExportTraits traits() {
        return traits;
    }

    /**
     * Returns true for {@code fsid=0}: NFSv4 clients find the export at {@code /}, and exports below its directory
     * below it.
     */
    boolean isRoot() {
        return root;
    }

    /**
     * Returns the directory that must be a mount point for the export to be served. Empty means the export's own
     * directory; null if there is none.
     */
    @Nullable
    String requiredMount() {
        return requiredMount;
    }

    /** Returns how owners of the export's files are kept. */
    ExportSpec.Identity identity() {
        return identity;
    }

    private void take(String word) throws ConfigException {
        int equals = word.indexOf('=');
        String name = (equals < 0 ? word : word.substring(0, equals)).toLowerCase(Locale.ROOT);
        if (equals >= 0) {
            takeValue(word, name, word.substring(equals + 1));
            return;
        }
        switch (name) {
            case "rw" -> readOnly(false);
            case "ro" -> readOnly(true);
            case "root_squash" -> squash(Squash.ROOT);
            case "no_root_squash" -> squash(Squash.NONE);
            case "all_squash" -> squash(Squash.ALL);
            case "secure" -> options = options.withPrivilegedPort(true);
            case "insecure" -> options = options.withPrivilegedPort(false);
            case "crossmnt" -> traits = traits.withCrossesMounts(true);
            case "nocrossmnt" -> traits = traits.withCrossesMounts(false);
            case "nohide" -> traits = traits.withShownThroughParent(true);
            case "hide" -> traits = traits.withShownThroughParent(false);
            case "pnfs" -> traits = traits.withLayouts(true);
            case "no_pnfs" -> traits = traits.withLayouts(false);
            case "layouts_only" -> traits = traits.withLayoutsOnly(true);
            case "no_layouts_only" -> traits = traits.withLayoutsOnly(false);
            case "nordirplus" -> traits = traits.withReadDirPlus(false);
            case "mountpoint", "mp" -> requiredMount = "";
            default -> takeSilently(word, name);
        }
    }

    /** Sets read-only for the flavors of the last {@code sec=}; before any {@code sec=}, for all. */
    private void readOnly(boolean value) {
        if (section.isEmpty()) {
            options = options.withReadOnly(value);
        }
        for (Flavor flavor : section) {
            options = options.withAccess(flavor, options.accessBy(flavor).withReadOnly(value));
        }
    }

    /** Sets the squash option for the same flavors; all_squash is kept, whatever a later word says about root. */
    private void squash(Squash squash) {
        if (section.isEmpty() && options.squash() != Squash.ALL) {
            options = options.withSquash(squash);
        }
        for (Flavor flavor : section) {
            if (options.accessBy(flavor).squash() != Squash.ALL) {
                options = options.withAccess(flavor, options.accessBy(flavor).withSquash(squash));
            }
        }
    }

    /** Takes the flavors of a {@code sec=}; a second one adds to the first. */
    private void takeFlavors(Set<Flavor> named) {
        Set<Flavor> all = new LinkedHashSet<>(section.isEmpty() ? List.of() : options.flavors());
        all.addAll(named);
        options = options.withFlavors(List.copyOf(all));
        section = named;
    }

    private void takeSilently(String word, String name) throws ConfigException {
        if (WITHOUT_MEANING.contains(name)) {
            return;
        }
        String why = REFUSED.get(name);
        throw place.mistake(
                why == null
                        ? "unknown option '" + word + "'" + NearestWord.hint(name, KNOWN)
                        : "option '" + word + "': " + why);
    }

    private void takeValue(String word, String name, String value) throws ConfigException {
        switch (name) {
            case "anonuid" -> options = options.withAnonymous(id(word, value), options.anonGid());
            case "anongid" -> options = options.withAnonymous(options.anonUid(), id(word, value));
            case "sec" -> takeFlavors(flavors(word, value));
            case "fsid" -> takeFsid(word, value);
            case "mountpoint", "mp" -> requiredMount = value;
            case "xprtsec" -> options = options.withProtections(protections(word, value));
            case "transport" -> options = options.withTransports(transports(word, value));
            case "identity" -> identity = identity(word, value);
            case "refer", "replicas" ->
                takeLocations(word, LocationList.read(place, word, value), name.equals("refer"));
            default -> throw place.mistake("unknown option '" + word + "'" + NearestWord.hint(name, KNOWN));
        }
    }

    private void takeLocations(String word, List<FsLocations.Place> places, boolean isReferral) throws ConfigException {
        if (!traits.locations().places().isEmpty()) {
            throw place.mistake("option '" + word + "': there is another refer= or replicas= before it");
        }
        traits = traits.withLocations(new FsLocations(isReferral, places));
    }

    private long id(String word, String digits) throws ConfigException {
        int id;
        try {
            // As in nfs-utils: -2 is 4294967294.
            id = digits.startsWith("-") ? Integer.parseInt(digits) : Integer.parseUnsignedInt(digits);
        } catch (NumberFormatException e) {
            throw place.mistake("option '" + word + "' needs a number from 0 to 4294967294");
        }
        if (id == -1) {
            // The kernel reads it as "leave unchanged", so every call of a squashed user would be refused.
            throw place.mistake("option '" + word + "': 4294967295 (-1) is no user or group");
        }
        return Integer.toUnsignedLong(id);
    }

    private ExportSpec.Identity identity(String word, String value) throws ConfigException {
        return switch (value) {
            case "caller" -> ExportSpec.Identity.CALLER;
            case "mapped" -> ExportSpec.Identity.MAPPED;
            case "one" -> ExportSpec.Identity.ONE;
            default ->
                throw place.mistake("option '" + word + "': '" + value + "' is not known; caller, mapped and one are");
        };
    }

    private Set<Flavor> flavors(String word, String value) throws ConfigException {
        Set<Flavor> flavors = new LinkedHashSet<>();
        for (String name : Splitter.on(':').split(value)) {
            flavors.add(flavor(word, name));
        }
        return flavors;
    }

    private Flavor flavor(String word, String name) throws ConfigException {
        for (Flavor flavor : Flavor.values()) {
            if (flavor.word().equals(name)) {
                return flavor;
            }
        }
        throw place.mistake(
                "option '" + word + "': '" + name + "' is not supported; krb5p, krb5i, krb5, sys and none are");
    }

    private Set<Protection> protections(String word, String value) throws ConfigException {
        return listed(word, value, Protection.class, Protection::word, "none, tls and mtls");
    }

    private Set<Transport> transports(String word, String value) throws ConfigException {
        return listed(word, value, Transport.class, Transport::word, "rdma and tcp");
    }

    /** What the words mean that a value lists with ':' between them. */
    private <E extends Enum<E>> Set<E> listed(
            String word, String value, Class<E> type, Function<E, String> nameOf, String known) throws ConfigException {
        Set<E> listed = EnumSet.noneOf(type);
        for (String name : Splitter.on(':').split(value)) {
            listed.add(EnumSet.allOf(type).stream()
                    .filter(each -> nameOf.apply(each).equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            place.mistake("option '" + word + "': '" + name + "' is not known; " + known + " are")));
        }
        return listed;
    }

    private void takeFsid(String word, String value) throws ConfigException {
        if (value.equals("root") || value.equals("0")) {
            root = true;
            return;
        }
        if (!isNumber(value) && !isUuid(value)) {
            throw place.mistake("option '" + word + "' needs a number from 0 to 4294967295, a UUID, or root");
        }
        traits = traits.withFsid(value.toLowerCase(Locale.ROOT));
    }

    private static boolean isNumber(String value) {
        try {
            Integer.parseUnsignedInt(value);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isUuid(String value) {
        try {
            return UUID.fromString(value).toString().equals(value.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
