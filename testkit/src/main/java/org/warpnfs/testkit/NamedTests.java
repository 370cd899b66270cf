package org.warpnfs.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks that the tests exist that documents name as {@code `package.Class#method`}. */
public final class NamedTests {
    /** A class and its method or field. An empty class means the class of the previous name. */
    static final Pattern NAME = Pattern.compile("`([A-Za-z0-9_.$]*)#([A-Za-z0-9_$]+)`");

    /** The meta-annotation of {@code @Test}, {@code @ParameterizedTest}, {@code @FuzzTest} and similar annotations. */
    private static final String TESTABLE = "org.junit.platform.commons.annotation.Testable";

    private NamedTests() {}

    /** Reads a file of the repository that contains the working directory. */
    public static String read(String... path) {
        try {
            return Files.readString(Repository.top().resolve(Path.of("", path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the faults of the test names in a text that belong to one module, empty if there are none.
     *
     * @param basePackage package that the names are relative to
     * @param module first part of the names to check; names with another first part belong to other modules
     */
    public static List<String> findings(String text, String basePackage, String module, ClassLoader classes) {
        List<String> findings = new ArrayList<>();
        Matcher tests = NAME.matcher(text);
        String className = "";
        int checked = 0;
        while (tests.find()) {
            className = tests.group(1).isEmpty() ? className : tests.group(1);
            if (className.startsWith(module + ".")) {
                checked++;
                String finding = finding(basePackage, className, tests.group(2), classes);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        }
        if (checked == 0) {
            findings.add("no test of " + module + " is named");
        }
        return findings;
    }

    /** Returns why this is not the name of a test that is run, or null if it is one. */
    static @Nullable String finding(String basePackage, String className, String name, ClassLoader classes) {
        Class<?> testClass = load(basePackage + "." + className, classes);
        if (testClass == null) {
            return "no class " + className;
        }
        List<AnnotatedElement> named = members(testClass, name);
        if (named.isEmpty()) {
            return className + " has no method " + name;
        }
        boolean test = named.stream().anyMatch(member -> testable(member.getAnnotations(), new HashSet<>()));
        return test ? null : className + "#" + name + " is no test";
    }

    private static @Nullable Class<?> load(String name, ClassLoader classes) {
        try {
            return Class.forName(name, false, classes);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /**
     * Returns the methods and fields of that name. Fields count because they can be ArchUnit rules. Superclasses and
     * all interfaces are searched too, because contract tests are inherited.
     */
    private static List<AnnotatedElement> members(Class<?> declaring, String name) {
        List<AnnotatedElement> named = new ArrayList<>();
        for (Method method : declaring.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                named.add(method);
            }
        }
        for (Field field : declaring.getDeclaredFields()) {
            if (field.getName().equals(name)) {
                named.add(field);
            }
        }
        for (Class<?> contract : declaring.getInterfaces()) {
            named.addAll(members(contract, name));
        }
        Class<?> parent = declaring.getSuperclass();
        if (parent != null) {
            named.addAll(members(parent, name));
        }
        return named;
    }

    private static boolean testable(Annotation[] annotations, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (type.getName().equals(TESTABLE)) {
                return true;
            }
            if (seen.add(type) && testable(type.getAnnotations(), seen)) {
                return true;
            }
        }
        return false;
    }
}
