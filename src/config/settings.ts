import { nodeRoles } from '../core/cluster/node.ts'
import { addressSettings } from './address-settings.ts'
import { headerFields, headerNames } from './header-names.ts'
import { modelSettings } from './model-settings.ts'
import { proxySettings } from './proxy/proxy-settings.ts'
import { combined, formerSetting, rowsOf, type SettingDescription, type SettingGroup, settingsOf, unset, type ValuesOf } from './setting.ts'
import {
  byteSize,
  currencyCode,
  duration,
  file,
  folder,
  integer,
  oneOf,
  optional,
  percentage,
  secret,
  toggle,
  url,
  zeroIsNone,
} from './setting-kinds.ts'
import { signInSettings } from './sign-in-settings.ts'
import { bucketUrl, databaseUrl } from './storage-urls.ts'

const storage = settingsOf('Storage')
const cluster = settingsOf('Cluster')
const requests = settingsOf('Requests')
const accounts = settingsOf('Accounts')
const deferred = settingsOf('Asynchronous requests')
const log = settingsOf('Log')
const telemetry = settingsOf('Telemetry')
const webUrl = optional(url('http:', 'https:'))

/** All settings. The source of flags, environment variables, the keys of the file, `--help`, `sepia config` and docs/configuration.md. */
export const settings = {
  ...addressSettings,

  dataFolder: storage('data', folder, './data', 'Folder for the database, outputs, secrets and pulled models.'),

  database: combined(
    {
      url: storage(
        'database-url',
        optional(databaseUrl),
        unset('a database inside `data`'),
        'PostgreSQL 15 or newer for accounts, tokens, requests and usage: `postgres://user:password@host/database`.',
      ),
      urlFile: storage('database-url-file', optional(file), unset('none'), 'File with the value of `database-url`.'),
    },
    ({ url, urlFile }) =>
      url === null && urlFile === null ? ({ type: 'embedded' } as const) : ({ type: 'postgres', url, urlFile } as const),
  ),

  outputs: combined(
    {
      address: storage(
        's3-url',
        optional(bucketUrl),
        unset('files inside `data`'),
        'S3-compatible bucket for the outputs of all nodes: `https://key:secret@host/bucket`, with `?region=` if needed. It is created if it is missing.',
      ),
      secretFile: storage(
        's3-secret-file',
        optional(file),
        unset('none'),
        'File with the secret of `s3-url`, which is then `https://key@host/bucket`.',
      ),
    },
    ({ address, secretFile }) => (address === null ? ({ type: 'filesystem' } as const) : ({ type: 's3', address, secretFile } as const)),
  ),

  cluster: {
    role: cluster(
      'role',
      oneOf(...nodeRoles),
      'all',
      'What this node does in a cluster: `api` serves clients, `worker` computes, `all` does both.',
    ),
    secret: cluster(
      'cluster-secret',
      optional(secret),
      unset('none'),
      'Secret shared by all nodes, at least 16 characters; required in a cluster without node certificates.',
    ),
    secretFile: cluster('cluster-secret-file', optional(file), unset('none'), 'File with the `cluster-secret`.'),
    nodeUrl: cluster(
      'node-url',
      webUrl,
      unset('any free port of `host`'),
      'Address at which other nodes reach this one, such as `http://10.0.0.5:8081`. Its port is separate from `port`.',
    ),
    authorityFile: cluster(
      'node-authority-file',
      optional(file),
      unset('none'),
      'File (PEM) with the certificate of the authority that signs only the nodes of this cluster. With the next two settings, nodes authenticate each other over TLS. Read again when it changes.',
    ),
    certificateFile: cluster(
      'node-certificate-file',
      optional(file),
      unset('none'),
      "File (PEM) with this node's certificate, for servers and clients. Read again when it changes.",
    ),
    keyFile: cluster('node-key-file', optional(file), unset('none'), 'File (PEM) with the key of `node-certificate-file`.'),
  },

  ...modelSettings,

  requests: {
    asyncHeaders: requests(
      'async-headers',
      headerNames,
      'x-octoai-async',
      'More headers that request asynchronous mode, besides `x-service-async`.',
    ),
    bodyLimitBytes: requests(
      'body-limit',
      byteSize('1kb'),
      '32mb',
      'Body limit of synchronous requests. Asynchronous requests have 10 MB; requests without work for a model have 16 KB.',
    ),
    bodyMemoryBytes: requests(
      'body-memory',
      byteSize('16mb'),
      {
        words: 'a sixteenth of the memory, at most 256 MB',
        derive: ({ memoryBytes }) => Math.min(256 * 1024 ** 2, Math.max(64 * 1024 ** 2, Math.floor(memoryBytes / 16))),
      },
      'Bytes of all request bodies in the service, from their arrival until the response is sent; one account may use a quarter.',
    ),
    perMinute: requests(
      'requests-per-minute',
      zeroIsNone(integer(0, 1_000_000)),
      '0',
      'Requests per account and minute; 0 means no limit.',
    ),
    imagePixels: requests(
      'image-pixels',
      integer(64 * 64, 1_000_000_000),
      '16777216',
      'Pixels of all images of one request; the default is 16 images of 1024 × 1024. More get 422.',
    ),
    fetchesPictures: requests(
      'fetch-pictures',
      toggle,
      'off',
      'Fetch images that chats name by http or https address, from public hosts only and without a proxy.',
    ),
    waitLimitMs: requests('wait-limit', duration('1s', '1h'), '1m', 'How long a synchronous request may wait for a model.'),
    runLimitMs: requests('run-limit', duration('1s', '7d'), '15m', 'How long one run on a model may take.'),
    graceMs: requests('grace', duration('0', '1h'), '30s', 'How long a stopping service waits for running answers.'),
    widePenalties: requests('wide-penalties', toggle, 'off', 'Accept frequency and presence penalties of −2 to 2 instead of 0 to 1.'),
  },

  /** Shares of common resources per account. */
  accounts: {
    share: accounts(
      'account-share',
      percentage,
      '50',
      'Percentage of `text-queue`, `image-queue` and `queue` that one account may fill; more get 429.',
    ),
    /** Per account, for each kind of stream. */
    streams: combined(
      {
        most: accounts(
          'account-streams',
          integer(1, 100_000),
          '256',
          'Open streams per account. The same limit applies to long polls, and to event streams of asynchronous requests; more get 429.',
        ),
        polls: formerSetting('account-polls', 'Accounts', integer(1, 100_000), 'account-streams'),
        events: formerSetting('account-events', 'Accounts', integer(1, 100_000), 'account-streams'),
      },
      ({ most, polls, events }) => Math.max(most, polls ?? 0, events ?? 0),
    ),
    currency: accounts(
      'currency',
      optional(currencyCode),
      unset('none'),
      'Currency of model prices and money limits in the console, as an ISO 4217 code such as `EUR`; without it, amounts are plain numbers. Use the same on all nodes of a cluster.',
    ),
    tokens: accounts('account-tokens', integer(1, 100_000), '1000', 'Usable access tokens per account; the console creates no more.'),
    storageBytes: accounts(
      'account-storage',
      byteSize('1mb'),
      '5gb',
      'Storage per account for asynchronous requests: waiting bodies and kept outputs; more get 429.',
    ),
    documentBytes: accounts(
      'account-documents',
      byteSize('1mb'),
      '1gb',
      'Storage per account for conversations, stored responses and chats, and batch files; more get 429.',
    ),
    requestLog: {
      keysFile: accounts(
        'request-log-keys',
        optional(file),
        unset('`request-log.keys` inside `data`'),
        'File with the keys of the request log; nodes of a cluster need the same file. `sepia log-key make` adds a key.',
      ),
      mostKeepMs: accounts('request-log-time', duration('1h', '365d'), '7d', 'Longest time that the request log may keep bodies.'),
      mostBytes: accounts(
        'request-log-bytes',
        byteSize('1mb'),
        '256mb',
        'Size of the request log per account; what exceeds it is dropped and counted.',
      ),
    },
    assetBytes: accounts(
      'account-assets',
      byteSize('1mb'),
      '20gb',
      'Storage per account for uploaded checkpoints, LoRAs and other weights; more get 429.',
    ),
  },

  ...signInSettings,

  deferred: {
    queue: deferred('queue', integer(1, 100_000_000), '20000', 'Pending requests at once; more get 503.'),
    waitLimitMs: deferred('queue-limit', duration('1s', '30d'), '24h', 'A request that is pending for longer fails.'),
    leaseMs: deferred('lease', duration('1s', '1h'), '6s', 'A running request starts again if its worker does not report for this long.'),
    privateWebhooks: deferred(
      'webhook-private-targets',
      toggle,
      'off',
      'Allow webhooks to loopback and private addresses, also over http. Every account can then send to that network.',
    ),
  },

  log: {
    format: log(
      'log',
      oneOf('pretty', 'json'),
      { words: '`pretty` on a terminal, else `json`', derive: ({ terminal }) => (terminal ? 'pretty' : 'json') },
      'Format of the log on standard error.',
    ),
    level: log('log-level', oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'Lowest level to log.'),
  },

  otlp: combined(
    {
      url: telemetry(
        'otlp-url',
        webUrl,
        unset('nowhere'),
        'OpenTelemetry collector for traces and metrics (OTLP over HTTP, JSON), such as `http://127.0.0.1:4318`.',
      ),
      headers: telemetry(
        'otlp-headers',
        optional(headerFields),
        unset('none'),
        'Headers for `otlp-url`, such as a key: `name=value`, separated by commas.',
      ),
      intervalMs: telemetry('otlp-interval', duration('1s', '1h'), '30s', 'How often metrics are sent to `otlp-url`.'),
    },
    ({ url, headers, intervalMs }) => (url === null ? null : { url, headers: headers ?? {}, intervalMs }),
  ),

  ...proxySettings,
} as const

/** All settings, checked and with defaults. Times in milliseconds, sizes in bytes, absolute folders. */
export type Config = ValuesOf<typeof settings>

/** An OpenID Connect provider, and rules for admitting its users. */
export type OpenIdConfig = NonNullable<Config['signIn']['openId']>

/** All settings, including deprecated ones. */
export const allSettings: readonly SettingDescription[] = rowsOf(settings)

/** Current settings by group, in the table's order. */
export function groupedSettings(): readonly (readonly [SettingGroup, readonly SettingDescription[]])[] {
  return [
    ...Map.groupBy(
      allSettings.filter(({ replacedBy }) => replacedBy === null),
      ({ group }) => group,
    ),
  ]
}
