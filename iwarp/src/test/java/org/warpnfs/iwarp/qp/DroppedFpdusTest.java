package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * A fault is found while a batch is being filled, so the FPDUs in the batch are not sent. On a stream with markers, the
 * Terminate that replaces them must have its markers where the peer expects them (RFC 5044, section 4.3): at multiples
 * of 512 bytes of what has been sent.
 */
class DroppedFpdusTest {
    private static final String REQUEST = "4d504120494420526571204672616d65 9002 0004 1000 1000";
    private static final String READ_HEADER = "4141 00000000 00000001 00000001 00000000";
    private static final String TERMINATE_HEADER = "4147" + "00000000" + "00000002" + "00000001" + "00000000";

    /** With the marker before it, this payload leaves 20 bytes up to the next marker. */
    private static final int PAYLOAD_BYTES = 464;

    private static final String MARKER_AT_20 = "00000014";

    private TestLink link;

    @BeforeEach
    void socketHoldsTheFirstBatch() {
        link = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        link.in(REQUEST);
        link.created.postReceive(100, ByteBuffer.allocate(0));
        link.fpdu("4143 00000000 00000000 00000001 00000000");
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(PAYLOAD_BYTES)));
        link.created.flush();
        link.writes.clear();
    }

    private static String request(MemoryRegion source) {
        return "00000051 0000000000001000 00000010" + RawPeer.stag(source) + "0000000000000000";
    }

    @Test
    void sourceRevokedBehindOtherWork_terminateHasItsMarkerInPlace() {
        MemoryRegion source = link.created.register(ByteBuffer.allocate(16), EnumSet.of(AccessRight.REMOTE_READ));
        link.fpdu(READ_HEADER + request(source));
        link.created.post(new WorkRequest.LocalInvalidate(2, source, false));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(50)));
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite())
                .isEqualTo(("0046" + TERMINATE_HEADER + MARKER_AT_20 + "0100e000 002e" + READ_HEADER + request(source)
                                + "00000000")
                        .replace(" ", ""));
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }
}
