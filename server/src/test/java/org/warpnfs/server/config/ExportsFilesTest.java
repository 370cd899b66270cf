package org.warpnfs.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.limits.Protection;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.export.Transport;

class ExportsFilesTest {
    /** The defaults of exports(5). */
    private static final ExportOptions DEFAULTS =
            ExportOptions.DEFAULTS.withReadOnly(true).withPrivilegedPort(true).withFlavors(List.of(Flavor.SYS));

    @Test
    void line_everyForm_isReadAsTheManualPageHasIt() throws ConfigException {
        // The examples of exports(5), with networks and options that the server supports.
        List<ExportSpec> exports = read("""
                # sample /etc/exports file
                /               master(rw) trusty(rw,no_root_squash)
                /projects       proj*.local.domain(rw)
                /usr            *.local.domain(ro) @trusted(rw)
                /home/joe       pc001(rw,all_squash,anonuid=150,anongid=100)
                /pub            *(ro,insecure,all_squash)
                /srv/www        -sync,rw server @trusted @external(ro)
                /foo            2001:db8:9:e54::/64(rw) 192.0.2.0/24(rw)
                /build          buildhost[0-9].local.domain(rw)
                """);
        assertThat(exports)
                .extracting(export -> export.pseudoPath() + " " + clients(export))
                .containsExactly(
                        "/ [master, trusty]",
                        "/projects [proj*.local.domain]",
                        "/usr [*.local.domain, @trusted]",
                        "/home/joe [pc001]",
                        "/pub [*]",
                        "/srv/www [server, @trusted, @external]",
                        "/foo [2001:db8:9:e54::/64, 192.0.2.0/24]",
                        "/build [buildhost[0-9].local.domain]");
        assertThat(options(exports.get(0), 0)).isEqualTo(DEFAULTS.withReadOnly(false));
        assertThat(options(exports.get(0), 1))
                .isEqualTo(DEFAULTS.withReadOnly(false).withSquash(Squash.NONE));
        assertThat(options(exports.get(2), 0)).isEqualTo(DEFAULTS);
        assertThat(options(exports.get(3), 0))
                .isEqualTo(DEFAULTS.withReadOnly(false).withSquash(Squash.ALL).withAnonymous(150, 100));
        assertThat(options(exports.get(4), 0))
                .isEqualTo(DEFAULTS.withPrivilegedPort(false).withSquash(Squash.ALL));
        assertThat(options(exports.get(5), 0)).isEqualTo(DEFAULTS.withReadOnly(false));
        assertThat(options(exports.get(5), 2)).isEqualTo(DEFAULTS);
    }

    @Test
    void line_blanksQuotesEscapesAndContinuations_areUnderstood() throws ConfigException {
        List<ExportSpec> exports = read("""
                \t
                "/a directory" *(rw) # and a comment
                /b\\040c *(rw) \\
                  192.0.2.1(ro)\r
                   # nothing
                /d\\303\\251 *""");
        assertThat(exports)
                .extracting(ExportSpec::directory)
                .containsExactly(Path.of("/a directory"), Path.of("/b c"), Path.of("/dé"));
        assertThat(exports).extracting(export -> export.place().line()).containsExactly(2, 3, 6);
        assertThat(clients(exports.get(1))).containsExactly("192.0.2.1", "*");
    }

    @Test
    void lines_ofOneDirectory_areOneExport(@TempDir Path directory) throws Exception {
        Path main = Files.writeString(directory.resolve("exports"), "/srv 192.0.2.1(rw)\n");
        Path drops = Files.createDirectory(directory.resolve("exports.d"));
        Files.writeString(drops.resolve("b.exports"), "/srv/ 192.0.2.2\n");
        Files.writeString(drops.resolve("a.exports"), "/other *\n");
        Files.writeString(drops.resolve("c.exports.old"), "nonsense\n");
        Files.writeString(drops.resolve(".d.exports"), "nonsense\n");
        List<ExportSpec> exports = ExportsFiles.read(List.of(main, drops), HostNames.NONE);
        assertThat(exports)
                .extracting(export -> export.directory() + " " + clients(export))
                .containsExactly("/srv [192.0.2.1, 192.0.2.2]", "/other [*]");
    }

