package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checks of a host that mounts over RDMA: its kernel, its RDMA devices, its tools. */
public final class ClientChecks {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path MODULES = Path.of("/sys/module");
    private static final Path UNIQUE_ID = Path.of("/sys/module/nfs/parameters/nfs4_unique_id");
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Path FILE_SYSTEMS = Path.of("/proc/filesystems");
    private static final long ENOUGH_LOCKED_BYTES = 64 << 20;

    private ClientChecks() {}

    /**
     * Returns the findings, the most important ones first.
     *
     * @param overRdma whether the client is to mount over RDMA
     */
    public static List<Finding> of(Host host, boolean overRdma) {
        List<Finding> findings = new ArrayList<>();
        findings.add(kernel(host));
        findings.add(nfs(host));
        findings.add(mountNfs(host));
        findings.add(clientName(host));
        if (overRdma) {
            findings.addAll(rdma(host));
        }
        findings.addAll(CommonChecks.mtu(host));
        findings.add(CommonChecks.clock(host));
        return List.copyOf(findings);
    }

    private static List<Finding> rdma(Host host) {
        List<Finding> findings = new ArrayList<>();
        findings.add(module(host, "rpcrdma", "NFS over RDMA"));
        if (hasAdapter(host)) {
            findings.add(Finding.ok("siw", "not needed beside an iWARP adapter"));
        } else {
            findings.add(module(host, "siw", "software iWARP"));
        }
        findings.addAll(links(host));
        findings.add(verbs(host));
        findings.add(rdmaTool(host));
        findings.add(lockedMemory(host));
        return findings;
    }

    static Finding kernel(Host host) {
        return KernelVersion.of(host)
                .map(kernel -> kernel.isAtLeast(5, 3)
                        ? Finding.ok("kernel", "Linux " + kernel.release())
                        : Finding.warn(
                                "kernel",
                                "Linux " + kernel.release()
                                        + " has no siw, which exists since 5.3: an iWARP adapter is needed",
                                "apt install --only-upgrade linux-image-amd64 && reboot"))
                .orElseGet(CommonChecks::noKernel);
    }

    static Finding nfs(Host host) {
        boolean isThere = host.text(FILE_SYSTEMS)
                .map(text -> text.lines().anyMatch(line -> line.strip().endsWith("nfs4")))
                .orElse(false);
        return isThere ? Finding.ok("nfs", "the kernel has NFSv4") : module(host, "nfsv4", "the kernel's NFSv4 client");
    }

    static Finding mountNfs(Host host) {
        return host.hasProgram("mount.nfs")
                ? Finding.ok("mount.nfs", "is there")
                : Finding.fail("mount.nfs", "is missing: mount does not support NFS", "apt install nfs-common");
    }

    /** Checks what the NFSv4 client calls itself: two of one name expel each other. */
    static Finding clientName(Host host) {
        String unique = host.text(UNIQUE_ID).map(String::strip).orElse("");
        String name = host.text(HOST_NAME).map(String::strip).orElse("");
        if (!unique.isEmpty()) {
            return Finding.ok("client name", "nfs4_unique_id is " + unique);
        }
        return name.isEmpty() || name.startsWith("localhost") || name.equals("(none)")
                ? Finding.warn(
                        "client name",
                        "NFSv4 clients of one name expel each other, and this host is called '" + name
                                + "' without an nfs4_unique_id",
                        "echo options nfs nfs4_unique_id=$(cat /etc/machine-id) > /etc/modprobe.d/nfs.conf && reboot")
                : Finding.ok("client name", name + ", without an nfs4_unique_id: no other client may have this name");
    }

    /** Checks whether a module is loaded, can be loaded, or is missing. */
    static Finding module(Host host, String name, String what) {
        if (host.exists(MODULES.resolve(name))) {
            return Finding.ok(name, what + ": loaded");
        }
        List<String> lists = moduleLists(host);
        if (lists.isEmpty()) {
            return Finding.fail(
                    name,
                    what + ": not loaded, and /lib/modules of this kernel is missing",
                    "modprobe " + name + "   # in a container: on the host");
        }
        return lists.stream().anyMatch(list -> list.contains("/" + name + ".ko"))
                ? Finding.warn(name, what + ": not loaded", "modprobe " + name)
                : Finding.fail(name, what + ": this kernel has no such module", remedy(name));
    }

