package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.ddp.DdpMessage;

class RdmapSenderTest {
    private static String header(DdpMessage message) {
        ByteBuffer header = ByteBuffer.allocate(message.headerBytes());
        message.encodeHeader(header, message.nextPayloadBytes(1500));
        return Hex.of(header.flip());
    }

    @Test
    void send_msnWraps_zeroFollowsTheLargest() {
        RdmapSender sender = new RdmapSender(0xffff_fffe);
        List<String> sends = new ArrayList<>();
        List<String> reads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sends.add(header(sender.send(List.of(), false, OptionalLong.empty())));
            reads.add(header(sender.readRequest(new ReadRequestHeader(0, 0, 0, 0, 0))));
        }
        String[] numbers = {"fffffffe", "ffffffff", "00000000", "00000001"};
        for (int i = 0; i < 4; i++) {
            assertThat(sends.get(i)).isEqualTo("4143" + "00000000" + "00000000" + numbers[i] + "00000000");
            assertThat(reads.get(i)).isEqualTo("4141" + "00000000" + "00000001" + numbers[i] + "00000000");
        }
    }

    @Test
    void errors_typeAndCode_areThoseOfFigure9() {
        StringBuilder numbers = new StringBuilder();
        for (RdmapError error : RdmapError.values()) {
            numbers.append(String.format("%x/%02x ", error.type(), error.code()));
        }
        assertThat(numbers.toString())
                .isEqualTo("0/00 1/00 1/01 1/02 1/03 1/04 1/09 1/ff 2/05 2/06 2/07 2/08 2/09 2/ff ");
    }
}
