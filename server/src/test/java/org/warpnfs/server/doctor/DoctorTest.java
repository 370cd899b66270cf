package org.warpnfs.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.server.doctor.Finding.Level.FAIL;
import static org.warpnfs.server.doctor.Finding.Level.OK;
import static org.warpnfs.server.doctor.Finding.Level.WARN;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.doctor.Finding.Level;
import org.warpnfs.server.doctor.ServerChecks.Ports;
import org.warpnfs.server.limits.Machine;

/** Each check of the doctor, with a host on which it succeeds and with one on which it fails. */
class DoctorTest {
    private static final Path STATE = Path.of("/var/lib/warpnfs");
    private static final Ports PORTS = new Ports(20_049, 2049, 9049);
    private static final String ALL_CAPABILITIES = "Name:\tjava\nCapEff:\t000001ffffffffff\n";

    private static FakeHost host() {
        return new FakeHost();
    }

    private static void assertFound(Finding finding, Level level, String words) {
        assertThat(finding.level()).as(finding.toString()).isEqualTo(level);
        assertThat(finding.says()).contains(words);
        assertThat(finding.remedy().isEmpty()).as("what is not ok has a remedy").isEqualTo(level == OK);
    }

    private static FakeHost kernel(String release) {
        return host().file("/proc/sys/kernel/osrelease", release + "\n");
    }

    @Test
    void kernel_ofAServer_newOldOrNone() {
        assertFound(ServerChecks.kernel(kernel("6.8.0-31-generic")), OK, "cachestat");
        assertFound(ServerChecks.kernel(kernel("6.1.0-18-amd64")), OK, "no cachestat");
        assertFound(ServerChecks.kernel(kernel("5.5.1")), WARN, "no openat2");
        assertFound(ServerChecks.kernel(kernel("4.4.0")), WARN, "no openat2");
        assertFound(ServerChecks.kernel(host()), FAIL, "not Linux");
        assertFound(ServerChecks.kernel(kernel("whatever")), FAIL, "not Linux");
    }

    @Test
    void kernel_ofAClient_hasSiwOrNot() {
        assertFound(ClientChecks.kernel(kernel("5.3.0")), OK, "5.3.0");
        assertFound(ClientChecks.kernel(kernel("5.2.9")), WARN, "no siw");
        assertFound(ClientChecks.kernel(host()), FAIL, "not Linux");
    }

    @Test
    void clientName_ofItsOwnOrOfMany() {
        Path name = Path.of("/proc/sys/kernel/hostname");
        Path unique = Path.of("/sys/module/nfs/parameters/nfs4_unique_id");
        assertFound(ClientChecks.clientName(host().file(name.toString(), "web1\n")), OK, "web1");
        assertFound(ClientChecks.clientName(host().file(name.toString(), "localhost\n")), WARN, "nfs4_unique_id");
        assertFound(
                ClientChecks.clientName(
                        host().file(name.toString(), "localhost\n").file(unique.toString(), "4711\n")),
                OK,
                "4711");
    }

    @Test
    void port_freeTakenOrForbidden() {
        assertFound(ServerChecks.port(host(), "tcp port", 2049, "by x"), OK, "2049 is free");
        FakeHost taken = host().port(2049, Host.PortState.TAKEN);
        assertFound(ServerChecks.port(taken, "tcp port", 2049, "by x"), WARN, "2049 is in use: by x");
        FakeHost forbidden = host().port(111, Host.PortState.FORBIDDEN);
        assertFound(ServerChecks.port(forbidden, "x", 111, "by x"), FAIL, "forbidden for this user");
    }

    @Test
    void port_ofHttp_isNoneOfTheKernelsServer() {
        FakeHost host = kernel("6.8.0").port(9049, Host.PortState.TAKEN);
        assertThat(ServerChecks.of(host, STATE, PORTS))
                .filteredOn(finding -> finding.subject().equals("http port"))
                .singleElement()
                .satisfies(
                        finding -> assertThat(finding.says()).contains("in use").doesNotContain("nfs-server"));
    }

    @Test
    void port_thatIsOff_isNotLookedAt() {
        FakeHost host = kernel("6.8.0").port(20_049, Host.PortState.FORBIDDEN).port(2049, Host.PortState.TAKEN);
        List<Finding> findings = ServerChecks.of(host, STATE, new Ports(Ports.OFF, Ports.OFF, Ports.OFF));
        assertThat(findings)
                .filteredOn(finding -> finding.subject().endsWith(" port"))
                .hasSize(3)
                .allSatisfy(finding -> assertFound(finding, OK, "off"));
        // Without TCP there is no MOUNT, which rpcbind would lead to.
        assertThat(findings).extracting(Finding::subject).doesNotContain("rpcbind");
        assertFound(ServerChecks.port(host, "rdma port", 0, "by x"), OK, "any free port");
    }

