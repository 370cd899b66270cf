package org.warpnfs.server.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.warpnfs.server.doctor.ServerReach.Transport;

/** Checks of the path from this host to a server. */
public final class PathChecks {
    private static final int ETHERNET_MTU = 1500;
    /** A round trip above this is slow: far more than any network within a site needs. */
    private static final Duration SLOW = Duration.ofMillis(20);

    private PathChecks() {}

    /** Returns the findings about the transports that the server has, and the path. */
    public static List<Finding> of(ServerReach server) {
        List<Finding> findings = new ArrayList<>();
        for (Transport transport : Transport.values()) {
            if (server.port(transport) != ServerChecks.Ports.OFF) {
                findings.addAll(of(server, transport));
            }
        }
        mtu(server).ifPresent(mtu -> {
            String says = "the interface to " + server.name() + " has MTU " + mtu;
            findings.add(
                    mtu < ETHERNET_MTU
                            ? Finding.warn("path", says + ": many small packets", "ip route get " + server.name())
                            : Finding.ok("path", says));
        });
        return List.copyOf(findings);
    }

    private static OptionalInt mtu(ServerReach server) {
        return server.mtu();
    }

    private static List<Finding> of(ServerReach server, Transport transport) {
        String subject = transport.name().toLowerCase(Locale.ROOT);
        String where = server.name() + " port " + server.port(transport);
        try {
            server.connect(transport);
        } catch (IOException e) {
            return List.of(Finding.fail(
                    subject,
                    "no connection to " + where + ": " + e.getMessage(),
                    "nft add rule inet filter input tcp dport " + server.port(transport)
                            + " accept   # at the server, if it runs there"));
        }
        try {
            Duration took = server.callNull(transport);
            String says = "NULL of NFS at " + where + " takes " + took.toNanos() / 1000 + " us";
            return List.of(
                    took.compareTo(SLOW) > 0
                            ? Finding.warn(
                                    subject, says + ": a long path, or a busy server", "ping -c 10 " + server.name())
                            : Finding.ok(subject, says));
        } catch (IOException e) {
            return List.of(Finding.fail(
                    subject,
                    where + " accepts connections, but does not answer NFS over " + transport + ": " + e.getMessage(),
                    "warpnfs probe --deep   # at the server"));
        }
    }
}
