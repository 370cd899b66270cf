package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.google.common.net.InetAddresses;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.nfs.idmap.GroupSource;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.KeptAnswers;
import org.warpnfs.nfs.idmap.ManagedGroups;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.testing.KnownAccounts;

class ExportAdmissionTest {
    private static final Identity USER = new Identity.SystemUser(1000, 100, List.of(4L, 0L, 27L));
    private static final Identity ROOT = new Identity.SystemUser(0, 0, List.of(0L, 5L));
    private static final Identity NOBODY = new Identity.Anonymous();
    private static final ExportOptions OPTIONS = ExportOptions.DEFAULTS.withAnonymous(77, 88);

    @Test
    void admit_noSquash_isWhoTheClientSays() throws ExportDenial {
        assertThat(callerAt(Squash.NONE, ROOT)).isEqualTo(new Caller(0, 0, List.of(0L, 5L)));
        assertThat(callerAt(Squash.NONE, USER)).isEqualTo(new Caller(1000, 100, List.of(4L, 0L, 27L)));
    }

    @Test
    void admit_rootSquash_replacesEveryZero() throws ExportDenial {
        assertThat(callerAt(Squash.ROOT, ROOT)).isEqualTo(new Caller(77, 88, List.of(88L, 5L)));
        assertThat(callerAt(Squash.ROOT, USER)).isEqualTo(new Caller(1000, 100, List.of(4L, 88L, 27L)));
    }

    @Test
    void admit_allSquash_isTheAnonymousUser() throws ExportDenial {
        assertThat(callerAt(Squash.ALL, USER)).isEqualTo(new Caller(77, 88, List.of()));
    }

    @Test
    void policyForOneUser_everyRuleAndCredential_becomesThatUser() {
        ExportOptions trusting =
                OPTIONS.withSquash(Squash.NONE).withAccess(Flavor.KRB5, new ExportOptions.Access(true, Squash.NONE));
        ExportPolicy one = ExportPolicy.of(List.of(rule("192.0.2.1", trusting), rule("*", OPTIONS)))
                .forOneUser(65_532, 65_533);

        assertThat(one.rules()).hasSize(2).allSatisfy(rule -> {
            assertThat(rule.options().anonUid()).isEqualTo(65_532);
            assertThat(rule.options().anonGid()).isEqualTo(65_533);
            for (Flavor flavor : Flavor.values()) {
                assertThat(rule.options().accessBy(flavor).squash()).isEqualTo(Squash.ALL);
            }
        });
        assertThat(one.rules().getFirst().options().accessBy(Flavor.KRB5).readOnly())
                .isTrue();
        assertThat(one.rules().getLast().options().readOnly()).isFalse();
    }

    @Test
    void admit_authNone_isTheAnonymousUserEverywhere() throws ExportDenial {
        for (Squash squash : Squash.values()) {
            assertThat(callerAt(squash, NOBODY)).isEqualTo(new Caller(77, 88, List.of()));
        }
    }

    @Test
    void admit_groupsOfThisHost_primaryGroupOfTheClientCountsOnlyIfTheUserIsInIt() throws ExportDenial {
        List<Long> groups = List.of(50L, 60L);
        ManagedGroups managed = new ManagedGroups(
                new KnownAccounts().groupsOf(1000, groups), KeptAnswers.Terms.DEFAULT, Runnable::run, () -> 0);
        assertThat(callerAt(Squash.NONE, USER, managed)).isEqualTo(new Caller(1000, 50, groups));
        assertThat(callerAt(Squash.ROOT, new Identity.SystemUser(1000, 60, List.of()), managed))
                .isEqualTo(new Caller(1000, 60, groups));
        assertThat(callerAt(Squash.ROOT, new Identity.SystemUser(0, 27, List.of(27L)), managed))
                .as("the superuser, who becomes nobody with every group")
                .isEqualTo(new Caller(77, 88, List.of()));
        assertThat(callerAt(Squash.NONE, new Identity.SystemUser(0, 27, List.of(27L)), managed))
                .isEqualTo(new Caller(0, 27, List.of()));
        assertThat(callerAt(Squash.ROOT, new Identity.SystemUser(4711, 4711, List.of(), true), managed))
                .as("the user of a certificate")
                .isEqualTo(new Caller(4711, 4711, List.of()));
    }

    private static Caller callerAt(Squash squash, Identity identity, GroupSource groups) throws ExportDenial {
        Requester requester = new Requester(
                InetAddresses.forString("192.0.2.1"),
                true,
                identity,
                new Identities(groups, OwnerNames.NUMERIC),
                SecuredPeer.Security.CLEAR,
                Transport.TCP);
        return export(rule("*", OPTIONS.withSquash(squash))).admit(requester).caller();
    }

