package org.warpnfs.rpcrdma.gss;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The names in a keytab. The keys are read by the JDK when they are needed, so that a keytab can be replaced while the
 * server runs.
 *
 * <pre>
 *   uint16 0x0502, entries: int32 size (negative: a hole), uint16 components,
 *   uint16 length and bytes of the realm and of each component, then what is not read here
 * </pre>
 *
 * The format is that of MIT Kerberos, version 2.
 *
 * @param principals in the order of the file, such as {@code nfs/server.example.org@EXAMPLE.ORG}
 */
public record Keytab(Set<String> principals) {
    private static final int VERSION_2 = 0x0502;
    private static final int MAX_BYTES = 16 << 20;
    private static final int MAX_COMPONENTS = 32;

    /**
     * Reads the names in a file.
     *
     * @throws IOException if it cannot be read or is no keytab; the message says why
     */
    public static Keytab read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(file + " has more than " + MAX_BYTES + " bytes");
        }
        return parse(ByteBuffer.wrap(Files.readAllBytes(file)), file);
    }

    static Keytab parse(ByteBuffer in, Path file) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        try {
            if (in.remaining() < Short.BYTES || Short.toUnsignedInt(in.getShort()) != VERSION_2) {
                throw new IOException(file + " is no keytab of version 2");
            }
            while (in.remaining() >= Integer.BYTES) {
                int size = in.getInt();
                if (size == 0) {
                    break;
                }
                if (size == Integer.MIN_VALUE || Math.abs(size) > in.remaining()) {
                    throw new IOException(file + " ends inside an entry");
                }
                if (size > 0) {
                    names.add(principal(in.slice(in.position(), size), file));
                }
                in.position(in.position() + Math.abs(size));
            }
        } catch (BufferUnderflowException e) {
            throw new IOException(file + " has an entry that is too short", e);
        }
        return new Keytab(names);
    }

    private static String principal(ByteBuffer entry, Path file) throws IOException {
        int components = Short.toUnsignedInt(entry.getShort());
        if (components > MAX_COMPONENTS) {
            throw new IOException(file + " has a name of " + components + " components");
        }
        String realm = text(entry);
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < components; i++) {
            name.append(i == 0 ? "" : "/").append(text(entry));
        }
        return name.append('@').append(realm).toString();
    }

    private static String text(ByteBuffer entry) {
        int lengthBytes = Short.toUnsignedInt(entry.getShort());
        if (lengthBytes > entry.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[lengthBytes];
        entry.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
