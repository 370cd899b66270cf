package org.warpnfs.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.ceph.librados.RadosClient;
import org.warpnfs.fs.ceph.librados.RadosException;
import org.warpnfs.server.config.ConfigException;

/** Finds the first data pool of a file system of Ceph, which users of the file system may write to. */
final class DataPools {
    private static final String QUESTION = "{\"prefix\":\"fs ls\",\"format\":\"json\"}";

    private DataPools() {}

    /**
     * Asks the monitors.
     *
     * @param fileSystem empty if there is only one
     * @throws ConfigException if there is no such file system, or more than one to choose from
     */
    static String of(RadosClient client, String fileSystem) throws RadosException, ConfigException {
        return of(client.command(QUESTION), fileSystem);
    }

    /** The pool by the answer of the monitors. */
    static String of(String answer, String fileSystem) throws ConfigException {
        try {
            List<String> names = new ArrayList<>();
            List<String> pools = new ArrayList<>();
            for (JsonNode one : new ObjectMapper().readTree(answer)) {
                String name = one.path("name").asText();
                if (fileSystem.isEmpty() || fileSystem.equals(name)) {
                    names.add(name);
                    pools.add(one.path("data_pools").path(0).asText());
                }
            }
            if (pools.isEmpty() || pools.getFirst().isEmpty()) {
                throw new ConfigException("--ceph-filesystem: Ceph tells its user of no file system "
                        + (fileSystem.isEmpty() ? "" : "'" + fileSystem + "' ")
                        + "with a data pool; name the pool by --cluster-pool");
            }
            if (pools.size() > 1) {
                throw new ConfigException("--ceph-filesystem: is needed, since Ceph has several file systems: "
                        + String.join(", ", names));
            }
            return pools.getFirst();
        } catch (JsonProcessingException e) {
            throw new ConfigException("the monitors' list of file systems cannot be read: " + e.getMessage(), e);
        }
    }
}
