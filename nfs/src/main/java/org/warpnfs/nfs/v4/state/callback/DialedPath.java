package org.warpnfs.nfs.v4.state.callback;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * The way back to one NFSv4.0 client: an address that the server connects to when it has something to say (RFC 7530,
 * section 10.2.1).
 *
 * <pre>
 *   state    event                                            next     output
 *   -        SETCLIENTID_CONFIRM                              UNTRIED
 *   UNTRIED  its reply is on its way                          PROBED   CB_NULL
 *   PROBED   CB_NULL answered                                 UP
 *   PROBED   CB_NULL failed, or not answered in time          DOWN
 *   UP       someone wants a delegated file                   UP       CB_RECALL
 *   UP       a recall failed, or was not answered in time     DOWN
 *   DOWN     renewed, or a file is wanted, after the pause    PROBED   CB_NULL
 *   UP,DOWN  SETCLIENTID_CONFIRM, the same address            UNTRIED
 *   any      SETCLIENTID_CONFIRM, another address, or none    -
 * </pre>
 *
 * UP does not mean that there is a connection: who carries calls makes one when it has none. A recall that had no
 * answer is sent again with the next that comes up: the client may see it twice and answers the second with an error.
 * Guarded by the lock of the state.
 */
public final class DialedPath {
    /** Tried again after a failure not before. */
    static final long RETRY_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** More wait until one is answered. */
    static final int MAX_RECALLS = 8;

    private static final int NFS4_OK = 0;

    private enum Phase {
        UNTRIED,
        PROBED,
        UP,
        DOWN
    }

    private record UnderWay(Recallable delegation, long sentNanos) {}

    private final Client client;
    private final CallbackCall.Dialed target;
    private final Consumer<CallbackCall> outbox;
    private final Map<CallbackCall.PlainRecall, UnderWay> recalls = new LinkedHashMap<>();
    private Phase phase = Phase.UNTRIED;
    private CallbackCall.@Nullable Null probe;
    private long probedNanos;
    private long downNanos;
    /** It was down, and nothing was heard since. */
    private boolean failing;

    DialedPath(Client client, CallbackAddress address, Consumer<CallbackCall> outbox) {
        this.client = client;
        this.target = new CallbackCall.Dialed(this, address, CallbackCredential.Sys.ofServer());
        this.outbox = outbox;
    }

    /** Whose it is. */
    public Client client() {
        return client;
    }

    /** True if a callback can be sent. */
    public boolean isUp() {
        return phase == Phase.UP;
    }

    /** It did not work when it was last tried; not so while it was never tried. */
    public boolean isDown() {
        return failing;
    }

    /** The reply that confirms the client is on its way. */
    public void confirmed(long nowNanos) {
        if (phase == Phase.UNTRIED) {
            probe(nowNanos);
        }
    }

    private void probe(long nowNanos) {
        phase = Phase.PROBED;
        probedNanos = nowNanos;
        probe = new CallbackCall.Null(target);
        outbox.accept(probe);
    }

    /** There is a reason to try once more, if it is down. */
    public void retry(long nowNanos) {
        expire(nowNanos);
        if (phase == Phase.DOWN && nowNanos - downNanos >= RETRY_PAUSE_NANOS) {
            probe(nowNanos);
        }
    }

    /** True if that brings the path up. */
    public boolean probed(long nowNanos, CallbackCall.Null call, boolean answered) {
        if (call != probe) {
            return false;
        }
        probe = null;
        if (!answered) {
            down(nowNanos);
            return false;
        }
        phase = Phase.UP;
        failing = false;
        return true;
    }

    private void down(long nowNanos) {
        phase = Phase.DOWN;
        probe = null;
        downNanos = nowNanos;
        failing = true;
    }

    /**
     * Sends CB_RECALL.
     *
     * @return false if the path is not up, or has enough under way
     */
    public boolean recall(long nowNanos, Recallable delegation) {
        retry(nowNanos);
        if (phase != Phase.UP || recalls.size() >= MAX_RECALLS) {
            return false;
        }
        CallbackCall.PlainRecall call = new CallbackCall.PlainRecall(
                target, new CallbackCall.Recall(delegation.stateid(), delegation.wireHandle()));
        recalls.put(call, new UnderWay(delegation, nowNanos));
        delegation.asked(nowNanos);
        outbox.accept(call);
        return true;
    }

    /** A recall has ended; one of which that was taken for granted already changes nothing. */
    public void recalled(long nowNanos, CallbackCall.PlainRecall call, CallbackOutcome outcome) {
        UnderWay ended = recalls.remove(call);
        if (ended == null) {
            return;
        }
        switch (outcome) {
            case CallbackOutcome.Compound compound ->
                ended.delegation().answered(compound.sequence() == NFS4_OK && compound.operation() == NFS4_OK);
            case CallbackOutcome.Failed _, CallbackOutcome.Done _ -> {
                ended.delegation().answered(false);
                if (phase == Phase.UP) {
                    down(nowNanos);
                }
            }
        }
    }

    /** What nobody answered for too long is taken for lost, and the path for down. */
    private void expire(long nowNanos) {
        if (phase == Phase.PROBED && nowNanos - probedNanos > CallbackCall.PATIENCE_NANOS) {
            down(nowNanos);
        }
        boolean lost = recalls.values().removeIf(underWay -> {
            boolean late = nowNanos - underWay.sentNanos() > CallbackCall.PATIENCE_NANOS;
            if (late) {
                underWay.delegation().answered(false);
            }
            return late;
        });
        if (lost && phase == Phase.UP) {
            down(nowNanos);
        }
    }

    boolean isTo(@Nullable CallbackAddress address) {
        return target.address().equals(address);
    }

    /**
     * Nothing is known of it any more, and what was under way counts as not sent. Its connection stays, if it has one,
     * and a CB_NULL that is under way, which finds out what another would.
     */
    void restart() {
        recalls.values().forEach(underWay -> underWay.delegation().answered(false));
        recalls.clear();
        failing = false;
        if (phase != Phase.PROBED) {
            phase = Phase.UNTRIED;
        }
    }
}
