package org.warpnfs.server.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsChoiceTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client.lab|not NAME=UID",
                "=1|not NAME=UID",
                "client.lab=x|is not a number from 0 to 4294967294",
                "client.lab=1:4294967296|is not a number from 0 to 4294967294",
                "client.lab=4294967295|4294967295 (-1) is no user or group",
                "client.lab=1:4294967295|4294967295 (-1) is no user or group"
            })
    void users_malformed_isRefusedWithItsPlace(String word, String mistake) {
        assertThatThrownBy(() -> TlsChoice.users("--tls-user", List.of(word)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--tls-user " + word)
                .hasMessageContaining(mistake);
    }
}
