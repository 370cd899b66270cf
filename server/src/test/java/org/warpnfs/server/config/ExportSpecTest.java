package org.warpnfs.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;

class ExportSpecTest {
    private static ExportOptions optionsOf(ExportSpec spec) {
        return spec.policy().rules().getFirst().options();
    }

    @Test
    void parse_directoryAlone_hasTheDefaultsOfExports5() throws ConfigException {
        ExportSpec spec = ExportSpec.parse("/srv/data");
        assertThat(spec.directory()).isEqualTo(Path.of("/srv/data"));
        assertThat(spec.pseudoPath()).isNull();
        assertThat(optionsOf(spec)).isEqualTo(ExportOptions.DEFAULTS);
        assertThat(ExportOptions.DEFAULTS.anonUid()).isEqualTo(65_534);
    }

    @Test
    void parse_everyOption_isTaken() throws ConfigException {
        ExportSpec spec = ExportSpec.parse("data:/a/b,ro,all_squash,anonuid=4294967294,anongid=7,sec=sys");
        assertThat(spec.directory()).isEqualTo(Path.of("data"));
        assertThat(spec.pseudoPath()).isEqualTo(PseudoPath.of("/a/b"));
        assertThat(optionsOf(spec))
                .isEqualTo(ExportOptions.DEFAULTS
                        .withReadOnly(true)
                        .withSquash(Squash.ALL)
                        .withAnonymous(4_294_967_294L, 7)
                        .withFlavors(List.of(Flavor.SYS)));
    }

    @Test
    void parse_colonThatNoSlashFollows_isPartOfTheName() throws ConfigException {
        assertThat(ExportSpec.parse("/srv/a:b").directory()).isEqualTo(Path.of("/srv/a:b"));
    }

    @Test
    void parse_allSquashBesideNoRootSquash_squashesAll() throws ConfigException {
        assertThat(optionsOf(ExportSpec.parse("/x,all_squash,no_root_squash")).squash())
                .isEqualTo(Squash.ALL);
        assertThat(optionsOf(ExportSpec.parse("/x,no_root_squash")).squash()).isEqualTo(Squash.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/x,rx|unknown option 'rx'",
                "/x,rq|unknown option 'rq'",
                "/x,anonuid=4294967296|needs a number",
                "/x,anonuid=-1|is no user or group",
                "/x,anongid=4294967295|is no user or group",
                "/x,sec=krb4|krb5p, krb5i, krb5, sys and none are",
                ",rw|directory is missing"
            })
    void parse_mistake_namesArgumentAndPart(String argument, String expected) {
        assertThatThrownBy(() -> ExportSpec.parse(argument))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(argument)
                .hasMessageContaining(expected);
    }

    @Test
    void placed_onlyOne_isFoundAtTheRoot() throws ConfigException {
        assertThat(ServerConfig.placed(List.of(ExportSpec.parse("/srv/data")), Backend.LOCAL))
                .singleElement()
                .extracting(ExportSpec::pseudoPath)
                .isEqualTo(PseudoPath.root());
    }

    @Test
    void placed_several_areFoundAtTheirOwnPaths() throws ConfigException {
        assertThat(ServerConfig.placed(
                        List.of(ExportSpec.parse("/srv/../srv/data"), ExportSpec.parse("/srv/b:/bee")), Backend.LOCAL))
                .extracting(ExportSpec::pseudoPath)
                .containsExactly(PseudoPath.of("/srv/data"), PseudoPath.of("/bee"));
    }

    @Test
    void placed_nothingSaid_isTheDefaultExport() throws ConfigException {
        assertThat(ServerConfig.placed(List.of(), Backend.LOCAL))
                .singleElement()
                .extracting(ExportSpec::directory)
                .isEqualTo(ServerConfig.DEFAULT_EXPORT);
        assertThat(ServerConfig.placed(List.of(), Backend.MEMORY))
                .singleElement()
                .extracting(ExportSpec::directory)
                .isNull();
    }

    @Test
    void placed_directoryForMemory_isRefused() {
        assertThatThrownBy(() -> ServerConfig.placed(List.of(ExportSpec.parse("/srv")), Backend.MEMORY))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/srv");
        assertThatThrownBy(() -> ServerConfig.placed(List.of(ExportSpec.parse(":/srv")), Backend.LOCAL))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("directory is missing");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "4k,4096", "2M,2097152", "3g,3221225472", "1t,1099511627776"})
    void byteSize_withUnit_isBytes(String text, long expected) throws ConfigException {
        assertThat(ByteSize.parse("--size", text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"''", "k", "-1", "1.5g", "9223372036854775807k", "12x"})
    void byteSize_mistake_namesTheOption(String text) {
        assertThatThrownBy(() -> ByteSize.parse("--size", text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--size " + text);
    }
}
