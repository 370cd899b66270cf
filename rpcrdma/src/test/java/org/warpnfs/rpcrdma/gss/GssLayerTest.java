package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;

class GssLayerTest {
    private static final ClientAddress CLIENT = ClientAddress.of(InetAddresses.forString("192.0.2.1"));
    private static final ClientAddress OTHER = ClientAddress.of(InetAddresses.forString("192.0.2.2"));
    private static final byte[] ARGUMENTS = {0, 0, 0, 7, 'a', 'r', 'g', 's'};
    private static final int BADCRED = 1;
    private static final int REJECTEDCRED = 2;
    private static final int BADVERF = 3;
    private static final int CREDPROBLEM = 13;
    private static final int CTXPROBLEM = 14;
    private static final int GARBAGE_ARGS = 4;

    private long nowNanos;
    private final GssLayer layer = layer(8);
    private final FakeSecurity alice = FakeSecurity.of("alice@TEST");

    private GssLayer layer(int maxContexts) {
        return new GssLayer(
                FakeSecurity.acceptor(),
                new GssOptions(
                        maxContexts, Duration.ofHours(1), Duration.ofSeconds(10), Duration.ofSeconds(30), 1000, 1),
                new SplittableRandom(1),
                () -> nowNanos);
    }

    private byte[] context(GssLayer of, ClientAddress client, String name) {
        GssCalls.Arrived init = GssCalls.init(name.getBytes(StandardCharsets.US_ASCII));
        assertThat(of.open(init, client)).isNull();
        return handle(init, 0);
    }

    private byte[] context() {
        return context(layer, CLIENT, "alice@TEST");
    }

    /** The handle in the reply to an INIT with this gss_major. */
    private static byte[] handle(GssCalls.Arrived init, int major) {
        ByteBuffer reply = init.reply();
        assertThat(reply.getInt()).isZero();
        reply.getInt();
        opaque(reply);
        assertThat(reply.getInt()).isZero();
        byte[] handle = opaque(reply);
        assertThat(reply.getInt()).isEqualTo(major);
        return handle;
    }

    private static byte[] opaque(ByteBuffer in) {
        byte[] value = new byte[in.getInt()];
        in.get(value);
        in.position(in.position() + (-value.length & 3));
        return value;
    }

