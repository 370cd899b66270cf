package org.warpnfs.server.settings;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.BoundedText;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.NearestWord;

/**
 * Reads settings from the configuration file: one YAML document, a mapping of keys to values.
 *
 * <p>An unknown key, a duplicate key, and a value in place of a mapping are mistakes, reported with line and column.
 * The reader continues after a mistake, so that all are reported at once; only text that is not YAML ends it. An empty
 * group, for instance one whose lines are all comments, sets nothing. Aliases and tags are refused, so that each line
 * can be understood by itself.
 */
final class FileReader {
    /** The largest file; far more than all settings need. */
    private static final int MAX_BYTES = 1 << 20;

    private final String file;
    private final YAMLParser parser;
    private final Mistakes mistakes;
    private final Source source = new Source();

    private FileReader(String file, YAMLParser parser, Mistakes mistakes) {
        this.file = file;
        this.parser = parser;
        this.mistakes = mistakes;
    }

    /** Reads a file and adds what is wrong with it to {@code mistakes}. */
    static Source read(Path file, Mistakes mistakes) {
        try {
            if (Files.isDirectory(file)) {
                mistakes.add(file + ": is a directory, not a file of settings");
            } else {
                return read(file.toString(), BoundedText.read(file, MAX_BYTES), mistakes);
            }
        } catch (ConfigException e) {
            mistakes.add(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            mistakes.add(file + ": " + BoundedText.reason(e));
        }
        return new Source();
    }

    /** Reads the text of a file. */
    static Source read(String file, String text, Mistakes mistakes) {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            FileReader reader = new FileReader(file, parser, mistakes);
            try {
                reader.document();
            } catch (JacksonException e) {
                mistakes.add(reader.at(e.getLocation()) + ": is not YAML: " + firstLine(e.getOriginalMessage()));
            }
            return reader.source;
        } catch (IOException e) {
            mistakes.add(file + ": cannot be read (" + e.getMessage() + ")");
            return new Source();
        }
    }

    private static String firstLine(@Nullable String text) {
        return text == null
                ? ""
                : text.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .limit(2)
                        .reduce((a, b) -> a + ", " + b)
                        .orElse("");
    }

    private void document() throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null || first == JsonToken.VALUE_NULL) {
            return;
        }
        if (first != JsonToken.START_OBJECT) {
            mistake("a mapping of keys to values is expected here");
            return;
        }
        mapping("");
        if (parser.nextToken() != null) {
            mistake("a second document; one is read");
        }
    }

    /** Reads a mapping. The parser is at its beginning before, at its end afterwards. */
    private void mapping(String prefix) throws IOException {
        Map<String, Integer> lines = new HashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonLocation place = parser.currentTokenLocation();
            Integer before = lines.putIfAbsent(name, place.getLineNr());
            parser.nextToken();
            if (before != null) {
                mistakes.add(at(place) + ": " + prefix + name + " occurs twice, first in line " + before);
                skip();
            } else {
                value(prefix + name, prefix, name, place);
            }
        }
    }

    private void value(String key, String prefix, String name, JsonLocation place) throws IOException {
        Setting<?> setting = SettingIndex.byKey(key);
        if (setting != null) {
            take(setting, place);
        } else if (SettingIndex.isGroup(key)) {
            group(key);
        } else {
            mistakes.add(at(place) + ": unknown key '" + key + "'" + hint(prefix, name));
            skip();
        }
    }

    /**
     * Returns a hint for an unknown name: the nearest key of the same mapping, else the same name in another mapping.
     */
    private static String hint(String prefix, String name) {
        List<String> here = SettingIndex.keysIn(prefix);
        return NearestWord.nearest(name, here)
                .or(() -> SettingIndex.ALL.stream()
                        .filter(setting -> setting.key().endsWith("." + name) || name.equals(keyOfFlag(setting)))
                        .map(Setting::key)
                        .findFirst())
                .map(near -> "; did you mean '" + (near.contains(".") ? near : prefix + near) + "'?")
                .orElseGet(() -> "; known are " + String.join(", ", here));
    }

    private static String keyOfFlag(Setting<?> setting) {
        String flag = setting.flag();
        return flag == null
                ? ""
                : Pattern.compile("-([a-z])").matcher(flag.substring(2)).replaceAll(letter -> letter.group(1)
                        .toUpperCase(Locale.ROOT));
    }

    private void group(String key) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            mapping(key + ".");
        } else if (parser.currentToken() != JsonToken.VALUE_NULL) {
            mistake(key + " holds keys of its own: " + String.join(", ", SettingIndex.keysIn(key + ".")));
            skip();
        }
    }

    private void take(Setting<?> setting, JsonLocation place) throws IOException {
        Origin origin = origin(place);
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            list(setting, origin);
        } else if (isScalar(setting)) {
            source.put(setting, origin, List.of(new Said(parser.getText(), origin)));
        }
    }

    /** Reads a list. The parser is at its beginning before, at its end afterwards. */
    private void list(Setting<?> setting, Origin origin) throws IOException {
        List<Said> words = new ArrayList<>();
        boolean good = setting.kind() instanceof Kind.Words;
        if (!good) {
            mistakes.add(origin + ": " + setting.key() + " is one value, not a list");
            skip();
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (isScalar(setting)) {
                words.add(new Said(parser.getText(), origin(parser.currentTokenLocation())));
            } else {
                good = false;
            }
        }
        if (good) {
            source.put(setting, origin, words);
        }
    }

    /** Returns whether the value is text or a number; otherwise reports a mistake and skips the value. */
    private boolean isScalar(Setting<?> setting) throws IOException {
        if (parser.isCurrentAlias() || parser.getTypeId() != null) {
            mistake(setting.key() + ": aliases (*) and tags (!) are not read; write the value");
        } else if (parser.currentToken() == JsonToken.VALUE_NULL) {
            mistake(setting.key() + " has no value");
        } else if (!parser.currentToken().isScalarValue()) {
            mistake(setting.key() + " is "
                    + (setting.kind() instanceof Kind.Words ? "a list of words" : "one value, and holds no others"));
        } else {
            return true;
        }
        skip();
        return false;
    }

    /** Skips the current value. */
    private void skip() throws IOException {
        parser.skipChildren();
    }

    private void mistake(String what) {
        mistakes.add(at(parser.currentTokenLocation()) + ": " + what);
    }

    private Origin origin(JsonLocation place) {
        return new Origin.InFile(file, place.getLineNr(), place.getColumnNr());
    }

    private String at(@Nullable JsonLocation place) {
        return place == null ? file : origin(place).toString();
    }
}
