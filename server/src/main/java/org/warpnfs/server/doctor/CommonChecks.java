package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks for both clients and servers. */
final class CommonChecks {
    private static final Path NETWORK = Path.of("/sys/class/net");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final int ETHERNET_MTU = 1500;
    private static final int JUMBO_MTU = 9000;
    /** A time before this code was written: an earlier clock was never set. */
    private static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");

    private CommonChecks() {}

    /** Returns the finding for an unknown kernel. */
    static Finding noKernel() {
        return Finding.fail(
                "kernel",
                KernelVersion.OSRELEASE + " cannot be read: this is not Linux, or /proc is not completely mounted",
                "mount -t proc proc /proc, or run it on Linux");
    }

    /** Returns the interfaces that are up, without the loopback. */
    static List<String> interfaces(Host host) {
        return host.names(NETWORK).stream()
                .filter(name -> !name.equals("lo"))
                .filter(name -> host.text(NETWORK.resolve(name).resolve("operstate"))
                        .map(state -> !state.strip().equals("down"))
                        .orElse(false))
                .toList();
    }

    /** Checks the MTU of each interface that is up. */
    static List<Finding> mtu(Host host) {
        List<Finding> findings = new ArrayList<>();
        for (String name : interfaces(host)) {
            Optional<String> text =
                    host.text(NETWORK.resolve(name).resolve("mtu")).map(String::strip);
            OptionalLong mtu = text.map(CommonChecks::number).orElse(OptionalLong.empty());
            if (mtu.isEmpty()) {
                continue;
            }
            String says = name + " has MTU " + mtu.getAsLong();
            String remedy = "ip link set " + name + " mtu " + ETHERNET_MTU;
            if (mtu.getAsLong() < ETHERNET_MTU) {
                findings.add(Finding.warn("mtu", says + ", less than Ethernet's: many small packets", remedy));
            } else if (mtu.getAsLong() < JUMBO_MTU) {
                findings.add(Finding.ok("mtu", says + "; " + JUMBO_MTU + " is faster where every switch allows it"));
            } else {
                findings.add(Finding.ok("mtu", says));
            }
        }
        return findings;
    }

    /** Returns the hard limit from a line of /proc/self/limits; Long.MAX_VALUE means unlimited. */
    static OptionalLong hardLimit(Host host, String name) {
        return host.text(LIMITS)
                .flatMap(text ->
                        text.lines().filter(line -> line.startsWith(name)).findFirst())
                .map(line -> {
                    List<String> words =
                            List.of(line.substring(name.length()).strip().split(" +", 3));
                    return words.size() < 2
                            ? OptionalLong.empty()
                            : words.get(1).equals("unlimited") ? OptionalLong.of(Long.MAX_VALUE) : number(words.get(1));
                })
                .orElse(OptionalLong.empty());
    }

    static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Checks the clock, on which file times and leases depend. */
    static Finding clock(Host host) {
        Instant now = host.now();
        if (now.isBefore(WRITTEN)) {
            return Finding.fail("clock", "it is " + now + ", which is impossible", "timedatectl set-ntp true");
        }
        boolean isKept = host.exists(Path.of("/run/systemd/timesync/synchronized"))
                || host.exists(Path.of("/run/chrony/chronyd.pid"))
                || host.exists(Path.of("/run/chronyd.pid"))
                || host.exists(Path.of("/run/ntpd.pid"));
        return isKept
                ? Finding.ok("clock", "synchronized by NTP")
                : Finding.warn("clock", "not synchronized by NTP", "timedatectl set-ntp true");
    }
}
