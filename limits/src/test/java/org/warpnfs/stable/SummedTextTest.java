package org.warpnfs.stable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SummedTextTest {
    private static final String TEXT = "192.0.2.1\nserver\n15\n";

    @Test
    void sum_ofTheTextThatCataloguesUse_isTheirs() {
        // CRC-32C of "123456789", as catalogues of CRCs give it.
        assertThat(SummedText.sum("123456789")).isEqualTo("e3069283");
    }

    @Test
    void text_unchanged_isReadBack_andOneWithoutAChecksumIsTaken() throws Exception {
        assertThat(SummedText.read(SummedText.of(TEXT))).isEqualTo(TEXT);
        assertThat(SummedText.read(SummedText.of(""))).isEmpty();
        assertThat(SummedText.read(TEXT)).isEqualTo(TEXT);
    }

    @Test
    void text_cutAnywhere_isNeverAnotherText() throws Exception {
        String whole = SummedText.of(TEXT);
        for (int length = 0; length < whole.length(); length++) {
            String cut = whole.substring(0, length);
            if (length < "crc ".length()) {
                assertThat(SummedText.read(cut)).isEqualTo(cut);
            } else {
                assertThatThrownBy(() -> SummedText.read(cut)).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void text_withAnyBitChanged_isDamaged() {
        byte[] whole = SummedText.of(TEXT).getBytes(StandardCharsets.ISO_8859_1);
        for (int bit = "crc ".length() * Byte.SIZE; bit < whole.length * Byte.SIZE; bit++) {
            byte[] changed = whole.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            String text = new String(changed, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> SummedText.read(text))
                    .isInstanceOf(IOException.class)
                    .hasMessage("is damaged: its checksum is wrong");
        }
    }
}
