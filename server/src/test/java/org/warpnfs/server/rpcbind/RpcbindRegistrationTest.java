package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Registration at Debian's rpcbind in a network namespace. Needs root. */
class RpcbindRegistrationTest {
    private static final Duration NEVER = Duration.ofDays(1);
    private static final InetSocketAddress RDMA = new InetSocketAddress(20_049);
    private static final InetSocketAddress TCP = new InetSocketAddress(2049);

    @TempDir
    private Path run;

    private NetworkNamespace namespace;
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(RpcbindRegistration.class);

    @BeforeEach
    void open() throws IOException {
        namespace = new NetworkNamespace(run);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void close() {
        logger.detachAppender(log);
        namespace.close();
    }

    private void startRpcbind() throws Exception {
        namespace.run("rpcbind");
        namespace.await("rpcinfo -s");
    }

    private void stopRpcbind() throws Exception {
        namespace.run("kill $(pidof rpcbind)");
        namespace.await("! pidof rpcbind");
    }

    private RpcbindClient client() throws IOException {
        return RpcbindClient.connect(UnixDomainSocketAddress.of(run.resolve("rpcbind.sock")));
    }

    private RpcbindRegistration register(Mappings mappings) {
        return RpcbindRegistration.start(mappings.all(), this::client, NEVER);
    }

    private static Mappings mappings(boolean ipv6) {
        return new Mappings("", ipv6).nfsOverTcp(TCP).nfsOverRdma(RDMA);
    }

    private List<Mapping> listed() throws IOException {
        try (RpcbindClient rpcbind = client()) {
            return rpcbind.dump().stream()
                    .filter(mapping -> mapping.program() != PortmapProgram.PROGRAM)
                    .toList();
        }
    }

    private List<String> logged() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void start_rpcbindRuns_rpcinfoShowsEveryTransportAndItsPort() throws Exception {
        startRpcbind();
        try (RpcbindRegistration registration = register(mappings(true))) {
            assertThat(registration.isRegistered()).isTrue();
            String all = namespace.run("rpcinfo").replaceAll(" +", " ");
            for (String service : new String[] {"100003 3", "100003 4", "100227 3"}) {
                assertThat(all)
                        .contains(" " + service + " tcp 0.0.0.0.8.1 ")
                        .contains(" " + service + " tcp6 ::.8.1 ")
                        .contains(" " + service + " rdma 0.0.0.0.78.81 ")
                        .contains(" " + service + " rdma6 ::.78.81 ");
            }
            assertThat(all)
                    .contains(" 100005 1 tcp ")
                    .contains(" 100005 2 tcp6 ")
                    .contains(" 100005 3 tcp ");
            assertThat(namespace.run("rpcinfo -s").replaceAll(" +", " "))
                    .containsPattern("100003 [34],[34] (tcp|rdma)[^ ]* nfs superuser");
            assertThat(namespace.run("rpcinfo -p").replaceAll(" +", " "))
                    .contains(" 100003 3 tcp 2049 nfs")
                    .contains(" 100003 4 tcp 2049 nfs")
                    .contains(" 100005 3 tcp 2049 mountd")
                    .contains(" 100227 3 tcp 2049");
        }
        assertThat(listed()).isEmpty();
    }

    @Test
    void start_noRpcbind_isOneLine_andOneWhenItIsThere() throws Exception {
        try (RpcbindRegistration registration = register(mappings(false))) {
            registration.look();
            registration.look();
            assertThat(logged()).hasSize(1).first().asString().startsWith("no rpcbind on this host");
            startRpcbind();
            registration.look();
            assertThat(listed()).hasSize(9);
            assertThat(logged()).hasSize(2).last().asString().startsWith("registered with rpcbind: 9 entries");
        }
    }

    @Test
    void look_rpcbindWasRestarted_registersAgain() throws Exception {
        startRpcbind();
        try (RpcbindRegistration registration = register(mappings(false))) {
            stopRpcbind();
            startRpcbind();
            assertThat(listed()).isEmpty();
            registration.look();
            assertThat(listed()).hasSize(9);
            assertThat(logged()).hasSize(2);
        }
    }

    @Test
    void look_everyNowAndThen_byItself() throws Exception {
        RpcbindRegistration registration =
                RpcbindRegistration.start(mappings(false).all(), this::client, Duration.ofMillis(10));
        startRpcbind();
        while (!registration.isRegistered()) {
            Thread.sleep(10);
        }
        registration.close();
        registration.look();
        assertThat(listed()).isEmpty();
    }

    @Test
    void start_aKilledServersRegistrations_areReplaced() throws Exception {
        startRpcbind();
        InetSocketAddress gone;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gone = new InetSocketAddress(socket.getLocalPort());
        }
        register(new Mappings("", true).nfsOverTcp(gone).mountOverUdp(gone));
        try (RpcbindRegistration registration = register(mappings(false))) {
            assertThat(registration.isRegistered()).isTrue();
            assertThat(listed()).extracting(Mapping::port).containsOnly(2049, 20_049);
            assertThat(listed()).hasSize(9);
        }
    }

    @Test
    void start_anotherServersRegistrations_stay() throws Exception {
        startRpcbind();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            RpcbindRegistration others = register(new Mappings("", false).nfsOverTcp(new InetSocketAddress(port)));
            try (RpcbindRegistration registration = register(mappings(false))) {
                assertThat(registration.isRegistered()).isFalse();
                assertThat(listed().stream()
                                .filter(mapping -> mapping.netid().equals("tcp"))
                                .map(Mapping::port))
                        .containsOnly(port);
                assertThat(logged()).last().asString().startsWith("rpcbind refuses 100003 version 3 over tcp");
            }
            assertThat(listed()).as("those of the other").hasSize(6);
            others.close();
        }
    }

    @Test
    void set_byAnOrdinaryUser_isTakenAndHis() throws Exception {
        startRpcbind();
        String java = ProcessHandle.current().info().command().orElseThrow();
        // Only root may be able to read the class path of the test, so this user has the capability to read, and no
        // other.
        String output = namespace.run("setpriv --reuid 65534 --regid 65534 --clear-groups "
                + "--inh-caps +dac_read_search --ambient-caps +dac_read_search " + java + " -cp '"
                + System.getProperty("java.class.path") + "' '" + AsOrdinaryUser.class.getName() + "'");
        assertThat(output).contains("set true").contains("owner 65534").contains("unset true");
    }

    /** Registers at rpcbind and withdraws again, in a process of its own. */
    static final class AsOrdinaryUser {
        private AsOrdinaryUser() {}

        public static void main(String[] arguments) throws IOException {
            try (RpcbindClient rpcbind = RpcbindClient.connect()) {
                Mapping mapping = mappings(false).all().getFirst();
                System.out.println("set " + rpcbind.set(mapping));
                rpcbind.dump().stream()
                        .filter(other -> other.isKin(mapping))
                        .forEach(other -> System.out.println("owner " + other.owner()));
                System.out.println("unset " + rpcbind.unset(mapping));
            }
        }
    }
}
