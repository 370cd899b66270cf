package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compares the OpenAPI description with the routes of the server and with its answers. */
@Timeout(300)
class OpenApiTest {
    private static final JsonNode DOCUMENT = AdminApi.description();

    @TempDir
    Path directory;

    @Test
    void description_namesEveryRouteAndNoOther() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory)) {
            Map<String, Set<String>> described = new TreeMap<>();
            DOCUMENT.path("paths").properties().forEach(path -> {
                Set<String> methods = new TreeSet<>();
                path.getValue().fieldNames().forEachRemaining(method -> methods.add(method.toUpperCase(Locale.ROOT)));
                described.put(path.getKey(), methods);
            });
            Map<String, Set<String>> routes = new TreeMap<>();
            AdminApi.routes(new Administered(fixture.server, fixture.watch, java.util.List::of))
                    .all()
                    .forEach((path, methods) -> routes.put(path, new TreeSet<>(methods.keySet())));
            assertThat(described).isEqualTo(routes);
            assertThat(fixture.client.get("/openapi.json")).isEqualTo(DOCUMENT);
        }
    }

    @Test
    void answers_ofAServerInUse_areAsDescribed() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced();
                StateHolder other = fixture.holder(0, "other\u0001").introduced()) {
            for (StateHolder each : new StateHolder[] {holder, other}) {
                assertThat(each.open("file")).isZero();
            }
            assertThat(holder.lock("locker", 0, 100)).isZero();
            assertThat(other.lock("locker", 100, 100)).isZero();
            for (String table : new String[] {"clients", "opens", "locks", "connections"}) {
                assertThat(fixture.rows("/v1/" + table)).as(table).hasSize(2);
            }
            assertThat(fixture.rows("/v1/sessions")).hasSize(1);
            Map<String, @Nullable Map<String, String>> requests = new LinkedHashMap<>();
            DOCUMENT.path("paths").properties().forEach(path -> path.getValue()
                    .fieldNames()
                    .forEachRemaining(method -> requests.put(method + " " + path.getKey(), null)));
            requests.put("put /v1/loglevels", Map.of("logger", "org.warpnfs.none", "level", "inherited"));
            requests.put("post /v1/unlock", Map.of("client", holder.id()));
            requests.put("post /v1/evict", Map.of("client", other.id()));
            for (Map.Entry<String, @Nullable Map<String, String>> request : requests.entrySet()) {
                validate(fixture.client, request.getKey(), request.getValue());
            }
            AdminClient.Answer refused =
                    fixture.client.exchange(HttpMethod.POST, "/v1/evict", Map.of("client", "no id"));
            assertThat(refused.status()).isEqualTo(400);
            assertThat(errors("#/components/schemas/Error", AdminAnswer.MAPPER.readTree(refused.body())))
                    .isEmpty();
        }
    }

    private static void validate(AdminClient client, String request, @Nullable Map<String, String> body)
            throws Exception {
        String[] words = request.split(" ", -1);
        AdminClient.Answer answer =
                client.exchange(HttpMethod.valueOf(words[0].toUpperCase(Locale.ROOT)), words[1], body);
        assertThat(answer.status()).as("%s: %s", request, answer.body()).isEqualTo(200);
        JsonNode schema = DOCUMENT.path("paths")
                .path(words[1])
                .path(words[0])
                .path("responses")
                .path("200")
                .path("content")
                .path("application/json")
                .path("schema");
        assertThat(schema.isObject()).as(request).isTrue();
        JsonNode json = AdminAnswer.MAPPER.readTree(answer.body());
        String reference = schema.path("$ref").textValue();
        if (reference != null) {
            assertThat(errors(reference, json))
                    .as("%s: %s", request, answer.body())
                    .isEmpty();
        }
    }

    /** Validates JSON against a schema. OpenAPI 3.1 uses the schemas of JSON Schema 2020-12. */
    private static Set<?> errors(String reference, JsonNode json) {
        ObjectNode schema = AdminAnswer.MAPPER.createObjectNode();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("$ref", reference);
        schema.set("components", DOCUMENT.path("components"));
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(schema)
                .validate(json);
    }

    @Test
    void errors_ofAnAnswerWithAnotherShape_areFound() {
        ObjectNode wrong = AdminAnswer.MAPPER.createObjectNode().put("error", 1).put("more", true);
        assertThat(errors("#/components/schemas/Error", wrong)).hasSize(2);
    }

    @Test
    void pages_oneRowEach_haveEveryRowOnce() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder one = fixture.holder(1, "one").introduced();
                StateHolder two = fixture.holder(1, "two").introduced();
                StateHolder three = fixture.holder(0, "three").introduced()) {
            for (StateHolder holder : new StateHolder[] {one, two, three}) {
                for (String file : new String[] {"a", "b"}) {
                    assertThat(holder.open(file)).isZero();
                }
            }
            for (String table : new String[] {"clients", "opens", "connections"}) {
                Set<String> whole = new TreeSet<>();
                fixture.rows("/v1/" + table)
                        .forEach(row -> whole.add(row.path("id").asText()));
                assertThat(whole).hasSize(table.equals("opens") ? 6 : 3);
                Set<String> pieces = new TreeSet<>();
                String after = "";
                int pages = 0;
                while (after != null) {
                    JsonNode page = fixture.client.get("/v1/" + table + "?limit=1"
                            + (after.isEmpty() ? "" : "&after=" + after.replace(" ", "%20")));
                    page.path("rows").forEach(row -> pieces.add(row.path("id").asText()));
                    assertThat(page.path("rows")).hasSizeLessThanOrEqualTo(1);
                    after = page.path("next").textValue();
                    pages++;
                }
                assertThat(pieces).as(table).isEqualTo(whole);
                assertThat(pages).as(table).isEqualTo(whole.size());
            }
            assertThat(fixture.rows("/v1/opens?client=" + two.id())).hasSize(2);
        }
    }
}
