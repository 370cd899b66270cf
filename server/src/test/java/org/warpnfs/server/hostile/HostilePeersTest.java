package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.hostile.HonestClient.Way;

/**
 * Checks that the server serves an honest client during each attack by other peers: over both transports, and on old
 * and new connections.
 */
@Timeout(300)
class HostilePeersTest {
    private static final int SIZE_BYTES = 64 << 20;
    private static final long SEED = 1;
    private static final int ROUNDS = 12;
    private static final int RECONNECT_EVERY = 4;

    private static WarpServer server;
    private static Target target;

    @BeforeAll
    static void start() throws Exception {
        server = WarpServer.start(InMemory.config(":/", SIZE_BYTES, Duration.ofSeconds(90)));
        target = Target.prepare(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void honestBeside(Attack.Worst worst, Way way) throws Exception {
        try (HonestClient honest = new HonestClient(server, way);
                Attack attack = new Attack(worst)) {
            honest.round();
            attack.begin(target, new Random(SEED + way.name().hashCode()));
            for (int round = 1; round <= ROUNDS; round++) {
                honest.round();
                if (round % RECONNECT_EVERY == 0) {
                    honest.reconnect();
                }
            }
        }
        // The attack must leave nothing behind after its end that keeps clients out.
        try (HonestClient honest = new HonestClient(server, way)) {
            honest.round();
        }
    }

    static Stream<Arguments> tcp() {
        return Stream.of(TcpAttack.values())
                .flatMap(attack -> Stream.of(Way.values()).map(way -> Arguments.of(attack, way)));
    }

    static Stream<Arguments> rdma() {
        return Stream.of(RdmaAttack.values())
                .flatMap(attack -> Stream.of(Way.values()).map(way -> Arguments.of(attack, way)));
    }

    static Stream<Arguments> state() {
        return Stream.of(StateAttack.values())
                .flatMap(attack -> Stream.of(Way.values()).map(way -> Arguments.of(attack, way)));
    }

    @ParameterizedTest
    @MethodSource("tcp")
    void hostilePeersOverTcp_doTheirWorst_honestClientIsServed(TcpAttack worst, Way way) throws Exception {
        honestBeside(worst::begin, way);
    }

    @ParameterizedTest
    @MethodSource("rdma")
    void hostilePeersOverRdma_doTheirWorst_honestClientIsServed(RdmaAttack worst, Way way) throws Exception {
        honestBeside(worst::begin, way);
    }

    @ParameterizedTest
    @MethodSource("state")
    void hostileClients_pileUpState_honestClientIsServed(StateAttack worst, Way way) throws Exception {
        honestBeside(worst::begin, way);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void mixture_drawnFromASeed_honestClientsAreServed(long seed) throws Exception {
        Random random = new Random(seed);
        List<Attack> attacks = new ArrayList<>();
        try (HonestClient overTcp = new HonestClient(server, Way.TCP);
                HonestClient overRdma = new HonestClient(server, Way.RDMA)) {
            try {
                for (int i = 0; i < 4; i++) {
                    Attack attack = new Attack(drawn(random));
                    attacks.add(attack);
                    attack.begin(target, new Random(random.nextLong()));
                    overTcp.round();
                    overRdma.round();
                }
                for (int round = 1; round <= ROUNDS; round++) {
                    overTcp.round();
                    overRdma.round();
                }
                overTcp.reconnect();
                overRdma.reconnect();
            } finally {
                for (Attack attack : attacks) {
                    attack.close();
                }
            }
        }
        assertThat(attacks).hasSize(4);
    }

    private static Attack.Worst drawn(Random random) {
        List<Attack.Worst> all = new ArrayList<>();
        for (TcpAttack attack : TcpAttack.values()) {
            all.add(attack::begin);
        }
        for (RdmaAttack attack : RdmaAttack.values()) {
            all.add(attack::begin);
        }
        return all.get(random.nextInt(all.size()));
    }
}
