package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** A call of the server to a client (RFC 8881 section 20). Instances are compared by identity: each is one call. */
public sealed interface CallbackCall {
    Target target();

    /**
     * Where it goes.
     *
     * @param connection the transport's instance, bound to the back channel
     */
    record Target(Object connection, int program, CallbackCredential credential) {}

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

    /** CB_COMPOUND with CB_SEQUENCE and CB_RECALL. */
    final class Recall implements CallbackCall {
        private final Target target;
        private final Position position;
        private final Stateid stateid;
        private final Opaque fileHandle;

        public Recall(Target target, Position position, Stateid stateid, Opaque fileHandle) {
            this.target = target;
            this.position = position;
            this.stateid = stateid;
            this.fileHandle = fileHandle;
        }

        @Override
        public Target target() {
            return target;
        }

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

        /** The same request once more, on another connection (section 2.10.6.2). */
        Recall on(Target other) {
            return new Recall(other, position, stateid, fileHandle);
        }
    }

    /**
     * What CB_SEQUENCE says.
     *
     * @param highestSlot in use
     */
    record Position(int minorVersion, SessionId sessionId, int seqid, int slot, int highestSlot) {}
}
