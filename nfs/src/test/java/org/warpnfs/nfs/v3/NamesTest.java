package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.CREATE;
import static org.warpnfs.nfs.v3.V3Server.LINK;
import static org.warpnfs.nfs.v3.V3Server.MKDIR;
import static org.warpnfs.nfs.v3.V3Server.MKNOD;
import static org.warpnfs.nfs.v3.V3Server.NO_SATTR;
import static org.warpnfs.nfs.v3.V3Server.REMOVE;
import static org.warpnfs.nfs.v3.V3Server.RENAME;
import static org.warpnfs.nfs.v3.V3Server.RMDIR;
import static org.warpnfs.nfs.v3.V3Server.SETATTR;
import static org.warpnfs.nfs.v3.V3Server.SYMLINK;

import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Procedures that create, rename and remove names. */
class NamesTest {
    private static final int UNCHECKED = 0;
    private static final int GUARDED = 1;
    private static final int EXCLUSIVE = 2;
    private static final int[] MODE_644_SIZE_0 = {1, 0644, 0, 0, 1, 0, 0, 0, 0};

    private final V3Server server = new V3Server();
    private final byte[] root = server.root();

    private V3Reply create(String name, int how, int... rest) {
        return server.call(CREATE, c -> c.opaque(root).string(name).words(how).words(rest));
    }

    private record Made(Nfs3Handle handle, V3Reply.Attributes attributes, V3Reply.Wcc wcc) {}

    private static Made made(V3Reply reply) {
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        byte[] handle = reply.postOpHandle();
        V3Reply.Attributes attributes = reply.postOp();
        V3Reply.Wcc wcc = reply.wcc();
        reply.end();
        assertThat(wcc.before()).isNotNull();
        assertThat(wcc.after()).isNotNull();
        return new Made(Nfs3Handle.of(handle), attributes, wcc);
    }

    private static Nfs3Status refused(V3Reply reply) {
        Nfs3Status status = reply.status();
        assertThat(status).isNotEqualTo(Nfs3Status.OK);
        V3Reply.Wcc wcc = reply.wcc();
        reply.end();
        assertThat(wcc.before()).isNull();
        assertThat(wcc.after()).isNotNull();
        return status;
    }

    @Test
    void create_newFile_belongsToTheCaller() {
        Made made = made(create("f", GUARDED, MODE_644_SIZE_0));
        assertThat(made.attributes()).isEqualTo(server.attributes(made.handle().toBytes()));
        assertThat(made.attributes().mode()).isEqualTo(0644);
        assertThat(made.attributes().uid()).isEqualTo(V3Server.ALICE);
        assertThat(made.attributes().gid()).isEqualTo(V3Server.GROUP);
        assertThat(made.wcc().before().ctime()).isNotEqualTo(made.wcc().after().ctime());
    }

    @Test
    void create_asSquashedRoot_belongsToNobody() {
        server.uid = 0;
        server.gid = 0;
        Made made = made(create("f", UNCHECKED, MODE_644_SIZE_0));
        assertThat(made.attributes().uid()).isEqualTo(V3Server.ANON);
        assertThat(made.attributes().gid()).isEqualTo(V3Server.ANON);
    }

    @Test
    void create_nameThatIsThere_isAsTheModeSays() {
        byte[] file = server.file("f", 0640, "hello");
        assertThat(refused(create("f", GUARDED, NO_SATTR))).isEqualTo(Nfs3Status.EXIST);
        Made kept = made(create("f", UNCHECKED, NO_SATTR));
        assertThat(kept.handle()).isEqualTo(Nfs3Handle.of(file));
        assertThat(kept.attributes().size()).isEqualTo(5);
        assertThat(kept.attributes().mode()).isEqualTo(0640);
        assertThat(made(create("f", UNCHECKED, MODE_644_SIZE_0)).attributes().size())
                .isZero();
        assertThat(refused(create("f", EXCLUSIVE, 1, 2))).isEqualTo(Nfs3Status.EXIST);
    }

