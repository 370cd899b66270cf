package org.warpnfs.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KeyedHashTest {
    /** As many as blocks of "Aa" and "BB" make, all of one hash code for {@link Arrays} and {@link String}. */
    private static List<String> collidingTexts() {
        return IntStream.range(0, 4096)
                .mapToObj(i -> IntStream.range(0, 12)
                        .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
                        .collect(Collectors.joining()))
                .toList();
    }

    /** Of so many keys, at most a few may have the hash code of another one. */
    private static void assertApart(IntStream hashes) {
        assertThat(hashes.distinct().count()).isGreaterThan(4090);
    }

    @Test
    void bytesAndTexts_ofOneHashCode_areApart() {
        List<String> texts = collidingTexts();
        assertThat(texts.stream().map(String::hashCode).distinct()).hasSize(1);

        assertApart(texts.stream().mapToInt(text -> KeyedHash.of(text.getBytes(StandardCharsets.US_ASCII))));
        assertApart(texts.stream().mapToInt(KeyedHash::of));
        assertApart(texts.stream().mapToInt(text -> new Keyed<>(text).hashCode()));
    }

    @Test
    void numbersAndLists_ofOneHashCode_areApart() {
        List<Long> numbers =
                LongStream.range(0, 4096).mapToObj(i -> i << 32 | i).toList();
        assertThat(numbers.stream().map(Object::hashCode).distinct()).hasSize(1);

        assertApart(numbers.stream().mapToInt(KeyedHash::of));
        assertApart(numbers.stream().mapToInt(number -> KeyedHash.of(7, number)));
        assertApart(IntStream.range(0, 4096).map(i -> KeyedHash.ofAny(List.of((long) i, 1_000_000L - 31L * i))));
    }

    @Test
    void addresses_ofOneHashCode_areApart() throws Exception {
        Set<InetAddress> addresses = new HashSet<>();
        for (int i = 0; i < 4096; i++) {
            byte[] bytes = new byte[16];
            bytes[0] = 0x20;
            bytes[10] = (byte) (i >> 8);
            bytes[11] = (byte) i;
            bytes[14] = (byte) (-i >> 8);
            bytes[15] = (byte) -i;
            addresses.add(InetAddress.getByAddress(bytes));
        }
        assertThat(addresses.stream().map(Object::hashCode).distinct().count()).isLessThan(10);

        assertApart(addresses.stream().mapToInt(KeyedHash::of));
    }

    @Test
    void equalKeys_haveEqualHashCodes() {
        for (int length = 0; length < 40; length++) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) -3);
            assertThat(KeyedHash.of(bytes)).isEqualTo(KeyedHash.of(bytes.clone()));
            if (length > 0) {
                int last = KeyedHash.of(bytes);
                bytes[length - 1]++;
                assertThat(KeyedHash.of(bytes)).isNotEqualTo(last);
            }
        }
        assertThat(new Keyed<>(List.of(1L, 2L))).hasSameHashCodeAs(new Keyed<>(List.of(1L, 2L)));
        assertThat(KeyedHash.of(new byte[7])).isNotEqualTo(KeyedHash.of(new byte[8]));
    }
}
