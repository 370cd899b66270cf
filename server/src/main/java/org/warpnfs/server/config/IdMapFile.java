package org.warpnfs.server.config;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.warpnfs.nfs.idmap.StaticNames;

/**
 * Reads a map of names, in the form of idmapd.conf(5).
 *
 * <pre>
 * # users and groups
 * [Static]
 * alice&#64;example.org = alice
 * # users alone, groups alone
 * [Users]
 * bob&#64;example.org = 1001
 * [Groups]
 * staff&#64;example.org = 50
 * </pre>
 *
 * <p>The right side is a number, or the name of a user or group of this host. A line that begins with {@code #} or
 * {@code ;} is a comment.
 */
public final class IdMapFile {
    private static final long NOBODY_AT_ALL = 0xffff_ffffL;
    private static final int MAX_BYTES = 4 << 20;
    private static final Set<String> SECTIONS = Set.of("Static", "Users", "Groups");

    private final Path file;
    private final Map<String, StaticNames.Local> users = new LinkedHashMap<>();
    private final Map<String, StaticNames.Local> groups = new LinkedHashMap<>();
    private String section = "";
    private int line;

    private IdMapFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException if the file is wrong; it names the file and the line
     */
    public static StaticNames read(Path file) throws ConfigException {
        try {
            return new IdMapFile(file).parse(BoundedText.read(file, MAX_BYTES));
        } catch (IOException e) {
            throw new ConfigException("--id-map " + file + ": " + BoundedText.reason(e), e);
        }
    }

    private StaticNames parse(String text) throws ConfigException {
        for (String raw : Splitter.on('\n').split(text)) {
            line++;
            String said = raw.strip();
            if (said.isEmpty() || said.startsWith("#") || said.startsWith(";")) {
                continue;
            }
            if (said.startsWith("[")) {
                section = section(said);
            } else {
                entry(said);
            }
        }
        return new StaticNames(users, groups);
    }

    private ConfigException mistake(String what) {
        return new Place(file.toString(), line).mistake(what);
    }

    private String section(String said) throws ConfigException {
        String name = said.endsWith("]") ? said.substring(1, said.length() - 1).strip() : "";
        for (String known : SECTIONS) {
            if (known.equalsIgnoreCase(name)) {
                return known;
            }
        }
        throw mistake("'" + said + "' is none of the sections [Static], [Users] and [Groups]");
    }

    private void entry(String said) throws ConfigException {
        if (section.isEmpty()) {
            throw mistake("'" + said + "' is in no section; [Static], [Users] or [Groups] must come first");
        }
        int equals = said.indexOf('=');
        String name = equals < 0 ? "" : said.substring(0, equals).strip();
        String local = equals < 0 ? "" : said.substring(equals + 1).strip();
        if (name.isEmpty() || local.isEmpty()) {
            throw mistake("'" + said + "' is not NAME = USER or NAME = NUMBER");
        }
        if (isNumber(name)) {
            throw mistake("'" + name + "': a name of digits alone always means that number");
        }
        StaticNames.Local meant = meant(local);
        if (!section.equals("Groups") && users.putIfAbsent(name, meant) != null) {
            throw mistake("'" + name + "' is mapped a second time, as a user");
        }
        if (!section.equals("Users") && groups.putIfAbsent(name, meant) != null) {
            throw mistake("'" + name + "' is mapped a second time, as a group");
        }
    }

    private static boolean isNumber(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private StaticNames.Local meant(String local) throws ConfigException {
        if (!isNumber(local)) {
            return new StaticNames.Local.Name(local);
        }
        long id = local.length() > 10 ? NOBODY_AT_ALL : Long.parseLong(local);
        if (id >= NOBODY_AT_ALL) {
            throw mistake("'" + local + "' is not a number from 0 to 4294967294");
        }
        return new StaticNames.Local.Id(id);
    }
}
