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
 *   PROBED   CB_NULL failed, or not answered in time  DOWN
 *   UP       a callback failed or not answered        DOWN
 *   DOWN     bound again                              BOUND
 *   any      the connection has ended                 -
 * </pre>
 *
 * Guarded by the lock of the state.
 */
public final class BoundPaths {
    private enum Phase {
        BOUND,
        PROBED,
        UP,
        DOWN
    }

    private static final class Path {
        final Object connection;
        Phase phase = Phase.BOUND;
        CallbackCall.@Nullable Null probe;
        long probedNanos;

        Path(Object connection) {
            this.connection = connection;
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

    /** BACKCHANNEL_CTL. All connections have to be tested again. */
    public void change(int newProgram, OfferedCredentials added) {
        program = newProgram;
        credentials = credentials.joinedBy(added);
        paths.forEach(path -> path.phase = Phase.BOUND);
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
        } else if (path.phase == Phase.DOWN) {
            path.phase = Phase.BOUND;
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
    }

    /** Notes the outcome of a CB_NULL. Returns true if it was this channel's, and its connection is now up. */
    public boolean probed(CallbackCall.Null call, boolean answered) {
        for (Path path : paths) {
            if (path.probe == call) {
                path.probe = null;
                path.phase = answered ? Phase.UP : Phase.DOWN;
                return answered;
            }
        }
        return false;
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

    /** Notes that a call over the connection failed. Does nothing if the connection has ended. */
    void down(Object connection) {
        Path path = pathOf(connection);
        if (path != null) {
            path.phase = Phase.DOWN;
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
        return credential == null ? null : new CallbackCall.Bound(path.connection, program, credential);
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
