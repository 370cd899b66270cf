package org.warpnfs.iwarp.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of remote atomic operations, against the pseudocode of RFC 7306, sections 5.1.1 and 5.1.2. */
class MaskedWordTest {
    private static final int TRIPLES = 200_000;

    private static long u64(String hex) {
        return Long.parseUnsignedLong(hex, 16);
    }

    /** The pseudocode of section 5.1.1: bit by bit, the carry dropped where the mask has a one. */
    private static long bitSerial(long original, long data, long mask) {
        long sum = 0;
        int carry = 0;
        for (int bit = 0; bit < 64; bit++) {
            int total = (int) (original >>> bit & 1) + (int) (data >>> bit & 1) + carry;
            sum |= (long) (total & 1) << bit;
            carry = (mask >>> bit & 1) == 0 ? total >> 1 : 0;
        }
        return sum;
    }

    /** Another reading: each field added by itself, modulo its own size. */
    private static long fieldWise(long original, long data, long mask) {
        long sum = 0;
        for (int low = 0; low < 64; ) {
            int high = low;
            while (high < 63 && (mask >>> high & 1) == 0) {
                high++;
            }
            long field = (-1L >>> (63 - (high - low))) << low;
            sum |= ((original & field) + (data & field)) & field;
            low = high + 1;
        }
        return sum;
    }

    private static long randomMask(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> 0x8080_8080_8080_8080L >>> random.nextInt(64);
            case 2 -> 1L << random.nextInt(64);
            default -> random.nextBoolean() ? 0 : -1L;
        };
    }

    @ParameterizedTest
    @CsvSource({
        "00000000FFFFFFFF, 0000000100000001, 0000000000000000, 0000000200000000",
        "00000000FFFFFFFF, 0000000100000001, 8000000080000000, 0000000100000000",
        "FFFFFFFFFFFFFFFF, 0000000000000001, 0000000000000000, 0000000000000000",
        "00FF00FF00FF00FF, 0001000100010001, 8080808080808080, 0000000000000000",
        "00FF00FF00FF00FF, 0001000100010001, 8000800080008000, 0100010001000100",
        "A5A5A5A5A5A5A5A5, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFFFF, 5A5A5A5A5A5A5A5A",
        "7FFFFFFFFFFFFFFF, 0000000000000001, 4000000000000000, 0000000000000000",
        "00000000000000FF, 0000000000000001, 0000000000000080, 0000000000000000"
    })
    void add_goldenOperands_giveTheGoldenSum(String original, String data, String mask, String sum) {
        assertThat(new MaskedWord(u64(data), u64(mask)).addTo(u64(original))).isEqualTo(u64(sum));
    }

    @Test
    void add_randomFields_isTheBitSerialAndTheFieldWiseSum() {
        SplittableRandom random = new SplittableRandom(7306);
        for (int i = 0; i < TRIPLES; i++) {
            long original = random.nextLong();
            long data = random.nextLong();
            long mask = randomMask(random);
            long sum = new MaskedWord(data, mask).addTo(original);
            assertThat(sum)
                    .as("%x + %x, mask %x", original, data, mask)
                    .isEqualTo(bitSerial(original, data, mask))
                    .isEqualTo(fieldWise(original, data, mask));
        }
    }

    @Test
    void add_maskZero_isAdditionModulo2To64_maskOnes_isExclusiveOr() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            long original = random.nextLong();
            long data = random.nextLong();
            assertThat(MaskedWord.addend(data).addTo(original)).isEqualTo(original + data);
            assertThat(MaskedWord.whole(data).addTo(original)).isEqualTo(original ^ data);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1122334455667788, AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, 1122334455667788, FFFFFFFFFFFFFFFF, AABBCCDDEEFF0011",
        "1122334455667788, AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, 1122334455667789, FFFFFFFFFFFFFFFF, 1122334455667788",
        "1122334455667788, AABBCCDDEEFF0011, 00000000FFFFFFFF, 1122334400000000, FFFFFFFF00000000, 11223344EEFF0011",
        "1122334455667788, AABBCCDDEEFF0011, FF00000000000000, 0000000000000000, 0000000000000000, AA22334455667788",
        "1122334455667788, AABBCCDDEEFF0011, 0000000000000000, 1122334455667788, FFFFFFFFFFFFFFFF, 1122334455667788",
        "1122334455667788, AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFF88, 00000000000000FF, AABBCCDDEEFF0011",
        "1122334455667788, AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFF88, 000000000000FFFF, 1122334455667788"
    })
    void swap_goldenOperands_giveTheGoldenResult(
            String original, String swap, String swapMask, String compare, String compareMask, String result) {
        MaskedWord expected = new MaskedWord(u64(compare), u64(compareMask));
        MaskedWord operand = new MaskedWord(u64(swap), u64(swapMask));
        long before = u64(original);
        assertThat(expected.matches(before) ? operand.mergedInto(before) : before)
                .isEqualTo(u64(result));
    }

    @Test
    void swap_randomOperands_isTheFormulaOfTheRfc() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < TRIPLES; i++) {
            long original = random.nextLong();
            MaskedWord swap = new MaskedWord(random.nextLong(), randomMask(random));
            long compareMask = randomMask(random);
            MaskedWord compare = new MaskedWord(random.nextBoolean() ? original : random.nextLong(), compareMask);
            assertThat(compare.matches(original)).isEqualTo((original & compareMask) == (compare.data() & compareMask));
            assertThat(swap.mergedInto(original)).isEqualTo((original & ~swap.mask()) | (swap.data() & swap.mask()));
        }
    }
}
