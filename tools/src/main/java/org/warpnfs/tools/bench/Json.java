package org.warpnfs.tools.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Builds one JSON object (RFC 8259). */
public final class Json {
    private final StringBuilder out = new StringBuilder("{");
    private boolean empty = true;

    public Json text(String key, String value) {
        return raw(key, quote(value));
    }

    public Json number(String key, long value) {
        return raw(key, Long.toString(value));
    }

    public Json number(String key, double value) {
        return raw(key, Double.isFinite(value) ? String.format(Locale.ROOT, "%.6g", value) : "null");
    }

    public Json flag(String key, boolean value) {
        return raw(key, Boolean.toString(value));
    }

    public Json object(String key, Json value) {
        return raw(key, value.toString());
    }

    /** Adds an array of objects. */
    public Json array(String key, List<Json> values) {
        return raw(key, values.stream().map(Json::toString).collect(Collectors.joining(",", "[", "]")));
    }

    /** Adds an array of strings. */
    public Json texts(String key, List<String> values) {
        return raw(key, values.stream().map(Json::quote).collect(Collectors.joining(",", "[", "]")));
    }

    private Json raw(String key, String value) {
        if (!empty) {
            out.append(',');
        }
        empty = false;
        out.append(quote(key)).append(':').append(value);
        return this;
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return out + "}";
    }
}
