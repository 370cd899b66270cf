package org.warpnfs.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads text files of limited size. The path may be something other than a file, such as a pipe, or a device that never
 * ends.
 */
public final class BoundedText {
    /** What some editors put before the text of a file. */
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private BoundedText() {}

    /**
     * Returns why a file could not be read, as the rest of a sentence whose subject is the file. The messages of most
     * of these exceptions contain only the file's name.
     */
    public static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "there is no such file";
            case AccessDeniedException _ -> "permission denied";
            default -> "cannot be read (" + e.getMessage() + ")";
        };
    }

    /**
     * Reads the whole file, without the byte order mark that it may begin with.
     *
     * @param maxBytes the largest size; more is a mistake and is not read
     * @throws ConfigException if the file is longer, or not in UTF-8; it names the file, and the line
     * @throws IOException if it cannot be read
     */
    public static String read(Path file, int maxBytes) throws IOException, ConfigException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(maxBytes + 1);
        }
        if (bytes.length > maxBytes) {
            throw new ConfigException(file + ": is longer than " + maxBytes + " bytes");
        }
        String text = decoded(file, ByteBuffer.wrap(bytes));
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    private static String decoded(Path file, ByteBuffer bytes) throws ConfigException {
        CharBuffer text = CharBuffer.allocate(bytes.limit());
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        if (decoder.decode(bytes, text, true).isError()) {
            int line = 1 + (int) text.flip().chars().filter(c -> c == '\n').count();
            throw new Place(file.toString(), line)
                    .mistake("is not in UTF-8: the byte 0x%02x".formatted(bytes.get(bytes.position())));
        }
        return text.flip().toString();
    }
}
