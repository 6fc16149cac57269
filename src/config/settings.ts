import { nodeRoles } from '../core/cluster/node.ts'
import { gpuSettings } from '../core/compute-device.ts'
import { addressSettings } from './address-settings.ts'
import { type LogFormat, logFormats, logLevels } from './config.ts'
import { databaseUrl } from './database-url.ts'
import { headerFields, headerNames } from './header-names.ts'
import { proxySettings } from './proxy/proxy-settings.ts'
import { bucketUrl } from './s3-url.ts'
import { type SettingDescription, type SettingGroup, setting, unset } from './setting.ts'
import { byteSize, duration, file, folder, folders, integer, names, oneOf, optional, secret, text, toggle, url } from './setting-kinds.ts'
import { signInSettings } from './sign-in-settings.ts'

const webUrl = optional(url('http:', 'https:'))

/**
 * Every setting there is. Flags, environment variables, the keys of the file, `--help`, `sepia config` and
 * docs/configuration.md all come from this table.
 */
export const settings = {
  ...addressSettings,

  data: setting('data', 'Storage', folder, './data', 'Folder for the database, outputs, secrets and pulled models.'),
  databaseUrl: setting(
    'database-url',
    'Storage',
    optional(databaseUrl),
    unset('a database inside `data`'),
    'PostgreSQL 15 or newer for accounts, tokens, requests and usage: `postgres://user:password@host/database`.',
  ),
  databaseUrlFile: setting('database-url-file', 'Storage', optional(file), unset('none'), 'File with the value of `database-url`.'),
  s3Url: setting(
    's3-url',
    'Storage',
    optional(bucketUrl),
    unset('files inside `data`'),
    'S3-compatible bucket for the outputs of all nodes: `https://key:secret@host/bucket`, with `?region=` if needed. It is created if it is missing.',
  ),
  s3SecretFile: setting(
    's3-secret-file',
    'Storage',
    optional(file),
    unset('none'),
    'File with the secret of `s3-url`, which is then `https://key@host/bucket`.',
  ),

  role: setting(
    'role',
    'Cluster',
    oneOf(...nodeRoles),
    'all',
    'What this node does in a cluster: `api` serves clients, `worker` computes, `all` does both.',
  ),
  clusterSecret: setting(
    'cluster-secret',
    'Cluster',
    optional(secret),
    unset('none'),
    'Secret shared by all nodes, at least 16 characters; required in a cluster without node certificates.',
  ),
  clusterSecretFile: setting('cluster-secret-file', 'Cluster', optional(file), unset('none'), 'File with the `cluster-secret`.'),
  nodeUrl: setting(
    'node-url',
    'Cluster',
    optional(url('http:', 'https:')),
    unset('any free port of `host`'),
    'Address at which other nodes reach this one, such as `http://10.0.0.5:8081`. Its port is separate from `port`.',
  ),

  nodeAuthorityFile: setting(
    'node-authority-file',
    'Cluster',
    optional(file),
    unset('none'),
    'File (PEM) with the certificate of the authority that signs only the nodes of this cluster. With the next two settings, nodes authenticate each other over TLS. Read again when it changes.',
  ),
  nodeCertificateFile: setting(
    'node-certificate-file',
    'Cluster',
    optional(file),
    unset('none'),
    "File (PEM) with this node's certificate, for servers and clients. Read again when it changes.",
  ),
  nodeKeyFile: setting('node-key-file', 'Cluster', optional(file), unset('none'), 'File (PEM) with the key of `node-certificate-file`.'),

  models: setting('models', 'Models', folders, { words: 'none', derive: () => [] }, 'Folders of models, besides the built-in ones.'),
  builtInModels: setting(
    'built-in-models',
    'Models',
    toggle,
    'on',
    'Whether the models that come with Sepia are installed; `off` leaves only your own.',
  ),
  defaultTextModel: setting(
    'default-text-model',
    'Models',
    optional(text),
    unset('such requests are refused'),
    'Text model for requests that leave out `model` or name one that is not installed. The response names it, with the header `X-Service-Warning` for the latter.',
  ),
  defaultImageModel: setting(
    'default-image-model',
    'Models',
    optional(text),
    unset('the first one that fits, built-in models last'),
    'Image model for requests that leave out the model; if it is set, it also draws for requests that name a `model` that is not installed.',
  ),
  pullHosts: setting(
    'pull-hosts',
    'Models',
    names,
    { words: 'none', derive: () => [] },
    'Hosts from which models may be pulled over http or from a private network.',
  ),
  hubUrl: {
    ...setting(
      'hub-url',
      'Models',
      url('http:', 'https:'),
      'https://huggingface.co',
      'Address of the hub for `hf:` names, or of a mirror.',
    ),
    customary: ['HF_ENDPOINT'],
  },
  hubToken: {
    ...setting('hub-token', 'Models', optional(secret), unset('none'), 'Access token for gated and private models of the hub.'),
    customary: ['HF_TOKEN'],
  },
  hubTokenFile: setting('hub-token-file', 'Models', optional(file), unset('none'), 'File with the value of `hub-token`.'),
  memory: setting(
    'memory',
    'Models',
    byteSize('64mb'),
    { words: 'three quarters of the memory', derive: ({ memoryBytes }) => Math.floor(memoryBytes * 0.75) },
    'Memory for all loaded models together; the least recently used are unloaded first.',
  ),
  idleUnload: setting('idle-unload', 'Models', duration('0', '365d'), '15m', 'Unload a model after this time without work; 0 means never.'),
  engineThreads: setting(
    'engine-threads',
    'Models',
    integer(1, 1024),
    {
      words: 'the physical cores, at most one less than all cores',
      derive: ({ cores, physicalCores = cores }) => Math.max(1, Math.min(physicalCores, cores - 1)),
    },
    'Processor threads shared by all models at work. One per core is slower as soon as anything else runs.',
  ),
  gpu: setting(
    'gpu',
    'Models',
    oneOf(...gpuSettings),
    'auto',
    'Device for models: `auto` uses what is available, `off` the processor; a named one must be available. `sepia devices` lists them.',
  ),
  gpuDevice: setting(
    'gpu-device',
    'Models',
    optional(integer(0, 255)),
    unset("the backend's first choice"),
    'Number of the GPU to use, from `sepia devices`.',
  ),
  textSlots: setting('text-slots', 'Models', integer(1, 256), '8', 'Requests that one text model works on at once.'),
  textQueue: setting('text-queue', 'Models', integer(0, 100_000), '128', 'Requests that may wait for each text model; more get 503.'),
  imageQueue: setting('image-queue', 'Models', integer(0, 100_000), '32', 'Requests that may wait for each image model; more get 503.'),

  asyncHeaders: setting(
    'async-headers',
    'Requests',
    headerNames,
    'x-octoai-async',
    'More headers that request asynchronous mode, besides `x-service-async`.',
  ),
  bodyLimit: setting(
    'body-limit',
    'Requests',
    byteSize('1kb'),
    '32mb',
    'Body limit of synchronous requests. Asynchronous requests have 10 MB; requests without work for a model have 16 KB.',
  ),
  bodyMemory: setting(
    'body-memory',
    'Requests',
    byteSize('16mb'),
    {
      words: 'a sixteenth of the memory, at most 256 MB',
      derive: ({ memoryBytes }) => Math.min(256 * 1024 ** 2, Math.max(64 * 1024 ** 2, Math.floor(memoryBytes / 16))),
    },
    'Bytes of all request bodies in the service, from their arrival until the response is sent; one account may use a quarter.',
  ),
  requestsPerMinute: setting(
    'requests-per-minute',
    'Requests',
    integer(0, 1_000_000),
    '0',
    'Requests per account and minute; 0 means no limit.',
  ),
  imagePixels: setting(
    'image-pixels',
    'Requests',
    integer(64 * 64, 1_000_000_000),
    '16777216',
    'Pixels of all images of one request; the default is 16 images of 1024 × 1024. More get 422.',
  ),
  waitLimit: setting('wait-limit', 'Requests', duration('1s', '1h'), '1m', 'How long a synchronous request may wait for a model.'),
  runLimit: setting('run-limit', 'Requests', duration('1s', '7d'), '15m', 'How long one run on a model may take.'),
  grace: setting('grace', 'Requests', duration('0', '1h'), '30s', 'How long a stopping service waits for running answers.'),
  widePenalties: setting(
    'wide-penalties',
    'Requests',
    toggle,
    'off',
    'Accept frequency and presence penalties of −2 to 2 instead of 0 to 1.',
  ),

  accountShare: setting(
    'account-share',
    'Accounts',
    integer(1, 100),
    '50',
    'Percentage of `text-queue`, `image-queue` and `queue` that one account may fill; more get 429.',
  ),
  accountStreams: setting('account-streams', 'Accounts', integer(1, 100_000), '256', 'Open streams per account; more get 429.'),
  accountPolls: setting('account-polls', 'Accounts', integer(1, 100_000), '256', 'Long polls at once per account; more get 429.'),
  accountEvents: setting(
    'account-events',
    'Accounts',
    integer(1, 100_000),
    '256',
    'Open event streams of asynchronous requests per account; more get 429.',
  ),

  accountTokens: setting(
    'account-tokens',
    'Accounts',
    integer(1, 100_000),
    '1000',
    'Usable access tokens per account; the console creates no more.',
  ),
  accountStorage: setting(
    'account-storage',
    'Accounts',
    byteSize('1mb'),
    '5gb',
    'Storage per account for asynchronous requests: waiting bodies and kept outputs; more get 429.',
  ),

  accountDocuments: setting(
    'account-documents',
    'Accounts',
    byteSize('1mb'),
    '1gb',
    'Storage per account for conversations, stored responses and chats, and batch files; more get 429.',
  ),

  requestLogKeys: setting(
    'request-log-keys',
    'Accounts',
    optional(file),
    unset('`request-log.keys` inside `data`'),
    'File with the keys of the request log; nodes of a cluster need the same file. `sepia log-key make` adds a key.',
  ),
  requestLogTime: setting(
    'request-log-time',
    'Accounts',
    duration('1h', '365d'),
    '7d',
    'Longest time that the request log may keep bodies.',
  ),
  requestLogBytes: setting(
    'request-log-bytes',
    'Accounts',
    byteSize('1mb'),
    '256mb',
    'Size of the request log per account; what exceeds it is dropped and counted.',
  ),

  accountAssets: setting(
    'account-assets',
    'Accounts',
    byteSize('1mb'),
    '20gb',
    'Storage per account for uploaded checkpoints, LoRAs and other weights; more get 429.',
  ),

  ...signInSettings,

  queue: setting('queue', 'Asynchronous requests', integer(1, 100_000_000), '20000', 'Pending requests at once; more get 503.'),
  queueLimit: setting('queue-limit', 'Asynchronous requests', duration('1s', '30d'), '24h', 'A request that is pending for longer fails.'),
  lease: setting(
    'lease',
    'Asynchronous requests',
    duration('1s', '1h'),
    '6s',
    'A running request is run again if its worker gives no sign of life for this long.',
  ),
  webhookPrivateTargets: setting(
    'webhook-private-targets',
    'Asynchronous requests',
    toggle,
    'off',
    'Allow webhooks to loopback and private addresses, also over http. Every account can then send to that network.',
  ),

  log: setting(
    'log',
    'Log',
    oneOf(...logFormats),
    { words: '`pretty` on a terminal, else `json`', derive: ({ terminal }): LogFormat => (terminal ? 'pretty' : 'json') },
    'Format of the log on standard error.',
  ),
  logLevel: setting('log-level', 'Log', oneOf(...logLevels), 'info', 'Lowest level to log.'),

  otlpUrl: setting(
    'otlp-url',
    'Signals',
    webUrl,
    unset('nowhere'),
    'OpenTelemetry collector for traces and metrics (OTLP over HTTP, JSON), such as `http://127.0.0.1:4318`.',
  ),
  otlpHeaders: setting(
    'otlp-headers',
    'Signals',
    optional(headerFields),
    unset('none'),
    'Headers for `otlp-url`, such as a key: `name=value`, separated by commas.',
  ),
  otlpInterval: setting('otlp-interval', 'Signals', duration('1s', '1h'), '30s', 'How often metrics are sent to `otlp-url`.'),

  ...proxySettings,
} as const

export const allSettings: readonly SettingDescription[] = Object.values(settings)

/** The settings group by group, in the table's order. */
export function groupedSettings(): readonly (readonly [SettingGroup, readonly SettingDescription[]])[] {
  return [...Map.groupBy(allSettings, ({ group }) => group)]
}
