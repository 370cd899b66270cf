package org.warpnfs.server.watch;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes JSON (RFC 8259) from maps, lists, strings, numbers and booleans. */
final class Json {
    private Json() {}

    static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        switch (value) {
            case Map<?, ?> map -> {
                String separator = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(separator);
                    quote(out, entry.getKey().toString());
                    out.append(':');
                    write(out, entry.getValue());
                    separator = ",";
                }
                out.append(map.isEmpty() ? "{}" : "}");
            }
            case List<?> list -> {
                String separator = "";
                out.append('[');
                for (Object element : list) {
                    out.append(separator);
                    write(out, element);
                    separator = ",";
                }
                out.append(']');
            }
            case Double number -> out.append(Double.isFinite(number) ? number.toString() : "null");
            case Number number -> out.append(number);
            case Boolean flag -> out.append(flag);
            default -> quote(out, value.toString());
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '\u2028' || c == '\u2029' || Character.isSurrogate(c)) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
