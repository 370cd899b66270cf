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
 * Reads settings from the environment. A variable's name is {@code WARPNFS_} and the setting's key in capitals. An
 * empty variable counts as unset. The words of a list are separated by blanks.
 *
 * <p>An unknown {@code WARPNFS_} variable is a mistake, like an unknown key of the file. Exceptions are the variables
 * of the start scripts, and those that Kubernetes and Docker create for a service named {@code warpnfs}.
 */
final class EnvironmentReader {
    private static final String PREFIX = "WARPNFS_";

    /** The variable with the path of the configuration file. */
    static final String CONFIG = "WARPNFS_CONFIG";

    /** Variables read elsewhere: by the start scripts, the service's unit, the log. */
    private static final Set<String> OF_OTHERS = Set.of("WARPNFS_JAVA", "WARPNFS_JAVA_OPTS", "WARPNFS_OPTIONS");

    /** Prefixes of variables of the log, and of the lab and the tests of this tree. */
    private static final List<String> PREFIXES_OF_OTHERS =
            List.of("WARPNFS_LOG_", "WARPNFS_LAB_", "WARPNFS_ROOTLESS_", "WARPNFS_FAULTS");

    private static final Pattern SERVICE_LINK = Pattern.compile(
            "WARPNFS_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP)(_[A-Z]+)?)");

    private EnvironmentReader() {}

    static Source read(Map<String, String> environment, Mistakes mistakes) {
        Map<String, Setting<?>> known = new LinkedHashMap<>();
        SettingIndex.ALL.forEach(setting -> known.put(setting.variable(), setting));
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

    /** Returns a hint for an unknown variable. The common prefix does not count as a similarity. */
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
