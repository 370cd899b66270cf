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
