import { UsageError } from '../cli/failures.ts'
import { maxDescriptors, warnOfDescriptors } from '../config/file-descriptors.ts'
import type { ConfigFault, SettingReport } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import type { Abortable } from '../core/waiting.ts'
import { modelFaulty, modelFieldIdle } from '../telemetry/model-events.ts'
import { descriptorsScarce, settingReplaced } from '../telemetry/service-events.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { findMissingBackend } from './devices/devices.ts'
import { openModels } from './models/open-models.ts'
import { findSignInFaults } from './sign-in/open-sign-in.ts'

/** Opens the configured models and logs faulty ones. @throws {UsageError} with all faults that prevent the start. */
export async function openInstalledModels(
  config: Config,
  telemetry: Telemetry,
  options: Abortable,
): Promise<Awaited<ReturnType<typeof openModels>>> {
  const faults = [
    ...findClusterFaults(config),
    ...findOpenFaults(config),
    ...findSignInFaults(config),
    ...(await findMissingHardware(config, options)),
  ]
  const installed = await openModels(config, faults)
  for (const idle of installed.ignoredFields) modelFieldIdle(telemetry, idle)
  for (const fault of installed.faults) modelFaulty(telemetry, fault)
  return installed
}

/** Logs notes about the settings. */
export function noteSettings({ listen }: Config, telemetry: Telemetry, report: readonly SettingReport[]): void {
  for (const { source, replacedBy } of report) if (replacedBy !== undefined) settingReplaced(telemetry, { source, replacedBy })
  const scarce = warnOfDescriptors(maxDescriptors(), listen.connectionsPerAddress)
  if (scarce !== null) descriptorsScarce(telemetry, { warning: scarce })
}

/** Configured hardware that the machine lacks. */
async function findMissingHardware({ models }: Config, options: Abortable): Promise<readonly ConfigFault[]> {
  const message = await findMissingBackend(models.gpu, options)
  return message === null ? [] : [{ where: 'gpu', message }]
}

/** Combinations of valid settings that prevent the start. */
export async function findStartFaults(config: Config): Promise<readonly ConfigFault[]> {
  try {
    await openModels(config, [...findClusterFaults(config), ...findOpenFaults(config), ...findSignInFaults(config)])
    return []
  } catch (error) {
    if (error instanceof UsageError) return error.faults
    throw error
  }
}

/** Settings that would let others in while local programs need no token. */
export function findOpenFaults({ listen, addresses }: Pick<Config, 'listen' | 'addresses'>): readonly ConfigFault[] {
  if (!listen.openOnLoopback) return []
  const { publicUrl, imageUrl, asyncUrl, textUrl } = addresses
  const found: readonly (readonly [isFault: boolean, where: string, reason: string])[] = [
    [
      !/^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/i.test(listen.host),
      'host',
      'other machines must not reach the service; set it to 127.0.0.1',
    ],
    ...Object.entries({ 'public-url': publicUrl, 'image-url': imageUrl, 'async-url': asyncUrl, 'text-url': textUrl }).map(
      ([name, url]) => [url !== null, name, 'other machines must not reach the service; remove it'] as const,
    ),
    [listen.allowedHosts.length > 0, 'allowed-hosts', 'browsers must use localhost; remove it'],
    [listen.trustedProxies.length > 0, 'trusted-proxies', 'no proxy may forward requests to the service; remove it'],
  ]
  return found.flatMap(([isFault, where, reason]) => {
    const message = `Programs on this machine need no token (open-on-loopback), so ${reason}, or turn open-on-loopback off.`
    return isFault ? [{ where, message, settings: [where, 'open-on-loopback'] }] : []
  })
}

/** Minimum length of the cluster secret. */
export const minSecretLength = 16

const databaseSettings = ['database-url', 'database-url-file']
const certificateSettings = ['node-authority-file', 'node-certificate-file', 'node-key-file']

/** Whether only one of database and bucket is shared. */
export function findHalfCluster({ database, outputs }: Pick<Config, 'database' | 'outputs'>): readonly ConfigFault[] {
  const [shared, bucket] = [database.type === 'postgres', outputs.type === 's3']
  if (shared === bucket) return []
  return shared
    ? [{ where: 's3-url', message: 'Nodes with a shared database need a shared bucket; set both database-url and s3-url, or neither.' }]
    : [
        {
          where: 'database-url',
          message: 'Nodes with a shared bucket need a shared database; set both database-url and s3-url, or neither.',
          settings: databaseSettings,
        },
      ]
}

/** Cluster settings that require others. */
export function findClusterFaults({
  database,
  outputs,
  cluster: { role, secret, secretFile, nodeUrl, authorityFile, certificateFile, keyFile },
}: Pick<Config, 'database' | 'outputs' | 'cluster'>): readonly ConfigFault[] {
  const [shared, bucket] = [database.type === 'postgres', outputs.type === 's3']
  const certificate = [authorityFile, certificateFile, keyFile]
  const [named, complete] = [certificate.some((path) => path !== null), certificate.every((path) => path !== null)]
  const found: readonly (readonly [isFault: boolean, where: string, message: string, settings?: readonly string[]])[] = [
    [
      outputs.type === 's3' && outputs.address.secretKey === '' && outputs.secretFile === null,
      's3-secret-file',
      'The secret of s3-url is missing; write https://key:secret@host/bucket, or set s3-secret-file.',
    ],
    [
      role !== 'all' && !(shared && bucket),
      'role',
      `A node with the role ${role} needs other nodes; set database-url and s3-url, or leave role out.`,
      [...databaseSettings, 's3-url'],
    ],
    [
      shared && bucket && secret === null && secretFile === null && !named,
      'cluster-secret',
      `Nodes need a shared secret of at least ${minSecretLength} characters; set cluster-secret or cluster-secret-file to the same value on all.`,
      ['cluster-secret', 'cluster-secret-file', ...certificateSettings],
    ],
    [
      named && !complete,
      'node-certificate-file',
      'A node certificate needs three files; set node-authority-file, node-certificate-file and node-key-file, or none of them.',
      certificateSettings,
    ],
    [
      nodeUrl !== null && nodeUrl.startsWith('https:') !== named,
      'node-url',
      named
        ? 'Nodes with certificates use TLS; write node-url with https.'
        : 'TLS between nodes needs certificates; set node-authority-file, node-certificate-file and node-key-file, or write node-url with http.',
      certificateSettings,
    ],
    [
      secret !== null && secret.length < minSecretLength,
      'cluster-secret',
      `The secret is too short; use at least ${minSecretLength} characters.`,
    ],
  ]
  return [
    ...findHalfCluster({ database, outputs }),
    ...found.flatMap(([isFault, where, message, settings = [where]]) => (isFault ? [{ where, message, settings }] : [])),
  ]
}
