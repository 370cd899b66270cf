package org.warpnfs.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.server.config.ConfigException;

/**
 * Which limits the server plans for a machine's heap, direct memory and descriptors. The test calls the calculation
 * directly.
 */
class BudgetsTest {
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;
    private static final Machine LARGE = machine(4 * GIB, 4 * GIB, Long.MAX_VALUE, 1 << 20);

    private static Machine machine(long heap, long direct, long container, int descriptors) {
        int sockets = descriptors / 4;
        return new Machine(
                heap, direct, container, descriptors, sockets, descriptors - sockets - Math.min(256, descriptors / 8));
    }

    private static Budgets.Plan plan(Machine machine) throws ConfigException {
        return Budgets.plan(new Budgets.Wanted(ServerLimits.DEFAULT, false, 1, 0, 0, false), machine);
    }

    private static void assertRefused(Machine machine, String... parts) {
        assertThatThrownBy(() -> plan(machine))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").contains(parts));
    }

    @Test
    void enough_allIsTaken_andSaidInOneLine() throws ConfigException {
        Budgets.Plan plan = plan(LARGE);
        assertThat(plan.limits()).isEqualTo(ServerLimits.DEFAULT);
        assertThat(plan.line())
                .startsWith("limits  1024 connections over RDMA and over TCP each; heap ")
                .contains(" of 4096 MiB; direct memory ", "; descriptors 262144 for connections", "without a limit")
                .doesNotContain("less than usual", "\n");
    }

    @Test
    void directMemory_isLess_payloadGivesFirst() throws ConfigException {
        Budgets.Plan plan = plan(machine(4 * GIB, 808 * MIB, Long.MAX_VALUE, 1 << 20));
        assertThat(plan.limits().memory().payloadBytes()).isEqualTo(112 * MIB);
        assertThat(plan.limits().withPayloadBytes(256 * MIB)).isEqualTo(ServerLimits.DEFAULT);
        assertThat(plan.line())
                .contains("direct memory 808 of 808 MiB")
                .endsWith("less than usual: payload memory 112 of 256 MiB");
    }

    @Test
    void directMemory_isMuchLess_recordsAndReceivesGiveThenConnections() throws ConfigException {
        ServerLimits some =
                plan(machine(4 * GIB, 508 * MIB, Long.MAX_VALUE, 1 << 20)).limits();
        assertThat(some.memory().payloadBytes()).isEqualTo(64 * MIB);
        assertThat(some.tcp().recordMemoryBytes()).isEqualTo(64 * MIB);
        assertThat(some.rdma().receiveBuffers()).isEqualTo((500 - 48 - 64 - 64 - 128) * MIB / 4096);
        assertThat(some.connections().most()).isEqualTo(1024);
        ServerLimits fewer =
                plan(machine(4 * GIB, 288 * MIB, Long.MAX_VALUE, 1 << 20)).limits();
        assertThat(fewer.rdma().receiveBuffers()).isEqualTo(64 * MIB / 4096);
        assertThat(fewer.connections())
                .isEqualTo(new ServerLimits.Connections(
                        320, 80, 160, 40, ServerLimits.DEFAULT.connections().idleBeforeEviction()));
    }

    @Test
    void directMemory_isJustEnough_theLeastIsTaken_andBelowItThereIsNoServer() throws ConfigException {
        ServerLimits least =
                plan(machine(4 * GIB, 90 * MIB, Long.MAX_VALUE, 1 << 20)).limits();
        assertThat(least.memory().payloadBytes()).isEqualTo(8 * MIB);
        assertThat(least.tcp().recordMemoryBytes()).isEqualTo(8 * MIB);
        assertThat(least.rdma().receiveBuffers()).isEqualTo(16 * MIB / 4096);
        assertThat(least.connections().most()).isEqualTo(16);
        assertRefused(
                machine(4 * GIB, 90 * MIB - 1, Long.MAX_VALUE, 1 << 20),
                "direct memory of 90 MiB",
                "-XX:MaxDirectMemorySize");
    }