    @Test
    void rpcbind_runsOrNot() {
        assertFound(ServerChecks.rpcbind(host().file("/run/rpcbind.sock", "")), OK, "runs");
        assertFound(ServerChecks.rpcbind(host()), WARN, "none");
    }

    @Test
    void capabilities_allSomeOrNone() {
        assertFound(ServerChecks.capabilities(host().file("/proc/self/status", ALL_CAPABILITIES)), OK, "all");
        Finding some = ServerChecks.capabilities(host().file("/proc/self/status", "CapEff:\t00000000000000cb\n"));
        assertFound(some, WARN, "DAC_READ_SEARCH");
        assertThat(some.says()).doesNotContain("SETUID").doesNotContain("FOWNER");
        assertFound(ServerChecks.capabilities(host().file("/proc/self/status", "CapEff:\tx\n")), WARN, "SETUID");
        assertFound(ServerChecks.capabilities(host()), WARN, "FOWNER");
    }

    @Test
    void users_allOrThoseOfANamespace() {
        assertFound(
                ServerChecks.userNamespace(host().file("/proc/self/uid_map", "         0          0 4294967295\n")),
                OK,
                "every user");
        assertFound(
                ServerChecks.userNamespace(
                        host().file("/proc/self/uid_map", "         0       1000          1\n 1 100000 65536\n")),
                WARN,
                "65537 users");
        assertFound(ServerChecks.userNamespace(host()), OK, "every user");
    }

    @Test
    void descriptors_enoughFewOrTooFew() {
        String head = "Limit                     Soft Limit           Hard Limit           Units\n";
        for (Object[] row : new Object[][] {
            {"1048576", OK}, {"unlimited", OK}, {"16384", OK}, {"4096", WARN}, {"256", FAIL}, {"x", WARN}
        }) {
            assertFound(
                    ServerChecks.descriptors(host().file(
                                    "/proc/self/limits",
                                    head + "Max open files            1024                 " + row[0]
                                            + "               files\n")),
                    (Level) row[1],
                    "");
        }
        assertFound(ServerChecks.descriptors(host()), WARN, "unknown");
    }

    @Test
    void memory_enoughLessOrTooLittle() {
        assertFound(ServerChecks.memory(host()), OK, "limits");
        Machine small = new Machine(512L << 20, 256L << 20, 1L << 30, 65_536, 16_384, 48_000);
        assertFound(ServerChecks.memory(host().machine(small)), WARN, "limits");
        Machine tiny = new Machine(16L << 20, 16L << 20, 64L << 20, 65_536, 16_384, 48_000);
        assertFound(ServerChecks.memory(host().machine(tiny)), FAIL, "");
    }

    @Test
    void state_onADiskForgetfulOrNotWritable() {
        assertFound(ServerChecks.state(host(), STATE), OK, "ext4");
        for (String type : new String[] {"tmpfs", "overlay", "nfs4"}) {
            assertFound(ServerChecks.state(host().stateOn(type, true), STATE), WARN, type);
        }
        Finding readOnly = ServerChecks.state(host().stateOn("ext4", false), STATE);
        assertFound(readOnly, FAIL, "cannot be written");
        assertThat(readOnly.remedy()).as("where the root is read-only").contains("--state DIR");
    }

    @Test
    void mtu_ofEachInterfaceThatIsUp() {
        FakeHost host = host().file("/sys/class/net/lo/operstate", "unknown\n")
                .file("/sys/class/net/lo/mtu", "65536\n")
                .file("/sys/class/net/eth0/operstate", "up\n")
                .file("/sys/class/net/eth0/mtu", "9000\n")
                .file("/sys/class/net/eth1/operstate", "up\n")
                .file("/sys/class/net/eth1/mtu", "1500\n")
                .file("/sys/class/net/eth2/operstate", "down\n")
                .file("/sys/class/net/eth2/mtu", "1280\n")
                .file("/sys/class/net/wg0/operstate", "unknown\n")
                .file("/sys/class/net/wg0/mtu", "1420\n");
        List<Finding> findings = CommonChecks.mtu(host);
        assertThat(findings).hasSize(3);
        assertFound(findings.get(0), OK, "eth0 has MTU 9000");
        assertFound(findings.get(1), OK, "9000 is faster");
        assertFound(findings.get(2), WARN, "wg0 has MTU 1420");
        assertThat(CommonChecks.mtu(host())).isEmpty();
    }

