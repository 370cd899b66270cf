package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.rpcbind.RpcbindChoice;

/**
 * While a server drains, neither its portmapper nor MOUNT over UDP leads clients to it, though its process still runs.
 */
@Timeout(300)
class DrainedWaysTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static boolean isFree(int udpPort) {
        try (DatagramSocket _ = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), udpPort))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean accepts(int tcpPort) {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), tcpPort)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void drain_portmapperAndMountOverUdp_areGoneBeforeTheProcessEnds() throws Exception {
        RpcbindChoices choices = new RpcbindChoices("--rpcbind serve", new RpcbindChoice.Serve(ANY), true, false);
        try (WatchedServer watched = WatchedServer.start(
                InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)),
                ServerLimits.DEFAULT,
                "--http",
                "off",
                choices,
                Listeners.NONE)) {
            String described = watched.describe().getFirst();
            int portmapper = Integer.parseInt(described.substring(described.lastIndexOf(' ') + 1));
            int mount = watched.server().tcpAddress().getPort();
            assertThat(accepts(portmapper)).isTrue();
            assertThat(isFree(mount)).as("MOUNT over UDP is there").isFalse();

            watched.server().drain();

            // The time limit of the test ends these loops.
            while (accepts(portmapper)) {
                Thread.onSpinWait();
            }
            while (!isFree(mount)) {
                Thread.onSpinWait();
            }
            while (!watched.server().isDrained()) {
                Thread.onSpinWait();
            }
            watched.server().drain();
            assertThat(watched.server().isDrained()).as("twice is once").isTrue();
        }
    }

    @Test
    void way_thatComesAfterTheDrainHasBegun_isClosedAtOnce() throws Exception {
        try (WatchedServer watched =
                WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), "off")) {
            watched.server().drain();
            boolean[] closed = {false};
            watched.server().closeWhenDraining(() -> closed[0] = true);
            assertThat(closed[0]).isTrue();
        }
    }
}
