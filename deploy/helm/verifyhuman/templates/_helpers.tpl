{{- define "verifyhuman.labels" -}}
app.kubernetes.io/name: verifyhuman
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "verifyhuman.selector" -}}
app.kubernetes.io/name: verifyhuman
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "verifyhuman.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "verifyhuman.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "verifyhuman.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* The environment of a process: role, public addresses, stores, and secrets as files. */}}
{{- define "verifyhuman.environment" -}}
- { name: VH_ENV, value: production }
- { name: VH_ROLES, value: {{ .role }} }
- { name: VH_SITE_URL, value: {{ .root.Values.siteUrl | quote }} }
- { name: VH_AUDIENCE_URL, value: {{ .root.Values.audienceUrl | quote }} }
- { name: VH_TRUSTED_PROXIES, value: {{ .root.Values.trustedProxies | quote }} }
- { name: VH_DRAIN_SECONDS, value: '10' }
- { name: VH_MASTER_KEY_FILE, value: /run/secrets/verifyhuman/master-key }
- { name: DATABASE_URL_FILE, value: /run/secrets/verifyhuman/database-url }
- { name: REDIS_URL_FILE, value: /run/secrets/verifyhuman/redis-url }
- { name: KAFKA_BROKERS, value: {{ .root.Values.kafkaBrokers | quote }} }
{{- if hasKey .root.Values.settings "KAFKA_SASL_USERNAME" }}
- { name: KAFKA_SASL_PASSWORD_FILE, value: /run/secrets/verifyhuman/kafka-sasl-password }
{{- end }}
{{- range $name, $value := .root.Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "verifyhuman.mounts" -}}
- { name: secrets, mountPath: /run/secrets/verifyhuman, readOnly: true }
- { name: temporary, mountPath: /tmp }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "verifyhuman.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.secretName }}, defaultMode: 288 }
- name: temporary
  emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Liveness asks whether the process lives, readiness whether calls had better go elsewhere. */}}
{{- define "verifyhuman.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: admin }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: admin }
  periodSeconds: 10
  timeoutSeconds: 3
readinessProbe:
  httpGet: { path: /trafficz, port: admin }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end }}
