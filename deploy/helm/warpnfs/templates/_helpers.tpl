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

{{/* What the schema cannot say: values that do not go together. */}}
{{- define "warpnfs.checkValues" -}}
{{- $stop := add .Values.preStopSeconds .Values.drainSeconds 10 | int -}}
{{- if le (int .Values.terminationGracePeriodSeconds) $stop -}}
{{- fail (printf "terminationGracePeriodSeconds is %d: it has to be more than preStopSeconds, drainSeconds and 10 together, which is %d" (int .Values.terminationGracePeriodSeconds) $stop) -}}
{{- end -}}
{{- if and .Values.metrics.enabled (has (int .Values.metrics.port) (list 2049 20049)) -}}
{{- fail (printf "metrics.port is %d, which is the server's port for NFS" (int .Values.metrics.port)) -}}
{{- end -}}
{{- $names := dict "state" true "exports" true -}}
{{- $paths := dict "/state" true "/etc/warpnfs" true -}}
{{- range .Values.volumes -}}
{{- $path := clean .path -}}
{{- if hasKey $names .name -}}
{{- fail (printf "volumes: the name %s is taken: by another volume, or by the chart's own, state and exports" .name) -}}
{{- end -}}
{{- if hasKey $paths $path -}}
{{- fail (printf "volumes: the path %s of %s is taken: by another volume, or by the chart's own, /state and /etc/warpnfs" .path .name) -}}
{{- end -}}
{{- if eq $path "/" -}}
{{- fail (printf "volumes: the path of %s is /, where the server itself is" .name) -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- $_ := set $paths $path true -}}
{{- end -}}
{{- end }}
