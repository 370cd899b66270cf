package org.warpnfs.server.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Settings that a test gives as options, as variables and in a file. All others have their defaults. */
final class Given {
    private final Map<Setting<?>, List<String>> flags = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Mistakes mistakes = new Mistakes();
    private String text = "";

    static Given file(String text) {
        Given given = new Given();
        given.text = text;
        return given;
    }

    Given flag(Setting<?> setting, String... words) {
        flags.put(setting, List.of(words));
        return this;
    }

    Given variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    Resolved resolved() {
        Source line = new Source();
        flags.forEach((setting, words) -> {
            Origin origin = new Origin.Flag(setting.flag());
            line.put(
                    setting,
                    origin,
                    words.stream().map(word -> new Said(word, origin)).toList());
        });
        return Resolved.of(
                List.of(line, EnvironmentReader.read(environment, mistakes), FileReader.read("w.yaml", text, mistakes)),
                mistakes);
    }

    /** Returns the mistakes in the given settings. */
    List<String> mistakes() {
        resolved();
        return mistakes.all();
    }
}
