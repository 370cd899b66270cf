package org.warpnfs.iwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.testkit.Seeds;

/**
 * Two queue pairs with random work of every kind, on links that delay, cut, stall, break and corrupt, in every mode of
 * MPA. After each single step all invariants are checked ({@link End#check}, {@link Outbound}, {@link Inbound}).
 */
class SimulationTest {
    private static final int SEEDS = 6_000;
    private static final int LAST_OPCODE = Segment.ATOMIC_RESPONSE;
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);

    @Test
    void anyWorkAndFaults_eachStep_keepsTheRules() {
        Coverage coverage = new Coverage();
        Arenas arenas = new Arenas();
        Seeds.each(SEEDS, seed -> new Run(seed, arenas, coverage).run());
        if (Long.getLong("warpnfs.seed") == null) {
            assertThat(coverage.missing(everything())).isEmpty();
        }
    }

    /** Events that must happen for some seed. Otherwise the seeds prove less than they seem to. */
    private static Set<Object> everything() {
        Set<Object> things = new HashSet<>(Scenario.MODES);
        things.addAll(List.of(Scenario.Trouble.values()));
        things.addAll(List.of(Fault.values()));
        things.addAll(List.of(CompletionStatus.values()));
        things.addAll(EnumSet.complementOf(EnumSet.of(Cause.REJECTED, Cause.TIMEOUT, Cause.INTERNAL_ERROR)));
        things.addAll(List.of("connected again", "shared receives", "sent half closed", "ended segment"));
        for (int opcode = 0; opcode <= LAST_OPCODE; opcode++) {
            things.add("opcode " + opcode);
        }
        return things;
    }

    @Test
    void connect_responderThatRejects_itsWordsReachTheInitiator() {
        Simulation simulation = new Simulation(1);
        simulation.listen(ADDRESS, request -> request.reject(ByteBuffer.wrap(new byte[] {1, 2, 3})));
        List<DisconnectReason> heard = new ArrayList<>();
        QueuePairHandler initiator = new QueuePairHandler() {
            @Override
            public void created(QueuePair queuePair) {}

            @Override
            public void completed(QueuePair queuePair, Completion completion) {}

            @Override
            public void disconnected(QueuePair queuePair, DisconnectReason reason) {
                heard.add(reason);
            }
        };
        simulation.connector().connect(ADDRESS, new ConnectOptions(ByteBuffer.allocate(8), 5, 7), initiator);
        simulation.run();
        assertThat(heard).hasSize(1);
        assertThat(heard.getFirst().cause()).isEqualTo(Cause.REJECTED);
        assertThat(heard.getFirst().rejection().privateData()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(simulation.internalErrors()).isEmpty();
    }
}
