package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.cli.Main;

/** Debian's rpcinfo and showmount with a whole server, in a network namespace. Needs root. */
class ToolsOfLinuxTest {
    @TempDir
    private Path directory;

    private NetworkNamespace namespace;
    private Path log;

    @BeforeEach
    void open() throws IOException {
        log = directory.resolve("log");
        namespace = new NetworkNamespace(Files.createDirectory(directory.resolve("run")));
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private void serve(String options) throws Exception {
        String java = ProcessHandle.current().info().command().orElseThrow();
        namespace.run(java + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m --enable-native-access=ALL-UNNAMED"
                + " --sun-misc-unsafe-memory-access=allow -cp '" + System.getProperty("java.class.path") + "' "
                + Main.class.getName()
                + " serve --backend memory --export :/everyone --export ':/some,ro' --http off --payload-memory 64m "
                + options + " >" + log + " 2>&1 & server=$!");
        namespace.await("grep -q '^ready' " + log + " || ! kill -0 $server");
        assertThat(Files.readString(log)).contains("\nready\n");
    }

    private String tool(String command) throws IOException {
        return namespace.run(command).replaceAll("[ \t]+", " ");
    }

    @Test
    void portmapperOfItsOwn_rpcinfoAndShowmount_seeTheServer() throws Exception {
        serve("--rpcbind serve --mount-udp");
        // Without a host, rpcinfo uses rpcbind's own socket.
        for (String command : new String[] {"rpcinfo -p 127.0.0.1", "rpcinfo -p localhost"}) {
            assertThat(tool(command))
                    .contains(" 100000 2 tcp 111 portmapper\n")
                    .contains(" 100003 3 tcp 2049 nfs\n")
                    .contains(" 100003 4 tcp 2049 nfs\n")
                    .contains(" 100005 1 tcp 2049 mountd\n")
                    .contains(" 100005 3 udp 2049 mountd\n")
                    .contains(" 100227 3 tcp 2049 nfs_acl\n");
        }
        for (String command : new String[] {"rpcinfo -s 127.0.0.1", "rpcinfo -s ::1"}) {
            assertThat(tool(command))
                    .contains(" 100003 4,3 rdma6,rdma,tcp6,tcp nfs warpnfs\n")
                    .contains(" 100005 3,2,1 udp6,udp,tcp6,tcp mountd warpnfs\n");
        }
        assertThat(tool("rpcinfo 127.0.0.1")).contains(" 100003 3 rdma 0.0.0.0.78.81 nfs warpnfs\n");
        assertThat(tool("rpcinfo -l 127.0.0.1 100003 3"))
                .contains(" inet/tcp/cots_ord 127.0.0.1.8.1 ")
                .contains(" inet/rdma/cots_ord 127.0.0.1.78.81 ");
        assertThat(tool("rpcinfo -m 127.0.0.1")).contains("PORTMAP (version 2)").contains("RPCBIND (version 4)");
        assertThat(tool("rpcinfo -t 127.0.0.1 100003"))
                .isEqualTo("program 100003 version 3 ready and waiting\nprogram 100003 version 4 ready and waiting\n");
        assertThat(tool("rpcinfo -u 127.0.0.1 100005 3")).isEqualTo("program 100005 version 3 ready and waiting\n");
        assertThat(tool("rpcinfo -T tcp6 ::1 100005 1")).isEqualTo("program 100005 version 1 ready and waiting\n");
        assertThat(tool("rpcinfo -T udp 127.0.0.1 100000")).contains("program 100000 version 4 ready and waiting\n");
        assertThat(tool("showmount -e 127.0.0.1"))
                .isEqualTo("Export list for 127.0.0.1:\n/everyone (everyone)\n/some (everyone)\n");
        assertThat(tool("showmount --no-headers -e ::1")).contains("/everyone (everyone)\n");
        assertThat(tool("showmount -a 127.0.0.1")).isEqualTo("All mount points on 127.0.0.1:\n");
        assertThat(namespace.attempt("rpcinfo -d 100003 3").status())
                .as("nobody unregisters it")
                .isNotZero();
        assertThat(tool("rpcinfo -p 127.0.0.1")).contains(" 100003 3 tcp 2049 nfs\n");
    }

    @Test
    void rpcbindOfTheHost_serverComesAndGoes_isListedMeanwhile() throws Exception {
        namespace.run("rpcbind");
        namespace.await("rpcinfo -s");
        serve("");
        assertThat(Files.readString(log)).contains("registered with this host's rpcbind");
        assertThat(tool("rpcinfo -p 127.0.0.1"))
                .contains(" 100003 3 tcp 2049 nfs\n")
                .contains(" 100021 4 tcp 2049 nlockmgr\n", " 100024 1 udp 2049 status\n")
                .doesNotContain(" udp 2049 nfs\n", " udp 2049 mountd\n");
        assertThat(tool("rpcinfo")).contains(" 100003 3 rdma 0.0.0.0.78.81 nfs superuser\n");
        assertThat(tool("rpcinfo -t 127.0.0.1 100005 3")).isEqualTo("program 100005 version 3 ready and waiting\n");
        assertThat(tool("showmount -e")).contains("\n/everyone (everyone)\n");
        namespace.run("kill $server; wait $server; true");
        assertThat(tool("rpcinfo -p")).doesNotContain("100003", "100005", "100021", "100024");
    }

    @Test
    void off_nothingIsListedOrRegistered() throws Exception {
        namespace.run("rpcbind");
        namespace.await("rpcinfo -s");
        serve("--rpcbind off");
        assertThat(tool("rpcinfo -p")).doesNotContain("100003");
    }

    @Test
    void serve_portTaken_isOneLine() throws Exception {
        namespace.run("rpcbind");
        namespace.await("rpcinfo -s");
        String java = ProcessHandle.current().info().command().orElseThrow();
        NetworkNamespace.Result result = namespace.attempt(java + " --enable-native-access=ALL-UNNAMED"
                + " --sun-misc-unsafe-memory-access=allow -cp '" + System.getProperty("java.class.path") + "' "
                + Main.class.getName() + " serve --backend memory --http off --payload-memory 64m --rpcbind serve");
        assertThat(result.status()).isNotZero();
        assertThat(result.output()).contains("warpnfs: --rpcbind serve: cannot listen on ");
    }
}
