package org.warpnfs.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits a PromQL expression into tokens. Text that is no token of PromQL is an error. */
final class PromQlTokens {
    enum Kind {
        NUMBER,
        DURATION,
        STRING,
        NAME,
        SIGN,
        END
    }

    record Token(Kind kind, String text, int at) {
        boolean is(String sign) {
            return kind != Kind.STRING && text.equals(sign);
        }
    }

    private static final Pattern WORD = Pattern.compile("(?<space>\\s+)"
            + "|(?<string>\"(?:[^\"\\\\\\n]|\\\\[abfnrtv\\\\\"'])*\")"
            + "|(?<duration>(?:[0-9]+(?:ms|[smhdwy]))+(?![A-Za-z0-9_]))"
            + "|(?<number>(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.]))"
            + "|(?<name>[A-Za-z_:][A-Za-z0-9_:]*)"
            + "|(?<sign>=~|!~|!=|==|<=|>=|[-+*/%^<>=(){}\\[\\],:@])");

    private PromQlTokens() {}

    static List<Token> of(String expression) {
        List<Token> tokens = new ArrayList<>();
        Matcher matcher = WORD.matcher(expression);
        int at = 0;
        while (at < expression.length()) {
            matcher.region(at, expression.length());
            if (!matcher.lookingAt()) {
                throw new PromQlException("no word of PromQL", at, expression);
            }
            Kind kind = matcher.group("string") != null
                    ? Kind.STRING
                    : matcher.group("duration") != null
                            ? Kind.DURATION
                            : matcher.group("number") != null
                                    ? Kind.NUMBER
                                    : matcher.group("name") != null ? Kind.NAME : Kind.SIGN;
            if (matcher.group("space") == null) {
                tokens.add(new Token(kind, matcher.group(), at));
            }
            at = matcher.end();
        }
        tokens.add(new Token(Kind.END, "", at));
        return tokens;
    }
}