    @Test
    void admit_hostOfNoRule_isDenied() throws Exception {
        Export export = export(rule("192.0.2.0/24", OPTIONS));
        assertDenied(export, from("198.51.100.1", USER), ExportDenial.Reason.HOST);
        assertThat(export.isFor(InetAddresses.forString("192.0.2.9"))).isTrue();
        assertThat(export.isFor(InetAddresses.forString("198.51.100.1"))).isFalse();
    }

    @Test
    void admit_hostOfTwoRules_isServedByTheNarrowerOne() throws ExportDenial {
        Export export = export(
                rule("*", OPTIONS.withReadOnly(true)),
                rule("192.0.2.0/24", OPTIONS),
                rule("192.0.2.7", OPTIONS.withReadOnly(true).withSquash(Squash.ALL)));
        assertThat(export.admit(from("203.0.113.1", USER)).readOnly()).isTrue();
        assertThat(export.admit(from("192.0.2.8", USER)).readOnly()).isFalse();
        assertThat(export.admit(from("192.0.2.7", USER)).caller()).isEqualTo(new Caller(77, 88, List.of()));
    }

    @Test
    void admit_portOfAnyUser_isDeniedWhereOnlyPrivilegedOnesAreTaken() throws ExportDenial {
        Export export = export(rule("*", OPTIONS.withPrivilegedPort(true)));
        Requester privileged = from("192.0.2.1", USER);
        assertThat(export.admit(privileged).readOnly()).isFalse();
        assertDenied(export, new Requester(privileged.address(), false, USER), ExportDenial.Reason.PORT);
    }

    @Test
    void admit_credentialThatIsNotTaken_isDenied() {
        Export export = export(rule("*", OPTIONS.withFlavors(List.of(Flavor.SYS))));
        assertDenied(export, from("192.0.2.1", NOBODY), ExportDenial.Reason.FLAVOR);
    }

    @Test
    void admit_connectionWithLessProtection_isDeniedButMayMount() throws ExportDenial {
        Export tls = export(rule("*", OPTIONS.withProtections(Set.of(Protection.TLS))));
        Requester clear = from("192.0.2.1", USER);
        assertDenied(tls, clear, ExportDenial.Reason.PROTECTION);
        assertThat(tls.admitToMount(clear).readOnly()).isFalse();
        assertThat(tls.admit(by(clear, Protection.TLS)).readOnly()).isFalse();
        assertThat(tls.admit(by(clear, Protection.MUTUAL_TLS)).readOnly()).isFalse();

        Export mutual = export(rule("*", OPTIONS.withProtections(Set.of(Protection.MUTUAL_TLS))));
        assertDenied(mutual, clear, ExportDenial.Reason.PROTECTION);
        assertDenied(mutual, by(clear, Protection.TLS), ExportDenial.Reason.PROTECTION);
        assertThat(mutual.admit(by(clear, Protection.MUTUAL_TLS)).readOnly()).isFalse();

        Export clearOnly = export(rule("*", OPTIONS.withProtections(Set.of(Protection.NONE))));
        assertThat(clearOnly.admit(clear).readOnly()).isFalse();
        assertDenied(clearOnly, by(clear, Protection.TLS), ExportDenial.Reason.PROTECTION);
    }

    @Test
    void admit_kerberosExport_credentialOfAHost_isDeniedButMayMountAsNobody() throws ExportDenial {
        Export kerberos = export(rule("*", OPTIONS.withFlavors(List.of(Flavor.KRB5P))));
        Requester host = from("192.0.2.1", USER);
        assertDenied(kerberos, host, ExportDenial.Reason.FLAVOR);
        assertThat(kerberos.admitToMount(host).caller().uid()).isEqualTo(OPTIONS.anonUid());
        assertThat(kerberos.admitToMount(host).readOnly()).isTrue();

        Export anonymous = export(rule("*", OPTIONS.withFlavors(List.of(Flavor.NONE))));
        assertThatThrownBy(() -> anonymous.admitToMount(host)).isInstanceOf(ExportDenial.class);
    }

    @Test
    void options_withoutAProtection_sayIt() {
        assertThatThrownBy(() -> OPTIONS.withProtections(Set.of())).hasMessageContaining("xprtsec=");
    }

    private static Requester by(Requester other, Protection protection) {
        return new Requester(
                other.address(),
                other.privilegedPort(),
                other.identity(),
                other.known(),
                new SecuredPeer.Security(protection, List.of()),
                other.transport());
    }

