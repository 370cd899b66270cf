package org.warpnfs.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Rules about circles. A circle is a set of classes that all depend on each other, directly or through others. None of
 * them can be understood, tested or moved alone.
 *
 * <p>A nested class counts as its outer class.
 */
public final class Circles {
    /**
     * The largest number of classes in a circle inside a package. A reader can keep about that many in mind at once.
     */
    public static final int MOST_CLASSES = 5;

    private Circles() {}

    /** No two packages below {@code root} depend on each other, directly or through others. */
    public static ArchRule noneBetweenPackages(String root) {
        return slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    /**
     * No circle inside a package has more than {@link #MOST_CLASSES} classes.
     *
     * @param families full names of types whose subtypes may depend on each other and on the type, in any number; these
     *     are sealed types, because the parent must name its children
     */
    public static ArchRule noneOfManyClasses(String... families) {
        return classes().should(new HaveSmallCircles(Set.copyOf(Arrays.asList(families))));
    }

    private static final class HaveSmallCircles extends ArchCondition<JavaClass> {
        private final Set<String> families;
        private final Map<String, JavaClass> classes = new TreeMap<>();
        private final Map<String, Set<String>> needed = new TreeMap<>();

        HaveSmallCircles(Set<String> families) {
            super("be in no circle of more than " + MOST_CLASSES + " classes of one package");
            this.families = families;
        }

        @Override
        public void init(Collection<JavaClass> all) {
            classes.clear();
            needed.clear();
            for (JavaClass each : all) {
                JavaClass outermost = outermost(each);
                classes.put(outermost.getName(), outermost);
                needed.computeIfAbsent(outermost.getName(), _ -> new TreeSet<>())
                        .addAll(neighbours(each));
            }
        }

        @Override
        public void check(JavaClass each, ConditionEvents events) {
            // Nothing is done per class. The method finish finds each circle once for all of its classes.
        }

        @Override
        public void finish(ConditionEvents events) {
            Set<String> found = new HashSet<>();
            for (String start : needed.keySet()) {
                if (!found.contains(start)) {
                    Set<String> circle = circleOf(start);
                    found.addAll(circle);
                    if (circle.size() > MOST_CLASSES && !isFamily(circle)) {
                        events.add(SimpleConditionEvent.violated(classes.get(start), describe(circle)));
                    }
                }
            }
        }

        /** Returns all classes that depend on {@code start} and that {@code start} depends on. */
        private Set<String> circleOf(String start) {
            return reachableFrom(start).stream()
                    .filter(other -> reachableFrom(other).contains(start))
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        private Set<String> reachableFrom(String start) {
            Set<String> reached = new HashSet<>();
            Deque<String> left = new ArrayDeque<>(List.of(start));
            while (!left.isEmpty()) {
                String next = left.remove();
                if (reached.add(next)) {
                    left.addAll(needed.getOrDefault(next, Set.of()));
                }
            }
            return reached;
        }

        private boolean isFamily(Set<String> circle) {
            return families.stream().anyMatch(family -> classes.values().stream()
                    .filter(each -> circle.contains(each.getName()))
                    .allMatch(each -> each.isAssignableTo(family)));
        }

        private String describe(Set<String> circle) {
            StringBuilder lines = new StringBuilder("a circle of " + circle.size() + " classes:");
            for (String member : circle) {
                Set<String> inside = new TreeSet<>(needed.getOrDefault(member, Set.of()));
                inside.retainAll(circle);
                lines.append("\n    ").append(member).append(" needs ").append(inside);
            }
            return lines.toString();
        }

        private static Set<String> neighbours(JavaClass each) {
            JavaClass itself = outermost(each);
            return each.getDirectDependenciesFromSelf().stream()
                    .map(Dependency::getTargetClass)
                    .map(JavaClass::getBaseComponentType)
                    .filter(target -> target.getPackageName().equals(each.getPackageName()))
                    .map(target -> outermost(target))
                    .filter(target -> !target.equals(itself))
                    .map(JavaClass::getName)
                    .collect(Collectors.toSet());
        }

        private static JavaClass outermost(JavaClass each) {
            return each.getEnclosingClass().map(HaveSmallCircles::outermost).orElse(each);
        }
    }
}
