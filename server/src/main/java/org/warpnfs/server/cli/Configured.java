package org.warpnfs.server.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.KeptHostNames;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.NameThreads;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.DataServerText;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.FpduSizes;
import org.warpnfs.server.config.IdMapFile;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.KerberosChoice;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.SharedPlace;
import org.warpnfs.server.config.TlsChoice;
import org.warpnfs.server.hosts.SystemHostNames;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.settings.Kind;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.Origin;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Said;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.Settings;
import picocli.CommandLine.ParseResult;

/**
 * The configuration of {@code serve} from its command line, the environment and the configuration file. Starts nothing.
 */
final class Configured {
    private final Resolved settings;
    private final HostNames names =
            new KeptHostNames(new SystemHostNames(), NameThreads.named("warpnfs-hosts"), System::nanoTime);

    Configured(Resolved settings) {
        this.settings = settings;
    }

    /**
     * Reads all sources.
     *
     * @param mistakes collects mistakes
     */
    static Configured of(ParseResult line, Map<String, String> environment, Mistakes mistakes) {
        return new Configured(Resolved.of(
                SettingOptions.said(line), environment, file(line, mistakes).orElse(null), mistakes));
    }

    private static Optional<Path> file(ParseResult line, Mistakes mistakes) {
        if (!line.hasMatchedOption(SettingOptions.CONFIG)) {
            return Optional.empty();
        }
        String file = SettingOptions.config(line);
        if (file.isBlank()) {
            mistakes.add(SettingOptions.CONFIG + ": is empty");
            return Optional.empty();
        }
        return mistakes.tried(Optional.empty(), () -> Optional.of(PathText.of(SettingOptions.CONFIG, file)));
    }

    /**
     * Reads all sources, for a command that cannot run with mistakes.
     *
     * @throws ConfigException with all mistakes
     */
    static Configured of(ParseResult line, Map<String, String> environment) throws ConfigException {
        Mistakes mistakes = new Mistakes();
        Configured configured = of(line, environment, mistakes);
        mistakes.end();
        return configured;
    }

    Resolved settings() {
        return settings;
    }

    ServerLimits limits() {
        return settings.limits();
    }

    /**
     * Returns the configuration of the server.
     *
     * @throws ConfigException with all mistakes
     */
    ServerConfig server() throws ConfigException {
        Mistakes mistakes = new Mistakes();
        List<ExportSpec> exports = mistakes.tried(List.of(), this::exports);
        InetAddress address = mistakes.tried(InetAddress.getLoopbackAddress(), this::address);
        IdentityChoices identities = mistakes.tried(IdentityChoices.DEFAULT, this::identities);
        PluginChoice plugin = mistakes.tried(
                        Optional.<PluginChoice>empty(), () -> Optional.ofNullable(BackendChoice.plugin(settings)))
                .orElse(null);
        KerberosChoice kerberos = mistakes.tried(Optional.<KerberosChoice>empty(), () -> KerberosSettings.of(settings))
                .orElse(null);
        TlsChoice tls = mistakes.tried(Optional.<TlsChoice>empty(), () -> Optional.ofNullable(tls()))
                .orElse(null);
        DataServers dataServers = mistakes.tried(
                DataServers.NONE,
                () -> DataServerText.read(
                        settings.at(Settings.DATA_SERVERS),
                        settings.get(Settings.DATA_SERVERS),
                        settings.get(Settings.READ_MIRRORS).intValue()));
        ClusterChoice cluster = mistakes.tried(Optional.<ClusterChoice>empty(), () -> Optional.ofNullable(cluster()))
                .orElse(null);
        FpduSizes fpdus = mistakes.tried(
                FpduSizes.DEFAULT, () -> FpduSizes.of(settings.at(Settings.FPDU), settings.get(Settings.FPDU)));
        mistakes.end();
        return new ServerConfig(
                exports,
                BackendChoice.of(settings),
                plugin,
                settings.get(Settings.MEMORY_SIZE),
                at(address, Settings.RDMA_PORT),
                at(address, Settings.TCP_PORT),
                state(),
                new RdmaChoices(
                        settings.get(Settings.CRC),
                        settings.get(Settings.MARKERS),
                        settings.get(Settings.READ_REPLIES),
                        fpdus),
                settings.get(Settings.LEASE),
                settings.get(Settings.THREADS).intValue(),
                settings.get(Settings.PAYLOAD_MEMORY),
                settings.get(Settings.DRAIN),
                identities,
                new DataPath(
                        settings.get(Settings.SPLICE),
                        settings.get(Settings.INLINE),
                        settings.get(Settings.DELEGATIONS),
                        settings.get(Settings.HOST_LOCKS),
                        settings.get(Settings.NLM),
                        dataServers),
                tls,
                kerberos,
                cluster);
    }

