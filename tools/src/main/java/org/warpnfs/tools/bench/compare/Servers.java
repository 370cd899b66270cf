package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.warpnfs.tools.bench.BenchException;

/** Starts the servers that are compared. Each exports every file system under its name. */
final class Servers {
    private static final int TCP_PORT = 2049;
    private static final int RDMA_PORT = 20_049;
    private static final int OTHER_TCP_PORT = 2051;
    private static final int OTHER_RDMA_PORT = 20_051;
    private static final int GANESHA_PORT = 2050;
    private static final int GANESHA_MOUNT_PORT = 20_048;
    private static final int RPCBIND_PORT = 111;

    private final Path directory;
    private final Room room;

    Servers(Path directory, Room room) {
        this.directory = directory;
        this.room = room;
    }

    /**
     * Starts warpnfs without settings, as a user would.
     *
     * @param command the command up to the word {@code serve}
     */
    ServerProcess warpnfs(List<String> command, Map<Tree, Path> trees) throws BenchException, InterruptedException {
        return warpnfs("warpnfs", command, trees, TCP_PORT, RDMA_PORT);
    }

    /** Starts another build of warpnfs at ports of its own. */
    ServerProcess other(List<String> command, Map<Tree, Path> trees) throws BenchException, InterruptedException {
        return warpnfs("other-build", command, trees, OTHER_TCP_PORT, OTHER_RDMA_PORT);
    }

    private ServerProcess warpnfs(String name, List<String> command, Map<Tree, Path> trees, int tcpPort, int rdmaPort)
            throws BenchException, InterruptedException {
        List<String> words = new ArrayList<>(command);
        words.add("serve");
        trees.forEach((tree, path) -> words.addAll(List.of("--export", path + ":/" + tree.word() + ",no_root_squash")));
        words.addAll(List.of("--listen", "127.0.0.1", "--admin", "off", "--http", "off"));
        words.addAll(List.of("--tcp-port", "" + tcpPort, "--rdma-port", "" + rdmaPort));
        words.addAll(List.of("--state", directory.resolve(name + "-state").toString()));
        Process process = ServerProcess.start(
                ProcessBuilder::start, name, words, directory.resolve(name + ".log"), tcpPort, rdmaPort);
        return new ServerProcess(process.pid(), tcpPort, tcpPort, rdmaPort);
    }

    /** Starts NFS-Ganesha, and before it rpcbind, which it requires. */
    ServerProcess ganesha(Map<Tree, Path> trees) throws BenchException, InterruptedException {
        Path ganesha = installed("ganesha.nfsd", "nfs-ganesha nfs-ganesha-vfs");
        Path rpcbind = installed("rpcbind", "rpcbind");
        room.cover(Path.of("/run"));
        room.cover(Path.of("/var/lib/nfs"));
        Path configuration = directory.resolve("ganesha.conf");
        try {
            Files.createDirectories(Path.of("/run/rpcbind"));
            Files.createDirectories(Path.of("/run/ganesha"));
            Files.createDirectories(Path.of("/var/lib/nfs/ganesha"));
            Files.writeString(configuration, configuration(trees));
        } catch (IOException e) {
            throw new BenchException("NFS-Ganesha: " + e, e);
        }
        Path log = directory.resolve("ganesha.log");
        ServerProcess.start(ProcessBuilder::start, "rpcbind", List.of(rpcbind.toString(), "-f"), log, RPCBIND_PORT);
        Process process = ServerProcess.start(
                ProcessBuilder::start,
                "NFS-Ganesha",
                List.of(
                        ganesha.toString(),
                        "-F",
                        "-L",
                        log.toString(),
                        "-f",
                        configuration.toString(),
                        "-p",
                        "/run/ganesha/pid",
                        "-N",
                        "NIV_EVENT"),
                log,
                GANESHA_PORT,
                GANESHA_MOUNT_PORT);
        return new ServerProcess(process.pid(), GANESHA_PORT, GANESHA_MOUNT_PORT, 0);
    }

    private static Path installed(String program, String packages) throws BenchException {
        Optional<Path> found = Programs.find(program);
        return found.orElseThrow(
                () -> new BenchException(program + " is not installed (on Debian: apt-get install " + packages + ")"));
    }

    /**
     * The configuration of NFS-Ganesha: transfers of 1 MiB, no squashing, no delegations, no grace period, and defaults
     * otherwise.
     */
    static String configuration(Map<Tree, Path> trees) {
        StringBuilder text = new StringBuilder("""
                NFS_CORE_PARAM {
                    Protocols = 3,4; NFS_Port = %d; MNT_Port = %d;
                    Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; mount_path_pseudo = true;
                }
                NFSv4 {
                    Graceless = true; RecoveryBackend = fs; Minor_Versions = 0,1,2;
                    Only_Numeric_Owners = true; Delegations = false;
                }
                EXPORT_DEFAULTS {
                    Access_Type = RW; Squash = No_Root_Squash; SecType = sys; Protocols = 3,4; Transports = TCP;
                    MaxRead = 1048576; MaxWrite = 1048576; PrefRead = 1048576; PrefWrite = 1048576;
                }
                """.formatted(GANESHA_PORT, GANESHA_MOUNT_PORT));
        trees.forEach(
                (tree, path) -> text.append("EXPORT { Export_Id = %d; Path = %s; Pseudo = /%s; FSAL { Name = VFS; } }\n"
                        .formatted(tree == Tree.TMPFS ? 1 : 2, path, tree.word())));
        return text.toString();
    }
}
