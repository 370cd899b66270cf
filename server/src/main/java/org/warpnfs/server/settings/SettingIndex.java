package org.warpnfs.server.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All settings, in the order of the documentation and by their keys. */
public final class SettingIndex {
    /** All settings, in the order of the documentation. */
    public static final List<Setting<?>> ALL = all();

    private static final Map<String, Setting<?>> BY_KEY = byKey();

    private SettingIndex() {}

    private static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>(List.of(
                Settings.EXPORT,
                Settings.EXPORTS,
                Settings.WATCH_EXPORTS,
                Settings.BACKEND,
                Settings.PLUGINS,
                Settings.BACKEND_OPTION,
                Settings.CEPH_CONF,
                Settings.CEPH_ID,
                Settings.CEPH_FILESYSTEM,
                Settings.MEMORY_SIZE,
                Settings.LISTEN,
                Settings.RDMA_PORT,
                Settings.TCP_PORT,
                Settings.TLS_CERTIFICATE,
                Settings.TLS_KEY,
                Settings.TLS_CLIENT_CA,
                Settings.TLS_USER,
                Settings.STATE,
                Settings.CRC,
                Settings.FPDU,
                Settings.MARKERS,
                Settings.READ_REPLIES,
                Settings.SPLICE,
                Settings.INLINE,
                Settings.LEASE,
                Settings.CLUSTER,
                Settings.NODE,
                Settings.CLUSTER_DIRECTORY,
                Settings.CLUSTER_POOL,
                Settings.NODE_ADDRESSES,
                Settings.DELEGATIONS,
                Settings.THREADS,
                Settings.MANAGE_GIDS,
                Settings.ID_DOMAIN,
                Settings.ID_MAP,
                Settings.ID_NAMES,
                Settings.KEYTAB,
                Settings.PRINCIPAL,
                Settings.DRAIN,
                Settings.HTTP,
                Settings.RPCBIND,
                Settings.MOUNT_UDP,
                Settings.NLM,
                Settings.HOST_LOCKS,
                Settings.DATA_SERVERS,
                Settings.READ_MIRRORS,
                Settings.ADMIN,
                Settings.LOG_FORMAT,
                Settings.SLOW_CALL,
                Settings.OTLP,
                Settings.OTLP_ONE_IN));
        all.addAll(LimitSettings.all(Settings.PAYLOAD_MEMORY));
        return List.copyOf(all);
    }

    private static Map<String, Setting<?>> byKey() {
        Map<String, Setting<?>> byKey = new LinkedHashMap<>();
        ALL.forEach(setting -> byKey.put(setting.key(), setting));
        return byKey;
    }

    /** Returns the setting with this key; null if there is none. */
    static @Nullable Setting<?> byKey(String key) {
        return BY_KEY.get(key);
    }

    /** Returns whether keys begin with {@code key} and a dot. */
    static boolean isGroup(String key) {
        return BY_KEY.keySet().stream().anyMatch(known -> known.startsWith(key + "."));
    }

    /** Returns the names that are allowed in the mapping of {@code prefix}, which is empty or ends with a dot. */
    static List<String> keysIn(String prefix) {
        return BY_KEY.keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .map(key -> {
                    int dot = key.indexOf('.', prefix.length());
                    return dot < 0 ? key.substring(prefix.length()) : key.substring(prefix.length(), dot);
                })
                .distinct()
                .toList();
    }
}