    @Test
    void fsidZero_itsDirectory_isTheRootOfWhatClientsSee() throws ConfigException {
        List<ExportSpec> exports = read("/srv/nfs *(fsid=0)\n/srv/nfs/data *(rw)\n/home *(rw)\n");
        assertThat(exports)
                .extracting(ExportSpec::pseudoPath)
                .containsExactly(PseudoPath.root(), PseudoPath.of("/data"), PseudoPath.of("/home"));
        assertThat(exports)
                .extracting(ExportSpec::directory)
                .containsExactly(Path.of("/srv/nfs"), Path.of("/srv/nfs/data"), Path.of("/home"));
    }

    @Test
    void traits_words_areTakenTogether() throws ConfigException {
        ExportSpec export =
                read("/srv *(crossmnt,nohide,fsid=17,nordirplus,mp)\n").getFirst();
        assertThat(export.traits().crossesMounts()).isTrue();
        assertThat(export.traits().shownThroughParent()).isTrue();
        assertThat(export.traits().readDirPlus()).isFalse();
        assertThat(export.traits().fsid()).isEqualTo("17");
        assertThat(export.requiredMount()).isEqualTo(Path.of("/srv"));
    }

    @Test
    void identity_one_squashesEveryone_whateverElseIsSaid() throws ConfigException {
        ExportSpec export = read("/srv *(identity=one,no_root_squash,anonuid=7,sec=sys,sec=krb5,no_root_squash)\n")
                .getFirst();
        assertThat(export.identity()).isEqualTo(ExportSpec.Identity.ONE);
        ExportOptions options = export.policy().rules().getFirst().options();
        assertThat(options.squash()).isEqualTo(Squash.ALL);
        assertThat(options.accessBy(Flavor.KRB5).squash()).isEqualTo(Squash.ALL);
        assertThat(options.anonUid()).isEqualTo(7);
    }

