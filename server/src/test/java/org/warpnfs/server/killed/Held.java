package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.warpnfs.server.killed.FileCalls.Answer;

/** The file that an NFSv4 client holds open and locked over all kills, and another client that wants it. */
final class Held {
    private static final int DENIED = 10_010;
    private static final int GRACE = 10_013;

    private final V4Client client;
    private final V4Client rival;
    /** Null while nothing is open. */
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

    /** How often it was reclaimed, open and lock. */
    int reclaimed() {
        return reclaimed;
    }

    /**
     * The client comes back to a server that was started anew, and gets what it had; the other one does not, meanwhile.
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

    /** What was made last is held from now on. */
    void hold(Node made) {
        client.holdCreated();
        node = made;
    }

    /** Locks what is held, unless it is locked. */
    void lock(Link link) throws Exception {
        if (!locked) {
            assertThat(outOfGrace(link, () -> client.lock(link, false)))
                    .as("LOCK")
                    .isZero();
            locked = true;
        }
    }

    /** Once the grace period is over the other client may open the file, and finds the lock. */
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
     * Asks again until the answer is another than GRACE, which it has to be in the end; the client's lease is renewed
     * meanwhile.
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

    /** The same, of a call with more than a status. */
    Answer answerOutOfGrace(Link link, Callable<Answer> call) throws Exception {
        Answer[] answer = new Answer[1];
        outOfGrace(link, () -> {
            answer[0] = call.call();
            return answer[0].status();
        });
        return answer[0];
    }
}
