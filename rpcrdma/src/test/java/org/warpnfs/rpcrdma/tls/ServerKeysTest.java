package org.warpnfs.rpcrdma.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.testkit.TlsFiles;

class ServerKeysTest {
    private static final Instant NOW = Instant.parse("2026-12-23T00:00:00Z");

    @TempDir
    private Path directory;

    private Path file(String name) {
        return TlsFiles.copy(directory, name);
    }

    private void assertMistake(Path certificate, Path key, String told) {
        assertThatThrownBy(() -> ServerKeys.read(certificate, key, null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(told)
                .message()
                .as("names the file, in one line")
                .startsWith(directory.toString())
                .doesNotContain("\n");
    }

    @Test
    void files_thatBelongTogether_areRead() throws IOException {
        ServerKeys keys = ServerKeys.read(file("server.crt"), file("server.key"), file("authority.crt"));
        assertThat(keys.chain()).hasSize(2).first().isEqualTo(TlsFiles.certificate("server"));
        assertThat(keys.asksClients()).isTrue();
        assertThat(keys.warnings(NOW, NOW.plus(14, ChronoUnit.DAYS))).isEmpty();
        assertThat(keys.toString()).contains("server.lab").doesNotContain("Private");
        assertThat(keys).isEqualTo(ServerKeys.read(file("server.crt"), file("server.key"), file("authority.crt")));
    }

    @Test
    void key_ofAnotherCertificate_isAMistake() {
        assertMistake(file("server.crt"), file("server2.key"), "not the key of the first certificate");
    }

    @Test
    void key_thatOthersCanRead_isRefused() throws IOException {
        Path key = file("server.key");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertMistake(file("server.crt"), key, "every user of this host can read the key; run chmod o=");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(ServerKeys.read(file("server.crt"), key, null).asksClients()).isFalse();
    }

    @Test
    void files_ofAnotherForm_areMistakesThatSayWhatToDo() throws IOException {
        Path certificate = file("server.crt");
        Path key = file("server.key");
        assertMistake(certificate, file("old-form.key"), "openssl pkcs8 -topk8 -nocrypt");
        assertMistake(key, key, "no certificate in PEM");
        assertMistake(certificate, certificate.resolveSibling("none.key"), "there is no such file");
        assertMistake(certificate.resolveSibling("none.crt"), key, "there is no such file");
        assertMistake(directory, key, directory.toString());
        Path text = directory.resolve("text");
        String nothing = "\nAAAA\n-----END ";
        Files.writeString(text, "-----BEGIN ENCRYPTED PRIVATE KEY-----" + nothing + "ENCRYPTED PRIVATE KEY-----");
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-------"));
        assertMistake(certificate, text, "needs a password");
        Files.writeString(text, "-----BEGIN PRIVATE KEY-----" + nothing + "PRIVATE KEY-----");
        assertMistake(certificate, text, "malformed");
        Files.writeString(text, "nothing");
        assertMistake(certificate, text, "no private key");
        assertMistake(text, key, "no certificate in PEM");
        Files.writeString(text, "-----BEGIN CERTIFICATE-----" + nothing + "CERTIFICATE-----");
        assertMistake(text, key, "certificate 1 is malformed");
        Files.writeString(text, Files.readString(certificate).substring(0, 300));
        assertMistake(text, key, "cut off");
        Files.write(text, new byte[(4 << 20) + 1]);
        assertMistake(text, key, "longer than");
    }

    @Test
    void certificate_thatHasEndedOrSoonWill_isWarnedOf() throws IOException {
        ServerKeys expired = ServerKeys.read(file("expired-server.crt"), file("expired-server.key"), null);
        assertThat(expired.warnings(NOW, NOW))
                .singleElement()
                .asString()
                .contains("CN=server.lab", "expired at 2020-01-01T00:00:00Z");
        Instant before = Instant.parse("2019-12-24T00:00:00Z");
        assertThat(expired.warnings(before, before.plus(14, ChronoUnit.DAYS)))
                .singleElement()
                .asString()
                .contains("expires at 2020-01-01");
        assertThat(expired.warnings(Instant.EPOCH, Instant.EPOCH))
                .singleElement()
                .asString()
                .contains("not valid before");
    }

    @Test
    void names_ofACertificate_areThoseOfHostsThenTheCommonOne() {
        assertThat(PeerNames.of((X509Certificate) TlsFiles.certificate("client")))
                .isEqualTo(List.of("client.lab", "client one"));
        assertThat(PeerNames.of((X509Certificate) TlsFiles.certificate("authority")))
                .containsExactly("test authority");
    }
}
