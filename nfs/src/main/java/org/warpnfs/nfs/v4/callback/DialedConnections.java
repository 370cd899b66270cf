package org.warpnfs.nfs.v4.callback;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;

/**
 * Connections that the server makes to NFSv4.0 clients. Each address has one connection. It is made for the first call,
 * and closed after a time without calls.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 *   state       event                                     next        output
 *   -           borrowed                                  CONNECTING  dial
 *   CONNECTING  connected                                 OPEN        the borrowers may call
 *   CONNECTING  failed                                    -           the borrowers are told
 *   OPEN        not borrowed for the idle time            -           close
 *   OPEN        room is needed, and it is not borrowed    -           close
 *   OPEN        found closed by the client                -           dial again when borrowed
 *   any         dropped                                   -           close
 * </pre>
 *
 * There are limits for all clients, for those of one host, and for connections that are being made. A borrower beyond a
 * limit is told at once.
 *
 * <h2>Errors</h2>
 *
 * A borrower is told of every failure, once. Safe for any thread; no borrower is called under the lock.
 */
final class DialedConnections implements AutoCloseable {
    static final int MAX_CONNECTIONS = 256;
    static final int MAX_CONNECTIONS_PER_HOST = 16;
    static final int MAX_CONNECTING = 64;
    /** Time without calls until a connection is closed: at least this, at most twice this. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A caller that needs a connection. One of its methods is called once, on any thread. */
    interface Borrower {
        /** The connection is there. It has to be given back. */
        void lent(Line line);

        void failed(IOException why);
    }

    /** A connection, or the attempt to make one. */
    static final class Line {
        private final CallbackCall.Dialed target;
        private final List<Borrower> waiting = new ArrayList<>(1);
        private CallbackDialer.@Nullable Connection connection;
        private int borrowed;
        private long timesBorrowed;
        private boolean watched;

        Line(CallbackCall.Dialed target) {
            this.target = target;
        }

        private InetAddress host() {
            return target.address().socket().getAddress();
        }

        private boolean isIdle() {
            return connection != null && borrowed == 0;
        }

        /** The connection. Only for a borrower to which it is lent. */
        CallbackDialer.Connection connection() {
            if (connection == null) {
                throw new IllegalStateException("not connected yet");
            }
            return connection;
        }
    }

    private final Object lock = new Object();
    private final CallbackDialer dialer;
    /** Ordered by use, the latest last. */
    private final LinkedHashMap<CallbackCall.Dialed, Line> lines = new LinkedHashMap<>();

    private int connecting;
    private boolean closed;

    DialedConnections(CallbackDialer dialer) {
        this.dialer = dialer;
    }

    /** Lends the connection to {@code target} as soon as there is one. */
    void borrow(CallbackCall.Dialed target, Borrower borrower) {
        List<Line> unwanted = new ArrayList<>(1);
        Line line;
        boolean fresh = false;
        boolean connected;
        synchronized (lock) {
            line = lines.get(target);
            if (line != null
                    && line.connection != null
                    && !line.connection.transport().isOpen()) {
                lines.remove(target);
                unwanted.add(line);
                line = null;
            }
            if (line == null && makeRoom(target.address().socket().getAddress(), unwanted)) {
                line = new Line(target);
                connecting++;
                fresh = true;
            }
            connected = line != null && line.connection != null;
            if (line != null) {
                lines.putLast(target, line);
                line.borrowed++;
                line.timesBorrowed++;
                if (!connected) {
                    line.waiting.add(borrower);
                }
            }
        }
        unwanted.forEach(DialedConnections::hangUp);
        if (line == null) {
            borrower.failed(new IOException("too many connections for callbacks"));
        } else if (fresh) {
            dial(line);
        } else if (connected) {
            borrower.lent(line);
        }
    }

    /** Returns true if there is room for another connection. May remove an idle one for it. */
    private boolean makeRoom(InetAddress host, List<Line> evicted) {
        if (closed || connecting >= MAX_CONNECTING) {
            return false;
        }
        long ofHost =
                lines.values().stream().filter(line -> line.host().equals(host)).count();
        boolean hostIsFull = ofHost >= MAX_CONNECTIONS_PER_HOST;
        if (!hostIsFull && lines.size() < MAX_CONNECTIONS) {
            return true;
        }
        for (Line line : lines.values()) {
            if (line.isIdle() && (!hostIsFull || line.host().equals(host))) {
                lines.remove(line.target);
                evicted.add(line);
                return true;
            }
        }
        return false;
    }

    private void dial(Line line) {
        try {
            var _ = dialer.dial(line.target.address().socket())
                    .whenComplete((connection, failure) -> dialed(line, connection, failure));
        } catch (RuntimeException e) {
            dialed(line, null, e);
        }
    }

    private void dialed(Line line, CallbackDialer.@Nullable Connection connection, @Nullable Throwable failure) {
        List<Borrower> waiting;
        boolean wanted;
        synchronized (lock) {
            connecting--;
            waiting = List.copyOf(line.waiting);
            line.waiting.clear();
            wanted = lines.get(line.target) == line;
            if (connection == null) {
                lines.remove(line.target, line);
            } else if (wanted) {
                line.connection = connection;
            }
        }
        if (connection != null && !wanted) {
            connection.close();
        }
        for (Borrower borrower : waiting) {
            if (connection != null && wanted) {
                borrower.lent(line);
            } else {
                borrower.failed(new IOException("no connection for callbacks: " + failure));
            }
        }
    }

    /** Notes that the call for which it was lent has ended. */
    void giveBack(Line line) {
        synchronized (lock) {
            line.borrowed--;
            if (line.borrowed > 0 || line.watched || lines.get(line.target) != line) {
                return;
            }
            line.watched = true;
        }
        watch(line);
    }

    private void watch(Line line) {
        long timesBorrowed;
        synchronized (lock) {
            timesBorrowed = line.timesBorrowed;
        }
        var _ = dialer.after(IDLE_NANOS, () -> idleTimeOver(line, timesBorrowed));
    }

    private void idleTimeOver(Line line, long timesBorrowedBefore) {
        boolean usedMeanwhile;
        synchronized (lock) {
            line.watched = false;
            if (line.borrowed > 0 || lines.get(line.target) != line) {
                return;
            }
            usedMeanwhile = line.timesBorrowed != timesBorrowedBefore;
            line.watched = usedMeanwhile;
            if (!usedMeanwhile) {
                lines.remove(line.target);
            }
        }
        if (usedMeanwhile) {
            watch(line);
        } else {
            hangUp(line);
        }
    }

    /**
     * Closes the connection of a client that does not answer. Calls in progress fail, and the next call makes another
     * connection.
     */
    void drop(CallbackCall.Dialed target) {
        List<Borrower> waiting;
        Line line;
        synchronized (lock) {
            line = lines.remove(target);
            if (line == null) {
                return;
            }
            waiting = List.copyOf(line.waiting);
            line.waiting.clear();
        }
        hangUp(line);
        waiting.forEach(borrower -> borrower.failed(new IOException("the client does not answer")));
    }

    private static void hangUp(Line line) {
        if (line.connection != null) {
            line.connection.close();
        }
    }

    /** Number of connections, including those that are being made. */
    int count() {
        synchronized (lock) {
            return lines.size();
        }
    }

    /** Closes all connections, for good. */
    @Override
    public void close() {
        List<CallbackCall.Dialed> all;
        synchronized (lock) {
            closed = true;
            all = List.copyOf(lines.keySet());
        }
        all.forEach(this::drop);
    }
}
