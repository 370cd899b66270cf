package org.warpnfs.nfs.testing;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** RPC messages that a Linux client and knfsd exchanged. */
public final class CapturedMessages {
    private static final String RESOURCE = "/org/warpnfs/nfs/captured/linux-v3.txt";

    private CapturedMessages() {}

    /**
     * One message.
     *
     * @param bytes in hex, from the XID on
     */
    public record Message(int program, int procedure, boolean isCall, String bytes) {
        public byte[] toBytes() {
            return HexFormat.of().parseHex(bytes);
        }
    }

    /** The messages in the order of the session. A reply follows its call. */
    public static List<Message> all() {
        return all(RESOURCE);
    }

    /** The locks of a session of NFSv3: NLM and NSM. */
    public static List<Message> locks() {
        return all("/org/warpnfs/nfs/captured/linux-nlm.txt");
    }

    private static List<Message> all(String resource) {
        try (InputStream in = CapturedMessages.class.getResourceAsStream(resource)) {
            List<Message> messages = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList()) {
                if (!line.startsWith("#")) {
                    List<String> words = Splitter.on(' ').omitEmptyStrings().splitToList(line);
                    messages.add(new Message(
                            Integer.parseInt(words.get(0)),
                            Integer.parseInt(words.get(1)),
                            words.get(2).equals("call"),
                            words.get(3)));
                }
            }
            return messages;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The calls of one program. */
    public static List<Message> calls(int program) {
        return all().stream().filter(m -> m.isCall() && m.program() == program).toList();
    }
}
