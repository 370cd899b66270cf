package org.warpnfs.nfs.v4.state.callback;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A call of the server to a client (RFC 8881, section 20, RFC 7530, section 15). Instances are compared by identity:
 * each is one call.
 */
public sealed interface CallbackCall {
    /** A call without an answer for so long is taken for lost. */
    long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    Target target();

    /** Where it goes. */
    sealed interface Target {
        int program();

        CallbackCredential credential();
    }

    /**
     * A connection that the client made (NFSv4.1 and later).
     *
     * @param connection the transport's instance, bound to the back channel
     */
    record Bound(Object connection, int program, CallbackCredential credential) implements Target {}

    /** An address that the server connects to (NFSv4.0). Compared by identity: each has a connection of its own. */
    final class Dialed implements Target {
        private final @Nullable DialedPath path;
        private final CallbackAddress address;
        private final CallbackCredential credential;

        Dialed(@Nullable DialedPath path, CallbackAddress address, CallbackCredential credential) {
            this.path = path;
            this.address = address;
            this.credential = credential;
        }

        /** An address of no client that is known here: nobody hears what becomes of calls to it. */
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

    /** CB_NULL: whether anyone is there. */
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
    sealed interface InSession extends CallbackCall {
        @Override
        Bound target();

        Position position();

        /** The same request once more, on another connection (section 2.10.6.2). */
        InSession on(Bound other);
    }

    /** CB_RECALL. */
    final class Recall implements InSession {
        private final Bound target;
        private final Position position;
        private final Stateid stateid;
        private final Opaque fileHandle;

        public Recall(Bound target, Position position, Stateid stateid, Opaque fileHandle) {
            this.target = target;
            this.position = position;
            this.stateid = stateid;
            this.fileHandle = fileHandle;
        }

        @Override
        public Bound target() {
            return target;
        }

        @Override
        public Position position() {
            return position;
        }

        /** Of the delegation, its seqid 0: whichever the client has. */
        public Stateid stateid() {
            return stateid;
        }

        /** As the client knows the file. */
        public Opaque fileHandle() {
            return fileHandle;
        }

        @Override
        public Recall on(Bound other) {
            return new Recall(other, position, stateid, fileHandle);
        }
    }

    /** CB_RECALL_SLOT (section 20.8). */
    final class RecallSlot implements InSession {
        private final Bound target;
        private final Position position;
        private final int highestSlot;

        /** @param highestSlot of the fore channel that the client should use */
        public RecallSlot(Bound target, Position position, int highestSlot) {
            this.target = target;
            this.position = position;
            this.highestSlot = highestSlot;
        }

        @Override
        public Bound target() {
            return target;
        }

        @Override
        public Position position() {
            return position;
        }

        /** rsa_target_highest_slotid. */
        public int highestSlot() {
            return highestSlot;
        }

        @Override
        public RecallSlot on(Bound other) {
            return new RecallSlot(other, position, highestSlot);
        }
    }

    /** CB_COMPOUND of minor version 0, with CB_RECALL alone. */
    final class PlainRecall implements CallbackCall {
        private final Dialed target;
        private final Stateid stateid;
        private final Opaque fileHandle;

        public PlainRecall(Dialed target, Stateid stateid, Opaque fileHandle) {
            this.target = target;
            this.stateid = stateid;
            this.fileHandle = fileHandle;
        }

        @Override
        public Dialed target() {
            return target;
        }

        /** Of the delegation, as it was granted. */
        public Stateid stateid() {
            return stateid;
        }

        /** As the client knows the file. */
        public Opaque fileHandle() {
            return fileHandle;
        }
    }

    /**
     * What CB_SEQUENCE says.
     *
     * @param highestSlot in use
     */
    record Position(int minorVersion, SessionId sessionId, int seqid, int slot, int highestSlot) {}
}
