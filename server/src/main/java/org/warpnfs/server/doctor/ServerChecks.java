package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.ServerLimits;

/** Checks of a host that runs a server. */
public final class ServerChecks {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path UID_MAP = Path.of("/proc/self/uid_map");
    private static final Path RPCBIND = Path.of("/run/rpcbind.sock");
    private static final long ALL_IDS = 4_294_967_295L;
    /** Enough descriptors for a thousand connections over each transport, and their files. */
    private static final long ENOUGH_DESCRIPTORS = 16_384;

    private static final long LEAST_DESCRIPTORS = 512;
    private static final Set<String> FORGETFUL = Set.of("tmpfs", "ramfs", "overlay");

    /** The bits of CapEff, and what each capability adds. */
    private static final Map<Integer, String> CAPABILITIES = new LinkedHashMap<>();

    static {
        CAPABILITIES.put(2, "DAC_READ_SEARCH (file handles of the kernel)");
        CAPABILITIES.put(6, "SETGID");
        CAPABILITIES.put(7, "SETUID (with SETGID, CHOWN, FOWNER: calls made as their callers)");
        CAPABILITIES.put(0, "CHOWN");
        CAPABILITIES.put(3, "FOWNER");
    }

    private ServerChecks() {}

    /** The ports that the server is to listen on, each 0 if it may be any, or {@link #OFF}. */
    public record Ports(int rdma, int tcp, int http) {
        /** Nobody is to listen. */
        public static final int OFF = -1;
    }

    /** Returns the findings, the most important ones first. */
    public static List<Finding> of(Host host, Path state, Ports ports) {
        List<Finding> findings = new ArrayList<>();
        findings.add(kernel(host));
        String ofNfs = "by a server that runs, or by the kernel's (nfs-server)";
        findings.add(port(host, "rdma port", ports.rdma(), ofNfs));
        findings.add(port(host, "tcp port", ports.tcp(), ofNfs));
        findings.add(port(host, "http port", ports.http(), "by a server that runs, or by another program"));
        if (ports.tcp() != Ports.OFF) {
            findings.add(rpcbind(host));
        }
        findings.add(capabilities(host));
        findings.add(userNamespace(host));
        findings.add(descriptors(host));
        findings.add(memory(host));
        findings.add(state(host, state));
        findings.addAll(CommonChecks.mtu(host));
        findings.add(CommonChecks.clock(host));
        return List.copyOf(findings);
    }

    static Finding kernel(Host host) {
        return KernelVersion.of(host)
                .map(kernel -> {
                    String says = "Linux " + kernel.release();
                    if (!kernel.isAtLeast(5, 6)) {
                        return Finding.warn(
                                "kernel",
                                says
                                        + ", older than what the server is tested with: no openat2 (5.6), no "
                                        + "cachestat (6.5)",
                                "apt install --only-upgrade linux-image-amd64 && reboot");
                    }
                    return Finding.ok(
                            "kernel",
                            says + ": has RWF_NOWAIT, openat2"
                                    + (kernel.isAtLeast(6, 5)
                                            ? ", cachestat"
                                            : "; no cachestat (6.5), which does no harm"));
                })
                .orElseGet(CommonChecks::noKernel);
    }

    /** @param who the users that may listen on the port, in words */
    static Finding port(Host host, String subject, int port, String who) {
        if (port <= 0) {
            return Finding.ok(subject, port == Ports.OFF ? "off: nothing listens" : "any free port");
        }
        return switch (host.port(port)) {
            case FREE -> Finding.ok(subject, port + " is free");
            case TAKEN -> Finding.warn(subject, port + " is in use: " + who, "ss -ltnp 'sport = :" + port + "'");
            case FORBIDDEN ->
                Finding.fail(
                        subject,
                        port + " is forbidden for this user",
                        "sysctl " + "net.ipv4.ip_unprivileged_port_start=" + port);
        };
    }

    static Finding rpcbind(Host host) {
        return host.exists(RPCBIND)
                ? Finding.ok("rpcbind", "runs: clients find the server's ports")
                : Finding.warn(
                        "rpcbind",
                        "none: NFSv3 clients must name ports",
                        "apt install rpcbind, or warpnfs serve --rpcbind serve");
    }

