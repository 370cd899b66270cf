package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.warpnfs.server.killed.FileCalls.Answer;

/** The file that one NFSv4 client holds open and locked across all kills, and a second client that competes for it. */
final class Held {
    private static final int DENIED = 10_010;
    private static final int GRACE = 10_013;

    private final V4Client client;
    private final V4Client rival;
    /** The file; null while none is open. */
    private Node node;

    private boolean locked;
    private int reclaimed;

    Held(int minor, String name, int uid) {
        client = new V4Client(minor, name, uid);
        rival = new V4Client(minor, "rival of " + name, uid);
    }

    V4Client client() {
        return client;
    }

    Node node() {
        return node;
    }

    /** Returns how often the client reclaimed both open and lock. */
    int reclaimed() {
        return reclaimed;
    }

    /**
     * Takes the client back to a restarted server, where it reclaims its open and its lock. Until then the server must
     * refuse the other client.
     */
    void recover(Link link, Link rivalLink, byte[] directory, Tree tree) throws Exception {
        client.introduce(link);
        rival.introduce(rivalLink);
        rival.completeReclaim(rivalLink);
        if (node != null) {
            int conflicting =
                    rival.open(rivalLink, directory, tree.nameOf(node)).status();
            if (link.life().isInTime()) {
                assertThat(conflicting).as("OPEN of what may be reclaimed").isEqualTo(GRACE);
            }
            rival.closeCreated(rivalLink);
            reclaim(link);
        }
        client.completeReclaim(link);
    }

    private void reclaim(Link link) throws Exception {
        int opened = client.reclaimOpen(link);
        if (link.life().isInTime()) {
            assertThat(opened).as("OPEN by CLAIM_PREVIOUS").isZero();
        }
        if (opened == FileCalls.OK && locked) {
            int status = client.lock(link, true);
            if (link.life().isInTime()) {
                assertThat(status).as("LOCK that reclaims").isZero();
            }
            reclaimed += status == FileCalls.OK ? 1 : 0;
            locked = status == FileCalls.OK;
        } else if (opened != FileCalls.OK) {
            node = null;
            locked = false;
        }
    }

    /** Holds the file that the client made last. */
    void hold(Node made) {
        client.holdCreated();
        node = made;
    }

    /** Locks the held file, unless it is locked already. */
    void lock(Link link) throws Exception {
        if (!locked) {
            assertThat(outOfGrace(link, () -> client.lock(link, false)))
                    .as("LOCK")
                    .isZero();
            locked = true;
        }
    }

    /** Waits for the end of the grace period. Then the other client can open the file, but its LOCK is denied. */
    void contest(Link link, Link rivalLink, byte[] directory, Tree tree) throws Exception {
        String name = tree.nameOf(node);
        assertThat(outOfGrace(link, () -> rival.open(rivalLink, directory, name).status()))
                .as("OPEN of what another holds")
                .isZero();
        assertThat(rival.lockCreated(rivalLink))
                .as("LOCK of what another has locked")
                .isEqualTo(DENIED);
        rival.closeCreated(rivalLink);
    }

    /**
     * Repeats a call while the server answers GRACE, and renews the client's lease meanwhile. Fails if the grace period
     * lasts too long.
     */
    int outOfGrace(Link link, Callable<Integer> call) throws Exception {
        long endNanos = System.nanoTime() + 4 * link.life().leaseNanos();
        int status = call.call();
        while (status == GRACE) {
            assertThat(System.nanoTime() - endNanos).as("time in grace").isNegative();
            assertThat(client.renew(link)).as("renewing the lease").isZero();
            Thread.sleep(20);
            status = call.call();
        }
        return status;
    }

    /** Does the same for a call that returns more than a status. */
    Answer answerOutOfGrace(Link link, Callable<Answer> call) throws Exception {
        Answer[] answer = new Answer[1];
        outOfGrace(link, () -> {
            answer[0] = call.call();
            return answer[0].status();
        });
        return answer[0];
    }
}
