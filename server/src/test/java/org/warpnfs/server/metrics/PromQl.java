package org.warpnfs.server.metrics;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.warpnfs.server.metrics.PromQlTokens.Kind;
import org.warpnfs.server.metrics.PromQlTokens.Token;

/**
 * A strict parser of PromQL that checks types. It refuses each expression that Prometheus would refuse to load. It also
 * refuses some that Prometheus accepts and no rule here uses: subqueries, single quotes and {@code @}. It knows the
 * functions that our rules and dashboards use.
 *
 * <pre>
 *   expr     unary (operator [bool] [on|ignoring (labels) [group_left|group_right [(labels)]]] unary)*    by precedence
 *   unary    [+|-] primary ["[" duration "]"] [offset duration]
 *   primary  number | string | ( expr ) | aggregator [by|without (labels)] ( expr, ... ) [by|without (labels)]
 *            | function ( expr, ... ) | [name] { label matcher string, ... } | name
 * </pre>
 */
final class PromQl {
    /** The type of an expression's value. */
    enum Type {
        SCALAR,
        VECTOR,
        RANGE,
        STRING
    }

    /**
     * A selector of series.
     *
     * @param labels the labels that its matchers name
     * @param inside the function around the selector; {@code ""} if there is none
     */
    record Selector(String metric, Set<String> labels, boolean range, String inside) {}

    private record Signature(Type result, List<Type> arguments) {}

    private static final Map<String, Signature> FUNCTIONS = Map.of(
            "rate", new Signature(Type.VECTOR, List.of(Type.RANGE)),
            "increase", new Signature(Type.VECTOR, List.of(Type.RANGE)),
            "irate", new Signature(Type.VECTOR, List.of(Type.RANGE)),
            "max_over_time", new Signature(Type.VECTOR, List.of(Type.RANGE)),
            "histogram_quantile", new Signature(Type.VECTOR, List.of(Type.SCALAR, Type.VECTOR)),
            "clamp_min", new Signature(Type.VECTOR, List.of(Type.VECTOR, Type.SCALAR)),
            "time", new Signature(Type.SCALAR, List.of()));

    /** The aggregators; true for those that take a parameter before the vector. */
    private static final Map<String, Boolean> AGGREGATORS = Map.of(
            "sum", false, "max", false, "min", false, "avg", false, "count", false, "topk", true, "bottomk", true);

    private static final List<Set<String>> PRECEDENCE = List.of(
            Set.of("or"),
            Set.of("and", "unless"),
            Set.of("==", "!=", "<", "<=", ">", ">="),
            Set.of("+", "-"),
            Set.of("*", "/", "%"),
            Set.of("^"));

    private static final int COMPARISON = 2;
    private static final int POWER = 5;

    private final String expression;
    private final List<Token> tokens;
    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> grouping = new HashSet<>();
    private int next;

    private PromQl(String expression) {
        this.expression = expression;
        this.tokens = PromQlTokens.of(expression);
    }

    /**
     * A parsed expression.
     *
     * @param grouping the labels by which it groups or matches
     */
    record Parsed(Type type, List<Selector> selectors, Set<String> grouping) {}

    /** Parses a whole expression, which must be a vector or a scalar. */
    static Parsed parse(String expression) {
        PromQl parser = new PromQl(expression);
        Type type = parser.binary(0, "");
        parser.require(parser.peek().kind() == Kind.END, "more than an expression");
        parser.require(type == Type.VECTOR || type == Type.SCALAR, "a " + type + " alone");
        return new Parsed(type, List.copyOf(parser.selectors), Set.copyOf(parser.grouping));
    }

    private Type binary(int level, String inside) {
        if (level == PRECEDENCE.size()) {
            return unary(inside);
        }
        Type left = binary(level + 1, inside);
        while (isOperator(level)) {
            String operator = take().text();
            boolean bool = takeIf("bool");
            require(!bool || level == COMPARISON, "bool");
            boolean matched = matching();
            Type right = binary(level == POWER ? level : level + 1, inside);
            left = combined(operator, level, left, right, bool, matched);
        }
        return left;
    }

    private boolean isOperator(int level) {
        return peek().kind() != Kind.STRING && PRECEDENCE.get(level).contains(peek().text());
    }

    private Type combined(String operator, int level, Type left, Type right, boolean bool, boolean matched) {
        require(isValue(left) && isValue(right), operator + " between " + left + " and " + right);
        boolean vectors = left == Type.VECTOR && right == Type.VECTOR;
        require(level > 1 || vectors, operator + " is for vectors");
        require(!matched || vectors, "labels are matched between vectors");
        boolean scalars = left == Type.SCALAR && right == Type.SCALAR;
        require(level != COMPARISON || !scalars || bool, "scalars are compared by bool");
        return scalars ? Type.SCALAR : Type.VECTOR;
    }