    static Finding capabilities(Host host) {
        long effective = host.text(STATUS)
                .flatMap(text ->
                        text.lines().filter(line -> line.startsWith("CapEff:")).findFirst())
                .map(line -> {
                    try {
                        return Long.parseUnsignedLong(
                                line.substring("CapEff:".length()).strip(), 16);
                    } catch (NumberFormatException e) {
                        return 0L;
                    }
                })
                .orElse(0L);
        List<String> missing = new ArrayList<>();
        CAPABILITIES.forEach((bit, name) -> {
            if ((effective >>> bit & 1) == 0) {
                missing.add(name);
            }
        });
        return missing.isEmpty()
                ? Finding.ok("capabilities", "all that the server can use")
                : Finding.warn(
                        "capabilities",
                        "the server works without them and checks permissions itself; missing: "
                                + String.join(", ", missing),
                        "start it as root, or by the systemd unit (docs/operate.md)");
    }

    static Finding userNamespace(Host host) {
        List<String> lines = host.text(UID_MAP).stream()
                .flatMap(String::lines)
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        long ids = 0;
        for (String line : lines) {
            List<String> words = List.of(line.split(" +", 3));
            if (words.size() == 3) {
                ids += CommonChecks.number(words.get(2)).orElse(0);
            }
        }
        if (lines.isEmpty() || ids >= ALL_IDS) {
            return Finding.ok("users", "every user of the host");
        }
        return Finding.warn(
                "users",
                "a user namespace of " + ids + " users: files of other users belong to nobody",
                "podman run --userns=host, or usermod --add-subuids 100000-165535 $USER");
    }

    static Finding descriptors(Host host) {
        OptionalLong hard = CommonChecks.hardLimit(host, "Max open files");
        String remedy = "ulimit -Hn 65536, or LimitNOFILE=65536 in the unit";
        if (hard.isEmpty()) {
            return Finding.warn("descriptors", "their limit is unknown", remedy);
        }
        long limit = hard.getAsLong();
        String says = "up to " + (limit == Long.MAX_VALUE ? "any number" : limit) + " files and connections";
        return limit < LEAST_DESCRIPTORS
                ? Finding.fail("descriptors", says, remedy)
                : limit < ENOUGH_DESCRIPTORS
                        ? Finding.warn("descriptors", says + ": fewer connections and open files", remedy)
                        : Finding.ok("descriptors", says);
    }

    /** Compares the budgets of docs/limits.md with the heap, direct memory and the control group. */
    static Finding memory(Host host) {
        String remedy = "WARPNFS_JAVA_OPTS='-Xmx1g -XX:MaxDirectMemorySize=1g', and as much for the container";
        try {
            Budgets.Plan plan =
                    Budgets.plan(new Budgets.Wanted(ServerLimits.DEFAULT, false, 1, 0, 0, false), host.machine());
            boolean isUsual = plan.limits().memory().payloadBytes()
                            == ServerLimits.DEFAULT.memory().payloadBytes()
                    && plan.limits().connections().equals(ServerLimits.DEFAULT.connections());
            return isUsual
                    ? Finding.ok("memory", plan.line().strip())
                    : Finding.warn("memory", plan.line().strip(), remedy);
        } catch (ConfigException e) {
            return Finding.fail("memory", String.valueOf(e.getMessage()), remedy);
        }
    }

    static Finding state(Host host, Path state) {
        if (!host.isWritable(state)) {
            return Finding.fail(
                    "state",
                    state + " cannot be written; without it clients lose their files at a restart",
                    "install -d -o $USER " + state
                            + " as root, or warpnfs serve --state DIR where there is a disk to write to");
        }
        String type = host.fileSystemOf(state);
        return FORGETFUL.contains(type) || type.startsWith("nfs")
                ? Finding.warn(
                        "state",
                        state + " is on " + type + ": it may be lost at a restart",
                        "warpnfs serve --state DIR, on a disk of this host")
                : Finding.ok("state", state + " can be written, on " + (type.isEmpty() ? "some file system" : type));
    }
}
