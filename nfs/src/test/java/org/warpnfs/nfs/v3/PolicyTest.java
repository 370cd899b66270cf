package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.testing.CallWriter;

/** Every procedure that changes something checks the export's policy first. */
class PolicyTest {
    private final V3Server server = new V3Server();
    private final byte[] file = server.file("f", 0600, "hello");
    private final byte[] directory = server.directory("d", 0700);

    private record Change(int procedure, UnaryOperator<CallWriter> args) {}

    /** Calls that change alice's file and directory, through {@code export}. */
    private Map<String, Change> changes(Export export) {
        byte[] seenFile = server.through(export, file);
        byte[] seenDirectory = server.through(export, directory);
        int[] none = V3Server.NO_SATTR;
        Map<String, Change> changes = new LinkedHashMap<>();
        changes.put("SETATTR", new Change(V3Server.SETATTR, c -> c.opaque(seenFile)
                .words(1, 0777, 0, 0, 0, 0, 0)
                .words(0)));
        changes.put("WRITE", new Change(V3Server.WRITE, c -> c.opaque(seenFile)
                .hyper(0)
                .words(1, 2)
                .string("x")));
        changes.put("CREATE", new Change(V3Server.CREATE, c -> c.opaque(seenDirectory)
                .string("n")
                .words(0)
                .words(none)));
        changes.put("CREATE exclusive", new Change(V3Server.CREATE, c -> c.opaque(seenDirectory)
                .string("n")
                .words(2, 1, 1)));
        changes.put("MKDIR", new Change(V3Server.MKDIR, c -> c.opaque(seenDirectory)
                .string("n")
                .words(none)));
        changes.put("SYMLINK", new Change(V3Server.SYMLINK, c -> c.opaque(seenDirectory)
                .string("n")
                .words(none)
                .string("t")));
        changes.put("MKNOD", new Change(V3Server.MKNOD, c -> c.opaque(seenDirectory)
                .string("n")
                .words(7)
                .words(none)));
        changes.put("REMOVE", new Change(V3Server.REMOVE, c -> c.opaque(seenDirectory)
                .string("in")));
        changes.put(
                "RMDIR", new Change(V3Server.RMDIR, c -> c.opaque(seenDirectory).string("sub")));
        changes.put("RENAME", new Change(V3Server.RENAME, c -> c.opaque(seenDirectory)
                .string("in")
                .opaque(seenDirectory)
                .string("out")));
        changes.put("LINK", new Change(V3Server.LINK, c -> c.opaque(seenFile)
                .opaque(seenDirectory)
                .string("n")));
        changes.put(
                "COMMIT",
                new Change(V3Server.COMMIT, c -> c.opaque(seenFile).hyper(0).words(0)));
        return changes;
    }

