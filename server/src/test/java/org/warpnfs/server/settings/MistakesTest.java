package org.warpnfs.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each kind of mistake in the settings, with its place and its message. */
class MistakesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '@', quoteCharacter = '"', textBlock = """
            rdma-port: 3                     @ w.yaml:1:1: unknown key 'rdma-port'; did you mean 'rdmaPort'?
            payloadMemory: 12m               @ w.yaml:1:1: unknown key 'payloadMemory'; did you mean 'limits.memory.payloadBytes'?
            slots: 3                         @ w.yaml:1:1: unknown key 'slots'; did you mean 'limits.state.slots'?
            "limits: {state: {slot: 3}}"     @ w.yaml:1:18: unknown key 'limits.state.slot'; did you mean 'limits.state.slots'?
            listen:                          @ w.yaml:1:8: listen has no value
            listen: ~                        @ w.yaml:1:9: listen has no value
            "listen: ''"                     @ w.yaml:1:1: listen: is empty
            "threads: [1, 2]"                @ w.yaml:1:1: threads is one value, not a list
            "threads: {a: 1}"                @ w.yaml:1:10: threads is one value, and holds no others
            "export: {a: 1}"                 @ w.yaml:1:9: export is a list of words
            "export: [[a]]"                  @ w.yaml:1:10: export is a list of words
            "export: []"                     @ w.yaml:1:1: export: the list is empty
            "export: ['']"                   @ w.yaml:1:1: export: an element of the list is empty
            threads: many                    @ w.yaml:1:1: threads many: not a whole number
            threads: 1.5                     @ w.yaml:1:1: threads 1.5: not a whole number
            threads: 0                       @ w.yaml:1:1: threads 0: not within 1..1024
            memorySize: lots                 @ w.yaml:1:1: memorySize lots: not a size such as 512m or 2g
            memorySize: 99999999t            @ w.yaml:1:1: memorySize 99999999t: out of range
            "limits: {rdma: {inlineBytes: 512}}"  @ w.yaml:1:17: limits.rdma.inlineBytes 512: not within 1k..256k bytes
            "limits: {rdma: {inlineBytes: 5000}}" @ w.yaml:1:17: limits.rdma.inlineBytes 5000: not a multiple of 1k bytes
            lease: soon                      @ w.yaml:1:1: lease soon: not a time such as 90, 90s, 500ms or 2m
            lease: 90 s                      @ w.yaml:1:1: lease 90 s: not a time such as 90, 90s, 500ms or 2m
            lease: 99999999999999999999s     @ w.yaml:1:1: lease 99999999999999999999s: not a time such as 90, 90s, 500ms or 2m
            lease: 2h                        @ w.yaml:1:1: lease 2h: not within 1s..3600s
            crc: maybe                       @ w.yaml:1:1: crc maybe: not one of off, on
            markers: maybe                   @ w.yaml:1:1: markers maybe: neither true nor false
            "{lease: 3, lease: 4}"           @ w.yaml:1:12: lease occurs twice, first in line 1
            "limits: {state: 3}"             @ "w.yaml:1:17: limits.state holds keys of its own: clients, sessions, sessionsOfClient, slots, connectionsOfSession, operations, keptReplyBytes, keptRepliesBytes, opens, opensOfClient, locks, locksOfClient, lockOwnersOfOpen, delegations, courtesyLeases"
            "- lease"                        @ w.yaml:1:1: a mapping of keys to values is expected here
            lease                            @ w.yaml:1:1: a mapping of keys to values is expected here
            lease: !!int 3                   @ w.yaml:1:8: lease: aliases (*) and tags (!) are not read; write the value
            "{listen: &a x, state: *a}"      @ w.yaml:1:23: state: aliases (*) and tags (!) are not read; write the value
            """)
    void file_oneMistake_hasItsPlaceAndSaysWhatIsKnown(String text, String mistake) {
        assertThat(Given.file(text).mistakes()).containsExactly(mistake);
    }

    @Test
    void file_isNoYaml_saysWhere() {
        assertThat(Given.file("lease: 3\n\tthreads: 3\n").mistakes())
                .singleElement()
                .asString()
                .matches("w\\.yaml:[12]:\\d+: is not YAML: .+");
        assertThat(Given.file("lease: 3\n---\nlease: 4\n").mistakes())
                .containsExactly("w.yaml:3:1: a second document; one is read");
    }

    @Test
    void file_severalMistakes_areSaidAtOnce() {
        String known = String.join(", ", SettingIndex.keysIn(""));
        assertThat(known).contains("rdmaPort").endsWith("limits");
        assertThat(Given.file("lease: 0\ncolour: red\nlimits:\n  state:\n    slots: x\n    opens: 1\nthreads: 3\n")
                        .mistakes())
                .containsExactly(
                        "w.yaml:2:1: unknown key 'colour'; known are " + known,
                        "w.yaml:1:1: lease 0: not within 1s..3600s",
                        "w.yaml:5:5: limits.state.slots x: not a whole number",
                        "w.yaml:6:5: limits.state.opens 1: not within 16..16777216");
    }

    @Test
    void file_whoseLinesAreComments_saysNothing() {
        assertThat(Given.file("# nothing\nlimits:\n  state:\n    # slots: 3\n  tcp:\n")
                        .mistakes())
                .isEmpty();
        assertThat(Given.file("").mistakes()).isEmpty();
    }

    @Test
    void file_thatCannotBeRead_isNamed(@TempDir Path directory) throws Exception {
        Mistakes mistakes = new Mistakes();
        FileReader.read(directory.resolve("missing.yaml"), mistakes);
        FileReader.read(directory, mistakes);
        FileReader.read(
                Files.write(directory.resolve("latin.yaml"), "listen: ü".getBytes(StandardCharsets.ISO_8859_1)),
                mistakes);
        FileReader.read(Files.write(directory.resolve("long.yaml"), new byte[(1 << 20) + 1]), mistakes);
        assertThat(mistakes.all())
                .containsExactly(
                        directory.resolve("missing.yaml") + ": there is no such file",
                        directory + ": is a directory, not a file of settings",
                        directory.resolve("latin.yaml") + ":1: is not in UTF-8: the byte 0xfc",
                        directory.resolve("long.yaml") + ": is longer than 1048576 bytes");
    }

    @Test
    void file_afterAByteOrderMark_isReadAsWithout(@TempDir Path directory) throws Exception {
        Mistakes mistakes = new Mistakes();
        FileReader.read(Files.writeString(directory.resolve("bom.yaml"), "\ufeffnosuch: 3\n"), mistakes);
        assertThat(mistakes.all())
                .hasSize(1)
                .first()
                .asString()
                .startsWith(directory.resolve("bom.yaml") + ":1:1: unknown key 'nosuch'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '@', textBlock = """
            WARPNFS_TCP_PROT @ 3     @ WARPNFS_TCP_PROT: unknown variable; did you mean 'WARPNFS_TCP_PORT'?
            WARPNFS_X        @ 3     @ WARPNFS_X: unknown variable; WARPNFS_ and a key of docs/configuration.md in capitals is known
            WARPNFS_TCP_PORT @ x     @ WARPNFS_TCP_PORT x: not a whole number
            WARPNFS_LEASE    @ 0     @ WARPNFS_LEASE 0: not within 1s..3600s
            WARPNFS_MARKERS  @ 1     @ WARPNFS_MARKERS 1: neither true nor false
            """)
    void environment_oneMistake_namesTheVariable(String name, String value, String mistake) {
        assertThat(Given.file("").variable(name, value).mistakes()).containsExactly(mistake);
    }

    @Test
    void environment_variablesOfOthers_areLeftToThem() {
        Given given = Given.file("");
        for (String name : List.of(
                "WARPNFS_JAVA_OPTS",
                "WARPNFS_OPTIONS",
                "WARPNFS_LOG_LEVEL",
                "WARPNFS_SERVICE_HOST",
                "WARPNFS_SERVICE_PORT",
                "WARPNFS_SERVICE_PORT_NFS_RDMA",
                "WARPNFS_PORT_2049_TCP",
                "WARPNFS_PORT_2049_TCP_ADDR",
                "WARPNFS_PODS_SERVICE_HOST",
                "PATH")) {
            given.variable(name, "x");
        }
        assertThat(given.variable("WARPNFS_PORT", "tcp://10.0.0.1:20049").mistakes())
                .isEmpty();
    }

    @Test
    void flag_mistake_namesTheOption() {
        assertThat(Given.file("").flag(Settings.LEASE, "0").mistakes())
                .containsExactly("--lease 0: not within 1s..3600s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '@', quoteCharacter = '"', textBlock = """
            "rdmaPort: 2049"   @ rdmaPort 2049 (w.yaml:1:1) and tcpPort 2049 (default) are the same port
            "watchExports: true" @ w.yaml:1:1: watchExports: without exports (--exports) there are no files to watch
            idNames: true      @ w.yaml:1:1: idNames: this needs names from idDomain (--id-domain) or idMap (--id-map)
            "{backend: memory, exports: /a}" @ w.yaml:1:19: exports: files of exports(5) contain directories, which backend memory (w.yaml:1:2) does not have
            "{cluster: c, node: a}" @ w.yaml:1:2: cluster: this needs clusterDirectory too
            "clusterPool: p" @ w.yaml:1:1: clusterPool: this is for a cluster (--cluster)
            "{cluster: c, node: a, clusterDirectory: /c, clusterPool: p}" @ w.yaml:1:45: clusterPool: this is for --backend ceph without --cluster-directory
            "{backend: ceph, cluster: c, node: a, clusterDirectory: /c, clusterPool: p}" @ w.yaml:1:60: clusterPool: this is for --backend ceph without --cluster-directory
            "{backend: ceph, cluster: c, node: a, delegations: all}" @ delegations all (w.yaml:1:38): not in a cluster (--cluster): gateways cannot recall each other's delegations of directories
            "{backend: ceph, cluster: c}" @ w.yaml:1:17: cluster: this needs node too
            "nodeAddresses: 192.0.2.1" @ w.yaml:1:1: nodeAddresses: this is for a cluster (--cluster)
            "{cluster: c, node: a, clusterDirectory: /c, nodeAddresses: [fe80::1, '[::1]']}" @ w.yaml:1:45: nodeAddresses: '[::1]' is neither a host's name nor its address; IPv6 addresses have no brackets
            "backendOption: a=b" @ w.yaml:1:1: backendOption: options are for backends of plug-ins, not for backend local (default)
            "limits: {connections: {most: 20, ofClient: 30}}" @ limits.connections.ofClient 30 (w.yaml:1:34) is more than limits.connections.most 20 (w.yaml:1:24)
            "limits: {connections: {ofClient: 2000}}" @ limits.connections.ofClient 2000 (w.yaml:1:24) is more than limits.connections.most 1024 (default)
            "limits: {deadlines: {grace: 5s, draining: 6s}}" @ limits.deadlines.draining 6s (w.yaml:1:33) is more than limits.deadlines.grace 5s (w.yaml:1:22)
            """)
    void combination_thatMakesNoSense_namesBoth(String text, String mistake) {
        assertThat(Given.file(text).mistakes()).containsExactly(mistake);
    }

    @Test
    void combination_portsThatTheSystemChooses_mayBeTheSame() {
        assertThat(Given.file("rdmaPort: 0\ntcpPort: 0\n").mistakes()).isEmpty();
    }

    @Test
    void combination_wholeBelowTheDefaultOfItsParts_isFollowedByThem() {
        Resolved resolved = Given.file("limits: {connections: {most: 100}}").resolved();
        assertThat(resolved.limits().connections().ofClient()).isEqualTo(100);
        assertThat(resolved.limits().connections().halfOpen()).isEqualTo(100);
        assertThat(resolved.limits().connections().halfOpenOfClient()).isEqualTo(100);
        assertThat(resolved.origin(SettingIndex.byKey("limits.connections.ofClient"))
                        .toString())
                .isEqualTo("default, as far as limits.connections.most allows");
    }
}
