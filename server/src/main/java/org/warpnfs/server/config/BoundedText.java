package org.warpnfs.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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
    private BoundedText() {}

    /**
     * Returns why a file could not be read, as the rest of a sentence whose subject is the file. The messages of most
     * of these exceptions contain only the file's name.
     */
    public static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "there is no such file";
            case AccessDeniedException _ -> "permission denied";
            case CharacterCodingException _ -> "is not in UTF-8";
            default -> "cannot be read (" + e.getMessage() + ")";
        };
    }

    /**
     * Reads the whole file.
     *
     * @param maxBytes the largest size; more is a mistake and is not read
     * @throws ConfigException if the file is longer; it names the file
     * @throws CharacterCodingException if the file is not in UTF-8
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
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }
}
