package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.lanes.Lane;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.locks.Locker;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;

class NlmProgramTest {
    private static final int CLIENT = NlmBench.CLIENT;
    private static final int OTHER = NlmBench.OTHER;

    private final NlmBench bench = new NlmBench();

    /** An owner of another protocol. */
    private record Foreign(int process) implements Locker {
        @Override
        public boolean isGone() {
            return false;
        }

        @Override
        public ClientAddress address() {
            throw new UnsupportedOperationException("it holds nothing at a backend");
        }

        @Override
        public byte[] name() {
            return new byte[0];
        }
    }

    /** Others' short calls do not wait for the backend at which locks are released. */
    @Test
    void notifyOfARestart_runsWhereCallsMayTakeLong() {
        assertThat(bench.server.nsm().laneOf(NsmProgram.SM_NOTIFY, ByteBuffer.allocate(0), Lane.SHORT))
                .isEqualTo(Lane.LONG);
        assertThat(bench.server.nsm().laneOf(0, ByteBuffer.allocate(0), Lane.SHORT))
                .isEqualTo(Lane.SHORT);
    }

    @Test
    void lock_heldByAnotherClient_isDeniedUntilItIsUnlocked() {
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.lock(OTHER, "a", false, false, 9, 1))
                .as("the same name of another host is another owner")
                .isEqualTo(NlmStatus.DENIED);
        assertThat(bench.test(OTHER, "a", 5, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.test(OTHER, "a", 10, 0)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.unlock(OTHER, "a", 0, 0)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.lockCount())
                .as("others unlock only what is theirs")
                .isEqualTo(1);

        assertThat(bench.unlock(CLIENT, "a", 0, 0)).isEqualTo(NlmStatus.GRANTED);

        assertThat(bench.lock(OTHER, "a", false, true, 0, 0)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.lockCount()).isEqualTo(1);
    }

    @Test
    void lock_lengthZero_reachesToTheEndOfAllFiles() throws Exception {
        bench.lock(CLIENT, "a", false, true, 500, 0);

        HeldLock held =
                bench.service.conflict(bench.identity(), new Foreign(1), false, new ByteRange(1L << 62, 1L << 62));
        assertThat(held).isNotNull();
        assertThat(held.range()).isEqualTo(new ByteRange(500, -1));
        assertThat(bench.lock(OTHER, "b", false, true, -1, 17))
                .as("beyond the last byte")
                .isEqualTo(NlmStatus.DENIED);
    }

    /** The handle of an owner holds the host's name, for example, which may have changed since. */
    @Test
    void unlock_withAnotherHandleOfTheProcess_releases() {
        bench.lockAs(CLIENT, "client.lab", "7@localhost", 7);

        assertThat(bench.lockAs(CLIENT, "client.lab", "7@client", 7))
                .as("it is the owner")
                .isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.unlockAs(CLIENT, "client.lab", "7@client", 7)).isEqualTo(NlmStatus.GRANTED);