    private static boolean isValue(Type type) {
        return type == Type.SCALAR || type == Type.VECTOR;
    }

    private boolean matching() {
        if (!takeIf("on") && !takeIf("ignoring")) {
            return false;
        }
        labelList();
        if ((takeIf("group_left") || takeIf("group_right")) && peek().is("(")) {
            labelList();
        }
        return true;
    }

    private void labelList() {
        expect("(");
        while (!peek().is(")")) {
            require(peek().kind() == Kind.NAME && peek().text().indexOf(':') < 0, "a label");
            grouping.add(take().text());
            if (!takeIf(",")) {
                break;
            }
        }
        expect(")");
    }

    private Type unary(String inside) {
        if (takeIf("-") || takeIf("+")) {
            Type type = unary(inside);
            require(isValue(type), "a sign before a " + type);
            return type;
        }
        return primary(inside);
    }

    private Type primary(String inside) {
        Token token = peek();
        switch (token.kind()) {
            case NUMBER -> {
                take();
                return Type.SCALAR;
            }
            case STRING -> {
                take();
                return Type.STRING;
            }
            case NAME -> {
                return named(inside);
            }
            default -> {
                if (token.is("{")) {
                    return selector("", inside);
                }
                expect("(");
                Type type = binary(0, "");
                expect(")");
                return type;
            }
        }
    }

    private Type named(String inside) {
        String name = take().text();
        boolean called = peek().is("(") || peek().is("by") || peek().is("without");
        if (AGGREGATORS.containsKey(name) && called) {
            return aggregation(name);
        }
        if (peek().is("(")) {
            Signature signature = FUNCTIONS.get(name);
            require(signature != null, "no such function: " + name);
            require(arguments(name).equals(signature.arguments()), "arguments of " + name);
            return signature.result();
        }
        return selector(name, inside);
    }

    private Type aggregation(String name) {
        boolean grouped = groupingBy();
        List<Type> wanted = AGGREGATORS.get(name) ? List.of(Type.SCALAR, Type.VECTOR) : List.of(Type.VECTOR);
        require(arguments(name).equals(wanted), "arguments of " + name);
        if (!grouped) {
            groupingBy();
        }
        return Type.VECTOR;
    }

    private boolean groupingBy() {
        if (takeIf("by") || takeIf("without")) {
            labelList();
            return true;
        }
        return false;
    }

    private List<Type> arguments(String inside) {
        List<Type> types = new ArrayList<>();
        expect("(");
        if (!peek().is(")")) {
            do {
                types.add(binary(0, inside));
            } while (takeIf(","));
        }
        expect(")");
        return types;
    }

    private Type selector(String name, String inside) {
        Set<String> labels = new HashSet<>();
        if (takeIf("{")) {
            while (!peek().is("}")) {
                labels.add(matcher());
                if (!takeIf(",")) {
                    break;
                }
            }
            expect("}");
        }
        require(!name.isEmpty() || !labels.isEmpty(), "a selector of everything");
        boolean range = takeIf("[");
        if (range) {
            duration();
            expect("]");
        }
        if (takeIf("offset")) {
            duration();
        }
        selectors.add(new Selector(name, Set.copyOf(labels), range, inside));
        return range ? Type.RANGE : Type.VECTOR;
    }

    private String matcher() {
        require(peek().kind() == Kind.NAME && peek().text().indexOf(':') < 0, "a label");
        String label = take().text();
        boolean pattern = peek().is("=~") || peek().is("!~");
        require(pattern || peek().is("=") || peek().is("!="), "a matcher");
        take();
        require(peek().kind() == Kind.STRING, "a string");
        String text = take().text();
        if (pattern) {
            try {
                Pattern.compile(text.substring(1, text.length() - 1));
            } catch (PatternSyntaxException e) {
                throw new PromQlException("no pattern: " + text, peek().at(), expression);
            }
        }
        return label;
    }

    private void duration() {
        require(peek().kind() == Kind.DURATION, "a duration");
        take();
    }

    private Token peek() {
        return tokens.get(next);
    }

    private Token take() {
        return tokens.get(next++);
    }

    private boolean takeIf(String text) {
        if (peek().is(text)) {
            next++;
            return true;
        }
        return false;
    }

    private void expect(String sign) {
        require(takeIf(sign), "not " + sign);
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new PromQlException(what, peek().at(), expression);
        }
    }
}