    /** The container of 1 GiB that docs/operate.md describes, and smaller ones. */
    @Test
    void manyConnections_littleMemory_eachHasReceiveBuffersToBeginWith() throws ConfigException {
        Map<String, Object> values = LimitValues.of(ServerLimits.DEFAULT);
        values.put("connections.most", 2250L);
        Budgets.Wanted wanted = new Budgets.Wanted(LimitValues.limits(values), false, 1, 0, 0, false);
        int first = LayerLimits.responder(wanted.limits(), false).firstReceives();
        for (long direct : new long[] {560, 525, 400, 100}) {
            ServerLimits fitting = Budgets.plan(wanted, machine(298 * MIB, direct * MIB, GIB, 20_000))
                    .limits();
            assertThat(fitting.rdma().receiveBuffers())
                    .as("with direct memory of %d MiB", direct)
                    .isGreaterThanOrEqualTo((long) fitting.connections().most() * first);
            assertThat(fitting.connections().most())
                    .isEqualTo(
                            switch ((int) direct) {
                                case 560 -> 2250;
                                case 525 -> 2024;
                                case 400 -> 1024;
                                default -> fitting.connections().most();
                            });
        }
    }

    @Test
    void netty_hasWhatAllElseLeaves_andNoMore() throws ConfigException {
        assertThat(plan(LARGE).nettyBytes()).isEqualTo((4096 - 256 - 256 - 64 - 24) * MIB);
        assertThat(plan(machine(GIB, GIB, 2 * GIB - 96 * MIB, 1 << 20)).nettyBytes())
                .as("of what the container leaves, which is less than the virtual machine would give")
                .isEqualTo((832 - 136 - 256 - 64 - 24) * MIB);
        assertThat(plan(machine(4 * GIB, 90 * MIB, Long.MAX_VALUE, 1 << 20)).nettyBytes())
                .as("records, what comes over TCP, and 32 MiB")
                .isEqualTo((8 + 1 + 32) * MIB);
    }

    @Test
    void filesInMemory_moreThanDirectMemory_haveWhatTheRestLeaves() throws ConfigException {
        Budgets.Plan plan = Budgets.plan(
                new Budgets.Wanted(ServerLimits.DEFAULT, false, 0, 2, GIB, true),
                machine(4 * GIB, GIB, Long.MAX_VALUE, 1 << 20));
        assertThat(plan.memoryExportBytes())
                .as("a ninth of its part is for pages that are lent")
                .isEqualTo(372 * MIB / 9 * 8);
        assertThat(plan.line()).contains("files in memory 744 of 2304 MiB");
        assertThat(plan.limits().state().opens())
                .as("no descriptor each")
                .isEqualTo(ServerLimits.DEFAULT.state().opens());
    }

    /** With --splice off nothing is lent, so the files may have all of their part. */
    @Test
    void filesInMemory_thatLendNoPages_haveTheWholePart() throws ConfigException {
        Budgets.Plan plan = Budgets.plan(
                new Budgets.Wanted(ServerLimits.DEFAULT, false, 0, 2, GIB, false),
                machine(4 * GIB, GIB, Long.MAX_VALUE, 1 << 20));
        assertThat(plan.memoryExportBytes()).isEqualTo(372 * MIB);
        assertThat(plan.line()).contains("files in memory 744 of 2048 MiB");
    }

    @Test
    void heap_isLess_repliesGiveFirstThenLocksOfNlmThenState() throws ConfigException {
        Budgets.Plan large = plan(machine(4 * GIB, 4 * GIB, Long.MAX_VALUE, 1 << 20));
        assertThat(large.limits()).isEqualTo(ServerLimits.DEFAULT);
        assertThat(large.nlm()).isEqualTo(NlmLimits.DEFAULT);
        Budgets.Plan plan = plan(machine(2 * GIB, 4 * GIB, Long.MAX_VALUE, 1 << 20));
        assertThat(plan.limits().rdma().replyBytes()).isEqualTo(32 * MIB);
        assertThat(plan.limits().tcp().unsentBytesOfAll()).isEqualTo(32 * MIB);
        assertThat(plan.nlm().maxLocks()).isBetween(12_500, 99_999);
        assertThat(plan.line()).contains("heap 1639 of 2048 MiB", "RDMA replies 32 of 256 MiB", "TCP replies ");
        Budgets.Plan some = plan(machine(512 * MIB, 4 * GIB, Long.MAX_VALUE, 1 << 20));
        assertThat(some.nlm().maxLocks()).isEqualTo(12_500);
        assertThat(some.limits().state().opens()).isEqualTo(8_192);
        assertThat(some.limits().state().locks()).isEqualTo(32_768);
        assertThat(some.limits().state().clients()).isBetween(1_024, 4_096);
        assertThat(some.limits().state().sessions())
                .isEqualTo(some.limits().state().clients());
        ServerLimits little =
                plan(machine(160 * MIB, 4 * GIB, Long.MAX_VALUE, 1 << 20)).limits();
        assertThat(little.rdma().replyBytes()).isEqualTo(4 * MIB);
        assertThat(little.state().clients()).isBetween(128, 2048);
        assertThat(little.state().opensOfClient())
                .isLessThanOrEqualTo(little.state().opens());
    }

