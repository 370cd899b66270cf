package org.warpnfs.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.server.config.FpduSizes;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.limits.LimitValues;
import org.warpnfs.server.limits.ServerLimits;

/** A limit set in the file changes the options that it is for, and no others. */
class LimitsReachTest {
    /** The limits that WarpServer itself uses, for pools and caches. */
    private static final Set<String> OF_THE_SERVER =
            Set.of("memory.payloadBytes", "memory.transferBytes", "memory.keptReplyBytes");

    static Stream<Setting<?>> limits() {
        return SettingIndex.ALL.stream().filter(setting -> setting.key().startsWith(LimitSettings.PREFIX));
    }

    private static String name(Setting<?> limit) {
        return limit.key().substring(LimitSettings.PREFIX.length());
    }

    private static Given file(Setting<?> limit, Object value) {
        String[] names = name(limit).split("\\.", -1);
        String text = value instanceof Duration time ? time.toMillis() + "ms" : value.toString();
        return Given.file("limits:\n  " + names[0] + ":\n    " + names[1] + ": " + text + "\n");
    }

    /** Returns a value near the default that is compatible with all other limits. */
    private static Object other(Setting<?> limit) {
        List<Object> candidates = limit.standard() instanceof Duration time
                ? List.of(time.plusMillis(100), time.minusMillis(100))
                : List.of((long) limit.standard() + step(limit), (long) limit.standard() - step(limit));
        return candidates.stream()
                .filter(value -> file(limit, value).mistakes().isEmpty())
                .findFirst()
                .orElseThrow(() -> new AssertionError(limit.key() + " cannot be changed"));
    }

    private static long step(Setting<?> limit) {
        return limit.kind() instanceof Kind.Bytes bytes ? bytes.step() : 1;
    }

    @ParameterizedTest
    @MethodSource("limits")
    void limit_saidInTheFile_isTheOnlyOneThatChanges(Setting<?> limit) {
        Object value = other(limit);
        Map<String, Object> expected = LimitValues.of(ServerLimits.DEFAULT);
        expected.put(name(limit), value);
        assertThat(LimitValues.of(file(limit, value).resolved().limits())).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void limit_saidInTheFile_reachesTheOptionsOfItsLayer(Setting<?> limit) {
        Object value = other(limit);
        Map<String, Object> before = layers(ServerLimits.DEFAULT);
        Map<String, Object> after = layers(file(limit, value).resolved().limits());
        List<Object> changed = new ArrayList<>();
        after.forEach((place, number) -> {
            if (!number.equals(before.get(place))) {
                changed.add(number);
            }
        });
        assertThat(changed.isEmpty()).as("nothing has changed").isEqualTo(OF_THE_SERVER.contains(name(limit)));
        assertThat(changed).allSatisfy(number -> assertThat(number).isIn(inUnits(value)));
    }

    private static List<Object> inUnits(Object value) {
        return value instanceof Duration time ? List.of(time, time.toNanos(), time.toMillis()) : List.of(value);
    }

    private static Map<String, Object> layers(ServerLimits limits) {
        Map<String, Object> leaves = new LinkedHashMap<>();
        flatten("iwarp", LayerLimits.iwarp(limits, MpaChoices.defaults(), FpduSizes.DEFAULT), leaves);
        flatten("rdma", LayerLimits.responder(limits, true), leaves);
        flatten("tcp", LayerLimits.tcp(limits), leaves);
        flatten("state", LayerLimits.state(limits, 1 << 20), leaves);
        flatten("local", LayerLimits.local(limits), leaves);
        return leaves;
    }

    private static void flatten(String place, Object value, Map<String, Object> leaves) {
        switch (value) {
            case Number number -> leaves.put(place, number.longValue());
            case Duration time -> leaves.put(place, time);
            case Record tree -> {
                for (RecordComponent component : tree.getClass().getRecordComponents()) {
                    try {
                        Object part = component.getAccessor().invoke(tree);
                        if (part != null) {
                            flatten(place + "." + component.getName(), part, leaves);
                        }
                    } catch (ReflectiveOperationException e) {
                        throw new LinkageError(place, e);
                    }
                }
            }
            default -> {}
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void values_anyWithinTheirBounds_makeOptionsOfEveryLayer(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            Map<String, Object> values = new LinkedHashMap<>();
            limits().forEach(limit -> values.put(name(limit), drawn(limit, random)));
            // A part drawn above its whole would be a mistake.
            for (Combinations.Within within : Combinations.WITHIN) {
                values.merge(within.part(), values.get(within.whole()), LimitsReachTest::less);
            }
            ServerLimits limits = LimitValues.limits(values);
            assertThatCode(() -> layers(limits)).as("seed %d: %s", seed, values).doesNotThrowAnyException();
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // both are of one kind
    private static Object less(Object one, Object other) {
        return ((Comparable) one).compareTo(other) <= 0 ? one : other;
    }

    private static Object drawn(Setting<?> limit, Random random) {
        return switch (limit.kind()) {
            case Kind.Whole whole -> drawn(whole.least(), whole.most(), random);
            case Kind.Bytes bytes -> drawn(bytes.least(), bytes.most(), random) / bytes.step() * bytes.step();
            case Kind.Time time ->
                Duration.ofMillis(drawn(time.least().toMillis(), time.most().toMillis(), random));
            case Kind.Port _, Kind.Choice<?> _, Kind.Switch _, Kind.Text _, Kind.Words _ ->
                throw new AssertionError(limit.key());
        };
    }

    private static long drawn(long least, long most, Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> least;
            case 1 -> most;
            default -> random.nextLong(least, most + 1);
        };
    }

    @Test
    void defaults_asTheFileHasThem_areThoseOfTheServer() {
        assertThat(Given.file("").resolved().limits()).isEqualTo(ServerLimits.DEFAULT);
    }
}
