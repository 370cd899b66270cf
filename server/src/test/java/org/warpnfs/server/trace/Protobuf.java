package org.warpnfs.server.trace;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A minimal parser of protobuf's wire format, enough to read what an OTLP receiver gets. */
record Protobuf(List<Field> fields) {
    /** @param value a Long, or the bytes of a string or message */
    record Field(int number, Object value) {}

    static Protobuf parse(byte[] bytes) {
        List<Field> fields = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            long key = varint(in);
            Object value =
                    switch ((int) key & 7) {
                        case 0 -> varint(in);
                        case 1 -> in.getLong();
                        case 2 -> bytes(in);
                        case 5 -> (long) in.getInt();
                        default -> throw new IllegalArgumentException("wire type " + (key & 7));
                    };
            fields.add(new Field((int) (key >>> 3), value));
        }
        return new Protobuf(fields);
    }

    private static byte[] bytes(ByteBuffer in) {
        byte[] bytes = new byte[(int) varint(in)];
        in.get(bytes);
        return bytes;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    List<Protobuf> messages(int number) {
        return fields.stream()
                .filter(field -> field.number() == number)
                .map(field -> parse((byte[]) field.value()))
                .toList();
    }

    long number(int number) {
        return fields.stream()
                .filter(field -> field.number() == number)
                .mapToLong(field -> (Long) field.value())
                .findFirst()
                .orElse(0);
    }

    private byte[] raw(int number) {
        return fields.stream()
                .filter(field -> field.number() == number)
                .map(field -> (byte[]) field.value())
                .findFirst()
                .orElse(new byte[0]);
    }

    String text(int number) {
        return new String(raw(number), StandardCharsets.UTF_8);
    }

    String hex(int number) {
        return HexFormat.of().formatHex(raw(number));
    }
}
