package org.warpnfs.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol of sd_notify(3). The test receives the messages on its own socket. */
class ServiceManagerTest {
    private static final long PID = 4711;

    @TempDir
    private Path directory;

    @Test
    void life_overAPath_isToldMessageByMessage() throws Throwable {
        assertLifeIsTold(directory.resolve("notify").toString());
    }

    @Test
    void life_overTheAbstractNamespace_isToldMessageByMessage() throws Throwable {
        assertLifeIsTold("@warpnfs-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
    }

    private static void assertLifeIsTold(String name) throws Throwable {
        try (ManagerSocket socket = ManagerSocket.bind(name)) {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", name), PID);
            manager.ready("serves /\nand /a");
            manager.reloading();
            manager.ready("serves /");
            manager.alive();
            manager.stopping();
            assertThat(socket.next()).isEqualTo("READY=1\nSTATUS=serves / and /a");
            assertThat(socket.next()).matches("RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*");
            assertThat(socket.next()).isEqualTo("READY=1\nSTATUS=serves /");
            assertThat(socket.next()).isEqualTo("WATCHDOG=1");
            assertThat(socket.next()).startsWith("STOPPING=1\n");
        }
    }

    @Test
    void nobodyAsked_nothingIsToldAndNothingFails() {
        ServiceManager manager = ServiceManager.of(Map.of("WATCHDOG_USEC", "1000000"), PID);
        assertThat(manager.watchdog()).isNull();
        assertThatCode(() -> manager.ready("serves")).doesNotThrowAnyException();
    }

    @Test
    void nobodyListens_isNoFailureOfTheServer() {
        ServiceManager manager = ServiceManager.of(
                Map.of("NOTIFY_SOCKET", directory.resolve("nobody").toString()), PID);
        assertThatCode(() -> manager.ready("serves")).doesNotThrowAnyException();
    }

    @Test
    void nobodyListens_theSocketNamesTheCallAndItsError() {
        NotifySocket socket = NotifySocket.at(directory.resolve("nobody").toString());
        assertThatThrownBy(() -> socket.send("READY=1"))
                .isInstanceOf(IOException.class)
                .hasMessage("sendto: errno 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"relative", "vsock:2:1234", "@", "/"})
    void name_thatIsNoSocket_isNotUsed(String name) {
        assertThatThrownBy(() -> NotifySocket.at(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatCode(() ->
                        ServiceManager.of(Map.of("NOTIFY_SOCKET", name), PID).ready("serves"))
                .doesNotThrowAnyException();
    }

    @Test
    void name_longerThanAnAddress_isNotUsed() {
        assertThatThrownBy(() -> NotifySocket.at("/" + "x".repeat(107))).isInstanceOf(IllegalArgumentException.class);
        assertThatCode(() -> NotifySocket.at("/" + "x".repeat(106))).doesNotThrowAnyException();
    }

    @Test
    void watchdog_ofThisProcess_isWhatWasSaid() {
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", "1500000"))).isEqualTo(Duration.ofMillis(1500));
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", "1500000", "WATCHDOG_PID", "4711")))
                .isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void watchdog_ofAnotherProcessOrNoNumber_isNone() {
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", "1500000", "WATCHDOG_PID", "1")))
                .isNull();
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", "0"))).isNull();
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", "soon"))).isNull();
        assertThat(watchdogOf(Map.of("WATCHDOG_USEC", Long.toString(Long.MAX_VALUE))))
                .isNull();
    }

    private static Duration watchdogOf(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("NOTIFY_SOCKET", "@nobody");
        return ServiceManager.of(all, PID).watchdog();
    }

    @Test
    void watchdog_serverAnswersEverySecondTime_signsOnlyThen() throws Throwable {
        String name = directory.resolve("notify").toString();
        AtomicInteger asked = new AtomicInteger();
        try (ManagerSocket socket = ManagerSocket.bind(name)) {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "30000"), PID);
            Watchdog.Check check = within -> {
                assertThat(within).isEqualTo(Duration.ofMillis(10));
                if (asked.incrementAndGet() % 2 == 1) {
                    throw new IOException("no answer");
                }
            };
            try (Watchdog watchdog = Watchdog.start(manager, check)) {
                assertThat(watchdog).isNotNull();
                for (int sign = 1; sign <= 3; sign++) {
                    assertThat(socket.next()).isEqualTo("WATCHDOG=1");
                    assertThat(asked.get()).isGreaterThanOrEqualTo(2 * sign);
                }
            }
        }
    }

    @Test
    void watchdog_nobodyWantsIt_asksNothing() {
        AtomicInteger asked = new AtomicInteger();
        ServiceManager manager = ServiceManager.of(Map.of(), PID);
        try (Watchdog watchdog = Watchdog.start(manager, within -> asked.incrementAndGet())) {
            assertThat(watchdog).isNotNull();
        }
        assertThat(asked).hasValue(0);
    }
}
