package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads Kubernetes objects with a client's model, and refuses every field that the model does not know. */
final class StrictModel {
    private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
            "v1/ConfigMap", ConfigMap.class,
            "v1/Service", Service.class,
            "v1/PersistentVolume", PersistentVolume.class,
            "v1/PersistentVolumeClaim", PersistentVolumeClaim.class,
            "apps/v1/StatefulSet", StatefulSet.class,
            "networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class,
            "policy/v1/PodDisruptionBudget", PodDisruptionBudget.class,
            "storage.k8s.io/v1/StorageClass", StorageClass.class,
            "monitoring.coreos.com/v1/ServiceMonitor", ServiceMonitor.class,
            "monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class);

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
                    .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

    private StrictModel() {}

    /** Returns the objects of a stream of documents. */
    static List<HasMetadata> read(String documents) throws IOException {
        List<HasMetadata> objects = new ArrayList<>();
        try (MappingIterator<JsonNode> parts = YAML.readerFor(JsonNode.class).readValues(documents)) {
            while (parts.hasNext()) {
                JsonNode document = parts.next();
                if (document == null || document.isNull() || document.isEmpty()) {
                    continue;
                }
                String kind = document.path("apiVersion").asText() + "/"
                        + document.path("kind").asText();
                assertThat(KINDS).containsKey(kind);
                HasMetadata object = YAML.treeToValue(document, KINDS.get(kind));
                assertThat(unknown(object, kind + " " + object.getMetadata().getName()))
                        .isEmpty();
                objects.add(object);
            }
        }
        return objects;
    }

    /** Returns one document as a tree. */
    static JsonNode tree(String document) throws IOException {
        return YAML.readTree(document);
    }

    /** Returns the only object of a kind. */
    static <T extends HasMetadata> T only(List<HasMetadata> objects, Class<T> kind) {
        List<T> found =
                objects.stream().filter(kind::isInstance).map(kind::cast).toList();
        assertThat(found).as(kind.getSimpleName()).hasSize(1);
        return found.getFirst();
    }

    /** Returns the unknown fields that the model kept, with their paths. */
    private static List<String> unknown(Object value, String way) {
        List<String> words = new ArrayList<>();
        switch (value) {
            case null -> {}
            case Map<?, ?> map -> map.forEach((key, part) -> words.addAll(unknown(part, way + "." + key)));
            case Iterable<?> list -> list.forEach(part -> words.addAll(unknown(part, way + "[]")));
            default -> {
                if (value.getClass().getName().startsWith("io.fabric8.")) {
                    for (Method getter : value.getClass().getMethods()) {
                        if (isGetter(getter)) {
                            Object part = got(getter, value);
                            if (getter.getName().equals("getAdditionalProperties")) {
                                ((Map<?, ?>) part).keySet().forEach(word -> words.add(way + "." + word));
                            } else {
                                words.addAll(unknown(
                                        part, way + "." + getter.getName().substring(3)));
                            }
                        }
                    }
                }
            }
        }
        return words;
    }

    private static boolean isGetter(Method method) {
        return method.getName().startsWith("get")
                && method.getParameterCount() == 0
                && !method.getName().equals("getClass");
    }

    private static Object got(Method getter, Object object) {
        try {
            return getter.invoke(object);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(getter + " fails", e);
        }
    }
}
