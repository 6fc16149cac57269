{{- define "sepia.name" -}}
{{/* Names of services hold no dots. */}}{{ .Release.Name | replace "." "-" | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "sepia.secret" -}}
{{ .Values.existingSecret | default (include "sepia.name" .) }}
{{- end }}

{{- define "sepia.labels" -}}
app.kubernetes.io/name: sepia
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
