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
 * The configuration file as a source: one YAML document, a mapping of keys to values.
 *
 * <p>Everything that nobody knows is a mistake, with line and column: an unknown key, a key that stands twice, a value
 * where a mapping belongs. What follows a mistake is read all the same, so that all are reported at once; only text
 * that is no YAML ends it. A group without anything in it, as when all its lines are comments, says nothing. Aliases
 * and tags are refused: a file that a person reads says what it says.
 */
final class FileReader {
    /** Far more than all settings take. */
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

    /** Reads a file; what is wrong with it goes to {@code mistakes}. */
    static Source read(Path file, Mistakes mistakes) {
        try {
            if (Files.isDirectory(file)) {
                mistakes.add(file + ": is a directory, and not a file of settings");
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

    /** The same of a text. */
    static Source read(String file, String text, Mistakes mistakes) {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            FileReader reader = new FileReader(file, parser, mistakes);
            try {
                reader.document();
            } catch (JacksonException e) {
                mistakes.add(reader.at(e.getLocation()) + ": is no YAML: " + firstLine(e.getOriginalMessage()));
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

    /** At the beginning of a mapping; at its end afterwards. */
    private void mapping(String prefix) throws IOException {
        Map<String, Integer> lines = new HashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonLocation place = parser.currentTokenLocation();
            Integer before = lines.putIfAbsent(name, place.getLineNr());
            parser.nextToken();
            if (before != null) {
                mistakes.add(at(place) + ": " + prefix + name + " stands twice, first in line " + before);
                skip();
            } else {
                value(prefix + name, prefix, name, place);
            }
        }
    }

    private void value(String key, String prefix, String name, JsonLocation place) throws IOException {
        Setting<?> setting = Settings.byKey(key);
        if (setting != null) {
            take(setting, place);
        } else if (Settings.isGroup(key)) {
            group(key);
        } else {
            mistakes.add(at(place) + ": unknown key '" + key + "'" + hint(prefix, name));
            skip();
        }
    }

    /** The nearest key of the same mapping, or else the one of another that is called so. */
    private static String hint(String prefix, String name) {
        List<String> here = Settings.keysIn(prefix);
        return NearestWord.nearest(name, here)
                .or(() -> Settings.ALL.stream()
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
            mistake(key + " holds keys of its own: " + String.join(", ", Settings.keysIn(key + ".")));
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

    /** At the beginning of a list; at its end afterwards. */
    private void list(Setting<?> setting, Origin origin) throws IOException {
        List<Said> words = new ArrayList<>();
        boolean good = setting.kind() instanceof Kind.Words;
        if (!good) {
            mistakes.add(origin + ": " + setting.key() + " is one value, and no list");
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

    /** True at plain text or a number; else says what is wrong and goes to its end. */
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

    /** To the end of what is here. */
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
