package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.KeptAnswers;
import org.warpnfs.nfs.idmap.ManagedGroups;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.testing.KnownAccounts;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** owner, owner_group and the names in access control lists, as names and as numbers. */
class OwnerNamesTest {

    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final KnownAccounts accounts =
            new KnownAccounts().user("alice", 1000).group("staff", 50).groupsOf(1000, List.of(50L));

    private V4Server server(boolean sendNames, Executor threads) throws Exception {
        files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        KeptAnswers.Terms terms =
                new KeptAnswers.Terms(Duration.ofMinutes(1), Duration.ZERO, Duration.ofSeconds(1), 100);
        StaticNames map = new StaticNames(Map.of("carol@elsewhere.org", new StaticNames.Local.Id(7)), Map.of());
        MappedNames owners = new MappedNames(
                new MappedNames.Choices("example.org", map, sendNames), accounts, terms, threads, () -> 0);
        ManagedGroups groups = new ManagedGroups(accounts, terms, threads, () -> 0);
        Export export =
                Export.of(PseudoPath.of("/data"), files, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "memory");
        return V4Server.of(ExportTable.of(List.of(export), new Identities(groups, owners)));
    }

    private static V4Client withFile(V4Server server) {
        V4Client client = V4Client.mounted(server, "client", 0);
        client.create("f");
        return client;
    }

    private static Nfs4Status setOwner(V4Client client, String owner, String group) {
        return client.statusOf(
                new Ops().data().lookup("f").setAttr(Fattr.owner(owner).and(Fattr.group(group))));
    }

    private static List<String> owners(V4Client client) {
        Reply reply = client.run(new Ops().data().lookup("f").getAttrs(Fattr.OWNER, Fattr.OWNER_GROUP));
        reply.afterFile().getAttrs(Fattr.OWNER, Fattr.OWNER_GROUP);
        return List.of(reply.string(), reply.string());
    }

    @Test
    void setAttr_namesOfTheDomain_areThisHostsUsersAndNumbersAreSent() throws Exception {
        try (V4Server server = server(false, Runnable::run)) {
            V4Client client = withFile(server);

            assertThat(setOwner(client, "alice@example.org", "staff@example.org"))
                    .isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("1000", "50");
            assertThat(setOwner(client, "carol@elsewhere.org", "60")).isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("7", "60");
        }
    }

    @Test
    void getAttr_whereNamesAreSent_hasThemAndNumbersForTheRest() throws Exception {
        try (V4Server server = server(true, Runnable::run)) {
            V4Client client = withFile(server);

            assertThat(setOwner(client, "1000", "50")).isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("alice@example.org", "staff@example.org");
            assertThat(setOwner(client, "7", "4294967294")).isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("carol@elsewhere.org", "4294967294");
        }
    }

    @Test
    void setAttr_nameThatNobodyHas_isBadOwnerAndChangesNothing() throws Exception {
        try (V4Server server = server(false, Runnable::run)) {
            V4Client client = withFile(server);

            assertThat(setOwner(client, "10", "10")).isEqualTo(Nfs4Status.OK);

            for (String unknown : new String[] {"mallory@example.org", "alice@other.org", "alice", "4294967295"}) {
                assertThat(setOwner(client, unknown, "50")).as(unknown).isEqualTo(Nfs4Status.BADOWNER);
                assertThat(setOwner(client, "1000", unknown)).as(unknown).isEqualTo(Nfs4Status.BADOWNER);
            }
            assertThat(owners(client)).containsExactly("10", "10");
        }
    }

    @Test
    void acl_ofNames_isThatOfTheirNumbers() throws Exception {
        try (V4Server server = server(true, Runnable::run)) {
            V4Client client = withFile(server);

            assertThat(setAcl(client, "alice@example.org")).isEqualTo(Nfs4Status.OK);
            assertThat(files.acls(files.lookup(Caller.ROOT, files.root(), FileName.of("f"))
                                    .handle())
                            .access()
                            .users())
                    .containsOnlyKeys(1000L);
            assertThat(setAcl(client, "mallory@example.org")).isEqualTo(Nfs4Status.BADOWNER);
            assertThat(aces(client))
                    .extracting(Ace::who)
                    .contains("alice@example.org")
                    .doesNotContain("1000");
        }
    }

    private static Nfs4Status verify(V4Client client, OpCode operation, String owner, String group) {
        Fattr owners = Fattr.owner(owner).and(Fattr.group(group));
        return client.statusOf(new Ops().data().lookup("f").add(operation, owners::write));
    }