    @Test
    void identity_unknownOrNotTheSameForAllClients_isAMistake() throws ConfigException {
        assertThat(read("/srv *(identity=mapped)\n").getFirst().identity()).isEqualTo(ExportSpec.Identity.MAPPED);
        assertThat(read("/srv *(rw)\n").getFirst().identity()).isEqualTo(ExportSpec.Identity.DEFAULT);
        assertThatThrownBy(() -> read("/srv *(identity=both)\n"))
                .hasMessageContaining("'both' is not known; caller, mapped and one are");
        assertThatThrownBy(() -> read("/srv a(identity=mapped) b(identity=one)\n"))
                .hasMessageContaining("apply to all clients of a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "subtree_check", "no_subtree_check", "wdelay", "no_wdelay", "insecure_locks"})
    void word_thatTellsOthersHowToWork_meansNothing(String word) throws ConfigException {
        assertThat(options(read("/srv *(" + word + ")\n").getFirst(), 0)).isEqualTo(DEFAULTS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/srv *(rw,no_root_sqash)|unknown option 'no_root_sqash'; did you mean 'no_root_squash'?",
                "/srv *(anonid=5)|unknown option 'anonid=5'; did you mean 'anonuid=N'?",
                "/srv *(blue)|unknown option 'blue'; the known ones are rw, ro",
                "/srv *(async)|a crash loses",
                "/srv *(rw,sec=lipkey)|'lipkey' is not supported; krb5p, krb5i, krb5, sys and none are",
                "/srv *(anonuid=x)|needs a number",
                "/srv *(fsid=x)|needs a number from 0 to 4294967295, a UUID, or root",
                "/srv host (rw)|'(' with no client before it",
                "/srv *(rw|'(' without a ')'",
                "/srv *(rw)host|after ')' a blank is needed",
                "/srv|names no client",
                "srv *|'srv' is not an absolute path",
                "/sr\\4 *|three octal digits",
                "/sr\\000 *|not a byte of a path",
                "/srv 192.0.2.1/24(rw)|beyond the prefix",
                "/srv a(rw) a(ro)|names the client a twice",
                "/srv a(fsid=1) b(fsid=2)|give each the same",
                "/a/../b/./c/.. x(y)|unknown option 'y'",
                "/srv *(refer=/x)|'/x' is not PATH@HOST",
                "/srv *(refer=x@host)|does not begin with /",
                "/srv *(refer=/x@2001:db8::1)|is not PATH@HOST",
                "/srv *(refer=/x@a b)|'a b' is not a host",
                "/srv *(replicas=/x@a+)|'' is not a host",
                "/srv *(refer=/x@a,replicas=/y@b)|another refer= or replicas= before it",
            })
    void mistake_any_namesFileLineAndWhatIsWrong(String line, String expected) {
        assertThatThrownBy(() -> read("# first\n" + line + "\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("exports:2: ")
                .hasMessageContaining(expected);
    }

    @Test
    void locations_ofBothKinds_areThoseOfExports5() throws ConfigException {
        List<ExportSpec> read =
                read("/a *(refer=/x/y@one.example.org+192.0.2.2:/z@[2001:db8::1])\n/b *(replicas=/b@two)\n");
        assertThat(read.getFirst().traits().locations())
                .isEqualTo(new FsLocations(
                        true,
                        List.of(
                                new FsLocations.Place(List.of("one.example.org", "192.0.2.2"), PseudoPath.of("/x/y")),
                                new FsLocations.Place(List.of("2001:db8::1"), PseudoPath.of("/z")))));
        assertThat(read.getLast().traits().locations())
                .isEqualTo(new FsLocations(false, List.of(new FsLocations.Place(List.of("two"), PseudoPath.of("/b")))));
    }

    @Test
    void sec_moreThanOnce_hasWordsForEachFlavor() throws ConfigException {
        ExportOptions options = options(
                read("/a *(no_root_squash,sec=sys,rw,sec=none,ro,all_squash,anonuid=5)\n")
                        .getFirst(),
                0);
        assertThat(options.flavors()).containsExactly(Flavor.SYS, Flavor.NONE);
        assertThat(options.accessBy(Flavor.SYS)).isEqualTo(new ExportOptions.Access(false, Squash.NONE));
        assertThat(options.accessBy(Flavor.NONE)).isEqualTo(new ExportOptions.Access(true, Squash.ALL));
        assertThat(options.anonUid()).isEqualTo(5);
        assertThat(options(read("/a *(rw,sec=none:sys)\n").getFirst(), 0).flavors())
                .containsExactly(Flavor.NONE, Flavor.SYS);
    }

    @Test
    void transport_isWhatCallsMayComeBy() throws ConfigException {
        assertThat(options(read("/a *(transport=rdma)\n").getFirst(), 0).transports())
                .containsExactly(Transport.RDMA);
        assertThat(options(read("/a *(transport=tcp:rdma)\n").getFirst(), 0).transports())
                .containsExactlyInAnyOrder(Transport.values());
        assertThat(options(read("/a *(ro)\n").getFirst(), 0).transports())
                .containsExactlyInAnyOrder(Transport.values());
        assertThatThrownBy(() -> read("/a *(transport=udp)\n")).hasMessageContaining("rdma and tcp are");
        assertThatThrownBy(() -> read("/a *(transport=)\n")).hasMessageContaining("rdma and tcp are");
        assertThatThrownBy(() -> read("/a *(transport=rdma,xprtsec=tls)\n")).hasMessageContaining("RDMA has no TLS");
    }

    @Test
    void xprtsec_inAnyOrder_isWhatConnectionsMustBe() throws ConfigException {
        assertThat(options(read("/a *(xprtsec=mtls:tls)\n").getFirst(), 0).protections())
                .containsExactlyInAnyOrder(Protection.TLS, Protection.MUTUAL_TLS);
        assertThat(options(read("/a *(rw)\n").getFirst(), 0).protections())
                .containsExactlyInAnyOrder(Protection.values());
        assertThatThrownBy(() -> read("/a *(xprtsec=tls:ssl)\n")).hasMessageContaining("none, tls and mtls are");
        assertThatThrownBy(() -> read("/a *(xprtsec=)\n")).hasMessageContaining("none, tls and mtls are");
    }

    @Test
    void quote_withoutAnEnd_isAMistake() {
        assertThatThrownBy(() -> read("\"/srv *\n")).hasMessageContaining("none at its end");
        assertThatThrownBy(() -> read("\"/srv")).hasMessageContaining("none at its end");
    }

    @Test
    void file_thatIsNotThere_isAMistake(@TempDir Path directory) {
        assertThatThrownBy(() -> ExportsFiles.read(List.of(directory.resolve("none")), HostNames.NONE))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("none: there is no such file");
    }

    @Test
    void file_notInUtf8_isAMistake(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("exports"), new byte[] {'/', (byte) 0xff, ' ', '*'});
        assertThatThrownBy(() -> ExportsFiles.read(List.of(file), HostNames.NONE))
                .hasMessage(file + ":1: is not in UTF-8: the byte 0xff");
    }

    /** Such a path has no form in which it could be served, so nothing may say that it has. */
    @Test
    void escapedBytes_thatAreNotUtf8_areAMistakeThatSaysWhatToDo() {
        assertThatThrownBy(() -> read("/a *\n/srv/caf\\351 *\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("exports:2: the path's bytes are not UTF-8")
                .hasMessageContaining("mount --bind");
    }

    @Test
    void file_afterAByteOrderMark_isReadAsWithout(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("exports"), "\ufeff/srv *\n");
        assertThat(ExportsFiles.read(List.of(file), HostNames.NONE))
                .extracting(ExportSpec::directory)
                .containsExactly(Path.of("/srv"));
    }

    /** Lines are counted as editors do, before the byte that is wrong. */
    @Test
    void file_notInUtf8_isAMistakeInItsLine(@TempDir Path directory) throws Exception {
        Path file =
                Files.write(directory.resolve("exports"), "/a *\n# caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> ExportsFiles.read(List.of(file), HostNames.NONE))
                .hasMessage(file + ":2: is not in UTF-8: the byte 0xe9");
        Path cut = Files.write(directory.resolve("cut"), new byte[] {'/', 'a', '\n', (byte) 0xc3});
        assertThatThrownBy(() -> ExportsFiles.read(List.of(cut), HostNames.NONE))
                .hasMessage(cut + ":2: is not in UTF-8: the byte 0xc3");
    }

    @Test
    void text_cutAnywhere_isReadOrRefusedAndNeverAnythingElse() {
        String text = "\"/a b\" -ro,sync *(rw,fsid=3) \\\n 192.0.2.0/24(sec=sys:none) # x\n/c\\040d @g(ro)\n";
        for (int length = 0; length <= text.length(); length++) {
            String cut = text.substring(0, length);
            try {
                assertThat(read(cut)).isNotNull();
            } catch (ConfigException e) {
                assertThat(e).hasMessageStartingWith("exports:");
            }
        }
    }

    @Test
    void client_order_isThatOfExports5WhateverTheLineSays() throws Exception {
        ExportSpec export =
                read("/srv *(ro) 192.0.2.0/24(rw) 192.0.2.7(all_squash)\n").getFirst();
        assertThat(export.policy()
                        .optionsFor(InetAddresses.forString("192.0.2.7"))
                        .squash())
                .isEqualTo(Squash.ALL);
        assertThat(export.policy()
                        .optionsFor(InetAddresses.forString("192.0.2.8"))
                        .readOnly())
                .isFalse();
        assertThat(export.policy()
                        .optionsFor(InetAddresses.forString("203.0.113.1"))
                        .readOnly())
                .isTrue();
    }

    private static List<ExportSpec> read(String text) throws ConfigException {
        return ExportsFiles.read("exports", text, HostNames.NONE);
    }

    private static List<String> clients(ExportSpec export) {
        return export.policy().rules().stream()
                .map(rule -> rule.clients().toString())
                .toList();
    }

    private static ExportOptions options(ExportSpec export, int rule) {
        return export.policy().rules().get(rule).options();
    }
}
