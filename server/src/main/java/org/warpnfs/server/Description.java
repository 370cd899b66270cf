package org.warpnfs.server;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Protection;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Transport;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.TlsChoice;

/** The lines that a server prints when it starts. */
public final class Description {
    /** The line for no exports: an empty file of exports(5) is not a mistake. */
    public static final String NO_EXPORTS = "export  none: clients find nothing to mount";

    /** Words that need no quotes in a shell. */
    private static final Pattern PLAIN = Pattern.compile("[\\w./:@%+,=-]*");

    private Description() {}

    static List<String> of(
            ServerConfig config,
            ExportTable exports,
            String limits,
            @Nullable InetSocketAddress rdma,
            @Nullable InetSocketAddress tcp) {
        List<String> lines = new ArrayList<>();
        for (Export export : exports.exports()) {
            lines.add("export  " + export.source() + " at " + export.path() + "  " + policy(export.policy()));
        }
        if (exports.exports().isEmpty()) {
            lines.add(NO_EXPORTS);
        }
        lines.add(
                rdma == null
                        ? "rdma    off"
                        : "rdma    " + shown(rdma) + "  NFSv3, NFSv4.0, NFSv4.1, NFSv4.2"
                                + (config.rdma().crc() == CrcPolicy.ON ? ", CRC on" : "")
                                + (config.rdma().markers() ? ", MPA markers required: no Linux clients" : "")
                                + (config.rdma().readReplies() ? ", replies by Read chunks" : ""));
        lines.add(
                tcp == null
                        ? "tcp     off"
                        : "tcp     " + shown(tcp) + "  NFSv3, NFSv4.0, NFSv4.1, NFSv4.2, MOUNT" + tls(config));
        Path state = config.stateDirectory();
        lines.add("state   " + (state == null ? "none: the memory backend keeps nothing" : state));
        lines.add(limits);
        for (Export export : exports.exports()) {
            lines.addAll(mounts(export, rdma, tcp));
        }
        return List.copyOf(lines);
    }

    /** Returns commands that mount an export: over RDMA if that is possible. */
    private static List<String> mounts(
            Export export, @Nullable InetSocketAddress rdma, @Nullable InetSocketAddress tcp) {
        List<String> lines = new ArrayList<>();
        // RDMA has no TLS.
        if (rdma != null && takesClear(export) && takes(export, Transport.RDMA)) {
            String source = word(host(rdma.getAddress()) + ":" + export.path());
            lines.add("mount -t nfs -o vers=4.2,proto=rdma,port=" + rdma.getPort() + " " + source + " /mnt");
            if (tcp != null) {
                lines.add("mount -t nfs -o vers=3,proto=rdma,port=" + rdma.getPort() + ",mountport=" + tcp.getPort()
                        + ",mountproto=tcp,nolock " + source + " /mnt");
            }
        } else if (tcp != null) {
            String source = word(host(tcp.getAddress()) + ":" + export.path());
            lines.add("mount -t nfs -o vers=4.2,proto=tcp," + (takesClear(export) ? "" : "xprtsec=tls,") + "port="
                    + tcp.getPort() + " " + source + " /mnt");
        }
        return lines;
    }

    private static boolean takes(Export export, Transport transport) {
        return export.policy().rules().stream()
                .anyMatch(rule -> rule.options().transports().contains(transport));
    }

    private static String tls(ServerConfig config) {
        TlsChoice tls = config.tls();
        return tls == null ? "" : tls.clientAuthorities() == null ? ", TLS" : ", TLS with certificates of clients";
    }

    private static boolean takesClear(Export export) {
        return export.policy().rules().stream().anyMatch(rule -> rule.options().accepts(Protection.NONE));
    }

    /** Returns one word for a shell, quoted if necessary. */
    private static String word(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /** Returns the clients of an export and their options, in the syntax of exports(5). */
    public static String policy(ExportPolicy policy) {
        return policy.isOneForAll()
                ? options(policy.rules().getFirst().options())
                : policy.rules().stream()
                        .map(rule -> rule.clients() + "(" + options(rule.options()) + ")")
                        .collect(Collectors.joining(" "));
    }

    /** Returns the options of one client, in the syntax of exports(5). */
    public static String options(ExportOptions options) {
        return (options.readOnly() ? "ro" : "rw")
                + switch (options.squash()) {
                    case NONE -> ",no_root_squash";
                    case ROOT -> ",root_squash";
                    case ALL -> ",all_squash";
                }
                + (options.anonUid() == ExportOptions.NOBODY ? "" : ",anonuid=" + options.anonUid())
                + (options.anonGid() == ExportOptions.NOBODY ? "" : ",anongid=" + options.anonGid())
                + (options.privilegedPort() ? ",secure" : "")
                + xprtsec(options)
                + (options.transports().size() == Transport.values().length
                        ? ""
                        : ",transport=" + options.transports().iterator().next().word());
    }

    /** Returns the option only if it refuses something. */
    private static String xprtsec(ExportOptions options) {
        return options.protections().size() == Protection.values().length
                ? ""
                : ",xprtsec="
                        + Arrays.stream(Protection.values())
                                .filter(options.protections()::contains)
                                .map(Protection::word)
                                .collect(Collectors.joining(":"));
    }

    private static String shown(InetSocketAddress address) {
        String host = address.getAddress().isAnyLocalAddress() ? "*" : host(address.getAddress());
        return host + ":" + address.getPort();
    }

    /**
     * Returns how a client would name this host: the listening address, else the first address that is not loopback,
     * else the host's name.
     */
    private static String host(InetAddress listening) {
        InetAddress address = listening.isAnyLocalAddress() ? firstAddress(listening) : listening;
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        String plain = (zone < 0 ? text : text.substring(0, zone)).toLowerCase(Locale.ROOT);
        return address instanceof Inet6Address ? "[" + plain + "]" : plain;
    }

    private static InetAddress firstAddress(InetAddress fallback) {
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (network.isLoopback()) {
                    continue;
                }
                for (InetAddress address : Collections.list(network.getInetAddresses())) {
                    if (!address.isLinkLocalAddress() && !(address instanceof Inet6Address)) {
                        return address;
                    }
                }
            }
            return InetAddress.getLoopbackAddress();
        } catch (IOException e) {
            return fallback;
        }
    }
}