    /** A client may send a name where the server sends a number, and the other way round. */
    @Test
    void verify_ofOwners_comparesWhoTheyAre() throws Exception {
        for (boolean sendNames : new boolean[] {false, true}) {
            try (V4Server server = server(sendNames, Runnable::run)) {
                V4Client client = withFile(server);
                assertThat(setOwner(client, "1000", "50")).isEqualTo(Nfs4Status.OK);
                String[][] same = {
                    {"1000", "50"},
                    {"alice@example.org", "staff@example.org"},
                    {"alice@EXAMPLE.org", "50"},
                    {"01000", "50"}
                };
                for (String[] names : same) {
                    assertThat(verify(client, OpCode.VERIFY, names[0], names[1]))
                            .as(names[0])
                            .isEqualTo(Nfs4Status.OK);
                    assertThat(verify(client, OpCode.NVERIFY, names[0], names[1]))
                            .as(names[0])
                            .isEqualTo(Nfs4Status.SAME);
                }
                String[][] others = {
                    {"1001", "50"}, {"mallory@example.org", "50"}, {"1000", "staff@other.org"}, {"", "50"}
                };
                for (String[] names : others) {
                    assertThat(verify(client, OpCode.VERIFY, names[0], names[1]))
                            .as(names[0])
                            .isEqualTo(Nfs4Status.NOT_SAME);
                    assertThat(verify(client, OpCode.NVERIFY, names[0], names[1]))
                            .as(names[0])
                            .isEqualTo(Nfs4Status.OK);
                }
            }
        }
    }

    @Test
    void verify_ofAnAcl_comparesWhoIsNamed() throws Exception {
        try (V4Server server = server(false, Runnable::run)) {
            V4Client client = withFile(server);
            assertThat(setAcl(client, "1000")).isEqualTo(Nfs4Status.OK);
            List<Ace> aces = aces(client);

            assertThat(aces).extracting(Ace::who).contains("1000");
            assertThat(verifyAcl(client, aces)).isEqualTo(Nfs4Status.OK);
            assertThat(verifyAcl(client, renamed(aces, "1000", "alice@example.org")))
                    .isEqualTo(Nfs4Status.OK);
            List<Ace> ofAnother = renamed(aces, "1000", "mallory@example.org");
            assertThat(verifyAcl(client, ofAnother)).isEqualTo(Nfs4Status.NOT_SAME);
            ofAnother.removeLast();
            assertThat(verifyAcl(client, ofAnother)).isEqualTo(Nfs4Status.NOT_SAME);
        }
    }

    private static List<Ace> aces(V4Client client) {
        Reply reply = client.run(new Ops().data().lookup("f").getAttrs(Fattr.ACL));
        reply.afterFile().getAttrs(Fattr.ACL);
        List<Ace> aces = new ArrayList<>();
        for (int left = reply.word(); left > 0; left--) {
            aces.add(Ace.read(reply));
        }
        return aces;
    }

    private static List<Ace> renamed(List<Ace> aces, String from, String to) {
        List<Ace> renamed = new ArrayList<>(aces);
        renamed.replaceAll(
                ace -> new Ace(ace.type(), ace.flag(), ace.mask(), ace.who().equals(from) ? to : ace.who()));
        return renamed;
    }

    private static Nfs4Status verifyAcl(V4Client client, List<Ace> aces) {
        return client.statusOf(new Ops().data().lookup("f").verify(Fattr.acl(aces.toArray(Ace[]::new))));
    }

    private static Nfs4Status setAcl(V4Client client, String who) {
        return client.statusOf(new Ops().data().lookup("f").setAttr(Fattr.acl(Ace.allow(Ace.R, who))));
    }

    @Test
    void nameService_hasNotAnswered_namesHaveToComeAgainAndNumbersNot() throws Exception {
        Deque<Runnable> questions = new ArrayDeque<>();
        try (V4Server server = server(true, questions::add)) {
            V4Client client = withFile(server);
            assertThat(setOwner(client, "alice@example.org", "50")).isEqualTo(Nfs4Status.DELAY);
            assertThat(setOwner(client, "1000", "50")).isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("1000", "50");
            questions.forEach(Runnable::run);
            assertThat(setOwner(client, "alice@example.org", "50")).isEqualTo(Nfs4Status.OK);
            assertThat(owners(client)).containsExactly("alice@example.org", "staff@example.org");
        }
    }

    @Test
    void groupsOfTheCaller_areNotKnownYet_isDelayWhereAFileIsNamed() throws Exception {
        Deque<Runnable> questions = new ArrayDeque<>();
        try (V4Server server = server(false, questions::add)) {
            V4Client client = V4Client.mounted(server, "client", 1000);
            assertThat(client.statusOf(new Ops().root())).as("needs no groups").isEqualTo(Nfs4Status.OK);
            assertThat(client.statusOf(new Ops().data())).isEqualTo(Nfs4Status.DELAY);
            questions.forEach(Runnable::run);
            assertThat(client.statusOf(new Ops().data())).isEqualTo(Nfs4Status.OK);
        }
    }
}
