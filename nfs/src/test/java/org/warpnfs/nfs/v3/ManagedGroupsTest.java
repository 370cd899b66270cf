package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.KeptAnswers;
import org.warpnfs.nfs.idmap.ManagedGroups;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.KnownAccounts;

/** {@code manage-gids}: a caller's groups are those that this host has for the user. */
class ManagedGroupsTest {
    private static final int BOB = 1001;
    /** The fiftieth of bob's groups: no AUTH_SYS credential has room for it. */
    private static final int FAR = 550;

    private final KnownAccounts accounts =
            new KnownAccounts().groupsOf(BOB, LongStream.range(501, 601).boxed().toList());
    private final Deque<Runnable> questions = new ArrayDeque<>();

    private V3Server server(Executor threads) {
        KeptAnswers.Terms terms =
                new KeptAnswers.Terms(KeptAnswers.Terms.DEFAULT.kept(), Duration.ZERO, Duration.ZERO, 100);
        return new V3Server(
                new MemoryFileSystem(1 << 20, 100),
                FileChanges.UNWATCHED,
                new Identities(new ManagedGroups(accounts, terms, threads, () -> 0), OwnerNames.NUMERIC));
    }

    /** Makes a file that only its group may read. */
    private static byte[] fileOf(V3Server server, Export export, int group) throws Exception {
        byte[] file = server.through(export, server.file("f", 0040, "hello"));
        server.fs.setAttributes(
                Caller.ROOT,
                server.handles.decode(file).file(),
                new AttributeChanges(null, null, (long) group, null, null, null));
        return file;
    }

    private static Nfs3Status read(V3Server server, byte[] file, int... groups) {
        CallWriter call = CallWriter.call(77 + groups.length, Nfs3Program.PROGRAM, Nfs3Program.VERSION, V3Server.READ)
                .authSys(BOB, 100, groups);
        return new V3Reply(server.send(call.opaque(file).hyper(0).words(100).toBytes())).status();
    }

    @Test
    void group_beyondTheSixteenOfACredential_counts() throws Exception {
        V3Server server = server(Runnable::run);
        assertThat(read(server, fileOf(server, server.data, FAR))).isEqualTo(Nfs3Status.OK);
    }

    @Test
    void group_thatOnlyTheClientClaims_doesNotCount() throws Exception {
        V3Server server = server(Runnable::run);
        byte[] file = fileOf(server, server.data, 27);
        assertThat(read(server, file, 27)).isEqualTo(Nfs3Status.ACCES);
        V3Server believing = new V3Server();
        assertThat(read(believing, fileOf(believing, believing.data, 27), 27)).isEqualTo(Nfs3Status.OK);
    }

    private static Nfs3Status readAs(V3Server server, byte[] file, int uid, int gid) {
        CallWriter call = CallWriter.call(7_000 + uid + gid, Nfs3Program.PROGRAM, Nfs3Program.VERSION, V3Server.READ)
                .authSys(uid, gid);
        return new V3Reply(server.send(call.opaque(file).hyper(0).words(100).toBytes())).status();
    }

    @Test
    void firstGroup_thatOnlyTheClientClaims_doesNotCount() throws Exception {
        V3Server server = server(Runnable::run);
        byte[] file = fileOf(server, server.data, 27);
        assertThat(readAs(server, file, BOB, 27)).isEqualTo(Nfs3Status.ACCES);
        assertThat(readAs(server, file, 4711, 27))
                .as("a user whom nobody knows")
                .isEqualTo(Nfs3Status.ACCES);
        assertThat(readAs(server, file, 0, 27)).as("the superuser, squashed").isEqualTo(Nfs3Status.ACCES);
        V3Server believing = new V3Server();
        assertThat(readAs(believing, fileOf(believing, believing.data, 27), BOB, 27))
                .isEqualTo(Nfs3Status.OK);
    }

    @Test
    void firstGroup_isOneOfTheUser_isTheCredentials_soThatNewgrpWorks() throws Exception {
        V3Server server = server(Runnable::run);
        assertThat(createdBy(server, BOB, FAR)).isEqualTo(FAR);
        assertThat(createdBy(server, BOB, 27)).as("the first of this host").isEqualTo(501);
        assertThat(createdBy(server, 4711, 27)).as("nobody's").isEqualTo(65534);
    }

    /** The group of a file that a user makes. */
    private static long createdBy(V3Server server, int uid, int gid) throws Exception {
        String name = "of" + uid + "." + gid;
        CallWriter call = CallWriter.call(gid, Nfs3Program.PROGRAM, Nfs3Program.VERSION, V3Server.CREATE)
                .authSys(uid, gid);
        // UNCHECKED, with a mode and nothing else.
        call.opaque(server.root()).string(name).words(0, 1, 0644, 0, 0, 0, 0, 0);
        assertThat(new V3Reply(server.send(call.toBytes())).status()).isEqualTo(Nfs3Status.OK);
        return server.fs
                .lookup(Caller.ROOT, server.fs.root(), FileName.of(name))
                .attributes()
                .gid();
    }

    @Test
    void nameService_hasNotAnswered_onlyThoseWhoNeedItHaveToComeAgain() throws Exception {
        V3Server server = server(questions::add);
        byte[] file = fileOf(server, server.data, FAR);
        assertThat(read(server, file)).isEqualTo(Nfs3Status.JUKEBOX);
        assertThat(read(server, file)).isEqualTo(Nfs3Status.JUKEBOX);
        assertThat(questions).hasSize(1);
        // Groups do not count if all users are squashed, nor do root's.
        assertThat(read(server, server.through(server.squashing, file))).isEqualTo(Nfs3Status.ACCES);
        server.uid = 0;
        assertThat(server.call(V3Server.GETATTR, c -> c.opaque(server.through(server.trusting, file)))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(questions).hasSize(1);
        questions.forEach(Runnable::run);
        assertThat(read(server, file)).isEqualTo(Nfs3Status.OK);
    }

    @Test
    void groupZero_ofThisHost_isSquashedAsThatOfACredential() throws Exception {
        accounts.groupsOf(BOB, List.of(0L, 501L));
        V3Server server = server(Runnable::run);
        byte[] file = fileOf(server, server.data, 0);
        assertThat(read(server, file)).isEqualTo(Nfs3Status.ACCES);
        assertThat(read(server, server.through(server.trusting, file))).isEqualTo(Nfs3Status.OK);
    }
}
