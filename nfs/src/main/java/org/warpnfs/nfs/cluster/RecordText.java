package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.warpnfs.stable.SummedText;

/**
 * A {@link ClusterRecord} as text.
 *
 * <pre>
 *   warpnfs-cluster 1
 *   identity HEX
 *   lastInstance N
 *   epoch N
 *   recovery N
 *   member NAME INSTANCE running|ended need|ready ENFORCING RECORDS-EPOCH RECORDS-INSTANCE   each node; 0 0: no records
 *   crc HEX                                                              CRC32C of all bytes before this line
 * </pre>
 */
final class RecordText {
    static final int MAX_BYTES = 1 << 16;
    private static final String FORMAT = "warpnfs-cluster 1";
    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern IDENTITY = Pattern.compile("[0-9a-f]{32}");

    private RecordText() {}

    /** True if a node or a cluster may have that name, which is also that of a file. */
    static boolean isName(String name) {
        return NODE.matcher(name).matches();
    }

    static byte[] encode(ClusterRecord record) {
        StringBuilder text = new StringBuilder(FORMAT)
                .append("\nidentity ")
                .append(record.identity())
                .append("\nlastInstance ")
                .append(record.lastInstance())
                .append("\nepoch ")
                .append(record.epoch())
                .append("\nrecovery ")
                .append(record.recovery())
                .append('\n');
        record.members().forEach((node, member) -> {
            Member.Records records = member.records();
            text.append("member ")
                    .append(node)
                    .append(' ')
                    .append(member.instance())
                    .append(member.running() ? " running" : " ended")
                    .append(member.need() ? " need " : " ready ")
                    .append(member.enforcing())
                    .append(' ')
                    .append(records == null ? 0 : records.epoch())
                    .append(' ')
                    .append(records == null ? 0 : records.instance())
                    .append('\n');
        });
        String body = text.toString();
        return (body + "crc " + SummedText.sum(body) + '\n').getBytes(StandardCharsets.US_ASCII);
    }

    /** @throws IOException if it is damaged or of a later version; the message says what is wrong, not where */
    static ClusterRecord parse(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!text.startsWith(FORMAT + '\n')) {
            throw new IOException("does not begin with '" + FORMAT + "': it is damaged, or of another version");
        }
        int last = text.lastIndexOf("crc ");
        if (last < 0 || !text.substring(last).equals("crc " + SummedText.sum(text.substring(0, last)) + '\n')) {
            throw new IOException("is damaged: its checksum is wrong");
        }
        try {
            return parsed(text.substring(0, last).lines().toList());
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException("is malformed: " + e.getMessage(), e);
        }
    }

    private static ClusterRecord parsed(List<String> lines) {
        String identity = value(lines.get(1), "identity");
        if (!IDENTITY.matcher(identity).matches()) {
            throw new IllegalArgumentException("identity " + identity);
        }
        TreeMap<String, Member> members = new TreeMap<>();
        for (String line : lines.subList(5, lines.size())) {
            String[] words = value(line, "member").split(" ", -1);
            if (words.length != 7 || !isName(words[0])) {
                throw new IllegalArgumentException(line);
            }
            Member member = new Member(
                    Integer.parseInt(words[1]),
                    oneOf(words[2], "running", "ended"),
                    oneOf(words[3], "need", "ready"),
                    Long.parseLong(words[4]),
                    records(Long.parseLong(words[5]), Integer.parseInt(words[6])));
            if (members.put(words[0], member) != null) {
                throw new IllegalArgumentException("node " + words[0] + " twice");
            }
        }
        return new ClusterRecord(
                identity,
                Integer.parseInt(value(lines.get(2), "lastInstance")),
                Long.parseLong(value(lines.get(3), "epoch")),
                Long.parseLong(value(lines.get(4), "recovery")),
                members);
    }

    private static Member.@Nullable Records records(long epoch, int instance) {
        return epoch == 0 ? null : new Member.Records(epoch, instance);
    }

    private static boolean oneOf(String word, String yes, String no) {
        if (!word.equals(yes) && !word.equals(no)) {
            throw new IllegalArgumentException(word);
        }
        return word.equals(yes);
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key + ' ')) {
            throw new IllegalArgumentException("'" + line + "' in place of " + key);
        }
        return line.substring(key.length() + 1);
    }
}
