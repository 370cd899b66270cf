package org.warpnfs.nfs.idmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.StaticNames.Local;
import org.warpnfs.nfs.testing.KnownAccounts;

class MappedNamesTest {
    /** A listing has hundreds of owners. Each query of a name once waited as long as a single one may. */
    @Test
    void questionsOfOneCall_waitTogetherAsLongAsOneMay() throws Exception {
        AtomicLong nowNanos = new AtomicLong();
        AtomicInteger asked = new AtomicInteger();
        Accounts slow = new KnownAccounts() {
            @Override
            public Optional<String> nameOf(Kind kind, long id) {
                nowNanos.addAndGet(Duration.ofMillis(40).toNanos());
                asked.incrementAndGet();
                return Optional.of("u" + id);
            }
        };
        List<Runnable> later = new ArrayList<>();
        // A service that answers within the patience of each question, as long as there is any left.
        Executor threads = question -> {
            if (nowNanos.get() < Duration.ofMillis(100).toNanos()) {
                question.run();
            } else {
                later.add(question);
            }
        };
        MappedNames names = new MappedNames(
                new MappedNames.Choices("example.org", StaticNames.NONE, true),
                slow,
                new KeptAnswers.Terms(Duration.ofMinutes(1), Duration.ofMillis(100), Duration.ofSeconds(1), 100),
                threads,
                nowNanos::get);
        OwnerNames ofCall = names.forOneCall();
        for (long id = 1; id <= 3; id++) {
            assertThat(ofCall.nameOf(Accounts.Kind.USER, id)).asString().isEqualTo("u" + id + "@example.org");
        }
        for (long id = 4; id <= 30; id++) {
            assertThat(ofCall.nameOf(Accounts.Kind.USER, id)).asString().isEqualTo(Long.toString(id));
        }
        assertThat(asked).hasValue(3);
        assertThat(later).as("asked all the same").hasSize(27);
        Patience patience = new Patience(Duration.ofMillis(100));
        patience.spend(Duration.ofMillis(70).toNanos());
        assertThat(patience.left()).isEqualTo(Duration.ofMillis(30));
        patience.spend(Duration.ofMillis(70).toNanos());
        assertThat(patience.left()).isZero();
    }