        assertThat(bench.server.lockCount()).isZero();
    }

    /** Hosts behind one address count their processes from the same number. */
    @Test
    void unlock_byAnotherHostOrProcessOfTheAddress_releasesNothing() {
        bench.lockAs(CLIENT, "client.lab", "7@client", 7);

        assertThat(bench.lockAs(CLIENT, "other.lab", "7@client", 7)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.lockAs(CLIENT, "client.lab", "7@client", 8)).isEqualTo(NlmStatus.DENIED);
        bench.unlockAs(CLIENT, "other.lab", "7@client", 7);
        bench.unlockAs(CLIENT, "client.lab", "7@client", 8);

        assertThat(bench.server.lockCount()).isEqualTo(1);
    }

    static Stream<Arguments> ends() {
        return Stream.of(-1L, -2L, Long.MIN_VALUE, Long.MAX_VALUE, 0L)
                .flatMap(offset -> Stream.of(0L, 1L, 2L, -1L, -2L, Long.MAX_VALUE, Long.MIN_VALUE)
                        .map(length -> Arguments.of(offset, length)));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void range_atTheEndOfAllOffsets_isLockedToldAndUnlocked(long offset, long length) {
        assertThat(bench.lock(CLIENT, "a", false, true, offset, length)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.test(OTHER, "a", offset, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.lock(OTHER, "a", false, true, offset, length)).isEqualTo(NlmStatus.DENIED);

        assertThat(bench.unlock(CLIENT, "a", offset, length)).isEqualTo(NlmStatus.GRANTED);

        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void blocked_unlocked_clientIsCalledWithItsOwnArguments() {
        bench.lock(CLIENT, "a", false, true, 0, 10);
        assertThat(bench.lock(OTHER, "b", true, true, 5, 20)).isEqualTo(NlmStatus.BLOCKED);
        assertThat(bench.lock(OTHER, "b", true, true, 5, 20)).as("asked again").isEqualTo(NlmStatus.BLOCKED);
        assertThat(bench.calls).isEmpty();

        bench.unlock(CLIENT, "a", 0, 10);
        bench.runNotices();

        PeerCall call = bench.calls.getFirst();
        assertThat(call.host().getHostAddress()).isEqualTo("10.9.0.3");
        assertThat(call.program()).isEqualTo(NlmProgram.PROGRAM);
        assertThat(call.procedure()).isEqualTo(NlmProgram.GRANTED);
        ByteBuffer arguments = ByteBuffer.wrap(call.arguments().toBytes());
        assertThat(arguments.getInt()).as("cookie").isEqualTo(8);
        arguments.position(12);
        assertThat(arguments.getInt()).as("exclusive").isEqualTo(1);
        byte[] rest = new byte[arguments.remaining()];
        arguments.get(rest);
        assertThat(rest)
                .isEqualTo(new CallWriter()
                        .string("client.lab")
                        .opaque(bench.handle())
                        .string("b")
                        .words("b".hashCode())
                        .hyper(5)
                        .hyper(20)
                        .toBytes());

        bench.answers.remove().complete(NlmBench.answer(NlmStatus.GRANTED));
        assertThat(bench.lock(CLIENT, "a", false, false, 24, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.server.lockCount()).isEqualTo(1);
    }

    @Test
    void granted_clientDoesNotWantIt_isReleased() {
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.lock(OTHER, "b", true, true, 0, 10);
        bench.unlock(CLIENT, "a", 0, 10);
        bench.runNotices();

        bench.answers.remove().complete(NlmBench.answer(NlmStatus.DENIED));

        assertThat(bench.server.lockCount()).isZero();
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void granted_clientLocksByItself_keepsTheLockWhateverItAnswersToTheCall() {
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.lock(OTHER, "b", true, true, 0, 10);
        bench.unlock(CLIENT, "a", 0, 10);
        bench.runNotices();

        assertThat(bench.lock(OTHER, "b", true, true, 0, 10)).isEqualTo(NlmStatus.GRANTED);
        bench.answers.remove().complete(NlmBench.answer(NlmStatus.DENIED));

        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.test(CLIENT, "a", 0, 1)).isEqualTo(NlmStatus.DENIED);
    }

    @Test
    void granted_clientCannotBeReached_isRetriedAndReleasedInTheEnd() {
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.lock(OTHER, "b", true, true, 0, 10);
        bench.unlock(CLIENT, "a", 0, 10);
        bench.runNotices();

        int attempts = 0;
        while (!bench.answers.isEmpty()) {
            attempts++;
            bench.answers.remove().completeExceptionally(new IOException("no route"));
            bench.runTimers();
            assertThat(attempts).isLessThan(20);
        }

        assertThat(attempts).isGreaterThan(3);
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void cancel_inLineOrGrantedButNotTold_endsIt() {
        bench.lock(CLIENT, "a", false, true, 0, 10);
        bench.lock(OTHER, "b", true, true, 0, 10);
        assertThat(bench.cancel(OTHER, "b", 0, 9)).as("another range").isEqualTo(NlmStatus.DENIED);
        assertThat(bench.cancel(OTHER, "b", 0, 10)).isEqualTo(NlmStatus.GRANTED);

        bench.lock(OTHER, "b", true, true, 0, 10);
        bench.unlock(CLIENT, "a", 0, 0);
        bench.runNotices();
        assertThat(bench.server.lockCount()).isEqualTo(1);
        assertThat(bench.cancel(OTHER, "b", 0, 10)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void lock_wouldWaitForItself_isADeadlock() {
        bench.lock(CLIENT, "a", false, true, 0, 1);
        bench.lock(OTHER, "b", false, true, 1, 1);
        assertThat(bench.lock(CLIENT, "a", true, true, 1, 1)).isEqualTo(NlmStatus.BLOCKED);

        assertThat(bench.lock(OTHER, "b", true, true, 0, 1)).isEqualTo(NlmStatus.DEADLCK);
    }

    @Test
    void lock_moreThanAClientsShare_hasNoRoomAndLeavesSomeToOthers() {
        int locked = 0;
        while (bench.lock(CLIENT, "hog", false, true, 10L * locked, 1) == NlmStatus.GRANTED) {
            locked++;
        }
        assertThat(locked).isBetween(45, 55);
        assertThat(bench.lock(CLIENT, "hog", false, true, 5, 1)).isEqualTo(NlmStatus.DENIED_NOLOCKS);

        assertThat(bench.lock(OTHER, "b", false, true, 5, 1)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.unlock(CLIENT, "hog", 0, 0)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.lockCount()).isEqualTo(1);
    }

    @Test
    void lock_readOnlyExport_onlyShared() {
        NlmBench readOnly = new NlmBench(null, ExportOptions.DEFAULTS.withReadOnly(true));

        assertThat(readOnly.lock(CLIENT, "a", false, true, 0, 1)).isEqualTo(NlmStatus.ROFS);
        assertThat(readOnly.lock(CLIENT, "a", false, false, 0, 1)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void lock_whereOnlyLayoutsAreTaken_isRefused() {
        NlmBench layoutsOnly = new NlmBench(ExportTraits.DEFAULTS.withLayoutsOnly(true));

        assertThat(layoutsOnly.lock(CLIENT, "a", false, false, 0, 1)).isEqualTo(NlmStatus.FAILED);
        assertThat(layoutsOnly.unlock(CLIENT, "a", 0, 1))
                .as("one from before the exports were read again")
                .isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void lock_anotherProtocolReclaims_isPutOff() {
        bench.otherGrace = true;
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 1)).isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(bench.lock(CLIENT, "a", false, true, true, 0, 1))
                .as("a reclaim of a client that had nothing")
                .isEqualTo(NlmStatus.DENIED);

        bench.otherGrace = false;
        assertThat(bench.lock(CLIENT, "a", false, true, 0, 1)).isEqualTo(NlmStatus.GRANTED);
    }

    /** The lock of the service decides, not what was true when the call came. */
    @Test
    void lock_gracePeriodOfTheClusterBeginsMeanwhile_isPutOff() {
        boolean[] enforced = new boolean[1];
        bench.service.holdBackWhile(() -> enforced[0]);
        bench.beforeLock = () -> enforced[0] = true;

        assertThat(bench.lock(CLIENT, "a", false, true, 0, 1)).isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        enforced[0] = false;
        assertThat(bench.lock(CLIENT, "a", true, true, 0, 1))
                .as("one that would wait")
                .isEqualTo(NlmStatus.DENIED_GRACE_PERIOD);
        assertThat(bench.server.lockCount()).isZero();
        assertThat(bench.service.waiting()).isZero();

        bench.beforeLock = () -> {};
        enforced[0] = false;
        assertThat(bench.lock(CLIENT, "a", true, true, 0, 1)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void share_denied_untilUnshared() {
        assertThat(bench.share(CLIENT, "a", 2, 3, true)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.share(OTHER, "b", 0, 2, true)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.share(OTHER, "b", 1, 1, true)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.share(OTHER, "b", 0, 1, true)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.share(CLIENT, "a", 0, 0, false)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.share(OTHER, "b", 1, 2, true)).isEqualTo(NlmStatus.GRANTED);
        assertThat(bench.server.shareCount()).isEqualTo(1);
    }

    @Test
    void share_thatAnOpenOfNfs4Excludes_isDenied() {
        bench.openDenies = 2;
        bench.openHas = 1;
        assertThat(bench.share(CLIENT, "a", 0, 2, true)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.share(CLIENT, "a", 1, 1, true)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.share(CLIENT, "a", 2, 1, true)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void share_ofAFileSystemThatIsNoLongerServed_ends() {
        bench.share(CLIENT, "a", 2, 3, true);
        bench.server.withdraw(new MemoryFileSystem(1 << 20, 100));
        assertThat(bench.server.shareCount()).isOne();

        bench.server.withdraw(bench.fs);

        assertThat(bench.server.shareCount()).isZero();
        assertThat(bench.share(OTHER, "b", 3, 3, true)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void share_moreThanAClientsShare_hasNoRoom() {
        int shared = 0;
        while (bench.share(CLIENT, "a" + shared, 0, 1, true) == NlmStatus.GRANTED) {
            shared++;
        }
        assertThat(shared).isEqualTo(5);
        assertThat(bench.share(OTHER, "b", 0, 1, true)).isEqualTo(NlmStatus.GRANTED);
    }

    @Test
    void freeAll_ofAnotherAddress_freesNothing() {
        bench.lock(CLIENT, "a", false, true, 0, 1);

        bench.freeAll(OTHER, "client.lab");
        assertThat(bench.server.lockCount()).isEqualTo(1);

        bench.freeAll(CLIENT, "client.lab");
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void everyProcedure_ofASecureExportFromAPortOfAnyUser_isRefusedAndChangesNothing() {
        NlmBench secure = new NlmBench(null, ExportOptions.DEFAULTS.withPrivilegedPort(true));
        assertThat(secure.lock(CLIENT, "a", false, true, 0, 1)).isEqualTo(NlmStatus.GRANTED);
        assertThat(secure.lock(OTHER, "b", true, true, 0, 1)).isEqualTo(NlmStatus.BLOCKED);
        assertThat(secure.share(CLIENT, "a", 0, 1, true)).isEqualTo(NlmStatus.GRANTED);
        secure.port = NlmBench.ANYBODYS;

        assertThat(secure.test(CLIENT, "a", 5, 1)).isEqualTo(NlmStatus.FAILED);
        assertThat(secure.lock(CLIENT, "a", false, true, 5, 1)).isEqualTo(NlmStatus.FAILED);
        assertThat(secure.unlock(CLIENT, "a", 0, 1)).isEqualTo(NlmStatus.FAILED);
        assertThat(secure.cancel(OTHER, "b", 0, 1)).isEqualTo(NlmStatus.FAILED);
        assertThat(secure.share(CLIENT, "a", 0, 1, true)).isEqualTo(NlmStatus.FAILED);
        assertThat(secure.share(CLIENT, "a", 0, 1, false)).isEqualTo(NlmStatus.FAILED);
        secure.freeAll(CLIENT, "client.lab");
        // The forms that are answered by calls of their own: TEST_MSG, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG.
        for (int procedure = NlmProgram.TEST_MSG; procedure < NlmProgram.GRANTED_MSG; procedure++) {
            CallWriter call = NlmBench.nlm(procedure)
                    .words(
                            procedure == NlmProgram.TEST_MSG
                                    ? new int[] {1}
                                    : procedure == NlmProgram.TEST_MSG + 3 ? new int[0] : new int[] {1, 1});
            call.string("client.lab")
                    .opaque(secure.handle())
                    .string("a")
                    .words(1)
                    .hyper(0)
                    .hyper(1);
            secure.send(secure.server.nlm(), CLIENT, call.words(0, 3).toBytes());
        }
        // GRANTED_RES and its like, of which nothing depends.
        for (int procedure = NlmProgram.TEST_RES; procedure <= NlmProgram.GRANTED_RES; procedure++) {
            secure.send(
                    secure.server.nlm(),
                    CLIENT,
                    NlmBench.nlm(procedure).words(0).toBytes());
        }

        assertThat(secure.calls).as("the answers of the _MSG forms").hasSize(4).allSatisfy(call -> assertThat(
                        NlmBench.lastWord(call.arguments().toBytes()))
                .isEqualTo(NlmStatus.FAILED.code()));
        assertThat(secure.server.lockCount()).isEqualTo(1);
        assertThat(secure.server.shareCount()).isEqualTo(1);
        assertThat(secure.service.waiting()).isEqualTo(1);
        secure.port = NlmBench.PRIVILEGED;
        secure.freeAll(CLIENT, "client.lab");
        secure.runNotices();
        assertThat(secure.server.lockCount()).as("now the other's").isEqualTo(1);
        assertThat(secure.server.shareCount()).isZero();
    }

    @Test
    void freeAll_ofAnExportThatTakesEveryPort_isDoneFromEveryPort() {
        bench.lock(CLIENT, "a", false, true, 0, 1);
        bench.port = NlmBench.ANYBODYS;
        bench.freeAll(CLIENT, "client.lab");
        assertThat(bench.server.lockCount()).isZero();
    }

    @Test
    void message_lockByMsg_isAnsweredByACallOfRes() {
        byte[] message = NlmBench.nlm(NlmProgram.TEST_MSG)
                .words(1)
                .string("client.lab")
                .opaque(bench.handle())
                .string("a")
                .words(1)
                .hyper(0)
                .hyper(0)
                .toBytes();

        ReplyReader reply = bench.send(bench.server.nlm(), CLIENT, message);

        assertThat(reply.stat()).isEqualTo(ReplyReader.SUCCESS);
        assertThat(reply.remaining()).isZero();
        PeerCall call = bench.calls.getFirst();
        assertThat(call.procedure()).isEqualTo(NlmProgram.TEST_RES);
        assertThat(bench.answersSent).as("GRANTED does not wait for it").isEqualTo(1);
        assertThat(call.arguments().toBytes())
                .isEqualTo(
                        new CallWriter().opaque(new byte[] {1, 2, 3}).words(0).toBytes());
    }

    @Test
    void handle_forgedOrOversized_isRefused() {
        CallWriter lock =
                NlmBench.nlm(NlmProgram.LOCK).words(0, 1).string("client.lab").opaque(new byte[65]);
        assertThat(bench.send(
                                bench.server.nlm(),
                                CLIENT,
                                lock.string("a").words(1, 0, 0, 0, 0, 0, 1).toBytes())
                        .stat())
                .isEqualTo(ReplyReader.GARBAGE_ARGS);

        CallWriter forged = NlmBench.nlm(NlmProgram.LOCK)
                .words(0, 1)
                .string("client.lab")
                .opaque(new byte[32])
                .string("a")
                .words(1, 0, 0, 0, 0, 0, 1);
        ReplyReader reply = bench.send(bench.server.nlm(), CLIENT, forged.toBytes());
        reply.opaque(1024);
        assertThat(reply.word()).isEqualTo(NlmStatus.FAILED.code());
    }

    @Test
    void arguments_cutOrMutated_areAnsweredAndGrantNothingToOthers() {
        byte[] whole = NlmBench.nlm(NlmProgram.LOCK)
                .words(0, 1)
                .string("client.lab")
                .opaque(bench.handle())
                .string("a")
                .words(1)
                .hyper(0)
                .hyper(10)
                .words(0, 1)
                .toBytes();
        int header = CallWriter.call(7, 1, 1, 1).authSys(0, 0).toBytes().length;
        for (int length = header; length < whole.length; length++) {
            ReplyReader reply = bench.send(bench.server.nlm(), CLIENT, Arrays.copyOf(whole, length));
            assertThat(reply.stat()).as("%d bytes", length).isEqualTo(ReplyReader.GARBAGE_ARGS);
        }
        assertThat(bench.server.lockCount()).isZero();
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            byte[] mutated = whole.clone();
            mutated[23] = (byte) random.nextInt(25);
            for (int i = 0; i < 4; i++) {
                mutated[header + random.nextInt(whole.length - header)] = (byte) random.nextInt();
            }
            ReplyReader reply = bench.send(bench.server.nlm(), CLIENT, mutated);
            assertThat(reply.stat()).as("seed %d", seed).isIn(0, ReplyReader.PROC_UNAVAIL, ReplyReader.GARBAGE_ARGS);
        }
    }

    @Test
    void program_otherVersion_isAMismatch() {
        byte[] message = CallWriter.call(7, NlmProgram.PROGRAM, 3, 0).authNone().toBytes();

        assertThat(bench.send(bench.server.nlm(), CLIENT, message).stat()).isEqualTo(ReplyReader.PROG_MISMATCH);
        assertThat(List.of(16, 19, 24)).allSatisfy(procedure -> assertThat(bench.send(
                                bench.server.nlm(),
                                CLIENT,
                                NlmBench.nlm(procedure).toBytes())
                        .stat())
                .isEqualTo(ReplyReader.PROC_UNAVAIL));
    }
}