    /** MOUNT and NLM are never called over RDMA, whatever their clients use for NFS. */
    @Test
    void admit_anotherTransport_isDeniedButMayMount() throws ExportDenial {
        Requester overTcp = from("192.0.2.1", USER);
        Requester overRdma =
                new Requester(overTcp.address(), true, USER, overTcp.known(), overTcp.security(), Transport.RDMA);
        Export tcpAlone = export(rule("*", OPTIONS.withTransports(Set.of(Transport.TCP))));
        assertThat(tcpAlone.admit(overTcp)).isNotNull();
        assertDenied(tcpAlone, overRdma, ExportDenial.Reason.TRANSPORT);
        Export rdmaAlone = export(rule("*", OPTIONS.withTransports(Set.of(Transport.RDMA))));
        assertThat(rdmaAlone.admit(overRdma)).isNotNull();
        assertDenied(rdmaAlone, overTcp, ExportDenial.Reason.TRANSPORT);
        assertThat(rdmaAlone.admitToMount(overTcp)).isNotNull();
        assertThat(export(rule("*", OPTIONS)).admit(overRdma)).isNotNull();
    }

    @Test
    void options_withoutATransport_sayIt() {
        assertThatThrownBy(() -> OPTIONS.withTransports(Set.of())).hasMessageContaining("transport=");
    }

    @Test
    void believesUsersOverRdma_onlyWhereSecureDoesNotHoldThere() {
        ExportOptions secure = OPTIONS.withPrivilegedPort(true);
        assertThat(secure.believesUsersOverRdma()).isTrue();
        assertThat(OPTIONS.believesUsersOverRdma()).as("insecure says it").isFalse();
        assertThat(secure.withTransports(Set.of(Transport.TCP)).believesUsersOverRdma())
                .isFalse();
        assertThat(secure.withFlavors(List.of(Flavor.KRB5)).believesUsersOverRdma())
                .isFalse();
        assertThat(secure.withSquash(Squash.ALL).believesUsersOverRdma()).isFalse();
        assertThat(secure.withProtections(Set.of(Protection.TLS)).believesUsersOverRdma())
                .as("RDMA has no TLS")
                .isFalse();
    }

    @Test
    void admit_flavorsWithWordsOfTheirOwn_areServedEachInItsWay() throws ExportDenial {
        ExportOptions options = OPTIONS.withReadOnly(true)
                .withFlavors(List.of(Flavor.SYS, Flavor.NONE))
                .withAccess(Flavor.SYS, new ExportOptions.Access(false, Squash.NONE));
        Export export = export(rule("*", options));
        Admission bySystem = export.admit(from("192.0.2.1", ROOT));
        assertThat(bySystem.readOnly()).isFalse();
        assertThat(bySystem.caller().uid()).isZero();
        assertThat(export.admit(from("192.0.2.1", NOBODY)).readOnly()).isTrue();
        assertThat(new ExportRule(new HostPattern.Everyone(), options))
                .isNotEqualTo(new ExportRule(new HostPattern.Everyone(), OPTIONS.withReadOnly(true)));
    }

    @Test
    void options_idsWiderThan32Bits_sayIt() {
        assertThatThrownBy(() -> OPTIONS.withAnonymous(1L << 32, 0)).hasMessageContaining("anonuid");
        assertThatThrownBy(() -> OPTIONS.withAnonymous(0, -1)).hasMessageContaining("anongid");
    }

    @Test
    void options_withoutACredential_sayIt() {
        assertThatThrownBy(() -> OPTIONS.withFlavors(List.of())).hasMessageContaining("sec=");
    }

    private static Caller callerAt(Squash squash, Identity identity) throws ExportDenial {
        return export(rule("*", OPTIONS.withSquash(squash)))
                .admit(from("192.0.2.1", identity))
                .caller();
    }

    private static ExportRule rule(String clients, ExportOptions options) {
        return new ExportRule(HostPattern.of(clients, HostNames.NONE), options);
    }

    private static Export export(ExportRule... rules) {
        return Export.of(
                PseudoPath.of("/x"), new MemoryFileSystem(1 << 20, 10), ExportPolicy.of(List.of(rules)), "memory");
    }

    private static Requester from(String address, Identity identity) {
        return new Requester(InetAddresses.forString(address), true, identity);
    }

    private static void assertDenied(Export export, Requester requester, ExportDenial.Reason reason) {
        assertThatThrownBy(() -> export.admit(requester))
                .asInstanceOf(type(ExportDenial.class))
                .extracting(ExportDenial::reason)
                .isEqualTo(reason);
    }
}