    @Test
    void init_ofAnAcceptedToken_isAnsweredWithTheWindowAndItsChecksum() throws Exception {
        GssCalls.Arrived init = GssCalls.init("alice@TEST".getBytes(StandardCharsets.US_ASCII));

        layer.open(init, CLIENT);

        ByteBuffer reply = init.reply();
        assertThat(reply.getInt()).as("MSG_ACCEPTED").isZero();
        assertThat(reply.getInt()).as("flavor").isEqualTo(6);
        alice.verifyMic(opaque(reply), word(SequenceWindow.SIZE));
        assertThat(reply.getInt()).as("SUCCESS").isZero();
        assertThat(opaque(reply)).hasSize(ContextHandle.BYTES);
        assertThat(reply.getInt()).as("GSS_S_COMPLETE").isZero();
        assertThat(reply.getInt()).as("gss_minor").isZero();
        assertThat(reply.getInt()).isEqualTo(SequenceWindow.SIZE);
        assertThat(opaque(reply)).isEmpty();
        assertThat(reply.hasRemaining()).isFalse();
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    @Test
    void init_inTwoSteps_establishesTheContextWithTheSecond() throws Exception {
        GssCalls.Arrived first = GssCalls.init("+x".getBytes(StandardCharsets.US_ASCII));
        layer.open(first, CLIENT);
        byte[] handle = handle(first, 1);
        GssCalls.Arrived early = GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS);
        layer.open(early, CLIENT);

        GssCalls.Arrived second =
                GssCalls.init(GssProcedure.CONTINUE_INIT, handle, "alice@TEST".getBytes(StandardCharsets.US_ASCII));
        layer.open(second, CLIENT);

        assertThat(early.denial()).isEqualTo(CREDPROBLEM);
        assertThat(handle(second, 0)).isEqualTo(handle);
        assertThat(layer.open(GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS), CLIENT))
                .isNotNull();
    }

    /** Who has only seen the handle cannot end the context with a token. */
    @Test
    void continuation_ofAnEstablishedContext_failsAndChangesNothing() throws Exception {
        byte[] handle = context();
        GssCalls.Arrived attack =
                GssCalls.init(GssProcedure.CONTINUE_INIT, handle, "mallory".getBytes(StandardCharsets.US_ASCII));

        layer.open(attack, OTHER);

        handle(attack, 9 << 16);
        assertThat(layer.open(GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS), CLIENT))
                .isNotNull();
    }

    @Test
    void init_ofADefectiveToken_isAnsweredWithItsMajorStatusAndNoContext() {
        GssCalls.Arrived init = GssCalls.init(new byte[0]);

        layer.open(init, CLIENT);

        assertThat(handle(init, 9 << 16)).isEmpty();
        assertThat(layer.counts().of(GssCounts.Event.TOKEN_REFUSED)).isEqualTo(1);
        assertThat(layer.contextCount()).isZero();
    }

    @Test
    void init_ofATokenBeyondTheLimit_isGarbage() {
        GssCalls.Arrived init = GssCalls.init(new byte[1001]);

        layer.open(init, CLIENT);

        assertThat(acceptStatus(init)).isEqualTo(GARBAGE_ARGS);
    }

    private static int acceptStatus(GssCalls.Arrived call) {
        ByteBuffer reply = call.reply();
        assertThat(reply.getInt()).isZero();
        reply.getInt();
        opaque(reply);
        return reply.getInt();
    }

    @ParameterizedTest
    @EnumSource(GssService.class)
    void call_isOpened_hasItsArgumentsInTheClearAndItsReplyIsProtected(GssService service) throws Exception {
        byte[] handle = context();
        GssCalls.Arrived call = GssCalls.data(3, service, handle, alice, ARGUMENTS);

        SecuredCall opened = Objects.requireNonNull(layer.open(call, CLIENT));

        assertThat(opened.caller().principal()).isEqualTo("alice@TEST");
        assertThat(opened.caller().service()).isEqualTo(service);
        byte[] message = new byte[opened.arguments().remainingBytes()];
        opened.arguments().read(message, 0, message.length);
        assertThat(message).endsWith(ARGUMENTS);
        assertThat(ByteBuffer.wrap(message).getInt(20)).isEqualTo(GssCalls.PROCEDURE);

        opened.reply(success(opened.caller().replyVerifier()));

        ByteBuffer reply = call.reply();
        assertThat(reply.getInt()).isZero();
        assertThat(reply.getInt()).isEqualTo(6);
        alice.verifyMic(opaque(reply), word(3));
        assertThat(reply.getInt()).isZero();
        assertThat(results(reply, service, 3)).isEqualTo(new byte[] {0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0});
    }

    private byte[] results(ByteBuffer reply, GssService service, int sequence) throws Exception {
        byte[] body;
        if (service == GssService.NONE) {
            body = new byte[reply.remaining()];
            reply.get(body);
            return body;
        }
        byte[] databody = opaque(reply);
        if (service == GssService.INTEGRITY) {
            alice.verifyMic(opaque(reply), databody);
            body = databody;
        } else {
            body = alice.unwrap(databody).array();
        }
        assertThat(reply.hasRemaining()).isFalse();
        assertThat(ByteBuffer.wrap(body).getInt()).isEqualTo(sequence);
        return Arrays.copyOfRange(body, 4, body.length);
    }

    /** A reply whose only result is a payload. */
    private static RpcMessage success(byte[] verifier) {
        ByteBuffer head = ByteBuffer.allocate(64).putInt(GssCalls.XID).putInt(1).putInt(0);
        head.putInt(6);
        InitResult.putOpaque(head, verifier);
        head.putInt(0).putInt(5).flip();
        Payload payload = Payload.unpooled(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
        return new RpcMessage(head, List.of(new RpcMessage.Item(head.limit(), payload)));
    }

    /** RFC 8166, section 6: no part of a protected body is DDP-eligible. */
    @Test
    void replyOfAProtectedCall_hasNoItemsForChunks() throws Exception {
        byte[] handle = context();
        for (GssService service : GssService.values()) {
            GssCalls.Arrived call = GssCalls.data(1 + service.code(), service, handle, alice, ARGUMENTS);
            SecuredCall opened = Objects.requireNonNull(layer.open(call, CLIENT));

            opened.reply(success(opened.caller().replyVerifier()));

            assertThat(call.itemsOfReply()).isEqualTo(service == GssService.NONE ? 1 : 0);
        }
    }

    @Test
    void replyThatReportsAnError_toAProtectedCall_goesAsItIs() throws Exception {
        byte[] handle = context();
        GssCalls.Arrived call = GssCalls.data(1, GssService.PRIVACY, handle, alice, ARGUMENTS);
        SecuredCall opened = Objects.requireNonNull(layer.open(call, CLIENT));

        opened.reply(ReplyHeads.empty(GssCalls.XID, opened.caller().replyVerifier(), GARBAGE_ARGS));

        assertThat(acceptStatus(call)).isEqualTo(GARBAGE_ARGS);
    }

    @Test
    void call_isRepeated_isDropped() throws Exception {
        byte[] handle = context();
        layer.open(GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS), CLIENT);
        GssCalls.Arrived again = GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS);

        assertThat(layer.open(again, CLIENT)).isNull();

        assertThat(again.isDropped()).isTrue();
        assertThat(layer.counts().of(GssCounts.Event.CALL_REPEATED)).isEqualTo(1);
    }

    @Test
    void callOfAStranger_withAContextOfAnother_usesUpNoNumber() throws Exception {
        byte[] handle = context();
        GssCalls.Arrived forged = GssCalls.data(1, GssService.NONE, handle, FakeSecurity.of("mallory"), ARGUMENTS);

        layer.open(forged, OTHER);

        assertThat(forged.denial()).isEqualTo(CREDPROBLEM);
        assertThat(layer.open(GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS), CLIENT))
                .isNotNull();
    }

    @Test
    void destruction_byAStranger_isDenied_byTheOwner_endsTheContext() throws Exception {
        byte[] handle = context();
        GssCalls.Arrived forged = GssCalls.destroy(1, handle, FakeSecurity.of("mallory"));
        layer.open(forged, OTHER);
        assertThat(forged.denial()).isEqualTo(CREDPROBLEM);
        assertThat(layer.contextCount()).isEqualTo(1);

        GssCalls.Arrived own = GssCalls.destroy(1, handle, alice);
        layer.open(own, CLIENT);

        assertThat(acceptStatus(own)).isZero();
        assertThat(layer.contextCount()).isZero();
    }

    @Test
    void context_afterItsLife_isUnknown() throws Exception {
        byte[] handle = context();
        nowNanos += Duration.ofHours(1).toNanos();
        GssCalls.Arrived late = GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS);

        layer.open(late, CLIENT);

        assertThat(late.denial()).isEqualTo(CREDPROBLEM);
        assertThat(layer.contextCount()).isZero();
    }

    /** What is left of its ticket, at least ten seconds, at most an hour. */
    @ParameterizedTest
    @CsvSource({"45, 45", "1, 10", "-200, 10", "3599, 3599", "86400, 3600"})
    void context_ofATicket_endsWithIt(int leftSeconds, int lifeSeconds) throws Exception {
        byte[] handle = context(layer, CLIENT, "alice@TEST;" + leftSeconds);
        nowNanos += Duration.ofSeconds(lifeSeconds).toNanos() - 1;
        assertThat(layer.open(GssCalls.data(1, GssService.NONE, handle, alice, ARGUMENTS), CLIENT))
                .isNotNull();

        nowNanos++;
        GssCalls.Arrived late = GssCalls.data(2, GssService.NONE, handle, alice, ARGUMENTS);

        assertThat(layer.open(late, CLIENT)).isNull();
        assertThat(late.denial()).isEqualTo(CREDPROBLEM);
        assertThat(layer.contextCount()).isZero();
    }

    @Test
    void numberOf2To31_isRefused_andLowerOnesAreNot() throws Exception {
        byte[] handle = context();
        GssCalls.Arrived last = GssCalls.data(0x8000_0000L, GssService.NONE, handle, alice, ARGUMENTS);

        layer.open(last, CLIENT);

        assertThat(last.denial()).isEqualTo(CTXPROBLEM);
        GssCalls.Arrived before = GssCalls.data(0x7FFF_FFFFL, GssService.NONE, handle, alice, ARGUMENTS);
        assertThat(layer.open(before, CLIENT)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = GssService.class,
            names = {"INTEGRITY", "PRIVACY"})
    void bodyOfAnotherCall_isGarbage(GssService service) throws Exception {
        byte[] handle = context();
        ByteBuffer one = GssCalls.encoded(GssProcedure.DATA, 1, service, handle, alice, ARGUMENTS);
        ByteBuffer two = GssCalls.encoded(GssProcedure.DATA, 2, service, handle, alice, ARGUMENTS);
        // Both have the same length; the second gets the body of the first.
        int bodyAt = 32 + 20 + ContextHandle.BYTES + 8 + 4;
        two.put(bodyAt, one, bodyAt, one.limit() - bodyAt);
        GssCalls.Arrived spliced = new GssCalls.Arrived(two);

        assertThat(layer.open(spliced, CLIENT)).isNull();

        assertThat(acceptStatus(spliced)).isEqualTo(GARBAGE_ARGS);
        assertThat(layer.counts().of(GssCounts.Event.BODY_REFUSED)).isEqualTo(1);
    }

    @Test
    void call_cutAnywhere_isDeniedOrGarbageAndNeverOpened() throws Exception {
        byte[] handle = context();
        for (GssService service : GssService.values()) {
            ByteBuffer whole = GssCalls.encoded(GssProcedure.DATA, 9, service, handle, alice, ARGUMENTS);
            int atLeast = service == GssService.NONE ? whole.limit() - ARGUMENTS.length : whole.limit();
            for (int length = 32; length < atLeast; length++) {
                GssCalls.Arrived cut = new GssCalls.Arrived(whole.slice(0, length));
                if (GssLayer.workOf(cut.arguments()) == GssLayer.Work.NONE) {
                    continue;
                }
                assertThat(layer.open(cut, CLIENT)).as("%s %d", service, length).isNull();
                assertThat(cut.isEnded()).isTrue();
            }
        }
    }

    @Test
    void credential_thatBreaksARule_isDenied() throws Exception {
        byte[] handle = context();
        assertThat(changed(handle, 32, 3)).as("version").isEqualTo(REJECTEDCRED);
        assertThat(changed(handle, 36, 4)).as("procedure").isEqualTo(BADCRED);
        assertThat(changed(handle, 44, 0)).as("service").isEqualTo(BADCRED);
        assertThat(changed(handle, 44, 4)).as("service").isEqualTo(BADCRED);
        assertThat(changed(handle, 48, 17)).as("handle").isEqualTo(BADCRED);
        assertThat(changed(handle, 48, -1)).as("handle").isEqualTo(BADCRED);
        assertThat(changed(handle, 28, 404)).as("length").isEqualTo(BADCRED);
        assertThat(changed(handle, 52, 0)).as("handle of another").isEqualTo(CREDPROBLEM);
        assertThat(changed(handle, 68, 0)).as("flavor of the verifier").isEqualTo(BADVERF);
        assertThat(changed(handle, 72, 404)).as("length of the verifier").isEqualTo(BADVERF);
    }

    private int changed(byte[] handle, int at, int word) throws Exception {
        ByteBuffer call = GssCalls.encoded(GssProcedure.DATA, 1, GssService.NONE, handle, alice, ARGUMENTS);
        GssCalls.Arrived arrived = new GssCalls.Arrived(call.putInt(at, word));
        assertThat(layer.open(arrived, CLIENT)).isNull();
        return arrived.denial();
    }

    @Test
    void client_withMoreContextsThanItsShare_losesTheOneThatIsIdleForLongest() throws Exception {
        GssLayer small = layer(8);
        byte[] used = context(small, CLIENT, "alice@TEST");
        nowNanos++;
        byte[] idle = context(small, CLIENT, "alice@TEST");
        nowNanos++;
        byte[] ofOther = context(small, OTHER, "alice@TEST");
        nowNanos++;
        assertThat(small.open(GssCalls.data(1, GssService.NONE, used, alice, ARGUMENTS), CLIENT))
                .isNotNull();
        nowNanos++;

        for (int i = 0; i < 3; i++) {
            context(small, CLIENT, "alice@TEST");
            nowNanos++;
        }

        GssCalls.Arrived lost = GssCalls.data(2, GssService.NONE, idle, alice, ARGUMENTS);
        assertThat(small.open(lost, CLIENT)).isNull();
        assertThat(lost.denial()).isEqualTo(CREDPROBLEM);
        assertThat(small.counts().of(GssCounts.Event.CONTEXT_ESTABLISHED)).isEqualTo(6);
        assertThat(small.counts().of(GssCounts.Event.CONTEXT_EVICTED)).isEqualTo(6 - small.contextCount());
        assertThat(small.counts().of(GssCounts.Event.CALL_DENIED)).isEqualTo(1);
        assertThat(small.open(GssCalls.data(2, GssService.NONE, used, alice, ARGUMENTS), CLIENT))
                .isNotNull();
        assertThat(small.open(GssCalls.data(2, GssService.NONE, ofOther, alice, ARGUMENTS), OTHER))
                .isNotNull();
    }

    @Test
    void clients_thatFillTheTable_neverKeepANewOneOut() {
        GssLayer small = layer(8);
        for (int client = 1; client <= 20; client++) {
            for (int i = 0; i < 10; i++) {
                context(small, ClientAddress.of(InetAddresses.forString("192.0.2." + client)), "alice@TEST");
                nowNanos++;
            }
        }

        assertThat(small.contextCount()).isLessThanOrEqualTo(8);
    }
}
