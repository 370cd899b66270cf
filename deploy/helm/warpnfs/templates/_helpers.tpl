{{- define "warpnfs.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "warpnfs.selector" -}}
app.kubernetes.io/name: warpnfs
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "warpnfs.labels" -}}
{{ include "warpnfs.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Whether the server listens for RDMA, and for TCP: "true" or nothing. YAML reads the word off as false. */}}
{{- define "warpnfs.rdma" -}}
{{- if not (has (toString .Values.service.rdmaPort) (list "off" "false")) }}true{{ end -}}
{{- end }}
{{- define "warpnfs.tcp" -}}
{{- if not (has (toString .Values.service.tcpPort) (list "off" "false")) }}true{{ end -}}
{{- end }}

{{/* What the schema cannot say: values that do not go together. */}}
{{- define "warpnfs.checkValues" -}}
{{- $stop := add .Values.preStopSeconds .Values.drainSeconds 10 | int -}}
{{- if le (int .Values.terminationGracePeriodSeconds) $stop -}}
{{- fail (printf "terminationGracePeriodSeconds is %d: it has to be more than preStopSeconds, drainSeconds and 10 together, which is %d" (int .Values.terminationGracePeriodSeconds) $stop) -}}
{{- end -}}
{{- if and .Values.metrics.enabled (has (int .Values.metrics.port) (list 2049 20049)) -}}
{{- fail (printf "metrics.port is %d, which is the server's port for NFS" (int .Values.metrics.port)) -}}
{{- end -}}
{{- if not (or (include "warpnfs.rdma" .) (include "warpnfs.tcp" .)) -}}
{{- fail "service.rdmaPort and service.tcpPort are off: nothing would be served" -}}
{{- end -}}
{{- if and .Values.ceph.secret .Values.volumes -}}
{{- fail "ceph.secret is set, so the exports are directories of CephFS: volumes has to be []" -}}
{{- end -}}
{{- if not (or .Values.ceph.secret .Values.volumes) -}}
{{- fail "there is nothing to export: neither volumes nor ceph.secret" -}}
{{- end -}}
{{- $gateways := .Values.gateways -}}
{{- if and (gt (int $gateways.count) 1) (not $gateways.cluster) -}}
{{- fail (printf "gateways.count is %d: gateways.cluster has to name their cluster" (int $gateways.count)) -}}
{{- end -}}
{{- if and $gateways.cluster (not $gateways.claim) (not .Values.ceph.secret) -}}
{{- fail "gateways.cluster is set: gateways.claim has to name a claim that all gateways can mount" -}}
{{- end -}}
{{- if and $gateways.claim (not $gateways.cluster) -}}
{{- fail "gateways.claim is set without gateways.cluster" -}}
{{- end -}}
{{- if and $gateways.cluster .Values.service.clusterIP -}}
{{- fail "service.clusterIP is set, but each gateway has an address of its own: gateways.addresses" -}}
{{- end -}}
{{- if gt (len $gateways.addresses) (int $gateways.count) -}}
{{- fail (printf "gateways.addresses has %d addresses for %d gateways" (len $gateways.addresses) (int $gateways.count)) -}}
{{- end -}}
{{- $names := dict "state" true "exports" true "ceph" true "cluster" true -}}
{{- $paths := dict "/state" true "/etc/warpnfs" true "/etc/ceph" true "/cluster" true -}}
{{- range .Values.volumes -}}
{{- $path := clean .path -}}
{{- if hasKey $names .name -}}
{{- fail (printf "volumes: the name %s is taken: by another volume, or by the chart's own, state, exports, ceph and cluster" .name) -}}
{{- end -}}
{{- if hasKey $paths $path -}}
{{- fail (printf "volumes: the path %s of %s is taken: by another volume, or by the chart's own, /state, /etc/warpnfs, /etc/ceph and /cluster" .path .name) -}}
{{- end -}}
{{- if and $gateways.cluster (not .existingClaim) -}}
{{- fail (printf "volumes: %s has no existingClaim, so each gateway would serve files of its own" .name) -}}
{{- end -}}
{{- if eq $path "/" -}}
{{- fail (printf "volumes: the path of %s is /, where the server itself is" .name) -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- $_ := set $paths $path true -}}
{{- end -}}
{{- end }}
