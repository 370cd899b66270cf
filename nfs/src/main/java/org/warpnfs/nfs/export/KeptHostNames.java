package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.warpnfs.nfs.idmap.AnswerPending;
import org.warpnfs.nfs.idmap.KeptAnswers;
import org.warpnfs.nfs.idmap.NameCounts;

/**
 * Answers of a name service about hosts, shared by all patterns of all exports. The service is asked on threads of its
 * own, so a resolver that does not answer delays a call no longer than {@link KeptAnswers} allows. Safe for any thread.
 */
public final class KeptHostNames implements HostNames {
    private static final Duration KEPT = Duration.ofMinutes(1);

    private final KeptAnswers<String, Set<InetAddress>> addresses;
    private final KeptAnswers<HostKey, List<String>> names;
    private final KeptAnswers<Membership, Boolean> members;

    private record Membership(String netgroup, String host) {}

    /** Uses {@code service}, which is called on {@code threads}. */
    public KeptHostNames(HostNames service, Executor threads, LongSupplier clockNanos) {
        this(service, KeptAnswers.Terms.DEFAULT.keptFor(KEPT), threads, clockNanos);
    }

    KeptHostNames(HostNames service, KeptAnswers.Terms terms, Executor threads, LongSupplier clockNanos) {
        addresses = new KeptAnswers<>(
                "the resolver (addresses)",
                name -> blocking(() -> service.addressesOf(name)),
                terms,
                threads,
                clockNanos);
        names = new KeptAnswers<>(
                "the resolver (names)",
                host -> blocking(() -> service.namesOf(host.address())),
                terms,
                threads,
                clockNanos);
        members = new KeptAnswers<>(
                "the name service (netgroups)",
                asked -> blocking(() -> service.isInNetgroup(asked.netgroup(), asked.host())),
                terms,
                threads,
                clockNanos);
        addresses.countedBy(NameCounts.HOSTS);
        names.countedBy(NameCounts.HOSTS);
        members.countedBy(NameCounts.HOSTS);
    }

    @FunctionalInterface
    private interface Question<V> {
        V ask() throws AnswerPending;
    }

    private static <V> V blocking(Question<V> question) {
        try {
            return question.ask();
        } catch (AnswerPending e) {
            throw new IllegalStateException("a blocking name service answered that the caller should try later", e);
        }
    }

    @Override
    public Set<InetAddress> addressesOf(String name) throws AnswerPending {
        return addresses.of(name);
    }

    @Override
    public List<String> namesOf(InetAddress address) throws AnswerPending {
        return names.of(HostKey.of(address));
    }

    @Override
    public boolean isInNetgroup(String netgroup, String host) throws AnswerPending {
        return members.of(new Membership(netgroup, host));
    }
}
