package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.sim.LinkFaults;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.ModelCall;
import org.warpnfs.rpcrdma.testing.ModelRequester;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.testkit.Seeds;

/**
 * Requesters with calls of every kind, on links that delay, cut and break, to a responder with little memory and few
 * credits, whose programs end in any order. Some invariants are checked after every step, some by the requesters with
 * every reply, and the rest at the end.
 */
class ResponderSimulationTest {
    private static final int SEEDS = 4000;
    private static final int BUDGET_BYTES = 192 << 10;
    private static final int MAX_RECONNECTS = 40;

    /** How often each way was answered, over all seeds. The test proves nothing about a way that never occurs. */
    private final Map<ModelCall.Way, Integer> called = new EnumMap<>(ModelCall.Way.class);

    private final Map<Counter, Long> totals = new EnumMap<>(Counter.class);

    @Test
    void anyCallsAndFaults_eachStep_keepsTheRules() {
        Seeds.each(SEEDS, seed -> new Run(seed).run());
        if (Long.getLong("warpnfs.seed") == null) {
            assertThat(called.keySet()).containsExactlyInAnyOrder(ModelCall.Way.values());
            for (Counter counter : new Counter[] {
                Counter.MEMORY_WAITS,
                Counter.ORD_WAITS,
                Counter.LONG_CALLS,
                Counter.LONG_REPLIES,
                Counter.PADDED_CALLS,
                Counter.REPLIES_EXPOSED,
                Counter.DONES_RECEIVED,
                Counter.INVALIDATIONS_SENT,
                Counter.ERR_CHUNK_TOO_BIG_SENT,
                Counter.CONNECTIONS_LOST,
                Counter.CALLS_DROPPED
            }) {
                assertThat(totals.get(counter)).as("%s", counter).isPositive();
            }
        }
    }

    private final class Run {
        private final SplittableRandom random;
        private final boolean exposing;
        private final boolean resets;
        private final ResponderOptions options;
        private final Simulation simulation;
        private final PayloadPool pool = new PayloadPool(BUDGET_BYTES, 64 << 10);
        private final PayloadPool programPool = new PayloadPool(16 << 20, 1 << 20);
        private final EchoProgram program = new EchoProgram(programPool);
        private final List<Runnable> operations = new ArrayList<>();
        private final RpcRdmaService service;
        private final List<ModelRequester> requesters = new ArrayList<>();
        private int calls;

        Run(long seed) {
            random = new SplittableRandom(seed);
            exposing = random.nextBoolean();
            resets = random.nextInt(3) == 0;
            int credits = random.nextInt(1, 4);
            options = ResponderOptions.builder()
                    .credits(credits, random.nextInt(credits, 9))
                    .maxPostedWork(random.nextInt(16, 30))
                    .maxRunning(random.nextInt(1, 4))
                    .maxHeldBytes(random.nextInt(1, 200_000))
                    .rfc5666(
                            exposing
                                    ? new Rfc5666Options(true, 2, 60_000, 80_000, Duration.ofSeconds(60), true)
                                    : Rfc5666Options.DEFAULT)
                    .build();
            LinkFaults faults = new LinkFaults(
                    random.nextInt(1_000_000), random.nextInt(20, 20_000), resets ? 0.01 * random.nextDouble() : 0);
            simulation = new Simulation(seed, QueuePairConfig.defaults(), faults);
            service = RpcRdmaService.unwatched(
                    Map.of(EchoProgram.PROGRAM, program), operations::add, pool, options, transport -> {});
            simulation.listen(SimulatedResponder.ADDRESS, service);
        }

        void run() {
            for (int i = random.nextInt(1, 3); i > 0; i--) {
                requesters.add(new ModelRequester(
                        simulation.connector(),
                        random.split(),
                        options.maxCredits() + options.rfc5666().doneBuffers()));
            }
            int calls = random.nextInt(1, 14);
            while (this.calls < calls || unanswered()) {
                if (this.calls < calls && random.nextInt(10) == 0) {
                    call();
                }
                if (!step() && this.calls == calls) {
                    break;
                }
                check();
                if (requesters.stream().anyMatch(requester -> requester.reconnects > MAX_RECONNECTS)) {
                    // A link as bad as this one is answered often enough for other seeds.
                    break;
                }
            }
            end();
        }

        private boolean unanswered() {
            return requesters.stream().anyMatch(requester -> requester.unanswered() > 0);
        }

        private void call() {
            ModelCall.Way[] ways = ModelCall.Way.values();
            ModelCall.Way way = ways[random.nextInt(ways.length)];
            if (!exposing && way == ModelCall.Way.READ_EXPOSED) {
                way = ModelCall.Way.BULK_TOO_BIG;
            }
            called.merge(way, 1, Integer::sum);
            ModelRequester requester = requesters.get(random.nextInt(requesters.size()));
            requester.call(new ModelCall(++calls, way, exposing, random));
        }

        /** Runs one event of the network, or ends one program. */
        private boolean step() {
            if (!operations.isEmpty() && random.nextInt(6) == 0) {
                operations.remove(random.nextInt(operations.size())).run();
                return true;
            }
            if (resets && random.nextInt(2000) == 0) {
                simulation.resetAll();
            }
            if (simulation.step()) {
                return true;
            }
            if (operations.isEmpty()) {
                return false;
            }
            operations.remove(random.nextInt(operations.size())).run();
            return true;
        }

        private void check() {
            assertThat(simulation.internalErrors()).isEmpty();
            assertThat(pool.lentBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
            long connections = count(Counter.CONNECTIONS_OPEN);
            assertThat(count(Counter.CREDITS_GRANTED))
                    .isBetween(
                            connections,
                            connections
                                    * (options.maxCredits() + options.rfc5666().doneBuffers()));
            assertThat(count(Counter.CREDITS_IN_USE)).isBetween(0L, calls * 2L * MAX_RECONNECTS);
            assertThat(count(Counter.CREDIT_OVERRUNS)).isZero();
            assertThat(count(Counter.TERMINATES_SENT)).isZero();
            assertThat(count(Counter.TERMINATES_RECEIVED)).isZero();
        }

        private void end() {
            if (!resets) {
                assertThat(requesters.stream()
                                .mapToInt(requester -> requester.answered)
                                .sum())
                        .as("answers")
                        .isEqualTo(calls);
            }
            assertThat(program.runs).as("runs of one call on one connection").doesNotHaveDuplicates();
            requesters.forEach(ModelRequester::stop);
            service.close();
            while (simulation.step() || !operations.isEmpty()) {
                if (!operations.isEmpty()) {
                    operations.removeFirst().run();
                }
            }
            check();
            assertThat(pool.lentBytes()).isZero();
            assertThat(programPool.lentBytes()).isZero();
            for (Counter counter : Counter.values()) {
                if (counter.kind() == Counter.Kind.LEVEL) {
                    assertThat(count(counter)).as("%s", counter).isZero();
                }
                totals.merge(counter, count(counter), Long::sum);
            }
        }

        private long count(Counter counter) {
            return service.statistics().get(counter);
        }
    }
}
