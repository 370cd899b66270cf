package org.warpnfs.nfs.v4.state.callback;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A call of the server to a client (RFC 8881, section 20, RFC 7530, section 15). Each instance is one call and equals
 * only itself.
 */
public sealed interface CallbackCall {
    /** Time after which a call without an answer counts as lost. */
    long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    Target target();

    /** Destination of the call. */
    sealed interface Target {
        int program();

        CallbackCredential credential();
    }

    /**
     * A connection that the client made (NFSv4.1 and later).
     *
     * @param connection the transport's instance, bound to the back channel
     * @param renewal how often the connection had been tested anew
     */
    record Bound(Object connection, int renewal, int program, CallbackCredential credential) implements Target {}

    /**
     * An address that the server connects to (NFSv4.0). Each instance equals only itself, and has a connection of its
     * own.
     */
    final class Dialed implements Target {
        private final @Nullable DialedPath path;
        private final CallbackAddress address;
        private final CallbackCredential credential;

        Dialed(@Nullable DialedPath path, CallbackAddress address, CallbackCredential credential) {
            this.path = path;
            this.address = address;
            this.credential = credential;
        }

        /** Makes an address of no known client. The outcomes of calls to it are ignored. */
        public Dialed(CallbackAddress address, CallbackCredential credential) {
            this(null, address, credential);
        }

        @Nullable
        DialedPath path() {
            return path;
        }

        public CallbackAddress address() {
            return address;
        }

        @Override
        public int program() {
            return address.program();
        }

        @Override
        public CallbackCredential credential() {
            return credential;
        }
    }

    /** CB_NULL, which tests whether the client answers. */
    final class Null implements CallbackCall {
        private final Target target;

        public Null(Target target) {
            this.target = target;
        }

        @Override
        public Target target() {
            return target;
        }
    }

    /** CB_COMPOUND with CB_SEQUENCE and one operation. */
    final class InSession implements CallbackCall {
        private final Bound target;
        private final Position position;
        private final Operation operation;

        public InSession(Bound target, Position position, Operation operation) {
            this.target = target;
            this.position = position;
            this.operation = operation;
        }

        @Override
        public Bound target() {
            return target;
        }

        public Position position() {
            return position;
        }

        public Operation operation() {
            return operation;
        }

        /** The same request for another connection (section 2.10.6.2). */
        InSession on(Bound other) {
            return new InSession(other, position, operation);
        }
    }

    /** CB_COMPOUND of minor version 0, with CB_RECALL alone. */
    final class PlainRecall implements CallbackCall {
        private final Dialed target;
        private final Recall operation;

        public PlainRecall(Dialed target, Recall operation) {
            this.target = target;
            this.operation = operation;
        }

        @Override
        public Dialed target() {
            return target;
        }

        public Recall operation() {
            return operation;
        }
    }

    /** CB_COMPOUND of minor version 0, with CB_GETATTR alone. */
    final class PlainGetAttr implements CallbackCall {
        private final Dialed target;
        private final GetAttr operation;

        public PlainGetAttr(Dialed target, GetAttr operation) {
            this.target = target;
            this.operation = operation;
        }

        @Override
        public Dialed target() {
            return target;
        }

        public GetAttr operation() {
            return operation;
        }
    }

    /** The operation that the client is asked to perform. */
    sealed interface Operation {}

    /**
     * CB_RECALL.
     *
     * @param stateid of the delegation: in a session with seqid 0, which matches any seqid that the client has; in
     *     minor version 0 as it was granted
     * @param fileHandle the file's handle, as the client has it
     */
    record Recall(Stateid stateid, Opaque fileHandle) implements Operation {}

    /**
     * CB_LAYOUTRECALL (section 20.3) of all layouts of one file, of the type of flexible files. What the client has not
     * written yet it may still write at the data servers.
     *
     * @param stateid of the layout, with the seqid of the recall
     * @param fileHandle the file's handle, as the client has it
     */
    record LayoutRecall(Stateid stateid, Opaque fileHandle) implements Operation {}

    /**
     * CB_RECALL_SLOT (section 20.8).
     *
     * @param highestSlot rsa_target_highest_slotid: the highest slot of the fore channel that the client should use
     */
    record RecallSlot(int highestSlot) implements Operation {}

    /**
     * CB_RECALL_ANY (section 20.6) of delegations of files.
     *
     * @param keep how many the client may keep
     */
    record RecallAny(int keep) implements Operation {}

    /**
     * CB_NOTIFY_LOCK (section 20.11): a lock that was denied can be had now.
     *
     * @param fileHandle the file's handle, as the client has it
     * @param denied the request that the lock was denied to; null without a session
     */
    record NotifyLock(
            Opaque fileHandle,
            long clientId,
            Opaque owner,
            @Nullable ReferringCall denied) implements Operation {}

    /**
     * CB_GETATTR (section 20.1) of change and size.
     *
     * @param fileHandle the file's handle, as the client has it
     * @param withTimes also of time_deleg_access and time_deleg_modify (RFC 9754, section 5)
     * @param query takes the answer
     * @param grantedTo the request that the delegation was granted to; null without a session
     */
    record GetAttr(
            Opaque fileHandle,
            boolean withTimes,
            HolderQuery query,
            @Nullable ReferringCall grantedTo) implements Operation {}

    /**
     * Arguments of CB_SEQUENCE.
     *
     * @param highestSlot the highest slot in use
     * @param referring the request whose reply the call may overtake; null if there is none
     */
    record Position(
            int minorVersion,
            SessionId sessionId,
            int seqid,
            int slot,
            int highestSlot,
            @Nullable ReferringCall referring) {}
}