    @Test
    void namesThatNoServiceCanHave_areNotAskedFor() {
        List<Runnable> questions = new ArrayList<>();
        MappedNames names = new MappedNames(
                new MappedNames.Choices("example.org", StaticNames.NONE, false),
                new KnownAccounts(),
                KeptAnswers.Terms.DEFAULT,
                questions::add,
                () -> 0);
        for (String name : List.of("a".repeat(257), "a\nb", "a\u0085b", "a\0b", "\u007f")) {
            assertThatThrownBy(() ->
                            names.idOf(Accounts.Kind.USER, (name + "@example.org").getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(UnknownName.class);
        }
        assertThat(questions).isEmpty();
    }

    private final KnownAccounts accounts = new KnownAccounts()
            .user("alice", 1000)
            .user("bob", 1001)
            .user("weird@name", 1002)
            .group("staff", 50)
            .group("alice", 2000);

    private MappedNames names(@Nullable String domain, StaticNames map, boolean sendNames) {
        return new MappedNames(
                new MappedNames.Choices(domain, map, sendNames),
                accounts,
                KeptAnswers.Terms.DEFAULT,
                Runnable::run,
                System::nanoTime);
    }

    private static StaticNames map() {
        Map<String, Local> users = new LinkedHashMap<>();
        users.put("carol@elsewhere.org", new Local.Id(7));
        users.put("second@elsewhere.org", new Local.Id(7));
        users.put("root/host@REALM", new Local.Name("bob"));
        users.put("alice@example.org", new Local.Id(9));
        return new StaticNames(users, Map.of("team@elsewhere.org", new Local.Name("staff")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long id(OwnerNames names, Kind kind, String name) throws Exception {
        return names.idOf(kind, bytes(name));
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    @Test
    void idOf_digits_areTheNumberWhateverThereIs() throws Exception {
        for (OwnerNames names : new OwnerNames[] {OwnerNames.NUMERIC, names("example.org", map(), true)}) {
            assertThat(id(names, Kind.USER, "0")).isZero();
            assertThat(id(names, Kind.USER, "1000")).isEqualTo(1000);
            assertThat(id(names, Kind.GROUP, "4294967294")).isEqualTo(4294967294L);
            assertThat(id(names, Kind.GROUP, "0000000007")).isEqualTo(7);
        }
    }

    @Test
    void idOf_nameOfTheDomain_isTheUserOrGroupOfThisHost() throws Exception {
        OwnerNames names = names("example.org", StaticNames.NONE, false);
        assertThat(id(names, Kind.USER, "alice@example.org")).isEqualTo(1000);
        assertThat(id(names, Kind.USER, "alice@EXAMPLE.org")).isEqualTo(1000);
        assertThat(id(names, Kind.GROUP, "alice@example.org")).isEqualTo(2000);
        assertThat(id(names, Kind.USER, "weird@name@example.org")).isEqualTo(1002);
    }

    @Test
    void idOf_mappedName_goesFirst() throws Exception {
        OwnerNames names = names("example.org", map(), false);
        assertThat(id(names, Kind.USER, "alice@example.org")).isEqualTo(9);
        assertThat(id(names, Kind.USER, "carol@elsewhere.org")).isEqualTo(7);
        assertThat(id(names, Kind.USER, "root/host@REALM")).isEqualTo(1001);
        assertThat(id(names, Kind.GROUP, "team@elsewhere.org")).isEqualTo(50);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "alice",
                "@example.org",
                "alice@",
                "alice@other.org",
                "nobody@example.org",
                "alice\0@example.org",
                "4294967295",
                "99999999999",
                "-1",
                "+5",
                " 5",
                "carol@ELSEWHERE.org"
            })
    void idOf_anythingElse_isNobody(String name) {
        assertThatThrownBy(() -> names("example.org", map(), false).idOf(Kind.USER, bytes(name)))
                .isInstanceOf(UnknownName.class);
        assertThatThrownBy(() -> OwnerNames.NUMERIC.idOf(Kind.USER, bytes(name)))
                .isInstanceOf(UnknownName.class);
    }

    @Test
    void idOf_noUtf8_isNobody() {
        byte[] name = bytes("alice@example.org");
        name[0] = (byte) 0xff;
        assertThatThrownBy(() -> names("example.org", map(), false).idOf(Kind.USER, name))
                .isInstanceOf(UnknownName.class);
    }

    @Test
    void idOf_withoutADomain_namesOfThisHostMeanNobody() {
        assertThatThrownBy(() -> names(null, map(), false).idOf(Kind.USER, bytes("alice@null")))
                .isInstanceOf(UnknownName.class);
    }

    @Test
    void nameOf_byDefault_isTheNumber() {
        assertThat(text(names("example.org", map(), false).nameOf(Kind.USER, 1000)))
                .isEqualTo("1000");
    }

    @Test
    void nameOf_whereNamesAreSent_isTheMappedOneThenThatOfThisHostThenTheNumber() {
        OwnerNames names = names("example.org", map(), true);
        assertThat(text(names.nameOf(Kind.USER, 7))).isEqualTo("carol@elsewhere.org");
        assertThat(text(names.nameOf(Kind.USER, 1001))).isEqualTo("root/host@REALM");
        assertThat(text(names.nameOf(Kind.USER, 1000))).isEqualTo("alice@example.org");
        assertThat(text(names.nameOf(Kind.USER, 1002))).as("two ats").isEqualTo("1002");
        assertThat(text(names.nameOf(Kind.GROUP, 50))).isEqualTo("team@elsewhere.org");
        assertThat(text(names.nameOf(Kind.GROUP, 4294967294L))).isEqualTo("4294967294");
        assertThat(text(names(null, StaticNames.NONE, true).nameOf(Kind.USER, 1000)))
                .isEqualTo("1000");
    }

    @Test
    void nameService_doesNotAnswer_numberIsSentAndANameHasToWait() throws Exception {
        Deque<Runnable> questions = new ArrayDeque<>();
        KeptAnswers.Terms terms =
                new KeptAnswers.Terms(Duration.ofMinutes(1), Duration.ZERO, Duration.ofSeconds(1), 100);
        OwnerNames names = new MappedNames(
                new MappedNames.Choices("example.org", StaticNames.NONE, true),
                accounts,
                terms,
                questions::add,
                System::nanoTime);
        assertThat(text(names.nameOf(Kind.USER, 1000))).isEqualTo("1000");
        assertThatThrownBy(() -> names.idOf(Kind.USER, bytes("alice@example.org")))
                .isInstanceOf(AnswerPending.class);
        assertThat(id(names, Kind.USER, "1000")).as("numbers need no service").isEqualTo(1000);
        questions.forEach(Runnable::run);
        assertThat(text(names.nameOf(Kind.USER, 1000))).isEqualTo("alice@example.org");
        assertThat(id(names, Kind.USER, "alice@example.org")).isEqualTo(1000);
    }
}