    private void fillDirectory() {
        assertThat(server.call(
                                V3Server.CREATE,
                                c -> c.opaque(directory).string("in").words(1).words(V3Server.NO_SATTR))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(server.call(
                                V3Server.MKDIR,
                                c -> c.opaque(directory).string("sub").words(V3Server.NO_SATTR))
                        .status())
                .isEqualTo(Nfs3Status.OK);
    }

    @Test
    void readOnlyExport_everyChange_isRofs() {
        fillDirectory();
        FsStatistics before = statistics();
        changes(server.readOnly).forEach((name, change) -> assertThat(
                        server.call(change.procedure(), change.args()).status())
                .as(name)
                .isEqualTo(Nfs3Status.ROFS));
        assertThat(statistics()).isEqualTo(before);
        assertThat(server.attributes(file).mode()).isEqualTo(0600);
    }

    /** Calls by which a caller reads a file without changing it. */
    private Map<String, Change> looks(Export export) {
        byte[] seenFile = server.through(export, file);
        byte[] seenDirectory = server.through(export, directory);
        Map<String, Change> looks = new LinkedHashMap<>();
        looks.put("GETATTR", new Change(V3Server.GETATTR, c -> c.opaque(seenFile)));
        looks.put("LOOKUP", new Change(V3Server.LOOKUP, c -> c.opaque(seenDirectory)
                .string("in")));
        looks.put("LOOKUP ..", new Change(V3Server.LOOKUP, c -> c.opaque(seenDirectory)
                .string("..")));
        looks.put("ACCESS", new Change(V3Server.ACCESS, c -> c.opaque(seenFile).words(0x3f)));
        looks.put("READLINK", new Change(V3Server.READLINK, c -> c.opaque(seenFile)));
        looks.put(
                "READ",
                new Change(V3Server.READ, c -> c.opaque(seenFile).hyper(0).words(100)));
        looks.put("READDIR", new Change(V3Server.READDIR, c -> c.opaque(seenDirectory)
                .hyper(0)
                .hyper(0)
                .words(4096)));
        looks.put("READDIRPLUS", new Change(V3Server.READDIRPLUS, c -> c.opaque(seenDirectory)
                .hyper(0)
                .hyper(0)
                .words(4096, 8192)));
        looks.put("FSSTAT", new Change(V3Server.FSSTAT, c -> c.opaque(seenFile)));
        looks.put("FSINFO", new Change(V3Server.FSINFO, c -> c.opaque(seenFile)));
        looks.put("PATHCONF", new Change(V3Server.PATHCONF, c -> c.opaque(seenFile)));
        return looks;
    }

    @Test
    void exportForOtherHosts_everyProcedure_isAccesAndTellsNothing() {
        fillDirectory();
        FsStatistics before = statistics();
        Map<String, Change> all = new LinkedHashMap<>(changes(server.elsewhere));
        all.putAll(looks(server.elsewhere));
        all.forEach((name, call) -> {
            V3Reply reply = server.call(call.procedure(), call.args());
            assertThat(reply.status()).as(name).isEqualTo(Nfs3Status.ACCES);
            while (reply.remaining() > 0) {
                assertThat(reply.word()).as(name + ": attributes follow").isZero();
            }
        });
        assertThat(statistics()).isEqualTo(before);
    }

    @Test
    void exportForOtherHosts_aclCalls_areAcces() {
        byte[] seen = server.through(server.elsewhere, file);
        assertThat(server.aclCall(1, c -> c.opaque(seen).words(0xf)).status()).isEqualTo(Nfs3Status.ACCES);
        assertThat(server.aclCall(2, c -> c.opaque(seen).words(0, 0, 0, 0, 0)).status())
                .isEqualTo(Nfs3Status.ACCES);
    }

    @Test
    void exportForOtherHosts_handleOfItBesideAnother_isAcces() {
        fillDirectory();
        byte[] hidden = server.through(server.elsewhere, directory);
        byte[] hiddenFile = server.through(server.elsewhere, file);
        assertThat(server.call(V3Server.RENAME, c -> c.opaque(directory)
                                .string("in")
                                .opaque(hidden)
                                .string("out"))
                        .status())
                .isEqualTo(Nfs3Status.ACCES);
        assertThat(server.call(V3Server.RENAME, c -> c.opaque(hidden)
                                .string("in")
                                .opaque(directory)
                                .string("out"))
                        .status())
                .isEqualTo(Nfs3Status.ACCES);
        assertThat(server.call(
                                V3Server.LINK,
                                c -> c.opaque(hiddenFile).opaque(directory).string("n"))
                        .status())
                .isEqualTo(Nfs3Status.ACCES);
    }

    @Test
    void exportForPrivilegedPorts_callFromAnother_isPerm() throws Exception {
        byte[] call = server.begin(V3Server.GETATTR)
                .opaque(server.through(server.guarded, file))
                .toBytes();
        InetSocketAddress user = new InetSocketAddress(V3Server.CLIENT.getAddress(), 1024);
        InetSocketAddress superuser = new InetSocketAddress(V3Server.CLIENT.getAddress(), 1023);
        assertThat(new V3Reply(server.send(user, call)).status()).isEqualTo(Nfs3Status.PERM);
        assertThat(new V3Reply(server.send(superuser, call)).status()).isEqualTo(Nfs3Status.OK);
    }

    @Test
    void rootSquash_everyChange_isRefused() {
        fillDirectory();
        FsStatistics before = statistics();
        server.uid = 0;
        server.gid = 0;
        changes(server.data).forEach((name, change) -> assertThat(
                        server.call(change.procedure(), change.args()).status())
                .as(name)
                .isIn(Nfs3Status.ACCES, Nfs3Status.PERM));
        assertThat(statistics()).isEqualTo(before);
    }

    @Test
    void allSquash_everyChangeOfTheOwner_isRefused() {
        fillDirectory();
        FsStatistics before = statistics();
        changes(server.squashing).forEach((name, change) -> assertThat(
                        server.call(change.procedure(), change.args()).status())
                .as(name)
                .isIn(Nfs3Status.ACCES, Nfs3Status.PERM));
        assertThat(statistics()).isEqualTo(before);
    }

    @Test
    void owner_everyChange_isDone() {
        changes(server.data).forEach((name, change) -> {
            PolicyTest fresh = new PolicyTest();
            fresh.fillDirectory();
            Change same = fresh.changes(fresh.server.data).get(name);
            assertThat(fresh.server.call(same.procedure(), same.args()).status())
                    .as(name)
                    .isEqualTo(Nfs3Status.OK);
        });
    }

    @Test
    void pseudoFileSystem_changes_areRofsAndLookupWorks() {
        byte[] root = server.handles.encode(server.exports.root());
        assertThat(server.call(V3Server.MKDIR, c -> c.opaque(root).string("n").words(V3Server.NO_SATTR))
                        .status())
                .isEqualTo(Nfs3Status.ROFS);
        assertThat(server.call(V3Server.LOOKUP, c -> c.opaque(root).string("data"))
                        .status())
                .isEqualTo(Nfs3Status.OK);
    }

    private FsStatistics statistics() {
        try {
            return server.fs.statistics();
        } catch (org.warpnfs.fs.spi.FsException e) {
            throw new AssertionError(e);
        }
    }
}
