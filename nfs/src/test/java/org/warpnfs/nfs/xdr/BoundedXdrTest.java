package org.warpnfs.nfs.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.Source;

class BoundedXdrTest {
    @Test
    void opaque_withinTheLimit_isReadWithItsPad() throws IOException {
        Xdr xdr = of("00000003 61626300 00000007");
        assertThat(BoundedXdr.opaque(xdr, 3)).isEqualTo(new byte[] {'a', 'b', 'c'});
        assertThat(xdr.xdrDecodeInt()).isEqualTo(7);
    }

    @Test
    void opaque_beyondTheLimit_isAViolation() {
        for (String length : new String[] {"00000004", "7fffffff", "80000000", "ffffffff"}) {
            assertThatThrownBy(() -> BoundedXdr.opaque(of(length + "61626364"), 3))
                    .isInstanceOf(XdrViolation.class);
        }
    }

    @Test
    void opaque_dataEndEarly_isAnIoException() {
        assertThatThrownBy(() -> BoundedXdr.opaque(of("00000005 61626364"), 100))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> BoundedXdr.opaque(of("000000"), 100)).isInstanceOf(IOException.class);
    }

    @Test
    void opaqueOrSkip_beyondTheLimit_leavesTheStreamBehindIt() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4 + 10_004 + 4);
        bytes.putInt(0, 10_001).putInt(10_008, 42);
        Xdr xdr = of(bytes.array());
        assertThat(BoundedXdr.opaqueOrSkip(xdr, 255)).isNull();
        assertThat(xdr.xdrDecodeInt()).isEqualTo(42);
    }

    @Test
    void opaqueOrSkip_lengthThatIsNotThere_isAnIoException() {
        for (String length : new String[] {"7fffffff", "80000000", "ffffffff", "00000100"}) {
            assertThatThrownBy(() -> BoundedXdr.opaqueOrSkip(of(length + "61626364"), 3))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void lentOpaque_lengthThatIsNotThere_isAnIoException() throws IOException {
        for (String length : new String[] {"7fffffff", "7ffffffd", "80000000", "ffffffff", "00000005"}) {
            assertThatThrownBy(() -> BoundedXdr.lentOpaque(of(length + "61626364")))
                    .isInstanceOf(IOException.class);
        }
        assertThat(BoundedXdr.lentOpaque(of("00000004 61626364")).remaining()).isEqualTo(4);
    }

    @Test
    void bool_neitherZeroNorOne_isAViolation() throws IOException {
        assertThat(BoundedXdr.bool(of("00000000"))).isFalse();
        assertThat(BoundedXdr.bool(of("00000001"))).isTrue();
        for (String other : new String[] {"00000002", "ffffffff", "80000001"}) {
            assertThatThrownBy(() -> BoundedXdr.bool(of(other))).isInstanceOf(XdrViolation.class);
        }
    }

    @Test
    void count_beyondTheLimit_isAViolation() throws IOException {
        assertThat(BoundedXdr.count(of("00000010"), 16)).isEqualTo(16);
        assertThatThrownBy(() -> BoundedXdr.count(of("00000011"), 16)).isInstanceOf(XdrViolation.class);
        assertThatThrownBy(() -> BoundedXdr.count(of("ffffffff"), 16)).isInstanceOf(XdrViolation.class);
    }

    @Test
    void uint32_highBitSet_isPositive() throws IOException {
        assertThat(BoundedXdr.uint32(of("ffffffff"))).isEqualTo(0xffffffffL);
    }

    @Test
    void payload_ordinaryStream_isCopiedAndReleased() {
        AtomicInteger released = new AtomicInteger();
        Xdr xdr = new Xdr(64);
        xdr.beginEncoding();
        PayloadXdr.encode(xdr, payload(released));
        xdr.endEncoding();
        assertThat(HexFormat.of().formatHex(xdr.getBytes())).isEqualTo("000000056162636465000000");
        assertThat(released).hasValue(1);
    }

    @Test
    void payload_streamWithADoor_isHandedOver() {
        AtomicInteger released = new AtomicInteger();
        class Doored extends Xdr implements PayloadEncoder {
            private Source taken;

            Doored() {
                super(64);
            }

            @Override
            public void xdrEncodeInlinePayload(Payload payload) {
                xdrEncodePayload(payload);
            }

            @Override
            public int maxInlinePayloadBytes() {
                return Integer.MAX_VALUE;
            }

            @Override
            public void xdrEncodePayload(Source payload) {
                taken = payload;
            }
        }
        Doored xdr = new Doored();
        Payload payload = payload(released);
        PayloadXdr.encode(xdr, payload);
        assertThat(xdr.taken).isSameAs(payload);
        assertThat(released).hasValue(0);
    }

    private static Payload payload(AtomicInteger released) {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {'a', 'b', 'c', 'd', 'e'});
        return new Payload() {
            @Override
            public ByteBuffer buffer() {
                return data;
            }

            @Override
            public void release() {
                released.incrementAndGet();
            }
        };
    }

    private static Xdr of(String hex) {
        return of(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private static Xdr of(byte[] bytes) {
        Xdr xdr = new Xdr(bytes);
        xdr.beginDecoding();
        return xdr;
    }
}
