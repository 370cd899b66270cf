package org.warpnfs.nfs.v4.state;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** One client id and everything that hangs on it (RFC 8881 section 2.4). Guarded by its table's lock. */
public final class Client {
    private final long id;
    private final Opaque owner;
    private final long verifier;
    private final Principal principal;
    private final boolean sessionless;
    private final ClientAddress address;

    boolean confirmed;
    /** True once the client has been let go: requests that were under way find nothing any more. */
    volatile boolean gone;

    long renewedNanos;
    int requestsUnderWay;
    /** COMPOUNDs that were executed, over all its connections. */
    long requests;

    /** The CREATE_SESSION executed last; the next has one more (section 18.36.4). */
    int createSequence;

    @Nullable
    CreatedSession createReply;

    boolean mayReclaim;
    boolean reclaimComplete;
    /** The journal's entry that this client may hold state; null until it is about to have some. */
    RecoveryJournal.@Nullable Entry recording;
    /** The journal's entry that it is gone; null while it is not, or if the journal never knew it. */
    RecoveryJournal.@Nullable Entry removal;
    /** True once that is on stable storage. */
    volatile boolean recorded;

    /** Byte ranges locked, over all files. */
    int lockCount;

    int lockStateCount;
    /** Lock stateids that an administrator has revoked and the client has not freed yet. */
    int revokedLockStates;

    /** How an NFSv4.0 client is called back, if it said so. Changed by {@link #callBackAt}. */
    @Nullable
    DialedPath dialedPath;

    final Map<SessionId, Session> sessions = new LinkedHashMap<>();
    final Map<OpenKey, OpenState> opens = new HashMap<>();
    /** By number, revoked ones too until they are freed. */
    final Map<Long, DelegationState> delegations = new LinkedHashMap<>();

    int revokedDelegations;

    /** Of NFSv4.0: what SETCLIENTID_CONFIRM has to say, and said last. */
    long confirmVerifier;

    /** Of NFSv4.0: a SETCLIENTID of the same instance of the client that waits to be confirmed. */
    @Nullable
    CallbackUpdate callbackUpdate;

    /** Open-owners that have nothing open, the one that has had nothing for the longest first. */
    final Set<StateOwner> idleOwners = new LinkedHashSet<>(2);

    final Map<Opaque, StateOwner> openOwners = new HashMap<>();
    final Map<Opaque, StateOwner> lockOwners = new HashMap<>();

    record OpenKey(Opaque owner, FileKey file) {}

    Client(long id, Opaque owner, long verifier, Principal principal, boolean sessionless, ClientAddress address) {
        this.id = id;
        this.owner = owner;
        this.verifier = verifier;
        this.principal = principal;
        this.sessionless = sessionless;
        this.address = address;
    }

    public long id() {
        return id;
    }

    public Opaque owner() {
        return owner;
    }

    /** True for a client of NFSv4.0. */
    public boolean isSessionless() {
        return sessionless;
    }

    /** Where it introduced itself from: what it holds counts there. */
    ClientAddress address() {
        return address;
    }

    long verifier() {
        return verifier;
    }

    public Principal principal() {
        return principal;
    }

    /** Opens, and locks with them, or delegations. */
    boolean hasState() {
        return !opens.isEmpty() || !delegations.isEmpty();
    }

    /**
     * SETCLIENTID_CONFIRM: an NFSv4.0 client is called back there from now on, once it has answered; what was under way counts as not
     * sent.
     *
     * @param address null for nowhere
     */
    void callBackAt(@Nullable CallbackAddress address, Consumer<CallbackCall> outbox) {
        if (dialedPath != null) {
            dialedPath.restart();
            if (dialedPath.isTo(address)) {
                return;
            }
        }
        dialedPath = address == null ? null : new DialedPath(this, address, outbox);
    }

    /** Sends CB_RECALL by some way that is up; false if there is none, or no room on it. */
    boolean recall(long nowNanos, DelegationState delegation) {
        if (dialedPath != null) {
            return dialedPath.recall(nowNanos, delegation);
        }
        for (Session session : sessions.values()) {
            BackChannel back = session.backChannel();
            if (back != null && back.recall(nowNanos, delegation)) {
                return true;
            }
        }
        return false;
    }

    /** True if a callback would reach it. */
    boolean hasCallbackPath() {
        if (dialedPath != null) {
            return dialedPath.isUp();
        }
        return sessions.values().stream().anyMatch(session -> {
            BackChannel back = session.backChannel();
            return back != null && back.isUp();
        });
    }

    /** The lease ran out; a request that still executes keeps it alive. */
    boolean isExpired(long nowNanos, long leaseNanos) {
        return requestsUnderWay == 0 && nowNanos - renewedNanos > leaseNanos;
    }
}
