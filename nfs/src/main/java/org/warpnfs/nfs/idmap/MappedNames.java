package org.warpnfs.nfs.idmap;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Names of users and groups, mapped as rpc.idmapd(8) does.
 *
 * <pre>
 *   name from a client     user or group
 *   digits                 the number, even if a name is mapped to something else
 *   a name in the map      the one in the map
 *   name@domain            the user or group of that name on this host; domains are compared without case
 *   anything else          none: NFS4ERR_BADOWNER
 * </pre>
 *
 * <p>By default a client gets numbers, as from Linux servers with sec=sys. With {@link Choices#sendNames} it gets the
 * name that the map has for a number, else this host's name with the domain. Then a client that has other numbers for
 * the same names shows the right owners.
 *
 * <p>Safe for any thread.
 */
public final class MappedNames implements OwnerNames {
    /**
     * LOGIN_NAME_MAX: getpwnam(3) finds no longer names. Names that clients make up are cached too, so their length is
     * limited.
     */
    private static final int MAX_LOCAL_NAME = 256;

    private final Choices choices;
    private final KeptAnswers.Terms terms;
    private final Map<Accounts.Kind, KeptAnswers<String, Optional<Long>>> ids = new EnumMap<>(Accounts.Kind.class);
    private final Map<Accounts.Kind, KeptAnswers<Long, Optional<String>>> names = new EnumMap<>(Accounts.Kind.class);

    /**
     * The administrator's choices.
     *
     * @param domain of this host's users and groups; null if names of this host are not used
     * @param map has precedence over names of this host
     * @param sendNames clients get names instead of numbers
     */
    public record Choices(@Nullable String domain, StaticNames map, boolean sendNames) {
        /** Only numbers are used. */
        public static final Choices NUMBERS = new Choices(null, StaticNames.NONE, false);
    }

    /** Uses {@code accounts}, which is called on {@code threads}. */
    public MappedNames(
            Choices choices, Accounts accounts, KeptAnswers.Terms terms, Executor threads, LongSupplier clockNanos) {
        this.choices = choices;
        this.terms = terms;
        for (Accounts.Kind kind : Accounts.Kind.values()) {
            String what = kind.name().toLowerCase(Locale.ROOT);
            ids.put(
                    kind,
                    new KeptAnswers<>(
                            "the name service (" + what + " by name)",
                            name -> accounts.idOf(kind, name),
                            terms,
                            threads,
                            clockNanos));
            names.put(
                    kind,
                    new KeptAnswers<>(
                            "the name service (" + what + " by number)",
                            id -> accounts.nameOf(kind, id),
                            terms,
                            threads,
                            clockNanos));
        }
        ids.values().forEach(answers -> answers.countedBy(NameCounts.OWNERS));
        names.values().forEach(answers -> answers.countedBy(NameCounts.OWNERS));
    }

    @Override
    public OwnerNames forOneCall() {
        return new OneCall(new Patience(terms.patience()));
    }

    private final class OneCall implements OwnerNames {
        private final Patience patience;

        OneCall(Patience patience) {
            this.patience = patience;
        }

        @Override
        public long idOf(Accounts.Kind kind, byte[] name) throws UnknownName, AnswerPending {
            return MappedNames.this.idOf(kind, name, patience);
        }

        @Override
        public byte[] nameOf(Accounts.Kind kind, long id) {
            return MappedNames.this.nameOf(kind, id, patience);
        }
    }

    @Override
    public long idOf(Accounts.Kind kind, byte[] name) throws UnknownName, AnswerPending {
        return idOf(kind, name, new Patience(terms.patience()));
    }

    private long idOf(Accounts.Kind kind, byte[] name, Patience patience) throws UnknownName, AnswerPending {
        if (NumericName.isNumber(name)) {
            return NumericName.parse(name);
        }
        String text = decoded(name);
        StaticNames.Local mapped = choices.map().localOf(kind, text).orElse(null);
        return switch (mapped) {
            case null -> ofThisHost(kind, localPart(text), patience);
            case StaticNames.Local.Id(long id) -> id;
            case StaticNames.Local.Name(String local) -> ofThisHost(kind, local, patience);
        };
    }

    private static String decoded(byte[] name) throws UnknownName {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(name))
                    .toString();
            // The name service would not see what follows a NUL, and no name has other control characters.
            if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
                throw new UnknownName();
            }
            return text;
        } catch (CharacterCodingException e) {
            throw new UnknownName();
        }
    }

    private String localPart(String text) throws UnknownName {
        int at = text.lastIndexOf('@');
        if (choices.domain() == null
                || at <= 0
                || at > MAX_LOCAL_NAME
                || !text.substring(at + 1).equalsIgnoreCase(choices.domain())) {
            throw new UnknownName();
        }
        return text.substring(0, at);
    }

    private long ofThisHost(Accounts.Kind kind, String name, Patience patience) throws UnknownName, AnswerPending {
        KeptAnswers<String, Optional<Long>> known = ids.get(kind);
        return (known == null ? Optional.<Long>empty() : known.of(name, patience)).orElseThrow(UnknownName::new);
    }

    @Override
    public byte[] nameOf(Accounts.Kind kind, long id) {
        return nameOf(kind, id, new Patience(terms.patience()));
    }

    private byte[] nameOf(Accounts.Kind kind, long id, Patience patience) {
        String name = choices.sendNames() ? nameIfAny(kind, id, patience) : null;
        return name == null ? NUMERIC.nameOf(kind, id) : name.getBytes(StandardCharsets.UTF_8);
    }

    private @Nullable String nameIfAny(Accounts.Kind kind, long id, Patience patience) {
        Optional<String> mapped = choices.map().nameOf(kind, new StaticNames.Local.Id(id));
        if (mapped.isPresent()) {
            return mapped.get();
        }
        String local = localName(kind, id, patience);
        if (local == null) {
            return null;
        }
        return choices.map()
                .nameOf(kind, new StaticNames.Local.Name(local))
                // A client that sends a name of digits back would mean the number. One with an '@' would mean another
                // user.
                .or(() -> Optional.ofNullable(choices.domain())
                        .filter(_ -> local.indexOf('@') < 0)
                        .map(domain -> local + "@" + domain))
                .orElse(null);
    }

    private @Nullable String localName(Accounts.Kind kind, long id, Patience patience) {
        KeptAnswers<Long, Optional<String>> known = names.get(kind);
        try {
            return known == null ? null : known.of(id, patience).orElse(null);
        } catch (AnswerPending e) {
            // The caller sends the number instead.
            return null;
        }
    }
}
