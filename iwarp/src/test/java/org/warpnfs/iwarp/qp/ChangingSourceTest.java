package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * A peer writes to memory that it is reading. It may get old or new contents (RFC 5040, section 5.5), but each FPDU
 * must have the CRC of what it carries (RFC 5044, section 4.4).
 */
class ChangingSourceTest {
    private static final String REQUEST_WITH_CRC = "4d504120494420526571204672616d65 5002 0004 1000 1000";
    private static final int SOURCE_BYTES = 1_000;
    private static final int LENGTH_BYTES = 2;
    private static final int TAGGED_BYTES = 14;

    private final TestLink link = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);

    /** Delivers a ULPDU whose FPDU needs no pad. */
    private void fpdu(String ulpduHex) {
        ByteBuffer ulpdu = Hex.bytes(ulpduHex);
        ByteBuffer fpdu = ByteBuffer.allocate(LENGTH_BYTES + ulpdu.remaining() + 4);
        fpdu.putShort((short) ulpdu.remaining()).put(ulpdu);
        link.in(Hex.of(fpdu.putInt(crc(fpdu)).flip()));
    }

    /** The CRC of all bytes up to the position, in the byte order of the wire. */
    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().flip());
        return Integer.reverseBytes((int) crc.getValue());
    }

    @Test
    void sourceWrittenWhileTheSocketHasTheAnswer_crcIsThatOfWhatLeaves() {
        link.in(REQUEST_WITH_CRC);
        link.created.postReceive(100, ByteBuffer.allocate(0));
        fpdu("4143 00000000 00000000 00000001 00000000");
        MemoryRegion region = link.created.register(
                ByteBuffer.allocateDirect(SOURCE_BYTES), EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE));
        link.socketTakes = false;
        fpdu("4141 00000000 00000001 00000001 00000000" + "00000051 0000000000001000" + "000003e8"
                + RawPeer.stag(region) + "0000000000000000");
        fpdu("c140" + RawPeer.stag(region) + "0000000000000000" + "ffffffffffff0000");
        assertThat(region.memory().get(0)).isEqualTo((byte) 0xff);

        ByteBuffer left = ByteBuffer.allocate(2 * SOURCE_BYTES);
        link.held.element().buffers().forEach(buffer -> left.put(buffer.duplicate()));
        int summedBytes = left.position() - 4;
        assertThat(left.getInt(summedBytes)).isEqualTo(crc(left.position(summedBytes)));
        assertThat(left.getShort(0)).isEqualTo((short) (TAGGED_BYTES + SOURCE_BYTES));
        assertThat(link.reason).isNull();
    }
}
