package org.warpnfs.server.settings;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.warpnfs.server.config.NearestWord;

/**
 * The environment as a source. A variable is the setting's key in capitals behind {@code WARPNFS_}; one that is empty
 * says nothing; the words of a list have blanks between them.
 *
 * <p>A {@code WARPNFS_} variable that nobody knows is a mistake, as an unknown key of the file is. Known are those of
 * the start scripts too, and the names that Kubernetes and Docker make of a service that is called {@code warpnfs}.
 */
final class EnvironmentReader {
    private static final String PREFIX = "WARPNFS_";

    /** The file itself. */
    static final String CONFIG = "WARPNFS_CONFIG";

    /** Those that others read: the start scripts, the service's unit, the log. */
    private static final Set<String> OF_OTHERS = Set.of("WARPNFS_JAVA", "WARPNFS_JAVA_OPTS", "WARPNFS_OPTIONS");

    /** Those of the log, and of the lab and the tests of this tree. */
    private static final List<String> PREFIXES_OF_OTHERS =
            List.of("WARPNFS_LOG_", "WARPNFS_LAB_", "WARPNFS_ROOTLESS_", "WARPNFS_FAULTS");

    private static final Pattern SERVICE_LINK = Pattern.compile(
            "WARPNFS_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP)(_[A-Z]+)?)");

    private EnvironmentReader() {}

    static Source read(Map<String, String> environment, Mistakes mistakes) {
        Map<String, Setting<?>> known = new LinkedHashMap<>();
        Settings.ALL.forEach(setting -> known.put(setting.variable(), setting));
        Source source = new Source();
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            String name = variable.getKey();
            Setting<?> setting = known.get(name);
            if (setting != null && !variable.getValue().isEmpty()) {
                Origin origin = new Origin.Environment(name);
                source.put(setting, origin, words(setting, origin, variable.getValue()));
            } else if (setting == null && name.startsWith(PREFIX) && !isOfOthers(name, variable.getValue())) {
                mistakes.add(name + ": unknown variable" + hint(name, known.keySet()));
            }
        }
        return source;
    }

    /** What they begin with is no likeness. */
    private static String hint(String name, Set<String> known) {
        List<String> ends = known.stream()
                .map(variable -> variable.substring(PREFIX.length()))
                .toList();
        return NearestWord.nearest(name.substring(PREFIX.length()), ends)
                .map(near -> "; did you mean '" + PREFIX + near + "'?")
                .orElse("; WARPNFS_ and a key of docs/configuration.md in capitals is known");
    }

    private static List<Said> words(Setting<?> setting, Origin origin, String value) {
        if (!(setting.kind() instanceof Kind.Words)) {
            return List.of(new Said(value.strip(), origin));
        }
        return Splitter.on(CharMatcher.whitespace())
                .omitEmptyStrings()
                .splitToStream(value)
                .map(word -> new Said(word, origin))
                .toList();
    }

    private static boolean isOfOthers(String name, String value) {
        return name.equals(CONFIG)
                || OF_OTHERS.contains(name)
                || PREFIXES_OF_OTHERS.stream().anyMatch(name::startsWith)
                || SERVICE_LINK.matcher(name).matches()
                // Such as WARPNFS_PORT=tcp://10.0.0.1:2049
                || (name.endsWith("_PORT") && value.contains("://"));
    }
}
