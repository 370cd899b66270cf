package org.warpnfs.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PiecesTest {
    @Test
    void frames_anyOffset_haveTheirNeighbours() {
        Pieces pieces = new Pieces();
        pieces.add(ByteBuffer.allocate(1_000));
        assertThat(pieces.lastFrame(7)).isZero();
        assertThat(pieces.nextFrame(7)).isEqualTo(1_000);
        for (int at = 10; at < 1_000; at += 10) {
            pieces.beginFrame(at);
        }
        assertThat(pieces.lastFrame(9)).isZero();
        assertThat(pieces.nextFrame(0)).isEqualTo(10);
        assertThat(pieces.lastFrame(10)).isEqualTo(10);
        assertThat(pieces.nextFrame(10)).isEqualTo(10);
        assertThat(pieces.lastFrame(495)).isEqualTo(490);
        assertThat(pieces.nextFrame(495)).isEqualTo(500);
        assertThat(pieces.lastFrame(999)).isEqualTo(990);
        assertThat(pieces.nextFrame(999)).isEqualTo(1_000);
    }
}
