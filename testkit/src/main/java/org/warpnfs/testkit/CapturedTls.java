package org.warpnfs.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A captured connection of RPC-with-TLS (RFC 9289): what was in clear, and the RPC messages inside, decrypted with
 * {@code captures/tls.keys}.
 *
 * @param probe the record with the client's AUTH_TLS probe, with its record mark
 * @param probeReply the server's answer to it, likewise
 * @param clientHello the TLS record that follows the probe
 * @param fromClient the messages of the client without their record marks
 * @param fromServer the messages of the server, likewise
 */
public record CapturedTls(
        ByteBuffer probe,
        ByteBuffer probeReply,
        ByteBuffer clientHello,
        List<ByteBuffer> fromClient,
        List<ByteBuffer> fromServer) {
    private static final int NFS_PORT = 2049;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int AUTH_TLS = 7;
    /** Of the credential's flavor, in a record. */
    private static final int FLAVOR_OFFSET = 28;

    private static final int RANDOM_OFFSET = 11;
    private static final int RANDOM_BYTES = 32;

    public CapturedTls {
        fromClient = List.copyOf(fromClient);
        fromServer = List.copyOf(fromServer);
    }

    /** Loads the connection of a capture that begins with a probe. */
    public static CapturedTls load(String capture) {
        List<CapturedConnection> probed = Capture.load(capture).connections().stream()
                .filter(each -> each.responder().getPort() == NFS_PORT)
                .filter(each -> each.fromInitiator().getInt(FLAVOR_OFFSET) == AUTH_TLS)
                .toList();
        if (probed.size() != 1) {
            throw new CaptureFormatException(capture + " has " + probed.size() + " connections with a probe");
        }
        ByteBuffer client = probed.getFirst().fromInitiator();
        ByteBuffer server = probed.getFirst().fromResponder();
        ByteBuffer probe = cut(client, Integer.BYTES + (client.getInt(0) & ~LAST_FRAGMENT));
        ByteBuffer probeReply = cut(server, Integer.BYTES + (server.getInt(0) & ~LAST_FRAGMENT));
        ByteBuffer hello = client.slice();
        hello.limit(5 + hello.getShort(3));
        byte[] random = new byte[RANDOM_BYTES];
        hello.get(RANDOM_OFFSET, random);
        Map<String, byte[]> secrets = secrets(random);
        return new CapturedTls(
                probe,
                probeReply,
                hello,
                messages(TlsStream.decrypt(
                        client,
                        secret(secrets, "CLIENT_HANDSHAKE_TRAFFIC_SECRET"),
                        secret(secrets, "CLIENT_TRAFFIC_SECRET_0"))),
                messages(TlsStream.decrypt(
                        server,
                        secret(secrets, "SERVER_HANDSHAKE_TRAFFIC_SECRET"),
                        secret(secrets, "SERVER_TRAFFIC_SECRET_0"))));
    }

    private static ByteBuffer cut(ByteBuffer stream, int lengthBytes) {
        ByteBuffer part = stream.slice(stream.position(), lengthBytes);
        stream.position(stream.position() + lengthBytes);
        return part;
    }

    /** The lines of the key log that begin with their label and the client's random number. */
    private static Map<String, byte[]> secrets(byte[] random) {
        try (InputStream in = CapturedTls.class.getResourceAsStream("captures/tls.keys")) {
            if (in == null) {
                throw new CaptureFormatException("no key log");
            }
            Map<String, byte[]> found = new HashMap<>();
            String named = HexFormat.of().formatHex(random);
            new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().forEach(line -> {
                String[] words = line.split(" ", -1);
                if (words[1].equals(named)) {
                    found.put(words[0], HexFormat.of().parseHex(words[2]));
                }
            });
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] secret(Map<String, byte[]> secrets, String label) {
        byte[] secret = secrets.get(label);
        if (secret == null) {
            throw new CaptureFormatException("the key log has no " + label);
        }
        return secret;
    }

    /** Takes the record marks off (RFC 5531, section 11). */
    private static List<ByteBuffer> messages(ByteBuffer stream) {
        List<ByteBuffer> messages = new ArrayList<>();
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (stream.hasRemaining()) {
            int mark = stream.getInt();
            byte[] fragment = new byte[mark & ~LAST_FRAGMENT];
            stream.get(fragment);
            message.writeBytes(fragment);
            if ((mark & LAST_FRAGMENT) != 0) {
                messages.add(ByteBuffer.wrap(message.toByteArray()));
                message.reset();
            }
        }
        return messages;
    }
}
