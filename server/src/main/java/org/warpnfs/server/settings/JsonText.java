package org.warpnfs.server.settings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Writes readable JSON from maps, lists, strings, whole numbers and booleans. */
public final class JsonText {
    private JsonText() {}

    /** Returns the JSON text, which ends with a newline. */
    public static String of(Map<String, ?> value) {
        StringWriter text = new StringWriter();
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(indenter)
                .withArrayIndenter(indenter);
        try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
            out.setPrettyPrinter(printer);
            write(out, value);
        } catch (IOException e) {
            throw new UncheckedIOException("a writer in memory fails", e);
        }
        return text + "\n";
    }

    private static void write(JsonGenerator out, Object value) throws IOException {
        switch (value) {
            case Map<?, ?> map -> {
                out.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.writeFieldName(entry.getKey().toString());
                    write(out, entry.getValue());
                }
                out.writeEndObject();
            }
            case List<?> list -> {
                out.writeStartArray();
                for (Object element : list) {
                    write(out, element);
                }
                out.writeEndArray();
            }
            case Number number -> out.writeNumber(number.longValue());
            case Boolean truth -> out.writeBoolean(truth);
            default -> out.writeString(value.toString());
        }
    }
}
