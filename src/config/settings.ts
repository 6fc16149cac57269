import { nodeRoles } from '../core/cluster/node.ts'
import { gpuSettings } from '../core/compute-device.ts'
import { type LogFormat, logFormats, logLevels } from './config.ts'
import { databaseUrl } from './database-url.ts'
import { headerFields } from './header-fields.ts'
import { headerNames } from './header-names.ts'
import { proxySettings } from './proxy/proxy-settings.ts'
import { bucketUrl } from './s3-url.ts'
import { type SettingDescription, type SettingGroup, setting, unset } from './setting.ts'
import { byteSize, duration, file, folder, folders, integer, names, oneOf, optional, secret, text, toggle, url } from './setting-kinds.ts'
import { signInSettings } from './sign-in-settings.ts'
import { trustedProxies } from './trusted-proxies.ts'

const webUrl = optional(url('http:', 'https:'))

/**
 * Every setting there is. Flags, environment variables, the keys of the file, `--help`, `sepia config` and
 * docs/configuration.md all come from this table.
 */
export const settings = {
  host: setting('host', 'Address', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` for every network.'),
  port: setting('port', 'Address', integer(0, 65_535), '8080', 'Port to listen on; 0 for any free one.'),
  publicUrl: setting('public-url', 'Address', webUrl, unset('the listening address'), 'Origin of every link that is printed or answered.'),
  imageUrl: setting(
    'image-url',
    'Address',
    webUrl,
    unset('`public-url`'),
    'Origin under which clients reach the image endpoints, as the API document and examples name it.',
  ),
  asyncUrl: setting(
    'async-url',
    'Address',
    webUrl,
    unset('`public-url`'),
    'Origin of every `poll_url` and `response_url`, and of those endpoints in the API document.',
  ),
  textUrl: setting(
    'text-url',
    'Address',
    webUrl,
    unset('`public-url`'),
    'Origin under which clients reach the text endpoints, as the API document and examples name it.',
  ),
  allowedHosts: setting(
    'allowed-hosts',
    'Address',
    names,
    { words: 'none', derive: () => [] },
    'Host names under which browsers may open the console, besides the listening address and `public-url`.',
  ),
  trustedProxies: setting(
    'trusted-proxies',
    'Address',
    trustedProxies,
    { words: 'none', derive: () => [] },
    'Addresses or ranges of the proxies whose `X-Forwarded-For` is believed; `loopback`, `linklocal` and `uniquelocal` are names of ranges.',
  ),
  connectionsPerAddress: setting(
    'connections-per-address',
    'Address',
    integer(0, 1_000_000),
    '1000',
    'Connections at once from one address, or requests at once of one client behind a trusted proxy; more get 429. 0 for no limit.',
  ),

  data: setting('data', 'Storage', folder, './data', 'Folder of the database, the outputs and the secrets.'),
  databaseUrl: setting(
    'database-url',
    'Storage',
    optional(databaseUrl),
    unset('a database inside `data`'),
    'PostgreSQL 15 or newer for accounts, tokens, requests and usage: `postgres://user:password@host/database`.',
  ),
  databaseUrlFile: setting('database-url-file', 'Storage', optional(file), unset('none'), 'File that holds the address of `database-url`.'),
  s3Url: setting(
    's3-url',
    'Storage',
    optional(bucketUrl),
    unset('files inside `data`'),
    'S3-compatible bucket for the outputs of all nodes: `https://key:secret@host/bucket`, with `?region=` where it matters. It is made when it is missing.',
  ),
  s3SecretFile: setting(
    's3-secret-file',
    'Storage',
    optional(file),
    unset('none'),
    'File that holds the secret of `s3-url`, which is then `https://key@host/bucket`.',
  ),

  role: setting(
    'role',
    'Cluster',
    oneOf(...nodeRoles),
    'all',
    'What this node does where several share one `database-url` and `s3-url`: `api` answers clients, `worker` computes, `all` does both.',
  ),
  clusterSecret: setting(
    'cluster-secret',
    'Cluster',
    optional(secret),
    unset('none'),
    'What all nodes know and nobody else, at least 16 characters; needed in a cluster whose nodes have no certificates.',
  ),
  clusterSecretFile: setting('cluster-secret-file', 'Cluster', optional(file), unset('none'), 'File that holds the `cluster-secret`.'),
  nodeUrl: setting(
    'node-url',
    'Cluster',
    optional(url('http:', 'https:')),
    unset('any free port of `host`'),
    'Address under which other nodes ask this one for slots of its models, such as `http://10.0.0.5:8081`; its port is listened on, apart from `port`.',
  ),

  nodeAuthorityFile: setting(
    'node-authority-file',
    'Cluster',
    optional(file),
    unset('none'),
    'File (PEM) with the certificate of the authority that signs the nodes of this cluster and nobody else; with the next two, nodes talk over TLS and know each other by certificates. Read again when it changes.',
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
  pullHosts: setting(
    'pull-hosts',
    'Models',
    names,
    { words: 'none', derive: () => [] },
    'Hosts that models may be pulled from by plain http and from private networks.',
  ),
  hubUrl: {
    ...setting('hub-url', 'Models', url('http:', 'https:'), 'https://huggingface.co', 'The hub that `hf:` names mean, or a mirror of it.'),
    customary: ['HF_ENDPOINT'],
  },
  hubToken: {
    ...setting('hub-token', 'Models', optional(secret), unset('none'), 'Access token for gated and private models of the hub.'),
    customary: ['HF_TOKEN'],
  },
  hubTokenFile: setting('hub-token-file', 'Models', optional(file), unset('none'), 'File that holds the access token of `hub-token`.'),
  memory: setting(
    'memory',
    'Models',
    byteSize('64mb'),
    { words: 'three quarters of the memory', derive: ({ memoryBytes }) => Math.floor(memoryBytes * 0.75) },
    'What all loaded models together may use; the longest unused are unloaded first.',
  ),
  idleUnload: setting('idle-unload', 'Models', duration('0', '365d'), '15m', 'Unload a model after so long without work; 0 for never.'),
  engineThreads: setting(
    'engine-threads',
    'Models',
    integer(1, 1024),
    {
      words: 'the physical cores, but one less than all cores',
      derive: ({ cores, physicalCores = cores }) => Math.max(1, Math.min(physicalCores, cores - 1)),
    },
    'Threads that models compute with on the processor; those at work share them. As many as cores is slower as soon as anything else runs.',
  ),
  gpu: setting(
    'gpu',
    'Models',
    oneOf(...gpuSettings),
    'auto',
    'What models compute on: a named graphics interface must be there, `auto` takes what is, `off` the processor. `sepia devices` lists them.',
  ),
  gpuDevice: setting(
    'gpu-device',
    'Models',
    optional(integer(0, 255)),
    unset("the backend's first choice"),
    'Which of several GPUs, by its number in `sepia devices`.',
  ),
  textSlots: setting('text-slots', 'Models', integer(1, 256), '8', 'Sequences a text model works on at once.'),
  textQueue: setting(
    'text-queue',
    'Models',
    integer(0, 100_000),
    '128',
    'Requests that may wait for a slot, per text model; more get 503.',
  ),
  imageQueue: setting(
    'image-queue',
    'Models',
    integer(0, 100_000),
    '32',
    'Requests that may wait for their turn, per image model; more get 503.',
  ),

  asyncHeaders: setting(
    'async-headers',
    'Requests',
    headerNames,
    'x-octoai-async',
    'More header names that ask for asynchronous mode, besides `x-service-async`.',
  ),
  bodyLimit: setting(
    'body-limit',
    'Requests',
    byteSize('1kb'),
    '32mb',
    'Body limit of synchronous requests; asynchronous ones have 10 MB, and requests that start no work on a model 16 KB.',
  ),
  bodyMemory: setting(
    'body-memory',
    'Requests',
    byteSize('16mb'),
    {
      words: 'a sixteenth of the memory, at most 256 MB',
      derive: ({ memoryBytes }) => Math.min(256 * 1024 ** 2, Math.max(64 * 1024 ** 2, Math.floor(memoryBytes / 16))),
    },
    'Bytes of bodies that may be in the service at once, from their arrival until their answer is out; an account may have a quarter.',
  ),
  requestsPerMinute: setting(
    'requests-per-minute',
    'Requests',
    integer(0, 1_000_000),
    '0',
    'Requests per account and minute; 0 for no limit.',
  ),
  imagePixels: setting(
    'image-pixels',
    'Requests',
    integer(64 * 64, 1_000_000_000),
    '16777216',
    'Pixels of one request, over all its pictures: by default 16 of 1024 × 1024; more get 422.',
  ),
  waitLimit: setting('wait-limit', 'Requests', duration('1s', '1h'), '1m', 'How long a request whose client waits may wait for a slot.'),
  runLimit: setting('run-limit', 'Requests', duration('1s', '7d'), '15m', 'How long one run on a model may take, synchronous or not.'),
  grace: setting('grace', 'Requests', duration('0', '1h'), '30s', 'How long a stop waits for answers in progress.'),
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
    'Percent of `text-queue`, `image-queue` and `queue` that the waiting requests of one account may fill; more get 429.',
  ),
  accountStreams: setting(
    'account-streams',
    'Accounts',
    integer(1, 100_000),
    '256',
    'Streams that one account may have open at once; more get 429.',
  ),
  accountPolls: setting(
    'account-polls',
    'Accounts',
    integer(1, 100_000),
    '256',
    'Long polls that one account may have waiting at once; more get 429.',
  ),
  accountEvents: setting(
    'account-events',
    'Accounts',
    integer(1, 100_000),
    '256',
    'Event streams of asynchronous requests that one account may have open at once; more get 429.',
  ),

  accountTokens: setting(
    'account-tokens',
    'Accounts',
    integer(1, 100_000),
    '1000',
    'Access tokens of one account that can be used; the console makes no more.',
  ),
  accountStorage: setting(
    'account-storage',
    'Accounts',
    byteSize('1mb'),
    '5gb',
    'What the asynchronous requests of one account may store: bodies that wait and outputs that are kept; more get 429.',
  ),

  accountDocuments: setting(
    'account-documents',
    'Accounts',
    byteSize('1mb'),
    '1gb',
    'What one account may keep besides requests: conversations, stored responses and chats, files of batches; more get 429.',
  ),

  requestLogKeys: setting(
    'request-log-keys',
    'Accounts',
    optional(file),
    unset('`request-log.keys` inside `data`'),
    'File of the keys that the request log encrypts bodies with; nodes that share a database need the same one. `sepia log-key make` adds one.',
  ),
  requestLogTime: setting(
    'request-log-time',
    'Accounts',
    duration('1h', '365d'),
    '7d',
    'The longest time that an owner may have bodies of requests kept, where the request log of an account is on.',
  ),
  requestLogBytes: setting(
    'request-log-bytes',
    'Accounts',
    byteSize('1mb'),
    '256mb',
    'What the request log of one account may take; more is left out, and counted.',
  ),

  accountAssets: setting(
    'account-assets',
    'Accounts',
    byteSize('1mb'),
    '20gb',
    'What the checkpoints, LoRAs and other files of weights that one account uploads may take together; more get 429.',
  ),

  ...signInSettings,

  queue: setting('queue', 'Asynchronous requests', integer(1, 100_000_000), '20000', 'Requests that may be pending; more get 503.'),
  queueLimit: setting(
    'queue-limit',
    'Asynchronous requests',
    duration('1s', '30d'),
    '24h',
    'A request that stays pending for longer fails.',
  ),
  lease: setting(
    'lease',
    'Asynchronous requests',
    duration('1s', '1h'),
    '6s',
    'A running request whose worker gives no sign of life for so long is run again.',
  ),
  webhookPrivateTargets: setting(
    'webhook-private-targets',
    'Asynchronous requests',
    toggle,
    'off',
    'Let webhooks reach loopback and private addresses, by plain http too; for receivers in a network that every account may send to.',
  ),

  log: setting(
    'log',
    'Log',
    oneOf(...logFormats),
    { words: '`pretty` on a terminal, else `json`', derive: ({ terminal }): LogFormat => (terminal ? 'pretty' : 'json') },
    'Form of the log, which goes to standard error.',
  ),
  logLevel: setting('log-level', 'Log', oneOf(...logLevels), 'info', 'The least important lines to log.'),

  otlpUrl: setting(
    'otlp-url',
    'Signals',
    webUrl,
    unset('nowhere'),
    'Where traces and metrics are sent by OTLP over HTTP, as JSON: an OpenTelemetry collector, such as `http://127.0.0.1:4318`.',
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
