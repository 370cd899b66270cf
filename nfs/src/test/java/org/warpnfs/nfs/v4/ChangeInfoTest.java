package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.testing.HookedFileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * change_info4.atomic (RFC 8881, section 3.3.8) is true only if nothing else changed the directory between before and
 * after, by whatever call.
 */
class ChangeInfoTest {

    private HookedFileSystem hooked;
    private V4Server server;
    private V4Client client;
    private V4Client other;
    private int[] opened;

    @BeforeEach
    void start() {
        server = V4Server.through(this::hook);
        client = V4Client.mounted(server, "client", 0);
        other = V4Client.mounted(server, "other", 0);
        server.newFile("f", 0666, new byte[100]);
        server.newFile("another", 0666, new byte[100]);
        // A second name, so that the file survives the removal of the first.
        other.run(new Ops().data().lookup("f").saveFh().data().link("name"));
        opened = other.open("o", "f", 3);
    }

    private FileSystem hook(FileSystem memory) {
        hooked = HookedFileSystem.of(memory);
        return hooked.fileSystem();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Ops setXattr(Ops at, String name) {
        return at.setXattr(0, name, "value");
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private static Named<Function<int[], Ops>> change(String name, Function<int[], Ops> ops) {
        return Named.of(name, ops);
    }

    static Stream<Named<Function<int[], Ops>>> fileChanges() {
        return Stream.of(
                change("write", open -> file().write(open, 0, 0, "x")),
                change("stable write", open -> file().write(open, 0, 2, "x")),
                change("anonymous write", _ -> file().write(Ops.ANONYMOUS, 0, 0, "x")),
                change("setattr of the mode", _ -> file().setAttr(Fattr.mode(0600))),
                change("setattr of the size", open -> file().setAttr(open, Fattr.size(3))),
                change("allocate", open -> file().allocate(open, 0, 200)),
                change("deallocate", open -> file().deallocate(open, 0, 10)),
                change("copy", open -> new Ops()
                        .data()
                        .lookup("another")
                        .saveFh()
                        .data()
                        .lookup("f")
                        .copy(Ops.ANONYMOUS, open, 10)),
                change("open that cuts", _ -> new Ops().data().openCutting("w", "f")),
                change("setxattr", _ -> setXattr(file(), "theirs")),
                change("link", _ -> file().saveFh().data().link("third")),
                change("remove", _ -> new Ops().data().remove("name")),
                change("rename", _ -> new Ops().data().saveFh().rename("name", "renamed")),
                change("rename over", _ -> new Ops().data().saveFh().rename("another", "name")));
    }

    private boolean isAtomicSetXattr() {
        Reply reply = client.run(setXattr(file(), "ours"));
        reply.afterFile();
        reply.op(OpCode.SETXATTR);
        return reply.word() == 1;
    }

    @ParameterizedTest
    @MethodSource("fileChanges")
    void setXattr_fileChangedMeanwhile_isNotAtomic(Function<int[], Ops> change) {
        hooked.onceBefore("setXattr", () -> assertThat(other.statusOf(change.apply(opened)))
                .isEqualTo(Nfs4Status.OK));

        assertThat(isAtomicSetXattr()).isFalse();
        assertThat(hooked.hasHappened()).isTrue();
        assertThat(isAtomicSetXattr()).as("without another change").isTrue();
    }

    @Test
    void setXattr_fileReadAndSyncedMeanwhile_isAtomic() {
        hooked.onceBefore("setXattr", () -> assertThat(other.statusOf(
                        file().read(opened, 0, 10).getAttrs(Fattr.SIZE).commit()))
                .isEqualTo(Nfs4Status.OK));

        assertThat(isAtomicSetXattr()).isTrue();
        assertThat(hooked.hasHappened()).isTrue();
    }

    static Stream<Named<Function<int[], Ops>>> directoryChanges() {
        return Stream.of(
                change("setattr", _ -> new Ops().data().setAttr(Fattr.mode(0755))),
                change("setxattr", _ -> setXattr(new Ops().data(), "theirs")),
                change("open that makes", _ -> new Ops().data().openCreate("o", "new", 3, 0)),
                change("link", _ -> file().saveFh().data().link("third")),
                change("remove", _ -> new Ops().data().remove("name")),
                change(
                        "rename away",
                        _ -> new Ops().data().saveFh().data().lookup("d").rename("name", "renamed")),
                change(
                        "rename into",
                        _ -> new Ops().data().lookup("d").saveFh().data().rename("within", "renamed")));
    }

    @ParameterizedTest
    @MethodSource("directoryChanges")
    void createDirectory_parentChangedMeanwhile_isNotAtomic(Function<int[], Ops> change) {
        client.run(new Ops().data().makeDirectory("d"));
        client.run(new Ops().data().lookup("d").openCreate("o", "within", 3, 0));

        hooked.onceBefore("makeDirectory", () -> assertThat(other.statusOf(change.apply(opened)))
                .isEqualTo(Nfs4Status.OK));

        assertThat(isAtomicCreate("first")).isFalse();
        assertThat(hooked.hasHappened()).isTrue();
        assertThat(isAtomicCreate("second")).as("without another change").isTrue();
    }

    private boolean isAtomicCreate(String name) {
        Reply reply = client.run(new Ops().data().makeDirectory(name));
        reply.afterData().op(OpCode.CREATE);
        return reply.word() == 1;
    }
}
