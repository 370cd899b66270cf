package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.testkit.Seeds;

/**
 * Clients of NFSv4.0 and NFSv4.2 that send any operations in any order, many of them invalid. Each call is answered,
 * none by a defect, and when the leases have run out no state of the clients is left.
 */
class AnyCompoundTest {
    private static final int HISTORIES = 400;
    private static final int COMPOUNDS = 120;
    /** Length of the header of a call with AUTH_SYS and no further groups. */
    private static final int RPC_HEADER_BYTES = 60;

    /**
     * All operations except those that are not served, and DELEGRETURN: the clients here cannot be called back, so they
     * get no delegation.
     */
    private static final List<OpCode> SERVED = List.of(
            OpCode.ACCESS,
            OpCode.CLOSE,
            OpCode.COMMIT,
            OpCode.CREATE,
            OpCode.GETATTR,
            OpCode.GETFH,
            OpCode.LINK,
            OpCode.LOCK,
            OpCode.LOCKT,
            OpCode.LOCKU,
            OpCode.LOOKUP,
            OpCode.LOOKUPP,
            OpCode.NVERIFY,
            OpCode.OPEN,
            OpCode.OPEN_CONFIRM,
            OpCode.OPEN_DOWNGRADE,
            OpCode.PUTFH,
            OpCode.PUTPUBFH,
            OpCode.PUTROOTFH,
            OpCode.READ,
            OpCode.READDIR,
            OpCode.READLINK,
            OpCode.REMOVE,
            OpCode.RENAME,
            OpCode.RENEW,
            OpCode.RESTOREFH,
            OpCode.SAVEFH,
            OpCode.SECINFO,
            OpCode.SETATTR,
            OpCode.SETCLIENTID,
            OpCode.SETCLIENTID_CONFIRM,
            OpCode.VERIFY,
            OpCode.WRITE,
            OpCode.RELEASE_LOCKOWNER,
            OpCode.FREE_STATEID,
            OpCode.TEST_STATEID,
            OpCode.ALLOCATE,
            OpCode.COPY,
            OpCode.DEALLOCATE,
            OpCode.IO_ADVISE,
            OpCode.READ_PLUS,
            OpCode.SEEK,
            OpCode.GETXATTR,
            OpCode.SETXATTR,
            OpCode.LISTXATTRS,
            OpCode.REMOVEXATTR);

    @Test
    void anyCompounds_ofOldAndNewClients_areAnsweredAndLeaveNothing() {
        Set<OpCode> all = EnumSet.noneOf(OpCode.class);
        AtomicInteger histories = new AtomicInteger();
        Seeds.each(HISTORIES, seed -> {
            histories.incrementAndGet();
            try (V4Server server = new V4Server()) {
                play(server, new Random(seed), all);
            }
        });
        if (histories.get() >= HISTORIES) {
            assertThat(all).as("operations that came about").containsAll(SERVED);
        }
    }

    private static void play(V4Server server, Random random, Set<OpCode> succeeded) {
        KnownToAClient known = new KnownToAClient(random);
        AnyCompound compounds = new AnyCompound(known);
        V40Client old = V40Client.mounted(server, "old");
        V4Client recent = V4Client.mounted(server, "recent", 0);
        known.meet(old, recent);
        for (int i = 0; i < COMPOUNDS; i++) {
            boolean isOld = random.nextBoolean();
            Ops ops = compounds.any(isOld ? 0 : 2);
            byte[] message = isOld
                    ? old.wire.message("", 0, ops)
                    : recent.message("", 2, recent.sequence(0, ++recent.seqids[0], ops));
            if (isOld && random.nextInt(20) == 0) {
                message =
                        Arrays.copyOf(message, Math.max(RPC_HEADER_BYTES, message.length - 4 * random.nextInt(1, 12)));
            }
            byte[] bytes = server.send(recent.connection, message);
            known.learn(bytes);
            note(succeeded, compounds.codes(), bytes, isOld ? 0 : 1);
            // A call that was cut before its operations is not a COMPOUND: GARBAGE_ARGS.
            int status = bytes.length > 24 ? ByteBuffer.wrap(bytes).getInt(24) : Nfs4Status.BADXDR.code();
            assertThat(Reply.of(status)).as("compound %d", i).isNotEqualTo(Nfs4Status.SERVERFAULT);
            if (!isOld && status == Nfs4Status.BADSESSION.code()) {
                recent = V4Client.mounted(server, "recent" + i, 0);
                known.newClientId = recent.clientId;
            }
            if (random.nextInt(30) == 0) {
                server.pass(Duration.ofSeconds(random.nextInt(120)));
            }
        }
        server.pass(V4Server.LEASE.multipliedBy(1000));
        V40Client last = new V40Client(server, "last");
        last.readClientid(last.send(last.setClientid(1)));
        StateTable.Counts left = server.program().counts();
        assertThat(left.clients()).as("clients, of whom the last has just come").isOne();
        assertThat(Map.of(
                        "sessions", left.sessions(),
                        "slots", left.slots().granted(),
                        "busy slots", left.slots().busy(),
                        "opens", left.opens(),
                        "locks", left.locks(),
                        "stateids", left.stateids(),
                        "open-owners", left.openOwners(),
                        "delegations", left.delegations(),
                        "bytes of kept replies", (int) left.keptReplyBytes()))
                .as("what clients that are gone left")
                .allSatisfy((what, count) -> assertThat(count).as(what).isZero());
    }

    private static void note(Set<OpCode> succeeded, List<OpCode> codes, byte[] bytes, int operationsBefore) {
        if (bytes.length > 36) {
            ByteBuffer words = ByteBuffer.wrap(bytes);
            int executed = words.getInt(32) - operationsBefore - (words.getInt(24) == 0 ? 0 : 1);
            for (int i = 0; i < executed; i++) {
                succeeded.add(codes.get(i));
            }
        }
    }
}
