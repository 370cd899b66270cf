package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The rights of a region against each kind of access, before and after it is revoked (RFC 5040, section 8.1.1, RFC
 * 5041, section 8.3.1).
 */
class RightsTest {
    /** The ways in which a peer can use an STag. */
    private enum Use {
        WRITE("1100c000") {
            @Override
            void by(RawPeer peer, MemoryRegion region) {
                peer.write(region, 0, "aa");
            }
        },
        READ("0102e000") {
            @Override
            void by(RawPeer peer, MemoryRegion region) {
                peer.readRequest(region, 0, 1);
            }
        },
        ANSWER_A_READ("1100c000") {
            @Override
            void by(RawPeer peer, MemoryRegion region) {
                MemoryRegion other = peer.region(1, AccessRight.LOCAL_WRITE);
                boolean sink = true;
                try {
                    peer.link.created.post(new WorkRequest.RdmaRead(1, region, 0, 1, new RemoteMemory(1, 0)));
                } catch (IllegalArgumentException notASink) {
                    sink = false;
                    peer.link.created.post(new WorkRequest.RdmaRead(1, other, 0, 1, new RemoteMemory(1, 0)));
                }
                peer.link.created.flush();
                peer.link.writes.clear();
                peer.link.fpdu("c142" + RawPeer.stag(region) + "0000000000000000" + "aa");
                assertThat(peer.link.reason == null).isEqualTo(sink);
            }
        };

        final String refusal;

        Use(String refusal) {
            this.refusal = refusal;
        }

        abstract void by(RawPeer peer, MemoryRegion region);
    }

    private static boolean granted(Use use, List<AccessRight> rights) {
        return switch (use) {
            case WRITE -> rights.contains(AccessRight.REMOTE_WRITE);
            case READ -> rights.contains(AccessRight.REMOTE_READ);
            case ANSWER_A_READ -> rights.contains(AccessRight.LOCAL_WRITE);
        };
    }

    @Test
    void access_everyRightEveryUse_isGrantedOrNamed() {
        for (int set = 0; set < 8; set++) {
            List<AccessRight> rights = new ArrayList<>();
            AccessRight[] all = {AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE};
            for (int i = 0; i < all.length; i++) {
                if ((set >> i & 1) != 0) {
                    rights.add(all[i]);
                }
            }
            for (Use use : Use.values()) {
                RawPeer peer = RawPeer.open();
                MemoryRegion region = peer.region(4, rights.toArray(new AccessRight[0]));
                use.by(peer, region);
                if (granted(use, rights)) {
                    peer.assertFine();
                    assertThat(region.memory().get(0)).isEqualTo(use == Use.READ ? 0 : (byte) 0xaa);
                    assertThat(region.valid()).isTrue();
                } else {
                    assertThat(peer.terminate().replace(" ", "").substring(0, 8))
                            .as("%s of %s", use, rights)
                            .isEqualTo(use.refusal);
                    assertThat(Hex.of(region.memory())).isEqualTo("00000000");
                }
            }
        }
    }

    @Test
    void access_afterRevocation_isRefusedWhateverTheRights() {
        for (Use use : List.of(Use.WRITE, Use.READ)) {
            RawPeer peer = RawPeer.open();
            MemoryRegion region = peer.region(4, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
            use.by(peer, region);
            peer.assertFine();
            peer.link.writes.clear();
            region.invalidate();
            use.by(peer, region);
            assertThat(peer.terminate()).startsWith(use == Use.WRITE ? "1100c000" : "0100e000");
        }
    }

    @Test
    void access_writeIntoTheSinkOfARead_isRefused() {
        RawPeer peer = RawPeer.open();
        MemoryRegion sink = peer.region(4, AccessRight.LOCAL_WRITE);
        peer.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 4, new RemoteMemory(1, 0)));
        peer.link.created.flush();
        peer.link.writes.clear();
        peer.write(sink, 0, "aa");
        assertThat(peer.terminate()).startsWith("1100c000");
        assertThat(Hex.of(sink.memory())).isEqualTo("00000000");
    }

    @Test
    void config_mulpduThatHoldsNoTerminate_isRefused() {
        assertThatThrownBy(() -> QueuePairConfig.defaults().withMulpduBytes(127))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QueuePairConfig.defaults().withMulpduBytes(65_536))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(QueuePairConfig.defaults().withMulpduBytes(128).mulpduBytes())
                .isEqualTo(128);
    }

    @Test
    void access_stagOfAnotherStream_isRefusedInEveryWayAndStaysAsItIs() {
        LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
        RawPeer owner = RawPeer.open(rnic);
        MemoryRegion region =
                owner.region(4, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE);
        for (Use use : List.of(Use.WRITE, Use.READ)) {
            RawPeer other = RawPeer.open(rnic);
            use.by(other, region);
            assertThat(other.terminate()).startsWith(use == Use.WRITE ? "1102" : "0103");
        }
        RawPeer answering = RawPeer.open(rnic);
        MemoryRegion sink = answering.region(4, AccessRight.LOCAL_WRITE);
        answering.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 4, new RemoteMemory(1, 0)));
        answering.link.created.flush();
        answering.ulpdus();
        answering.link.fpdu("c142" + RawPeer.stag(region) + "0000000000000000" + "aaaaaaaa");
        assertThat(answering.terminate()).startsWith("11");
        for (String control : new String[] {"44", "46"}) {
            RawPeer invalidating = RawPeer.open(rnic);
            invalidating.receive(4);
            invalidating.send(control, RawPeer.stag(region), "aa");
            assertThat(invalidating.terminate()).startsWith("0109c000");
            assertThat(invalidating.link.completions).noneMatch(done -> done.status() == CompletionStatus.SUCCESS);
        }
        assertThat(region.valid()).isTrue();
        assertThat(Hex.of(region.memory())).isEqualTo("00000000");
        owner.write(region, 0, "bb");
        owner.assertFine();
    }
}