    @Test
    void create_exclusiveThenSetattr_isTheFlowOfLinux() {
        Made made = made(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef0));
        assertThat(made(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef0)).handle())
                .as("repeated")
                .isEqualTo(made.handle());
        assertThat(refused(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef1))).isEqualTo(Nfs3Status.EXIST);
        assertThat(made.attributes().mode()).as("until the client says more").isEqualTo(0600);
        byte[] handle = made.handle().toBytes();
        // Mode, and both times by the server's clock: what Linux sends after the create.
        V3Reply set = server.call(SETATTR, c -> c.opaque(handle).words(1, 0644, 0, 0, 0, 1, 1, 0));
        assertThat(set.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Attributes after = set.wcc().after();
        assertThat(after.mode()).isEqualTo(0644);
        assertThat(after.mtime() >>> 32).isCloseTo(after.ctime() >>> 32, org.assertj.core.data.Offset.offset(1L));
        assertThat(refused(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef0)))
                .as("once its times are set")
                .isEqualTo(Nfs3Status.EXIST);
    }

    @Test
    void create_exclusiveWithTheVerifierOfAnother_exists() {
        made(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef0));
        server.uid = V3Server.ALICE + 1;
        assertThat(refused(create("f", EXCLUSIVE, 0x12345678, 0x9abcdef0))).isEqualTo(Nfs3Status.EXIST);
    }

    @Test
    void mkdir_withAndWithoutMode_isMade() {
        Made made = made(server.call(MKDIR, c -> c.opaque(root).string("d").words(1, 0751, 0, 0, 0, 0, 0)));
        assertThat(made.attributes().type()).isEqualTo(2);
        assertThat(made.attributes().mode()).isEqualTo(0751);
        assertThat(made(server.call(MKDIR, c -> c.opaque(root).string("e").words(NO_SATTR)))
                        .attributes()
                        .mode())
                .isEqualTo(0700);
        assertThat(refused(server.call(MKDIR, c -> c.opaque(root).string("d").words(NO_SATTR))))
                .isEqualTo(Nfs3Status.EXIST);
    }

    @Test
    void symlink_texts_areKeptOrRefused() {
        Made made = made(symlink("l", "some/where"));
        assertThat(made.attributes().type()).isEqualTo(5);
        assertThat(made.attributes().size()).isEqualTo(10);
        assertThat(refused(symlink("m", ""))).isEqualTo(Nfs3Status.INVAL);
        assertThat(refused(symlink("m", "a\0b"))).isEqualTo(Nfs3Status.INVAL);
        assertThat(refused(symlink("m", "t".repeat(4096)))).isEqualTo(Nfs3Status.NAMETOOLONG);
        assertThat(made(symlink("m", "t".repeat(4095))).attributes().size()).isEqualTo(4095);
    }

    private V3Reply symlink(String name, String text) {
        return server.call(
                SYMLINK, c -> c.opaque(root).string(name).words(NO_SATTR).string(text));
    }

    @Test
    void mknod_types_areMadeOrRefused() {
        server.uid = 0;
        byte[] trusted = server.root(server.trusting);
        Made device = made(server.call(
                MKNOD,
                c -> c.opaque(trusted).string("null").words(4).words(NO_SATTR).words(1, 3)));
        assertThat(device.attributes().type()).isEqualTo(4);
        assertThat(device.attributes().major()).isEqualTo(1);
        assertThat(device.attributes().minor()).isEqualTo(3);
        assertThat(made(server.call(
                                MKNOD, c -> c.opaque(root).string("s").words(6).words(NO_SATTR)))
                        .attributes()
                        .type())
                .isEqualTo(6);
        for (int type : new int[] {1, 2, 5}) {
            assertThat(refused(
                            server.call(MKNOD, c -> c.opaque(root).string("x").words(type))))
                    .isEqualTo(Nfs3Status.BADTYPE);
        }
        assertThat(server.call(MKNOD, c -> c.opaque(root).string("x").words(8)).stat())
                .isEqualTo(V3Reply.GARBAGE_ARGS);
        assertThat(refused(server.call(MKNOD, c -> c.opaque(root)
                        .string("dev")
                        .words(3)
                        .words(NO_SATTR)
                        .words(8, 0))))
                .as("only the superuser makes devices")
                .isEqualTo(Nfs3Status.PERM);
    }

    @Test
    void remove_kinds_areKeptApart() {
        server.file("f", 0600, "");
        server.directory("d", 0700);
        assertThat(refused(server.call(RMDIR, c -> c.opaque(root).string("f")))).isEqualTo(Nfs3Status.NOTDIR);
        assertThat(refused(server.call(REMOVE, c -> c.opaque(root).string("d"))))
                .isEqualTo(Nfs3Status.ISDIR);
        assertThat(refused(server.call(REMOVE, c -> c.opaque(root).string("x"))))
                .isEqualTo(Nfs3Status.NOENT);
        V3Reply removed = server.call(REMOVE, c -> c.opaque(root).string("f"));
        assertThat(removed.status()).isEqualTo(Nfs3Status.OK);
        assertThat(removed.wcc().before()).isNotNull();
        removed.end();
        assertThat(server.call(RMDIR, c -> c.opaque(root).string("d")).status()).isEqualTo(Nfs3Status.OK);
        assertThat(server.exists("f") || server.exists("d")).isFalse();
    }

    @Test
    void rename_withinAndAcrossDirectories_moves() {
        byte[] file = server.file("f", 0600, "x");
        byte[] directory = server.directory("d", 0700);
        V3Reply within = rename(root, "f", root, "g");
        assertThat(within.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Wcc from = within.wcc();
        assertThat(from.before()).isNotNull();
        assertThat(within.wcc()).isEqualTo(from);
        within.end();
        V3Reply across = rename(root, "g", directory, "h");
        assertThat(across.status()).isEqualTo(Nfs3Status.OK);
        assertThat(across.wcc().before()).isNotNull();
        assertThat(across.wcc().before()).isNotNull();
        across.end();
        V3Reply found = server.call(V3Server.LOOKUP, c -> c.opaque(directory).string("h"));
        assertThat(found.status()).isEqualTo(Nfs3Status.OK);
        assertThat(found.handle()).isEqualTo(file);
        V3Reply missing = rename(root, "g", directory, "i");
        assertThat(missing.status()).isEqualTo(Nfs3Status.NOENT);
        assertThat(missing.wcc().after()).isNotNull();
        assertThat(missing.wcc().after()).isNotNull();
        missing.end();
    }

    private V3Reply rename(byte[] from, String fromName, byte[] to, String toName) {
        return server.call(
                RENAME, c -> c.opaque(from).string(fromName).opaque(to).string(toName));
    }

    private V3Reply link(byte[] file, byte[] directory, String name) {
        return server.call(LINK, c -> c.opaque(file).opaque(directory).string(name));
    }

    @Test
    void link_secondName_isTheSameFile() {
        byte[] file = server.file("f", 0600, "x");
        V3Reply reply = link(file, root, "g");
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp().nlink()).isEqualTo(2);
        assertThat(reply.wcc().before()).isNotNull();
        reply.end();
        V3Reply again = link(file, root, "g");
        assertThat(again.status()).isEqualTo(Nfs3Status.EXIST);
        assertThat(again.postOp()).isNotNull();
        assertThat(again.wcc().after()).isNotNull();
        again.end();
    }

    @Test
    void renameAndLink_betweenExports_areCrossDevice() {
        byte[] file = server.file("f", 0600, "x");
        byte[] other = server.root(server.trusting);
        assertThat(rename(root, "f", other, "g").status()).isEqualTo(Nfs3Status.XDEV);
        assertThat(link(file, other, "g").status()).isEqualTo(Nfs3Status.XDEV);
        byte[] readOnly = server.root(server.readOnly);
        assertThat(rename(root, "f", readOnly, "g").status()).isEqualTo(Nfs3Status.ROFS);
        assertThat(rename(readOnly, "f", root, "g").status()).isEqualTo(Nfs3Status.ROFS);
        assertThat(link(file, readOnly, "g").status()).isEqualTo(Nfs3Status.ROFS);
        assertThat(link(server.through(server.readOnly, file), root, "g").status())
                .isEqualTo(Nfs3Status.ROFS);
        assertThat(server.exists("g")).isFalse();
    }

    @Test
    void improperNames_everyProcedure_areAnsweredAsTheRfcSays() {
        byte[] file = server.file("f", 0600, "x");
        Map<String, Function<String, V3Reply>> calls = Map.of(
                "CREATE", name -> create(name, GUARDED, NO_SATTR),
                "MKDIR",
                        name -> server.call(
                                MKDIR, c -> c.opaque(root).string(name).words(NO_SATTR)),
                "SYMLINK", name -> symlink(name, "x"),
                "MKNOD",
                        name -> server.call(
                                MKNOD, c -> c.opaque(root).string(name).words(7).words(NO_SATTR)),
                "REMOVE", name -> server.call(REMOVE, c -> c.opaque(root).string(name)),
                "RMDIR", name -> server.call(RMDIR, c -> c.opaque(root).string(name)),
                "RENAME from", name -> rename(root, name, root, "g"),
                "RENAME to", name -> rename(root, "f", root, name),
                "LINK", name -> link(file, root, name));
        Map<String, Nfs3Status> self = Map.of(
                "REMOVE", Nfs3Status.ACCES,
                "RMDIR", Nfs3Status.INVAL,
                "RENAME from", Nfs3Status.INVAL,
                "RENAME to", Nfs3Status.INVAL);
        Map<String, Nfs3Status> parent = Map.of(
                "REMOVE", Nfs3Status.ACCES,
                "RENAME from", Nfs3Status.INVAL,
                "RENAME to", Nfs3Status.INVAL);
        calls.forEach((procedure, call) -> {
            assertThat(call.apply("").status()).as(procedure).isEqualTo(Nfs3Status.ACCES);
            assertThat(call.apply("a/b").status()).as(procedure).isEqualTo(Nfs3Status.ACCES);
            assertThat(call.apply("a\0b").status()).as(procedure).isEqualTo(Nfs3Status.ACCES);
            assertThat(call.apply("n".repeat(256)).status()).as(procedure).isEqualTo(Nfs3Status.NAMETOOLONG);
            assertThat(call.apply(".").status())
                    .as(procedure)
                    .isEqualTo(self.getOrDefault(procedure, Nfs3Status.EXIST));
            assertThat(call.apply("..").status())
                    .as(procedure)
                    .isEqualTo(parent.getOrDefault(procedure, Nfs3Status.EXIST));
        });
        assertThat(server.exists("f")).isTrue();
    }
}
