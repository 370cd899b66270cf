package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.cli.Main;
import org.warpnfs.server.settings.JsonText;
import org.warpnfs.server.settings.SettingsSchema;

/** Checks the Helm chart with Helm, and the rendered objects with a client's model. */
class ChartTest {
    private static final Path CHART = Path.of("helm", "warpnfs");
    private static final Path MANIFESTS = Path.of("kubernetes", "warpnfs.yaml");
    private static final Path GATEWAYS = Path.of("src", "test", "resources", "gateways.yaml");
    private static final String HEAD = """
            # The chart's defaults, rendered: helm template warpnfs deploy/helm/warpnfs.
            # Written by ChartTest with -Dwarpnfs.manifests=write.
            """;

    private static TemplateCommand template() {
        return new Helm(CHART).template().withName("warpnfs").withNamespace("default");
    }

    private static Container container(List<HasMetadata> objects) {
        return pod(objects).getContainers().getFirst();
    }

    private static PodSpec pod(List<HasMetadata> objects) {
        return StrictModel.only(objects, StatefulSet.class)
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    @Test
    void chart_linted_hasNoFault() {
        LintResult result = new Helm(CHART).lint().strict().call();
        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    }

    @Test
    void chart_atItsDefaults_isThePlainManifests() throws IOException {
        String rendered = HEAD + template().call();
        if ("write".equals(System.getProperty("warpnfs.manifests"))) {
            Files.writeString(MANIFESTS, rendered);
        }
        assertThat(MANIFESTS).as("write it anew with -Dwarpnfs.manifests=write").hasContent(rendered);
    }

    @Test
    void server_atTheDefaults_isStartedWithWordsThatItKnowsAndNoPrivilege() throws IOException {
        List<HasMetadata> objects = StrictModel.read(template().call());
        Container server = container(objects);
        assertThatCode(() -> Main.commandLine().parseArgs(server.getArgs().toArray(String[]::new)))
                .doesNotThrowAnyException();
        List<String> probe = server.getLivenessProbe().getExec().getCommand();
        assertThat(probe.getFirst()).isEqualTo("/usr/bin/warpnfs");
        assertThatCode(() -> Main.commandLine()
                        .parseArgs(probe.subList(1, probe.size()).toArray(String[]::new)))
                .doesNotThrowAnyException();
        assertThat(server.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(server.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(server.getSecurityContext().getCapabilities().getAdd()).isEmpty();
        assertThat(pod(objects).getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(server.getPorts()).extracting(ContainerPort::getName).containsExactly("nfs-rdma", "nfs", "metrics");
    }

    @Test
    void server_withoutMetrics_listensNowhereElse() throws IOException {
        Container server = container(
                StrictModel.read(template().set("metrics.enabled", false).call()));
        assertThat(server.getArgs()).doesNotContain("--http");
        assertThat(server.getPorts()).extracting(ContainerPort::getName).containsExactly("nfs-rdma", "nfs");
        assertThat(server.getLivenessProbe().getTcpSocket()).isNotNull();
    }

    /** A port that is off is neither listened on, nor named by any object, nor probed. */
    @Test
    void transport_thatIsOff_isNowhere(@TempDir Path directory) throws IOException {
        for (String off : List.of("rdma", "tcp")) {
            String name = off.equals("rdma") ? "nfs-rdma" : "nfs";
            String other = off.equals("rdma") ? "nfs" : "nfs-rdma";
            String gateways = "volumes: []\nceph: {secret: files}\ngateways: {count: 2, cluster: blue}\n";
            for (String more : List.of("", "metrics: {enabled: false}\n", gateways)) {
                Path file =
                        Files.writeString(directory.resolve("values.yaml"), "service: {" + off + "Port: off}\n" + more);
                String rendered = template().withValuesFile(file).call();
                assertThat(rendered).doesNotContainPattern("(port|name|targetPort): " + name + "\\b(?!-)");
                List<HasMetadata> objects = StrictModel.read(rendered);
                Container server = container(objects);
                assertThat(server.getArgs()).containsSubsequence("--" + off + "-port", "off");
                assertThatCode(() ->
                                Main.commandLine().parseArgs(server.getArgs().toArray(String[]::new)))
                        .doesNotThrowAnyException();
                assertThat(server.getPorts())
                        .extracting(ContainerPort::getName)
                        .contains(other)
                        .doesNotContain(name);
                assertThat(objects)
                        .filteredOn(Service.class::isInstance)
                        .isNotEmpty()
                        .allSatisfy(service -> assertThat(
                                        ((Service) service).getSpec().getPorts())
                                .anySatisfy(port -> assertThat(port.getName()).isEqualTo(other)));
            }
        }
    }

    @Test
    void server_asCallers_hasTheCapabilitiesForThat() throws IOException {
        List<HasMetadata> objects =
                StrictModel.read(template().set("asCallers", true).call());
        assertThat(container(objects).getSecurityContext().getCapabilities().getAdd())
                .containsExactly("DAC_READ_SEARCH", "SETUID", "SETGID", "CHOWN", "FOWNER");
        assertThat(pod(objects).getSecurityContext().getRunAsUser()).isZero();
    }

    @Test
    void stop_isGivenMoreTimeThanTheDrainTakes() throws IOException {
        PodSpec pod = pod(StrictModel.read(template().call()));
        assertThat(pod.getTerminationGracePeriodSeconds()).isGreaterThan(10 + 20 + 3);
    }

    @Test
    void stop_drainsTheServerFirst_byACommandThatItKnowsAndThatFindsIt() throws IOException {
        Container server = container(StrictModel.read(template().call()));
        assertThat(server.getEnv())
                .filteredOn(variable -> variable.getName().equals("WARPNFS_STATE"))
                .extracting(EnvVar::getValue)
                .containsExactly(server.getArgs().get(server.getArgs().indexOf("--state") + 1));
        List<String> stop = server.getLifecycle().getPreStop().getExec().getCommand();
        assertThat(stop)
                .as("the image has no sleep")
                .containsExactly("/usr/bin/warpnfs", "drain", "--after", "3", "--wait", "20");
        assertThatCode(() -> Main.commandLine()
                        .parseArgs(stop.subList(1, stop.size()).toArray(String[]::new)))
                .doesNotThrowAnyException();
    }

    @Test
    void exports_changed_areWhatTheServerReads() throws IOException {
        List<HasMetadata> objects =
                StrictModel.read(template().set("exports", "/a 10.0.0.0/8(rw)").call());
        assertThat(StrictModel.only(objects, ConfigMap.class).getData().get("exports"))
                .isEqualTo("/a 10.0.0.0/8(rw)\n");
    }

    /** Helm writes the settings with the booleans that YAML 1.1 reads from on and off. */
    @Test
    void config_ofTheValues_isReadByTheServer_andAChangeIsOneOfThePod(@TempDir Path directory) throws IOException {
        List<HasMetadata> objects = StrictModel.read(template()
                .withValuesFile(Path.of("src", "test", "resources", "everything.yaml"))
                .call());
        Path file = directory.resolve("warpnfs.yaml");
        Files.writeString(
                file, StrictModel.only(objects, ConfigMap.class).getData().get("warpnfs.yaml"));
        assertThat(container(objects).getArgs()).startsWith("serve", "--config", "/etc/warpnfs/warpnfs.yaml");
        assertThat(Checked.settings(file))
                .containsEntry("lease", "60000")
                .containsEntry("crc", "on")
                .containsEntry("markers", "false")
                .containsEntry("limits.connections.most", "256")
                .containsEntry("limits.memory.payloadBytes", "536870912");
        assertThat(checksum(objects))
                .isNotEqualTo(checksum(StrictModel.read(template().call())))
                .hasSize(64);
    }

    private static String checksum(List<HasMetadata> objects) {
        return StrictModel.only(objects, StatefulSet.class)
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .get("checksum/config");
    }

    @Test
    void config_ofTheValues_hasTheSchemaOfTheServer_butForWhatTheChartDecides() throws IOException {
        ObjectNode settings =
                (ObjectNode) StrictModel.tree(SettingsSchema.text()).get("properties");
        settings.remove(List.of("export", "exports", "watchExports", "listen", "rdmaPort", "tcpPort", "state", "http"));
        Path schema = CHART.resolve("values.schema.json");
        ObjectNode values = (ObjectNode) StrictModel.tree(Files.readString(schema));
        ObjectNode config = (ObjectNode) values.at("/properties/config");
        if ("write".equals(System.getProperty("warpnfs.manifests"))) {
            config.set("properties", settings);
            Files.writeString(
                    schema,
                    JsonText.of(new ObjectMapper().convertValue(values, new TypeReference<Map<String, Object>>() {})));
        }
        assertThat(config.get("additionalProperties").asBoolean()).isFalse();
        assertThat(config.get("properties"))
                .as("write it anew with -Dwarpnfs.manifests=write")
                .isEqualTo(settings);
    }

    @Test
    void everything_switchedOn_isKnownToTheModel() throws IOException {
        List<HasMetadata> objects = StrictModel.read(template()
                .withValuesFile(Path.of("src", "test", "resources", "everything.yaml"))
                .call());
        assertThat(StrictModel.only(objects, ServiceMonitor.class)
                        .getSpec()
                        .getEndpoints()
                        .getFirst()
                        .getPath())
                .isEqualTo("/metrics");
        assertThat(StrictModel.only(objects, NetworkPolicy.class).getSpec().getIngress())
                .hasSize(2);
        assertThat(StrictModel.only(objects, PodDisruptionBudget.class)
                        .getSpec()
                        .getMaxUnavailable()
                        .getIntVal())
                .isZero();
        StatefulSet set = StrictModel.only(objects, StatefulSet.class);
        assertThat(set.getSpec().getVolumeClaimTemplates())
                .extracting(claim -> claim.getMetadata().getName())
                .containsExactly("state", "projects");
        assertThat(container(objects).getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/projects", "/scratch", "/state", "/etc/warpnfs");
    }

    @Test
    void gateways_withAClaim_keepInItWhatTheyShare() throws IOException {
        List<HasMetadata> objects = StrictModel.read(template()
                .withValuesFile(GATEWAYS)
                .set("gateways.claim", "shared")
                .call());
        assertThat(container(objects).getArgs())
                .containsSubsequence("--cluster", "blue", "--node", "$(POD_NAME)", "--cluster-directory", "/cluster");
        assertThat(container(objects).getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/etc/ceph", "/cluster", "/state");
        assertThat(pod(objects).getVolumes())
                .filteredOn(volume -> volume.getName().equals("cluster"))
                .extracting(volume -> volume.getPersistentVolumeClaim().getClaimName())
                .containsExactly("shared");
    }

    @Test
    void gateways_ofCeph_haveAnAddressEach_theirNameFromThePod_andTheKeyOfTheCluster() throws IOException {
        List<HasMetadata> objects =
                StrictModel.read(template().withValuesFile(GATEWAYS).call());
        StatefulSet set = StrictModel.only(objects, StatefulSet.class);
        assertThat(set.getSpec().getReplicas()).isEqualTo(3);
        assertThat(set.getSpec().getPodManagementPolicy()).isEqualTo("Parallel");
        assertThat(set.getSpec().getVolumeClaimTemplates())
                .extracting(claim -> claim.getMetadata().getName())
                .containsExactly("state");
        Container server = container(objects);
        List<String> words = server.getArgs();
        assertThat(words)
                .containsSubsequence("--backend", "ceph", "--ceph-conf", "/etc/ceph/ceph.conf", "--ceph-id", "files")
                .containsSubsequence("--ceph-filesystem", "main")
                .containsSubsequence("--cluster", "blue", "--node", "$(POD_NAME)")
                .as("what they share is in Ceph")
                .doesNotContain("--cluster-directory");
        assertThatCode(() -> Main.commandLine().parseArgs(words.toArray(String[]::new)))
                .doesNotThrowAnyException();
        assertThat(server.getEnv())
                .filteredOn(variable -> variable.getName().equals("POD_NAME"))
                .extracting(variable -> variable.getValueFrom().getFieldRef().getFieldPath())
                .containsExactly("metadata.name");
        assertThat(server.getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/etc/ceph", "/state")
                .doesNotContain("/cluster");
        assertThat(pod(objects).getVolumes())
                .filteredOn(volume -> volume.getName().equals("ceph"))
                .extracting(volume -> volume.getSecret().getSecretName())
                .containsExactly("ceph-files");
        assertThat(objects)
                .filteredOn(object -> object instanceof Service service
                        && "LoadBalancer".equals(service.getSpec().getType()))
                .map(object -> (Service) object)
                .extracting(
                        service -> service.getMetadata().getName(),
                        service -> service.getSpec().getLoadBalancerIP(),
                        service -> service.getSpec().getExternalTrafficPolicy(),
                        service -> service.getSpec().getSelector().get("statefulset.kubernetes.io/pod-name"))
                .containsExactly(
                        tuple("warpnfs-0", "192.0.2.1", "Local", "warpnfs-0"),
                        tuple("warpnfs-1", "192.0.2.2", "Local", "warpnfs-1"),
                        tuple("warpnfs-2", null, "Local", "warpnfs-2"));
    }

    /** The operator loads the same rules that the server's DashboardsTest compares with its metrics. */
    @Test
    void prometheusRule_isWhatPrometheusReadsWithoutAnOperator() throws IOException {
        assertThat(CHART.resolve("files").resolve("rules.yml"))
                .hasSameTextualContentAs(Path.of("prometheus", "rules.yml"));
        List<HasMetadata> objects = StrictModel.read(template()
                .withValuesFile(Path.of("src", "test", "resources", "everything.yaml"))
                .call());
        JsonNode rendered = new ObjectMapper()
                .valueToTree(StrictModel.only(objects, PrometheusRule.class).getSpec());
        JsonNode written =
                new YAMLMapper().readTree(Path.of("prometheus", "rules.yml").toFile());
        assertThat(expressions(rendered)).hasSizeGreaterThan(15).isEqualTo(expressions(written));
        assertThat(rendered.findValuesAsText("summary")).isEqualTo(written.findValuesAsText("summary"));
    }

    private static List<String> expressions(JsonNode rules) {
        return rules.findValuesAsText("expr").stream().map(String::strip).toList();
    }

    @Test
    void values_misspelt_areRefused() {
        Map.of("replicas", 2, "service.rdmaport", 1, "metrics.port", 70_000, "asCallers", "maybe", "config.laese", 60)
                .forEach((name, value) -> assertThatThrownBy(
                                () -> template().set(name, value).call())
                        .as(name)
                        .hasMessageContaining("schema"));
    }

    /** Without the check each of them would render a pod that never starts, or that is killed during its drain. */
    @Test
    void values_thatDoNotGoTogether_areRefusedWithAWordOfWhy(@TempDir Path directory) throws IOException {
        String first = "{name: a, path: /export, size: 1Gi}";
        Map<String, String> wrong = Map.ofEntries(
                entry("drainSeconds: 300", "terminationGracePeriodSeconds is 60"),
                entry("metrics: {port: 2049}", "metrics.port is 2049"),
                entry("service: {rdmaPort: off, tcpPort: off}", "nothing would be served"),
                entry("service: {rdmaPort: no-port}", "schema"),
                entry("volumes: [{name: state, path: /export, size: 1Gi}]", "the name state is taken"),
                entry("volumes: [" + first + ", {name: a, path: /b, size: 1Gi}]", "the name a is taken"),
                entry(
                        "volumes: [" + first + ", {name: b, path: /export/, size: 1Gi}]",
                        "the path /export/ of b is taken"),
                entry("volumes: [{name: a, path: /, size: 1Gi}]", "the path of a is /"),
                entry("volumes: [{name: a, path: /export, existingClaim: ''}]", "schema"),
                entry("volumes: null", "volumes is required"),
                entry("state: null", "state is required"),
                entry("exports: null", "exports is required"),
                entry("ceph: {secret: ceph-files}", "volumes has to be []"),
                entry("volumes: []", "nothing to export"),
                entry("gateways: {count: 3}", "gateways.cluster has to name"),
                entry("gateways: {cluster: blue}", "gateways.claim has to name"),
                entry("gateways: {claim: shared}", "without gateways.cluster"),
                entry("gateways: {cluster: blue, claim: shared}", "export has no existingClaim"),
                entry("gateways: {addresses: [10.0.0.1, 10.0.0.2]}", "2 addresses for 1 gateways"),
                entry(
                        "{service: {clusterIP: 10.0.0.1}, gateways: {cluster: blue, claim: shared}}",
                        "service.clusterIP is set"));
        for (Map.Entry<String, String> values : wrong.entrySet()) {
            Path file = Files.writeString(directory.resolve("values.yaml"), values.getKey() + "\n");
            assertThatThrownBy(() -> template().withValuesFile(file).call())
                    .as(values.getKey())
                    .hasMessageContaining(values.getValue());
        }
    }

    /** A first line that begins with blanks belongs to exports(5), and is not indentation of YAML. */
    @Test
    void exports_thatBeginWithBlanks_areWhatTheServerReads(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("values.yaml"), "exports: \"  # who\\n/a *(rw)\"\n");
        List<HasMetadata> objects =
                StrictModel.read(template().withValuesFile(file).call());
        assertThat(StrictModel.only(objects, ConfigMap.class).getData().get("exports"))
                .isEqualTo("  # who\n/a *(rw)\n");
    }

    /** WarpnfsDown selects the job by its name, which is the Service's name unless the monitor sets another. */
    @Test
    void job_ofTheMonitor_isTheOneTheRulesLookFor_whateverTheReleaseIsCalled() throws IOException {
        List<HasMetadata> objects = StrictModel.read(template()
                .withName("storage")
                .withValuesFile(Path.of("src", "test", "resources", "everything.yaml"))
                .call());
        String label = StrictModel.only(objects, ServiceMonitor.class).getSpec().getJobLabel();
        assertThat(objects)
                .filteredOn(object -> object instanceof Service
                        && object.getMetadata().getName().endsWith("-pods"))
                .singleElement()
                .satisfies(service ->
                        assertThat(service.getMetadata().getLabels().get(label)).matches("warpnfs.*"));
    }

    @Test
    void model_wordThatKubernetesDoesNotKnow_isFound() {
        String misspelt = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{prot: 1}]}\n";
        assertThatThrownBy(() -> StrictModel.read(misspelt))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("prot");
    }

    @Test
    void examples_mountByRdma() throws IOException {
        List<HasMetadata> volume = StrictModel.read(Files.readString(CHART.resolve("examples/persistentvolume.yaml")));
        assertThat(StrictModel.only(volume, PersistentVolume.class).getSpec().getMountOptions())
                .contains("proto=rdma", "port=20049");
        List<HasMetadata> storage = StrictModel.read(Files.readString(CHART.resolve("examples/storageclass.yaml")));
        assertThat(StrictModel.only(storage, StorageClass.class).getMountOptions())
                .contains("proto=rdma", "port=20049");
    }
}