    /** Returns where a transport is served; null if it is off. */
    private @Nullable InetSocketAddress at(InetAddress address, Setting<Long> port) {
        long number = settings.get(port);
        return number == Kind.Port.OFF ? null : new InetSocketAddress(address, (int) number);
    }

    /** Returns whether {@code --exports} is set, with files or without; these files can be read again. */
    boolean hasExportsFiles() {
        return settings.origin(Settings.EXPORTS).isSaid();
    }

    /** Returns whether there are files that can be read again: of exports, of names or of TLS. */
    boolean canBeReadAgain() {
        return hasExportsFiles()
                || !settings.get(Settings.ID_MAP).isEmpty()
                || !settings.get(Settings.TLS_CERTIFICATE).isEmpty();
    }

    /**
     * Reads the files of exports and of names again.
     *
     * @throws ConfigException with all mistakes
     */
    ExportsReload.Wanted readAgain() throws ConfigException {
        Mistakes mistakes = new Mistakes();
        List<ExportSpec> exports = mistakes.tried(List.of(), this::exports);
        IdentityChoices identities = mistakes.tried(IdentityChoices.DEFAULT, this::identities);
        mistakes.end();
        return new ExportsReload.Wanted(exports, identities);
    }

    /**
     * Reads the files of exports(5) and returns all exports. The list of files, and all else, stays as at the start.
     *
     * @throws ConfigException with all mistakes
     */
    List<ExportSpec> exports() throws ConfigException {
        Backend backend = BackendChoice.of(settings);
        Mistakes mistakes = new Mistakes();
        List<ExportSpec> said = new ArrayList<>();
        for (Said export : settings.words(Settings.EXPORT)) {
            mistakes.tried(false, () -> said.add(ExportSpec.parse(place(export), export.text())));
        }
        mistakes.end();
        if (!hasExportsFiles()) {
            return checked(ServerConfig.placed(said, backend));
        }
        List<Path> files = new ArrayList<>();
        for (String file : settings.get(Settings.EXPORTS)) {
            files.add(PathText.of(settings.at(Settings.EXPORTS), file));
        }
        List<ExportSpec> specs = new ArrayList<>(ServerConfig.placedBesideOthers(said, backend));
        specs.addAll(ExportsFiles.read(files.isEmpty() ? usualFiles() : files, names));
        return checked(specs);
    }

    private List<ExportSpec> checked(List<ExportSpec> specs) throws ConfigException {
        if (settings.get(Settings.KEYTAB).isEmpty()) {
            KerberosChoice.requireKeys(specs);
        }
        return specs;
    }

    private static Place place(Said export) {
        return switch (export.origin()) {
            case Origin.InFile file -> new Place(file.file(), file.line());
            case Origin other -> new Place(other + " " + export.text(), 0);
        };
    }

    private static List<Path> usualFiles() {
        return Stream.of(Path.of("/etc/exports"), Path.of("/etc/exports.d"))
                .filter(Files::exists)
                .toList();
    }

