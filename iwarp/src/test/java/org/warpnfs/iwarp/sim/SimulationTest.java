package org.warpnfs.iwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.testkit.Seeds;

/** Two queue pairs, random work, random cuts, delays and resets. */
class SimulationTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(8), 5, 7);

    private record Run(Simulation simulation, RandomPeer initiator, RandomPeer responder) {}

    private static Run start(long seed, QueuePairConfig config, LinkFaults faults, int work) {
        Simulation simulation = new Simulation(seed, config, faults);
        RandomPeer initiator = new RandomPeer(seed, work);
        RandomPeer responder = new RandomPeer(~seed, work);
        initiator.joins(responder);
        responder.joins(initiator);
        simulation.listen(ADDRESS, request -> request.accept(OPTIONS, responder));
        simulation.connector().connect(ADDRESS, OPTIONS, initiator);
        return new Run(simulation, initiator, responder);
    }

    private static QueuePairConfig config(long seed) {
        int[] mulpdus = {128, 1442, 9000, QueuePairConfig.DEFAULT_MULPDU_BYTES};
        return QueuePairConfig.defaults()
                .withCrcPolicy(seed % 2 == 0 ? CrcPolicy.REQUIRED : CrcPolicy.OFF)
                .withPeerToPeer(seed % 3 == 0)
                .withMulpduBytes(mulpdus[(int) (seed & 3)]);
    }

    @Test
    void connected_randomWorkRandomCuts_allWorkCompletesInOrderAndAllBytesAreRight() {
        Seeds.each(60, seed -> {
            LinkFaults faults = seed % 5 == 0 ? LinkFaults.none() : LinkFaults.cuts();
            Run run = start(seed, config(seed), faults, 120);
            run.simulation().run();
            assertThat(run.simulation().internalErrors()).isEmpty();
            assertThat(run.initiator().done())
                    .as("%s, %s", run.initiator().disconnected, run.responder().disconnected)
                    .isTrue();
            assertThat(run.responder().done()).isTrue();
            run.initiator().checkRegionAtPeer();
            run.responder().checkRegionAtPeer();
            assertThat(run.initiator().failed).isEmpty();
            assertThat(run.responder().failed).isEmpty();

            run.initiator().queuePair().disconnect();
            run.simulation().run();
            assertThat(run.initiator().disconnected.cause()).isEqualTo(Cause.LOCAL_CLOSE);
            assertThat(run.responder().disconnected.cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(run.simulation().internalErrors()).isEmpty();
        });
    }

    @Test
    void connected_resetAtAnyMoment_allWorkCompletesOnceAndBothSidesHear() {
        Seeds.each(60, seed -> {
            Run run = start(seed, config(seed), LinkFaults.cuts().withResets(0.002), 200);
            run.simulation().run();
            run.simulation().resetAll();
            run.simulation().run();
            assertThat(run.simulation().internalErrors()).isEmpty();
            assertThat(run.initiator().disconnected).isNotNull();
            if (run.responder().queuePair() != null) {
                assertThat(run.responder().disconnected).isNotNull();
            }
        });
    }
}
