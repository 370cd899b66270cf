package org.warpnfs.nfs.v4.state.callback;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections that a client has bound to a session's back channel (RFC 8881, section 2.10.3.1).
 *
 * <p>States of each connection:
 *
 * <pre>
 *   state    event                                    next     output
 *   -        bound                                    BOUND
 *   BOUND    the reply that bound it has been sent    PROBED   CB_NULL, or DOWN if every credential has ended
 *   PROBED   CB_NULL answered                         UP
 *   PROBED   CB_NULL failed                           PROBED   CB_NULL, if another credential takes the place of the
 *                                                              one that it had, else DOWN
 *   PROBED   CB_NULL not answered in time             DOWN
 *   UP       a callback failed or not answered        as if CB_NULL had failed
 *   DOWN     bound again                              BOUND
 *   PROBED, UP, DOWN  BACKCHANNEL_CTL                 CHANGED
 *   CHANGED  the reply of BACKCHANNEL_CTL was sent    as BOUND
 *   CHANGED  bound again                              BOUND
 *   any      the connection has ended                 -
 * </pre>
 *
 * A connection that is tested anew begins another renewal. Outcomes of calls that were made before do not count for it
 * any more. Guarded by the lock of the state.
 */
public final class BoundPaths {
    private enum Phase {
        BOUND,
        CHANGED,
        PROBED,
        UP,
        DOWN
    }

    private static final class Path {
        final Object connection;
        Phase phase = Phase.BOUND;
        CallbackCall.@Nullable Null probe;
        long probedNanos;
        int renewal;

        Path(Object connection) {
            this.connection = connection;
        }

        /** The connection has to be tested anew. */
        void renew(Phase next) {
            phase = next;
            probe = null;
            renewal++;
        }
    }

    private final List<Path> paths = new ArrayList<>(1);
    private final Consumer<CallbackCall> outbox;
    private int program;
    private OfferedCredentials credentials;
    private boolean used;

    BoundPaths(int program, OfferedCredentials credentials, Consumer<CallbackCall> outbox) {
        this.program = program;
        this.credentials = credentials;
        this.outbox = outbox;
    }

    /** BACKCHANNEL_CTL. All connections have to be tested again, by {@link #probeChanged} when it has been answered. */
    public void change(int newProgram, OfferedCredentials added) {
        program = newProgram;
        credentials = credentials.joinedBy(added);
        for (Path path : paths) {
            if (path.phase != Phase.BOUND) {
                path.renew(Phase.CHANGED);
            }
        }
    }

    /** Binds a connection. Returns false if there are too many already. */
    public boolean bind(Object connection, int maxConnections) {
        used = true;
        Path path = pathOf(connection);
        if (path == null) {
            if (paths.size() >= maxConnections && !paths.removeIf(other -> other.phase == Phase.DOWN)) {
                return false;
            }
            paths.add(new Path(connection));
        } else if (path.phase == Phase.DOWN || path.phase == Phase.CHANGED) {
            path.renew(Phase.BOUND);
        }
        return true;
    }

    /** The connections in the order in which they were bound. */
    public List<Object> connections() {
        return paths.stream().map(path -> path.connection).toList();
    }

    /** Removes a connection that has ended. */
    void unbind(Object connection) {
        paths.removeIf(path -> path.connection.equals(connection));
    }

    /** Tests with CB_NULL whether the client answers on a connection that was bound. */
    public void probe(long nowNanos, Object connection) {
        Path path = pathOf(connection);
        if (path != null && path.phase == Phase.BOUND) {
            test(nowNanos, path);
        }
    }

    /** Tests all connections that BACKCHANNEL_CTL has left to be tested. */
    public void probeChanged(long nowNanos) {
        for (Path path : paths) {
            if (path.phase == Phase.CHANGED) {
                test(nowNanos, path);
            }
        }
    }

    private void test(long nowNanos, Path path) {
        CallbackCall.Bound target = target(path);
        if (target == null) {
            path.phase = Phase.DOWN;
            return;
        }
        path.phase = Phase.PROBED;
        path.probe = new CallbackCall.Null(target);
        path.probedNanos = nowNanos;
        outbox.accept(path.probe);
    }

    /** Notes the outcome of a CB_NULL. Returns true if it was this channel's, and its connection is now up. */
    public boolean probed(long nowNanos, CallbackCall.Null call, boolean answered) {
        for (Path path : paths) {
            if (path.probe == call) {
                path.probe = null;
                if (answered) {
                    path.phase = Phase.UP;
                } else {
                    failed(nowNanos, path, call.target().credential());
                }
                return answered;
            }
        }
        return false;
    }

    /**
     * If the credential of a call that failed is not the one of the next call any more, the client may take that. Each
     * context is refused once, so this ends.
     */
    private void failed(long nowNanos, Path path, CallbackCredential used) {
        CallbackCredential next = credentials.usable();
        if (next == null || next.equals(used)) {
            path.phase = Phase.DOWN;
            path.probe = null;
        } else {
            path.renew(Phase.PROBED);
            test(nowNanos, path);
        }
    }

    /** Treats CB_NULLs that were not answered in time as lost, and their connections as down. */
    void expire(long nowNanos, long patienceNanos) {
        for (Path path : paths) {
            if (path.phase == Phase.PROBED && nowNanos - path.probedNanos > patienceNanos) {
                path.phase = Phase.DOWN;
                path.probe = null;
            }
        }
    }

    /** Notes that a call failed. Does nothing if its connection has ended, or was tested anew since. */
    void failed(long nowNanos, CallbackCall.Bound target) {
        Path path = pathOf(target.connection());
        if (path != null && path.renewal == target.renewal()) {
            failed(nowNanos, path, target.credential());
        }
    }

    /** True once a connection was bound. */
    public boolean isUsed() {
        return used;
    }

    /** SEQ4_STATUS_CB_PATH_DOWN_SESSION: no connection for callbacks is left that may work. */
    public boolean isDown() {
        return credentials.usable() == null || paths.stream().allMatch(path -> path.phase == Phase.DOWN);
    }

    /** The bits of sr_status_flags about contexts of RPCSEC_GSS. */
    public int contextFlags(long leaseNanos) {
        return credentials.statusFlags(leaseNanos);
    }

    /**
     * The target of the next call: of the connections that are up, the one that was bound last; null if none is up, or
     * if no credential is left.
     */
    CallbackCall.@Nullable Bound up() {
        for (Path path : paths.reversed()) {
            if (path.phase == Phase.UP) {
                return target(path);
            }
        }
        return null;
    }

    /** Removes all connections when the session ends. */
    void clear() {
        paths.clear();
    }

    private CallbackCall.@Nullable Bound target(Path path) {
        CallbackCredential credential = credentials.usable();
        return credential == null ? null : new CallbackCall.Bound(path.connection, path.renewal, program, credential);
    }

    private @Nullable Path pathOf(Object connection) {
        for (Path path : paths) {
            if (path.connection.equals(connection)) {
                return path;
            }
        }
        return null;
    }
}
