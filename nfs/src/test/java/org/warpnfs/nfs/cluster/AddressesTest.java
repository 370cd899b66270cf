package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where clients reach the gateways that run. */
class AddressesTest {
    @TempDir
    Path directory;

    private DirectoryStore store;
    private ClusterRecord record = ClusterRecord.empty("00112233445566778899aabbccddeeff");
    private final Addresses ofA = new Addresses("a", List.of("192.0.2.1", "2001:db8::1"));

    @BeforeEach
    void open() throws IOException {
        store = DirectoryStore.open(directory);
    }

    private void join(String node, String... addresses) throws IOException {
        store.publish(node, List.of(addresses));
        record = record.join(node);
        ofA.update(record, store);
    }

    @Test
    void nodesThatRun_areListed_thisOneFirst() throws IOException {
        join("b", "192.0.2.2");
        join("a", "192.0.2.1", "2001:db8::1");
        join("quiet");
        assertThat(ofA.hosts()).containsExactly(List.of("192.0.2.1", "2001:db8::1"), List.of("192.0.2.2"));
    }

    @Test
    void nodeThatHasEnded_isNotListed_andComesBackWithItsNewAddress() throws IOException {
        join("b", "192.0.2.2");
        record = record.failed("b", 1);
        ofA.update(record, store);
        assertThat(ofA.hosts()).hasSize(1);
        join("b", "192.0.2.22");
        assertThat(ofA.hosts()).containsExactly(List.of("192.0.2.1", "2001:db8::1"), List.of("192.0.2.22"));
    }

    @Test
    void addressesOfAnInstance_areReadOnce() throws IOException {
        join("b", "192.0.2.2");
        Files.delete(directory.resolve("addresses/b"));
        join("c", "192.0.2.3");
        assertThat(ofA.hosts()).contains(List.of("192.0.2.2"), List.of("192.0.2.3"));
    }

    @Test
    void addressesThatCannotBeRead_keepNoOtherNodesFromBeingKnown_andAreReadOnceTheyCanBe() throws IOException {
        Path unreadable = Files.createDirectory(directory.resolve("addresses/b"));
        record = record.join("b").join("c");
        store.publish("c", List.of("192.0.2.3"));
        assertThatThrownBy(() -> ofA.update(record, store)).hasMessageContaining("node b");
        assertThat(ofA.hosts()).containsExactly(List.of("192.0.2.1", "2001:db8::1"), List.of("192.0.2.3"));
        Files.delete(unreadable);
        store.publish("b", List.of("192.0.2.2"));
        ofA.update(record, store);
        assertThat(ofA.hosts()).contains(List.of("192.0.2.2"), List.of("192.0.2.3"));
    }

    @Test
    void nodeWithoutAnAddress_tellsOfNobody() throws IOException {
        Addresses none = new Addresses("a", List.of());
        join("b", "192.0.2.2");
        none.update(record, store);
        assertThat(none.hosts()).isEmpty();
    }

    @Test
    void tooManyAddresses_areRefused_writtenAndRead() throws IOException {
        List<String> many = List.of("x".repeat(600), "y".repeat(600));
        assertThatThrownBy(() -> store.publish("b", many)).hasMessageContaining("node b");
        Files.writeString(directory.resolve("addresses/b"), String.join("\n", many));
        assertThatThrownBy(() -> store.addresses("b")).hasMessageContaining("addresses/b");
    }
}
