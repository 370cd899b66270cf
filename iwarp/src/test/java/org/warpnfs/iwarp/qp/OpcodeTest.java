package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The RDMAP control octet: every opcode on every queue, every version, every reserved bit (RFC 5040, section 4.1,
 * Figure 4).
 */
class OpcodeTest {
    /**
     * A stream on which each of the eight messages would be valid: receives are posted, a Read is outstanding, and a
     * region permits all access.
     */
    private static final class Ready {
        final RawPeer peer = RawPeer.open();
        final ByteBuffer received = peer.receive(100);
        final MemoryRegion region = peer.region(100, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
        final MemoryRegion victim = peer.region(1, AccessRight.REMOTE_WRITE);
        final MemoryRegion sink = peer.region(1, AccessRight.LOCAL_WRITE);

        Ready() {
            peer.link.created.post(new WorkRequest.RdmaRead(1, sink, 0, 1, new RemoteMemory(1, 0)));
            peer.link.created.flush();
            peer.ulpdus();
        }

        /** A segment with this control octet, whose other fields suit its opcode. */
        String tagged(int control) {
            MemoryRegion target = (control & 0x0f) == 2 ? sink : region;
            return String.format("c1%02x", control) + RawPeer.stag(target) + "0000000000000000" + "aa";
        }

        String untagged(int control, int qn) {
            int opcode = control & 0x0f;
            String payload = opcode == 1
                    ? "00000051" + "0000000000001000" + "00000001" + RawPeer.stag(region) + "0000000000000000"
                    : opcode == 7 ? "00000000" : "aa";
            String word = opcode == 4 || opcode == 6 ? RawPeer.stag(victim) : "00000000";
            return untagged(control, word, qn, payload);
        }

        String untagged(int control, String word, int qn, String payload) {
            return String.format("41%02x", control) + word + String.format("%08x", qn)
                    + (qn == 0 ? peer.sendMsn() : "00000001") + "00000000" + payload;
        }

        /** Whether the stream processed the message as its opcode says. */
        boolean took(int opcode) {
            List<Completion> completions = peer.link.completions;
            return switch (opcode) {
                case 0 -> region.memory().get(0) == (byte) 0xaa;
                case 1 -> peer.ulpdu().startsWith("c142");
                case 2 -> !completions.isEmpty() && completions.getFirst() instanceof Completion.ReadDone;
                case 3, 4, 5, 6 ->
                    completions.size() == 1
                            && completions.getFirst() instanceof Completion.Received done
                            && done.buffer().remaining() == 1
                            && done.solicitedEvent() == (opcode >= 5)
                            && done.invalidatedStag().isPresent() == (opcode == 4 || opcode == 6)
                            && victim.valid() == (opcode == 3 || opcode == 5);
                case 7 -> peer.link.reason != null && peer.link.reason.detail().startsWith("layer 0");
                default -> false;
            };
        }

        String memories() {
            return Hex.of(received.duplicate().clear()) + Hex.of(region.memory()) + Hex.of(sink.memory());
        }
    }

    /** T and QN of Figure 4, by opcode; -1 is tagged. */
    private static final int[] QUEUE = {-1, 1, -1, 0, 0, 0, 0, 2};

    @Test
    void opcode_inEveryPlace_isTakenWhereFigure4HasItAndNowhereElse() {
        List<String> taken = new ArrayList<>();
        for (int opcode = 0; opcode < 16; opcode++) {
            for (int queue = -1; queue < 3; queue++) {
                Ready ready = new Ready();
                String segment = queue < 0 ? ready.tagged(0x40 | opcode) : ready.untagged(0x40 | opcode, queue);
                String before = ready.memories();
                ready.peer.link.fpdu(segment);
                if (opcode < 8 && QUEUE[opcode] == queue) {
                    assertThat(ready.took(opcode)).as(segment).isTrue();
                    taken.add(opcode + "/" + queue);
                } else {
                    assertThat(ready.peer.terminate()).as(segment).startsWith("0206" + "c000");
                    assertThat(ready.memories()).as(segment).isEqualTo(before);
                    assertThat(ready.victim.valid()).isFalse();
                }
            }
        }
        assertThat(taken).containsExactly("0/-1", "1/1", "2/-1", "3/0", "4/0", "5/0", "6/0", "7/2");
    }