    private InetAddress address() throws ConfigException {
        String name = settings.get(Settings.LISTEN);
        if (name.isEmpty()) {
            return new InetSocketAddress(0).getAddress();
        }
        return HostAddress.of(settings.at(Settings.LISTEN) + " " + name, name);
    }

    private IdentityChoices identities() throws ConfigException {
        String domain = settings.get(Settings.ID_DOMAIN);
        String file = settings.get(Settings.ID_MAP);
        StaticNames map =
                file.isEmpty() ? StaticNames.NONE : IdMapFile.read(PathText.of(settings.at(Settings.ID_MAP), file));
        return new IdentityChoices(
                settings.get(Settings.MANAGE_GIDS),
                new MappedNames.Choices(domain.isEmpty() ? null : domain, map, settings.get(Settings.ID_NAMES)),
                KerberosSettings.of(settings).map(KerberosChoice::realm).orElse(null));
    }

    /** Returns the cluster; null if the server is alone. */
    private @Nullable ClusterChoice cluster() throws ConfigException {
        String name = settings.get(Settings.CLUSTER);
        return name.isEmpty()
                ? null
                : new ClusterChoice(
                        name, settings.get(Settings.NODE), sharedPlace(), settings.get(Settings.NODE_ADDRESSES));
    }

    private SharedPlace sharedPlace() throws ConfigException {
        String directory = settings.get(Settings.CLUSTER_DIRECTORY);
        return directory.isEmpty()
                ? new SharedPlace.InCeph(
                        PathText.of(settings.at(Settings.CEPH_CONF), settings.get(Settings.CEPH_CONF)),
                        settings.get(Settings.CEPH_ID),
                        settings.get(Settings.CEPH_FILESYSTEM),
                        settings.get(Settings.CLUSTER_POOL))
                : new SharedPlace.InDirectory(PathText.of(settings.at(Settings.CLUSTER_DIRECTORY), directory));
    }

    /** Returns the choices for TLS; null if there is none. */
    private @Nullable TlsChoice tls() throws ConfigException {
        String certificate = settings.get(Settings.TLS_CERTIFICATE);
        if (certificate.isEmpty()) {
            return null;
        }
        String clientCa = settings.get(Settings.TLS_CLIENT_CA);
        return new TlsChoice(
                PathText.of(settings.at(Settings.TLS_CERTIFICATE), certificate),
                PathText.of(settings.at(Settings.TLS_KEY), settings.get(Settings.TLS_KEY)),
                clientCa.isEmpty() ? null : PathText.of(settings.at(Settings.TLS_CLIENT_CA), clientCa),
                TlsChoice.users(settings.at(Settings.TLS_USER), settings.get(Settings.TLS_USER)));
    }

    /** Returns the state directory; null if nothing survives a restart. */
    @Nullable
    Path state() throws ConfigException {
        String said = settings.get(Settings.STATE);
        if (!said.isEmpty()) {
            return PathText.of(settings.at(Settings.STATE), said);
        }
        if (BackendChoice.of(settings) == Backend.MEMORY) {
            return null;
        }
        return StateHome.usual(System.getenv());
    }

    /**
     * Returns the address of HTTP; null if it is off.
     *
     * @throws ConfigException if it is not an address
     */
    @Nullable
    InetSocketAddress http() throws ConfigException {
        return HttpAddress.parse(settings.at(Settings.HTTP), settings.get(Settings.HTTP));
    }

    /**
     * Returns the configured path of the admin socket, or {@code off}. Null means the default: in the state directory,
     * if possible.
     */
    @Nullable
    String adminAsSaid() {
        return settings.origin(Settings.ADMIN).isSaid() ? settings.get(Settings.ADMIN) : null;
    }

    /**
     * Returns the configured address of HTTP as it was written. Null means the default, without which the server starts
     * if the port is taken.
     */
    @Nullable
    String httpAsSaid() {
        return settings.origin(Settings.HTTP).isSaid() ? settings.get(Settings.HTTP) : null;
    }
}
