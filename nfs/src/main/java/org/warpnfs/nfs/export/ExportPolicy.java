package org.warpnfs.nfs.export;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.idmap.AnswerPending;

/**
 * The rules of one export, as on one line of exports(5): which hosts may use it, and how.
 *
 * <p>If several rules match a host, the first counts in this order, whatever their order on the line: hosts, networks,
 * wildcards, netgroups, everyone. If a policy depends on names or links, its result for an address is kept for
 * {@value #SECONDS_KEPT} s, for at most {@value #ADDRESSES_KEPT} addresses.
 *
 * <p>Safe for any thread; waits for a name service as {@link HostNames} does.
 */
public final class ExportPolicy {
    private static final int SECONDS_KEPT = 10;
    private static final int ADDRESSES_KEPT = 10_000;

    private final List<ExportRule> rules;
    /** The only rule, if it applies to everyone. */
    private final @Nullable ExportOptions forEveryone;

    private final boolean needsNames;
    /** Results by host; null where every rule is judged by the address alone. */
    private final @Nullable Cache<HostKey, Optional<ExportOptions>> found;

    private ExportPolicy(List<ExportRule> rules) {
        this.rules = List.copyOf(rules);
        boolean one = rules.size() == 1 && rules.getFirst().clients() instanceof HostPattern.Everyone;
        this.forEveryone = one ? rules.getFirst().options() : null;
        this.needsNames = rules.stream().anyMatch(rule -> rule.clients().needsNames());
        this.found = rules.stream().anyMatch(rule -> rule.clients().isCostly())
                ? CacheBuilder.newBuilder()
                        .maximumSize(ADDRESSES_KEPT)
                        .expireAfterWrite(Duration.ofSeconds(SECONDS_KEPT))
                        .build()
                : null;
    }

    /** Makes the policy of rules that are in the order in which they were written. */
    public static ExportPolicy of(List<ExportRule> rules) {
        return new ExportPolicy(rules.stream()
                .sorted(Comparator.comparing(rule -> rule.clients().rank()))
                .toList());
    }

    /** Makes a policy with one rule for everyone. */
    public static ExportPolicy everyone(ExportOptions options) {
        return new ExportPolicy(List.of(new ExportRule(new HostPattern.Everyone(), options)));
    }

    /** This policy, but every caller becomes one user. */
    public ExportPolicy forOneUser(long uid, long gid) {
        return new ExportPolicy(rules.stream()
                .map(rule -> new ExportRule(
                        rule.clients(), rule.options().squashingAll().withAnonymous(uid, gid)))
                .toList());
    }

    /** True if every host is served in the same way. */
    public boolean isOneForAll() {
        return forEveryone != null;
    }

    /** True if {@link #optionsFor} may wait for a name service. */
    boolean needsNames() {
        return needsNames;
    }

    /** The rules in the order in which they are tried. */
    public List<ExportRule> rules() {
        return rules;
    }

    /**
     * The options for the host at {@code address}; null if that host is not served.
     *
     * @throws AnswerPending if a rule depends on names and a name service has not answered yet
     */
    public @Nullable ExportOptions optionsFor(InetAddress address) throws AnswerPending {
        if (forEveryone != null) {
            return forEveryone;
        }
        if (found == null) {
            return search(address);
        }
        HostKey host = HostKey.of(address);
        Optional<ExportOptions> known = found.getIfPresent(host);
        if (known == null) {
            known = Optional.ofNullable(search(address));
            found.put(host, known);
        }
        return known.orElse(null);
    }

    private @Nullable ExportOptions search(InetAddress address) throws AnswerPending {
        for (ExportRule rule : rules) {
            if (rule.clients().matches(address)) {
                return rule.options();
            }
        }
        return null;
    }

    /** True if both have the same rules. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ExportPolicy policy && rules.equals(policy.rules);
    }

    @Override
    public int hashCode() {
        return rules.hashCode();
    }
}