    private static String remedy(String module) {
        return module.equals("siw")
                ? "apt install linux-modules-extra-$(uname -r) on Ubuntu; Debian builds no siw (docs/client.md)"
                : "apt install linux-modules-extra-$(uname -r), or Debian's linux-image-amd64";
    }

    /** Returns the lists of this kernel's modules and of its built-in ones; empty if they cannot be read. */
    private static List<String> moduleLists(Host host) {
        return KernelVersion.of(host).map(kernel -> Path.of("/lib/modules").resolve(kernel.release())).stream()
                .flatMap(
                        directory -> Stream.of("modules.dep", "modules.builtin").map(directory::resolve))
                .flatMap(file -> host.text(file).stream())
                .toList();
    }

    private static boolean isIwarp(Host host, String device) {
        return host.text(DEVICES.resolve(device).resolve("node_type"))
                .map(type -> type.contains("RNIC"))
                .orElse(false);
    }

    private static boolean hasAdapter(Host host) {
        return host.names(DEVICES).stream().anyMatch(device -> isIwarp(host, device) && !device.startsWith("siw"));
    }

    static List<Finding> links(Host host) {
        List<Finding> findings = new ArrayList<>();
        String network = CommonChecks.interfaces(host).stream().findFirst().orElse("eth0");
        String add = "rdma link add siw0 type siw netdev " + network;
        for (String device : host.names(DEVICES)) {
            String state = host.text(DEVICES.resolve(device).resolve("ports/1/state"))
                    .map(String::strip)
                    .orElse("");
            if (!isIwarp(host, device)) {
                findings.add(Finding.warn("rdma link", device + " is not an iWARP device and cannot be used", add));
            } else if (!state.endsWith("ACTIVE")) {
                findings.add(Finding.fail(
                        "rdma link", device + " is not active: " + state, "ip link set " + network + " up"));
            } else {
                findings.add(Finding.ok("rdma link", device + " is active; " + frames(device)));
            }
        }
        if (findings.stream().noneMatch(finding -> finding.level() != Finding.Level.WARN)) {
            findings.add(Finding.fail("rdma link", "no iWARP device", add));
        }
        return findings;
    }

    /** What is known of the frames that a device takes; docs/client.md says whose words these are. */
    private static String frames(String device) {
        return device.startsWith("siw")
                ? "takes frames (FPDUs) of any length, of which long ones, by --fpdu 64k of the server, cost less"
                : "adapters take frames (FPDUs) that fit the MTU, by the default --fpdu mss of the server, as their "
                        + "makers say; no adapter was tried";
    }

    /** Checks the verbs device, which programs need but mounts do not. */
    static Finding verbs(Host host) {
        return host.exists(MODULES.resolve("ib_uverbs"))
                ? Finding.ok("ib_uverbs", "loaded")
                : Finding.warn(
                        "ib_uverbs", "not loaded: rping and perftest need it, mounts do not", "modprobe ib_uverbs");
    }

    static Finding rdmaTool(Host host) {
        return host.hasProgram("rdma")
                ? Finding.ok("rdma", "the tool that creates siw links is installed")
                : Finding.warn("rdma", "the tool that creates siw links is missing", "apt install iproute2");
    }

    static Finding lockedMemory(Host host) {
        OptionalLong hard = CommonChecks.hardLimit(host, "Max locked memory");
        return hard.isPresent() && hard.getAsLong() < ENOUGH_LOCKED_BYTES
                ? Finding.warn(
                        "memlock",
                        hard.getAsLong() + " bytes: rping and perftest may need more, mounts do not",
                        "ulimit -l unlimited")
                : Finding.ok("memlock", "enough for verbs programs");
    }
}
