package org.warpnfs.iwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.RtrKind;
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
        return start(seed, config, config, faults, work);
    }

    private static Run start(
            long seed, QueuePairConfig config, QueuePairConfig initiatorConfig, LinkFaults faults, int work) {
        // Where nobody negotiates limits on Reads the upper layers have to agree on them: both of ours take the same.
        ConnectOptions options =
                config.mpa().revision() == 1 ? new ConnectOptions(ByteBuffer.allocate(8), 4, 4) : OPTIONS;
        Simulation simulation = new Simulation(seed, config, faults);
        RandomPeer initiator = new RandomPeer(seed, work);
        RandomPeer responder = new RandomPeer(~seed, work);
        initiator.joins(responder);
        responder.joins(initiator);
        simulation.listen(ADDRESS, request -> request.accept(options, responder));
        simulation.connector(initiatorConfig).connect(ADDRESS, options, initiator);
        return new Run(simulation, initiator, responder);
    }

    private static QueuePairConfig config(long seed) {
        int[] mulpdus = {128, 1442, 9000, QueuePairConfig.DEFAULT_MULPDU_BYTES};
        return QueuePairConfig.defaults()
                .withMpa(MpaChoices.defaults()
                        .withCrcPolicy(seed % 2 == 0 ? CrcPolicy.REQUIRED : CrcPolicy.OFF)
                        .withMarkers(seed % 7 == 0)
                        .withPeerToPeer(seed % 3 == 0))
                .withMulpduBytes(mulpdus[(int) (seed & 3)]);
    }

    private static void assertAllWorkDone(Run run) {
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
    }

    static Stream<Arguments> everyMode() {
        List<Arguments> modes = new ArrayList<>();
        for (CrcPolicy crc : CrcPolicy.values()) {
            for (int markers = 0; markers < 4; markers++) {
                for (int revision = 1; revision <= 2; revision++) {
                    modes.add(Arguments.of(crc, (markers & 1) != 0, (markers & 2) != 0, revision, null));
                    for (RtrKind rtr : RtrKind.values()) {
                        modes.add(Arguments.of(crc, (markers & 1) != 0, (markers & 2) != 0, revision, rtr));
                    }
                }
            }
        }
        return modes.stream();
    }

    /** A responder of revision 1 closes on our first request, so that those modes fall back as well. */
    @ParameterizedTest
    @MethodSource("everyMode")
    void connected_everyModeOfMpa_allWorkCompletesAndAllBytesAreRight(
            CrcPolicy crc, boolean markersToInitiator, boolean markersToResponder, int revision, RtrKind rtr) {
        MpaChoices both = MpaChoices.defaults().withCrcPolicy(crc);
        MpaChoices responder = both.withMarkers(markersToResponder).withRevision(revision, false);
        MpaChoices initiator = both.withMarkers(markersToInitiator).withPeerToPeer(rtr != null);
        if (rtr != null) {
            // Revision 1 has no other than a Write.
            initiator = initiator.withRtrKinds(revision == 1 ? EnumSet.of(rtr, RtrKind.WRITE) : EnumSet.of(rtr));
        }
        QueuePairConfig config = QueuePairConfig.defaults().withMulpduBytes(9000);
        Run run = start(11, config.withMpa(responder), config.withMpa(initiator), LinkFaults.cuts(), 60);
        assertAllWorkDone(run);
        assertThat(run.initiator().queuePair().parameters().revision()).isEqualTo(revision);
        assertThat(run.responder().queuePair().parameters().revision()).isEqualTo(revision);
        assertThat(run.initiator().queuePair().parameters().crc()).isEqualTo(crc != CrcPolicy.OFF);
        assertThat(run.responder().queuePair().parameters().crc()).isEqualTo(crc != CrcPolicy.OFF);
    }

    @Test
    void connect_responderThatRejects_itsWordsReachTheInitiator() {
        Simulation simulation = new Simulation(1);
        simulation.listen(ADDRESS, request -> request.reject(ByteBuffer.wrap(new byte[] {1, 2, 3})));
        RandomPeer initiator = new RandomPeer(1, 10);
        initiator.joins(new RandomPeer(2, 10));
        simulation.connector().connect(ADDRESS, OPTIONS, initiator);
        simulation.run();
        assertThat(initiator.disconnected.cause()).isEqualTo(Cause.REJECTED);
        assertThat(initiator.disconnected.rejection().privateData()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(simulation.internalErrors()).isEmpty();
    }

    @Test
    void connected_randomWorkRandomCuts_allWorkCompletesInOrderAndAllBytesAreRight() {
        Seeds.each(60, seed -> {
            LinkFaults faults = seed % 5 == 0 ? LinkFaults.none() : LinkFaults.cuts();
            Run run = start(seed, config(seed), faults, 120);
            assertAllWorkDone(run);

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
            // A reset in place of the reply would make the initiator connect once more, to the same upper layer.
            QueuePairConfig once = config(seed).withMpa(config(seed).mpa().withRevision(2, false));
            Run run = start(seed, once, LinkFaults.cuts().withResets(0.002), 200);
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
