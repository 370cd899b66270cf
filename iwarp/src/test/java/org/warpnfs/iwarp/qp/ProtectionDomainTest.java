package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * On which streams an STag is valid, with which rights and until when (RFC 5041, section 8, RFC 5040, section 8.1.1).
 */
class ProtectionDomainTest {
    private static final Set<AccessRight> ALL_BUT_ATOMIC =
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.LOCAL_WRITE);

    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    private final ProtectionDomain domain = rnic.createProtectionDomain();
    private final TestLink first = connected(domain);
    private final TestLink second = connected(domain);
    private final TestLink stranger = connected(rnic.createProtectionDomain());
    private final TestLink loner = TestLink.openOn(rnic, TestLink.OPTIONS);

    private TestLink connected(ProtectionDomain in) {
        return TestLink.openOn(rnic, TestLink.OPTIONS.in(in));
    }

    private static ByteBuffer memory() {
        return ByteBuffer.allocate(16);
    }

    private static String write(MemoryRegion region) {
        return String.format("c140 %08x 0000000000000000 aabb", region.stag());
    }

    private static String read(MemoryRegion region) {
        return String.format(
                "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000002 %08x 0000000000000000",
                region.stag());
    }

    private static String invalidate(MemoryRegion region) {
        return String.format("4144 %08x 00000000 00000002 00000000", region.stag());
    }

    @Test
    void regionOfADomain_isValidOnItsStreamsAndOnNoOther() {
        MemoryRegion region = domain.register(memory(), ALL_BUT_ATOMIC);
        first.fpdu(write(region));
        assertThat(region.memory().get(0)).isEqualTo((byte) 0xaa);
        second.fpdu(read(region));
        assertThat(second.takeWrite()).contains("c142" + "00000001" + "0000000000000000" + "aabb");
        region.memory().putShort(0, (short) 0);
        for (TestLink outsider : new TestLink[] {stranger, loner}) {
            outsider.fpdu(write(region));
            expectTerminate(outsider, "1102");
        }
        assertThat(region.memory()).isEqualTo(memory());
        assertThat(region.valid()).isTrue();
        assertThat(first.reason).isNull();
    }

    @Test
    void regionOfADomain_readFromOutside_isNotAnswered() {
        MemoryRegion region = domain.register(memory(), ALL_BUT_ATOMIC);
        stranger.fpdu(read(region));
        expectTerminate(stranger, "0103");
    }

    @Test
    void regionOfAStream_usedByASiblingInTheSameDomain_isNotValid() {
        MemoryRegion region = first.created.register(memory(), ALL_BUT_ATOMIC);
        second.fpdu(write(region));
        expectTerminate(second, "1102");
        assertThat(region.memory()).isEqualTo(memory());
        TestLink third = connected(domain);
        third.fpdu(read(region));
        expectTerminate(third, "0103");
        first.fpdu(write(region));
        assertThat(region.memory().get(1)).isEqualTo((byte) 0xbb);
    }

    @Test
    void invalidate_byAPeer_onlyForRegionsOfItsOwnStream() {
        MemoryRegion shared = domain.register(memory(), ALL_BUT_ATOMIC);
        MemoryRegion own = first.created.register(memory(), ALL_BUT_ATOMIC);
        for (TestLink link : new TestLink[] {first, second, stranger}) {
            link.created.postReceive(1, ByteBuffer.allocate(0));
        }
        second.fpdu(invalidate(own));
        expectTerminate(second, "0109");
        stranger.fpdu(invalidate(shared));
        expectTerminate(stranger, "0109");
        first.fpdu(invalidate(own));
        assertThat(own.valid()).isFalse();
        first.created.postReceive(2, ByteBuffer.allocate(0));
        first.fpdu(invalidate(shared).replace("00000002 00000000", "00000003 00000000"));
        expectTerminate(first, "0109");
        assertThat(shared.valid()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"REMOTE_WRITE, true, false", "REMOTE_READ, false, true", "LOCAL_WRITE, false, false"})
    void right_allowsWhatItSaysAndNothingElse(AccessRight right, boolean writable, boolean readable) {
        MemoryRegion region = domain.register(memory(), EnumSet.of(right));
        first.fpdu(write(region));
        assertThat(first.reason == null).isEqualTo(writable);
        second.fpdu(read(region));
        assertThat(second.reason == null).isEqualTo(readable);
    }

    @Test
    void invalidate_betweenTwoPiecesOfASegment_placesNothingMore() {
        MemoryRegion region = domain.register(memory(), ALL_BUT_ATOMIC);
        first.in(String.format("0010 c140 %08x 0000000000000000 aa", region.stag()));
        assertThat(region.memory().get(0)).isEqualTo((byte) 0xaa);
        region.invalidate();
        region.invalidate();
        first.in("bb 0000 00000000");
        expectTerminate(first, "1100");
        assertThat(region.memory().get(1)).isZero();
        second.fpdu(write(region));
        expectTerminate(second, "1100");
    }

    @Test
    void close_domain_itsRegionsAreInvalidAndItsStreamsGoOn() {
        MemoryRegion region = domain.register(memory(), ALL_BUT_ATOMIC);
        domain.close();
        domain.close();
        assertThat(region.valid()).isFalse();
        assertThatThrownBy(() -> domain.register(memory(), ALL_BUT_ATOMIC)).isInstanceOf(IllegalStateException.class);
        assertThat(rnic.registeredBytes().used()).isZero();
        MemoryRegion own = first.created.register(memory(), ALL_BUT_ATOMIC);
        first.fpdu(write(own));
        assertThat(own.memory().get(0)).isEqualTo((byte) 0xaa);
    }

    @Test
    void streamEnds_itsRegionsGo_thoseOfItsDomainStay() {
        MemoryRegion shared = domain.register(memory(), ALL_BUT_ATOMIC);
        MemoryRegion own = first.created.register(memory(), ALL_BUT_ATOMIC);
        first.created.abort("enough");
        assertThat(own.valid()).isFalse();
        assertThat(shared.valid()).isTrue();
        second.fpdu(write(shared));
        assertThat(shared.memory().get(0)).isEqualTo((byte) 0xaa);
    }

    @Test
    void post_readIntoTheDomain_isPlaced_intoAnotherDomain_isRefused() {
        MemoryRegion sink = domain.register(memory(), EnumSet.of(AccessRight.LOCAL_WRITE));
        first.created.post(new WorkRequest.RdmaRead(1, sink, 0, 2, new RemoteMemory(5, 0)));
        first.created.flush();
        first.fpdu(String.format("c142 %08x 0000000000000000 aabb", sink.stag()));
        assertThat(sink.memory().getShort(0)).isEqualTo((short) 0xaabb);
        assertThatThrownBy(() -> stranger.created.post(new WorkRequest.RdmaRead(1, sink, 0, 2, new RemoteMemory(5, 0))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connect_withADomainOfAnotherTransport_isRefused() {
        LocalRnic other = new LocalRnic(new Random(1), RnicLimits.defaults());
        assertThatThrownBy(() -> other.check(TestLink.OPTIONS.in(domain))).isInstanceOf(IllegalArgumentException.class);
    }

    private static void expectTerminate(TestLink link, String control) {
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.takeWrite().substring(40, 44)).isEqualTo(control);
        assertThat(link.bugs).isEmpty();
    }
}
