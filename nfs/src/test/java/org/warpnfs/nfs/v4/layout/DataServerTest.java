package org.warpnfs.nfs.v4.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;

/** What makes a data server the same one. */
class DataServerTest {
    private static DataServer server(int... ports) {
        InetAddress address = InetAddress.ofLiteral("10.0.0.1");
        return new DataServer(Arrays.stream(ports)
                .mapToObj(port -> new DataServerAddress(Transport.TCP, address, port))
                .toList());
    }

    @Test
    void id_askedAgain_isNotMadeAgain() {
        DataServer server = server(2049);

        assertThat(server.id()).isSameAs(server.id());
    }

    @Test
    void dataServer_ofTheSameAddresses_isTheSame() {
        assertThat(server(1, 2)).isEqualTo(server(1, 2)).hasSameHashCodeAs(server(1, 2));
        assertThat(server(1, 2).id()).isEqualTo(server(1, 2).id());
    }

    @Test
    void dataServer_ofOtherAddressesOrAnotherOrder_isAnother() {
        assertThat(List.of(server(1), server(1, 2), server(2, 1))).doesNotHaveDuplicates();
        assertThat(List.of(server(1).id(), server(1, 2).id(), server(2, 1).id()))
                .doesNotHaveDuplicates();
    }
}
