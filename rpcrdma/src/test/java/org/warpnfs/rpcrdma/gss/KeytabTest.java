package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class KeytabTest {
    private static final Path FILE = Path.of("test.keytab");

    @Test
    void keytabOfMitKerberos_isRead_hasItsPrincipals() throws Exception {
        Keytab keytab = Keytab.read(KerberosAcceptorTest.captured("server.keytab"));

        assertThat(keytab.principals())
                .contains("nfs/server.lab@LAB.TEST")
                .allMatch(name -> name.endsWith("@LAB.TEST"));
    }

    @Test
    void keytab_cutAnywhere_isRefusedOrHasFewerPrincipals() throws Exception {
        byte[] whole = Files.readAllBytes(KerberosAcceptorTest.captured("server.keytab"));
        Keytab all = Keytab.parse(ByteBuffer.wrap(whole), FILE);
        for (int length = 0; length < whole.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(whole, 0, length).slice();
            try {
                assertThat(all.principals()).containsAll(Keytab.parse(cut, FILE).principals());
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("test.keytab");
            }
        }
    }

    @Test
    void otherFile_isRead_isRefused() {
        assertThatThrownBy(() -> Keytab.parse(ByteBuffer.wrap(new byte[] {'[', 'l', 'i', 'b'}), FILE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no keytab");
    }
}
