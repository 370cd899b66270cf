package org.warpnfs.server.limits;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@link ServerLimits} as a table of names and values. The configuration file and other users of names take them from
 * here, so that they cannot differ. A name consists of the group and the component: {@code connections.most}. A value
 * is a {@link Duration} or a {@link Long}.
 */
public final class LimitValues {
    private LimitValues() {}

    /** Returns all limits by name, in the order of the records. */
    public static Map<String, Object> of(ServerLimits limits) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (RecordComponent group : ServerLimits.class.getRecordComponents()) {
            Object record = valueOf(group, limits);
            for (RecordComponent component : group.getType().getRecordComponents()) {
                Object value = valueOf(component, record);
                values.put(
                        group.getName() + "." + component.getName(),
                        value instanceof Number number ? (Object) number.longValue() : value);
            }
        }
        return values;
    }

    /**
     * Returns the limits of such a table.
     *
     * @throws IllegalArgumentException if a name is missing, or a number is larger than its component holds
     */
    public static ServerLimits limits(Map<String, Object> values) {
        RecordComponent[] groups = ServerLimits.class.getRecordComponents();
        Object[] records = new Object[groups.length];
        for (int i = 0; i < groups.length; i++) {
            records[i] = group(groups[i], values);
        }
        return (ServerLimits) made(ServerLimits.class, groups, records);
    }

    private static Object group(RecordComponent group, Map<String, Object> values) {
        RecordComponent[] components = group.getType().getRecordComponents();
        Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            String name = group.getName() + "." + components[i].getName();
            arguments[i] = fitting(name, components[i].getType(), values.get(name));
        }
        return made(group.getType(), components, arguments);
    }

    private static Object fitting(String name, Class<?> type, @Nullable Object value) {
        if (value instanceof Duration && type == Duration.class) {
            return value;
        }
        if (value instanceof Long number && (type == long.class || number == number.intValue())) {
            return type == long.class ? (Object) number : (Object) number.intValue();
        }
        throw new IllegalArgumentException(name + " cannot be " + value);
    }

    private static Object valueOf(RecordComponent component, Object record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a public record that cannot be read", e);
        }
    }

    private static Object made(Class<?> type, RecordComponent[] components, Object[] arguments) {
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return canonical.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a public record that cannot be made", e);
        }
    }
}
