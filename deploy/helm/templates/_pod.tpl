{{/* What pods of both roles have in common. Takes root, role and part (the values of the role). */}}
{{- define "sepia.pod" -}}
{{- $root := .root -}}
# A service named sepia would put SEPIA_PORT into the environment, which is a setting of the program.
enableServiceLinks: false
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ add .part.graceSeconds 30 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .part.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .part.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "sepia.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
containers:
  - name: sepia
    image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    ports:
      - { name: http, containerPort: 8080 }
      {{- if eq .role "worker" }}
      - { name: nodes, containerPort: 8081 }
      {{- end }}
    env:
      - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
      - { name: SEPIA_ROLE, value: {{ .role }} }
      - { name: SEPIA_DATABASE_URL_FILE, value: /run/sepia/database-url }
      - { name: SEPIA_S3_URL, value: {{ required "s3Url is the bucket of all nodes: https://key@host/bucket" $root.Values.s3Url | quote }} }
      - { name: SEPIA_S3_SECRET_FILE, value: /run/sepia/s3-secret }
      - { name: SEPIA_CLUSTER_SECRET_FILE, value: /run/sepia/cluster-secret }
      {{- if $root.Values.nodeCertificateSecret }}
      - { name: SEPIA_NODE_AUTHORITY_FILE, value: /run/sepia-node/ca.crt }
      - { name: SEPIA_NODE_CERTIFICATE_FILE, value: /run/sepia-node/tls.crt }
      - { name: SEPIA_NODE_KEY_FILE, value: /run/sepia-node/tls.key }
      {{- end }}
      - { name: SEPIA_GRACE, value: "{{ .part.graceSeconds }}s" }
      {{- if eq .role "worker" }}
      - { name: SEPIA_NODE_URL, value: "{{ if $root.Values.nodeCertificateSecret }}https{{ else }}http{{ end }}://$(POD_IP):8081" }
      - { name: SEPIA_MEMORY, value: {{ .part.modelMemory | quote }} }
      {{- with .part.models.folders }}
      - { name: SEPIA_MODELS, value: {{ . | quote }} }
      {{- end }}
      {{- end }}
      {{- with $root.Values.publicUrl }}
      - { name: SEPIA_PUBLIC_URL, value: {{ . | quote }} }
      {{- end }}
      {{- range $name, $value := $root.Values.settings }}
      - { name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }} }
      {{- end }}
    # A model is loaded by the first request, not at the start, so that a start takes seconds.
    startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
    livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
    readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 2 }
    # Requests still come for a moment after the pod has left its service; until then it goes on as before.
    lifecycle: { preStop: { exec: { command: [sleep, "8"] } } }
    resources: {{ toYaml .part.resources | nindent 6 }}
    volumeMounts:
      - { name: secrets, mountPath: /run/sepia, readOnly: true }
      {{- if $root.Values.nodeCertificateSecret }}
      - { name: node-certificate, mountPath: /run/sepia-node, readOnly: true }
      {{- end }}
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      {{- if eq .role "worker" }}
      {{- with .part.models.mounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      {{- end }}
volumes:
  - name: secrets
    secret: { secretName: {{ include "sepia.secret" $root }}, defaultMode: 0440 }
  {{- with $root.Values.nodeCertificateSecret }}
  - name: node-certificate
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
  - { name: tmp, emptyDir: { sizeLimit: 1Gi } }
  {{- if eq .role "api" }}
  - { name: data, emptyDir: { sizeLimit: 1Gi } }
  {{- else }}
  {{- with .part.models.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- end }}
