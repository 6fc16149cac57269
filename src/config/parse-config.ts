import type { Config, OpenIdConfig } from './config.ts'
import type { Machine } from './machine.ts'
import type { BucketAddress } from './s3-url.ts'
import { createSettingReader, type SettingReader } from './setting-reader.ts'
import type { ConfigFault, SettingReport, SettingSources } from './setting-sources.ts'
import { settings } from './settings.ts'
import { findUnknownNames } from './unknown-names.ts'

export interface LoadedConfig {
  readonly config: Config
  /** Every setting with its value in words and where it came from. */
  readonly report: readonly SettingReport[]
}

export type ParsedConfig =
  | LoadedConfig
  /** `attempted`: the settings with the default of each faulty one, to tell what else is wrong; absent when nothing could be read. */
  | { readonly faults: readonly ConfigFault[]; readonly attempted?: Config }

/** Reads every setting from its first source (flag, environment, file, default), or tells everything that is wrong at once. */
export function parseConfig(sources: SettingSources, machine: Machine): ParsedConfig {
  const reader = createSettingReader(sources, machine)
  const config = readConfig(reader)
  const faults = [...findUnknownNames(sources), ...reader.faults]
  return faults.length > 0 ? { faults, attempted: config } : { config, report: reader.report }
}

function readConfig(reader: SettingReader): Config {
  const { read } = reader
  return {
    listen: {
      host: read(settings.host),
      port: read(settings.port),
      allowedHosts: read(settings.allowedHosts),
      corsOrigins: read(settings.corsOrigins),
      trustedProxies: read(settings.trustedProxies),
      connectionsPerAddress: zeroIsNull(read(settings.connectionsPerAddress)),
    },
    addresses: {
      publicUrl: read(settings.publicUrl),
      imageUrl: read(settings.imageUrl),
      asyncUrl: read(settings.asyncUrl),
      textUrl: read(settings.textUrl),
    },
    dataFolder: read(settings.data),
    database: readDatabase(read(settings.databaseUrl), read(settings.databaseUrlFile)),
    outputs: readOutputs(read(settings.s3Url), read(settings.s3SecretFile)),
    cluster: {
      role: read(settings.role),
      secret: read(settings.clusterSecret),
      secretFile: read(settings.clusterSecretFile),
      nodeUrl: read(settings.nodeUrl),
      authorityFile: read(settings.nodeAuthorityFile),
      certificateFile: read(settings.nodeCertificateFile),
      keyFile: read(settings.nodeKeyFile),
    },
    models: {
      builtIn: read(settings.builtInModels),
      folders: read(settings.models),
      defaults: { text: read(settings.defaultTextModel), image: read(settings.defaultImageModel) },
      pullHosts: read(settings.pullHosts),
      hub: { url: read(settings.hubUrl), token: read(settings.hubToken), tokenFile: read(settings.hubTokenFile) },
      memoryBytes: read(settings.memory),
      idleUnloadMs: zeroIsNull(read(settings.idleUnload)),
      threads: read(settings.engineThreads),
      gpu: read(settings.gpu),
      gpuDevice: read(settings.gpuDevice),
      textSlots: read(settings.textSlots),
      textQueue: read(settings.textQueue),
      imageQueue: read(settings.imageQueue),
    },
    requests: {
      asyncHeaders: read(settings.asyncHeaders),
      bodyLimitBytes: read(settings.bodyLimit),
      bodyMemoryBytes: read(settings.bodyMemory),
      perMinute: zeroIsNull(read(settings.requestsPerMinute)),
      imagePixels: read(settings.imagePixels),
      waitLimitMs: read(settings.waitLimit),
      runLimitMs: read(settings.runLimit),
      graceMs: read(settings.grace),
      widePenalties: read(settings.widePenalties),
    },
    accounts: {
      share: read(settings.accountShare) / 100,
      tokens: read(settings.accountTokens),
      storageBytes: read(settings.accountStorage),
      documentBytes: read(settings.accountDocuments),
      requestLog: {
        keysFile: read(settings.requestLogKeys),
        mostKeepMs: read(settings.requestLogTime),
        mostBytes: read(settings.requestLogBytes),
      },
      assetBytes: read(settings.accountAssets),
      places: { streams: read(settings.accountStreams), polls: read(settings.accountPolls), events: read(settings.accountEvents) },
    },
    signIn: {
      sessionMs: read(settings.sessionLifetime),
      local: read(settings.localSignIn),
      secondFactor: read(settings.secondFactor),
      openId: readOpenId(reader),
    },
    deferred: {
      queue: read(settings.queue),
      waitLimitMs: read(settings.queueLimit),
      leaseMs: read(settings.lease),
      privateWebhooks: read(settings.webhookPrivateTargets),
    },
    log: { format: read(settings.log), level: read(settings.logLevel) },
    otlp: readOtlp(read(settings.otlpUrl), read(settings.otlpHeaders), read(settings.otlpInterval)),
    proxies: { https: read(settings.httpsProxy), http: read(settings.httpProxy), exceptions: read(settings.noProxy) },
  }
}

function readDatabase(url: string | null, urlFile: string | null): Config['database'] {
  return url === null && urlFile === null ? { type: 'embedded' } : { type: 'postgres', url, urlFile }
}

function readOutputs(address: BucketAddress | null, secretFile: string | null): Config['outputs'] {
  return address === null ? { type: 'filesystem' } : { type: 's3', address, secretFile }
}

function zeroIsNull(value: number): number | null {
  return value === 0 ? null : value
}

function readOtlp(url: string | null, headers: Readonly<Record<string, string>> | null, intervalMs: number): Config['otlp'] {
  return url === null ? null : { url, headers: headers ?? {}, intervalMs }
}

function readOpenId({ read }: SettingReader): OpenIdConfig | null {
  const issuer = read(settings.oidcIssuer)
  const others = {
    clientId: read(settings.oidcClientId),
    clientSecretFile: read(settings.oidcClientSecretFile),
    scopes: read(settings.oidcScopes),
    label: read(settings.oidcLabel),
    createAccounts: read(settings.oidcCreateAccounts),
    emailDomains: read(settings.oidcEmailDomains),
    groupsClaim: read(settings.oidcGroupsClaim),
    roles: read(settings.oidcRoles),
  }
  return issuer === null ? null : { issuer, ...others }
}
