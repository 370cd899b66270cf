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
 * Who may use an export, and how: the rules of one line of exports(5).
 *
 * <p>Of the rules that mean a host the first counts, hosts before networks before wildcards before netgroups before
 * everyone, whatever their order. Where names decide, what was found for an address is kept for {@value #SECONDS_KEPT}
 * s, for at most {@value #ADDRESSES_KEPT} addresses.
 *
 * <p>Safe for any thread; waits for a name service as {@link HostNames} does.
 */
public final class ExportPolicy {
    private static final int SECONDS_KEPT = 10;
    private static final int ADDRESSES_KEPT = 10_000;

    private final List<ExportRule> rules;
    /** The only rule, if it is for everyone. */
    private final @Nullable ExportOptions forEveryone;
    /** Null where addresses alone decide. */
    private final @Nullable Cache<InetAddress, Optional<ExportOptions>> found;

    private ExportPolicy(List<ExportRule> rules) {
        this.rules = List.copyOf(rules);
        boolean one = rules.size() == 1 && rules.getFirst().clients() instanceof HostPattern.Everyone;
        this.forEveryone = one ? rules.getFirst().options() : null;
        boolean byName = rules.stream().anyMatch(rule -> rule.clients().needsNames());
        this.found = byName
                ? CacheBuilder.newBuilder()
                        .maximumSize(ADDRESSES_KEPT)
                        .expireAfterWrite(Duration.ofSeconds(SECONDS_KEPT))
                        .build()
                : null;
    }

    /** The rules in the order in which they were written. */
    public static ExportPolicy of(List<ExportRule> rules) {
        return new ExportPolicy(rules.stream()
                .sorted(Comparator.comparing(rule -> rule.clients().rank()))
                .toList());
    }

    /** One rule for all. */
    public static ExportPolicy everyone(ExportOptions options) {
        return new ExportPolicy(List.of(new ExportRule(new HostPattern.Everyone(), options)));
    }

    /** True if everyone is served in the same way. */
    public boolean isOneForAll() {
        return forEveryone != null;
    }

    /** In the order in which they are asked. */
    public List<ExportRule> rules() {
        return rules;
    }

    /**
     * How the host at {@code address} is served; null if it is not.
     *
     * @throws AnswerPending if names decide, and a name service has not answered yet
     */
    public @Nullable ExportOptions optionsFor(InetAddress address) throws AnswerPending {
        if (forEveryone != null) {
            return forEveryone;
        }
        if (found == null) {
            return search(address);
        }
        Optional<ExportOptions> known = found.getIfPresent(address);
        if (known == null) {
            known = Optional.ofNullable(search(address));
            found.put(address, known);
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

    /** Equal if the same hosts are served in the same way. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ExportPolicy policy && rules.equals(policy.rules);
    }

    @Override
    public int hashCode() {
        return rules.hashCode();
    }
}