    @Test
    void clock_keptLooseOrNeverSet() {
        assertFound(CommonChecks.clock(host().file("/run/systemd/timesync/synchronized", "")), OK, "NTP");
        assertFound(CommonChecks.clock(host().file("/run/chrony/chronyd.pid", "7")), OK, "NTP");
        assertFound(CommonChecks.clock(host()), WARN, "not synchronized");
        assertFound(CommonChecks.clock(host().at("1970-01-01T00:01:00Z")), FAIL, "impossible");
    }

    @Test
    void module_loadedThereOrMissing() {
        assertFound(ClientChecks.module(host().file("/sys/module/siw/refcnt", "0"), "siw", "x"), OK, "loaded");
        FakeHost there = kernel("6.1.0").file("/lib/modules/6.1.0/modules.dep", "kernel/drivers/siw/siw.ko: x\n");
        assertFound(ClientChecks.module(there, "siw", "x"), WARN, "not loaded");
        assertThat(ClientChecks.module(there, "siw", "x").remedy()).isEqualTo("modprobe siw");
        assertFound(ClientChecks.module(there, "rpcrdma", "x"), FAIL, "no such module");
        FakeHost other = kernel("6.1.0").file("/lib/modules/6.1.0/modules.dep", "");
        assertFound(ClientChecks.module(other, "siw", "x"), FAIL, "no such module");
        assertThat(ClientChecks.module(other, "siw", "x").remedy())
                .as("linux-image-amd64 has none")
                .contains("Debian builds no siw");
    }

    /** In a container, the modules of the kernel may not be visible. */
    @Test
    void module_withoutAListOfModules_isNotSaidToBeMissing() {
        for (FakeHost host : List.of(host(), kernel("6.1.0"))) {
            assertFound(ClientChecks.module(host, "siw", "x"), FAIL, "/lib/modules of this kernel is missing");
            assertThat(ClientChecks.module(host, "siw", "x").remedy()).contains("on the host");
        }
    }

    @Test
    void nfs_inTheKernelOrNot() {
        assertFound(ClientChecks.nfs(host().file("/proc/filesystems", "nodev\tnfs\nnodev\tnfs4\n")), OK, "NFSv4");
        assertFound(ClientChecks.nfs(host().file("/proc/filesystems", "nodev\tproc\n")), FAIL, "not loaded");
        assertFound(ClientChecks.mountNfs(host().program("mount.nfs")), OK, "there");
        assertFound(ClientChecks.mountNfs(host()), FAIL, "missing");
        assertFound(ClientChecks.rdmaTool(host().program("rdma")), OK, "installed");
        assertFound(ClientChecks.rdmaTool(host()), WARN, "missing");
    }

    private static FakeHost device(String name, String type, String state) {
        return host().file("/sys/class/infiniband/" + name + "/node_type", type + "\n")
                .file("/sys/class/infiniband/" + name + "/ports/1/state", state + "\n")
                .file("/sys/class/net/ens3/operstate", "up\n");
    }

    @Test
    void link_activeDownOfAnotherKindOrNone() {
        assertThat(ClientChecks.links(device("siw0", "4: RNIC", "4: ACTIVE")))
                .singleElement()
                .satisfies(finding -> assertFound(finding, OK, "siw0 is active; takes frames (FPDUs) of any length"));
        assertThat(ClientChecks.links(device("qedr0", "4: RNIC", "4: ACTIVE")))
                .singleElement()
                .satisfies(finding -> assertFound(finding, OK, "no adapter was tried"));
        assertThat(ClientChecks.links(device("siw0", "4: RNIC", "1: DOWN")))
                .singleElement()
                .satisfies(finding -> assertFound(finding, FAIL, "not active"));
        assertThat(ClientChecks.links(device("mlx5_0", "1: CA", "4: ACTIVE")))
                .extracting(Finding::level)
                .containsExactly(WARN, FAIL);
        assertThat(ClientChecks.links(host().file("/sys/class/net/ens3/operstate", "up")))
                .singleElement()
                .satisfies(finding -> {
                    assertFound(finding, FAIL, "no iWARP device");
                    assertThat(finding.remedy()).isEqualTo("rdma link add siw0 type siw netdev ens3");
                });
    }