    /** The collector needs room beside all that clients can make the server hold. */
    @ParameterizedTest
    @ValueSource(ints = {96, 160, 512, 1024, 2048, 6144})
    void heap_whateverItsSize_aFifthIsInNoBudget(int heapMib) throws ConfigException {
        long heapBytes = heapMib * MIB;
        for (boolean readReplies : new boolean[] {false, true}) {
            Budgets.Wanted wanted = new Budgets.Wanted(ServerLimits.DEFAULT, readReplies, 1, 0, 0, false);
            Budgets.Plan plan = Budgets.plan(wanted, machine(heapBytes, 4 * GIB, Long.MAX_VALUE, 1 << 20));
            ServerLimits limits = plan.limits();
            StateLimits state = LayerLimits.state(limits, 1 << 20);
            // Objects of the program, and the table of handles.
            long declared = 32 * MIB
                    + heapBytes / 8
                    + limits.rdma().replyBytes()
                    + (readReplies ? limits.rdma().exposedBytesOfAll() : 0)
                    + limits.tcp().unsentBytesOfAll()
                    + limits.memory().keptReplyBytes()
                    + state.maxReplyCacheBytes()
                    + state.clientBytes()
                    + state.fileBytes()
                    + plan.nlm().heapBytes();
            assertThat(declared)
                    .as("bytes that all limits allow, of %d MiB", heapMib)
                    .isLessThanOrEqualTo(heapBytes - heapBytes / 5)
                    .isLessThanOrEqualTo(plan.heapBytes());
        }
    }

    @Test
    void heap_belowTheLeast_isRefused() {
        assertRefused(machine(40 * MIB, 4 * GIB, Long.MAX_VALUE, 1 << 20), "Java heap of 40 MiB", "raise -Xmx");
    }

    @Test
    void container_holdsHeapAndLittleElse_directMemoryIsLess() throws ConfigException {
        Budgets.Plan plan = plan(machine(GIB, GIB, 2 * GIB - 96 * MIB, 1 << 20));
        assertThat(plan.limits().memory().payloadBytes()).isEqualTo((256 - 952 + 832) * MIB);
        assertThat(plan.line()).contains("container 1952 MiB", "direct memory 832 of 1024 MiB");
    }

    @Test
    void container_doesNotHoldTheHeap_isRefused() {
        assertRefused(
                machine(GIB, GIB, GIB + 100 * MIB, 1 << 20),
                "container's memory of 1124 MiB",
                "heap of 1024 MiB",
                "lower -Xmx");
    }

    @Test
    void descriptors_areFew_connectionsAndOpensAreFewer() throws ConfigException {
        Budgets.Plan plan = plan(machine(4 * GIB, 4 * GIB, Long.MAX_VALUE, 1024));
        assertThat(plan.limits().connections().most()).isEqualTo(96);
        assertThat(plan.limits().connections().ofClient()).isEqualTo(24);
        assertThat(plan.limits().state().opens()).isEqualTo(640);
        assertThat(plan.limits().memory().idleFiles()).isEqualTo(320);
        assertThat(plan.line()).contains("connections of each 96 of 1024", "opens 640 of 65536");
    }

    @Test
    void descriptors_tooFew_areRefused() {
        assertRefused(machine(4 * GIB, 4 * GIB, Long.MAX_VALUE, 160), "160 descriptors", "ulimit -n");
    }
}
