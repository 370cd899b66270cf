package org.warpnfs.nfs.v4.state.callback;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * The callback path to one NFSv4.0 client: an address that the server connects to when it has to call (RFC 7530,
 * section 10.2.1).
 *
 * <pre>
 *   state    event                                            next     output
 *   -        SETCLIENTID_CONFIRM                              UNTRIED
 *   UNTRIED  its reply has been sent                          PROBED   CB_NULL
 *   PROBED   CB_NULL answered                                 UP
 *   PROBED   CB_NULL failed, or not answered in time          DOWN
 *   UP       a delegation has to be recalled                  UP       CB_RECALL
 *   UP       attributes are asked for                         UP       CB_GETATTR
 *   UP       a call failed, or was not answered in time       DOWN
 *   DOWN     renewed, or a recall is due, after the pause     PROBED   CB_NULL
 *   UP,DOWN  SETCLIENTID_CONFIRM, the same address            UNTRIED
 *   any      SETCLIENTID_CONFIRM, another address, or none    -
 * </pre>
 *
 * UP does not mean that there is a connection: the sender makes one when it needs one. A recall that got no answer is
 * sent again when the path is next up. The client may get it twice, and answers the second one with an error. Guarded
 * by the lock of the state.
 */
public final class DialedPath {
    /** Shortest time from a failure to the next test. */
    static final long RETRY_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Most recalls in progress. Others wait until one is answered. */
    static final int MAX_RECALLS = 8;

    /** Most CB_GETATTRs in progress. */
    private static final int MAX_QUESTIONS = 8;

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
    private int questions;
    /** True if the path was down and no test has succeeded since. */
    private boolean failing;

    DialedPath(Client client, CallbackAddress address, Consumer<CallbackCall> outbox) {
        this.client = client;
        this.target = new CallbackCall.Dialed(this, address, CallbackCredential.Sys.ofServer());
        this.outbox = outbox;
    }

    /** The client at the address. */
    public Client client() {
        return client;
    }

    /** True if a callback can be sent. */
    public boolean isUp() {
        return phase == Phase.UP;
    }

    /** True if the path failed when it was last used. False if it was never used. */
    public boolean isDown() {
        return failing;
    }

    /** Tests the path. Called when the reply that confirms the client has been sent. */
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

    /** Tests the path again if it is down and the pause is over. */
    public void retry(long nowNanos) {
        expire(nowNanos);
        if (phase == Phase.DOWN && nowNanos - downNanos >= RETRY_PAUSE_NANOS) {
            probe(nowNanos);
        }
    }

    /** Notes the outcome of a CB_NULL. Returns true if the path is now up. */
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
     * @return false if the path is not up, or has its limit of calls in progress
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

    /**
     * Sends CB_GETATTR.
     *
     * @return false if the path is not up, or has its limit of calls in progress
     */
    public boolean ask(long nowNanos, CallbackCall.GetAttr question) {
        retry(nowNanos);
        if (phase != Phase.UP || questions >= MAX_QUESTIONS) {
            return false;
        }
        questions++;
        outbox.accept(new CallbackCall.PlainGetAttr(target, question));
        return true;
    }

    /** Notes the outcome of a CB_GETATTR. Every one has an outcome in time. */
    public void asked(long nowNanos, CallbackCall.PlainGetAttr call, CallbackOutcome outcome) {
        questions--;
        switch (outcome) {
            case CallbackOutcome.Compound compound ->
                call.operation().query().answered(compound.operation() == NFS4_OK ? compound.attributes() : null);
            case CallbackOutcome.Failed _, CallbackOutcome.Done _ -> {
                call.operation().query().answered(null);
                if (phase == Phase.UP) {
                    down(nowNanos);
                }
            }
        }
    }

    /** Notes the outcome of a recall. A recall that already counts as lost changes nothing. */
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

    /** Treats calls that were not answered in time as lost, and the path as down. */
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
     * Forgets what is known of the path. Recalls in progress count as not sent. A connection stays, and so does a
     * CB_NULL in progress, since another one would find out the same.
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
