package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.idmap.KeptAnswers;

class KeptHostNamesTest {
    private static final InetAddress NODE = InetAddresses.forString("192.0.2.7");
    private static final KeptAnswers.Terms TERMS =
            new KeptAnswers.Terms(Duration.ofMinutes(1), Duration.ZERO, Duration.ofSeconds(1), 100);

    private final List<String> asked = new ArrayList<>();
    private final Deque<Runnable> questions = new ArrayDeque<>();

    private final HostNames service = new HostNames() {
        @Override
        public Set<InetAddress> addressesOf(String name) {
            asked.add("addresses of " + name);
            return Set.of();
        }

        @Override
        public List<String> namesOf(InetAddress address) {
            asked.add("names of " + InetAddresses.toAddrString(address));
            return List.of("node7.example.org");
        }

        @Override
        public boolean isInNetgroup(String netgroup, String host) {
            asked.add(host + " in " + netgroup);
            return netgroup.equals("nodes") && host.equals("node7.example.org");
        }
    };

    private static Export export(HostNames names, String... patterns) {
        List<ExportRule> rules = new ArrayList<>();
        for (String pattern : patterns) {
            rules.add(new ExportRule(HostPattern.of(pattern, names), ExportOptions.DEFAULTS));
        }
        return Export.of(PseudoPath.of("/x"), new MemoryFileSystem(1 << 20, 10), ExportPolicy.of(rules), "memory");
    }

    private static Requester from(InetAddress address) {
        return new Requester(address, true, new Identity.SystemUser(1000, 100, List.of()));
    }

    @Test
    void wildcardNetgroupAndOtherExports_ofOneAddress_askForItsNameOnce() throws Exception {
        HostNames names = new KeptHostNames(service, TERMS, Runnable::run, () -> 0);
        Export one = export(names, "*.other.org", "@nobody", "@nodes");
        Export two = export(names, "*.example.org");
        assertThat(one.isFor(NODE)).isTrue();
        assertThat(two.isFor(NODE)).isTrue();
        assertThat(asked)
                .containsExactly(
                        "names of 192.0.2.7",
                        "192.0.2.7 in nobody",
                        "node7.example.org in nobody",
                        "192.0.2.7 in nodes",
                        "node7.example.org in nodes");
    }

    @Test
    void resolver_hasNotAnswered_onlyWhoHasToBeFoundOutIsPutOff() throws Exception {
        HostNames names = new KeptHostNames(service, TERMS, questions::add, () -> 0);
        Export export = export(names, "*.example.org", "192.0.2.8");
        assertThatThrownBy(() -> export.admit(from(NODE)))
                .asInstanceOf(type(ExportDenial.class))
                .extracting(ExportDenial::reason)
                .isEqualTo(ExportDenial.Reason.PENDING);
        assertThatThrownBy(() -> export.isFor(NODE))
                .asInstanceOf(type(FsException.class))
                .extracting(FsException::error)
                .isEqualTo(FsError.TRY_LATER);
        assertThat(export.isFor(InetAddresses.forString("192.0.2.8")))
                .as("by its address")
                .isTrue();
        assertThat(questions).hasSize(1);
        questions.remove().run();
        assertThat(export.admit(from(NODE)).caller().uid()).isEqualTo(1000);
    }
}
