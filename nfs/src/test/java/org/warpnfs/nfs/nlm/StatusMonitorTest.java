package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.stable.SummedText;

class StatusMonitorTest {
    private static final int CLIENT = NlmBench.CLIENT;
    private static final int OTHER = NlmBench.OTHER;

    @TempDir
    Path directory;

    private NlmBench start() {
        return new NlmBench(directory, ExportOptions.DEFAULTS);
    }

    private List<Path> hosts() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("hosts"))) {
            return files.toList();
        }
    }

    @Test
    void restart_clientHadALock_isToldReclaimsAndOthersWait() throws IOException {
        NlmBench first = start();
        assertThat(first.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(hosts()).hasSize(1);
        assertThat(Files.readString(directory.resolve("state"))).isEqualTo(SummedText.of("1"));

        NlmBench second = start();
        second.server.listening();

        PeerCall told = second.calls.getFirst();
        assertThat(told.host().getHostAddress()).isEqualTo("10.9.0.2");
        assertThat(told.from().isLoopbackAddress())
                .as("the address that it used")
                .isTrue();
        assertThat(told.program()).isEqualTo(100024);
        assertThat(told.procedure()).isEqualTo(6);
        assertThat(told.arguments().toBytes())
                .isEqualTo(new CallWriter().string("127.0.0.1").words(3).toBytes());

        assertThat(second.lock(OTHER, "b", false, true, 20, 1)).isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(second.test(OTHER, "b", 20, 1)).isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(second.lock(OTHER, "b", false, true, true, 0, 10)).isEqualTo(NlmStatus.DENIED);
        assertThat(second.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);

        assertThat(second.share(OTHER, "b", 1, 1, true, true))
                .as("who had nothing takes nothing from those who reclaim")
                .isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(second.share(CLIENT, "a", 2, 1, true, true)).isEqualTo(NlmStatus.GRANTED);

        second.nowNanos += NlmBench.GRACE_NANOS;
        assertThat(second.lock(OTHER, "b", false, true, 5, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(second.lock(OTHER, "b", false, true, 20, 1)).isEqualTo(NlmStatus.GRANTED);
        assertThat(second.lock(CLIENT, "a", false, true, true, 30, 10)).isEqualTo(NlmStatus.DENIED);
    }

    /** Others may have had its lock, and have changed the file. */
    @Test
    void restart_clientDidNotComeBackAfterTheOneBefore_isToldAndMayNotReclaim() {
        start().lock(CLIENT, "a", false, true, 0, 10);
        NlmBench second = start();
        second.runTimers();
        second.nowNanos += NlmBench.GRACE_NANOS;
        assertThat(second.lock(OTHER, "b", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);

        NlmBench third = start();
        third.server.listening();

        assertThat(third.calls).hasSize(2);
        assertThat(third.lock(CLIENT, "a", false, true, true, 20, 10)).isEqualTo(NlmStatus.DENIED);
        assertThat(third.lock(OTHER, "b", false, true, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void restart_inThePeriodOfTheOneBefore_allMayReclaimAgain() {
        NlmBench first = start();
        first.lock(CLIENT, "a", false, true, 0, 10);
        first.lock(OTHER, "b", false, true, 10, 10);
        assertThat(start().lock(OTHER, "b", false, true, true, 10, 10)).isEqualTo(NlmStatus.GRANTED);

        NlmBench third = start();
        assertThat(third.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(third.lock(OTHER, "b", false, true, true, 10, 10)).isEqualTo(NlmStatus.GRANTED);
    }

    /** A reclaim waits for others of its owner, and meanwhile the period may end. */
    @Test
    void reclaim_periodEndsBeforeTheLockIsTaken_isDenied() {
        start().lock(CLIENT, "a", false, true, 0, 10);
        NlmBench second = start();
        second.nowNanos += NlmBench.GRACE_NANOS;
        Iterator<Boolean> recovering = List.of(true, false).iterator();
        second.otherRecovery = () -> recovering.hasNext() && recovering.next();

        assertThat(second.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.DENIED);
        assertThat(second.server.lockCount()).isZero();
    }

    @Test
    void reclaim_anotherGatewayMayStillGrantIt_waitsUntilItMayNot() {
        start().lock(CLIENT, "a", false, true, 0, 10);
        NlmBench second = start();
        List<Integer> held = new ArrayList<>();
        second.ownReclaims = () -> {
            held.add(second.server.lockCount());
            return held.size() > 3;
        };

        assertThat(second.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(held).hasSizeGreaterThan(3).containsOnly(0);
    }

    @Test
    void reclaim_clientsOfTheGatewayAreDoneBeforeTheLockIsTaken_isDenied() {
        start().lock(CLIENT, "a", false, true, 0, 10);
        NlmBench second = start();
        boolean[] asked = new boolean[1];
        second.ownReclaims = () -> {
            boolean first = !asked[0];
            asked[0] = true;
            second.nowNanos += first ? 0 : NlmBench.GRACE_NANOS;
            return first;
        };

        assertThat(second.lock(CLIENT, "a", false, true, true, 0, 10)).isEqualTo(NlmStatus.DENIED);
        assertThat(second.server.lockCount()).isZero();
    }

    @Test
    void restart_clientDoesNotAnswer_isToldAgainForATime() {
        start().lock(CLIENT, "a", false, true, 0, 10);
        NlmBench second = start();
        second.server.listening();

        int attempts = 0;
        while (!second.answers.isEmpty()) {
            attempts++;
            second.answers.remove().completeExceptionally(new IOException("no route"));
            second.runTimers();
            assertThat(attempts).isLessThan(30);
        }
        assertThat(attempts).isGreaterThan(5);
    }

    @Test
    void restart_noClientHadALock_nobodyWaits() throws IOException {
        start();
        NlmBench second = start();
        second.server.listening();

        assertThat(second.calls).isEmpty();
        assertThat(second.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(Files.readString(directory.resolve("state"))).isEqualTo(SummedText.of("3"));
    }

    @Test
    void restart_recordDamagedOrHalfWritten_othersAreTold() throws IOException {
        start().lock(CLIENT, "a", false, true, 0, 10);
        Files.writeString(directory.resolve("hosts/0a090009-00"), "nonsense");
        Files.writeString(directory.resolve("hosts/0a090008-00.new"), "10.9");

        NlmBench second = start();
        second.server.listening();

        assertThat(second.calls).hasSize(1);
        assertThat(directory.resolve("hosts/0a090008-00.new")).doesNotExist();
    }

    @Test
    void lock_recordCannotBeWritten_isNotGranted() throws IOException {
        NlmBench bench = start();
        Files.delete(directory.resolve("hosts"));

        assertThat(bench.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.DENIED_NOLOCKS);
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void notify_fromAnotherAddress_freesNothing() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.share(CLIENT, "a", 3, 3, true);

        bench.notifyRestart(OTHER, "client.lab", 5);
        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.server.shareCount()).isEqualTo(1);

        bench.notifyRestart(CLIENT, "client.lab", 5);
        assertThat(bench.server.lockCount()).isZero();
        assertThat(bench.server.shareCount()).isZero();
    }

    @Test
    void notify_ofASecureExportFromAPortOfAnyUser_freesNothingAndTheTrueOneFreesAll() {
        NlmBench bench = new NlmBench(directory, ExportOptions.DEFAULTS.withPrivilegedPort(true));
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.share(CLIENT, "a", 3, 3, true);

        bench.port = NlmBench.ANYBODYS;
        bench.notifyRestart(CLIENT, "client.lab", 5);
        bench.notifyRestart(CLIENT, "another form", 5);
        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.server.shareCount()).isEqualTo(1);

        bench.port = NlmBench.PRIVILEGED;
        bench.notifyRestart(CLIENT, "client.lab", 5);
        assertThat(bench.server.lockCount())
                .as("its state was not used up by the false one")
                .isZero();
        assertThat(bench.server.shareCount()).isZero();
    }

    @Test
    void notify_ofAnExportThatTakesEveryPort_freesFromEveryPort() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.port = NlmBench.ANYBODYS;
        bench.notifyRestart(CLIENT, "client.lab", 5);
        assertThat(bench.server.lockCount()).isZero();
    }

    /** Hosts behind one address translator: one of them that restarts says nothing of the others. */
    @Test
    void notify_ofANeighbourBehindTheSameAddress_freesNothingOfTheOthers() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        assertThat(bench.lockAs(CLIENT, "neighbour.lab", 20)).isEqualTo(NlmStatus.GRANTED);

        bench.notifyRestart(CLIENT, "third.lab", 5);
        assertThat(bench.server.lockCount()).as("whose it is nobody knows").isEqualTo(2);

        bench.notifyRestart(CLIENT, "neighbour", 5);
        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.test(OTHER, "prober", 0, 10)).isEqualTo(NlmStatus.DENIED);
    }

    @Test
    void notify_anotherFormOfTheName_freesOnceForOneRestart() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.notifyRestart(CLIENT, "client", 5);
        assertThat(bench.server.lockCount()).isZero();

        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.notifyRestart(CLIENT, "client.elsewhere", 5);
        assertThat(bench.server.lockCount())
                .as("the same restart by another name")
                .isEqualTo(1);

        bench.notifyRestart(CLIENT, "client", 7);
        assertThat(bench.server.lockCount()).isZero();
    }

    /** A monitor repeats a notice over UDP until it has the answer, while its client may have locked files again. */
    @Test
    void notify_comesTwice_freesNothingThatWasLockedBetween() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.notifyRestart(CLIENT, "client.lab", 5);
        assertThat(bench.server.lockCount()).isZero();

        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.notifyRestart(CLIENT, "client.lab", 5);
        assertThat(bench.server.lockCount()).as("a repetition").isEqualTo(1);

        bench.notifyRestart(CLIENT, "another form", 7);
        assertThat(bench.server.lockCount()).isZero();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.notifyRestart(CLIENT, "client.lab", 7);
        assertThat(bench.server.lockCount())
                .as("the same restart by the name of the locks")
                .isEqualTo(1);

        bench.notifyRestart(CLIENT, "client.lab", 9);
        assertThat(bench.server.lockCount()).as("another restart").isZero();
    }

    @Test
    void notify_waitingRequest_isForgotten() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.lock(OTHER, "b", true, true, 0, 10);

        bench.notifyRestart(OTHER, "client.lab", 5);
        bench.unlock(CLIENT, "a", 0, 10);
        bench.runNotices();

        assertThat(bench.calls).isEmpty();
        assertThat(bench.service.waiting()).isZero();
    }

    @Test
    void procedures_ofTheMonitorsOwnHost_areRefused() {
        NlmBench bench = start();
        bench.lock(CLIENT, "a", false, true, 0, 10);
        for (int procedure = 0; procedure <= 6; procedure++) {
            byte[] message = CallWriter.call(9, NsmProgram.PROGRAM, 1, procedure)
                    .authNone()
                    .string("x")
                    .words(0, 0, 0)
                    .bytes(new byte[16])
                    .toBytes();
            ReplyReader reply = bench.send(bench.server.nsm(), OTHER, message);
            assertThat(reply.stat()).isEqualTo(ReplyReader.SUCCESS);
            if (procedure == NsmProgram.SM_STAT || procedure == NsmProgram.SM_MON) {
                assertThat(reply.word()).as("STAT_FAIL").isEqualTo(1);
                assertThat(reply.word()).isEqualTo(1);
            }
        }
        assertThat(bench.server.lockCount()).isEqualTo(1);
    }

    @Test
    void hosts_moreThanAClientsShare_getNoLock() {
        NlmBench bench = start();
        int monitored = 0;
        NlmStatus status = NlmStatus.GRANTED;
        for (int i = 0; status == NlmStatus.GRANTED && i < 20; i++) {
            status = bench.lockAs(CLIENT, "name" + i, 0);
            monitored += status == NlmStatus.GRANTED ? 1 : 0;
        }
        assertThat(monitored).isEqualTo(5);
        assertThat(bench.lock(OTHER, "b", false, false, 0, 1)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void name_anyBytes_isKeptOverARestart() {
        NlmBench first = start();
        String name = new String(new byte[] {'a', '\n', (byte) 0xff, '/', 0}, StandardCharsets.ISO_8859_1);
        CallWriter call = NlmBench.nlm(NlmProgram.LOCK)
                .words(0, 0)
                .opaque(name.getBytes(StandardCharsets.ISO_8859_1))
                .opaque(first.handle())
                .string("a")
                .words(1)
                .hyper(0)
                .hyper(1)
                .words(0, 1);
        NlmBench.sendRaw(first.server.nlm(), CLIENT, call.toBytes());

        NlmBench second = start();
        second.server.listening();

        assertThat(second.server.hostCount()).isEqualTo(1);
        assertThat(second.calls).hasSize(1);
    }
}
