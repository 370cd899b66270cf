package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.warpnfs.server.config.ConfigException;

class DataPoolsTest {
    /** As {@code ceph fs ls --format json} of Ceph 16.2.15 writes it. */
    private static final String TWO = "\n[{\"name\":\"files\",\"metadata_pool\":\"metadata\",\"metadata_pool_id\":1,"
            + "\"data_pool_ids\":[2,5],\"data_pools\":[\"data\",\"more\"]},"
            + "{\"name\":\"old\",\"metadata_pool\":\"m\",\"metadata_pool_id\":3,"
            + "\"data_pool_ids\":[4],\"data_pools\":[\"d\"]}]";

    private static final String ONE = TWO.substring(0, TWO.indexOf(",{\"name\":\"old\"")) + "]";

    @Test
    void fileSystem_namedOrAlone_hasItsFirstDataPool() throws ConfigException {
        assertThat(DataPools.of(TWO, "files")).isEqualTo("data");
        assertThat(DataPools.of(TWO, "old")).isEqualTo("d");
        assertThat(DataPools.of(ONE, "")).isEqualTo("data");
    }

    @Test
    void fileSystem_unknownOrNotChosen_isAMistake() {
        assertThatThrownBy(() -> DataPools.of(TWO, "new")).hasMessageContaining("'new'");
        assertThatThrownBy(() -> DataPools.of(TWO, "")).hasMessageContaining("files, old");
        assertThatThrownBy(() -> DataPools.of("[]", "")).hasMessageContaining("--cluster-pool");
        assertThatThrownBy(() -> DataPools.of("no json", "")).hasMessageContaining("cannot be read");
    }
}
