package org.warpnfs.server.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Generates the JSON schema (draft 2020-12) of the configuration file from {@link Settings}, for editors that complete
 * and check the file. The schema describes single values. Only the server checks values against each other, and the
 * bounds of values with a unit.
 */
public final class SettingsSchema {
    private static final String SIZE = "^[0-9]+[kmgtKMGT]?$";
    private static final String TIME = "^[0-9]+(ms|s|m|h|d)?$";

    private SettingsSchema() {}

    /** Returns the schema's text. */
    public static String text() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "warpnfs configuration file");
        schema.putAll(mapping(""));
        // null is a file whose lines are all comments.
        schema.put("type", List.of("object", "null"));
        return JsonText.of(schema);
    }

    private static Map<String, Object> mapping(String prefix) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String name : SettingIndex.keysIn(prefix)) {
            Setting<?> setting = SettingIndex.byKey(prefix + name);
            properties.put(name, setting == null ? mapping(prefix + name + ".") : value(setting));
        }
        Map<String, Object> mapping = new LinkedHashMap<>();
        mapping.put("type", List.of("object", "null"));
        mapping.put("additionalProperties", false);
        mapping.put("properties", properties);
        return mapping;
    }

    private static <T> Map<String, Object> value(Setting<T> setting) {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put(
                "description",
                String.join(" ", setting.about()) + " Allowed: "
                        + setting.kind().allowed() + ". Default: " + setting.shownStandard() + ".");
        switch (setting.kind()) {
            case Kind.Whole whole -> value.putAll(integer(whole.least(), whole.most()));
            case Kind.Port _ ->
                value.put("anyOf", List.of(integer(0, Kind.Port.MOST), Map.of("enum", List.of("off", false))));
            case Kind.Bytes bytes -> {
                Map<String, Object> plain = integer(bytes.least(), bytes.most());
                if (bytes.step() > 1) {
                    plain.put("multipleOf", bytes.step());
                }
                value.put("anyOf", List.of(plain, string(SIZE)));
            }
            case Kind.Time time ->
                // A number is whole seconds; the lower bound may be less than one second.
                value.put(
                        "anyOf",
                        List.of(
                                integer(
                                        time.least().plusMillis(999).toSeconds(),
                                        time.most().toSeconds()),
                                string(TIME)));
            case Kind.Choice<?> choice -> value.put("enum", choices(choice));
            case Kind.Switch _ -> value.put("type", "boolean");
            case Kind.Text text -> {
                if (text.orOff()) {
                    value.put("anyOf", List.of(string("\\S"), Map.of("const", false)));
                } else {
                    value.putAll(string("\\S"));
                }
            }
            case Kind.Words words -> {
                Map<String, Object> list = new LinkedHashMap<>();
                list.put("type", "array");
                list.put("items", string("\\S"));
                if (!words.orNone()) {
                    list.put("minItems", 1);
                }
                value.put("anyOf", List.of(string("\\S"), list));
            }
        }
        return value;
    }

    private static List<Object> choices(Kind.Choice<?> choice) {
        List<Object> choices = new ArrayList<>(choice.all());
        for (String word : choice.all()) {
            String truth = Kind.Choice.truthOf(word);
            if (!truth.equals(word)) {
                choices.add(Boolean.valueOf(truth));
            }
        }
        return choices;
    }

    private static Map<String, Object> integer(long least, long most) {
        Map<String, Object> integer = new LinkedHashMap<>();
        integer.put("type", "integer");
        integer.put("minimum", least);
        integer.put("maximum", most);
        return integer;
    }

    private static Map<String, Object> string(String pattern) {
        Map<String, Object> string = new LinkedHashMap<>();
        string.put("type", "string");
        string.put("pattern", pattern);
        return string;
    }
}
