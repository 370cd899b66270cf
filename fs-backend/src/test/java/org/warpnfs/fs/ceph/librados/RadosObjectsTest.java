package org.warpnfs.fs.ceph.librados;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.testkit.ceph.CephCluster;

/** Objects of a cluster that the test starts. */
class RadosObjectsTest {
    private static final int SECONDS = 20;
    private static final RadosObjects.Expected ANY = new RadosObjects.Expected(null, Map.of());

    private RadosClient client;
    private RadosObjects objects;

    @BeforeEach
    void connect() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        client = RadosClient.connect("admin", CephCluster.shared().configuration() + "", SECONDS, SECONDS);
        objects = client.objects("data", "test-" + System.nanoTime());
    }

    @AfterEach
    void end() {
        if (client != null) {
            objects.close();
            client.close();
        }
    }

    @Test
    void object_changedUnderAMark_onlyTheFirstOfTwoWins() throws Exception {
        assertThat(objects.change("record", mark(""), "1", Map.of("text", bytes("one")), Set.of()))
                .isTrue();
        assertThat(objects.change("record", mark(""), "1", Map.of("text", bytes("again")), Set.of()))
                .as("it exists")
                .isFalse();
        assertThat(objects.change("record", mark("1"), "2", Map.of("text", bytes("two")), Set.of()))
                .isTrue();
        assertThat(objects.change("record", mark("1"), "2", Map.of("text", bytes("late")), Set.of()))
                .as("another mark")
                .isFalse();
        assertThat(objects.read("record", "").get("text")).isEqualTo(bytes("two"));
        assertThat(objects.change("missing", mark("1"), "2", Map.of(), Set.of()))
                .as("no such object")
                .isFalse();
        assertThat(objects.read("missing", "")).isEmpty();
    }

    @Test
    void object_changedUnderNoMark_isNotOneThatHasAMark() throws Exception {
        assertThat(objects.change("plain", ANY, null, Map.of("a", bytes("1")), Set.of()))
                .isTrue();
        assertThat(objects.change("plain", mark("1"), "2", Map.of("a", bytes("2")), Set.of()))
                .isFalse();
        assertThat(objects.read("plain", "").get("a")).isEqualTo(bytes("1"));
    }

    @Test
    void object_changedUnderAValue_onlyTheFirstOfTwoWins() throws Exception {
        RadosObjects.Expected none = under("one", "");
        assertThat(objects.change("values", none, null, Map.of("one", bytes("1")), Set.of()))
                .as("there is no such object")
                .isTrue();
        assertThat(objects.change("values", none, null, Map.of("one", bytes("again")), Set.of()))
                .as("it has the value")
                .isFalse();
        assertThat(objects.change("values", under("two", ""), null, Map.of("two", bytes("2")), Set.of()))
                .as("it has no such value")
                .isTrue();
        assertThat(objects.change("values", under("one", "1"), null, Map.of("one", bytes("3")), Set.of()))
                .isTrue();
        assertThat(objects.change("values", under("one", "1"), null, Map.of("one", bytes("late")), Set.of()))
                .as("another value")
                .isFalse();
        assertThat(objects.change("absent", under("one", "1"), null, Map.of("one", bytes("late")), Set.of()))
                .as("no object, so no value")
                .isFalse();
        assertThat(objects.read("values", "")).hasSize(2).containsEntry("one", bytes("3"));
        assertThat(objects.read("absent", "")).isEmpty();
    }

    private static RadosObjects.Expected mark(String mark) {
        return new RadosObjects.Expected(mark, Map.of());
    }

    private static RadosObjects.Expected under(String name, String value) {
        return new RadosObjects.Expected(null, Map.of(name, bytes(value)));
    }

    @Test
    void values_thousands_areReadByPrefixAndRemoved() throws Exception {
        Map<String, byte[]> many = new HashMap<>();
        for (int i = 0; i < 2500; i++) {
            many.put("clients/" + i, bytes("client " + i));
        }
        many.put("other", new byte[0]);
        assertThat(objects.change("node", ANY, null, many, Set.of())).isTrue();
        assertThat(objects.read("node", "clients/")).hasSize(2500);
        assertThat(objects.read("node", "o")).containsOnlyKeys("other");
        assertThat(objects.change(
                        "node", ANY, null, Map.of("new", bytes("x")), List.of("other", "clients/7", "not there")))
                .isTrue();
        assertThat(objects.read("node", "")).hasSize(2500).containsKey("new").doesNotContainKeys("other", "clients/7");
    }

    @Test
    void pool_missing_isNamed() {
        assertThatThrownBy(() -> client.objects("nowhere", "x"))
                .isInstanceOf(RadosException.class)
                .hasMessage("pool nowhere: not found");
    }

    @Test
    void monitors_askedForFileSystems_tellTheirPools() throws Exception {
        assertThat(client.command("{\"prefix\":\"fs ls\",\"format\":\"json\"}"))
                .contains("\"name\":\"files\"", "\"data_pools\":[\"data\"]");
    }

    @Test
    @Timeout(120)
    void cluster_thatDoesNotAnswer_callsEndInTime() throws Exception {
        try (CephCluster own = CephCluster.start();
                RadosClient hasty = RadosClient.connect("admin", own.configuration() + "", SECONDS, 2);
                RadosObjects in = hasty.objects("data", "x")) {
            assertThat(in.change("a", ANY, null, Map.of("k", bytes("v")), Set.of()))
                    .isTrue();
            own.pause(CephCluster.Daemon.OSD);
            assertThatThrownBy(() -> readUntilItFails(in)).hasMessage("reading object a: no answer in time");
            assertThatThrownBy(() -> in.change("a", ANY, null, Map.of("k", bytes("w")), Set.of()))
                    .hasMessage("changing object a: no answer in time");
            own.resume(CephCluster.Daemon.OSD);
            assertThat(in.read("a", "")).containsKey("k");
        }
    }

    /** A process that is being stopped may answer once more. */
    private static void readUntilItFails(RadosObjects in) throws RadosException {
        while (true) {
            assertThat(in.read("a", "")).containsKey("k");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