    @Test
    void siw_besideAnAdapter_isNotNeeded() {
        List<Finding> findings = ClientChecks.of(device("irdma0", "4: RNIC", "4: ACTIVE"), true);
        assertThat(findings)
                .filteredOn(finding -> finding.subject().equals("siw"))
                .singleElement()
                .satisfies(finding -> assertFound(finding, OK, "not needed"));
    }

    @Test
    void verbsOfPrograms_loadedAndLockedOrNot() {
        assertFound(ClientChecks.verbs(host().file("/sys/module/ib_uverbs/refcnt", "0")), OK, "loaded");
        assertFound(ClientChecks.verbs(host()), WARN, "not loaded");
        String line = "Max locked memory         8388608              %s              bytes\n";
        assertFound(
                ClientChecks.lockedMemory(host().file("/proc/self/limits", line.formatted("unlimited"))), OK, "enough");
        assertFound(
                ClientChecks.lockedMemory(host().file("/proc/self/limits", line.formatted("8388608"))),
                WARN,
                "8388608 bytes");
    }

    @Test
    void server_wholeList_hasEachSubject() {
        assertThat(ServerChecks.of(host(), STATE, PORTS))
                .extracting(Finding::subject)
                .contains("kernel", "rdma port", "rpcbind", "capabilities", "users", "descriptors", "memory", "state");
    }

    /** A route to a server, with the results that a test sets. */
    private record Way(
            @Nullable String connect,
            @Nullable String answer,
            Duration takes,
            OptionalInt mtu,
            @Nullable Transport off) implements ServerReach {
        Way(@Nullable String connect, @Nullable String answer, Duration takes, OptionalInt mtu) {
            this(connect, answer, takes, mtu, null);
        }

        @Override
        public String name() {
            return "nas";
        }

        @Override
        public int port(Transport transport) {
            return transport == off ? Ports.OFF : transport == Transport.RDMA ? 20_049 : 2049;
        }

        @Override
        public Duration connect(Transport transport) throws IOException {
            if (connect != null) {
                throw new ConnectException(connect);
            }
            return takes;
        }

        @Override
        public Duration callNull(Transport transport) throws IOException {
            if (answer != null && transport == Transport.RDMA) {
                throw new IOException(answer);
            }
            return takes;
        }
    }

    /** Neither a connection nor a firewall's rule is wanted for it. */
    @Test
    void path_toATransportThatIsOff_isNotTried() {
        for (ServerReach.Transport off : ServerReach.Transport.values()) {
            List<Finding> findings = PathChecks.of(new Way("refused", null, Duration.ZERO, OptionalInt.empty(), off));
            assertThat(findings).singleElement().satisfies(finding -> assertThat(finding.subject())
                    .isEqualTo(off == ServerReach.Transport.RDMA ? "tcp" : "rdma"));
        }
    }

    @Test
    void client_ofAServerWithoutRdma_needsNoDevice() {
        List<Finding> findings = ClientChecks.of(kernel("6.1.0").file("/proc/filesystems", "nodev\tnfs4\n"), false);
        assertThat(findings)
                .extracting(Finding::subject)
                .contains("nfs", "mount.nfs")
                .doesNotContain("rpcrdma", "siw", "link");
    }

    @Test
    void path_wellSlowSilentOrClosed() {
        Duration quick = Duration.ofNanos(150_000);
        List<Finding> well = PathChecks.of(new Way(null, null, quick, OptionalInt.of(9000)));
        assertThat(well).extracting(Finding::level).containsExactly(OK, OK, OK);
        assertFound(well.getFirst(), OK, "NULL of NFS at nas port 20049 takes 150 us");
        List<Finding> slow = PathChecks.of(new Way(null, null, Duration.ofSeconds(1), OptionalInt.of(1280)));
        assertThat(slow).extracting(Finding::level).containsExactly(WARN, WARN, WARN);
        List<Finding> silent = PathChecks.of(new Way(null, "no answer", quick, OptionalInt.empty()));
        assertThat(silent).extracting(Finding::level).containsExactly(FAIL, OK);
        assertFound(silent.getFirst(), FAIL, "does not answer NFS over RDMA: no answer");
        List<Finding> closed = PathChecks.of(new Way("refused", null, quick, OptionalInt.empty()));
        assertThat(closed).extracting(Finding::level).containsExactly(FAIL, FAIL);
        assertFound(closed.getLast(), FAIL, "no connection to nas port 2049: refused");
    }
}