    @Test
    void opcode_onAQueueThatIsNot_isDdpsError() {
        for (int opcode = 0; opcode < 8; opcode++) {
            for (int queue : new int[] {3, 4, -1}) {
                RawPeer peer = RawPeer.open();
                peer.link.fpdu(String.format("41%02x00000000%08x0000000100000000", 0x40 | opcode, queue));
                assertThat(peer.terminate()).startsWith("1201" + "c000");
            }
        }
    }

    @Test
    void version_otherThanOurs_isNamedForEveryOpcodeAndNothingIsPlaced() {
        for (int version : new int[] {0x00, 0x80, 0xc0}) {
            for (int opcode = 0; opcode < 8; opcode++) {
                Ready ready = new Ready();
                int control = version | opcode;
                String segment = QUEUE[opcode] < 0 ? ready.tagged(control) : ready.untagged(control, QUEUE[opcode]);
                String before = ready.memories();
                ready.peer.link.fpdu(segment);
                int headerBytes = QUEUE[opcode] < 0 ? 14 : 18;
                assertThat(ready.peer.terminate())
                        .as(segment)
                        .isEqualTo("0205" + "c000"
                                + String.format("%04x", Hex.bytes(segment).remaining())
                                + Hex.of(Hex.bytes(segment).limit(headerBytes)));
                assertThat(ready.memories()).as(segment).isEqualTo(before);
            }
        }
    }

    @Test
    void reservedBits_everyValueOnEveryOpcode_areIgnored() {
        for (int reserved = 0x00; reserved <= 0x30; reserved += 0x10) {
            for (int opcode = 0; opcode < 8; opcode++) {
                Ready ready = new Ready();
                int control = 0x40 | reserved | opcode;
                ready.peer.link.fpdu(
                        QUEUE[opcode] < 0 ? ready.tagged(control) : ready.untagged(control, QUEUE[opcode]));
                assertThat(ready.took(opcode)).isTrue();
            }
        }
    }

    @Test
    void invalidateStag_whereItMeansNothing_isIgnored() {
        for (int opcode : new int[] {1, 3, 5, 7}) {
            Ready ready = new Ready();
            String segment = ready.untagged(0x40 | opcode, QUEUE[opcode]);
            String live = RawPeer.stag(ready.region);
            ready.peer.link.fpdu(segment.substring(0, 4) + live + segment.substring(12));
            assertThat(ready.took(opcode)).isTrue();
            assertThat(ready.region.valid()).isEqualTo(opcode != 7);
        }
    }

    @Test
    void opcode_changesWithinATaggedMessage_isRefusedBeforeItIsPlaced() {
        Ready ready = new Ready();
        ready.peer.link.fpdu("8140" + RawPeer.stag(ready.region) + "0000000000000000" + "aa");
        ready.peer.link.fpdu("c142" + RawPeer.stag(ready.sink) + "0000000000000000" + "bb");
        assertThat(ready.peer.terminate()).startsWith("0206" + "c000" + "000f" + "c142");
        assertThat(Hex.of(ready.sink.memory())).isEqualTo("00");
    }

    @Test
    void invalidateStag_changesWithinAMessage_isRefused() {
        Ready ready = new Ready();
        String queueAndMsn = "00000000" + ready.peer.sendMsn();
        ready.peer.link.fpdu("0144" + RawPeer.stag(ready.victim) + queueAndMsn + "00000000" + "aa");
        ready.peer.link.fpdu("4144" + RawPeer.stag(ready.region) + queueAndMsn + "00000001" + "bb");
        assertThat(ready.peer.terminate()).startsWith("0206" + "c000" + "0013" + "4144");
        assertThat(ready.peer.link.completions).noneMatch(done -> done.status() == CompletionStatus.SUCCESS);
    }
}
