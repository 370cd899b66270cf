package org.warpnfs.nfs.fence;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.stable.SummedText;

/**
 * The epochs of all files at one metadata server. A file has that of the server, until its layouts are revoked. Then it
 * has one of its own. Epochs are random numbers, so none comes back, and nothing has to be kept over a restart.
 *
 * <pre>
 *   warpnfs fences 2
 *   process NUMBER        the same in each text of a process, and larger in those of the next one
 *   base EPOCH
 *   FILE EPOCH            for each file with an epoch of its own
 *   end CRC32C            of everything before it; whatever follows is ignored
 * </pre>
 *
 * All numbers are hexadecimal and have 16 digits, the CRC 8. Immutable.
 *
 * @param process its number, which grows with each process of the node
 * @param base the epoch of all other files
 */
public record FenceEpochs(long process, long base, Map<Long, Long> fenced) {
    /** Beyond this all files get another epoch, and their clients get new layouts. */
    static final int MAX_FENCED = 1024;

    /** The longest text. */
    public static final int MAX_BYTES = 64 * 1024;

    private static final String TITLE = "warpnfs fences 2";
    private static final String PROCESS = "process ";
    private static final String BASE = "base ";
    private static final String END = "end ";
    private static final int HEAD_LINES = 3;
    private static final int HEXADECIMAL = 16;
    private static final int DIGITS = 16;

    public FenceEpochs {
        fenced = Map.copyOf(fenced);
    }

    /** The epochs of a process that starts. */
    static FenceEpochs startingAt(long process, long base) {
        return new FenceEpochs(process, base, Map.of());
    }

    /**
     * The number of a file, the same at all gateways. Two files may have the same one, and are then fenced together.
     *
     * @param handle the backend's
     */
    public static long keyOf(byte[] handle) {
        return Hashing.farmHashFingerprint64().hashBytes(handle).asLong();
    }

    public long of(long file) {
        return fenced.getOrDefault(file, base);
    }

    /** These with another epoch of one file, or of all if too many have one of their own. */
    FenceEpochs fence(long file, long epoch) {
        if (fenced.size() >= MAX_FENCED) {
            return new FenceEpochs(process, epoch, Map.of());
        }
        Map<Long, Long> more = new LinkedHashMap<>(fenced);
        more.put(file, epoch);
        return new FenceEpochs(process, base, more);
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(
                TITLE + "\n" + PROCESS + "%016x\n".formatted(process) + BASE + "%016x\n".formatted(base));
        fenced.forEach((file, epoch) -> text.append("%016x %016x\n".formatted(file, epoch)));
        return (text + END + SummedText.sum(text.toString()) + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** The process whose text it is, also if the rest is half written; 0 if it does not say so. */
    static long processOf(byte @Nullable [] bytes) {
        String head = TITLE + "\n" + PROCESS;
        if (bytes == null || bytes.length <= head.length() + DIGITS) {
            return 0;
        }
        String text = new String(bytes, 0, head.length() + DIGITS + 1, StandardCharsets.ISO_8859_1);
        try {
            return text.startsWith(head) && text.endsWith("\n")
                    ? number(text.substring(head.length(), head.length() + DIGITS))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Null if it is none, or was read while it was written. */
    static @Nullable FenceEpochs parse(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            return null;
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\n" + END) + 1;
        if (end == 0 || !text.startsWith(END + SummedText.sum(text.substring(0, end)) + "\n", end)) {
            return null;
        }
        List<String> lines = text.substring(0, end).lines().toList();
        if (lines.size() < HEAD_LINES
                || !lines.get(0).equals(TITLE)
                || !lines.get(1).startsWith(PROCESS)
                || !lines.get(2).startsWith(BASE)) {
            return null;
        }
        try {
            Map<Long, Long> fenced = new LinkedHashMap<>();
            for (String line : lines.subList(HEAD_LINES, lines.size())) {
                int space = line.indexOf(' ');
                fenced.put(number(line.substring(0, Math.max(space, 0))), number(line.substring(space + 1)));
            }
            return new FenceEpochs(
                    number(lines.get(1).substring(PROCESS.length())),
                    number(lines.get(2).substring(BASE.length())),
                    fenced);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long number(String digits) {
        return Long.parseUnsignedLong(digits, HEXADECIMAL);
    }
}
