package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Calls of Linux 7.3 go through the layer, and knfsd's results are the answers. Each of our replies must then say to
 * the client, with its own key, what knfsd's reply said.
 */
class ReplayedCaptureTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] NOTHING = {};

    @ParameterizedTest
    @CsvSource({
        "krb5-v4.1-tcp, NONE, 6",
        "krb5-v4.0-tcp, NONE, 6",
        "krb5-v3-rdma, NONE, 6",
        "krb5-v4.1-rdma, NONE, 6",
        "krb5i-v3-tcp, INTEGRITY, 6",
        "krb5i-v4.1-tcp, INTEGRITY, 6",
        "krb5i-v4.1-rdma, INTEGRITY, 8",
        "krb5p-v3-tcp, PRIVACY, 6",
        "krb5p-v4.1-tcp, PRIVACY, 8",
        "krb5p-v4.1-tcp-aes128sha1, PRIVACY, 6",
        "krb5p-v4.1-tcp-aes128sha256, PRIVACY, 6",
        "krb5p-v4.1-rdma-aes256sha384, PRIVACY, 6"
    })
    void callsOfALinuxClient_areOpened_andRepliesSayWhatThoseOfKnfsdSaid(String name, GssService service, int count)
            throws Exception {
        List<String> lines = Files.readAllLines(KerberosAcceptorTest.captured("captured/" + name));
        GssLayer layer = new GssLayer(
                KerberosAcceptorTest.acceptor(), GssOptions.DEFAULTS, new SplittableRandom(1), System::nanoTime);
        byte[] init = bytes(lines.getFirst(), "init");
        ClientKeys keys = ClientKeys.of(token(init), KerberosAcceptorTest.captured("server.keytab"));
        requireInitialized(layer, init, keys);
        GssContext context = established(token(init));

        int calls = 0;
        for (int at = 1; at < lines.size(); at += 2) {
            byte[] call = bytes(lines.get(at), "call");
            Reply ofKnfsd = Reply.read(bytes(lines.get(at + 1), "reply"), service, keys);
            GssCalls.Arrived arrived = new GssCalls.Arrived(ByteBuffer.wrap(call));
            CallHeader header = CallHeader.read(arrived.arguments());
            SecuredCall opened = Objects.requireNonNull(layer.use(arrived, header, ClientAddress.NONE, context));

            assertThat(opened.caller().service()).isEqualTo(service);
            assertThat(opened.caller().sequence()).isEqualTo(ofKnfsd.sequence());
            requireArguments(opened, header, call, service, keys);
            opened.reply(reply(header.xid(), opened.caller().replyVerifier(), ofKnfsd.results()));

            ByteBuffer reply = arrived.reply(header.xid());
            byte[] sent = new byte[2 * Integer.BYTES + reply.remaining()];
            ByteBuffer.wrap(sent).putInt(header.xid()).putInt(1).put(reply);
            Reply ours = Reply.read(sent, service, keys);
            assertThat(ours.sequence()).isEqualTo(ofKnfsd.sequence());
            assertThat(ours.results()).isEqualTo(ofKnfsd.results());
            assertThat(ours.messageBytes()).isEqualTo(ofKnfsd.messageBytes());
            requireDropped(layer, call, context);
            calls++;
        }
        assertThat(calls).isEqualTo(count);
    }

    private static byte[] bytes(String line, String kind) {
        assertThat(line).startsWith(kind + " ");
        return HEX.parseHex(line, kind.length() + 1, line.length());
    }

    /** The only argument of the call that makes a context, which has no verifier and a handle of no length. */
    private static byte[] token(byte[] init) {
        ByteBuffer in = ByteBuffer.wrap(init);
        in.position(7 * Integer.BYTES);
        in.position(in.position() + Integer.BYTES + in.getInt(in.position()));
        assertThat(in.getLong()).as("no verifier").isZero();
        return opaque(in);
    }

    private static byte[] opaque(ByteBuffer in) {
        byte[] value = new byte[in.getInt()];
        in.get(value);
        in.position(in.position() + (-value.length & 3));
        return value;
    }

    private static void requireInitialized(GssLayer layer, byte[] init, ClientKeys keys) throws Exception {
        GssCalls.Arrived arrived = new GssCalls.Arrived(ByteBuffer.wrap(init));
        assertThat(layer.open(arrived, ClientAddress.NONE)).isNull();
        ByteBuffer reply = arrived.reply(ByteBuffer.wrap(init).getInt());
        assertThat(reply.getInt()).as("accepted").isZero();
        assertThat(reply.getInt()).as("flavor").isEqualTo(6);
        assertThat(keys.isMicOfServer(opaque(reply), word(SequenceWindow.SIZE))).isTrue();
        assertThat(reply.getInt()).as("success").isZero();
        assertThat(opaque(reply)).hasSize(ContextHandle.BYTES);
        assertThat(reply.getInt()).as("complete").isZero();
        assertThat(layer.contextCount()).isEqualTo(1);
    }

    /** The context under the name that knfsd gave it, which the client's verifiers cover. */
    private static GssContext established(byte[] token) throws Exception {
        SecurityContext security = KerberosAcceptorTest.acceptor().begin();
        security.accept(token);
        long end = System.nanoTime() + Duration.ofHours(1).toNanos();
        GssContext context =
                new GssContext(ContextHandle.draw(new SplittableRandom(2)), security, ClientAddress.NONE, 0, end);
        context.established(security.initiator(), end);
        return context;
    }

    private static void requireArguments(
            SecuredCall opened, CallHeader header, byte[] call, GssService service, ClientKeys keys) throws Exception {
        ByteBuffer rest = ByteBuffer.wrap(call);
        rest.position(header.covered().length + 2 * Integer.BYTES + header.verifier().length);
        byte[] arguments =
                switch (service) {
                    case NONE -> {
                        byte[] plain = new byte[rest.remaining()];
                        rest.get(plain);
                        yield plain;
                    }
                    case INTEGRITY -> withoutNumber(opaque(rest));
                    case PRIVACY -> withoutNumber(keys.unwrapOfClient(opaque(rest)));
                };
        byte[] message = new byte[opened.arguments().remainingBytes()];
        opened.arguments().read(message, 0, message.length);
        assertThat(message).startsWith(header.covered()).endsWith(arguments);
    }

    private static byte[] withoutNumber(byte[] body) {
        return Arrays.copyOfRange(body, Integer.BYTES, body.length);
    }

    /** As a program hands it over: results in the clear, the last of them a payload. */
    private static RpcMessage reply(int xid, byte[] verifier, byte[] results) {
        ByteBuffer head =
                ByteBuffer.allocate(256).putInt(xid).putInt(1).putInt(0).putInt(6);
        InitResult.putOpaque(head, verifier);
        head.putInt(0).flip();
        return new RpcMessage(
                head, List.of(new RpcMessage.Item(head.limit(), Payload.unpooled(ByteBuffer.wrap(results)))));
    }

    private static void requireDropped(GssLayer layer, byte[] call, GssContext context) throws GssRefusal {
        GssCalls.Arrived again = new GssCalls.Arrived(ByteBuffer.wrap(call));
        assertThat(layer.use(again, CallHeader.read(again.arguments()), ClientAddress.NONE, context))
                .isNull();
        assertThat(again.isDropped()).isTrue();
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    /** A reply as the client reads it: its verifier and its body are the server's. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Reply(long sequence, byte[] results, int messageBytes) {
        static Reply read(byte[] message, GssService service, ClientKeys keys) throws Exception {
            ByteBuffer in = ByteBuffer.wrap(message);
            in.position(2 * Integer.BYTES);
            assertThat(in.getInt()).as("accepted").isZero();
            assertThat(in.getInt()).as("flavor").isEqualTo(6);
            byte[] verifier = opaque(in);
            assertThat(in.getInt()).as("success").isZero();
            byte[] body = NOTHING;
            byte[] results = new byte[in.remaining()];
            if (service == GssService.NONE) {
                in.get(results);
            } else {
                byte[] databody = opaque(in);
                body = service == GssService.PRIVACY ? keys.unwrapOfServer(databody) : databody;
                if (service == GssService.INTEGRITY) {
                    assertThat(keys.isMicOfServer(opaque(in), databody)).isTrue();
                }
                results = withoutNumber(body);
            }
            assertThat(in.hasRemaining()).isFalse();
            // Without a body the number is in no reply; it is one of the first.
            int sequence = body.length > 0 ? ByteBuffer.wrap(body).getInt() : numberOf(verifier, keys);
            assertThat(keys.isMicOfServer(verifier, word(sequence))).isTrue();
            return new Reply(sequence, results, message.length);
        }

        private static int numberOf(byte[] verifier, ClientKeys keys) throws Exception {
            for (int number = 1; number < 100; number++) {
                if (keys.isMicOfServer(verifier, word(number))) {
                    return number;
                }
            }
            throw new AssertionError("no number under 100");
        }
    }
}
